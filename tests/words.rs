//! The words that people read are those of other tools: the list of the words that were given up stays one.
//!
//! Looked through are the help of the whole command line, the table of the studio's commands, the pages in `docs`, and the
//! texts in the source: notices, errors, empty lists, forms.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)] // All of it is tests.

use std::fs;
use std::path::Path;

use clap::CommandFactory as _;
use cutaway::cli::Cli;
use cutaway::studio::Command;

/// What is not said any more, and what is said in its place.
const RETIRED: &[(&[&str], &str)] = &[
    (&["mend", "mends", "mended"], "fix"),
    (&["finding", "findings", "fault", "faults"], "problem, problems"),
    (&["meant so", "as meant", "mark as meant"], "ignore"),
    (&["take back", "taken back", "takes back", "take that back", "takes that back"], "undo"),
    (&["make again", "made again", "done again", "made anew", "anew"], "again, redo, re-create"),
    (&["ways"], "paths"),
    (&["unwalked", "walk", "walks", "walked"], "play, played, not played yet"),
    (&["told of", "tell of", "tells of", "tells no", "is told", "are told"], "notified, shown"),
    (&["of late"], "recently"),
    (&["take away", "takes away", "taken away", "take off the list", "taken off the list"], "remove"),
    (&["its mark", "the mark", "the marks", "all marks"], "selection"),
    (&["lay out", "laid out", "lays out"], "arrange"),
    (&["on the wire", "said on"], "requests and responses"),
    (&["exchange", "exchanges"], "request, requests"),
    (&["telephone"], "phone"),
    (&["says nothing", "say nothing"], "test event"),
    (&["guards"], "safety settings"),
    (&["not as specified"], "doesn't match the API specification"),
    (&["bench", "clerk", "deed", "deeds"], "draft, recorder, action"),
    (&["please", "successfully", "oops"], "nothing"),
    (&["colour", "colours", "centre", "centred", "neighbour", "summarise", "licence"], "American spelling"),
];

/// Where a retired word stands as a word of its own.
fn retired(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found = Vec::new();
    for (words, better) in RETIRED {
        for word in *words {
            for (at, _) in text.match_indices(word) {
                let (before, after) = (
                    text.get(..at).and_then(|before| before.chars().next_back()),
                    text.get(at + word.len()..).and_then(|after| after.chars().next()),
                );
                if !is_word(before) && !is_word(after) {
                    found.push(format!("{word:?} (say: {better})"));
                }
            }
        }
    }
    found
}

#[test]
fn the_search_for_words_finds_whole_ones() {
    assert_eq!(retired("Mend it; recommended amendments").len(), 1);
    assert_eq!(retired("always, default, defaults").len(), 0);
    assert_eq!(retired("two ways out").len(), 1);
}

/// The help of a command and of all that it has.
fn look(command: &mut clap::Command, words: &str, wrong: &mut Vec<String>) {
    let help = command.render_long_help().to_string();
    for line in help.lines() {
        // Names stay, also where they are no longer what is said.
        wrong.extend(retired(line).into_iter().map(|word| format!("{words} --help: {:?} has {word}", line.trim())));
    }
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        if let Some(inner) = command.find_subcommand_mut(name).filter(|inner| !inner.is_hide_set()) {
            look(inner, &format!("{words} {name}"), wrong);
        }
    }
}

#[test]
fn no_help_of_the_command_line_says_a_retired_word() {
    let (mut root, mut wrong) = (Cli::command(), Vec::new());
    root.build();
    look(&mut root, "cutaway", &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_page_for_people_says_a_retired_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    let mut wrong = Vec::new();
    // What is for who works on Cutaway speaks of its parts by their names.
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        if page.ends_with("architecture.md") || page.ends_with("keymap.md") {
            continue;
        }
        for (number, line) in fs::read_to_string(page).unwrap().lines().enumerate() {
            let place = || format!("{}:{}", page.file_name().unwrap().to_string_lossy(), number + 1);
            wrong.extend(retired(line).into_iter().map(|word| format!("{}: {word}: {line}", place())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_command_of_the_studio_says_a_retired_word() {
    let mut wrong = Vec::new();
    for command in Command::ALL {
        for text in [command.hint(), command.title(), command.about()] {
            wrong.extend(retired(text).into_iter().map(|word| format!("{}: {word}: {text}", command.name())));
        }
        wrong.extend(retired(&command.name().replace(['.', '_', '-'], " ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The texts of a source file with the lines that they begin in, without comments and without what is only for tests.
fn texts(source: &str) -> Vec<(usize, String)> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let (mut texts, mut rest, mut line) = (Vec::new(), source, 1);
    while let Some(c) = rest.chars().next() {
        let raw =
            rest.strip_prefix('r').map(|after| after.trim_start_matches('#')).filter(|after| after.starts_with('"'));
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(after) = raw {
            let end = format!("\"{}", "#".repeat(rest.len() - after.len() - 1));
            let inside = after[1..].find(&end).unwrap_or(after.len() - 1);
            texts.push((line, after[1..=inside].to_owned()));
            rest.len() - after.len() + 1 + inside + end.len()
        } else if c == '"' {
            let mut escaped = false;
            let closing = rest.char_indices().skip(1).find(|(_, c)| {
                let closes = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                closes
            });
            let end = closing.map_or(rest.len(), |(at, _)| at);
            texts.push((line, rest[1..end].to_owned()));
            end + 1
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest[2..].find('\'').map_or(2, |at| at + 3)
        } else {
            c.len_utf8()
        };
        let (passed, after) = rest.split_at(taken.min(rest.len()));
        line += passed.matches('\n').count();
        rest = after;
    }
    texts
}

/// A text as it is read: without the names of what is put into it, and without the tags of a page.
fn as_read(text: &str) -> String {
    let mut read = String::new();
    let mut inside = 0_usize;
    for c in text.chars() {
        match c {
            '{' | '<' => inside += 1,
            '}' | '>' => inside = inside.saturating_sub(1),
            c if inside == 0 => read.push(c),
            _ => {}
        }
    }
    read
}

#[test]
fn texts_are_found_in_a_source() {
    let source = "// \"no\"\nlet a = \"one {mend} two\"; let b = r#\"raw \"text\"\"#; let c = '\"'; \"it \\\"is\\\"\"";
    let found = texts(source);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 2, 2]);
    assert_eq!(found[1].1, "raw \"text\"");
    assert_eq!(retired(&as_read(&found[0].1)).len(), 0);
}

/// The sources of the program below a folder, without those of tests.
fn sources(folder: &Path, into: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !name.ends_with("tests.rs") {
            into.push(path);
        }
    }
}

#[test]
fn no_notice_error_or_form_says_a_retired_word() {
    // The name of a setting, which stays.
    const NAMES: [&str; 1] = ["colour: {why}"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut wrong, mut read) = (Vec::new(), Vec::new(), 0);
    sources(&root, &mut files);
    for file in files {
        for (line, text) in texts(&fs::read_to_string(&file).unwrap()) {
            // One word is a name; what people read are sentences, or at least two words.
            if !text.trim().contains(' ') || NAMES.contains(&&*text) {
                continue;
            }
            read += 1;
            let place = file.strip_prefix(&root).unwrap().display().to_string();
            wrong.extend(retired(&as_read(&text)).into_iter().map(|word| format!("{place}:{line}: {word}: {text}")));
        }
    }
    assert!(read > 2_000, "{read} texts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words that developers don't read either: in names, comments, tests and scripts.
const RETIRED_IN_CODE: &[&str] = &["anew"];

#[test]
fn no_file_of_the_project_says_what_is_retired_in_code_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut wrong, mut read) = (Vec::new(), Vec::new(), 0);
    folders.extend(["src", "tests", "benches", "docs", "packaging", ".ci"].map(|folder| root.join(folder)));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Pictures, films and the like are no text; this list names the words.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if path.ends_with("tests/words.rs") {
                continue;
            }
            read += 1;
            for (number, line) in text.lines().enumerate() {
                let words = line.split(|c: char| !c.is_alphanumeric());
                if words.map(str::to_lowercase).any(|word| RETIRED_IN_CODE.contains(&&*word)) {
                    wrong.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(read > 1_000, "{read} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Titles are read in a list and hints beside keys: both are short, and a description is one sentence.
#[test]
fn the_commands_of_the_studio_are_said_in_one_form() {
    for command in Command::ALL {
        let (name, hint, title, about) = (command.name(), command.hint(), command.title(), command.about());
        assert!((1..=3).contains(&title.split(' ').count()), "{name}: {title}");
        assert!(title.starts_with(|c: char| c.is_uppercase()) && !title.ends_with('.'), "{name}: {title}");
        assert!(hint.chars().count() <= 18, "{name}: {hint}");
        assert!(about.ends_with('.') && about.matches(". ").count() == 0, "{name}: {about}");
        assert!(about.chars().count() < 80, "{name}: {about}");
    }
}
