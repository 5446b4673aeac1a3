//! What guests over SSH have where several processes serve one database: there any of them finds it again. It is asked for
//! on threads that may wait, as files are.

use std::fmt;
use std::io;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::runtime::Handle;

pub use super::store::{DraftAsked, DraftPlace, HeldDraft, ListedDraft, TakenDraft};
use super::store::{GuestDraft, Store, StoreError};
use super::timing::milliseconds;

/// A journal is held for so long after its holder was last heard of. Holders are heard of every second.
const LEASE: Duration = Duration::from_secs(6);

/// Whoever asks for a journal asks again before this is over.
const ASKED: Duration = Duration::from_secs(3);

/// How often a text that others change too is changed again.
const TRIES: u32 = 50;

/// The guests of a database.
#[derive(Clone)]
pub struct GuestBook {
    store: Arc<Store>,
    runtime: Handle,
}

/// What one guest has there.
#[derive(Clone)]
pub struct GuestHome {
    book: GuestBook,
    name: String,
}

impl fmt::Debug for GuestHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GuestHome")
    }
}

fn failed(error: StoreError) -> io::Error {
    match error {
        StoreError::Io(error) => error,
        error => io::Error::other(error.unavailable().map_or_else(|| error.to_string(), ToOwned::to_owned)),
    }
}

impl GuestBook {
    /// Those of this database; what they ask for is waited for by `runtime`.
    pub(in crate::service) fn new(store: Arc<Store>, runtime: Handle) -> Self {
        Self { store, runtime }
    }

    /// The home of a guest; that without a name is the server's own.
    #[must_use]
    pub fn home(&self, name: &str) -> GuestHome {
        GuestHome { book: self.clone(), name: name.to_owned() }
    }

    /// Waits for what the store is asked.
    fn wait<T: Send + 'static>(
        &self,
        asked: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> io::Result<T> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.runtime.spawn(async move { drop(answer.send(asked.await)) });
        answered.recv().map_err(|_| io::Error::other("the program is ending"))?.map_err(failed)
    }
}

impl GuestHome {
    fn wait<T: Send + 'static, F: Future<Output = Result<T, StoreError>> + Send + 'static>(
        &self,
        ask: impl FnOnce(Arc<Store>) -> F,
    ) -> io::Result<T> {
        self.book.wait(ask(Arc::clone(&self.book.store)))
    }

    fn draft(&self, name: &str) -> GuestDraft {
        GuestDraft { home: self.name.clone(), name: name.to_owned() }
    }

    /// A small text.
    ///
    /// # Errors
    /// Where the database can't be asked, or refuses; the same for all of these.
    pub fn note(&self, name: &str) -> io::Result<Option<String>> {
        Ok(self.versioned(name)?.map(|(_, text)| text))
    }

    fn versioned(&self, name: &str) -> io::Result<Option<(i64, String)>> {
        let (home, name) = (self.name.clone(), name.to_owned());
        let found = self.wait(|store| async move { store.guest_note(home, name).await })?;
        Ok(found.map(|note| (note.version, note.text)))
    }

    /// Changes a small text as it is by now: what others changed meanwhile stays. `change` is asked again where they did;
    /// nothing is written where it gives nothing.
    ///
    /// # Errors
    /// Also what `change` refuses with.
    pub fn change_note<E: From<io::Error>>(
        &self,
        name: &str,
        mut change: impl FnMut(Option<&str>) -> Result<Option<String>, E>,
    ) -> Result<(), E> {
        for _ in 0..TRIES {
            let found = self.versioned(name)?;
            let Some(text) = change(found.as_ref().map(|(_, text)| text.as_str()))? else { return Ok(()) };
            let (of, version) = ((self.name.clone(), name.to_owned()), found.map(|(version, _)| version));
            if self.wait(|store| async move { store.put_guest_note(of, text, version).await })? {
                return Ok(());
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy).into())
    }

    /// Holds a journal under a fence, where nobody else does. `asking` was asked as and not heard.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn take_draft(&self, name: &str, fence: &str, asking: Option<&str>) -> io::Result<TakenDraft> {
        let (of, fence) = (self.draft(name), (fence.to_owned(), milliseconds(LEASE)));
        let asking = asking.map(ToOwned::to_owned);
        self.wait(|store| async move { store.take_guest_draft(of, fence, asking).await })
    }

    /// Begins a journal where there is none. Says whether there was none.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn begin_draft(&self, name: &str, fence: &str, text: String) -> io::Result<bool> {
        let (of, fence) = (self.draft(name), (fence.to_owned(), milliseconds(LEASE)));
        self.wait(|store| async move { store.begin_guest_draft(of, fence, text).await })
    }

    /// Writes on in a journal, or all of it `anew`, where it is held under this fence.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn write_draft(&self, name: &str, fence: &str, text: String, anew: bool) -> io::Result<DraftPlace> {
        let (of, fence) = (self.draft(name), (fence.to_owned(), milliseconds(LEASE)));
        self.wait(|store| async move { store.write_guest_draft(of, fence, text, anew).await })
    }

    /// Lets go of a journal that is held under this fence; it is removed unless it `stays`.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn leave_draft(&self, name: &str, fence: &str, stays: bool) -> io::Result<()> {
        let (of, fence) = (self.draft(name), fence.to_owned());
        self.wait(|store| async move { store.leave_guest_draft(of, fence, stays).await })
    }

    /// Says of journals, each with its fence, that they are held still.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn hold_drafts(&self, drafts: &[(&str, &str)]) -> io::Result<Vec<HeldDraft>> {
        let drafts = drafts.iter().map(|(name, fence)| (self.draft(name), (*fence).to_owned())).collect();
        self.wait(|store| async move { store.hold_guest_drafts(drafts, milliseconds(LEASE)).await })
    }

    /// Asks, as `who`, for a journal that somebody else holds; to be asked again within a second.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn want_draft(&self, name: &str, who: &str) -> io::Result<DraftAsked> {
        let (of, who) = (self.draft(name), who.to_owned());
        self.wait(|store| async move { store.want_guest_draft(of, who, milliseconds(ASKED)).await })
    }

    /// Asks for it no longer.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn unwant_draft(&self, name: &str, who: &str) -> io::Result<()> {
        let (of, who) = (self.draft(name), who.to_owned());
        self.wait(|store| async move { store.unwant_guest_draft(of, who).await })
    }

    /// The journals that there are.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn drafts(&self) -> io::Result<Vec<ListedDraft>> {
        let home = self.name.clone();
        self.wait(|store| async move { store.guest_drafts(home).await })
    }

    /// All of a journal, whoever holds it.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn read_draft(&self, name: &str) -> io::Result<String> {
        let of = self.draft(name);
        self.wait(|store| async move { store.guest_draft(of).await })
    }
}
