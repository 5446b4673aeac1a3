//! Where pictures are decoded: one at a time, on a thread of its own.
//!
//! Decoding takes tens of megabytes for a moment. Allocators keep what a thread gave back for that thread, so that many
//! threads would hold on to many times that, long after the last picture.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use tokio::sync::oneshot;

use crate::studio::pictures::PictureFault;

/// The name of that thread. What panics on it is a picture that can't be decoded, and is told as that.
pub const THREAD: &str = "pictures";

type Job = Box<dyn FnOnce() + Send>;

/// The thread, once there was something for it to do. It ends with what is dropped here.
#[derive(Default)]
pub struct Bench {
    jobs: OnceLock<Option<Sender<Job>>>,
}

impl Bench {
    /// Does this once those before it are done; not at all, where nobody waits for it any more by then.
    ///
    /// # Errors
    /// Its own, and where a decoder panics: that is a picture that can't be decoded.
    pub async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, PictureFault> + Send + 'static,
    ) -> Result<T, PictureFault> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !tell.is_closed() {
                let made = catch_unwind(AssertUnwindSafe(job));
                let _ = tell.send(made.unwrap_or(Err(PictureFault::Broken)));
            }
        });
        let jobs = self.jobs.get_or_init(begin).as_ref().ok_or(PictureFault::Broken)?;
        jobs.send(job).map_err(|_| PictureFault::Broken)?;
        told.await.unwrap_or(Err(PictureFault::Broken))
    }
}

fn begin() -> Option<Sender<Job>> {
    let (jobs, waiting) = channel::<Job>();
    let thread = std::thread::Builder::new().name(THREAD.to_owned());
    let begun = thread.spawn(move || {
        // Keys come first: where there are few cores this one gets what the others leave.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(10);
        for job in waiting {
            job();
        }
    });
    begun.inspect_err(|error| tracing::debug!(%error, "no pictures are decoded")).ok().map(|_| jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_panics_is_broken_and_what_comes_after_it_is_done() {
        let bench = Bench::default();
        let panics = bench.work(|| -> Result<(), PictureFault> { panic!("a decoder") });
        assert_eq!(panics.await, Err(PictureFault::Broken));
        assert_eq!(bench.work(|| Ok(7)).await, Ok(7));
    }
}
