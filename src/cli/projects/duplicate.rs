//! `cutaway projects duplicate`

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::{import, opened};
use crate::api::CreateProject;
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session, names};
use crate::client::Client;
use crate::draft::{Draft, Imported};

/// Copy a project with all its steps and links.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects duplicate 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects duplicate 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --name 'Winter gifts, again' --json")]
pub(super) struct Duplicate {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// The name of the new project [default: the original's name, followed by (copy)]
    #[arg(long, value_name = "N")]
    name: Option<String>,
    #[command(flatten)]
    creation: Creation,
}

impl Duplicate {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<CreateProject>()?;
        let client = session.connect().await?.client;
        let (mut draft, imported) = copy(&client, &self.id, self.name.clone()).await?;
        import::create(&client, &mut draft, &imported, &self.creation).await
    }
}

/// A draft of a copy of a project.
pub(super) async fn copy(client: &Client, id: &str, name: Option<String>) -> Result<(Draft, Imported), Failure> {
    let answer = opened::open(client, id).await?;
    opened::steps(&answer)?;
    Ok(Draft::copy_of("", answer.value.project, name))
}
