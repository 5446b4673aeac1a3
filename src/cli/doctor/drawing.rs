//! How the terminal is drawn on, and where that is known from: its name, a variable, the terminal database, a setting.

use super::Findings;
use crate::cli::Session;
use crate::cli::studio::terminfo_of;
use crate::domain::text;
use crate::settings::Graphics;
use crate::terminal::{Capability, Multiplexer};

/// Looks at all of it.
pub(super) fn look(session: &Session, capability: &Capability, findings: &mut Findings) {
    database(session, findings);
    findings.good("pictures", pictures(session, capability));
    findings.good("clipboard", clipboard(capability));
    findings.good(
        "mouse",
        if capability.mouse { "on; with Shift the terminal selects text itself" } else { "off inside GNU screen" },
    );
    findings.good("keyboard protocol", keyboard(capability));
    findings.good("shortcuts", shortcuts(session, capability));
}

/// Whether the terminal database knows the terminal.
fn database(session: &Session, findings: &mut Findings) {
    let term = session.environment.get("TERM").unwrap_or_default();
    match terminfo_of(&session.environment) {
        Some((path, _)) => findings.good("terminal database", text::line(&path.display().to_string())),
        None if term.is_empty() => findings.good("terminal database", "not asked: TERM isn't set"),
        None => findings.care(
            "terminal database",
            format!("no entry for TERM={}", text::line(term)),
            "install the terminal's terminfo entry here (for most, the package ncurses-term)",
        ),
    }
}

fn pictures(session: &Session, capability: &Capability) -> String {
    let (way, from) = match (session.target.pictures, capability.plain_graphics()) {
        (Some(set), _) => (set, "by pictures in config.toml"),
        (None, plain) if capability.asks => {
            let least = words(plain);
            return format!("asked when the studio starts (kitty, iTerm2, sixel); {least} without an answer");
        }
        (None, Graphics::Off) => (Graphics::Off, "without colors or with ASCII only"),
        (None, plain) => (plain, "as this terminal isn't asked; pictures in config.toml chooses another way"),
    };
    format!("{}, {from}", words(way))
}

fn words(way: Graphics) -> &'static str {
    match way {
        Graphics::Off => "off",
        Graphics::Blocks => "colored blocks",
        Graphics::Sixel => "sixel",
        Graphics::Iterm2 => "iTerm2's files",
        Graphics::Kitty { .. } => "kitty's protocol",
    }
}

fn clipboard(capability: &Capability) -> &'static str {
    match (capability.clipboard, capability.through) {
        (false, _) => "not here, by TERM: this terminal may print it (OSC 52); what is copied is shown instead",
        (true, Some(Multiplexer::Tmux)) => "sent through tmux (OSC 52)",
        (true, Some(Multiplexer::Screen)) => "sent through GNU screen (OSC 52)",
        (true, None) => "sent to the terminal (OSC 52), by TERM",
    }
}

fn keyboard(capability: &Capability) -> &'static str {
    if capability.sends_all {
        "yes, by the terminal's name: every key arrives as itself"
    } else {
        "asked when the studio starts; without an answer some keys arrive as others"
    }
}

/// What it does with many cells at once.
fn shortcuts(session: &Session, capability: &Capability) -> String {
    let known = capability.shortcuts;
    let all = [
        (known.ends, "EL"),
        (known.erases, "ECH"),
        (known.colored, "in color"),
        (known.repeats, "REP"),
        (known.inserts, "ICH and DCH"),
    ];
    let names: Vec<&str> = all.into_iter().filter_map(|(is_known, name)| is_known.then_some(name)).collect();
    let from = if terminfo_of(&session.environment).is_some() { "TERM and the terminal database" } else { "TERM" };
    if names.is_empty() { format!("none, by {from}") } else { format!("{}, by {from}", names.join(", ")) }
}
