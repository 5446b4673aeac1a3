//! The player's settings, one after another: a list of them, then the value of one. Each is an edit of the draft.

use serde_json::{Map, Value, json};

use super::vocabulary::Turn;
use super::{Asking, Editor};
use crate::domain::{Embed, PlayerChange, PlayerSettings, Reader, setting_text, text};
use crate::draft::Edit;
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, Prompt, Role};

/// What a setting is called on the screen, and what its value may be.
const SETTINGS: [(&str, &str, &str); 14] = [
    ("brandColor", "Brand color", "A color such as #0a7cff, for the main buttons. Their text is black or white."),
    ("font", "Font", "system, serif, rounded or mono."),
    ("fontUrl", "Font file", "The https address of a WOFF2 file."),
    ("logoUrl", "Logo", "The https address of a picture."),
    ("language", "Language", "The project's language, such as de or pt-BR."),
    ("transparent", "Transparent", "yes: the page around an embedded player shows through."),
    ("formFields", "Form asks for", "Comma-separated: name, email, phone. Empty: no form."),
    ("formText", "Text before the form", "\\n starts a new line."),
    ("consentText", "Consent", "What viewers agree to before they send the form."),
    ("privacyUrl", "Privacy policy", "Its https address."),
    ("endText", "End screen", "Text of the end screen."),
    ("shopUrl", "Link to the shop", "The https address that the end screen links to."),
    ("shopText", "Text of the shop link", "For example: See all gifts."),
    ("embedOrigins", "Who may embed it", "Comma-separated, such as https://shop.example.com. Empty: nobody."),
];

/// The value that a typed text means; null where it is empty.
fn value_of(name: &str, typed: &str) -> Value {
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
fn fault(change: &PlayerChange) -> Option<String> {
    let (_, findings) = Reader::read::<PlayerSettings>(&Value::Object(change.members.clone()));
    let read = findings.first().map(|finding| finding.fault.to_string());
    read.or_else(|| change.set().faults().first().map(|(_, why)| why.clone()))
}

impl Editor {
    /// Lets the person choose a setting of the player; `at` is the one to begin on.
    pub(super) fn ask_player(&mut self, at: Option<&str>, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let draft = &self.draft;
        let head = draft.content().head();
        let entry = |(name, label, _): &(&str, &str, &str)| {
            let value = setting_text(head.setting(name));
            let detail = if value.is_empty() { "not set".to_owned() } else { text::line(&value).into_owned() };
            Entry { label: (*label).to_owned(), detail, ..Entry::default() }
        };
        let entries = SETTINGS.iter().map(entry).collect();
        let selected = SETTINGS.iter().position(|(name, ..)| Some(*name) == at).unwrap_or(0);
        self.shared.asking = Some(Asking::PlayerSetting);
        turn.outcomes.push(Outcome::Choose(Box::new(Picker::new("Player settings", entries).with_selected(selected))));
    }

    /// Asks for the value of the setting that was chosen.
    pub(super) fn ask_setting(&mut self, one: Option<usize>, turn: &mut Turn) {
        let Some((name, ..)) = one.and_then(|at| SETTINGS.get(at)) else { return };
        let draft = &self.draft;
        let begin = setting_text(draft.content().head().setting(name)).replace('\n', "\\n");
        self.ask_value(name, &begin, None, turn);
    }

    fn ask_value(&mut self, name: &'static str, begin: &str, wrong: Option<String>, turn: &mut Turn) {
        let Some((_, label, about)) = SETTINGS.iter().find(|(known, ..)| *known == name) else { return };
        let mut lines = vec![(Role::Dim, format!("{about} Empty: the default."))];
        lines.extend(wrong.map(|wrong| (Role::Error, wrong)));
        self.shared.asking = Some(Asking::PlayerValue(name));
        turn.outcomes.push(Outcome::Ask(Box::new(Prompt::new(label, &text::line(begin)).with_lines(lines))));
    }

    /// Makes the typed value an edit, then shows the settings again; a value that can't be is asked for again.
    pub(super) fn set_player(&mut self, name: &'static str, typed: &str, now: Moment, turn: &mut Turn) {
        let members: Map<String, Value> = [(name.to_owned(), value_of(name, typed))].into_iter().collect();
        let change = PlayerChange { members };
        if let Some(why) = fault(&change) {
            let why = text::line(&format!("It {why}.")).into_owned();
            self.ask_value(name, typed, Some(why), turn);
            return;
        }
        let changes = *self.draft.content().head().setting(name) != *change.members.get(name).unwrap_or(&Value::Null);
        if changes {
            self.edit(Edit::Player { change }, now, turn);
        }
        self.ask_player(Some(name), turn);
    }

    /// Offers what puts the player into a page of a shop.
    pub(super) fn copy_embed(&self, turn: &mut Turn) {
        let Some(address) = self.player() else {
            turn.say(NoticeKind::Hint, "This project has no player address.");
            return;
        };
        let name = self.draft.content().head().name();
        turn.outcomes.push(Outcome::Copy(Embed::choices(&address, name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_offered() {
        let offered: Vec<&str> = SETTINGS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(offered, PlayerSettings::FIELDS.iter().map(|field| field.name).collect::<Vec<_>>());
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
