//! Who is in: the sessions of all keys, so that those of a revoked key end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::keys::GuestKey;

/// The sessions, each with the key that it came in by and what ends it.
#[derive(Default)]
pub(super) struct Sessions {
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    next: u64,
    by_number: HashMap<u64, (GuestKey, CancellationToken)>,
}

/// One session, until it is dropped.
pub(super) struct Entered {
    sessions: Arc<Sessions>,
    number: u64,
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(self: &Arc<Self>, key: GuestKey, end: CancellationToken) -> Entered {
        let mut all = self.all();
        let number = all.next;
        all.next += 1;
        all.by_number.insert(number, (key, end));
        Entered { sessions: Arc::clone(self), number }
    }

    /// Ends the sessions of keys that are not let in any more, or with other rights.
    pub(super) fn end_others_than(&self, keys: &[GuestKey]) {
        for (held, end) in self.all().by_number.values() {
            if !keys.iter().any(|key| key.has_same_rights(held)) {
                end.cancel();
            }
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.sessions.all().by_number.remove(&self.number);
    }
}
