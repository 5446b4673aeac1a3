//! The mouse over the graph: pick, wire by dragging from a port, pan, zoom by the wheel's map.

use super::vocabulary::Turn;
use super::{Cursor, Focus, Mode, Steps};
use crate::studio::ground::{Moment, Mouse, MouseAction};
use crate::studio::widgets::graph::Hit;
use crate::studio::widgets::select::notch;

/// Rows that a notch of the wheel moves.
const NOTCH: i32 = 3;

impl Steps {
    pub(super) fn take_mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let at = (mouse.x, mouse.y).into();
        if self.findings_area().is_some_and(|area| area.contains(at)) {
            return self.press_finding(mouse, turn);
        }
        if !self.map_area().contains(at) && mouse.what != MouseAction::Release {
            return;
        }
        match mouse.what {
            MouseAction::WheelUp if self.is_outlined() => self.scroll_outline(-isize::try_from(NOTCH).unwrap_or(3)),
            MouseAction::WheelDown if self.is_outlined() => self.scroll_outline(isize::try_from(NOTCH).unwrap_or(3)),
            MouseAction::WheelUp => self.pan(0, -NOTCH),
            MouseAction::WheelDown => self.pan(0, NOTCH),
            MouseAction::Press if self.is_outlined() => self.press_outline(mouse),
            MouseAction::Press => self.press(mouse, now, turn),
            MouseAction::Drag => self.drag(mouse),
            MouseAction::Release => self.release(now, turn),
        }
    }

    fn hit(&self, mouse: Mouse) -> Hit {
        self.open.as_ref().map_or(Hit::Nothing, |open| Self::canvas(open).hit(self.map_area(), mouse.x, mouse.y))
    }

    fn press(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let hit = self.hit(mouse);
        let Some(open) = &mut self.open else { return };
        if let Mode::Wire(_) = &open.mode {
            // A press on a card chooses it, a second one keeps it.
            let (Hit::Step(step) | Hit::Answer(step, _) | Hit::Port(step, _)) = hit else { return };
            let to = open.shown.step(step);
            let again = matches!(&open.mode, Mode::Wire(wire) if wire.to.is_some() && wire.to == to);
            return if again { self.keep_wire(now, turn) } else { self.aim(to) };
        }
        if !matches!(open.mode, Mode::Normal) {
            return;
        }
        open.focus = Focus::Map;
        let before = open.cursor;
        let cursor = match hit {
            Hit::Step(step) => open.shown.step(step).map(|step| Cursor { step, port: None }),
            Hit::Answer(step, port) | Hit::Port(step, port) | Hit::Stub(step, port) => {
                open.shown.step(step).map(|step| Cursor { step, port: Some(port) })
            }
            Hit::Map(view) => {
                open.look = view;
                None
            }
            Hit::Nothing => None,
        };
        let Some(cursor) = cursor else { return };
        self.go_to(cursor);
        match hit {
            Hit::Stub(..) if before == Some(cursor) => {
                self.move_command(crate::studio::ground::Command::Right, turn);
            }
            _ if before == Some(cursor) => self.begin_form(turn),
            _ => {}
        }
    }

    /// Drawing from a port begins a wire; over a card it aims at it.
    fn drag(&mut self, mouse: Mouse) {
        let hit = self.hit(mouse);
        let Some(open) = &self.open else { return };
        match (&open.mode, hit) {
            (Mode::Wire(wire), Hit::Step(step) | Hit::Answer(step, _) | Hit::Port(step, _)) if wire.dragged => {
                let to = open.shown.step(step).filter(|to| *to != wire.from || wire.to.is_some());
                if to != wire.to {
                    self.aim(to);
                }
            }
            (Mode::Wire(wire), _) if wire.dragged && wire.to.is_some() => self.aim(None),
            (Mode::Normal, Hit::Port(step, port) | Hit::Answer(step, port)) => {
                let here = self.selected() == Some((step, Some(port)));
                if here {
                    self.wire_from(step, port, true, &mut Turn::default());
                }
            }
            _ => {}
        }
    }

    fn release(&mut self, now: Moment, turn: &mut Turn) {
        let Some(Mode::Wire(wire)) = self.open.as_ref().map(|open| &open.mode) else { return };
        match (wire.dragged, wire.to) {
            (true, Some(_)) => self.keep_wire(now, turn),
            (true, None) => self.end_wire(),
            (false, _) => {}
        }
    }

    fn press_finding(&mut self, mouse: Mouse, turn: &mut Turn) {
        let Some(area) = self.findings_area() else { return };
        let first = self.first_finding(area);
        let Some(open) = &mut self.open else { return };
        match mouse.what {
            MouseAction::Press if mouse.y > area.y => {
                let at = first + usize::from(mouse.y - area.y - 1);
                if at < open.shown.faults.len() {
                    open.focus = Focus::Findings;
                    open.finding.selected = at;
                    self.go_to_finding(turn);
                }
            }
            what => {
                let (page, all) = (usize::from(area.height.saturating_sub(1)), open.shown.faults.len());
                open.finding.top = first;
                if let Some(by) = notch(what) {
                    open.finding.wheel(by, page, all);
                }
            }
        }
    }

    fn press_outline(&mut self, mouse: Mouse) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        let row = open.top + usize::from(mouse.y.saturating_sub(area.y));
        let found = open
            .shown
            .outline
            .get(row)
            .and_then(|row| Some(Cursor { step: open.shown.step(row.step)?, port: row.port }));
        if let Some(cursor) = found {
            self.go_to(cursor);
        }
    }
}
