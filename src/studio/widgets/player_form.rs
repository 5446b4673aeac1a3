//! The settings of a project's player as a form: what each is called, what its value may be, and what it is now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Map, Value, json};

use super::paint::wrap;
use super::{Ink, LineEdit, Role, RowCursor, put, scrollbar, select};
use crate::domain::{PlayerChange, PlayerSettings, Reader, setting_text, text};
use crate::settings::Key;
use crate::studio::ground::{Command, Mouse};

/// A setting: its name on the wire, what it is called on the screen, and what its value may be.
pub type Setting = (&'static str, &'static str, &'static str);

/// Every setting, in the order in which they are shown.
pub const SETTINGS: [Setting; 14] = [
    ("brandColor", "Brand color", "A color such as #0a7cff, for the main buttons. Their text is black or white."),
    ("font", "Font", "system, serif, rounded or mono."),
    ("fontUrl", "Font file", "The https address of a WOFF2 file."),
    ("logoUrl", "Logo", "The https address of a picture."),
    ("language", "Language", "The project's language, such as de or pt-BR."),
    ("transparent", "Transparent", "yes: the page around an embedded player shows through."),
    ("formFields", "Form asks for", "Comma-separated: name, email, phone. none: no form."),
    ("formText", "Text before the form", "\\n starts a new line."),
    ("consentText", "Consent", "What viewers agree to before they send the form."),
    ("privacyUrl", "Privacy policy", "Its https address."),
    ("endText", "End screen", "Text of the end screen."),
    ("shopUrl", "Link to the shop", "The https address that the end screen links to."),
    ("shopText", "Text of the shop link", "For example: See all gifts."),
    ("embedOrigins", "Who may embed it", "Comma-separated, such as https://shop.example.com. none: nobody."),
];

/// Where the values begin: behind the longest name.
const VALUES: u16 = 24;
/// Lines under the settings: what the value may be, and what is wrong with the one that was typed.
const BELOW: u16 = 4;

/// The value that a typed text means; null where it is empty.
#[must_use]
pub fn value_of(name: &str, typed: &str) -> Value {
    let typed = typed.trim();
    match name {
        _ if typed.is_empty() => Value::Null,
        "transparent" => match typed {
            "yes" | "true" => json!(true),
            "no" | "false" => Value::Null,
            other => json!(other),
        },
        "formFields" | "embedOrigins" if typed == "none" => json!([]),
        "formFields" | "embedOrigins" => {
            json!(typed.split(',').map(str::trim).filter(|one| !one.is_empty()).collect::<Vec<_>>())
        }
        _ => json!(typed.replace("\\n", "\n")),
    }
}

/// What is wrong with a value, in words.
#[must_use]
pub fn fault(change: &PlayerChange) -> Option<String> {
    let (_, findings) = Reader::read::<PlayerSettings>(&Value::Object(change.members.clone()));
    let read = findings.first().map(|finding| finding.fault.to_string());
    read.or_else(|| change.set().faults().first().map(|(_, why)| why.clone()))
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formed {
    /// Nothing that concerns anybody else.
    Nothing,
    /// A setting has another value; what it is called on the screen.
    Set(PlayerChange, &'static str),
    /// The form is left.
    Left,
    /// The command is for whoever has the form.
    Other,
}

/// The form: a list of settings, one of which may be typed.
#[derive(Debug, Clone, Default)]
pub struct PlayerForm {
    settings: Map<String, Value>,
    place: RowCursor,
    typed: Option<LineEdit>,
    wrong: Option<String>,
}

impl PlayerForm {
    /// Takes the settings as they are now; what is being typed stays.
    pub fn take(&mut self, settings: Map<String, Value>) {
        self.settings = settings;
    }

    /// The value of a setting; null where it has none.
    #[must_use]
    pub fn value(&self, name: &str) -> &Value {
        self.settings.get(name).unwrap_or(&Value::Null)
    }

    /// Says what is wrong under the setting, with this text to type on.
    pub fn refuse(&mut self, name: &str, typed: &str, why: &str) {
        self.place.selected = SETTINGS.iter().position(|(known, ..)| *known == name).unwrap_or(0);
        self.typed = Some(LineEdit::with(typed));
        self.wrong = Some(text::line(why).into_owned());
    }

    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        if let Some(line) = &mut self.typed {
            line.key(key);
        }
    }

    /// Takes pasted text: the selected setting's, where none is typed yet.
    pub fn paste(&mut self, pasted: &str) {
        self.typed.get_or_insert_default().paste(pasted);
    }

    /// Takes a command, while so many settings are seen.
    pub fn command(&mut self, command: Command, page: usize) -> Formed {
        let Some((name, label, _)) = SETTINGS.get(self.place.selected) else { return Formed::Nothing };
        let enters = matches!(command, Command::Open | Command::NextPane | Command::Down | Command::Up);
        if let Some(line) = self.typed.as_ref().filter(|_| enters) {
            let typed = line.text().to_owned();
            let formed = self.enter(name, label, &typed);
            if self.typed.is_none() && command != Command::Open {
                self.place.cycle(command, page, SETTINGS.len());
            }
            return formed;
        }
        match command {
            Command::Back if self.typed.is_some() => {
                self.typed = None;
                self.wrong = None;
            }
            Command::Back => return Formed::Left,
            _ if self.typed.is_some() => {}
            Command::Open if *name == "transparent" => {
                let other = if self.value(name) == &json!(true) { "no" } else { "yes" };
                return self.enter(name, label, other);
            }
            Command::Open => {
                self.typed = Some(LineEdit::with(&setting_text(self.value(name)).replace('\n', "\\n")));
            }
            _ if self.place.cycle(command, page, SETTINGS.len()) => {}
            _ => return Formed::Other,
        }
        Formed::Nothing
    }

    /// Makes what was typed the value of a setting; what can't be one is typed on.
    fn enter(&mut self, name: &'static str, label: &'static str, typed: &str) -> Formed {
        let change = PlayerChange { members: [(name.to_owned(), value_of(name, typed))].into_iter().collect() };
        if let Some(why) = fault(&change) {
            self.refuse(name, typed, &format!("It {why}."));
            return Formed::Nothing;
        }
        self.typed = None;
        self.wrong = None;
        if change.members.get(name) == Some(self.value(name)) {
            return Formed::Nothing;
        }
        change.make(&mut self.settings);
        Formed::Set(change, label)
    }

    /// A press or a turn of the wheel in this area: a press selects.
    pub fn mouse(&mut self, mouse: Mouse, wheel: isize, area: Rect) {
        let rows = rows(area);
        if self.typed.is_some() {
            return;
        }
        if wheel == 0 {
            let row = self.place.row_at(rows, 1, mouse.x, mouse.y, SETTINGS.len());
            self.place.selected = row.unwrap_or(self.place.selected);
        } else {
            self.place.wheel(wheel, page(area), SETTINGS.len());
        }
    }

    /// Moves the list so that the selection is seen.
    pub fn keep_in_sight(&mut self, area: Rect) {
        self.place.keep_in_sight(page(area), SETTINGS.len());
    }

    /// What a setting is set to, in one harmless line.
    fn shown(&self, name: &str) -> String {
        text::line(&setting_text(self.value(name))).into_owned()
    }

    /// Draws the settings inside of a pane and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
        let (list, mut cursor) = (rows(area), None);
        let shown = SETTINGS.iter().enumerate().skip(self.place.top);
        for ((at, (name, label, _)), y) in shown.zip(list.y..list.bottom()) {
            let selected = at == self.place.selected;
            put(
                buf,
                ink,
                (list.x + 2, y),
                VALUES - 2,
                label,
                ink.style(if selected { Role::Accent } else { Role::Text }),
            );
            let (x, room) = (list.x + VALUES + 2, list.width.saturating_sub(VALUES + 3));
            match self.typed.as_ref().filter(|_| selected) {
                Some(line) => {
                    put(buf, ink, (x, y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
                    cursor = Some(line.draw(buf, ink, (x + 2, y), room.saturating_sub(2)));
                }
                None if self.value(name).is_null() => {
                    put(buf, ink, (x, y), room, "not set", ink.style(Role::Faint));
                }
                None => {
                    put(buf, ink, (x, y), room, &self.shown(name), ink.style(Role::Text));
                }
            }
            if selected {
                select(buf, ink, Rect { y, height: 1, ..list });
            }
        }
        let mut y = list.bottom() + 1;
        for (role, words) in self.below() {
            for line in wrap(&words, area.width.saturating_sub(4)) {
                if y < area.bottom() {
                    put(buf, ink, (area.x + 2, y), area.width.saturating_sub(3), &line, ink.style(role));
                }
                y += 1;
            }
        }
        let pane = Rect {
            height: list.height + 2,
            y: list.y.saturating_sub(1),
            x: area.x.saturating_sub(1),
            width: area.width + 2,
        };
        scrollbar(buf, ink, pane, self.place.top, usize::from(list.height), SETTINGS.len());
        cursor
    }

    /// What is said of the selected setting.
    fn below(&self) -> Vec<(Role, String)> {
        let about = SETTINGS.get(self.place.selected).map_or("", |(_, _, about)| about);
        let wrong = self.wrong.iter().map(|why| (Role::Error, why.clone()));
        wrong.chain([(Role::Dim, format!("{about} Leave it empty for the default."))]).collect()
    }

    /// The form as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        for (at, (name, label, _)) in SETTINGS.iter().enumerate() {
            let selected = at == self.place.selected;
            let value = match self.typed.as_ref().filter(|_| selected) {
                Some(line) => format!("{} (typing)", line.text()),
                None if self.value(name).is_null() => "not set".to_owned(),
                None => self.shown(name),
            };
            lines.push(format!("{} {label}: {value}", if selected { ">" } else { " " }));
        }
        lines.extend(self.below().into_iter().map(|(_, words)| words));
    }
}

/// Where the settings stand inside of a pane.
fn rows(area: Rect) -> Rect {
    let most = u16::try_from(SETTINGS.len()).unwrap_or(u16::MAX);
    Rect { height: area.height.saturating_sub(BELOW).min(most), ..area }
}

/// How many settings are seen.
#[must_use]
pub fn page(area: Rect) -> usize {
    usize::from(rows(area).height).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_offered() {
        let offered: Vec<&str> = SETTINGS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(offered, PlayerSettings::FIELDS.iter().map(|field| field.name).collect::<Vec<_>>());
        assert!(SETTINGS.iter().all(|(_, label, _)| label.len() < usize::from(VALUES) - 2));
    }

    #[test]
    fn what_is_typed_becomes_a_value() {
        assert_eq!(value_of("formFields", "name, email"), json!(["name", "email"]));
        assert_eq!((value_of("formFields", "none"), value_of("endText", " ")), (json!([]), Value::Null));
        assert_eq!((value_of("transparent", "yes"), value_of("transparent", "no")), (json!(true), Value::Null));
        assert_eq!(value_of("formText", "a\\nb"), json!("a\nb"));
        let change = |name: &str, typed: &str| PlayerChange {
            members: [(name.to_owned(), value_of(name, typed))].into_iter().collect(),
        };
        assert_eq!(fault(&change("brandColor", "#0a7cff")), None);
        for (name, typed) in
            [("brandColor", "blue"), ("transparent", "maybe"), ("font", "comic"), ("formFields", "street")]
        {
            assert!(fault(&change(name, typed)).is_some(), "{name}");
        }
    }
}
