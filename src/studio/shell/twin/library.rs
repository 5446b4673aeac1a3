//! §4.5 and §4.6: videos and webhooks.

use std::path::Path;

use super::line::{Deed, Line, Scope};
use super::word::Word;
use crate::domain::{VideoId, WebhookEvent, WebhookId};

fn line(command: &'static [&'static str]) -> Line {
    Line::new(Scope::Workspace, command)
}

/// A video that was registered by its address.
#[must_use]
pub(super) fn register(address: &str, name: &str, video: &VideoId) -> Deed {
    let line = line(&["videos", "create"]).operand(address).flags("--name", Some(name).filter(|name| !name.is_empty()));
    line.making("video", [video.as_str()]).done()
}

/// A file that was uploaded.
#[must_use]
pub(super) fn upload(file: &Path, video: &str) -> Deed {
    match file.to_str() {
        Some(file) => line(&["videos", "upload"]).operand(file).making("video", [video]).done(),
        None => Deed::aside(format!("upload {}: its name is not valid text", file.display())),
    }
}

/// Captions that were added to a video.
#[must_use]
pub(super) fn captions(video: &VideoId, file: &str) -> Deed {
    line(&["videos", "captions", "add"]).operand(Word::id(video.as_str())).operand(file).done()
}

/// Captions that were removed from a video.
#[must_use]
pub(super) fn remove_captions(video: &VideoId, language: &str) -> Deed {
    let line = line(&["videos", "captions", "remove"]).operand(Word::id(video.as_str())).operand(language);
    line.switch("--yes").done()
}

/// A video that was deleted.
#[must_use]
pub(super) fn delete(video: &VideoId) -> Deed {
    line(&["assets", "delete"]).operand(Word::id(video.as_str())).switch("--yes").done()
}

/// An address that was subscribed to an event.
#[must_use]
pub(super) fn subscribe(event: &WebhookEvent, url: &str, webhook: &WebhookId) -> Deed {
    let line = line(&["webhooks", "create"]).operand(event.as_str()).operand(url);
    line.making("webhook", [webhook.as_str()]).done()
}

/// A subscription that was deleted.
#[must_use]
pub(super) fn unsubscribe(webhook: &WebhookId) -> Deed {
    line(&["webhooks", "delete"]).operand(Word::id(webhook.as_str())).switch("--yes").done()
}

/// A subscription that was switched on.
#[must_use]
pub(super) fn enable(webhook: &WebhookId) -> Deed {
    line(&["webhooks", "enable"]).operand(Word::id(webhook.as_str())).done()
}

/// A subscription that was switched off.
#[must_use]
pub(super) fn disable(webhook: &WebhookId) -> Deed {
    line(&["webhooks", "disable"]).operand(Word::id(webhook.as_str())).done()
}

/// A secret that was replaced.
#[must_use]
pub(super) fn rotate(webhook: &WebhookId) -> Deed {
    line(&["webhooks", "rotate-secret"]).operand(Word::id(webhook.as_str())).done()
}

/// A message that says nothing.
#[must_use]
pub(super) fn ping(webhook: &WebhookId) -> Deed {
    line(&["webhooks", "ping"]).operand(Word::id(webhook.as_str())).done()
}

/// A delivery that was sent again.
#[must_use]
pub(super) fn redeliver(webhook: &WebhookId, delivery: &str) -> Deed {
    let line = line(&["webhooks", "redeliver"]).operand(Word::id(webhook.as_str())).operand(delivery);
    line.on_part_of(webhook.as_str()).done()
}

/// The secret of a subscription, which a script has no use for.
#[must_use]
pub(super) fn secret(webhook: &WebhookId) -> Deed {
    let line = Line::new(Scope::Machine, &["webhooks", "secret"]).operand(Word::id(webhook.as_str()));
    Deed::Aside { what: "the secret of a webhook was copied".to_owned(), line: Some(Box::new(line)) }
}

/// Events are received, which goes on until it is ended.
#[must_use]
pub(super) fn listen() -> Deed {
    let line = line(&["webhooks", "listen"]);
    Deed::Aside { what: "events were received until you stopped".to_owned(), line: Some(Box::new(line)) }
}
