//! `cutaway doctor`: what this terminal, configuration, credential and service can do, with a fix for what they can't.

mod asked;
mod bundle;
mod drawing;
mod keys;
mod local;
mod origin;
mod raw;
mod remote;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde_json::{Value, json};

use self::origin::Origin;
use super::output::Output;
use super::{Failure, Session};
use crate::client::{Exchange, Observe};
use crate::domain::wire::{Recorded, Redaction, WireLog};
use crate::domain::{BUILT, Finding, text};
use crate::runtime::bundle::of_home;

/// Check the terminal, configuration, credential and service, and suggest fixes.
///
/// On a terminal it also asks you to press some keys, and says which don't arrive; Esc skips them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway doctor
  cutaway doctor --json
  cutaway doctor --bundle support.tar --mask")]
pub(super) struct Doctor {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
    /// Write the checks, the configuration, the log and the recent requests to an archive, for support
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Also remove names and addresses of people and stores from the archive
    #[arg(long, requires = "bundle")]
    mask: bool,
    /// Don't ask before writing the archive
    #[arg(long, requires = "bundle")]
    yes: bool,
}

/// How it stands with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// As it should be.
    Good,
    /// It works, but.
    Care,
    /// It does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone)]
pub(super) struct Check {
    area: &'static str,
    what: &'static str,
    state: State,
    found: String,
    /// Where it is known from, where it is about the terminal.
    from: Option<Origin>,
    /// What to do about it.
    fix: Option<String>,
}

/// What was looked at so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    area: &'static str,
    checks: Vec<Check>,
}

impl Findings {
    fn begin(&mut self, area: &'static str) {
        self.area = area;
    }

    fn note(&mut self, state: State, what: &'static str, found: impl Into<String>, fix: Option<String>) {
        self.checks.push(Check { area: self.area, what, state, found: found.into(), from: None, fix });
    }

    fn good(&mut self, what: &'static str, found: impl Into<String>) {
        self.note(State::Good, what, found, None);
    }

    /// What is as it should be, and where that is known from.
    fn known(&mut self, what: &'static str, found: impl Into<String>, origin: Origin) {
        self.good(what, format!("{}, {origin}", found.into()));
        self.from(origin);
    }

    /// Where the last one is known from.
    fn from(&mut self, origin: Origin) {
        if let Some(check) = self.checks.last_mut() {
            check.from = Some(origin);
        }
    }

    fn care(&mut self, what: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        self.note(State::Care, what, found, Some(fix.into()));
    }

    fn bad(&mut self, what: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        self.note(State::Bad, what, found, Some(fix.into()));
    }

    fn document(&self) -> Value {
        let check = |check: &Check| {
            json!({
                "area": check.area,
                "check": check.what,
                "state": match check.state { State::Good => "good", State::Care => "care", State::Bad => "bad" },
                "found": check.found,
                "from": check.from.map(Origin::word),
                "fix": check.fix,
                // The name that it had first, for scripts that read it.
                "mend": check.fix,
            })
        };
        json!({
            "version": BUILT.version,
            "build": BUILT,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
            "good": self.is_good(),
        })
    }

    /// What is found may be asked about in public: no secret that a person put somewhere is in it.
    fn take_secrets_out(&mut self, redaction: &Redaction) {
        for check in &mut self.checks {
            check.found = redaction.free_text(&check.found);
            check.fix = check.fix.as_deref().map(|fix| redaction.free_text(fix));
        }
    }

    fn is_good(&self) -> bool {
        self.checks.iter().all(|check| check.state != State::Bad)
    }
}

/// Keeps what is said on the wire.
#[derive(Default)]
pub(super) struct Recorder(Mutex<WireLog>);

impl Recorder {
    fn log(&self) -> WireLog {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observe for Recorder {
    fn ended(&self, _exchange: Exchange) {}
    fn wants_wire(&self) -> bool {
        true
    }
    fn recorded(&self, recorded: Recorded) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(recorded));
    }
    fn found(&self, number: u64, findings: &[Finding]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).found(number, findings.to_vec());
    }
}

impl Doctor {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let mut findings = Findings::default();
        let recorder = Arc::new(Recorder::default());
        let raw = Arc::new(Mutex::new(()));
        if asked::is_at_terminal(session) {
            raw::end_in_order(&raw)?;
        }
        local::look(session, &raw, &mut findings);
        let workspace = remote::look(session, &recorder, &mut findings).await;
        if let Some(workspace) = workspace {
            workspace.close().await;
        }
        findings.take_secrets_out(&of_home(&session.folders, &session.environment, session.target.credential.as_ref()));
        let mut out = Output::open();
        if self.json {
            let document = serde_json::to_string_pretty(&findings.document()).unwrap_or_default();
            crate::client::json::escape_for_terminal(&document, &mut out)?;
            writeln!(out)?;
        } else {
            show(&findings, &mut out)?;
            keys::ask(session, &raw, &mut findings, &mut out)?;
        }
        out.flush()?;
        drop(out);
        if let Some(file) = &self.bundle {
            bundle::write(session, file, &findings, &recorder.log(), self.mask, self.yes)?;
        }
        if findings.is_good() {
            return Ok(());
        }
        let bad = findings.checks.iter().filter(|check| check.state == State::Bad).count();
        Err(Failure::Faulty(format!("{bad} of {} checks found a problem", findings.checks.len())))
    }
}

fn show(findings: &Findings, out: &mut impl std::io::Write) -> std::io::Result<()> {
    let mut area = "";
    for check in &findings.checks {
        if check.area != area {
            if !area.is_empty() {
                writeln!(out)?;
            }
            writeln!(out, "{}", check.area)?;
            area = check.area;
        }
        let sign = match check.state {
            State::Good => "ok  ",
            State::Care => "warn",
            State::Bad => "BAD ",
        };
        writeln!(out, "  {sign}  {:<18} {}", check.what, text::line(&check.found))?;
        if let Some(fix) = &check.fix {
            writeln!(out, "        {:<18} -> {}", "", text::line(fix))?;
        }
    }
    Ok(())
}
