//! A studio that is shown to others: the code, who is let in, what they point at, and whose keys count.

use crate::domain::{ShareCode, text};
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Answer, Overlay, Purpose, What};
use crate::studio::shell::sharing::{Event, Keys, Watcher, WatcherId, is_owners};
use crate::studio::widgets::{Entry, Page, Picker, Question, Role};

/// The longest name that is shown, characters.
const LONGEST_NAME: usize = 24;

/// Asks for a code, or shows the one that nobody used yet.
pub(super) fn ask(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.shell.sharing.code.is_some() {
        show_code(model);
    } else if !std::mem::replace(&mut model.shell.sharing.asked, true) {
        effects.push(Effect::Share);
    }
}

fn show_code(model: &mut Model) {
    let Some(code) = model.shell.sharing.code else { return };
    let way = match &model.shell.begin.guest {
        Some(guest) => vec![format!("  ssh -p {} {code}@HOST", guest.port)],
        None => vec![
            format!("  cutaway join {code}"),
            String::new(),
            "That is for the same computer. Where `cutaway serve --ssh` runs on it, also from elsewhere:".to_owned(),
            format!("  ssh -p PORT {code}@HOST"),
        ],
    };
    let text = |words: &str| (Role::Text, words.to_owned());
    let mut lines = vec![(Role::Accent, format!("  {code}")), text(""), text("One person can watch this studio by:")];
    lines.extend(way.into_iter().map(|words| (Role::Text, words)));
    let rest = "They see it read-only, without secrets and with personal data hidden. The code works once. “Stop sharing” (: \
                palette) ends it, and so does quitting.";
    lines.extend([text(""), (Role::Dim, rest.to_owned())]);
    model.lay_over(
        Page::new("Share this studio", lines, "‹app.copy› copies the code  Esc closes").with_copy(code.to_string()),
    );
}

/// Sends away whoever watches.
pub(super) fn end(model: &mut Model, effects: &mut Vec<Effect>) {
    let sharing = &mut model.shell.sharing;
    let is_shared = sharing.is_on() || sharing.asked || !sharing.knocking.is_empty();
    // Whatever is known here: no door stays open.
    effects.push(Effect::Unshare);
    sharing.asked = false;
    if !is_shared {
        model.say(NoticeKind::Hint, "Nothing is shared.".to_owned(), effects);
        return;
    }
    sharing.code = None;
    sharing.watchers.clear();
    sharing.knocking.clear();
    sharing.pointed = None;
    close_code(model);
    close_question(model);
    model.say(NoticeKind::Done, "Sharing ended.".to_owned(), effects);
}

/// Gives the keys to whoever watches, or takes them back.
pub(super) fn give_or_take(model: &mut Model, effects: &mut Vec<Effect>) {
    if take_back(model, effects) {
        return;
    }
    let may = |watcher: &&Watcher| watcher.keys != Keys::Never;
    let able: Vec<Watcher> = model.shell.sharing.watchers.iter().filter(may).cloned().collect();
    match able.as_slice() {
        [] if model.shell.sharing.watchers.is_empty() => {
            model.say(NoticeKind::Hint, "Nobody is watching this studio.".to_owned(), effects);
        }
        [] => {
            let say = "The person watching has a read-only key and can't be given the keys.";
            model.say(NoticeKind::Hint, say.to_owned(), effects);
        }
        [one] => give(model, one.id, effects),
        several => {
            let option =
                |one: &Watcher| (Answer::GiveKeys(one.id), Entry { label: one.name.clone(), ..Entry::default() });
            let options: Vec<_> = several.iter().map(option).collect();
            model.lay_over(Question::choose(options, |entries| Picker::new("Who gets the keys?", entries)));
        }
    }
}

/// Gives the keys to one who watches.
pub(super) fn give(model: &mut Model, id: WatcherId, effects: &mut Vec<Effect>) {
    model.shell.sharing.take_keys();
    let mut watchers = model.shell.sharing.watchers.iter_mut();
    let Some(watcher) = watchers.find(|watcher| watcher.id == id && watcher.keys == Keys::WithOwner) else { return };
    watcher.keys = Keys::Given;
    watcher.asks = false;
    let say = format!("{} has the keys. Any key of yours takes them back.", watcher.name);
    model.say(NoticeKind::Warning, say, effects);
    model.shell.notices.is_for_owner();
}

/// Takes the keys back, where the owner presses one; whether somebody had them.
pub(super) fn take_back(model: &mut Model, effects: &mut Vec<Effect>) -> bool {
    if model.shell.sharing.hand.is_some() {
        return false;
    }
    let Some(name) = model.shell.sharing.take_keys() else { return false };
    model.say(NoticeKind::Done, format!("You have the keys again; {name} only watches."), effects);
    model.shell.notices.is_for_owner();
    true
}

/// Whether a command is not for whoever presses the keys now.
pub(super) fn refuses(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    let is_refused = model.shell.sharing.hand.is_some() && is_owners(command);
    if is_refused {
        model.say(NoticeKind::Hint, format!("{}: only the owner can do this.", command.title()), effects);
    }
    is_refused
}

/// Lets somebody in who knocked, or not; then the next is asked about.
pub(super) fn admit(model: &mut Model, id: WatcherId, admitted: bool, effects: &mut Vec<Effect>) {
    model.shell.sharing.knocking.retain(|(other, ..)| *other != id);
    effects.push(Effect::Admit(id, admitted));
    ask_about_next(model);
}

fn ask_about_next(model: &mut Model) {
    let Some((id, name, fingerprint)) = model.shell.sharing.knocking.front().cloned() else { return };
    let lines = vec![
        (Role::Text, format!("{name} used your code, with a key that isn't registered for this workspace:")),
        (Role::Accent, fingerprint),
        (Role::Dim, "Compare it with what ssh-keygen -l shows them before you let them watch.".to_owned()),
    ];
    let options = [(Answer::Admit(id, false), "Send them away"), (Answer::Admit(id, true), "Let them watch")];
    let question = Question::decide("Someone wants to watch", lines, options);
    model.lay_over(question.deliberate().or_left(Answer::Admit(id, false)));
}

/// Takes what happened.
pub(super) fn take(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Offered(offered) => {
            model.shell.sharing.asked = false;
            match offered {
                Ok(code) => {
                    model.shell.sharing.code = Some(code);
                    show_code(model);
                    let said = format!("Shared: the code is {code}.");
                    if model.plain.is_some() {
                        model.say(NoticeKind::Done, said, effects);
                    }
                }
                Err(why) => model.say(NoticeKind::Error, format!("Couldn't share: {why}"), effects),
            }
        }
        Event::Closed(code) => {
            if model.shell.sharing.code == Some(code) {
                use_code(model, code);
                let say = "The code can no longer be used. “Share studio” (: palette) makes another.".to_owned();
                model.say(NoticeKind::Error, say, effects);
            }
        }
        Event::Knocked { id, code, name, fingerprint } => {
            use_code(model, code);
            let is_first = model.shell.sharing.knocking.is_empty();
            model.shell.sharing.knocking.push_back((id, named(&name), text::line(&fingerprint).into_owned()));
            if is_first {
                ask_about_next(model);
            }
        }
        Event::Joined { id, code, name, may_have_keys } => {
            use_code(model, code);
            let (name, keys) = (named(&name), if may_have_keys { Keys::WithOwner } else { Keys::Never });
            model.say(NoticeKind::Warning, format!("{name} is now watching this studio."), effects);
            model.shell.notices.is_for_owner();
            model.shell.sharing.watchers.push(Watcher { id, name, keys, asks: false });
        }
        Event::Left(id) => left(model, id, effects),
        Event::Pointed(id, mark) => {
            let is_new = model.shell.sharing.pointed.as_ref().map(|(_, mark, _)| mark) != mark.as_ref();
            if is_new && model.shell.sharing.watcher(id).is_some() {
                model.shell.sharing.pointed = mark.map(|mark| (id, mark, model.screens.shown));
                say_pointed(model, effects);
            }
        }
        Event::AskedForKeys(id) => {
            let mut watchers = model.shell.sharing.watchers.iter_mut();
            // Asking again says nothing new.
            let first = watchers.find(|watcher| watcher.id == id && watcher.keys == Keys::WithOwner && !watcher.asks);
            if let Some(watcher) = first {
                watcher.asks = true;
                let say = format!("{} asks for the keys. “Hand over keys” (: palette) gives them.", watcher.name);
                model.say(NoticeKind::Hint, say, effects);
                model.shell.notices.is_for_owner();
            }
        }
        // Keys that were lent are taken by `lent`.
        Event::Pressed(..) | Event::Pasted(..) => {}
    }
}

/// A dialogue of lines has no ring: what is pointed at is said.
fn say_pointed(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((id, mark, _)) = model.shell.sharing.pointed.as_ref().filter(|_| model.plain.is_some()) else { return };
    let name = model.shell.sharing.watcher(*id).map_or("Someone", |watcher| &watcher.name);
    let say = format!("{name} points at “{}”.", mark.text);
    model.say(NoticeKind::Hint, say, effects);
}

/// This code was used: it is good for nobody else. One that was made since then still is.
fn use_code(model: &mut Model, used: ShareCode) {
    if model.shell.sharing.code == Some(used) {
        close_code(model);
        model.shell.sharing.code = None;
    }
}

fn close_code(model: &mut Model) {
    let Some(code) = model.shell.sharing.code.map(|code| code.to_string()) else { return };
    model.layers.retain(|overlay| match &overlay.what {
        What::Page(page) => page.text_to_copy() != Some(&code),
        _ => true,
    });
}

/// Takes the question away whether somebody may watch, whoever that was.
fn close_question(model: &mut Model) {
    let asks = |overlay: &Overlay| match &overlay.purpose {
        Purpose::Studio(answers) => answers.offered().iter().any(|answer| matches!(answer, Answer::Admit(..))),
        _ => false,
    };
    model.layers.retain(|overlay| !asks(overlay));
}

fn left(model: &mut Model, id: WatcherId, effects: &mut Vec<Effect>) {
    if model.shell.sharing.knocking.front().is_some_and(|(first, ..)| *first == id) {
        close_question(model);
        model.shell.sharing.knocking.pop_front();
        ask_about_next(model);
    }
    let sharing = &mut model.shell.sharing;
    sharing.knocking.retain(|(other, ..)| *other != id);
    if sharing.pointed.as_ref().is_some_and(|(by, ..)| *by == id) {
        sharing.pointed = None;
    }
    let gone = sharing.watchers.iter().position(|watcher| watcher.id == id);
    if let Some(watcher) = gone.map(|at| sharing.watchers.remove(at)) {
        model.say(NoticeKind::Hint, format!("{} stopped watching.", watcher.name), effects);
        model.shell.notices.is_for_owner();
    }
}

fn named(name: &str) -> String {
    let name: String = text::line(name.trim()).chars().take(LONGEST_NAME).collect();
    if name.is_empty() { "Someone".to_owned() } else { name }
}
