//! HTTP: who may ask, what is asked, what is answered.

mod answer;
mod asked;
mod catalog;
mod connection;
mod file_answer;
mod guard;
mod identity;
mod openapi;
mod projects;
mod routes;
mod sample_files;
mod steps;
mod upload;
mod videos;
mod webhooks;
mod written;

use std::sync::OnceLock;

pub(super) use connection::{Bound, listen};
pub(super) use routes::router;

use super::blobs::Blobs;
use super::store::Store;
use guard::Guard;

/// What every request is answered from.
pub(super) struct App {
    pub(super) store: Store,
    pub(super) blobs: Blobs,
    /// The largest video, bytes.
    pub(super) max_upload: Option<u64>,
    pub(super) guard: Guard,
    /// The service's own address, known once it listens.
    pub(super) base_url: OnceLock<String>,
    /// Tells this start of the service from any other.
    pub(super) instance: String,
}

impl App {
    pub(super) fn new(store: Store, blobs: Blobs, max_upload: Option<u64>, instance: String) -> Self {
        Self { store, blobs, max_upload, guard: Guard::default(), base_url: OnceLock::new(), instance }
    }
}
