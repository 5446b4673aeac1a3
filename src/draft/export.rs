//! A project as a file: in which forms, and how each is written.

use strum::VariantArray;

use super::file::{FileFormat, ProjectFile};
use crate::graph::Graph;

/// The form of an export of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum ProjectFormat {
    /// The project file, which can be read back.
    Toml,
    /// The same as JSON.
    Json,
    /// All texts.
    Markdown,
    /// A flowchart.
    Mermaid,
    /// A graph for Graphviz.
    Dot,
    /// A picture.
    Svg,
}

impl ProjectFormat {
    /// Every form.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Toml => "Project file, TOML",
            Self::Json => "Project file, JSON",
            Self::Markdown => "Proofing sheet, Markdown",
            Self::Mermaid => "Mermaid",
            Self::Dot => "DOT",
            Self::Svg => "SVG",
        }
    }

    /// What it is for.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Toml => "readable; projects import reads it back",
            Self::Json => "the same for programs",
            Self::Markdown => "all texts in reading order",
            Self::Mermaid => "the graph, for wikis",
            Self::Dot => "the graph, for Graphviz",
            Self::Svg => "the graph as a picture",
        }
    }

    /// Its name on a command line, and how files of it end: the usual way first.
    const fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Toml => ("toml", &["toml"]),
            Self::Json => ("json", &["json"]),
            Self::Markdown => ("markdown", &["md", "markdown"]),
            Self::Mermaid => ("mermaid", &["mmd", "mermaid"]),
            Self::Dot => ("dot", &["dot", "gv"]),
            Self::Svg => ("svg", &["svg"]),
        }
    }

    /// Its name on a command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.names().0
    }

    /// The end of a file's name.
    #[must_use]
    pub fn ending(self) -> &'static str {
        self.names().1.first().copied().unwrap_or_default()
    }

    /// The form of a file that ends so.
    #[must_use]
    pub fn by_ending(ending: &str) -> Option<Self> {
        let is = |format: &Self| format.names().1.iter().any(|one| one.eq_ignore_ascii_case(ending));
        Self::ALL.iter().copied().find(is)
    }

    /// Whether it is a project file, which calls videos and folders by name.
    #[must_use]
    pub const fn is_project_file(self) -> bool {
        matches!(self, Self::Toml | Self::Json)
    }

    /// Writes the project: from its graph, or from its file, which is made only where it is needed.
    #[must_use]
    pub fn write(self, title: &str, graph: &Graph, file: impl FnOnce() -> ProjectFile) -> String {
        match self {
            Self::Toml => file().write(FileFormat::Toml),
            Self::Json => file().write(FileFormat::Json),
            Self::Markdown => graph.to_markdown(title),
            Self::Mermaid => graph.to_mermaid(),
            Self::Dot => graph.to_dot(),
            Self::Svg => graph.to_svg(title),
        }
    }
}
