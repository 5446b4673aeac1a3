//! Requests that may be sent twice, and requests made for a state that is no more: `Idempotency-Key` and `If-Match`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::path::Path;

use futures_util::future::join_all;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use serving::{Process, serve};

/// The real binary, serving a folder.
struct Serving {
    _process: Process,
    base: String,
    key: String,
    http: reqwest::Client,
}

impl Serving {
    fn start(data: &Path) -> Self {
        let process = Process::start(serve(&data.join("home"), data).arg("--sample"));
        let (base, key) = (process.base().to_owned(), process.key().to_owned());
        Self { _process: process, base, key, http: reqwest::Client::new() }
    }

    fn asked(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key)
    }

    async fn create(&self, path: &str, key: &str, body: &Value) -> (u16, Value) {
        said(self.asked(Method::POST, path).header("idempotency-key", key).json(body).send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> Value {
        said(self.asked(Method::GET, path).send().await.unwrap()).await.1
    }

    /// How many projects, videos and webhooks there are.
    async fn counts(&self) -> [usize; 3] {
        let count = |value: &Value| value.as_array().unwrap().len();
        let (projects, videos) = (self.get("/projects/").await, self.get("/videos/videos").await);
        [count(&projects["projects"]), count(&videos["videos"]), count(&self.get("/webhooks").await)]
    }

    async fn tag(&self, project: &str) -> String {
        let answer = self.asked(Method::GET, &format!("/projects/{project}")).send().await.unwrap();
        answer.headers()["etag"].to_str().unwrap().to_owned()
    }
}

async fn said(answer: Response) -> (u16, Value) {
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn project(name: &str) -> Value {
    json!({ "project": { "name": name } })
}

/// What the description says of a key and what is answered to it are the same.
#[tokio::test(flavor = "multi_thread")]
async fn keys_are_taken_as_they_are_described() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let document = served.get("/openapi.json").await;
    let parameters = document["paths"]["/projects"]["post"]["parameters"].as_array().unwrap();
    let key = parameters.iter().find(|parameter| parameter["name"] == "Idempotency-Key").unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("key.json", key["schema"].clone()).unwrap();
    let described = compiler.compile("key.json", &mut schemas).unwrap();
    let long = |number: usize, after: &str| format!("{}{after}", "k".repeat(number));
    let mut taken = 0;
    let keys = ["k", "two words", "a\ttab", " around ", " ", "", "na\u{ef}ve"].map(str::to_owned);
    for key in keys.into_iter().chain([long(255, ""), long(256, ""), long(255, "  "), long(254, " k"), long(253, " k")])
    {
        let (status, answer) = served.create("/projects", &key, &project("Described")).await;
        let is_described = schemas.validate(&json!(key), described).is_ok();
        assert_eq!(status == 200, is_described, "{key:?}: {answer}");
        taken += usize::from(is_described);
    }
    assert_eq!(taken, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_that_is_sent_again_under_its_key_is_made_once() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let [projects, videos, webhooks] = served.counts().await;
    let (status, made) = served.create("/projects", "k-1", &project("Once")).await;
    assert_eq!(status, 200);
    assert_eq!(served.create("/projects", "k-1", &project("Once")).await, (200, made.clone()));
    // The same key for another operation, and another key, are other creations.
    let id = made["id"].as_str().unwrap();
    let step = json!({ "step": { "projectId": id, "overlayText": "Hello" } });
    let (_, first) = served.create("/projects/steps", "k-1", &step).await;
    assert_eq!(served.create("/projects/steps", "k-1", &step).await.1, first);
    let (_, second) = served.create("/projects/steps", "k-2", &step).await;
    assert_ne!(first["id"], second["id"]);
    // Another body under the same key is a mistake, and named.
    let (status, refused) = served.create("/projects", "k-1", &project("Other")).await;
    assert!(status == 422 && refused["detail"].as_str().unwrap().contains("Idempotency-Key"), "{refused}");
    let long = "k".repeat(256);
    assert_eq!(served.create("/projects", &long, &project("Once")).await.0, 400);
    // What was refused may be tried again.
    assert_eq!(served.create("/projects", "k-3", &project("")).await.0, 400);
    assert_eq!(served.create("/projects", "k-3", &project("Right")).await.0, 200);
    for (path, body) in [
        ("/videos/video", json!({ "video": { "videoUrl": "https://cdn.example/a.mp4" } })),
        ("/webhooks", json!({ "event": "conversion", "url": "https://hook.example/a" })),
    ] {
        let (status, made) = served.create(path, "k-1", &body).await;
        let again = served.create(path, "k-1", &body).await;
        assert_eq!(again, (status, made), "{path}");
    }
    let all = served.counts().await;
    assert!(all[0] == projects + 2 && all[1] == videos + 1 && all[2] <= webhooks + 1, "{all:?}");
    // It is remembered by the folder, not by the process.
    drop(served);
    let served = Serving::start(data.path());
    assert_eq!(served.create("/projects", "k-1", &project("Once")).await.1["id"], made["id"]);
    assert_eq!(served.create("/projects/steps", "k-1", &step).await, (200, first));
    assert_eq!(served.counts().await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn creations_under_one_key_at_the_same_time_make_one_thing() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let before = served.counts().await[0];
    let body = project("At once");
    let all = join_all((0..16).map(|_| served.create("/projects", "same", &body))).await;
    assert!(all.iter().all(|one| one.0 == 200 && one == &all[0]), "{all:?}");
    assert_eq!(served.counts().await[0], before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_sent_again_under_its_key_is_kept_once() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let before = served.counts().await[1];
    let upload = async |filler: u8| {
        let mut bytes = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
        bytes.resize(100_000, filler);
        let part = reqwest::multipart::Part::bytes(bytes).file_name("tour.mp4");
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        let asked = served.asked(Method::POST, "/videos").header("idempotency-key", "tour");
        said(asked.multipart(form).send().await.unwrap()).await
    };
    let (status, made) = upload(1).await;
    assert_eq!((status, upload(1).await), (200, (200, made.clone())));
    assert_eq!(upload(2).await.0, 422);
    assert_eq!(served.counts().await[1], before + 1);
    if serving::s3::of_folder(data.path()).is_some() {
        return; // tests/service/in_s3.rs looks into buckets.
    }
    let files = || std::fs::read_dir(data.path().join("blobs/videos")).unwrap().count();
    let moving = || std::fs::read_dir(data.path().join("blobs/moving")).map_or(0, Iterator::count);
    assert_eq!((files(), moving()), (1, 0), "no file is left of what was sent again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_changed_meanwhile_is_not_written_over() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let (_, made) = served.create("/projects", "p", &project("Quiz")).await;
    let id = made["id"].as_str().unwrap();
    let new = json!({ "step": { "projectId": id, "overlayText": "Mine" } });
    let (_, step) = served.create("/projects/steps", "s", &new).await;
    let step = format!("/projects/steps/{}", step["id"].as_str().unwrap());
    let read = served.tag(id).await;
    assert_eq!(served.tag(id).await, read, "reading changes nothing");
    // Another one changes a step.
    let theirs = served.asked(Method::PUT, &step).json(&json!({ "overlayText": "Theirs" })).send().await.unwrap();
    assert_eq!(theirs.headers()["etag"].to_str().unwrap(), served.tag(id).await);
    let step_id = step.rsplit('/').next().unwrap().to_owned();
    for (method, path, body) in [
        (Method::PUT, step.clone(), json!({ "overlayText": "Mine again" })),
        (Method::PUT, format!("/projects/{id}"), json!({ "name": "Mine again" })),
        (Method::POST, "/projects/steps".to_owned(), new.clone()),
        (Method::DELETE, "/projects/steps".to_owned(), json!({ "stepId": step_id })),
        (Method::DELETE, "/projects".to_owned(), json!({ "projectId": id })),
    ] {
        for stale in [read.as_str(), "\"other\"", &format!("W/{}", served.tag(id).await)] {
            let asked = served.asked(method.clone(), &path).header("if-match", stale).json(&body);
            let (status, refused) = said(asked.send().await.unwrap()).await;
            assert!(status == 412 && refused["detail"].is_string(), "{method} {path}: {refused}");
        }
    }
    // A body that is wrong in every state is said to be, whatever the state is.
    for path in [step.clone(), format!("/projects/{id}")] {
        let asked = served.asked(Method::PUT, &path).header("if-match", "\"other\"").json(&json!({}));
        let (status, refused) = said(asked.send().await.unwrap()).await;
        assert!(status == 400 && refused["errors"].is_array(), "{path}: {refused}");
    }
    let now = served.get(&format!("/projects/{id}")).await;
    assert_eq!((&now["project"]["name"], &now["steps"][0]["overlayText"]), (&json!("Quiz"), &json!("Theirs")));
    // The state as it is now, or any, will do.
    let list = format!("\"other\", {}", served.tag(id).await);
    let asked = served.asked(Method::PUT, &step).header("if-match", list).json(&json!({ "overlayText": "Mine again" }));
    assert_eq!(asked.send().await.unwrap().status(), 200);
    let asked =
        served.asked(Method::PUT, &format!("/projects/{id}")).header("if-match", "*").json(&json!({ "name": "N" }));
    assert_eq!(asked.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn what_was_deleted_is_created_again_under_the_same_key() {
    let data = tempfile::tempdir().unwrap();
    let served = Serving::start(data.path());
    let body = json!({ "video": { "videoUrl": "https://cdn.example/a.mp4", "name": "A" } });
    let (_, first) = served.create("/videos/video", "again", &body).await;
    let id = first["id"].as_str().unwrap();
    let deleted = served.asked(Method::DELETE, &format!("/partners/assets/{id}")).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    let (status, second) = served.create("/videos/video", "again", &body).await;
    assert_eq!(status, 200, "{second}");
    assert_ne!(second["id"], first["id"], "a video that is gone is not named as if it were there");
}
