//! `cutaway webhooks create`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::CreateWebhook;
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session, names};
use crate::domain::WebhookEvent;

/// Create a webhook.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks create conversion https://shop.example.com/hook")]
pub(super) struct Create {
    /// The event: response_summary, collected_info, conversion
    #[arg(value_parser = super::event, add = ArgValueCompleter::new(names::events))]
    event: WebhookEvent,
    /// The address that events are sent to
    url: String,
    #[command(flatten)]
    creation: Creation,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let create = CreateWebhook { event: self.event.clone(), url: self.url.clone(), ..CreateWebhook::default() };
        self.creation
            .run(
                session,
                &create,
                |created| created.id.as_str(),
                |created, given| {
                    vec![
                        ("Id", given.required("id", &created.id)),
                        ("Event", given.required("event", &created.event)),
                        ("Address", given.required("url", &created.url)),
                    ]
                },
            )
            .await
    }
}
