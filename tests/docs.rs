//! The pages for people are true: their lists are those of the program, and their commands are commands.
//!
//! `UPDATE_DOCS=1 cargo test --test docs` writes the lists again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)] // All of it is tests.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};
use cutaway::cli::Cli;
use cutaway::lint::Rule;
use cutaway::settings::{Config, Depth, THEMES, Theme, read_keymap};
use cutaway::studio::{Command, Keymap, Layer};

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Holds what stands between `<!-- list -->` and `<!-- end -->` of a page against what should, or puts it there.
fn holds(name: &str, list: &str, should: &str) {
    let file = page(name);
    let text = fs::read_to_string(&file).unwrap();
    let begin = format!("<!-- {list} -->");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{name} has no {begin}"));
    let (found, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{name}: {begin} has no end"));
    if found == should {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(file, format!("{before}{begin}{should}<!-- end -->{after}")).unwrap();
        return;
    }
    panic!(
        "{name} does not list what the program has; UPDATE_DOCS=1 cargo test --test docs writes it again.\n\
         It says:\n{found}\nIt should say:\n{should}"
    );
}

#[test]
fn the_page_on_keys_lists_every_command() {
    let (keymap, faults) = Keymap::load(None);
    assert_eq!(faults, []);
    let mut table = String::from("\n| command | keys | what it does |\n|---|---|---|\n");
    for command in Command::ALL {
        let keys = |layer| keymap.keys_of(*command, &[layer]).map(|key| format!("`{key}`")).collect::<Vec<_>>();
        let mut shown = keys(Layer::Global);
        for layer in Layer::OUTSIDE_TEXT.into_iter().skip(1).filter(|layer| !layer.is_mode()) {
            let own: Vec<_> = keys(layer).into_iter().filter(|key| !shown.contains(key)).collect();
            shown.extend(own);
        }
        let elsewhere = shown.clone();
        let mut in_modes: Vec<(String, Vec<String>)> = Vec::new();
        for mode in Layer::OUTSIDE_TEXT.into_iter().filter(|layer| layer.is_mode()) {
            let name = format!("`{}`", mode.name());
            for key in keys(mode).into_iter().filter(|key| !elsewhere.contains(key)) {
                match in_modes.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, modes)) => modes.push(name.clone()),
                    None => in_modes.push((key, vec![name.clone()])),
                }
            }
        }
        shown.extend(in_modes.into_iter().map(|(key, modes)| format!("{key} in {}", modes.join(", "))));
        let others = keys(Layer::Text).into_iter().filter(|key| !elsewhere.contains(key)).map(|key| key + " in `text`");
        shown.extend(others.collect::<Vec<_>>());
        writeln!(table, "| `{}` | {} | {} |", command.name(), shown.join(" "), command.about()).unwrap();
    }
    holds("docs/keymap.md", "commands", &table);
}

#[test]
fn the_page_on_problems_lists_every_rule() {
    let mut table = String::from("\n| rule | name | severity | what it finds | field |\n|---|---|---|---|---|\n");
    for rule in Rule::all() {
        let field = if rule.field().is_empty() { "any".to_owned() } else { format!("`{}`", rule.field()) };
        let (id, name, severity) = (rule.id(), rule.name(), rule.severity().word());
        writeln!(table, "| {id} | {name} | {severity} | {} | {field} |", rule.what()).unwrap();
    }
    holds("docs/lint.md", "rules", &table);
}

#[test]
fn the_page_on_themes_lists_every_theme_and_role() {
    let names: Vec<String> = THEMES.iter().map(|(name, _)| format!("`{name}`")).collect();
    holds("docs/themes.md", "themes", &names.join(", "));
    let about = [
        ("text", "what is read"),
        ("dim", "what is read second: labels, hints, figures beside the point"),
        ("faint", "what is there to be seen, not read: borders, examples, separators"),
        ("accent", "where you are: the focus, the screen, keys"),
        ("ok", "what went well, what is switched on"),
        ("warn", "what wants a look"),
        ("error", "what went wrong"),
        ("select", "the row that is selected, usually by its background alone"),
        ("match", "the part that was searched for"),
        ("live", "what moves by itself"),
    ];
    let mut table = String::from("\n| role | for | in the dark theme |\n|---|---|---|\n");
    for (role, for_what) in about {
        let line = THEMES[0].1.lines().find_map(|line| line.strip_prefix(role)?.trim_start().strip_prefix('='));
        writeln!(table, "| `{role}` | {for_what} | `{}` |", line.unwrap().trim()).unwrap();
    }
    holds("docs/themes.md", "roles", &table);
    let roles =
        |text: &str| text.lines().take_while(|line| *line != "[basic]").filter(|line| line.contains(" = ")).count();
    assert!(THEMES.iter().all(|(_, text)| roles(text) == about.len()), "a role is missing from the page's list");
}

#[test]
fn the_page_on_scripting_lists_every_variable() {
    let home = tempfile::tempdir().unwrap();
    let mut asked = std::process::Command::new(env!("CARGO_BIN_EXE_cutaway"));
    let said = asked.args(["help", "--json"]).env_clear().env("HOME", home.path()).output().unwrap().stdout;
    let said: serde_json::Value = serde_json::from_slice(&said).unwrap();
    let mut table = String::from("\n| variable | in place of | what it says |\n|---|---|---|\n");
    for variable in said["environment"].as_array().unwrap() {
        let name = |of: &str| variable[of].as_str().map(|name| format!("`{name}`"));
        let names = name("name").into_iter().chain(name("file")).collect::<Vec<_>>().join(", ");
        let about = variable["about"].as_str().unwrap().replace('|', "\\|").replace('<', "&lt;");
        writeln!(table, "| {names} | {} | {about} |", name("flag").unwrap_or_default()).unwrap();
    }
    holds("docs/scripting.md", "variables", &table);
}

/// Every page that a person reads.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(page("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = docs.map(|name| format!("docs/{name}")).collect();
    pages.retain(|name| page(name).extension().is_some_and(|ending| ending == "md"));
    let beside = ["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "THIRD-PARTY.md"];
    pages.extend(beside.map(str::to_owned));
    pages.sort();
    pages
}

/// What stands in the code blocks of a language, of every page.
fn code(language: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    for name in pages() {
        let text = fs::read_to_string(page(&name)).unwrap();
        for block in text.split(&format!("```{language}\n")).skip(1) {
            blocks.push((name.clone(), block.split("```").next().unwrap().to_owned()));
        }
    }
    blocks
}

/// What the page for those who work on it names in `…` that looks like a file or a folder of ours.
#[test]
fn the_files_that_contributing_names_exist() {
    let text = fs::read_to_string(page("CONTRIBUTING.md")).unwrap();
    let mut count = 0;
    // Every second piece stands between two backticks; blocks of code have three.
    let prose: String = text.split("```").step_by(2).collect();
    for line in prose.lines() {
        for (nth, named) in line.split('`').enumerate().filter(|(nth, _)| nth % 2 == 1) {
            let is_test = nth == 1 && line.starts_with("| `");
            let is_path = ["src/", "tests/", "assets/", "docs/", "benches/"].iter().any(|root| named.starts_with(root));
            if (is_test || is_path) && !named.contains(['<', ' ']) {
                let path = if is_test { page("tests").join(named) } else { page(named) };
                // `player_*.rs` stands for every file that is called so.
                let found = match named.split_once('*') {
                    None => path.exists(),
                    Some((begin, end)) => {
                        let begin = begin.rsplit('/').next().unwrap();
                        let is = |name: String| name.starts_with(begin) && name.ends_with(end);
                        let folder = fs::read_dir(path.parent().unwrap()).unwrap();
                        folder.into_iter().any(|entry| is(entry.unwrap().file_name().into_string().unwrap()))
                    }
                };
                assert!(found, "CONTRIBUTING.md names {named}, which is not there: {line}");
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn every_command_line_is_one() {
    let mut count = 0;
    for (name, block) in code("sh").into_iter().chain(code("text")) {
        // A line that ends with a backslash goes on in the next one.
        for line in block.replace("\\\n", " ").lines() {
            let line = line.split('#').next().unwrap();
            for line in line.split('|').map(|part| part.split(" > ").next().unwrap().trim()) {
                // Who runs it: another user, a unit, a container.
                let line = ["sudo ", "ExecStart=", "docker exec cutaway "]
                    .into_iter()
                    .fold(line, |line, before| line.strip_prefix(before).unwrap_or(line));
                let line = line.strip_prefix("/usr/bin/").unwrap_or(line);
                if !line.starts_with("cutaway ") {
                    continue;
                }
                let parsed = Cli::try_parse_from(line.split_whitespace());
                // The version and help end like errors that are none.
                let wrong = parsed.err().filter(|error| error.exit_code() != 0);
                assert!(wrong.is_none(), "{name}: {line}\n{}", wrong.unwrap());
                count += 1;
            }
        }
    }
    assert!(count >= 60, "the command lines are looked for where they are: {count}");
}

#[test]
fn every_settings_file_is_one() {
    let mut count = 0;
    // A project file is no settings file.
    for (name, block) in code("toml").into_iter().filter(|(name, _)| name != "docs/project-file.md") {
        let faults: Vec<String> = match name.as_str() {
            "docs/keymap.md" => {
                assert_eq!(read_keymap("keymap.toml", &block).1, []);
                Keymap::load(Some(&block)).1.iter().map(ToString::to_string).collect()
            }
            _ if block.starts_with("[roles]") => {
                Theme::load("night", Some(&block), Depth::True).1.iter().map(ToString::to_string).collect()
            }
            _ => Config::parse(&block, "config.toml").warnings,
        };
        assert_eq!(faults, [""; 0], "{name}:\n{block}");
        count += 1;
    }
    assert!(count >= 4, "the files are looked for where they are: {count}");
}

#[test]
fn every_link_leads_somewhere() {
    for name in pages() {
        let text = fs::read_to_string(page(&name)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.starts_with("http") {
                let target = page(&name).parent().unwrap().join(link);
                assert!(target.exists(), "{name} leads to {link}, which is not there");
                // The book is made of this folder alone: what it leads to beside it is not in it.
                let is_in_book = !name.starts_with("docs/") || !link.starts_with("../");
                assert!(is_in_book, "{name} leads out of the book, to {link}");
            }
        }
    }
}

/// What stands in backquotes and is the path of a file or folder of the repository, with what a script is given or without.
fn named_files(text: &str) -> Vec<String> {
    const FOLDERS: [&str; 7] = ["src/", "tests/", "assets/", ".ci/", "packaging/", "benches/", "docs/"];
    let is_path = |named: &&str| {
        named.split('/').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)))
            && (Path::new(named).extension().is_some_and(|ending| ending == "rs")
                || FOLDERS.iter().any(|folder| named.starts_with(folder)))
    };
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(|named| named.split(' ').next().unwrap().trim_end_matches('/'))
        // What is made only when it is published.
        .filter(|named| is_path(named) && *named != "packaging/out")
        .map(str::to_owned)
        .collect()
}

/// The names of all files below a folder.
fn names_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let names = |path: PathBuf| {
        if path.is_dir() { names_below(&path) } else { vec![path.file_name().unwrap().to_string_lossy().into_owned()] }
    };
    entries.flat_map(names).collect()
}

#[test]
fn every_file_of_ours_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in pages() {
        let named = named_files(&fs::read_to_string(root.join(&name)).unwrap());
        let is_for_developers = ["CONTRIBUTING.md", "docs/architecture.md"].contains(&name.as_str());
        assert!(named.len() > 5 || !is_for_developers, "{name} names files: {named:?}");
        for file in named {
            // A name without a folder is that of a file in more than one of them.
            let there = ["", "src", "tests"].iter().any(|folder| root.join(folder).join(&file).exists())
                || names_below(&root.join("src")).contains(&file);
            assert!(there, "{name} names {file}, which is not there");
        }
    }
}

#[test]
fn the_book_has_every_page_once() {
    let summary = fs::read_to_string(page("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<String> =
        summary.split("](").skip(1).filter_map(|rest| Some(format!("docs/{}", rest.split(')').next()?))).collect();
    listed.push("docs/SUMMARY.md".to_owned());
    listed.sort();
    let mut there = pages();
    there.retain(|name| name.starts_with("docs/"));
    assert_eq!(listed, there);
}

/// What stands in `…` in the prose and begins with the program or one of its commands: its commands and flags are there.
#[test]
fn every_command_that_the_prose_names_is_one() {
    let mut root = Cli::command();
    root.build();
    let (mut count, mut wrong) = (0, Vec::new());
    for name in pages() {
        let text = fs::read_to_string(page(&name)).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        for named in prose.split('`').skip(1).step_by(2) {
            let mut words = named.split_whitespace().peekable();
            // A name alone may be that of something else.
            let is_ours = words.next_if_eq(&"cutaway").is_some();
            let begins = words.peek().is_some_and(|word| root.find_subcommand(word).is_some());
            let is_command = is_ours || (begins && named.contains(" --"));
            if !is_command {
                continue;
            }
            let mut command = &root;
            let mut known: Vec<String> = flags(command);
            for word in words {
                // What follows is a command of which help is given.
                if word == "help" {
                    break;
                }
                if let Some(inner) = command.find_subcommand(word) {
                    command = inner;
                    known.extend(flags(command));
                } else if let Some(flag) = word.strip_prefix("--") {
                    let flag = flag.split(['=', ',', '.', '|', ')']).next().unwrap();
                    if !known.iter().any(|one| one == flag) {
                        wrong.push(format!("{name}: `{named}`: there is no --{flag}"));
                    }
                } else if command.has_subcommands() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
                    wrong.push(format!("{name}: `{named}`: there is no command {word}"));
                }
            }
            count += 1;
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count > 50, "{count}");
}

fn flags(command: &clap::Command) -> Vec<String> {
    let flags = command.get_arguments().filter_map(|argument| argument.get_long());
    flags.map(str::to_owned).collect()
}

/// What the page on dependencies says of how many there are, and that there are no more than there may be.
#[test]
fn the_page_on_dependencies_counts_them() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let target = "x86_64-unknown-linux-gnu";
    let tree = std::process::Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-e", "normal", "--prefix", "none", "--target", target])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    if !tree.status.success() {
        return eprintln!("SKIPPED: the crates for {target} are not here: {}", String::from_utf8_lossy(&tree.stderr));
    }
    let tree = String::from_utf8(tree.stdout).unwrap();
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let text = fs::read_to_string(page("docs/dependencies.md")).unwrap();
    let said = format!("There are {}, and there may be 380.", crates.len());
    assert!(text.contains(&said) && crates.len() <= 380, "docs/dependencies.md should say: {said}");
}

/// What the first chapter has people type is typed, in a home of its own.
#[test]
fn the_commands_of_the_first_chapter_run() {
    let home = tempfile::tempdir().unwrap();
    let mut count = 0;
    for (_, block) in code("sh").into_iter().filter(|(name, _)| name == "docs/first-ten-minutes.md") {
        for line in block.lines().filter_map(|line| line.strip_prefix("cutaway ")) {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_cutaway"))
                .env_clear()
                .env("HOME", home.path())
                .env("LANG", "C.UTF-8")
                .args(line.split_whitespace())
                .output()
                .unwrap();
            // `lint` and `doctor` end with 1 where they found something: the sample store has it.
            let finds = line.starts_with("lint") || line.starts_with("doctor");
            let code = output.status.code();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(code == Some(0) || finds && code == Some(1), "{line}: {code:?} {said}");
            assert!(!output.stdout.is_empty(), "{line}");
            count += 1;
        }
    }
    assert!(count >= 5, "{count}");
}
