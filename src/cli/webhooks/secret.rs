//! `cutaway webhooks secret`: no operation of §4.6 shows it, so it is asked for beside them, or read from a data folder.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::deliveries::explained;
use crate::api::GetWebhookSecret;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, names, streams, waited_for};
use crate::domain::{WebhookId, WebhookSecret, text};
use crate::service::store::StoreError;
use crate::service::{ServiceError, offline};

/// Print a webhook's signing secret.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks secret 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Secret {
    /// The webhook's ID
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// Read it from this data folder of `serve` instead of asking the service
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Secret {
    /// Whether it is read from a data folder, not asked of a service.
    pub(super) fn is_of_folder(&self) -> bool {
        self.data.is_some()
    }

    pub(super) fn run_in_folder(&self) -> Result<(), Failure> {
        self.data.as_deref().map_or(Ok(()), |folder| print(&in_folder(folder, WebhookId::new(self.id.as_str()))?))
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if let Some(folder) = &self.data {
            streams::may_use(folder)?;
        }
        let client = session.connect().await?.client;
        let answer = client.call(&GetWebhookSecret(WebhookId::new(self.id.as_str()))).await.map_err(explained)?;
        print(&WebhookSecret::new(&answer.value.secret))
    }
}

fn in_folder(folder: &Path, id: WebhookId) -> Result<WebhookSecret, Failure> {
    waited_for(offline::webhook_secret(folder, id))?.map_err(|error| match error {
        ServiceError::Store(StoreError::Missing(why)) => Failure::NotFound(why.to_owned()),
        error => Failure::Other(error.into()),
    })
}

fn print(secret: &WebhookSecret) -> Result<(), Failure> {
    let mut out = Output::open();
    writeln!(out, "{}", text::line(secret.expose()))?;
    Ok(out.flush()?)
}
