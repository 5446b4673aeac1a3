//! Reads what every file under `src/` imports and fails where a room reaches for a floor that is not below its own, or
//! a pure room for the world. The rules are those of the plan of the house; rustfmt, clippy and this hold it up.

#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests are tests too.

use std::fs;
use std::path::{Path, PathBuf};

/// The floors from the ground up. A room imports only from floors below its own.
const FLOORS: [&[&str]; 7] = [
    &["domain"],
    &["graph", "api"],
    &["draft", "settings", "uploads"],
    &["client", "service", "studio", "terminal"],
    &["runtime"],
    &["cli"],
    &["main"],
];

/// The screens of the studio, of which none imports another.
const SCREENS: [&str; 7] = ["products", "projects", "steps", "videos", "webhooks", "account", "inspector"];

/// Rooms that hold no I/O, no clock and no chance: time and fresh ids come in with events.
const PURE: [&str; 5] = ["domain", "graph", "draft", "uploads", "studio"];

/// What a pure room may not name.
const WORLD: [&str; 15] = [
    "tokio",
    "tokio_util",
    "reqwest",
    "axum",
    "hyper",
    "rusqlite",
    "getrandom",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io::stdout",
    "std::io::stdin",
    "crossterm",
];

/// Calls that read the clock or roll dice, under whichever path the type was imported.
const CLOCKS: [&str; 5] = ["Timestamp::now", "Zoned::now", "Instant::now", "Uuid::new_v4", "Uuid::now_v7"];

fn floor_of(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// One path that a file names, from the crate's root or from another crate.
type Named = Vec<String>;

/// Everything in the code that is no comment, no text and no test.
fn code_only(source: &str) -> String {
    without_tests(&without_text(source))
}

/// Comments, strings and characters replaced by spaces.
fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let mut out = String::new();
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        let raw = (c == 'r' || (c == 'b' && at(i + 1) == 'r')) && !at(i.wrapping_sub(1)).is_alphanumeric() && {
            let mut j = i + usize::from(c == 'b') + 1;
            while at(j) == '#' {
                j += 1;
            }
            at(j) == '"'
        };
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
        } else if c == '/' && at(i + 1) == '*' {
            let mut depth = 0;
            while i < chars.len() {
                match (at(i), at(i + 1)) {
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    _ => i += 1,
                }
                if depth == 0 {
                    break;
                }
            }
        } else if raw {
            let mut hashes = 0;
            while at(i) != '"' {
                hashes += usize::from(at(i) == '#');
                i += 1;
            }
            i += 1;
            while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|k| at(i + k) == '#')) {
                i += 1;
            }
            i += 1 + hashes;
            out.push(' ');
        } else if c == '"' {
            i += 1;
            while i < chars.len() && at(i) != '"' {
                i += 1 + usize::from(at(i) == '\\');
            }
            i += 1;
            out.push(' ');
        } else if c == '\'' && (at(i + 1) == '\\' || at(i + 2) == '\'') {
            i += 2 + usize::from(at(i + 1) == '\\');
            while i < chars.len() && at(i) != '\'' {
                i += 1;
            }
            i += 1;
            out.push(' ');
        } else {
            out.push(c);
            i += 1;
        }
    }
    out
}

/// Whatever stands under `#[cfg(test)]`: a module in braces, or one statement.
fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        out.push_str(before);
        let mut depth = 0;
        let end = after.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0 && matches!(c, ';' | '}')
        });
        rest = end.map_or("", |(at, _)| after.get(at + 1..).unwrap_or_default());
    }
    out.push_str(rest);
    out
}

/// The words and signs of the code: names, `::`, and single characters.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || c == '_' {
            let mut word = String::from(c);
            while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || *next == '_') {
                word.push(next);
            }
            tokens.push(word);
        } else if c == ':' && chars.next_if_eq(&':').is_some() {
            tokens.push("::".to_owned());
        } else if !c.is_whitespace() {
            tokens.push(c.to_string());
        }
    }
    tokens
}

/// Every path in the code, the groups of `use` taken apart.
fn paths(code: &str) -> Vec<Named> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let is_name =
            |index: usize| tokens.get(index).is_some_and(|t| t.chars().all(|c| c.is_alphanumeric() || c == '_'));
        let begins = is_name(i) && (i == 0 || tokens.get(i - 1).is_none_or(|before| before != "::"));
        if begins {
            i = walk(&tokens, i, &[], &mut found);
        } else {
            i += 1;
        }
    }
    found
}

/// Takes one path, with the paths of its group; where it ends.
fn walk(tokens: &[String], start: usize, before: &[String], found: &mut Vec<Named>) -> usize {
    let mut path = before.to_vec();
    let mut i = start;
    loop {
        match tokens.get(i).map(String::as_str) {
            Some("{") if path.len() > before.len() || !before.is_empty() => {
                i += 1;
                while let Some(token) = tokens.get(i) {
                    match token.as_str() {
                        "}" => return i + 1,
                        "," => i += 1,
                        _ => i = walk(tokens, i, &path, found).max(i + 1),
                    }
                }
                return i;
            }
            Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => path.push(name.to_owned()),
            _ => {
                found.push(path);
                return i;
            }
        }
        i += 1;
        if tokens.get(i).is_some_and(|token| token == "::") {
            i += 1;
        } else {
            found.push(path);
            return i;
        }
    }
}

/// The modules from the crate's root to a file: `studio/screens/products/view.rs` is `studio, screens, products, view`.
fn module_of(file: &str) -> Vec<String> {
    let without = file.strip_suffix(".rs").unwrap_or(file);
    let mut parts: Vec<String> = without.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// The path from the crate's root, where it stays in the crate.
fn from_root(path: &[String], module: &[String]) -> Option<Named> {
    match path.first()?.as_str() {
        "crate" | "cutaway" => Some(path.get(1..)?.to_vec()),
        "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let kept = module.len().saturating_sub(ups);
            Some([module.get(..kept)?, path.get(ups..)?].concat())
        }
        _ => None,
    }
}

/// What is wrong with a file.
fn breaches(file: &str, source: &str) -> Vec<String> {
    let module = module_of(file);
    let Some(room) = module.first() else { return Vec::new() };
    let own = floor_of(room);
    let mut breaches = Vec::new();
    for path in paths(&code_only(source)) {
        let text = path.join("::");
        let mut breach = |why: String| breaches.push(format!("src/{file}: {text}: {why}"));
        if let Some(named) = from_root(&path, &module) {
            let other = named.first().map(String::as_str).unwrap_or_default();
            if other != room
                && let (Some(own), Some(floor)) = (own, floor_of(other))
                && floor >= own
            {
                breach(format!("{room} may not import from {other}, which is not on a floor below"));
            }
            let screen = |of: &[String]| match of {
                [a, b, c, deeper @ ..] if a == "studio" && b == "screens" => {
                    // `screens` itself may have types and functions for all of them, and what every screen is is of all.
                    let is_module = (SCREENS.contains(&c.as_str()) || !deeper.is_empty()) && c != "pane";
                    (is_module && c.starts_with(char::is_lowercase)).then(|| c.clone())
                }
                _ => None,
            };
            if let (Some(own), Some(other)) = (screen(&module), screen(&named))
                && own != other
            {
                breach(format!("the screen {own} may not import from the screen {other}"));
            }
        } else if PURE.contains(&room.as_str()) {
            let world = WORLD.iter().find(|world| text == **world || text.starts_with(&format!("{world}::")));
            let clock = CLOCKS.iter().find(|clock| text == **clock || text.ends_with(&format!("::{clock}")));
            if let Some(what) = world.or(clock) {
                breach(format!("{room} is pure and may not name {what}"));
            }
            if let Some(part) = path.iter().find(|part| matches!(part.as_str(), "SystemTime" | "crossterm")) {
                breach(format!("{room} is pure and may not name {part}"));
            }
        }
    }
    breaches.dedup();
    breaches
}

/// Every Rust file under a folder, by its path from there.
fn files(root: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

/// A file of tests beside the code (`target_tests.rs`, `tests.rs`) is included under `#[cfg(test)]`.
fn is_test(file: &str) -> bool {
    file.ends_with("_tests.rs") || file.ends_with("/tests.rs") || file.contains("/tests/")
}

#[test]
fn rooms_import_only_from_floors_below_and_pure_rooms_stay_pure() {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(files.len() > 20, "the source was found");
    let mut found = Vec::new();
    for (name, path) in files.iter().filter(|(name, _)| !is_test(name)) {
        found.extend(breaches(name, &fs::read_to_string(path).unwrap()));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_room_has_a_floor() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (name, _) in files(&root) {
        let module = module_of(&name);
        if let Some(room) = module.first() {
            assert!(floor_of(room).is_some(), "src/{name}: the room {room} is on no floor");
        }
    }
}

#[test]
fn breaches_are_caught() {
    for (file, source) in [
        ("client/mod.rs", "use crate::service::Store;"),
        ("service/mod.rs", "fn f() { crate::client::Client::new(); }"),
        ("api/mod.rs", "use crate::{domain::Num, settings::{Target, Folders}};"),
        ("graph/mod.rs", "use crate::api::Problem;"),
        ("settings/a/b.rs", "use super::super::super::client::Client;"),
        ("settings/folders.rs", "use super::super::runtime;"),
        ("domain/mod.rs", "use crate::{ids, api};"),
        ("cli/mod.rs", "use crate::main::x;"),
        ("runtime/mod.rs", "use cutaway::cli::Failure;"),
        ("studio/screens/products/view.rs", "use crate::studio::screens::projects::Model;"),
        ("studio/screens/products/mod.rs", "use super::projects::Model;"),
        ("studio/update.rs", "use std::{collections::HashMap, fs};"),
        ("studio/update.rs", "use crossterm::event::KeyEvent;"),
        ("studio/update.rs", "let now = std::time::Instant::now();"),
        ("studio/update.rs", "use std::time::Instant; fn f() { Instant::now(); }"),
        ("draft/mod.rs", "let t = jiff::Timestamp::now();"),
        ("draft/mod.rs", "let t = Zoned::now();"),
        ("draft/mod.rs", "let id = uuid::Uuid::new_v4();"),
        ("studio/view.rs", "use ratatui::crossterm::event::KeyCode;"),
        ("graph/mod.rs", "use std::time::SystemTime;"),
        ("domain/mod.rs", "async fn f() { tokio::spawn(g()) }"),
        ("domain/mod.rs", "#[cfg(test)] mod tests { use std::fs; } use std::env;"),
        ("domain/mod.rs", "#[cfg(test)]\nuse std::fs;\nuse std::net::IpAddr;"),
    ] {
        assert!(!breaches(file, source).is_empty(), "{file}: {source}");
    }
}

#[test]
fn what_is_allowed_is_let_through() {
    for (file, source) in [
        ("client/mod.rs", "use crate::{api::Row, domain, settings::Hosts}; use std::net; use tokio::time;"),
        ("client/send.rs", "use super::attempt::Attempt; use super::super::client::json;"),
        (
            "studio/update.rs",
            "// use tokio::sync;\n/* use std::fs; /* nested */ */ let s = \"std::fs::read\"; let r = r#\"tokio::x \" \"#;",
        ),
        ("studio/update.rs", "use std::time::{Duration, Instant}; fn f(now: Instant) -> char { '\"' }"),
        (
            "studio/screens/products/view.rs",
            "use super::model::Model; use crate::studio::widgets::List; use crate::studio::screens::products::X;",
        ),
        ("studio/screens/products/mod.rs", "use super::{Screen, title, Screen::Later};"),
        ("studio/screens/mod.rs", "pub mod products; use products::Model; use self::projects::Model;"),
        ("domain/mod.rs", "#[cfg(test)] mod tests { use std::fs; fn f() { if x { y } } }"),
        ("domain/shape.rs", "macro_rules! shape { () => { $crate::domain::Reader } }"),
        ("lib.rs", "pub mod cli;"),
        ("main.rs", "fn main() { cutaway::cli::main() }"),
    ] {
        assert_eq!(breaches(file, source), [] as [&str; 0], "{file}: {source}");
    }
}
