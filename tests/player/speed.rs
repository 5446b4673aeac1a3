//! How light and how quick the player is. What comes over the line before Play is counted; what takes time is measured by
//! hand, on a line of 1.6 Mbit/s and 150 ms:
//!
//! `cargo test --release --test player speed:: -- --ignored --nocapture`

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::browser;

use std::path::Path;

use browser::{Page, player, serve};
use cutaway::service::Running;
use reqwest::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use serde_json::{Value, json};

/// What may come over the line before Play, bytes.
const MOST_BEFORE_PLAY: u64 = 45 * 1024;

/// How long a tap is, milliseconds.
const TAP: u32 = 80;

#[tokio::test]
async fn little_comes_over_the_line_before_play_and_less_the_second_time() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: nothing was counted, no Chromium is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let mut page = Page::open(program).await;
    page.ask("Network.enable", json!({})).await;
    let address = player(running.base_url(), &key, "Gift finder").await;
    let ready = "!window.before && window.player && player.dataset.state === 'ready' && backdrop.complete && document.fonts.status === 'loaded'";
    page.go(&address).await;
    page.wait_until(ready).await;
    // The poster of the film itself is the last that comes.
    page.wait_until("performance.getEntriesByName(video.poster).length > 0").await;
    // So is the begin of its film.
    let begins = "performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('.mp4') && responseEnd > 0)";
    page.wait_until(begins).await;
    let first = page.received;
    let sizes = "[location, ...performance.getEntriesByType('resource')].map(({ name, href, transferSize }) => \
        `${transferSize ?? performance.getEntriesByType('navigation')[0].transferSize} ${name ?? href}`).join('\\n')";
    eprintln!("before Play: {first} bytes\n{}", page.value(sizes).await.as_str().unwrap());
    assert!(first > 1000 && first <= MOST_BEFORE_PLAY, "{first} bytes before Play");
    page.value("window.before = true").await;
    page.ask("Page.reload", json!({})).await;
    page.wait_until(ready).await;
    let second = page.received - first;
    assert!(second < first / 4, "{second} bytes the second time, {first} the first");
    running.stop().await;
}

#[tokio::test]
async fn pages_scripts_and_json_are_compressed_and_kept() {
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    // A client that unpacks nothing.
    let http = reqwest::Client::builder().no_gzip().no_brotli().no_zstd().no_deflate().build().unwrap();
    let page = player(running.base_url(), &key, "Gift finder").await;
    let html = http.get(&page).send().await.unwrap().text().await.unwrap();
    // What is painted first waits for nothing but the page.
    let head = html.split_once("<noscript>").unwrap().0;
    assert!(head.contains("<style>") && !head.contains("rel=\"stylesheet\""), "{head}");
    // The other one is a line that waits for this one.
    assert!(head.matches("<script").count() == 2 && head.contains("<script type=\"module\""), "{head}");
    let script = html.split('"').find(|part| part.ends_with("/player.js")).unwrap();
    let script = format!("{}{script}", running.base_url());
    for (url, kept) in
        [(page.clone(), "no-cache"), (format!("{page}/project"), "no-cache"), (script.clone(), "immutable")]
    {
        let plain = http.get(&url).send().await.unwrap();
        assert!(plain.headers()["cache-control"].to_str().unwrap().contains(kept), "{url}");
        assert!(!plain.headers().contains_key("content-encoding"), "{url}");
        let tag = plain.headers().get("etag").cloned();
        let whole = plain.bytes().await.unwrap();
        // What is the same for everybody was packed once, as small as it gets.
        let best = if url == script { "br" } else { "gzip" };
        for (asked, encoding) in [("gzip", "gzip"), ("gzip, deflate, br, zstd", best), ("br;q=0, gzip", "gzip")] {
            let packed = http.get(&url).header(ACCEPT_ENCODING, asked).send().await.unwrap();
            assert_eq!(packed.headers()["content-encoding"], encoding, "{url}");
            let varies =
                packed.headers().get_all("vary").iter().any(|vary| vary.to_str().unwrap().contains("accept-encoding"));
            assert!(varies, "{url}");
            let bytes = packed.bytes().await.unwrap();
            assert!(bytes.len() < whole.len() / 2, "{url} {asked}");
            if encoding == "br" {
                let mut unpacked = Vec::new();
                brotli::BrotliDecompress(&mut &*bytes, &mut unpacked).unwrap();
                assert_eq!(unpacked, whole, "{url}");
            }
        }
        if let Some(tag) = tag {
            let again = http.get(&url).header(IF_NONE_MATCH, &tag).send().await.unwrap();
            assert_eq!(again.status(), 304, "{url}");
            assert_eq!(again.headers()["etag"], tag, "{url}");
            assert_eq!(again.bytes().await.unwrap().len(), 0);
        }
    }
    // A page of another version gets what there is, and does not keep it.
    let mut other = reqwest::Url::parse(&script).unwrap();
    other.set_path("/player/000000000000/player.js");
    let answer = http.get(other.clone()).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["cache-control"]), (200, &"no-cache".parse().unwrap()));
    other.set_path("/player/000000000000/other.js");
    assert_eq!(http.get(other).send().await.unwrap().status(), 404);

    // Posters in sizes.
    let played: Value = http.get(format!("{page}/project")).send().await.unwrap().json().await.unwrap();
    let video = &played["steps"][0]["video"];
    let poster = video["poster"].as_str().unwrap();
    let whole = http.get(poster).send().await.unwrap().bytes().await.unwrap();
    let mut before = 0;
    for width in video["posterWidths"].as_array().unwrap() {
        let width = u32::try_from(width.as_u64().unwrap()).unwrap();
        let small = http.get(format!("{poster}?width={width}")).send().await.unwrap();
        assert_eq!(small.headers()["content-type"], "image/jpeg");
        let bytes = small.bytes().await.unwrap();
        assert!(bytes.len() > before && bytes.len() <= whole.len(), "{width}: {} of {}", bytes.len(), whole.len());
        // The poster itself is 360 pixels wide.
        assert_eq!(image::load_from_memory(&bytes).unwrap().width(), width.min(360));
        before = if width < 360 { bytes.len() } else { before };
    }
    assert!(before > 0 && before < whole.len() * 2 / 3);
    // Another width than those is not made.
    assert_eq!(http.get(format!("{poster}?width=5000")).send().await.unwrap().bytes().await.unwrap(), whole);
    assert!(html.contains("srcset="), "the story's posters come in sizes");
    running.stop().await;
}

#[tokio::test]
async fn films_that_may_come_next_are_fetched_while_the_viewer_thinks() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: nothing was fetched ahead, no Chromium is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let mut page = Page::open(program).await;
    let address = player(running.base_url(), &key, "Gift finder").await;
    let fetched = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.mp4')).map(({ name }) => name.split('/').pop())";
    for (saves, wanted) in [(false, json!(["for-her.mp4", "for-him.mp4"])), (true, json!([]))] {
        let data = format!(
            "Object.defineProperty(navigator, 'connection', {{ value: {{ saveData: {saves} }}, configurable: true }})"
        );
        page.ask("Page.addScriptToEvaluateOnNewDocument", json!({ "source": data })).await;
        page.go(&address).await;
        // The second time there is a visit to go on with.
        page.press(if saves { "Start again" } else { "Play" }).await;
        page.skip().await;
        page.wait_until("player.dataset.state === 'asking'").await;
        if saves {
            // It would have begun by the time that the next step is shown.
            page.press("For her").await;
            page.wait_until("video.currentTime > 0.1").await;
            let fetched = page.value(fetched).await;
            assert!(!fetched.as_array().unwrap().contains(&json!("for-him.mp4")), "{fetched}");
        } else {
            let both = format!("{wanted}.every((name) => ({fetched}).includes(name))");
            page.wait_until(&both).await;
        }
        page.go("about:blank").await;
    }
    running.stop().await;
}

/// A page whose film waits for Play; nothing where there is no browser.
async fn ready(data: &Path) -> Option<(Running, Page)> {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: Play was not pressed, no Chromium is on PATH ***\n");
        return None;
    };
    let (running, key) = serve(data).await;
    let mut page = Page::open(program).await;
    page.go(&player(running.base_url(), &key, "Gift finder").await).await;
    page.wait_until("player.dataset.state === 'ready' && !document.querySelector('[data-settling]')").await;
    Some((running, page))
}

#[tokio::test]
async fn a_press_of_play_asks_for_the_film_before_it_ends() {
    let data = tempfile::tempdir().unwrap();
    let Some((running, mut page)) = ready(data.path()).await else { return };
    page.value("void video.addEventListener('loadstart', () => (window.loads = (window.loads ?? 0) + 1))").await;
    page.value("void start.dispatchEvent(new PointerEvent('pointerdown'))").await;
    page.wait_until("video.readyState > 1 && video.currentSrc.endsWith('welcome.mp4') && video.paused").await;
    assert_eq!(page.value("player.dataset.state").await, "ready", "a finger that moves away plays nothing");
    page.value("start.click()").await;
    page.wait_until("player.dataset.state === 'playing' && video.currentTime > 0.1").await;
    assert_eq!(page.value("window.loads").await, 1);
    assert_eq!(page.complaints, Vec::<String>::new());
    running.stop().await;
}

#[tokio::test]
async fn nothing_is_asked_for_before_the_film_when_play_is_pressed() {
    let data = tempfile::tempdir().unwrap();
    let Some((running, mut page)) = ready(data.path()).await else { return };
    let begins = "performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('.mp4') && responseEnd > 0)";
    page.wait_until(begins).await;
    // What the page asks for itself, and whether the film was asked for by then.
    let asked = "window.asked = []; window.fetching = fetch; window.fetch = (...what) => { \
        asked.push([String(what[0]).split('/').pop(), video.networkState === HTMLMediaElement.NETWORK_LOADING || video.readyState > 0]); \
        return fetching(...what); }";
    page.value(asked).await;
    let before = "(async () => { const begun = performance.now(); \
        const seen = new Promise((seen) => video.requestVideoFrameCallback(seen)); start.click(); await seen; \
        return performance.getEntriesByType('resource').filter(({ startTime }) => startTime >= begun) \
            .map(({ name }) => name.split('/').pop()).filter((name) => !['visits', 'events'].includes(name)); })()";
    let before = page.value(before).await;
    // The film itself is listed once it is there as a whole.
    assert!(before == json!([]) || before == json!(["welcome.mp4"]), "{before}");
    assert_eq!(page.value("asked[0]").await, json!(["visits", true]));
    assert_eq!(page.complaints, Vec::<String>::new());
    running.stop().await;
}

#[tokio::test]
#[ignore = "measures; by hand"]
async fn how_long_viewers_wait() {
    let Some(program) = browser::found() else { return };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let mut page = Page::open(program).await;
    page.ask("Network.enable", json!({})).await;
    let line = json!({ "offline": false, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000 });
    page.ask("Network.emulateNetworkConditions", line).await;
    let address = player(running.base_url(), &key, "Gift finder").await;
    let frame = "new Promise((seen) => video.requestVideoFrameCallback((now) => seen(now)))";
    for round in 1..=5 {
        page.ask("Network.clearBrowserCache", json!({})).await;
        page.go(&address).await;
        page.wait_until("player.dataset.state === 'ready' && !document.querySelector('[data-settling]')").await;
        let paint = page.value("performance.getEntriesByName('first-contentful-paint')[0]?.startTime").await;
        page.value("sessionStorage.clear()").await;
        page.go(&address).await;
        page.wait_until(
            "player.dataset.state === 'ready' && restart.hidden && !document.querySelector('[data-settling]')",
        )
        .await;
        // By a click alone, and as a thumb does it: it is on the button for a tenth of a second.
        let tap = if round % 2 == 0 { TAP } else { 0 };
        let play = format!(
            "(async () => {{ if ({tap}) {{ start.dispatchEvent(new PointerEvent('pointerdown')); \
             await new Promise((up) => setTimeout(up, {tap})); }} \
             const begun = performance.now(); start.click(); return (await {frame}) - begun; }})()"
        );
        let first = page.value(&play).await;
        page.skip().await;
        page.wait_until("player.dataset.state === 'asking' && !document.querySelector('[data-settling]')").await;
        // A viewer reads before they choose: the film of the first answer has come meanwhile.
        let there = "performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('for-her.mp4') && responseEnd > 0)";
        page.wait_until(there).await;
        let choose = format!(
            "(async () => {{ const begun = performance.now(); document.querySelector('#answers button').click(); \
             return (await {frame}) - begun; }})()"
        );
        let next = page.value(&choose).await;
        let ms = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        eprintln!(
            "{round}: first paint {:.0} ms, first frame {:.0} ms after Play (pressed for {tap} ms), next film's {:.0} ms after its answer",
            ms(&paint),
            ms(&first),
            ms(&next)
        );
    }
    running.stop().await;
}
