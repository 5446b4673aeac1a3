//! What every screen can do, whichever it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::Veil;
use crate::settings::Key;
pub use crate::studio::ground::Hint;
use crate::studio::ground::{Command, Layer, Moment, Mouse};
use crate::studio::screens::turn::Turn;
use crate::studio::widgets::pictures::Place;
use crate::studio::widgets::{Answered, Ink};

/// What becomes of a line of text that is entered while a field asks for one, in plain mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Entered {
    /// It takes the place of what the field says, and Enter follows.
    #[default]
    Line,
    /// It takes the place of what the field says, and the next field is asked for.
    Field,
    /// The same in a field of several lines.
    Whole,
    /// It names an entry of the list that Space opens.
    Choice,
}

/// What a screen waits for before it has anything to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    /// When that was asked for.
    pub since: Moment,
    /// What Esc does about it.
    pub esc: &'static str,
}

impl Waits {
    /// Esc ends the waiting.
    pub const STOPS: &'static str = "Esc stops";

    /// Esc leaves what is waited for.
    pub const LEAVES: &'static str = "Esc goes back";

    /// For an answer that Esc no longer waits for.
    #[must_use]
    pub fn stops(since: Moment) -> Self {
        Self { since, esc: Self::STOPS }
    }
}

/// What is current, in words, for plain mode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spoken {
    /// What is current, its name first; where there are none, the row of the reading that has the cursor.
    pub words: Option<String>,
    /// Which of how many rows it is, counted from 0.
    pub position: Option<(usize, usize)>,
    /// What becomes of a line of text.
    pub entry: Entered,
}

/// A screen as it is shown.
pub trait Pane {
    /// The layer of its own keys.
    fn layer(&self) -> Layer;

    /// The layer of the keys of the mode that it is in; none where it is in none, or where keys are text.
    fn mode(&self) -> Option<Layer> {
        None
    }

    /// What the last line shows of what can be done now, the most useful first.
    fn hints(&self) -> &'static [Hint];

    /// What Esc does now, where the hints don't say it: a list of which a search or a filter shows a part shows all again.
    fn back_says(&self) -> Option<&'static str> {
        None
    }

    /// Whether plain characters are text, or the mode it is in owns the keys.
    fn is_typing(&self) -> bool {
        false
    }

    /// Whether every character is text, so that help needs a key that no text has.
    fn takes_text(&self) -> bool {
        self.is_typing()
    }

    /// Tells it where it stands.
    fn resize(&mut self, area: Rect, now: Moment);

    /// Whether what Enter would open is on its way: then it is opened once it is here ([`Handler::open_awaited`]).
    fn awaits_what_opens(&self) -> bool {
        false
    }

    /// Whether what was asked for is under way, also where the disk is waited for and no service.
    fn is_at_work(&self) -> bool {
        false
    }

    /// The pictures on it, the most wanted first, where pictures are shown.
    fn pictures(&self) -> Vec<Place> {
        Vec::new()
    }

    /// In how many milliseconds it shows something else though nothing happened: a time that is counted down.
    fn countdown(&self, _now: Moment) -> Option<u64> {
        None
    }

    /// What it waits for before it has anything to show.
    fn waits(&self) -> Option<Waits> {
        None
    }

    /// Takes away what somebody who watches may not see though its form does not betray it: this is their copy.
    fn veil(&mut self, veil: &Veil);

    /// Draws it and gives the cursor's place, where one is shown.
    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)>;

    /// The screen as lines of text, in reading order.
    fn reading(&self, now: Moment, lines: &mut Vec<String>);

    /// What is current, for plain mode.
    fn spoken(&self, _now: Moment) -> Spoken {
        Spoken::default()
    }

    /// The rows that plain mode lists, and which of them is current; none where those of the reading are meant.
    fn listed(&self) -> Option<(Vec<String>, usize)> {
        None
    }
}

/// What comes to a screen that is in front, or that laid over itself what it is about.
#[derive(Debug)]
pub enum Input<'a> {
    /// It came to the front, or the service can be talked to only now.
    Shown,
    /// A command.
    Command(Command),
    /// What Enter was pressed for is here.
    Awaited,
    /// A key that no command is bound to.
    Key(Key),
    /// Pasted text.
    Pasted(&'a str),
    /// A text from the editor that it was handed to.
    TextEdited(String),
    /// What the mouse did in its area.
    Mouse(Mouse),
}

/// A screen as it takes its turns. What is particular to one (its events) the parent hands it by name.
pub trait Handler: Pane {
    /// What only this screen asks of the world.
    type Effect;
    /// What its questions are answered with.
    type Answer;

    /// It came to the front, or the service can be talked to only now: what is missing is asked for.
    fn shown(&mut self, _now: Moment, _turn: &mut Turn<Self::Effect, Self::Answer>) {}

    /// Takes a command; whether it knew what to do with it.
    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn<Self::Effect, Self::Answer>) -> bool;

    /// Opens what Enter was pressed for before it was here.
    fn open_awaited(&mut self, now: Moment, turn: &mut Turn<Self::Effect, Self::Answer>) {
        self.command(Command::Open, now, turn);
    }

    /// Takes a key that no command is bound to.
    fn text_key(&mut self, _key: Key, _now: Moment, _turn: &mut Turn<Self::Effect, Self::Answer>) {}

    /// Takes pasted text.
    fn paste(&mut self, _pasted: &str, _now: Moment, _turn: &mut Turn<Self::Effect, Self::Answer>) {}

    /// Takes a text back from the editor that it was handed to.
    fn text_edited(&mut self, _text: String, _now: Moment, _turn: &mut Turn<Self::Effect, Self::Answer>) {}

    /// Takes what the mouse did in its area.
    fn mouse(&mut self, _mouse: Mouse, _now: Moment, _turn: &mut Turn<Self::Effect, Self::Answer>) {}

    /// Takes the answer to a question that it asked.
    fn answered(
        &mut self,
        _answered: Answered<Self::Answer>,
        _now: Moment,
        _turn: &mut Turn<Self::Effect, Self::Answer>,
    ) {
    }

    /// Takes what came to it; whether it knew what to do with that.
    fn handle(&mut self, input: Input, now: Moment, turn: &mut Turn<Self::Effect, Self::Answer>) -> bool {
        match input {
            Input::Shown => self.shown(now, turn),
            Input::Command(command) => return self.command(command, now, turn),
            Input::Awaited => self.open_awaited(now, turn),
            Input::Key(key) => self.text_key(key, now, turn),
            Input::Pasted(pasted) => self.paste(pasted, now, turn),
            Input::TextEdited(text) => self.text_edited(text, now, turn),
            Input::Mouse(mouse) => self.mouse(mouse, now, turn),
        }
        true
    }
}
