//! What all connections of a server share.

use std::sync::Arc;

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
    pub(super) keys: GuestKeys,
    pub(super) limits: Limits,
    pub(super) house: Arc<House>,
    pub(super) rooms: Rooms,
    pub(super) sessions: Arc<Sessions>,
    /// Places for studios.
    pub(super) studios: Arc<Semaphore>,
    /// Places for commands.
    pub(super) running: Arc<Semaphore>,
    /// Places for uploads: they take as long as their lines are slow, and hold up no other command.
    pub(super) uploads: Arc<Semaphore>,
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
