//! Playing and moving by hand: Space, M, the arrows, a touch on the film, the position, the steps as chapters, the film in
//! a window of its own. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::browser;

use browser::{Page, player, serve};
use serde_json::json;

#[tokio::test]
async fn a_film_is_led_by_keys_and_touch_and_steps_are_chapters() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: the player was not led by hand, no Chromium is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let mut page = Page::open(program).await;
    page.go(&player(running.base_url(), &key, "Range tour").await).await;
    page.press("Play").await;
    page.wait_until("video.currentTime > 0.2 && !document.querySelector('[data-settling]')").await;
    page.key(" ", 32).await;
    page.wait_until("video.paused && pause.textContent === 'Resume'").await;
    page.key("m", 77).await;
    page.wait_until("video.muted && said.textContent === 'Sound is off'").await;
    page.click("scene", 1).await;
    page.wait_until("!video.paused").await;
    page.click("scene", 1).await;
    page.wait_until("video.paused").await;
    // The position is a slider that says where it is.
    page.value("seek.focus()").await;
    assert_eq!(page.value("seek.getAttribute('aria-label')").await, "Position in the video");
    for _ in 0..5 {
        page.key("ArrowRight", 39).await;
    }
    page.wait_until("video.currentTime > 0.3 && /^0:0\\d \\/ 0:\\d\\d$/.test(seek.getAttribute('aria-valuetext'))")
        .await;
    assert_eq!(page.value("document.getElementById('chapters-toggle').hidden").await, true);
    page.value("document.getElementById('overlay').focus()").await;
    for (key, code, there) in
        [("ArrowLeft", 37, "video.currentTime === 0"), ("ArrowRight", 39, "video.currentTime > 2")]
    {
        page.key(key, code).await;
        page.wait_until(there).await;
    }
    // That was past the time of the answers.
    page.wait_until("player.dataset.state === 'asking'").await;
    page.press("Next").await;
    page.skip().await;
    page.press("Next").await;
    page.press("Steps").await;
    page.wait_until("document.activeElement.id === 'chapters-title'").await;
    let titles = "[...document.querySelectorAll('#chapters-list button')].map((one) => one.textContent)";
    let stops = ["Five stops, half a minute", "Three layers against rain", "Resoled, not replaced"];
    assert_eq!(page.value(titles).await, json!(stops));
    let current = "document.querySelector('#chapters-list [aria-current=step]')?.textContent";
    assert_eq!(page.value(current).await, stops[2]);
    page.press(stops[0]).await;
    page.wait_until(&format!("overlay.textContent === {}", json!(stops[0]))).await;
    page.wait_until(&format!("{current} === {}", json!(stops[0]))).await;
    // What came after is still there to go on to.
    page.press(stops[1]).await;
    page.wait_until(&format!("overlay.textContent === {}", json!(stops[1]))).await;

    // A window of its own, where the browser has one and gives it.
    if page.value("document.pictureInPictureEnabled").await == true {
        page.wait_until("!pip.hidden && video.readyState > 0").await;
        page.wait_until("!document.querySelector('[data-settling]')").await;
        page.click("pip", 1).await;
    } else {
        assert_eq!(page.value("pip.hidden").await, true);
    }
    assert_eq!(page.complaints, Vec::<String>::new());
    running.stop().await;
}
