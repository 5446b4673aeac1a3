//! Wiring an answer by hand: the target is chosen by letters, by moving, by search, by the mouse, or made new; where the
//! line will run is shown before it is kept.

use super::super::vocabulary::Turn;
use crate::draft::{AnswerRef, Edit, StepRef, Target};
use crate::graph::Leads;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::pane::Hint;

use super::super::{Cursor, Editor, Mode};
use super::labels::Labels;

/// What the last line shows once a step is chosen.
const CHOSEN: &[Hint] = &[Hint::of(Command::Open).saying("link"), CHOOSE, FIND, NEW, END, ANSWER, CANCEL];

/// The same before a step is chosen.
const OPEN: &[Hint] = &[CHOOSE, FIND, NEW, END, ANSWER, CANCEL];

const CHOOSE: Hint = Hint::range("arrows", Key::plain(KeyCode::Right), "choose");
const FIND: Hint = Hint::of(Command::StepsFind);
const NEW: Hint = Hint::of(Command::StepsNew);
const END: Hint = Hint::of(Command::WireEnd).saying("end");
const ANSWER: Hint = Hint::range("1-9", Key::char('2'), "answer");
const CANCEL: Hint = Hint::of(Command::Back).saying("cancel");

impl Wire {
    pub(super) fn hints(&self) -> &'static [Hint] {
        if self.to.is_some() { CHOSEN } else { OPEN }
    }
}

/// An answer that is being wired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    /// The answer.
    pub answer: AnswerRef,
    /// Its step.
    pub from: StepRef,
    /// Its place among the step's answers.
    pub port: usize,
    /// Where it shall lead, as far as that is chosen.
    pub to: Option<StepRef>,
    /// The letters over the cards.
    pub labels: Labels,
    /// Whether the mouse draws the wire.
    pub dragged: bool,
}

impl Editor {
    /// Begins to wire the selected answer.
    pub(in super::super) fn begin_wire(&mut self, turn: &mut Turn) {
        let Some((step, port)) = self.selected() else { return };
        let Some(port) = port.or_else(|| self.port_to_wire(step)) else {
            turn.say(NoticeKind::Hint, "This step has no answers. ‹steps.answer.add› adds one.");
            return;
        };
        self.wire_from(step, port, false, turn);
    }

    /// The answer of a card that is wired where none is selected: the first that leads to no step, else the first.
    fn port_to_wire(&self, step: usize) -> Option<usize> {
        let ports = self.shown.graph.ports(step);
        let free = ports.iter().position(|port| !matches!(port.leads, Leads::Step(_)));
        free.or((!ports.is_empty()).then_some(0))
    }

    /// Wires another answer of the same step, counted from 1.
    fn wire_other(&mut self, number: usize, turn: &mut Turn) {
        let Mode::Wire(wire) = &self.mode else { return };
        let Some(step) = self.shown.index(wire.from) else { return };
        if let Some(port) = self.port_numbered(step, number, turn) {
            self.wire_from(step, port, false, turn);
        }
    }

    /// Begins to wire an answer.
    pub(in super::super) fn wire_from(&mut self, step: usize, port: usize, dragged: bool, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let labels = self.labels(turn.context.keymap.wire_letters());
        let Some(from) = self.shown.step(step) else { return };
        let Some(answer) = self.draft.answer_at(from, port) else { return };
        self.mode = Mode::Wire(Wire { answer, from, port, to: None, labels, dragged });
        self.go_to(Cursor { step: from, port: Some(port) });
        self.mark();
    }

    /// Takes a command while an answer is wired.
    pub(in super::super) fn wire_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match command {
            Command::Open => self.keep_wire(now, turn),
            Command::Back => self.end_wire(),
            Command::Up => self.move_target(crate::graph::Direction::Up),
            Command::Down => self.move_target(crate::graph::Direction::Down),
            Command::NextPane | Command::Right => self.move_target(crate::graph::Direction::Right),
            Command::PreviousPane | Command::Left => self.move_target(crate::graph::Direction::Left),
            Command::StepsFind => self.find_step(true, turn),
            Command::StepsNew => self.wire_by(|answer| Edit::AddStep { from: Some(answer) }, now, turn),
            Command::WireEnd => {
                self.wire_by(|answer| Edit::Retarget { answer, target: Target::End }, now, turn);
            }
            _ => return false,
        }
        true
    }

    /// Takes a key while an answer is wired.
    pub(in super::super) fn wire_key(&mut self, key: Key, turn: &mut Turn) {
        let Mode::Wire(wire) = &mut self.mode else { return };
        match key.code {
            KeyCode::Char(c) if c.is_ascii_digit() => {
                let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
                self.wire_other(number, turn);
            }
            KeyCode::Char(c) => match wire.labels.letter(c) {
                Ok(step) => {
                    wire.labels.typed.clear();
                    let to = self.shown.step(step);
                    self.aim(to);
                }
                Err(_) => self.mark(),
            },
            _ => {
                wire.labels.typed.clear();
                self.mark();
            }
        }
    }

    /// Shows where the answer would lead.
    pub(in super::super) fn aim(&mut self, to: Option<StepRef>) {
        let area = self.map_area();
        let Mode::Wire(wire) = &mut self.mode else { return };
        wire.to = to;
        let dragged = wire.dragged;
        if let Some(step) = to.and_then(|to| self.shown.index(to)).filter(|_| !dragged) {
            self.look = self.look.showing(&self.shown.chart, step, area);
        }
        self.mark();
    }

    fn move_target(&mut self, direction: crate::graph::Direction) {
        let Mode::Wire(wire) = &self.mode else { return };
        let from = self.shown.index(wire.to.unwrap_or(wire.from));
        let to = from.and_then(|from| self.shown.chart.neighbor(from, direction)).and_then(|to| self.shown.step(to));
        if to.is_some() {
            self.aim(to);
        }
    }

    /// Keeps the wire as it is shown.
    pub(in super::super) fn keep_wire(&mut self, now: Moment, turn: &mut Turn) {
        let Mode::Wire(wire) = &self.mode else { return };
        let Some(to) = wire.to else {
            turn.say(
                NoticeKind::Hint,
                "Choose a step: letters or arrows; ‹steps.find› finds, ‹steps.new› new step, ‹wire.end› ends the \
                       video.",
            );
            return;
        };
        self.wire_by(|answer| Edit::Retarget { answer, target: Target::Step(to) }, now, turn);
    }

    /// Ends the wiring by an edit of its answer.
    fn wire_by(&mut self, edit: impl FnOnce(AnswerRef) -> Edit, now: Moment, turn: &mut Turn) {
        let Mode::Wire(wire) = &self.mode else { return };
        let edit = edit(wire.answer);
        self.end_wire();
        self.edit(edit, now, turn);
    }

    /// Leaves everything as it was.
    pub(in super::super) fn end_wire(&mut self) {
        self.mode = Mode::Normal;
        self.mark();
    }
}
