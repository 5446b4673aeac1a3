//! How a project's player looks and what it asks: an extension beside §2.7.

use serde_json::{Map, Value};
use url::Url;

use super::color::Color;
use super::read::{FromJson, Reader, type_of};
use super::schema::{HasSchema, Schemas};
use crate::{shape, words};

shape! {
    /// The settings of a project's player. What is absent is as the player has it by itself.
    pub struct PlayerSettings {
        /// The color of the main buttons, `#rrggbb`; their text is black or white, whichever reads better on it.
        brand_color: optnull String => "brandColor",
        /// The kind of letters.
        font: optnull PlayerFont => "font",
        /// A font file (WOFF2), https; where it doesn't load, `font` is used.
        font_url: optnull String => "fontUrl",
        /// The shop's logo, https.
        logo_url: optnull String => "logoUrl",
        /// The project's language, BCP 47.
        language: optnull String => "language",
        /// Whether the page around an embedded player shows through where there is no video.
        transparent: optnull bool => "transparent",
        /// What the form at the end asks for; an empty list shows no form.
        form_fields: optnull Vec<FormField> => "formFields",
        /// The text before the form.
        form_text: optnull String => "formText",
        /// What viewers have to agree to before the form is sent.
        consent_text: optnull String => "consentText",
        /// The shop's privacy policy, https.
        privacy_url: optnull String => "privacyUrl",
        /// What the end screen says.
        end_text: optnull String => "endText",
        /// Where the end screen leads, https.
        shop_url: optnull String => "shopUrl",
        /// What that link says.
        shop_text: optnull String => "shopText",
        /// The origins whose pages may embed the player; an empty list means none.
        embed_origins: optnull Vec<String> => "embedOrigins",
    }
}

words! {
    /// A kind of letters that every browser has.
    pub enum PlayerFont {
        System => "system",
        Serif => "serif",
        Rounded => "rounded",
        Mono => "mono",
    }
}

words! {
    /// A field of the form at the end.
    pub enum FormField {
        Name => "name",
        Email => "email",
        Phone => "phone",
    }
}

/// How long the texts may be, characters.
pub mod most {
    /// The text before the form.
    pub const FORM_TEXT: usize = 2_000;
    /// What viewers agree to.
    pub const CONSENT_TEXT: usize = 2_000;
    /// What the end screen says.
    pub const END_TEXT: usize = 500;
    /// What the link to the shop says.
    pub const SHOP_TEXT: usize = 100;
    /// An address.
    pub const ADDRESS: usize = 2_000;
    /// A language tag.
    pub const LANGUAGE: usize = 35;
    /// Origins that may embed the player.
    pub const ORIGINS: usize = 100;
    /// The characters of all these origins.
    pub const ORIGINS_LENGTH: usize = 3_000;
    /// What the form asks for.
    pub const FORM_FIELDS: usize = 3;
}

impl PlayerSettings {
    /// The members that are given, by their names on the wire.
    #[must_use]
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }

    /// The settings of these members; what can't be read is left out.
    #[must_use]
    pub fn of(members: &Map<String, Value>) -> Self {
        Reader::read(&Value::Object(members.clone())).0
    }

    /// Whether there is a member of this name.
    #[must_use]
    pub fn has(name: &str) -> bool {
        Self::FIELDS.iter().any(|field| field.name == name)
    }

    /// What is wrong with the values: the member, or member and place in its list, and a sentence each.
    #[must_use]
    pub fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        let mut note = |at: &str, why: String| faults.push((at.to_owned(), why));
        // An empty text clears a member; it is wrong in no way.
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        if given(&self.brand_color).is_some_and(|color| Color::parse(&color).is_none()) {
            note("brandColor", "must be a color as #rrggbb, such as #ff6600".to_owned());
        }
        if given(&self.language).is_some_and(|tag| !is_language(&tag)) {
            note("language", "must be a language tag, such as en, de-AT or pt-BR".to_owned());
        }
        let addresses = [
            ("fontUrl", &self.font_url),
            ("logoUrl", &self.logo_url),
            ("privacyUrl", &self.privacy_url),
            ("shopUrl", &self.shop_url),
        ];
        for (name, address) in addresses {
            let Some(address) = given(address) else { continue };
            if address.chars().count() > most::ADDRESS {
                note(name, format!("may have at most {} characters", most::ADDRESS));
            } else if !is_https(&address) {
                let why = "must be an https address";
                let host = if address.is_ascii() { "" } else { ", with a host in other letters written as xn--" };
                note(name, format!("{why}{host}"));
            }
        }
        let texts = [
            ("formText", &self.form_text, most::FORM_TEXT),
            ("consentText", &self.consent_text, most::CONSENT_TEXT),
            ("endText", &self.end_text, most::END_TEXT),
            ("shopText", &self.shop_text, most::SHOP_TEXT),
        ];
        for (name, text, most) in texts {
            let Some(text) = given(text) else { continue };
            if text.chars().count() > most {
                note(name, format!("may have at most {most} characters"));
            } else if text.chars().any(|c| c.is_control() && c != '\n') || text.chars().all(is_space) {
                note(name, "must be readable text".to_owned());
            }
        }
        self.note_lists(&mut note);
        faults
    }

    /// What is wrong with the fields of the form and with who may embed.
    fn note_lists(&self, note: &mut impl FnMut(&str, String)) {
        let fields = self.form_fields.as_deref().unwrap_or_default();
        if fields.len() > most::FORM_FIELDS {
            note("formFields", format!("may have at most {} entries", most::FORM_FIELDS));
        }
        for (at, field) in fields.iter().enumerate().take(most::FORM_FIELDS) {
            if fields.iter().take(at).any(|before| before == field) {
                note(&format!("formFields/{at}"), "is named twice".to_owned());
            }
        }
        let origins = self.embed_origins.as_deref().unwrap_or_default();
        if origins.len() > most::ORIGINS {
            note("embedOrigins", format!("may have at most {} entries", most::ORIGINS));
        }
        // All of them stand in one header, for which proxies have little room.
        if origins.iter().map(String::len).sum::<usize>() > most::ORIGINS_LENGTH {
            note("embedOrigins", format!("may have at most {} characters in all", most::ORIGINS_LENGTH));
        }
        for (at, given) in origins.iter().enumerate().take(most::ORIGINS) {
            if let Err(why) = origin(given) {
                note(&format!("embedOrigins/{at}"), why);
            }
        }
    }
}

/// A change of [`PlayerSettings`]: members that are absent stay as they are, null or an empty text clears one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayerChange {
    /// The members as they are sent.
    pub members: Map<String, Value>,
}

impl PlayerChange {
    /// What makes the one to the other.
    #[must_use]
    pub fn between(before: &Map<String, Value>, after: &Map<String, Value>) -> Self {
        let gone = before.keys().filter(|name| !after.contains_key(*name)).map(|name| (name.clone(), Value::Null));
        let set = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
        Self { members: gone.chain(set.map(|(name, value)| (name.clone(), value.clone()))).collect() }
    }

    /// The values that are set.
    #[must_use]
    pub fn set(&self) -> PlayerSettings {
        PlayerSettings::of(&self.members)
    }

    /// The members with this change made.
    pub fn make(&self, members: &mut Map<String, Value>) {
        for (name, value) in &self.members {
            if value.is_null() || value == "" {
                members.shift_remove(name);
            } else {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}

impl FromJson for PlayerChange {
    const TYPE: &'static str = "an object";
    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
        // What is wrong with the members is noted by whoever reads them.
        let _read = PlayerSettings::from_json(value, reader)?;
        Some(Self { members: value.as_object()?.clone() })
    }
}

impl serde::Serialize for PlayerChange {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.members.serialize(serializer)
    }
}

impl HasSchema for PlayerChange {
    fn schema(schemas: &mut Schemas) -> Value {
        PlayerSettings::schema(schemas)
    }
}

/// Whether a text has the form of a language tag (BCP 47): letters, then parts of letters and digits.
fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let primary = parts.next().unwrap_or_default();
    (2..=3).contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.len() <= most::LANGUAGE
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// An https address as the service's description has it: names of other scripts as `xn--`, no name and no password.
fn is_https(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    is_host(host) && !path.contains(|c| is_space(c) || c.is_control()) && Url::parse(text).is_ok()
}

/// A name whose last part is no number, or an IPv4 address; and a port.
fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok()
            && (port.len() < 5 || (port.len() == 5 && !port.starts_with('0')))
    };
    let is_label = |label: &str| {
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !(label.is_empty() || label.starts_with('-') || label.ends_with('-'))
    };
    let is_byte = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok()
            && (part == "0" || !part.starts_with('0'))
    };
    let is_ipv4 = host.split('.').count() == 4 && host.split('.').all(is_byte);
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_name = host.split('.').all(is_label) && last.starts_with(|c: char| c.is_ascii_alphabetic());
    port.is_none_or(is_port) && (is_name || is_ipv4)
}

/// A space as regular expressions have it (ECMA 262, §12.2).
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The origin of a site (RFC 6454), as browsers write it.
///
/// # Errors
/// A sentence that says what an origin is.
pub fn origin(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; give an origin, such as https://shop.example.com"))?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if !matches!(url.scheme(), "http" | "https") || !bare || url.password().is_some() {
        return Err("must be an origin: scheme, host and port, such as https://shop.example.com".to_owned());
    }
    let origin = url.origin().ascii_serialization();
    // It becomes part of a policy, in which other characters have a meaning of their own.
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'/' | b'[' | b']');
    if !origin.bytes().all(plain) {
        return Err(format!("{origin} isn't a host that browsers can open"));
    }
    Ok(origin)
}

/// What a value of a setting is in one line of text, for people.
#[must_use]
pub fn setting_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(on) => if *on { "yes" } else { "no" }.to_owned(),
        Value::Array(entries) if entries.is_empty() => "none".to_owned(),
        Value::Array(entries) => entries.iter().map(setting_text).collect::<Vec<_>>().join(", "),
        other => format!("{} {other}", type_of(other)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        assert_eq!(origin("https://Shop.example.com:443/"), Ok("https://shop.example.com".to_owned()));
        assert_eq!(origin("http://127.0.0.1:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        assert_eq!(origin("https://bücher.example"), Ok("https://xn--bcher-kva.example".to_owned()));
        for wrong in
            ["shop.example", "https://shop.example/cart", "https://u@shop.example", "data:,x", "*", "https://a;b"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_what_their_description_says() {
        for fine in [
            "https://shop.example/logo.svg?v=1#a",
            "https://a-1.b2.example:65535",
            "https://1.2.3.4:80/",
            "https://255.0.0.10",
            "https://localhost",
            "https://xn--bcher-kva.example/\u{fc}",
        ] {
            assert!(is_https(fine), "{fine}");
        }
        for wrong in [
            "http://shop.example/",
            "https://",
            "https:///a",
            "https://shop.example*",
            "https://shop_1.example/",
            "https://b\u{fc}cher.example/",
            "https://me@shop.example/",
            "https://[::1]/",
            "https://shop.1/",
            "https://01.2.3.4/",
            "https://1.2.3/",
            "https://1.2.3.256/",
            "https://-a.example",
            "https://a..example",
            "https://shop.example:65536/",
            "https://shop.example:00080/",
            "https://shop.example:+80/",
            "https://shop.example:/",
            "https://shop.example/a b",
            "https://shop.example/\u{feff}",
            "https://xn--\u{61}\u{2d}/",
        ] {
            assert!(!is_https(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_wrong_value_is_named_with_its_place() {
        let settings = PlayerSettings::of(&members(json!({
            "brandColor": "red", "logoUrl": "http://shop.example/logo.svg", "privacyUrl": "https://",
            "language": "deutsch", "formFields": ["name", "name"], "shopText": "x".repeat(101), "endText": "a\u{1b}b",
            "embedOrigins": ["https://shop.example", "shop.example"],
        })));
        let places: Vec<String> = settings.faults().into_iter().map(|(at, _)| at).collect();
        let wrong = [
            "brandColor",
            "language",
            "logoUrl",
            "privacyUrl",
            "endText",
            "shopText",
            "formFields/1",
            "embedOrigins/1",
        ];
        assert_eq!(places, wrong);
        let fine = PlayerSettings::of(&members(json!({
            "brandColor": "#0A7cff", "font": "serif", "logoUrl": "https://shop.example/l.svg?v=1", "language": "zh-Hant-TW",
            "formFields": [], "formText": "Two\nlines", "endText": "", "embedOrigins": ["http://localhost:3000"],
        })));
        assert_eq!(fine.faults(), []);
    }

    #[test]
    fn fields_and_origins_are_bounded_in_number_and_length() {
        let faults = |settings: Value| PlayerSettings::of(&members(settings)).faults();
        let fields = faults(json!({ "formFields": vec!["name"; 100_000] }));
        assert!(fields.contains(&("formFields".to_owned(), "may have at most 3 entries".to_owned())));
        assert!(fields.len() <= 1 + most::FORM_FIELDS, "{} are named", fields.len());
        let origins = |count: usize, host: usize| {
            let origin = |at: usize| format!("https://{}.example", format!("h{at}").repeat(host));
            faults(json!({ "embedOrigins": (0..count).map(origin).collect::<Vec<_>>() }))
        };
        assert_eq!(origins(most::ORIGINS, 1), []);
        assert_eq!(
            origins(most::ORIGINS + 1, 1),
            [("embedOrigins".to_owned(), "may have at most 100 entries".to_owned())]
        );
        let long = origins(most::ORIGINS, 10);
        assert_eq!(long, [("embedOrigins".to_owned(), "may have at most 3000 characters in all".to_owned())]);
    }

    #[test]
    fn a_change_sets_and_clears_and_leaves_the_rest() {
        let before = members(json!({ "brandColor": "#000000", "endText": "Bye", "transparent": true }));
        let after = members(json!({ "brandColor": "#ffffff", "transparent": true, "formFields": [] }));
        let change = PlayerChange::between(&before, &after);
        assert_eq!(
            Value::Object(change.members.clone()),
            json!({ "endText": null, "brandColor": "#ffffff", "formFields": [] })
        );
        let mut made = before;
        change.make(&mut made);
        assert_eq!(made, after);
        PlayerChange { members: members(json!({ "brandColor": "" })) }.make(&mut made);
        assert!(!made.contains_key("brandColor"));
    }
}
