//! `cutaway products`

mod count;
mod export;
mod get;
mod media;
pub(in crate::cli) mod pages;
mod search;
mod show;
mod wanted;

use clap::{Args, Subcommand};

use super::call::Call;
use super::{Failure, Session};
use crate::api::{self, Operation as _};

/// The commands that end in operations.
pub(super) const CALLS: [Call; 4] = [
    ("products search", api::SearchProducts::ROW),
    ("products get", api::GetProduct::ROW),
    ("products media", api::GetProductMedia::ROW),
    ("products count", api::CountProducts::ROW),
];

/// Search, inspect and export the products of a store.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products search wool --published
  cutaway products get 8123456789012
  cutaway products count")]
pub(super) struct Products {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Search the catalog
    Search(Box<search::Search>),
    /// Export products to a file for spreadsheets and other tools
    Export(Box<export::Export>),
    /// Show one product
    Get(get::Get),
    /// List the pictures and videos of a product
    Media(media::ListMedia),
    /// Count the products
    Count(count::Count),
}

impl Products {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::Search(search) => search.run(session).await,
            Command::Export(export) => export.run(session).await,
            Command::Get(get) => get.run(session).await,
            Command::Media(media) => media.run(session).await,
            Command::Count(count) => count.run(session).await,
        }
    }
}
