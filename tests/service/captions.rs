//! Captions of videos: over HTTP, and by the real binary.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::hosted;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use reqwest::{Method, Response};
use serde_json::{Value, json};

const GERMAN: &str = "WEBVTT\n\n00:00.000 --> 00:01.500\nGuten <i>Tag</i>\n\n00:02.000 --> 00:03.000\nEnde\n";

struct Served {
    hosted: hosted::Served,
    data: tempfile::TempDir,
}

impl std::ops::Deref for Served {
    type Target = hosted::Served;

    fn deref(&self) -> &hosted::Served {
        &self.hosted
    }
}

impl Served {
    async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        Self { hosted: hosted::Served::sample(hosted::on(&data.path().join("served"))).await, data }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let request = self.asked(method, path);
        let request = if let Some(body) = body { request.json(&body) } else { request };
        request.send().await.unwrap()
    }

    async fn json(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let answer = self.send(method, path, body).await;
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn video(&self) -> String {
        let (_, made) = self.json(Method::POST, "/videos/video", Some(json!({}))).await;
        made["id"].as_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.data.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs the command line against the service.
    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear().stdin(Stdio::null()).args(arguments);
        for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
            command.env(variable, self.data.path().join(folder));
        }
        command.env("CUTAWAY_BASE_URL", self.running.base_url()).env("CUTAWAY_API_KEY", &self.key);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn captions_are_set_listed_read_by_players_and_removed() {
    let served = Served::start().await;
    let video = served.video().await;
    let path = format!("/videos/{video}/captions");
    assert_eq!(served.json(Method::GET, &path, None).await, (200, json!({ "captions": [] })));
    let (status, set) = served.json(Method::PUT, &format!("{path}/DE"), Some(json!({ "vtt": GERMAN }))).await;
    assert_eq!((status, &set["language"], &set["cues"]), (200, &json!("de"), &json!(2)));
    let labeled = json!({ "vtt": GERMAN, "label": " Deutsch (AT) " });
    served.send(Method::PUT, &format!("{path}/de-at"), Some(labeled)).await.error_for_status().unwrap();
    let (_, listed) = served.json(Method::GET, &path, None).await;
    let of =
        |member: &str| listed["captions"].as_array().unwrap().iter().map(|one| one[member].clone()).collect::<Vec<_>>();
    assert_eq!(
        (of("language"), of("label")),
        (vec![json!("de"), json!("de-AT")], vec![json!(null), json!("Deutsch (AT)")])
    );
    assert_eq!(served.json(Method::GET, &format!("{path}/de"), None).await.1["vtt"], GERMAN);
    let (_, videos) = served.json(Method::GET, "/videos/videos", None).await;
    let known = videos["videos"].as_array().unwrap().iter().find(|one| one["id"] == *video).unwrap();
    assert_eq!(known["captions"], json!(["de", "de-AT"]));

    // As a player on another site reads them.
    let url = set["captionsUrl"].as_str().unwrap();
    let file = served.http.get(url).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "text/vtt; charset=utf-8");
    assert_eq!(file.headers()["x-content-type-options"], "nosniff");
    assert_eq!(file.headers()["access-control-allow-origin"], "*");
    assert_eq!(file.headers()["cross-origin-resource-policy"], "cross-origin");
    let tag = file.headers()["etag"].clone();
    // It is one tag for the text, packed or not; caches keep the packed one apart.
    assert!(tag.to_str().unwrap().starts_with("W/\""), "{tag:?}");
    assert_eq!(file.headers()["vary"], "accept-encoding");
    assert_eq!(file.text().await.unwrap(), GERMAN);
    assert_eq!(served.http.get(url).header("if-none-match", tag).send().await.unwrap().status(), 304);
    // Other words have another address.
    let other = json!({ "vtt": GERMAN.replace("Ende", "Schluss") });
    let (_, again) = served.json(Method::PUT, &format!("{path}/de"), Some(other)).await;
    assert_ne!(again["captionsUrl"], set["captionsUrl"]);

    assert_eq!(served.json(Method::DELETE, &format!("{path}/de"), None).await, (200, json!({ "language": "de" })));
    assert_eq!(served.json(Method::DELETE, &format!("{path}/de"), None).await.0, 404);
    assert_eq!(served.http.get(url).send().await.unwrap().status(), 404);
    let of_at = url.replace("/de.vtt", "/de-AT.vtt");
    assert_eq!(served.http.get(&of_at).send().await.unwrap().status(), 200);
    // They go with their video.
    served.send(Method::DELETE, &format!("/partners/assets/{video}"), None).await.error_for_status().unwrap();
    assert_eq!(served.http.get(&of_at).send().await.unwrap().status(), 404);
    served.hosted.running.stop().await;
}

#[tokio::test]
async fn what_is_no_webvtt_is_refused_with_its_place() {
    let served = Served::start().await;
    let video = served.video().await;
    let path = format!("/videos/{video}/captions/de");
    let long = format!("WEBVTT\n\n{}", "x".repeat(600 * 1024));
    for (body, pointer, why) in [
        (json!({ "vtt": "1\n00:00:01,000 --> 00:00:02,000\nsrt" }), "/vtt", "line 1"),
        (json!({ "vtt": "WEBVTT\n\n00:05.000 --> 00:04.000\na" }), "/vtt", "line 3"),
        (json!({ "vtt": long }), "/vtt", "bytes"),
        (json!({ "vtt": 5 }), "/vtt", ""),
        (json!({}), "/vtt", ""),
        (json!({ "vtt": GERMAN, "label": "x".repeat(101) }), "/label", "100"),
    ] {
        let (status, problem) = served.json(Method::PUT, &path, Some(body)).await;
        assert_eq!((status, &problem["errors"][0]["pointer"]), (400, &json!(pointer)), "{problem}");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains(why), "{problem}");
    }
    let body = Some(json!({ "vtt": GERMAN }));
    for path in ["/videos/none/captions/de".to_owned(), format!("/videos/{video}/captions/de_AT")] {
        assert_eq!(served.json(Method::PUT, &path, body.clone()).await.0, 404, "{path}");
    }
    let open = served.http.get(format!("{}{path}", served.running.base_url())).send().await.unwrap();
    assert_eq!(open.status(), 401);
    let (_, document) = served.json(Method::GET, "/openapi.json", None).await;
    assert_eq!(document["paths"]["/videos/{id}/captions/{language}"]["put"]["x-extension"], true);
    for member in ["captions", "durationMs", "size"] {
        let described = &document["components"]["schemas"]["Video"]["properties"][member];
        assert_eq!(described["x-extension"], true, "{member}: {described}");
    }
    served.hosted.running.stop().await;
}

#[tokio::test]
async fn captions_come_with_an_upload_and_afterwards() {
    let served = Served::start().await;
    let film = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos/for-her.mp4");
    let film = served.file("tour.mp4", std::fs::read(film).unwrap());
    let film = film.to_str().unwrap();
    let german = served.file("tour.de.vtt", GERMAN);
    let plain = served.file("plain.vtt", format!("\u{feff}{GERMAN}"));
    let english = format!("en={}", plain.display());
    let arguments =
        ["videos", "upload", film, "--captions", german.to_str().unwrap(), "--captions", &english, "--id-only"];
    let (code, id, errors) = told(&served.run(&arguments).await);
    assert_eq!(code, Some(0), "{errors}");
    let id = id.trim();
    let (code, listed, _) = told(&served.run(&["videos", "captions", "list", id]).await);
    assert_eq!(code, Some(0));
    let languages: Vec<&str> = listed.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(languages, ["de", "en"], "{listed}");

    // Without a language it is said how to name one.
    let (code, _, errors) = told(&served.run(&["videos", "captions", "add", id, plain.to_str().unwrap()]).await);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("en=") && errors.contains("und"), "{errors}");
    let (_, vtt, _) = told(&served.run(&["videos", "captions", "show", id, "DE"]).await);
    assert_eq!(vtt, GERMAN);
    let (code, _, errors) = told(&served.run(&["videos", "captions", "remove", id, "de"]).await);
    assert_eq!(code, Some(2), "{errors}");
    assert_eq!(told(&served.run(&["videos", "captions", "remove", id, "de", "--yes"]).await).0, Some(0));
    let (code, _, errors) = told(&served.run(&["videos", "captions", "show", id, "de"]).await);
    assert_eq!(code, Some(4), "{errors}");

    // What can't be read is said before anything is sent.
    let srt = served.file("tour.fr.vtt", "1\n00:00:01,000 --> 00:00:02,000\nNon\n");
    let latin = served.file("tour.es.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nma\xf1ana\n");
    for (wrong, why) in [(&srt, "line 1"), (&latin, "UTF-8")] {
        let arguments = ["videos", "upload", film, "--captions", wrong.to_str().unwrap()];
        let (code, out, errors) = told(&served.run(&arguments).await);
        assert_eq!((code, &*out), (Some(2), ""), "{errors}");
        assert!(errors.contains(why), "{errors}");
    }
    let (_, videos) = served.json(Method::GET, "/videos/videos", None).await;
    let uploaded = videos["videos"].as_array().unwrap().iter().filter(|one| one["name"] == "tour.mp4").count();
    assert_eq!(uploaded, 1, "{videos}");
    served.hosted.running.stop().await;
}
