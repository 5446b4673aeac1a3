//! The settings files as JSON Schema (2020-12), from the same names that read them: an editor that knows these completes
//! and checks what a person writes.

use serde_json::{Map, Value, json};
use strum::IntoEnumIterator as _;

use super::chord::Chord;
use super::config::{CONFIG_VERSION, LOST_AFTER_MINUTES, ProfileSetting, Setting, StoreSetting};
use super::keymap::Preset;
use super::own_command::PLACEHOLDERS;
use super::terminal::{SHORTCUTS, TerminalSetting};
use super::theme::{Role, THEMES};

/// What these are written in.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of `config.toml`.
#[must_use]
pub fn config_schema() -> Value {
    let settings = Setting::iter().map(|setting| (<&str>::from(setting), described(setting)));
    let terminal = TerminalSetting::iter().map(|setting| (setting.name(), of_terminal(setting)));
    let mut schema = object("Cutaway settings (config.toml)", settings.chain(terminal));
    add(&mut schema, "$schema", json!(DIALECT));
    add(&mut schema, "$defs", json!({ "profile": profile() }));
    schema
}

/// The schema of `keymap.toml`, for these layers and these commands, each with what it does.
#[must_use]
pub fn keymap_schema<'a>(
    layers: impl IntoIterator<Item = &'a str>,
    commands: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Value {
    let known = commands.into_iter().map(|(name, about)| json!({ "const": name, "description": about }));
    let none = json!({ "const": "", "description": "Removes the key." });
    let own = json!({ "$ref": "#/$defs/program" });
    let commands: Vec<Value> = std::iter::once(none).chain(known).chain([own]).collect();
    let layer = json!({ "$ref": "#/$defs/layer" });
    let presets: Vec<&str> = Preset::names().collect();
    let preset = json!({ "enum": presets, "default": "default", "description": "The keys that these lines lie over" });
    let layers = layers.into_iter().map(|name| (name, layer.clone()));
    let mut schema = object("Cutaway keys (keymap.toml)", layers.chain([("preset", preset)]));
    add(&mut schema, "$schema", json!(DIALECT));
    let keys = json!({
        "type": "object",
        "description": "Keys of this layer, or several one after the other, each with a command's name or a program",
        "propertyNames": { "pattern": Chord::pattern() },
        "additionalProperties": { "oneOf": commands },
    });
    add(&mut schema, "$defs", json!({ "layer": keys, "program": program() }));
    schema
}

/// A program of the person's own.
fn program() -> Value {
    let about: Vec<String> = PLACEHOLDERS.iter().map(|(name, about)| format!("{{{name}}} {about}")).collect();
    let words = format!("The program and its arguments, without a shell. In arguments: {}.", about.join(", "));
    let members = [
        ("run", json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "description": words })),
        ("title", json!({ "type": "string", "minLength": 1, "description": "What help and the palette call it" })),
        ("ask", json!({ "type": "boolean", "default": false, "description": "Whether it asks before each run" })),
    ];
    let mut program = object("A program that the keys run", members);
    add(&mut program, "required", json!(["run"]));
    program
}

/// The schema of a theme file.
#[must_use]
pub fn theme_schema() -> Value {
    let roles = |about: &str| {
        let mut roles = object(about, Role::iter().map(|role| (role.into(), json!({ "$ref": "#/$defs/paint" }))));
        add(&mut roles, "description", json!(about));
        roles
    };
    json!({
        "$schema": DIALECT,
        "title": "A Cutaway theme (themes/NAME.toml)",
        "type": "object",
        "required": ["roles"],
        "additionalProperties": false,
        "properties": {
            "roles": roles("The style of each role; the others are as in the dark theme"),
            "basic": roles("In place of those on terminals of 16 colors"),
        },
        "$defs": { "color": color(), "paint": paint() },
    })
}

fn described(setting: Setting) -> Value {
    match setting {
        Setting::Version => json!({
            "type": "integer", "maximum": CONFIG_VERSION, "description": "The version of the format",
        }),
        Setting::DefaultProfile => json!({
            "type": "string", "description": "The profile that is opened when none is named",
        }),
        Setting::Theme => theme("The theme where the profile names none"),
        Setting::Resume => json!({
            "type": "boolean", "default": true, "description": "Whether the studio opens where it was left",
        }),
        Setting::LostAfterMinutes => json!({
            "type": "integer",
            "minimum": LOST_AFTER_MINUTES.start(),
            "maximum": LOST_AFTER_MINUTES.end(),
            "default": 10,
            "description": "Minutes after which a studio ends when its terminal no longer answers",
        }),
        Setting::Profiles => json!({
            "type": "object",
            "description": "Profiles by name",
            "additionalProperties": { "$ref": "#/$defs/profile" },
        }),
    }
}

/// A setting of the terminal.
fn of_terminal(setting: TerminalSetting) -> Value {
    let (words, about) = (setting.words(), setting.about());
    if setting == TerminalSetting::Shortcuts {
        let (alone, one) = (words.join("|"), SHORTCUTS.join("|"));
        let pattern = format!("^({alone}|({one})(\\+({one}))*)$");
        return json!({ "type": "string", "pattern": pattern, "default": "auto", "description": about });
    }
    json!({ "enum": words, "default": "auto", "description": about })
}

fn profile() -> Value {
    object(
        "A service and how to use it",
        ProfileSetting::iter().map(|setting| {
            let schema = match setting {
                ProfileSetting::BaseUrl => address("The service"),
                ProfileSetting::LbBaseUrl => address("Answers reads when the service can't be reached"),
                ProfileSetting::UploadUrl => address("Takes uploads, if not the service itself"),
                ProfileSetting::AuthUrl => address("Signs people in, if not the service itself"),
                ProfileSetting::AppUrl => json!({ "type": "string", "description": "The store to start with" }),
                ProfileSetting::Stores => json!({
                    "type": "array", "description": "The stores to choose from", "items": store(),
                }),
                ProfileSetting::ReadOnly => json!({ "type": "boolean", "description": "Refuse every write" }),
                ProfileSetting::Live => json!({
                    "type": "boolean",
                    "description": "Customers see changes immediately: every write asks first and the frame is colored",
                }),
                ProfileSetting::Color => {
                    let mut color = color();
                    add(&mut color, "description", json!("The color of the frame"));
                    color
                }
                ProfileSetting::Theme => theme("The theme while this profile is open"),
            };
            (setting.into(), schema)
        }),
    )
}

fn store() -> Value {
    let members = StoreSetting::iter().map(|setting| {
        let about = match setting {
            StoreSetting::Url => "Its address",
            StoreSetting::Name => "What people call it",
        };
        (setting.into(), json!({ "type": "string", "description": about }))
    });
    let mut named = object("A store with a name", members);
    add(&mut named, "required", json!([<&str>::from(StoreSetting::Url)]));
    json!({ "anyOf": [{ "type": "string", "description": "Its address" }, named] })
}

fn theme(about: &str) -> Value {
    let ours: Vec<&str> = THEMES.iter().map(|(name, _)| *name).collect();
    json!({ "type": "string", "examples": ours, "description": about })
}

fn address(about: &str) -> Value {
    json!({ "type": "string", "format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://", "description": about })
}

/// A color, as themes write it.
fn color() -> Value {
    let number = "([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    let plain = "black|red|green|yellow|blue|magenta|cyan|gray|white|reset";
    let light = "(light|bright)[ _-]?(red|green|yellow|blue|magenta|cyan)|dark[ _-]?gray";
    json!({
        "type": "string",
        "pattern": format!("^(#[0-9A-Fa-f]{{6}}|{number}|{plain}|{light})$"),
        "description": "A color: #rrggbb, one of the 256 by its number, or an ANSI name",
        "examples": ["#ff8800", "117", "light_cyan"],
    })
}

/// What a role is drawn in: a color, or more than that.
fn paint() -> Value {
    let color = |about: &str| json!({ "$ref": "#/$defs/color", "description": about });
    let switch = json!({ "type": "boolean", "default": false });
    let modifiers = ["bold", "dim", "italic", "underline", "reverse"].map(|name| (name, switch.clone()));
    let members = [("fg", color("The text")), ("bg", color("Behind the text"))].into_iter().chain(modifiers);
    json!({ "anyOf": [{ "$ref": "#/$defs/color" }, object("A style", members)] })
}

/// An object that has these members and no others.
fn object<'a>(title: &str, members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let members: Map<String, Value> = members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({ "title": title, "type": "object", "properties": members, "additionalProperties": false })
}

fn add(schema: &mut Value, member: &str, value: Value) {
    if let Some(object) = schema.as_object_mut() {
        object.insert(member.to_owned(), value);
    }
}
