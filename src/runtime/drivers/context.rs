//! What every driver reaches the world by.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::runtime::connection::Connection;
use crate::runtime::host::{Access, Existing, Files, Host};
use crate::runtime::house::House;
use crate::runtime::tasks::Tasks;
use crate::settings::{Depth, Target};
use crate::studio::event::{Event, Failure, RequestId};
use crate::studio::{Ask, Reply};

/// What is said where a call has nobody to go to yet.
pub(super) const NOT_CONNECTED: &str = "Not connected to the service yet.";

/// What is said where a call broke off in this program: whether the service did what it was asked for is not known.
const BROKEN_OFF: &str = "An internal error broke the request off.";

/// What every driver of one sitting has: where it works, what it may touch, who is told, and who owns what it begins.
#[derive(Clone)]
pub struct Context {
    /// What the sittings of this process share.
    pub house: Arc<House>,
    /// What it may touch.
    pub host: Arc<Host>,
    /// Where it works, and as whom.
    pub target: Arc<Target>,
    /// How many colors its terminal shows.
    pub depth: Depth,
    /// What it begins.
    pub tasks: Tasks,
    /// The loop.
    pub events: UnboundedSender<Event>,
    connection: Arc<Mutex<Option<Arc<Connection>>>>,
    waiting: Arc<Mutex<HashMap<RequestId, CancellationToken>>>,
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
#[error("Couldn't write {shown}: {error}")]
pub struct NotWritten {
    /// The file.
    pub shown: String,
    /// What the system says.
    pub error: io::Error,
}

impl NotWritten {
    /// Whether a file of that name exists already.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.error.kind() == io::ErrorKind::AlreadyExists
    }
}

/// Carries out the effects of one kind. What comes of one is an event, later.
pub trait Driver {
    /// What it carries out.
    type Effect;

    /// Carries an effect out.
    fn carry_out(&mut self, effect: Self::Effect, context: &Context);
}

impl Context {
    /// Of a sitting that is not connected yet. What happens is told to `events`.
    #[must_use]
    pub fn new(
        house: Arc<House>,
        host: Arc<Host>,
        target: Target,
        depth: Depth,
        tasks: Tasks,
        events: UnboundedSender<Event>,
    ) -> Self {
        Self {
            house,
            host,
            target: Arc::new(target),
            depth,
            tasks,
            events,
            connection: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// Tells the loop that something happened.
    pub fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Tells the loop later, once it is known what happened.
    pub fn tell_later(&self, happens: impl Future<Output = Event> + Send + 'static) {
        let (events, happens) = (self.events.clone(), Box::pin(happens));
        self.tasks.spawn(async move {
            let _ = events.send(happens.await);
        });
    }

    /// The connection, once there is one.
    #[must_use]
    pub fn connection(&self) -> Option<Arc<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// There is a connection now.
    pub fn connected(&self, connection: Connection) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(connection));
    }

    /// Who calls the service, once there is a connection.
    #[must_use]
    pub fn client(&self) -> Option<Client> {
        self.connection().map(|connection| connection.client.clone())
    }

    /// Why a call has no answer, where no more is known: nobody was there to make it, or it broke off.
    #[must_use]
    pub(super) fn why_unanswered(&self) -> &'static str {
        if self.client().is_some() { BROKEN_OFF } else { NOT_CONNECTED }
    }

    /// The reply to what saving asks where there is no other: only where nobody was there to send it, nothing was sent.
    pub(super) fn unanswered(&self, ask: &Ask) -> Reply {
        let failure = Failure::new(self.why_unanswered());
        if self.client().is_some() { ask.broken_off(failure) } else { ask.failed(failure) }
    }

    /// The files that the person names.
    ///
    /// # Errors
    /// Where this studio may not touch any, in words for people.
    pub fn files(&self) -> Result<Files, String> {
        self.host.files.clone().ok_or_else(|| "Files can't be read or written here.".to_owned())
    }

    /// Writes a file that the person named, off the loop; where it is.
    ///
    /// # Errors
    /// Where it was not written: its name is taken, or the system says no.
    pub fn write_file(
        &self,
        typed: String,
        content: Vec<u8>,
        access: Access,
        existing: Existing,
    ) -> impl Future<Output = Result<String, NotWritten>> + Send + use<> {
        let (files, tasks) = (self.files(), self.tasks.clone());
        async move {
            let files = files.map_err(|why| NotWritten { shown: typed.clone(), error: io::Error::other(why) })?;
            let shown = files.find(&typed).display().to_string();
            let written = tasks.block(move || files.write(&typed, &content, access, existing)).await;
            match written.map_err(io::Error::other).flatten() {
                Ok(path) => Ok(path.display().to_string()),
                Err(error) => Err(NotWritten { shown, error }),
            }
        }
    }

    /// Asks the service, after so many milliseconds; `lost` is told where there is no connection, or the asking breaks.
    /// The answer may be no longer wanted before it comes: see [`Self::cancel`].
    pub fn ask<F>(&self, request: RequestId, after_ms: u64, lost: Event, ask: impl FnOnce(Client) -> F)
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let Some(client) = self.client() else { return self.tell(lost) };
        let token = CancellationToken::new();
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.retain(|_, token| !token.is_cancelled());
            waiting.insert(request, token.clone());
        }
        let (answer, events, tasks) = (Box::pin(ask(client)), self.events.clone(), self.tasks.clone());
        self.tasks.spawn(async move {
            let asked = Box::pin(async {
                if after_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                }
                answer.await
            });
            if let Some(answered) = token.run_until_cancelled(tasks.caught(asked)).await {
                token.cancel();
                let _ = events.send(answered.unwrap_or(lost));
            }
        });
    }

    /// The answer to a request is no longer wanted.
    pub fn cancel(&self, request: RequestId) {
        if let Some(token) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&request) {
            token.cancel();
        }
    }
}
