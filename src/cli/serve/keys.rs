//! `cutaway serve key`

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::shown::{document, moment};
use super::{ServeError, say, tell};
use crate::cli::output::Output;
use crate::cli::table::{self, MISSING, left, words};
use crate::service::offline::{self, Kept, KeyRecord, NewKey};

/// What `cutaway serve key` does.
#[derive(Debug, Clone, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it; it can't be shown again
    #[command(after_help = "\
Examples:
  cutaway serve key add --name script --data ./workspace
  cutaway serve key add --name report --read-only --expires 90d --data ./workspace")]
    Add(Add),
    /// List the keys: scope, expiry and last use
    #[command(after_help = "\
Examples:
  cutaway serve key list --data ./workspace
  cutaway serve key list --json")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; a running service refuses it immediately
    ///
    /// Also ends the tokens that the key was exchanged for and the sign-ins that were approved with it.
    #[command(after_help = "\
Examples:
  cutaway serve key revoke script --data ./workspace
  cutaway serve key revoke 3f9a0c51d2e7")]
    Revoke {
        /// The key's name or ID; the ID where several keys have the name
        #[arg(value_name = "NAME|ID")]
        key: String,
    },
}

/// `cutaway serve key add`
#[derive(Debug, Clone, Args)]
pub struct Add {
    /// A name to recognize it by
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Make the key read-only: every change is refused with 403
    #[arg(long)]
    read_only: bool,
    /// When it expires: after a time (30d, 12h, 15m), at the end of a day (2026-12-31, UTC) or at an exact time
    #[arg(long, value_name = "D", value_parser = expiry)]
    expires: Option<Timestamp>,
}

/// Reads when a key is to end.
fn expiry(text: &str) -> Result<Timestamp, String> {
    let now = Timestamp::now();
    let ends = ends(text.trim(), now).ok_or_else(|| {
        format!(
            "must be in how long (30d, 12h, 4w), a day (2026-12-31) or a time (2026-12-31T12:00:00Z), found {text:?}"
        )
    })?;
    if ends > now { Ok(ends) } else { Err(format!("must be in the future, found {text:?}")) }
}

fn ends(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(day) = text.parse::<Date>()
        && text.len() == 10
    {
        return Some(day.to_datetime(time(23, 59, 59, 0)).to_zoned(TimeZone::UTC).ok()?.timestamp());
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        'w' => 7 * 24 * 3600,
        _ => return None,
    };
    let number: i64 =
        text.strip_suffix(unit).filter(|number| number.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()?;
    now.checked_add(SignedDuration::from_secs(number.checked_mul(seconds)?)).ok()
}

impl KeyCommand {
    /// Runs it on the keys of a data folder.
    pub(super) async fn run(&self, data: &Kept) -> Result<ExitCode, ServeError> {
        match self {
            Self::Add(Add { name, read_only, expires }) => {
                let expires_at = expires.map(Timestamp::as_second);
                let new = NewKey { name: name.clone(), read_only: *read_only, expires_at, process: None };
                say(offline::add_key(data, new).await?.expose())?;
            }
            Self::List { json } => {
                let keys = offline::keys(data).await?;
                if *json { document(&serde_json::json!({ "keys": keys }))? } else { list(&keys)? }
            }
            Self::Revoke { key } => {
                let revoked = offline::revoke_key(data, key).await?;
                let named = revoked.key.name.as_deref().unwrap_or("without a name");
                let grants = match revoked.grants {
                    0 => String::new(),
                    1 => ", and 1 sign-in that was approved with it".to_owned(),
                    grants => format!(", and {grants} sign-ins that were approved with it"),
                };
                say(&format!("Revoked key {named} ({}){grants}", revoked.key.id))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(keys: &[KeyRecord]) -> Result<(), ServeError> {
    if keys.is_empty() {
        tell("No keys yet. Create one with: cutaway serve key add --name NAME");
        return Ok(());
    }
    let row = |key: &KeyRecord| {
        let expires = match (&key.expires_at, key.ends_with_process) {
            (_, true) => "with its process".to_owned(),
            (Some(at), _) if key.expired => format!("expired {}", moment(at)),
            (Some(at), _) => moment(at),
            (None, _) => "never".to_owned(),
        };
        let used = key.last_used_at.as_deref().map_or_else(|| "never".to_owned(), moment);
        let name = key.name.clone().unwrap_or_else(|| MISSING.to_owned());
        vec![name, key.id.clone(), key.scope.to_owned(), expires, used, moment(&key.created_at)]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    let columns = [words("NAME"), left("ID"), left("SCOPE"), left("EXPIRES"), left("LAST USED"), left("CREATED")];
    let mut out = Output::open();
    table::write(&columns, &rows, out.width, &mut out)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_days_times_or_how_long() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let read = |text| ends(text, now).map(|at| at.to_string());
        for (text, at) in [
            ("90s", "2026-03-10T12:01:30Z"),
            ("15m", "2026-03-10T12:15:00Z"),
            ("12h", "2026-03-11T00:00:00Z"),
            ("30d", "2026-04-09T12:00:00Z"),
            ("1w", "2026-03-17T12:00:00Z"),
            ("2026-12-31", "2026-12-31T23:59:59Z"),
            ("2026-12-31T12:00:00+02:00", "2026-12-31T10:00:00Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(at), "{text}");
        }
        for wrong in ["", "d", "-1d", "soon", "1y", "2026-02-30", "99999999999999999d", "1.5h"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert!(expiry("2020-01-01").unwrap_err().contains("in the future"));
    }
}
