//! How the list of problems looks, and how it is read out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Course, FoundProblem, Problems};
use crate::lint::Severity;
use crate::studio::ground::Moment;
use crate::studio::widgets::paint::{counted, inside, number};
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put, put_pieces, scrollbar, select, width};
use crate::studio::widgets::{severity_role, severity_sign};

/// Lines below the list that say all of the selected problem, where there is room for them.
const BELOW: u16 = 6;

/// With fewer lines inside, all are the list's.
const ROOMY: u16 = 14;

impl Problems {
    /// The rows of the list in this area, and what is below them.
    fn split(area: Rect) -> (Rect, Rect) {
        let room = inside(area);
        let below = if room.height >= ROOMY { BELOW } else { 0 };
        let rows = Rect { height: room.height - below, ..room };
        (rows, Rect { y: rows.bottom(), height: below, ..room })
    }

    /// How many rows are seen in this area.
    #[must_use]
    pub fn page(area: Rect) -> usize {
        usize::from(Self::split(area).0.height).max(1)
    }

    /// Selects the row at a place of the screen; whether it was selected before, where there is one.
    pub fn press(&mut self, area: Rect, x: u16, y: u16) -> Option<bool> {
        let before = self.found.selected();
        self.found.press(Self::split(area).0, 1, x, y).map(|row| row == before)
    }

    /// How many there are, in words: the worst first.
    fn counts_words(&self) -> String {
        let counts = [Severity::Error, Severity::Warning, Severity::Note].map(|of| (self.count(of), of));
        let words = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, of)| counted(count, of.word()));
        words.collect::<Vec<_>>().join(", ")
    }

    /// How far checking is, in words.
    fn course_words(&self) -> String {
        let read = self.of.counted(self.read);
        let ignored = self.left_out + u64::try_from(self.ignored.len()).unwrap_or_default();
        let ignored = match ignored {
            0 => String::new(),
            count => format!(", {} ignored", number(i64::try_from(count).unwrap_or(i64::MAX))),
        };
        match self.course {
            Course::Running { .. } => format!("checking, {read} so far{ignored}"),
            Course::Done => format!("{read} checked{ignored}"),
            Course::Failed(_) => format!("stopped after {read}{ignored}"),
        }
    }

    /// What is said where there is no row.
    fn empty_lines(&self, ink: Ink, now: Moment, across: u16) -> Vec<Vec<Piece>> {
        let dim = |text: &str| vec![piece(Role::Dim, text)];
        match &self.course {
            Course::Running { since, .. } => {
                let say = ink.loading("Checking …", *since, now, "Esc stops");
                ink.wrap(&say, across).iter().map(|line| dim(line)).collect()
            }
            Course::Done if self.left_out > 0 => vec![dim("No problems but those that are ignored.")],
            Course::Done => vec![vec![piece(Role::Ok, "No problems found.")]],
            Course::Failed(_) => Vec::new(),
        }
    }

    /// What is said of a check that stopped.
    fn failed_lines(&self, ink: Ink, across: u16) -> Vec<Vec<Piece>> {
        let Course::Failed(why) = &self.course else { return Vec::new() };
        let mut lines = vec![vec![piece(Role::Error, "Couldn't check everything.")]];
        lines.extend(ink.wrap(why, across).into_iter().map(|line| vec![piece(Role::Dim, line)]));
        lines.push(vec![piece(Role::Accent, "‹app.retry›"), piece(Role::Dim, " checks again.")]);
        lines
    }

    /// Draws it.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect, focused: bool, now: Moment) {
        let panel = Panel {
            title: "Problems",
            right: vec![piece(Role::Dim, self.counts_words())],
            bottom: vec![piece(Role::Dim, self.course_words())],
            focused,
        };
        panel.draw(buf, ink, area);
        let (rows, below) = Self::split(area);
        if rows.height == 0 || rows.width < 8 {
            return;
        }
        let across = rows.width.saturating_sub(4);
        if self.found.is_empty() {
            let lines = self.empty_lines(ink, now, across).into_iter().chain(self.failed_lines(ink, across));
            for (line, y) in lines.zip(rows.y..rows.bottom()) {
                put_pieces(buf, ink, (rows.x + 2, y), across, &line);
            }
            return;
        }
        for ((problem, selected), y) in self.found.seen().zip(rows.y..rows.bottom()) {
            let row = Rect { y, height: 1, ..rows };
            self.draw_row(buf, ink, row, problem);
            if selected {
                select(buf, ink, row);
            }
        }
        scrollbar(buf, ink, area, self.found.top(), usize::from(rows.height), self.found.len());
        if below.height > 0 {
            let lines = self.failed_lines(ink, across);
            let lines = if lines.is_empty() { self.below_lines(ink, across) } else { lines };
            for (line, y) in lines.into_iter().zip(below.y + 1..below.bottom()) {
                put_pieces(buf, ink, (below.x + 2, y), across, &line);
            }
        }
    }

    fn draw_row(&self, buf: &mut Buffer, ink: Ink, row: Rect, problem: &FoundProblem) {
        let ignored = self.is_ignored(problem);
        let severity = problem.severity.into();
        let before = [
            piece(if ignored { Role::Faint } else { severity_role(severity) }, severity_sign(severity)),
            piece(Role::Dim, format!("{} ", problem.rule.id())),
        ];
        let x = row.x + 2;
        let used = put_pieces(buf, ink, (x, row.y), row.width.saturating_sub(2), &before);
        let after = if ignored { " ignored " } else { "" };
        let room = row.width.saturating_sub(2 + used + width(after));
        let style = ink.style(if ignored { Role::Faint } else { Role::Text });
        let words = problem.words();
        put(buf, ink, (x + used, row.y), room, &words, style);
        let beside = x + used + width(&words).min(room);
        put(buf, ink, (beside, row.y), width(after), after, ink.style(Role::Dim));
    }

    /// All of the selected problem.
    fn below_lines(&self, ink: Ink, across: u16) -> Vec<Vec<Piece>> {
        let Some(problem) = self.current() else { return Vec::new() };
        let mut lines: Vec<Vec<Piece>> = Vec::new();
        let wrapped = ink.wrap(&problem.words(), across);
        lines.extend(wrapped.into_iter().take(2).map(|line| vec![piece(Role::Text, line)]));
        let named = |name: &str, text: &str| vec![piece(Role::Faint, format!("{name} ")), piece(Role::Dim, text)];
        lines.push(named("field", &format!("{}  {}", problem.field, problem.rule.name())));
        if !problem.products.is_empty() {
            lines.push(named("products", &problem.products));
        }
        lines.extend(problem.fix.as_deref().map(|fix| named("fix", fix)));
        lines
    }

    /// It as lines of text, in reading order.
    pub fn reading(&self, lines: &mut Vec<String>) {
        let counts = self.counts_words();
        let counts = if counts.is_empty() { "none".to_owned() } else { counts };
        lines.push(format!("Problems: {counts}; {}", self.course_words()));
        if let Course::Failed(why) = &self.course {
            lines.push(format!("Couldn't check everything: {why}"));
        }
        for (problem, selected) in self.found.seen().take(self.found.page().max(1)) {
            let mark = if selected { ">" } else { " " };
            let ignored = if self.is_ignored(problem) { "; ignored" } else { "" };
            let (severity, rule) = (problem.severity.word(), problem.rule.id());
            lines.push(format!("{mark} {severity} {rule}; {}; field {}{ignored}", problem.words(), problem.field));
        }
    }
}
