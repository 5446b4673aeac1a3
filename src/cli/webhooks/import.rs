//! `cutaway webhooks import`

use std::io::{self, BufRead, BufReader, Write as _};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::listen::kept_visits;
use super::withheld::told;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, input};
use crate::client::json::escape_on_one_line;

/// Import events that were received elsewhere, for `projects funnel` with services that don't count visits
///
/// Reads response_summary, collected_info and conversion events, one JSON object a line (NDJSON), and keeps what viewers did
/// in the state folder, without names, e-mail addresses and phone numbers. An event that was kept before is not kept again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks import events.ndjson
  cutaway webhooks import - --json < events.ndjson")]
pub(super) struct Import {
    /// The file with one event per line; - is standard input
    file: PathBuf,
    /// Print what became of the events as JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let mut kept = kept_visits(session, &client)?;
        let from: Box<dyn BufRead + Send> = if self.file.as_os_str() == "-" {
            Box::new(BufReader::new(io::stdin()))
        } else {
            let failed = |error: io::Error| Failure::Usage(format!("{}: {error}", input::shown(&self.file)));
            Box::new(BufReader::new(std::fs::File::open(&self.file).map_err(failed)?))
        };
        let taken = kept.import(from)?;
        let mut out = Output::open();
        if self.json {
            let first = taken.first_unread.map(|(line, why)| json!({ "line": line, "reason": why }));
            let became = json!({
                "kept": taken.kept, "known": taken.known, "unread": taken.unread, "firstUnread": first,
                "withheld": taken.left.withheld, "unreadEntries": taken.left.events,
            });
            escape_on_one_line(&became.to_string(), &mut out)?;
            writeln!(out)?;
        } else {
            let first = taken.first_unread.map(|(line, why)| format!(" (line {line}: {why})")).unwrap_or_default();
            writeln!(out, "{} new, {} already kept, {} not recognized{first}", taken.kept, taken.known, taken.unread)?;
            for left in told(taken.left) {
                writeln!(out, "{left}")?;
            }
        }
        out.flush()?;
        if taken.unread > 0 && taken.kept + taken.known == 0 {
            return Err(Failure::Faulty("no event was recognized".to_owned()));
        }
        Ok(())
    }
}
