//! The Inspector screen: what was said on the wire, and what of it is not as the specification has it.

mod detail;
mod difference;
mod pane;
mod requests;
mod update;
mod view;
mod vocabulary;

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::domain::text;
use crate::domain::wire::{Recorded, WireLog};
use crate::studio::ground::Zone;
use crate::studio::widgets::Select;
use detail::Detail;

pub use vocabulary::{Answer, Bundle, Effect, Event};

/// From how long on an exchange is slow, milliseconds.
const SLOW_MS: u64 = 500;

/// Whether a body says what was typed. Bodies are long: folding 16 MiB of them would be felt at every key, and what is
/// plain ASCII need not be.
fn says(body: &str, typed: &str, folded: &str) -> bool {
    if typed.is_ascii() {
        let (body, typed) = (body.as_bytes(), typed.as_bytes());
        return body.windows(typed.len().max(1)).any(|part| part.eq_ignore_ascii_case(typed));
    }
    text::fold(body).contains(folded)
}

/// Which exchanges are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Only {
    #[default]
    All,
    Failed,
    Slow,
    Findings,
}

impl Only {
    fn next(self) -> Self {
        match self {
            Self::All => Self::Failed,
            Self::Failed => Self::Slow,
            Self::Slow => Self::Findings,
            Self::Findings => Self::All,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Failed => "failed only",
            Self::Slow => "slow only",
            Self::Findings => "with issues only",
        }
    }

    fn lets_through(self, recorded: &Recorded) -> bool {
        match self {
            Self::All => true,
            Self::Failed => !recorded.is_success(),
            Self::Slow => recorded.elapsed_ms >= SLOW_MS,
            Self::Findings => !recorded.findings.is_empty(),
        }
    }
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Inspector {
    /// The time zone that the person reads times in.
    pub zone: Zone,
    log: WireLog,
    only: Only,
    /// The exchanges that are shown, the newest first; what is typed finds some.
    shown: Select<Arc<Recorded>>,
    searching: bool,
    /// The selected exchange by its number; the newest without.
    selected: Option<u64>,
    /// The exchange that another one is held against.
    marked: Option<u64>,
    detail: Option<Detail>,
    area: Rect,
}

impl Inspector {
    /// Works out which exchanges are shown; the selected one stays so where it is among them.
    fn find(&mut self) {
        let typed = self.shown.query().trim();
        let wanted = text::fold(typed);
        let fits = |recorded: &Recorded| {
            self.only.lets_through(recorded)
                && (wanted.is_empty() || {
                    let status = recorded.status.map(|status| status.to_string()).unwrap_or_default();
                    let id = recorded.request_id.as_deref().unwrap_or_default();
                    let head = format!("{} {} {status} {id} {}", recorded.method, recorded.path, recorded.operation);
                    text::fold(&head).contains(&wanted)
                        || says(&recorded.sent.body, typed, &wanted)
                        || says(&recorded.received.body, typed, &wanted)
                })
        };
        let found: Vec<Arc<Recorded>> = self.log.iter().rev().filter(|recorded| fits(recorded)).cloned().collect();
        let is_selected = |recorded: &Arc<Recorded>| Some(recorded.number) == self.selected;
        if found.iter().any(is_selected) {
            self.shown.show_at(found, is_selected);
        } else {
            self.shown.show_found(found);
        }
    }

    fn chosen_exchange(&self) -> Option<Arc<Recorded>> {
        self.shown.current().cloned()
    }

    /// What is searched for, or shown at all, is another: the newest of it is selected.
    fn searched(&mut self) {
        self.selected = None;
        self.find();
    }

    /// The selection moved. At the top the newest one is meant, whichever it is by then.
    fn moved(&mut self) {
        let current = self.shown.current().filter(|_| self.shown.selected() > 0);
        self.selected = current.map(|recorded| recorded.number);
    }
}
