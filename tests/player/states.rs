//! The player where it is not plain sailing: last steps, double clicks, reloads, wide films, bright frames, long texts,
//! other languages, films that fail. Each in a real browser; where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;

use browser::{Page, api, player, serve};
use cutaway::service::Running;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The service, a key of it, and a browser; nothing where there is no browser.
struct Stage {
    page: Page,
    running: Running,
    key: String,
    _data: TempDir,
}

impl Stage {
    async fn new() -> Option<Self> {
        let Some(program) = browser::found() else {
            eprintln!("\n*** SKIPPED: the player was not tried in a browser, none is on PATH ***\n");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let (running, key) = serve(data.path()).await;
        Some(Self { page: Page::open(program).await, running, key, _data: data })
    }

    fn base(&self) -> String {
        self.running.base_url().to_owned()
    }

    /// Opens one of the sample's projects.
    async fn open(&mut self, name: &str, query: &str) {
        let address = player(&self.base(), &self.key, name).await;
        self.page.go(&format!("{address}{query}")).await;
        self.page.wait_until("player.dataset.state === 'ready'").await;
    }

    /// Makes a project of these steps, the first of them first, and opens it.
    async fn play(&mut self, steps: &[Value]) {
        let base = self.base();
        let project = api(&base, &self.key, "/projects", Some(json!({ "project": { "name": "Made here" } }))).await;
        for step in steps {
            let mut step = step.clone();
            let at = step.as_object_mut().unwrap().remove("answerTime");
            step["projectId"] = project["id"].clone();
            let body = json!({ "step": step });
            let made = api(&base, &self.key, "/projects/steps", Some(body)).await;
            if let Some(at) = at {
                let url = format!("{base}/projects/steps/{}", made["id"].as_str().unwrap());
                let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&json!({ "answerTime": at }));
                assert_eq!(request.send().await.unwrap().status(), 200);
            }
        }
        let address = api(&base, &self.key, &format!("/projects/{}", project["id"].as_str().unwrap()), None).await;
        self.page.go(address["project"]["cutaway"].as_str().unwrap()).await;
        self.page.wait_until("player.dataset.state === 'ready'").await;
    }

    /// Registers a video by its address; its id.
    async fn video(&self, url: &str) -> String {
        let body = json!({ "video": { "videoUrl": url, "name": "a video" } });
        api(&self.base(), &self.key, "/videos/video", Some(body)).await["id"].as_str().unwrap().to_owned()
    }

    /// A film as wide and high as this, of one color or of many, made by the browser itself; its id.
    async fn film(&mut self, width: u32, height: u32, color: &str) -> String {
        self.page.go("about:blank").await;
        let record = format!(
            "(async () => {{
                const canvas = Object.assign(document.createElement('canvas'), {{ width: {width}, height: {height} }});
                const pen = canvas.getContext('2d');
                const draw = () => {{
                    pen.fillStyle = '{color}' === 'busy' ? '#fff' : '{color}';
                    pen.fillRect(0, 0, {width}, {height});
                    if ('{color}' === 'busy') for (let x = 0; x < {width}; x += 16) {{
                        pen.fillStyle = x % 32 ? '#000' : '#ff0';
                        pen.fillRect(x, 0, 8, {height});
                    }}
                }};
                const record = async () => {{
                    draw();
                    const recorder = new MediaRecorder(canvas.captureStream(20), {{ mimeType: 'video/webm' }});
                    const pieces = [];
                    recorder.ondataavailable = ({{ data }}) => pieces.push(data);
                    const done = new Promise((stopped) => recorder.onstop = stopped);
                    recorder.start();
                    for (let frame = 0; frame < 12; frame++) {{ draw(); await new Promise((next) => setTimeout(next, 50)); }}
                    recorder.stop();
                    await done;
                    return new Blob(pieces);
                }};
                const plays = (blob) => new Promise((known) => {{
                    const film = Object.assign(document.createElement('video'), {{ preload: 'auto' }});
                    film.onloadeddata = () => known(true);
                    film.onerror = () => known(false);
                    setTimeout(() => known(false), 10_000);
                    film.src = URL.createObjectURL(blob);
                }});
                // A busy machine may have recorded no picture by then.
                let made = await record();
                for (let again = 0; again < 20 && (made.size === 0 || !(await plays(made))); again++) made = await record();
                return btoa(String.fromCharCode(...new Uint8Array(await made.arrayBuffer())));
            }})()"
        );
        let film = self.page.value(&record).await;
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, film.as_str().unwrap()).unwrap();
        let part = reqwest::multipart::Part::bytes(bytes).file_name("made.webm").mime_str("video/webm").unwrap();
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        let request = reqwest::Client::new().post(format!("{}/videos", self.base())).bearer_auth(&self.key);
        let made: Value = request.multipart(form).send().await.unwrap().json().await.unwrap();
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }
}

#[tokio::test]
async fn a_last_step_plays_to_its_end_and_answers_come_in_their_time() {
    let Some(mut stage) = Stage::new().await else { return };
    stage.open("Range tour", "").await;
    let page = &mut stage.page;
    page.press("Play").await;
    for _ in 0..5 {
        page.skip().await;
        page.press("Next").await;
    }
    page.wait_until("overlay.textContent === 'Which one was yours?' && video.currentTime > 0.5").await;
    assert_eq!(page.value("player.dataset.state").await, "playing");
    // It is there from the begin of the next film on, though the one before ended or was skipped.
    page.wait_until("!pause.hidden").await;
    page.value("document.getElementById('pause').focus()").await;
    page.wait_until("player.dataset.state === 'end'").await;
    assert_eq!(page.value("video.ended").await, true);
    assert_eq!(page.value("document.activeElement.id").await, "overlay");

    // Answers from the start come with the first picture; an answer time behind the film's end, with its end.
    stage.open("Help desk", "").await;
    let page = &mut stage.page;
    page.press("Play").await;
    page.skip().await;
    page.press("It broke").await;
    page.wait_until("player.dataset.state === 'asking'").await;
    assert!(page.value("video.currentTime").await.as_f64().unwrap() < 1.4);
    let short = stage.film(180, 320, "#224466").await;
    stage.play(&[json!({ "videoId": short, "answers": [{ "text": "On", "next": "" }], "answerTime": 99 })]).await;
    let page = &mut stage.page;
    page.press("Play").await;
    page.wait_until("player.dataset.state === 'asking'").await;
    assert_eq!(page.value("video.ended").await, true);
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_double_click_is_one_click() {
    let Some(mut stage) = Stage::new().await else { return };
    stage.open("Gift finder", "").await;
    let page = &mut stage.page;
    page.wait_until("!document.querySelector('[data-settling]')").await;
    page.click("start", 3).await;
    page.wait_until("video.currentTime > 0.3 && !document.querySelector('[data-settling]')").await;
    assert_eq!(page.value("player.dataset.state").await, "playing");
    page.click("skip", 3).await;
    page.wait_until("!document.querySelector('[data-settling]')").await;
    assert_eq!(page.value("[player.dataset.state, overlay.textContent]").await, json!(["asking", "Who is it for?"]));
    stage.running.stop().await;
}

/// Plays the gift finder to its second question; what tells the visit from others.
async fn at_the_second_step(page: &mut Page) -> Value {
    page.press("Play").await;
    page.skip().await;
    page.press("For her").await;
    page.wait_until("overlay.textContent === 'What does she like?' && video.currentTime > 0.2").await;
    page.wait_until("document.documentElement.dataset.purchaseUrl").await;
    page.value("document.documentElement.dataset.purchaseUrl").await
}

#[tokio::test]
async fn a_reload_goes_on_where_it_was_and_the_browsers_back_goes_a_step_back() {
    let Some(mut stage) = Stage::new().await else { return };
    stage.open("Gift finder", "").await;
    let page = &mut stage.page;
    let visit = at_the_second_step(page).await;
    page.ask("Page.reload", json!({})).await;
    page.press("Continue").await;
    page.wait_until("overlay.textContent === 'What does she like?' && video.currentTime > 0.2").await;
    assert_eq!(page.value("document.documentElement.dataset.purchaseUrl").await, visit);
    page.value("history.back()").await;
    page.wait_until("overlay.textContent === 'Who is it for?'").await;
    page.value("history.forward()").await;
    page.wait_until("overlay.textContent === 'What does she like?'").await;
    page.press("Back").await;
    page.wait_until("overlay.textContent === 'Who is it for?' && back.hidden").await;

    // Muted stays muted, and the button says what it will do.
    page.press("Mute").await;
    page.wait_until("video.muted && sound.textContent === 'Unmute'").await;
    page.ask("Page.reload", json!({})).await;
    page.press("Start again").await;
    page.wait_until("video.muted && sound.textContent === 'Unmute' && !sound.hidden").await;
    assert_eq!(page.value("document.documentElement.dataset.purchaseUrl").await, visit);
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}

/// The page before holds the window's storage for longer than this one waits, as it does on a busy phone.
#[tokio::test]
async fn a_visit_goes_on_also_where_the_page_before_is_slow_to_leave() {
    let Some(mut stage) = Stage::new().await else { return };
    stage.open("Gift finder", "").await;
    let page = &mut stage.page;
    let visit = at_the_second_step(page).await;
    let holder = "navigator.locks.request(`cutaway:${location.pathname.split('/')[2]}:${sessionStorage.getItem('cutaway-tab')}`, \
                  () => new Promise((free) => { window.leave = free; }));";
    page.ask("Page.addScriptToEvaluateOnNewDocument", json!({ "source": holder })).await;
    page.ask("Page.reload", json!({})).await;
    page.wait_until("window.leave && document.getElementById('start')?.checkVisibility()").await;
    assert_eq!(page.value("document.getElementById('start').textContent").await, "Play");
    page.value("window.leave()").await;
    page.press("Continue").await;
    page.wait_until("overlay.textContent === 'What does she like?' && video.currentTime > 0.2").await;
    assert_eq!(page.value("document.documentElement.dataset.purchaseUrl").await, visit);
    stage.running.stop().await;
}

#[tokio::test]
async fn a_wide_film_is_shown_whole_and_text_can_be_read_over_every_frame() {
    let Some(mut stage) = Stage::new().await else { return };
    let wide = stage.film(640, 360, "#ffffff").await;
    stage.play(&[json!({ "videoId": wide, "overlayText": "Wide", "answers": [{ "text": "On", "next": "" }], "answerTime": 99 })]).await;
    stage.page.press("Play").await;
    stage.page.wait_until("player.dataset.fit === 'contain' && player.dataset.shape === 'wide'").await;
    for (width, height) in [(1440, 900), (844, 390)] {
        stage.page.resize(width, height).await;
        let wide = "picture.getBoundingClientRect().width / innerWidth > 0.5 && player.dataset.shape === 'wide'";
        stage.page.wait_until(wide).await;
    }
    stage.page.resize(390, 844).await;

    for color in ["#ffffff", "#000000", "busy"] {
        let film = stage.film(360, 640, color).await;
        let answers = json!([{ "text": "On", "next": "" }]);
        stage
            .play(&[
                json!({ "videoId": film, "overlayText": "Read me over this", "answers": answers, "answerTime": 99 }),
            ])
            .await;
        let page = &mut stage.page;
        page.press("Play").await;
        page.wait_until("video.ended && player.dataset.state === 'asking' && player.dataset.fit === 'cover'").await;
        // A film without sound has no button for it; here it is looked at all the same, as is what else lies over a film.
        assert_eq!(page.value("sound.hidden").await, true);
        let show = "for (const id of ['sound', 'pause', 'notice', 'caption', 'back', 'retry', 'captions', 'close', 'skip-panel', \
            'chapters-toggle', 'transcript-toggle']) { const it = document.getElementById(id); \
            it.textContent ||= 'Some words to read'; it.hidden = false; }";
        page.value(&format!("(() => {{ {show} }})()")).await;
        // Without its letters a text shows what it stands on.
        for id in OVER_THE_FILM {
            page.value(&format!("document.getElementById('{id}').style.color = 'transparent'")).await;
            let contrast = lowest_contrast(page, id).await;
            assert!(contrast >= 4.5, "{id} over {color}: {contrast}");
        }
    }
    stage.running.stop().await;
}

/// Everything with words that may lie over a film.
const OVER_THE_FILM: [&str; 12] = [
    "overlay",
    "sound",
    "pause",
    "notice",
    "caption",
    "back",
    "retry",
    "captions",
    "close",
    "skip",
    "chapters-toggle",
    "transcript-toggle",
];

/// The lowest contrast (WCAG 2.2 §1.4.3) that white text has anywhere in the middle of this element.
async fn lowest_contrast(page: &mut Page, id: &str) -> f64 {
    let place = format!(
        "(() => {{ const b = document.getElementById('{id}').getBoundingClientRect(); \
         return [b.x + 8, b.y + 8, b.right - 8, b.bottom - 8, devicePixelRatio].map(Math.round); }})()"
    );
    page.wait_until("document.getAnimations().length === 0").await;
    let place = page.value(&place).await;
    let [left, top, right, bottom, ratio] =
        [0, 1, 2, 3, 4].map(|at| u32::try_from(place[at].as_u64().unwrap()).unwrap());
    let shot = image::load_from_memory(&page.screenshot().await).unwrap().to_rgb8();
    let linear = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let mut lowest = f64::MAX;
    for y in top * ratio..bottom * ratio {
        for x in left * ratio..right * ratio {
            let [red, green, blue] = shot.get_pixel(x, y).0.map(linear);
            lowest = lowest.min(1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05));
        }
    }
    lowest
}

#[tokio::test]
async fn long_texts_and_other_languages_keep_their_place() {
    let Some(mut stage) = Stage::new().await else { return };
    let answers: Vec<Value> =
        (0..12).map(|n| json!({ "text": format!("{n} {}", "שלום ".repeat(60)), "next": "" })).collect();
    let film = stage.base() + "/sample/videos/welcome.mp4";
    let film = stage.video(&film).await;
    stage
        .play(&[
            json!({ "videoId": film, "overlayText": "A question. ".repeat(800), "answers": answers, "answerTime": 0 }),
        ])
        .await;
    let page = &mut stage.page;
    page.press("Play").await;
    page.wait_until("player.dataset.state === 'asking'").await;
    for (part, least) in [("answers", 200), ("words", 60)] {
        page.wait_until(&format!("{part}.scrollHeight > {part}.clientHeight && {part}.clientHeight >= {least}")).await;
    }
    page.wait_until("words.tabIndex === 0 && answers.firstChild.matches(':dir(rtl)') && overlay.matches(':dir(ltr)')")
        .await;
    let inside = "answers.getBoundingClientRect().bottom <= innerHeight && words.getBoundingClientRect().top >= 0";
    page.wait_until(inside).await;

    stage.open("Gift finder", "?lang=he").await;
    let page = &mut stage.page;
    let said = "[document.documentElement.lang, document.documentElement.dir, start.textContent]";
    assert_eq!(page.value(said).await, json!(["he", "rtl", "הפעלה"]));
    stage.running.stop().await;
}

#[tokio::test]
async fn a_film_that_fails_is_tried_again_and_never_a_wall() {
    let Some(mut stage) = Stage::new().await else { return };
    // What is there by the second time: a file of a name that is made later can't be had, so the page's net is cut.
    stage.open("Gift finder", "").await;
    let offline = |on: bool| json!({ "offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    let page = &mut stage.page;
    page.ask("Network.enable", json!({})).await;
    page.ask("Network.emulateNetworkConditions", offline(true)).await;
    page.press("Play").await;
    page.wait_until("!retry.hidden && notice.textContent.startsWith(\"You're offline\")").await;
    page.wait_until("player.dataset.state === 'asking'").await;
    page.ask("Network.emulateNetworkConditions", offline(false)).await;
    page.wait_until("video.currentTime > 0.2 && notice.hidden && retry.hidden").await;

    // A last step without a film can be read, and left.
    stage.play(&[json!({ "overlayText": "That was it" })]).await;
    let page = &mut stage.page;
    page.press("Play").await;
    page.wait_until("overlay.textContent === 'That was it'").await;
    page.press("Continue").await;
    page.wait_until("player.dataset.state === 'end'").await;
    page.press("Send").await;
    page.wait_until("document.getElementById('name').getAttribute('aria-invalid') === 'true'").await;
    stage.running.stop().await;
}

#[tokio::test]
async fn the_story_is_there_on_paper_and_without_scripts() {
    let Some(mut stage) = Stage::new().await else { return };
    stage.open("Gift finder", "").await;
    let page = &mut stage.page;
    let story = "document.querySelector('.story') && getComputedStyle(document.querySelector('.story')).display";
    assert_eq!(page.value(story).await, "none");
    page.ask("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
    assert_eq!(page.value(story).await, "block");
    assert_eq!(page.value("getComputedStyle(player).display").await, "none");
    page.ask("Emulation.setEmulatedMedia", json!({ "media": "" })).await;
    page.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
    page.ask("Page.reload", json!({})).await;
    page.wait_until(&format!(
        "{story} === 'block' && document.querySelectorAll('.story img, .story li a').length > 20"
    ))
    .await;
    let address = page.value("location.href").await;
    let html = reqwest::get(address.as_str().unwrap()).await.unwrap().text().await.unwrap();
    let tag = |start: &str| html.lines().find_map(|line| line.strip_prefix(start)?.strip_suffix("\">")).unwrap();
    assert_eq!(tag("<meta name=\"twitter:card\" content=\""), "summary_large_image");
    for (twitter, og) in [("title", "title"), ("image", "image")] {
        let said = tag(&format!("<meta name=\"twitter:{twitter}\" content=\""));
        assert_eq!(said, tag(&format!("<meta property=\"og:{og}\" content=\"")));
    }
    assert_eq!(tag("<meta name=\"twitter:title\" content=\""), "Gift finder");
    let picture = reqwest::get(tag("<meta name=\"twitter:image\" content=\"")).await.unwrap();
    assert_eq!(picture.headers()["content-type"], "image/jpeg");
    let style = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0.len();
    assert!(html.contains("og:image") && html.len() - style < 20_000, "{} with {style} of style", html.len());
    stage.running.stop().await;
}
