//! The workspaces that keys open: the data folder's own, and those that are named, each a folder of its own beside it that
//! nobody else serves. Every key works with an API key of its own, which ends with it and with this server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tokio::sync::Mutex;
use uuid::Uuid;

use super::SshError;
use super::guest::Guest;
use super::keys::GuestKey;
use crate::domain::ApiKey;
use crate::service::guests::GuestBook;
use crate::service::offline::{self, NewKey};
use crate::service::{Running, ServeOptions, Service, WORKSPACES};

/// The workspaces of a server.
pub(super) struct Rooms {
    options: ServeOptions,
    /// Where the guests are, where that is not the folder.
    book: Option<GuestBook>,
    sample: bool,
    /// Tells the API keys of this server from those of others on the same folder.
    instance: Uuid,
    named: Mutex<HashMap<String, Running>>,
    known: Mutex<Known>,
}

/// What the services know guests by.
#[derive(Default)]
struct Known(Vec<Introduced>);

/// What the service knows a guest by.
#[derive(Clone)]
struct Introduced {
    of: GuestKey,
    api_key: ApiKey,
    /// What the API key ends with.
    process: String,
}

impl Known {
    fn guest(&self, key: &GuestKey) -> Option<Introduced> {
        self.0.iter().find(|known| known.of.has_same_rights(key)).cloned()
    }

    fn forget(&mut self, gone: &Introduced) {
        self.0.retain(|known| known.process != gone.process);
    }
}

impl Rooms {
    /// Those of the folder in `options`, which is served already; named ones are served in the same way, with the sample
    /// store in those that are empty where that is wanted.
    pub(super) fn of(options: ServeOptions, book: Option<GuestBook>, sample: bool) -> Self {
        Self { options, book, sample, instance: Uuid::new_v4(), named: Mutex::default(), known: Mutex::default() }
    }

    /// Who has this key.
    ///
    /// # Errors
    /// Where their workspace can't be served.
    pub(super) async fn guest(&self, key: GuestKey) -> Result<Guest, SshError> {
        if let Some(name) = &key.workspace {
            if self.book.is_some() {
                return Err(SshError::Internal(format!("the database has no named workspace: {name}")));
            }
            self.serve(name).await?;
        }
        let folder = self.folder(&key);
        let known = self.known.lock().await.guest(&key);
        let api_key = match known {
            // A database that can't be asked refuses whatever comes next by itself.
            Some(known) if self.is_renewed(&known).await.unwrap_or(true) => known.api_key,
            _ => self.introduced(&key).await?,
        };
        Guest::of(&self.options.data, self.book.as_ref(), key, &folder, api_key)
    }

    /// Makes the API key of a guest. The database may take long for it, and nobody else is held up: of two who come in at
    /// once by the same key, both get the first one.
    async fn introduced(&self, key: &GuestKey) -> Result<ApiKey, SshError> {
        let process = format!("ssh {} {} {}", self.instance, key.id, Uuid::new_v4());
        let name = Some(format!("ssh {}", key.shown()));
        let new = NewKey { name, read_only: key.read_only, expires_at: None, process: Some(process.clone()) };
        let api_key = match &self.book {
            Some(book) => book.add_key(new).await?,
            None => offline::add_key(&self.folder(key), new).await?,
        };
        let made = Introduced { of: key.clone(), api_key, process };
        let before = {
            let mut known = self.known.lock().await;
            let before = known.guest(key);
            if before.is_none() {
                known.0.push(made.clone());
            }
            before
        };
        let Some(before) = before else { return Ok(made.api_key) };
        self.end(&made).await?;
        Ok(before.api_key)
    }

    /// Lets the API keys of guests last on, where they end by themselves. One that isn't there any more is forgotten here
    /// too, so that whoever comes in next gets another.
    ///
    /// # Errors
    /// Where the database refuses one of them; the others last on all the same.
    pub(super) async fn renew(&self) -> Result<(), SshError> {
        let all = self.known.lock().await.0.clone();
        let mut ended = Ok(());
        for known in all {
            if let Err(error) = self.is_renewed(&known).await {
                ended = Err(error);
            }
        }
        ended
    }

    /// Lets an API key last on. Says whether it is still there.
    async fn is_renewed(&self, known: &Introduced) -> Result<bool, SshError> {
        let Some(book) = &self.book else { return Ok(true) };
        let is_there = book.renew_keys(known.process.clone()).await?;
        if !is_there {
            tracing::warn!(key = %known.of.id, "the API key of an SSH guest is gone; they get another when they come in");
            self.known.lock().await.forget(known);
        }
        Ok(is_there)
    }

    async fn end(&self, known: &Introduced) -> Result<(), SshError> {
        match &self.book {
            Some(book) => book.end_keys(known.process.clone()).await?,
            None => offline::end_process_keys(&self.folder(&known.of), known.process.clone()).await?,
        }
        Ok(())
    }

    /// Ends what the services know those guests by who may not come in any more, or with other rights.
    ///
    /// # Errors
    /// Where a database refuses one of them, which is ended the next time.
    pub(super) async fn shut_out_others_than(&self, keys: &[GuestKey]) -> Result<(), SshError> {
        let stays = |of: &GuestKey| keys.iter().any(|key| key.has_same_rights(of));
        let mut gone = self.known.lock().await.0.clone();
        gone.retain(|known| !stays(&known.of));
        let mut ended = Ok(());
        for known in gone {
            match self.end(&known).await {
                Ok(()) => self.known.lock().await.forget(&known),
                Err(error) => ended = Err(error),
            }
        }
        ended
    }

    /// Ends the API keys of all guests, then the named workspaces: requests in flight finish first.
    pub(super) async fn close(&self) {
        if let Err(error) = self.shut_out_others_than(&[]).await {
            // The next one to serve the folder removes them.
            tracing::warn!(%error, "API keys of SSH guests were left");
        }
        for (_, running) in self.named.lock().await.drain() {
            running.stop().await;
        }
    }

    async fn serve(&self, name: &str) -> Result<(), SshError> {
        let mut named = self.named.lock().await;
        if named.contains_key(name) {
            return Ok(());
        }
        let data = self.options.data.join(WORKSPACES).join(name);
        // Its addresses for browsers are ports of this machine: the name that the other one has leads to that.
        let options = ServeOptions { data, public_url: None, tls: None, ..self.options.clone() };
        let service = Service::open(options).await?;
        if self.sample && service.is_empty().await? {
            service.load_sample(|_| ()).await?;
        }
        named.insert(name.to_owned(), service.start_own().await?);
        Ok(())
    }

    pub(super) fn folder(&self, key: &GuestKey) -> PathBuf {
        let data: &Path = &self.options.data;
        key.workspace.as_ref().map_or_else(|| data.to_owned(), |name| data.join(WORKSPACES).join(name))
    }
}
