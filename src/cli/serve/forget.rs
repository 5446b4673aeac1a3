//! `cutaway serve forget`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::shown::document;
use super::storage::PlaceArgs;
use super::{ServeError, say, tell};
use crate::cli::{Failure, confirm};
use crate::service::offline::{self, Forgetting, Kept};

/// `cutaway serve forget`
#[derive(Debug, Clone, Args)]
pub struct Forget {
    /// The person's e-mail address, in any case
    #[arg(long, value_name = "X")]
    email: String,
    /// Where uploaded videos are, where that is not the folder
    #[command(flatten)]
    storage: PlaceArgs,
    /// Don't ask
    #[arg(long)]
    yes: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// `1 visit`, `2 visits`.
fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

impl Forget {
    /// Forgets the person in a data folder or a database, and in the logs of the `state` folder.
    pub(super) async fn run(&self, kept: &Kept, state: Option<&Path>) -> Result<ExitCode, ServeError> {
        let whom = format!("every visit and delivery with {}", self.email.trim());
        confirm::removal(&whom, self.yes).map_err(|failure| match failure {
            Failure::Usage(why) => ServeError::Usage(why),
            failure => ServeError::Refused(failure.to_string()),
        })?;
        let place = self.storage.place(|name| std::env::var(name).ok())?;
        let Forgetting { removed, left, open } = offline::forget(kept, &self.email, state, place.as_ref()).await?;
        if self.json {
            let paths = |files: &[PathBuf]| files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>();
            document(&serde_json::json!({
                "visits": removed.visits,
                "deliveries": removed.deliveries,
                "otherRecords": removed.others,
                "left": paths(&left),
                "open": paths(&open),
            }))?;
        } else {
            let visits = counted(removed.visits, "visit", "visits");
            let deliveries = counted(removed.deliveries, "delivery", "deliveries");
            let others = counted(removed.others, "other record", "other records");
            say(&format!("Removed {visits} and {deliveries}; removed the address from {others}"))?;
        }
        for file in left {
            let file = file.display();
            tell(&format!(
                "{file} still contains the address. If it is a draft, open it in the studio and save or discard it."
            ));
        }
        for file in open {
            let file = file.display();
            tell(&format!(
                "{file} is open in a guest's studio, which may save the address again. Try again once it is closed."
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
