//! `cutaway webhooks delete`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::{DeleteWebhook, ListWebhooks};
use crate::cli::deleting::Deletion;
use crate::cli::{Failure, Session, names};
use crate::client::{Client, ClientError};
use crate::domain::WebhookId;

/// Delete a webhook
///
/// Deliveries to it stop, and past ones are no longer listed. The API specification has no such operation, so
/// some services don't offer it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks delete 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e --yes")]
pub(super) struct Delete {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    #[command(flatten)]
    deletion: Deletion,
}

impl Delete {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let delete = DeleteWebhook { id: WebhookId::new(self.id.as_str()) };
        let what = format!("webhook {}", self.id);
        match self.deletion.run(session, &what, &delete, |(), _| vec![("Deleted", self.id.clone())]).await {
            Err(Failure::Client(error)) => {
                let client = session.connect().await?.client;
                Err(explained(error, &client, &delete.id).await)
            }
            done => done,
        }
    }
}

/// Says what a refused deletion means. A service that lists the subscription has it, so its 404 is about the operation.
pub(in crate::cli) async fn explained(error: ClientError, client: &Client, id: &WebhookId) -> Failure {
    let what = match error.status() {
        Some(404) => match client.call(&ListWebhooks).await {
            Ok(listed) if !listed.value.iter().any(|webhook| webhook.id == *id) => {
                format!("there is no webhook {id}: the service doesn't list it and responded: {error}")
            }
            Ok(_) => format!("{NOT_OFFERED} ({error}). Nothing was deleted."),
            Err(unlisted) => format!(
                "the service responded: {error}. Either it has no webhook {id} or it can't delete webhooks; \
                 the list couldn't be loaded: {unlisted}"
            ),
        },
        Some(405 | 501) => format!("{NOT_OFFERED} ({error}). Nothing was deleted."),
        _ => return error.into(),
    };
    Failure::Explained { what, error: Box::new(error) }
}

const NOT_OFFERED: &str = "this service can't delete webhooks";
