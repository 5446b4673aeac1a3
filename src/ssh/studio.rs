//! A studio in a channel: a sitting of its own, which nobody else's end or panic reaches.

use std::io;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::channel::{Output, Written};
use super::guest::{Shared, setup};
use super::limits::period;
use super::source::GuestSource;
use super::{Limits, SshError};
use crate::runtime::host::Host;
use crate::runtime::house::House;
use crate::runtime::plain;
use crate::runtime::remote::{self, Size};
use crate::runtime::sitting::{Sitting, SittingError};
use crate::runtime::surface::{Source, Surface};
use crate::studio::GuestOf;

/// What a client asked for, and the ends of its channel.
pub(super) struct Studio {
    pub(super) guest: Shared,
    pub(super) house: Arc<House>,
    pub(super) limits: Limits,
    /// The port that they came by.
    pub(super) port: u16,
    /// What the terminal is called.
    pub(super) term: String,
    /// Whether each key comes as it is pressed.
    pub(super) is_raw: bool,
    /// What else the client said.
    pub(super) said: Vec<(String, String)>,
    pub(super) size: watch::Receiver<Size>,
    pub(super) input: DuplexStream,
    pub(super) output: Output,
    pub(super) written: Written,
    /// Ends it in order.
    pub(super) end: CancellationToken,
}

impl Studio {
    /// Runs until the person leaves, and whatever is to be shown is on its way; nothing of it runs on then. Why it ended,
    /// where somebody has to be told.
    ///
    /// # Errors
    /// Why it could not begin, or ended early, in words for people.
    pub(super) async fn run(self) -> Result<Option<String>, String> {
        let Self { guest, house, limits, port, term, is_raw, said, size, input, output, written, end } = self;
        let beginning = Arc::clone(&guest);
        let is_plain = term == "dumb";
        let start = tokio::task::spawn_blocking(move || {
            let start = beginning.start()?;
            let setup = setup(&start, &term, &said, limits.lost_after);
            Ok::<_, SshError>((start, setup))
        });
        let started = start.await.map_err(|error| error.to_string())?;
        let (start, setup) = started.map_err(|error| error.to_string())?;
        let came = GuestOf { name: guest.key.shown().to_owned(), port };
        let host = Host { guest: Some(came), ..guest.host() };
        let host = if is_plain { Host { pictures: false, notifications: false, ..host } } else { host };
        let sitting = Sitting { house, host: Arc::new(host), start: Arc::new(start), capability: setup.capability };
        let in_words = |error: io::Error| error.to_string();
        let (mut sitting, idled) = if is_plain {
            let never = Box::pin(std::future::pending());
            let (surface, lines) = plain::open(input, output.raw(is_raw), is_raw, None, never).map_err(in_words)?;
            let source = GuestSource::new(lines, end.clone(), limits);
            let idled = source.idled();
            (begin(sitting, surface, source), idled)
        } else {
            let (surface, keys) = remote::open(setup, size, input, output).map_err(in_words)?;
            let source = GuestSource::new(keys, end.clone(), limits);
            let idled = source.idled();
            (begin(sitting, surface, source), idled)
        };
        let ended = tokio::select! {
            ended = &mut sitting => Some(ended),
            () = async {
                end.cancelled().await;
                tokio::time::sleep(limits.ending).await;
            } => None,
        };
        if ended.is_none() {
            sitting.abort();
            let _ = (&mut sitting).await;
        }
        // The terminal is given back by the last that is written, by a thread of its own.
        let _ = tokio::time::timeout(limits.ending, written).await;
        match ended {
            Some(Ok(Ok(()))) => {
                Ok(idled.is_cancelled().then(|| format!("nothing was pressed for {}", period(limits.idle))))
            }
            Some(Ok(Err(error))) => Err(error.to_string()),
            Some(Err(error)) if error.is_panic() => {
                Err("internal error: this studio ended, others go on; drafts are kept".to_owned())
            }
            _ => Err("this studio took too long to end".to_owned()),
        }
    }
}

/// Begins a sitting in a task of its own, so that a panic ends nothing else. What it is shown on goes with it, panic or not.
fn begin(
    sitting: Sitting,
    mut surface: impl Surface + 'static,
    mut source: impl Source + 'static,
) -> JoinHandle<Result<(), SittingError>> {
    tokio::spawn(FutureExt::boxed(async move {
        let ended = Box::pin(sitting.run(&mut surface, &mut source)).await;
        drop((surface, source));
        ended
    }))
}
