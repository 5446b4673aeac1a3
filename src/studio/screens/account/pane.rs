//! The Account screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::form::Form;
use super::vocabulary::{Answer, Effect, Turn};
use super::{Account, view};
use crate::domain::{Veil, text};
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction};
use crate::studio::screens::pane::{Entered, Handler, Hint, Pane, Spoken};
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::rows::notch;
use crate::studio::widgets::{Answered, Ink};

impl Pane for Account {
    fn layer(&self) -> Layer {
        Layer::Account
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        if self.form.is_some() {
            return const {
                &[
                    Hint::of(C::NextPane).saying("next field"),
                    Hint::of(C::Open).saying("save"),
                    Hint::of(C::Back).saying("cancel"),
                ]
            };
        }
        // The one profile of a guest is whatever the server gives them.
        if self.guest.is_some() {
            return const { &[Hint::moves(), Hint::of(C::Quit)] };
        }
        const {
            &[
                Hint::moves(),
                Hint::of(C::Open).saying("open profile"),
                Hint::of(C::AccountNew),
                Hint::of(C::AccountEdit),
                Hint::of(C::AccountRename),
                Hint::of(C::AccountSignIn),
                Hint::of(C::AccountSignOut),
                Hint::of(C::Remove),
                Hint::of(C::Switch),
                Hint::of(C::Quit),
            ]
        }
    }

    fn is_typing(&self) -> bool {
        self.form.is_some()
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.profiles.resize(self.rows());
    }

    fn veil(&mut self, _veil: &Veil) {
        // Their name.
        self.veil_who();
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        if let Some(form) = &self.form {
            return form.view(buf, ink, self.area);
        }
        view::view(self, buf, ink, now);
        None
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        if let Some(form) = &self.form {
            form.reading(lines);
            return;
        }
        lines.push(self.signed_in().1);
        for (known, selected) in self.profiles.all() {
            let mark = if selected { ">" } else { " " };
            lines.push(format!("{mark} {}", text::line(&known.name)));
        }
        lines.extend(self.details().into_iter().map(|(label, _, value)| format!("{label}: {value}")));
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        let (position, entry) = match &self.form {
            Some(form) => (Some(form.position()), Entered::Field),
            None => (self.profiles.position(), Entered::Line),
        };
        Spoken { position, entry, ..Spoken::default() }
    }
}

impl Handler for Account {
    type Answer = Answer;
    type Effect = Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        turn.ask(Effect::ReadProfiles);
        self.ask_who(now, turn);
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if let Some(form) = &mut self.form {
            if command == Command::Back {
                self.form = None;
            } else if form.command(command)
                && let Some((name, profile)) = form.read()
            {
                let before = form.before.as_ref().map(|(_, profile)| Box::new(profile.clone()));
                let request = turn.next_id();
                turn.ask(Effect::Save { request, name, before, profile: Box::new(profile) });
            }
            return true;
        }
        match command {
            _ if self.profiles.command(command) => {}
            Command::AccountNew => self.form = Some(Form::new(None)),
            Command::Retry => self.shown(now, turn),
            other => return self.on_profile(other, turn),
        }
        true
    }

    fn text_key(&mut self, key: Key, _now: Moment, _turn: &mut Turn) {
        if let Some(form) = &mut self.form {
            form.key(key);
        }
    }

    fn paste(&mut self, pasted: &str, _now: Moment, _turn: &mut Turn) {
        if let Some(form) = &mut self.form {
            form.paste(pasted);
        }
    }

    fn mouse(&mut self, mouse: Mouse, _now: Moment, _turn: &mut Turn) {
        if self.form.is_some() {
            return;
        }
        let rows = inside(view::list_area(self.area));
        if let Some(by) = notch(mouse.what) {
            self.profiles.wheel(by);
        } else if mouse.what == MouseAction::Press {
            self.profiles.press(rows, 1, mouse.x, mouse.y);
        }
    }

    fn answered(&mut self, answered: Answered<Answer>, _now: Moment, turn: &mut Turn) {
        match answered.answer {
            Answer::No => {}
            Answer::Rename(name) => self.rename(name, &answered.typed, turn),
            Answer::Remove(name) => {
                let request = turn.next_id();
                turn.ask(Effect::Remove { request, name });
            }
            Answer::SignOut(name) => turn.request(|request| Effect::SignOut { request, name }),
        }
    }
}
