//! `cutaway webhooks`: one file a command.

mod create;
mod delete;
mod deliveries;
mod enable;
mod health;
mod import;
mod list;
mod listen;
mod rotate_secret;
mod secret;
mod withheld;

pub(super) use delete::explained as explained_deletion;

use clap::{Args, Subcommand};

use super::call::Call;
use super::{Failure, GlobalFlags, Session, streams, with_session};
use crate::api::{self, Operation as _};
use crate::domain::WebhookEvent;

/// The commands that end in operations.
pub(super) const CALLS: [Call; 10] = [
    ("webhooks list", api::ListWebhooks::ROW),
    ("webhooks create", api::CreateWebhook::ROW),
    ("webhooks delete", api::DeleteWebhook::ROW),
    ("webhooks deliveries", api::ListDeliveries::ROW),
    ("webhooks ping", api::PingWebhook::ROW),
    ("webhooks redeliver", api::Redeliver::ROW),
    ("webhooks secret", api::GetWebhookSecret::ROW),
    ("webhooks rotate-secret", api::RotateWebhookSecret::ROW),
    ("webhooks enable", api::EnableWebhook::ROW),
    ("webhooks disable", api::DisableWebhook::ROW),
];

/// `cutaway webhooks`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks list
  cutaway webhooks create conversion https://shop.example.com/hook
  cutaway webhooks delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e --yes")]
pub(super) struct Webhooks {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List webhooks with the health of their deliveries
    List(list::List),
    /// Create a webhook
    Create(create::Create),
    /// Delete a webhook
    Delete(delete::Delete),
    /// Receive events on this machine: verify, show and forward them
    Listen(listen::Listen),
    /// Import events that were received elsewhere, for `projects funnel` with services that don't count visits
    Import(import::Import),
    /// List a webhook's latest deliveries (local workspace and `serve` only)
    Deliveries(deliveries::Deliveries),
    /// Send a test event (local workspace and `serve` only)
    Ping(deliveries::Ping),
    /// Resend a delivery (local workspace and `serve` only)
    Redeliver(deliveries::RedeliverOnce),
    /// Print a webhook's signing secret (local workspace and `serve` only)
    Secret(secret::Secret),
    /// Replace a webhook's signing secret (local workspace and `serve` only)
    RotateSecret(rotate_secret::RotateSecret),
    /// Enable a webhook that was switched off (local workspace and `serve` only)
    Enable(enable::Enable),
    /// Switch off a webhook until you switch it on again (local workspace and `serve` only)
    Disable(enable::Disable),
}

/// An event that the specification lists.
fn event(text: &str) -> Result<WebhookEvent, String> {
    WebhookEvent::known(text).ok_or_else(|| {
        let known: Vec<_> = WebhookEvent::ALL.iter().map(WebhookEvent::as_str).collect();
        format!("must be one of {}", known.join(", "))
    })
}

impl Webhooks {
    pub(super) fn run(&self, global: &GlobalFlags) -> Result<(), Failure> {
        if let Command::Secret(command) = &self.command
            && command.is_of_folder()
        {
            return command.run_in_folder();
        }
        with_session(global, async |session| self.run_in(session).await)
    }

    pub(super) async fn run_in(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::List(command) => command.run(session).await,
            Command::Create(command) => command.run(session).await,
            Command::Delete(command) => command.run(session).await,
            Command::Listen(command) => {
                streams::is_at_home("webhooks listen")?;
                command.run(session).await
            }
            Command::Import(command) => {
                streams::is_at_home("webhooks import")?;
                command.run(session).await
            }
            Command::Deliveries(command) => command.run(session).await,
            Command::Ping(command) => command.run(session).await,
            Command::RotateSecret(command) => command.run(session).await,
            Command::Enable(command) => command.run(session).await,
            Command::Disable(command) => command.run(session).await,
            Command::Redeliver(command) => command.run(session).await,
            Command::Secret(command) => command.run(session).await,
        }
    }
}
