//! `cutaway projects export`

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use color_eyre::eyre::eyre;

use super::opened;
use crate::api::OpenedProject;
use crate::cli::findings::Unread;
use crate::cli::output::{Output, unreadable};
use crate::cli::{Failure, Session, names};
use crate::client::{Answer, json};
use crate::draft::{Draft, FileFormat, ProjectFile};
use crate::runtime::{export, saving};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The project file, for people
    Toml,
    /// The project file, as JSON
    Json,
    /// The service's own answer
    #[value(skip)]
    Answer,
    /// A flowchart for pages that draw Mermaid
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// A picture for pages, light or dark as they are
    Svg,
    /// All texts in reading order
    Markdown,
}

/// Write a project for other tools, or for proofreading.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b tour.mmd
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b tour.toml --overwrite
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --format markdown
  cutaway projects export 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --format dot")]
pub(super) struct Export {
    /// The project's id
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// Where to; without, or with -, to standard output. What stands there already is left as it is without --overwrite
    file: Option<PathBuf>,
    /// Replace the file where it is there, once the new one is whole
    #[arg(long)]
    overwrite: bool,
    /// As what; without, the file's ending says it
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The service's own answer as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Export {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let file = self.file.as_deref().filter(|file| *file != Path::new("-"));
        let format = if self.json { Some(Format::Answer) } else { self.format.or_else(|| ending(file?)) };
        let format = format.ok_or_else(|| Failure::Usage("as what shall it be exported? give --format".to_owned()))?;
        let client = session.connect().await?.client;
        let answer = opened::open(&client, &self.id).await?;
        let text = if let Some(format) = file_format(format) {
            opened::steps(&answer)?;
            let draft = Draft::new("", answer.value.project.clone());
            ProjectFile::of(&draft, &saving::library(&client).await).write(format)
        } else {
            text(&answer, format)?
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

/// The project file's form, where that is what is asked for.
fn file_format(format: Format) -> Option<FileFormat> {
    match format {
        Format::Toml => Some(FileFormat::Toml),
        Format::Json => Some(FileFormat::Json),
        _ => None,
    }
}

fn ending(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "toml" => Some(Format::Toml),
        "json" => Some(Format::Json),
        "mmd" | "mermaid" => Some(Format::Mermaid),
        "dot" | "gv" => Some(Format::Dot),
        "svg" => Some(Format::Svg),
        "md" | "markdown" => Some(Format::Markdown),
        _ => None,
    }
}

fn text(answer: &Answer<OpenedProject>, format: Format) -> Result<String, Failure> {
    let project = &answer.value.project;
    let title = project.name.as_deref().unwrap_or(project.id.as_str());
    let graph = || Ok::<_, Failure>(opened::graph(project, opened::steps(answer)?));
    Ok(match format {
        Format::Toml | Format::Json | Format::Answer => {
            let document = json::document(&answer.body).map_err(|what| unreadable(answer, what))?;
            let mut out = Vec::new();
            json::escape_for_terminal(document, &mut out)?;
            out.push(b'\n');
            String::from_utf8_lossy(&out).into_owned()
        }
        Format::Mermaid => graph()?.to_mermaid(),
        Format::Dot => graph()?.to_dot(),
        Format::Svg => graph()?.to_svg(title),
        Format::Markdown => graph()?.to_markdown(title),
    })
}

/// Writes a file, whole or not at all.
fn save(path: &Path, text: &str, overwrite: bool) -> Result<(), Failure> {
    export::write_text(path, text, overwrite).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AlreadyExists => "there is a file of that name already; --overwrite replaces it".to_owned(),
            _ => error.to_string(),
        };
        Failure::Other(eyre!("{}: {why}", path.display()))
    })
}
