//! The sample's quiz from its first page to its last, by keyboard only, as a screen reader reads it: what has the focus
//! is looked up in the accessibility tree. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

use crate::browser;

use browser::{Page, player, serve};
use serde_json::{Value, json};

/// More stops of the Tab key than any page of the player has.
const MOST_STOPS: usize = 30;

/// Every node that is not ignored: role, name, whether it has the focus.
async fn tree(page: &mut Page) -> Vec<(String, String, bool)> {
    let whole = page.ask("Accessibility.getFullAXTree", json!({})).await;
    let nodes = whole["nodes"].as_array().unwrap().iter().filter(|node| node["ignored"] != true);
    let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
    let focused = |node: &Value| {
        let properties = node["properties"].as_array();
        properties.is_some_and(|all| all.iter().any(|one| one["name"] == "focused" && one["value"]["value"] == true))
    };
    nodes.map(|node| (text(&node["role"]), text(&node["name"]), focused(node))).collect()
}

/// Waits until a node of this role and name is there.
async fn hear(page: &mut Page, role: &str, name: &str) {
    let begun = std::time::Instant::now();
    loop {
        let tree = tree(page).await;
        if tree.iter().any(|(its_role, its_name, _)| its_role == role && its_name == name) {
            return;
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "no {role} {name:?} in {tree:?}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Goes on by the Tab key to a button of this name, and presses it by keyboard, once a press counts.
async fn press(page: &mut Page, name: &str) {
    hear(page, "button", name).await;
    let mut seen = Vec::new();
    for _ in 0..MOST_STOPS {
        page.key("Tab", 9).await;
        let focused = tree(page).await.into_iter().rfind(|(role, _, focused)| *focused && role != "RootWebArea");
        if focused.as_ref().is_some_and(|(role, its_name, _)| role == "button" && its_name == name) {
            page.wait_until("!document.querySelector('[data-settling]')").await;
            page.key("Enter", 13).await;
            return;
        }
        seen.push(focused);
    }
    panic!("the Tab key never comes to {name:?}: {seen:?}");
}

#[tokio::test]
async fn the_quiz_is_played_to_its_end_by_keyboard_and_ear() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: the quiz was not played by keyboard, no Chromium is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let mut page = Page::open(program).await;
    page.ask("Accessibility.enable", json!({})).await;
    page.go(&player(running.base_url(), &key, "Gift finder").await).await;
    hear(&mut page, "heading", "Gift finder").await;
    // Who goes on by Tab needs longer on a busy machine than the films play.
    page.value("video.defaultPlaybackRate = 0.25").await;
    press(&mut page, "Play").await;
    for (question, answer) in [
        ("Who is it for?", "For him"),
        ("What does he like?", "Old boots"),
        ("Old boots, new boots", "To the small presents"),
        ("Small presents", "Wrap it"),
    ] {
        // The question is the heading that has the focus; where the film has no such text, whatever heading it has.
        page.wait_until("document.activeElement.id === 'overlay'").await;
        let heard = tree(&mut page).await;
        let heading = heard.iter().find(|(role, _, focused)| role == "heading" && *focused);
        assert!(heading.is_some(), "{question}: {heard:?}");
        press(&mut page, "Skip the video").await;
        press(&mut page, answer).await;
    }
    hear(&mut page, "heading", "Thank you for watching").await;
    for field in ["Name", "Email", "Phone"] {
        hear(&mut page, "textbox", field).await;
    }
    page.wait_until("document.activeElement.id === 'overlay'").await;
    press(&mut page, "Send").await;
    hear(&mut page, "alert", "").await;
    page.wait_until("document.activeElement.id === 'name'").await;
    for letter in "Kari".chars() {
        page.ask("Input.insertText", json!({ "text": letter.to_string() })).await;
    }
    press(&mut page, "Send").await;
    hear(&mut page, "heading", "Thank you, it's been sent").await;
    press(&mut page, "Start again").await;
    hear(&mut page, "heading", "Who is it for?").await;
    assert_eq!(page.complaints, Vec::<String>::new());
    running.stop().await;
}
