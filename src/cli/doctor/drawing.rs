//! How the terminal is drawn on, and where that is known from: what was set by hand, what the terminal answered, its name, a
//! variable, the terminal database.

use super::Findings;
use super::asked::Asked;
use super::origin::Origin;
use crate::cli::Session;
use crate::cli::studio::terminfo_of;
use crate::domain::text;
use crate::settings::{Graphics, Multiplexer, TerminalSetting};
use crate::terminal::Capability;

/// Looks at all of it.
pub(super) fn look(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    database(session, findings);
    if session.is_plain {
        return findings.good("screen", "not drawn on: the studio is a dialogue of lines here (--plain)");
    }
    questions(session, capability, asked, findings);
    pictures(session, capability, asked, findings);
    clipboard(session, capability, findings);
    mouse(session, capability, findings);
    keyboard(session, capability, asked, findings);
    shortcuts(session, capability, findings);
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

/// Whether the terminal answers.
fn questions(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    let origin = Origin::of_hand(session, TerminalSetting::AskTerminal);
    match origin {
        Some(origin) if capability.silent => findings.good("questions", format!("none are asked, {origin}")),
        _ if asked.has_answered => findings.good("questions", "the terminal answers"),
        _ if asked.any_question => findings.care(
            "questions",
            "the terminal doesn't answer",
            "set ask_terminal = \"off\" in config.toml if it shows odd characters when the studio starts",
        ),
        _ => findings.good("questions", "asked when the studio starts"),
    }
    if let Some(origin) = origin {
        findings.from(origin);
    }
}

fn pictures(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    let plain = capability.plain_graphics();
    let (way, origin) = match (session.target.terminal.pictures(), Origin::of_hand(session, TerminalSetting::Pictures))
    {
        (Some(set), Some(origin)) => (set, origin),
        _ if capability.asks && asked.has_answered => (capability.graphics(&asked.answers), Origin::Terminal),
        _ if capability.asks => {
            let least = words(plain);
            let found = format!("asked when the studio starts (kitty, iTerm2, sixel); {least} without an answer");
            return findings.good("pictures", found);
        }
        _ if plain == Graphics::Off => return findings.good("pictures", "off, without colors or with ASCII only"),
        _ => {
            let found =
                format!("{}, as this terminal isn't asked; pictures in config.toml chooses another way", words(plain));
            findings.good("pictures", found);
            return findings.from(Origin::Name("TERM"));
        }
    };
    findings.known("pictures", words(way), origin);
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

fn clipboard(session: &Session, capability: &Capability, findings: &mut Findings) {
    let hand = Origin::of_hand(session, TerminalSetting::Clipboard);
    let origin = hand.unwrap_or(Origin::Name("TERM"));
    let found = match (capability.clipboard, capability.copies_through) {
        (false, _) if hand.is_some() => format!("off, {origin}; what is copied is shown instead"),
        (false, _) => {
            format!("not here, {origin}: this terminal may print it (OSC 52); what is copied is shown instead")
        }
        (true, Some(Multiplexer::Tmux)) => format!("sent through tmux (OSC 52), {origin}"),
        (true, Some(Multiplexer::Screen)) => format!("sent through GNU screen (OSC 52), {origin}"),
        (true, None) => format!("sent to the terminal (OSC 52), {origin}"),
    };
    findings.good("clipboard", found);
    findings.from(origin);
}

fn mouse(session: &Session, capability: &Capability, findings: &mut Findings) {
    match (capability.mouse, Origin::of_hand(session, TerminalSetting::Mouse)) {
        (true, Some(origin)) => findings.known("mouse", "on", origin),
        (false, Some(origin)) => findings.known("mouse", "off", origin),
        (true, None) => findings.good("mouse", "on; with Shift the terminal selects text itself"),
        (false, None) => {
            findings.good("mouse", "off inside GNU screen");
            findings.from(Origin::Name("TERM"));
        }
    }
}

fn keyboard(session: &Session, capability: &Capability, asked: &Asked, findings: &mut Findings) {
    const ALL: &str = "every key arrives as itself";
    const SOME: &str = "some keys arrive as others";
    let (has, origin) = match Origin::of_hand(session, TerminalSetting::KeyboardProtocol) {
        Some(origin) => (capability.sends_all, origin),
        None if asked.has_answered => (asked.keyboard, Origin::Terminal),
        None if capability.sends_all && !capability.silent => (true, Origin::Name("the terminal's name")),
        None if capability.silent => {
            return findings.good("keyboard protocol", format!("not asked for; {SOME}"));
        }
        None => {
            let found = format!("asked when the studio starts; without an answer {SOME}");
            return findings.good("keyboard protocol", found);
        }
    };
    let found = if has { format!("yes, {origin}: {ALL}") } else { format!("no, {origin}: {SOME}") };
    findings.good("keyboard protocol", found);
    findings.from(origin);
}

/// What it does with many cells at once.
fn shortcuts(session: &Session, capability: &Capability, findings: &mut Findings) {
    let known = capability.shortcuts;
    let all = [
        (known.ends, "EL"),
        (known.erases, "ECH"),
        (known.colored, "in color"),
        (known.repeats, "REP"),
        (known.inserts, "ICH and DCH"),
        (known.scrolls, "scroll regions"),
        (known.margins, "left and right margins"),
        (known.syncs, "synchronized output"),
    ];
    let names: Vec<&str> = all.into_iter().filter_map(|(is_known, name)| is_known.then_some(name)).collect();
    let is_listed = terminfo_of(&session.environment).is_some();
    let from = if is_listed { "TERM and the terminal database" } else { "TERM" };
    let origin = Origin::of_hand(session, TerminalSetting::Shortcuts).unwrap_or(Origin::Name(from));
    findings.known("shortcuts", if names.is_empty() { "none".to_owned() } else { names.join(", ") }, origin);
}
