//! §5: profiles and credentials. A credential is never said.

use super::line::{Deed, Line, Scope};
use crate::settings::{Profile, ProfileStore};
use crate::studio::account::Way;

fn line(command: &'static [&'static str]) -> Line {
    Line::new(Scope::Machine, command)
}

/// A profile that was made or changed.
#[must_use]
pub(super) fn save(name: &str, before: Option<&Profile>, after: &Profile) -> Deed {
    let nothing = Profile::default();
    let new = before.is_none();
    let before = before.unwrap_or(&nothing);
    let mut line = line(if new { &["profiles", "add"] } else { &["profiles", "change"] }).operand(name);
    let hosts = [
        ("--base-url", &before.base_url, &after.base_url),
        ("--lb-base-url", &before.lb_base_url, &after.lb_base_url),
        ("--upload-url", &before.upload_url, &after.upload_url),
        ("--auth-url", &before.auth_url, &after.auth_url),
    ];
    for (flag, before, after) in hosts {
        if before != after {
            line = line.flag(flag, after.as_ref().map(ToString::to_string).unwrap_or_default());
        }
    }
    let store = |profile: &Profile| profile.app_url.as_ref().map(ToString::to_string);
    let texts = [
        ("--app-url", store(before), store(after)),
        ("--theme", before.theme.clone(), after.theme.clone()),
        ("--colour", before.colour.clone(), after.colour.clone()),
    ];
    for (flag, before, after) in texts {
        if before != after {
            line = line.flag(flag, after.unwrap_or_default());
        }
    }
    if before.stores != after.stores {
        let gone = before.stores.iter().filter(|store| after.stores.iter().all(|other| other.url != store.url));
        line = line.flags("--remove-store", gone.map(|store| store.url.as_str()));
        let stores: Option<Vec<String>> = after.stores.iter().map(store_word).collect();
        let Some(stores) = stores else {
            return Deed::aside(format!("the profile {name} got stores that no command can set"));
        };
        line = line.flags("--store", stores);
    }
    if before.read_only != after.read_only {
        line = line.switch(if after.read_only { "--read-only" } else { "--writable" });
    }
    if before.live != after.live {
        line = line.switch(if after.live { "--live" } else { "--not-live" });
    }
    line.done()
}

/// A store and its name in one word, where that can be told apart again.
fn store_word(store: &ProfileStore) -> Option<String> {
    let url = store.url.as_str();
    match &store.name {
        None if url.rsplit_once('=').is_none_or(|(_, rest)| rest.contains('/')) => Some(url.to_owned()),
        Some(name) if !name.contains(['/', '=']) && name.trim() == name && !name.is_empty() => {
            Some(format!("{url}={name}"))
        }
        _ => None,
    }
}

/// A profile that got another name.
#[must_use]
pub(super) fn rename(from: &str, to: &str) -> Deed {
    line(&["profiles", "rename"]).operand(from).operand(to).done()
}

/// A profile that was removed.
#[must_use]
pub(super) fn remove(name: &str) -> Deed {
    line(&["profiles", "remove"]).operand(name).switch("--yes").done()
}

/// The profile that is opened when none is named.
#[must_use]
pub(super) fn set_default(name: &str) -> Deed {
    line(&["profiles", "use"]).operand(name).done()
}

/// Somebody signed in, which a person has to be there for.
#[must_use]
pub(super) fn sign_in(profile: &str, way: &Way) -> Deed {
    let line = line(&["login"]).flag("--profile", profile);
    let line = match way {
        Way::Key(_) => line.switch("--api-key-stdin"),
        Way::Device => line.switch("--device"),
        Way::Browser => line,
    };
    Deed::Aside { what: format!("signed in to {profile}"), line: Some(Box::new(line)) }
}

/// A credential that was forgotten.
#[must_use]
pub(super) fn sign_out(profile: &str) -> Deed {
    line(&["logout"]).flag("--profile", profile).done()
}
