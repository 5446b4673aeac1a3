//! What all connections of a server share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use russh::server::Config;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::hall::Hall;
use super::keys::GuestKeys;
use super::rooms::Rooms;
use super::sessions::Sessions;
use super::slowness::Slowness;
use super::{Commands, Limits};
use crate::runtime::house::House;

/// What all connections share.
pub(super) struct Shop {
    /// Where it listens.
    pub(super) port: u16,
    pub(super) keys: GuestKeys,
    pub(super) limits: Limits,
    pub(super) house: Arc<House>,
    pub(super) rooms: Rooms,
    pub(super) sessions: Arc<Sessions>,
    /// Places for studios.
    pub(super) studios: Arc<Semaphore>,
    /// Places for commands.
    pub(super) running: Arc<Semaphore>,
    /// Places for all that has begun and may wait for its client.
    pub(super) begun: Arc<Semaphore>,
    /// Places for uploads: they take as long as their lines are slow, and hold up no other command.
    pub(super) uploads: Arc<Semaphore>,
    /// Those of each key, by its id and what they are for: one that takes all it can leaves room for the others.
    pub(super) shares: Mutex<HashMap<(String, Kind), Arc<Semaphore>>>,
    /// Runs them.
    pub(super) commands: Arc<dyn Commands>,
    /// What runs for guests.
    pub(super) tasks: TaskTracker,
    pub(super) hall: Arc<Hall>,
    /// Who showed wrong codes.
    pub(super) slowness: Slowness,
    pub(super) config: Arc<Config>,
    /// Ends everything in order.
    pub(super) stop: CancellationToken,
}

/// What places are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Studio,
    Command,
    Upload,
}

impl Shop {
    /// The places of one key.
    pub(super) fn share_of(&self, key: &str, kind: Kind) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = (key.to_owned(), kind);
        // Those that nobody uses are made again when they are needed.
        shares.retain(|known, share| *known == wanted || Arc::strong_count(share) > 1);
        let places = match kind {
            Kind::Studio => self.limits.studios_of_one,
            Kind::Command => self.limits.commands_of_one,
            Kind::Upload => self.limits.uploads_of_one,
        };
        Arc::clone(shares.entry(wanted).or_insert_with(|| Arc::new(Semaphore::new(places))))
    }
}
