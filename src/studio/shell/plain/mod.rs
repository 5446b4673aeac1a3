//! Plain mode: the studio as a dialogue of lines. The model and what happens to it are those of the screens; this is
//! another way to read it. After each line that is entered, and where something arrived that matters, a short
//! answer says what is current and what changed: [`say`]. What a line means is found by `words`.

pub mod dialogue;
mod fit;
mod seen;
pub(in crate::studio) mod words;

pub use dialogue::Dialogue;
pub use fit::MOST;

use super::model::Model;
use super::notices::Notice;
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::Confirm;

/// What was said to the person since the last answer.
fn notices(dialogue: &mut Dialogue, model: &Model) -> Vec<String> {
    let new: Vec<&Notice> = model.shell.notices.past.iter().filter(|notice| notice.id > dialogue.notice).collect();
    dialogue.notice = new.last().map_or(dialogue.notice, |notice| notice.id);
    new.into_iter()
        .map(|notice| match notice.kind {
            NoticeKind::Error => format!("Error: {}", notice.text),
            NoticeKind::Warning => format!("Warning: {}", notice.text),
            NoticeKind::Done | NoticeKind::Hint => notice.text.clone(),
        })
        .collect()
}

/// How far the uploads are, at most each tenth.
fn progress(dialogue: &mut Dialogue, model: &Model) -> Option<String> {
    let percent = model.screens.videos.progress();
    let tenths = percent.map(|percent| percent / 10);
    let before = std::mem::replace(&mut dialogue.tenths, tenths);
    (tenths != before).then_some(percent).flatten().map(|percent| format!("Uploads: {percent}%"))
}

/// What there is to say since the last time, lines of text that hold no controls: at most [`MOST`] characters together.
pub fn say(model: &mut Model) -> Vec<String> {
    let Some(mut dialogue) = model.plain.take() else { return Vec::new() };
    let mut notices = notices(&mut dialogue, model);
    notices.extend(progress(&mut dialogue, model));
    let said = dialogue.say(&seen::seen(model), notices, model.shell.now);
    model.plain = Some(dialogue);
    said
}

/// Where one is, in full.
pub(in crate::studio) fn place(model: &Model) -> Vec<String> {
    seen::seen(model).whole()
}

/// The rows of what is in front, from the current one on, or all of them; each says what it is and its number.
pub(in crate::studio) fn rows(model: &Model, all: bool) -> Vec<String> {
    seen::rows(model, all)
}

/// The number of the row that is current among them.
pub(in crate::studio) fn current_row(model: &Model) -> usize {
    seen::current_row(model)
}

/// The answers that a question can have, each as it is entered.
pub(in crate::studio) fn answers(question: &Confirm) -> String {
    seen::answers(question)
}

/// The row that is current, and what would tell it from another of the same name.
pub(in crate::studio) fn current(model: &Model) -> (Option<String>, impl PartialEq + use<>) {
    let seen = seen::seen(model);
    (seen.current.clone(), seen)
}
