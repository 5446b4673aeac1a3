//! How the plan of saving looks.

use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Editor;
use super::plan_words::in_words;
use super::save::{Deciding, Saving, Stage};
use crate::domain::text;
use crate::draft::{AnswerDifference, Call, Difference, Fate, Planned, Side, Stranger, Words};
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Moment, Remote};
use crate::studio::screens::pane::Waits;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::scroll;
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put_pieces, width};

/// What is said while the service is read again.
const CHECKING: &str = "Checking for changes by others …";

/// A line of pieces.
type Line = Vec<Piece>;

/// What is said of saving.
#[derive(Default)]
struct PlanText {
    lines: Vec<Line>,
    /// The line that has to be seen.
    chosen: Option<usize>,
    /// The lines that stand for something to choose: which line, which of the choices, and whose side of it.
    choices: Vec<(usize, usize, Option<Side>)>,
}

impl Saving {
    /// Moves the lines of the plan, and never past its last page.
    pub(super) fn scroll(&mut self, by: isize, page: usize, across: u16) {
        let all = saving_lines(self, false, across, CHECKING).lines.len();
        scroll(&mut self.top, by, page, all);
    }
}

impl Editor {
    /// Whether the service is read again before the plan is carried out.
    pub(in super::super) fn is_checking(&self) -> bool {
        matches!(&self.mode, super::super::Mode::Saving(saving) if saving.stage == Stage::Reading)
    }

    pub(in super::super) fn draw_saving(
        &self,
        saving: &Saving,
        buf: &mut Buffer,
        ink: Ink,
        (area, beside): (Rect, bool),
        now: Moment,
    ) {
        crate::studio::widgets::wipe(buf, ink, area);
        let calls = saving.plan.calls.len();
        let right = match saving.stage {
            Stage::Done => vec![piece(Role::Ok, "saved")],
            Stage::Applying(_) => vec![piece(Role::Accent, "saving")],
            Stage::Deciding(_) | Stage::Unclear { .. } => Vec::new(),
            _ => vec![piece(Role::Dim, format!("{calls} request{}", if calls == 1 { "" } else { "s" }))],
        };
        let inner = if beside {
            Panel { title: "Save", right, focused: true, ..Panel::default() }.draw(buf, ink, area)
        } else {
            area
        };
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let checking = match self.session.read {
            Remote::Loading { since, .. } => ink.loading(CHECKING, since, now, Waits::LEAVES),
            _ => CHECKING.to_owned(),
        };
        let said = saving_lines(saving, ink.ascii, inner.width, &checking);
        let top = said.top(saving, inner.height);
        let lines = said.lines;
        ink.stands((inner.x, inner.y));
        for (line, y) in lines.iter().skip(top).zip(inner.y..inner.bottom()) {
            if line.first().is_some_and(|piece| piece.text == sign(ink.ascii, "▌ ", "> ")) {
                ink.stands((inner.x, y));
            }
            put_pieces(buf, ink, (inner.x, y), inner.width, line);
        }
    }

    /// The choice at a place of the screen: which one, whose side of it, and the first line that is seen.
    pub(super) fn choice_seen_at(&self, saving: &Saving, (x, y): (u16, u16)) -> Option<(usize, Option<Side>, usize)> {
        let inner = self.inside_side()?;
        let said = saving_lines(saving, false, inner.width.saturating_sub(2), CHECKING);
        let top = said.top(saving, inner.height);
        let line = usize::from(y.checked_sub(inner.y)?) + top;
        let found = said.choices.iter().find(|(at, ..)| *at == line).filter(|_| inner.contains((x, y).into()))?;
        Some((found.1, found.2, top))
    }

    pub(in super::super) fn read_out_saving(&self, lines: &mut Vec<String>) {
        let super::super::Mode::Saving(saving) = &self.mode else { return };
        let told = saving_lines(saving, true, 200, CHECKING);
        lines.extend(told.lines.into_iter().map(|line| line.into_iter().map(|piece| piece.text).collect::<String>()));
    }
}

fn sign<'s>(ascii: bool, sign: &'s str, plain: &'s str) -> &'s str {
    if ascii { plain } else { sign }
}

impl PlanText {
    /// The first line that is seen where so many are.
    fn top(&self, saving: &Saving, seen: u16) -> usize {
        let (seen, all) = (usize::from(seen), self.lines.len());
        let top = saving.top.min(all.saturating_sub(seen));
        self.chosen.map_or(top, |at| scrolled(top, at, seen, all))
    }
}

/// What is said; `checking` is what is said while the service is read again.
fn saving_lines(saving: &Saving, ascii: bool, across: u16, checking: &str) -> PlanText {
    let mut lines: Vec<Line> = Vec::new();
    let mut chosen = None;
    let told = |lines: &mut Vec<Line>, role: Role, words: &str| {
        lines.extend(wrap(words, across).into_iter().map(|line| vec![piece(role, line)]));
    };
    lines.extend(saving.saver.done.iter().map(|done| {
        vec![piece(Role::Ok, sign(ascii, "✓ ", "ok ")), piece(Role::Dim, text::line(&in_words(done, &saving.called)))]
    }));
    match &saving.stage {
        Stage::Reading => {
            told(&mut lines, Role::Dim, checking);
        }
        Stage::Deciding(deciding) => return deciding_lines(deciding, ascii, across),
        Stage::Unclear { strangers, place } => {
            let mut said = PlanText { lines, ..PlanText::default() };
            unclear_lines(strangers, place.selected, ascii, across, &mut said);
            return said;
        }
        Stage::Done => {
            told(&mut lines, Role::Ok, "All changes saved. u can still undo them.");
            if let Some(tunnel) = &saving.tunnel {
                told(&mut lines, Role::Dim, "To open the player on your own computer, run this there first:");
                told(&mut lines, Role::Text, tunnel);
            }
            return PlanText { lines, ..PlanText::default() };
        }
        Stage::Stopped(why) => {
            told(&mut lines, Role::Error, why);
            told(&mut lines, Role::Text, "Not done yet, kept in the draft. Enter continues from here.");
            lines.push(Vec::new());
        }
        Stage::Shown { unread: Some(why) } => {
            let say = format!("Couldn't check for changes by others: {why}. The plan uses what was loaded before.");
            told(&mut lines, Role::Warn, &say);
            lines.push(Vec::new());
        }
        Stage::Shown { unread: None } | Stage::Applying(_) => {}
    }
    if !saving.elsewhere.is_empty() {
        told(&mut lines, Role::Dim, &format!("Changed by someone else, kept: {}", saving.elsewhere.join(", ")));
        lines.push(Vec::new());
    }
    for hindrance in &saving.plan.hindrances {
        told(&mut lines, Role::Warn, &text::line(hindrance));
    }
    if saving.plan.is_empty() && saving.plan.hindrances.is_empty() {
        told(&mut lines, Role::Text, "Nothing left to save: the service already has it.");
    }
    for (at, planned) in saving.plan.calls.iter().enumerate() {
        if at == 0 && matches!(saving.stage, Stage::Applying(_)) {
            chosen = Some(lines.len());
        }
        call_lines(planned, ascii, across, matches!(saving.stage, Stage::Applying(_)) && at == 0, &mut lines);
    }
    PlanText { lines, chosen, ..PlanText::default() }
}

fn call_lines(planned: &Planned, ascii: bool, across: u16, now: bool, lines: &mut Vec<Line>) {
    let (mark, role) = match planned.call {
        Call::CreateProject { .. } | Call::CreateStep(_) => ("+ ", Role::Ok),
        Call::DeleteStep { .. } => ("- ", Role::Error),
        Call::UpdateStep { .. } | Call::UpdateProject { .. } => ("~ ", Role::Warn),
    };
    let mark = if now { sign(ascii, "▶ ", "> ") } else { mark };
    lines.push(vec![piece(role, mark), piece(Role::Text, text::line(&planned.title))]);
    for difference in &planned.differences {
        difference_lines(difference, ascii, across, lines);
    }
}

fn difference_lines(difference: &Difference, ascii: bool, across: u16, lines: &mut Vec<Line>) {
    let arrow = sign(ascii, " → ", " -> ");
    match difference {
        Difference::Text { field, words } => {
            let mut line = vec![piece(Role::Dim, format!("    {field}  "))];
            line.extend(word_pieces(words));
            lines.extend(flow(line, across, 6));
        }
        Difference::Value { field, before, after } => {
            let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { text::line(value).into_owned() };
            let line = vec![
                piece(Role::Dim, format!("    {field}  ")),
                piece(Role::Error, shown(before)),
                piece(Role::Dim, arrow),
                piece(Role::Ok, shown(after)),
            ];
            lines.extend(flow(line, across, 6));
        }
        Difference::Answers { answers } => {
            for answer in answers.iter().filter(|answer| answer.fate != Fate::Kept) {
                lines.extend(flow(answer_pieces(answer, arrow), across, 8));
            }
        }
        Difference::Products { products } => {
            for product in products.iter().filter(|product| product.fate != Fate::Kept) {
                let (mark, role) = match product.fate {
                    Fate::Added => ("+ ", Role::Ok),
                    Fate::Removed => ("- ", Role::Error),
                    _ => ("~ ", Role::Warn),
                };
                let told = text::line(&product.told()).into_owned();
                let line = vec![piece(Role::Dim, "    product  "), piece(role, mark), piece(role, told)];
                lines.extend(flow(line, across, 8));
            }
        }
        Difference::Order { before, after } => {
            if let Some(entries) = grown_order(before, after) {
                let mut line = vec![piece(Role::Dim, "    order  ")];
                line.extend(entries);
                lines.extend(flow(line, across, 6));
                return;
            }
            let joined = |names: &[String]| text::line(&names.join(" ")).into_owned();
            lines.extend(flow(vec![piece(Role::Dim, "    order  "), piece(Role::Error, joined(before))], across, 6));
            lines.extend(flow(vec![piece(Role::Dim, "        to  "), piece(Role::Ok, joined(after))], across, 6));
        }
    }
}

/// An order in which what stays keeps its place, with what is new and what goes; none where something moved.
fn grown_order(before: &[String], after: &[String]) -> Option<Vec<Piece>> {
    let (was, is): (HashSet<&String>, HashSet<&String>) = (before.iter().collect(), after.iter().collect());
    if !before.iter().filter(|entry| is.contains(entry)).eq(after.iter().filter(|entry| was.contains(entry))) {
        return None;
    }
    let shown = |entry: &String| text::line(entry).into_owned();
    let (mut pieces, mut left) = (Vec::new(), before.iter().peekable());
    for entry in after {
        while let Some(gone) = left.next_if(|gone| !is.contains(gone)) {
            pieces.push(piece(Role::Error, format!("[-{}-] ", shown(gone))));
        }
        if was.contains(entry) {
            left.next();
            pieces.push(piece(Role::Text, format!("{} ", shown(entry))));
        } else {
            pieces.push(piece(Role::Ok, format!("[+{}+] ", shown(entry))));
        }
    }
    pieces.extend(left.map(|gone| piece(Role::Error, format!("[-{}-] ", shown(gone)))));
    Some(pieces)
}

fn answer_pieces(answer: &AnswerDifference, arrow: &str) -> Line {
    let (mark, role) = match answer.fate {
        Fate::Added => ("+", Role::Ok),
        Fate::Removed => ("-", Role::Error),
        Fate::Moved => ("moved", Role::Dim),
        Fate::Kept | Fate::Changed => ("~", Role::Warn),
    };
    let mut line = vec![piece(role, format!("    {mark} answer "))];
    line.extend(word_pieces(&answer.words));
    let shown = |value: &str| text::line(value).into_owned();
    match (&answer.before, &answer.after) {
        (Some(before), Some(after)) if before != after => {
            line.push(piece(Role::Dim, arrow));
            line.push(piece(Role::Error, shown(before)));
            line.push(piece(Role::Dim, arrow));
            line.push(piece(Role::Ok, shown(after)));
        }
        (None, Some(after)) => {
            line.push(piece(Role::Dim, arrow));
            line.push(piece(Role::Ok, shown(after)));
        }
        _ => {}
    }
    line
}

/// Words that go in brackets of their own, so that nothing hangs on colours alone.
fn word_pieces(words: &[Words]) -> Vec<Piece> {
    words
        .iter()
        .map(|words| {
            let said = text::line(&words.text).into_owned();
            match words.fate {
                Fate::Removed => piece(Role::Error, format!("[-{said}-]")),
                Fate::Added => piece(Role::Ok, format!("[+{said}+]")),
                _ => piece(Role::Text, said),
            }
        })
        .collect()
}

fn deciding_lines(deciding: &Deciding, ascii: bool, across: u16) -> PlanText {
    let mut lines: Vec<Line> = wrap("Changed here and by someone else. Which one do you want to keep?", across)
        .into_iter()
        .map(|line| vec![piece(Role::Warn, line)])
        .collect();
    let (mut chosen, mut choices) = (None, Vec::new());
    for (at, conflict) in deciding.merge.conflicts.iter().enumerate() {
        lines.push(Vec::new());
        if at == deciding.place.selected {
            chosen = Some(lines.len() + 2);
        }
        let mark = if at == deciding.place.selected { sign(ascii, "▌ ", "> ") } else { "  " };
        choices.push((lines.len(), at, None));
        lines.push(vec![piece(Role::Accent, mark), piece(Role::Text, text::line(&conflict.what))]);
        for (which, name, said) in [(Side::Mine, "mine", &conflict.mine), (Side::Theirs, "theirs", &conflict.theirs)] {
            let taken = conflict.side == which;
            let dot = if taken { sign(ascii, "● ", "* ") } else { sign(ascii, "○ ", ". ") };
            let role = if taken { Role::Ok } else { Role::Dim };
            let line = vec![piece(role, format!("    {dot}{name:<7} ")), piece(role, text::line(said))];
            let first = lines.len();
            lines.extend(flow(line, across, 14));
            choices.extend((first..lines.len()).map(|line| (line, at, Some(which))));
        }
    }
    PlanText { lines, chosen, choices }
}

/// What nobody knows, to be told from what was created.
fn unclear_lines(strangers: &[Stranger], at: usize, ascii: bool, across: u16, said: &mut PlanText) {
    let words = if strangers.is_empty() {
        "The response to a creation was lost, and the service doesn't show what was created yet. It was not sent again: \
         this service isn't known to recognize a repeated request, and may still be working on the first. Look again in \
         a minute; create it again only if it's still missing."
    } else {
        "The response to a creation was lost, and the service has something that isn't in this draft. Is it what you \
         created? If not, someone else created it, and yours is created again."
    };
    said.lines.extend(wrap(words, across).into_iter().map(|line| vec![piece(Role::Warn, line)]));
    for (nth, stranger) in strangers.iter().enumerate() {
        let mark = if nth == at { sign(ascii, "▌ ", "> ") } else { "  " };
        let (name, about) = match stranger {
            Stranger::Step(step) => {
                let name = step.name.as_ref().map(ToString::to_string).or(step.id.as_ref().map(ToString::to_string));
                let about = step.overlay_text.as_deref().filter(|about| !about.is_empty());
                let about = about.or(step.description.as_deref()).unwrap_or_default();
                (format!("step {}", name.unwrap_or_default()), about.to_owned())
            }
            Stranger::Project(project) => (format!("project {}", project.id), project.name.clone().unwrap_or_default()),
        };
        said.lines.push(Vec::new());
        let line = vec![
            piece(Role::Accent, mark),
            piece(Role::Text, text::line(&name).into_owned()),
            piece(Role::Dim, format!("  {}", text::line(&about))),
        ];
        let first = said.lines.len();
        said.lines.extend(flow(line, across, 6));
        said.choices.extend((first..said.lines.len()).map(|line| (line, nth, None)));
    }
}

/// A line broken to a width; what follows its first row stands in by some columns.
fn flow(line: Line, across: u16, indent: u16) -> Vec<Line> {
    let mut rows: Vec<Line> = vec![Vec::new()];
    let mut taken = 0;
    for part in line {
        for word in part.text.split_inclusive(' ') {
            let room = width(word);
            if taken + room > across && taken > indent {
                rows.push(vec![piece(Role::Dim, " ".repeat(usize::from(indent)))]);
                taken = indent;
            }
            taken = taken.saturating_add(room);
            if let Some(row) = rows.last_mut() {
                match row.last_mut().filter(|last| last.role == part.role) {
                    Some(last) => last.text.push_str(word),
                    None => row.push(piece(part.role, word)),
                }
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(before: &[&str], after: &[&str]) -> Option<String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let pieces = grown_order(&owned(before), &owned(after))?;
        Some(pieces.iter().map(|piece| piece.text.as_str()).collect::<String>().trim_end().to_owned())
    }

    #[test]
    fn an_order_that_only_grew_shows_what_was_added() {
        assert_eq!(said(&["a", "b"], &["a", "x", "b", "y"]).as_deref(), Some("a [+x+] b [+y+]"));
        assert_eq!(said(&["a", "b", "c"], &["a", "c"]).as_deref(), Some("a [-b-] c"));
        assert_eq!(said(&["a", "b", "c"], &["a", "x", "b"]).as_deref(), Some("a [+x+] b [-c-]"));
        assert_eq!(said(&["a", "b"], &["b", "a"]), None, "what moved is shown before and after");
    }
}
