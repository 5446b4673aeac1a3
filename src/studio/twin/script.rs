//! A recording as a script.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::deeds::Done;
use super::line::{Deed, Line, Made};

const HEAD: &str = "\
#!/bin/sh
# Recorded in Cutaway: what was done in the studio, as commands. It runs as it stands, and stops where one fails.
# API keys come from CUTAWAY_API_KEY or from what is kept with the profile; there is none in here.
set -eu
";

/// The script that does the same once more. What a command makes and a later one names is kept in a variable: another
/// run makes other ids.
#[must_use]
pub fn script(recorded: &[Done]) -> String {
    let mut script = HEAD.to_owned();
    let mut recorded: Vec<Done> = recorded.iter().flat_map(one_by_one).collect();
    leave_out_lost_parts(&mut recorded);
    let mut variables: HashMap<&str, String> = HashMap::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (at, done) in recorded.iter().enumerate() {
        script.push('\n');
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

/// What names a part of something that the script makes anew can't be run: the new one has other parts.
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
