//! A command's place among those that run at once. It is given back while the command waits for its client: who sends
//! nothing, or takes nothing, holds up nobody but themselves. What has begun never waits for a place again: its client would
//! be taken for one that has stopped.

use std::future::ready;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A place that is held while something is done.
pub(super) struct Turn {
    places: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Turn {
    /// One of these places, which is not taken yet.
    pub(super) fn among(places: &Arc<Semaphore>) -> Arc<Self> {
        Arc::new(Self { places: Arc::clone(places), held: Mutex::new(None) })
    }

    fn held(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place, where none is held. Safe to be cancelled.
    pub(super) async fn take(&self) {
        if self.held().is_none() {
            // It is never closed.
            let place = Arc::clone(&self.places).acquire_owned().await.ok();
            *self.held() = place;
        }
    }

    /// Waits for the client: what isn't there already is waited for without the place. Then it goes on, in a place where one
    /// is free, else beside those that have one.
    pub(super) async fn waits<T>(&self, waiting: impl Future<Output = T>) -> T {
        let mut waiting = pin!(waiting);
        tokio::select! {
            biased;
            done = &mut waiting => return done,
            () = ready(()) => {}
        }
        drop(self.held().take());
        let done = waiting.await;
        let mut held = self.held();
        if held.is_none() {
            *held = Arc::clone(&self.places).try_acquire_owned().ok();
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_place_is_free_while_its_client_is_waited_for() {
        let places = Arc::new(Semaphore::new(1));
        let turn = Turn::among(&places);
        turn.take().await;
        assert_eq!(places.available_permits(), 0);
        assert_eq!(turn.waits(ready(7)).await, 7);
        assert_eq!(places.available_permits(), 0, "what is there already costs no place");

        for is_free in [true, false] {
            let (sends, comes) = oneshot::channel();
            let waiting = tokio::spawn({
                let turn = Arc::clone(&turn);
                async move { turn.waits(comes).await }
            });
            // It is somebody else's now, who may keep it.
            let mut other = Some(Arc::clone(&places).acquire_owned().await.unwrap());
            if is_free {
                drop(other.take());
            }
            sends.send(()).unwrap();
            waiting.await.unwrap().unwrap();
            assert_eq!(places.available_permits(), 0, "it has its place again, or goes on without");
        }
        assert_eq!(places.available_permits(), 1, "the other one has ended");
        drop(turn);
        assert_eq!(places.available_permits(), 1);
    }
}
