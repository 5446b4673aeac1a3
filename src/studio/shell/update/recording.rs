//! What was done, as command lines: written down as it is heard, shown, copied, recorded as a script.

use std::sync::Arc;

use crate::domain::text;
use crate::studio::ground::NoticeKind;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::Answer;
use crate::studio::shell::twin::{Deed, Done, Look, script};
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Entry, Page, Picker, Prompt, Question, Role};

/// What a script is called where the person calls it nothing else.
const FILE: &str = "cutaway-script.sh";

/// Lets the clerk hear an event, before it is taken in.
pub(super) fn hear(model: &mut Model, event: &Event) {
    let heard = model.clerk.hears(event);
    note(model, heard);
}

/// Lets the clerk look at what came of it, and at what is asked for now.
pub(super) fn look(model: &mut Model, effects: &[Effect]) {
    let mut clerk = std::mem::take(&mut model.clerk);
    let heard = clerk.looks(&model.screens);
    let meant = effects.iter().filter(|effect| clerk.sees(effect, &model.screens)).count() > 0;
    model.clerk = clerk;
    note(model, heard);
    if meant {
        model.shell.deeds.settle();
    }
}

fn note(model: &mut Model, heard: Vec<(Deed, Option<Look>)>) {
    for (deed, passing) in heard {
        let way = Arc::clone(&model.shell.begin.way);
        model.shell.deeds.note(Done { at: model.shell.now, deed, way, passing });
    }
}

/// Shows what was done last.
pub(super) fn show_last(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(last) = model.shell.deeds.done.back() else {
        return nothing(model, effects);
    };
    let command = last.command();
    let lines = last.shell().lines().map(|line| (Role::Text, text::line(line).into_owned())).collect();
    let page = Page::new("Last action as a command", lines, "‹app.copy› copies  Esc closes").with_copy(command);
    model.lay_over(page);
}

/// Shows what was done in this session, the newest first.
pub(super) fn show_all(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.shell.deeds.done.is_empty() {
        return nothing(model, effects);
    }
    let done = || model.shell.deeds.done.iter().rev();
    let entry = |done: &Done| Entry {
        label: text::line(&done.brief()).into_owned(),
        right: ago(model.shell.now, done.at),
        ..Entry::default()
    };
    let options = done().map(|done| (Answer::Copy(done.command()), entry(done)));
    let list = |entries| Picker::new("This session as commands: Enter copies one", entries);
    let question = Question::choose(options, list);
    model.lay_over(question);
}

fn nothing(model: &mut Model, effects: &mut Vec<Effect>) {
    model.say(NoticeKind::Hint, "Nothing done yet that a command could do.".to_owned(), effects);
}

/// Begins a recording, or ends it.
pub(super) fn toggle(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(recording) = &model.shell.deeds.recording else {
        model.shell.deeds.recording = Some(Vec::new());
        model.shell.warned_recording = false;
        let say = "Recording. ‹record.toggle› stops and saves.";
        model.say(NoticeKind::Hint, say.to_owned(), effects);
        return;
    };
    if recording.is_empty() {
        model.shell.deeds.recording = None;
        model.say(NoticeKind::Hint, "Nothing recorded.".to_owned(), effects);
        return;
    }
    let count = recording.len();
    let lines = recording.iter().rev().take(5).rev().map(|done| (Role::Dim, text::line(&done.brief()).into_owned()));
    let more = (count > 5).then(|| (Role::Dim, format!("… {} before", count - 5)));
    let prompt = Prompt::new("Save the script to file", FILE).with_lines(more.into_iter().chain(lines).collect());
    model.lay_over(Question::line(prompt, Answer::SaveRecording));
}

/// Saves the recording to a file. It goes on until it is known to be there.
pub(super) fn save(model: &mut Model, file: String, effects: &mut Vec<Effect>) {
    let Some(recording) = &model.shell.deeds.recording else { return };
    let file = if file.is_empty() { FILE.to_owned() } else { file };
    effects.push(Effect::SaveScript { file, script: script(recording) });
}

/// Takes what came of that.
pub(super) fn saved(model: &mut Model, saved: Result<String, String>, effects: &mut Vec<Effect>) {
    match saved {
        Ok(file) => {
            model.shell.deeds.recording = None;
            model.say(NoticeKind::Done, format!("Saved the script to {file}; sh runs it."), effects);
        }
        Err(why) => {
            model.say(NoticeKind::Error, format!("Couldn't save the script; still recording: {why}"), effects);
        }
    }
}
