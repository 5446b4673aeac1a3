//! `cutaway projects plan` and `cutaway projects apply`

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::titles::Titles;
use super::{file, opened};
use crate::api::UpdateProject;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, confirm, session};
use crate::client::{Client, json as wire};
use crate::domain::text;
use crate::draft::{Draft, Imported, Plan};
use crate::runtime::saving;

/// How often is planned again without asking, where others change the project meanwhile.
pub(super) const MOST_REPLANS: usize = 3;

#[derive(Debug, Args)]
struct Meant {
    /// The file; - is standard input
    file: PathBuf,
    /// The project to update, instead of the one that the file names
    #[arg(long, value_name = "ID")]
    project: Option<String>,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
}

/// Show what `apply` would change, without changing anything.
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 8 if there are changes to make, with 0 if there are none.

Examples:
  cutaway projects plan tour.toml
  cutaway projects plan tour.toml --project 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --json")]
pub(super) struct PlanFile {
    #[command(flatten)]
    meant: Meant,
}

/// Update a project from a file.
#[derive(Debug, Args)]
#[command(
    after_help = "Shows the plan and asks before changing anything. Stops at the first request that fails; run it\n\
                  again to continue. Steps that aren't in the file are deleted.\n\n\
                  Changes that others make in the meantime are never overwritten: apply names them and stops with\n\
                  exit code 1. With --yes it keeps them and plans the rest again, up to three times.\n\n\
                  Examples:\n  cutaway projects apply tour.toml --dry-run\n  cutaway projects apply tour.toml --yes"
)]
pub(super) struct ApplyFile {
    #[command(flatten)]
    meant: Meant,
    /// Show the plan without applying it
    #[arg(long)]
    dry_run: bool,
    /// Don't ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Meant {
    async fn draft(&self, client: &Client) -> Result<(Draft, Imported), Failure> {
        let read = file::read(&self.file)?;
        let id = self.project.clone().or_else(|| read.id.clone());
        let id = id.ok_or_else(|| {
            Failure::Usage(
                "the file names no project; choose one with --project, or use `projects import` to create a new one"
                    .to_owned(),
            )
        })?;
        let answer = opened::open(client, &id).await?;
        opened::steps(&answer)?;
        let mut draft = Draft::new("", answer.value.project);
        let imported = draft.import(&read, &saving::library(client).await);
        file::warn(&imported);
        Ok((draft, imported))
    }

    fn show(&self, plan: &Plan) -> Result<(), Failure> {
        let mut out = Output::open();
        if self.json {
            let document = serde_json::to_string(plan).unwrap_or_default();
            wire::escape_for_terminal(&document, &mut out)?;
            out.write_all(b"\n")?;
        } else {
            for line in file::written(plan) {
                writeln!(out, "{}", text::line(&line))?;
            }
        }
        out.flush()?;
        plan.hindrances.iter().for_each(|hindrance| session::warn(hindrance));
        Ok(())
    }
}

impl PlanFile {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let mut plan = self.meant.draft(&client).await?.0.plan();
        Titles::name(&client, &mut plan).await;
        self.meant.show(&plan)?;
        if plan.is_empty() {
            file::tell_nothing();
            return Ok(());
        }
        Err(Failure::ToDo(format!("{} to make", file::calls(&plan))))
    }
}

impl ApplyFile {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if !self.dry_run {
            session.may_write::<UpdateProject>()?;
        }
        let client = session.connect().await?.client;
        let (mut draft, imported) = self.meant.draft(&client).await?;
        let mut plan = draft.plan();
        Titles::name(&client, &mut plan).await;
        self.meant.show(&plan)?;
        if plan.is_empty() {
            file::tell_nothing();
        }
        if self.dry_run || plan.is_empty() {
            return Ok(());
        }
        confirm::change(&format!("{} on project {}", file::calls(&plan), draft.project_id()), self.yes)?;
        let replans = if self.yes { MOST_REPLANS } else { 0 };
        let applied = saving::apply(&client, &mut draft, replans, file::tell).await;
        file::tell_names(&draft, &imported);
        applied.map_err(file::failure)
    }
}
