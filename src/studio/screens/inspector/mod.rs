//! The Inspector screen: what was said on the wire, and what of it is not as the specification has it.

mod detail;
mod difference;
mod view;
mod vocabulary;

use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use crate::domain::text;
use crate::domain::wire::{Recorded, WireLog, curl, sum_up};
use crate::settings::Key;
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction, NoticeKind};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::{Choice, Outcome};
use crate::studio::widgets::select::{notch, stride};
use crate::studio::widgets::{Confirm, Ink, LineEdit, Page, Prompt, Role, Select};
use detail::Detail;
use vocabulary::Turn;

pub use vocabulary::{Bundle, Effect, Event};

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
            Self::Findings => "not as specified only",
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

/// What lies over the screen is about this.
#[derive(Debug, Clone)]
enum Asked {
    /// The name of an HTTP archive.
    Har,
    /// The name of the archive for support.
    Bundle(Box<Bundle>),
    /// Whether it is to be written.
    Write(Box<Bundle>),
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Inspector {
    log: WireLog,
    only: Only,
    search: LineEdit,
    searching: bool,
    /// The selected exchange by its number; the newest without.
    selected: Option<u64>,
    /// The exchange that another one is held against.
    marked: Option<u64>,
    top: usize,
    detail: Option<Detail>,
    asked: Option<Asked>,
    area: Rect,
}

impl Inspector {
    /// The exchanges that are shown, the newest first.
    fn matching(&self) -> Vec<&Arc<Recorded>> {
        let typed = self.search.text().trim();
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
        self.log.iter().rev().filter(|recorded| fits(recorded)).collect()
    }

    fn row_of(&self, shown: &[&Arc<Recorded>]) -> usize {
        let row = self.selected.and_then(|number| shown.iter().position(|recorded| recorded.number == number));
        row.unwrap_or(0)
    }

    fn chosen_exchange(&self) -> Option<Arc<Recorded>> {
        let shown = self.matching();
        shown.get(self.row_of(&shown)).map(|recorded| Arc::clone(recorded))
    }

    fn go_to(&mut self, row: usize) {
        let shown = self.matching();
        let row = row.min(shown.len().saturating_sub(1));
        // At the top the newest one is meant, whichever it is by then.
        let selected = shown.get(row).filter(|_| row > 0).map(|recorded| recorded.number);
        let (page, all) = (view::list_rows(self.area), shown.len());
        self.selected = selected;
        self.top = scrolled(self.top, row, page, all);
    }

    /// Turns the wheel over the list.
    fn wheel(&mut self, by: isize) {
        let shown = self.matching();
        let mut place = Select { selected: self.row_of(&shown), top: self.top };
        place.wheel(by, view::list_rows(self.area), shown.len());
        self.go_to(place.selected);
        self.top = place.top;
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, _now: Moment, turn: &mut Turn) {
        match event {
            Event::Recorded(recorded) => {
                // Who looks at an older one keeps it in sight.
                self.top += usize::from(self.selected.is_some() && self.only.lets_through(&recorded));
                self.log.push(recorded);
                let shown = self.matching();
                let (row, all) = (self.row_of(&shown), shown.len());
                self.top = scrolled(self.top, row, view::list_rows(self.area), all);
            }
            Event::Found { number, findings } => self.log.found(number, findings),
            Event::Again(Ok(())) => {
                self.selected = None;
                self.top = 0;
                turn.say(NoticeKind::Done, "Sent again; the new answer stands first.");
            }
            Event::BundleListed { bundle, listing } => self.ask_write(bundle, &listing, turn),
            Event::Saved(Ok(file)) => turn.say(NoticeKind::Done, format!("Saved to {file}.")),
            Event::Again(Err(why)) | Event::Saved(Err(why)) => turn.say(NoticeKind::Error, why),
        }
    }

    /// Asks where the archive for support is to be; `studio` is what is known of the studio itself.
    pub fn ask_bundle(&mut self, studio: Value, stores: Vec<String>, turn: &mut Turn) {
        let exchanges = self.log.iter().cloned().collect();
        self.asked = Some(Asked::Bundle(Box::new(Bundle { file: String::new(), studio, stores, exchanges })));
        turn.outcomes.push(Outcome::Ask(Box::new(Prompt::new("Save for support as", "cutaway-support.tar"))));
    }

    fn ask_write(&mut self, bundle: Box<Bundle>, listing: &[String], turn: &mut Turn) {
        let mut lines =
            vec![(Role::Text, text::line(&format!("{} will hold, without secrets:", bundle.file)).into_owned())];
        lines.extend(listing.iter().map(|line| (Role::Dim, format!("  {}", text::line(line)))));
        let answers = ["Don't write it", "Write it", "Write it without names and addresses"];
        let confirm = Confirm::new("Save for support", lines, answers.map(str::to_owned).to_vec());
        turn.outcomes.push(Outcome::Confirm(Box::new(confirm)));
        self.asked = Some(Asked::Write(bundle));
    }

    fn show_sums(&self, turn: &mut Turn) {
        let sums = sum_up(self.log.iter().map(AsRef::as_ref));
        let count = self.log.iter().len();
        let mut lines = vec![(
            Role::Dim,
            format!("In {count} exchanges the service sent, otherwise than the specification has it:"),
        )];
        if sums.is_empty() {
            lines = vec![(Role::Ok, format!("In {count} exchanges everything was as the specification has it."))];
        }
        let mut copy = String::new();
        for sum in &sums {
            let id = sum.request_id.as_deref().unwrap_or("not told");
            let line = format!("{} × {}: {} {}", sum.count, sum.operation, sum.field, sum.fault);
            lines.push((Role::Text, text::line(&line).into_owned()));
            let seen = format!("    in {} exchanges, last in request {id}", sum.exchanges);
            lines.push((Role::Faint, text::line(&seen).into_owned()));
            let _ = writeln!(copy, "{line} ({} exchanges, last request {id})", sum.exchanges);
        }
        let page = Page::new("Not as specified", lines, "y copies  Esc closes").with_copy(copy);
        turn.outcomes.push(Outcome::Show(Box::new(page)));
    }

    fn show_difference(&self, turn: &mut Turn) {
        let marked = self.marked.and_then(|number| self.log.get(number)).cloned();
        let (Some(one), Some(other)) = (marked, self.chosen_exchange()) else {
            turn.say(NoticeKind::Hint, "Space marks an exchange; d holds the selected one against it.");
            return;
        };
        let read = |recorded: &Recorded| serde_json::from_str(&recorded.received.body).ok();
        let lines = match (read(&one), read(&other)) {
            (Some(one), Some(other)) => difference::differences(&one, &other),
            _ => vec![(Role::Error, "One of the answers is no whole JSON document.".to_owned())],
        };
        let title = format!("From {} to {}", view::time_of(&one), view::time_of(&other));
        turn.outcomes.push(Outcome::Show(Box::new(Page::new(title, lines, "Esc closes"))));
    }

    fn offer_copies(recorded: &Recorded, turn: &mut Turn) {
        let mut texts = vec![("curl", curl(recorded)), ("address", recorded.url.clone())];
        texts.extend(recorded.request_id.clone().map(|id| ("request id", id)));
        for (label, body) in [("answer", &recorded.received.body), ("what was sent", &recorded.sent.body)] {
            if !body.is_empty() {
                texts.push((label, body.clone()));
            }
        }
        if !recorded.findings.is_empty() {
            let findings: Vec<String> = recorded.findings.iter().map(ToString::to_string).collect();
            texts.push(("findings", findings.join("\n")));
        }
        turn.outcomes.push(Outcome::Copy(texts));
    }

    fn common(&mut self, command: Command, turn: &mut Turn) -> bool {
        match (command, self.chosen_exchange()) {
            (Command::InspectorFindings, _) => self.show_sums(turn),
            (Command::InspectorDifference, _) => self.show_difference(turn),
            (Command::InspectorSave, _) => {
                self.asked = Some(Asked::Har);
                turn.outcomes.push(Outcome::Ask(Box::new(Prompt::new("Save as an HTTP archive", "cutaway.har"))));
            }
            (Command::InspectorAgain, Some(recorded)) => turn.ask(Effect::Again(recorded)),
            (Command::Copy, Some(recorded)) => Self::offer_copies(&recorded, turn),
            (Command::Address, Some(recorded)) => turn.outcomes.push(Outcome::Address(recorded.url.clone())),
            _ => return false,
        }
        true
    }
}

impl Pane for Inspector {
    fn layer(&self) -> Layer {
        Layer::Inspector
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        if self.searching || self.detail.as_ref().is_some_and(Detail::is_typing) {
            return &[(C::Open, None), (C::Back, None)];
        }
        if self.detail.is_some() {
            return &[
                (C::Up, Some(C::Down)),
                (C::Left, Some(C::Right)),
                (C::InspectorSearch, None),
                (C::Copy, None),
                (C::InspectorAgain, None),
                (C::Back, None),
                (C::Help, None),
            ];
        }
        &[
            (C::Up, Some(C::Down)),
            (C::Open, None),
            (C::InspectorSearch, None),
            (C::InspectorFilter, None),
            (C::InspectorFindings, None),
            (C::Mark, None),
            (C::InspectorDifference, None),
            (C::InspectorAgain, None),
            (C::Copy, None),
            (C::InspectorSave, None),
            (C::Bundle, None),
            (C::Help, None),
            (C::Quit, None),
        ]
    }

    fn is_typing(&self) -> bool {
        self.searching || self.detail.as_ref().is_some_and(Detail::is_typing)
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
    }

    fn dismissed(&mut self) {
        self.asked = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, _now: Moment) -> Option<(u16, u16)> {
        match &self.detail {
            Some(detail) => detail.view(buf, ink, self.area),
            None => view::view(self, buf, ink),
        }
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        if let Some(detail) = &self.detail {
            detail.reading(lines);
            return;
        }
        let shown = self.matching();
        let row = self.row_of(&shown);
        for (at, recorded) in shown.iter().enumerate() {
            let status = recorded.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            let mark = if at == row { ">" } else { " " };
            lines.push(format!("{mark} {} {} {status} {} ms", recorded.method, recorded.path, recorded.elapsed_ms));
        }
    }
}

impl Handler for Inspector {
    type Effect = Effect;

    fn command(&mut self, command: Command, _now: Moment, turn: &mut Turn) -> bool {
        if self.searching {
            if matches!(command, Command::Open | Command::Back) {
                self.searching = false;
                if command == Command::Back {
                    self.search.clear();
                }
                self.go_to(0);
            }
            return true;
        }
        if let Some(detail) = &mut self.detail {
            if detail.command(command, view::detail_rows(self.area)) {
                return true;
            }
            if command == Command::Back {
                self.detail = None;
                return true;
            }
            return self.common(command, turn);
        }
        if let Some(by) = stride(command, view::list_rows(self.area)) {
            let row = self.row_of(&self.matching());
            self.go_to(row.saturating_add_signed(by));
            return true;
        }
        match command {
            Command::Open => {
                if let Some(recorded) = self.chosen_exchange() {
                    self.selected = Some(recorded.number);
                    self.detail = Some(Detail::new(&recorded));
                }
            }
            Command::Mark => {
                let number = self.chosen_exchange().map(|recorded| recorded.number);
                self.marked = if self.marked == number { None } else { number };
            }
            Command::InspectorSearch => self.searching = true,
            Command::InspectorFilter => {
                self.only = self.only.next();
                self.go_to(0);
            }
            Command::InspectorClear => {
                self.log.clear();
                (self.selected, self.marked, self.top) = (None, None, 0);
            }
            Command::Back if self.only != Only::All || !self.search.text().is_empty() => {
                self.only = Only::All;
                self.search.clear();
                self.go_to(0);
            }
            other => return self.common(other, turn),
        }
        true
    }

    fn text_key(&mut self, key: Key, _now: Moment, _turn: &mut Turn) {
        if let Some(detail) = &mut self.detail {
            detail.key(key);
        } else if self.searching && self.search.key(key) {
            self.go_to(0);
        }
    }

    fn paste(&mut self, pasted: &str, _now: Moment, _turn: &mut Turn) {
        if let Some(detail) = &mut self.detail {
            detail.paste(pasted);
        } else if self.searching && self.search.paste(pasted) {
            self.go_to(0);
        }
    }

    fn mouse(&mut self, mouse: Mouse, _now: Moment, _turn: &mut Turn) {
        match (notch(mouse.what), &mut self.detail) {
            (Some(by), Some(detail)) => detail.wheel(by, view::detail_rows(self.area)),
            (Some(by), None) => self.wheel(by),
            (None, None) if mouse.what == MouseAction::Press => {
                if let Some(row) = view::list_row(self.area, mouse.y) {
                    self.go_to(self.top + row);
                }
            }
            (None, _) => {}
        }
    }

    fn chosen(&mut self, choice: Choice, _now: Moment, turn: &mut Turn) {
        let typed = choice.typed.filter(|file| !file.trim().is_empty());
        let effect = match (self.asked.take(), typed, choice.one) {
            (Some(Asked::Har), Some(file), _) => {
                let exchanges = self.matching().into_iter().rev().cloned().collect();
                Effect::SaveHar { file, exchanges }
            }
            (Some(Asked::Bundle(bundle)), Some(file), _) => Effect::ListBundle(Box::new(Bundle { file, ..*bundle })),
            (Some(Asked::Write(bundle)), _, Some(answer @ 1..)) => Effect::WriteBundle { bundle, mask: answer == 2 },
            _ => return,
        };
        turn.ask(effect);
    }
}
