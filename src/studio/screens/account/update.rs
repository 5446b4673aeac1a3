//! What happened, as the Account screen takes it, and what it asks.

use super::Account;
use super::form::Form;
use super::vocabulary::{Answer, Effect, Event, KnownProfile, Turn};
use crate::domain::text;
use crate::settings::{LOCAL_PROFILE, profile_name};
use crate::studio::ground::{Command, Moment, NoticeKind, Remote, SwitchTo};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Prompt, Question, Role};

impl Account {
    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Profiles(profiles) => self.take_profiles(profiles),
            Event::Who { request, who } if self.who.wants(request) => {
                self.is_refused = who.as_ref().is_err_and(|failure| failure.unauthorized);
                self.who.settle(who.map_err(|failure| failure.what));
            }
            Event::SignedIn { who, source, .. } => {
                self.credential = Some(source);
                self.who = Remote::Ready(who);
                turn.ask(Effect::ReadProfiles);
            }
            Event::SignedOut { signed_out: Ok(profile), .. } => {
                if profile == self.current {
                    self.credential = None;
                    self.who = Remote::Idle;
                }
                turn.say(NoticeKind::Done, format!("Signed out of {profile}. The profile stays."));
                turn.ask(Effect::ReadProfiles);
            }
            Event::Saved { saved: Ok((name, new)), .. } => {
                self.form = None;
                turn.ask(Effect::ReadProfiles);
                if new {
                    turn.outcomes.push(Outcome::SignIn(name));
                } else if name == self.current {
                    self.is_changed = true;
                    let say = format!("Saved {name}. It is open with its old settings; Enter opens it again.");
                    turn.say(NoticeKind::Done, say);
                } else {
                    turn.say(NoticeKind::Done, format!("Saved {name}."));
                }
            }
            Event::Done { done: Ok(said), .. } => {
                turn.say(NoticeKind::Done, said);
                turn.ask(Effect::ReadProfiles);
            }
            Event::Renamed { renamed: Ok((from, to)), .. } => {
                turn.say(NoticeKind::Done, format!("Renamed {from} to {to}."));
                // It stays selected.
                self.profiles.rows_mut().iter_mut().filter(|known| known.name == from).for_each(|known| {
                    known.name.clone_from(&to);
                });
                turn.ask(Effect::ReadProfiles);
            }
            // What was typed is not lost: the form stays.
            Event::Saved { saved: Err(why), .. }
            | Event::SignedOut { signed_out: Err(why), .. }
            | Event::Done { done: Err(why), .. }
            | Event::Renamed { renamed: Err(why), .. } => {
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

    pub(super) fn take_profiles(&mut self, profiles: Vec<KnownProfile>) {
        let was = self.chosen_profile().map_or(self.current.clone(), |known| known.name.clone());
        let row = profiles.iter().position(|known| known.name == was).unwrap_or(0);
        self.profiles.show(profiles);
        self.profiles.go_to(row);
    }

    pub(super) fn ask_who(&mut self, now: Moment, turn: &mut Turn) {
        if turn.context.connected && self.who.waiting().is_none() {
            let request = turn.next_id();
            self.who.load(request, now);
            turn.ask(Effect::AskWho(request));
        }
    }

    fn ask_name(name: String, turn: &mut Turn) {
        let title = format!("Rename {}", text::line(&name));
        turn.question(Question::line(Prompt::new(&title, &name), Answer::Rename(name)));
    }

    fn ask_remove(name: String, turn: &mut Turn) {
        let say = format!("{name} and its credential are removed from this computer; the service keeps its data.");
        Self::ask("Remove a profile?", &say, (Answer::Remove(name), "Remove it"), turn);
    }

    fn ask_sign_out(name: String, turn: &mut Turn) {
        let say = format!("Cutaway forgets the credential of {name}; the profile stays.");
        Self::ask("Sign out?", &say, (Answer::SignOut(name), "Sign out"), turn);
    }

    fn ask(title: &str, say: &str, yes: (Answer, &str), turn: &mut Turn) {
        let lines = vec![(Role::Text, text::line(say).into_owned())];
        turn.question(Question::decide(title, lines, [(Answer::No, "No"), yes]));
    }

    pub(super) fn rename(&self, from: String, typed: &str, turn: &mut Turn) {
        match profile_name(typed) {
            Ok(to) if to == from => {}
            Ok(to) if to == LOCAL_PROFILE || self.profiles.rows().iter().any(|known| known.name == to) => {
                turn.say(NoticeKind::Error, format!("A profile {to} already exists; {from} keeps its name."));
            }
            Ok(to) if from == self.current => turn.outcomes.push(Outcome::RenameOpen(to)),
            Ok(to) => turn.request(|request| Effect::Rename { request, from, to }),
            Err(why) => turn.say(NoticeKind::Error, format!("{from} keeps its name: {why}.")),
        }
    }

    pub(super) fn on_profile(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Some(known) = self.chosen_profile().cloned() else { return false };
        let local = known.name == LOCAL_PROFILE;
        match command {
            Command::Open if known.name == self.current && self.is_changed => {
                turn.outcomes.push(Outcome::Reopen);
            }
            Command::Open => turn.outcomes.push(Outcome::Switch(SwitchTo { profile: known.name, store: None })),
            Command::AccountEdit => self.form = Some(Form::new(Some((known.name, known.profile)))),
            Command::AccountDefault => {
                let request = turn.next_id();
                turn.ask(Effect::SetDefault { request, name: known.name });
            }
            Command::AccountSignIn | Command::AccountSignOut | Command::AccountRename | Command::Remove if local => {
                let add = if self.guest.is_some() { "" } else { " ‹account.new› adds your own shop." };
                turn.say(NoticeKind::Hint, format!("The local workspace needs no sign-in.{add}"));
            }
            Command::AccountSignIn => turn.outcomes.push(Outcome::SignIn(known.name)),
            Command::AccountSignOut if known.credential.is_none() => {
                turn.say(NoticeKind::Hint, format!("{} has no saved credential.", known.name));
            }
            Command::AccountSignOut => Self::ask_sign_out(known.name, turn),
            Command::AccountRename => Self::ask_name(known.name, turn),
            Command::Remove if known.name == self.current => {
                turn.say(NoticeKind::Hint, "This profile is open. Open another one first.");
            }
            Command::Remove => Self::ask_remove(known.name, turn),
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
