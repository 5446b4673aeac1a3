//! A step's fields, being edited. What was typed becomes an edit when its field is left; until then it is kept beside the
//! draft, so that it isn't lost either.

use serde::{Deserialize, Serialize};

use super::super::vocabulary::Turn;
use crate::domain::text;
use crate::draft::{AnswerRef, Edit, StepRef};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::pane::Hint;
use crate::studio::widgets::Prose;
use crate::studio::widgets::chooser::paths;

use super::super::{Editor, Mode};

/// What the last line shows.
const HINTS: &[Hint] = &[NEXT, DONE, Hint::of(Command::StepsEditor), CLOSE];
const NEXT: Hint = Hint::of(Command::NextPane).saying("next field");
const DONE: Hint = Hint::of(Command::Open).saying("done");
const CLOSE: Hint = Hint::of(Command::Back).saying("close");

/// The same on a field of several lines.
const ON_LINES: &[Hint] = &[NEXT, DONE, Hint::own(Key::ctrl('j'), "line break"), Hint::of(Command::StepsEditor), CLOSE];

/// The same on the field of the video, which takes no text.
const ON_VIDEO: &[Hint] = &[
    Hint::of(Command::Mark).saying("choose video"),
    Hint::of(Command::StepsUpload),
    Hint::of(Command::Remove),
    NEXT,
    DONE,
    CLOSE,
];

/// The same on the field of the products.
const ON_PRODUCTS: &[Hint] = &[Hint::of(Command::Mark).saying("choose products"), NEXT, DONE, CLOSE];

impl Form {
    pub(super) fn hints(&self) -> &'static [Hint] {
        match self.field() {
            Field::Video => ON_VIDEO,
            Field::Products => ON_PRODUCTS,
            field if field.is_long() => ON_LINES,
            _ => HINTS,
        }
    }
}

/// Whether a key begins a new line where a text has several: Enter itself ends the form, as in every form.
fn breaks_line(key: Key) -> bool {
    key.code == KeyCode::Enter || key == Key::ctrl('j')
}

/// What is said of a text that is no time.
fn no_time(typed: &str) -> String {
    if typed.is_empty() {
        return "A time can't be removed again. 0 shows the answers from the start.".to_owned();
    }
    format!("“{}” isn't a number of seconds, such as 4 or 2.5. Esc discards it.", text::line(typed))
}

/// A field of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// What the step is about, for those who make it.
    Description,
    /// The text over its video.
    Overlay,
    /// When its answers appear.
    Time,
    /// Its video.
    Video,
    /// The products that it shows.
    Products,
    /// What one of its answers says.
    Answer(AnswerRef),
}

impl Field {
    /// Whether it may have several lines.
    #[must_use]
    pub fn is_long(self) -> bool {
        matches!(self, Self::Description | Self::Overlay)
    }

    /// Whether text is typed into it.
    #[must_use]
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Video | Self::Products)
    }
}

/// What was typed and is no edit yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    step: StepRef,
    field: Field,
    text: String,
}

/// The fields of a step.
#[derive(Debug, Clone)]
pub struct Form {
    /// The step.
    pub step: StepRef,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The one that is being edited.
    pub at: usize,
    /// What it says.
    pub prose: Prose,
    /// What it said before.
    before: String,
    /// Whether it was said that the field can't take its text: Esc discards it then.
    refused: bool,
}

impl Form {
    /// The field that is being edited.
    #[must_use]
    pub fn field(&self) -> Field {
        self.fields.get(self.at).copied().unwrap_or(Field::Description)
    }

    /// Whether something was typed that is no edit yet.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.field().is_text() && self.prose.text() != self.before
    }

    /// What is typed, to be found again.
    #[must_use]
    pub fn typed(&self) -> Typed {
        Typed { step: self.step, field: self.field(), text: self.prose.text() }
    }
}

impl Editor {
    /// Opens the form of the selected step, on the selected answer where one is.
    pub(in super::super) fn begin_form(&mut self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let Some(cursor) = self.cursor else { return };
        let answer = Some(&self.draft).zip(cursor.port).and_then(|(draft, port)| draft.answer_at(cursor.step, port));
        self.form_on(cursor.step, answer.map_or(Field::Description, Field::Answer));
    }

    /// Opens the form of a step on one of its fields.
    pub(in super::super) fn form_on(&mut self, step: StepRef, field: Field) {
        let Some(content) = self.draft.content().step(step) else { return };
        let mut fields = vec![Field::Description, Field::Overlay, Field::Time, Field::Video, Field::Products];
        fields.extend(content.answers().iter().map(|answer| Field::Answer(answer.key)));
        let at = fields.iter().position(|other| *other == field).unwrap_or(0);
        let form = Form { step, fields, at, prose: Prose::default(), before: String::new(), refused: false };
        self.mode = Mode::Form(Box::new(form));
        self.fill();
    }

    /// Opens the form as it was when the studio ended, with what was typed.
    pub(in super::super) fn form_again(&mut self, typed: Typed, _now: Moment) {
        self.form_on(typed.step, typed.field);
        if let Mode::Form(form) = &mut self.mode
            && form.field() == typed.field
        {
            form.prose = Prose::with(&typed.text);
        }
    }

    /// What a field says in the draft.
    #[must_use]
    pub(in super::super) fn field_text(&self, step: StepRef, field: Field) -> String {
        let draft = &self.draft;
        let Some(content) = draft.content().step(step) else { return String::new() };
        match field {
            Field::Description => content.description().to_owned(),
            Field::Overlay => content.overlay().to_owned(),
            Field::Time => content.answer_time.map(|time| time.to_string()).unwrap_or_default(),
            Field::Video => content.video().to_owned(),
            Field::Products => self.product_lines(step).join("\n"),
            Field::Answer(answer) => {
                draft.content().answer(answer).map(|(_, _, answer)| answer.text.clone()).unwrap_or_default()
            }
        }
    }

    fn fill(&mut self) {
        let Mode::Form(form) = &self.mode else { return };
        let text = self.field_text(form.step, form.field());
        if let Mode::Form(form) = &mut self.mode {
            form.prose = Prose::with(&text);
            form.before = text;
            form.refused = false;
        }
    }

    /// Takes a command while the form is open.
    pub(in super::super) fn form_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let across = self.form_width();
        let Mode::Form(form) = &mut self.mode else { return false };
        let field = form.field();
        match command {
            Command::Open => {
                // What a field can't take is typed on; Esc discards it.
                if self.commit(now, turn) {
                    self.end_form(now, turn);
                }
            }
            Command::NextPane => self.next_field(1, now, turn),
            Command::PreviousPane => self.next_field(-1, now, turn),
            Command::Down => {
                if !form.prose.step(true, across) {
                    self.next_field(1, now, turn);
                }
            }
            Command::Up => {
                if !form.prose.step(false, across) {
                    self.next_field(-1, now, turn);
                }
            }
            Command::StepsEditor if field.is_text() => turn.edit_text(form.prose.text()),
            Command::Mark if field == Field::Products => self.begin_products(turn),
            Command::Mark | Command::StepsUpload | Command::Retry | Command::Remove if field == Field::Video => {
                self.video_command(command, now, turn);
                return true;
            }
            Command::Back => self.end_form(now, turn),
            _ => return false,
        }
        self.keep_typed(turn);
        true
    }

    /// Takes a command that is about the step's video.
    fn video_command(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        let Mode::Form(form) = &self.mode else { return };
        let step = form.step;
        match command {
            Command::StepsUpload => self.begin_upload(now, turn),
            Command::Retry => {
                if !self.retry_upload(step, turn) {
                    turn.say(NoticeKind::Hint, "No upload for this step. ‹steps.upload› chooses a file.");
                }
            }
            Command::Remove => {
                if !self.give_up_upload(step, now, turn) {
                    self.edit(Edit::Video { step, video: None }, now, turn);
                    self.fill();
                }
            }
            _ => self.choose_video(turn),
        }
    }

    /// Takes a key while the form is open.
    pub(in super::super) fn form_key(&mut self, key: Key, turn: &mut Turn) {
        let Mode::Form(form) = &mut self.mode else { return };
        if !form.field().is_text() {
            return;
        }
        if !breaks_line(key) {
            form.prose.key(key);
        } else if form.field().is_long() {
            form.prose.new_line();
        }
        form.refused = false;
        self.keep_typed(turn);
    }

    /// Takes pasted text while the form is open.
    pub(in super::super) fn form_paste(&mut self, pasted: &str, turn: &mut Turn) {
        let Mode::Form(form) = &mut self.mode else { return };
        if form.field() == Field::Video {
            let (step, dropped) = (form.step, paths(pasted));
            if !dropped.is_empty() {
                self.upload_into(step, dropped, turn);
            }
            return;
        }
        if !form.field().is_text() {
            return;
        }
        let line = if form.field().is_long() { pasted.to_owned() } else { pasted.replace(['\n', '\r'], " ") };
        form.prose.paste(&line);
        form.refused = false;
        self.keep_typed(turn);
    }

    /// Takes the field's text back from the editor.
    pub(in super::super) fn form_edited(&mut self, text: &str, turn: &mut Turn) {
        let Mode::Form(form) = &mut self.mode else { return };
        if !form.field().is_text() {
            return;
        }
        let text = if form.field().is_long() { text.to_owned() } else { text.trim_end().replace('\n', " ") };
        form.prose = Prose::with(&text);
        self.keep_typed(turn);
    }

    fn next_field(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        let Mode::Form(form) = &self.mode else { return };
        let to = form.at.saturating_add_signed(by).min(form.fields.len().saturating_sub(1));
        let is_last = to == form.at && by > 0;
        if self.field_to(to, now, turn) && is_last {
            turn.say(
                NoticeKind::Hint,
                "This is the last field. Enter closes the form; then ‹steps.answer.add› adds an answer.",
            );
        }
    }

    /// Goes to a field, by its place; whether what was typed in the one before could be taken.
    pub(super) fn field_to(&mut self, at: usize, now: Moment, turn: &mut Turn) -> bool {
        let is_taken = self.commit(now, turn);
        if is_taken && let Mode::Form(form) = &mut self.mode {
            form.at = at.min(form.fields.len().saturating_sub(1));
            self.fill();
        }
        is_taken
    }

    /// Makes what was typed an edit; whether it could be made.
    pub(in super::super) fn commit(&mut self, now: Moment, turn: &mut Turn) -> bool {
        let Mode::Form(form) = &self.mode else { return true };
        let (step, field, text) = (form.step, form.field(), form.prose.text());
        if text == form.before {
            return true;
        }
        let edit = match field {
            Field::Description => Edit::Describe { step, text },
            Field::Overlay => Edit::Overlay { step, text },
            Field::Answer(answer) => Edit::AnswerText { answer, text },
            Field::Time => {
                let Ok(seconds) = text.trim().replace(',', ".").parse::<f64>() else {
                    turn.say(NoticeKind::Warning, no_time(text.trim()));
                    if let Mode::Form(form) = &mut self.mode {
                        form.refused = true;
                    }
                    return false;
                };
                Edit::AnswerTime { step, seconds }
            }
            Field::Video | Field::Products => return true,
        };
        let done = self.edit(edit, now, turn);
        if done && let Mode::Form(form) = &mut self.mode {
            form.before = form.prose.text();
        }
        done
    }

    /// Closes the form; what was typed is kept. What can't be kept holds it open once, then it is let go.
    fn end_form(&mut self, now: Moment, turn: &mut Turn) {
        let was_refused = matches!(&self.mode, Mode::Form(form) if form.refused);
        if !self.commit(now, turn)
            && let Mode::Form(form) = &self.mode
        {
            // A time that is none is discarded only where that was said before; a text whose step is gone isn't lost.
            if form.field() == Field::Time {
                if !was_refused {
                    return;
                }
            } else {
                turn.copy(form.prose.text());
                let say = "The step can no longer be edited. Your text was copied to the clipboard.";
                turn.say(NoticeKind::Warning, say);
            }
        }
        self.mode = Mode::Normal;
        self.keep_in_sight();
        self.keep_typed(turn);
    }

    /// Takes the field's text again after something else changed it.
    pub(in super::super) fn refill(&mut self) {
        let Mode::Form(form) = &self.mode else { return };
        if !form.field().is_text() {
            self.fill();
        }
    }
}
