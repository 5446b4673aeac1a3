//! The mouse on the Projects screen: what is where is what the layout says, not what was drawn.

use super::view::ordering_rows;
use super::vocabulary::Turn;
use super::{Focus, Projects};
use crate::studio::ground::{Command, Moment, Mouse, MouseAction};
use crate::studio::widgets::rows::notch;

impl Projects {
    /// Takes a press or a turn of the wheel.
    pub fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let wheel = match mouse.what {
            MouseAction::Drag | MouseAction::Release => return,
            what => notch(what).unwrap_or(0),
        };
        if self.code.is_some() {
            self.code.take_if(|_| wheel == 0);
            return;
        }
        if self.ordering.is_some() {
            self.mouse_on_ordering(mouse, wheel);
            return;
        }
        if let Some(editor) = &mut self.player {
            editor.form().mouse(mouse, wheel, crate::studio::widgets::paint::inside(self.area));
            return;
        }
        let (left, right) = self.split();
        let at = (mouse.x, mouse.y).into();
        if left.is_some_and(|pane| pane.contains(at)) {
            if wheel == 0 {
                self.press_list(mouse, now, turn);
            } else {
                self.wheel(wheel, now, turn);
            }
        } else if right.is_some_and(|pane| pane.contains(at)) && self.detail.is_some() {
            let page = self.detail_page();
            match wheel {
                0 => self.focus = Focus::Detail,
                wheel => self.detail.iter_mut().for_each(|detail| detail.scroll(wheel, page)),
            }
        }
    }

    fn press_list(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let Some(pane) = self.split().0 else { return };
        let parts = self.parts(pane);
        let at = (mouse.x, mouse.y).into();
        if parts.search.contains(at) {
            self.command(Command::ProjectsSearch, now, turn);
        } else if parts.rows.contains(at) {
            let before = self.arranged.lines.selected();
            let Some(line) = self.arranged.lines.press(parts.rows, 1, mouse.x, mouse.y) else { return };
            let again = line == before && self.focus == Focus::List;
            self.focus = Focus::List;
            // A folder folds at once, as the sign before it says; a project opens when it is pressed again.
            if again || self.current_folder().is_some() {
                self.command(Command::Open, now, turn);
            } else {
                self.follow(now, turn);
            }
        }
    }

    fn mouse_on_ordering(&mut self, mouse: Mouse, wheel: isize) {
        let rows = ordering_rows(self.area);
        let Some(ordering) = &mut self.ordering else { return };
        match wheel {
            0 => drop(ordering.places.press(rows, 1, mouse.x, mouse.y)),
            by => ordering.places.wheel(by),
        }
    }
}
