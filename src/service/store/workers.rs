//! Threads that own the database connections: one that writes, a few that read.
//!
//! They sleep on a condition variable, without a time limit, so that an idle service never wakes up.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::StoreError;
use super::db::Connection;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;
type Open = Box<dyn Fn() -> Result<Connection, StoreError> + Send + Sync>;

/// A group of threads with a connection each and one queue.
pub(super) struct Workers {
    queue: Arc<Queue>,
    open: Open,
    most: usize,
    threads: Mutex<Vec<JoinHandle<()>>>,
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
        Self { queue: Arc::default(), open, most, threads: Mutex::default() }
    }

    /// Starts a thread on a connection that is open already.
    pub(super) fn start(&self, connection: Connection) -> Result<(), StoreError> {
        let queue = Arc::clone(&self.queue);
        let thread = std::thread::Builder::new()
            .name("cutaway-store".to_owned())
            .stack_size(512 * 1024)
            .spawn(move || queue.work(connection))?;
        lock(&self.threads).push(thread);
        Ok(())
    }

    /// Runs `work` on one of the connections.
    ///
    /// # Errors
    /// What `work` returns; or that no connection could be opened, or that the work panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.asked(work, false).await
    }

    /// The same for what is worth nothing once nobody waits for it: it isn't begun then. Never for what writes.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(super) async fn run_while_wanted<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.asked(work, true).await
    }

    async fn asked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
        while_wanted: bool,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if while_wanted && answer.is_closed() {
                return;
            }
            // Nobody waits any more when the request was cancelled.
            let _ = answer.send(connection.ready().map_err(StoreError::from).and_then(|()| work(connection)));
        });
        self.queued(job)?;
        answered.await.map_err(|_| StoreError::Lost)?
    }

    fn queued(&self, job: Job) -> Result<(), StoreError> {
        let busy = {
            let mut state = lock(&self.queue.state);
            state.jobs.push_back(job);
            state.jobs.len() > state.idle
        };
        if busy && lock(&self.threads).len() < self.most {
            self.start((self.open)()?)?;
        }
        self.queue.wake.notify_one();
        Ok(())
    }
}

impl Workers {
    /// How many connections are open, how many of them are idle, and how many jobs wait for one.
    pub(super) fn depth(&self) -> (usize, usize, usize) {
        let open = lock(&self.threads).len();
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
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join();
        }
    }
}
