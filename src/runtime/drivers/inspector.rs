//! The driver of the Inspector screen.

use super::context::{Answer, Context, Driver};
use crate::domain::wire::{Recorded, har};
use crate::runtime::bundle::{Bundle, Source};
use crate::runtime::host::{Access, Existing};
use crate::settings::Config;
use crate::studio::inspector::{Bundle as OfStudio, Effect, Event};

/// Carries out what the Inspector screen asks for.
#[derive(Default)]
pub struct InspectorDriver;

impl Driver for InspectorDriver {
    type Effect = Effect;

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context))
    }
}

async fn answered(effect: Effect, context: Context) -> Option<Event> {
    Some(match effect {
        Effect::Again { request, recorded } => {
            let answer = context.client()?.repeat(&recorded).await;
            // Whatever the service says to it stands in the list: only what was not sent is told here.
            let sent = match answer {
                Err(error) if error.status().is_none() => Err(error.to_string()),
                _ => Ok(()),
            };
            Event::Again { request, sent }
        }
        Effect::ListBundle { request, bundle } => {
            let of = context.clone();
            let listed = context.tasks.block(move || {
                let listing = gather(&of, &bundle, false).listing().collect();
                Event::BundleListed { request, bundle, listing }
            });
            listed.await.unwrap_or_else(|lost| Event::Saved { request, saved: Err(lost.to_string()) })
        }
        Effect::WriteBundle { request, bundle, mask } => {
            let of = context.clone();
            let packed = context.tasks.block(move || (gather(&of, &bundle, mask).packed(), bundle.file));
            let saved = match packed.await {
                Ok((Ok(archive), file)) => save(&context, file, archive).await,
                Ok((Err(error), file)) => Err(format!("{file}: {error}")),
                Err(lost) => Err(lost.to_string()),
            };
            Event::Saved { request, saved }
        }
        Effect::SaveHar { request, file, exchanges } => {
            let archive =
                context.tasks.block(move || har(exchanges.iter().map(AsRef::as_ref)).to_string().into_bytes());
            let saved = match archive.await {
                Ok(archive) => save(&context, file, archive).await,
                Err(lost) => Err(lost.to_string()),
            };
            Event::Saved { request, saved }
        }
    })
}

fn gather(context: &Context, bundle: &OfStudio, mask: bool) -> Bundle {
    let folders = &context.host.folders;
    let config = folders.config_file().map(|path| Config::read(&path)).unwrap_or_default();
    let home = context.host.files.as_ref().and_then(|files| files.home()).map(|home| home.display().to_string());
    let source = Source {
        folders,
        config: &config,
        target: &context.target,
        stores: &bundle.stores,
        environment: &context.host.environment,
        home: home.as_deref(),
        mask,
    };
    let exchanges: Vec<&Recorded> = bundle.exchanges.iter().map(AsRef::as_ref).collect();
    Bundle::gather(&source, ("studio.json", "state of the studio", bundle.studio.clone()), &exchanges)
}

/// Writes a file that only its owner can read: names and addresses of customers are in it.
async fn save(context: &Context, file: String, bytes: Vec<u8>) -> Result<String, String> {
    let written = context.write_file(file, bytes, Access::Private, Existing::Refuse).await;
    written.map_err(|error| {
        if error.is_taken() {
            format!("{} already exists; choose another name", error.shown)
        } else {
            format!("{}: {}", error.shown, error.error)
        }
    })
}
