//! `cutaway man`, from the command definitions themselves.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_mangen::roff::{Roff, bold, roman};
use serde_json::Value;

use super::completions::print;
use super::{Cli, Failure, describe};
use crate::domain::BUILT;

/// Print the manual page.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway man > cutaway.1
  cutaway man --dir ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Write one page for each command into this directory instead
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut command = Cli::command();
        // Gives inner commands their whole names.
        command.build();
        let mut pages = Vec::new();
        gather(&command, &[], &mut pages)?;
        let Some(folder) = &self.dir else {
            return print(&pages.into_iter().flat_map(|(_, page)| page).collect::<Vec<u8>>());
        };
        let refused = |path: &Path, error: io::Error| Failure::Faulty(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
        for (name, page) in pages {
            let file = folder.join(format!("{name}.1"));
            std::fs::write(&file, page).map_err(|error| refused(&file, error))?;
        }
        Ok(())
    }
}

/// Where things are, as people look for them.
const FILES: [(&str, &str); 4] = [
    (
        "$XDG_CONFIG_HOME/cutaway, else ~/.config/cutaway",
        "config.toml with the profiles, keymap.toml, and themes in themes/. `cutaway schema` prints what they may contain.",
    ),
    ("$XDG_DATA_HOME/cutaway, else ~/.local/share/cutaway", "The local workspace, and credentials."),
    (
        "$XDG_STATE_HOME/cutaway, else ~/.local/state/cutaway",
        "Drafts, uploads, saved searches, ignored problems, logs and internal errors.",
    ),
    ("$XDG_CACHE_HOME/cutaway, else ~/.cache/cutaway", "Pictures. They may be deleted."),
];

/// The page of a command and of those below it, each with its name: `cutaway-projects-list`.
fn gather(command: &Command, above: &[String], pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    let name = above.last().map_or_else(|| "cutaway".to_owned(), |above| format!("{above}-{}", command.get_name()));
    pages.push((name.clone(), page(command, above)?));
    let above: Vec<String> = above.iter().cloned().chain([name]).collect();
    inner(command).try_for_each(|inner| gather(inner, &above, pages))
}

/// The commands below one that have a page.
fn inner(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
}

/// The page of a command below others, whose pages have these names.
fn page(command: &Command, above: &[String]) -> Result<Vec<u8>, Failure> {
    let name = command.get_bin_name().unwrap_or("cutaway");
    let title = name.replace(' ', "-").to_uppercase();
    let man = clap_mangen::Man::new(command.clone()).title(title).source(BUILT.version).manual("Cutaway");
    let mut page = Vec::new();
    let head = man.render_title(&mut page).and_then(|()| man.render_name_section(&mut page));
    head.map_err(|error| Failure::Faulty(error.to_string()))?;

    let mut roff = Roff::new();
    let usage = command.clone().render_usage().to_string();
    roff.control("SH", ["SYNOPSIS"]);
    for usage in usage.trim_start_matches("Usage:").lines() {
        let rest = usage.trim().strip_prefix(name).unwrap_or(usage);
        roff.text([bold(name), roman(rest)]);
    }
    let body = roff.to_writer(&mut page);
    let body = body.and_then(|()| man.render_description_section(&mut page));
    let body = body.and_then(|()| man.render_options_section(&mut page));
    body.map_err(|error| Failure::Faulty(error.to_string()))?;

    let mut roff = Roff::new();
    if inner(command).next().is_some() {
        roff.control("SH", ["COMMANDS"]);
        for inner in inner(command) {
            let whole = format!("{}-{}", name.replace(' ', "-"), inner.get_name());
            entry(&mut roff, &format!("{whole}(1)"), &inner.get_about().map(ToString::to_string).unwrap_or_default());
        }
    }
    say_after(&mut roff, &command.get_after_help().map(ToString::to_string).unwrap_or_default());
    if above.is_empty() {
        say_surroundings(&mut roff)?;
    } else {
        roff.control("SH", ["SEE ALSO"]);
        let pages: Vec<String> = above.iter().rev().map(|page| format!("{page}(1)")).collect();
        roff.text([roman(pages.join(", "))]);
    }
    roff.to_writer(&mut page).map_err(|error| Failure::Faulty(error.to_string()))?;
    Ok(page)
}

fn entry(roff: &mut Roff, name: &str, about: &str) {
    roff.control("TP", []);
    roff.text([bold(name)]);
    roff.text([roman(about)]);
}

/// What help says below the options: under its headings line by line, what stands under none as notes.
fn say_after(roff: &mut Roff, help: &str) {
    let mut said = String::new();
    for part in help.split("\n\n").filter(|part| !part.trim().is_empty()) {
        let (heading, lines) = match part.split_once(":\n") {
            Some((heading, lines)) if !heading.contains('\n') && lines.starts_with("  ") => {
                (heading.to_uppercase(), lines)
            }
            _ => ("NOTES".to_owned(), part),
        };
        if said != heading {
            roff.control("SH", [heading.as_str()]);
        }
        if heading == "NOTES" {
            roff.control("PP", []);
            roff.text([roman(lines.replace('\n', " "))]);
        } else {
            roff.control("nf", []);
            roff.text([roman(lines.lines().map(str::trim).collect::<Vec<_>>().join("\n"))]);
            roff.control("fi", []);
        }
        said = heading;
    }
}

/// What holds for all commands: the environment, the files and the exit codes.
fn say_surroundings(roff: &mut Roff) -> Result<(), Failure> {
    let document = describe::document(&[])?;
    let of = |list: &str| document.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |of: &Value, member: &str| of.get(member).and_then(Value::as_str).map(str::to_owned);
    roff.control("SH", ["ENVIRONMENT"]);
    for variable in of("environment") {
        let about = text(&variable, "about").unwrap_or_default();
        let flag = text(&variable, "flag").map(|flag| format!(" (as {flag})")).unwrap_or_default();
        let file =
            text(&variable, "file").map(|file| format!(". {file} names a file that it is in")).unwrap_or_default();
        entry(roff, &text(&variable, "name").unwrap_or_default(), &format!("{about}{flag}{file}"));
    }
    roff.control("SH", ["FILES"]);
    for (place, about) in FILES {
        entry(roff, place, about);
    }
    roff.control("SH", ["EXIT STATUS"]);
    for code in of("exitCodes") {
        let number = code.get("code").map(Value::to_string).unwrap_or_default();
        entry(roff, &number, &text(&code, "meaning").unwrap_or_default());
    }
    Ok(())
}
