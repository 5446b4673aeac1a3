//! That nobody is shut out: every state of the player and of the approval pages is looked through by axe-core, on a phone
//! and on a desktop, light and dark, left to right and right to left; and all that is pressed is large enough for a thumb.
//!
//! axe-core is no file of this project: `.ci/axe` fetches it. Where it or a Chromium is missing this says loudly that it
//! was skipped. `CUTAWAY_SCREENS=1` writes a picture of each state into `tests/snapshots/player`:
//!
//! `CUTAWAY_SCREENS=1 cargo test --test player axe::`

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::browser;

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::{Page, api, player, serve};
use cutaway::service::Running;
use serde_json::{Value, json};

type Size = (u32, u32, &'static str);

const SIZES: [Size; 2] = [(390, 844, "phone"), (1440, 900, "desktop")];

/// A phone held sideways.
const SIDEWAYS: Size = (844, 390, "sideways");

/// The smallest side of what is pressed, CSS pixels (WCAG 2.2 §2.5.5).
const TAP: u32 = 44;

fn axe() -> Option<String> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target"), PathBuf::from);
    std::fs::read_to_string(target.join("axe-core/axe.min.js")).ok()
}

struct Stage {
    page: Page,
    running: Running,
    key: String,
    axe: String,
    language: &'static str,
    /// The medium that the page is shown for; the screen where it is empty.
    media: &'static str,
    _data: tempfile::TempDir,
}

impl Stage {
    async fn new(language: &'static str) -> Option<Self> {
        let (Some(program), Some(axe)) = (browser::found(), axe()) else {
            eprintln!(
                "\n*** SKIPPED: nothing was looked through by axe, there is no Chromium or no axe-core; .ci/axe fetches it ***\n"
            );
            return None;
        };
        let data = tempfile::tempdir().unwrap();
        let (running, key) = serve(data.path()).await;
        let page = Page::open(program).await;
        let mut stage = Self { page, running, key, axe, language, media: "", _data: data };
        stage.caption().await;
        Some(stage)
    }

    fn base(&self) -> String {
        self.running.base_url().to_owned()
    }

    /// Captions for the first film of the quiz.
    async fn caption(&mut self) {
        let base = self.base();
        let projects = api(&base, &self.key, "/projects/", None).await;
        let quiz = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
        let opened = api(&base, &self.key, &format!("/projects/{}", quiz["id"].as_str().unwrap()), None).await;
        let video = opened["steps"][0]["videoId"].as_str().unwrap();
        for language in ["en", "he"] {
            let vtt = json!({ "vtt": "WEBVTT\n\n00:00.000 --> 00:20.000\nWelcome to the shop\n" });
            let url = format!("{base}/videos/{video}/captions/{language}");
            let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&vtt);
            request.send().await.unwrap().error_for_status().unwrap();
        }
    }

    /// Opens a project's player.
    async fn open(&mut self, project: &str) {
        self.page.resize(390, 844).await;
        let address = player(&self.base(), &self.key, project).await;
        self.page.go(&format!("{address}?lang={}", self.language)).await;
        self.page.wait_until("player.dataset.state === 'ready'").await;
    }

    /// Presses a button by its id, once a press counts.
    async fn press(&mut self, id: &str) {
        let shown = format!("document.getElementById('{id}').checkVisibility()");
        self.page.wait_until(&format!("!document.querySelector('[data-settling]') && {shown}")).await;
        self.page.value(&format!("document.getElementById('{id}').click()")).await;
    }

    /// From now on the film begins again at its end, however long it is looked at, or goes on from it once more.
    async fn repeat_film(&mut self, repeats: bool) {
        self.page.value(&format!("video.loop = {repeats}")).await;
    }

    /// Sends the form.
    async fn send(&mut self) {
        self.page.wait_until("!document.querySelector('[data-settling]')").await;
        self.page.value("document.querySelector('#form [type=submit]').click()").await;
    }

    /// Skips the film and chooses the answer of this number.
    async fn answer(&mut self, number: usize) {
        self.page
            .wait_until(
                "!document.querySelector('[data-settling]') && ['playing', 'asking'].includes(player.dataset.state)",
            )
            .await;
        self.page.skip().await;
        self.page.wait_until("player.dataset.state === 'asking' && !document.querySelector('[data-settling]')").await;
        self.page.value(&format!("document.querySelectorAll('#answers button')[{number}].click()")).await;
    }

    /// Looks through what is shown now, in both sizes and color schemes.
    async fn look(&mut self, state: &str) {
        self.look_in(state, &SIZES).await;
    }

    /// The same in windows of these sizes.
    async fn look_in(&mut self, state: &str, sizes: &[Size]) {
        for &(width, height, size) in sizes {
            self.page.resize(width, height).await;
            for scheme in ["light", "dark"] {
                let features = json!({ "media": self.media, "features": [
                    { "name": "prefers-color-scheme", "value": scheme },
                    // A text that is still coming is paler than it will be.
                    { "name": "prefers-reduced-motion", "value": "reduce" },
                ] });
                self.page.ask("Emulation.setEmulatedMedia", features).await;
                if self.page.value("typeof axe").await == "undefined" {
                    let source = self.axe.clone();
                    self.page.value(&format!("{source}; 1")).await;
                }
                let run = "axe.run(document, { resultTypes: ['violations'], preload: false }).then(({ violations }) => \
                    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\\n${failureSummary}`)))";
                let found = self.page.value(run).await;
                assert_eq!(found, json!([]), "{state}, {size}, {scheme}, {}", self.language);
                if scheme == "light" {
                    self.taps(state, size).await;
                }
                // The player looks the same in both; the approval pages don't.
                if scheme == "light" || state.starts_with("device") {
                    self.shoot(&format!("{state}-{size}-{scheme}"), width, height).await;
                }
            }
        }
        self.page.resize(390, 844).await;
    }

    /// That a thumb meets everything that is pressed. A box to tick is met by its label, too.
    async fn taps(&mut self, state: &str, size: &str) {
        let small = format!(
            "[...document.querySelectorAll('button, select, input:not([type=hidden]), a[href]')] \
             .filter((one) => one.checkVisibility({{ visibilityProperty: true }})) \
             .map((one) => [one, (one.type === 'checkbox' && one.closest('label') || one).getBoundingClientRect()]) \
             .filter(([, box]) => Math.round(box.width) < {TAP} || Math.round(box.height) < {TAP}) \
             .map(([one, box]) => `${{one.outerHTML}} ${{box.width}}x${{box.height}}`)"
        );
        assert_eq!(self.page.value(&small).await, json!([]), "{state}, {size}, {}", self.language);
    }

    /// A picture of what is shown, where pictures are wanted.
    async fn shoot(&mut self, name: &str, width: u32, height: u32) {
        if std::env::var_os("CUTAWAY_SCREENS").is_none() {
            return;
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/player");
        std::fs::create_dir_all(&folder).unwrap();
        // Large enough to be read, small enough to be kept.
        let scale = if width < 1000 { 0.8 } else { 0.5 };
        // The window, wherever the page was scrolled to.
        let place = self.page.value("[scrollX, scrollY]").await;
        let clip = json!({ "x": place[0], "y": place[1], "width": width, "height": height, "scale": scale });
        let asked = json!({ "format": "webp", "quality": 50, "clip": clip });
        let shot = self.page.ask("Page.captureScreenshot", asked).await;
        let shot = STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        assert!(shot.len() <= 40 * 1024, "{name}: {} bytes", shot.len());
        std::fs::write(folder.join(format!("{name}-{}.webp", self.language)), shot).unwrap();
    }

    /// Sets the player of a project.
    async fn set(&mut self, project: &str, settings: Value) {
        let base = self.base();
        let projects = api(&base, &self.key, "/projects/", None).await;
        let found = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == project).unwrap();
        let url = format!("{base}/projects/{}", found["id"].as_str().unwrap());
        let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&json!({ "player": settings }));
        request.send().await.unwrap().error_for_status().unwrap();
    }

    /// What a merchant makes of it, and the bubble in a corner of their page.
    async fn every_look(&mut self) {
        let he = self.language == "he";
        let words = |en: &'static str, he_words: &'static str| if he { he_words } else { en };
        self.set(
            "Range tour",
            json!({
                "brandColor": "#ffee00", "font": "serif", "transparent": true, "formFields": ["email", "name"],
                "formText": words("Shall we tell you what is new?", "לעדכן אתכם במה שחדש?"),
                "consentText": words("I agree to get news by email.", "אני מסכים לקבל חדשות בדואר."),
                "privacyUrl": "https://shop.example/privacy", "endText": words("See you!", "להתראות!"),
                "shopUrl": "https://shop.example/", "shopText": words("To the shop", "אל החנות"),
            }),
        )
        .await;
        self.open("Range tour").await;
        self.look("branded").await;
        self.press("start").await;
        for _ in 0..5 {
            self.answer(0).await;
        }
        self.repeat_film(true).await;
        self.press("chapters-toggle").await;
        self.page.wait_until("document.querySelector('#chapters-list button')").await;
        self.look("chapters").await;
        self.press("chapters-close").await;
        self.press("pause").await;
        self.page.wait_until("video.paused").await;
        self.look("paused").await;
        self.repeat_film(false).await;
        self.page.skip().await;
        self.page.wait_until("player.dataset.state === 'end'").await;
        self.send().await;
        self.page.wait_until("document.getElementById('form-fault').textContent").await;
        self.look("branded-form-fault").await;
        self.page.value("document.getElementById('email').value = 'kari@example.com'").await;
        self.page.value("document.getElementById('consent').click()").await;
        self.send().await;
        self.page.wait_until("document.getElementById('form').hidden").await;
        self.look("branded-end").await;

        let address = player(&self.base(), &self.key, "Help desk").await;
        self.page.go(&format!("{address}?bubble&lang={}", self.language)).await;
        self.page.wait_until("document.getElementById('peek').checkVisibility()").await;
        self.look("bubble").await;
        self.page.wait_until("!document.querySelector('[data-settling]')").await;
        self.page.value("document.getElementById('peek').click()").await;
        self.page.wait_until("player.dataset.state === 'playing' && video.currentTime > 0.1").await;
        self.look("bubble-open").await;
        self.page.ask("Page.reload", json!({})).await;
        self.page.go(&format!("{address}?lang={}", self.language)).await;
        self.page.wait_until("player.dataset.state === 'ready' && !document.getElementById('restart').hidden").await;
        self.look("resumed").await;
    }

    /// A film that is not there, and one that does not come.
    async fn films_that_do_not_come(&mut self) {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let slow = format!("http://{}/film.mp4", silent.local_addr().unwrap());
        let gone = format!("{}/videos/files/none", self.base());
        for (state, url) in [("failed", gone), ("slow", slow)] {
            let base = self.base();
            let video = json!({ "video": { "videoUrl": url, "name": "a video" } });
            let video = api(&base, &self.key, "/videos/video", Some(video)).await;
            let name = format!("A film that {state}");
            let project = json!({ "project": { "name": name } });
            let project = api(&base, &self.key, "/projects", Some(project)).await;
            let answers = json!([{ "text": "Go on", "next": "" }]);
            let step = json!({
                "projectId": project["id"], "videoId": video["id"], "overlayText": "Which one?", "answers": answers,
            });
            api(&base, &self.key, "/projects/steps", Some(json!({ "step": step }))).await;
            self.open(&name).await;
            self.press("start").await;
            self.page.wait_until("player.dataset.state === 'asking' && !notice.hidden && notice.textContent").await;
            self.look(state).await;
        }
    }

    /// Products of the sample's catalog on the first step of its quiz.
    async fn products(&mut self) {
        let base = self.base();
        let projects = api(&base, &self.key, "/projects/", None).await;
        let quiz = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
        let opened = api(&base, &self.key, &format!("/projects/{}", quiz["id"].as_str().unwrap()), None).await;
        let ids = ["8123460131654", "8123460164425", "8123457018409", "8123460361051"];
        let link = |id| json!({ "store": "https://nordlys-outdoor.example", "productId": id });
        let url = format!("{base}/projects/steps/{}", opened["steps"][0]["id"].as_str().unwrap());
        let change = json!({ "products": ids.map(link) });
        let request = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&change);
        request.send().await.unwrap().error_for_status().unwrap();
        self.open("Gift finder").await;
        let is_new = self.page.value("restart.hidden").await == true;
        self.press(if is_new { "start" } else { "restart" }).await;
        self.page
            .wait_until("document.querySelector('#products li')?.checkVisibility() && video.currentTime > 0.2")
            .await;
        self.page.value("video.pause()").await;
        self.page.wait_until("[...document.querySelectorAll('#products img')].every((one) => one.complete)").await;
        self.look("products").await;
        self.page.skip().await;
        self.page.wait_until("player.dataset.state === 'asking'").await;
        self.look("products-asking").await;
        self.look_in("products-asking", &[SIDEWAYS]).await;
    }

    /// The story as it is printed, and as it stands without scripts.
    async fn without_screen_or_scripts(&mut self) {
        self.open("Gift finder").await;
        self.media = "print";
        self.look("print").await;
        self.media = "";
        self.page.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
        self.page.ask("Page.reload", json!({})).await;
        let story = "document.readyState === 'complete' && getComputedStyle(document.querySelector('.story')).display === 'block'";
        self.page.wait_until(story).await;
        // What looks through the page is a script itself; the page stays as it is.
        self.page.ask("Emulation.setScriptExecutionDisabled", json!({ "value": false })).await;
        self.look("no-script").await;
    }

    async fn every_state(&mut self) {
        self.open("Gift finder").await;
        self.look("ready").await;
        self.look_in("ready", &[SIDEWAYS]).await;
        self.press("start").await;
        self.page.wait_until("!document.getElementById('bar').hidden && video.currentTime > 0.2").await;
        self.repeat_film(true).await;
        self.look("playing").await;
        self.press("captions").await;
        self.page.value("video.currentTime = 1").await;
        self.page.wait_until("!document.getElementById('caption').hidden").await;
        self.press("transcript-toggle").await;
        self.page.wait_until("document.querySelector('#transcript-lines button')").await;
        self.look("transcript").await;
        self.look_in("transcript", &[SIDEWAYS]).await;
        self.press("transcript-close").await;
        self.repeat_film(false).await;
        self.page.skip().await;
        self.page.wait_until("player.dataset.state === 'asking'").await;
        self.look("asking").await;
        self.look_in("asking", &[SIDEWAYS]).await;
        for number in [1, 0, 0, 0] {
            self.answer(number).await;
        }
        self.page.wait_until("player.dataset.state === 'end'").await;
        self.look("form").await;
        self.look_in("form", &[SIDEWAYS]).await;
        self.send().await;
        self.page.wait_until("document.getElementById('form-fault').textContent").await;
        self.look("form-fault").await;
        self.page.value("document.getElementById('email').value = 'kari@example.com'").await;
        self.send().await;
        self.page.wait_until("document.getElementById('form').hidden").await;
        self.look("end").await;

        self.open("Spring campaign (unfinished)").await;
        self.press("start").await;
        self.answer(1).await;
        self.page
            .wait_until("player.dataset.state === 'asking' && overlay.textContent === 'Film is not cut yet'")
            .await;
        self.look("no-film").await;
        self.answer(1).await;
        self.answer(2).await;
        self.page.wait_until("player.dataset.state === 'stuck'").await;
        self.look("stuck").await;
        self.films_that_do_not_come().await;

        // A film that can't be had.
        self.open("Gift finder").await;
        let offline = json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.page.ask("Network.enable", json!({})).await;
        self.page.ask("Network.clearBrowserCache", json!({})).await;
        self.page.ask("Network.emulateNetworkConditions", offline).await;
        let begin = "(document.getElementById('restart').hidden ? start : restart).click()";
        self.page.wait_until("!document.querySelector('[data-settling]')").await;
        self.page.value(begin).await;
        self.page.wait_until("!document.getElementById('retry').hidden").await;
        self.look("offline").await;
        let online = json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.page.ask("Network.emulateNetworkConditions", online).await;

        self.without_screen_or_scripts().await;
        self.products().await;
        let base = self.base();
        self.page.go(&format!("{base}/play/none?lang={}", self.language)).await;
        self.look("missing").await;
        self.page.go(&format!("{base}/oauth/device?user_code=BBBB-BBBB")).await;
        self.look("device-code").await;
        self.page.press("Continue").await;
        self.page.wait_until("document.querySelector('.fault')").await;
        self.look("device-code-fault").await;
        let form = [("client_id", "cutaway")];
        let asked = reqwest::Client::new().post(format!("{base}/oauth/device_authorization")).form(&form);
        let device: Value = asked.send().await.unwrap().json().await.unwrap();
        self.page.go(device["verification_uri_complete"].as_str().unwrap()).await;
        self.page.press("Continue").await;
        self.page.wait_until("document.getElementById('api_key')").await;
        self.look("device-approve").await;
        self.page.value(&format!("document.getElementById('api_key').value = {}", json!(self.key))).await;
        self.page.press("Approve").await;
        self.page.wait_until("document.title.startsWith('Approved')").await;
        self.look("device-approved").await;
    }
}

#[tokio::test]
async fn every_state_left_to_right() {
    let Some(mut stage) = Stage::new("en").await else { return };
    stage.every_state().await;
    stage.every_look().await;
    stage.running.stop().await;
}

#[tokio::test]
async fn every_state_right_to_left() {
    let Some(mut stage) = Stage::new("he").await else { return };
    stage.every_state().await;
    stage.every_look().await;
    stage.running.stop().await;
}
