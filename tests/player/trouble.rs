//! What viewers do and phones make of it, in a real browser: the net is gone when the quiz ends, texts are long, clicks
//! come in threes, films stand wide in narrow pages, the page is hidden, the shop changes what viewers agree to. Nothing of
//! a visit is lost. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;
use crate::receiver;

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use browser::{Page, api, hosted};
use cutaway::service::{Running, ServeOptions, Timing};
use receiver::Receiver;
use serde_json::{Value, json};
use tempfile::TempDir;

struct Stage {
    page: Page,
    running: Running,
    key: String,
    told: Receiver,
    _data: TempDir,
}

impl Stage {
    /// A service whose players report often, and whose visits end by themselves only after an hour.
    async fn new() -> Option<Self> {
        let Some(program) = browser::found() else {
            eprintln!("\n*** SKIPPED: the player was not tried in trouble, no Chromium is on PATH ***\n");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let timing = Timing {
            heartbeat: Duration::from_millis(200),
            silence: Duration::from_secs(3600),
            first_retry: Duration::from_millis(20),
            ..Timing::default()
        };
        let options = ServeOptions { timing, allow_private_webhooks: true, ..hosted::on(data.path()) };
        let service = hosted::opened(options).await;
        service.set_player_form(true).await.unwrap();
        let hosted::Served { running, key, .. } = hosted::Served::of(service).await;
        let told = Receiver::start().await;
        let hook = json!({ "event": "response_summary", "url": told.url });
        api(running.base_url(), &key, "/webhooks", Some(hook)).await;
        Some(Self { page: Page::open(program).await, running, key, told, _data: data })
    }

    /// Makes a project of these steps, the first of them first: its id, and its player's address.
    async fn project(&self, steps: &[Value]) -> (String, String) {
        let base = self.running.base_url();
        let made = api(base, &self.key, "/projects", Some(json!({ "project": { "name": "Made here" } }))).await;
        for step in steps {
            let mut step = step.clone();
            step["projectId"] = made["id"].clone();
            let made = api(base, &self.key, "/projects/steps", Some(json!({ "step": step }))).await;
            assert!(made["id"].is_string(), "{made}");
        }
        (made["id"].as_str().unwrap().to_owned(), made["cutaway"].as_str().unwrap().to_owned())
    }

    async fn set(&self, project: &str, settings: Value) {
        let url = format!("{}/projects/{project}", self.running.base_url());
        let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&json!({ "player": settings }));
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    async fn offline(&mut self, on: bool) {
        let net = json!({ "offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.page.ask("Network.enable", json!({})).await;
        self.page.ask("Network.emulateNetworkConditions", net).await;
    }
}

/// The words of the events of this name.
fn texts(told: &Value, name: &str) -> Vec<String> {
    let events = told["events"].as_array().unwrap().iter().filter(|event| event["eventName"] == name);
    events.map(|event| event["text"].as_str().unwrap_or_default().to_owned()).collect()
}

fn one(words: &str) -> Value {
    json!({ "overlayText": words, "answers": [{ "text": "Done", "next": "" }] })
}

const BEGUN: &str = "document.documentElement.dataset.purchaseUrl";
const ENDED: &str = "player.dataset.state === 'end'";
const ASKED: &str = "player.dataset.state === 'asking' && !document.querySelector('[data-settling]')";

#[tokio::test]
async fn a_visit_that_ends_without_a_net_is_told_of_when_there_is_one() {
    let Some(mut stage) = Stage::new().await else { return };
    let (_, address) = stage.project(&[one("First")]).await;
    stage.page.go(&address).await;
    stage.page.press("Play").await;
    stage.page.wait_until(BEGUN).await;
    stage.offline(true).await;
    stage.page.press("Done").await;
    stage.page.wait_until(ENDED).await;
    let kept = "Object.keys(sessionStorage).some((name) => name.startsWith('cutaway-left:'))";
    stage.page.wait_until(kept).await;
    // More attempts than there were once, all in vain.
    let count =
        "window.tries = 0; window.asked = fetch; window.fetch = (...what) => { tries++; return asked(...what); };";
    stage.page.value(count).await;
    stage.page.wait_until("tries > 6").await;
    assert_eq!(stage.told.seen().len(), 0);
    stage.offline(false).await;
    let got = stage.told.wait_for(1).await;
    assert_eq!(texts(&got.body, "answer_selected"), ["Done"]);
    assert_eq!(texts(&got.body, "completed").len(), 1);
    stage.page.wait_until(&format!("!({kept})")).await;

    // A visit that could not even begin, and a page that is loaded again meanwhile.
    stage.page.go(&address).await;
    stage.page.wait_until("player.dataset.state === 'ready'").await;
    stage.offline(true).await;
    stage.page.press("Play").await;
    stage.page.press("Done").await;
    stage.page.wait_until(&format!("{ENDED} && {kept}")).await;
    stage.offline(false).await;
    stage.page.ask("Page.reload", json!({})).await;
    let got = stage.told.wait_for(2).await;
    assert_eq!(texts(&got.body, "completed").len(), 1);
    stage.running.stop().await;
}

#[tokio::test]
async fn long_texts_do_not_hold_up_what_is_reported() {
    let Some(mut stage) = Stage::new().await else { return };
    let (_, address) = stage.project(&[one(&"漢".repeat(9_900))]).await;
    stage.page.go(&address).await;
    stage.page.press("Play").await;
    stage.page.press("Done").await;
    let got = stage.told.wait_for(1).await;
    assert_eq!(texts(&got.body, "step_shown"), ["漢".repeat(500)]);
    assert_eq!(texts(&got.body, "answer_selected"), ["Done"]);
    stage.running.stop().await;
}

#[tokio::test]
async fn what_a_hidden_page_kept_is_told_at_once() {
    let Some(mut stage) = Stage::new().await else { return };
    let (_, address) = stage.project(&[one("First")]).await;
    let page = &mut stage.page;
    page.go(&address).await;
    page.press("Play").await;
    page.wait_until(BEGUN).await;
    // The page is hidden right when it ends: no request of it comes through but the beacon.
    page.value(
        "(() => { window.fetch = () => Promise.reject(new TypeError('gone')); window.kinds = [];
            const send = navigator.sendBeacon.bind(navigator);
            navigator.sendBeacon = (url, body) => { kinds.push(body.type); return send(url, body); };
            Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }); })()",
    )
    .await;
    page.press("Done").await;
    page.wait_until(ENDED).await;
    page.value("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))").await;
    let got = stage.told.wait_for(1).await;
    assert_eq!(texts(&got.body, "answer_selected"), ["Done"]);
    assert_eq!(texts(&got.body, "completed").len(), 1);
    // What asks for no leave first, so that it comes through from a closed frame too.
    assert_eq!(stage.page.value("kinds").await, json!(["text/plain"]));
    stage.running.stop().await;
}

#[tokio::test]
async fn three_clicks_on_the_last_answer_are_one() {
    let Some(mut stage) = Stage::new().await else { return };
    let (id, address) = stage.project(&[one("First")]).await;
    stage
        .set(&id, json!({ "consentText": "I agree", "shopUrl": "https://shop.example/", "formText": "x\n".repeat(12) }))
        .await;
    let page = &mut stage.page;
    page.go(&address).await;
    page.press("Play").await;
    page.wait_until(ASKED).await;
    // Whatever comes to lie under the finger is not pressed, at once or as soon as a hand clicks again.
    let clicks = "window.reached = []; const press = () => { \
            for (const id of ['shop', 'consent', 'again', 'name']) document.getElementById(id).click(); }; \
        document.addEventListener('click', ({ target }) => { \
            if (target.id === 'last') setTimeout(() => { press(); window.clicked = true; }, 200); }, { capture: true }); \
        document.addEventListener('click', ({ target }) => { \
            if (target.id === 'last') press(); else reached.push(target.id || target.localName); });";
    page.value(clicks).await;
    page.value("document.querySelector('#answers button').id = 'last'").await;
    page.click("last", 1).await;
    page.wait_until(&format!("window.clicked && {ENDED}")).await;
    let seen = page.value("[document.getElementById('consent').checked, reached.length]").await;
    assert_eq!(seen, json!([false, 0]));
    stage.running.stop().await;
}

#[tokio::test]
async fn the_text_to_agree_to_may_go_and_come() {
    let Some(mut stage) = Stage::new().await else { return };
    let (id, address) = stage.project(&[one("First")]).await;
    let fill = "document.getElementById('name').value = 'Kari'";
    stage.page.go(&address).await;
    stage.page.press("Play").await;
    stage.page.press("Done").await;
    stage.page.wait_until(ENDED).await;
    stage.set(&id, json!({ "consentText": "I agree" })).await;
    stage.page.value(fill).await;
    stage.page.press("Send").await;
    stage
        .page
        .wait_until("document.getElementById('consent')?.checkVisibility() && document.activeElement.id === 'consent'")
        .await;
    stage.page.value("document.getElementById('consent').click()").await;
    stage.page.press("Send").await;
    stage.page.wait_until("overlay.textContent === \"Thank you, it's been sent\"").await;

    stage.page.press("Start again").await;
    stage.page.press("Done").await;
    stage.page.wait_until(&format!("{ENDED} && !form.hidden && !document.querySelector('[data-settling]')")).await;
    stage.set(&id, json!({ "consentText": null })).await;
    stage.page.value(fill).await;
    stage.page.value("document.getElementById('consent').checked || document.getElementById('consent').click()").await;
    stage.page.press("Send").await;
    stage
        .page
        .wait_until("overlay.textContent === \"Thank you, it's been sent\" && !document.getElementById('consent')")
        .await;
    stage.running.stop().await;
}

#[tokio::test]
async fn a_form_that_the_shop_switched_off_says_so() {
    let Some(mut stage) = Stage::new().await else { return };
    let (id, address) = stage.project(&[one("First")]).await;
    stage.page.go(&address).await;
    stage.page.press("Play").await;
    stage.page.press("Done").await;
    stage.page.wait_until(&format!("{ENDED} && !form.hidden")).await;
    stage.set(&id, json!({ "formFields": [] })).await;
    stage.page.value("document.getElementById('name').value = 'Kari'").await;
    stage.page.press("Send").await;
    let said = "overlay.textContent === 'The shop no longer asks for contact details. Nothing was sent.'";
    stage.page.wait_until(&format!("{said} && form.hidden && document.activeElement.id === 'overlay'")).await;
    stage.running.stop().await;
}

#[tokio::test]
async fn two_frames_of_one_project_on_a_page_are_two_visits() {
    let Some(mut stage) = Stage::new().await else { return };
    let answers = json!([{ "text": "Left", "next": "" }, { "text": "Right", "next": "" }]);
    let (_, address) = stage.project(&[json!({ "overlayText": "Which?", "answers": answers })]).await;
    let frame = |lang: &str| format!("<iframe width=390 height=600 src=\"{address}?lang={lang}\"></iframe>");
    let body = format!("<!doctype html><title>Shop</title>{}{}", frame("en"), frame("de"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shop = format!("http://{}/", listener.local_addr().unwrap());
    let router = Router::new().route("/", get(move || async move { Html(body) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    stage.page.go(&shop).await;
    let begun = async |page: &mut Page, lang: &str| {
        let frame = format!("?lang={lang}");
        page.wait_until_in(
            &frame,
            "document.getElementById('start')?.checkVisibility() && !document.querySelector('[data-settling]')",
        )
        .await;
        page.value_in(&frame, "document.getElementById('start').click()").await;
        page.wait_until_in(
            &frame,
            &format!(
                "{BEGUN} && document.querySelector('#answers button') && !document.querySelector('[data-settling]')"
            ),
        )
        .await;
        page.value_in(&frame, BEGUN).await
    };
    let visits = [begun(&mut stage.page, "en").await, begun(&mut stage.page, "de").await];
    assert_ne!(visits[0], visits[1]);
    for (lang, number) in [("en", 0), ("de", 1)] {
        let choose = format!("document.querySelectorAll('#answers button')[{number}].click()");
        stage.page.value_in(&format!("?lang={lang}"), &choose).await;
    }
    let summaries = [stage.told.wait_for(1).await, stage.told.wait_for(2).await];
    let mut chosen: Vec<_> = summaries.iter().map(|told| texts(&told.body, "answer_selected")).collect();
    chosen.sort();
    assert_eq!(chosen, [["Left"], ["Right"]]);
    stage.running.stop().await;
}

#[tokio::test]
async fn answers_are_reached_in_a_wide_frame_on_a_phone() {
    let Some(mut stage) = Stage::new().await else { return };
    let answers: Vec<Value> = (0..4).map(|n| json!({ "text": format!("Answer {n}"), "next": "" })).collect();
    let (_, address) = stage.project(&[json!({ "overlayText": "Which one?", "answers": answers })]).await;
    let page = &mut stage.page;
    for (width, height) in [(390, 219), (390, 320), (700, 320)] {
        page.resize(width, height).await;
        page.go(&address).await;
        page.value("sessionStorage.clear()").await;
        page.wait_until("document.querySelector('#start, #restart').checkVisibility() && !document.querySelector('[data-settling]')").await;
        page.value("(restart.hidden ? start : restart).click()").await;
        page.wait_until(ASKED).await;
        page.value("document.querySelector('#answers button:last-child').scrollIntoView()").await;
        let reached = "(() => { const last = document.querySelector('#answers button:last-child');
            const box = last.getBoundingClientRect();
            return box.top >= 0 && box.bottom <= innerHeight + 1 &&
                document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === last; })()";
        page.wait_until(reached).await;
    }
    stage.running.stop().await;
}

#[tokio::test]
async fn nothing_is_tried_again_at_a_dead_end_and_a_reload_there_is_the_same_visit() {
    let Some(mut stage) = Stage::new().await else { return };
    let film =
        json!({ "video": { "videoUrl": format!("{}/videos/files/none", stage.running.base_url()), "name": "none" } });
    let film = api(stage.running.base_url(), &stage.key, "/videos/video", Some(film)).await;
    let answers = json!([{ "text": "Nowhere", "next": "nowhere" }]);
    let (_, address) =
        stage.project(&[json!({ "overlayText": "First", "videoId": film["id"], "answers": answers })]).await;
    let page = &mut stage.page;
    page.go(&address).await;
    page.press("Play").await;
    page.wait_until(&format!("!retry.hidden && {BEGUN}")).await;
    page.press("Nowhere").await;
    page.wait_until("player.dataset.state === 'stuck'").await;
    assert_eq!(page.value("retry.hidden").await, true);
    let before = page.value(BEGUN).await;
    page.ask("Page.reload", json!({})).await;
    page.press("Continue").await;
    page.wait_until("player.dataset.state === 'stuck'").await;
    assert_eq!(page.value(BEGUN).await, before);
    page.press("Back").await;
    page.wait_until("overlay.textContent === 'First'").await;
    assert_eq!(page.complaints.iter().filter(|one| one.contains("TypeError")).count(), 0);
    stage.running.stop().await;
}

#[tokio::test]
async fn the_form_is_there_again_and_start_again_begins_the_history() {
    let Some(mut stage) = Stage::new().await else { return };
    let (_, address) = stage.project(&[one("First")]).await;
    let page = &mut stage.page;
    page.go(&address).await;
    page.press("Play").await;
    page.press("Done").await;
    page.wait_until(&format!("{ENDED} && !form.hidden")).await;
    page.value("history.back()").await;
    page.wait_until("overlay.textContent === 'First'").await;
    page.value("history.forward()").await;
    page.wait_until(&format!("{ENDED} && !form.hidden")).await;
    page.press("Start again").await;
    page.wait_until("overlay.textContent === 'First' && history.state.at === 0").await;
    page.press("Done").await;
    page.wait_until(&format!("{ENDED} && history.state.at === 1")).await;
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}
