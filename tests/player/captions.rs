//! Captions and transcript of the player, in a real browser. Where there is no Chromium it says loudly that it was
//! skipped.

#![allow(clippy::print_stderr, clippy::unwrap_used, clippy::indexing_slicing)]

use crate::browser;

use std::path::PathBuf;

use browser::{Page, api, player, serve};
use cutaway::service::Running;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Captions of two languages on the first film of the sample's quiz.
async fn caption(base: &str, key: &str) {
    let projects = api(base, key, "/projects/", None).await;
    let quiz = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
    let opened = api(base, key, &format!("/projects/{}", quiz["id"].as_str().unwrap()), None).await;
    let video = opened["steps"][0]["videoId"].as_str().unwrap().to_owned();
    let vtt = |words: [&str; 2]| {
        let [first, second] = words;
        json!({ "vtt": format!("WEBVTT\n\n00:00.000 --> 00:02.000\n{first}\n\n00:02.000 --> 00:20.000\n<b>{second}</b> &amp; more\n") })
    };
    for (language, words) in [("en", ["Welcome", "Choose a gift"]), ("he", ["ברוכים הבאים", "בחרו מתנה"])]
    {
        let url = format!("{base}/videos/{video}/captions/{language}");
        let request = reqwest::Client::new().put(url).bearer_auth(key).json(&vtt(words));
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
}

/// A browser, and a service with captions; nothing where there is no browser.
async fn captioned() -> Option<(PathBuf, Running, String, TempDir)> {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: captions were not tried in a browser, none is on PATH ***\n");
        return None;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    caption(running.base_url(), &key).await;
    Some((program, running, key, data))
}

#[tokio::test]
async fn captions_are_shown_and_the_transcript_is_read_and_used_by_keyboard() {
    let Some((program, running, key, _data)) = captioned().await else { return };
    let base = running.base_url().to_owned();
    let mut page = Page::open(program).await;
    page.go(&player(&base, &key, "Gift finder").await).await;
    page.press("Play").await;
    page.wait_until("!captions.hidden && document.getElementById('transcript-toggle').checkVisibility()").await;
    assert_eq!(page.value("[...video.textTracks].map((track) => track.language)").await, json!(["en", "he"]));
    assert_eq!(page.value("caption.hidden").await, true);

    // C switches them on, and says so.
    page.key("c", 67).await;
    page.wait_until("caption.textContent === 'Choose a gift & more' || caption.textContent === 'Welcome'").await;
    assert_eq!(page.value("[captions.getAttribute('aria-pressed'), caption.lang]").await, json!(["true", "en"]));
    assert_eq!(page.value("said.textContent").await, "Captions are on");

    // The transcript: opened, read, used and closed by keyboard.
    page.value("document.getElementById('transcript-toggle').focus()").await;
    page.wait_until("!document.querySelector('[data-settling]')").await;
    page.key("Enter", 13).await;
    page.wait_until("document.activeElement.id === 'transcript-title'").await;
    let lines = "[...document.querySelectorAll('#transcript-lines button')].map((line) => line.textContent)";
    assert_eq!(page.value(lines).await, json!(["0:00 Welcome", "0:02 Choose a gift & more"]));
    for _ in 0..4 {
        page.key("Tab", 9).await;
    }
    assert_eq!(page.value("document.activeElement.textContent").await, "0:02 Choose a gift & more");
    page.value("video.pause()").await;
    page.key("Enter", 13).await;
    page.wait_until("video.currentTime >= 2 && caption.textContent === 'Choose a gift & more'").await;
    page.wait_until("document.querySelector('[aria-current]').textContent === '0:02 Choose a gift & more'").await;

    // Another language, remembered over a reload, in its own direction.
    let choose = "(() => { const choice = document.getElementById('captions-language'); choice.value = 'he'; \
        choice.dispatchEvent(new Event('change')); })()";
    page.value(choose).await;
    page.wait_until("caption.lang === 'he' && caption.textContent.startsWith('בחרו') && caption.matches(':dir(rtl)')")
        .await;
    page.key("Escape", 27).await;
    page.wait_until("document.activeElement.id === 'transcript-toggle' && transcript.hidden").await;
    page.ask("Page.reload", json!({})).await;
    page.press("Start again").await;
    page.wait_until("!caption.hidden && caption.lang === 'he'").await;

    // A film without captions has neither.
    page.skip().await;
    page.press("For him").await;
    page.wait_until("overlay.textContent === 'What does he like?'").await;
    let shown = "[captions.hidden, caption.hidden, document.getElementById('transcript-toggle').hidden, video.textTracks.length]";
    assert_eq!(page.value(shown).await, json!([true, true, true, 0]));
    assert_eq!(page.complaints, Vec::<String>::new());
    let played: Value = reqwest::get(format!("{}/project", player(&base, &key, "Gift finder").await))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert!(played["steps"][0]["video"]["captions"][0]["url"].as_str().unwrap().contains(".vtt?v="));
    running.stop().await;
}

#[tokio::test]
async fn captions_are_there_in_a_frame_that_a_shop_has_closed_in() {
    let Some((program, running, key, _data)) = captioned().await else { return };
    let base = running.base_url().to_owned();
    // One process for both, so that the frame can be looked into.
    let mut page = Page::open_with(program, &["--disable-features=IsolateSandboxedIframes"]).await;
    let address = player(&base, &key, "Gift finder").await;
    let frame = format!(
        "document.body.innerHTML = '<iframe sandbox=\"allow-scripts\" width=390 height=700 src=\"{address}?lang=en\"></iframe>'"
    );
    page.value(&frame).await;
    page.wait_until_in(
        &address,
        "document.getElementById('start').checkVisibility() && !document.querySelector('[data-settling]')",
    )
    .await;
    page.value_in(&address, "document.getElementById('start').click()").await;
    let captions = "document.getElementById('captions')";
    page.wait_until_in(&address, &format!("!{captions}.hidden && !document.querySelector('[data-settling]')")).await;
    page.value_in(&address, &format!("{captions}.click()")).await;
    page.wait_until_in(&address, "/^(Welcome|Choose a gift)/.test(document.getElementById('caption').textContent)")
        .await;
    assert_eq!(page.value_in(&address, "document.querySelectorAll('#transcript-lines button').length").await, 2);
    running.stop().await;
}
