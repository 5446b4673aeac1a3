//! The mouse on the Products screen: what is where is what the layout says, not what was drawn.

use ratatui::layout::Rect;

use super::view_detail::tab_places;
use super::vocabulary::Turn;
use super::{Change, Focus, Products, Tab};
use crate::studio::ground::{Command, Moment, Mouse, MouseAction};
use crate::studio::widgets::rows::notch;

impl Products {
    /// Takes a press or a turn of the wheel.
    pub fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let (left, right) = self.split();
        let at = (mouse.x, mouse.y).into();
        let wheel = notch(mouse.what).unwrap_or(0);
        if wheel != 0 || mouse.what == MouseAction::Press {
            // Whoever goes on is where they are now.
            self.left = None;
        }
        if self.comparison.is_some() {
            self.scroll_compare(wheel);
            return;
        }
        if self.border_moved(mouse, left, now, turn) {
            return;
        }
        if let Some(pane) = left.filter(|pane| pane.contains(at))
            && self.problems.is_some()
        {
            self.mouse_on_problems(pane, mouse, wheel, now, turn);
        } else if left.is_some_and(|pane| pane.contains(at)) {
            if wheel == 0 {
                self.press_list(mouse, now, turn);
            } else {
                let page = self.page();
                self.list.wheel(wheel, page);
                self.moved(now, turn);
            }
        } else if right.is_some_and(|pane| pane.contains(at)) {
            if self.panel.is_some() {
                self.press_panel(mouse, wheel, now, turn);
            } else if wheel == 0 {
                self.press_detail(mouse, now, turn);
            } else {
                let page = self.detail_page();
                self.detail.iter_mut().for_each(|detail| detail.wheel(wheel, page));
            }
        }
    }

    /// Takes what concerns the border between the panes, which can be drawn to another place; whether it did.
    fn border_moved(&mut self, mouse: Mouse, left: Option<Rect>, now: Moment, turn: &mut Turn) -> bool {
        let Some(pane) = left.filter(|pane| pane.width < self.area.width) else {
            self.moves_border = false;
            return matches!(mouse.what, MouseAction::Drag | MouseAction::Release);
        };
        match mouse.what {
            MouseAction::Press if (pane.right() - 1..=pane.right()).contains(&mouse.x) => self.moves_border = true,
            MouseAction::Drag if self.moves_border => {
                let across = u32::from(mouse.x.saturating_sub(self.area.x)) * 1_000;
                let part = across / u32::from(self.area.width.max(1));
                self.memory.apply(&Change::Split(u16::try_from(part).unwrap_or(1_000)));
                self.resize(self.area, now);
            }
            MouseAction::Release if self.moves_border => {
                self.moves_border = false;
                self.remember(Change::Split(self.memory.part()), turn);
            }
            MouseAction::Drag | MouseAction::Release => {}
            MouseAction::Press | MouseAction::WheelUp | MouseAction::WheelDown => return false,
        }
        true
    }

    /// Moves the border between the panes by a part of the width, in thousandths.
    pub(super) fn move_border(&mut self, by: i16, now: Moment, turn: &mut Turn) {
        self.remember(Change::Split(self.memory.part().saturating_add_signed(by)), turn);
        self.resize(self.area, now);
    }

    fn mouse_on_problems(&mut self, pane: Rect, mouse: Mouse, wheel: isize, now: Moment, turn: &mut Turn) {
        let has_keys = self.focus == Focus::Problems;
        let Some(problems) = &mut self.problems else { return };
        if wheel != 0 {
            problems.wheel(wheel);
        } else if mouse.what == MouseAction::Press {
            let again = problems.press(pane, mouse.x, mouse.y).is_some_and(|again| again && has_keys);
            self.focus = Focus::Problems;
            if again {
                self.command(Command::Open, now, turn);
            }
        }
    }

    fn press_list(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let Some(pane) = self.split().0 else { return };
        let parts = self.parts(pane);
        let at = (mouse.x, mouse.y).into();
        if let Some(chip) = self.chip_at(mouse.x, mouse.y) {
            self.remove_chip(chip, now, turn);
        } else if parts.search.contains(at) {
            self.command(Command::Search, now, turn);
        } else if parts.rows.contains(at) {
            let before = self.list.found.selected();
            let Some(row) = self.list.found.press(parts.rows, self.row_height(), mouse.x, mouse.y) else { return };
            let again = row == before && self.focus == Focus::List;
            self.focus = Focus::List;
            if again {
                self.command(Command::Open, now, turn);
            } else {
                self.moved(now, turn);
            }
        }
    }

    fn press_panel(&mut self, mouse: Mouse, wheel: isize, now: Moment, turn: &mut Turn) {
        let page = self.panel_page();
        let Some(area) = self.split().1 else { return };
        let Some(panel) = &mut self.panel else { return };
        self.focus = Focus::Filters;
        if wheel != 0 {
            panel.wheel(wheel, page);
        } else if panel.press(area, mouse.x, mouse.y) && super::panel::form(panel.field()) != super::panel::Form::Text {
            self.command(Command::Open, now, turn);
        }
    }

    fn press_detail(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let Some(pane) = self.split().1 else { return };
        self.focus = Focus::Detail;
        let tabs = self.detail.as_ref().map(|detail| tab_places(detail, pane)).unwrap_or_default();
        if let Some((tab, _)) = tabs.into_iter().find(|(_, place)| place.contains((mouse.x, mouse.y).into())) {
            self.show_tab(tab, now, turn);
            return;
        }
        let body = self.detail_body().unwrap_or_default();
        let Some(detail) = &mut self.detail else { return };
        if let (Tab::Media, Some(gallery)) = (detail.tab, detail.gallery) {
            let media = detail.known().map_or(0, |record| record.product.media.len());
            let Some(at) = gallery.at(body, detail.top, media, (mouse.x, mouse.y)) else { return };
            let again = at == detail.selected;
            detail.selected = at;
            if again {
                self.command(Command::FullPicture, now, turn);
            }
            return;
        }
        let first = pane.y + 3;
        if detail.tab.is_tree() && mouse.y >= first {
            let row = detail.top + usize::from(mouse.y - first);
            if row < detail.line_count() {
                detail.selected = row;
                self.command(Command::Open, now, turn);
            }
        }
    }
}
