//! `cutaway webhooks listen`

use std::io::{self, Write as _};
use std::net::SocketAddr;

use clap::Args;
use tokio::sync::mpsc::unbounded_channel;

use crate::cli::output::Output;
use crate::cli::session::warn;
use crate::cli::{Failure, Session};
use crate::client::Client;
use crate::client::json::escape_on_one_line;
use crate::domain::{BorrowedJson, KeptVisit, ReceivedEvent, WebhookSecret, text};
use crate::runtime::kept_visits::KeptVisits;
use crate::runtime::listen::{DEFAULT_LISTEN, ListenOptions, Receiver};
use crate::settings::host_url;

/// Receive events on this machine: verify, show and forward them.
///
/// Checks signatures with the secrets of the local workspace or `serve`; another service's secret comes from
/// CUTAWAY_WEBHOOK_SECRET. Forwards only events with a valid, recent signature, and each of them once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks listen
  cutaway webhooks listen --keep
  cutaway webhooks listen --json --forward-to http://127.0.0.1:8080/hook")]
pub(super) struct Listen {
    /// Forward each event to this address
    #[arg(long, value_name = "URL")]
    forward_to: Option<String>,
    /// Also forward events that can't be verified because no secret is known; never those from a web page or another host
    #[arg(long, requires = "forward_to")]
    forward_unverified: bool,
    /// The address to receive events on
    #[arg(long = "listen", value_name = "ADDR:PORT", default_value = DEFAULT_LISTEN)]
    addr: SocketAddr,
    /// Keep what viewers did, for `projects funnel` with services that don't count it: in the state folder, without
    /// names, e-mail addresses and phone numbers
    #[arg(long)]
    keep: bool,
    /// Print each event as one line of JSON
    #[arg(long)]
    json: bool,
}

impl Listen {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let forward_to = self.forward_to.as_deref().map(host_url).transpose();
        let forward_to = forward_to.map_err(|error| Failure::Usage(format!("--forward-to: {error}")))?;
        let client = session.connect().await?.client;
        let mut kept = self.keep.then(|| kept_visits(session, &client)).transpose()?;
        let secret = session.environment.get("CUTAWAY_WEBHOOK_SECRET").map(WebhookSecret::new);
        let (sender, mut events) = unbounded_channel();
        let options =
            ListenOptions { addr: self.addr, forward_to, forward_unverified: self.forward_unverified, client, secret };
        let receiver = Receiver::start(options, sender).await.map_err(|error| Failure::Usage(error.to_string()))?;
        let _ = writeln!(io::stderr(), "cutaway: receiving on {} (press Ctrl-C to stop)", receiver.url);
        let _ = writeln!(
            io::stderr(),
            "cutaway: to send events here, run: cutaway webhooks create conversion {}",
            receiver.url
        );
        loop {
            tokio::select! {
                ended = tokio::signal::ctrl_c() => {
                    ended?;
                    return Ok(());
                }
                Some(event) = events.recv() => {
                    self.show(&event)?;
                    if let Some(kept) = kept.as_mut().filter(|_| event.verdict.is_taken()) {
                        keep(kept, &event)?;
                    }
                }
            }
        }
    }

    fn show(&self, event: &ReceivedEvent) -> Result<(), Failure> {
        let mut out = Output::open();
        if self.json {
            let mut document = event.document();
            if let Some(document) = document.as_object_mut().filter(|_| self.keep && event.verdict.is_taken()) {
                document.insert("withheld".to_owned(), withheld(event).into());
            }
            escape_on_one_line(&document.to_string(), &mut out)?;
        } else {
            write!(out, "{}", text::line(&line(event)))?;
        }
        writeln!(out)?;
        Ok(out.flush()?)
    }
}

/// Where the events of the current service are kept.
pub(super) fn kept_visits(session: &Session, client: &Client) -> Result<KeptVisits, Failure> {
    let state = session.folders.state().map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(KeptVisits::of(state, &client.hosts().base))
}

/// Keeps what an event says of a visit.
fn keep(kept: &mut KeptVisits, event: &ReceivedEvent) -> Result<(), Failure> {
    let taken = kept.keep([event.body.clone()])?;
    for left in super::withheld::told(taken.left) {
        warn(&left);
    }
    if let Some((_, why)) = taken.first_unread {
        warn(&format!("an event contains no visit to keep: {why}"));
    }
    Ok(())
}

/// How many texts of an event are not kept.
fn withheld(event: &ReceivedEvent) -> u64 {
    KeptVisit::told(&BorrowedJson::from(&event.body)).map_or(0, |(_, left)| left.withheld)
}

/// An event on a line, for people.
fn line(event: &ReceivedEvent) -> String {
    let at = event.at.strftime("%H:%M:%S");
    let named = event.body.get("playlist").and_then(serde_json::Value::as_str).unwrap_or_default();
    let forwarded = match &event.forwarded {
        None => String::new(),
        Some(Ok(status)) => format!("  forwarded: {status}"),
        Some(Err(why)) => format!("  not forwarded: {why}"),
    };
    let kind = event.event.as_deref().unwrap_or("unknown event");
    format!(
        "{at}  {kind:<17} {:<13} {}  {named}  {} bytes{forwarded}",
        event.verdict.to_string(),
        event.message,
        event.size
    )
}
