//! `cutaway webhooks create`

use clap::Args;

use crate::api::CreateWebhook;
use crate::cli::{Failure, Session, writing};
use crate::domain::WebhookEvent;

/// Subscribe an address to an event.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks create conversion https://shop.example.com/hook")]
pub(super) struct Create {
    /// To what: response_summary, collected_info, conversion
    #[arg(value_parser = super::event)]
    event: WebhookEvent,
    /// Where the events are sent
    url: String,
    /// Print the service's own answer as JSON
    #[arg(long)]
    json: bool,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let create = CreateWebhook { event: self.event.clone(), url: self.url.clone(), ..CreateWebhook::default() };
        writing::write(session, &create, self.json, |created, given| {
            vec![
                ("Id", given.required("id", &created.id)),
                ("Event", given.required("event", &created.event)),
                ("Address", given.required("url", &created.url)),
            ]
        })
        .await
    }
}
