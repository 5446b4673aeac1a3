//! The driver of the Inspector screen.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::client::Client;
use crate::domain::wire::{Recorded, har};
use crate::settings::write_private;
use crate::studio::event::Event as Outer;
use crate::studio::inspector::{Effect, Event};

/// Carries an effect out and reports to `events`.
pub fn carry_out(effect: Effect, client: Option<Client>, events: UnboundedSender<Outer>) {
    tokio::spawn(async move {
        let event = match (effect, client) {
            (Effect::Again(_), None) => Event::Again(Err("There is no connection to the service yet.".to_owned())),
            (Effect::Again(recorded), Some(client)) => {
                let answer = client.repeat(&recorded).await;
                // Whatever the service says to it stands in the list: only what was not sent is told here.
                Event::Again(match answer {
                    Err(error) if error.status().is_none() => Err(error.to_string()),
                    _ => Ok(()),
                })
            }
            (Effect::SaveHar { file, exchanges }, _) => {
                let saved = tokio::task::spawn_blocking(move || save(&file, &exchanges)).await;
                Event::Saved(saved.unwrap_or_else(|error| Err(error.to_string())))
            }
        };
        let _ = events.send(Outer::Inspector(event));
    });
}

/// Writes a file that only its owner can read: names and addresses of customers are in it.
fn save(file: &str, exchanges: &[Arc<Recorded>]) -> Result<String, String> {
    let path = std::path::absolute(Path::new(file.trim())).map_err(|error| error.to_string())?;
    let shown = path.display().to_string();
    if path.exists() {
        return Err(format!("{shown} is there already; choose another name"));
    }
    let archive = har(exchanges.iter().map(AsRef::as_ref)).to_string();
    write_private(&path, &archive).map_err(|error| format!("{shown}: {error}"))?;
    Ok(shown)
}
