//! The client's ways in and its guards, against a server that is told what to answer.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // All of it is tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cutaway::api::{CountProducts, CreateProject, ListWebhooks, NewProject, OPERATIONS};
use cutaway::client::{
    AskSignIn, AskWrite, Client, ClientError, ClientOptions, Exchange, FileToSend, Hosts, Limits, Observe, TokenSource,
    fingerprint,
};
use cutaway::domain::wire::{Recorded, WireLog};
use cutaway::domain::{AccessToken, ApiKey, Finding};
use futures_util::future::{BoxFuture, join_all};
use url::Url;
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const COUNT: &str = "/products-service/getProductsCount";

fn options(server: &MockServer) -> ClientOptions {
    let limits = Limits { backoff: Duration::from_millis(1), ..Limits::default() };
    ClientOptions { limits, ..ClientOptions::new(Hosts::single(Url::parse(&server.uri()).unwrap())) }
}

async fn counts(server: &MockServer, bearer: &str) {
    let answer = ResponseTemplate::new(200).set_body_string(r#"{"total":7,"appKey":"marked-app-key"}"#);
    let bearer = format!("Bearer {bearer}");
    Mock::given(path(COUNT)).and(header("authorization", bearer.as_str())).respond_with(answer).mount(server).await;
}

async fn refuses(server: &MockServer) {
    Mock::given(path(COUNT)).respond_with(ResponseTemplate::new(401)).with_priority(10).mount(server).await;
}

/// Tokens that end: each question brings the next one.
#[derive(Default)]
struct Renewing {
    asked: AtomicUsize,
    refused: Mutex<Vec<String>>,
}

impl TokenSource for Renewing {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<(AccessToken, Option<Duration>), ClientError>> {
        Box::pin(async move {
            let nth = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
            self.refused.lock().unwrap().extend(refused.map(|token| token.expose().to_owned()));
            Ok((AccessToken::new(&format!("marked-token-{nth}")), Some(Duration::from_secs(3600))))
        })
    }
}

#[tokio::test]
async fn a_token_that_ends_is_renewed_once_for_all_who_wait() {
    let server = MockServer::start().await;
    counts(&server, "marked-token-2").await;
    refuses(&server).await;
    let source = Arc::new(Renewing::default());
    let client = Client::new(ClientOptions { tokens: Some(source.clone()), ..options(&server) });
    let count = CountProducts::default();
    for answer in join_all((0..20).map(|_| client.call(&count))).await {
        assert_eq!(answer.unwrap().value.total.whole(), Some(7));
    }
    assert_eq!(source.asked.load(Ordering::SeqCst), 2);
    assert_eq!(*source.refused.lock().unwrap(), ["marked-token-1"]);
}

/// A person who signs in with this key when asked, or would not.
struct Person {
    client: Mutex<Option<Client>>,
    key: Option<&'static str>,
    asked: AtomicUsize,
}

impl AskSignIn for Person {
    fn ask<'a>(&'a self, _why: &'a ClientError) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let client = self.client.lock().unwrap().clone();
            let (Some(client), Some(key)) = (client, self.key) else { return false };
            client.sign_in(Some(ApiKey::new(key)), None).await;
            true
        })
    }
}

#[tokio::test]
async fn what_was_interrupted_goes_on_after_the_sign_in() {
    let server = MockServer::start().await;
    Mock::given(path("/account-service/authenticateCliApiKey"))
        .respond_with(ResponseTemplate::new(404))
        .mount(&server)
        .await;
    counts(&server, "the-right-key").await;
    refuses(&server).await;
    for (first, key, goes_on) in [
        (None, Some("the-right-key"), true),
        (Some("the-wrong-key"), Some("the-right-key"), true),
        (Some("the-wrong-key"), None, false),
    ] {
        let person = Arc::new(Person { client: Mutex::default(), key, asked: AtomicUsize::new(0) });
        let credential = first.map(ApiKey::new);
        let client = Client::new(ClientOptions { credential, ask_sign_in: Some(person.clone()), ..options(&server) });
        *person.client.lock().unwrap() = Some(client.clone());
        let answer = client.call(&CountProducts::default()).await;
        assert_eq!(answer.is_ok(), goes_on, "{answer:?}");
        assert_eq!(person.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_token_that_ends_in_mid_upload_is_renewed_once_and_the_uploads_arrive() {
    let server = MockServer::start().await;
    counts(&server, "marked-token-2").await;
    refuses(&server).await;
    let created = ResponseTemplate::new(200).set_body_string(r#"{"id":"v-1"}"#);
    let uploads = || Mock::given(path("/videos"));
    uploads().and(header("authorization", "Bearer marked-token-2")).respond_with(created).mount(&server).await;
    uploads().respond_with(ResponseTemplate::new(401)).with_priority(10).mount(&server).await;
    let source = Arc::new(Renewing::default());
    let recorder = Arc::new(Recorder::default());
    let client = Client::new(ClientOptions {
        tokens: Some(source.clone()),
        observer: Some(recorder.clone()),
        ..options(&server)
    });
    let folder = tempfile::tempdir().unwrap();
    let video = vec![7; 300_000];
    let files: Vec<FileToSend> = (0..4)
        .map(|at| {
            let path = folder.path().join(format!("{at}.mp4"));
            std::fs::write(&path, &video).unwrap();
            FileToSend {
                key: None,
                fingerprint: fingerprint(&std::fs::metadata(&path).unwrap()),
                path,
                name: format!("{at}.mp4"),
                content_type: "video/mp4".to_owned(),
                progress: Arc::default(),
                limit: Arc::default(),
            }
        })
        .collect();
    let count = CountProducts::default();
    let (sent, counted) = tokio::join!(
        join_all(files.iter().map(|file| client.upload(file))),
        join_all((0..8).map(|_| client.call(&count)))
    );
    for answer in sent {
        assert_eq!(answer.unwrap().value.id.as_str(), "v-1");
    }
    assert!(counted.into_iter().all(|answer| answer.is_ok()));
    assert_eq!(source.asked.load(Ordering::SeqCst), 2);
    // Each was sent again, whole, and none more than once with the token that is good.
    let came = server.received_requests().await.unwrap();
    let good = came.iter().filter(|request| {
        request.url.path() == "/videos"
            && request.headers["authorization"] == "Bearer marked-token-2"
            && request.body.windows(video.len()).any(|window| window == video)
    });
    assert_eq!(good.count(), 4);
    // The inspector has them, too: where they went, what was said of them, what came back; not the file, no token.
    let log = recorder.0.lock().unwrap().clone();
    let noted = log.iter().rev().find(|noted| noted.operation == "uploadVideo" && noted.status == Some(200)).unwrap();
    assert!(noted.url.ends_with("/videos") && noted.received.body.contains("v-1") && noted.sent.body.is_empty());
    assert!(noted.sent.header("content-type").unwrap().starts_with("multipart/form-data"));
    assert!(!format!("{noted:?}").contains("marked"));
}

#[tokio::test]
async fn a_service_that_says_the_credential_back_does_not_get_it_shown() {
    let server = MockServer::start().await;
    let echo = ResponseTemplate::new(401)
        .insert_header("x-request-id", "r-marked-token-1")
        .set_body_string(r#"{"title":"bad token marked-token-1","detail":"marked-token-1 is over"}"#);
    Mock::given(path(COUNT)).respond_with(echo).mount(&server).await;
    let recorder = Arc::new(Recorder::default());
    let same: Arc<dyn TokenSource> = Arc::new(TheSame);
    let client =
        Client::new(ClientOptions { tokens: Some(same), observer: Some(recorder.clone()), ..options(&server) });
    let error = client.call(&CountProducts::default()).await.unwrap_err();
    let noted = recorder.0.lock().unwrap().iter().next().unwrap().clone();
    for shown in [error.to_string(), format!("{error:?}"), format!("{noted:?}")] {
        assert!(shown.contains("[taken out]") && !shown.contains("marked"), "{shown}");
    }
}

/// A token that never changes.
struct TheSame;

impl TokenSource for TheSame {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<(AccessToken, Option<Duration>), ClientError>> {
        Box::pin(async { Ok((AccessToken::new("marked-token-1"), None)) })
    }
}

struct Answering(bool, AtomicUsize);

impl AskWrite for Answering {
    fn ask<'a>(&'a self, _operation: &'static str) -> BoxFuture<'a, bool> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { self.0 })
    }
}

#[tokio::test]
async fn writes_are_asked_about_and_reads_are_not() {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_string("[]");
    Mock::given(path("/webhooks")).respond_with(answer).mount(&server).await;
    let create = ResponseTemplate::new(200).set_body_string(r#"{"id":"p"}"#);
    Mock::given(path("/projects")).respond_with(create).expect(1).mount(&server).await;
    let project = CreateProject {
        project: NewProject { name: "x".to_owned(), ..NewProject::default() },
        ..CreateProject::default()
    };
    for yes in [false, true] {
        let person = Arc::new(Answering(yes, AtomicUsize::new(0)));
        let tokens: Arc<dyn TokenSource> = Arc::new(Renewing::default());
        let client =
            Client::new(ClientOptions { tokens: Some(tokens), ask_write: Some(person.clone()), ..options(&server) });
        assert!(client.call(&ListWebhooks).await.is_ok());
        assert_eq!(person.1.load(Ordering::SeqCst), 0);
        let created = client.call(&project).await;
        assert_eq!((created.is_ok(), person.1.load(Ordering::SeqCst)), (yes, 1));
        assert!(yes || created.unwrap_err().exit_code() == 7);
    }
}

#[derive(Default)]
struct Recorder(Mutex<WireLog>);

impl Observe for Recorder {
    fn ended(&self, _exchange: Exchange) {}
    fn wants_wire(&self) -> bool {
        true
    }
    fn recorded(&self, recorded: Recorded) {
        self.0.lock().unwrap().push(Arc::new(recorded));
    }
    fn found(&self, number: u64, findings: &[Finding]) {
        self.0.lock().unwrap().found(number, findings.to_vec());
    }
}

#[tokio::test]
async fn what_is_recorded_holds_no_secret_and_can_be_sent_again() {
    let server = MockServer::start().await;
    counts(&server, "marked-token-1").await;
    let recorder = Arc::new(Recorder::default());
    let tokens: Arc<dyn TokenSource> = Arc::new(Renewing::default());
    let client =
        Client::new(ClientOptions { tokens: Some(tokens), observer: Some(recorder.clone()), ..options(&server) });
    client.call(&CountProducts { app_url: "https://s.example".into(), ..CountProducts::default() }).await.unwrap();
    let noted = recorder.0.lock().unwrap().iter().next().unwrap().clone();
    assert_eq!((noted.status, noted.operation), (Some(200), "getProductsCount"));
    assert!(noted.sent.body.contains("https://s.example") && noted.received.body.contains("\"total\":7"));
    assert_eq!(noted.findings[0].path(), "appKey");
    assert!(!format!("{noted:?}").contains("marked"), "{noted:?}");
    client.repeat(&noted).await.unwrap();
    let asked = server.received_requests().await.unwrap();
    assert_eq!((asked.len(), &asked[0].body), (2, &asked[1].body));
    // What changes something is never sent again, whatever it says to be.
    for row in OPERATIONS.iter().filter(|row| row.writes) {
        let write = Recorded { operation: row.name, ..(*noted).clone() };
        assert!(matches!(client.repeat(&write).await, Err(ClientError::Request(_))), "{}", row.name);
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

#[tokio::test]
async fn the_size_of_a_video_is_not_asked_in_a_private_network() {
    let answer = ResponseTemplate::new(200).insert_header("content-length", "12345");
    let server = MockServer::start().await;
    Mock::given(path("/film.mp4")).respond_with(answer).mount(&server).await;
    let address = Url::parse(&format!("{}/film.mp4", server.uri())).unwrap();
    // Of a service elsewhere, whose answer names an address of this machine and of the networks around it.
    let elsewhere = Client::new(ClientOptions::new(Hosts::single(Url::parse("https://service.example").unwrap())));
    let by_name = Url::parse(&format!("http://localhost:{}/film.mp4", address.port().unwrap())).unwrap();
    for private in [&address, &by_name, &Url::parse("http://169.254.169.254/latest/meta-data").unwrap()] {
        assert_eq!(elsewhere.size_at(private).await, None, "{private}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
    // Where the service is on this machine its videos may be, too.
    assert_eq!(Client::new(options(&server)).size_at(&address).await, Some(12_345));
}
