//! The person in the browser: approves or refuses on the pages of the real authorization server.

#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use reqwest::redirect::Policy;
use reqwest::{Response, Url};

/// Runs what a browser does on a small runtime of its own.
fn run<F: Future>(browser: impl FnOnce(reqwest::Client) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { browser(reqwest::Client::builder().redirect(Policy::none()).build().unwrap()).await })
}

/// What a page that was shown has to be answered with: its ticket, and the cookie that it left in the browser.
pub async fn shown(page: Response) -> (String, String) {
    let cookie = page.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let text = page.text().await.unwrap();
    let (_, rest) = text.split_once("name=\"state_token\" value=\"").unwrap();
    (rest.split_once('"').unwrap().0.to_owned(), cookie)
}

/// Decides about a device code on its page; the status that the page answered with.
pub fn decide_device(page: &str, user_code: &str, key: &str, decision: &str) -> u16 {
    run(async |http| {
        let (token, cookie) = shown(http.get(page).send().await.unwrap()).await;
        let form = [("state_token", &*token), ("user_code", user_code)];
        let asked = http.post(page).header("cookie", cookie).form(&form).send().await.unwrap();
        let (token, cookie) = shown(asked).await;
        let form = [("state_token", &*token), ("api_key", key), ("decision", decision)];
        http.post(page).header("cookie", cookie).form(&form).send().await.unwrap().status().as_u16()
    })
}

/// Decides on the page of a sign-in by code, and gives the address that the browser is sent back to.
pub fn decide_code(address: &str, key: &str, decision: &str) -> String {
    run(async |http| {
        let (token, cookie) = shown(http.get(address).send().await.unwrap()).await;
        let mut page = Url::parse(address).unwrap();
        page.set_query(None);
        let form = [("state_token", &*token), ("api_key", key), ("decision", decision)];
        let sent: Response = http.post(page).header("cookie", cookie).form(&form).send().await.unwrap();
        sent.headers()["location"].to_str().unwrap().to_owned()
    })
}

/// Goes where the browser was sent.
pub fn follow(address: &str) -> u16 {
    run(async |http| http.get(address).send().await.unwrap().status().as_u16())
}
