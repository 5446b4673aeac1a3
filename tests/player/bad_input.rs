//! The player with what it should not be given: films that are missing, broken, endless or never come, texts of any
//! length and kind, a project that changes while it is played, browsers that forbid nearly everything. There is always a
//! way on, and never a blank page. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;

use browser::{Page, api, serve};
use cutaway::service::Running;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

struct Stage {
    page: Page,
    running: Running,
    key: String,
    _data: TempDir,
}

impl Stage {
    async fn new() -> Option<Self> {
        let Some(program) = browser::found() else {
            eprintln!("\n*** SKIPPED: the player was not tried with bad input, no Chromium is on PATH ***\n");
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let (running, key) = serve(data.path()).await;
        Some(Self { page: Page::open(program).await, running, key, _data: data })
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        api(self.running.base_url(), &self.key, path, Some(body)).await
    }

    /// A project of these steps: its id, its player's address, the ids of its steps.
    async fn project(&self, steps: &[Value]) -> (String, String, Vec<String>) {
        let project = self.post("/projects", json!({ "project": { "name": "Made here" } })).await;
        let mut ids = Vec::new();
        for step in steps {
            let mut step = step.clone();
            step["projectId"] = project["id"].clone();
            let made = self.post("/projects/steps", json!({ "step": step })).await;
            ids.push(made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned());
        }
        (project["id"].as_str().unwrap().to_owned(), project["cutaway"].as_str().unwrap().to_owned(), ids)
    }

    async fn video(&self, url: &str) -> String {
        let made = self.post("/videos/video", json!({ "video": { "videoUrl": url, "name": "a video" } })).await;
        made["id"].as_str().unwrap().to_owned()
    }

    async fn upload(&self, bytes: Vec<u8>) -> String {
        let part = reqwest::multipart::Part::bytes(bytes).file_name("made.mp4").mime_str("video/mp4").unwrap();
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        let url = format!("{}/videos", self.running.base_url());
        let request = reqwest::Client::new().post(url).bearer_auth(&self.key).multipart(form);
        let made: Value = request.send().await.unwrap().json().await.unwrap();
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }
}

/// Presses the answer that is on, then waits for the end.
async fn on_to_the_end(page: &mut Page, answer: &str) {
    page.press(answer).await;
    page.wait_until("player.dataset.state === 'end'").await;
}

/// A server of films that takes every connection and answers as told: with a head and a few bytes, then nothing more.
async fn stuck_server(head: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/film.mp4", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut connections = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(head.as_bytes()).await;
            connections.push(stream);
        }
    });
    url
}

/// A server of a film that comes a byte at a time.
async fn slow_server(film: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/film.mp4", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: {}\r\n\r\n", film.len());
                let _ = stream.write_all(head.as_bytes()).await;
                for byte in film {
                    if stream.write_all(&[*byte]).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            });
        }
    });
    url
}

#[tokio::test]
async fn a_film_that_can_not_be_played_can_be_left() {
    let Some(mut stage) = Stage::new().await else { return };
    let missing = stage.video(&format!("{}/videos/files/none", stage.running.base_url())).await;
    // The head of a film, and nothing that belongs to it.
    let mut corrupt = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    corrupt.extend(vec![0xa5; 20_000]);
    let corrupt = stage.upload(corrupt).await;
    let silent = stuck_server("").await;
    let silent = stage.video(&silent).await;
    let huge = stuck_server(
        "HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\naccept-ranges: bytes\r\ncontent-length: 9000000000000\r\n\r\n\0\0\0\x18ftypisom",
    )
    .await;
    let huge = stage.video(&huge).await;
    let slow = slow_server(include_bytes!("../../assets/sample/videos/welcome.mp4")).await;
    let slow = stage.video(&slow).await;
    let films = [("missing", missing), ("corrupt", corrupt), ("silent", silent), ("huge", huge), ("slow", slow)];
    for (kind, video) in films {
        let answers = json!([{ "text": "Go on", "next": "" }]);
        let (_, address, _) =
            stage.project(&[json!({ "videoId": video, "overlayText": kind, "answers": answers })]).await;
        let page = &mut stage.page;
        page.go(&address).await;
        page.press("Play").await;
        page.wait_until(&format!("overlay.textContent === '{kind}' && overlay.checkVisibility()")).await;
        // Whoever does not want to wait skips it; of what can't be played, or takes long, that is said.
        if ["missing", "corrupt", "slow"].contains(&kind) {
            page.wait_until("!notice.hidden && notice.textContent && player.dataset.state === 'asking'").await;
        } else {
            page.wait_until("document.getElementById('skip').checkVisibility() || !notice.hidden").await;
            page.skip().await;
        }
        on_to_the_end(page, "Go on").await;
    }
    stage.running.stop().await;
}

#[tokio::test]
async fn texts_of_any_length_and_kind_stay_texts() {
    let Some(mut stage) = Stage::new().await else { return };
    let html = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>&amp;\"'";
    let texts = [html.to_owned(), "👩‍👩‍👧 ".repeat(1000), "שלום עולם ".repeat(900), "x".repeat(9_900)];
    for words in texts {
        let answers: Vec<Value> = (0..40).map(|n| json!({ "text": format!("{n} {words:.200}"), "next": "" })).collect();
        let (_, address, _) = stage.project(&[json!({ "overlayText": words, "answers": answers })]).await;
        let page = &mut stage.page;
        page.go(&address).await;
        page.press("Play").await;
        page.wait_until("player.dataset.state === 'asking'").await;
        assert_eq!(page.value("overlay.textContent").await.as_str().unwrap().trim(), words.trim());
        assert_ne!(page.value("document.title").await, "owned");
        assert_eq!(page.value("document.querySelectorAll('#answers button').length").await, 40);
        // Nothing sticks out, and the last one can be reached.
        page.wait_until("document.documentElement.scrollWidth <= innerWidth").await;
        page.value("document.querySelector('#answers button:last-child').scrollIntoView()").await;
        let inside = "(() => { const box = document.querySelector('#answers button:last-child').getBoundingClientRect(); \
            return box.top >= 0 && box.top < innerHeight; })()";
        page.wait_until(inside).await;
        page.wait_until("!document.querySelector('[data-settling]')").await;
        page.value("document.querySelector('#answers button:last-child').click()").await;
        page.wait_until("player.dataset.state === 'end'").await;
        assert_eq!(page.complaints, Vec::<String>::new());
    }
    stage.running.stop().await;
}

#[tokio::test]
async fn a_project_that_changes_while_it_is_played_is_played_to_its_end() {
    let Some(mut stage) = Stage::new().await else { return };
    let (id, address, steps) = stage
        .project(&[
            json!({ "overlayText": "First", "answers": [{ "text": "On", "next": "" }] }),
            json!({ "overlayText": "Second", "answers": [{ "text": "Done", "next": "" }] }),
        ])
        .await;
    let base = stage.running.base_url().to_owned();
    let http = reqwest::Client::new();
    let change = json!({ "answers": [{ "text": "On", "next": steps[1] }] });
    let request = http.put(format!("{base}/projects/steps/{}", steps[0])).bearer_auth(&stage.key).json(&change);
    assert_eq!(request.send().await.unwrap().status(), 200);
    let page = &mut stage.page;
    page.go(&address).await;
    page.press("Play").await;
    page.wait_until("player.dataset.state === 'asking' && document.documentElement.dataset.purchaseUrl").await;
    // The step that comes next goes, then the whole project.
    let delete = http.delete(format!("{base}/projects/steps?stepId={}", steps[1])).bearer_auth(&stage.key);
    assert_eq!(delete.send().await.unwrap().status(), 200);
    page.press("On").await;
    page.wait_until("overlay.textContent === 'Second'").await;
    let delete = http.delete(format!("{base}/projects?projectId={id}")).bearer_auth(&stage.key);
    assert_eq!(delete.send().await.unwrap().status(), 200);
    on_to_the_end(page, "Done").await;
    // A reload says that it is gone.
    page.ask("Page.reload", json!({})).await;
    page.wait_until("document.querySelector('h1')?.textContent === \"This video doesn't exist\"").await;
    stage.running.stop().await;
}

#[tokio::test]
async fn what_a_browser_forbids_is_done_without() {
    let Some(mut stage) = Stage::new().await else { return };
    let film = stage.video(&format!("{}/sample/videos/for-her.mp4", stage.running.base_url())).await;
    let step = json!({ "videoId": film, "overlayText": "Here", "answers": [{ "text": "Go on", "next": "" }] });
    let (_, address, _) = stage.project(&[step]).await;
    let forbidden = "for (const name of ['localStorage', 'sessionStorage']) \
            Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } }); \
        HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('no', 'NotAllowedError'));";
    let page = &mut stage.page;
    page.ask("Page.addScriptToEvaluateOnNewDocument", json!({ "source": forbidden })).await;
    page.go(&address).await;
    page.press("Play").await;
    page.wait_until("player.dataset.state === 'asking' && !pause.hidden").await;
    page.press("Resume").await;
    on_to_the_end(page, "Go on").await;
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}

#[tokio::test]
async fn a_page_whose_script_does_not_come_is_its_story() {
    let Some(mut stage) = Stage::new().await else { return };
    let (_, address, _) =
        stage.project(&[json!({ "overlayText": "Here", "answers": [{ "text": "Go on", "next": "" }] })]).await;
    let page = &mut stage.page;
    page.ask("Network.enable", json!({})).await;
    page.ask("Network.setBlockedURLs", json!({ "urls": ["*player.js"] })).await;
    page.go(&address).await;
    let story = "document.querySelector('.story h2')?.checkVisibility() && !document.getElementById('player').checkVisibility()";
    page.wait_until(story).await;
    page.ask("Network.setBlockedURLs", json!({ "urls": [] })).await;
    page.ask("Page.reload", json!({})).await;
    page.wait_until("document.getElementById('player')?.dataset.state === 'ready' && !document.querySelector('.story').checkVisibility()").await;
    // What broke off is all that is complained of.
    assert!(page.complaints.iter().all(|said| said.contains("player.js")), "{:?}", page.complaints);
    stage.running.stop().await;
}

/// Frames as strict pages have them: without storage and an origin, without leave to play by itself, on a page of another
/// site whose third parties keep nothing.
#[tokio::test]
async fn frames_that_forbid_nearly_everything_are_played_to_their_end() {
    let Some(stage) = Stage::new().await else { return };
    let film = stage.video(&format!("{}/sample/videos/for-her.mp4", stage.running.base_url())).await;
    let step = json!({ "videoId": film, "overlayText": "Here", "answers": [{ "text": "Go on", "next": "" }] });
    let (_, address, _) = stage.project(&[step]).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shop = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
    let page =
        || async { axum::response::Html("<!doctype html><title>Shop</title><link rel=icon href='data:,'><body>") };
    let router = axum::Router::new().route("/", axum::routing::get(page));
    tokio::spawn(async move { axum::serve(listener, router).await });
    // One process for all frames, so that they can be looked into.
    let arguments = [
        "--disable-site-isolation-trials",
        "--disable-features=IsolateSandboxedIframes",
        "--test-third-party-cookie-phaseout",
        "--autoplay-policy=document-user-activation-required",
    ];
    let mut page = Page::open_with(browser::found().unwrap(), &arguments).await;
    for attributes in
        ["sandbox=allow-scripts", "allow=\"autoplay 'none'; fullscreen 'none'; picture-in-picture 'none'\"", ""]
    {
        page.go(&shop).await;
        let frame = format!("<iframe {attributes} width=390 height=700 src=\"{address}?lang=en\"></iframe>");
        page.value(&format!("document.body.innerHTML = {}", json!(frame))).await;
        let settled = "!document.querySelector('[data-settling]')";
        let button = |text: &str| {
            format!(
                "[...document.querySelectorAll('button')].find((one) => one.checkVisibility() && \
                 one.textContent.trim() === {} && {settled})",
                json!(text)
            )
        };
        for text in ["Play", "Go on"] {
            page.wait_until_in(&address, &button(text)).await;
            page.value_in(&address, &format!("{}.click()", button(text))).await;
        }
        page.wait_until_in(&address, "document.getElementById('player').dataset.state === 'end'").await;
    }
    // Thrown away errors would be told here; nothing is forbidden that the player needs.
    assert!(!page.complaints.iter().any(|said| said.contains("Uncaught")), "{:?}", page.complaints);
    stage.running.stop().await;
}
