use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::*;
use crate::domain::Project;
use crate::draft::Edit;
use crate::service::guests::GuestBook;

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
        let folder = tempfile::tempdir().unwrap();
        let book = GuestBook::in_folder(folder.path());
        let (sender, wished) = unbounded_channel();
        let (told, events) = unbounded_channel();
        let home = book.home("guest");
        let thread = tokio::task::spawn_blocking(move || serve(&home, wished, &told));
        Self { folder, book, wishes: sender, events, thread }
    }

    /// Keeps everybody from writing until it is dropped.
    fn busy(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.folder.path().join("cutaway.sqlite3")).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection
    }

    fn wish(&self, wish: Wish) {
        self.wishes.send(wish).unwrap();
    }

    /// What came of the records that were handed over last.
    async fn kept(&mut self) -> Result<u64, String> {
        loop {
            if let Event::Steps(steps::Event::Kept { records, .. }) = self.events.recv().await.unwrap() {
                return records;
            }
        }
    }

    async fn found(&mut self) -> Found {
        loop {
            if let Event::Steps(steps::Event::JournalFound { found, .. }) = self.events.recv().await.unwrap() {
                return found;
            }
        }
    }

    /// Whether a draft of this workspace is in the database, and its text.
    async fn text(&self) -> Option<String> {
        let home = self.book.home("guest");
        let read = tokio::task::spawn_blocking(move || home.read_draft(&file_name("local", &project())).unwrap());
        Some(read.await.unwrap()).filter(|text| !text.is_empty())
    }
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
    kept.wish(Wish::Find("local".to_owned(), project()));
    assert!(matches!(kept.found().await, Found::Nothing));
    kept.wish(Wish::Keep(project(), named("Thrown away")));
    kept.kept().await.unwrap();
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
    drop(busy);
    while kept.text().await.is_some_and(|text| text.contains("Not yet")) {
        tokio::task::yield_now().await;
    }
    drop(kept.wishes);
    kept.thread.await.unwrap();
}

/// Of what one process holds the leases are renewed together, and who asks for one of them is heard.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_is_held_stays_so_until_somebody_asks_for_it() {
    let mut one = Kept::begin();
    one.wish(Wish::Find("local".to_owned(), project()));
    assert!(matches!(one.found().await, Found::Nothing));
    one.wish(Wish::Keep(project(), named("Mine")));
    one.kept().await.unwrap();
    // Another studio of the same guest.
    let (sender, wished) = unbounded_channel();
    let (told, mut events) = unbounded_channel();
    let home = one.book.home("guest");
    let other = tokio::task::spawn_blocking(move || serve(&home, wished, &told));
    sender.send(Wish::Find("local".to_owned(), project())).unwrap();
    let found = loop {
        if let Event::Steps(steps::Event::JournalFound { found, .. }) = events.recv().await.unwrap() {
            break found;
        }
    };
    assert!(matches!(found, Found::Taken));
    sender.send(Wish::TakeOver("local".to_owned(), project())).unwrap();
    loop {
        if let Event::Steps(steps::Event::Wanted { .. }) = one.events.recv().await.unwrap() {
            break;
        }
    }
    one.wish(Wish::Leave(project()));
    let found = loop {
        if let Event::Steps(steps::Event::JournalFound { found, .. }) = events.recv().await.unwrap() {
            break found;
        }
    };
    assert!(matches!(found, Found::Draft { .. }), "{found:?}");
    drop((sender, one.wishes));
    other.await.unwrap();
    one.thread.await.unwrap();
}
