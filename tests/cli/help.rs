//! What help says, word for word: whoever changes it sees what others read.
//!
//! `INSTA_UPDATE=always cargo test --test cli help::` takes over what it says now.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use cutaway::cli::Cli;

/// So wide is what is held, columns.
const WIDTH: usize = 100;

fn of_width(command: clap::Command) -> clap::Command {
    command.term_width(WIDTH).mut_subcommands(of_width)
}

/// The help of a command and of all that it has, but of what every command has: that is held once.
fn helps(command: &mut clap::Command, words: &str, held: &mut String) {
    let _ = writeln!(held, "$ {words} --help\n{}\n", command.render_long_help().to_string().trim_end());
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        if let Some(inner) = command.find_subcommand_mut(name).filter(|inner| !inner.is_hide_set()) {
            helps(inner, &format!("{words} {name}"), held);
        }
    }
}

/// The global options are the same everywhere.
fn without_globals(help: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in help.lines() {
        if line == "Global options:" {
            inside = true;
            continue;
        }
        // The options go on to the next line that stands at the edge.
        inside &= line.is_empty() || line.starts_with(' ');
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn help_says_what_it_says() {
    let mut root = of_width(Cli::command());
    root.build();
    insta::assert_snapshot!(
        "cutaway",
        root.render_long_help().to_string().replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
    let names: Vec<String> = root.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        let mut held = String::new();
        if let Some(inner) = root.find_subcommand_mut(name).filter(|inner| !inner.is_hide_set()) {
            helps(inner, &format!("cutaway {name}"), &mut held);
        }
        let held = without_globals(&held);
        for line in held.lines() {
            assert!(line.chars().count() <= WIDTH || line.contains("https://") || line.contains("cutaway "), "{line}");
        }
        insta::assert_snapshot!(format!("cutaway {name}"), held);
    }
}
