//! What every driver reaches the world by.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::runtime::checking::baseline::Ignoring;
use crate::runtime::connection::Connection;
use crate::runtime::host::{Access, Existing, Files, Host};
use crate::runtime::house::House;
use crate::runtime::tasks::Tasks;
use crate::settings::{Depth, Target};
use crate::studio::event::{Event, RequestId};
use crate::studio::{Asks, Unanswered};

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
    /// What its lists of problems leave out.
    pub ignoring: Arc<Ignoring>,
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

/// The answer to an effect, on its way.
pub type Answer<E> = BoxFuture<'static, Option<<E as Asks>::Event>>;

/// Carries out the effects of one screen. What comes of one is an event, later.
pub trait Driver {
    /// What it carries out.
    type Effect: Asks<Event: Into<Event>>;

    /// Hands over what others work on for as long as the sitting lasts, and does what takes no time. Gives back what is
    /// to be answered.
    fn hand_over(&mut self, effect: Self::Effect, context: &Context) -> Option<Self::Effect> {
        let _ = context;
        Some(effect)
    }

    /// Answers an effect; `None` where it needs a connection and there is none.
    fn answer(&self, effect: Self::Effect, context: Context) -> Answer<Self::Effect>;

    /// Carries an effect out. Whatever becomes of it, it is answered once: what is not answered here, because nobody is
    /// there to ask or because answering it breaks off, is told as the effect's own failure.
    fn carry_out(&mut self, effect: Self::Effect, context: &Context) {
        let Some(effect) = self.hand_over(effect, context) else { return };
        let lost = Lost::of(&effect, context);
        let (request, after_ms) = (effect.request(), effect.after_ms());
        context.answer(request, after_ms, lost, self.answer(effect, context.clone()));
    }
}

/// What is told where an effect has no answer.
pub struct Lost {
    /// Nobody was there to ask.
    unasked: Option<Event>,
    /// It broke off.
    broken_off: Option<Event>,
}

impl Lost {
    /// What is told where this effect has none.
    pub fn of<E: Asks<Event: Into<Event>>>(effect: &E, context: &Context) -> Self {
        let is_alone = context.client().is_none();
        let unasked = is_alone.then(|| effect.unanswered(&Unanswered::NotConnected)).flatten();
        Self { unasked: unasked.map(Into::into), ..Self::beside(effect) }
    }

    /// Nobody waits for an answer.
    #[must_use]
    pub fn nothing() -> Self {
        Self { unasked: None, broken_off: None }
    }

    /// The same for an effect that needs no connection: where it ends without an answer, nobody wants one.
    pub fn beside<E: Asks<Event: Into<Event>>>(effect: &E) -> Self {
        Self { unasked: None, broken_off: effect.unanswered(&Unanswered::BrokenOff).map(Into::into) }
    }
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
            ignoring: Arc::default(),
            connection: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// Tells the loop that something happened.
    pub fn tell(&self, event: Event) {
        let _ = self.events.send(event);
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

    /// Tells the loop what comes of `answer`, which is begun after so many milliseconds: the answer, or what is told where
    /// there is none. It may be no longer wanted before it comes: see [`Self::cancel`].
    pub fn answer<E: Into<Event>>(
        &self,
        request: Option<RequestId>,
        after_ms: u64,
        lost: Lost,
        answer: impl Future<Output = Option<E>> + Send + 'static,
    ) {
        self.answer_boxed(request, after_ms, lost, answer.map(|answer| answer.map(Into::into)).boxed());
    }

    /// On the heap before it is wrapped: each wrapper would hold it twice.
    fn answer_boxed(
        &self,
        request: Option<RequestId>,
        after_ms: u64,
        lost: Lost,
        answer: BoxFuture<'static, Option<Event>>,
    ) {
        let token = CancellationToken::new();
        if let Some(request) = request {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.retain(|_, token| !token.is_cancelled());
            waiting.insert(request, token.clone());
        }
        let (events, tasks) = (self.events.clone(), self.tasks.clone());
        let waiting = Arc::clone(&self.waiting);
        self.tasks.spawn(async move {
            let asked = Box::pin(async {
                if after_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                }
                answer.await
            });
            if let Some(answered) = token.run_until_cancelled(tasks.caught(asked)).await {
                // Together: whoever sees that nothing is waited for any more finds the answer told.
                let _waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                token.cancel();
                let told = match answered {
                    Some(Some(event)) => Some(event),
                    Some(None) => lost.unasked,
                    None => lost.broken_off,
                };
                if let Some(event) = told {
                    // Nobody listens any more where the sitting has ended.
                    let _ = events.send(event);
                }
            }
        });
    }

    /// Whether a request is not answered yet.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.values().any(|token| !token.is_cancelled())
    }

    /// The answer to a request is no longer wanted.
    pub fn cancel(&self, request: RequestId) {
        if let Some(token) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&request) {
            token.cancel();
        }
    }
}
