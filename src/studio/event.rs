//! What happened, in the past tense.

use std::sync::Arc;

use serde_json::Value;

use super::films::{Film, FilmFacts};
use super::pictures::{Picture, PictureFault, Raster, Wanted};
use super::screens::Screen;
use super::screens::products::{Facets, Row, Seen};
use super::screens::{account, inspector, projects, steps, videos, webhooks};
use crate::domain::{Analysis, Cursor, Product, ProductId, ProjectId, StoreUrl};
use crate::settings::{FileFault, Graphics, Key};

/// A point in time, milliseconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Moment(pub i64);

impl Moment {
    /// Milliseconds from an earlier moment to this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Ties a reply to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RequestId(pub u64);

/// Counts the requests of one screen. No two screens count alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests(u64);

impl Requests {
    /// The requests of a screen.
    #[must_use]
    pub fn of(screen: Screen) -> Self {
        Self((screen as u64) << 40)
    }

    /// The next one.
    pub fn next_id(&mut self) -> RequestId {
        self.0 += 1;
        RequestId(self.0)
    }
}

/// How gathering what a search finds goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gathered {
    /// Some more of it.
    Some(Vec<ProductId>),
    /// That was all.
    All,
    /// The rest can't be had, and why.
    Failed(String),
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A key was pressed.
    Pressed(Key),
    /// Text was pasted.
    Pasted(String),
    /// The mouse did something.
    Mouse(Mouse),
    /// The screen has this size now.
    Resized {
        /// Cells across.
        width: u16,
        /// Cells down.
        height: u16,
    },
    /// The service can be talked to.
    Connected(Connected),
    /// It can't.
    ConnectFailed(Failure),
    /// The service is being made ready: so much of so much is done.
    Prepared {
        /// What is done, for people.
        what: String,
        /// How many are done.
        done: u64,
        /// Of how many.
        of: u64,
    },
    /// A page of a search arrived, or did not.
    PageArrived {
        /// The question.
        request: RequestId,
        /// The page.
        page: Result<Page, Failure>,
    },
    /// The count of the store's products arrived.
    CountArrived {
        /// The question.
        request: RequestId,
        /// The count.
        total: Result<u64, Failure>,
    },
    /// A product's record arrived; `None` where the service knows none.
    ProductArrived {
        /// The question.
        request: RequestId,
        /// The record.
        product: Result<Option<Box<Record>>, Failure>,
    },
    /// A product's analysis arrived; `None` where there is none yet.
    AnalysisArrived {
        /// The question.
        request: RequestId,
        /// The analysis.
        analysis: Result<Option<Box<Analysis>>, Failure>,
    },
    /// The analysis of products in the list arrived, of those that were analysed, or could not be had.
    FacetsArrived {
        /// The question.
        request: RequestId,
        /// What the analysis says of which product.
        facets: Result<Vec<(ProductId, Facets)>, String>,
    },
    /// Products found were gathered, to be marked.
    Gathered {
        /// The question.
        request: RequestId,
        /// Which, or how it ended.
        gathered: Gathered,
    },
    /// An export went on, or ended.
    Exported {
        /// Which one.
        request: RequestId,
        /// How many products are in.
        done: u64,
        /// How it ended: the file that was written, or why none was.
        ended: Option<Result<String, String>>,
    },
    /// The terminal said how it shows pictures.
    GraphicsKnown {
        /// The way.
        graphics: Graphics,
        /// Pixels of a cell, across and down.
        cell: (u16, u16),
    },
    /// A picture arrived, or can't be had.
    PictureArrived {
        /// Which was wanted.
        wanted: Wanted,
        /// The picture.
        picture: Result<Arc<Picture>, PictureFault>,
    },
    /// A picture that is to fill the screen arrived, or can't be had.
    PictureFetched {
        /// The question.
        request: RequestId,
        /// The picture.
        picture: Result<Arc<Raster>, PictureFault>,
    },
    /// A film was looked into.
    FilmLearnt {
        /// Which one.
        film: Arc<Film>,
        /// What was learnt.
        facts: FilmFacts,
    },
    /// A video is being fetched, for its pictures.
    FilmFetched {
        /// Which one.
        film: Arc<Film>,
        /// Bytes that are here.
        done: u64,
        /// Of how many, where the host tells.
        of: Option<u64>,
    },
    /// Requests went out or came back.
    Traffic {
        /// On their way now.
        in_flight: usize,
        /// How long the last one took, milliseconds.
        round_trip_ms: Option<u64>,
        /// Whether one that ended just now got no answer; `None` where none ended.
        lost: Option<bool>,
    },
    /// Text was handed to the terminal's clipboard; how many bytes.
    Copied(usize),
    /// An address was handed to the system, or could not be.
    AddressOpened(Result<(), String>),
    /// The time that was asked for has come.
    Woke(Alarm),
    /// A text came back from the editor, or why it did not.
    TextEdited(Result<String, String>),
    /// A recording was saved to this file, or why it was not.
    ScriptSaved(Result<String, String>),
    /// Drafts were left in this workspace.
    DraftsFound(Vec<Waiting>),
    /// A file of drafts can't be read, and not even what it is of; this is its name.
    DraftUnreadable(String),
    /// The program came back from the shell.
    Resumed,
    /// The theme was read.
    ThemeRead {
        /// The theme.
        theme: Arc<crate::settings::Theme>,
        /// What is wrong in its file.
        faults: Vec<FileFault>,
    },
    /// Something inside the program failed that never should; for people, with what to do.
    Broke(String),
    /// The person's choices could not be kept.
    NotKept(String),
    /// Something happened that concerns the Projects screen.
    Projects(projects::Event),
    /// Something happened that concerns the Steps screen.
    Steps(steps::Event),
    /// Something happened that concerns the Videos screen.
    Videos(videos::Event),
    /// Something happened that concerns the Webhooks screen.
    Webhooks(webhooks::Event),
    /// Something happened that concerns the Account screen.
    Account(account::Event),
    /// Something happened that concerns the Inspector screen.
    Inspector(inspector::Event),
}

/// A draft that waits to be gone on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its project.
    pub project: ProjectId,
    /// The project's name.
    pub name: String,
    /// How many edits it holds.
    pub edits: usize,
    /// The profile that it was begun in, where that is known.
    pub profile: Option<String>,
}

/// A service that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// Its address.
    pub base: String,
    /// The store to begin in.
    pub store: Option<StoreUrl>,
    /// The stores that are known.
    pub stores: Vec<StoreUrl>,
}

/// Why something could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened, for people.
    pub what: String,
    /// Whether a new sign-in is what it needs.
    pub unauthorized: bool,
    /// Whether the service knows no such thing (404).
    pub missing: bool,
}

impl Failure {
    /// A failure of these words.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), unauthorized: false, missing: false }
    }
}

/// A page of products, as rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where the next page begins; none at the end.
    pub next: Option<Cursor>,
    /// The values that filters can choose from, as this page holds them.
    pub seen: Seen,
    /// What of the page was not as the spec declares it, with its path. The first few.
    pub findings: Vec<String>,
    /// How many findings there were in all.
    pub findings_count: usize,
}

/// A product's record as it was sent and as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Which one.
    pub id: ProductId,
    /// As it was read.
    pub product: Product,
    /// As it was sent.
    pub raw: Value,
    /// The description as text, a paragraph a line, unwrapped.
    pub description: Vec<String>,
    /// What was not as the spec declares it.
    pub findings: Vec<String>,
}

/// What the mouse did, in cells from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// What it did there.
    pub what: MouseAction,
}

/// What a mouse can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// The left button went down.
    Press,
    /// The mouse was moved while the left button was down.
    Drag,
    /// The left button was let go.
    Release,
    /// The wheel turned up.
    WheelUp,
    /// The wheel turned down.
    WheelDown,
}

/// Why the model asked to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alarm {
    /// To show that something takes long.
    Spinner,
    /// To go on without the terminal's answer on pictures.
    Graphics,
    /// To ask again for what was pending.
    Pending,
    /// To count down what is waited for.
    Countdown,
    /// To take the notice away.
    Notice(u64),
    /// To keep where the studio is, for the next start.
    Session,
}
