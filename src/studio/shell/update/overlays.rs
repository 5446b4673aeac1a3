//! The lists that the studio itself lays over the screen.

use crate::domain::{StoreUrl, text};
use crate::studio::ground::{Command, Layer, NoticeKind};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::notices::{Notice, notice_role};
use crate::studio::shell::overlays::{Answer, What};
use crate::studio::shell::signing;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Entry, Page, Picker, Question, Role, notice_sign};

pub(super) fn open_palette(model: &mut Model) {
    // The commands of the other screens can't be given here: they go there.
    let own = model.pane().layer();
    let keymap = &model.shell.begin.keymap;
    let offered = Command::ALL.iter().copied().filter(|it| *it != Command::Palette && keymap.offers(*it));
    let (elsewhere, mut commands): (Vec<Command>, Vec<Command>) =
        offered.partition(|command| is_elsewhere(model, *command));
    // Those of the screen that is shown come first.
    commands.sort_by_key(|command| command.group() != own.name());
    // A mode is no place that one could go to; and one title says enough.
    let titles: Vec<&str> = commands.iter().map(|command| command.title()).collect();
    let is_place = |command: &Command| !command.is_of_mode() && !titles.contains(&command.title());
    let elsewhere: Vec<Command> = elsewhere.into_iter().filter(is_place).collect();
    let mut synonyms: Vec<&str> = commands.iter().map(|command| command.synonyms()).collect();
    let entry = |command: Command| {
        let begin = &model.shell.begin;
        let detail = if begin.read_only.is_some() && Command::WRITES.contains(&command) {
            format!("Read-only here. {}", command.about())
        } else {
            command.about().to_owned()
        };
        let right = begin.keymap.first_key(command).map(|key| key.label(begin.ascii)).unwrap_or_default();
        Entry { label: command.title().to_owned(), detail, right }
    };
    let commands = commands.into_iter().map(|command| (Answer::Run(command), entry(command)));
    let others = elsewhere.iter().map(|command| {
        let there = entry(*command);
        let detail = format!("{}: {}", place_of(command.group()), there.detail);
        (Answer::Elsewhere(*command), Entry { detail, ..there })
    });
    // One line goes to any store of any profile.
    let to = |(answer, place): (Answer, Entry)| (answer, Entry { label: format!("Go to {}", place.label), ..place });
    let begin = &model.shell.begin;
    let own = begin.keymap.own_in(&[Layer::Global, own]).into_iter().map(|(at, own, chord)| {
        let (label, detail) = (text::line(&own.title).into_owned(), text::line(&own.line()).into_owned());
        (Answer::Own(at), Entry { label, detail, right: chord.label(begin.ascii) })
    });
    let here: Vec<(Answer, Entry)> = commands.chain(own).chain(signing::switches(model).into_iter().map(to)).collect();
    let from = here.len();
    synonyms.resize(from, "");
    synonyms.extend(elsewhere.iter().map(|command| command.synonyms()));
    let options = here.into_iter().chain(others);
    let list = |entries| Picker::new("Commands", entries).with_synonyms(synonyms).with_elsewhere(from);
    let question = Question::choose(options, list);
    model.lay_over(question);
}

/// Whether a command belongs to another screen than the one that is shown. What has a key here is of this one, too.
fn is_elsewhere(model: &Model, command: Command) -> bool {
    let own = model.pane().layer();
    let is_of_other = Layer::OUTSIDE_TEXT.iter().any(|layer| layer.name() == command.group() && *layer != own);
    is_of_other && model.shell.begin.keymap.keys_of(command, &[own]).next().is_none()
}

/// Where a command works that the screen that is shown doesn't have, in a sentence.
pub(super) fn elsewhere(model: &Model, command: Command) -> Option<String> {
    let is_there = !command.is_of_mode() && is_elsewhere(model, command);
    let place = place_of(command.group()).replacen("In ", "in ", 1);
    is_there.then(|| format!("“{}” works {place}: go there first.", command.title()))
}

/// What the page of all notices is called.
const NOTICES: &str = "Notices";

/// Where the commands of a group are.
fn place_of(group: &str) -> &'static str {
    match group {
        "products" => "In Products",
        "projects" => "In Projects",
        "steps" => "In a project",
        "videos" => "In Videos",
        "webhooks" => "In Webhooks",
        "account" => "In Account",
        _ => "In Inspector",
    }
}

pub(super) fn open_notices(model: &mut Model) {
    let lines = notices(model);
    model.lay_over(Page::new(NOTICES, lines, "Esc closes"));
}

/// The page of all notices shows those that are said while it is open, too.
pub(in crate::studio::shell) fn renew_notices(model: &mut Model) {
    if !model.layers.iter().any(|overlay| is_notices(&overlay.what)) {
        return;
    }
    let lines = notices(model);
    for overlay in &mut model.layers {
        match &mut overlay.what {
            What::Page(page) if page.title() == NOTICES => page.renew(lines.clone()),
            _ => {}
        }
    }
}

fn is_notices(what: &What) -> bool {
    matches!(what, What::Page(page) if page.title() == NOTICES)
}

/// Every notice of the session, the newest first.
fn notices(model: &Model) -> Vec<(Role, String)> {
    let now = model.shell.now;
    let line = |notice: &Notice| {
        let words = format!("{:>6}  {}{}", ago(now, notice.at), notice_sign(notice.kind), notice.text);
        (notice_role(notice.kind), words)
    };
    let mut lines: Vec<(Role, String)> = model.shell.notices.past.iter().rev().map(line).collect();
    if lines.is_empty() {
        lines.push((Role::Dim, "No notices yet. Messages of this session are listed here.".to_owned()));
    }
    lines
}

pub(super) fn open_themes(model: &mut Model) {
    let names = model.shell.begin.themes.clone();
    let at = names.iter().position(|name| *name == model.shell.theme.name).unwrap_or(0);
    let option = |name: String| (Answer::Theme(name.clone()), Entry { label: name, ..Entry::default() });
    let list = |entries| Picker::new("Theme", entries).with_selected(at);
    model.lay_over(Question::choose(names.into_iter().map(option), list));
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
    model.lay_over(question.or_typed(Answer::OtherStore(stores)));
}
