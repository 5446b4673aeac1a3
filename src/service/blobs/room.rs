//! The memory that files take on their way into S3, all of them together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// It is counted in so many bytes.
const UNIT: u64 = 1024 * 1024;

/// So much memory, of which files that arrive hold pieces.
pub(super) struct Room {
    free: Arc<Semaphore>,
    units: u32,
}

/// A piece of it, until it is dropped.
pub(super) struct Held {
    _permit: OwnedSemaphorePermit,
}

impl Room {
    /// So many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX >> 4);
        Self { free: Arc::new(Semaphore::new(units as usize)), units }
    }

    /// Never more than there is: who asks for that gets all of it.
    fn units(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, self.units)
    }

    /// Waits for room, so long at most. Who came first gets it first.
    pub(super) async fn wait(&self, bytes: u64, most: Duration) -> Option<Held> {
        let free = Arc::clone(&self.free).acquire_many_owned(self.units(bytes));
        let permit = tokio::time::timeout(most, free).await.ok()?.ok()?;
        Some(Held { _permit: permit })
    }

    /// Room that is there now, and that nobody waits for.
    pub(super) fn more(&self, bytes: u64) -> Option<Held> {
        let permit = Arc::clone(&self.free).try_acquire_many_owned(self.units(bytes)).ok()?;
        Some(Held { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    #[tokio::test]
    async fn all_files_together_take_no_more_than_there_is() {
        let room = Room::new(20 * MIB);
        let moment = Duration::from_millis(5);
        let first = room.wait(8 * MIB, moment).await.unwrap();
        let second = room.wait(8 * MIB, moment).await.unwrap();
        assert!(room.more(8 * MIB).is_none() && room.wait(8 * MIB, moment).await.is_none());
        // A small one finds its place.
        let small = room.more(1).unwrap();
        drop(first);
        let third = room.more(8 * MIB).unwrap();
        drop((small, second, third));
        // What is larger than all of it has all of it, and nobody waits for ever.
        let all = room.wait(1 << 60, moment).await.unwrap();
        assert!(room.more(1).is_none());
        drop(all);
        assert!(room.more(1).is_some());
    }
}
