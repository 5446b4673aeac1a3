//! `cutaway webhooks rotate-secret`: what the local workspace and `serve` offer beside §4.6.

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::deliveries::explained;
use crate::api::RotateWebhookSecret;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, names, streams};
use crate::domain::{WebhookId, text};

/// Replace a webhook's signing secret (local workspace and `serve` only)
///
/// Prints the new secret. The old one stays valid for 24 hours: until then every delivery carries both signatures,
/// so you can update the receiver without losing a delivery.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks rotate-secret 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct RotateSecret {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl RotateSecret {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<RotateWebhookSecret>()?;
        let client = session.connect().await?.client;
        let operation = RotateWebhookSecret(WebhookId::new(self.id.as_str()));
        if self.json {
            return Output::open().document(&client.call_raw(&operation).await.map_err(explained)?);
        }
        let answer = client.call(&operation).await.map_err(explained)?;
        let mut out = Output::open();
        writeln!(out, "{}", text::line(&answer.value.secret))?;
        out.flush()?;
        if let Some(until) = &answer.value.previous_until {
            let _ = writeln!(streams::errors(), "cutaway: the previous secret is valid until {}", text::line(until));
        }
        Ok(())
    }
}
