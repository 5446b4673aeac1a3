//! `cutaway projects player`: how a project's player looks and what it asks.

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Map, Value, json};

use super::opened;
use crate::api::{ProjectChange, UpdateProject};
use crate::cli::output::Output;
use crate::cli::{Failure, Session, names, table};
use crate::client::Client;
use crate::domain::{PlayerChange, PlayerSettings, Reader, setting_text};

/// Show or change how a project's player looks and what it asks.
///
/// Without a setting, shows them. An empty value clears a setting. The settings are an extension: a service that doesn't
/// keep them is reported, with exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects player 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects player 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --brand-color '#0a7cff' --language de
  cutaway projects player 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --form-field email --privacy-url https://shop.example.com/privacy
  cutaway projects player 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --form-field '' --unset embedOrigins")]
pub(super) struct Player {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    #[command(flatten)]
    settings: Settings,
    /// Print the settings as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Settings {
    /// The color of the main buttons, as #rrggbb; their text is black or white, whichever reads better
    #[arg(long, value_name = "COLOR")]
    brand_color: Option<String>,
    /// The typeface: system, serif, rounded or mono
    #[arg(long, value_name = "FONT")]
    font: Option<String>,
    /// A font file (WOFF2), https
    #[arg(long, value_name = "URL")]
    font_url: Option<String>,
    /// The shop's logo, https
    #[arg(long, value_name = "URL")]
    logo_url: Option<String>,
    /// The project's language, such as de or pt-BR
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Whether the page around an embedded player shows through
    #[arg(long, value_name = "TRUE|FALSE")]
    transparent: Option<bool>,
    /// What the form at the end asks for: name, email, phone (repeatable); an empty one shows no form
    #[arg(long = "form-field", value_name = "FIELD")]
    form_fields: Vec<String>,
    /// The text before the form
    #[arg(long, value_name = "TEXT")]
    form_text: Option<String>,
    /// What viewers have to agree to before the form is sent
    #[arg(long, value_name = "TEXT")]
    consent_text: Option<String>,
    /// The shop's privacy policy, https
    #[arg(long, value_name = "URL")]
    privacy_url: Option<String>,
    /// What the end screen says
    #[arg(long, value_name = "TEXT")]
    end_text: Option<String>,
    /// Where the end screen leads, https
    #[arg(long, value_name = "URL")]
    shop_url: Option<String>,
    /// What that link says
    #[arg(long, value_name = "TEXT")]
    shop_text: Option<String>,
    /// An origin whose pages may embed the player (repeatable); an empty one means none
    #[arg(long = "embed-origin", value_name = "ORIGIN")]
    embed_origins: Vec<String>,
    /// Reset this setting to the player's default, by its name in JSON (repeatable)
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
}

/// A list that was given; a single empty entry is an empty list.
fn list(given: &[String]) -> Value {
    let kept: Vec<&str> = given.iter().map(|one| one.trim()).filter(|one| !one.is_empty()).collect();
    if given.is_empty() { Value::Null } else { json!(kept) }
}

impl Settings {
    fn change(&self) -> Result<PlayerChange, Failure> {
        let given = [
            ("brandColor", json!(self.brand_color)),
            ("font", json!(self.font)),
            ("fontUrl", json!(self.font_url)),
            ("logoUrl", json!(self.logo_url)),
            ("language", json!(self.language)),
            ("transparent", json!(self.transparent)),
            ("formFields", list(&self.form_fields)),
            ("formText", json!(self.form_text)),
            ("consentText", json!(self.consent_text)),
            ("privacyUrl", json!(self.privacy_url)),
            ("endText", json!(self.end_text)),
            ("shopUrl", json!(self.shop_url)),
            ("shopText", json!(self.shop_text)),
            ("embedOrigins", list(&self.embed_origins)),
        ];
        let mut members: Map<String, Value> = Map::new();
        for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
            // A word that is empty clears the setting, as an empty text does.
            members.insert(name.to_owned(), if value == "" { Value::Null } else { value });
        }
        for name in &self.unset {
            if !PlayerSettings::has(name) {
                let known: Vec<&str> = PlayerSettings::FIELDS.iter().map(|field| field.name).collect();
                return Err(Failure::Usage(format!("--unset {name}: the settings are {}", known.join(", "))));
            }
            members.insert(name.clone(), Value::Null);
        }
        checked(members)
    }
}

/// A change of settings that can be sent.
///
/// # Errors
/// Where a value is none that a setting may have.
pub(super) fn checked(members: Map<String, Value>) -> Result<PlayerChange, Failure> {
    let (change, findings) = Reader::read::<PlayerChange>(&Value::Object(members));
    let fault = findings.first().map(ToString::to_string);
    let fault = fault.or_else(|| change.set().faults().first().map(|(at, why)| format!("{at} {why}")));
    fault.map_or(Ok(change), |fault| Err(Failure::Usage(fault)))
}

impl Player {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let change = self.settings.change()?;
        if !change.members.is_empty() {
            session.may_write::<UpdateProject>()?;
        }
        let client = session.connect().await?.client;
        let sent = (!change.members.is_empty()).then(|| change.clone());
        if sent.is_some() {
            let change = ProjectChange { player: Some(change), ..ProjectChange::default() };
            client.call(&UpdateProject { id: self.id.as_str().into(), change }).await?;
        }
        let settings = match &sent {
            Some(sent) => kept(&client, &self.id, sent).await?,
            None => opened::open(&client, &self.id).await?.value.project.player.unwrap_or_default(),
        };
        let mut out = Output::open();
        if self.json {
            let text = serde_json::to_string(&settings).unwrap_or_default();
            crate::client::json::escape_for_terminal(&text, &mut out)?;
            out.write_all(b"\n")?;
        } else {
            let members = settings.members();
            let empty = Value::Null;
            let shown: Vec<(&str, String)> = PlayerSettings::FIELDS
                .iter()
                .map(|field| (field.name, setting_text(members.get(field.name).unwrap_or(&empty))))
                .filter(|(_, value)| !value.is_empty())
                .collect();
            table::fields(&shown, &mut out)?;
        }
        Ok(out.flush()?)
    }
}

/// The settings as the service has them after a change.
///
/// # Errors
/// Where something was set and it shows none: then it doesn't keep them.
pub(super) async fn kept(client: &Client, id: &str, sent: &PlayerChange) -> Result<PlayerSettings, Failure> {
    let shown = opened::open(client, id).await?.value.project.player;
    // An empty list is a setting too: it asks for nothing, or lets nobody in.
    let sets = sent.members.values().any(|value| !value.is_null() && value != "");
    match shown {
        None if sets => Err(Failure::Faulty(super::file::PLAYER_NOT_KEPT.to_owned())),
        shown => Ok(shown.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        player: Player,
    }

    fn change(arguments: &[&str]) -> Result<Value, String> {
        let line = Line::try_parse_from([&["player", "1"], arguments].concat()).map_err(|error| error.to_string())?;
        let change = line.player.settings.change().map_err(|error| error.to_string())?;
        Ok(Value::Object(change.members))
    }

    #[test]
    fn every_flag_becomes_its_setting() {
        assert_eq!(
            change(&[
                "--brand-color",
                "#0a7cff",
                "--transparent",
                "true",
                "--form-field",
                "name",
                "--form-field",
                "email",
                "--end-text",
                "",
                "--embed-origin",
                "",
                "--unset",
                "shopText",
            ]),
            Ok(json!({
                "brandColor": "#0a7cff", "transparent": true, "formFields": ["name", "email"], "endText": null,
                "embedOrigins": [], "shopText": null,
            }))
        );
        assert_eq!(change(&[]), Ok(json!({})));
    }

    #[test]
    fn a_wrong_value_is_refused_before_anything_is_sent() {
        for wrong in [
            ["--brand-color", "blue"],
            ["--font", "comic"],
            ["--shop-url", "http://shop.example"],
            ["--form-field", "address"],
            ["--embed-origin", "shop.example"],
            ["--unset", "color"],
        ] {
            assert!(change(&wrong).is_err(), "{wrong:?}");
        }
    }
}
