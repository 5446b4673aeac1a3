//! HTTP: who may ask, what is asked, what is answered.

mod access;
mod activity;
mod answer;
mod answered;
mod asked;
mod base_url;
mod captions;
mod catalog;
mod conditions;
mod connection;
mod deliveries;
mod file_answer;
mod framing;
mod guard;
mod identity;
mod ingress;
mod listener;
mod metrics;
mod oauth;
mod openapi;
mod own_address;
mod own_key;
mod page;
mod patient;
mod places;
mod player;
mod projects;
mod readiness;
mod routes;
mod sample_files;
mod slowing;
mod small;
mod smaller;
mod steps;
mod strict_json;
mod tls;
mod unread;
mod upload;
mod videos;
mod webhooks;
mod written;

use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;
use uuid::Uuid;

pub(super) use connection::serve;
pub(super) use listener::{Bound, Door, listen};
pub(crate) use openapi::player_settings;
pub(super) use own_address::{OwnAddress, kept_port};
pub(super) use own_key::OwnKey;
pub(super) use routes::router;
pub(super) use tls::Tls;
pub use tls::{TlsError, TlsFiles};

use super::blobs::Blobs;
use super::store::Store;
use super::timing::Timing;
use super::{ServeOptions, VisitorLimits};
use guard::Guard;
use ingress::Ingress;
use metrics::Metrics;
use oauth::Approvals;
use player::Visitors;
use readiness::Readiness;

/// Connections that a listener serves at once, unless told otherwise.
const MOST_CONNECTIONS: usize = 1024;

/// What every request is answered from.
pub(super) struct App {
    pub(super) store: Arc<Store>,
    pub(super) blobs: Blobs,
    /// The largest video, bytes.
    pub(super) max_upload: Option<u64>,
    pub(super) guard: Guard,
    pub(super) ingress: Ingress,
    /// Connections that a listener serves at once.
    pub(super) most_connections: usize,
    /// The address under which it hands out others.
    pub(super) own_address: OwnAddress,
    /// The key of processes of the same user.
    pub(super) own_key: OnceLock<OwnKey>,
    /// Tells this start of the service from any other.
    pub(super) instance: String,
    /// Whether it is ready for requests.
    pub(super) readiness: Readiness,
    /// What it has done so far.
    pub(super) metrics: Metrics,
    pub(super) timing: Timing,
    pub(super) approvals: Approvals,
    pub(super) visitors: Visitors,
    /// What visitors may write.
    pub(super) visitor_limits: VisitorLimits,
    /// Told when a visit began.
    pub(super) begun: Notify,
    /// Told when a delivery was queued.
    pub(super) queued: Notify,
}

impl App {
    pub(super) fn new(store: Arc<Store>, blobs: Blobs, options: &ServeOptions) -> Self {
        let approvals = Approvals::new(store.cursor_key());
        Self {
            store,
            blobs,
            max_upload: options.max_upload,
            guard: Guard::default(),
            most_connections: options.max_connections.unwrap_or(MOST_CONNECTIONS),
            ingress: Ingress::new(options.public_url.clone(), options.trusted_proxies.clone()),
            own_address: OwnAddress::default(),
            own_key: OnceLock::new(),
            instance: Uuid::new_v4().to_string(),
            readiness: Readiness::default(),
            metrics: Metrics::new(),
            timing: options.timing.clone(),
            approvals,
            visitors: Visitors::default(),
            visitor_limits: options.visitors,
            begun: Notify::new(),
            queued: Notify::new(),
        }
    }
}
