//! `cutaway projects import`

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::file;
use super::plan::MOST_REPLANS;
use super::progress::Progress;
use crate::api::{CreateProject, GetProject};
use crate::cli::creating::Creation;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, creating, table};
use crate::client::Client;
use crate::draft::{Draft, Imported};
use crate::runtime::saving::{self, Told};

/// Create a project from a file, written by hand or by `projects export`.
#[derive(Debug, Args)]
#[command(after_help = "The file may be TOML or JSON. An id in it is ignored: the project is always a new one.\n\n\
                  Examples:\n  cutaway projects import tour.toml\n  cutaway projects import tour.toml --name 'Another tour' --json\n  \
                  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --format toml | cutaway projects import -")]
pub(super) struct Import {
    /// The file; - is standard input
    file: PathBuf,
    /// The name of the new project, instead of the one in the file
    #[arg(long, value_name = "N")]
    name: Option<String>,
    #[command(flatten)]
    creation: Creation,
}

impl Import {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<CreateProject>()?;
        let mut read = file::read(&self.file)?;
        if let Some(name) = &self.name {
            read.name.clone_from(name);
        }
        let client = session.connect().await?.client;
        let (mut draft, imported) = Draft::of_file("", &read, &saving::library(&client).await);
        create(&client, &mut draft, &imported, &self.creation).await
    }
}

/// Makes a project that is not there yet, and shows it.
pub(super) async fn create(
    client: &Client,
    draft: &mut Draft,
    imported: &Imported,
    creation: &Creation,
) -> Result<(), Failure> {
    file::warn(imported);
    let mut progress = Progress::begin();
    let (mut is_player_lost, mut are_products_lost, mut are_products_here) = (false, false, false);
    let told = |told: Told<'_>| {
        is_player_lost |= matches!(told, Told::PlayerNotKept);
        are_products_lost |= matches!(told, Told::ProductsNotKept);
        are_products_here |= matches!(told, Told::ProductsHere);
        progress.note(&told);
    };
    let applied = saving::apply(client, draft, MOST_REPLANS, told).await;
    drop(progress);
    if is_player_lost {
        crate::cli::session::warn(file::PLAYER_NOT_KEPT);
    }
    if are_products_lost {
        crate::cli::session::warn(file::PRODUCTS_NOT_KEPT);
    }
    if are_products_here {
        crate::cli::session::warn(file::PRODUCTS_HERE);
    }
    if let Err(error) = applied {
        let failure = file::failure(error);
        if !draft.project_id().is_empty() {
            let id = draft.project_id();
            crate::cli::session::note(&format!(
                "project {id} was created, but not all of it; run `projects apply FILE --project {id}` to continue"
            ));
        }
        return Err(failure);
    }
    if creation.id_only {
        return creating::print_id(draft.project_id().as_str());
    }
    let get = GetProject { id: draft.project_id().clone() };
    if creation.json {
        return Output::open().document(&client.call_raw(&get).await?);
    }
    let project = client.call(&get).await?.value.project;
    let mut out = Output::open();
    let shown = [
        ("Id", draft.project_id().to_string()),
        ("Name", draft.content().head().name().to_owned()),
        ("Player", project.player_url.unwrap_or_default()),
        ("Steps", draft.content().steps().count().to_string()),
    ];
    table::fields(&shown, &mut out)?;
    Ok(out.flush()?)
}
