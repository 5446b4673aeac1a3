//! Projects, steps, folders, videos, webhooks and the user, §2.6 to §2.11.
//!
//! The spec shows none of the read records of projects, steps and videos, so every member but the identifying one is
//! optional here and whatever else comes is kept.

use std::fmt::Write as _;

use super::ids::{FolderId, ProductId, ProjectId, StepId, StepName, StoreUrl, UserId, VariantId, VideoId, WebhookId};
use super::num::Num;
use super::player::PlayerSettings;
use super::read::Reader;
use crate::{shape, words};

shape! {
    /// A project, §2.7.
    pub struct Project {
        id: req ProjectId => "id",
        name: optnull String => "name",
        app_key: optnull String => "appKey",
        owner: optnull UserId => "owner",
        publish_id: optnull String => "publishId",
        folder: optnull FolderId => "folder",
        email_notifications: optnull Vec<String> => "emailNotifications",
        steps_order: optnull Vec<String> => "stepsOrder",
        steps_count: optnull Num => "stepsCount",
        created_at: optnull String => "createdAt",
        updated_at: optnull String => "updatedAt",
        /// The player's address, in the field named after the service (§2.7).
        player_url: optnull String => "cutaway",
        /// An extension: how the player looks and what it asks.
        player: optnull PlayerSettings => "player",
        steps: optnull Vec<Step> => "steps",
    }
}

shape! {
    /// A step, §2.8. `answer_time` is seconds from the video's start.
    pub struct Step {
        id: optnull StepId => "id",
        name: optnull StepName => "name",
        project_id: optnull ProjectId => "projectId",
        description: optnull String => "description",
        answers: optnull Vec<Answer> => "answers",
        video_id: optnull VideoId => "videoId",
        overlay_text: optnull String => "overlayText",
        answer_time: optnull Num => "answerTime",
        created_at: optnull String => "createdAt",
        updated_at: optnull String => "updatedAt",
        /// An extension: the products that it shows; absent where it shows none.
        products: opt Vec<StepProduct> => "products",
    }
}

shape! {
    /// An extension: a product that a step shows, named as the catalog names it (§2.1, §2.3).
    pub struct StepProduct {
        store: req StoreUrl => "store",
        product_id: req ProductId => "productId",
        /// The variant that is meant; absent: the product with all its variants.
        variant_id: opt VariantId => "variantId",
        /// Seconds from the video's start from which it shows, not negative; absent: from the start.
        from: opt Num => "from",
    }
}

/// As it stands in journals and plans: read as tolerantly as from a service.
impl<'de> serde::Deserialize<'de> for StepProduct {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Reader::read(&serde_json::Value::deserialize(deserializer)?).0)
    }
}

impl StepProduct {
    /// Whether both name the same product and variant of the same store, whenever they show it.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.store.is_same(&other.store) && self.product_id == other.product_id && self.variant_id == other.variant_id
    }

    /// It in words, by a title where one is known, else by its id: `Pour-over kit (variant red) from 3 s`.
    #[must_use]
    pub fn told(&self, title: Option<&str>) -> String {
        let mut told = title.unwrap_or(self.product_id.as_str()).to_owned();
        if let Some(variant) = &self.variant_id {
            let _ = write!(told, " (variant {variant})");
        }
        if let Some(from) = self.from {
            let _ = write!(told, " from {from} s");
        }
        told
    }
}

shape! {
    /// What a viewer may choose at a step, §2.8. `next` is a step's name or id; empty or missing ends the video.
    pub struct Answer {
        text: req String => "text",
        next: opt String => "next",
    }
}

shape! {
    /// A folder of projects, §2.9.
    pub struct Folder {
        id: req FolderId => "id",
        name: req String => "name",
        created_at: req String => "createdAt",
    }
}

shape! {
    /// A video, §2.10.
    pub struct Video {
        id: req VideoId => "id",
        name: req String => "name",
        created_at: req String => "createdAt",
        video_url: optnull String => "videoUrl",
        poster_url: optnull String => "posterUrl",
        /// An extension: the languages of its captions (BCP 47); absent where it has none.
        captions: opt Vec<String> => "captions",
        /// An extension: how long it plays, milliseconds, where the service knows.
        duration_ms: optnull Num => "durationMs",
        /// An extension: how many bytes its file has, where the service has it.
        size: optnull Num => "size",
    }
}

impl Video {
    /// How long it plays, milliseconds, where the service tells beside what §2.10 declares: as `durationMs`, or in
    /// seconds as `duration`.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let seconds = || self.extra.get("duration").and_then(::serde_json::Value::as_f64);
        // What was no number became 0: that is no length.
        let declared = self.duration_ms.map(|ms| ms.0).filter(|ms| *ms > 0.0);
        let ms = declared.or_else(|| seconds().map(|seconds| seconds * 1000.0))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10^12")]
        (0.0..1e12).contains(&ms).then_some(ms as u64)
    }

    /// How many bytes it has, where the service tells beside what §2.10 declares.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        let declared =
            self.size.and_then(Num::whole).and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 0);
        let names = ["fileSize", "videoSize", "sizeBytes"];
        declared.or_else(|| names.iter().find_map(|name| self.extra.get(*name)?.as_u64()))
    }
}

shape! {
    /// A subscription to one kind of event, §2.6.
    pub struct Webhook {
        id: req WebhookId => "id",
        url: req String => "url",
        event: req WebhookEvent => "event",
        owner: req UserId => "owner",
        typename: opt String => "__typename",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        /// An extension: when it was switched off; absent while it is on.
        disabled_at: opt String => "disabledAt",
        /// An extension: `failing` where deliveries failed for days, `gone` where the receiver answered 410.
        disabled_reason: opt String => "disabledReason",
    }
}

impl Webhook {
    /// Why it is switched off, in words; nothing while it is on.
    #[must_use]
    pub fn disabled(&self) -> Option<&'static str> {
        self.disabled_at.as_ref()?;
        Some(match self.disabled_reason.as_deref() {
            Some("failing") => "switched off: deliveries failed for days",
            Some("gone") => "switched off: the receiver answered 410 Gone",
            _ => "switched off",
        })
    }
}

words! {
    /// What a subscription is told of, §6.
    pub enum WebhookEvent {
        ResponseSummary => "response_summary",
        CollectedInfo => "collected_info",
        Conversion => "conversion",
    }
}

shape! {
    /// The person or agent behind a credential, §2.11.
    pub struct User {
        id: req UserId => "id",
        email: req String => "email",
        app_key: req String => "appKey",
    }
}

impl User {
    /// What the user is called: the e-mail address, or what else the service says of who it is.
    #[must_use]
    pub fn called(&self) -> &str {
        let said = [self.email.as_str(), self.id.as_str()];
        said.into_iter().find(|words| !words.trim().is_empty()).unwrap_or("a user without a name")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::Reader;

    #[test]
    fn what_is_no_length_or_no_size_is_looked_for_under_other_names() {
        for (told, faults) in [(json!(null), 0), (json!("48 MB"), 2), (json!(0), 0), (json!(-1), 0)] {
            let video = json!({
                "id": "v", "name": "n", "createdAt": "2026-01-01T00:00:00Z",
                "durationMs": told, "size": told, "duration": 1.5, "fileSize": 7
            });
            let (video, findings) = Reader::read::<Video>(&video);
            assert_eq!((video.duration_ms(), video.size()), (Some(1_500), Some(7)), "{told}");
            assert_eq!(findings.len(), 2 + faults, "beside the two other names: {findings:?}");
        }
        let (video, _) =
            Reader::read::<Video>(&json!({ "durationMs": "2500", "size": 9, "duration": 1, "fileSize": 7 }));
        assert_eq!((video.duration_ms(), video.size()), (Some(2_500), Some(9)));
    }
}
