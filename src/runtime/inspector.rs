//! The driver of the Inspector screen.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::bundle::{Bundle, Source};
use super::steps::expand;
use crate::client::Client;
use crate::domain::wire::{Recorded, har};
use crate::settings::{Config, Environment, Folders, Target, write_private};
use crate::studio::event::Event as Outer;
use crate::studio::inspector::{Bundle as OfStudio, Effect, Event};

/// What an archive for support is of, beside what the studio knows.
#[derive(Debug, Clone)]
pub struct SupportPlace {
    /// Where the files are.
    pub folders: Folders,
    /// Where the studio works.
    pub target: Target,
    /// The variables, some of which hold secrets.
    pub environment: Environment,
}

impl SupportPlace {
    fn gather(&self, bundle: &OfStudio, mask: bool) -> Bundle {
        let config = self.folders.config_file().map(|path| Config::read(&path)).unwrap_or_default();
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
        let source = Source {
            folders: &self.folders,
            config: &config,
            target: &self.target,
            stores: &bundle.stores,
            environment: &self.environment,
            home: home.as_deref(),
            mask,
        };
        let exchanges: Vec<&Recorded> = bundle.exchanges.iter().map(AsRef::as_ref).collect();
        Bundle::gather(&source, ("studio.json", "what the studio knows of itself", bundle.studio.clone()), &exchanges)
    }

    fn write(&self, bundle: &OfStudio, mask: bool) -> Result<String, String> {
        let path = std::path::absolute(expand(bundle.file.trim())).map_err(|error| error.to_string())?;
        let shown = path.display().to_string();
        self.gather(bundle, mask).write(&path).map_err(|error| format!("{shown}: {error}"))?;
        Ok(shown)
    }
}

/// Carries an effect out and reports to `events`.
pub fn carry_out(effect: Effect, place: SupportPlace, client: Option<Client>, events: UnboundedSender<Outer>) {
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
            (Effect::ListBundle(bundle), _) => {
                let listed = tokio::task::spawn_blocking(move || {
                    let listing = place.gather(&bundle, false).listing().collect();
                    Event::BundleListed { bundle, listing }
                });
                listed.await.unwrap_or_else(|error| Event::Saved(Err(error.to_string())))
            }
            (Effect::WriteBundle { bundle, mask }, _) => {
                let saved = tokio::task::spawn_blocking(move || place.write(&bundle, mask)).await;
                Event::Saved(saved.unwrap_or_else(|error| Err(error.to_string())))
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
    let path = std::path::absolute(expand(file.trim())).map_err(|error| error.to_string())?;
    let shown = path.display().to_string();
    if path.exists() {
        return Err(format!("{shown} is there already; choose another name"));
    }
    let archive = har(exchanges.iter().map(AsRef::as_ref)).to_string();
    write_private(&path, &archive).map_err(|error| format!("{shown}: {error}"))?;
    Ok(shown)
}
