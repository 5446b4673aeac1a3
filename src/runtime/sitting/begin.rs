//! What is known of a studio before anything is asked: read from files, so not on the loop.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::start::{self, Start};
use crate::runtime::drivers::account::known_profiles;
use crate::runtime::host::Host;
use crate::runtime::themes::load_theme;
use crate::runtime::{remember, resume};
use crate::settings::{
    CredentialSource, Environment, FileFault, Graphics, Place, ReadOnlyReason, THEMES, Target, read_text,
};
use crate::studio::twin::Deeds;
use crate::studio::{Begin, Credential, Keymap, KnownProfile, Zone};
use crate::terminal::Capability;

/// What is known of the studio of a target.
pub(super) fn begin(host: &Host, start: &Start, target: &Target, capability: Capability) -> Begin {
    let name = target.theme.as_deref().unwrap_or(capability.theme());
    let (theme, mut faults) = load_theme(&host.folders, name, capability.depth);
    let theme = if target.live { theme.for_live(target.colour.as_deref(), capability.depth) } else { theme };
    let file = |name: &str| host.folders.config().ok().map(|folder| folder.join(name));
    let own = file("keymap.toml").map_or(Ok(None), |path| read_text(&path)).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let (keymap, wrong) = Keymap::load(own.as_deref());
    faults.extend(wrong);
    let notes = keymap.notes(capability.sends_all);
    let keymap = if host.programs { keymap } else { keymap.without_own() };
    let (memory, unreadable) = remember::read(host, &target.place);
    let resumes = start.resumes(host);
    let memory = if resumes { memory } else { memory.afresh() };
    let unread = resume::unread(host).filter(|_| resumes);
    // Where the key came from somewhere else, that file was not needed.
    let no_key = start.credentials_fault.iter().filter(|_| target.credential_source == CredentialSource::Missing);
    Begin {
        profile: target.name().to_owned(),
        local: target.is_local(),
        credential: credential(target),
        read_only: target.read_only.map(|reason| reason.to_string()),
        store: target.app_url.clone(),
        first_start: target.is_local() && !file("config.toml").is_some_and(|path| path.exists()),
        theme: Arc::new(theme),
        themes: themes(host),
        keymap: Arc::new(keymap.without(host.absent())),
        faults: faults.into_iter().collect::<Vec<FileFault>>(),
        notes,
        warnings: target.warnings.iter().chain(no_key).cloned().chain(unreadable).chain(unread).collect(),
        ascii: capability.ascii,
        opens_addresses: host.desktop.is_some(),
        ssh: came_by_ssh(&host.environment),
        guest: host.guest.clone(),
        has_ffmpeg: host.ffmpeg.is_some(),
        profiles: profiles(host, target),
        resume: None,
        memory,
        graphics: match target.terminal.pictures() {
            _ if !host.pictures => Graphics::Off,
            set => set.unwrap_or_else(|| capability.plain_graphics()),
        },
        way: flags_of(start, target).into(),
        zone: zone(&host.environment),
        deeds: Deeds::default(),
    }
}

/// The time zone of the person: what their environment names, which of a guest is their own, else that of this machine.
fn zone(environment: &Environment) -> Zone {
    let named = environment.get("TZ").map(|name| name.trim_start_matches(':')).filter(|name| !name.is_empty());
    let named = named.and_then(|name| TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok());
    Zone(named.unwrap_or_else(TimeZone::system))
}

/// What `ssh` is told to come here by, where the session came that way. `SSH_CONNECTION` says the client's address and
/// port, then the server's.
fn came_by_ssh(environment: &Environment) -> Option<String> {
    let connection = environment.get("SSH_CONNECTION")?;
    let mut parts = connection.split_ascii_whitespace().skip(2);
    let (address, port) = (parts.next()?, parts.next()?.parse::<u16>().ok()?);
    // Both are pasted into a shell: nothing else may stand there.
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_'));
    let user = environment.get("USER").or_else(|| environment.get("LOGNAME")).filter(|user| plain(user));
    let host = user.map_or_else(|| address.to_owned(), |user| format!("{user}@{address}"));
    let host = Some(host).filter(|_| plain(address) && !user.is_some_and(|user| user.starts_with('-')))?;
    Some(if port == 22 { host } else { format!("-p {port} {host}") })
}

fn credential(target: &Target) -> Credential {
    match target.credential_source {
        CredentialSource::Missing => Credential::None,
        source => Credential::From(match &target.credential {
            Some(secret) => format!("{}, {source}", secret.kind()),
            None => source.to_string(),
        }),
    }
}

/// The profiles that there are; where others can't be switched to, the one that is open.
fn profiles(host: &Host, target: &Target) -> Vec<KnownProfile> {
    let mut known = known_profiles(&start::config(&host.folders), &start::credentials(&host.folders));
    if !host.profiles {
        known.retain(|profile| profile.name == target.name());
    }
    known
}

/// The flags by which a command works where this studio does, as the same person: the profile, and what is not as the
/// profile has it.
fn flags_of(start: &Start, target: &Target) -> Vec<String> {
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: &str| flags.extend([flag.to_owned(), value.to_owned()]);
    let known = target.profile.as_ref().and_then(|name| start.config.profiles.get(name)).cloned().unwrap_or_default();
    if let Some(name) = &target.profile {
        add("--profile", name);
    }
    if let Place::Remote(hosts) = &target.place {
        let base = known.base_url.as_ref();
        if base != Some(&hosts.base) {
            add("--base-url", hosts.base.as_str());
        }
        if let Some(lb) = hosts.lb.as_ref().filter(|lb| known.lb_base_url.as_ref() != Some(lb)) {
            add("--lb-base-url", lb.as_str());
        }
        let beside = [("--upload-url", &hosts.upload, &known.upload_url), ("--auth-url", &hosts.auth, &known.auth_url)];
        for (flag, host, known) in beside {
            if known.as_ref().unwrap_or(base.unwrap_or(&hosts.base)) != host {
                add(flag, host.as_str());
            }
        }
    }
    if matches!(target.read_only, Some(ReadOnlyReason::Key | ReadOnlyReason::Flag | ReadOnlyReason::Environment)) {
        flags.push("--read-only".to_owned());
    }
    flags
}

/// The themes that can be chosen: those that Cutaway brings, then the person's own.
fn themes(host: &Host) -> Vec<String> {
    let mut names: Vec<String> = THEMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let folder = host.folders.config().ok().map(|folder| folder.join("themes"));
    let mut own: Vec<String> = folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| !names.contains(name))
        .collect();
    own.sort();
    names.extend(own);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_the_session_came_by_ssh_is_known_from_its_environment() {
        let of = |said: &[(&str, &str)]| {
            let pairs = said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            came_by_ssh(&pairs.collect())
        };
        let connection = ("SSH_CONNECTION", "198.51.100.4 50122 203.0.113.7 22");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[connection, ("USER", "me")]).as_deref(), Some("me@203.0.113.7"));
        assert_eq!(of(&[connection]).as_deref(), Some("203.0.113.7"));
        let other = ("SSH_CONNECTION", "::1 50122 2001:db8::7 2222");
        assert_eq!(of(&[other, ("USER", "me")]).as_deref(), Some("-p 2222 me@2001:db8::7"));
        assert_eq!(of(&[("SSH_CONNECTION", "a 1 $(rm) 22")]), None, "it is pasted into a shell");
        assert_eq!(of(&[("SSH_CONNECTION", "a b")]), None);
    }
}
