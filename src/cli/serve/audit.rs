//! `cutaway serve audit`

use std::io::Write as _;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::shown::{document, moment};
use super::{ServeError, tell};
use crate::cli::dates;
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::service::offline::{self, AuditRecord, Kept};

/// `cutaway serve audit`
#[derive(Debug, Clone, Args)]
pub struct Audit {
    /// Only entries since then: a date, a time, or how long ago (7d, 12h)
    #[arg(long, value_name = "D", value_parser = since)]
    since: Option<Timestamp>,
    /// Show only the latest N entries
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: u32,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

fn since(text: &str) -> Result<Timestamp, String> {
    let given = dates::date(text, Timestamp::now())?;
    if let Ok(at) = given.parse::<Timestamp>() {
        return Ok(at);
    }
    let day = given.parse::<Date>().map_err(|error| error.to_string())?;
    Ok(day.to_zoned(TimeZone::UTC).map_err(|error| error.to_string())?.timestamp())
}

impl Audit {
    /// Shows the log of a data folder.
    pub(super) async fn run(&self, data: &Kept) -> Result<ExitCode, ServeError> {
        let entries = offline::audit(data, self.since.map(Timestamp::as_millisecond), self.limit).await?;
        if self.json {
            document(&serde_json::json!({ "entries": entries }))?;
        } else {
            list(&entries)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Who did it.
fn who(entry: &AuditRecord) -> String {
    let credential = entry.key_name.as_ref().or(entry.credential_id.as_ref());
    match (entry.actor.as_str(), credential) {
        ("grant", Some(id)) => format!("sign-in {id}"),
        (_, Some(key)) => key.clone(),
        (actor, None) => actor.to_owned(),
    }
}

fn list(entries: &[AuditRecord]) -> Result<(), ServeError> {
    if entries.is_empty() {
        tell("No entries. What changes the workspace appears here.");
        return Ok(());
    }
    let row = |entry: &AuditRecord| {
        vec![
            moment(&entry.time),
            who(entry),
            entry.action.clone(),
            entry.status.map(|status| status.to_string()).unwrap_or_default(),
            entry.record_id.clone().unwrap_or_default(),
            entry.client_address.clone().unwrap_or_default(),
            entry.detail.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    let columns =
        [left("TIME"), words("WHO"), left("ACTION"), right("STATUS"), left("RECORD"), left("ADDRESS"), words("DETAIL")];
    let mut out = Output::open();
    table::write(&columns, &rows, out.width, &mut out)?;
    Ok(out.flush()?)
}
