//! The player's settings in the description: an extension of projects, marked so, with what its values have to be.

use serde_json::{Map, Value, json};

use super::set;
use crate::domain::{HasSchema as _, PlayerSettings, Schemas, player_most as most};

/// The rule for colors, as a regular expression (ECMA 262); an empty text clears the member.
const COLOR: &str = "^$|^#[0-9A-Fa-f]{6}$";

/// The rule for language tags, likewise.
const LANGUAGE: &str = "^$|^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$";

/// A host and its port, within the rules for addresses: a name whose last part is no number, or an IPv4 address.
macro_rules! host {
    () => {
        concat!(
            "(([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)*[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?",
            "|((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]))",
            "(:([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
        )
    };
}

/// The rule for https addresses, likewise.
const HTTPS: &str = concat!("^$|^https://", host!(), r"([/?#][^\s\u0000-\u001f\u007f-\u009f]*)?$");

/// The rule for origins, likewise.
const ORIGIN: &str = concat!("^https?://", host!(), "/?$");

/// The rule for texts, likewise: something to be seen, no control characters but line feeds.
const TEXT: &str = r"^$|^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*$";

/// What each setting is, for people.
const ABOUT: [(&str, &str); 14] = [
    ("brandColor", "The color of the main buttons, #rrggbb; their text is black or white, whichever reads better"),
    ("font", "The font style"),
    ("fontUrl", "A font file (WOFF2), https; where it doesn't load, font is used"),
    ("logoUrl", "The shop's logo, https"),
    ("language", "The project's language (BCP 47), which the player's own texts follow"),
    ("transparent", "Whether the page around an embedded player shows through where there is no video"),
    ("formFields", "What the form at the end asks for; [] shows no form; absent: as the workspace has it"),
    ("formText", "The text before the form"),
    ("consentText", "What viewers have to agree to before the form is sent; absent: there is no box"),
    ("privacyUrl", "The shop's privacy policy, https"),
    ("endText", "What the end screen says"),
    ("shopUrl", "Where the end screen leads, https"),
    ("shopText", "What that link says"),
    (
        "embedOrigins",
        "The origins whose pages may embed the player; [] means none; if absent, the workspace's setting applies",
    ),
];

/// The schema of the player's settings alone, where project files have them, with those that it names.
pub(crate) fn player_settings() -> Map<String, Value> {
    let mut schemas = Schemas::default();
    PlayerSettings::schema(&mut schemas);
    describe(&mut schemas);
    schemas.into_named()
}

/// Says what the settings are, and what the types don't say of their values.
fn describe(schemas: &mut Schemas) {
    for (name, about) in ABOUT {
        set(schemas, "PlayerSettings", &format!("/properties/{name}"), "description", json!(about));
    }
    let mut rule = |name: &str, pattern: &str, longest: usize| {
        let place = format!("/properties/{name}");
        set(schemas, "PlayerSettings", &place, "pattern", json!(pattern));
        set(schemas, "PlayerSettings", &place, "maxLength", json!(longest));
    };
    rule("brandColor", COLOR, 7);
    rule("language", LANGUAGE, most::LANGUAGE);
    for name in ["fontUrl", "logoUrl", "privacyUrl", "shopUrl"] {
        rule(name, HTTPS, most::ADDRESS);
    }
    rule("formText", TEXT, most::FORM_TEXT);
    rule("consentText", TEXT, most::CONSENT_TEXT);
    rule("endText", TEXT, most::END_TEXT);
    rule("shopText", TEXT, most::SHOP_TEXT);
    rule("embedOrigins/items", ORIGIN, most::ADDRESS);
    set(schemas, "PlayerSettings", "/properties/embedOrigins", "maxItems", json!(most::ORIGINS));
    set(schemas, "PlayerSettings", "/properties/formFields", "uniqueItems", json!(true));
    debug_assert_eq!(ABOUT.len(), PlayerSettings::FIELDS.len(), "every setting is described");
}

/// Marks the extension, and adds what the types don't say.
pub(super) fn constrain(schemas: &mut Schemas) {
    describe(schemas);
    set(schemas, "PlayerSettings", "", "description", json!("Extension: how the player looks and what it asks"));
    let settings = |about: &str| -> Value {
        json!({ "$ref": "#/components/schemas/PlayerSettings", "description": about, "x-extension": true })
    };
    let changed = "Extension: the player's settings that change; absent members stay, null clears one";
    for (name, about) in [
        ("Project", "Extension: how the player looks and what it asks"),
        ("NewProject", "Extension: how the player looks and what it asks"),
        ("ProjectChange", changed),
    ] {
        set(schemas, name, "/properties", "player", settings(about));
    }
}
