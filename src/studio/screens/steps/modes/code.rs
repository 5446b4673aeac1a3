//! The QR code of the player's address, for a phone.

use super::super::vocabulary::Turn;
use super::super::{Editor, Mode};
use crate::domain::text;
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::screens::pane::Hint;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::qr::PlayerCode;

/// What the last line shows.
pub(super) const CODE: &[Hint] =
    &[Hint::of(Command::Copy).saying("copy"), Hint::of(Command::Address).saying("open"), Hint::of(Command::Back)];

impl Editor {
    /// Shows the code.
    pub(in super::super) fn show_code(&mut self, turn: &mut Turn) {
        let Some(address) = self.player() else {
            turn.say(NoticeKind::Hint, "This project has no player address.");
            return;
        };
        match PlayerCode::of(&text::line(&address), &self.session.title_words()) {
            Some(code) => self.mode = Mode::Code(Box::new(code)),
            None => turn.say(NoticeKind::Warning, "The address is too long for a QR code. ‹app.address› shows it."),
        }
    }

    /// Takes a command while the code is shown.
    pub(in super::super) fn code_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Mode::Code(code) = &self.mode else { return false };
        match command {
            Command::Back | Command::Open | Command::StepsCode => self.mode = Mode::Normal,
            Command::Copy => turn.outcomes.push(Outcome::Copy(vec![("player address", code.address.clone())])),
            Command::Address => turn.outcomes.push(Outcome::Address(code.address.clone())),
            _ => return false,
        }
        true
    }
}
