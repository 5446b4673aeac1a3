//! A recording as a script.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::deeds::Done;
use super::line::{Deed, Line, Made};
use crate::domain::shell;

const HEAD: &str = "\
#!/bin/sh
# Recorded in Cutaway: what was done in the studio, as commands. It runs as it stands, and stops where one fails.
# API keys come from CUTAWAY_API_KEY or from what is kept with the profile; there is none in here.
set -eu
";

/// The script that does the same again. What a command makes and a later one names is kept in a variable: another
/// run makes other ids.
#[must_use]
pub fn script(recorded: &[Done]) -> String {
    let mut script = HEAD.to_owned();
    let mut recorded: Vec<Done> = recorded.iter().flat_map(one_by_one).collect();
    leave_out_lost_parts(&mut recorded);
    let mut variables: HashMap<&str, String> = HashMap::new();
    script.push_str(&addresses(&recorded, &mut variables));
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (at, done) in recorded.iter().enumerate() {
        script.push('\n');
        if let Some(file) = done.deed.line().and_then(Line::writes) {
            let count = counts.entry("file").or_default();
            *count += 1;
            let name = format!("file_{count}");
            script.push_str(&fresh_name(&name, file));
            script.push('\n');
            variables.insert(file, name);
        }
        let variable = |id: &str| variables.get(id).cloned();
        let later = || recorded.iter().skip(at + 1).filter_map(|done| done.deed.line());
        let named = |made: &&Made| made.known_as.iter().any(|id| later().any(|line| line.names(id)));
        let making = done.deed.line().and_then(|line| Some((line, line.made().filter(named)?)));
        let Some((line, made)) = making else {
            script.push_str(&done.shell_with(&variable));
            continue;
        };
        let count = counts.entry(made.kind).or_default();
        *count += 1;
        let name = format!("{}_{count}", made.kind);
        // Where a later line says a step's name, it is the name that is said again, not the id.
        let by_name = made.known_as.iter().skip(1).any(|called| later().any(|line| line.names(called)));
        let flag = if by_name { "--id-and-name" } else { "--id-only" };
        let line = line.clone().switch(flag).shell(&done.way, &variable);
        script.extend([&name, "=$(", &line, ")"]);
        if by_name {
            let _ = write!(script, "\n{name}_name=${{{name}#* }}; {name}=${{{name}%% *}}");
            variables.extend(made.known_as.iter().skip(1).map(|called| (called.as_str(), format!("{name}_name"))));
        }
        variables.extend(made.known_as.first().map(|id| (id.as_str(), name)));
    }
    script.push('\n');
    script
}

/// The addresses that were given beside profiles, each in a variable that begins as it was recorded: the environment may
/// name another one, as for any command.
fn addresses<'a>(recorded: &'a [Done], variables: &mut HashMap<&'a str, String>) -> String {
    let mut lines = String::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let pairs = recorded.iter().flat_map(|done| done.way.iter().zip(done.way.iter().skip(1)));
    for (flag, address) in pairs.filter(|(flag, _)| flag.ends_with("-url")) {
        if variables.contains_key(address.as_str()) {
            continue;
        }
        let count = counts.entry(flag).or_default();
        *count += 1;
        let number = if *count == 1 { String::new() } else { format!("_{count}") };
        let name = format!("{}{number}", flag.trim_start_matches('-').replace('-', "_"));
        let twin = format!("CUTAWAY_{}", name.to_ascii_uppercase());
        let recorded = shell::word(address);
        // Another service has its own hosts for the rest, unless they are named too.
        let usual = match flag.as_str() {
            "--base-url" => recorded,
            _ => format!("${{CUTAWAY_BASE_URL:-{recorded}}}"),
        };
        if lines.is_empty() {
            lines.push_str("# The address is that of CUTAWAY_BASE_URL, where that is set.\n");
        }
        let _ = writeln!(lines, "{name}=${{{twin}:-{usual}}}");
        variables.insert(address, name);
    }
    lines
}

/// What stands for several calls is done call by call: a later line may name what any of them made, and another
/// workspace may not have what they were made from.
fn one_by_one(done: &Done) -> Vec<Done> {
    match done.deed.line().map(Line::calls) {
        Some(calls) if !calls.is_empty() => {
            calls.iter().map(|deed| Done { deed: deed.clone(), ..done.clone() }).collect()
        }
        _ => vec![done.clone()],
    }
}

/// What names a part of something that the script makes again can't be run: the new one has other parts.
fn leave_out_lost_parts(recorded: &mut [Done]) {
    let mut made: HashSet<String> = HashSet::new();
    for done in recorded {
        let Deed::Line(line) = &done.deed else { continue };
        if line.part_of().is_some_and(|whole| made.contains(whole)) {
            let what = "what it names is another one's each time this is run".to_owned();
            done.deed = Deed::Aside { what, line: Some(line.clone()) };
        } else {
            made.extend(line.made().iter().flat_map(|made| made.known_as.iter().cloned()));
        }
    }
}

/// A variable that holds the file's name; where one is there already, as the run that was recorded left it, the next
/// that is free: `tour-2.csv`. What is there is left as it is.
fn fresh_name(variable: &str, file: &str) -> String {
    let name = file.rfind('/').map_or(0, |slash| slash + 1);
    let dot = file.rfind('.').filter(|dot| *dot > name).unwrap_or(file.len());
    let (stem, ending) = file.split_at_checked(dot).unwrap_or((file, ""));
    let ending = if ending.is_empty() { String::new() } else { shell::word(ending) };
    let (whole, stem) = (shell::word(file), shell::word(stem));
    format!(
        "{variable}={whole}; n=1; while [ -e \"${variable}\" ]; do n=$((n + 1)); {variable}={stem}-\"$n\"{ending}; done"
    )
}
