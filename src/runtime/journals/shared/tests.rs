use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::domain::Project;
use crate::draft::Edit;
use crate::service::guests::GuestBook;

/// How long what has to come may take where the machine is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The journals of a guest in a database that anybody may keep busy.
struct Kept {
    folder: TempDir,
    book: GuestBook,
    wishes: UnboundedSender<Wish>,
    events: UnboundedReceiver<Event>,
    thread: tokio::task::JoinHandle<()>,
}

impl Kept {
    fn begin() -> Self {
        Self::begin_with(|home, wished, told| serve(&home, wished, &told))
    }

    /// The same with another thread that keeps them.
    fn begin_with(
        keep: impl FnOnce(GuestHome, UnboundedReceiver<Wish>, UnboundedSender<Event>) + Send + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let book = GuestBook::in_folder(folder.path(), Duration::from_millis(50));
        let (sender, wished) = unbounded_channel();
        let (told, events) = unbounded_channel();
        let home = book.home("guest");
        let thread = tokio::task::spawn_blocking(move || keep(home, wished, told));
        Self { folder, book, wishes: sender, events, thread }
    }

    /// Somebody else's connection to the database.
    fn connection(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.folder.path().join("cutaway.sqlite3")).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection
    }

    /// Keeps everybody from writing until it is dropped.
    fn busy(&self) -> rusqlite::Connection {
        let connection = self.connection();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection
    }

    fn wish(&self, wish: Wish) {
        self.wishes.send(wish).unwrap();
    }

    /// What came of the records that were handed over last.
    async fn kept(&mut self) -> Result<u64, String> {
        next(&mut self.events, |event| match event {
            steps::Event::Kept { records, .. } => Some(records),
            _ => None,
        })
        .await
    }

    async fn found(&mut self) -> Found {
        found(&mut self.events).await
    }

    /// Holds a journal with a draft of a project that was called so.
    async fn edits(&mut self, project: &ProjectId, name: &str) {
        self.wish(Wish::Find("local".to_owned(), project.clone()));
        assert!(matches!(self.found().await, Found::Nothing));
        self.wish(Wish::Keep(project.clone(), named(name)));
        self.kept().await.unwrap();
    }

    /// Until when the journal of a project is held, milliseconds since 1970; 0 where it was let go of. Nothing where there
    /// is none.
    fn held_until(&self, project: &ProjectId) -> Option<i64> {
        let sql = "SELECT lease_until FROM guest_draft WHERE name = ?1";
        let name = file_name("local", project);
        self.connection().query_row(sql, [name], |row| row.get(0)).ok()
    }

    /// Waits until that is so.
    async fn until(&self, what: &str, is: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether a draft of this workspace is in the database, and its text.
    async fn text(&self) -> Option<String> {
        let home = self.book.home("guest");
        let read = tokio::task::spawn_blocking(move || home.read_draft(&file_name("local", &project())).unwrap());
        Some(read.await.unwrap()).filter(|text| !text.is_empty())
    }
}

/// The next event that is looked for.
async fn next<T>(events: &mut UnboundedReceiver<Event>, pick: impl Fn(steps::Event) -> Option<T>) -> T {
    let picked = async {
        loop {
            if let Event::Steps(event) = events.recv().await.unwrap()
                && let Some(picked) = pick(event)
            {
                return picked;
            }
        }
    };
    tokio::time::timeout(PATIENCE, picked).await.expect("nothing of the kind happened")
}

async fn found(events: &mut UnboundedReceiver<Event>) -> Found {
    next(events, |event| match event {
        steps::Event::JournalFound { found, .. } => Some(found),
        _ => None,
    })
    .await
}

fn project() -> ProjectId {
    ProjectId::new("p")
}

/// The records of a draft that was called so.
fn named(name: &str) -> Vec<Record> {
    let mut draft = Draft::new("local", Project { id: "p".into(), name: Some("One".into()), ..Project::default() });
    let mut records = vec![draft.begun()];
    records.extend(draft.apply(&Edit::Name { name: name.into() }).unwrap().record);
    records
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_that_is_discarded_while_the_database_is_busy_is_gone_before_the_next_edit() {
    let mut kept = Kept::begin();
    kept.edits(&project(), "Thrown away").await;
    assert!(kept.text().await.unwrap().contains("Thrown away"));

    let busy = kept.busy();
    kept.wish(Wish::Drop(project()));
    // In their order: this is answered once that was refused.
    kept.wish(Wish::Keep(project(), named("Not yet")));
    assert!(kept.kept().await.is_err());
    drop(busy);
    kept.wish(Wish::Keep(project(), Vec::new()));
    kept.kept().await.unwrap();
    let text = kept.text().await.unwrap();
    assert!(text.contains("Not yet") && !text.contains("Thrown away"), "{text}");

    // The same where nothing is edited afterwards.
    let busy = kept.busy();
    kept.wish(Wish::Drop(project()));
    kept.wish(Wish::Claim(project()));
    // Told once the first try was refused.
    let is_held = |event| match event {
        steps::Event::Claimed { held, .. } => Some(held),
        _ => None,
    };
    assert!(!next(&mut kept.events, is_held).await);
    drop(busy);
    kept.until("what was discarded is there", |kept| kept.held_until(&project()).is_none()).await;
    drop(kept.wishes);
    kept.thread.await.unwrap();
}

/// A database that refuses nothing but that a draft is let go of, as one does that answers again just then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_begun_in_the_place_of_a_draft_that_was_not_let_go_of() {
    let mut kept = Kept::begin();
    kept.edits(&project(), "Thrown away").await;
    let refuse = "CREATE TRIGGER stays BEFORE DELETE ON guest_draft BEGIN SELECT RAISE(ABORT, 'not now'); END";
    kept.connection().execute_batch(refuse).unwrap();
    kept.wish(Wish::Drop(project()));
    kept.wish(Wish::Keep(project(), named("Next")));
    let why = kept.kept().await.unwrap_err();
    assert!(why.contains("not now"), "{why}");
    kept.wish(Wish::Leave(project()));
    kept.wish(Wish::Find("local".to_owned(), project()));
    let found = kept.found().await;
    assert!(matches!(&found, Found::Unusable(why) if why.contains("not now")), "{found:?}");
    kept.connection().execute_batch("DROP TRIGGER stays").unwrap();
    kept.edits(&project(), "Next").await;
    let text = kept.text().await.unwrap();
    assert!(text.contains("Next") && !text.contains("Thrown away"), "{text}");
    drop(kept.wishes);
    kept.thread.await.unwrap();
}

/// Whoever leaves while the database is busy has nobody who would ask again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_could_not_be_let_go_of_at_the_end_is_once_the_database_answers() {
    let mut kept = Kept::begin();
    let other = ProjectId::new("q");
    kept.edits(&project(), "Thrown away").await;
    kept.edits(&other, "To go on with").await;
    let busy = kept.busy();
    kept.wish(Wish::Drop(project()));
    let (nobody, _) = unbounded_channel();
    drop(std::mem::replace(&mut kept.wishes, nobody));
    let ended = std::mem::replace(&mut kept.thread, tokio::spawn(async {}));
    ended.await.unwrap();
    assert!(kept.held_until(&project()).is_some(), "nothing could be removed yet");
    drop(busy);
    kept.until("what was discarded is there", |kept| kept.held_until(&project()).is_none()).await;
    kept.until("what was left is held", |kept| kept.held_until(&other) == Some(0)).await;
    assert!(kept.text().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_thread_held_that_panicked_is_let_go_of() {
    let mut kept = Kept::begin_with(|home, mut wished, told| {
        let mut keeper = Keeper::new(&home, &told);
        while let Some(wish) = wished.blocking_recv() {
            keeper.take(wish);
        }
        panic!("as where something is wrong with the program");
    });
    kept.edits(&project(), "To go on with").await;
    assert!(kept.held_until(&project()) > Some(0));
    let (nobody, _) = unbounded_channel();
    drop(std::mem::replace(&mut kept.wishes, nobody));
    let ended = std::mem::replace(&mut kept.thread, tokio::spawn(async {}));
    assert!(ended.await.unwrap_err().is_panic());
    kept.until("what was left is held", |kept| kept.held_until(&project()) == Some(0)).await;
    assert!(kept.text().await.unwrap().contains("To go on with"));
}

/// A process that stalled for longer than a lease lasts, while another one took the draft, edited it, and left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_held_a_journal_is_told_that_it_went_elsewhere_and_was_left_there() {
    let mut kept = Kept::begin();
    kept.edits(&project(), "Mine").await;
    let sql = "UPDATE guest_draft SET fence = 'another', lease_until = 0";
    assert_eq!(kept.connection().execute(sql, []).unwrap(), 1);
    let of = next(&mut kept.events, |event| match event {
        steps::Event::Seized { project } => Some(project),
        _ => None,
    });
    assert_eq!(of.await, project());
    drop(kept.wishes);
    kept.thread.await.unwrap();
}

/// Of what one process holds the leases are renewed together, and who asks for one of them is heard.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_is_held_stays_so_until_somebody_asks_for_it() {
    let mut one = Kept::begin();
    one.edits(&project(), "Mine").await;
    for _ in 0..2 {
        let before = one.held_until(&project());
        one.until("its lease is not renewed", |one| one.held_until(&project()) > before).await;
    }
    // Another studio of the same guest.
    let (sender, wished) = unbounded_channel();
    let (told, mut events) = unbounded_channel();
    let home = one.book.home("guest");
    let other = tokio::task::spawn_blocking(move || serve(&home, wished, &told));
    sender.send(Wish::Find("local".to_owned(), project())).unwrap();
    assert!(matches!(found(&mut events).await, Found::Taken));
    sender.send(Wish::TakeOver("local".to_owned(), project())).unwrap();
    let is_asked = |event| match event {
        steps::Event::Wanted { .. } => Some(true),
        steps::Event::Seized { .. } => Some(false),
        _ => None,
    };
    assert!(next(&mut one.events, is_asked).await, "it was taken from one who was not asked");
    one.wish(Wish::Leave(project()));
    let found = found(&mut events).await;
    assert!(matches!(found, Found::Draft { .. }), "{found:?}");
    drop((sender, one.wishes));
    other.await.unwrap();
    one.thread.await.unwrap();
}
