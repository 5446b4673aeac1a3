//! Signing in, switching and asking before a live profile is changed: what lies over every screen alike.

use super::begin::Credential;
use super::effect::Effect;
use super::model::Model;
use super::overlays::signin::SignIn;
use super::overlays::{Answer, Overlay, Purpose, What};
use crate::domain::{StoreUrl, text};
use crate::studio::ground::{NoticeKind, SwitchTo};
use crate::studio::screens::account::{Effect as Account, Event, WriteAnswer};
use crate::studio::widgets::{Entry, Picker, Question, Role};

/// Takes what concerns the whole studio; hands back what is the screen's alone.
pub(super) fn take(model: &mut Model, event: Event, effects: &mut Vec<Effect>) -> Option<Event> {
    match event {
        Event::SignInNeeded { why } => {
            if sign_in(model).is_none() {
                let name = model.shell.begin.profile.clone();
                model.lay_over(Overlay::new(
                    What::SignIn(Box::new(SignIn::new(None, &name, Some(&why)))),
                    Purpose::Nothing,
                ));
            }
            None
        }
        Event::SignIn(step) => {
            let opens = model.shell.begin.opens_addresses;
            if let Some(sign_in) = sign_in(model) {
                effects.extend(sign_in.went_on(step, opens));
            }
            None
        }
        Event::SignInFailed(why) => {
            match sign_in(model) {
                Some(sign_in) => sign_in.failed(&why),
                None => model.say(NoticeKind::Error, why, effects),
            }
            None
        }
        Event::SignedIn { profile, who, source, resumed } => {
            model.layers.retain(|overlay| !matches!(overlay.what, What::SignIn(_)));
            model.say(NoticeKind::Done, format!("Signed in as {who}."), effects);
            if let Some(other) = profile.filter(|profile| *profile != model.shell.begin.profile) {
                // Whoever signs in somewhere wants to be there.
                leave_for(model, Account::Switch(SwitchTo { profile: other, store: None }), effects);
                return None;
            }
            model.shell.begin.credential = Credential::From(source.clone());
            if !resumed {
                model.connect(effects);
            }
            Some(Event::SignedIn { profile: None, who, source, resumed })
        }
        Event::SignedOut { request, signed_out: Ok(profile) } if profile == model.shell.begin.profile => {
            model.shell.begin.credential = Credential::None;
            Some(Event::SignedOut { request, signed_out: Ok(profile) })
        }
        Event::WriteAsked { operation } => {
            ask_write(model, operation);
            None
        }
        event => Some(event),
    }
}

/// Asks whether a production shop is changed.
fn ask_write(model: &mut Model, operation: &str) {
    let store = model.shell.store.as_ref().map(|store| format!(", store {store}")).unwrap_or_default();
    let profile = text::line(&model.shell.begin.profile).into_owned();
    let lines = vec![
        (Role::Warn, format!("{profile} is a production shop: customers see the change{}.", text::line(&store))),
        (Role::Text, format!("Request: {operation}.")),
    ];
    let options = [
        (WriteAnswer::No, "No, cancel"),
        (WriteAnswer::Once, "Yes, this once"),
        (WriteAnswer::AWhile, "Yes, and for the next minute"),
    ];
    let options = options.map(|(answer, words)| (Answer::Write(answer), words));
    let question = Question::decide("Change a production shop?", lines, options).deliberate();
    // Nothing said is a no.
    model.lay_over(question.or_left(Answer::Write(WriteAnswer::No)));
}

fn sign_in(model: &mut Model) -> Option<&mut SignIn> {
    model.layers.iter_mut().find_map(|overlay| match &mut overlay.what {
        What::SignIn(sign_in) => Some(&mut **sign_in),
        _ => None,
    })
}

/// Lays the sign-in to a profile over the screen.
pub(super) fn open(model: &mut Model, profile: &str) {
    let current = profile == model.shell.begin.profile;
    let sign_in = SignIn::new((!current).then(|| profile.to_owned()), profile, None);
    model.lay_over(Overlay::new(What::SignIn(Box::new(sign_in)), Purpose::Nothing));
}

/// Every profile and every store of each, as lines to choose from.
pub(super) fn switches(model: &Model) -> Vec<(Answer, Entry)> {
    let mut options = Vec::new();
    for known in model.screens.account.profiles.rows() {
        let host = known.profile.base_url.as_ref().map_or("the local workspace", |url| url.as_str());
        let here = known.name == model.shell.begin.profile;
        let entry = Entry {
            label: text::line(&known.name).into_owned(),
            detail: text::line(host).into_owned(),
            right: if here { "here".to_owned() } else { String::new() },
        };
        options.push((Answer::Switch(SwitchTo { profile: known.name.clone(), store: None }), entry));
        let mut add = |url: &StoreUrl, name: Option<&str>| {
            let shown = name.unwrap_or_else(|| url.as_str());
            let entry = Entry {
                label: format!("{} {} {}", text::line(&known.name), "·", text::line(shown)),
                detail: text::line(url.as_str()).into_owned(),
                right: String::new(),
            };
            let to = SwitchTo { profile: known.name.clone(), store: Some(url.clone()) };
            options.push((Answer::Switch(to), entry));
        };
        for store in &known.profile.stores {
            add(&store.url, store.name.as_deref());
        }
        // The stores of the service that is open are known from itself.
        if here {
            let told = model.shell.connection.known().map(|connected| connected.stores.clone()).unwrap_or_default();
            let missing = told.iter().filter(|url| !known.profile.stores.iter().any(|store| store.url.is_same(url)));
            missing.for_each(|url| add(url, None));
        }
    }
    options
}

/// Lays the list of all profiles and stores over the screen.
pub(super) fn open_switcher(model: &mut Model) {
    let question = Question::choose(switches(model), |entries| Picker::new("Profile and store", entries));
    model.lay_over(question);
}

/// Goes to a profile and store: another profile opens in another studio. A store of the profile that is open is to be
/// opened here.
pub(super) fn switch(model: &mut Model, to: SwitchTo, effects: &mut Vec<Effect>) -> Option<StoreUrl> {
    if to.profile != model.shell.begin.profile {
        leave_for(model, Account::Switch(to), effects);
        return None;
    }
    if to.store.is_none() {
        let say = format!("{} is already open.", to.profile);
        model.say(NoticeKind::Hint, say, effects);
    }
    to.store
}

/// Ends this studio for another one, unless something would be lost with it.
pub(super) fn leave_for(model: &mut Model, other: Account, effects: &mut Vec<Effect>) {
    if model.screens.steps.is_unkept() && !std::mem::replace(&mut model.shell.warned_unkept, true) {
        let say = "Your edits would be lost: they couldn't be stored on disk. ‹steps.save› saves, ‹steps.discard› \
                   discards; press again to switch anyway.";
        model.say(NoticeKind::Error, say.to_owned(), effects);
        return;
    }
    effects.push(Effect::Account(other));
}
