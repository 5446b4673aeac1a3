//! What this screen hears from the world and what it asks of it.

use std::sync::Arc;

use serde_json::Value;

pub use super::answer::Turn;
use super::row::{FolderName, Row};
use crate::domain::{PlayerChange, Project, ProjectId, Step, StoreUrl};
use crate::graph::{Fault, Graph};
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::ground::{Failure, RequestId, Waiting};

/// What happened, for the Projects screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The projects and their folders were read, or could not be.
    Listed {
        /// The question.
        request: RequestId,
        /// What was read.
        list: Result<Listed, Failure>,
    },
    /// A project was read with its steps, or could not be; `None` where the service knows none.
    Read {
        /// The question.
        request: RequestId,
        /// The record.
        record: Result<Option<Arc<Record>>, Failure>,
    },
    /// The products that a project's steps show were looked up, or could not be.
    Checked {
        /// The question.
        request: RequestId,
        /// What is wrong with them; `None` where nobody knows.
        faults: Option<Vec<Fault>>,
    },
    /// A write was done, or not, or nobody knows.
    Written {
        /// Which one.
        request: RequestId,
        /// What came of it.
        written: Result<Written, Trouble>,
    },
    /// What a duplicate asked for was answered, or not.
    Answered {
        /// The question.
        request: RequestId,
        /// What came of it.
        reply: Box<Reply>,
    },
    /// These drafts have edits that are not saved; the list shows it.
    Drafts(Vec<Waiting>),
}

/// What the world should do for the Projects screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask for the projects and the folders.
    List {
        /// What the reply is called.
        request: RequestId,
    },
    /// Ask for a project with its steps.
    Read {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        project: ProjectId,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Look up what is wrong with the products that a project's steps show.
    Check {
        /// What the reply is called.
        request: RequestId,
        /// The project.
        record: Arc<Record>,
        /// The store that is worked in: of others nothing is asked.
        store: StoreUrl,
    },
    /// Change something, once: what creates is never sent twice.
    Write {
        /// What the reply is called.
        request: RequestId,
        /// What.
        write: Box<Write>,
    },
    /// Ask the service what a duplicate needs.
    Ask {
        /// What the reply is called.
        request: RequestId,
        /// What.
        ask: Box<Ask>,
    },
}

/// One call that changes something.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Create a project of this name.
    Create(String),
    /// Change a project.
    Change(ProjectId, Change),
    /// Delete a project with its steps.
    Delete(ProjectId),
}

/// What changes of a project; what is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Its name.
    pub name: Option<String>,
    /// Its folder's id, or the name of a new one; empty takes it out.
    pub folder: Option<String>,
    /// Who is told by e-mail.
    pub emails: Option<Vec<String>>,
    /// The order of its steps, by name or id.
    pub order: Option<Vec<String>>,
    /// The player's settings.
    pub player: Option<PlayerChange>,
}

/// What a write brought about.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// A project was created.
    Project(ProjectId),
    /// It was done.
    Done,
}

/// Why a write is not known to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What happened.
    pub failure: Failure,
    /// Whether it may have been done all the same: the answer got lost.
    pub unknown: bool,
    /// Whether the service no longer knows what was to be changed (404).
    pub gone: bool,
}

/// The projects and folders of a workspace.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listed {
    /// The projects, as they came.
    pub rows: Vec<Row>,
    /// The folders, as they came.
    pub folders: Vec<FolderName>,
    /// Why the folders could not be read, where they could not.
    pub folders_problem: Option<String>,
    /// What was not as the spec declares it, with its path. The first few.
    pub findings: Vec<String>,
    /// How many findings there were in all.
    pub findings_count: usize,
}

/// A project with its steps, as it was sent and as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// As it was read.
    pub project: Project,
    /// As it was sent.
    pub raw: Value,
    /// Its steps and where they lead; `None` where the service told no steps, which is not the same as having none.
    pub graph: Option<Graph>,
    /// What is wrong with the steps.
    pub faults: Vec<Fault>,
    /// What was not as the spec declares it.
    pub findings: Vec<String>,
}

impl Record {
    /// The record of a project that was read.
    #[must_use]
    pub fn of(project: Project, raw: Value, findings: Vec<String>) -> Self {
        let order = project.steps_order.as_deref().unwrap_or_default();
        let graph = project.steps.as_deref().map(|steps| Graph::new(steps, order));
        let faults = graph.as_ref().map(|graph| graph.check(&crate::graph::Known::default())).unwrap_or_default();
        Self { project, raw, graph, faults, findings }
    }

    /// Whether its steps show products of a store.
    #[must_use]
    pub fn offers(&self, store: &StoreUrl) -> bool {
        let mut links = self.graph.iter().flat_map(Graph::nodes).flat_map(|node| &node.products);
        links.any(|link| link.store.is_same(store))
    }

    /// Its steps, as they came.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        self.project.steps.as_deref().unwrap_or_default()
    }
}
