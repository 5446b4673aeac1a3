//! The funnel of kept events against what simulated viewers know of themselves: payloads that come twice, late, in parts and
//! in another order, answers that are renamed and steps that go, orders. Every number equals theirs.
//!
//! `CUTAWAY_FUNNEL_VISITS=1000000 cargo test --release --lib kept_visits::oracle -- --nocapture` is the long form;
//! `CUTAWAY_FUNNEL_SEED=7` repeats a run.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::domain::{Answer, ProductId, StepName};
use crate::service::store::VisitEvent;
use crate::service::store::funnel_oracle::{
    ANSWERS, DAY, Dice, Known, PRODUCT, Project, RENAMED, STEPS, Viewer, number,
};

fn event(dice: &mut Dice, (event, at): &(VisitEvent, i64)) -> Value {
    let time = Timestamp::from_millisecond(*at).unwrap();
    // Services write times in more than one way.
    let time = if dice.below(3) == 0 { json!(at) } else { json!(time.to_string()) };
    json!({ "eventName": event.name, "stepName": event.step, "videoName": "v", "text": event.text, "timestamp": time })
}

fn payload(session: &str, at: i64, events: &[Value]) -> Value {
    json!({
        "sessionId": session, "projectId": "quiz", "publishId": "p", "playlist": "Quiz", "anonymousId": session,
        "timestamp": Timestamp::from_millisecond(at).unwrap().to_string(), "sessionTime": 12.5,
        "collectedInfo": { "name": "Kari Nordmann", "email": "kari@example.com", "phone": "+47 22 33 44 55" },
        "events": events,
    })
}

/// What of a viewer arrives, and what they know of themselves.
fn told(dice: &mut Dice, visit: u64, visits: u64, known: &mut Known) -> Vec<Value> {
    let part = i64::try_from(visit * 30 / visits).unwrap().min(29);
    let begun = 20_000 * DAY + part * DAY + i64::try_from(dice.below(3600 * 1000)).unwrap();
    let plays = if visit < visits / 2 || dice.below(5) == 0 { Project::AtFirst } else { Project::Changed };
    let mut viewer = Viewer::walk(dice, begun, plays);
    // Some services write whole seconds: many events then have the time of others.
    if dice.below(3) == 0 {
        viewer.events.iter_mut().for_each(|(_, at)| *at -= at.rem_euclid(1000));
    }
    // Events say no version: they count by the steps of now.
    known.add(&viewer, Project::Changed, begun.div_euclid(DAY));
    let mut events: Vec<Value> = viewer.events.iter().map(|one| event(dice, one)).collect();
    let session = format!("{visit:08x}-0000-4000-8000-000000000000");
    let some = usize::try_from(dice.below(viewer.events.len() as u64)).unwrap();
    let mut all = Vec::new();
    match dice.below(4) {
        0 => all.push(payload(&session, viewer.now, &events[..some])),
        1 => all.push(payload(&session, viewer.now, &events[some..])),
        _ => {}
    }
    if dice.below(6) == 0 {
        let (amount, verified) = (i64::try_from(10 + dice.below(90)).unwrap(), dice.below(3) > 0);
        let at = Timestamp::from_millisecond(viewer.now + 1).unwrap().to_string();
        let text = format!("order-{visit} {amount} EUR");
        // The player may report an order before the shop does, and both may say it again.
        if dice.below(2) == 0 {
            events.push(json!({ "eventName": "purchase", "text": text, "timestamp": at, "verified": false }));
        }
        if verified && dice.below(2) == 0 {
            let (order, at) = (format!("order-{visit}"), viewer.now + 60_000);
            events.push(json!({
                "eventName": "order", "orderId": order, "total": amount, "currency": "eur", "timestamp": at,
                "verified": true,
            }));
        }
        events.push(json!({ "eventName": "purchase", "text": text, "timestamp": at, "verified": verified }));
        let orders = &mut known.orders[if verified { 1 } else { 2 }];
        *orders = (orders.0 + 1, orders.1 + amount);
    }
    all.push(payload(&session, viewer.now, &events));
    if dice.below(4) == 0 {
        all.push(all[usize::try_from(dice.below(all.len() as u64)).unwrap()].clone());
    }
    all
}

/// The steps as they are at last: one is gone, and an answer has another text.
fn steps() -> Vec<Step> {
    let answer = |text: &&str| Answer { text: (*text).to_owned(), next: Some(String::new()), ..Answer::default() };
    let step = |name: &&str| Step {
        name: Some(StepName::from((*name).to_owned())),
        answers: Some([ANSWERS[0], RENAMED, ANSWERS[2]].iter().map(answer).collect()),
        products: (**name == *"right")
            .then(|| vec![StepProduct { product_id: ProductId::from(PRODUCT.to_owned()), ..StepProduct::default() }]),
        ..Step::default()
    };
    STEPS.iter().filter(|name| **name != "late").map(step).collect()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

#[test]
fn every_number_is_what_viewers_know_of_themselves() {
    let (visits, seed) = (number("CUTAWAY_FUNNEL_VISITS", 3000), number("CUTAWAY_FUNNEL_SEED", 1));
    let (mut dice, mut known) = (Dice(seed), Known::default());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.ndjson");
    let mut writing = BufWriter::new(File::create(&file).unwrap());
    let (mut held, mut late) = (Vec::new(), Vec::new());
    for visit in 0..visits {
        for one in told(&mut dice, visit, visits, &mut known) {
            if dice.below(50) == 0 { late.push(one) } else { held.push(one) }
        }
        while held.len() > 500 || (visit + 1 == visits && !held.is_empty()) {
            let at = usize::try_from(dice.below(held.len() as u64)).unwrap();
            writeln!(writing, "{}", held.swap_remove(at)).unwrap();
        }
    }
    for one in &late {
        writeln!(writing, "{one}").unwrap();
    }
    writing.into_inner().unwrap();

    let service = Url::parse("https://service.example/").unwrap();
    let mut kept = KeptVisits::of(folder.path(), &service);
    let begun = Instant::now();
    let taken = kept.import(BufReader::new(File::open(&file).unwrap())).unwrap();
    println!("seed {seed}: {visits} visits, {taken:?}, built in {:?}", begun.elapsed());
    assert_eq!(taken.unread, 0);
    let begun = Instant::now();
    let mut kept = KeptVisits::of(folder.path(), &service);
    let (read, not) = kept.read("quiz", [None, None]).unwrap();
    let funnel = shown(read, &steps(), [None, None]);
    println!("shown in {:?}", begun.elapsed());
    assert_eq!(not, NotCounted::default());
    known.matches(&funnel);

    // One by one, as they are received; some of visits that are known.
    let (mut each, all) = (Vec::new(), visits + 200);
    for visit in visits..all {
        for one in told(&mut dice, visit, visits, &mut known) {
            let begun = Instant::now();
            kept.keep([one]).unwrap();
            each.push(begun.elapsed());
        }
    }
    println!("one more in {:?}, at most {:?}", median(each.clone()), each.iter().max().unwrap());
    let (read, _) = kept.read("quiz", [None, None]).unwrap();
    known.matches(&shown(read, &steps(), [None, None]));
    // The whole file again changes nothing.
    let again = kept.import(BufReader::new(File::open(&file).unwrap())).unwrap();
    assert_eq!((again.kept, again.known), (0, taken.kept + taken.known));
    let (read, _) = kept.read("quiz", [None, None]).unwrap();
    known.matches(&shown(read, &steps(), [None, None]));
}
