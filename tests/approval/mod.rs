//! The person in the browser: approves or refuses on the pages of the real authorization server.

#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use reqwest::redirect::Policy;
use reqwest::{Response, Url};

/// Runs what a browser does on a small runtime of its own.
fn run<F: Future>(browser: impl FnOnce(reqwest::Client) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { browser(reqwest::Client::builder().redirect(Policy::none()).build().unwrap()).await })
}

fn state_token(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"state_token\" value=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// Decides about a device code on its page; the status that the page answered with.
pub fn decide_device(page: &str, user_code: &str, key: &str, decision: &str) -> u16 {
    run(async |http| {
        let token = state_token(&http.get(page).send().await.unwrap().text().await.unwrap());
        let form = [("state_token", &*token), ("user_code", user_code), ("api_key", key), ("decision", decision)];
        http.post(page).form(&form).send().await.unwrap().status().as_u16()
    })
}

/// Decides on the page of a sign-in by code, and gives the address that the browser is sent back to.
pub fn decide_code(address: &str, key: &str, decision: &str) -> String {
    run(async |http| {
        let token = state_token(&http.get(address).send().await.unwrap().text().await.unwrap());
        let mut page = Url::parse(address).unwrap();
        page.set_query(None);
        let form = [("state_token", &*token), ("api_key", key), ("decision", decision)];
        let sent: Response = http.post(page).form(&form).send().await.unwrap();
        sent.headers()["location"].to_str().unwrap().to_owned()
    })
}

/// Goes where the browser was sent.
pub fn follow(address: &str) -> u16 {
    run(async |http| http.get(address).send().await.unwrap().status().as_u16())
}
