//! `cutaway videos queue`

use std::io::Write as _;

use clap::{Args, Subcommand};
use serde_json::json;

use super::upload::{not_kept, open, start_background};
use crate::api::UploadVideo;
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session};
use crate::client::json;
use crate::domain::text;
use crate::runtime::uploads::{Journal, QueueFolder, look};
use crate::uploads::{Entry, Limit, State, Upload, UploadId, bytes, rate, read_rate};

/// Show the upload queue. Uploads that no process is sending are then sent in the background.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  cutaway videos queue\n  cutaway videos queue --json"
)]
pub(super) struct Queue {
    /// Print the queue as JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    change: Option<Change>,
}

#[derive(Debug, Subcommand)]
enum Change {
    /// Pause uploads
    #[command(after_help = "Examples:\n  cutaway videos queue pause 3")]
    Pause(Which),
    /// Resume paused uploads
    #[command(after_help = "Examples:\n  cutaway videos queue resume 3")]
    Resume(Which),
    /// Cancel uploads
    #[command(after_help = "Examples:\n  cutaway videos queue cancel 3 4")]
    Cancel(Which),
    /// Retry uploads that failed or were canceled; their files are read again
    #[command(after_help = "Examples:\n  cutaway videos queue retry 3")]
    Retry(Which),
    /// Remove finished uploads from the list
    #[command(after_help = "Examples:\n  cutaway videos queue clear")]
    Clear,
    /// Limit the total speed, in bytes per second: 500k, 2M, off
    #[command(after_help = "Examples:\n  cutaway videos queue limit 2M")]
    Limit {
        /// The limit
        #[arg(value_parser = read_rate)]
        rate: Limit,
    },
    /// Set how many files are uploaded at the same time
    #[command(after_help = "Examples:\n  cutaway videos queue at-once 4")]
    AtOnce {
        /// How many, 1 to 16
        #[arg(value_parser = clap::value_parser!(u8).range(1..=16))]
        count: u8,
    },
}

#[derive(Debug, Args)]
struct Which {
    /// The numbers of the uploads
    #[arg(required = true)]
    ids: Vec<u64>,
}

impl Queue {
    pub(super) fn run(&self, session: &Session) -> Result<(), Failure> {
        let folder = open(session)?;
        let mut journal = Journal::open(folder.clone()).map_err(|error| not_kept(&error))?;
        if let Some(change) = &self.change {
            session.may_write::<UploadVideo>()?;
            let entries = change.entries(&journal)?;
            journal.append(&entries).map_err(|error| not_kept(&error))?;
        }
        // A look at the queue of a live profile writes nothing: there a change has to be asked for.
        let may_send = session.target.read_only.is_none() && (!session.target.live || self.change.is_some());
        let takes_over = may_send && journal.queue().is_under_way();
        if takes_over && !is_sent(&journal) {
            session.has_credential()?;
            start_background(session, &folder)?;
            journal.refresh().map_err(|error| not_kept(&error))?;
        }
        if self.json { show_json(&journal) } else { show(&journal) }
    }
}

/// Whether someone sends it: the background part, a studio or a command.
fn is_sent(journal: &Journal) -> bool {
    let held = |upload: &Upload| matches!(journal.folder().hold(upload.id), Ok(None));
    journal.folder().has_background() || journal.queue().uploads().iter().any(held)
}

impl Change {
    fn entries(&self, journal: &Journal) -> Result<Vec<Entry>, Failure> {
        let at_ms = jiff::Timestamp::now().as_millisecond();
        let each = |which: &Which, entry: &dyn Fn(&Upload) -> Result<Entry, Failure>| {
            let entries = which.ids.iter().map(|id| {
                let upload = journal.queue().get(UploadId(*id));
                let none = || Failure::NotFound(format!("there is no upload {id} in the queue"));
                entry(upload.ok_or_else(none)?)
            });
            entries.collect::<Result<Vec<Entry>, Failure>>()
        };
        match self {
            Self::Pause(which) => each(which, &|upload| {
                let entry = Entry::Paused { id: upload.id };
                if upload.state.has_ended() { Err(too_late(upload, "paused")) } else { Ok(entry) }
            }),
            Self::Cancel(which) => each(which, &|upload| {
                let entry = Entry::Cancelled { id: upload.id, at_ms };
                if upload.state.has_ended() { Err(too_late(upload, "cancelled")) } else { Ok(entry) }
            }),
            Self::Resume(which) | Self::Retry(which) => each(which, &|upload| {
                let id = upload.id;
                if upload.video().is_some() {
                    return Err(too_late(upload, "sent again"));
                }
                if !upload.state.has_ended() {
                    return Ok(Entry::Resumed { id, file: None });
                }
                let why = |error| Failure::Faulty(format!("upload {id} ({}): {error}", upload.file.name));
                Ok(Entry::Resumed { id, file: Some(Box::new(look(upload.file.path.as_ref()).map_err(why)?)) })
            }),
            Self::Clear => {
                let ended = journal.queue().uploads().iter().filter(|upload| upload.is_over());
                Ok(vec![Entry::Cleared { ids: ended.map(|upload| upload.id).collect() }])
            }
            Self::AtOnce { count } => Ok(vec![Entry::AtOnce { count: usize::from(*count) }]),
            Self::Limit { rate } => Ok(vec![Entry::Limited { per_second: rate.0 }]),
        }
    }
}

/// It has ended, so that can't be done any more.
fn too_late(upload: &Upload, what: &str) -> Failure {
    let (id, name, state) = (upload.id, &upload.file.name, upload.state.word());
    Failure::Faulty(text::line(&format!("upload {id} ({name}) is {state}: it can't be {what}")).into())
}

fn sent(folder: &QueueFolder, upload: &Upload) -> u64 {
    match upload.state {
        State::Done { .. } => upload.file.fingerprint.size,
        State::Sending { .. } => folder.sent(upload.id).unwrap_or_default(),
        _ => 0,
    }
}

fn show_json(journal: &Journal) -> Result<(), Failure> {
    let mut uploads = Vec::new();
    for upload in journal.queue().uploads() {
        let mut shown = serde_json::to_value(upload).map_err(|error| Failure::Other(error.into()))?;
        if let Some(shown) = shown.as_object_mut() {
            shown.insert("sent".to_owned(), json!(sent(journal.folder(), upload)));
        }
        uploads.push(shown);
    }
    let queue = journal.queue();
    let document =
        json!({ "limit": queue.limit, "at_once": queue.at_once, "halted": queue.halted, "uploads": uploads });
    let text = serde_json::to_string_pretty(&document).map_err(|error| Failure::Other(error.into()))?;
    let mut out = Output::open();
    json::escape_for_terminal(&text, &mut out)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn show(journal: &Journal) -> Result<(), Failure> {
    let mut out = Output::open();
    if journal.queue().uploads().is_empty() {
        writeln!(out, "No uploads. cutaway videos upload FILE --detach queues one.")?;
        return show_settings(journal.queue(), out);
    }
    let rows = journal.queue().uploads().iter().map(|upload| {
        let (size, sent) = (upload.file.fingerprint.size, sent(journal.folder(), upload));
        let share = u128::from(sent) * 100 / u128::from(size.max(1));
        let about = match &upload.state {
            State::Done { video, .. } => match upload.waits_for() {
                Some(to) => format!("{video}, for {} of {}", to.label, to.project_name),
                None => video.clone(),
            },
            State::Failed { why, fix, .. } => format!("{why}; {fix}"),
            State::Retrying { why, .. } => why.clone(),
            State::Sending { .. } => format!("{share}%"),
            _ => String::new(),
        };
        vec![upload.id.to_string(), upload.state.word().to_owned(), bytes(size), upload.file.name.clone(), about]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let columns = [right("ID"), left("STATE"), right("SIZE"), words("NAME"), words("ABOUT")];
    table::write(&columns, &rows, out.width, &mut out)?;
    show_settings(journal.queue(), out)
}

/// How the queue is sent, where that is not as it is by itself.
fn show_settings(queue: &crate::uploads::Queue, mut out: Output) -> Result<(), Failure> {
    if let Some(limit) = queue.limit {
        writeln!(out, "limited to {}", rate(limit))?;
    }
    if queue.at_once != crate::uploads::Queue::default().at_once {
        writeln!(out, "{} at once", queue.at_once)?;
    }
    if let Some(why) = &queue.halted {
        writeln!(out, "nothing is sent: {}", text::line(why))?;
    }
    Ok(out.flush()?)
}
