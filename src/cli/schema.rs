//! `cutaway schema`: the files that people write, as JSON Schema.

use clap::{Args, ValueEnum};
use schemars::schema_for;
use serde_json::{Value, json};

use super::Failure;
use super::completions::print;
use crate::draft::ProjectFile;
use crate::service::player_settings_schema;
use crate::settings::{config_schema, keymap_schema, theme_schema};
use crate::studio::{Command, Layer};

/// Print the JSON Schema of a file that you write, for editors and scripts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway schema project > project.schema.json
  cutaway schema config")]
pub(super) struct Schema {
    /// The kind of file
    kind: Kind,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// config.toml
    Config,
    /// keymap.toml
    Keymap,
    /// themes/NAME.toml
    Theme,
    /// A project file, TOML or JSON
    Project,
}

impl Schema {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let schema = match self.kind {
            Kind::Config => config_schema(),
            Kind::Keymap => {
                let old = Command::ALIASES.iter().map(|(name, command)| (*name, command.about()));
                let commands = Command::ALL.iter().map(|command| (command.name(), command.about()));
                keymap_schema(Layer::names(), commands.chain(old))
            }
            Kind::Theme => theme_schema(),
            Kind::Project => project(),
        };
        print(format!("{schema:#}\n").as_bytes())
    }
}

/// The schema of project files, with the player's settings as the service describes them.
fn project() -> Value {
    let mut schema = schema_for!(ProjectFile).to_value();
    if let Some(title) = schema.get_mut("title") {
        *title = json!("A Cutaway project");
    }
    let about = schema.pointer("/properties/player/description").cloned().unwrap_or_default();
    if let Some(player) = schema.pointer_mut("/properties/player") {
        *player = json!({ "$ref": "#/$defs/PlayerSettings", "description": about });
    }
    if let Some(named) = schema.pointer_mut("/$defs").and_then(Value::as_object_mut) {
        named.extend(player_settings_schema().into_iter().map(|(name, mut player)| {
            refer_to_definitions(&mut player);
            (name, player)
        }));
    }
    schema
}

/// Lets references lead to this document's own definitions in place of the components of an interface description.
fn refer_to_definitions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str().and_then(|place| place.strip_prefix("#/components/schemas/")) {
                    Some(last) if name == "$ref" => *member = json!(format!("#/$defs/{last}")),
                    _ => refer_to_definitions(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(refer_to_definitions),
        _ => {}
    }
}
