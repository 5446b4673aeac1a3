//! `cutaway products count`

use std::io::Write as _;

use clap::Args;

use crate::api::CountProducts;
use crate::cli::output::{Output, unreadable};
use crate::cli::{Failure, Session};

/// Count the products of the store.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products count
  cutaway products count --strict --json")]
pub(super) struct Count {
    /// Count only products that viewers can be shown, if the service can tell
    #[arg(long)]
    strict: bool,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Count {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let (connection, app_url) = session.connect_to_store().await?;
        let count = CountProducts { app_url, strict: self.strict.then_some(true), ..CountProducts::default() };
        if self.json {
            return Output::open().document(&connection.client.call_raw(&count).await?);
        }
        let counted = connection.client.call(&count).await?;
        // A script that is given a made-up 0 would believe it.
        if let Some(fault) = counted.findings.iter().find(|finding| finding.path() == "total") {
            return Err(unreadable(&counted, fault.to_string()));
        }
        let Some(total) = counted.value.total.whole().filter(|total| *total >= 0) else {
            return Err(unreadable(&counted, format!("total must be a whole number, found {}", counted.value.total)));
        };
        let mut out = Output::open();
        writeln!(out, "{total}")?;
        Ok(out.flush()?)
    }
}
