//! The payload of what viewers do, §6.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a viewer left at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Collected {
    /// Their name.
    pub name: Option<String>,
    /// Their e-mail address.
    pub email: Option<String>,
    /// Their telephone number.
    pub phone: Option<String>,
    /// An extension: the words that they agreed to, where the merchant asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
}

/// The payload of §6, word for word.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service::store) struct Payload {
    pub session_id: String,
    pub timestamp: String,
    pub project_id: String,
    pub publish_id: String,
    pub playlist: String,
    pub anonymous_id: String,
    pub collected_info: Option<Collected>,
    pub events: Vec<PayloadEvent>,
    /// Seconds.
    pub session_time: f64,
    /// An extension, on what tells of a purchase only: whether the shop said it, and not just somebody who knows the visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service::store) struct PayloadEvent {
    pub event_name: String,
    pub step_name: Option<String>,
    pub video_name: Option<String>,
    pub text: Option<String>,
    pub timestamp: String,
    /// As [`Payload::verified`], on purchases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

impl Payload {
    /// What says nothing, to try a subscription, at a moment as §2 writes it.
    pub(in crate::service::store) fn ping(now: String) -> Self {
        let nobody = Uuid::nil().to_string();
        Self {
            session_id: nobody.clone(),
            timestamp: now.clone(),
            project_id: nobody.clone(),
            publish_id: "ping".to_owned(),
            playlist: "Ping".to_owned(),
            anonymous_id: nobody,
            collected_info: None,
            events: vec![PayloadEvent {
                event_name: "ping".to_owned(),
                step_name: None,
                video_name: None,
                text: None,
                timestamp: now,
                verified: None,
            }],
            session_time: 0.0,
            verified: None,
        }
    }
}
