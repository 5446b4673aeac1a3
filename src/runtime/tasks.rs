//! The tasks of one sitting: nothing that it began runs on once it has ended, and what panics in one of them is told to
//! this sitting and to no other.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::studio::event::Event;
use crate::terminal::panics::{Panicked, caught};

/// So long is waited for tasks that were told to end: what a system call holds up may take longer.
const ENDING: Duration = Duration::from_secs(2);

/// The same for what could not be done again if it broke off halfway.
const ENDING_WHOLE: Duration = Duration::from_secs(10);

/// The tasks of one sitting.
#[derive(Debug, Clone)]
pub struct Tasks {
    tracker: TaskTracker,
    whole: TaskTracker,
    over: CancellationToken,
    events: UnboundedSender<Event>,
    /// What is said of where details of a panic are, after a space; empty where there are none.
    details: Arc<str>,
}

/// What somebody waits for, of whichever type.
type Done = Box<dyn Any + Send>;

/// What somebody waits for does not come: it panicked, or the sitting has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it was stopped by an internal error")]
pub struct Lost;

impl Tasks {
    /// None yet. Panics in them are told to `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Event>) -> Self {
        Self {
            tracker: TaskTracker::new(),
            whole: TaskTracker::new(),
            over: CancellationToken::new(),
            events,
            details: Arc::from(""),
        }
    }

    /// The same, with a file that keeps details of panics.
    #[must_use]
    pub fn with_details_in(mut self, file: Option<&std::path::Path>) -> Self {
        let said = file.map_or_else(String::new, |file| format!(" Details are in {}.", file.display()));
        self.details = said.into();
        self
    }

    /// Begins a task that is cancelled when the sitting ends.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn_boxed(task.boxed());
    }

    /// On the heap before it is wrapped: each wrapper would hold it twice, and a stack has its bounds. Without its type, so that
    /// what runs a task is compiled once, not for each task.
    fn spawn_boxed(&self, task: BoxFuture<'static, ()>) {
        let scope = self.clone();
        self.tracker.spawn(async move {
            let _ = scope.over.run_until_cancelled(scope.caught(task)).await;
        });
    }

    /// Begins a task that is not cancelled but waited for: it ends by itself, once there is nothing more for it to do.
    pub fn spawn_to_end(&self, task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let (scope, task) = (self.clone(), task.boxed());
        self.tracker.spawn(async move { scope.caught(task).await.unwrap_or_default() })
    }

    /// Does something that could not be done again if it broke off halfway: it goes on whether or not its result is still
    /// waited for, and the end of the sitting waits for it longer than for anything else.
    ///
    /// # Errors
    /// Where it panics.
    pub fn whole<T, F>(&self, task: F) -> impl Future<Output = Result<T, Lost>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (scope, task) = (self.clone(), Box::pin(task));
        let running = self.whole.spawn(async move { scope.caught(task).await });
        async move { running.await.ok().flatten().ok_or(Lost) }
    }

    /// Does what blocks on a thread for that.
    ///
    /// # Errors
    /// Where it panics.
    pub fn block<T, F>(&self, work: F) -> impl Future<Output = Result<T, Lost>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let running = self.block_boxed(Box::new(move || Box::new(work()) as Done));
        async move { of_type(running.await) }
    }

    fn block_boxed(&self, work: Box<dyn FnOnce() -> Done + Send>) -> JoinHandle<Option<Done>> {
        let scope = self.clone();
        self.tracker.spawn_blocking(move || scope.told(caught(work)))
    }

    /// Cancelled once they are to end: for what blocks a thread, and has to look.
    #[must_use]
    pub fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// Ends all of them when it is dropped: also where the sitting ends by a panic.
    #[must_use]
    pub fn guard(&self) -> DropGuard {
        self.over.clone().drop_guard()
    }

    /// Ends all of them and waits until they have ended.
    pub async fn end(&self) {
        self.tracker.close();
        self.over.cancel();
        if tokio::time::timeout(ENDING, self.tracker.wait()).await.is_err() {
            tracing::warn!(tasks = self.tracker.len(), "something of a studio that has ended takes its time");
        }
        self.whole.close();
        if tokio::time::timeout(ENDING_WHOLE, self.whole.wait()).await.is_err() {
            tracing::warn!(tasks = self.whole.len(), "something that should be done whole is broken off");
        }
    }

    /// What comes of a part of a task; none where it panics, which is told.
    pub async fn caught<T>(&self, mut part: impl Future<Output = T> + Unpin) -> Option<T> {
        let polled = std::future::poll_fn(|context| {
            match caught(|| Pin::new(&mut part).poll(context)) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
                // It is never polled again.
                Err(panicked) => Poll::Ready(Err(panicked)),
            }
        });
        self.told(polled.await)
    }

    fn told<T>(&self, ran: Result<T, Panicked>) -> Option<T> {
        ran.inspect_err(|panicked| drop(self.events.send(Event::Broke(said(panicked, &self.details))))).ok()
    }
}

/// What became of something, as what it is.
fn of_type<T: 'static>(done: Result<Option<Done>, JoinError>) -> Result<T, Lost> {
    done.ok().flatten().and_then(|done| done.downcast().ok()).map(|done| *done).ok_or(Lost)
}

/// A panic in words for the person whose studio it happened in.
#[must_use]
pub fn said(panicked: &Panicked, details: &str) -> String {
    format!("Internal error at {}: a running task stopped. Your edits are kept.{details}", panicked.at)
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn nothing_runs_on_once_they_have_ended() {
        let (events, _told) = unbounded_channel();
        let tasks = Tasks::new(events);
        let (dropped, gone) = oneshot::channel::<()>();
        tasks.spawn(async move {
            let _held = dropped;
            std::future::pending::<()>().await;
        });
        let (finish, finished) = oneshot::channel::<()>();
        let last = tasks.spawn_to_end(async move { drop(finished.await) });
        drop(finish);
        tasks.end().await;
        assert!(gone.await.is_err() && last.is_finished());
        assert!(tasks.tracker.is_empty());
    }

    #[tokio::test]
    async fn they_end_with_their_guard() {
        let (events, _told) = unbounded_channel();
        let tasks = Tasks::new(events);
        let (dropped, gone) = oneshot::channel::<()>();
        tasks.spawn(async move {
            let _held = dropped;
            std::future::pending::<()>().await;
        });
        drop(tasks.guard());
        assert!(gone.await.is_err());
    }

    #[tokio::test]
    async fn a_panic_is_told_to_those_whose_it_is() {
        let (events, mut told) = unbounded_channel();
        let (others, mut untold) = unbounded_channel();
        let (tasks, _other) = (Tasks::new(events), Tasks::new(others));
        tasks.spawn(async { panic!("a task") });
        assert!(matches!(told.recv().await, Some(Event::Broke(what)) if what.contains("Your edits are kept.")));
        assert_eq!(tasks.block(|| -> u8 { panic!("work") }).await, Err(Lost));
        assert!(matches!(told.recv().await, Some(Event::Broke(_))));
        assert_eq!(tasks.caught(Box::pin(async { 7 })).await, Some(7));
        assert_eq!(tasks.block(|| 8).await, Ok(8));
        assert!(untold.try_recv().is_err());
    }
}
