//! `cutaway projects check`

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::opened;
use crate::api::{ListVideos, OpenedProject};
use crate::cli::findings::Unread;
use crate::cli::output::Output;
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, names, session};
use crate::client::{Answer, Client, json};
use crate::domain::{Video, VideoId};
use crate::graph::{Edge, Fault, Graph, Known, Severity};

/// Check a project for problems: answers that lead nowhere, unreachable steps and so on.
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 1 if there are errors or warnings. Notes are fine: what they name may be intended.

Examples:
  cutaway projects check 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects check 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --json")]
pub(super) struct Check {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// Print the problems as JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let (answer, graph, faults) = check(&client, &self.id).await?;
        let mut out = Output::open();
        if self.json {
            json::escape_for_terminal(&documents(&faults, &graph).to_string(), &mut out)?;
            out.write_all(b"\n")?;
        } else if !faults.is_empty() {
            let rows: Vec<_> = faults.iter().map(|fault| row(fault, &graph)).collect();
            let columns = [left("SEVERITY"), left("STEP"), words("ANSWER"), left("VALUE"), words("WHAT")];
            table::write(&columns, &rows, out.width, &mut out)?;
        }
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        let count = |severity| faults.iter().filter(|fault| fault.severity() == severity).count();
        match verdict(count(Severity::Fault), count(Severity::Warning)) {
            Some(verdict) => Err(Failure::Faulty(verdict)),
            // What could not be read could be anything.
            None if !unread.is_empty() => {
                Err(Failure::Faulty("not everything could be read, so not everything was checked".to_owned()))
            }
            None => Ok(()),
        }
    }
}

/// A project, its graph and what is wrong with it.
pub(in crate::cli) async fn check(
    client: &Client,
    id: &str,
) -> Result<(Answer<OpenedProject>, Graph, Vec<Fault>), Failure> {
    let answer = opened::open(client, id).await?;
    let graph = opened::graph(&answer.value.project, opened::steps(&answer)?);
    let (library, seconds) = library(client).await;
    let faults = graph.check(&Known { library: library.as_ref(), seconds: Some(&seconds), ..Known::default() });
    Ok((answer, graph, faults))
}

/// What is wrong with a project, as `check --json` prints it.
pub(in crate::cli) async fn checked(client: &Client, id: &str) -> Result<Value, Failure> {
    let (_, graph, faults) = check(client, id).await?;
    Ok(documents(&faults, &graph))
}

fn documents(faults: &[Fault], graph: &Graph) -> Value {
    let problems: Vec<Value> = faults.iter().map(|fault| problem(fault, graph)).collect();
    // The names that they had first, for scripts that read them.
    let found: Vec<Value> = faults.iter().map(|fault| document(fault, graph)).collect();
    json!({ "problems": problems, "faults": found })
}

/// The videos there are, and how long those run that say so, seconds. Where they can't be told, whether one is lost can't be
/// either.
async fn library(client: &Client) -> (Option<HashSet<VideoId>>, HashMap<VideoId, f64>) {
    match client.call(&ListVideos).await {
        Ok(answer) => {
            let mut unread = Unread::default();
            unread.note(&answer.findings);
            unread.tell();
            let videos = answer.value.videos;
            let seconds =
                |video: &Video| Some((video.id.clone(), Duration::from_millis(video.duration_ms()?).as_secs_f64()));
            let seconds = videos.iter().filter_map(seconds).collect();
            (unread.is_empty().then(|| videos.into_iter().map(|video| video.id).collect()), seconds)
        }
        Err(error) => {
            session::warn(&format!("couldn't check whether the steps' videos are in the library: {error}"));
            (None, HashMap::new())
        }
    }
}

fn verdict(faults: usize, warnings: usize) -> Option<String> {
    let some = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        count => Some(format!("{count} {what}s")),
    };
    let all = some(faults + warnings, "problem")?;
    let told: Vec<_> = [some(faults, "error"), some(warnings, "warning")].into_iter().flatten().collect();
    Some(format!("the project has {all}: {}", told.join(" and ")))
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Fault => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// What to click to get there, for a loop without a way out.
fn way(fault: &Fault, graph: &Graph) -> Vec<Value> {
    let click = |edge: &Edge| {
        let answer = graph.ports(edge.from).get(edge.port).map(|port| port.text.as_str());
        json!({ "step": graph.name(edge.from), "answer": answer })
    };
    fault.way.iter().map(click).collect()
}

/// The text of the answer that a fault is about.
fn answer<'a>(fault: &Fault, graph: &'a Graph) -> Option<&'a str> {
    Some(graph.ports(fault.step?).get(fault.port?)?.text.as_str())
}

fn row(fault: &Fault, graph: &Graph) -> Vec<String> {
    vec![
        severity(fault.severity()).to_owned(),
        fault.step.map(|step| graph.name(step).to_owned()).unwrap_or_default(),
        answer(fault, graph).unwrap_or_default().to_owned(),
        fault.value.clone(),
        match &fault.fix {
            Some(fix) => format!("{} ({}?)", fault.sentence, fix.words(graph)),
            None => fault.sentence.clone(),
        },
    ]
}

/// No body of the service says this: what the table has, under names that stay.
fn problem(fault: &Fault, graph: &Graph) -> Value {
    json!({
        "kind": fault.kind.name(),
        "severity": severity(fault.severity()),
        "step": fault.step.map(|step| graph.name(step)),
        "answer": answer(fault, graph),
        "value": fault.value,
        "sentence": fault.sentence,
        "path": way(fault, graph),
        "fix": fault.fix.as_ref().map(|fix| fix.words(graph)),
    })
}

fn document(fault: &Fault, graph: &Graph) -> Value {
    let severity = match fault.severity() {
        Severity::Fault => "fault",
        other => severity(other),
    };
    json!({
        "kind": fault.kind.name(),
        "severity": severity,
        "step": fault.step.map(|step| graph.name(step)),
        "answer": answer(fault, graph),
        "value": fault.value,
        "sentence": fault.sentence,
        "way": way(fault, graph),
        "mend": fault.fix.as_ref().map(|fix| fix.words(graph)),
    })
}
