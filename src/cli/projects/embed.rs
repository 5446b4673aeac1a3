//! `cutaway projects embed`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::opened;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, names};
use crate::client::json;
use crate::domain::{Embed, EmbedKind, Project, text};

/// Print the HTML that puts a project's player into a page of a shop.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag.
#[command(after_help = "\
Examples:
  cutaway projects embed 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects embed 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --bubble
  cutaway projects embed 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --iframe --aspect 16/9")]
pub(super) struct EmbedProject {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// Use the service's script, which sizes the player and reports to the page what happens (the default)
    #[arg(long, conflicts_with = "iframe")]
    script: bool,
    /// Use a frame without a script
    #[arg(long, conflicts_with = "bubble")]
    iframe: bool,
    /// Let it float in a corner, small and muted, until somebody opens it
    #[arg(long)]
    bubble: bool,
    /// The player's shape: width and height, such as 9/16
    #[arg(long, value_name = "W/H", value_parser = aspect)]
    aspect: Option<(u32, u32)>,
    /// The language of the player's own texts, where the project has none
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Print one JSON document with the address and the snippet
    #[arg(long)]
    json: bool,
}

fn aspect(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "must be width and height, such as 9/16".to_owned();
    let (across, down) = text.split_once(['/', ':', 'x']).ok_or_else(wrong)?;
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=10_000).contains(side));
    side(across).zip(side(down)).ok_or_else(wrong)
}

impl EmbedProject {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        let project = opened::open(&client, &self.id).await?.value.project;
        let Some(player) = player(&project) else {
            return Err(Failure::Faulty("the service gave no player address for this project".to_owned()));
        };
        let embed = Embed {
            kind: if self.iframe { EmbedKind::Frame } else { EmbedKind::Script },
            bubble: self.bubble,
            aspect: self.aspect,
            language: self.language.clone(),
        };
        let Some(snippet) = embed.snippet(&player, project.name.as_deref().unwrap_or_default()) else {
            let why = format!("the player at {player} has no script to embed it with; use --iframe");
            return Err(Failure::Faulty(why));
        };
        let mut out = Output::open();
        if self.json {
            let text = serde_json::json!({ "player": player, "snippet": snippet }).to_string();
            json::escape_for_terminal(&text, &mut out)?;
            out.write_all(b"\n")?;
        } else {
            write!(out, "{}", text::lines(&snippet))?;
        }
        Ok(out.flush()?)
    }
}

/// The player's address, in whichever field the service has it.
fn player(project: &Project) -> Option<String> {
    let named = project.player_url.clone().filter(|address| !address.is_empty());
    let is_address = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
    named.or_else(|| project.extra.values().filter_map(|value| value.as_str()).find(is_address).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::aspect;

    #[test]
    fn shapes_are_width_and_height() {
        assert_eq!((aspect("9/16"), aspect("16:9")), (Ok((9, 16)), Ok((16, 9))));
        for wrong in ["", "9", "0/1", "a/b", "1/99999"] {
            assert!(aspect(wrong).is_err(), "{wrong}");
        }
    }
}
