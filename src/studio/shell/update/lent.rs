//! Keys that were lent: somebody who watches presses them, and what is the owner's alone does not come of it.

use super::{give_to_screen, input};
use crate::studio::ground::{Asks as _, NoticeKind, Unanswered};
use crate::studio::screens::{account, inspector, products, projects, steps, videos, webhooks};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::notices::Voice;
use crate::studio::shell::overlays::{Answer, Overlay, Purpose, What};
use crate::studio::shell::sharing::{Event, Keys, WatcherId};

/// Takes a key or a pasted text of somebody who watches; another event is given back.
pub(super) fn take(model: &mut Model, event: Event, effects: &mut Vec<Effect>) -> Option<Event> {
    match event {
        Event::Pressed(id, key) => press(model, id, effects, |model, effects| input::press(model, key, effects)),
        Event::Pasted(id, pasted) => press(model, id, effects, |model, effects| input::paste(model, &pasted, effects)),
        event => return Some(event),
    }
    None
}

/// Takes a key of somebody who watches, where they have the keys. What would touch the owner's machine does not come of it.
fn press(model: &mut Model, id: WatcherId, effects: &mut Vec<Effect>, what: impl FnOnce(&mut Model, &mut Vec<Effect>)) {
    let has_keys = model.shell.sharing.watcher(id).is_some_and(|watcher| watcher.keys == Keys::Given);
    if !has_keys {
        return;
    }
    if model.layers.last().is_some_and(is_owners) {
        let say = "Only the owner can answer this.".to_owned();
        model.say(NoticeKind::Hint, say, effects);
        return;
    }
    model.shell.sharing.hand = Some(id);
    model.shell.notices.voice = Voice::Answer;
    model.shell.awaited_open = None;
    let mut came = Vec::new();
    what(model, &mut came);
    let (refused, mut came): (Vec<_>, Vec<_>) = came.into_iter().partition(touches_owner);
    for effect in &refused {
        // Whoever asked for it does not wait for it.
        if let Some(event) = effect.unanswered(&Unanswered::BrokenOff) {
            give_to_screen(model, event, &mut came);
        }
    }
    if !refused.is_empty() {
        model.say(NoticeKind::Hint, "Only the owner can do this.".to_owned(), &mut came);
    }
    effects.extend(came);
    // What opens later would do so in the owner's name.
    model.shell.awaited_open = None;
    model.shell.sharing.hand = None;
}

/// Whether what lies over the screen is for the owner alone: secrets, a sign-in, the code, who may watch.
fn is_owners(overlay: &Overlay) -> bool {
    let is_of_sharing = match &overlay.purpose {
        Purpose::Studio(answers) => answers.offered().iter().any(|answer| {
            matches!(
                answer,
                Answer::Admit(..) | Answer::GiveKeys(_) | Answer::Write(_) | Answer::SaveRecording | Answer::RunOwn(..)
            )
        }),
        Purpose::Steps(answers) => answers.offered().contains(&steps::Answer::TakeOver),
        _ => false,
    };
    is_of_sharing || overlay.layer().is_secret() || matches!(overlay.what, What::SignIn(_))
}

/// Whether an effect touches the owner's machine, its files and programs, secrets, or who they are. Each effect is named,
/// so that a new one has to be thought about.
#[allow(clippy::match_same_arms)] // The screens are told apart from what belongs to none.
fn touches_owner(effect: &Effect) -> bool {
    match effect {
        Effect::CopyText(_)
        | Effect::CopySecret(_)
        | Effect::CopySignIn(_)
        | Effect::TellDesktop(_)
        | Effect::EditText(_)
        | Effect::OpenAddress(_)
        | Effect::SaveScript { .. }
        | Effect::RunProgram { .. }
        | Effect::Suspend
        | Effect::Quit
        | Effect::Share
        | Effect::Admit(..)
        | Effect::Unshare => true,
        Effect::Connect
        | Effect::Pictures { .. }
        | Effect::OpenFilm(_)
        | Effect::CloseFilm
        | Effect::Cancel(_)
        | Effect::Wake { .. }
        | Effect::ReadTheme(_)
        | Effect::UseColors { .. }
        | Effect::Repaint
        | Effect::KeepSession(_)
        | Effect::FindDrafts(_) => false,
        Effect::Account(effect) => !matches!(effect, account::Effect::ReadProfiles | account::Effect::AskWho(_)),
        Effect::Products(effect) => of_products(effect),
        // What belongs to the store is what the keys were lent for.
        Effect::Projects(
            projects::Effect::List { .. }
            | projects::Effect::Read { .. }
            | projects::Effect::Check { .. }
            | projects::Effect::Write { .. }
            | projects::Effect::Ask { .. },
        ) => false,
        Effect::Steps(effect) => of_steps(effect),
        Effect::Videos(effect) => of_videos(effect),
        Effect::Webhooks(effect) => of_webhooks(effect),
        Effect::Inspector(effect) => !matches!(effect, inspector::Effect::Again { .. }),
    }
}

fn of_products(effect: &products::Effect) -> bool {
    match effect {
        products::Effect::Export { .. } => true,
        products::Effect::Check(asked) => asked.is_on_files(),
        products::Effect::Search { .. }
        | products::Effect::Count { .. }
        | products::Effect::FetchProduct { .. }
        | products::Effect::FetchAnalysis { .. }
        | products::Effect::FetchFacets { .. }
        | products::Effect::Gather { .. }
        | products::Effect::Remember(_) => false,
    }
}

fn of_steps(effect: &steps::Effect) -> bool {
    match effect {
        // What is typed in the owner's other window is theirs.
        steps::Effect::ReadFolder { .. }
        | steps::Effect::Upload { .. }
        | steps::Effect::Export { .. }
        | steps::Effect::TakeOver { .. } => true,
        steps::Effect::Read { .. }
        | steps::Effect::FindJournal { .. }
        | steps::Effect::Keep { .. }
        | steps::Effect::DropJournal { .. }
        | steps::Effect::LeaveJournal { .. }
        | steps::Effect::Library { .. }
        | steps::Effect::Funnel { .. }
        | steps::Effect::LookUp { .. }
        | steps::Effect::FindProducts { .. }
        | steps::Effect::Ask { .. }
        | steps::Effect::NoteUploads(_)
        | steps::Effect::ResumeUpload(_)
        | steps::Effect::Claim { .. } => false,
    }
}

fn of_videos(effect: &videos::Effect) -> bool {
    match effect {
        videos::Effect::ReadFolder { .. }
        | videos::Effect::Upload { .. }
        | videos::Effect::UploadAnyway { .. }
        | videos::Effect::AddCaptions { .. }
        | videos::Effect::HandOver => true,
        videos::Effect::Check(asked) => asked.is_on_files(),
        videos::Effect::List(_)
        | videos::Effect::ReadUses(_)
        | videos::Effect::AskSize { .. }
        | videos::Effect::Delete { .. }
        | videos::Effect::ReadCaptions { .. }
        | videos::Effect::RemoveCaptions { .. }
        | videos::Effect::Register { .. }
        | videos::Effect::Note(_)
        | videos::Effect::Resume(_)
        | videos::Effect::Look => false,
    }
}

fn of_webhooks(effect: &webhooks::Effect) -> bool {
    match effect {
        webhooks::Effect::Listen(_) | webhooks::Effect::Secret { .. } | webhooks::Effect::Rotate { .. } => true,
        webhooks::Effect::List(_)
        | webhooks::Effect::Deliveries { .. }
        | webhooks::Effect::Create { .. }
        | webhooks::Effect::Ping { .. }
        | webhooks::Effect::Redeliver { .. }
        | webhooks::Effect::Delete { .. }
        | webhooks::Effect::Change { .. }
        | webhooks::Effect::StopListening => false,
    }
}
