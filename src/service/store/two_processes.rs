//! Two processes on one database: what one of them reads, the other may change before the first one writes. Each test lets
//! both do the same at once, round after round, and looks at what is left.

use std::sync::Arc;

use tempfile::TempDir;
use tokio::sync::Barrier;

use super::db;
use super::{
    Candidate, CreationKey, DeviceAnswer, DeviceAsker, Due, Identity, Lifetimes, NewKey, NewProduct, NewStore, Outcome,
    PageAsk, PageWish, Precondition, Said, Store, StoreError, SwitchOff, Told, VisitEvent,
};
use crate::api::{NewProject, NewStep, ProjectChange};
use crate::domain::{Product, ProductSearch, ProjectId, StepId, StoreUrl, WebhookEvent};
use crate::service::VisitorLimits;
use crate::service::search::Query;

/// How often both meet.
const ROUNDS: usize = 12;

const LIFETIMES: Lifetimes = Lifetimes { refresh: 600, grant: 600 };

/// Two stores on one folder.
struct Two {
    stores: [Arc<Store>; 2],
    owner: Identity,
    _folder: TempDir,
}

impl Two {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stores = [Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap()];
        Self::of(stores, folder).await
    }

    /// Two that don't think of each other.
    async fn naive() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        Some(Self::of(super::engine::naive(folder.path())?, folder).await)
    }

    async fn of(stores: [Store; 2], folder: TempDir) -> Self {
        let stores = stores.map(Arc::new);
        let owner = stores[0].own_workspace().await.unwrap();
        Self { stores, owner, _folder: folder }
    }

    /// What both came to, begun at once.
    async fn both<T, F>(&self, work: impl Fn(usize, Arc<Store>) -> F) -> [T; 2]
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let barrier = Arc::new(Barrier::new(2));
        let [first, second] = [0, 1].map(|nth| {
            let (barrier, work) = (Arc::clone(&barrier), work(nth, Arc::clone(&self.stores[nth])));
            tokio::spawn(async move {
                barrier.wait().await;
                work.await
            })
        });
        [first.await.unwrap(), second.await.unwrap()]
    }

    async fn project(&self) -> ProjectId {
        let new = NewProject { name: "One".to_owned(), ..NewProject::default() };
        let made = self.stores[0].create_project(&self.owner, new, Vec::new(), (None, String::new())).await.unwrap();
        let made: serde_json::Value = serde_json::from_slice(&made.answer).unwrap();
        ProjectId::new(made["id"].as_str().unwrap())
    }

    /// A number that the database has.
    async fn count(&self, sql: &'static str) -> i64 {
        let read = move |connection: &mut db::Connection| Ok(connection.query_row(sql, [], |row| row.get(0))?);
        self.stores[0].writer.run(read).await.unwrap()
    }
}

/// A test for each race, and one that shows that it goes wrong where nobody thinks of the other.
macro_rules! rows {
    ($($name:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(Two::open().await).await;
            }
        )*
        mod naive {
            use super::super::goes_wrong;
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    goes_wrong(super::super::$name).await;
                }
            )*
        }
    };
}

mod both {
    use super::Two;

    rows![
        products_that_both_take_in_have_numbers_and_terms_of_their_own,
        one_store_is_connected_once_however_both_write_it,
        codes_and_refresh_tokens_are_good_once,
        a_device_code_is_decided_and_redeemed_once,
        one_creation_under_one_key_is_made_once,
        a_new_folder_that_both_name_is_one,
        steps_that_both_delete_leave_the_order_and_the_count,
        a_visit_that_both_end_has_one_summary,
        nothing_is_added_to_a_visit_that_the_other_ended,
        both_sweep_while_both_write,
        a_delivery_that_both_find_due_is_claimed_by_one,
        what_a_process_that_is_over_had_claimed_is_free_at_the_next_start,
    ];
}

/// How often what may go wrong is tried, each with [`ROUNDS`].
const ATTEMPTS: usize = 10;

/// It goes wrong where nobody thinks of the other.
async fn goes_wrong<F: Future<Output = ()> + Send + 'static>(row: impl Fn(Two) -> F) {
    for _ in 0..ATTEMPTS {
        let Some(two) = Two::naive().await else { return };
        let database = Arc::clone(&two.stores[0]);
        if tokio::spawn(row(two)).await.is_err() {
            // It wasn't the database that went.
            database.probe().await.unwrap();
            return;
        }
    }
    panic!("nothing went wrong where nobody thinks of the other");
}

/// One of two, and not both.
fn once(done: [bool; 2]) -> bool {
    done[0] != done[1]
}

async fn products_that_both_take_in_have_numbers_and_terms_of_their_own(two: Two) {
    let (workspace, url) = (two.owner.workspace, StoreUrl::new("https://shop.example"));
    for round in 0..ROUNDS {
        let upsert = |nth: usize, store: Arc<Store>| {
            let (new, name) = (NewStore::at(&url), format!("p{round}x{nth}"));
            let product = Product {
                external_product_id: name.as_str().into(),
                title: format!("wool {name}"),
                published_at: Some("2026-01-01T00:00:00Z".to_owned()),
                ..Product::default()
            };
            async move { store.upsert(workspace, new, vec![NewProduct { product, analysis: None }]).await.unwrap() }
        };
        let imported = two.both(upsert).await;
        assert_eq!(imported.map(|one| one.added), [1, 1]);
    }
    let row = two.stores[1].store(workspace, url.clone()).await.unwrap();
    let all = i64::try_from(2 * ROUNDS).unwrap();
    assert_eq!((row.products, row.published), (all, all));
    let search = ProductSearch { search_term: Some("wool".to_owned()), ..ProductSearch::default() };
    let query = Query::of(&search).unwrap();
    let ask = PageAsk { query, limit: 500, after: None, wish: PageWish::default(), base_url: String::new() };
    let (page, ()) = two.stores[0].page(workspace, (url, None), |_| Ok((ask, ()))).await.unwrap();
    let page: serde_json::Value = serde_json::from_slice(&[page.json, b"}".to_vec()].concat()).unwrap();
    assert_eq!(page["products"].as_array().unwrap().len(), 2 * ROUNDS, "no bit is lost");
    assert_eq!(
        two.count("SELECT count(DISTINCT number) FROM (SELECT id & 4294967295 AS number FROM product) AS all_of_them")
            .await,
        all
    );
}

async fn one_store_is_connected_once_however_both_write_it(two: Two) {
    let workspace = two.owner.workspace;
    for round in 0..ROUNDS {
        let connect = |nth: usize, store: Arc<Store>| {
            let host = ["SHOP", "shop"][nth];
            let new = NewStore {
                app_url: StoreUrl::new(format!("https://{host}{round}.example")),
                name: None,
                currency_code: None,
                currency_symbol: None,
            };
            async move { store.connect(workspace, new).await.unwrap().id }
        };
        let [one, other] = two.both(connect).await;
        assert_eq!(one, other, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_of_both_makes_one_owner_and_one_key_of_cursors() {
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let barrier = Arc::new(std::sync::Barrier::new(2));
        let open = || {
            let (path, barrier) = (path.clone(), Arc::clone(&barrier));
            tokio::task::spawn_blocking(move || {
                barrier.wait();
                Store::open(&path).unwrap()
            })
        };
        let (first, second) = tokio::join!(open(), open());
        let (first, second) = (first.unwrap(), second.unwrap());
        assert_eq!(first.cursor_key(), second.cursor_key());
        let (one, other) = tokio::join!(first.own_workspace(), second.own_workspace());
        assert_eq!(one.unwrap().user, other.unwrap().user);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_revokes_the_other_refuses() {
    let two = Two::open().await;
    let [here, there] = &two.stores;
    let key = here.add_key(&two.owner, NewKey { name: Some("k".to_owned()), ..NewKey::default() }).await.unwrap();
    let bearer = there.bearer(key.expose()).await.unwrap().unwrap();
    let (token, _) = here.add_token(&bearer).await.unwrap();
    assert!(there.bearer(token.expose()).await.unwrap().is_some());
    here.revoke_key(two.owner.workspace, "k".to_owned()).await.unwrap();
    assert!(there.bearer(key.expose()).await.unwrap().is_none());
    assert!(there.bearer(token.expose()).await.unwrap().is_none());
}

async fn codes_and_refresh_tokens_are_good_once(two: Two) {
    let text = |text: &str| text.to_owned();
    for _ in 0..ROUNDS {
        let code = two.stores[0].add_code(&two.owner, text("c"), text("r"), 600).await.unwrap();
        let redeem = |_, store: Arc<Store>| {
            let (code, challenge, redirect) = (code.expose().to_owned(), text("c"), text("r"));
            async move { store.redeem_code(&code, challenge, redirect, LIFETIMES).await.unwrap() }
        };
        assert!(once(two.both(redeem).await.map(|granted| granted.is_some())));
        let code = two.stores[0].add_code(&two.owner, text("c"), text("r"), 600).await.unwrap();
        let granted = two.stores[0].redeem_code(code.expose(), text("c"), text("r"), LIFETIMES).await.unwrap().unwrap();
        let refresh = |_, store: Arc<Store>| {
            let token = granted.refresh.expose().to_owned();
            async move { store.refresh(&token, LIFETIMES).await.unwrap() }
        };
        assert!(once(two.both(refresh).await.map(|granted| granted.is_some())));
    }
}

async fn a_device_code_is_decided_and_redeemed_once(two: Two) {
    for round in 0..ROUNDS {
        let asker = DeviceAsker { client: format!("c{round}"), address: "192.0.2.1".to_owned() };
        let made = two.stores[0].add_device_code(asker, 600, 0).await.unwrap().unwrap();
        let decide = |_, store: Arc<Store>| {
            let (code, owner) = (made.user_code.clone(), two.owner.clone());
            async move { store.decide_device(&code, Some(&owner)).await.unwrap() }
        };
        assert!(once(two.both(decide).await), "round {round}");
        let poll = |_, store: Arc<Store>| {
            let code = made.device_code.expose().to_owned();
            async move { store.poll_device(&code, LIFETIMES).await.unwrap() }
        };
        let answers = two.both(poll).await.map(|answer| matches!(answer, DeviceAnswer::Granted(_)));
        assert!(once(answers), "round {round}");
    }
    let grants = two.count("SELECT count(*) FROM oauth_grant").await;
    assert_eq!(grants, i64::try_from(ROUNDS).unwrap());
}

async fn one_creation_under_one_key_is_made_once(two: Two) {
    for round in 0..ROUNDS {
        let create = |_, store: Arc<Store>| {
            let key = CreationKey { operation: "createProject", key: format!("k{round}"), fingerprint: [1; 32] };
            let new =
                NewProject { name: "One".to_owned(), folder: Some(format!("Folder {round}")), ..NewProject::default() };
            let owner = two.owner.clone();
            async move { store.create_project(&owner, new, Vec::new(), (Some(key), String::new())).await.unwrap() }
        };
        let [one, other] = two.both(create).await;
        assert_eq!(one.answer, other.answer);
        assert!(once([one.repeated, other.repeated]));
    }
    let rounds = i64::try_from(ROUNDS).unwrap();
    assert_eq!(two.count("SELECT count(*) FROM project").await, rounds);
    assert_eq!(two.count("SELECT count(*) FROM folder").await, rounds);
}

async fn a_new_folder_that_both_name_is_one(two: Two) {
    for round in 0..ROUNDS {
        let create = |_, store: Arc<Store>| {
            let folder = Some(format!("Folder {round}"));
            let new = NewProject { name: "One".to_owned(), folder, ..NewProject::default() };
            let owner = two.owner.clone();
            async move { store.create_project(&owner, new, Vec::new(), (None, String::new())).await.unwrap() }
        };
        two.both(create).await;
    }
    assert_eq!(two.count("SELECT count(*) FROM folder").await, i64::try_from(ROUNDS).unwrap());
}

async fn steps_that_both_delete_leave_the_order_and_the_count(two: Two) {
    let workspace = two.owner.workspace;
    let project = two.project().await;
    for _ in 0..ROUNDS {
        let mut steps = Vec::new();
        for _ in 0..2 {
            let new = NewStep { project_id: project.clone(), ..NewStep::default() };
            let made = two.stores[0].create_step(workspace, new, Vec::new(), (Precondition::default(), None)).await;
            let made: serde_json::Value = serde_json::from_slice(&made.unwrap().answer).unwrap();
            steps.push(StepId::new(made["id"].as_str().unwrap()));
        }
        let change = ProjectChange {
            steps_order: Some(steps.iter().map(ToString::to_string).collect()),
            ..ProjectChange::default()
        };
        let when = (Precondition::default(), String::new());
        two.stores[1].update_project(workspace, project.clone(), change, Vec::new(), when).await.unwrap();
        let delete = |nth: usize, store: Arc<Store>| {
            let step = steps[nth].clone();
            async move { store.delete_step(workspace, step, Precondition::default()).await.unwrap() }
        };
        two.both(delete).await;
        assert_eq!(
            two.count("SELECT steps_count + CASE WHEN steps_order <> '[]' THEN 1 ELSE 0 END FROM project").await,
            0
        );
    }
}

/// Subscribes to summaries, and has a visit that has been silent.
async fn summary(two: &Two, now: i64) {
    let project = two.project().await;
    let publish = {
        let id = project.to_string();
        let sql = "SELECT publish_id FROM project WHERE id = ?1";
        let read = move |connection: &mut db::Connection| Ok(connection.query_row(sql, [id], |row| row.get(0))?);
        let publish: String = two.stores[0].writer.run(read).await.unwrap();
        publish
    };
    two.stores[0].begin_visit(publish, None, None, now, VisitorLimits::default()).await.unwrap().unwrap();
}

async fn subscribe(two: &Two) {
    let url = "https://a.example".to_owned();
    two.stores[0].create_webhook(&two.owner, WebhookEvent::ResponseSummary, url, None).await.unwrap();
}

async fn a_visit_that_both_end_has_one_summary(two: Two) {
    subscribe(&two).await;
    for round in 0..ROUNDS {
        let now = i64::try_from(round).unwrap() * 1000;
        summary(&two, now).await;
        let end = |_, store: Arc<Store>| async move { store.end_silent_visits(now, now + 1, 600_000).await.unwrap() };
        two.both(end).await;
        let summaries = two.count("SELECT count(*) FROM delivery").await;
        assert_eq!(summaries, i64::try_from(round + 1).unwrap());
    }
}

/// What arrives at the one while the other ends the visit is in it, or is told that it came too late.
async fn nothing_is_added_to_a_visit_that_the_other_ended(two: Two) {
    subscribe(&two).await;
    let project = two.project().await.to_string();
    let sql = "SELECT publish_id FROM project WHERE id = ?1";
    let read = move |connection: &mut db::Connection| Ok(connection.query_row(sql, [project], |row| row.get(0))?);
    let publish: String = two.stores[0].writer.run(read).await.unwrap();
    for round in 1..=ROUNDS {
        let begun = two.stores[0].begin_visit(publish.clone(), None, None, 0, VisitorLimits::default());
        let session = begun.await.unwrap().unwrap().session;
        let report = |nth: usize, store: Arc<Store>| {
            let (publish, session) = (publish.clone(), session.clone());
            let event = VisitEvent {
                number: u32::try_from(nth).unwrap(),
                name: "shown".to_owned(),
                step: None,
                video: None,
                text: None,
                ago: 0,
            };
            let told = Told { now: 1, tried_for: 600_000, limits: VisitorLimits::default() };
            async move { store.add_visit_events(publish, session, vec![event], true, told).await.unwrap() }
        };
        assert!(once(two.both(report).await), "round {round}");
        let rounds = i64::try_from(round).unwrap();
        assert_eq!(two.count("SELECT count(*) FROM delivery").await, rounds, "one summary");
        assert_eq!(two.count("SELECT count(*) FROM visit_event").await, rounds, "one event");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_one_makes_while_the_other_changes_its_project_is_kept_with_the_change() {
    let two = Two::open().await;
    let (workspace, project) = (two.owner.workspace, two.project().await);
    for round in 1..=ROUNDS {
        let change = |nth: usize, store: Arc<Store>| {
            let project = project.clone();
            async move {
                if nth == 0 {
                    let new = NewStep { project_id: project, ..NewStep::default() };
                    let when = (Precondition::default(), None);
                    store.create_step(workspace, new, Vec::new(), when).await.unwrap();
                } else {
                    let change = ProjectChange { name: Some(format!("N{round}")), ..ProjectChange::default() };
                    let when = (Precondition::default(), String::new());
                    store.update_project(workspace, project, change, Vec::new(), when).await.unwrap();
                }
            }
        };
        two.both(change).await;
        let rounds = i64::try_from(round).unwrap();
        assert_eq!(two.count("SELECT steps_count FROM project").await, rounds);
        assert_eq!(two.count("SELECT count(*) FROM step").await, rounds);
        let name = format!("N{round}");
        let named = move |connection: &mut db::Connection| {
            Ok(connection.query_row("SELECT count(*) FROM project WHERE name = ?1", [name], |row| row.get::<i64>(0))?)
        };
        assert_eq!(two.stores[1].writer.run(named).await.unwrap(), 1);
    }
}

/// What is over is removed by both at once, beside those who write: nobody is in anybody's way.
async fn both_sweep_while_both_write(two: Two) {
    subscribe(&two).await;
    let long_after = 40 * 24 * 3_600_000;
    for _ in 0..ROUNDS {
        for _ in 0..3 {
            summary(&two, 0).await;
        }
        two.stores[0].end_silent_visits(0, 1, 600_000).await.unwrap();
        let sweep = |_, store: Arc<Store>| {
            let owner = two.owner.clone();
            async move {
                let new = NewProject { name: "Beside".to_owned(), ..NewProject::default() };
                let made = store.create_project(&owner, new, Vec::new(), (None, String::new()));
                let (swept, made) = tokio::join!(store.sweep(long_after), made);
                made.unwrap();
                swept.unwrap().rows
            }
        };
        let swept: usize = two.both(sweep).await.into_iter().sum();
        assert_eq!(swept, 6, "three visits and three summaries, each by one of them");
    }
    // Readers may keep SQLite's log for a moment; PostgreSQL's is its own affair.
    if super::engine::is_shared() {
        assert!(two.stores[0].empty_log().await.unwrap());
    }
}

async fn due(store: &Store, now: i64) -> Vec<Due> {
    store.due(now, 10, |_: Candidate<'_>| true).await.unwrap().due
}

async fn a_delivery_that_both_find_due_is_claimed_by_one(two: Two) {
    subscribe(&two).await;
    summary(&two, 0).await;
    two.stores[0].end_silent_visits(0, 1, 600_000).await.unwrap();
    for round in 0..ROUNDS {
        let now = 10 + 1_000 * i64::try_from(round).unwrap();
        // Both have read it before one of them claims it.
        let found = [due(&two.stores[0], now).await.remove(0), due(&two.stores[1], now).await.remove(0)];
        assert_eq!(found[0], found[1]);
        let claim = |nth: usize, store: Arc<Store>| {
            let due = found[nth].clone();
            async move { store.claim(&due, move || (now, now + 100)).await.unwrap() }
        };
        let claimed = two.both(claim).await;
        assert!(once(claimed.map(|fence| fence.is_some())), "{claimed:?}");
        for store in &two.stores {
            let next = store.due(now + 99, 10, |_: Candidate<'_>| true).await.unwrap();
            assert_eq!((next.due.len(), next.next_at), (0, Some(now + 100)), "it is claimed until then");
        }
        // The claim runs out, and another one is made: what came of the first counts no more.
        let late = Due { fence: claimed.into_iter().flatten().next().unwrap(), ..found[0].clone() };
        let mut again = due(&two.stores[1], now + 100).await.remove(0);
        again.fence = two.stores[1].claim(&again, move || (now + 100, now + 200)).await.unwrap().unwrap();
        let off = SwitchOff { after: i64::MAX, failures: u32::MAX };
        let settle = async |of: &Due, outcome| two.stores[0].settle(of, outcome, Said::default(), now, off).await;
        settle(&late, Outcome::Delivered).await.unwrap();
        assert_eq!(two.count("SELECT count(*) FROM delivery WHERE state = 'pending' AND next_at IS NOT NULL").await, 1);
        settle(&again, Outcome::Again(now + 150)).await.unwrap();
        assert_eq!(due(&two.stores[0], now + 150).await.len(), 1, "it is free again");
    }
}

async fn what_a_process_that_is_over_had_claimed_is_free_at_the_next_start(two: Two) {
    subscribe(&two).await;
    summary(&two, 0).await;
    two.stores[0].end_silent_visits(0, 1, 600_000).await.unwrap();
    let found = due(&two.stores[0], 10).await.remove(0);
    two.stores[0].claim(&found, || (10, i64::MAX)).await.unwrap().unwrap();
    assert!(due(&two.stores[1], 11).await.is_empty());
    two.stores[1].end_claims().await.unwrap();
    assert_eq!(due(&two.stores[1], 11).await.len(), 1);
    let refused: Result<_, StoreError> = two.stores[1].claim(&found, || (11, 12)).await;
    assert_eq!(refused.unwrap(), None, "who read it before the first claim is late");
}
