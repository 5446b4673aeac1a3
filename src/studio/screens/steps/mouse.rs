//! The mouse over the graph, and what is beside it: pick, wire by dragging from a port, pan, zoom by the wheel's map.

use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Cursor, Editor, Focus, Mode};
use crate::studio::ground::{Command, Moment, Mouse, MouseAction};
use crate::studio::widgets::graph::Hit;
use crate::studio::widgets::rows::notch;

/// Rows that a notch of the wheel moves.
const NOTCH: i32 = 3;

impl Editor {
    pub(super) fn take_mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let at = (mouse.x, mouse.y).into();
        if mouse.what == MouseAction::Release {
            // Wherever it is let go of, a wire that is drawn ends.
            return self.release(now, turn);
        }
        if self.side().is_some_and(|side| side.contains(at)) {
            if let Some(by) = notch(mouse.what) {
                self.wheel_side(by);
            } else if mouse.what == MouseAction::Press {
                self.press_side((mouse.x, mouse.y), now, turn);
            }
            return;
        }
        if self.problems_area().is_some_and(|area| area.contains(at)) {
            return self.press_problem(mouse, turn);
        }
        if !self.map_area().contains(at) {
            return;
        }
        match mouse.what {
            what if self.is_outlined() && notch(what).is_some() => {
                if let Some(by) = notch(what) {
                    self.wheel_outline(by);
                }
            }
            MouseAction::WheelUp => self.pan(0, -NOTCH),
            MouseAction::WheelDown => self.pan(0, NOTCH),
            MouseAction::Press if self.is_outlined() => self.press_outline(mouse),
            MouseAction::Press => self.press(mouse, now, turn),
            MouseAction::Drag => self.drag(mouse),
            MouseAction::Release => {}
        }
    }

    fn hit(&self, mouse: Mouse) -> Hit {
        self.canvas().hit(self.map_area(), mouse.x, mouse.y)
    }

    fn press(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let hit = self.hit(mouse);
        if let Mode::Wire(_) = &self.mode {
            // A press on a card chooses it, a second one keeps it.
            let (Hit::Step(step) | Hit::Answer(step, _) | Hit::Port(step, _)) = hit else { return };
            let to = self.shown.step(step);
            let again = matches!(&self.mode, Mode::Wire(wire) if wire.to.is_some() && wire.to == to);
            return if again { self.keep_wire(now, turn) } else { self.aim(to) };
        }
        // What is pressed on the map is gone to from the letters, and from a form that takes what was typed.
        let is_of_step = matches!(hit, Hit::Step(_) | Hit::Answer(..) | Hit::Port(..) | Hit::Stub(..));
        if matches!(self.mode, Mode::Labels(_)) || is_of_step && matches!(self.mode, Mode::Form(_)) {
            self.command(Command::Back, now, turn);
        }
        if !matches!(self.mode, Mode::Normal) {
            return;
        }
        self.focus = Focus::Map;
        let before = self.cursor;
        let cursor = match hit {
            Hit::Step(step) => self.shown.step(step).map(|step| Cursor { step, port: None }),
            Hit::Answer(step, port) | Hit::Port(step, port) | Hit::Stub(step, port) => {
                self.shown.step(step).map(|step| Cursor { step, port: Some(port) })
            }
            Hit::Map(view) => {
                self.look = view;
                None
            }
            Hit::Nothing => None,
        };
        let Some(cursor) = cursor else { return };
        self.go_to(cursor);
        match hit {
            Hit::Stub(..) if before == Some(cursor) => {
                self.move_command(Command::Right, turn);
            }
            _ if before == Some(cursor) => self.begin_form(turn),
            _ => {}
        }
    }

    /// Drawing from a port begins a wire; over a card it aims at it.
    fn drag(&mut self, mouse: Mouse) {
        let hit = self.hit(mouse);
        match (&self.mode, hit) {
            (Mode::Wire(wire), Hit::Step(step) | Hit::Answer(step, _) | Hit::Port(step, _)) if wire.dragged => {
                let to = self.shown.step(step).filter(|to| *to != wire.from || wire.to.is_some());
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
        let Mode::Wire(wire) = &self.mode else { return };
        match (wire.dragged, wire.to) {
            (true, Some(_)) => self.keep_wire(now, turn),
            (true, None) => self.end_wire(),
            (false, _) => {}
        }
    }

    fn press_problem(&mut self, mouse: Mouse, turn: &mut Turn) {
        let Some(area) = self.problems_area() else { return };
        let (page, all) = (self.problems_page(), self.shown.problems.rows().len());
        let mut row = self.problem_row(page);
        let rows = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if mouse.what == MouseAction::Press {
            let Some(at) = row.row_at(rows, 1, mouse.x, mouse.y, all) else { return };
            row.selected = at;
            self.focus = Focus::Problems;
            self.choose_row(row);
            self.go_to_problem(turn);
        } else if let Some(by) = notch(mouse.what) {
            row.wheel(by, page, all);
            self.choose_row(row);
        }
    }

    fn press_outline(&mut self, mouse: Mouse) {
        let area = self.map_area();
        let row = self.top + usize::from(mouse.y.saturating_sub(area.y));
        if let Some(cursor) = self.row_cursor(row) {
            self.go_to(cursor);
        }
    }
}
