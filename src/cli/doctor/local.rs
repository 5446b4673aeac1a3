//! What can be looked at on this machine: the program, the terminal, the files.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Mutex;

use super::Findings;
use super::asked::{self, Asked};
use super::origin::Origin;
use crate::cli::Session;
use crate::cli::studio::{capability, on_path};
use crate::domain::{BUILT, text};
use crate::runtime::journals::kept_aside;
use crate::settings::{
    CredentialSource, CredentialStore, Credentials, Depth, LOCAL_PROFILE, Multiplexer, TerminalSetting,
};
use crate::studio::Keymap;
use crate::terminal::Capability;
use crate::uploads::bytes;

/// Looks at all of it.
pub(super) fn look(session: &Session, raw: &Mutex<()>, findings: &mut Findings) {
    program(session, findings);
    terminal(session, raw, findings);
    files(session, findings);
    credential(session, findings);
}

fn program(session: &Session, findings: &mut Findings) {
    findings.begin("Program");
    findings.good("version", BUILT.short());
    findings.good("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    match on_path(&session.environment, "ffmpeg") {
        Some(path) => findings.good("ffmpeg", format!("{}: makes posters and frames of videos", path.display())),
        // It is a thing more, not one that is missing.
        None => findings.good("ffmpeg", "not on the PATH; with it, videos get posters and v shows their frames"),
    }
}

fn terminal(session: &Session, raw: &Mutex<()>, findings: &mut Findings) {
    findings.begin("Terminal");
    let variable = |name: &str| session.environment.get(name).unwrap_or("not set").to_owned();
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if on_terminal {
        findings.good("kind", variable("TERM"));
    } else {
        findings.care("kind", "not a terminal", "run the studio in a terminal; other commands work without one");
    }
    let capability = capability(session);
    let asked = asked::ask(session, &capability, raw);
    colors(session, &capability, &asked, findings);
    if capability.ascii {
        findings.care(
            "characters",
            "ASCII only",
            "set a UTF-8 locale, such as LANG=C.UTF-8, to see borders and pictures",
        );
    } else {
        findings.good("characters", format!("UTF-8 ({})", variable("LANG")));
    }
    links(session, &capability, findings);
    signs(session, &capability, findings);
    background(session, &capability, &asked, findings);
    super::drawing::look(session, &capability, &asked, findings);
    multiplexer(session, &capability, findings);
    if capability.remote {
        findings.good("connection", "remote: addresses are shown and copied, not opened");
    }
    if let (true, Ok((columns, rows))) = (on_terminal, crossterm::terminal::size()) {
        let found = format!("{columns}x{rows}");
        if columns < 80 || rows < 24 {
            findings.care("size", found, "make the window at least 80x24");
        } else {
            findings.good("size", found);
        }
    }
}

/// How many colors it shows.
fn colors(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    let get = |name: &str| session.environment.get(name);
    let is_said = matches!(get("COLORTERM"), Some("truecolor" | "24bit"));
    let named = Capability::of(|name| get(name).map(str::to_owned)).depth;
    let hand = Origin::of_hand(session, TerminalSetting::Colors);
    let (depth, origin) = match hand {
        Some(origin) => (capability.depth, origin),
        None if asked.direct && capability.asks_colors => (Depth::True, Origin::Terminal),
        None if get("NO_COLOR").is_some() => (capability.depth, Origin::Variable("NO_COLOR")),
        None if is_said && capability.depth == Depth::True => (Depth::True, Origin::Variable("COLORTERM")),
        None if named == capability.depth => (named, Origin::Name("the terminal's name")),
        None => (capability.depth, Origin::Database),
    };
    let more = "set COLORTERM=truecolor, or colors in config.toml, if the terminal shows more";
    let (words, fix) = match depth {
        Depth::True => ("24-bit", None),
        Depth::Indexed => ("256", Some(more)),
        Depth::Basic => ("16", Some(more)),
        Depth::Mono if origin == Origin::Variable("NO_COLOR") => ("none", Some("unset NO_COLOR to see colors")),
        Depth::Mono => ("none", Some(more)),
    };
    match fix.filter(|_| hand.is_none()) {
        Some(fix) => findings.care("colors", format!("{words}, {origin}"), fix),
        None => findings.good("colors", format!("{words}, {origin}")),
    }
    findings.from(origin);
}

/// Whether addresses are links.
fn links(session: &Session, capability: &Capability, findings: &mut Findings) {
    let hand = Origin::of_hand(session, TerminalSetting::Links);
    let origin = hand.unwrap_or(Origin::Name("the terminal's name"));
    let found = match (capability.links, session.target.terminal.is_on(TerminalSetting::Links)) {
        (true, _) => format!("yes, {origin}: addresses open with the terminal's own click"),
        (false, Some(false)) => format!("off, {origin}; o opens addresses"),
        (false, Some(true)) => {
            format!("not here, though on {origin}: this terminal may show them as text; o opens addresses")
        }
        (false, None) if !capability.bears_links => {
            "not here: this terminal may show them as text; o opens addresses".to_owned()
        }
        (false, None) => "not known; o opens addresses; links = \"on\" in config.toml makes links of them".to_owned(),
    };
    findings.good("links", found);
    findings.from(origin);
}

/// How wide lines are, and other signs on which terminals for East Asia differ from all others.
fn signs(session: &Session, capability: &Capability, findings: &mut Findings) {
    let hand = Origin::of_hand(session, TerminalSetting::AmbiguousWidth);
    let origin = hand.unwrap_or(Origin::Variable("the locale"));
    if capability.wide_signs {
        findings.care(
            "line width",
            format!("lines may take two columns, {origin}"),
            "set ambiguous_width = \"narrow\" in config.toml if borders are straight; else have the terminal draw \
             ambiguous characters narrow",
        );
    } else if hand.is_some() {
        findings.good("line width", format!("lines take one column, {origin}"));
    } else {
        findings.good("line width", "lines take one column");
    }
    findings.from(origin);
}

fn background(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    let shade = |light: bool| if light { "light" } else { "dark" };
    match (session.target.theme.is_some(), asked.light, capability.light) {
        (true, ..) => findings.good("background", "not asked: a theme is set"),
        (_, Some(light), _) => findings.known("background", shade(light), Origin::Terminal),
        (.., Some(light)) => findings.known("background", shade(light), Origin::Variable("COLORFGBG")),
        _ if asked.has_answered && capability.asks_background => findings.care(
            "background",
            "unknown: the terminal doesn't say",
            "set theme in config.toml to light or dark",
        ),
        _ if capability.asks_background => {
            findings.good("background", "asked when the studio starts; it chooses the light or the dark theme");
        }
        _ => {
            let fix = "set theme in config.toml to light or dark";
            findings.care("background", "unknown: this terminal isn't asked", fix);
        }
    }
}

/// What stands between the studio and the terminal.
fn multiplexer(session: &Session, capability: &Capability, findings: &mut Findings) {
    let hand = Origin::of_hand(session, TerminalSetting::Multiplexer);
    let words = match capability.through {
        Some(Multiplexer::Tmux) => "tmux",
        Some(Multiplexer::Screen) => "GNU screen",
        None => "none",
    };
    findings.known("multiplexer", words, hand.unwrap_or(Origin::Name("TERM, TMUX and STY")));
    if capability.through == Some(Multiplexer::Tmux) && session.environment.get("TMUX").is_some() {
        let shown = |scope: &str, name: &str| {
            let asked = std::process::Command::new("tmux").args(["show-options", scope, name]).output().ok()?;
            asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).trim().to_owned())
        };
        if let Some(origin) = Origin::of_hand(session, TerminalSetting::Passthrough).filter(|_| capability.passes) {
            if shown("-Awv", "allow-passthrough").as_deref() == Some("off") {
                findings.care(
                    "tmux passthrough",
                    format!("on, {origin}, but tmux doesn't allow it"),
                    "tmux set-option -g allow-passthrough on",
                );
            } else {
                findings.good("tmux passthrough", format!("on, {origin}: kitty's pictures go through tmux"));
            }
            findings.from(origin);
        }
        match shown("-sv", "set-clipboard").as_deref() {
            Some("off") => findings.care(
                "tmux set-clipboard",
                "off: what you copy doesn't reach your terminal",
                "tmux set-option -s set-clipboard on",
            ),
            Some(set) => findings.good("tmux set-clipboard", text::line(set)),
            None => findings.good("tmux set-clipboard", "unknown"),
        }
        match shown("-sv", "escape-time").and_then(|set| set.parse::<u32>().ok()) {
            Some(time @ 51..) => findings.care(
                "tmux escape-time",
                format!("{time} ms: the Esc key acts that late"),
                "tmux set-option -s escape-time 10",
            ),
            Some(time) => findings.good("tmux escape-time", format!("{time} ms")),
            None => findings.good("tmux escape-time", "unknown"),
        }
    } else if capability.through == Some(Multiplexer::Screen) && !capability.mouse {
        findings.care(
            "GNU screen",
            "the mouse is off: while it is on, screen holds the Esc key back",
            "use tmux, or work without the mouse; every command has a key",
        );
    }
}

fn files(session: &Session, findings: &mut Findings) {
    findings.begin("Files");
    match session.folders.config_file() {
        Err(error) => findings.bad("configuration", error.to_string(), "set HOME or XDG_CONFIG_HOME"),
        Ok(path) if !path.exists() => {
            findings.good("configuration", format!("{}: not there; defaults are used", path.display()));
        }
        Ok(path) if session.config.warnings.is_empty() => findings.good("configuration", path.display().to_string()),
        Ok(_) => {
            for warning in &session.config.warnings {
                findings.bad("configuration", warning.clone(), "fix or remove that line");
            }
        }
    }
    if let Ok(folder) = session.folders.config() {
        let keymap = crate::settings::read_text(&folder.join("keymap.toml"));
        let faults = match keymap {
            Ok(own) => {
                let (keymap, faults) = Keymap::load(own.as_deref());
                for note in keymap.notes(capability(session).sends_all) {
                    findings.care("keys", note.to_string(), "change that line of keymap.toml, or leave it");
                }
                faults
            }
            Err(fault) => vec![fault],
        };
        for fault in faults {
            findings.bad("keys", fault.to_string(), "press ? in the studio for all commands and keys");
        }
    }
    if let Ok(state) = session.folders.state() {
        damaged_drafts(&state.join("drafts"), findings);
    }
    for (what, folder) in [("data", session.folders.data()), ("state", session.folders.state())] {
        match folder {
            Err(error) => findings.bad(what, error.to_string(), "set HOME"),
            Ok(folder) => match writable(folder) {
                Ok(()) => findings.good(what, folder.display().to_string()),
                Err(error) => {
                    findings.bad(what, format!("{}: {error}", folder.display()), "make this folder writable");
                }
            },
        }
    }
}

/// Damaged drafts that are kept: they stay for 30 days.
fn damaged_drafts(folder: &Path, findings: &mut Findings) {
    let (count, size) = kept_aside(folder);
    if count > 0 {
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let found = format!("{files} kept from damaged drafts, {}", bytes(size));
        let names = folder.join("*.draft.broken-*");
        findings.care(
            "drafts",
            found,
            format!("they are deleted after 30 days; copy {} elsewhere to keep them", names.display()),
        );
    }
}

/// That a file can be made in a folder, or in the nearest one above it that is there.
fn writable(folder: &Path) -> std::io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
    tempfile::tempfile_in(there).map(drop)
}

fn credential(session: &Session, findings: &mut Findings) {
    findings.begin("Credential");
    if let Ok(path) = session.folders.credentials_file() {
        match Credentials::read(&path) {
            Err(error) => findings.bad("file", error.to_string(), "chmod 600 the file, fix it, or sign in again"),
            Ok(_) if path.exists() => findings.good("file", format!("{}, readable only by you", path.display())),
            Ok(_) => findings.good("file", format!("{}: not there yet", path.display())),
        }
    }
    match CredentialStore::new(&session.folders, &session.environment) {
        Ok(store) if store.has_keyring() => findings.good("keyring", "available; used before the file"),
        _ if cfg!(feature = "keyring") => findings.good("keyring", "not available (no session bus); the file is used"),
        _ => findings.good("keyring", "not in this build; the file is used"),
    }
    let target = &session.target;
    let profile = target.name();
    match target.credential_source {
        CredentialSource::Missing if target.refused.is_some() => {
            let why = target.refused.clone().unwrap_or_default();
            findings.bad("in use", why, "leave out the address, or sign in there with another profile");
        }
        CredentialSource::Missing => findings.bad(
            "in use",
            format!("none for {profile}"),
            format!("cutaway login --profile {profile:?}, or set CUTAWAY_API_KEY"),
        ),
        source if profile == LOCAL_PROFILE => findings.good("in use", source.to_string()),
        source => {
            let kind = target.credential.as_ref().map_or("credential", |secret| secret.kind());
            findings.good("in use", format!("{kind} from: {source}"));
        }
    }
    if let Some(reason) = target.read_only {
        findings.good("read-only", format!("yes, by {reason}"));
    }
    if target.live {
        findings.good("live", "yes: commands ask before they change anything");
    }
}
