//! The client against services that behave, and services that do not.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cutaway::api::{
    CountProducts, CreateProject, DeleteProject, GetProject, ListProjects, Me, NewProject, UpdateProject,
};
use cutaway::client::{
    Client, ClientError, ClientOptions, Conditions, Exchange, Hosts, Limits, Locate, Located, Observe,
};
use cutaway::domain::ApiKey;
use futures_util::future::{BoxFuture, join_all};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const EXCHANGE: &str = "/account-service/authenticateCliApiKey";
const COUNT: &str = "/products-service/getProductsCount";

fn limits() -> Limits {
    Limits { backoff: Duration::from_millis(1), silence: Duration::from_secs(5), ..Limits::default() }
}

fn options(base: &str) -> ClientOptions {
    let credential = Some(ApiKey::new("marked-key"));
    ClientOptions { credential, limits: limits(), ..ClientOptions::new(Hosts::single(Url::parse(base).unwrap())) }
}

fn count() -> CountProducts {
    CountProducts { app_url: "https://one.example".into(), ..CountProducts::default() }
}

fn create() -> CreateProject {
    CreateProject { project: NewProject { name: "n".into(), ..NewProject::default() }, ..CreateProject::default() }
}

fn total(total: u32) -> ResponseTemplate {
    ResponseTemplate::new(200).insert_header("x-request-id", "req-1").set_body_json(json!({"total": total}))
}

async fn exchanges(server: &MockServer, token: &str) {
    let answer = ResponseTemplate::new(200).set_body_json(json!({"accessToken": token, "expiresIn": 3600}));
    Mock::given(method("POST")).and(path(EXCHANGE)).respond_with(answer).mount(server).await;
}

async fn asked(server: &MockServer, wanted: &str) -> usize {
    server.received_requests().await.unwrap().iter().filter(|request| request.url.path() == wanted).count()
}

/// A server that answers each connection with the next of these bytes (the last one for ever) and closes it.
async fn raw(answers: &'static [&'static [u8]]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let answer = answers[number.min(answers.len() - 1)];
            tokio::spawn(async move {
                let mut request = vec![0; 16 * 1024];
                let _ = socket.read(&mut request).await;
                if answer == b"hang" {
                    // Until the client goes away.
                    while socket.read(&mut request).await.is_ok_and(|n| n > 0) {}
                }
                let _ = socket.write_all(answer).await;
                let _ = socket.shutdown().await;
            });
        }
    });
    (base, connections)
}

/// No service is there.
async fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

const TOKEN: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{\"token\":\"t\"}";
const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\nconnection: close\r\n\r\n{\"total\":7}";
const CUT_OFF: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\nconnection: close\r\n\r\n{\"total\":";

#[tokio::test]
async fn the_key_is_exchanged_once_for_many_callers() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let bearer = header("authorization", "Bearer tok");
    Mock::given(path(COUNT)).and(bearer).respond_with(total(7)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    let operation = count();
    for answer in join_all((0..20).map(|_| client.call(&operation))).await {
        let answer = answer.unwrap();
        assert_eq!(answer.value.total.whole(), Some(7));
        assert_eq!(answer.request_id.as_deref(), Some("req-1"));
        assert_eq!((answer.status, answer.retries), (200, 0));
        assert_eq!(&*answer.body, br#"{"total":7}"#);
    }
    assert_eq!(asked(&server, EXCHANGE).await, 1);
}

#[tokio::test]
async fn a_failed_exchange_is_shared_by_those_who_waited() {
    let server = MockServer::start().await;
    Mock::given(path(EXCHANGE)).respond_with(ResponseTemplate::new(401)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    let operation = count();
    for answer in join_all((0..10).map(|_| client.call(&operation))).await {
        assert_eq!(answer.unwrap_err().exit_code(), 3);
    }
    assert_eq!(asked(&server, EXCHANGE).await, 1);
    assert_eq!(asked(&server, COUNT).await, 0);
}

#[tokio::test]
async fn without_an_exchange_the_key_itself_is_the_bearer() {
    for status in [404, 405, 501] {
        let server = MockServer::start().await;
        Mock::given(path(EXCHANGE)).respond_with(ResponseTemplate::new(status)).mount(&server).await;
        let bearer = header("authorization", "Bearer marked-key");
        Mock::given(path(COUNT)).and(bearer).respond_with(total(1)).mount(&server).await;
        assert!(Client::new(options(&server.uri())).call(&count()).await.is_ok(), "{status}");
    }
}

#[tokio::test]
async fn every_name_of_a_token_is_taken() {
    for body in
        [json!({"access_token": "tok", "expires_in": 60}), json!({"token": "tok"}), json!({"accessToken": "tok"})]
    {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_json(&body);
        Mock::given(path(EXCHANGE)).respond_with(answer).mount(&server).await;
        let bearer = header("authorization", "Bearer tok");
        Mock::given(path(COUNT)).and(bearer).respond_with(total(1)).mount(&server).await;
        assert!(Client::new(options(&server.uri())).call(&count()).await.is_ok(), "{body}");
    }
}

#[tokio::test]
async fn a_401_midway_is_renewed_once_and_then_reported() {
    let server = MockServer::start().await;
    let first = ResponseTemplate::new(200).set_body_json(json!({"accessToken": "old"}));
    Mock::given(path(EXCHANGE)).respond_with(first).up_to_n_times(1).mount(&server).await;
    exchanges(&server, "new").await;
    let old = header("authorization", "Bearer old");
    Mock::given(path(COUNT)).and(old).respond_with(total(1)).up_to_n_times(1).mount(&server).await;
    let renewed = header("authorization", "Bearer new");
    Mock::given(path(COUNT)).and(renewed).respond_with(total(2)).up_to_n_times(1).mount(&server).await;
    Mock::given(path(COUNT)).respond_with(ResponseTemplate::new(401)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    assert_eq!(client.call(&count()).await.unwrap().value.total.whole(), Some(1));
    assert_eq!(client.call(&count()).await.unwrap().value.total.whole(), Some(2), "renewed unseen");
    let refused = client.call(&count()).await.unwrap_err();
    assert_eq!((refused.status(), refused.exit_code()), (Some(401), 3));
    assert_eq!(asked(&server, EXCHANGE).await, 3);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends() {
    let server = MockServer::start().await;
    let short = ResponseTemplate::new(200).set_body_json(json!({"accessToken": "short", "expiresIn": 0.000_001}));
    Mock::given(path(EXCHANGE)).respond_with(short).up_to_n_times(1).mount(&server).await;
    exchanges(&server, "long").await;
    Mock::given(path(COUNT)).respond_with(total(1)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    for _ in 0..3 {
        client.call(&count()).await.unwrap();
    }
    assert_eq!(asked(&server, EXCHANGE).await, 2);
}

#[tokio::test]
async fn reads_are_sent_again_and_retry_after_is_honoured() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let later = |status: u16| ResponseTemplate::new(status).insert_header("retry-after", "0");
    for status in [429, 502, 503, 504] {
        Mock::given(path(COUNT)).respond_with(later(status)).up_to_n_times(1).mount(&server).await;
    }
    Mock::given(path(COUNT)).respond_with(total(9)).mount(&server).await;
    // A back-off beyond the budget: only the service's own word can bring the next try.
    let limits = Limits { backoff: Duration::from_secs(600), ..limits() };
    let client = Client::new(ClientOptions { limits, ..options(&server.uri()) });
    let answer = client.call(&count()).await.unwrap();
    assert_eq!((answer.value.total.whole(), answer.retries), (Some(9), 4));
}

#[tokio::test]
async fn a_retry_after_beyond_the_budget_is_reported_at_once() {
    for after in ["3600", "18446744073709551615", "Fri, 31 Dec 2100 23:59:59 GMT"] {
        let server = MockServer::start().await;
        exchanges(&server, "tok").await;
        let later = ResponseTemplate::new(429).insert_header("retry-after", after);
        Mock::given(path(COUNT)).respond_with(later).mount(&server).await;
        let refused = Client::new(options(&server.uri())).call(&count()).await.unwrap_err();
        assert_eq!((refused.status(), refused.exit_code()), (Some(429), 1));
        assert_eq!(asked(&server, COUNT).await, 1, "{after}");
    }
}

#[tokio::test]
async fn creates_are_never_sent_again() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let later = ResponseTemplate::new(503).insert_header("retry-after", "0");
    Mock::given(path("/projects")).respond_with(later).mount(&server).await;
    let refused = Client::new(options(&server.uri())).call(&create()).await.unwrap_err();
    assert_eq!(refused.status(), Some(503));
    assert_eq!(asked(&server, "/projects").await, 1);

    let (base, connections) =
        raw(&[TOKEN, b"HTTP/1.1 404 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", b""]).await;
    let broken = Client::new(options(&base)).call(&create()).await.unwrap_err();
    assert!(matches!(broken, ClientError::Broken { .. }), "{broken}");
    assert_eq!(connections.load(Ordering::SeqCst), 3, "exchange, users/me, create");
}

#[tokio::test]
async fn broken_connections_and_cut_off_answers_are_tried_again() {
    let (base, _) = raw(&[TOKEN, b"", CUT_OFF, WHOLE]).await;
    let answer = Client::new(options(&base)).call(&count()).await.unwrap();
    assert_eq!((answer.value.total.whole(), answer.retries), (Some(7), 2));
    let (base, connections) = raw(&[TOKEN, CUT_OFF]).await;
    let error = Client::new(options(&base)).call(&count()).await.unwrap_err();
    assert!(matches!(error, ClientError::CutOff { .. }), "{error}");
    assert_eq!(error.exit_code(), 6);
    assert_eq!(connections.load(Ordering::SeqCst), 1 + 5);
}

#[tokio::test]
async fn silence_ends_within_its_limit() {
    // Long enough for a busy machine to answer the exchange in.
    let limits = Limits { silence: Duration::from_millis(800), total: Duration::from_millis(1800), ..limits() };
    let (base, _) = raw(&[TOKEN, b"hang"]).await;
    let silent = Client::new(ClientOptions { limits: limits.clone(), ..options(&base) }).call(&count()).await;
    let whole = |after| after >= Duration::from_millis(1600);
    assert!(matches!(silent, Err(ClientError::Silent { after, .. }) if whole(after)), "all tries: {:?}", silent.err());
    let (base, _) = raw(&[b"hang"]).await;
    let client = Client::new(ClientOptions { limits, ..options(&base) });
    let operation = count();
    let began = std::time::Instant::now();
    for answer in join_all((0..10).map(|_| client.call(&operation))).await {
        assert_eq!(answer.unwrap_err().exit_code(), 6);
    }
    // One after the other they would take eighteen seconds.
    assert!(began.elapsed() < Duration::from_secs(12), "callers waited for one another: {:?}", began.elapsed());
}

#[tokio::test]
async fn answers_that_are_no_json_are_named() {
    let cases: [(&str, &str); 5] = [
        ("", "empty"),
        ("<html><body>hi", "HTML"),
        ("{\"total\":", "too early"),
        ("hello", "not JSON"),
        ("[1]", "must be an object"),
    ];
    for (body, said) in cases {
        let server = MockServer::start().await;
        exchanges(&server, "tok").await;
        let answer = ResponseTemplate::new(200).insert_header("x-request-id", "req-9").set_body_string(body);
        Mock::given(path(COUNT)).respond_with(answer).mount(&server).await;
        let error = Client::new(options(&server.uri())).call(&count()).await.unwrap_err();
        assert!(matches!(&error, ClientError::Unreadable { status: 200, .. }), "{body}: {error}");
        assert!(error.to_string().contains(said) && error.to_string().contains("req-9"), "{body}: {error}");
        assert_eq!(error.exit_code(), 1);
    }
}

#[tokio::test]
async fn a_page_is_no_answer_to_what_changes_something() {
    for (body, done) in [
        ("", true),
        (" \r\n", true),
        ("null", true),
        ("[{\"id\": 3}]", true),
        ("\"ok\"", true),
        ("<!doctype html><title>Sign in to the hotel's network</title>", false),
        ("OK", false),
        ("{\"id\":", false),
    ] {
        let server = MockServer::start().await;
        exchanges(&server, "tok").await;
        let answer = ResponseTemplate::new(200).set_body_string(body);
        Mock::given(path("/projects/p")).respond_with(answer.clone()).mount(&server).await;
        Mock::given(path("/projects")).respond_with(answer).mount(&server).await;
        let client = Client::new(options(&server.uri()));
        let update = UpdateProject { id: "p".into(), ..UpdateProject::default() };
        let delete = DeleteProject { project_id: "p".into(), ..DeleteProject::default() };
        let all = [
            client.call(&update).await.map(|_| ()),
            client.call_raw(&update).await.map(|_| ()),
            client.call(&delete).await.map(|_| ()),
            client.call_raw(&delete).await.map(|_| ()),
        ];
        for came in all {
            assert_eq!(came.is_ok(), done, "{body:?}");
            assert!(done || matches!(came, Err(ClientError::Unreadable { .. })), "{body:?}: {came:?}");
        }
    }
}

#[tokio::test]
async fn every_creation_goes_with_a_key_of_its_own() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let made = ResponseTemplate::new(200).set_body_json(json!({"id": "p"}));
    Mock::given(method("POST")).and(path("/projects")).respond_with(made).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    let under = |key: &str| Conditions { key: Some(key.to_owned()), if_match: Some("\"t\"".to_owned()), once: false };
    client.call(&create()).await.unwrap();
    client.call(&create()).await.unwrap();
    client.call_under(&create(), under("mine")).await.unwrap();
    let _ = client.call_under(&count(), under("mine")).await;
    let sent = server.received_requests().await.unwrap();
    let keys = |wanted: &str| -> Vec<Option<String>> {
        let of = |request: &&Request| request.url.path() == wanted;
        let key = |request: &Request| Some(request.headers.get("idempotency-key")?.to_str().unwrap().to_owned());
        sent.iter().filter(of).map(key).collect()
    };
    let created = keys("/projects");
    assert!(created.iter().all(Option::is_some) && created[0] != created[1], "{created:?}");
    assert_eq!(created[2].as_deref(), Some("mine"));
    assert!(keys(COUNT).iter().all(Option::is_none), "what creates nothing needs none");
    assert!(sent.iter().any(|request| request.headers.get("if-match").is_some_and(|tag| tag == "\"t\"")));
}

#[tokio::test]
async fn wrong_fields_are_found_and_the_rest_is_read() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let answer = json!({"id": 7, "email": "a@b.example", "later": true});
    Mock::given(path("/users/me")).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    let answer = Client::new(options(&server.uri())).call(&Me).await.unwrap();
    assert_eq!(answer.value.email, "a@b.example");
    let paths: Vec<_> = answer.findings.iter().map(cutaway::domain::Finding::path).collect();
    assert_eq!(paths, ["id", "appKey", "later"]);
}

#[tokio::test]
async fn read_only_opens_no_socket() {
    let (base, connections) = raw(&[b""]).await;
    let client = Client::new(ClientOptions { read_only: true, ..options(&base) });
    let refused = client.call(&create()).await.unwrap_err();
    assert_eq!((&refused, refused.exit_code()), (&ClientError::ReadOnly { operation: "createProject", by: None }, 7));
    assert!(matches!(
        client.call(&UpdateProject::default()).await,
        Err(ClientError::Id(_) | ClientError::ReadOnly { .. })
    ));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn without_a_credential_nothing_is_sent() {
    let (base, connections) = raw(&[b""]).await;
    let client = Client::new(ClientOptions { credential: None, ..options(&base) });
    let error = client.call(&count()).await.unwrap_err();
    assert_eq!((&error, error.exit_code()), (&ClientError::NoCredential, 3));
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_key_is_not_sent_in_the_clear_over_public_networks() {
    let error = Client::new(options("http://shop.example.com")).call(&count()).await.unwrap_err();
    assert!(matches!(error, ClientError::InsecureCredential { .. }), "{error}");
}

#[tokio::test]
async fn reads_go_to_the_second_host_and_creates_never() {
    let second = MockServer::start().await;
    exchanges(&second, "tok").await;
    Mock::given(path(COUNT)).respond_with(total(3)).mount(&second).await;
    let user = ResponseTemplate::new(200).set_body_json(json!({"id": "u", "email": "e", "appKey": "a"}));
    Mock::given(path("/users/me")).respond_with(user).mount(&second).await;
    let lb = Some(Url::parse(&second.uri()).unwrap());
    let gone = refusing().await;
    let hosts = Hosts { lb, ..Hosts::single(Url::parse(&gone).unwrap()) };
    let client = Client::new(ClientOptions { hosts, ..options(&gone) });
    assert_eq!(client.call(&count()).await.unwrap().value.total.whole(), Some(3));
    let error = client.call(&create()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert_eq!(error.exit_code(), 6);
    assert_eq!(asked(&second, "/projects").await, 0);
}

struct Moved {
    to: Url,
    asked: AtomicUsize,
}

impl Locate for Moved {
    fn locate(&self) -> BoxFuture<'_, Result<Located, String>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let located = Located { base: self.to.clone(), socket: None, key: ApiKey::new("other-key") };
        Box::pin(async move { Ok(located) })
    }
}

#[tokio::test]
async fn a_service_that_moved_is_found_again_also_for_creates() {
    let server = MockServer::start().await;
    let key = header("x-cli-api-key", "other-key");
    let token = ResponseTemplate::new(200).set_body_json(json!({"token": "tok"}));
    Mock::given(path(EXCHANGE)).and(key).respond_with(token).mount(&server).await;
    Mock::given(path(COUNT)).respond_with(total(4)).mount(&server).await;
    let created = ResponseTemplate::new(200).set_body_json(json!({"id": "p1", "shopcut": "https://play.example/p1"}));
    Mock::given(method("POST")).and(path("/projects")).respond_with(created).mount(&server).await;
    let locate = Arc::new(Moved { to: Url::parse(&server.uri()).unwrap(), asked: AtomicUsize::new(0) });
    let client = Client::new(ClientOptions { locate: Some(locate.clone()), ..options(&refusing().await) });
    let operation = count();
    for answer in join_all((0..8).map(|_| client.call(&operation))).await {
        assert_eq!(answer.unwrap().value.total.whole(), Some(4));
    }
    assert_eq!(client.call(&create()).await.unwrap().value.player(), Some("https://play.example/p1"));
    assert_eq!(locate.asked.load(Ordering::SeqCst), 1);
    assert_eq!(client.hosts().base.as_str().trim_end_matches('/'), server.uri());
}

#[tokio::test]
async fn a_project_is_read_by_post_where_get_is_not_known_and_that_is_remembered() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let user = ResponseTemplate::new(200).set_body_json(json!({"id": "u", "email": "e", "appKey": "app"}));
    Mock::given(path("/users/me")).respond_with(user).mount(&server).await;
    Mock::given(method("GET")).and(path("/projects/p")).respond_with(ResponseTemplate::new(405)).mount(&server).await;
    let project = ResponseTemplate::new(200).set_body_json(json!({"project": {"id": "p", "name": "Quiz"}}));
    let post = Mock::given(method("POST")).and(path("/projects/p")).and(body_partial_json(json!({"appKey": "app"})));
    post.respond_with(project).mount(&server).await;
    Mock::given(path("/projects/none")).respond_with(ResponseTemplate::new(404)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    for _ in 0..3 {
        let answer = client.call(&GetProject { id: "p".into() }).await.unwrap();
        assert_eq!(answer.value.project.name.as_deref(), Some("Quiz"));
    }
    let gets =
        |requests: Vec<Request>| requests.iter().filter(|r| r.url.path() == "/projects/p" && r.method == "GET").count();
    assert_eq!(gets(server.received_requests().await.unwrap()), 1);
    let missing = client.call(&GetProject { id: "none".into() }).await.unwrap_err();
    assert_eq!(missing.exit_code(), 4);
}

#[tokio::test]
async fn writes_carry_the_workspace_key_and_answers_without_a_body_are_fine() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let user = ResponseTemplate::new(200).set_body_json(json!({"id": "u", "email": "e", "appKey": "app"}));
    Mock::given(path("/users/me")).respond_with(user).mount(&server).await;
    let delete = Mock::given(method("DELETE")).and(path("/projects"));
    let delete = delete.and(body_partial_json(json!({"projectId": "p", "appKey": "app"})));
    delete.respond_with(ResponseTemplate::new(204)).mount(&server).await;
    let client = Client::new(options(&server.uri()));
    for _ in 0..2 {
        client.call(&DeleteProject { project_id: "p".into(), ..DeleteProject::default() }).await.unwrap();
    }
    assert_eq!(asked(&server, "/users/me").await, 1);
}

#[tokio::test]
async fn redirects_are_reported_not_followed() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    let elsewhere = ResponseTemplate::new(302).insert_header("location", "https://evil.example/x?token=secret");
    Mock::given(path(COUNT)).respond_with(elsewhere).mount(&server).await;
    let error = Client::new(options(&server.uri())).call(&count()).await.unwrap_err().to_string();
    assert!(error.contains("https://evil.example/x") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn bodies_are_bounded() {
    let server = MockServer::start().await;
    exchanges(&server, "tok").await;
    Mock::given(path(COUNT))
        .respond_with(ResponseTemplate::new(200).set_body_bytes(vec![b' '; 5000]))
        .mount(&server)
        .await;
    let limits = Limits { body: 4096, ..limits() };
    let error = Client::new(ClientOptions { limits, ..options(&server.uri()) }).call(&count()).await.unwrap_err();
    assert!(matches!(error, ClientError::TooLong { most: 4096, .. }), "{error}");
}

#[derive(Default)]
struct Kept {
    began: AtomicUsize,
    ended: Mutex<Vec<Exchange>>,
}

impl Observe for Kept {
    fn began(&self) {
        self.began.fetch_add(1, Ordering::SeqCst);
    }
    fn ended(&self, exchange: Exchange) {
        self.ended.lock().unwrap().push(exchange);
    }
}

#[tokio::test]
async fn exchanges_are_observed_without_secrets_and_dropping_a_call_ends_it() {
    let server = MockServer::start().await;
    exchanges(&server, "marked-token").await;
    Mock::given(path(COUNT)).respond_with(total(4)).mount(&server).await;
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(60));
    Mock::given(path("/projects/")).respond_with(slow).mount(&server).await;
    let kept = Arc::new(Kept::default());
    let client = Client::new(ClientOptions { observer: Some(kept.clone()), ..options(&server.uri()) });
    client.call(&count()).await.unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(30), client.call(&ListProjects)).await;
    assert!(dropped.is_err());
    let ended = kept.ended.lock().unwrap();
    let seen: Vec<_> = ended.iter().map(|e| (e.operation, e.status, e.error.as_deref())).collect();
    assert_eq!(
        seen,
        [
            ("authenticateCliApiKey", Some(200), None),
            ("getProductsCount", Some(200), None),
            ("listProjects", None, Some("cancelled"))
        ]
    );
    assert_eq!(kept.began.load(Ordering::SeqCst), 3);
    assert_eq!(ended[1].received, 11);
    assert!(!format!("{ended:?}").contains("marked"));
}

#[tokio::test]
async fn a_list_that_is_none_is_not_taken_for_an_empty_one() {
    let server = MockServer::start().await;
    exchanges(&server, "t").await;
    let client = Client::new(options(&server.uri()));
    for (projects, expected) in [
        (json!(7), Err("projects must be an array, found number")),
        (json!({ "a": 1 }), Err("projects must be an array, found object")),
        // Of what is empty some services say that it is nothing.
        (json!(null), Ok(0)),
        (json!([]), Ok(0)),
        (json!([{ "id": "one" }, 7]), Ok(1)),
    ] {
        let mock = Mock::given(method("GET")).and(path("/projects/"));
        let mock = mock.respond_with(ResponseTemplate::new(200).set_body_json(json!({ "projects": projects })));
        let mounted = mock.mount_as_scoped(&server).await;
        let found = match client.call(&ListProjects).await {
            Ok(answer) => Ok(answer.value.projects.len()),
            Err(ClientError::Unreadable { what, .. }) => Err(what),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|what| *what));
        // Whoever concludes something from what is not listed needs all of it.
        let is_whole = client.call_for_all(&ListProjects).await.is_ok();
        assert_eq!(is_whole, found == Ok(0));
        drop(mounted);
    }
    let other = ResponseTemplate::new(200).set_body_json(json!({ "items": [] }));
    Mock::given(method("GET")).and(path("/projects/")).respond_with(other).mount(&server).await;
    assert!(client.call(&ListProjects).await.is_ok(), "what is missing is shown as missing");
    let lost = client.call_for_all(&ListProjects).await.map(|answer| answer.value.projects.len());
    assert!(
        matches!(&lost, Err(ClientError::Unreadable { what, .. }) if what == "projects is required and missing"),
        "{lost:?}"
    );
}
