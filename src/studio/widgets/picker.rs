//! A list to choose from by typing a part of what is meant.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::text;
use crate::settings::Key;
use crate::studio::ground::Command;
use crate::studio::ground::layout::centered;
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::{Ink, Panel, Role, Select, piece, put, put_right, scrollbar, select, width};

/// Stands among the found for what is typed itself.
const AS_TYPED: usize = usize::MAX;

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// What it is called, harmless already.
    pub label: String,
    /// What is said beside it.
    pub detail: String,
    /// On the right: its key, its count.
    pub right: String,
}

/// An entry that was found: how well by words, how well by letters, which it is, and the letters to show as found.
type Found = ((u8, usize), u32, usize, Vec<u32>);

/// The list, what is typed, and what is chosen.
#[derive(Debug, Clone, Default)]
pub struct Picker {
    title: String,
    entries: Vec<Entry>,
    /// The labels as they are compared.
    folded: Vec<String>,
    /// Other words that find an entry, in lower case and not shown.
    also: Vec<&'static str>,
    /// From this entry on they are of elsewhere: of the same fit they come after the others.
    elsewhere: Option<usize>,
    /// The entries that match, best first, with the places of the letters that matched.
    found: Select<(usize, Vec<u32>)>,
    /// Marks, where several may be chosen.
    marks: Option<Vec<bool>>,
    /// Whether what is typed may be chosen though no entry says it.
    free: bool,
    size: (u16, u16),
}

/// What came of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// Nothing yet.
    Nothing,
    /// This entry was chosen.
    One(usize),
    /// This text was typed and chosen.
    Typed(String),
}

impl Picker {
    /// A list of entries, all of them shown at first.
    #[must_use]
    pub fn new(title: impl Into<String>, entries: Vec<Entry>) -> Self {
        let folded = entries.iter().map(|entry| text::fold(&entry.label)).collect();
        let mut picker = Self { title: title.into(), entries, folded, ..Self::default() };
        picker.find();
        picker
    }

    /// Lets each entry be found by other words, too, in lower case. What is said beside it then counts by its words only.
    #[must_use]
    pub fn with_synonyms(mut self, also: Vec<&'static str>) -> Self {
        self.also = also;
        self
    }

    /// The entries from this one on are of elsewhere: they come after those that fit as well.
    #[must_use]
    pub fn with_elsewhere(mut self, from: usize) -> Self {
        self.elsewhere = Some(from);
        self
    }

    /// Lets several be chosen; these are from the start.
    #[must_use]
    pub fn with_marks(mut self, marks: Vec<bool>) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Lets what is typed be chosen.
    #[must_use]
    pub fn with_free_text(mut self) -> Self {
        self.free = true;
        self
    }

    /// Begins on this entry.
    #[must_use]
    pub fn with_selected(mut self, entry: usize) -> Self {
        let row = self.found.rows().iter().position(|(found, _)| *found == entry);
        self.found.go_to(row.unwrap_or(0));
        self
    }

    /// The entries that are marked, where several may be chosen.
    #[must_use]
    pub fn marked(&self) -> Option<Vec<usize>> {
        let marks = self.marks.as_ref()?;
        Some(marks.iter().enumerate().filter(|(_, marked)| **marked).map(|(index, _)| index).collect())
    }

    fn is_marked(&self, entry: usize) -> bool {
        self.marks.as_ref().and_then(|marks| marks.get(entry)).copied().unwrap_or(false)
    }

    /// What the current entry is called, and whether it is marked; none where that is no entry.
    #[must_use]
    pub fn current(&self) -> Option<(&str, bool)> {
        let (entry, _) = self.found.current()?;
        Some((self.entries.get(*entry)?.label.as_str(), self.is_marked(*entry)))
    }

    /// Tells it the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.found.resize(self.page());
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        if self.found.key(key) {
            self.find();
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str) {
        if self.found.paste(pasted) {
            self.find();
        }
    }

    /// Takes a command.
    pub fn command(&mut self, command: Command) -> Picked {
        if command == Command::Open {
            return self.choose();
        }
        self.found.cycle(command);
        Picked::Nothing
    }

    /// Which of the entries found is current, of how many.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.found.position()
    }

    /// Puts a text in the place of what is typed, and moves to the entry that it names; whether there is no doubt
    /// which one that is. What is typed itself is no entry: a name that is mistyped names none.
    pub fn name(&mut self, typed: &str) -> bool {
        self.retype(typed);
        let wanted = text::fold(typed.trim());
        let begins =
            |label: &str| label.strip_prefix(&wanted).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let named = |is_it: &dyn Fn(&str) -> bool| {
            let mut rows = self
                .found
                .rows()
                .iter()
                .enumerate()
                .filter(|(_, (entry, _))| self.folded.get(*entry).is_some_and(|label| is_it(label)));
            rows.next().map(|(row, _)| row).filter(|_| rows.next().is_none())
        };
        let row = named(&|label| label == wanted).or_else(|| named(&begins));
        let is_sole = self.found.len() == 1 && self.has_found();
        let row = row.or(is_sole.then_some(0));
        self.found.go_to(row.unwrap_or(self.found.selected()));
        row.is_some()
    }

    /// Puts a text in the place of what is typed, and moves to the row that takes it as it is; whether there is one.
    pub fn take_typed(&mut self, typed: &str) -> bool {
        self.retype(typed);
        let row = self.found.rows().iter().position(|(entry, _)| *entry == AS_TYPED);
        self.found.go_to(row.unwrap_or(self.found.selected()));
        row.is_some()
    }

    fn retype(&mut self, typed: &str) {
        self.found.clear_query();
        self.found.paste(typed);
        self.find();
    }

    /// Whether what is typed finds an entry.
    #[must_use]
    pub fn has_found(&self) -> bool {
        self.found.rows().iter().any(|(entry, _)| *entry != AS_TYPED)
    }

    /// Whether what is typed may be chosen though no entry says it.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.free
    }

    /// Whether an entry is called exactly so.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        self.folded.contains(&text::fold(label))
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, by: isize) {
        self.found.wheel(by);
    }

    /// Marks the selected entry or takes its mark away; whether that can be done here. What was typed itself is chosen, not
    /// marked.
    pub fn mark(&mut self) -> bool {
        let Some(marks) = &mut self.marks else { return false };
        let current = self.found.current().map(|(entry, _)| *entry);
        if let Some(mark) = current.and_then(|entry| marks.get_mut(entry)) {
            *mark = !*mark;
        }
        current != Some(AS_TYPED)
    }

    /// Selects all entries that were found, or none where all are; whether that can be done here.
    pub fn mark_all(&mut self) -> bool {
        let Some(marks) = &mut self.marks else { return false };
        let found = || self.found.rows().iter().map(|(entry, _)| *entry).filter(|entry| *entry != AS_TYPED);
        let all = found().all(|entry| marks.get(entry).copied().unwrap_or(true));
        for entry in found() {
            if let Some(mark) = marks.get_mut(entry) {
                *mark = !all;
            }
        }
        true
    }

    /// The entry at a place of the screen.
    pub fn press(&mut self, x: u16, y: u16) -> Picked {
        let inside = inside(self.area());
        let rows = Rect { y: inside.y + 2, height: inside.height.saturating_sub(2), ..inside };
        if self.found.press(rows, 1, x, y).is_none() || self.mark() { Picked::Nothing } else { self.choose() }
    }

    /// Whether a place of the screen is inside the list.
    #[must_use]
    pub fn covers(&self, x: u16, y: u16) -> bool {
        self.area().contains((x, y).into())
    }

    fn choose(&self) -> Picked {
        match self.found.current() {
            Some((AS_TYPED, _)) => Picked::Typed(self.found.query().trim().to_owned()),
            Some((entry, _)) => Picked::One(*entry),
            None => Picked::Nothing,
        }
    }

    fn find(&mut self) {
        let query = self.found.query();
        let rows = if query.trim().is_empty() {
            (0..self.entries.len()).map(|index| (index, Vec::new())).collect()
        } else {
            let mut found = self.found_by(query);
            found.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.cmp(&b.2)));
            let mut rows: Vec<(usize, Vec<u32>)> =
                found.into_iter().map(|(.., index, places)| (index, places)).collect();
            if self.free && self.entries.iter().all(|entry| entry.label != query.trim()) {
                rows.push((AS_TYPED, Vec::new()));
            }
            rows
        };
        self.found.show_found(rows);
    }

    /// The entries that what is typed finds, in no order.
    fn found_by(&self, query: &str) -> Vec<Found> {
        let by_words = !self.also.is_empty();
        let told = if by_words { without_small(query) } else { query.to_owned() };
        let pattern = Pattern::parse(&told, CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        let typed = text::fold(&told);
        let find = |(index, entry): (usize, &Entry)| {
            let mut places = Vec::new();
            let is_elsewhere = self.elsewhere.is_some_and(|from| index >= from);
            let in_label = Utf32Str::new(&entry.label, &mut letters);
            let says_beside = says(entry, self.also.get(index).copied().unwrap_or_default(), &typed);
            if let Some(score) = pattern.indices(in_label, &mut matcher, &mut places) {
                places.sort_unstable();
                let rank = said(self.folded.get(index)?, &typed).map(|words| (SAID, words));
                let rank = rank.or(says_beside.then_some((SAID_BESIDE, 0))).unwrap_or((LETTERS, 0));
                // Letters of a name that is not even of here say nothing.
                let (fit, words) = Some(rank).filter(|rank| !is_elsewhere || rank.0 > LETTERS)?;
                return Some(((fit - u8::from(is_elsewhere), words), score * 2, index, places));
            }
            let in_detail = pattern.score(Utf32Str::new(&entry.detail, &mut letters), &mut matcher);
            let score = in_detail.filter(|_| says_beside || !by_words).or(says_beside.then_some(0))?;
            let rank = if says_beside { SAID_BESIDE - u8::from(is_elsewhere) } else { 0 };
            Some(((rank, 0), score, index, Vec::new()))
        };
        self.entries.iter().enumerate().filter_map(find).collect()
    }

    fn area(&self) -> Rect {
        let screen = Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 };
        let rows = u16::try_from(self.entries.len()).unwrap_or(u16::MAX).clamp(3, 24);
        centered(screen, 72, rows.saturating_add(4).min(self.size.1.saturating_sub(2)))
    }

    fn page(&self) -> usize {
        usize::from(self.area().height.saturating_sub(4))
    }

    /// Draws it over everything else and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink) -> Option<(u16, u16)> {
        let area = self.area();
        super::wipe(buf, ink, area);
        let all = self.entries.len();
        let count = if self.found.is_searched() { format!("{} of {all}", self.found.len()) } else { format!("{all}") };
        let panel =
            Panel { title: &self.title, right: vec![piece(Role::Dim, count)], focused: true, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        if inside.height < 2 || inside.width < 8 {
            return None;
        }
        put(buf, ink, (inside.x + 1, inside.y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        let cursor = self.found.draw_query(buf, ink, (inside.x + 3, inside.y), inside.width - 4);
        for (((entry, places), selected), y) in self.found.seen().zip(inside.y + 2..inside.bottom()) {
            self.draw_entry(buf, ink, Rect { y, height: 1, ..inside }, *entry, places, selected);
        }
        if self.found.is_empty() {
            let nothing = if self.free { "Nothing to choose from: type it." } else { "Nothing to choose from." };
            let say = if self.found.is_searched() { "No match." } else { nothing };
            put(buf, ink, (inside.x + 3, inside.y + 2), inside.width - 4, say, ink.style(Role::Dim));
        }
        scrollbar(buf, ink, area, self.found.top(), self.page(), self.found.len());
        Some(cursor)
    }

    fn draw_entry(&self, buf: &mut Buffer, ink: Ink, row: Rect, index: usize, places: &[u32], selected: bool) {
        let as_typed = Entry { label: format!("use “{}”", self.found.query().trim()), ..Entry::default() };
        let Some(entry) = self.entries.get(index).or((index == AS_TYPED).then_some(&as_typed)) else { return };
        let mut x = row.x + 2;
        if self.marks.is_some() && index != AS_TYPED {
            let marked = self.is_marked(index);
            let sign = if marked { ink.sign("●", "*") } else { ink.sign("○", ".") };
            let style = if marked { ink.style(Role::Accent) } else { ink.style(Role::Faint) };
            put(buf, ink, (x, row.y), 1, sign, style);
            x += 2;
        }
        let right = width(&entry.right);
        let room = row.right().saturating_sub(x + right + 2);
        let start = x;
        let used = put(buf, ink, (x, row.y), room, &entry.label, ink.theme.text);
        mark_places(buf, ink, (start, row.y), used, &entry.label, places);
        if room > used + 4 {
            put(buf, ink, (x + used + 2, row.y), room - used - 2, &entry.detail, ink.style(Role::Dim));
        }
        put_right(
            buf,
            ink,
            (row.right().saturating_sub(right + 1), row.y),
            right,
            &entry.right,
            ink.style(Role::Accent),
        );
        if selected {
            select(buf, ink, row);
        }
    }

    /// The list as lines, for those who read it.
    pub fn reading(&self, lines: &mut Vec<String>) {
        lines.push(format!("{}: {}", self.title, self.found.query()));
        for ((entry, _), selected) in self.found.seen().take(self.page()) {
            let is_marked = self.is_marked(*entry);
            let Some(entry) = self.entries.get(*entry) else { continue };
            let mark = if selected { ">" } else { " " };
            let said = format!("{mark} {}  {}  {}", entry.label, entry.detail, entry.right);
            let marked = if is_marked { "; selected" } else { "" };
            lines.push(format!("{}{marked}", said.trim_end()));
        }
    }
}

/// How an entry matches, best first: its label says the words, something beside it begins them, its label has their
/// letters.
const SAID: u8 = 5;
const SAID_BESIDE: u8 = 3;
const LETTERS: u8 = 1;

/// Words that say nothing of what is looked for.
const SMALL: &[&str] = &["a", "an", "the", "my", "how", "do", "does", "can", "i", "to", "where", "what", "is", "it"];

/// What was typed without small words, unless there are no others.
fn without_small(query: &str) -> String {
    let words: Vec<&str> =
        query.split_whitespace().filter(|word| !SMALL.contains(&&*word.to_ascii_lowercase())).collect();
    if words.is_empty() { query.to_owned() } else { words.join(" ") }
}

/// Whether each word that was typed begins a word of what is said beside a label, or of what else finds it.
fn says(entry: &Entry, also: &str, typed: &str) -> bool {
    let beside = text::fold(&entry.detail);
    let begins = |word: &str| {
        let words = beside.split(|c: char| !c.is_alphanumeric()).chain(also.split(' '));
        words.filter(|own| !own.is_empty()).any(|own| own.starts_with(word))
    };
    let mut words = typed.split_whitespace().peekable();
    words.peek().is_some() && words.all(begins)
}

/// How many of the words that were typed are words of a label, where it says all of them; what only has their letters in
/// it comes after: `shop-37` before `shop-3 · Branch 7`.
fn said(label: &str, typed: &str) -> Option<usize> {
    let words = || typed.split_whitespace();
    words()
        .all(|word| label.contains(word))
        .then(|| words().filter(|word| label.split(' ').any(|own| own == *word)).count())
}

/// Shows which letters matched.
fn mark_places(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), used: u16, label: &str, places: &[u32]) {
    let mut column = 0;
    let mut wanted = places.iter().copied().peekable();
    for (index, c) in label.chars().enumerate() {
        let taken = u16::try_from(unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)).unwrap_or(0);
        if wanted.peek().is_some_and(|place| usize::try_from(*place) == Ok(index)) {
            wanted.next();
            if column < used
                && let Some(cell) = buf.cell_mut((x + column, y))
            {
                cell.set_style(ink.theme.matched);
            }
        }
        // Labels can be longer than any screen.
        column = column.saturating_add(taken);
    }
}

#[cfg(test)]
#[path = "picker_tests.rs"]
mod tests;
