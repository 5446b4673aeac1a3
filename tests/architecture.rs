//! Reads what every file under `src/` imports and fails where a room reaches for a floor that is not below its own, or
//! a pure room for the world. The rules are those of the plan of the house; rustfmt, clippy and this hold it up.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The floors from the ground up. A room imports only from floors below its own.
const FLOORS: [&[&str]; 9] = [
    &["domain"],
    &["graph", "api"],
    &["lint"],
    &["draft", "settings", "uploads"],
    &["client", "service", "studio", "terminal"],
    &["runtime"],
    &["ssh"],
    &["cli"],
    &["main"],
];

/// The floors inside the studio, from the ground up. Each imports only from those below it and from itself.
const STUDIO: [&str; 4] = ["ground", "widgets", "screens", "shell"];

/// What stands beside the screens because each of them is one: it is of no screen.
const OF_ALL_SCREENS: [&str; 2] = ["pane", "turn"];

/// The screens of the studio, of which none imports another.
const SCREENS: [&str; 7] = ["products", "projects", "steps", "videos", "webhooks", "account", "inspector"];

/// Rooms that hold no I/O, no clock and no chance: time and fresh ids come in with events.
const PURE: [&str; 6] = ["domain", "graph", "lint", "draft", "uploads", "studio"];

/// A part of a room that is as pure: what a search means, and how its page is worked out, is the same on every database.
const PURE_PART: &str = "service/search/";

/// Crates of which one room knows, so that everything else stays the same when it is another one.
const KEPT_IN: [(&str, &str); 3] =
    [("rusqlite", "service/store/"), ("tokio_postgres", "service/store/db/"), ("object_store", "service/blobs/")];

/// A part of that room that is the same on every database, and so knows none.
const NO_DATABASE: &str = "service/store/rules/";

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

/// Crates that only one room knows.
const OF_ONE_ROOM: [(&str, &str); 1] = [("russh", "ssh")];

/// Code of which many run in one process: what is process-wide comes to it as a value.
const MANY: [&str; 10] = [
    "studio/",
    "runtime/sitting/",
    "runtime/drivers/",
    "runtime/event_loop.rs",
    "runtime/house.rs",
    "runtime/surface.rs",
    "runtime/tasks.rs",
    "runtime/themes.rs",
    "runtime/remember.rs",
    "ssh/",
];

/// What is the process's, and so nobody's of many.
const PROCESS: [&str; 9] = [
    "std::env",
    "std::process",
    "std::io::stdout",
    "std::io::stdin",
    "std::io::stderr",
    "io::stdout",
    "io::stdin",
    "io::stderr",
    "tokio::signal",
];

/// Calls that read the clock or roll dice, under whichever path the type was imported.
const CLOCKS: [&str; 5] = ["Timestamp::now", "Zoned::now", "Instant::now", "Uuid::new_v4", "Uuid::now_v7"];

fn floor_of(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// Which floor of the studio a path leads to. What the studio shows to other rooms it takes from any of its floors, so
/// inside the studio a thing is named by where it is.
fn studio_floor(path: &[String]) -> Option<usize> {
    let [studio, inside, ..] = path else { return None };
    if studio != "studio" {
        return None;
    }
    Some(STUDIO.iter().position(|floor| floor == inside).unwrap_or(STUDIO.len() - 1))
}

/// One path that a file names, from the crate's root or from another crate.
type Named = Vec<String>;

/// The crate that a path names though another room alone may know of it, and that room.
fn kept_elsewhere(file: &str, path: &[String]) -> Option<(&'static str, &'static str)> {
    let first = path.first()?;
    KEPT_IN.into_iter().find(|(name, own)| first == name && (!file.starts_with(own) || file.starts_with(NO_DATABASE)))
}

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
    paths_in(&tokens(code))
}

fn is_name(token: &str) -> bool {
    token.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn paths_in(tokens: &[String]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let begins = tokens.get(i).is_some_and(|token| is_name(token))
            && (i == 0 || tokens.get(i - 1).is_none_or(|before| before != "::"));
        if begins {
            i = walk(tokens, i, &[], &mut found);
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
            Some(name) if is_name(name) => path.push(name.to_owned()),
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
        if let Some((_, of)) =
            OF_ONE_ROOM.iter().find(|(krate, of)| path.first().is_some_and(|first| first == krate) && of != room)
        {
            breach(format!("only {of} knows it"));
        }
        if let Some(named) = from_root(&path, &module) {
            let other = named.first().map(String::as_str).unwrap_or_default();
            if other != room
                && let (Some(own), Some(floor)) = (own, floor_of(other))
                && floor >= own
            {
                breach(format!("{room} may not import from {other}, which is not on a floor below"));
            }
            if let (Some(own), Some(other)) = (studio_floor(&module), studio_floor(&named))
                && other > own
            {
                breach(format!("{} may not import from {}, which is above it", STUDIO[own], STUDIO[other]));
            }
            let screen = |of: &[String]| match of {
                [a, b, c, deeper @ ..] if a == "studio" && b == "screens" => {
                    // `screens` itself may have types and functions for all of them, and what every screen is is of all.
                    let is_of_one = !OF_ALL_SCREENS.contains(&c.as_str());
                    let is_module = (SCREENS.contains(&c.as_str()) || !deeper.is_empty()) && is_of_one;
                    (is_module && c.starts_with(char::is_lowercase)).then(|| c.clone())
                }
                _ => None,
            };
            let is_of_all = matches!(module.as_slice(), [a, b, c] if a == "studio" && b == "screens" && OF_ALL_SCREENS.contains(&c.as_str()));
            if let Some(other) = screen(&named).filter(|_| is_of_all) {
                breach(format!("what every screen is may not import from the screen {other}"));
            }
            if let (Some(own), Some(other)) = (screen(&module), screen(&named))
                && own != other
            {
                breach(format!("the screen {own} may not import from the screen {other}"));
            }
        } else if let Some((name, own)) = kept_elsewhere(file, &path) {
            breach(format!("{name} is known to {own} alone"));
        } else if PURE.contains(&room.as_str()) || file.starts_with(PURE_PART) {
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

/// What a file keeps or reads for the whole process, where it is one of many in it.
fn globals(file: &str, source: &str) -> Vec<String> {
    if !MANY.iter().any(|room| file.starts_with(room)) {
        return Vec::new();
    }
    let code = code_only(source);
    let named = tokens(&code);
    let mut found = Vec::new();
    for (at, token) in named.iter().enumerate() {
        let is_lifetime = at > 0 && named.get(at - 1).is_some_and(|before| before == "'");
        if (token == "static" && !is_lifetime) || token == "thread_local" || token == "task_local" {
            found.push(format!("src/{file}: {token}: many studios run in one process, and share no globals"));
        }
    }
    for path in paths(&code) {
        let text = path.join("::");
        if PROCESS.iter().any(|of| text == *of || text.starts_with(&format!("{of}::"))) {
            found.push(format!("src/{file}: {text}: it is the process's; take it from the host that is handed over"));
        }
    }
    found
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

/// What a module names: what it imports for itself, what it only hands on (`pub use`), and what it names in its code.
struct Module {
    imported: Vec<Named>,
    handed_on: Vec<Named>,
    named: Vec<Named>,
}

impl Module {
    fn of(code: &str) -> Self {
        let tokens = tokens(code);
        let (mut imported, mut handed_on, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            let before = i.checked_sub(1).and_then(|at| tokens.get(at)).map(String::as_str);
            if token == "use" && !matches!(before, Some("+" | "::")) {
                let list = if matches!(before, Some("pub" | ")")) { &mut handed_on } else { &mut imported };
                i = walk(&tokens, i + 1, &[], list);
            } else {
                rest.push(token.clone());
                i += 1;
            }
        }
        Self { imported, handed_on, named: paths_in(&rest) }
    }
}

/// The modules of the crate, and which names which.
struct Modules(BTreeMap<Named, Module>);

impl Modules {
    /// A path from the crate's root; none where it leads out of the crate or is a name of the module's own.
    fn absolute(&self, path: &[String], module: &[String]) -> Option<Named> {
        match path.first()?.as_str() {
            "self" => Some([module, path.get(1..)?].concat()),
            first => from_root(path, module).or_else(|| {
                let child = [module, &[first.to_owned()]].concat();
                self.0.contains_key(&child).then(|| [module, path].concat())
            }),
        }
    }

    /// The module in which a path ends, through those that only hand on what is in another.
    fn end(&self, path: &[String], left: usize) -> Option<Named> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        if let (Some(name), Some(left), Some(own)) = (rest.first(), left.checked_sub(1), self.0.get(module)) {
            let has = |named: &&Named| named.last() == Some(name);
            let through = own.handed_on.iter().chain(&own.imported).find(has);
            if let Some(through) = through.and_then(|through| self.absolute(through, module)).filter(|to| to != path) {
                return self.end(&[&through, &rest[1..]].concat(), left);
            }
        }
        Some(module.to_vec())
    }

    /// Which modules a module names. What it is enclosed by is not among them: a module is a part of that.
    fn edges(&self, module: &Named) -> BTreeSet<Named> {
        let own = &self.0[module];
        let named = own.imported.iter().chain(&own.named).filter_map(|path| self.absolute(path, module));
        named.filter_map(|path| self.end(&path, 10)).filter(|to| !module.starts_with(to)).collect()
    }

    /// Every circle of modules that name each other: its modules, and what each of them names of the circle.
    fn circles(&self) -> Vec<String> {
        let edges: BTreeMap<&Named, BTreeSet<Named>> =
            self.0.keys().map(|module| (module, self.edges(module))).collect();
        let reached = |from: &Named| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(module) = open.pop() {
                open.extend(edges[&module].iter().filter(|to| seen.insert((*to).clone())).cloned());
            }
            seen
        };
        let reach: BTreeMap<&Named, BTreeSet<Named>> = edges.keys().map(|module| (*module, reached(module))).collect();
        let mut told = BTreeSet::new();
        let mut circles = Vec::new();
        for (module, reached) in reach.iter().filter(|(module, reached)| reached.contains(**module)) {
            if told.contains(*module) {
                continue;
            }
            let circle: BTreeSet<&Named> = reached.iter().filter(|other| reach[other].contains(*module)).collect();
            let mut lines = format!("{} modules name each other in a circle:", circle.len());
            for one in &circle {
                let of_it = edges[*one].iter().filter(|to| circle.contains(to)).map(|to| to.join("::"));
                let of_it: Vec<_> = of_it.collect();
                lines.extend(["\n  ", &one.join("::"), " names ", &of_it.join(", ")]);
            }
            told.extend(circle.into_iter().cloned());
            circles.push(lines);
        }
        circles
    }
}

#[test]
fn no_modules_name_each_other_in_a_circle() {
    let sources = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let sources = sources.iter().filter(|(name, _)| !is_test(name));
    let module = |(name, path): &(String, PathBuf)| {
        (module_of(name), Module::of(&code_only(&fs::read_to_string(path).unwrap())))
    };
    let circles = Modules(sources.map(module).collect()).circles();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn circles_are_found_and_what_encloses_is_none() {
    let found = |sources: &[(&str, &str)]| {
        let modules = sources.iter().map(|(file, source)| (module_of(file), Module::of(&code_only(source))));
        Modules(modules.collect()).circles().len()
    };
    for (circle, sources) in [
        (1, [("a/mod.rs", "mod b; mod c;"), ("a/b.rs", "use super::c::X;"), ("a/c.rs", "fn f() { super::b::g() }")]),
        (1, [("a/mod.rs", "mod b; pub use b::X;"), ("a/b.rs", "use crate::c::Y;"), ("c.rs", "use crate::a::X;")]),
        (0, [("a/mod.rs", "mod b; pub use b::X;"), ("a/b.rs", "use super::Z;"), ("c.rs", "use crate::a::X;")]),
        (0, [("a/mod.rs", "mod b; use b::X; struct Z(X);"), ("a/b.rs", "use super::Z;"), ("c.rs", "use crate::a::Z;")]),
        (
            0,
            [
                ("a/mod.rs", "mod b; mod c;"),
                ("a/b.rs", "use super::c::X;"),
                ("a/c.rs", "#[cfg(test)] mod tests { use super::super::b::Y; }"),
            ],
        ),
    ] {
        assert_eq!(found(&sources), circle, "{sources:?}");
    }
}

#[test]
fn what_runs_many_times_in_one_process_has_no_globals() {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for room in MANY {
        assert!(files.iter().any(|(name, _)| name.starts_with(room)), "src/{room} is there");
    }
    let mut found = Vec::new();
    for (name, path) in files.iter().filter(|(name, _)| !is_test(name)) {
        found.extend(globals(name, &fs::read_to_string(path).unwrap()));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn globals_are_caught() {
    for source in [
        "static COUNT: AtomicU32 = AtomicU32::new(0);",
        "fn f() { static ONCE: OnceLock<u8> = OnceLock::new(); }",
        "thread_local! { static X: Cell<u8> = Cell::new(0); }",
        "use std::{env, fs};",
        "let me = std::process::id();",
        "use std::io; fn f() { io::stdout().flush(); }",
        "use tokio::signal::unix::signal;",
    ] {
        assert!(!globals("runtime/sitting/mod.rs", source).is_empty(), "{source}");
        assert!(globals("cli/studio.rs", source).is_empty(), "{source}");
    }
    for source in [
        "fn f(name: &'static str) {} // static X",
        "const X: &[&'static str] = &[\"static\"];",
        "#[cfg(test)] mod tests { use std::env; }",
        "use std::io; fn f() -> io::Result<()> { Ok(()) }",
    ] {
        assert_eq!(globals("studio/update/mod.rs", source), [""; 0], "{source}");
    }
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
        ("runtime/remote.rs", "use crate::ssh::keys::GuestKeys;"),
        ("cli/serve/ssh_keys.rs", "use russh::keys::PublicKey;"),
        ("studio/screens/products/view.rs", "use crate::studio::screens::projects::Model;"),
        ("studio/screens/products/mod.rs", "use super::projects::Model;"),
        ("studio/ground/remote.rs", "use crate::studio::widgets::Ink;"),
        ("studio/widgets/confirm.rs", "use super::super::screens::turn::Turn;"),
        ("studio/screens/turn.rs", "use crate::studio::screens::account::KnownProfile;"),
        ("studio/screens/steps/mod.rs", "use crate::studio::shell::event::Event;"),
        ("studio/screens/steps/mod.rs", "use crate::studio::Model;"),
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
        ("service/http/answer.rs", "fn f(error: rusqlite::Error) {}"),
        ("cli/serve/mod.rs", "use rusqlite::Connection;"),
        ("service/search/machine.rs", "use rusqlite::Connection;"),
        ("service/search/query.rs", "use jiff::Timestamp; fn f() { Timestamp::now(); }"),
        ("service/search/query.rs", "async fn f() { tokio::task::yield_now().await }"),
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
        ("studio/screens/products/mod.rs", "use crate::studio::screens::{pane::Pane, turn::Turn};"),
        ("studio/shell/model.rs", "use crate::studio::{ground::Moment, screens::products::Products, widgets::Ink};"),
        ("studio/screens/mod.rs", "pub mod products; use products::Model; use self::projects::Model;"),
        ("domain/mod.rs", "#[cfg(test)] mod tests { use std::fs; fn f() { if x { y } } }"),
        ("domain/shape.rs", "macro_rules! shape { () => { $crate::domain::Reader } }"),
        ("lib.rs", "pub mod cli;"),
        ("service/store/pages.rs", "use rusqlite::Connection; use crate::service::search::machine::Machine;"),
        ("main.rs", "fn main() { cutaway::cli::main() }"),
    ] {
        assert_eq!(breaches(file, source), [] as [&str; 0], "{file}: {source}");
    }
}
