//! What happened becomes a new state and effects. Synchronous and total: no I/O, no clock, no panic.

mod commands;
mod copying;
mod filling;
mod filters;
mod guests;
mod input;
mod leaving;
mod lent;
mod outcomes;
mod overlays;
mod own;
mod pictures;
mod plain;
mod recording;
mod session;
mod sharing;
mod typing;

pub(in crate::studio) use self::outcomes::take_turn;
use self::outcomes::{give, open_store, workspace};
pub(in crate::studio::shell) use self::overlays::renew_notices;
use super::effect::Effect;
use super::event::{Connected, Event};
use super::left;
use super::model::Model;
use super::notices::Voice;
use super::overlays::{Purpose, What};
use super::{signing, silence};
use crate::domain::text;
use crate::studio::ground::{Alarm, Command, Moment, NoticeKind, Screen, Waiting, every_screen};
use crate::studio::screens::pane::Input;
use crate::studio::screens::videos;

/// A notice goes by itself after so long, milliseconds; an error stays until it was read.
const NOTICE_MS: i64 = super::notices::NOTICE_MS;

/// So long the terminal is waited for to say how it shows pictures, milliseconds; what it says later counts too.
const GRAPHICS_MS: u64 = 1_000;

impl Model {
    /// The effects of the start.
    pub fn start(&mut self, now: Moment) -> Vec<Effect> {
        self.shell.now = now;
        let mut effects = vec![Effect::Wake { alarm: Alarm::Graphics, after_ms: GRAPHICS_MS }];
        self.connect(&mut effects);
        let begin = &self.shell.begin;
        let faults = begin.faults.iter().map(|fault| format!("{fault}; the default is used instead"));
        let notes = begin.notes.iter().map(ToString::to_string);
        let begins_ascii = begin.ascii && self.plain.is_none();
        let mut said: Vec<String> = faults.chain(notes).chain(begin.warnings.iter().cloned()).collect();
        // One is shown: it says that there are others.
        let more = said.len().saturating_sub(1);
        if let Some(last) = said.last_mut().filter(|_| more > 0) {
            let key = begin.keymap.first_key(Command::Notices).map(|key| key.label(begin.ascii)).unwrap_or_default();
            *last = format!("{}. {more} more: {key} lists them", last.trim_end_matches('.'));
        }
        if begins_ascii {
            let say = "This terminal shows ASCII only: letters lose their accents, and others are shown as “?”.";
            self.say(NoticeKind::Hint, say.to_owned(), &mut effects);
        }
        for warning in said {
            self.say(NoticeKind::Warning, warning, &mut effects);
        }
        effects
    }

    pub(super) fn connect(&mut self, effects: &mut Vec<Effect>) {
        self.shell.connection.load(self.shell.requests.next_id(), self.shell.now);
        effects.push(Effect::Connect);
        effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: 300 });
    }

    /// Says something.
    pub(in crate::studio) fn say(&mut self, kind: NoticeKind, words: String, effects: &mut Vec<Effect>) {
        let begin = &self.shell.begin;
        let words = text::line(&begin.keymap.in_words(&words, begin.ascii)).into_owned();
        let id = self.shell.notices.say(self.shell.now, kind, words);
        if self.shell.notices.shown == Some(id) {
            self.let_notice_go(effects);
        }
        renew_notices(self);
    }

    /// Asks to be woken to take away the notice that is shown.
    fn let_notice_go(&self, effects: &mut Vec<Effect>) {
        if let Some(notice) = self.shell.notices.current().filter(|notice| notice.kind != NoticeKind::Error) {
            effects.push(Effect::Wake { alarm: Alarm::Notice(notice.id), after_ms: NOTICE_MS.unsigned_abs() });
        }
    }
}

/// Takes one event at a moment.
pub fn update(model: &mut Model, now: Moment, event: Event) -> Vec<Effect> {
    model.shell.now = model.shell.now.max(now);
    let mut effects = Vec::new();
    if model.shell.wanted.takes(&event) {
        let ended = silence::before(model, &event);
        take(model, event, &mut effects);
        if let Some(before) = ended {
            silence::tell(model, before, &mut effects);
        }
        keep_line(model, &mut effects);
        typing::follow(model, &mut effects);
        settle(model, &mut effects);
    }
    effects
}

/// What is typed into a question about a project's steps is kept as it is typed.
fn keep_line(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.layers.is_empty() && !model.screens.steps.is_line_open() {
        return;
    }
    let open = model.layers.iter().rev().find_map(|overlay| match (&overlay.what, &overlay.purpose) {
        (What::Prompt(prompt), Purpose::Steps(answers)) => Some((answers.typed()?.clone(), prompt.text().to_owned())),
        _ => None,
    });
    take_turn(model, effects, |model, _, turn| {
        model.screens.steps.typing(open.as_ref().map(|(answer, text)| (answer, text.as_str())), turn);
    });
}

/// Takes what happened.
fn take(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    recording::hear(model, &event);
    model.shell.notices.voice = Voice::of(&event);
    if model.shell.notices.voice == Voice::Answer {
        // Whoever goes on does not wait for what they wanted opened before.
        model.shell.awaited_open = None;
    }
    match event {
        Event::Pressed(_) | Event::Pasted(_) | Event::Entered(_) if sharing::take_back(model, effects) => {}
        Event::Pressed(key) => input::press(model, key, effects),
        Event::Pasted(pasted) => input::paste(model, &pasted, effects),
        Event::Entered(line) => plain::enter(model, &line, effects),
        Event::Mouse(mouse) => input::take_mouse(model, mouse, effects),
        Event::Resized { width, height } => {
            model.shell.size = (width, height);
            resize(model);
        }
        Event::Connected(connected) => take_connection(model, connected, effects),
        Event::ConnectFailed(failure) => {
            model.shell.prepared = None;
            model.shell.connection.settle(Err(failure.what.clone()));
            model.say(NoticeKind::Error, failure.what, effects);
        }
        Event::Prepared { what, done, of } => model.shell.prepared = Some((what, done, of)),
        Event::Traffic { in_flight, round_trip_ms, lost } => {
            silence::hear(model, in_flight, lost, effects);
            take_traffic(model, in_flight, round_trip_ms, lost);
        }
        Event::Woke(alarm) => wake(model, alarm, effects),
        Event::LinkMeasured { round_trip_ms } => pictures::measured(model, round_trip_ms, effects),
        Event::Copied(bytes) => copying::copied(model, bytes, effects),
        Event::NoClipboard => copying::not_copied(model, effects),
        Event::AddressOpened(Ok(())) => model.say(NoticeKind::Done, "Opened.".to_owned(), effects),
        Event::AddressOpened(Err(why)) => {
            model.say(NoticeKind::Warning, why, effects);
            // It names the address, which may be that of a sign-in.
            model.shell.notices.is_for_owner();
        }
        Event::NotKept(why) => model.say(NoticeKind::Warning, why, effects),
        event @ (Event::GraphicsKnown { .. }
        | Event::PictureArrived { .. }
        | Event::FilmLearned { .. }
        | Event::FilmFetched { .. }) => pictures::take(model, event, effects),
        Event::TextEdited(Ok(text)) => {
            give(model, effects, model.screens.shown, Input::TextEdited(text));
        }
        Event::TextEdited(Err(why)) | Event::Broke(why) => model.say(NoticeKind::Error, why, effects),
        Event::ProgramEnded { title, ended } => own::ended(model, &title, ended, effects),
        Event::ScriptSaved(saved) => recording::saved(model, saved, effects),
        Event::DraftsFound(drafts) => take_drafts(model, drafts, effects),
        Event::DraftUnreadable(file) => {
            let say = "A draft's file is damaged and its project is unknown. The file is left as it is:";
            model.say(NoticeKind::Warning, format!("{say} {file}"), effects);
        }
        Event::Sharing(event) => {
            if let Some(event) = lent::take(model, event, effects) {
                sharing::take(model, event, effects);
            }
        }
        Event::Resumed => effects.push(Effect::Repaint),
        Event::InBackground => effects.push(Effect::Suspend),
        event @ (Event::ThemeFits(_) | Event::ThemeRead { .. }) => take_theme(model, event, effects),
        event => give_to_screen(model, event, effects),
    }
    if model.shell.notices.voice != Voice::Answer {
        commands::open_awaited(model, effects);
    }
}

/// Takes what became known of a theme.
fn take_theme(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    match event {
        // Another than that one was chosen meanwhile, or it is shown already.
        Event::ThemeFits(name) if model.shell.theme_chosen || model.shell.theme.name == name => {}
        Event::ThemeFits(name) => effects.push(Effect::ReadTheme(name)),
        Event::ColorsFound { depth, theme } => {
            let fits = theme.filter(|_| !model.shell.theme_chosen);
            let theme = fits.unwrap_or_else(|| model.shell.theme.name.clone());
            effects.push(Effect::UseColors { depth, theme });
        }
        Event::ThemeRead { theme, faults } => {
            model.shell.theme = theme;
            if let Some(dialogue) = model.plain.as_mut().filter(|_| model.shell.theme_chosen) {
                dialogue.note(format!("Theme: {}.", text::line(&model.shell.theme.name)));
            }
            for fault in faults {
                model.say(NoticeKind::Warning, fault.to_string(), effects);
            }
        }
        _ => {}
    }
}

/// Takes how much is on its way, and how long the way is.
fn take_traffic(model: &mut Model, in_flight: usize, round_trip_ms: Option<u64>, lost: Option<bool>) {
    model.shell.in_flight = in_flight;
    model.shell.lost = lost.unwrap_or(model.shell.lost);
    model.shell.round_trip_ms = round_trip_ms.or(model.shell.round_trip_ms);
    model.screens.products.round_trip_ms = model.shell.round_trip_ms;
}

/// An alarm that was asked for goes off.
fn wake(model: &mut Model, alarm: Alarm, effects: &mut Vec<Effect>) {
    match alarm {
        Alarm::Notice(id) if model.shell.notices.shown == Some(id) => show_next_notice(model, effects),
        Alarm::Pending => {
            take_turn(model, effects, |model, now, turn| {
                model.screens.products.ask_pending(now, turn);
            });
        }
        Alarm::Countdown => model.shell.counting = false,
        Alarm::Silence => silence::tick(model, effects),
        Alarm::Session => session::keep(model, effects),
        Alarm::Graphics => pictures::take(model, Event::Woke(alarm), effects),
        Alarm::Notice(_) | Alarm::Spinner => {}
    }
}

/// Sees to what follows from whatever happened.
fn settle(model: &mut Model, effects: &mut Vec<Effect>) {
    copying::note(model, effects);
    model.shell.notices.belong_to(model.screens.shown);
    plain::say_copies(model, effects);
    pictures::want_pictures(model, effects);
    count_down(model, effects);
    session::watch(model, effects);
    recording::look(model, effects);
    for effect in effects.iter() {
        match effect {
            Effect::Cancel(request) => model.shell.wanted.cancel(*request),
            effect => model.shell.wanted.ask(effect),
        }
    }
}

/// Takes the notice away that was shown long enough; what was said meanwhile is shown in its place.
pub(super) fn show_next_notice(model: &mut Model, effects: &mut Vec<Effect>) {
    model.shell.notices.show_next();
    model.let_notice_go(effects);
}

/// Gives an event to the screen that it concerns, and to others what concerns them as well.
fn give_to_screen(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    let event = match event {
        Event::Account(event) => match signing::take(model, event, effects) {
            Some(event) => Event::Account(event),
            None => return,
        },
        event => event,
    };
    // How the uploads stand concerns the steps that they are for as well.
    let overview = match &event {
        Event::Videos(videos::Event::Uploads(overview)) => Some(overview.clone()),
        _ => None,
    };
    if let Event::Videos(videos::Event::UsesEnded { .. }) = &event {
        model.screens.videos.know_draft(model.screens.steps.uses_of_videos());
    }
    macro_rules! give_to {
        ($( $screen:ident $name:ident )*) => {
            match event {
                $( Event::$name(event) => {
                    take_turn(model, effects, |model, now, turn| model.screens.$screen.event(event, now, turn));
                } )*
                _ => {}
            }
        };
    }
    every_screen!(give_to);
    if let Some(overview) = overview {
        take_turn(model, effects, |model, now, turn| model.screens.steps.uploads(&overview, now, turn));
    }
}

/// Asks to be woken when a time that is seen to be counted down says something else; where none is, for nothing.
fn count_down(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.shell.counting
        && let Some(after_ms) = model.pane().countdown(model.shell.now)
    {
        model.shell.counting = true;
        effects.push(Effect::Wake { alarm: Alarm::Countdown, after_ms });
    }
}

pub(in crate::studio::shell) fn resize(model: &mut Model) {
    let (width, height) = model.shell.size;
    for overlay in &mut model.layers {
        overlay.layer_mut().resize(width, height);
    }
    let (body, now) = (model.body(), model.shell.now);
    for screen in Screen::EVERY {
        model.screens.of_mut(*screen).resize(body, now);
    }
}

fn take_connection(model: &mut Model, connected: Connected, effects: &mut Vec<Effect>) {
    // Connected again, the person stays in the store they were in.
    let resume = model.shell.begin.resume.take().filter(|_| model.shell.store.is_none());
    let left = resume.as_ref().and_then(|left| left.store.clone());
    let left = left.filter(|left| connected.stores.is_empty() || connected.stores.contains(left));
    let store = model.shell.store.clone().or(left).or_else(|| connected.store.clone());
    model.shell.prepared = None;
    model.shell.connection.settle(Ok(connected));
    if let Some(left) = &resume {
        left::take_up(model, left, left.store == store);
        typing::take_up(model, left.typing.clone(), effects);
    }
    let resume = resume.filter(|left| left.store == store);
    let project = resume.as_ref().and_then(|left| left.project.clone());
    if let Some(store) = store {
        open_store(model, store, effects);
    } else {
        let say = "No store is set. ‹app.store› sets its address.".to_owned();
        model.say(NoticeKind::Warning, say, effects);
    }
    if let Some((id, steps)) = project {
        model.screens.projects.wanted = Some(id.clone());
        if let Some(name) = steps {
            take_turn(model, effects, |model, now, turn| model.screens.steps.open(id, name, now, turn));
            // Whoever went elsewhere before the service answered stays there.
            if model.screens.shown == Screen::Projects {
                model.screens.shown = Screen::Steps;
            }
        }
    }
    effects.push(Effect::FindDrafts(workspace(model)));
    let shown = model.screens.shown;
    give(model, effects, shown, Input::Shown);
    if shown != Screen::Videos {
        // What was queued before goes on, whichever screen is in front.
        effects.push(Effect::Videos(videos::Effect::Look));
    }
}

/// Drafts were left: that is said, and shown in the list of projects.
fn take_drafts(model: &mut Model, mut drafts: Vec<Waiting>, effects: &mut Vec<Effect>) {
    // Another profile of the same host may be another merchant's: what is begun there is told there.
    drafts.retain(|draft| {
        let elsewhere = draft.profile.as_ref().filter(|profile| **profile != model.shell.begin.profile);
        elsewhere
            .is_none_or(|profile| !model.screens.account.profiles.rows().iter().any(|known| known.name == *profile))
    });
    // The project that is open tells of its draft itself.
    let open = model.screens.steps.opened().map(|(id, _)| id);
    let elsewhere: Vec<&Waiting> = drafts.iter().filter(|draft| Some(&draft.project) != open).collect();
    if !std::mem::replace(&mut model.shell.drafts_told, true) && !elsewhere.is_empty() {
        let named: Vec<String> = elsewhere
            .iter()
            .take(3)
            .map(|draft| {
                let edits = draft.edits;
                format!("{} ({edits} edit{})", draft.name, if edits == 1 { "" } else { "s" })
            })
            .collect();
        let more = if elsewhere.len() > named.len() { ", and more" } else { "" };
        let say = format!("Unsaved drafts: {}{more}. Open them in Projects (2).", named.join(", "));
        model.say(NoticeKind::Hint, say, effects);
    }
    take_turn(model, effects, |model, now, turn| {
        model.screens.projects.event(crate::studio::projects::Event::Drafts(drafts), now, turn);
    });
}
