//! The player in a page of another origin, in a real browser: put there by the snippet, it tells that page what happens,
//! and hears nobody else. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;

use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use browser::{Page, api, player, serve};
use cutaway::domain::{Embed, EmbedKind};
use cutaway::service::Running;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A site of its own origin with these pages.
async fn site(pages: Vec<(&'static str, String)>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let mut router = Router::new();
    for (path, body) in pages {
        // The page's own origin stands where it is named.
        let body = format!("<!doctype html><title>Shop</title><link rel=icon href='data:,'><body>{body}");
        router = router.route(path, get(move || async move { Html(body) }));
    }
    tokio::spawn(async move { axum::serve(listener, router).await });
    origin
}

/// What a page of the shop does with the events of the player.
const LISTENS: &str = "<script>
    window.got = []; window.foreign = [];
    for (const what of ['ready', 'visit', 'resize', 'step', 'play', 'pause', 'answer', 'end', 'form', 'shop', 'open', 'close',
        'conversion', 'forged']) document.addEventListener(`cutaway:${what}`, ({ detail }) => got.push(detail));
    const is = (what) => got.some(({ type }) => type === `cutaway:${what}`);
    addEventListener('message', ({ data, origin }) => { if (data?.stranger) foreign.push(data); });
</script>";

/// A page that pretends to be the player, and to be the shop.
const STRANGER: &str = "<script>
    addEventListener('message', ({ data }) => {
        if (data !== 'go') return;
        parent.postMessage({ type: 'cutaway:conversion', forged: true, stranger: true }, '*');
        parent.postMessage({ type: 'cutaway:forged', stranger: true }, '*');
        for (let at = 0; at < parent.length; at++) parent.frames[at].postMessage({ type: 'cutaway:pause' }, '*');
        parent.postMessage({ stranger: 'done' }, '*');
    });
</script>";

struct Stage {
    page: Page,
    running: Running,
    key: String,
    project: Value,
    player: String,
    _data: TempDir,
}

impl Stage {
    async fn new() -> Option<Self> {
        let Some(program) = browser::found() else {
            eprintln!("\n*** SKIPPED: the embedded player was not tried in a browser, none is on PATH ***\n");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let (running, key) = serve(data.path()).await;
        let player = player(running.base_url(), &key, "Range tour").await;
        let projects = api(running.base_url(), &key, "/projects/", None).await;
        let project = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Range tour").unwrap();
        let project = project.clone();
        Some(Self { page: Page::open(program).await, running, key, project, player, _data: data })
    }

    async fn set(&self, settings: Value) {
        let url = format!("{}/projects/{}", self.running.base_url(), self.project["id"].as_str().unwrap());
        let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&json!({ "player": settings }));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    }

    fn snippet(&self, embed: &Embed) -> String {
        embed.snippet(&self.player, "Range tour").unwrap()
    }

    /// What an expression is in the player's frame, as if a person had touched it.
    async fn inside(&mut self, expression: &str) -> Value {
        let publish = self.project["publishId"].as_str().unwrap().to_owned();
        self.page.value_in(&publish, expression).await
    }

    async fn until_inside(&mut self, expression: &str) {
        let publish = self.project["publishId"].as_str().unwrap().to_owned();
        self.page.wait_until_in(&publish, expression).await;
    }

    async fn press(&mut self, id: &str) {
        let button = format!("document.getElementById('{id}')");
        self.until_inside(&format!("{button}?.checkVisibility() && !document.querySelector('[data-settling]')")).await;
        self.inside(&format!("{button}.click()")).await;
    }

    /// Skips the film, which may end by itself before it is skipped.
    async fn skip(&mut self) {
        let skipped = "(() => { if (document.querySelector('[data-settling]')) return false; \
            if (player.dataset.state !== 'playing') return true; \
            if (document.getElementById('skip').checkVisibility()) document.getElementById('skip').click(); return false; })()";
        self.until_inside(skipped).await;
    }
}

const FILM: &str = "document.getElementById('video')";

#[tokio::test]
async fn a_shops_page_hears_the_player_and_strangers_are_not_heard() {
    let Some(mut stage) = Stage::new().await else { return };
    let stranger = site(vec![("/", STRANGER.to_owned())]).await;
    let script = stage.snippet(&Embed { aspect: Some((9, 16)), ..Embed::default() });
    let page =
        format!("{LISTENS}<main style='width: 20rem'>{script}</main><iframe name=stranger src='{stranger}/'></iframe>");
    let shop = site(vec![("/", page)]).await;
    stage.set(json!({ "embedOrigins": [shop] })).await;
    stage.page.go(&format!("{shop}/")).await;
    stage.page.wait_until("is('ready') && is('resize')").await;
    let ready = stage.page.value("got.find(({ type }) => type === 'cutaway:ready')").await;
    assert_eq!(ready["name"], "Range tour");
    // It has its shape, and nothing of it is cut off.
    let size = "(() => { const box = document.querySelector('.cutaway-player').getBoundingClientRect(); return box.width / box.height; })()";
    assert!((stage.page.value(size).await.as_f64().unwrap() - 0.5625).abs() < 0.02);

    stage.press("start").await;
    stage.page.wait_until("is('visit') && is('step') && is('play')").await;
    assert!(stage.page.value("got.find(({ type }) => type === 'cutaway:visit').purchaseUrl").await.is_string());
    // Somebody else says what the player would, and asks the player for what the shop would.
    stage.page.value("window.frames.stranger.postMessage('go', '*')").await;
    stage.page.wait_until("foreign.some(({ stranger }) => stranger === 'done')").await;
    // What the shop asks for comes behind that, and is done.
    stage.page.value("document.querySelector('.cutaway-player').cutaway.mute()").await;
    stage.until_inside(&format!("{FILM}.muted")).await;
    assert_eq!(stage.inside(&format!("{FILM}.paused")).await, false);
    assert_eq!(stage.page.value("foreign.length").await, 3);
    assert_eq!(stage.page.value("got.some(({ forged, stranger }) => forged || stranger)").await, false);

    stage.page.value("document.querySelector('.cutaway-player').cutaway.pause()").await;
    stage.page.wait_until("is('pause')").await;
    assert_eq!(stage.inside(&format!("{FILM}.paused")).await, true);
    stage.page.value("document.querySelector('.cutaway-player').cutaway.purchase({ orderId: '7', amount: 12 })").await;
    stage.page.wait_until("is('conversion')").await;
    let conversion = stage.page.value("got.find(({ type }) => type === 'cutaway:conversion')").await;
    assert_eq!((&conversion["orderId"], &conversion["reported"]), (&json!("7"), &json!(true)));

    // To the end.
    for _ in 0..5 {
        stage.skip().await;
        stage
            .until_inside("!document.querySelector('[data-settling]') && document.querySelector('#answers button')")
            .await;
        stage.inside("document.querySelector('#answers button').click()").await;
    }
    stage.skip().await;
    stage.until_inside("document.querySelector('[data-state=end], #answers button')").await;
    if stage.inside("player.dataset.state").await != "end" {
        stage.until_inside("!document.querySelector('[data-settling]')").await;
        stage.inside("document.querySelector('#answers button').click()").await;
    }
    stage.page.wait_until("is('answer') && is('end')").await;
    let answers = stage.page.value("got.filter(({ type }) => type === 'cutaway:answer')").await;
    assert_eq!(answers[0]["text"], "Next");
    assert!(answers[0]["step"].is_string() && answers[0]["next"].is_string());
    assert_eq!(stage.page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}

#[tokio::test]
async fn an_origin_that_may_not_cannot_frame_it() {
    let Some(mut stage) = Stage::new().await else { return };
    let page = format!("{LISTENS}{}", stage.snippet(&Embed::default()));
    let frame = stage.snippet(&Embed { kind: EmbedKind::Frame, ..Embed::default() });
    let shop = site(vec![("/", page.clone()), ("/frame", frame.clone())]).await;
    let other = site(vec![("/", page), ("/frame", frame)]).await;
    stage.set(json!({ "embedOrigins": [shop] })).await;
    for path in ["/", "/frame"] {
        stage.page.go(&format!("{other}{path}")).await;
        stage.page.value("document.querySelector('iframe').loading = 'eager'").await;
        let begun = std::time::Instant::now();
        while !stage.page.complaints.iter().any(|said| said.contains("frame-ancestors")) {
            assert!(begun.elapsed() < Duration::from_secs(30), "never refused: {:?}", stage.page.complaints);
            stage.page.value("1").await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(stage.inside("document.getElementById('player')").await, Value::Null);
        if path == "/" {
            // There is a way on.
            let link = format!("document.querySelector('.cutaway-player > a')?.href === {}", json!(stage.player));
            stage.page.wait_until(&link).await;
        }
        stage.page.complaints.clear();
    }
    // The frame of the same address is there where it may be, and speaks by messages alone.
    stage.page.go("about:blank").await;
    stage.page.go(&format!("{shop}/frame")).await;
    stage.page.value("document.querySelector('iframe').loading = 'eager'").await;
    stage.until_inside("document.getElementById('start').checkVisibility()").await;
    stage
        .page
        .value("addEventListener('message', ({ data, origin }) => { window.heard = [data.type, origin]; })")
        .await;
    stage.press("start").await;
    stage.page.wait_until("window.heard").await;
    assert_eq!(stage.page.value("heard[1]").await, stage.running.base_url());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_bubble_is_a_muted_preview_until_it_is_opened() {
    let Some(mut stage) = Stage::new().await else { return };
    let bubble = stage.snippet(&Embed { bubble: true, ..Embed::default() });
    let shop = site(vec![("/", format!("{LISTENS}<p>Shop</p>{bubble}"))]).await;
    stage.page.go(&format!("{shop}/")).await;
    stage.page.wait_until("is('ready')").await;
    stage.until_inside("document.getElementById('peek').checkVisibility()").await;
    stage.until_inside(&format!("{FILM}.muted && {FILM}.loop && {FILM}.currentTime > 0")).await;
    let across = "document.querySelector('.cutaway-player').getBoundingClientRect().width";
    assert!(stage.page.value(across).await.as_f64().unwrap() < 120.0);
    assert_eq!(stage.page.value("is('visit') || is('play')").await, false, "a preview is no visit");
    stage.page.shoot("player-bubble").await;

    stage.inside("document.getElementById('peek').click()").await;
    stage.page.wait_until("is('open') && is('visit') && is('step') && is('play')").await;
    assert!(stage.page.value(across).await.as_f64().unwrap() > 300.0);
    stage.until_inside(&format!("!{FILM}.muted && !{FILM}.loop && !{FILM}.paused")).await;
    stage.page.shoot("player-bubble-open").await;
    stage.press("close").await;
    stage.page.wait_until("is('close')").await;
    assert!(stage.page.value(across).await.as_f64().unwrap() < 120.0);
    stage.until_inside("document.getElementById('peek').checkVisibility()").await;
    // Opened again it goes on in the same visit.
    stage.inside("document.getElementById('peek').click()").await;
    stage.until_inside("player.dataset.state === 'playing'").await;
    assert_eq!(
        stage
            .page
            .value("new Set(got.filter(({ type }) => type === 'cutaway:visit').map(({ sessionId }) => sessionId)).size")
            .await,
        1
    );
    assert_eq!(stage.page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}

#[tokio::test]
async fn the_page_looks_and_asks_as_the_merchant_wants() {
    let Some(mut stage) = Stage::new().await else { return };
    stage
        .set(json!({
            "brandColor": "#ffee00", "font": "mono", "language": "nb", "transparent": true, "formFields": ["email"],
            "consentText": "Jeg vil ha nyheter.", "privacyUrl": "https://shop.example/privacy", "endText": "Ha det!",
            "shopUrl": "https://shop.example/", "shopText": "Til butikken",
        }))
        .await;
    stage.page.go(&stage.player.clone()).await;
    let page = &mut stage.page;
    page.wait_until("player.dataset.state === 'ready'").await;
    let style = page.value("(({ backgroundColor, color, fontFamily }) => [backgroundColor, color, fontFamily])(getComputedStyle(start))").await;
    assert_eq!((&style[0], &style[1]), (&json!("rgb(255, 238, 0)"), &json!("rgb(0, 0, 0)")));
    assert!(style[2].as_str().unwrap().starts_with("ui-monospace"), "{style}");
    assert_eq!(page.value("getComputedStyle(document.body).backgroundColor").await, "rgba(0, 0, 0, 0)");
    // What stands below the film is read on a ground of its own.
    let ground =
        "['transcript', 'chapters'].map((id) => getComputedStyle(document.getElementById(id)).backgroundColor)";
    assert_eq!(page.value(ground).await, json!(["rgb(18, 16, 15)", "rgb(18, 16, 15)"]));
    assert_eq!(page.value("document.documentElement.lang").await, "nb");
    page.shoot("player-branded").await;
    page.press("Spill av").await;
    for _ in 0..5 {
        page.press("Hopp over videoen").await;
        page.press("Next").await;
    }
    page.press("Hopp over videoen").await;
    page.wait_until("player.dataset.state === 'end' || document.querySelector('#answers button')").await;
    if page.value("player.dataset.state").await != "end" {
        page.wait_until("!document.querySelector('[data-settling]')").await;
        page.value("document.querySelector('#answers button').click()").await;
    }
    page.wait_until("player.dataset.state === 'end'").await;
    assert_eq!(page.value("overlay.textContent").await, "Ha det!");
    assert_eq!(
        page.value("[shop.href, shop.textContent, shop.target].join(' ')").await,
        "https://shop.example/ Til butikken _top"
    );
    assert_eq!(page.value("[...form.querySelectorAll('input')].map(({ id }) => id).join()").await, "email,consent");
    assert_eq!(page.value("document.getElementById('form-sends').textContent.includes('E-post')").await, true);
    page.value("document.getElementById('email').value = 'kari@shop.example'").await;
    page.press("Send").await;
    page.wait_until("document.getElementById('consent').getAttribute('aria-invalid') === 'true'").await;
    assert_eq!(page.value("document.activeElement.id").await, "consent");
    page.shoot("player-branded-end").await;
    // Nobody agrees to words that they did not read.
    page.value("document.getElementById('consent').click()").await;
    stage.set(json!({ "consentText": "Jeg vil ha nyheter og tilbud." })).await;
    let page = &mut stage.page;
    page.press("Send").await;
    let shown = "document.getElementById('form-fault').textContent.startsWith('Teksten') && \
        document.querySelector('.consent span').textContent === 'Jeg vil ha nyheter og tilbud.'";
    page.wait_until(shown).await;
    assert_eq!(page.value("document.getElementById('consent').checked").await, false);
    page.value("document.getElementById('consent').click()").await;
    page.press("Send").await;
    page.wait_until("form.hidden").await;
    // The browser notes the refusal; that is all that it has to say.
    page.complaints.retain(|said| !said.contains("409"));
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}
