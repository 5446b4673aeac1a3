//! `cutaway projects update`

use clap::Args;
use clap_complete::ArgValueCompleter;

use crate::api::{ProjectChange, UpdateProject};
use crate::cli::{Failure, Session, names, writing};
use crate::domain::PlayerChange;

/// Change a project's name, folder, e-mail notifications or step order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --name 'Winter gifts' --folder Service
  cutaway projects update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --email ola@example.com --email kari@example.com
  cutaway projects update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --folder '' --steps-order ''")]
pub(super) struct Update {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    #[command(flatten)]
    change: Change,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Change {
    /// The name
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// The folder's ID or name; '' removes the project from its folder
    #[arg(long, value_name = "F", add = ArgValueCompleter::new(names::folders))]
    folder: Option<String>,
    /// Who gets e-mail notifications, replacing the current list (repeatable); '' for nobody
    #[arg(long = "email", value_name = "A")]
    emails: Vec<String>,
    /// The steps in order, by name or ID; '' clears the order
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    steps_order: Vec<String>,
    /// Settings of the player that change, as a JSON object; null clears one. `projects player` has a flag for each
    #[arg(long, value_name = "JSON", value_parser = player_change)]
    player: Option<PlayerChange>,
}

/// Reads a change of the player's settings.
fn player_change(text: &str) -> Result<PlayerChange, String> {
    let members = serde_json::from_str(text).map_err(|error| format!("must be a JSON object: {error}"))?;
    super::player::checked(members).map_err(|error| error.to_string())
}

/// A list that was given, without what only says that it is empty.
fn list(given: &[String]) -> Option<Vec<String>> {
    let kept = || given.iter().map(|one| one.trim()).filter(|one| !one.is_empty()).map(str::to_owned).collect();
    (!given.is_empty()).then(kept)
}

impl Change {
    fn request(&self) -> ProjectChange {
        ProjectChange {
            name: self.name.clone(),
            folder: self.folder.clone(),
            email_notifications: list(&self.emails),
            steps_order: list(&self.steps_order),
            player: self.player.clone(),
            ..ProjectChange::default()
        }
    }
}

impl Update {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let update = UpdateProject { id: self.id.as_str().into(), change: self.change.request() };
        writing::write(session, &update, self.json, |(), _| vec![("Updated", self.id.clone())]).await?;
        if let Some(sent) = &self.change.player {
            super::player::kept(&session.connect().await?.client, &self.id, sent).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        update: Update,
    }

    #[test]
    fn every_flag_becomes_its_field() {
        let request = |arguments: &[&str]| {
            let line = Line::try_parse_from([&["update", "1"], arguments].concat()).map_err(|error| error.to_string());
            line.map(|line| serde_json::to_value(line.update.change.request()).unwrap())
        };
        assert_eq!(
            request(&["--name", "N", "--folder", "", "--email", "a@b", "--email", "c@d", "--steps-order", "x,y"]),
            Ok(json!({"name": "N", "emailNotifications": ["a@b", "c@d"], "stepsOrder": ["x", "y"], "folder": ""}))
        );
        assert_eq!(
            request(&["--email", "", "--steps-order", ""]),
            Ok(json!({"emailNotifications": [], "stepsOrder": []}))
        );
        let settings = r##"{"brandColor":"#000000","endText":null}"##;
        assert_eq!(request(&["--player", settings]), Ok(json!({"player": {"brandColor": "#000000", "endText": null}})));
        assert!(request(&["--player", r#"{"brandColor":"black"}"#]).is_err() && request(&["--player", "[]"]).is_err());
        assert!(request(&[]).is_err(), "an update of nothing is a mistake");
    }
}
