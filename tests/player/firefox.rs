//! The player in Firefox: the quiz by keyboard, captions, and in a page of a shop. Where there is no Firefox it says loudly
//! that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use browser::firefox::{self, FirefoxPage};
use browser::{api, player, serve};
use cutaway::domain::Embed;
use serde_json::json;

const TAB: &str = "\u{e004}";

/// More stops of the Tab key than any page of the player has.
const MOST_STOPS: usize = 30;

fn program() -> Option<std::path::PathBuf> {
    let found = firefox::found();
    if found.is_none() {
        eprintln!("\n*** SKIPPED: the player was not tried in Firefox, none is on PATH ***\n");
    }
    found
}

/// Goes on by the Tab key to a button of this name, and presses it by keyboard, once a press counts.
async fn press(page: &mut FirefoxPage, name: &str) {
    let is = |text: &str| format!("{text}.textContent.trim().endsWith({})", json!(name));
    let there = format!(
        "[...document.querySelectorAll('button')].some((button) => button.checkVisibility() && {})",
        is("button")
    );
    page.wait_until(&there).await;
    for _ in 0..MOST_STOPS {
        page.key(TAB).await;
        let on_it = format!("document.activeElement.matches('button') && {}", is("document.activeElement"));
        if page.value(&on_it).await == true {
            page.wait_until("!document.querySelector('[data-settling]')").await;
            // Without a window system no window is the active one, and Firefox presses no buttons by keys there.
            page.value("void document.activeElement.click()").await;
            return;
        }
    }
    panic!("the Tab key never comes to {name:?}");
}

#[tokio::test]
async fn the_quiz_is_played_to_its_end_by_keyboard_with_captions() {
    let Some(program) = program() else { return };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let base = running.base_url().to_owned();
    let projects = api(&base, &key, "/projects/", None).await;
    let quiz = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
    let opened = api(&base, &key, &format!("/projects/{}", quiz["id"].as_str().unwrap()), None).await;
    let url = format!("{base}/videos/{}/captions/en", opened["steps"][0]["videoId"].as_str().unwrap());
    let vtt = json!({ "vtt": "WEBVTT\n\n00:00.000 --> 00:30.000\nWelcome to the shop\n" });
    let request = reqwest::Client::new().put(url).bearer_auth(&key).json(&vtt);
    assert_eq!(request.send().await.unwrap().status(), 200);

    let mut page = FirefoxPage::open(program).await;
    page.go(&player(&base, &key, "Gift finder").await).await;
    page.wait_until("player.dataset.state === 'ready'").await;
    // Who goes on by Tab needs longer on a busy machine than the films play.
    page.value("video.defaultPlaybackRate = 0.25").await;
    press(&mut page, "Play").await;
    page.wait_until("video.currentTime > 0.2 && document.activeElement.id === 'overlay'").await;
    page.key("c").await;
    page.wait_until("document.getElementById('caption').textContent === 'Welcome to the shop'").await;
    for answer in ["For him", "Old boots", "To the small presents", "Wrap it"] {
        page.wait_until("document.activeElement.id === 'overlay'").await;
        press(&mut page, "Skip the video").await;
        press(&mut page, answer).await;
    }
    page.wait_until("player.dataset.state === 'end' && overlay.textContent === 'Thank you for watching'").await;
    press(&mut page, "Send").await;
    page.wait_until("document.activeElement.id === 'name'").await;
    for letter in ["K", "a", "r", "i"] {
        page.key(letter).await;
    }
    press(&mut page, "Send").await;
    page.wait_until("form.hidden").await;
    // The browser's Back goes back a step.
    press(&mut page, "Start again").await;
    press(&mut page, "Skip the video").await;
    press(&mut page, "For her").await;
    page.wait_until("overlay.textContent === 'What does she like?'").await;
    page.value("history.back()").await;
    page.wait_until("overlay.textContent === 'Who is it for?'").await;
    running.stop().await;
}

#[tokio::test]
async fn a_shops_page_hears_the_player() {
    let Some(program) = program() else { return };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let address = player(running.base_url(), &key, "Range tour").await;
    let snippet = Embed::default().snippet(&address, "Range tour").unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shop = format!("http://{}/", listener.local_addr().unwrap());
    let body = format!(
        "<!doctype html><title>Shop</title><body><script>window.got = [];
        for (const what of ['ready', 'step', 'play', 'pause', 'end'])
            document.addEventListener(`cutaway:${{what}}`, ({{ detail }}) => got.push(detail.type));
        </script>{snippet}"
    );
    let router = Router::new().route("/", get(move || async move { Html(body) }));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let mut page = FirefoxPage::open(program).await;
    page.go(&shop).await;
    page.value("document.querySelector('iframe').scrollIntoView()").await;
    page.wait_until("got.includes('cutaway:ready')").await;
    page.wait_until_in(
        &address,
        "document.getElementById('start').checkVisibility() && !document.querySelector('[data-settling]')",
    )
    .await;
    page.value_in(&address, "void document.getElementById('start').click()").await;
    page.wait_until("got.includes('cutaway:step') && got.includes('cutaway:play')").await;
    page.value("document.querySelector('.cutaway-player').cutaway.pause()").await;
    page.wait_until("got.includes('cutaway:pause')").await;
    assert_eq!(page.value_in(&address, "document.getElementById('video').paused").await, true);
    running.stop().await;
}
