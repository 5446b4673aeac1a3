//! What a press of the mouse does in the pane beside the map: what is pressed is what is seen there.

use super::super::vocabulary::Turn;
use super::super::{Editor, Mode};
use super::form::Field;
use super::products::Row;
use super::save::Stage;
use crate::studio::ground::{Command, Moment};

/// How many columns the sign of a product takes, with what is around it.
const SIGN: u16 = 3;

impl Editor {
    /// Takes a press of the mouse in the pane beside the map.
    pub(in super::super) fn press_side(&mut self, at: (u16, u16), now: Moment, turn: &mut Turn) {
        match &self.mode {
            Mode::Play(_) => {
                self.play_press(at, turn);
                self.mark();
            }
            Mode::Form(_) => self.form_press(at, now, turn),
            Mode::Saving(_) => self.saving_press(at),
            Mode::Upload(_) => self.upload_press(at, now, turn),
            Mode::Products(_) => self.products_press(at, now, turn),
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) | Mode::Funnel(_) | Mode::Code(_) => {}
        }
    }

    /// Takes a press of the mouse: on an answer it gives that.
    fn play_press(&mut self, (x, y): (u16, u16), turn: &mut Turn) {
        let Mode::Play(play) = &self.mode else { return };
        if let Some(port) = self.answer_seen_at(play, x, y) {
            self.give(port, turn);
        }
    }

    /// Takes a press of the mouse: goes to the field, and to the character of its text. What takes no text opens.
    fn form_press(&mut self, at: (u16, u16), now: Moment, turn: &mut Turn) {
        let Mode::Form(form) = &self.mode else { return };
        let Some((field, text)) = self.field_seen_at(form, at, now, &turn.context.keymap) else { return };
        let is_current = field == form.at;
        if !is_current && !self.field_to(field, now, turn) {
            return;
        }
        let Mode::Form(form) = &mut self.mode else { return };
        match form.field() {
            Field::Video => self.choose_video(turn),
            Field::Products => self.begin_products(turn),
            _ => {
                form.prose.press(text, at, is_current);
                self.keep_typed(turn);
            }
        }
    }

    /// Takes a press of the mouse: goes to a conflict, and takes the side that is pressed; or goes to one of those that may be
    /// what was created.
    fn saving_press(&mut self, at: (u16, u16)) {
        let Mode::Saving(saving) = &self.mode else { return };
        let Some((choice, side, top)) = self.choice_seen_at(saving, at) else { return };
        let Some(saving) = self.saving() else { return };
        // What is seen stays where it is.
        saving.top = top;
        match &mut saving.stage {
            Stage::Unclear { place, .. } => place.selected = choice,
            Stage::Deciding(deciding) => deciding.place.selected = choice,
            _ => return,
        }
        if side.is_some() {
            self.turn_side(side);
        }
    }

    /// Takes a press of the mouse: goes to the entry, and a second press opens it.
    fn upload_press(&mut self, (x, y): (u16, u16), now: Moment, turn: &mut Turn) {
        let Some(area) = self.side() else { return };
        let Some(choosing) = self.choosing() else { return };
        let chosen = choosing.chooser.press(area, x, y);
        self.take_chosen(chosen, now, turn);
    }

    /// Takes a press of the mouse: goes to the row, or to the words; on the row's sign it selects, and a second press on the
    /// row does what Enter does.
    fn products_press(&mut self, at: (u16, u16), now: Moment, turn: &mut Turn) {
        let Mode::Products(choosing) = &self.mode else { return };
        let Some((words, rows)) = self.products_places() else { return };
        let all = self.product_rows(choosing);
        let pressed = choosing.place.row_at(rows, 1, at.0, at.1, all);
        let again = !choosing.typing && pressed == Some(choosing.place.selected);
        let Some(choosing) = self.choosing_products() else { return };
        let Some(row) = pressed else {
            choosing.typing |= words.contains(at.into());
            return;
        };
        (choosing.typing, choosing.place.selected) = (false, row);
        let is_swap = choosing.replaces.is_some();
        let Mode::Products(choosing) = &self.mode else { return };
        let pressed = self.row_of(choosing, row);
        match pressed {
            Some(Row::Found(found)) if at.0 < rows.x + SIGN && !is_swap => self.toggle_product(found),
            _ if again => drop(self.products_command(Command::Open, now, turn)),
            _ => {}
        }
    }
}
