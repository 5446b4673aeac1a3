//! What every layer over a screen can do, whichever it is.

use ratatui::buffer::Buffer;

use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::{Command, Keymap, Layer};
use crate::studio::screens::pane::{Hint, Spoken};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::state::Shell;
use crate::studio::widgets::{Choice, Confirm, Ink, Page, Picked, Picker, Prompt};
use Command as C;

/// What came of what a layer was given.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    /// Nothing that concerns others.
    Nothing,
    /// It was not for the layer.
    NotTaken,
    /// This is to be done; the layer stays.
    Effects(Vec<Effect>),
    /// This key is to be pressed.
    Pressed(Key),
    /// This is to be said.
    Hint(&'static str),
    /// This address is to be opened or shown.
    Address(String),
    /// It is answered, and goes.
    Answered(Choice),
    /// It goes without an answer; this is to be done.
    Left(Vec<Effect>),
}

impl From<Option<Choice>> for Came {
    fn from(choice: Option<Choice>) -> Self {
        choice.map_or(Self::Nothing, Self::Answered)
    }
}

/// The keys of what is chosen from.
const LIST: &[Hint] = &[Hint::moves(), Hint::of(C::Open).saying("choose"), Hint::of(C::Back).saying("cancel")];
/// Selects all of a list in which several can be, or none: a key that text does not need.
const ALL_OR_NONE: Key = Key::ctrl('a');
/// The same of a list in which several are selected.
const SEVERAL: &[Hint] = &[
    Hint::moves(),
    Hint::own(Key::char(' '), "select"),
    Hint::own(ALL_OR_NONE, "all, none"),
    Hint::of(C::Open).saying("done"),
    Hint::of(C::Back).saying("cancel"),
];
/// The keys of what is only read.
pub(super) const TEXT: &[Hint] = &[READ[0], READ[1], READ[2]];
const READ: [Hint; 3] = [
    Hint::pair(C::Up, C::Down, "scroll"),
    Hint::pair(C::PageUp, C::PageDown, "page"),
    Hint::of(C::Back).saying("close"),
];
/// The same with a text to be copied.
const TEXT_TO_COPY: &[Hint] = &[READ[0], READ[1], Hint::of(C::Copy).saying("copy"), READ[2]];
/// The keys of a question.
const QUESTION: &[Hint] = &[
    Hint::moves(),
    Hint::range("1-9", Key::char('1'), "answer"),
    Hint::of(C::Open).saying("choose"),
    Hint::of(C::Back).saying("cancel"),
];

/// A layer over a screen.
pub trait Layered {
    /// Tells it the size of the screen.
    fn resize(&mut self, width: u16, height: u16);

    /// Whether plain characters are text.
    fn is_typing(&self) -> bool {
        false
    }

    /// The layers of keys that it reads while no text is typed, the first that knows a key wins.
    fn keys(&self) -> [Layer; 2] {
        [Layer::Global; 2]
    }

    /// What the last line shows of what can be done now, the most useful first.
    fn hints(&self) -> &'static [Hint] {
        LIST
    }

    /// Takes a key that is its own whatever it does elsewhere.
    fn own_key(&mut self, _key: Key) -> Came {
        Came::NotTaken
    }

    /// Takes a key that no command is bound to.
    fn text_key(&mut self, _key: Key) -> Came {
        Came::Nothing
    }

    /// Takes pasted text.
    fn pasted(&mut self, _pasted: &str) {}

    /// Takes a command.
    fn take(&mut self, command: Command, keymap: &Keymap) -> Came;

    /// Goes back one thing.
    fn back(&mut self) -> Came {
        Came::Left(Vec::new())
    }

    /// Turns the wheel by so many rows.
    fn wheel(&mut self, _by: isize, _keymap: &Keymap) -> Came {
        Came::Nothing
    }

    /// Takes a press of the mouse: beside what can be pressed the layer goes.
    fn pressed(&mut self, _x: u16, _y: u16) -> Came {
        self.back()
    }

    /// Takes away what somebody who watches may not see: this is their copy.
    fn veil(&mut self, _veil: &Veil) {}

    /// Draws it over everything else and gives the cursor's place where text is typed; else it notes what is current.
    fn view(&self, buf: &mut Buffer, shell: &Shell, ink: Ink) -> Option<(u16, u16)>;

    /// It as lines of text, in reading order.
    fn read(&self, shell: &Shell, lines: &mut Vec<String>);

    /// What is current, for plain mode.
    fn spoken(&self) -> Spoken {
        Spoken::default()
    }

    /// Whether what is typed is a secret: a terminal that shows what is typed must not.
    fn is_secret(&self) -> bool {
        false
    }
}

impl Layered for Page {
    fn resize(&mut self, width: u16, height: u16) {
        Self::resize(self, width, height);
    }

    fn hints(&self) -> &'static [Hint] {
        if self.text_to_copy().is_some() { TEXT_TO_COPY } else { TEXT }
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        if let Some(text) = self.text_to_copy().filter(|_| command == Command::Copy) {
            return Came::Effects(vec![Effect::CopyText(text.to_owned())]);
        }
        self.command(command);
        Came::Nothing
    }

    fn wheel(&mut self, by: isize, _keymap: &Keymap) -> Came {
        Self::wheel(self, by);
        Came::Nothing
    }

    fn veil(&mut self, veil: &Veil) {
        Self::veil(self, veil);
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        self.draw(buf, ink);
        None
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        self.reading(lines);
    }
}

/// What was picked, with the marks.
fn picked(list: &Picker, choice: Picked) -> Came {
    let marked = list.marked();
    match choice {
        Picked::Nothing => Came::Nothing,
        Picked::One(entry) => Came::Answered(Choice { marked, one: Some(entry), typed: None }),
        Picked::Typed(text) => Came::Answered(Choice { marked, one: None, typed: Some(text) }),
    }
}

impl Layered for Picker {
    fn resize(&mut self, width: u16, height: u16) {
        Self::resize(self, width, height);
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn hints(&self) -> &'static [Hint] {
        if self.marked().is_some() { SEVERAL } else { LIST }
    }

    fn text_key(&mut self, key: Key) -> Came {
        let done = match key {
            ALL_OR_NONE => self.mark_all(),
            key => key == Key::char(' ') && self.mark(),
        };
        if !done {
            self.key(key);
        }
        Came::Nothing
    }

    fn pasted(&mut self, pasted: &str) {
        self.paste(pasted);
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        let choice = self.command(command);
        picked(self, choice)
    }

    fn wheel(&mut self, by: isize, _keymap: &Keymap) -> Came {
        Self::wheel(self, by);
        Came::Nothing
    }

    fn pressed(&mut self, x: u16, y: u16) -> Came {
        if !self.covers(x, y) {
            return self.back();
        }
        let choice = self.press(x, y);
        picked(self, choice)
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        self.draw(buf, ink)
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        self.reading(lines);
    }

    fn spoken(&self) -> Spoken {
        Spoken { position: self.position(), ..Spoken::default() }
    }
}

impl Layered for Prompt {
    fn resize(&mut self, width: u16, height: u16) {
        Self::resize(self, width, height);
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn hints(&self) -> &'static [Hint] {
        const { &[Hint::of(C::Open).saying("done"), Hint::of(C::Back).saying("cancel")] }
    }

    fn text_key(&mut self, key: Key) -> Came {
        self.key(key);
        Came::Nothing
    }

    fn pasted(&mut self, pasted: &str) {
        self.paste(pasted);
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        let typed = (command == Command::Open).then(|| self.text().to_owned());
        typed.map(|typed| Choice { typed: Some(typed), ..Choice::default() }).into()
    }

    fn veil(&mut self, veil: &Veil) {
        Self::veil(self, veil);
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        self.draw(buf, ink)
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        self.reading(lines);
    }
}

/// The answer that was given to a question.
fn answered(one: usize) -> Choice {
    Choice { one: Some(one), ..Choice::default() }
}

impl Layered for Confirm {
    fn resize(&mut self, width: u16, height: u16) {
        Self::resize(self, width, height);
    }

    fn hints(&self) -> &'static [Hint] {
        if self.is_deliberate() { LIST } else { QUESTION }
    }

    /// The digits before the answers are its own, whatever they do elsewhere.
    fn own_key(&mut self, key: Key) -> Came {
        self.key(key).map_or(Came::NotTaken, |one| Came::Answered(answered(one)))
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        self.command(command).map(answered).into()
    }

    fn wheel(&mut self, by: isize, _keymap: &Keymap) -> Came {
        Self::wheel(self, by);
        Came::Nothing
    }

    fn pressed(&mut self, x: u16, y: u16) -> Came {
        self.press(x, y).map_or_else(|| self.back(), |one| Came::Answered(answered(one)))
    }

    fn veil(&mut self, veil: &Veil) {
        Self::veil(self, veil);
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        self.draw(buf, ink);
        None
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        self.reading(lines);
    }

    fn spoken(&self) -> Spoken {
        Spoken { position: self.position(), ..Spoken::default() }
    }
}
