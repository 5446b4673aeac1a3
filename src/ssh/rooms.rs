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
use crate::service::offline::{self, Kept, NewKey};
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
    /// What the services know guests by.
    known: Mutex<Vec<(GuestKey, ApiKey)>>,
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
        let mut known = self.known.lock().await;
        let found = known.iter().find(|(of, _)| of.has_same_rights(&key)).map(|(_, api_key)| api_key.clone());
        let api_key = if let Some(api_key) = found {
            api_key
        } else {
            let (name, process) = (Some(format!("ssh {}", key.shown())), Some(self.process(&key)));
            let new = NewKey { name, read_only: key.read_only, expires_at: None, process };
            let api_key = offline::add_process_key(self.kept(&key), new).await?;
            known.push((key.clone(), api_key.clone()));
            api_key
        };
        Guest::of(&self.options.data, self.book.as_ref(), key, &folder, api_key)
    }

    /// Lets the API keys of guests last on, where they end by themselves.
    ///
    /// # Errors
    /// Where a database refuses one of them; the others last on all the same.
    pub(super) async fn renew(&self) -> Result<(), SshError> {
        let known: Vec<GuestKey> = self.known.lock().await.iter().map(|(of, _)| of.clone()).collect();
        let mut ended = Ok(());
        for of in known {
            if let Err(error) = offline::renew_process_keys(self.kept(&of), self.process(&of)).await {
                ended = Err(error.into());
            }
        }
        ended
    }

    fn kept(&self, key: &GuestKey) -> Kept {
        Kept { data: self.folder(key), database: self.options.database.clone() }
    }

    /// Ends what the services know those guests by who may not come in any more, or with other rights.
    ///
    /// # Errors
    /// Where a database refuses one of them, which is ended the next time.
    pub(super) async fn shut_out_others_than(&self, keys: &[GuestKey]) -> Result<(), SshError> {
        let stays = |of: &GuestKey| keys.iter().any(|key| key.has_same_rights(of));
        let known = self.known.lock().await;
        let gone: Vec<GuestKey> = known.iter().map(|(of, _)| of.clone()).filter(|of| !stays(of)).collect();
        drop(known);
        let mut ended = Ok(());
        for of in gone {
            match offline::end_process_keys(self.kept(&of), self.process(&of)).await {
                Ok(()) => self.known.lock().await.retain(|(known, _)| !known.has_same_rights(&of)),
                Err(error) => ended = Err(error.into()),
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

    /// What the API key of a guest ends with.
    fn process(&self, key: &GuestKey) -> String {
        format!("ssh {} {}", self.instance, key.id)
    }
}
