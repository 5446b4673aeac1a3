//! The Account screen drawn: the profiles, and beside them what is known of the selected one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Account;
use crate::domain::text;
use crate::settings::{LOCAL_PROFILE, Profile};
use crate::studio::ground::{Moment, Remote};
use crate::studio::widgets::{Ink, Panel, Role, piece, put, put_right, scrollbar, select, width};

/// What is below the header, where there is room for one.
fn below_header(area: Rect) -> Rect {
    let header = u16::from(area.height >= 8);
    Rect { y: area.y + header, height: area.height - header, ..area }
}

/// Where the list stands.
pub(super) fn list_area(area: Rect) -> Rect {
    let area = below_header(area);
    if area.width >= 90 { Rect { width: area.width * 2 / 5, ..area } } else { Rect { height: area.height / 2, ..area } }
}

fn detail_area(area: Rect) -> Rect {
    let list = list_area(area);
    let area = below_header(area);
    if list.width < area.width {
        Rect { x: area.x + list.width, width: area.width - list.width, ..area }
    } else {
        Rect { y: area.y + list.height, height: area.height - list.height, ..area }
    }
}

impl Account {
    /// Who is signed in, in a few words.
    pub(super) fn signed_in(&self) -> (Role, String) {
        let (role, who) = match &self.who {
            Remote::Ready(who) => {
                // Guests are one owner's: what tells them apart is the key.
                let who = self.guest.as_ref().unwrap_or(who);
                (Role::Text, format!("Signed in as {}", text::line(who)))
            }
            Remote::Failed { .. } if self.is_refused => (Role::Error, "Not signed in".to_owned()),
            Remote::Failed { problem, .. } => {
                (Role::Error, format!("Couldn't ask who is signed in: {}", text::line(problem)))
            }
            Remote::Loading { .. } => (Role::Dim, "Signing in …".to_owned()),
            Remote::Idle => (Role::Dim, "Not connected".to_owned()),
        };
        match &self.credential {
            Some(from) => (role, format!("{who} · {}", text::line(from))),
            None => (Role::Warn, "Not signed in: press ‹account.sign_in›".to_owned()),
        }
    }

    /// What is known of the selected profile: label, role and value of each line. What is in use comes first where it is
    /// none of the profiles'.
    pub(super) fn details(&self) -> Vec<(&'static str, Role, String)> {
        let mut lines = Vec::new();
        if let Some(base) = &self.in_use {
            let credential = self.credential.as_deref().unwrap_or("no credential");
            let said = format!("{base}, given at the start; {credential}");
            lines.push(("In use", Role::Text, text::line(&said).into_owned()));
        }
        let Some(known) = self.chosen_profile() else { return lines };
        let (profile, current) = (&known.profile, known.name == self.current);
        let mut say = |label, role, value: String| lines.push((label, role, text::line(&value).into_owned()));
        if current {
            match &self.who {
                // Guests are one owner's, whose address is not theirs to know: the key says who they are.
                Remote::Ready(_) if self.guest.is_some() => {}
                Remote::Ready(who) => say("Signed in", Role::Text, who.clone()),
                Remote::Failed { problem, .. } => {
                    let problem = problem.trim_end_matches('.');
                    say("Signed in", Role::Error, format!("{problem}. ‹app.retry› retries."));
                }
                Remote::Loading { .. } => say("Signed in", Role::Dim, "asking …".to_owned()),
                Remote::Idle => say("Signed in", Role::Dim, "not known yet".to_owned()),
            }
            let credential = self.credential.clone();
            let role = if credential.is_some() { Role::Text } else { Role::Warn };
            say(
                "Credential",
                role,
                credential
                    .map_or("not signed in: press ‹account.sign_in›".to_owned(), |from| format!("{from}, in use")),
            );
        } else {
            let credential = known.credential.clone();
            let role = if credential.is_some() { Role::Text } else { Role::Dim };
            say("Credential", role, credential.unwrap_or_else(|| "not signed in: press ‹account.sign_in›".to_owned()));
        }
        if let Some(guest) = &self.guest {
            say("SSH key", Role::Text, guest.clone());
            say("Service", Role::Text, "the workspace of this server".to_owned());
        } else if known.name == LOCAL_PROFILE {
            let beside = if current && self.in_use.is_some() { "; not in use now" } else { "" };
            say("Service", Role::Text, format!("the local workspace, on this computer{beside}"));
            say(
                "Your shop",
                Role::Text,
                "‹account.new› connects your own shop: its address, then ‹account.sign_in› signs in".to_owned(),
            );
        }
        for (label, url) in [
            ("Service", &profile.base_url),
            ("Fallback host", &profile.lb_base_url),
            ("Upload host", &profile.upload_url),
            ("Sign-in host", &profile.auth_url),
        ] {
            if let Some(url) = url {
                say(label, Role::Text, url.to_string());
            }
        }
        match &self.read_only {
            Some(why) if current => {
                let leave = match why.as_str() {
                    "profile" => "; ‹account.edit› edits it",
                    "your SSH key" => "",
                    _ => "; restart to change it",
                };
                say("Read-only", Role::Warn, format!("yes, by {why}{leave}"));
            }
            _ if profile.read_only => say("Read-only", Role::Warn, "yes".to_owned()),
            _ => {}
        }
        if profile.live {
            say("Production", Role::Warn, "yes: asks before each change".to_owned());
        }
        say_look(profile, &mut say);
        lines
    }
}

/// How a profile looks, and its stores.
fn say_look(profile: &Profile, say: &mut impl FnMut(&'static str, Role, String)) {
    for (label, value) in [("Color", &profile.colour), ("Theme", &profile.theme)] {
        if let Some(value) = value {
            say(label, Role::Text, value.clone());
        }
    }
    if let Some(store) = &profile.app_url {
        say("First store", Role::Text, store.to_string());
    }
    for store in &profile.stores {
        let shown = match &store.name {
            Some(name) => format!("{name}  {}", store.url),
            None => store.url.to_string(),
        };
        say("Store", Role::Text, shown);
    }
}

/// Draws the screen.
pub(super) fn view(account: &Account, buf: &mut Buffer, ink: Ink, _now: Moment) {
    let list = list_area(account.area);
    let count = match account.profiles.len() {
        1 => "1 profile".to_owned(),
        count => format!("{count} profiles"),
    };
    // Who is signed in stands above, whichever profile is selected, also where the open one is none of the list.
    if list.y > account.area.y {
        let (role, signed_in) = account.signed_in();
        let room = account.area.width.saturating_sub(2);
        put(buf, ink, (account.area.x + 1, account.area.y), room, &signed_in, ink.style(role));
    }
    let panel = Panel { title: "Account", right: vec![piece(Role::Dim, count)], focused: true, ..Panel::default() };
    let inside = panel.draw(buf, ink, list);
    for ((known, selected), y) in account.profiles.seen().zip(inside.y..inside.bottom()) {
        let here = if known.name == account.current { ink.sign("● ", "* ") } else { "  " };
        let mut words = Vec::new();
        for (on, word) in [
            (known.profile.live, "production"),
            (known.profile.read_only, "read-only"),
            (known.is_default, "default"),
            (known.credential.is_none() && known.name != LOCAL_PROFILE, "not signed in"),
        ] {
            if on {
                words.push(word);
            }
        }
        let words = words.join(", ");
        let taken = width(&words).min(inside.width / 2);
        let role = if known.name == account.current { Role::Accent } else { Role::Text };
        let room = inside.width.saturating_sub(taken + 4);
        let name = format!("{here}{}", text::line(&known.name));
        put(buf, ink, (inside.x + 2, y), room, &name, ink.style(role));
        put_right(buf, ink, (inside.right().saturating_sub(taken + 1), y), taken, &words, ink.style(Role::Dim));
        if selected {
            select(buf, ink, Rect { y, height: 1, ..inside });
        }
    }
    scrollbar(buf, ink, list, account.profiles.top(), usize::from(inside.height), account.profiles.len());

    let name = account.chosen_profile().map(|known| text::line(&known.name).into_owned()).unwrap_or_default();
    let area = detail_area(account.area);
    let inside = Panel { title: &name, ..Panel::default() }.draw(buf, ink, area);
    let mut y = inside.y;
    for (label, role, value) in account.details() {
        for (at, line) in ink.wrap(&value, inside.width.saturating_sub(17)).iter().enumerate() {
            if y >= inside.bottom() {
                return;
            }
            if at == 0 {
                put(buf, ink, (inside.x + 1, y), 14, label, ink.style(Role::Dim));
            }
            put(buf, ink, (inside.x + 16, y), inside.width.saturating_sub(17), line, ink.style(role));
            y += 1;
        }
    }
}
