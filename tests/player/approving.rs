//! The pages on which an owner approves a device code, in a real browser: what is read out first, and that nothing can be
//! pressed once all is decided. Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::approval;
use crate::browser;

use browser::Page;
use serde_json::{Value, json};

/// A fresh device code: the address of its page, and its words.
async fn device(base: &str) -> (String, String) {
    let form = [("client_id", "cutaway")];
    let request = reqwest::Client::new().post(format!("{base}/oauth/device_authorization")).form(&form);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (text("verification_uri_complete"), text("user_code"))
}

/// What a screen reader begins with: the page's title, and what has the focus.
async fn read_out(page: &mut Page) -> (String, String) {
    let focused = "document.readyState === 'complete' && document.activeElement !== document.body";
    page.wait_until(focused).await;
    let read = page.value("[document.title, document.activeElement.className]").await;
    (read[0].as_str().unwrap().to_owned(), read[1].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn errors_are_read_out_first_and_no_form_is_left_once_it_is_decided() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: the approval pages were not tried in a browser, none is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = browser::serve(data.path()).await;
    let base = running.base_url().to_owned();
    let mut page = Page::open(program).await;

    // Words that belong to nobody.
    page.go(&format!("{base}/oauth/device?user_code=BBBB-BBBB")).await;
    page.press("Continue").await;
    page.wait_until("document.querySelector('.fault')").await;
    assert_eq!(read_out(&mut page).await, ("Error: sign in with a code – Cutaway".to_owned(), "fault".to_owned()));

    // A wrong key, then the right one.
    let (address, _) = device(&base).await;
    page.go(&address).await;
    page.press("Continue").await;
    page.wait_until("document.getElementById('api_key')").await;
    page.value("document.getElementById('api_key').value = 'wrong'").await;
    page.press("Approve").await;
    page.wait_until("document.querySelector('.fault')").await;
    assert_eq!(read_out(&mut page).await, ("Error: access not approved – Cutaway".to_owned(), "fault".to_owned()));
    page.value(&format!("document.getElementById('api_key').value = {}", json!(key))).await;
    page.press("Approve").await;
    page.wait_until("document.title.startsWith('Approved')").await;
    assert_eq!(read_out(&mut page).await, ("Approved – Cutaway".to_owned(), "said".to_owned()));
    let pressable = "document.querySelectorAll('form, input, button').length";
    assert_eq!(page.value(pressable).await, 0);

    // Decided elsewhere while the page was open, as by the first of two clicks: nothing to fill in is left.
    let (address, user_code) = device(&base).await;
    page.go(&address).await;
    page.press("Continue").await;
    page.wait_until("document.getElementById('api_key')").await;
    let (elsewhere, words, owner) = (format!("{base}/oauth/device"), user_code.clone(), key.clone());
    let decided = tokio::task::spawn_blocking(move || approval::decide_device(&elsewhere, &words, &owner, "approve"));
    assert_eq!(decided.await.unwrap(), 200);
    page.value(&format!("document.getElementById('api_key').value = {}", json!(key))).await;
    page.press("Approve").await;
    page.wait_until("document.querySelector('.fault')").await;
    assert_eq!(read_out(&mut page).await, ("Error: nothing left to decide – Cutaway".to_owned(), "fault".to_owned()));
    assert_eq!(page.value(pressable).await, 0);
    running.stop().await;
}
