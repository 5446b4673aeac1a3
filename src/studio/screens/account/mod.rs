//! The Account screen: who is signed in, and the profiles with their stores.

mod form;
mod view;
mod vocabulary;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::text;
use crate::settings::{Key, LOCAL_PROFILE, profile_name};
use crate::studio::ground::{
    Command, Layer, Moment, Mouse, MouseAction, NoticeKind, Remote, Requests, Screen, SwitchTo,
};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::{Choice, Outcome};
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::select::notch;
use crate::studio::widgets::{Confirm, Ink, Prompt, Role, Select};
use form::Form;
use vocabulary::Turn;

pub use vocabulary::{Effect, Event, KnownProfile, SignInStep, Way, WriteAnswer};

/// What a question that lies over the screen is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    Rename(String),
    Remove(String),
    SignOut(String),
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Account {
    /// The profiles, in the order of their names.
    pub profiles: Vec<KnownProfile>,
    /// The profile that is open.
    pub current: String,
    /// Where the credential in use came from, in words.
    pub credential: Option<String>,
    /// Why writing is refused, where it is.
    pub read_only: Option<String>,
    who: Remote<String>,
    requests: Requests,
    place: Select,
    form: Option<Form>,
    asked: Option<Asked>,
    /// Whether the open profile was changed since it was opened.
    is_changed: bool,
    area: Rect,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            profiles: Vec::new(),
            current: String::new(),
            credential: None,
            read_only: None,
            who: Remote::Idle,
            requests: Requests::of(Screen::Account),
            place: Select::default(),
            form: None,
            asked: None,
            is_changed: false,
            area: Rect::ZERO,
        }
    }
}

impl Account {
    /// The screen of an open profile among those that there are.
    #[must_use]
    pub fn new(
        current: &str,
        credential: Option<String>,
        read_only: Option<String>,
        profiles: Vec<KnownProfile>,
    ) -> Self {
        let mut account = Self { current: current.to_owned(), credential, read_only, ..Self::default() };
        account.take_profiles(profiles);
        account
    }

    fn take_profiles(&mut self, profiles: Vec<KnownProfile>) {
        let was = self.chosen_profile().map_or(self.current.clone(), |known| known.name.clone());
        self.profiles = profiles;
        self.place.selected = self.profiles.iter().position(|known| known.name == was).unwrap_or(0);
    }

    fn chosen_profile(&self) -> Option<&KnownProfile> {
        self.profiles.get(self.place.selected)
    }

    fn rows(&self) -> usize {
        usize::from(view::list_area(self.area).height.saturating_sub(2))
    }

    fn ask_who(&mut self, now: Moment, turn: &mut Turn) {
        if turn.context.connected && self.who.waiting().is_none() {
            let request = self.requests.next_id();
            self.who.load(request, now);
            turn.ask(Effect::AskWho(request));
        }
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Profiles(profiles) => self.take_profiles(profiles),
            Event::Who { request, who } if self.who.wants(request) => {
                self.who.settle(who.map_err(|failure| failure.what));
            }
            Event::SignedIn { who, source, .. } => {
                self.credential = Some(source);
                self.who = Remote::Ready(who);
                turn.ask(Effect::ReadProfiles);
            }
            Event::SignedOut(Ok(profile)) => {
                if profile == self.current {
                    self.credential = None;
                    self.who = Remote::Idle;
                }
                turn.say(NoticeKind::Done, format!("Signed out of {profile}. The profile is kept."));
                turn.ask(Effect::ReadProfiles);
            }
            Event::Saved(Ok((name, new))) => {
                self.form = None;
                turn.ask(Effect::ReadProfiles);
                if new {
                    turn.outcomes.push(Outcome::SignIn(name));
                } else if name == self.current {
                    self.is_changed = true;
                    let say = format!("{name} is changed; what is open keeps to what it was. Enter opens it anew.");
                    turn.say(NoticeKind::Done, say);
                } else {
                    turn.say(NoticeKind::Done, format!("{name} is changed."));
                }
            }
            Event::Done(Ok(said)) => {
                turn.say(NoticeKind::Done, said);
                turn.ask(Effect::ReadProfiles);
            }
            Event::Renamed(Ok((from, to))) => {
                turn.say(NoticeKind::Done, format!("{from} is renamed to {to}."));
                if let Some(known) = self.profiles.get_mut(self.place.selected).filter(|known| known.name == from) {
                    // It stays selected.
                    known.name = to;
                }
                turn.ask(Effect::ReadProfiles);
            }
            // What was typed is not lost: the form stays.
            Event::Saved(Err(why)) | Event::SignedOut(Err(why)) | Event::Done(Err(why)) | Event::Renamed(Err(why)) => {
                turn.say(NoticeKind::Error, why);
            }
            // The studio's own, or no longer wanted.
            Event::Who { .. }
            | Event::SignInNeeded { .. }
            | Event::SignIn(_)
            | Event::SignInFailed(_)
            | Event::WriteAsked { .. } => {}
        }
        let _ = now;
    }

    fn ask(&mut self, asked: Asked, turn: &mut Turn) {
        let (title, line, yes) = match &asked {
            Asked::Rename(name) => {
                let title = format!("Another name for {}", text::line(name));
                let prompt = Prompt::new(&title, name);
                turn.outcomes.push(Outcome::Ask(Box::new(prompt)));
                self.asked = Some(asked);
                return;
            }
            Asked::Remove(name) => (
                "Remove a profile?",
                format!("{name} and its credential are forgotten here; the service keeps all it has."),
                "Remove it",
            ),
            Asked::SignOut(name) => {
                ("Sign out?", format!("The credential of {name} is forgotten; the profile is kept."), "Sign out")
            }
        };
        let lines = vec![(Role::Text, text::line(&line).into_owned())];
        let confirm = Confirm::new(title, lines, vec!["No".to_owned(), yes.to_owned()]);
        turn.outcomes.push(Outcome::Confirm(Box::new(confirm)));
        self.asked = Some(asked);
    }

    fn rename(&self, from: String, typed: &str, turn: &mut Turn) {
        match profile_name(typed) {
            Ok(to) if to == from => {}
            Ok(to) if to == LOCAL_PROFILE || self.profiles.iter().any(|known| known.name == to) => {
                turn.say(NoticeKind::Error, format!("There is a profile {to} already; {from} keeps its name."));
            }
            Ok(to) if from == self.current => turn.outcomes.push(Outcome::RenameOpen(to)),
            Ok(to) => turn.ask(Effect::Rename { from, to }),
            Err(why) => turn.say(NoticeKind::Error, format!("{from} keeps its name: {why}.")),
        }
    }

    fn on_profile(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Some(known) = self.chosen_profile().cloned() else { return false };
        let local = known.name == LOCAL_PROFILE;
        match command {
            Command::Open if known.name == self.current && self.is_changed => {
                turn.outcomes.push(Outcome::Reopen);
            }
            Command::Open => turn.outcomes.push(Outcome::Switch(SwitchTo { profile: known.name, store: None })),
            Command::AccountEdit => self.form = Some(Form::new(Some((known.name, known.profile)))),
            Command::AccountDefault => turn.ask(Effect::SetDefault(known.name)),
            Command::AccountSignIn | Command::AccountSignOut | Command::AccountRename | Command::Remove if local => {
                turn.say(
                    NoticeKind::Hint,
                    "The local workspace is always there under this name, and needs no sign-in. n makes a profile.",
                );
            }
            Command::AccountSignIn => turn.outcomes.push(Outcome::SignIn(known.name)),
            Command::AccountSignOut if known.credential.is_none() => {
                turn.say(NoticeKind::Hint, format!("{} keeps no credential here.", known.name));
            }
            Command::AccountSignOut => self.ask(Asked::SignOut(known.name), turn),
            Command::AccountRename => self.ask(Asked::Rename(known.name), turn),
            Command::Remove if known.name == self.current => {
                turn.say(NoticeKind::Hint, "This profile is open; go to another one first.");
            }
            Command::Remove => self.ask(Asked::Remove(known.name), turn),
            Command::Copy => {
                let mut texts = vec![("name", known.name.clone())];
                texts.extend(known.profile.base_url.as_ref().map(|url| ("service", url.to_string())));
                texts.extend(known.profile.stores.iter().map(|store| ("store", store.url.to_string())));
                turn.outcomes.push(Outcome::Copy(texts));
            }
            _ => return false,
        }
        true
    }
}

impl Pane for Account {
    fn layer(&self) -> Layer {
        Layer::Account
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        if self.form.is_some() {
            return &[(C::NextPane, None), (C::Open, None), (C::Back, None)];
        }
        &[
            (C::Up, Some(C::Down)),
            (C::Open, None),
            (C::AccountNew, None),
            (C::AccountEdit, None),
            (C::AccountRename, None),
            (C::AccountSignIn, None),
            (C::AccountSignOut, None),
            (C::Remove, None),
            (C::Switch, None),
            (C::Help, None),
            (C::Quit, None),
        ]
    }

    fn is_typing(&self) -> bool {
        self.form.is_some()
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.place.keep_in_sight(self.rows(), self.profiles.len());
    }

    fn dismissed(&mut self) {
        self.asked = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        if let Some(form) = &self.form {
            return form.view(buf, ink, self.area);
        }
        view::view(self, buf, ink, now);
        None
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        if let Some(form) = &self.form {
            form.reading(lines);
            return;
        }
        for (at, known) in self.profiles.iter().enumerate() {
            let mark = if at == self.place.selected { ">" } else { " " };
            lines.push(format!("{mark} {}", text::line(&known.name)));
        }
        lines.extend(self.details().into_iter().map(|(label, _, value)| format!("{label}: {value}")));
    }
}

impl Handler for Account {
    type Effect = Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        turn.ask(Effect::ReadProfiles);
        self.ask_who(now, turn);
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if let Some(form) = &mut self.form {
            if command == Command::Back {
                self.form = None;
            } else if form.command(command)
                && let Some((name, profile)) = form.read()
            {
                let before = form.before.as_ref().map(|(_, profile)| Box::new(profile.clone()));
                turn.ask(Effect::Save { name, before, profile: Box::new(profile) });
            }
            return true;
        }
        match command {
            _ if self.place.command(command, self.rows(), self.profiles.len()) => {}
            Command::AccountNew => self.form = Some(Form::new(None)),
            Command::Retry => self.shown(now, turn),
            other => return self.on_profile(other, turn),
        }
        true
    }

    fn text_key(&mut self, key: Key, _now: Moment, _turn: &mut Turn) {
        if let Some(form) = &mut self.form {
            form.key(key);
        }
    }

    fn paste(&mut self, pasted: &str, _now: Moment, _turn: &mut Turn) {
        if let Some(form) = &mut self.form {
            form.paste(pasted);
        }
    }

    fn mouse(&mut self, mouse: Mouse, _now: Moment, _turn: &mut Turn) {
        if self.form.is_some() {
            return;
        }
        let rows = inside(view::list_area(self.area));
        if let Some(by) = notch(mouse.what) {
            self.place.wheel(by, self.rows(), self.profiles.len());
        } else if mouse.what == MouseAction::Press
            && let Some(row) = self.place.row_at(rows, 1, mouse.x, mouse.y, self.profiles.len())
        {
            self.place.selected = row;
        }
    }

    fn chosen(&mut self, choice: Choice, _now: Moment, turn: &mut Turn) {
        match (self.asked.take(), choice.one, choice.typed) {
            (Some(Asked::Rename(name)), _, Some(typed)) => self.rename(name, &typed, turn),
            (Some(Asked::Remove(name)), Some(1), _) => turn.ask(Effect::Remove(name)),
            (Some(Asked::SignOut(name)), Some(1), _) => turn.ask(Effect::SignOut(name)),
            _ => {}
        }
    }
}
