//! `cutaway projects export`

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use color_eyre::eyre::eyre;

use super::opened;
use super::titles::Titles;
use crate::api::OpenedProject;
use crate::cli::findings::Unread;
use crate::cli::output::{Output, unreadable};
use crate::cli::{Failure, Session, names, streams};
use crate::client::{Answer, json};
use crate::draft::{Draft, Library, ProjectFile, ProjectFormat};
use crate::runtime::host::{Access, Existing, Files};
use crate::runtime::saving;

impl ValueEnum for ProjectFormat {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()).help(format!("{}: {}", self.title(), self.about())))
    }
}

/// Export a project for other tools or for proofreading.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b tour.mmd
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b tour.toml --overwrite
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --format markdown
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --format dot")]
pub(super) struct Export {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// The file to write; - or none is standard output, none needs --format. An existing file is kept unless --overwrite is given
    file: Option<PathBuf>,
    /// Replace an existing file once the new one is complete
    #[arg(long)]
    overwrite: bool,
    /// The format [default: by the file's extension, TOML for -]
    #[arg(long, value_enum)]
    format: Option<ProjectFormat>,
    /// Print the service's response as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Export {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let is_output = |file: &&Path| *file == Path::new("-");
        let file = self.file.as_deref().filter(|file| !is_output(file));
        file.map_or(Ok(()), streams::may_use)?;
        let usual = || match self.file.as_deref()? {
            output if is_output(&output) => Some(ProjectFormat::Toml),
            file => ProjectFormat::by_ending(file.extension()?.to_str()?),
        };
        let format = self.format.or_else(usual);
        if format.is_none() && !self.json {
            return Err(Failure::Usage("which format? The file's name doesn't say; use --format".to_owned()));
        }
        let client = session.connect().await?.client;
        let answer = opened::open(&client, &self.id).await?;
        let text = match format.filter(|_| !self.json) {
            None => document(&answer)?,
            Some(format) => {
                let project = &answer.value.project;
                let steps = opened::steps(&answer)?;
                let mut graph = opened::graph(project, steps);
                if !format.is_project_file() {
                    let products = steps.iter().flat_map(|step| step.products.iter().flatten()).cloned().collect();
                    let titles = Titles::of(&client, products).await;
                    graph.name_products(|product| titles.get(product));
                }
                let title = project.name.as_deref().unwrap_or(project.id.as_str());
                let library =
                    if format.is_project_file() { saving::library(&client).await } else { Library::default() };
                format.write(title, &graph, || ProjectFile::of(&Draft::new("", project.clone()), &library))
            }
        };
        if let Some(file) = file {
            save(file, &text, self.overwrite)?;
        } else {
            let mut out = Output::open();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}

/// The service's own answer.
fn document(answer: &Answer<OpenedProject>) -> Result<String, Failure> {
    let document = json::document(&answer.body).map_err(|what| unreadable(answer, what))?;
    let mut out = Vec::new();
    json::escape_for_terminal(document, &mut out)?;
    out.push(b'\n');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Writes a file, whole or not at all.
fn save(path: &Path, text: &str, overwrite: bool) -> Result<(), Failure> {
    let existing = if overwrite { Existing::Replace } else { Existing::Refuse };
    let written = Files::of_process().write(path, text.as_bytes(), Access::Usual, existing);
    written.map(drop).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AlreadyExists => "the file already exists; --overwrite replaces it".to_owned(),
            _ => error.to_string(),
        };
        Failure::Other(eyre!("{}: {why}", path.display()))
    })
}
