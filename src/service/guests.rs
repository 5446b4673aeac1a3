//! What guests over SSH have where several processes serve one database: there any of them finds it again. It is asked for
//! on threads that may wait, as files are.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::runtime::Handle;

use super::janitor::keys_until;
pub use super::store::{DraftAsked, DraftPlace, HeldDraft, ListedDraft, TakenDraft};
use super::store::{GuestDraft, LeftDraft, NewKey, Store, StoreError, TURN};
use super::timing::milliseconds;
use crate::domain::ApiKey;

/// A journal is held for so long after its holder was last heard of. Holders are heard of every two seconds, but an import or
/// a removal may have the database's turn for longer than that: a renewal that waited for it in vain is tried once more
/// before the lease is over.
const LEASE: Duration = Duration::from_secs(30);

/// How often journals are renewed.
const RENEWED: Duration = Duration::from_secs(2);

/// How often it is looked whether somebody else has or wants them.
const LOOK: Duration = Duration::from_secs(1);

/// A journal that is not said to be held for so long isn't. Its holder may be waiting for the database, several times over;
/// one that ends says so.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// A renewal that got no turn leaves time for the next one.
const _: () = assert!(LEASE.as_secs() > TURN.as_secs() + RENEWED.as_secs() + 2 * LOOK.as_secs() + 5);

/// Whoever asks for a journal asks again before this is over.
const ASKED: Duration = Duration::from_secs(3);

/// How often a text that others change too is changed again.
const TRIES: u32 = 50;

/// The guests of a database.
#[derive(Clone)]
pub struct GuestBook {
    store: Arc<Store>,
    runtime: Handle,
    held: Arc<Held>,
}

/// The journals that the guests of this process hold. They are renewed together: each change waits for its turn among
/// everybody's, and for the disk.
#[derive(Default)]
struct Held {
    all: Mutex<HeldDrafts>,
}

/// A journal, and the fence that it is held under.
type Fenced = (GuestDraft, String);

#[derive(Default)]
struct HeldDrafts {
    /// When it was last said that each is held under its fence, and what was seen of it last.
    drafts: HashMap<Fenced, (Instant, Option<HeldDraft>)>,
    /// What nobody is there any more to let go of, and the database didn't take.
    leaving: Vec<LeftDraft>,
    /// Whether somebody renews them.
    is_renewed: bool,
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
        Self { store, runtime, held: Arc::default() }
    }

    /// Those of a database in a folder, whose writers wait for each other for so long.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: &std::path::Path, patience: Duration) -> Self {
        let store = Store::open_waiting(folder, patience).unwrap();
        Self::new(Arc::new(store), Handle::current())
    }

    /// The home of a guest; that without a name is the server's own.
    #[must_use]
    pub fn home(&self, name: &str) -> GuestHome {
        GuestHome { book: self.clone(), name: name.to_owned() }
    }

    /// A new API key of the workspace's owner for a part of this process, which ends by itself unless it is renewed.
    ///
    /// # Errors
    /// Where the database can't be asked, or refuses; the same for the next two.
    pub async fn add_key(&self, new: NewKey) -> io::Result<ApiKey> {
        let owner = self.store.own_workspace().await.map_err(failed)?;
        let new = NewKey { expires_at: Some(keys_until()), ..new };
        self.store.add_key(&owner, new).await.map_err(failed)
    }

    /// Lets the API keys of a part of this process last on. Says whether there are any.
    ///
    /// # Errors
    /// As [`Self::add_key`].
    pub async fn renew_keys(&self, process: String) -> io::Result<bool> {
        self.store.renew_process_keys(process, keys_until()).await.map(|renewed| renewed > 0).map_err(failed)
    }

    /// Ends the API keys of a part of this process.
    ///
    /// # Errors
    /// As [`Self::add_key`].
    pub async fn end_keys(&self, process: String) -> io::Result<()> {
        self.store.end_process_keys(Some(process)).await.map_err(failed)
    }

    /// Waits for what the store is asked.
    fn wait<T: Send + 'static>(
        &self,
        asked: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> io::Result<T> {
        let (answer, answered) = mpsc::sync_channel(1);
        // Boxed as any future, so that a task is compiled once and not for each question.
        self.runtime.spawn(FutureExt::boxed(async move { drop(answer.send(asked.await)) }));
        answered.recv().map_err(|_| io::Error::other("the program is ending"))?.map_err(failed)
    }
}

impl Held {
    fn all(&self) -> MutexGuard<'_, HeldDrafts> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the lease of a journal renewed for a while; what was seen of it last.
    fn hold(self: &Arc<Self>, book: &GuestBook, of: GuestDraft, fence: String) -> Option<HeldDraft> {
        let mut all = self.all();
        let said = all.drafts.entry((of, fence)).or_insert((Instant::now(), None));
        said.0 = Instant::now();
        let seen = said.1;
        self.begin(&mut all, book);
        seen
    }

    /// Has leases renewed no longer.
    fn hold_no_more<'a>(&self, left: impl IntoIterator<Item = &'a LeftDraft>) {
        let mut all = self.all();
        for LeftDraft { of, fence, .. } in left {
            all.drafts.remove(&(of.clone(), fence.clone()));
        }
    }

    /// Lets go of journals as soon as the database takes it.
    fn leave(self: &Arc<Self>, book: &GuestBook, left: Vec<LeftDraft>) {
        self.hold_no_more(&left);
        let mut all = self.all();
        all.leaving.extend(left);
        self.begin(&mut all, book);
    }

    fn begin(self: &Arc<Self>, all: &mut HeldDrafts, book: &GuestBook) {
        if !std::mem::replace(&mut all.is_renewed, true) {
            book.runtime.spawn(Arc::clone(self).renew(Arc::clone(&book.store)).boxed());
        }
    }

    /// Renews all of them by one change of the database, and lets go of what is to be, as long as there are any.
    async fn renew(self: Arc<Self>, store: Arc<Store>) {
        let mut renewed: Option<Instant> = None;
        while let Some((drafts, leaving)) = self.left() {
            self.look(&store, drafts, &mut renewed).await;
            self.let_go(&store, leaving).await;
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Looks at journals that are held, and renews their leases where it is time to, or somebody's wish is to be noted.
    async fn look(&self, store: &Store, drafts: Vec<Fenced>, renewed: &mut Option<Instant>) {
        if drafts.is_empty() {
            return;
        }
        let seen = store.see_guest_drafts(drafts.clone()).await;
        let is_news = seen.as_ref().is_ok_and(|seen| seen.iter().any(|seen| seen.wanted != seen.noted));
        // Where they can't be looked at they are held all the same.
        if is_news || renewed.is_none_or(|renewed| renewed.elapsed() >= RENEWED) {
            match store.renew_guest_drafts(drafts.clone(), milliseconds(LEASE)).await {
                Ok(()) => *renewed = Some(Instant::now()),
                // Whoever asks for them meanwhile may take them; their holders see that.
                Err(error) => tracing::warn!(%error, "the drafts of guests could not be held on to"),
            }
        }
        let seen = match seen {
            Ok(seen) => seen,
            Err(error) => return tracing::warn!(%error, "the drafts of guests can't be looked at"),
        };
        let mut all = self.all();
        for (draft, seen) in drafts.iter().zip(seen) {
            if let Some(said) = all.drafts.get_mut(draft) {
                said.1 = Some(seen);
            }
        }
    }

    /// Lets go of what those left who are gone.
    async fn let_go(&self, store: &Store, leaving: Vec<LeftDraft>) {
        if leaving.is_empty() {
            return;
        }
        match store.leave_guest_drafts(leaving.clone()).await {
            Ok(()) => self.all().leaving.retain(|left| !leaving.contains(left)),
            Err(error) => tracing::warn!(%error, "drafts of guests who left were not let go of; it is tried again"),
        }
    }

    /// Those that somebody still says to hold, and those that are to be let go of. Where there are none the renewal ends.
    fn left(&self) -> Option<(Vec<Fenced>, Vec<LeftDraft>)> {
        let mut all = self.all();
        all.drafts.retain(|_, (said, _)| said.elapsed() < FORGOTTEN);
        all.is_renewed = !(all.drafts.is_empty() && all.leaving.is_empty());
        all.is_renewed.then(|| (all.drafts.keys().cloned().collect(), all.leaving.clone()))
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

    /// Adds to a journal, or replaces the `whole` of it, where it is held under this fence.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn write_draft(&self, name: &str, fence: &str, text: String, whole: bool) -> io::Result<DraftPlace> {
        let (of, fence) = (self.draft(name), (fence.to_owned(), milliseconds(LEASE)));
        self.wait(|store| async move { store.write_guest_draft(of, fence, text, whole).await })
    }

    /// Lets go of a journal that is held under this fence; it is removed unless it `stays`. Its lease is renewed no longer,
    /// whatever the database says.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn leave_draft(&self, name: &str, fence: &str, stays: bool) -> io::Result<()> {
        let left = vec![self.left_draft(name, fence, stays)];
        self.book.held.hold_no_more(&left);
        self.wait(|store| async move { store.leave_guest_drafts(left).await })
    }

    /// The same for several of them, each with its name and fence, and for whoever can't wait or ask again: this process does
    /// it as soon as the database takes it.
    pub fn leave_drafts_later<'a>(&self, left: impl IntoIterator<Item = (&'a str, &'a str, bool)>) {
        let left: Vec<LeftDraft> =
            left.into_iter().map(|(name, fence, stays)| self.left_draft(name, fence, stays)).collect();
        if !left.is_empty() {
            self.book.held.leave(&self.book, left);
        }
    }

    /// Has the lease of a journal renewed no longer: it is somebody else's.
    pub fn lost_draft(&self, name: &str, fence: &str) {
        self.book.held.hold_no_more(&[self.left_draft(name, fence, true)]);
    }

    fn left_draft(&self, name: &str, fence: &str, stays: bool) -> LeftDraft {
        LeftDraft { of: self.draft(name), fence: fence.to_owned(), stays }
    }

    /// Says of a journal that it is held still, under this fence: to be said every second. What stands in its place, where that
    /// was looked at by now.
    #[must_use]
    pub fn holds_draft(&self, name: &str, fence: &str) -> Option<HeldDraft> {
        self.book.held.hold(&self.book, self.draft(name), fence.to_owned())
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
