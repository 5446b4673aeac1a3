//! `cutaway webhooks secret`: no operation of §4.6 shows it, so it is read from the data folder.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::cli::output::Output;
use crate::cli::{Failure, names, runtime, session};
use crate::domain::WebhookId;
use crate::service::store::StoreError;
use crate::service::{ServiceError, offline};
use crate::settings::Folders;

/// Print what a subscription's deliveries are signed with.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks secret 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e")]
pub(super) struct Secret {
    /// The subscription's id
    #[arg(add = ArgValueCompleter::new(names::webhooks))]
    id: String,
    /// The data folder that has it, as `serve` was given it; the local workspace's without
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Secret {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = match &self.data {
            Some(folder) => folder.clone(),
            None => Folders::find(&session::environment()?)
                .local_workspace()
                .map_err(|error| Failure::Usage(format!("{error}; or give --data")))?,
        };
        let id = WebhookId::new(self.id.as_str());
        match runtime()?.block_on(offline::webhook_secret(&folder, id)) {
            Ok(secret) => {
                let mut out = Output::open();
                writeln!(out, "{}", secret.expose())?;
                out.flush()?;
                Ok(ExitCode::SUCCESS)
            }
            Err(ServiceError::Store(StoreError::Missing(why))) => Err(Failure::NotFound(why.to_owned())),
            Err(error) => Err(Failure::Other(error.into())),
        }
    }
}
