//! The Projects screen: folders and projects in one list, and what can be done with a project as a whole.

mod answer;
mod arrange;
mod asking;
mod detail;
mod duplicate;
mod fetching;
mod filter;
mod filtering;
mod leaving;
mod list;
mod mouse;
mod ordering;
mod pane;
mod player;
mod reading;
mod requests;
mod row;
mod update;
mod view;
mod vocabulary;
mod writing;

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::domain::{FolderId, ProjectId};
use crate::studio::ground::{Moment, Remote, RequestId, Spot, Waiting, Zone};

pub use crate::studio::widgets::qr::PlayerCode;
pub use answer::Answer;
pub use arrange::{Arranged, Group, Line, Order, Place};
pub use detail::Detail;
pub use duplicate::{Duplicate, Stage};
pub use filter::Filter;
pub use ordering::Ordering;
pub use player::PlayerEditor;
pub use row::{FolderName, Row};
pub use vocabulary::{Change, Effect, Event, Listed, Record, Trouble, Write, Written};

/// Where the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The list.
    #[default]
    List,
    /// The search line, being typed in.
    Search,
    /// What is said of the selected project.
    Detail,
}

/// What a project is read for, beside being shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFor {
    /// To put its steps in order.
    Order,
    /// To copy it under this name.
    Copy(String),
    /// To show the settings of its player.
    Player,
}

/// A project being read to do something with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    request: RequestId,
    since: Moment,
    called: String,
    what_for: ReadFor,
}

/// What a write belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOf {
    /// To nothing else.
    Itself,
    /// To a new project that goes to this folder, by id and name.
    New(FolderId, String),
    /// To the steps being put in order.
    Order,
    /// To the copy that is taken away again.
    Copy,
    /// To the settings of the player.
    Player,
}

/// A write under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing {
    request: RequestId,
    since: Moment,
    of: WriteOf,
    /// The project that is changed: it stays selected wherever it goes.
    project: Option<ProjectId>,
    words: Words,
}

/// What is said of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// While it is under way: `renaming "Quiz"`.
    doing: String,
    /// When it was done.
    done: String,
    /// Before the reason when it was not.
    failed: &'static str,
}

impl Words {
    fn new(doing: String, done: String, failed: &'static str) -> Self {
        Self { doing, done, failed }
    }
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Projects {
    /// The time zone that the person reads times in.
    pub zone: Zone,
    /// The projects and folders.
    pub list: Remote<Listed>,
    /// The lines of the list.
    pub arranged: Arranged,
    /// In which order projects stand.
    pub order: Order,
    /// The folders that are folded.
    pub folded: HashSet<Place>,
    /// Which projects are shown.
    pub filter: Filter,
    /// Where the keys go.
    pub focus: Focus,
    /// What is said of the selected project.
    pub detail: Option<Detail>,
    /// The drafts whose edits are not saved.
    pub drafts: Vec<Waiting>,
    /// What was typed for a write that failed: asked again, it stands there.
    pub unsent: Option<(Answer, String)>,
    /// The write under way.
    pub writing: Option<Writing>,
    /// The project being read to do something with it.
    pub reading: Option<Reading>,
    /// The duplicate under way, or stopped.
    pub copying: Option<Box<Duplicate>>,
    /// The steps being put in order.
    pub ordering: Option<Ordering>,
    /// The settings of a player being edited.
    pub player: Option<PlayerEditor>,
    /// The QR code that is shown.
    pub code: Option<PlayerCode>,
    /// The project to select once the list was read.
    pub wanted: Option<ProjectId>,
    /// Where the person was when they left, until the list is here to begin there.
    pub left: Option<Spot>,
    /// Where the screen stands.
    pub area: Rect,
}

impl Default for Projects {
    fn default() -> Self {
        Self {
            zone: Zone::default(),
            list: Remote::Idle,
            arranged: Arranged::default(),
            order: Order::default(),
            folded: HashSet::new(),
            filter: Filter::default(),
            focus: Focus::default(),
            detail: None,
            drafts: Vec::new(),
            unsent: None,
            writing: None,
            reading: None,
            copying: None,
            ordering: None,
            player: None,
            code: None,
            wanted: None,
            left: None,
            area: Rect::default(),
        }
    }
}

/// From this width on what is said of a project stands beside the list.
const BESIDE: u16 = 100;

/// The parts of the list's pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The search line.
    pub search: Rect,
    /// The column titles.
    pub header: Rect,
    /// The lines.
    pub rows: Rect,
    /// Under them: what went wrong, where something did.
    pub below: Rect,
}

impl Projects {
    /// The list's area, and that of what is said of the selected project.
    #[must_use]
    pub fn split(&self) -> (Option<Rect>, Option<Rect>) {
        if self.area.width < BESIDE {
            return if self.focus == Focus::Detail { (None, Some(self.area)) } else { (Some(self.area), None) };
        }
        let left = self.area.width * 48 / 100;
        let right = Rect { x: self.area.x + left, width: self.area.width - left, ..self.area };
        (Some(Rect { width: left, ..self.area }), Some(right))
    }

    /// The parts of the list's pane.
    #[must_use]
    pub fn parts(&self, pane: Rect) -> Parts {
        let inside = crate::studio::widgets::paint::inside(pane);
        let gap = u16::from(inside.height >= 16);
        let row = |y: u16, height: u16| Rect {
            x: inside.x,
            y: (inside.y + y).min(inside.bottom()),
            width: inside.width,
            height: height.min(inside.height.saturating_sub(y)),
        };
        let above = 2 + gap;
        // What went wrong is said under the rows, also where they fill the pane.
        let failed = matches!(self.list, Remote::Failed { stale: Some(_), .. });
        let below = if failed { 3.min(inside.height.saturating_sub(above + 1)) } else { 0 };
        Parts {
            search: row(0, 1),
            header: row(1 + gap, 1),
            rows: row(above, inside.height.saturating_sub(above + below)),
            below: row(inside.height.saturating_sub(below), below),
        }
    }

    /// How many lines of the list are seen.
    #[must_use]
    pub fn page(&self) -> usize {
        let pane = self.split().0.unwrap_or(self.area);
        usize::from(self.parts(pane).rows.height).max(1)
    }

    /// How many lines of what is said of a project are seen.
    #[must_use]
    pub fn detail_page(&self) -> usize {
        self.split().1.map_or(1, |pane| usize::from(pane.height.saturating_sub(2))).max(1)
    }

    /// How many steps are seen while they are put in order.
    #[must_use]
    pub fn ordering_page(&self) -> usize {
        usize::from(self.area.height.saturating_sub(4)).max(1)
    }

    /// The record of the selected project, where it was read.
    #[must_use]
    pub fn record(&self) -> Option<&Arc<Record>> {
        self.detail.as_ref()?.record.known()?.as_ref()
    }
}
