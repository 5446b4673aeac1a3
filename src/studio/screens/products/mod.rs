//! The Products screen: find, filter and inspect the products of a store.

mod analyzing;
mod answer;
mod columns;
mod comparing;
mod detail;
mod exporting;
mod facets;
mod filtering;
mod gallery;
mod html;
mod inspecting;
mod leaving;
mod lines;
mod list;
mod marking;
mod memory;
mod mouse;
mod overview;
mod pane;
mod panel;
mod picturing;
mod problems;
mod query;
mod reading;
mod requests;
mod row;
mod saving;
mod searching;
mod seen;
mod shelf;
mod stock;
mod update;
mod view;
mod view_detail;
mod vocabulary;

use ratatui::layout::Rect;

use crate::domain::StoreUrl;
use crate::studio::ground::{Clock, Moment, Remote, Spot, Zone};
use crate::studio::widgets::pictures::Grain;
use crate::studio::widgets::problems::Problems;
use crate::studio::widgets::{LineEdit, chips};

pub use analyzing::Again;
pub use comparing::Compare;
use detail::Room;
pub use detail::{Detail, Tab};
pub use exporting::Exporting;
pub use facets::Facets;
pub use html::description_lines;
pub use list::{Fetch, List};
pub use marking::Marks;
pub use memory::{Change, Memory};
pub use panel::FilterPanel;
pub use query::{Field, Query};
pub use row::Row;
pub use seen::Seen;
pub use shelf::Shelf;
pub use view::view;
pub use vocabulary::{Answer, Effect, Event, Export, ExportFormat, ExportScope, Gathered, Page, Record};

/// Where the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The list.
    #[default]
    List,
    /// The search line, being typed in.
    Search,
    /// A chip.
    Chips(usize),
    /// The filter panel.
    Filters,
    /// The open product.
    Detail,
    /// Two products that are compared.
    Compare,
    /// What is wrong with the catalog, in the place of the list.
    Problems,
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Products {
    /// The time zone that the person reads times in.
    pub zone: Zone,
    /// What is searched for.
    pub query: Query,
    /// The search line.
    pub line: LineEdit,
    /// Where the keys go.
    pub focus: Focus,
    /// The products found.
    pub list: List,
    /// How many products the store has.
    pub total: Remote<u64>,
    /// The values that filters can choose from.
    pub seen: Seen,
    /// The filter panel, while it is open.
    pub panel: Option<FilterPanel>,
    /// The open product.
    pub detail: Option<Detail>,
    /// Two products that are compared.
    pub comparison: Option<Compare>,
    /// What is wrong with the catalog, while that is listed in the place of the products.
    pub problems: Option<Box<Problems>>,
    /// The marked products.
    pub marks: Marks,
    /// Whether the border between the panes is being moved.
    pub moves_border: bool,
    /// What is asked again of what is pending.
    pub again: Again,
    /// What is remembered from one start to the next.
    pub memory: Memory,
    /// The export under way.
    pub exporting: Option<Exporting>,
    /// How finely pictures are shown.
    pub grain: Grain,
    /// Whether each product of the list has its picture beside it.
    pub thumbnails: bool,
    /// Where the screen stands.
    pub area: Rect,
    /// How long requests take here, milliseconds: decides how long typing is waited for.
    pub round_trip_ms: Option<u64>,
    /// Where the person was when they left, until products are here to begin there.
    pub left: Option<Spot>,
    /// The store whose products are shown.
    pub store: Option<StoreUrl>,
}

impl Products {
    /// The screen at the start, with what is remembered.
    #[must_use]
    pub fn remembering(memory: Memory) -> Self {
        Self { thumbnails: memory.thumbnails, memory, ..Self::default() }
    }

    /// Tells the screen where it stands.
    pub fn resize(&mut self, area: Rect, now: Moment) {
        self.area = area;
        let page = self.page();
        self.list.keep_in_sight(page);
        let page = self.panel_page();
        self.panel.iter_mut().for_each(|panel| panel.keep_in_sight(page));
        self.lay_out_problems();
        self.lay_out_detail(now);
        self.lay_out_compare(now);
    }

    /// The list's area, and that of what lies beside or over it.
    #[must_use]
    pub fn split(&self) -> (Option<Rect>, Option<Rect>) {
        let beside = self.panel.is_some() || self.detail.is_some() || self.comparison.is_some();
        if !beside {
            return (Some(self.area), None);
        }
        if self.comparison.is_some() {
            return (None, Some(self.area));
        }
        if self.area.width < 100 {
            return (None, Some(self.area));
        }
        let part = u32::from(self.memory.part());
        let left = u16::try_from(u32::from(self.area.width) * part / 1_000).unwrap_or(self.area.width / 2);
        let right = Rect { x: self.area.x + left, width: self.area.width - left, ..self.area };
        (Some(Rect { width: left, ..self.area }), Some(right))
    }

    /// The parts of the list's pane.
    #[must_use]
    pub fn parts(&self, pane: Rect) -> Parts {
        let inside = crate::studio::widgets::paint::inside(pane);
        let labels: Vec<String> = self.query.chips().into_iter().map(|chip| chip.label).collect();
        let roomy = inside.height >= 16;
        let most = if roomy { 3 } else { 1 };
        let across = inside.width.saturating_sub(2);
        let chip_rows = chips::rows(&labels, across, most).min(inside.height.saturating_sub(3));
        let gap = u16::from(roomy);
        let row = |y: u16, height: u16| Rect {
            x: inside.x + 1,
            y: (inside.y + y).min(inside.bottom()),
            width: across,
            height: height.min(inside.height.saturating_sub(y)),
        };
        let above = 1 + chip_rows + gap;
        // What went wrong is said under the rows, also where they fill the pane.
        let failed = matches!(self.list.fetch, Fetch::Failed { .. }) && !self.list.found.is_empty();
        let below = if failed { 3.min(inside.height.saturating_sub(above + 2)) } else { 0 };
        Parts {
            search: row(0, 1),
            chips: row(1, chip_rows),
            header: row(above, 1),
            rows: Rect {
                x: inside.x,
                width: inside.width,
                ..row(above + 1, inside.height.saturating_sub(above + 1 + below))
            },
            below: Rect { x: inside.x, width: inside.width, ..row(inside.height.saturating_sub(below), below) },
            labels,
        }
    }

    /// How many rows of the list are seen.
    #[must_use]
    pub fn page(&self) -> usize {
        let pane = self.split().0.unwrap_or(self.area);
        usize::from(self.parts(pane).rows.height / self.row_height()).max(1)
    }

    /// How many lines of the open product are seen.
    #[must_use]
    pub fn detail_page(&self) -> usize {
        self.split().1.map_or(1, |pane| usize::from(pane.height.saturating_sub(4))).max(1)
    }

    /// How many fields of the filter panel are seen.
    fn panel_page(&self) -> usize {
        self.split().1.map_or(1, |pane| usize::from(pane.height.saturating_sub(2))).max(1)
    }

    /// Works the open product's lines out for the pane it stands in.
    pub fn lay_out_detail(&mut self, now: Moment) {
        let body = self.detail_body().unwrap_or_default();
        let room = Room { body, picture: self.overview_picture(body), tiles: self.grain != Grain::None };
        if let Some(detail) = &mut self.detail {
            detail.lay_out(room, Clock { now, zone: &self.zone });
        }
    }

    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        match self.focus {
            Focus::Search => true,
            Focus::Filters => self.panel.as_ref().is_some_and(|panel| panel::form(panel.field()) == panel::Form::Text),
            _ => false,
        }
    }
}

/// The parts of the list's pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The search line.
    pub search: Rect,
    /// The chips.
    pub chips: Rect,
    /// The column titles.
    pub header: Rect,
    /// The products.
    pub rows: Rect,
    /// Under the products: what went wrong, where something did.
    pub below: Rect,
    /// What the chips say.
    pub labels: Vec<String>,
}
