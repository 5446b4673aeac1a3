//! The Steps screen: a project's steps as a graph, read, rewired, checked, played and saved.

mod answer;
mod arriving;
mod catalog;
mod copying;
mod damaged;
mod editing;
mod funnel;
mod keeping;
mod kinds;
mod line;
mod linted;
mod listing;
mod look;
mod looked;
mod modes;
mod mouse;
mod moving;
mod names;
mod opening;
mod outline;
mod outline_view;
mod pane;
mod place;
mod player;
mod previewing;
mod problems;
mod problems_view;
mod reading;
mod replacing;
mod requests;
mod rescuing;
mod showing;
mod shown_products;
mod spoken;
mod taking;
mod view;
mod vocabulary;
mod ways;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::api::ProjectFunnel;
use crate::domain::{ProjectId, Video, VideoId};
use crate::draft::{AnswerRef, Draft, Reading, Record, StepRef};
use crate::graph::{Chart, Checked, Graph};
use crate::lint::Reaches;
use crate::studio::ground::Remote;
use crate::studio::widgets::graph::{Marks, ProductMark, View};
use crate::studio::widgets::pictures::Grain;
use crate::uploads::Overview;

pub use answer::Answer;
#[cfg(test)]
pub use catalog::looks;
pub use damaged::Damaged;
pub use listing::{Listing, search_for};
#[cfg(test)]
pub use looked::worded;
pub use place::Place;
pub use vocabulary::{Effect, Event, Found};

use arriving::Arrivals;
use looked::Looked;
use modes::{Mode, form};
use outline::Row;
use problems::{Chosen, Problems};
use taking::Over;

/// Where the keys go while no mode owns them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The graph, or the outline.
    #[default]
    Map,
    /// The problems.
    Problems,
}

/// What is selected: a step, or one of its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The step.
    pub step: StepRef,
    /// The answer's place among the step's answers.
    pub port: Option<usize>,
}

/// What the screen knows whichever project is open.
#[derive(Debug, Clone)]
struct Shared {
    area: Rect,
    /// The video library.
    library: Remote<Arc<Vec<Video>>>,
    /// What its videos are called.
    names: names::Names,
    /// What the catalog says of the products that steps show.
    catalog: catalog::Catalog,
    /// Whether the service said that it doesn't count what viewers do.
    is_uncounted: bool,
    /// The uploads of this workspace.
    overview: Overview,
    /// Whether the outline is preferred to the graph.
    outline: bool,
    /// How finely pictures are shown.
    grain: Grain,
    /// Whether no map of the graph is wanted.
    without_map: bool,
    /// Where projects were left, the one that was left last at the end.
    places: Vec<Place>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            area: Rect::default(),
            library: Remote::Idle,
            names: names::Names::default(),
            catalog: catalog::Catalog::default(),
            is_uncounted: false,
            overview: Overview::default(),
            outline: false,
            grain: Grain::None,
            without_map: false,
            places: Vec::new(),
        }
    }
}

/// The project that is open, as far as it is known before there is a draft of it.
#[derive(Debug, Clone, Default)]
struct Session {
    id: ProjectId,
    /// Its name as it was known before it was read.
    name: String,
    /// The project as the service has it.
    read: Remote<()>,
    /// Whether the service has no such project, as it said when it was asked last.
    is_missing: bool,
    /// Whether the journal was looked for; before that no edit is made.
    journal: Journal,
    /// Whether the draft is to be begun again: another studio that edited the project may be gone by now.
    is_outdated: bool,
    /// The project as it was read last, until it met the draft.
    latest: Option<Box<Reading>>,
    /// The first record of the draft, until it is handed to the journal: before the first edit there is none.
    begun: Option<Record>,
    /// What was being typed when that was handed to the journal last.
    handed_typed: Option<form::Typed>,
    /// The damaged draft of which it has to be asked what becomes of it.
    damaged: Option<Box<Damaged>>,
    /// What was done about videos that arrived for its steps.
    arrivals: Arrivals,
    /// What is being typed into a question, and what it said at first.
    line: Option<line::Line>,
    /// What was typed there when that was handed to the journal last.
    handed_line: Option<line::Line>,
    /// What was done about another studio that edits the project.
    over: Over,
    /// Whether another studio waits until saving has ended, to take the project over.
    is_wanted: bool,
    /// What was handed to the journal for that studio last.
    handed_over: Option<keeping::Beside>,
}

/// A project being edited.
#[derive(Debug, Clone)]
struct Editor {
    shared: Shared,
    session: Session,
    draft: Draft,
    shown: Shown,
    /// What is selected; nothing only where the project has no step.
    cursor: Option<Cursor>,
    /// The steps that were gone through by following answers, for the way back.
    came: Vec<Cursor>,
    /// The places one was at, and where among them one is.
    places: (Vec<StepRef>, usize),
    focus: Focus,
    /// Which problem is selected.
    chosen: Chosen,
    mode: Mode,
    /// Which part of the graph is looked at.
    look: View,
    /// Whether it was looked at before: the first look is chosen when the size is known.
    looked: bool,
    /// The first row that is seen of the outline.
    top: usize,
    /// The answers that were walked in play.
    walked: BTreeSet<AnswerRef>,
    /// The chart before it was laid out again, and after.
    untidied: Option<Box<(Chart, Chart)>>,
    /// The step whose video is to be shown once the library is read.
    previewed: Option<usize>,
    /// What viewers did.
    numbers: funnel::Numbers,
}

impl Editor {
    fn new(shared: Shared, session: Session, draft: Draft) -> Self {
        Self {
            shared,
            session,
            draft,
            shown: Shown::default(),
            cursor: None,
            came: Vec::new(),
            places: (Vec::new(), 0),
            focus: Focus::Map,
            chosen: Chosen::default(),
            mode: Mode::Normal,
            look: View::default(),
            looked: false,
            top: 0,
            walked: BTreeSet::new(),
            untidied: None,
            previewed: None,
            numbers: funnel::Numbers::default(),
        }
    }

    /// The step that is selected, by its place in the graph.
    fn selected(&self) -> Option<(usize, Option<usize>)> {
        let cursor = self.cursor?;
        Some((self.shown.index(cursor.step)?, cursor.port))
    }

    /// What a video is called.
    fn video_name(&self, id: &VideoId) -> Option<&str> {
        let videos = self.shared.library.known()?;
        videos.iter().find(|video| video.id == *id).map(|video| video.name.as_str())
    }
}

/// How far opening a project is.
#[derive(Debug, Clone)]
enum State {
    /// None is open.
    Closed(Box<Shared>),
    /// One is read, and its draft looked for.
    Opening(Box<(Shared, Session)>),
    /// One is edited.
    Editing(Box<Editor>),
}

impl Default for State {
    fn default() -> Self {
        Self::Closed(Box::default())
    }
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    state: State,
}

/// Whether what is edited is safe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Journal {
    /// Not looked for yet.
    #[default]
    Sought,
    /// So many records were handed over, so many are on the disk.
    Open { handed: u64, kept: u64 },
    /// Another studio edits the project: this one only shows it.
    Taken,
    /// It can't be written, and why; editing goes on, and what is owed is tried again with every edit.
    Failing { handed: u64, why: String },
    /// It can't be used at all: what is there is left alone.
    Unusable(String),
}

/// What is worked out from the draft after every edit.
#[derive(Debug, Clone, Default)]
struct Shown {
    refs: Vec<StepRef>,
    at: HashMap<StepRef, usize>,
    graph: Arc<Graph>,
    chart: Chart,
    problems: Problems,
    outline: Vec<Row>,
    /// How many edits are not saved.
    edits: usize,
    marks: Marks,
    /// What the steps show of products, by their places in the graph.
    products: Arc<HashMap<usize, Arc<ProductMark>>>,
    /// What was found of the products of each step, by their places in the graph, and of which state of the catalog.
    found: Vec<Arc<Looked>>,
    catalog: Option<u64>,
    /// Who comes where, and the numbers from which that was worked out.
    reaches: Option<(Option<Arc<ProjectFunnel>>, Reaches)>,
    /// What is wrong with the steps themselves, as far as the next check need not look for it again.
    checked: Checked,
}

impl Shown {
    fn index(&self, step: StepRef) -> Option<usize> {
        self.at.get(&step).copied()
    }

    fn step(&self, index: usize) -> Option<StepRef> {
        self.refs.get(index).copied()
    }
}

impl Steps {
    /// Whether a project is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.session().is_some()
    }

    /// The open project, and what it is called.
    #[must_use]
    pub fn opened(&self) -> Option<(&ProjectId, &str)> {
        self.session().map(|session| (&session.id, session.name.as_str()))
    }

    /// Whether the outline is preferred to the graph.
    #[must_use]
    pub fn prefers_outline(&self) -> bool {
        self.shared().outline
    }

    /// A screen that prefers the outline, or the graph, and finds projects where they were left.
    #[must_use]
    pub fn preferring(outline: bool, places: Vec<Place>) -> Self {
        Self { state: State::Closed(Box::new(Shared { outline, places, ..Shared::default() })) }
    }

    /// The draft of the open project.
    #[must_use]
    pub fn draft(&self) -> Option<&Draft> {
        self.editor().map(|editor| &editor.draft)
    }

    fn shared(&self) -> &Shared {
        match &self.state {
            State::Closed(shared) => shared,
            State::Opening(opening) => &opening.0,
            State::Editing(editor) => &editor.shared,
        }
    }

    fn shared_mut(&mut self) -> &mut Shared {
        match &mut self.state {
            State::Closed(shared) => shared,
            State::Opening(opening) => &mut opening.0,
            State::Editing(editor) => &mut editor.shared,
        }
    }

    fn session(&self) -> Option<&Session> {
        match &self.state {
            State::Closed(_) => None,
            State::Opening(opening) => Some(&opening.1),
            State::Editing(editor) => Some(&editor.session),
        }
    }

    /// The open project, with what the screen knows whichever is open.
    fn parts(&mut self) -> Option<(&mut Shared, &mut Session)> {
        match &mut self.state {
            State::Closed(_) => None,
            State::Opening(opening) => Some((&mut opening.0, &mut opening.1)),
            State::Editing(editor) => Some((&mut editor.shared, &mut editor.session)),
        }
    }

    fn editor(&self) -> Option<&Editor> {
        match &self.state {
            State::Editing(editor) => Some(editor),
            State::Closed(_) | State::Opening(_) => None,
        }
    }

    fn editor_mut(&mut self) -> Option<&mut Editor> {
        match &mut self.state {
            State::Editing(editor) => Some(editor),
            State::Closed(_) | State::Opening(_) => None,
        }
    }
}
