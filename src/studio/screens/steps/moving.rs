//! Moving through a project: along its answers, between cards, through the places one was at.

use super::vocabulary::Turn;
use crate::domain::text;
use crate::draft::StepRef;
use crate::graph::Leads;
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::widgets::rows::stride;
use crate::studio::widgets::{Entry, Picker, Question};

use super::{Answer, Cursor, Editor};

/// So many places are remembered, and so many answers that were followed.
const MOST_PLACES: usize = 100;

impl Editor {
    /// Goes somewhere, and remembers that one was there.
    pub(super) fn go_to(&mut self, cursor: Cursor) {
        if self.shown.index(cursor.step).is_none() {
            return;
        }
        self.cursor = Some(cursor);
        let (places, at) = &mut self.places;
        if places.get(*at) != Some(&cursor.step) {
            places.truncate(*at + 1);
            places.push(cursor.step);
            if places.len() > MOST_PLACES {
                places.remove(0);
            }
            *at = places.len() - 1;
        }
        self.keep_in_sight();
    }

    /// Takes a command that moves; whether it does.
    pub(super) fn move_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        if let Some(by) = stride(command, self.outline_page()).filter(|_| self.is_outlined()) {
            self.step_outline(by);
            return true;
        }
        match command {
            Command::Up => self.step_card(-1),
            Command::Down => self.step_card(1),
            Command::PageUp => self.sibling(-1, None),
            Command::PageDown => self.sibling(1, None),
            Command::Home => self.go_to_end(true),
            Command::End => self.go_to_end(false),
            Command::Right => self.follow(turn),
            Command::Left => self.go_back(turn),
            Command::StepsPlaceBack => self.place(-1, turn),
            Command::StepsPlaceForward => self.place(1, turn),
            Command::StepsFind => self.find_step(false, turn),
            _ => return false,
        }
        true
    }

    fn go_to_end(&mut self, first: bool) {
        let graph = &self.shown.graph;
        let to = if first { graph.first() } else { graph.order().last().copied() };
        if let Some(step) = to.and_then(|to| self.shown.step(to)) {
            self.go_to(Cursor { step, port: None });
        }
    }

    /// Moves among the answers of the selected card, and on to the card above or below it.
    fn step_card(&mut self, by: isize) {
        let Some((step, port)) = self.selected() else { return self.go_to_end(true) };
        let ports = self.shown.graph.ports(step).len();
        let row = port.map_or(0, |port| port + 1);
        match row.checked_add_signed(by) {
            Some(row) if row <= ports => {
                if let Some(step) = self.shown.step(step) {
                    self.go_to(Cursor { step, port: row.checked_sub(1) });
                }
            }
            Some(_) => self.sibling(1, Some(false)),
            None => self.sibling(-1, Some(true)),
        }
    }

    /// Moves to the card above or below in the column; `last` says whether to its last answer.
    fn sibling(&mut self, by: isize, last: Option<bool>) {
        let Some((step, _)) = self.selected() else { return self.go_to_end(true) };
        let layers = self.shown.chart.layout().layers();
        let found = layers.iter().find_map(|layer| {
            let at = layer.iter().position(|other| *other == step)?;
            layer.get(at.checked_add_signed(by)?).copied()
        });
        let Some(to) = found else { return };
        let ports = self.shown.graph.ports(to).len();
        let port = last.filter(|last| *last).and_then(|_| ports.checked_sub(1));
        if let Some(step) = self.shown.step(to) {
            self.go_to(Cursor { step, port });
        }
    }

    fn step_outline(&mut self, by: isize) {
        let at = self.outline_row().unwrap_or(0);
        let to = at.saturating_add_signed(by).min(self.shown.outline.len().saturating_sub(1));
        if let Some(cursor) = self.row_cursor(to) {
            self.go_to(cursor);
        }
    }

    /// What a row of the outline shows.
    pub(super) fn row_cursor(&self, row: usize) -> Option<Cursor> {
        let row = self.shown.outline.get(row)?;
        Some(Cursor { step: self.shown.step(row.step)?, port: row.port })
    }

    /// The outline's row of what is selected.
    pub(super) fn outline_row(&self) -> Option<usize> {
        let (step, port) = self.selected()?;
        self.shown.outline.iter().position(|row| (row.step, row.port) == (step, port))
    }

    /// Follows the selected answer; from a card itself, its first answer that leads somewhere.
    fn follow(&mut self, turn: &mut Turn) {
        let Some((step, port)) = self.selected() else { return };
        let ports = self.shown.graph.ports(step);
        let to = match port {
            Some(port) => ports.get(port).map(|port| port.leads),
            None => ports.iter().map(|port| port.leads).find(|leads| matches!(leads, Leads::Step(_))),
        };
        match to {
            Some(Leads::Step(to)) => {
                let (Some(from), Some(to)) = (self.cursor, self.shown.step(to)) else { return };
                if self.came.len() == MOST_PLACES {
                    self.came.remove(0);
                }
                self.came.push(from);
                self.go_to(Cursor { step: to, port: None });
            }
            Some(Leads::End) => {
                turn.say(NoticeKind::Hint, "The video ends here. ‹steps.wire› links the answer to a step.");
            }
            Some(Leads::Dangling) => {
                turn.say(NoticeKind::Hint, "The answer leads to a missing step. ‹steps.wire› links it to another.");
            }
            None => turn.say(NoticeKind::Hint, "This step has no answers. ‹steps.answer.add› adds one."),
        }
    }

    /// Goes back to where one came from; where that is not known, to the step that leads here, or to one of them.
    fn go_back(&mut self, turn: &mut Turn) {
        let Some((step, port)) = self.selected() else { return };
        // From an answer to its card.
        if port.is_some() && self.shared.outline {
            let cursor = self.cursor.map(|cursor| Cursor { port: None, ..cursor });
            if let Some(cursor) = cursor {
                self.go_to(cursor);
            }
            return;
        }
        while let Some(from) = self.came.pop() {
            let leads_here = self
                .shown
                .index(from.step)
                .is_some_and(|from| self.shown.graph.outgoing(from).any(|edge| edge.to == step));
            if leads_here {
                return self.go_to(from);
            }
        }
        let incoming = self.shown.graph.incoming(step).to_vec();
        let mut cursors: Vec<Cursor> = Vec::new();
        for edge in incoming.iter().filter(|edge| edge.from != step) {
            if let Some(from) =
                self.shown.step(edge.from).filter(|from| cursors.iter().all(|cursor| cursor.step != *from))
            {
                cursors.push(Cursor { step: from, port: Some(edge.port) });
            }
        }
        match cursors.as_slice() {
            [] if port.is_some() => {
                let cursor = self.cursor.map(|cursor| Cursor { port: None, ..cursor });
                if let Some(cursor) = cursor {
                    self.go_to(cursor);
                }
            }
            [] => turn.say(NoticeKind::Hint, "No answer leads here."),
            [only] => self.go_to(*only),
            several => {
                let steps: Vec<StepRef> = several.iter().map(|cursor| cursor.step).collect();
                let go = |step| Answer::Go(Cursor { step, port: None });
                let options = steps.iter().copied().map(go).zip(self.entries(&steps));
                turn.question(Question::choose(options, |entries| Picker::new("Back to", entries)));
            }
        }
    }

    fn place(&mut self, by: isize, turn: &mut Turn) {
        let (places, at) = &mut self.places;
        let mut to = *at;
        while let Some(next) = to.checked_add_signed(by).filter(|next| *next < places.len()) {
            to = next;
            if let Some(step) = places.get(to).copied().filter(|step| self.shown.at.contains_key(step)) {
                *at = to;
                self.cursor = Some(Cursor { step, port: None });
                return self.keep_in_sight();
            }
        }
        let say = if by < 0 { "No earlier step visited." } else { "No later step visited." };
        turn.say(NoticeKind::Hint, say);
    }

    /// The entries of a list of steps.
    pub(super) fn entries(&self, steps: &[StepRef]) -> Vec<Entry> {
        let node = |step: &StepRef| self.shown.index(*step).and_then(|at| self.shown.graph.node(at));
        steps
            .iter()
            .map(|step| {
                let Some(node) = node(step) else { return Entry::default() };
                let label = if node.description.is_empty() {
                    node.name.clone()
                } else {
                    format!("{} · {}", node.name, node.description)
                };
                let mut detail = vec![node.overlay.clone()];
                detail.extend(node.ports.iter().map(|port| port.text.clone()));
                detail.extend(node.video.as_ref().and_then(|video| self.video_name(video)).map(str::to_owned));
                detail.extend(self.product_lines(*step));
                Entry {
                    label: text::line(&label).into_owned(),
                    detail: text::line(&detail.join(" / ")).into_owned(),
                    right: String::new(),
                }
            })
            .collect()
    }

    /// Lets a step be found by its names, texts and video.
    pub(super) fn find_step(&self, as_target: bool, turn: &mut Turn) {
        let steps: Vec<StepRef> = self.shown.graph.order().iter().filter_map(|at| self.shown.step(*at)).collect();
        let answer = |step| if as_target { Answer::Target(step) } else { Answer::Go(Cursor { step, port: None }) };
        let options = steps.iter().copied().map(answer).zip(self.entries(&steps));
        let title = if as_target { "Link to step" } else { "Find step" };
        turn.question(Question::choose(options, |entries| Picker::new(title, entries)));
    }
}
