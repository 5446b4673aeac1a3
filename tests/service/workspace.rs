//! The local service over real HTTP: the rows of §4.3 to §4.6, and the contract's readings of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::hosted;

use std::path::Path;

use cutaway::api::{GetProject, ListProjects, ListVideos, ListWebhooks, OPERATIONS, Operation};
use cutaway::service::ServeOptions;
use hosted::{ServedFor, on};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use uuid::Uuid;

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        let mut asked = self.asked(method, path);
        if let Some(body) = body {
            asked = asked.json(body);
        }
        let answer = asked.send().await.unwrap();
        assert!(answer.headers().contains_key("x-request-id"));
        assert!(!answer.headers().contains_key("access-control-allow-origin"));
        let status = answer.status();
        if status != 200 {
            assert_eq!(answer.headers()["content-type"], "application/problem+json");
        }
        (status, answer.json().await.unwrap())
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        ok(self.call(Method::POST, path, Some(body)).await)
    }

    async fn put(&self, path: &str, body: &Value) -> Value {
        ok(self.call(Method::PUT, path, Some(body)).await)
    }

    async fn get(&self, path: &str) -> Value {
        ok(self.call(Method::GET, path, None).await)
    }

    async fn refused(&self, status: u16, method: Method, path: &str, body: &Value) -> Vec<String> {
        let (found, answer) = self.call(method, path, Some(body)).await;
        assert_eq!(found, status, "{path} {body} {answer}");
        assert_eq!(answer["status"], status);
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let mut named: Vec<_> = errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect();
        named.sort();
        named
    }

    async fn project(&self, name: &str) -> String {
        self.post("/projects", &json!({ "project": { "name": name } })).await["id"].as_str().unwrap().to_owned()
    }

    async fn step(&self, project: &str) -> (String, String) {
        let made = self.post("/projects/steps", &json!({ "step": { "projectId": project } })).await;
        (made["id"].as_str().unwrap().to_owned(), made["name"].as_str().unwrap().to_owned())
    }

    async fn upload(&self, name: &str, bytes: Vec<u8>) -> Response {
        let part = reqwest::multipart::Part::bytes(bytes).file_name(name.to_owned()).mime_str("video/mp4").unwrap();
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        self.asked(Method::POST, "/videos").multipart(form).send().await.unwrap()
    }
}

fn ok((status, answer): (StatusCode, Value)) -> Value {
    assert_eq!(status, 200, "{answer}");
    answer
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Something that begins like a video.
fn video(size: usize) -> Vec<u8> {
    let mut bytes = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    bytes.extend((bytes.len()..size).map(|at| u8::try_from(at * at % 251).unwrap()));
    bytes
}

/// Every file of a folder of videos, whole or not.
fn files(data: &Path) -> Vec<String> {
    if let Some(files) = hosted::s3::files_of(data) {
        return files;
    }
    let folders = ["blobs/videos", "blobs/moving"].map(|folder| std::fs::read_dir(data.join(folder)));
    let entries = folders.into_iter().flatten().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Whether files of deleted videos stay for a day, as they do in a bucket.
fn keeps_deleted(data: &Path) -> bool {
    hosted::s3::files_of(data).is_some()
}

#[tokio::test]
async fn projects_are_made_read_changed_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let me = served.get("/users/me").await;

    let made = served.post("/projects", &json!({ "project": { "name": "Quiz 🧦", "colour": "red" } })).await;
    assert_eq!(keys(&made), ["id", "cutaway"]);
    let id = made["id"].as_str().unwrap();
    assert!(Uuid::try_parse(id).is_ok());
    let player = made["cutaway"].as_str().unwrap();
    assert!(player.starts_with(served.running.base_url()), "{player}");

    let path = format!("/projects/{id}");
    let read = served.get(&path).await;
    assert_eq!(keys(&read), ["project", "steps"]);
    let record = &read["project"];
    assert_eq!(
        keys(record),
        [
            "id",
            "name",
            "appKey",
            "owner",
            "publishId",
            "folder",
            "emailNotifications",
            "stepsOrder",
            "stepsCount",
            "createdAt",
            "updatedAt",
            "cutaway"
        ]
    );
    assert_eq!((&record["name"], &record["owner"], &record["appKey"]), (&json!("Quiz 🧦"), &me["id"], &me["appKey"]));
    assert_eq!((&record["cutaway"], &record["stepsCount"]), (&json!(player), &json!(0)));
    assert!(player.contains(record["publishId"].as_str().unwrap()));
    assert!(record["createdAt"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    assert_eq!(GetProject::read(&read).1, []);
    for body in [None, Some(json!({}))] {
        assert_eq!(ok(served.call(Method::POST, &path, body.as_ref()).await), read);
    }
    for list in ["/projects/", "/projects"] {
        let list = served.get(list).await;
        assert_eq!(list, json!({ "projects": [record] }));
        assert_eq!(ListProjects::read(&list).1, []);
    }

    let (first, _) = served.step(id).await;
    let change = json!({
        "name": "Quiz", "emailNotifications": ["a@b.example", "ü@bücher.example"], "stepsOrder": [first],
        "folder": "Gifts", "createdAt": "never",
    });
    let changed = served.put(&path, &change).await;
    for member in ["name", "emailNotifications", "stepsOrder"] {
        assert_eq!(changed[member], change[member]);
    }
    assert_eq!((&changed["createdAt"], &changed["stepsCount"]), (&record["createdAt"], &json!(1)));
    assert_eq!(served.get(&path).await["project"], changed);
    let renamed = served.put(&path, &json!({ "name": "Other" })).await;
    assert_eq!((&renamed["stepsOrder"], &renamed["folder"]), (&changed["stepsOrder"], &changed["folder"]));

    for (body, query) in
        [(None, format!("?projectId={id}")), (Some(json!({ "projectId": served.project("B").await })), String::new())]
    {
        let named = body.as_ref().map_or(id, |body| body["projectId"].as_str().unwrap());
        let path = format!("/projects{query}");
        assert_eq!(ok(served.call(Method::DELETE, &path, body.as_ref()).await), json!({ "id": named }));
        assert_eq!(served.call(Method::DELETE, &path, body.as_ref()).await.0, 404);
    }
    assert_eq!(served.get("/projects/").await, json!({ "projects": [] }));
    assert_eq!(served.call(Method::PUT, &format!("/projects/steps/{first}"), Some(&json!({}))).await.0, 404);
    served.running.stop().await;
}

#[tokio::test]
async fn folders_are_found_by_id_or_name_and_made_by_name() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let path = format!("/projects/{}", served.project("Tour").await);
    let folders = async || served.get("/projects/actions/folders").await["folders"].as_array().unwrap().clone();
    assert!(folders().await.is_empty());
    let put = served.put(&path, &json!({ "folder": "Gifts" })).await;
    let made = folders().await;
    assert_eq!(made.len(), 1);
    assert_eq!((keys(&made[0]), &made[0]["name"]), (vec!["id", "name", "createdAt"], &json!("Gifts")));
    assert_eq!(put["folder"], made[0]["id"]);
    assert_eq!(served.put(&path, &json!({ "folder": "" })).await["folder"], "");
    for known in [&made[0]["id"], &json!("Gifts")] {
        assert_eq!(served.put(&path, &json!({ "folder": known })).await["folder"], made[0]["id"]);
    }
    assert_eq!(folders().await.len(), 1);
    let unknown = json!({ "folder": Uuid::new_v4().to_string() });
    assert_eq!(served.refused(400, Method::PUT, &path, &unknown).await, ["/folder"]);
    assert_eq!(served.refused(400, Method::PUT, &path, &json!({ "folder": "New", "name": "" })).await, ["/name"]);
    assert_eq!(folders().await.len(), 1);
    served.running.stop().await;
}

#[tokio::test]
async fn steps_keep_what_they_are_given() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let project = served.project("Tour").await;
    let asset = served.post("/videos/video", &json!({})).await["id"].clone();
    let answers = json!([{ "text": "On", "next": "nowhere yet" }, { "text": "Off", "next": "" }, { "text": "End" }]);
    let new = json!({ "step": {
        "projectId": project, "description": "One", "answers": answers, "videoId": asset, "overlayText": "Hej שלום",
    } });
    let made = served.post("/projects/steps", &new).await;
    assert_eq!(keys(&made), ["id", "name"]);
    let (id, name) = (made["id"].as_str().unwrap(), made["name"].as_str().unwrap());
    assert!(Uuid::try_parse(id).is_ok());
    assert!(name.len() == 5 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
    let read = async || {
        let read = served.get(&format!("/projects/{project}")).await;
        assert_eq!(GetProject::read(&read).1, []);
        read["steps"].as_array().unwrap().clone()
    };
    let step = read().await[0].clone();
    assert_eq!(
        keys(&step),
        [
            "id",
            "name",
            "projectId",
            "description",
            "answers",
            "videoId",
            "overlayText",
            "answerTime",
            "createdAt",
            "updatedAt"
        ]
    );
    for member in ["projectId", "description", "answers", "videoId", "overlayText"] {
        assert_eq!(step[member], new["step"][member]);
    }
    assert_eq!(step["answerTime"], 0);

    let path = format!("/projects/steps/{id}");
    let changed = served.put(&path, &json!({ "answerTime": 2.5, "answers": [{ "text": "Again", "next": id }] })).await;
    assert_eq!((&changed["answerTime"], &changed["description"]), (&json!(2.5), &json!("One")));
    assert_eq!(read().await, std::slice::from_ref(&changed));
    assert_eq!(served.put(&path, &json!({ "videoId": "", "description": "" })).await["videoId"], "");

    // A video that was deleted may stay where it is; another one that does not exist may not come.
    served.put(&path, &json!({ "videoId": asset })).await;
    let (status, gone) =
        served.call(Method::DELETE, &format!("/partners/assets/{}", asset.as_str().unwrap()), None).await;
    assert_eq!((status.as_u16(), keys(&gone)), (200, vec!["message"]));
    assert!(gone["message"].as_str().unwrap().contains(name) && gone["message"].as_str().unwrap().contains("Tour"));
    let same = served.put(&path, &json!({ "videoId": asset, "overlayText": "Same" })).await;
    assert_eq!((&same["videoId"], &same["overlayText"]), (&asset, &json!("Same")));
    served.put(&path, &json!({ "videoId": "" })).await;
    assert_eq!(served.refused(400, Method::PUT, &path, &json!({ "videoId": asset })).await, ["/videoId"]);

    // Orders: of what exists, unless nothing changes; a step that goes leaves its order.
    let (other, other_name) = served.step(&project).await;
    let order = format!("/projects/{project}");
    let odd = json!({ "stepsOrder": [other_name, "nobody", id, ""] });
    assert_eq!(served.refused(400, Method::PUT, &order, &odd).await, ["/stepsOrder/1", "/stepsOrder/3"]);
    served.put(&order, &json!({ "stepsOrder": [other_name, id] })).await;
    let body = json!({ "stepId": other });
    assert_eq!(ok(served.call(Method::DELETE, "/projects/steps", Some(&body)).await), json!({ "id": other }));
    assert_eq!(served.get(&order).await["project"]["stepsOrder"], json!([id]));
    assert_eq!(served.get(&order).await["project"]["stepsCount"], 1);
    let query = format!("/projects/steps?stepId={id}");
    assert_eq!(ok(served.call(Method::DELETE, &query, None).await), json!({ "id": id }));
    assert_eq!(served.call(Method::DELETE, &query, None).await.0, 404);
    assert!(read().await.is_empty());
    served.running.stop().await;
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let id = served.project("Tour").await;
    let (step, _) = served.step(&id).await;
    let (project, step) = (format!("/projects/{id}"), format!("/projects/steps/{step}"));
    let none = Uuid::new_v4().to_string();
    let long = "x".repeat(100_000);
    served.put(&step, &json!({ "description": long, "answers": vec![json!({ "text": long }); 9] })).await;
    let (post, put, delete) = (Method::POST, Method::PUT, Method::DELETE);
    let cases: Vec<(&Method, &str, Value, &[&str])> = vec![
        (&post, "/projects", json!({}), &["/project"]),
        (&post, "/projects", json!([]), &[""]),
        (&post, "/projects", json!({ "project": "Tour" }), &["/project"]),
        (&post, "/projects", json!({ "project": {} }), &["/project/name"]),
        (&post, "/projects", json!({ "project": { "name": " \n" } }), &["/project/name"]),
        (&post, "/projects", json!({ "project": { "name": null } }), &["/project/name"]),
        (
            &put,
            &project,
            json!({ "name": "", "emailNotifications": [7, "a@b", "nobody", null, "x@"], "stepsOrder": [1, none], "folder": null }),
            &[
                "/emailNotifications/0",
                "/emailNotifications/2",
                "/emailNotifications/3",
                "/emailNotifications/4",
                "/folder",
                "/name",
                "/stepsOrder/0",
                "/stepsOrder/1",
            ],
        ),
        (
            &put,
            &project,
            json!({ "emailNotifications": "a@b", "stepsOrder": {} }),
            &["/emailNotifications", "/stepsOrder"],
        ),
        (&delete, "/projects", json!({}), &["/projectId"]),
        (&delete, "/projects", json!({ "projectId": 1 }), &["/projectId"]),
        (&delete, "/projects?projectId=a", json!({ "projectId": "b" }), &["/projectId"]),
        (&post, "/projects/steps", json!({ "step": {} }), &["/step/projectId"]),
        (
            &post,
            "/projects/steps",
            json!({ "step": {
                "projectId": none, "description": 1, "videoId": none, "overlayText": null, "answerTime": 1,
                "answers": [{ "text": "a" }, "b", { "next": "c" }, { "text": "", "next": 5 }, { "text": "d", "next": null }],
            } }),
            &[
                "/step/answerTime",
                "/step/answers/1",
                "/step/answers/2/text",
                "/step/answers/3/next",
                "/step/answers/3/text",
                "/step/answers/4/next",
                "/step/description",
                "/step/overlayText",
                "/step/projectId",
                "/step/videoId",
            ],
        ),
        (
            &put,
            &step,
            json!({ "answerTime": -0.1, "videoId": none, "answers": [{}] }),
            &["/answerTime", "/answers/0/text", "/videoId"],
        ),
        (&put, &step, json!({ "answerTime": "soon" }), &["/answerTime"]),
        (&delete, "/projects/steps", json!({ "stepId": "" }), &["/stepId"]),
        (&post, "/videos/video", json!({ "video": {} }), &["/video/videoUrl"]),
        (&post, "/videos/video", json!({ "video": null }), &["/video"]),
        (
            &post,
            "/videos/video",
            json!({ "video": { "videoUrl": "sample:videos/welcome.mp4", "name": "", "posterUrl": "javascript:1" } }),
            &["/video/name", "/video/posterUrl", "/video/videoUrl"],
        ),
        (&post, "/webhooks", json!({}), &["/event", "/url"]),
        (&post, "/webhooks", json!({ "event": "purchase", "url": "ftp://x.example/" }), &["/event", "/url"]),
        (&post, "/webhooks", json!({ "event": "conversion", "url": "https://" }), &["/url"]),
    ];
    for (method, path, body, named) in cases {
        assert_eq!(served.refused(400, method.clone(), path, &body).await, named, "{path} {body}");
    }
    let missing = json!({ "step": { "projectId": none } });
    assert!(served.refused(404, post.clone(), "/projects/steps", &missing).await.is_empty());
    served.running.stop().await;
}

#[tokio::test]
async fn kinds_ids_and_keys() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let project = served.project("Tour").await;
    let app_key = served.get("/users/me").await["appKey"].clone();
    for row in OPERATIONS.iter().filter(|row| !row.path.contains("-service/") && row.path != "/users/me") {
        let method: Method = row.method.as_str().parse().unwrap();
        for id in ["some-id".to_owned(), Uuid::new_v4().to_string(), "%FF".to_owned(), "a%2Fb".to_owned()] {
            let path = row.path.replace("{id}", &id);
            let answer = served.asked(method.clone(), &path).send().await.unwrap();
            let status = answer.status();
            assert!(status == 200 || answer.headers()["content-type"] == "application/problem+json", "{path}");
            assert!(status != 501 && status != 405 && status != 500, "{path} {status}");
            if row.path.contains("{id}") && !row.name.starts_with("update") {
                assert_eq!(status, 404, "{path}");
            }
        }
        if row.takes_app_key {
            let path = row.path.replace("{id}", &project);
            let with = async |key: Value| served.call(method.clone(), &path, Some(&json!({ "appKey": key }))).await.0;
            assert_eq!(with(json!("wrong")).await, 401, "{path}");
            assert_ne!(with(app_key.clone()).await, 401, "{path}");
            // Of a step that does not exist nothing more is said.
            assert_eq!(with(json!(7)).await, if row.name == "updateStep" { 404 } else { 400 }, "{path}");
            let text = served.asked(method.clone(), &path).header("content-type", "text/plain").body("{}");
            assert_eq!(text.send().await.unwrap().status(), 415, "{path}");
        }
    }
    let exchange = "/account-service/authenticateCliApiKey";
    assert_eq!(served.call(Method::POST, exchange, Some(&json!({ "appKey": "wrong" }))).await.0, 401);
    assert_eq!(served.call(Method::POST, exchange, Some(&json!({ "appKey": app_key }))).await.0, 200);
    for (method, path, allow) in [
        (Method::PUT, "/projects", "GET,HEAD,POST,DELETE"),
        (Method::GET, "/projects/steps", "POST,DELETE"),
        (Method::PUT, "/webhooks", "GET,HEAD,POST"),
        (Method::GET, "/videos", "POST"),
    ] {
        let answer = served.asked(method, path).send().await.unwrap();
        assert_eq!(answer.status(), 405);
        let mut found: Vec<_> = answer.headers()["allow"].to_str().unwrap().split(',').collect();
        let mut allow: Vec<_> = allow.split(',').collect();
        found.sort_unstable();
        allow.sort_unstable();
        assert_eq!(found, allow, "{path}");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn videos_and_webhooks_are_registered_and_listed() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let url = "https://cdn.example/a/tour.mp4?v=1";
    let given = json!({ "videoUrl": url, "name": "Tour", "posterUrl": "https://cdn.example/a.jpg" });
    let named = served.post("/videos/video", &json!({ "video": given })).await;
    let bare = served.post("/videos/video", &json!({ "video": { "videoUrl": url } })).await;
    let reserved = ok(served.call(Method::POST, "/videos/video", None).await);
    for made in [&named, &bare, &reserved] {
        assert!(Uuid::try_parse(made["id"].as_str().unwrap()).is_ok());
    }
    let list = served.get("/videos/videos").await;
    assert_eq!(ListVideos::read(&list).1, []);
    let list = list["videos"].as_array().unwrap().clone();
    assert_eq!(list.iter().map(|video| &video["id"]).collect::<Vec<_>>(), [&named["id"], &bare["id"], &reserved["id"]]);
    for member in ["videoUrl", "name", "posterUrl"] {
        assert_eq!(list[0][member], given[member]);
    }
    assert_eq!(list[1]["name"], "tour.mp4");
    assert!(list[2].get("videoUrl").is_none() && list[2]["name"].is_string() && list[2]["createdAt"].is_string());

    let mut hooks = Vec::new();
    for event in ["response_summary", "collected_info", "conversion"] {
        let made = served.post("/webhooks", &json!({ "event": event, "url": "http://127.0.0.1:9/hook" })).await;
        assert_eq!(keys(&made), ["id", "url", "event", "owner", "__typename", "createdAt", "updatedAt"]);
        assert_eq!((&made["__typename"], &made["event"]), (&json!("webhook"), &json!(event)));
        hooks.push(made);
    }
    let list = served.get("/webhooks").await;
    assert_eq!(ListWebhooks::read(&list).1, []);
    for hook in &mut hooks {
        hook.as_object_mut().unwrap().shift_remove("__typename");
    }
    assert_eq!(list, Value::Array(hooks));
    served.running.stop().await;
}

#[tokio::test]
async fn the_length_and_size_of_the_sample_s_videos_are_those_of_their_files() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::sample(on(data.path())).await;
    let list = served.get("/videos/videos").await;
    let list = list["videos"].as_array().unwrap();
    assert_eq!(list.len(), 12);
    for video in list {
        let file = served.http.get(video["videoUrl"].as_str().unwrap()).send().await.unwrap().bytes().await.unwrap();
        assert_eq!(video["size"], file.len(), "{video}");
        // ISO 14496-12 §8.2.2, version 0: after its times, units a second and how many of them.
        let head = file.windows(4).position(|name| name == b"mvhd").unwrap();
        let number = |at: usize| u32::from_be_bytes(file[head + at..head + at + 4].try_into().unwrap());
        assert_eq!(video["durationMs"], number(20) * 1_000 / number(16), "{video}");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn uploads_are_kept_served_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let bytes = video(3_000_000);
    let made = served.upload("C:\\films\\Tour é.mp4", bytes.clone()).await;
    assert_eq!(made.status(), 200);
    let made: Value = made.json().await.unwrap();
    assert_eq!((keys(&made), &made["name"]), (vec!["id", "name", "createdAt"], &json!("Tour é.mp4")));
    let list = served.get("/videos/videos").await;
    assert_eq!((&list["videos"][0]["id"], &list["videos"][0]["size"]), (&made["id"], &json!(3_000_000)));
    let url = list["videos"][0]["videoUrl"].as_str().unwrap();

    // Players have no credential.
    let whole = served.http.get(url).send().await.unwrap();
    assert_eq!((whole.status().as_u16(), &whole.headers()["content-type"]), (200, &"video/mp4".parse().unwrap()));
    assert_eq!(whole.headers()["accept-ranges"], "bytes");
    let etag = whole.headers()["etag"].clone();
    assert_eq!(whole.bytes().await.unwrap(), bytes);
    let part = served.http.get(url).header("range", "bytes=1000000-1999999").send().await.unwrap();
    assert_eq!(
        (part.status().as_u16(), &part.headers()["content-range"]),
        (206, &"bytes 1000000-1999999/3000000".parse().unwrap())
    );
    assert_eq!(part.bytes().await.unwrap(), bytes[1_000_000..2_000_000]);
    let tail = served.http.get(url).header("range", "bytes=-7").send().await.unwrap();
    assert_eq!(tail.bytes().await.unwrap(), bytes[bytes.len() - 7..]);
    assert_eq!(served.http.get(url).header("range", "bytes=3000000-").send().await.unwrap().status(), 416);
    assert_eq!(served.http.get(url).header("if-none-match", etag).send().await.unwrap().status(), 304);
    let head = served.http.head(url).send().await.unwrap();
    assert_eq!((head.status().as_u16(), &head.headers()["content-length"]), (200, &"3000000".parse().unwrap()));

    let project = served.project("Tour").await;
    let new = json!({ "step": { "projectId": project, "videoId": made["id"] } });
    let step = served.post("/projects/steps", &new).await;
    let asset = format!("/partners/assets/{}", made["id"].as_str().unwrap());
    let gone = ok(served.call(Method::DELETE, &asset, None).await);
    assert!(gone["message"].as_str().unwrap().contains(step["name"].as_str().unwrap()), "{gone}");
    assert_eq!(served.call(Method::DELETE, &asset, None).await.0, 404);
    assert_eq!(served.http.get(url).send().await.unwrap().status(), 404);
    assert_eq!(served.get(&format!("/projects/{project}")).await["steps"][0]["videoId"], made["id"]);
    assert_eq!(served.get("/videos/videos").await, json!({ "videos": [] }));
    assert!(keeps_deleted(data.path()) || files(data.path()).is_empty());
    served.running.stop().await;
}

#[tokio::test]
async fn uploads_that_are_wrong_leave_nothing() {
    let data = tempfile::tempdir().unwrap();
    let options = ServeOptions { max_upload: Some(500_000), ..on(data.path()) };
    let served = Served::empty(options).await;
    assert_eq!(served.upload("most.mp4", video(500_000)).await.status(), 200);
    let there = files(data.path());
    assert_eq!(there.len(), 1);

    let refused = async |answer: Response, status: u16, named: &[&str]| {
        assert_eq!(answer.status(), status);
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let answer: Value = answer.json().await.unwrap();
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let found: Vec<_> = errors.iter().map(|error| error["pointer"].as_str().unwrap()).collect();
        assert_eq!(found, named, "{answer}");
    };
    refused(served.upload("more.mp4", video(500_001)).await, 413, &[]).await;
    refused(served.upload("much more.mp4", video(5_000_000)).await, 413, &[]).await;
    refused(served.upload("empty.mp4", Vec::new()).await, 400, &["/videoBlob"]).await;
    refused(served.upload("picture.mp4", b"\x89PNG\r\n\x1a\n and so on".to_vec()).await, 400, &["/videoBlob"]).await;
    refused(served.upload("page.mp4", b"<html><script>alert(1)</script>".to_vec()).await, 400, &["/videoBlob"]).await;

    let part = |bytes: Vec<u8>| reqwest::multipart::Part::bytes(bytes).file_name("a.mp4");
    let send = async |form| served.asked(Method::POST, "/videos").multipart(form).send().await.unwrap();
    let form = reqwest::multipart::Form::new;
    refused(send(form().part("video", part(video(100)))).await, 400, &["/video", "/videoBlob"]).await;
    refused(send(form().text("a", "x").text("b", "y")).await, 400, &["/a", "/b", "/videoBlob"]).await;
    refused(send(form().text("name", "x").part("videoBlob", part(video(100)))).await, 400, &["/name"]).await;
    refused(send(form().part("videoBlob", part(video(9_000))).text("name", "x")).await, 400, &["/name"]).await;
    let twice = form().part("videoBlob", part(video(9_000))).part("videoBlob", part(video(100)));
    refused(send(twice).await, 400, &["/videoBlob"]).await;
    refused(send(form()).await, 400, &["/videoBlob"]).await;
    for kind in ["application/json", "video/mp4", "multipart/form-data"] {
        let asked = served.asked(Method::POST, "/videos").header("content-type", kind).body(video(100));
        refused(asked.send().await.unwrap(), 415, &[]).await;
    }
    refused(served.asked(Method::POST, "/videos").send().await.unwrap(), 415, &[]).await;

    // Broken off: after its first bytes, and just before its end.
    let body = [
        b"--x\r\nContent-Disposition: form-data; name=\"videoBlob\"; filename=\"a.mp4\"\r\n\r\n".as_slice(),
        &video(200_000),
    ]
    .concat();
    for sent in [&body[..50_000], &body[..]] {
        let addr = served.running.base_url().trim_start_matches("http://").to_owned();
        let mut stream = TcpStream::connect(&addr).await.unwrap();
        let head = format!(
            "POST /videos HTTP/1.1\r\nHost: {addr}\r\nAuthorization: Bearer {}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 300000\r\n\r\n",
            served.key
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(sent).await.unwrap();
        stream.shutdown().await.unwrap();
        // The service closes when it is done with it.
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
    }
    // A form that ends too early, said to be whole.
    let short =
        served.asked(Method::POST, "/videos").header("content-type", "multipart/form-data; boundary=x").body(body);
    refused(short.send().await.unwrap(), 400, &[]).await;
    // Their files go on threads that nobody waits for.
    while files(data.path()).len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(files(data.path()), there);
    assert_eq!(served.get("/videos/videos").await["videos"].as_array().unwrap().len(), 1);

    // What a crash left is swept when the folder is opened; what was recorded is put in its place.
    served.running.stop().await;
    if hosted::s3::files_of(data.path()).is_some() {
        return;
    }
    let folder = data.path().join("blobs");
    std::fs::write(folder.join("moving").join(Uuid::new_v4().to_string()), b"x").unwrap();
    std::fs::write(folder.join("moving").join(format!("{}#1", Uuid::new_v4())), b"x").unwrap();
    std::fs::rename(folder.join("videos").join(&there[0]), folder.join("moving").join(&there[0])).unwrap();
    let served = Served::empty(on(data.path())).await;
    assert_eq!(files(data.path()), there);
    assert!(folder.join("videos").join(&there[0]).exists());
    served.running.stop().await;
}

#[tokio::test]
async fn the_sample_comes_once_with_what_is_broken() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::sample(on(data.path())).await;
    let projects = served.get("/projects/").await["projects"].as_array().unwrap().clone();
    let folders = served.get("/projects/actions/folders").await["folders"].as_array().unwrap().clone();
    let videos = served.get("/videos/videos").await["videos"].as_array().unwrap().clone();
    assert!(projects.len() >= 4 && folders.len() == 2 && !videos.is_empty());
    assert_eq!(served.get("/webhooks").await.as_array().unwrap().len(), 3);
    for address in videos.iter().flat_map(|video| [&video["videoUrl"], &video["posterUrl"]]) {
        let file = served.http.get(address.as_str().unwrap()).header("range", "bytes=0-9").send().await.unwrap();
        assert_eq!(file.status(), 206, "{address}");
    }
    let (mut dangling, mut without) = (0, 0);
    for project in &projects {
        let opened = served.get(&format!("/projects/{}", project["id"].as_str().unwrap())).await;
        assert_eq!(&opened["project"], project);
        assert_eq!(project["stepsCount"], opened["steps"].as_array().unwrap().len());
        let (opened, findings) = GetProject::read(&opened);
        assert_eq!(findings, []);
        let steps = opened.project.steps.unwrap();
        let known = |next: &str| steps.iter().any(|step| step.name.as_ref().is_some_and(|name| name.as_str() == next));
        for step in &steps {
            without += usize::from(step.video_id.as_ref().is_none_or(cutaway::domain::VideoId::is_empty));
            let next = step.answers.iter().flatten().filter_map(|answer| answer.next.as_deref());
            dangling += next.filter(|next| !next.is_empty() && !known(next)).count();
        }
    }
    assert!(dangling > 0 && without > 0);
    let first = projects[0]["id"].as_str().unwrap();
    ok(served.call(Method::DELETE, &format!("/projects?projectId={first}"), None).await);
    served.running.service().load_sample(|_| ()).await.unwrap();
    assert_eq!(served.get("/projects/").await["projects"].as_array().unwrap().len(), projects.len() - 1);
    assert_eq!(served.get("/videos/videos").await["videos"].as_array().unwrap().len(), videos.len());
    served.running.stop().await;
}

/// Every operation of §4, with the ids of one workspace and the credential of another.
#[tokio::test]
async fn workspaces_are_separate() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::sample(on(data.path())).await;
    let other = served.running.service().add_workspace("other@cutaway.local").await.unwrap().expose().to_owned();
    let project = served.project("Mine").await;
    let (step, name) = served.step(&project).await;
    served.put(&format!("/projects/{project}"), &json!({ "folder": "Mine" })).await;
    let folder = served.get("/projects/actions/folders").await["folders"][2]["id"].clone();
    let asset: Value = served.upload("a.mp4", video(5_000)).await.json().await.unwrap();
    let before = [served.get("/projects/").await, served.get("/videos/videos").await, served.get("/webhooks").await];

    let stranger = Served { key: other, http: reqwest::Client::new(), running: served.running, tests: served.tests };
    let own = stranger.project("Theirs").await;
    let (own_step, _) = stranger.step(&own).await;
    let me = stranger.get("/users/me").await;
    assert_eq!(me["email"], "other@cutaway.local");
    let url = "https://nordlys-outdoor.example";
    for (tried, row) in OPERATIONS.iter().enumerate() {
        let method: Method = row.method.as_str().parse().unwrap();
        let refused =
            async |status: u16, path: &str, body: Value| stranger.refused(status, method.clone(), path, &body).await;
        match row.name {
            "getProduct" | "getProductMedia" | "searchProductsCursor" | "getProductsCount" => {
                let body = json!({ "appUrl": url, "productId": "1" });
                assert!(refused(400, row.path, body).await.contains(&"/appUrl".to_owned()));
            }
            "authenticateCliApiKey" => {
                let token = stranger.post(row.path, &json!({})).await["accessToken"].as_str().unwrap().to_owned();
                let seen = stranger.http.get(format!("{}/users/me", stranger.running.base_url())).bearer_auth(token);
                assert_eq!(seen.send().await.unwrap().json::<Value>().await.unwrap(), me);
            }
            "getMe" => assert_ne!(me["appKey"], before[0]["projects"][0]["appKey"]),
            "createProject" => {
                assert_eq!(stranger.get(&format!("/projects/{own}")).await["project"]["owner"], me["id"]);
            }
            "listProjects" => assert_eq!(stranger.get(row.path).await["projects"].as_array().unwrap().len(), 1),
            "listFolders" => assert_eq!(stranger.get(row.path).await, json!({ "folders": [] })),
            "listVideos" => assert_eq!(stranger.get(row.path).await, json!({ "videos": [] })),
            "listWebhooks" => assert_eq!(stranger.get(row.path).await, json!([])),
            "getProject" | "getProjectByPost" => {
                refused(404, &format!("/projects/{project}"), json!({})).await;
            }
            "updateProject" => {
                refused(404, &format!("/projects/{project}"), json!({ "name": "Stolen" })).await;
                let path = format!("/projects/{own}");
                assert_eq!(refused(400, &path, json!({ "folder": folder })).await, ["/folder"]);
                for entry in [&step, &name] {
                    assert_eq!(refused(400, &path, json!({ "stepsOrder": [entry] })).await, ["/stepsOrder/0"]);
                }
            }
            "deleteProject" => {
                refused(404, row.path, json!({ "projectId": project })).await;
            }
            "createStep" => {
                refused(404, row.path, json!({ "step": { "projectId": project } })).await;
                let body = json!({ "step": { "projectId": own, "videoId": asset["id"] } });
                assert_eq!(refused(400, row.path, body).await, ["/step/videoId"]);
            }
            "updateStep" => {
                refused(404, &format!("/projects/steps/{step}"), json!({ "description": "Stolen" })).await;
                let path = format!("/projects/steps/{own_step}");
                assert_eq!(refused(400, &path, json!({ "videoId": asset["id"] })).await, ["/videoId"]);
            }
            "deleteStep" => {
                refused(404, row.path, json!({ "stepId": step })).await;
            }
            "deleteAsset" => {
                refused(404, &format!("/partners/assets/{}", asset["id"].as_str().unwrap()), json!({})).await;
            }
            "deleteWebhook" => {
                refused(404, &format!("/webhooks/{}", before[2][0]["id"].as_str().unwrap()), json!({})).await;
            }
            // Nothing of the other workspace can be named in them.
            "createVideo" | "uploadVideo" | "createWebhook" => {}
            new => panic!("operation {tried}, {new}, is tried across workspaces by nobody"),
        }
    }
    let served = Served { key: served.key, ..stranger };
    assert_eq!(
        [served.get("/projects/").await, served.get("/videos/videos").await, served.get("/webhooks").await],
        before
    );
    served.running.stop().await;
}

#[tokio::test]
async fn the_interface_describes_itself() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    let document = served.http.get(format!("{}/openapi.json", served.running.base_url())).send().await.unwrap();
    let document: Value = document.json().await.unwrap();
    assert_eq!((&document["openapi"], &document["info"]["version"]), (&json!("3.1.0"), &json!("1.0.0")));
    assert_eq!(document["servers"][0]["url"], served.running.base_url());
    let tags: Vec<_> = document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(tags, ["products", "stores", "studio", "video", "ai-tools"]);
    for row in OPERATIONS {
        assert!(document["paths"][row.path][row.method.as_str().to_lowercase()]["responses"]["401"].is_object());
    }
    served.running.stop().await;
}

#[tokio::test]
async fn deleted_by_several_at_once_an_asset_leaves_nothing() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(on(data.path())).await;
    for _ in 0..10 {
        let made: Value = served.upload("once.mp4", video(20_000)).await.json().await.unwrap();
        let path = format!("/partners/assets/{}", made["id"].as_str().unwrap());
        let deletes = (0..6).map(|_| served.asked(Method::DELETE, &path).send());
        let answers = futures_util::future::join_all(deletes).await;
        let done = answers.into_iter().filter(|answer| answer.as_ref().unwrap().status() == 200).count();
        assert_eq!(done, 1);
    }
    assert!(keeps_deleted(data.path()) || files(data.path()).is_empty());
    served.running.stop().await;
}
