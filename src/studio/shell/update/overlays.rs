//! What lies over the screen: laid there, given its commands, and its answers taken.

use super::commands::run;
use super::outcomes::{open_address, open_store, take_turn};
use super::recording;
use crate::domain::{StoreUrl, text};
use crate::studio::ground::{Command, Layer, NoticeKind, SwitchTo};
use crate::studio::screens::account;
use crate::studio::screens::pane::Handler;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::notices::notice_role;
use crate::studio::shell::overlays::{Answer, Came, Overlay, Purpose};
use crate::studio::shell::signing;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Answered, Answers, Choice, Entry, Page, Picker, Question, Role};

/// Lays something over the screen.
pub(super) fn lay_over(model: &mut Model, overlay: impl Into<Overlay>) {
    let mut overlay = overlay.into();
    overlay.layer_mut().resize(model.shell.size.0, model.shell.size.1);
    model.layers.push(overlay);
}

/// Runs a command on what lies over the screen; whether it was for that.
pub(super) fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    let Some(overlay) = model.layers.last_mut() else { return false };
    let came = match command {
        Command::Suspend | Command::Redraw => return false,
        Command::Back | Command::Quit => overlay.layer_mut().back(),
        command => overlay.layer_mut().take(command, &model.shell.begin.keymap),
    };
    take_from_layer(model, came, effects);
    true
}

/// Does what came of what the uppermost layer was given.
pub(super) fn take_from_layer(model: &mut Model, came: Came, effects: &mut Vec<Effect>) {
    match came {
        Came::Nothing | Came::NotTaken => {}
        Came::Effects(more) => effects.extend(more),
        Came::Hint(words) => model.say(NoticeKind::Hint, words.to_owned(), effects),
        Came::Address(address) => open_address(model, address, effects),
        Came::Answered(choice) => {
            if let Some(overlay) = model.layers.pop() {
                give_answer(model, overlay.purpose, Some(choice), effects);
            }
        }
        Came::Left(more) => {
            effects.extend(more);
            if let Some(overlay) = model.layers.pop() {
                give_answer(model, overlay.purpose, None, effects);
            }
        }
    }
}

/// Gives the answer of a layer to whoever asked; none where the layer was left without one.
fn give_answer(model: &mut Model, purpose: Purpose, choice: Option<Choice>, effects: &mut Vec<Effect>) {
    /// Hands it to a screen, in a turn of its own.
    macro_rules! give_to {
        ($answers:expr, $field:ident) => {
            if let Some(answered) = given($answers, choice) {
                take_turn(model, effects, |model, now, turn| {
                    model.screens.$field.answered(answered, now, turn);
                });
            }
        };
    }
    match purpose {
        Purpose::Nothing => {}
        Purpose::Studio(answers) => {
            if let Some(answered) = given(answers, choice) {
                answer(model, answered, effects);
            }
        }
        Purpose::Products(answers) => give_to!(answers, products),
        Purpose::Projects(answers) => give_to!(answers, projects),
        Purpose::Steps(answers) => give_to!(answers, steps),
        Purpose::Videos(answers) => give_to!(answers, videos),
        Purpose::Webhooks(answers) => give_to!(answers, webhooks),
        Purpose::Account(answers) => give_to!(answers, account),
        Purpose::Inspector(answers) => give_to!(answers, inspector),
    }
}

fn given<A: Clone>(answers: Answers<A>, choice: Option<Choice>) -> Option<Answered<A>> {
    match choice {
        Some(choice) => answers.given(choice),
        None => answers.left(),
    }
}

/// Does what was answered to a question of the studio itself.
fn answer(model: &mut Model, answered: Answered<Answer>, effects: &mut Vec<Effect>) {
    match answered.answer {
        Answer::Run(command) => run(model, command, effects),
        Answer::Switch(to) => switch_to(model, to, effects),
        Answer::Theme(name) => effects.push(Effect::ReadTheme(name)),
        Answer::Store(store) => open_store(model, store, effects),
        Answer::OtherStore(stores) => {
            open_store(model, StoreUrl::from(answered.typed).known_as(stores.iter()), effects);
        }
        Answer::Copy(text) => effects.push(Effect::CopyText(text)),
        Answer::SaveRecording => recording::save(model, answered.typed, effects),
        Answer::Write(answer) => effects.push(Effect::Account(account::Effect::AnswerWrite(answer))),
    }
}

pub(super) fn switch_to(model: &mut Model, to: SwitchTo, effects: &mut Vec<Effect>) {
    if let Some(store) = signing::switch(model, to, effects) {
        open_store(model, store, effects);
    }
}

pub(super) fn open_palette(model: &mut Model) {
    // The commands of the other screens can't be given here.
    let own = model.pane().layer();
    let here = |command: &Command| {
        let of = command.name().split('.').next().unwrap_or_default();
        let elsewhere = Layer::OUTSIDE_TEXT.iter().any(|layer| layer.name() == of && *layer != own);
        *command != Command::Palette && !elsewhere && model.shell.begin.keymap.offers(*command)
    };
    let mut commands: Vec<Command> = Command::ALL.iter().copied().filter(here).collect();
    // Those of the screen that is shown come first.
    commands.sort_by_key(|command| command.name().split('.').next() != Some(own.name()));
    let synonyms = commands.iter().map(|command| command.synonyms()).collect();
    let commands = commands.into_iter().map(|command| {
        let begin = &model.shell.begin;
        let detail = if begin.read_only.is_some() && Command::WRITES.contains(&command) {
            format!("Read-only here. {}", command.about())
        } else {
            command.about().to_owned()
        };
        let right = begin.keymap.first_key(command).map(|key| key.label(begin.ascii)).unwrap_or_default();
        (Answer::Run(command), Entry { label: command.title().to_owned(), detail, right })
    });
    // One line goes to any store of any profile.
    let to = |(answer, place): (Answer, Entry)| (answer, Entry { label: format!("Go to {}", place.label), ..place });
    let options = commands.chain(signing::switches(model).into_iter().map(to));
    let question = Question::choose(options, |entries| Picker::new("Commands", entries).with_synonyms(synonyms));
    lay_over(model, question);
}

pub(super) fn open_notices(model: &mut Model) {
    let mut lines: Vec<(Role, String)> = model
        .shell
        .notices
        .past
        .iter()
        .rev()
        .map(|notice| (notice_role(notice.kind), format!("{:>6}  {}", ago(model.shell.now, notice.at), notice.text)))
        .collect();
    if lines.is_empty() {
        lines.push((Role::Dim, "No notices yet. Messages of this session are listed here.".to_owned()));
    }
    lay_over(model, Page::new("Notices", lines, "Esc closes"));
}

pub(super) fn open_themes(model: &mut Model) {
    let names = model.shell.begin.themes.clone();
    let at = names.iter().position(|name| *name == model.shell.theme.name).unwrap_or(0);
    let option = |name: String| (Answer::Theme(name.clone()), Entry { label: name, ..Entry::default() });
    let list = |entries| Picker::new("Theme", entries).with_selected(at);
    lay_over(model, Question::choose(names.into_iter().map(option), list));
}

pub(super) fn open_stores(model: &mut Model, effects: &mut Vec<Effect>) {
    let mut stores: Vec<StoreUrl> = model.shell.connection.known().map(|c| c.stores.clone()).unwrap_or_default();
    stores.extend(model.shell.store.clone().filter(|store| !stores.contains(store)));
    if model.shell.connection.known().is_none() {
        model.say(NoticeKind::Hint, "Not connected to a service yet.".to_owned(), effects);
        return;
    }
    let at = stores.iter().position(|store| Some(store) == model.shell.store.as_ref()).unwrap_or(0);
    let option = |store: &StoreUrl| {
        let label = text::line(store.as_str()).into_owned();
        (Answer::Store(store.clone()), Entry { label, ..Entry::default() })
    };
    let list = |entries| Picker::new("Store: choose, or type an address", entries).with_selected(at);
    let question = Question::choose(stores.iter().map(option), list);
    lay_over(model, question.or_typed(Answer::OtherStore(stores)));
}
