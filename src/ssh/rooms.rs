//! The workspaces that keys open: the data folder's own, and those that are named, each a folder of its own beside it that
//! nobody else serves. Every key works with an API key of its own, which ends with it and with this server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::Mutex;
use uuid::Uuid;

use super::SshError;
use super::guest::Guest;
use super::keys::GuestKey;
use crate::domain::ApiKey;
use crate::service::guests::GuestBook;
use crate::service::offline::{self, NewKey};
use crate::service::{Running, ServeOptions, Service, WORKSPACES};

/// How long whoever comes in waits until what they come in by is renewed, which is done again anyway.
const PATIENCE: Duration = Duration::from_secs(2);

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
            Some(known) if self.is_there(&known).await => known.api_key,
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
        if let Err(error) = self.end(&made).await {
            // It ends by itself, or with this server, and nobody has it.
            tracing::warn!(%error, key = %key.id, "a second API key of an SSH guest was left");
        }
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

    /// Whether an API key is still there, which lasts on then. A database that can't be asked, or not soon, refuses whatever
    /// comes next by itself.
    async fn is_there(&self, known: &Introduced) -> bool {
        !matches!(tokio::time::timeout(PATIENCE, self.is_renewed(known)).await, Ok(Ok(false)))
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

    /// Ends what the services know a key by that was revoked while it came in.
    ///
    /// # Errors
    /// Where a database refuses; it is ended with the next change of the keys.
    pub(super) async fn shut_out(&self, key: &GuestKey) -> Result<(), SshError> {
        let gone = self.known.lock().await.guest(key);
        if let Some(gone) = gone {
            self.end(&gone).await?;
            self.known.lock().await.forget(&gone);
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssh::keys::{GuestKeys, NewGuestKey};

    const LONG: Duration = Duration::from_secs(60);

    struct Served {
        rooms: Rooms,
        folder: tempfile::TempDir,
        key: GuestKey,
    }

    /// Rooms on a database whose writers wait long for each other.
    fn served() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let text = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB7ZtkKOjEIKGKdHZ3bsoVyqfuB9z5zYpNuMJqQEr1nz";
        let key = GuestKeys::of(folder.path()).add(text, NewGuestKey::default(), String::new()).unwrap();
        let book = GuestBook::in_folder(folder.path(), LONG);
        let options = ServeOptions { data: folder.path().to_owned(), ..ServeOptions::default() };
        Served { rooms: Rooms::of(options, Some(book), false), folder, key }
    }

    impl Served {
        fn connection(&self) -> rusqlite::Connection {
            rusqlite::Connection::open(self.folder.path().join("cutaway.sqlite3")).unwrap()
        }

        fn api_keys(&self) -> i64 {
            let sql = "SELECT count(*) FROM api_key WHERE process LIKE 'ssh %'";
            self.connection().query_row(sql, [], |row| row.get(0)).unwrap()
        }

        async fn comes_in(&self) -> ApiKey {
            let guest = tokio::time::timeout(LONG / 2, self.rooms.guest(self.key.clone())).await;
            guest.expect("who comes in waits for everybody else").unwrap().api_key
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn who_is_known_comes_in_while_others_have_the_databases_turn() {
        let served = served();
        let api_key = served.comes_in().await;
        let busy = served.connection();
        busy.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert!(served.comes_in().await == api_key);
        drop(busy);
        // One that is gone is replaced.
        served.connection().execute("DELETE FROM api_key WHERE process LIKE 'ssh %'", []).unwrap();
        assert!(served.comes_in().await != api_key);
        assert_eq!(served.api_keys(), 1);
    }

    /// Of two who come in at once by one key, the second one's is ended; where that is refused they come in all the same.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_api_key_that_cannot_be_ended_keeps_nobody_outside() {
        let served = served();
        let api_key = served.comes_in().await;
        let refuse = "CREATE TRIGGER stays BEFORE DELETE ON api_key BEGIN SELECT RAISE(ABORT, 'not now'); END";
        served.connection().execute_batch(refuse).unwrap();
        assert!(served.rooms.introduced(&served.key).await.unwrap() == api_key);
        assert_eq!(served.api_keys(), 2);
        assert!(served.rooms.shut_out(&served.key).await.is_err());
        served.connection().execute_batch("DROP TRIGGER stays").unwrap();
        served.rooms.shut_out(&served.key).await.unwrap();
        assert!(served.rooms.known.lock().await.guest(&served.key).is_none());
    }
}
