//! Threads that own the database connections: one that writes, a few that read.
//!
//! They sleep on a condition variable, without a time limit, so that an idle service never wakes up.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::StoreError;
use super::db::Connection;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;
/// What came of a query or a change, of whichever type.
type Done = Box<dyn Any + Send>;
type Work = Box<dyn FnOnce(&mut Connection) -> Result<Done, StoreError> + Send>;
type Open = Box<dyn Fn() -> Result<Connection, StoreError> + Send + Sync>;

/// A group of threads with a connection each and one queue.
pub(super) struct Workers {
    queue: Arc<Queue>,
    open: Open,
    most: usize,
    /// How long a job waits for a connection before it is refused; without an end where nothing is said.
    patience: Mutex<Option<Duration>>,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    working: Vec<JoinHandle<()>>,
    /// Places of threads whose connection is being opened.
    taken: usize,
}

/// A place among the threads. It is free again when it is dropped without a thread.
struct Place<'a>(&'a Workers);

impl Place<'_> {
    /// Starts the thread of this place on its connection.
    fn take(self, connection: Connection) -> Result<(), StoreError> {
        self.0.start(connection)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.0.threads).taken -= 1;
    }
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    /// Up to `most` threads, each started when the ones before it are busy.
    pub(super) fn new(most: usize, open: Open) -> Self {
        Self { queue: Arc::default(), open, most, patience: Mutex::default(), threads: Mutex::default() }
    }

    /// The same where a job that waited for so long is refused instead of begun. What is left of that time when it is begun is
    /// how long it may wait for its turn.
    pub(super) fn impatient(most: usize, patience: Duration, open: Open) -> Self {
        let workers = Self::new(most, open);
        workers.wait_for(patience);
        workers
    }

    /// From now on a job is refused after so long.
    pub(super) fn wait_for(&self, patience: Duration) {
        *lock(&self.patience) = Some(patience);
    }

    /// Starts a thread on a connection that is open already.
    pub(super) fn start(&self, connection: Connection) -> Result<(), StoreError> {
        let queue = Arc::clone(&self.queue);
        let thread = std::thread::Builder::new()
            .name("cutaway-store".to_owned())
            .stack_size(512 * 1024)
            .spawn(move || queue.work(connection))?;
        lock(&self.threads).working.push(thread);
        Ok(())
    }

    /// A place for one thread more, where there may be one more.
    fn place(&self) -> Option<Place<'_>> {
        let mut threads = lock(&self.threads);
        let is_free = threads.working.len() + threads.taken < self.most;
        is_free.then(|| {
            threads.taken += 1;
            Place(self)
        })
    }

    /// Runs `work` on one of the connections.
    ///
    /// # Errors
    /// What `work` returns; or that no connection could be opened, or that the work panicked.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        self.asked(work, false)
    }

    /// The same for what is worth nothing once nobody waits for it: it isn't begun then. Never for what writes.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(super) fn run_while_wanted<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        self.asked(work, true)
    }

    /// What depends on the types is no more than this: it is compiled for every query there is.
    async fn asked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
        while_wanted: bool,
    ) -> Result<T, StoreError> {
        let work: Work = Box::new(move |connection| Ok(Box::new(work(connection)?) as Done));
        let done = self.done(work, while_wanted).await?;
        done.downcast().map(|done| *done).map_err(|_| StoreError::Lost)
    }

    fn done(&self, work: Work, while_wanted: bool) -> BoxFuture<'_, Result<Done, StoreError>> {
        FutureExt::boxed(async move {
            let (answer, mut answered) = oneshot::channel();
            let (patience, queued) = (*lock(&self.patience), Instant::now());
            // Whoever is first, the one who begins it or the one who gives it up.
            let settled = Arc::new(AtomicBool::new(false));
            let is_settled = Arc::clone(&settled);
            let job: Job = Box::new(move |connection| {
                if is_settled.swap(true, Ordering::AcqRel) || while_wanted && answer.is_closed() {
                    return;
                }
                let left = patience.map(|patience| patience.saturating_sub(queued.elapsed()));
                // Also where nobody looks any more: what was refused is not done.
                let done = if left == Some(Duration::ZERO) {
                    Err(StoreError::Busy)
                } else {
                    connection.take_turns_within(left);
                    connection.ready().map_err(StoreError::from).and_then(|()| work(connection))
                };
                // Nobody waits any more when the request was cancelled.
                let _ = answer.send(done);
            });
            self.queued(job)?;
            let in_time = match patience {
                Some(patience) => tokio::time::timeout(patience, &mut answered).await,
                None => Ok((&mut answered).await),
            };
            match in_time {
                Ok(answer) => answer.map_err(|_| StoreError::Lost)?,
                Err(_) if !settled.swap(true, Ordering::AcqRel) => Err(StoreError::Busy),
                Err(_) => answered.await.map_err(|_| StoreError::Lost)?,
            }
        })
    }

    fn queued(&self, job: Job) -> Result<(), StoreError> {
        let busy = {
            let mut state = lock(&self.queue.state);
            state.jobs.push_back(job);
            state.jobs.len() > state.idle
        };
        if busy && let Some(place) = self.place() {
            place.take((self.open)()?)?;
        }
        self.queue.wake.notify_one();
        Ok(())
    }
}

impl Workers {
    /// How many connections are open, how many of them are idle, and how many jobs wait for one.
    pub(super) fn depth(&self) -> (usize, usize, usize) {
        let open = lock(&self.threads).working.len();
        let state = lock(&self.queue.state);
        (open, state.idle, state.jobs.len())
    }
}

impl Queue {
    fn work(&self, mut connection: Connection) {
        while let Some(job) = self.next() {
            // A job that panics must not take its connection's thread with it; its caller sees `Lost`.
            let _ = catch_unwind(AssertUnwindSafe(|| job(&mut connection)));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        lock(&self.queue.state).closed = true;
        self.queue.wake.notify_all();
        for thread in lock(&self.threads).working.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Barrier, mpsc};

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_job_that_waited_too_long_is_refused_and_not_begun() {
        let open = || Ok(rusqlite::Connection::open_in_memory()?.into());
        let workers = Workers::impatient(1, Duration::from_millis(50), Box::new(open));
        let (go, held) = mpsc::channel::<()>();
        let (begun, is_begun) = oneshot::channel();
        // It is no request, so nobody gives it up, however busy the machine is.
        let holding = move |_: &mut Connection| {
            let _ = begun.send(());
            let _ = held.recv();
        };
        workers.queued(Box::new(holding)).unwrap();
        is_begun.await.unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let is_done = Arc::clone(&done);
        let refused = workers.run(move |_| {
            is_done.store(true, Ordering::Relaxed);
            Ok(())
        });
        assert!(matches!(refused.await, Err(StoreError::Busy)));
        go.send(()).unwrap();
        while workers.run(|_| Ok(())).await.is_err() {}
        assert!(!done.load(Ordering::Relaxed), "what was refused was done");
    }

    #[test]
    fn however_many_come_at_once_no_more_connections_are_open_than_there_may_be() {
        for _ in 0..200 {
            let opened = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&opened);
            let open = move || {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(rusqlite::Connection::open_in_memory()?.into())
            };
            let workers = Workers::new(1, Box::new(open));
            let together = Barrier::new(4);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        together.wait();
                        workers.queued(Box::new(|_| ())).unwrap();
                    });
                }
            });
            assert_eq!(opened.load(Ordering::Relaxed), 1);
        }
    }
}
