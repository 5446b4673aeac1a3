//! `cutaway webhooks deliveries`, `ping` and `redeliver`: what the local workspace and `serve` offer beside §4.6.

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::{ListDeliveries, PingWebhook, Redeliver};
use crate::cli::findings::{Given, Unread};
use crate::cli::output::Output;
use crate::cli::table::{self, left, right};
use crate::cli::{Failure, Session, names, times, writing};
use crate::client::ClientError;
use crate::domain::{Delivery, WebhookId};

/// List a webhook's latest deliveries (local workspace and `serve` only).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks deliveries 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Deliveries {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

/// Says what it means that a service knows nothing of deliveries.
pub(super) fn explained(error: ClientError) -> Failure {
    match error.status() {
        Some(404) => Failure::Explained {
            what: format!("{error} (only the local workspace and `cutaway serve` offer this)"),
            error: Box::new(error),
        },
        _ => error.into(),
    }
}

impl Deliveries {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let operation = ListDeliveries(WebhookId::new(self.id.as_str()));
        if self.json {
            return Output::open().document(&client.call_raw(&operation).await.map_err(explained)?);
        }
        let answer = client.call(&operation).await.map_err(explained)?;
        let rows = answer.value.deliveries.iter().map(|delivery| {
            vec![
                delivery.id.clone(),
                delivery.state.clone(),
                delivery.attempts.to_string(),
                delivery.status.map(|status| status.to_string()).unwrap_or_default(),
                times::shown(&delivery.created_at),
                delivery.error.clone().or_else(|| delivery.response_body.clone()).unwrap_or_default(),
            ]
        });
        let rows: Vec<_> = rows.collect();
        let columns = [left("ID"), left("STATE"), right("ATTEMPTS"), right("STATUS"), left("CREATED"), left("ANSWER")];
        let mut out = Output::open();
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        Unread::tell_of(&answer);
        Ok(())
    }
}

/// Send a test event (local workspace and `serve` only).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks ping 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Ping {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

/// Resend a delivery (local workspace and `serve` only).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks redeliver 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1f")]
pub(super) struct RedeliverOnce {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// The delivery's ID
    delivery: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

fn queued(delivery: &Delivery, given: Given<'_>) -> Vec<(&'static str, String)> {
    vec![
        ("Delivery", given.required("id", &delivery.id)),
        ("Message", given.required("messageId", &delivery.message_id)),
        ("State", given.required("state", &delivery.state)),
    ]
}

impl Ping {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        writing::write(session, &PingWebhook(WebhookId::new(self.id.as_str())), self.json, queued).await
    }
}

impl RedeliverOnce {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let operation = Redeliver { webhook: WebhookId::new(self.id.as_str()), delivery: self.delivery.clone() };
        writing::write(session, &operation, self.json, queued).await
    }
}
