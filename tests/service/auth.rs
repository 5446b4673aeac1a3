//! The authorization server over real HTTP: both ways to a token (RFC 6749 with RFC 7636, RFC 8628), renewal,
//! revocation, and misuse of each.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::approval;
use crate::hosted;

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

use approval::shown;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cutaway::service::{ServeOptions, Timing, offline};
use hosted::{ServedFor, on};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const BACK: &str = "http://127.0.0.1:49152/back";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn start(data: &Path, timing: Timing) -> Self {
        let http = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        Self { http, ..Self::empty(ServeOptions { timing, ..on(data) }).await }
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Response {
        self.http.get(self.url(path)).query(query).send().await.unwrap()
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        self.http.post(self.url(path)).form(form).send().await.unwrap()
    }

    /// Answers a page in the browser that it was shown in.
    async fn answer(&self, path: &str, page: &(String, String), fields: &[(&str, &str)]) -> Response {
        let form = [&[("state_token", page.0.as_str())], fields].concat();
        self.http.post(self.url(path)).header("cookie", &page.1).form(&form).send().await.unwrap()
    }

    /// The request for a code, with some parameters in another way.
    async fn authorize(&self, others: &[(&str, &str)]) -> Response {
        let challenge = challenge();
        let mut query = vec![
            ("response_type", "code"),
            ("client_id", "cutaway"),
            ("redirect_uri", BACK),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("scope", "workspace"),
            ("state", "s&t=1"),
        ];
        for (name, value) in others {
            query.retain(|(known, _)| known != name);
            query.push((name, value));
        }
        self.get("/oauth/authorize", &query).await
    }

    /// Approves on the page and returns the code.
    async fn code(&self) -> String {
        let page = shown(self.authorize(&[]).await).await;
        let fields = [("api_key", self.key.as_str()), ("decision", "approve")];
        let back = sent_back(&self.answer("/oauth/authorize", &page, &fields).await);
        assert_eq!(back.get("state").unwrap(), "s&t=1");
        assert_eq!(back.get("iss").unwrap(), self.running.base_url());
        back["code"].as_str().unwrap().to_owned()
    }

    async fn token(&self, form: &[(&str, &str)]) -> (StatusCode, Value) {
        let answer = self.post("/oauth/token", form).await;
        assert_eq!(answer.headers()["cache-control"], "no-store");
        (answer.status(), answer.json().await.unwrap())
    }

    async fn redeem(&self, code: &str, others: &[(&str, &str)]) -> (StatusCode, Value) {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("client_id", "cutaway"),
            ("code", code),
            ("redirect_uri", BACK),
            ("code_verifier", VERIFIER),
        ];
        for (name, value) in others {
            form.retain(|(known, _)| known != name);
            form.push((name, value));
        }
        self.token(&form).await
    }

    async fn renew(&self, token: &str) -> (StatusCode, Value) {
        self.token(&[("grant_type", "refresh_token"), ("client_id", "cutaway"), ("refresh_token", token)]).await
    }

    async fn poll(&self, device_code: &str) -> (StatusCode, Value) {
        let grant = "urn:ietf:params:oauth:grant-type:device_code";
        self.token(&[("grant_type", grant), ("client_id", "cutaway"), ("device_code", device_code)]).await
    }

    async fn device(&self) -> Value {
        let form = [("client_id", "cutaway"), ("scope", "workspace")];
        let request = self.http.post(self.url("/oauth/device_authorization")).header("user-agent", "a-test/1 <b>");
        let answer = request.form(&form).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.json().await.unwrap()
    }

    /// Types the words of a device code on the page for them.
    async fn type_code(&self, user_code: &str) -> Response {
        let page = shown(self.get("/oauth/device", &[]).await).await;
        self.answer("/oauth/device", &page, &[("user_code", user_code)]).await
    }

    /// Decides on the pages about a device code.
    async fn decide(&self, user_code: &str, key: &str, decision: &str) -> Response {
        let asked = self.type_code(user_code).await;
        if asked.status() != 200 {
            return asked;
        }
        self.answer("/oauth/device", &shown(asked).await, &[("api_key", key), ("decision", decision)]).await
    }

    /// Whether a token is good for the API.
    async fn is_good(&self, token: &Value) -> bool {
        let token = token.as_str().unwrap();
        let answer = self.http.get(self.url("/users/me")).bearer_auth(token).send().await.unwrap();
        answer.status() == 200
    }
}

fn sent_back(answer: &Response) -> Value {
    assert_eq!(answer.status(), 303);
    let to = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert!(to.as_str().starts_with(BACK), "{to}");
    to.query_pairs().map(|(name, value)| (name.into_owned(), Value::from(value.into_owned()))).collect()
}

fn refused(answer: (StatusCode, Value), error: &str) {
    assert_eq!((answer.0.as_u16(), &answer.1["error"]), (400, &json!(error)), "{}", answer.1);
}

#[tokio::test]
async fn a_code_with_pkce() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let metadata: Value = served.get("/.well-known/oauth-authorization-server", &[]).await.json().await.unwrap();
    assert_eq!(metadata["issuer"], served.running.base_url());
    assert_eq!(metadata["token_endpoint"], served.url("/oauth/token"));
    assert_eq!(metadata["authorization_endpoint"], served.url("/oauth/authorize"));
    assert_eq!(metadata["device_authorization_endpoint"], served.url("/oauth/device_authorization"));
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(metadata["scopes_supported"], json!(["workspace"]));

    let page = served.authorize(&[]).await;
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("form-action 'self' http://127.0.0.1:49152;"), "{policy}");
    assert_eq!(page.headers()["cache-control"], "no-store");
    let cookie = page.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"), "{cookie}");
    let page = page.text().await.unwrap();
    assert!(!page.contains("<script") && !page.contains("https://"), "{page}");

    let (status, token) = served.redeem(&served.code().await, &[]).await;
    assert_eq!(status, 200);
    assert_eq!(
        (&token["token_type"], &token["scope"], &token["expires_in"]),
        (&json!("Bearer"), &json!("workspace"), &json!(3600))
    );
    assert!(served.is_good(&token["access_token"]).await);
    assert!(!served.is_good(&token["refresh_token"]).await);

    let (status, renewed) = served.renew(token["refresh_token"].as_str().unwrap()).await;
    assert_eq!(status, 200);
    assert_ne!(renewed["refresh_token"], token["refresh_token"]);
    assert!(served.is_good(&renewed["access_token"]).await);
    // Somebody uses the old one again: whoever it is, nobody keeps anything.
    refused(served.renew(token["refresh_token"].as_str().unwrap()).await, "invalid_grant");
    refused(served.renew(renewed["refresh_token"].as_str().unwrap()).await, "invalid_grant");
    for access in [&token["access_token"], &renewed["access_token"]] {
        assert!(!served.is_good(access).await);
    }

    let (_, token) = served.redeem(&served.code().await, &[]).await;
    assert!(served.is_good(&token["access_token"]).await);
    let form = [("client_id", "cutaway"), ("token", token["refresh_token"].as_str().unwrap())];
    assert_eq!(served.post("/oauth/revoke", &form).await.status(), 200);
    assert!(!served.is_good(&token["access_token"]).await);
    assert_eq!(served.post("/oauth/revoke", &[("client_id", "cutaway"), ("token", "unknown")]).await.status(), 200);
    served.running.stop().await;
}

#[tokio::test]
async fn misuse_of_codes() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    // Nobody is sent to an address that is not this machine's, or for a client that is not known.
    for others in [
        [("redirect_uri", "https://elsewhere.example/back")],
        [("redirect_uri", "http://localhost:49152/back")],
        [("redirect_uri", "")],
        [("client_id", "another")],
    ] {
        let answer = served.authorize(&others).await;
        assert_eq!(answer.status(), 400, "{others:?}");
        assert!(!answer.headers().contains_key("location"));
    }
    for (name, value, error) in [
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("scope", "everything", "invalid_scope"),
        ("response_type", "token", "unsupported_response_type"),
    ] {
        let back = sent_back(&served.authorize(&[(name, value)]).await);
        assert_eq!((&back["error"], &back["state"]), (&json!(error), &json!("s&t=1")), "{name}");
        assert!(back.get("code").is_none());
    }

    // A code is good once, for its own verifier and redirect.
    let code = served.code().await;
    refused(served.redeem(&code, &[("code_verifier", &"x".repeat(43))]).await, "invalid_grant");
    refused(served.redeem(&code, &[]).await, "invalid_grant");
    let code = served.code().await;
    refused(served.redeem(&code, &[("redirect_uri", "http://127.0.0.1:1/back")]).await, "invalid_grant");
    let code = served.code().await;
    refused(served.redeem(&code, &[("client_id", "another")]).await, "invalid_client");
    refused(served.redeem(&code, &[("code_verifier", "")]).await, "invalid_request");
    refused(served.redeem(&code, &[("grant_type", "password")]).await, "unsupported_grant_type");
    let (_, token) = served.redeem(&code, &[]).await;
    assert!(served.is_good(&token["access_token"]).await);
    refused(served.redeem(&code, &[]).await, "invalid_grant");
    assert!(!served.is_good(&token["access_token"]).await, "a code that came twice takes its tokens back");
    served.running.stop().await;
}

#[tokio::test]
async fn the_page_is_answered_from_the_page_only() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let page = shown(served.authorize(&[]).await).await;
    let with = |(token, cookie): &(String, String), headers: [(&'static str, String); 1], decision: &'static str| {
        let form = [("state_token", token.clone()), ("api_key", served.key.clone()), ("decision", decision.to_owned())];
        let mut request = served.http.post(served.url("/oauth/authorize")).header("cookie", cookie).form(&form);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        async move { request.send().await.unwrap() }
    };
    let site = |site: &str| [("sec-fetch-site", site.to_owned())];
    let origin = |origin: &str| [("origin", origin.to_owned())];
    let own = served.running.base_url().to_owned();
    for foreign in [site("cross-site"), site("same-site"), origin("https://evil.example"), origin("null")] {
        assert_eq!(with(&page, foreign, "approve").await.status(), 403);
    }
    let changed = |token: &str, cookie: &str| (token.to_owned(), cookie.to_owned());
    assert_eq!(with(&changed("", &page.1), site("same-origin"), "approve").await.status(), 400);
    assert_eq!(with(&changed(&format!("{}x", page.0), &page.1), site("same-origin"), "approve").await.status(), 400);
    // Another browser, and one that has another page's cookie.
    assert_eq!(with(&changed(&page.0, "a=b"), site("same-origin"), "approve").await.status(), 400);
    let other = shown(served.authorize(&[]).await).await;
    assert_eq!(with(&changed(&page.0, &other.1), site("same-origin"), "approve").await.status(), 400);
    let denied = sent_back(&with(&page, site("same-origin"), "deny").await);
    assert_eq!((&denied["error"], denied.get("code")), (&json!("access_denied"), None));
    assert!(sent_back(&with(&page, origin(&own), "approve").await).get("code").is_some());
    // A token is no API key: it can't approve others.
    let (_, own) = served.redeem(&served.code().await, &[]).await;
    let access = own["access_token"].as_str().unwrap();
    let fields = [("api_key", access), ("decision", "approve")];
    assert_eq!(served.answer("/oauth/authorize", &page, &fields).await.status(), 403);
    served.running.stop().await;
}

#[tokio::test]
async fn nobody_locks_the_owner_out() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let (_, token) = served.redeem(&served.code().await, &[]).await;
    // A page of another site posts what it likes, and local programs try keys and tokens.
    let page = shown(served.authorize(&[]).await).await;
    for _ in 0..40 {
        let guess = [("grant_type", "refresh_token"), ("client_id", "cutaway"), ("refresh_token", "guess")];
        let request = served.http.post(served.url("/oauth/token")).form(&guess).header("sec-fetch-site", "cross-site");
        assert_eq!(request.send().await.unwrap().status(), 403);
        let (status, said) = served.renew("guess").await;
        assert!(said["error"] == "invalid_grant" || (status == 429 && said["error"] == "slow_down"), "{said}");
        let fields = [("api_key", "cutaway_key_guess"), ("decision", "approve")];
        assert_eq!(served.answer("/oauth/authorize", &page, &fields).await.status(), 403);
        for path in ["/oauth/device_authorization", "/oauth/revoke", "/oauth/device"] {
            let form = [("client_id", "cutaway"), ("token", "guess"), ("user_code", "BBBB-BBBB")];
            let request = served.http.post(served.url(path)).form(&form).header("origin", "https://evil.example");
            assert_eq!(request.send().await.unwrap().status(), 403, "{path}");
        }
    }
    assert_eq!(served.renew(token["refresh_token"].as_str().unwrap()).await.0, 200);
    let device = served.device().await;
    assert_eq!(served.decide(device["user_code"].as_str().unwrap(), &served.key, "approve").await.status(), 200);
    served.code().await;
    served.running.stop().await;
}

#[tokio::test]
async fn guesses_at_user_codes_are_slowed() {
    let data = tempfile::tempdir().unwrap();
    let none = Timing { device_code: Duration::ZERO, ..Timing::default() };
    let served = Served::start(data.path(), none).await;
    // Codes that expired are no guesses.
    let over = served.device().await;
    for _ in 0..10 {
        assert_eq!(served.type_code(over["user_code"].as_str().unwrap()).await.status(), 404);
    }
    let mut statuses = Vec::new();
    for _ in 0..7 {
        let answer = served.type_code("BBBB-BBBB").await;
        statuses.push(answer.status().as_u16());
        if answer.status() == 429 {
            let wait: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((1..=2).contains(&wait));
        }
    }
    assert_eq!(statuses[..5], [404; 5]);
    assert!(statuses.contains(&429), "{statuses:?}");
    // Nothing else is slowed by it.
    refused(served.token(&[("client_id", "cutaway")]).await, "invalid_request");
    served.code().await;
    assert!(served.is_good(&json!(served.key)).await);
    served.running.stop().await;
}

#[tokio::test]
async fn guesses_at_tokens_are_slowed_and_whoever_has_one_is_not() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let (_, granted) = served.redeem(&served.code().await, &[]).await;
    let mut statuses = Vec::new();
    for _ in 0..22 {
        statuses.push(served.renew("a-token-of-nobody").await.0.as_u16());
    }
    assert_eq!(statuses[..20], [400; 20]);
    assert!(statuses.contains(&429), "{statuses:?}");
    // Whoever has a token renews it from the same address.
    assert_eq!(served.renew(granted["refresh_token"].as_str().unwrap()).await.0, 200);
    served.running.stop().await;
}

#[tokio::test]
async fn revoking_is_limited_for_those_who_have_nothing_to_revoke() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let (_, token) = served.redeem(&served.code().await, &[]).await;
    let revoke = async |token: &str| {
        served.post("/oauth/revoke", &[("client_id", "cutaway"), ("token", token)]).await.status().as_u16()
    };
    let mut statuses = Vec::new();
    while statuses.len() < 200 && !statuses.contains(&429) {
        statuses.push(revoke("guess").await);
    }
    assert!(statuses.len() > 10 && statuses.contains(&429), "{statuses:?}");
    assert_eq!(revoke(token["refresh_token"].as_str().unwrap()).await, 200);
    assert!(!served.is_good(&token["access_token"]).await);
    served.running.stop().await;
}

#[tokio::test]
async fn only_names_of_this_machine_are_answered() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let status = async |host: &str| {
        let request = served.http.get(served.url("/healthz")).header("host", host);
        request.send().await.unwrap().status().as_u16()
    };
    for own in ["localhost", "localhost:9000", "127.0.0.1:1", "[::1]:7227", "LocalHost"] {
        assert_eq!(status(own).await, 200, "{own}");
    }
    for other in ["evil.example", "evil.example:7227", "127.0.0.1.evil.example", "localhost.evil.example"] {
        assert_eq!(status(other).await, 421, "{other}");
    }
    served.running.stop().await;

    let public_url = Some("https://video.example.com".parse().unwrap());
    let options = ServeOptions { data: data.path().to_owned(), public_url, ..ServeOptions::default() };
    let Served { running, http, .. } = Served::empty(options).await;
    let at = format!("{}/.well-known/oauth-authorization-server", running.base_url());
    let answer = http.get(&at).header("host", "video.example.com").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let metadata: Value = answer.json().await.unwrap();
    assert_eq!(metadata["issuer"], "https://video.example.com");
    assert_eq!(metadata["token_endpoint"], "https://video.example.com/oauth/token");
    assert_eq!(http.get(&at).header("host", "evil.example").send().await.unwrap().status(), 421);
    running.stop().await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_real_client_counts() {
    let data = tempfile::tempdir().unwrap();
    let proxy = IpAddr::from(Ipv4Addr::LOCALHOST).into();
    for trusted_proxies in [vec![proxy], Vec::new()] {
        let believed = !trusted_proxies.is_empty();
        let options = ServeOptions { data: data.path().to_owned(), trusted_proxies, ..ServeOptions::default() };
        let Served { running, http, .. } = Served::empty(options).await;
        let guess = async |client: &str| {
            let at = format!("{}/oauth/revoke", running.base_url());
            let form = [("client_id", "cutaway"), ("token", "guess")];
            let asked = http.post(at).header("x-forwarded-for", client).form(&form).send();
            asked.await.unwrap().status().as_u16()
        };
        for _ in 0..200 {
            // Whatever a client says of itself stands before what the proxy adds.
            guess(&format!("198.51.100.{}, 192.0.2.1", rand_octet())).await;
        }
        assert_eq!(guess("192.0.2.1").await, 429);
        assert_eq!(guess("192.0.2.2").await, if believed { 200 } else { 429 });
        running.stop().await;
    }
}

/// Some number that differs from call to call.
fn rand_octet() -> u8 {
    uuid::Uuid::new_v4().as_bytes()[0]
}

#[tokio::test]
async fn a_device_code() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let device = served.device().await;
    let (device_code, user_code) = (device["device_code"].as_str().unwrap(), device["user_code"].as_str().unwrap());
    assert_eq!((&device["interval"], &device["expires_in"]), (&json!(5), &json!(900)));
    assert_eq!(device["verification_uri"], served.url("/oauth/device"));
    assert_eq!(device["verification_uri_complete"], served.url(&format!("/oauth/device?user_code={user_code}")));
    let page = served.get("/oauth/device", &[("user_code", user_code)]).await.text().await.unwrap();
    assert!(page.contains(user_code));
    // Who asks is shown to whoever knows the code.
    let page = served.type_code(user_code).await.text().await.unwrap();
    assert!(page.contains(user_code) && page.contains("127.0.0.1") && page.contains("a-test/1"), "{page}");
    refused(served.poll(device_code).await, "authorization_pending");
    refused(served.poll(device_code).await, "slow_down");
    assert_eq!(served.decide(user_code, "wrong", "approve").await.status(), 403);
    assert_eq!(served.decide("BBBB-BBBB", &served.key, "approve").await.status(), 404);
    // As a person may type it.
    assert_eq!(served.decide(&user_code.to_lowercase().replace('-', " "), &served.key, "approve").await.status(), 200);
    let (status, token) = served.poll(device_code).await;
    assert_eq!(status, 200, "{token}");
    assert!(served.is_good(&token["access_token"]).await);
    assert_eq!(served.renew(token["refresh_token"].as_str().unwrap()).await.0, 200);
    refused(served.poll(device_code).await, "invalid_grant");
    assert_eq!(served.decide(user_code, &served.key, "approve").await.status(), 404);

    let device = served.device().await;
    let (device_code, user_code) = (device["device_code"].as_str().unwrap(), device["user_code"].as_str().unwrap());
    assert_eq!(served.decide(user_code, "", "deny").await.status(), 200);
    refused(served.poll(device_code).await, "access_denied");
    let answer = served.post("/oauth/device_authorization", &[("client_id", "another")]).await;
    assert_eq!(answer.status(), 400);
    served.running.stop().await;
}

#[tokio::test]
async fn what_is_over_is_over() {
    let data = tempfile::tempdir().unwrap();
    let none = Duration::ZERO;
    let timing = Timing { code: none, device_code: none, refresh: none, ..Timing::default() };
    let served = Served::start(data.path(), timing).await;
    refused(served.redeem(&served.code().await, &[]).await, "invalid_grant");
    let device = served.device().await;
    assert_eq!(served.decide(device["user_code"].as_str().unwrap(), &served.key, "approve").await.status(), 404);
    refused(served.poll(device["device_code"].as_str().unwrap()).await, "expired_token");
    served.running.stop().await;

    // Nothing of it is in the files as it is on the wire.
    let served = Served::start(data.path(), Timing { code: Duration::from_secs(60), ..Timing::default() }).await;
    let code = served.code().await;
    let (_, token) = served.redeem(&code, &[]).await;
    let device = served.device().await;
    served.running.stop().await;
    let texts =
        [&json!(code), &token["access_token"], &token["refresh_token"], &device["device_code"], &device["user_code"]];
    for entry in std::fs::read_dir(data.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = std::fs::read(path).unwrap();
        for text in texts {
            let text = text.as_str().unwrap().as_bytes();
            assert!(!bytes.windows(text.len()).any(|window| window == text));
        }
    }
}

#[tokio::test]
async fn a_grant_ends_however_often_it_is_refreshed() {
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { grant: Duration::from_secs(3), ..Timing::default() };
    let served = Served::start(data.path(), timing).await;
    let (status, mut token) = served.redeem(&served.code().await, &[]).await;
    assert_eq!(status, 200);
    assert!(token["expires_in"].as_i64().unwrap() <= 3, "no token outlasts its grant: {token}");
    let begun = std::time::Instant::now();
    let refused_at = loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is refreshed for ever");
        let (status, next) = served.renew(token["refresh_token"].as_str().unwrap()).await;
        if status == 400 {
            break next;
        }
        token = next;
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(refused_at["error"], "invalid_grant");
    assert!(!served.is_good(&token["access_token"]).await);
    assert_eq!(offline::grants(&hosted::kept(data.path())).await.unwrap(), []);
    served.running.stop().await;
}

/// Whether a film is arriving, in the folder or in a bucket.
fn is_on_its_way(data: &Path) -> bool {
    match hosted::s3::files_of(data) {
        Some(_) => hosted::count(data, "blob WHERE state = 'arriving'") > 0,
        None => data.join("blobs/moving").read_dir().is_ok_and(|mut files| files.next().is_some()),
    }
}

/// The first half of an upload, under way; the rest of it, and then the status of the answer.
async fn half_an_upload(served: &Served, token: &str, data: &Path) -> (TcpStream, Vec<u8>) {
    let begin = "--x\r\ncontent-disposition: form-data; name=\"videoBlob\"; filename=\"late.mp4\"\r\ncontent-type: video/mp4\r\n\r\n";
    let film = [b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec(), vec![0; 100_000]].concat();
    let mut body = [begin.as_bytes(), &film, b"\r\n--x--\r\n"].concat();
    let rest = body.split_off(body.len() / 2);
    let address = served.running.base_url().strip_prefix("http://").unwrap();
    let head = format!(
        "POST /videos HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\
         content-type: multipart/form-data; boundary=x\r\nconnection: close\r\n\r\n",
        body.len() + rest.len()
    );
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
    until("the film is on its way", || is_on_its_way(data)).await;
    (socket, rest)
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn finished((mut socket, rest): (TcpStream, Vec<u8>)) -> String {
    socket.write_all(&rest).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn an_upload_that_outlasts_its_grant_arrives_and_one_whose_grant_was_revoked_does_not() {
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { grant: Duration::from_secs(5), sweep: Duration::from_millis(20), ..Timing::default() };
    let served = Served::start(data.path(), timing).await;
    let (_, revoked) = served.redeem(&served.code().await, &[]).await;
    let upload = half_an_upload(&served, revoked["access_token"].as_str().unwrap(), data.path()).await;
    let grants = offline::grants(&hosted::kept(data.path())).await.unwrap();
    offline::revoke_grant(&hosted::kept(data.path()), &grants[0].id).await.unwrap();
    let answer = finished(upload).await;
    assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("revoked"), "{answer}");
    until("nothing is on its way", || !is_on_its_way(data.path())).await;

    let (_, over) = served.redeem(&served.code().await, &[]).await;
    let upload = half_an_upload(&served, over["access_token"].as_str().unwrap(), data.path()).await;
    // Its tokens end with the grant, and the first sweep after that takes them away.
    let tokens = || hosted::count(data.path(), "refresh_token");
    until("the grant is over and swept", || tokens() == 0).await;
    assert!(!served.is_good(&over["access_token"]).await);
    refused(served.renew(over["refresh_token"].as_str().unwrap()).await, "invalid_grant");
    assert_eq!(offline::grants(&hosted::kept(data.path())).await.unwrap(), [], "it is no longer listed");
    let answer = finished(upload).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "what began in time may end: {answer}");
    served.running.stop().await;
}

#[tokio::test]
async fn grants_are_listed_and_revoked_beside_the_service() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), Timing::default()).await;
    let (_, kept) = served.redeem(&served.code().await, &[]).await;
    let (_, gone) = served.redeem(&served.code().await, &[]).await;
    assert!(served.is_good(&kept["access_token"]).await && served.is_good(&gone["access_token"]).await);
    let grants = offline::grants(&hosted::kept(data.path())).await.unwrap();
    assert_eq!(grants.len(), 2);
    assert_eq!((grants[0].flow.as_deref(), grants[0].scope), (Some("authorization_code"), "read-write"));
    let mut ids: Vec<String> = grants.iter().map(|grant| grant.id.clone()).collect();
    offline::revoke_grant(&hosted::kept(data.path()), &ids.remove(0)).await.unwrap();
    let good = [served.is_good(&kept["access_token"]).await, served.is_good(&gone["access_token"]).await];
    assert_eq!(good.into_iter().filter(|good| *good).count(), 1, "one of the two ended, at once");
    let over = if good[0] { &gone } else { &kept };
    refused(served.renew(over["refresh_token"].as_str().unwrap()).await, "invalid_grant");

    // What was approved with a key ends when that key is revoked.
    let keys = offline::keys(&hosted::kept(data.path())).await.unwrap();
    let approving = keys.iter().find(|key| Some(&key.id) == grants[0].key_id.as_ref()).unwrap();
    assert_eq!(offline::revoke_key(&hosted::kept(data.path()), &approving.id).await.unwrap().grants, 1);
    for token in [&kept, &gone] {
        assert!(!served.is_good(&token["access_token"]).await);
    }
    let log = offline::audit(&hosted::kept(data.path()), None, 100).await.unwrap();
    let actions: Vec<&str> = log.iter().map(|entry| entry.action.as_str()).collect();
    for action in ["grant add", "grant revoke", "key revoke"] {
        assert!(actions.contains(&action), "{actions:?}");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn what_a_read_only_key_approves_only_reads() {
    let data = tempfile::tempdir().unwrap();
    let mut served = Served::start(data.path(), Timing::default()).await;
    let new = offline::NewKey { read_only: true, ..offline::NewKey::default() };
    served.key = offline::add_key(&hosted::kept(data.path()), new).await.unwrap().expose().to_owned();
    let (_, token) = served.redeem(&served.code().await, &[]).await;
    assert!(served.is_good(&token["access_token"]).await);
    let project = json!({ "project": { "name": "new" } });
    let access = token["access_token"].as_str().unwrap();
    let answer = served.http.post(served.url("/projects")).bearer_auth(access).json(&project).send().await.unwrap();
    assert_eq!(answer.status(), 403);
    let how = answer.headers()["www-authenticate"].to_str().unwrap();
    assert!(how.contains("insufficient_scope"), "{how}");
    let (_, renewed) = served.renew(token["refresh_token"].as_str().unwrap()).await;
    let access = renewed["access_token"].as_str().unwrap();
    let answer = served.http.post(served.url("/projects")).bearer_auth(access).json(&project).send().await.unwrap();
    assert_eq!(answer.status(), 403);
    served.running.stop().await;
}
