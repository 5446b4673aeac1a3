//! A studio that is shown to others. The owner's loop offers its model as it changes; each who watches has a task, a
//! terminal and a pace of their own. They come in by a socket of this user, from `cutaway join` or from the SSH server.

mod chair;
mod door;
mod frame;
mod meeting;
mod visit;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::door::Room;
pub use self::frame::{FromWatcher, Hello, HelloKey, ToWatcher};
pub use self::visit::{Hearing, Speaking, Visit, is_offered};
use super::bundle::known_secrets;
use super::drivers::Context;
use crate::domain::{ShareCode, Veil};
use crate::settings::Place;
use crate::studio::Model;
use crate::studio::event::Event;
use crate::studio::sharing::{self, WatcherId};

/// The model is offered so often at most.
const PACE: Duration = Duration::from_millis(33);

/// So long the end of a sitting waits for all who watch: a terminal that takes nothing holds up nobody.
const ENDING: Duration = Duration::from_millis(600);

/// Of the time of the owner's loop, copying takes one part in so many at most.
const SHARE: u32 = 10;

/// The studio as it was last; nothing before somebody watches. One at a time looks into it.
type Shown = Option<Arc<Mutex<Model>>>;

/// What the sharing of one sitting keeps.
pub struct Watching {
    shown: watch::Sender<Shown>,
    offered: Option<Instant>,
    /// The model is offered so often: seldom where it is so large that copying it takes long.
    pace: Duration,
    shared: Arc<Shared>,
    seats: TaskTracker,
    over: CancellationToken,
}

/// What the doors of a sitting have in common.
#[derive(Default)]
struct Shared {
    next: AtomicU64,
    waiting: Mutex<HashMap<WatcherId, oneshot::Sender<bool>>>,
}

impl Shared {
    fn next_id(&self) -> WatcherId {
        WatcherId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn wait(&self, id: WatcherId, answer: oneshot::Sender<bool>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, answer| !answer.is_closed());
        waiting.insert(id, answer);
    }
}

impl Default for Watching {
    fn default() -> Self {
        Self {
            shown: watch::Sender::new(None),
            offered: None,
            pace: PACE,
            shared: Arc::default(),
            seats: TaskTracker::new(),
            over: CancellationToken::new(),
        }
    }
}

impl Watching {
    /// Makes a code and waits for whoever uses it.
    pub fn share(&self, context: &Context) {
        let room = Room {
            folders: context.host.folders.clone(),
            workspace: match context.target.place {
                Place::Local => context.host.folders.local_workspace().ok(),
                Place::Remote(_) => None,
            },
            veil: Arc::default(),
            shown: self.shown.subscribe(),
            events: context.events.clone(),
            shared: Arc::clone(&self.shared),
            over: self.over.clone(),
        };
        let (context, tell) = (context.clone(), context.events.clone());
        let tasks = context.tasks.clone();
        tasks.spawn(self.seats.track_future(async move {
            let opened = context.tasks.block({
                let context = context.clone();
                move || secrets(&context)
            });
            let opened = match opened.await {
                Ok(secrets) => new_code().and_then(|code| Ok((code, meeting::open(code)?, secrets))),
                Err(lost) => Err(io::Error::other(lost)),
            };
            let (code, place, secrets) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    let offered = sharing::Event::Offered(Err(error.to_string()));
                    let _ = tell.send(Event::Sharing(offered));
                    return;
                }
            };
            if room.over.is_cancelled() {
                return;
            }
            let _ = tell.send(Event::Sharing(sharing::Event::Offered(Ok(code))));
            let veil = Veil::new(secrets.into_iter().chain([code.to_string()]));
            Room { veil: Arc::new(veil), ..room }.receive(place, code).await;
        }));
    }

    /// Lets somebody in who knocked, or sends them away.
    pub fn admit(&self, id: WatcherId, admitted: bool) {
        let answer = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(answer) = answer {
            let _ = answer.send(admitted);
        }
    }

    /// Ends the sharing: who watches leaves, and a code that nobody used is void.
    pub fn end(&mut self) {
        std::mem::take(&mut self.over).cancel();
        self.shown.send_replace(None);
    }

    /// Shows the model as it is now to whoever watches; how long to wait before it can be, where it was just shown.
    pub fn show(&mut self, model: &Model) -> Option<Duration> {
        if model.shell.sharing.watchers.is_empty() {
            // Nothing is kept of the model that nobody looks at.
            self.shown.send_if_modified(|shown| shown.take().is_some());
            return None;
        }
        let since = self.offered.map_or(self.pace, |offered| offered.elapsed());
        if since < self.pace {
            return Some(self.pace.saturating_sub(since));
        }
        let began = Instant::now();
        self.shown.send_replace(Some(Arc::new(Mutex::new(model.clone()))));
        self.pace = PACE.max(began.elapsed().saturating_mul(SHARE));
        self.offered = Some(Instant::now());
        None
    }

    /// Ends with the sitting: terminals are given back first.
    pub async fn finish(mut self) {
        self.end();
        self.seats.close();
        let _ = tokio::time::timeout(ENDING, self.seats.wait()).await;
    }
}

/// 60 random bits.
fn new_code() -> io::Result<ShareCode> {
    let bits = getrandom::u64().map_err(io::Error::other)?;
    Ok(ShareCode::from_bits(bits))
}

/// What is secret in the owner's home, and for their guest key.
fn secrets(context: &Context) -> Vec<String> {
    let host = &context.host;
    let mut known = known_secrets(&host.folders, &host.environment, context.target.credential.as_ref());
    known.extend(host.key.as_ref().map(|key| key.expose().to_owned()));
    known
}
