//! What happened becomes a new state and effects. Synchronous and total: no I/O, no clock, no panic.

mod commands;
mod input;
mod outcomes;
mod overlays;
mod pictures;
mod recording;
mod session;

use self::outcomes::{on_pane, take_turn, workspace};
use super::effect::Effect;
use super::event::{Alarm, Connected, Event, Moment, Waiting};
use super::model::{Model, NoticeKind, Voice};
use super::overlays::Overlay;
use super::screens::Screen;
use super::signing;
use super::widgets::Role;
use crate::domain::text;

/// A notice goes by itself after so long, milliseconds; an error stays until the next key.
const NOTICE_MS: i64 = super::model::NOTICE_MS;

/// So long the terminal is waited for to say how it shows pictures, milliseconds; what it says later counts too.
const GRAPHICS_MS: u64 = 1_000;

impl Model {
    /// The effects of the start.
    pub fn start(&mut self, now: Moment) -> Vec<Effect> {
        self.now = now;
        let mut effects = vec![Effect::Wake { alarm: Alarm::Graphics, after_ms: GRAPHICS_MS }];
        self.connect(&mut effects);
        let faults: Vec<String> = self.begin.faults.iter().map(ToString::to_string).collect();
        for fault in faults {
            self.say(NoticeKind::Warning, format!("{fault}; the defaults are used"), &mut effects);
        }
        for warning in self.begin.warnings.clone() {
            self.say(NoticeKind::Warning, warning, &mut effects);
        }
        effects
    }

    pub(super) fn connect(&mut self, effects: &mut Vec<Effect>) {
        self.connection.load(super::event::RequestId(0), self.now);
        effects.push(Effect::Connect);
        effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: 300 });
    }

    /// Lays something over the screen.
    pub(super) fn lay_over(&mut self, overlay: Overlay) {
        overlays::lay_over(self, overlay);
    }

    /// Says something.
    pub(super) fn say(&mut self, kind: NoticeKind, words: String, effects: &mut Vec<Effect>) {
        let id = self.notices.say(self.now, kind, text::line(&words).into_owned());
        if self.notices.shown == Some(id) {
            self.let_notice_go(effects);
        }
    }

    /// Asks to be woken to take away the notice that is shown.
    fn let_notice_go(&self, effects: &mut Vec<Effect>) {
        if let Some(notice) = self.notices.current().filter(|notice| notice.kind != NoticeKind::Error) {
            effects.push(Effect::Wake { alarm: Alarm::Notice(notice.id), after_ms: NOTICE_MS.unsigned_abs() });
        }
    }
}

/// Takes one event at a moment.
pub fn update(model: &mut Model, now: Moment, event: Event) -> Vec<Effect> {
    model.now = model.now.max(now);
    let mut effects = Vec::new();
    recording::hear(model, &event);
    model.notices.voice = Voice::of(&event);
    if model.notices.voice == Voice::Answer {
        // Whoever goes on does not wait for what they wanted opened before.
        model.awaited_open = None;
    }
    match event {
        Event::Pressed(key) => input::press(model, key, &mut effects),
        Event::Pasted(pasted) => input::paste(model, &pasted, &mut effects),
        Event::Mouse(mouse) => input::take_mouse(model, mouse, &mut effects),
        Event::Resized { width, height } => {
            model.size = (width, height);
            resize(model);
        }
        Event::Connected(connected) => take_connection(model, connected, &mut effects),
        Event::ConnectFailed(failure) => {
            model.prepared = None;
            model.connection.settle(Err(failure.what.clone()));
            model.say(NoticeKind::Error, failure.what, &mut effects);
        }
        Event::Prepared { what, done, of } => model.prepared = Some((what, done, of)),
        Event::Traffic { in_flight, round_trip_ms, lost } => {
            model.in_flight = in_flight;
            model.lost = lost.unwrap_or(model.lost);
            model.round_trip_ms = round_trip_ms.or(model.round_trip_ms);
            model.products.round_trip_ms = model.round_trip_ms;
        }
        Event::Copied(bytes) => copied(model, bytes, &mut effects),
        Event::AddressOpened(Ok(())) => model.say(NoticeKind::Done, "Opened.".to_owned(), &mut effects),
        Event::AddressOpened(Err(why)) | Event::NotKept(why) => model.say(NoticeKind::Warning, why, &mut effects),
        Event::Woke(Alarm::Notice(id)) if model.notices.shown == Some(id) => show_next_notice(model, &mut effects),
        Event::Woke(Alarm::Pending) => {
            take_turn(model, &mut effects, Screen::Products, |model, now, turn| model.products.ask_pending(now, turn));
        }
        Event::Woke(Alarm::Countdown) => model.counting = false,
        Event::Woke(Alarm::Session) => session::keep(model, &mut effects),
        event @ (Event::Woke(Alarm::Graphics)
        | Event::GraphicsKnown { .. }
        | Event::PictureArrived { .. }
        | Event::PictureFetched { .. }
        | Event::FilmLearnt { .. }
        | Event::FilmFetched { .. }) => pictures::take(model, event, &mut effects),
        Event::Woke(_) => {}
        Event::TextEdited(Ok(text)) => on_pane(model, &mut effects, model.screen, |pane, now, turn| {
            pane.text_edited(text, now, turn);
        }),
        Event::TextEdited(Err(why)) | Event::Broke(why) => model.say(NoticeKind::Error, why, &mut effects),
        Event::ScriptSaved(saved) => recording::saved(model, saved, &mut effects),
        Event::DraftsFound(drafts) => take_drafts(model, drafts, &mut effects),
        Event::DraftUnreadable(file) => {
            let say =
                format!("A draft's file is damaged, and what it is of can't be read. It is left as it is: {file}");
            model.say(NoticeKind::Warning, say, &mut effects);
        }
        Event::Resumed => effects.push(Effect::Repaint),
        Event::ThemeRead { theme, faults } => {
            model.theme = theme;
            for fault in faults {
                model.say(NoticeKind::Warning, fault.to_string(), &mut effects);
            }
        }
        event => give_to_screen(model, event, &mut effects),
    }
    if model.notices.voice != Voice::Answer {
        commands::open_awaited(model, &mut effects);
    }
    pictures::want_pictures(model, &mut effects);
    count_down(model, &mut effects);
    session::watch(model, &mut effects);
    recording::look(model, &effects);
    effects
}

/// Takes the notice away that was shown long enough; what was said meanwhile is shown in its place.
pub(super) fn show_next_notice(model: &mut Model, effects: &mut Vec<Effect>) {
    model.notices.show_next();
    model.let_notice_go(effects);
}

/// Gives an event to the screen that it concerns.
fn give_to_screen(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Projects(event) => {
            take_turn(model, effects, Screen::Projects, |model, now, turn| model.projects.event(event, now, turn));
        }
        Event::Steps(event) => {
            take_turn(model, effects, Screen::Steps, |model, now, turn| model.steps.event(event, now, turn));
        }
        Event::Videos(event) => take_of_videos(model, event, effects),
        Event::Webhooks(event) => {
            take_turn(model, effects, Screen::Webhooks, |model, now, turn| model.webhooks.event(event, now, turn));
        }
        Event::Account(event) => {
            if let Some(event) = signing::take(model, event, effects) {
                take_turn(model, effects, Screen::Account, |model, now, turn| {
                    model.account.event(event, now, turn);
                });
            }
        }
        Event::Inspector(event) => {
            take_turn(model, effects, Screen::Inspector, |model, now, turn| {
                model.inspector.event(event, now, turn);
            });
        }
        reply => {
            take_turn(model, effects, Screen::Products, |model, now, turn| {
                model.products.event(reply, now, turn);
            });
        }
    }
}

/// What happened to videos: how the uploads stand concerns the steps that they are for as well.
fn take_of_videos(model: &mut Model, event: super::videos::Event, effects: &mut Vec<Effect>) {
    let overview = match &event {
        super::videos::Event::Uploads(overview) => Some(overview.clone()),
        _ => None,
    };
    if let super::videos::Event::UsesEnded { .. } = &event {
        model.videos.know_draft(model.steps.uses_of_videos());
    }
    take_turn(model, effects, Screen::Videos, |model, now, turn| model.videos.event(event, now, turn));
    if let Some(overview) = overview {
        take_turn(model, effects, Screen::Steps, |model, now, turn| model.steps.uploads(&overview, now, turn));
    }
}

/// Asks to be woken when a time that is seen to be counted down says something else; where none is, for nothing.
fn count_down(model: &mut Model, effects: &mut Vec<Effect>) {
    if !model.counting
        && let Some(after_ms) = model.pane().countdown(model.now)
    {
        model.counting = true;
        effects.push(Effect::Wake { alarm: Alarm::Countdown, after_ms });
    }
}

fn copied(model: &mut Model, bytes: usize, effects: &mut Vec<Effect>) {
    model.say(NoticeKind::Done, format!("Copied {bytes} bytes to the terminal's clipboard."), effects);
}

fn resize(model: &mut Model) {
    let (width, height) = model.size;
    for overlay in &mut model.overlays {
        overlays::size_overlay(overlay, width, height);
    }
    let (body, now) = (model.body(), model.now);
    for screen in Screen::EVERY {
        model.pane_of_mut(screen).resize(body, now);
    }
}

fn take_connection(model: &mut Model, connected: Connected, effects: &mut Vec<Effect>) {
    // Connected again, the person stays in the store they were in.
    let resume = model.begin.resume.take().filter(|_| model.products.store.is_none());
    let left = resume.as_ref().and_then(|left| left.store.clone());
    let left = left.filter(|left| connected.stores.is_empty() || connected.stores.contains(left));
    let store = model.products.store.clone().or(left).or_else(|| connected.store.clone());
    model.prepared = None;
    model.connection.settle(Ok(connected));
    let resume = resume.filter(|left| left.store == store);
    let project = resume.as_ref().and_then(|left| left.project.clone());
    if let Some(store) = store {
        take_turn(model, effects, Screen::Products, |model, now, turn| match resume {
            Some(left) => model.products.take_up(store, left.row, now, turn),
            None => model.products.open_store(store, now, turn),
        });
    } else {
        let say = "No store is known: t takes its address.".to_owned();
        model.say(NoticeKind::Warning, say, effects);
    }
    if let Some((id, steps)) = project {
        model.projects.wanted = Some(id.clone());
        if let Some(name) = steps {
            take_turn(model, effects, Screen::Steps, |model, now, turn| model.steps.open(id, name, now, turn));
            // Whoever went elsewhere before the service answered stays there.
            if model.screen == Screen::Projects {
                model.screen = Screen::Steps;
            }
        }
    }
    effects.push(Effect::FindDrafts(workspace(model)));
    let shown = model.screen;
    on_pane(model, effects, shown, |pane, now, turn| pane.shown(now, turn));
    if shown != Screen::Videos {
        // What was queued before goes on, whichever screen is in front.
        effects.push(Effect::Videos(super::screens::videos::Effect::Look));
    }
}

/// Drafts were left: that is said, and shown in the list of projects.
fn take_drafts(model: &mut Model, mut drafts: Vec<Waiting>, effects: &mut Vec<Effect>) {
    // Another profile of the same host may be another merchant's: what is begun there is told there.
    drafts.retain(|draft| {
        let elsewhere = draft.profile.as_ref().filter(|profile| **profile != model.begin.profile);
        elsewhere.is_none_or(|profile| !model.account.profiles.iter().any(|known| known.name == *profile))
    });
    if !std::mem::replace(&mut model.drafts_told, true) && !drafts.is_empty() {
        let named: Vec<String> = drafts
            .iter()
            .take(3)
            .map(|draft| {
                let edits = draft.edits;
                format!("{} ({edits} edit{})", draft.name, if edits == 1 { "" } else { "s" })
            })
            .collect();
        let more = if drafts.len() > named.len() { ", and more" } else { "" };
        let say = format!("Not saved yet: {}{more}. Projects (2) has them as they were left.", named.join(", "));
        model.say(NoticeKind::Hint, say, effects);
    }
    take_turn(model, effects, Screen::Projects, |model, now, turn| {
        model.projects.event(super::projects::Event::Drafts(drafts), now, turn);
    });
}

/// The role of a notice.
#[must_use]
pub fn notice_role(kind: NoticeKind) -> Role {
    match kind {
        NoticeKind::Done => Role::Ok,
        NoticeKind::Hint => Role::Text,
        NoticeKind::Warning => Role::Warn,
        NoticeKind::Error => Role::Error,
    }
}
