//! The funnel against what simulated viewers know of themselves: reports that come twice, late and in another order, answers
//! that are renamed and steps that go while somebody is there, orders of all kinds. Every number equals theirs.
//!
//! `CUTAWAY_FUNNEL_VISITS=1000000 cargo test --release --lib funnel_oracle -- --nocapture` is the long form;
//! `CUTAWAY_FUNNEL_SEED=7` repeats a run.

mod viewers;

use std::time::{Duration, Instant};

use super::db::{self, params};
use super::funnel::MOST_PATHS;
use super::{FunnelDays, Purchase, Store, Told, VisitEvent, projects};
use crate::api::StepFunnel;
use crate::domain::Num;
use crate::service::limits::VisitorLimits;

pub(crate) use viewers::*;

struct Stage {
    store: Store,
    workspace: i64,
    id: String,
    publish_id: String,
    told: Told,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let of = owner.clone();
        let insert = move |connection: &mut db::Connection| {
            // What is measured is no disk.
            connection.pragma_update(None, "synchronous", "off")?;
            let (number, made) = projects::insert(connection, &of, "Quiz")?;
            let answers = ANSWERS.map(|text| format!("{{\"text\":\"{text}\",\"next\":\"\"}}")).join(",");
            for step in STEPS {
                let products = if step == "right" {
                    format!("[{{\"store\":\"https://shop.example\",\"productId\":\"{PRODUCT}\"}}]")
                } else {
                    "[]".to_owned()
                };
                connection.execute(
                    "INSERT INTO step (id, project, name, answers, products, created_at, updated_at)
                     VALUES (?1, ?2, ?1, ?3, ?4, '', '')",
                    params![step, number, format!("[{answers}]"), products],
                )?;
            }
            Ok(made)
        };
        let made = store.writer.run(insert).await.unwrap();
        let limits = VisitorLimits { visits: u64::MAX, events: u64::MAX, bytes: u64::MAX };
        let told = Told { now: 0, tried_for: 0, limits };
        let (id, publish_id) = (made.id.as_str().to_owned(), made.publish_id.clone());
        Self { store, workspace: owner.workspace, id, publish_id, told, _folder: folder }
    }

    async fn change(&self) {
        let change = |connection: &mut db::Connection| {
            connection.execute("UPDATE step SET answers = replace(answers, 'Two', ?1)", [RENAMED])?;
            connection.execute("DELETE FROM step WHERE name = 'late'", [])?;
            Ok(())
        };
        self.store.writer.run(change).await.unwrap();
    }

    async fn reports(&self, session: &str, events: Vec<VisitEvent>, ended: bool, now: i64) -> bool {
        let told = Told { now, ..self.told };
        let (publish_id, session) = (self.publish_id.clone(), session.to_owned());
        self.store.add_visit_events(publish_id, session, events, ended, told).await.unwrap()
    }

    /// Tells of a visit as bad lines do: in parts, some twice, some before others. Ends it, or leaves that to silence.
    async fn tells(&self, dice: &mut Dice, session: &str, viewer: &Viewer) {
        let (mut parts, mut rest) = (Vec::new(), viewer.events.as_slice());
        while !rest.is_empty() {
            let (part, after) = rest.split_at(usize::try_from(1 + dice.below(9)).unwrap().min(rest.len()));
            parts.push(part);
            if dice.below(4) == 0 {
                parts.push(part);
            }
            rest = after;
        }
        if dice.below(3) == 0 {
            parts.reverse();
        }
        let now = viewer.now + 1000;
        for part in parts {
            let events = part.iter().map(|(event, at)| VisitEvent { ago: now - at, ..event.clone() }).collect();
            assert!(self.reports(session, events, false, now).await);
        }
        if dice.below(2) == 0 {
            assert!(self.reports(session, Vec::new(), true, now).await);
            // What comes behind the end is not kept, and counts no more.
            let late = VisitEvent { ago: 0, ..viewer.events.first().unwrap().0.clone() };
            assert!(!self.reports(session, vec![VisitEvent { number: 400, ..late }], false, now).await);
        } else {
            let before = now + 1;
            while self.store.end_silent_visits(before, now, 0).await.unwrap().is_some_and(|seen| seen <= before) {}
        }
    }

    /// Buys something now and then: the product that was seen, another one, and what nobody verified.
    async fn buys(&self, dice: &mut Dice, session: &str, viewer: &Viewer, known: &mut Known) {
        let amount = i64::try_from(10 + dice.below(90)).unwrap();
        let Num(price) = Num::from(amount);
        let kind = match dice.below(12) {
            // Two days later it is not what was seen that sold it.
            0 if viewer.seen.contains("right") => 0,
            0 | 1 => 1,
            2 => 2,
            _ => return,
        };
        let late = if kind == 1 { 2 * DAY } else { 1000 };
        let bought = Purchase {
            id: "order-1".to_owned(),
            text: String::new(),
            amount: Some(price),
            currency: Some("eur".to_owned()),
            products: vec![format!("{PRODUCT} 7")],
            verified: kind != 2,
        };
        for new in [true, false] {
            let told = Told { now: viewer.now + late, ..self.told };
            let (publish_id, session) = (self.publish_id.clone(), session.to_owned());
            assert_eq!(self.store.purchase(publish_id, session, bought.clone(), told).await.unwrap(), new);
        }
        known.orders[kind].0 += 1;
        known.orders[kind].1 += amount;
    }
}

pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[tokio::test]
async fn every_number_is_what_viewers_know_of_themselves() {
    let (visits, seed) = (number("CUTAWAY_FUNNEL_VISITS", 1500), number("CUTAWAY_FUNNEL_SEED", 1));
    let mut dice = Dice(seed);
    let stage = Stage::new().await;
    let mut known = Known::default();
    let first = 20_000 * DAY;
    let begun_at = Instant::now();
    // How long the last visits took, from their first report to what they bought.
    let mut last = Vec::new();
    for visit in 0..visits {
        let part = i64::try_from(visit * 30 / visits).unwrap();
        let begun = first + part * DAY + i64::try_from(dice.below(3600 * 1000)).unwrap();
        if visit == visits / 2 {
            stage.change().await;
        }
        let now = if visit < visits / 2 { Project::AtFirst } else { Project::Changed };
        // Some pages were opened before it changed, and play on as it was.
        let plays = if dice.below(5) == 0 { Project::AtFirst } else { now };
        let viewer = Viewer::walk(&mut dice, begun, plays);
        let key = Some(format!("{visit:032}"));
        let open = || stage.store.begin_visit(stage.publish_id.clone(), None, key.clone(), begun, stage.told.limits);
        let session = open().await.unwrap().unwrap().session;
        // The answer got lost: the same visit begins twice.
        assert_eq!(open().await.unwrap().unwrap().session, session);
        let told_at = Instant::now();
        stage.tells(&mut dice, &session, &viewer).await;
        known.add(&viewer, now, begun.div_euclid(DAY));
        stage.buys(&mut dice, &session, &viewer, &mut known).await;
        if visits - visit <= 1000 {
            last.push(told_at.elapsed());
        }
    }
    let built = begun_at.elapsed();
    last.sort_unstable();
    let [middle, slowest] = [last[last.len() / 2], last[last.len() - 1]];
    let begun_at = Instant::now();
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let shown = begun_at.elapsed();
    println!("seed {seed}: {visits} visits in {built:?}, shown in {shown:?}");
    println!("of the last {} visits one took {middle:?} to count, the slowest {slowest:?}", last.len());
    known.matches(&funnel);
    // What is read to show it grows with days and versions, not with visits.
    let rows = |connection: &mut db::Connection| {
        Ok(connection.query_row("SELECT count(*) FROM funnel", [], |row| row.get::<i64>(0))?)
    };
    let rows = stage.store.writer.run(rows).await.unwrap();
    let most = i64::try_from(known.days.len()).unwrap() * 2 * (MOST_PATHS + 100);
    println!("{rows} rows of numbers, at most {most}");
    assert!(rows <= most, "{rows}");
    assert_eq!(funnel.versions.len(), 2);
    // What the versions had comes to what all had.
    for step in &funnel.steps {
        let of = |count: fn(&StepFunnel) -> Num| -> i64 {
            let steps = funnel.versions.iter().flat_map(|version| version.steps.iter().flatten());
            steps.filter(|one| one.name == step.name).map(|one| count(one).whole().unwrap()).sum()
        };
        let by_version = [of(|step| step.seen), of(|step| step.left), of(|step| step.back)];
        let all = [step.seen, step.left, step.back].map(|count| count.whole().unwrap());
        assert_eq!(by_version, all, "{}", step.name);
    }
    // Nothing that a visitor wrote is kept: what the project did not have is a number.
    let kept = |connection: &mut db::Connection| {
        let sql = "SELECT count(*) FROM funnel WHERE step LIKE '%@%' OR what LIKE '%@%'";
        Ok(connection.query_row(sql, [], |row| row.get::<i64>(0))?)
    };
    assert_eq!(stage.store.writer.run(kept).await.unwrap(), 0);

    // Ten days are theirs alone; and the numbers go with the project.
    let days = FunnelDays { first: 20_010, last: 20_019 };
    let part = stage.store.funnel(stage.workspace, stage.id.clone(), days).await.unwrap();
    let expected: i64 = known.days.range(20_010..=20_019).map(|(_, count)| *count).sum();
    assert_eq!(part.visits.whole(), Some(expected));
    assert_eq!(part.since.as_deref(), Some("2024-10-14"));
    assert!(begun_at.elapsed() < Duration::from_secs(5));
}

/// What the shop verified is counted by product, where the shop has it: once an order, and whatever the variant.
#[tokio::test]
async fn verified_orders_count_for_the_products_that_the_shop_has() {
    let stage = Stage::new().await;
    let of = stage.workspace;
    let insert = move |connection: &mut db::Connection| {
        let store = "INSERT INTO store (workspace, app_url) VALUES (?1, 'https://shop.example')";
        connection.execute(store, [of])?;
        let known = "SELECT max(id) FROM store WHERE workspace = ?1";
        let store: i64 = connection.query_row(known, [of], |row| row.get(0))?;
        let product =
            "INSERT INTO product (id, store, external, version, published, inventory) VALUES (?1, ?2, ?3, 1, 1, 1)";
        for (number, id) in [(7001, PRODUCT), (7002, "1002")] {
            connection.execute(product, params![number, store, id])?;
        }
        for number in 2001..2001 + 2 * MOST_PATHS {
            connection.execute(product, params![10_000 + number, store, number.to_string()])?;
        }
        Ok(())
    };
    stage.store.writer.run(insert).await.unwrap();
    let begin = stage.store.begin_visit(stage.publish_id.clone(), None, None, DAY, stage.told.limits);
    let session = begin.await.unwrap().unwrap().session;
    let buys = async |id: &str, products: &[&str], amount: f64, verified: bool| {
        let bought = Purchase {
            id: id.to_owned(),
            text: String::new(),
            amount: Some(amount),
            currency: Some("EUR".to_owned()),
            products: products.iter().map(|id| (*id).to_owned()).collect(),
            verified,
        };
        let told = Told { now: DAY + 1, ..stage.told };
        stage.store.purchase(stage.publish_id.clone(), session.clone(), bought, told).await.unwrap()
    };
    assert!(buys("a", &["1001 7", "1001 8", "kari@example.com"], 40.0, true).await);
    assert!(!buys("a", &["1001"], 40.0, true).await, "told twice");
    assert!(buys("b", &["1002", "1001"], 60.5, true).await);
    assert!(buys("c", &["1002"], 1000.0, false).await, "nobody verified it");
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let sold = funnel.sold.unwrap();
    let sold: Vec<_> =
        sold.iter().map(|one| (one.id.as_str(), one.orders, one.amount, one.currency.as_str())).collect();
    assert_eq!(sold, [("1001", Num(2.0), Num(100.5), "EUR"), ("1002", Num(1.0), Num(60.5), "EUR")]);

    // However many products a day sells, the one that sells most counts, also where it comes last.
    let all: Vec<String> = (2001..2001 + 2 * MOST_PATHS).map(|id| id.to_string()).collect();
    assert!(buys("d", &all.iter().map(String::as_str).collect::<Vec<_>>(), 1.0, true).await);
    let last = all.last().unwrap();
    assert!(buys("e", &[last], 500.0, true).await);
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let sold = funnel.sold.unwrap();
    assert_eq!((sold[0].id.as_str(), sold[0].orders, sold[0].amount), (last.as_str(), Num(2.0), Num(501.0)));
}

/// The steps of a version go once no visit is left that met them, its numbers stay, and it counts on where it comes again.
#[tokio::test]
async fn what_no_visit_needs_is_not_kept() {
    let stage = Stage::new().await;
    let begin = async |now: i64, key: &str| {
        let (publish_id, key) = (stage.publish_id.clone(), Some(key.to_owned()));
        stage.store.begin_visit(publish_id, None, key, now, stage.told.limits).await.unwrap().unwrap()
    };
    let seen = |session: String, now: i64| {
        let event = VisitEvent {
            number: 0,
            name: "step_shown".to_owned(),
            step: Some("first".to_owned()),
            video: None,
            text: Some("first".to_owned()),
            ago: 0,
        };
        let stage = &stage;
        async move { assert!(stage.reports(&session, vec![event], true, now).await) }
    };
    let kept = async || {
        let sql = "SELECT count(*) FROM funnel_version WHERE steps <> ''";
        stage.store.writer.run(move |connection| Ok(connection.query_row(sql, [], |row| row.get::<i64>(0))?)).await
    };
    seen(begin(DAY, "one").await.session, DAY + 1).await;
    stage.store.sweep(2 * DAY).await.unwrap();
    assert_eq!(kept().await.unwrap(), 1, "its visit is there");
    stage.store.sweep(40 * DAY).await.unwrap();
    assert_eq!(kept().await.unwrap(), 0);
    seen(begin(41 * DAY, "two").await.session, 41 * DAY + 1).await;
    assert_eq!(kept().await.unwrap(), 1);
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let first = funnel.steps.iter().find(|step| step.name == "first").unwrap();
    assert_eq!((funnel.visits, first.seen), (Num(2.0), Num(2.0)));
}
