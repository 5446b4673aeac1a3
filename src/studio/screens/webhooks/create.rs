//! The form of a new subscription: the event, explained, and the address, checked as it is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use url::Url;

use crate::domain::{Webhook, WebhookEvent, address_problem};
use crate::settings::{Key, is_loopback};
use crate::studio::ground::Command;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, RowCursor, put};

/// What each event tells of, for people.
#[must_use]
pub fn explained(event: &WebhookEvent) -> &'static str {
    match event {
        WebhookEvent::ResponseSummary => "A viewer's answers, sent when the visit ends.",
        WebhookEvent::CollectedInfo => "A viewer's details, sent with the form.",
        WebhookEvent::Conversion => "A viewer bought something.",
        WebhookEvent::Other(_) => "This event is not in the API specification.",
    }
}

/// What is to be said of an address: nothing, a word of care, or why it will not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It will do.
    Good,
    /// It will do, but.
    Care(&'static str),
    /// It will not do.
    Wrong(&'static str),
}

/// Looks at an address as it stands.
#[must_use]
pub fn check(text: &str, event: &WebhookEvent, there: &[Webhook]) -> Check {
    let text = text.trim();
    if let Some(problem) = address_problem(text) {
        return Check::Wrong(problem);
    }
    let Ok(url) = Url::parse(text) else { return Check::Wrong("this host can't be read") };
    if !url.username().is_empty() || url.password().is_some() {
        return Check::Wrong("remove the user name and password");
    }
    let same = |webhook: &Webhook| webhook.event == *event && Url::parse(&webhook.url).is_ok_and(|known| known == url);
    if there.iter().any(same) {
        return Check::Care("this address already gets this event: it would get it twice");
    }
    if is_loopback(&url) {
        return Check::Care("only a service on this computer can reach it");
    }
    if url.scheme() == "http" {
        return Check::Care("not encrypted: others on the network can read viewers' data");
    }
    Check::Good
}

/// A subscription being written.
#[derive(Debug, Clone, Default)]
pub struct NewWebhook {
    event: RowCursor,
    line: LineEdit,
    /// Whether the address is typed, and not the event chosen.
    on_address: bool,
    /// Whether it was to be created as it stands: then also nothing is said to be wrong.
    tried: bool,
}

impl NewWebhook {
    /// A new one, with this address to begin with.
    #[must_use]
    pub fn new(address: &str) -> Self {
        Self { line: LineEdit::with(address), ..Self::default() }
    }

    /// The address as it stands.
    #[must_use]
    pub fn address(&self) -> &str {
        self.line.text()
    }

    /// Puts an address in the place of the one that was typed.
    pub fn retype(&mut self, address: &str) {
        self.line = LineEdit::with(address);
        self.on_address = true;
    }

    fn event(&self) -> WebhookEvent {
        WebhookEvent::ALL.get(self.event.selected).cloned().unwrap_or_default()
    }

    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.on_address
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        if self.on_address {
            self.line.key(key);
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str) {
        self.on_address = true;
        self.line.paste(pasted.trim());
    }

    /// Takes a command; what is to be created, once it is.
    pub fn command(&mut self, command: Command, there: &[Webhook]) -> Option<(WebhookEvent, String)> {
        let all = WebhookEvent::ALL.len();
        match command {
            Command::Up if self.on_address => self.on_address = false,
            Command::Up | Command::PreviousPane => {
                self.on_address = false;
                self.event.step(-1, all, all);
            }
            Command::Down if !self.on_address && self.event.selected + 1 == all => self.on_address = true,
            Command::NextPane => self.on_address = !self.on_address,
            // It creates, from any field; what is missing for that is gone to.
            Command::Open => {
                let url = self.line.text().trim().to_owned();
                if !matches!(check(&url, &self.event(), there), Check::Wrong(_)) {
                    return Some((self.event(), url));
                }
                self.tried = std::mem::replace(&mut self.on_address, true);
            }
            _ if self.on_address => {}
            command => drop(self.event.command(command, all, all)),
        }
        None
    }

    /// Draws the form and gives the cursor's place.
    pub fn view(&self, buf: &mut Buffer, ink: Ink, area: Rect, there: &[Webhook]) -> Option<(u16, u16)> {
        let panel = Panel { title: "New webhook", focused: true, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        let room = inside.width.saturating_sub(4);
        let mut y = inside.y;
        let mut say = |x: u16, role: Role, words: &str| {
            for line in wrap(words, room.saturating_sub(x)) {
                if y < inside.bottom() {
                    if role == Role::Accent {
                        ink.stands((inside.x + 1 + x, y));
                    }
                    put(buf, ink, (inside.x + 1 + x, y), room, &line, ink.style(role));
                }
                y += 1;
            }
        };
        say(0, Role::Dim, "Which event?");
        for (at, event) in WebhookEvent::ALL.iter().enumerate() {
            let chosen = at == self.event.selected;
            let mark = if chosen { ink.sign("●", "*") } else { ink.sign("○", ".") };
            let role = if chosen && !self.on_address { Role::Accent } else { Role::Text };
            say(0, role, &format!("{mark} {}", event.as_str()));
            say(2, Role::Dim, explained(event));
        }
        say(0, Role::Dim, "Send it to (URL)");
        let typed_at = y;
        if typed_at >= inside.bottom() {
            return None;
        }
        put(buf, ink, (inside.x + 1, typed_at), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        let cursor = self.line.draw(buf, ink, (inside.x + 3, typed_at), room.saturating_sub(2));
        let (role, words) = match check(self.line.text(), &self.event(), there) {
            _ if self.line.text().is_empty() && !self.tried => (Role::Faint, "https://…"),
            Check::Good => (Role::Ok, "looks good"),
            Check::Care(words) => (Role::Warn, words),
            Check::Wrong(words) => (Role::Error, words),
        };
        if typed_at + 1 < inside.bottom() {
            put(buf, ink, (inside.x + 3, typed_at + 1), room, words, ink.style(role));
        }
        self.on_address.then_some(cursor)
    }

    /// The form as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        let mark = |is_current: bool| if is_current { ">" } else { " " };
        for (at, event) in WebhookEvent::ALL.iter().enumerate() {
            let is_selected = at == self.event.selected;
            let selected = if is_selected { "; selected" } else { "" };
            let mark = mark(is_selected && !self.on_address);
            lines.push(format!("{mark} {}: {}{selected}", event.as_str(), explained(event)));
        }
        lines.push(format!("{} Address: {}", mark(self.on_address), self.line.text()));
    }

    /// Which of its rows is current, of how many: the events, then the address.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        let events = WebhookEvent::ALL.len();
        (if self.on_address { events } else { self.event.selected }, events + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_as_they_are_typed() {
        let there = [Webhook {
            url: "https://a.example/hook".to_owned(),
            event: WebhookEvent::Conversion,
            ..Webhook::default()
        }];
        let said = |text: &str| check(text, &WebhookEvent::Conversion, &there);
        assert_eq!(said("https://b.example/x"), Check::Good);
        for wrong in ["", "http", "https://", "ftp://a.example", "a.example", "https://me:pw@a.example"] {
            assert!(matches!(said(wrong), Check::Wrong(_)), "{wrong}");
        }
        for care in ["http://b.example", "http://127.0.0.1:7228", "https://a.example/hook"] {
            assert!(matches!(said(care), Check::Care(_)), "{care}");
        }
        assert_eq!(check("https://a.example/hook", &WebhookEvent::CollectedInfo, &there), Check::Good);
    }
}
