//! What the screens look like.

use super::probe::{Probe, begin};
use crate::domain::WebhookSecret;
use crate::studio::Begin;
use crate::studio::ground::Failure;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;

const TITLES: [&str; 6] = [
    "Fjell wool sock",
    "Merino base layer, women",
    "メリノウールの靴下・厚手",
    "שמיכה Røros 130×200",
    "Picnic blanket for the whole family 👨‍👩‍👧",
    "",
];

fn store(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.counted(1280).found(&TITLES, Some("next"));
    probe
}

macro_rules! picture {
    ($name:literal, $probe:expr) => {
        insta::assert_snapshot!($name, $probe.screen());
    };
}

#[test]
fn the_list() {
    picture!("list 80x24", store(80, 24));
    picture!("list 120x40", store(120, 40));
    picture!("list 200x60", store(200, 60));
}

#[test]
fn a_search_with_filters() {
    let mut probe = store(120, 40);
    probe.keys("fsocks<esc>");
    probe.keys("f<down><down><enter>wool<enter><esc>/wo").found(&TITLES[..2], None);
    picture!("search with chips", probe);
}

#[test]
fn an_open_product() {
    for (name, width, height) in [("product 80x24", 80, 24), ("product 120x40", 120, 40)] {
        let mut probe = store(width, height);
        probe.keys("<enter>").fetched();
        insta::assert_snapshot!(name, probe.screen());
    }
    let mut probe = store(120, 24);
    probe.keys("<enter>").fetched().keys("]");
    picture!("variants", probe);
    probe.keys("[[");
    picture!("JSON", probe);
}

#[test]
fn what_lies_over() {
    let mut probe = store(80, 24);
    picture!("help", probe.keys("?fil"));
    picture!("palette", probe.keys("<esc>:pub"));
    picture!("filters", probe.keys("<esc>f"));
    picture!("notices", probe.keys("<esc>F<esc>!"));
}

#[test]
fn the_first_start_and_a_failed_one() {
    let mut probe = Probe::unconnected(Begin { first_start: true, ..begin() }, 80, 24);
    picture!("first start", probe);
    probe.event(Event::ConnectFailed(Failure::new("the local workspace can't be served: the disk is full")));
    picture!("not connected", probe);
    let mut probe = store(80, 24);
    probe.keys("/xyz").found(&[], None);
    picture!("nothing found", probe);
    picture!("a screen to come", probe.keys("<esc>4"));
}

#[test]
fn the_first_tip_leads_to_a_shop_of_ones_own() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = Probe::unconnected(Begin { first_start: true, ..begin() }, width, height);
        assert!(probe.shows("5 n connect your shop"), "{}", probe.screen());
        probe.keys("5");
        assert!(probe.screen().lines().any(|line| line.ends_with(" · local workspace")), "{}", probe.screen());
        probe.keys("n");
        assert!(probe.shows("╭ New profile"), "{}", probe.screen());
    }
}

#[test]
fn the_filters_count_what_they_find_at_any_size() {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        let mut probe = store(width, height);
        probe.keys("f<down><down><down><down>abc");
        assert!(probe.shows("abc") || width < 60, "what was typed stays");
        assert!(probe.shows("not a whole") || width < 60, "and is said to be wrong\n{}", probe.screen());
        probe.keys("<ctrl-u>2").found(&["Fjell wool sock"], None);
        assert!(probe.shows("1 found"), "{width}x{height}\n{}", probe.screen());
    }
}

#[test]
fn small_and_plain() {
    picture!("too small", store(39, 9));
    picture!("least", store(40, 10));
    let mut probe = Probe::new(60, 16);
    probe.model.shell.begin.ascii = true;
    probe.counted(6).found(&TITLES, None);
    picture!("ascii", probe);
    assert!(probe.screen().is_ascii(), "nothing but ASCII where the terminal has no more");
    let mut probe = store(80, 24);
    probe.keys("<enter>").fetched();
    insta::assert_snapshot!("reading", reading(&probe.model).join("\n"));
}

#[test]
fn the_ping_that_went_out_is_recorded_and_not_the_one_that_failed() {
    use crate::studio::ground::RequestId;
    use crate::studio::shell::event::Event;
    use crate::studio::webhooks::{Effect as Of, Event as Told};

    let mut probe = super::probe::Probe::new(120, 40);
    for (request, webhook) in [(1001, "w1"), (1002, "w2")] {
        let ping = Of::Ping { request: RequestId(request), webhook: webhook.into() };
        probe.asks(crate::studio::shell::effect::Effect::Webhooks(ping));
    }
    // The second is answered first; the first fails after it.
    let told = |request, queued| Event::Webhooks(Told::Queued { request: RequestId(request), queued });
    probe.event(told(1002, Ok("Test event sent."))).event(told(1001, Err("the line broke".to_owned())));
    let done: Vec<String> = probe.model.shell.deeds.done.iter().map(crate::studio::shell::twin::Done::brief).collect();
    assert!(done.len() == 1 && done[0].contains("w2"), "{done:?}");
}

#[test]
fn what_any_question_for_first_and_answered_last_is_recorded_as_what_it_was() {
    use crate::studio::ground::RequestId;
    use crate::studio::shell::effect::Effect;
    use crate::studio::{account, videos, webhooks};

    let mut probe = super::probe::Probe::new(120, 40);
    let register = |request: u64, address: &str| {
        let (address, name) = (address.to_owned(), String::new());
        Effect::Videos(videos::Effect::Register { request: RequestId(request), address, name })
    };
    let secret = |request: u64, webhook: &str| {
        Effect::Webhooks(webhooks::Effect::Secret { request: RequestId(request), webhook: webhook.into() })
    };
    let remove = |request: u64, name: &str| {
        Effect::Account(account::Effect::Remove { request: RequestId(request), name: name.to_owned() })
    };
    for effect in [
        register(1001, "https://a.example/1.mp4"),
        register(1002, "https://a.example/2.mp4"),
        secret(1003, "w3"),
        secret(1004, "w4"),
        remove(1005, "five"),
        remove(1006, "six"),
    ] {
        probe.asks(effect);
    }
    // Of each pair the second is answered first, and the first fails after it.
    let registered =
        |request: u64, registered| Event::Videos(videos::Event::Registered { request: RequestId(request), registered });
    let secret =
        |request: u64, secret| Event::Webhooks(webhooks::Event::Secret { request: RequestId(request), secret });
    let done = |request: u64, done| Event::Account(account::Event::Done { request: RequestId(request), done });
    let broke = || "the line broke".to_owned();
    probe.event(registered(1002, Ok("v2".into()))).event(registered(1001, Err(Failure::new("the line broke"))));
    probe.event(secret(1004, Ok(WebhookSecret::new("s")))).event(secret(1003, Err(broke())));
    probe.event(done(1006, Ok("Removed.".to_owned()))).event(done(1005, Err(broke())));
    let done: Vec<String> = probe.model.shell.deeds.done.iter().map(crate::studio::shell::twin::Done::brief).collect();
    let [video, webhook, profile] = &done[..] else { panic!("{done:?}") };
    assert!(video.contains("2.mp4") && webhook.contains("w4") && profile.contains("six"), "{done:?}");
}
