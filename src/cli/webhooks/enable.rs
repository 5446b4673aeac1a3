//! `cutaway webhooks enable` and `disable`: what the local workspace and `serve` offer beside §4.6.

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::deliveries::explained;
use crate::api::{DisableWebhook, EnableWebhook, Operation};
use crate::cli::{Failure, Session, names, writing};
use crate::domain::{Webhook, WebhookId};

/// Enable a webhook that was switched off (local workspace and `serve` only)
///
/// A webhook is switched off when all its deliveries fail for five days, or when its receiver answers 410 Gone;
/// `cutaway webhooks list` shows that. Events from that time aren't delivered later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks enable 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Enable {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Enable {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        switch::<EnableWebhook>(session, &self.id, self.json, "Enabled").await
    }
}

/// Switch off a webhook until you switch it on again (local workspace and `serve` only)
///
/// What waits to be delivered is dropped, and what happens while the webhook is off isn't delivered later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks disable 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Disable {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Disable {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        switch::<DisableWebhook>(session, &self.id, self.json, "Disabled").await
    }
}

/// Asks for a change of a subscription, and shows the subscription as it is then.
async fn switch<O: Operation<Response = Webhook> + From<WebhookId>>(
    session: &Session,
    id: &str,
    as_json: bool,
    done: &'static str,
) -> Result<(), Failure> {
    let request = O::from(WebhookId::new(id));
    let written = writing::write(session, &request, as_json, |webhook, given| {
        vec![(done, given.required("id", &webhook.id)), ("Address", given.required("url", &webhook.url))]
    });
    written.await.map_err(|failure| match failure {
        Failure::Client(error) => explained(error),
        other => other,
    })
}
