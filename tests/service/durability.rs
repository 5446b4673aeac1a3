//! What was acknowledged survives SIGKILL in the middle of writes, and a backup taken meanwhile is whole.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::serving;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use serving::{Process, serve};
use tokio::sync::Notify;

/// The real binary, serving a folder.
struct Serving {
    process: Process,
    base: String,
    key: String,
    http: reqwest::Client,
}

impl Serving {
    fn start(data: &Path) -> Self {
        let process = Process::start(&mut serve(&data.join("home"), data));
        let (base, key) = (process.base().to_owned(), process.key().to_owned());
        Self { process, base, key, http: reqwest::Client::new() }
    }

    /// The answer to a write; `None` where the service went away first.
    async fn write(&self, method: Method, path: &str, body: Value) -> Option<Value> {
        let asked = self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key).json(&body);
        let answer = asked.send().await.ok()?;
        assert_eq!(answer.status(), 200);
        answer.json().await.ok()
    }

    async fn upload(&self, bytes: Vec<u8>) -> Option<Value> {
        let part = reqwest::multipart::Part::bytes(bytes).file_name("a.mp4");
        let form = reqwest::multipart::Form::new().part("videoBlob", part);
        let asked = self.http.post(format!("{}/videos", self.base)).bearer_auth(&self.key).multipart(form);
        let answer = asked.send().await.ok()?;
        assert_eq!(answer.status(), 200);
        answer.json().await.ok()
    }

    async fn get(&self, path: &str) -> Value {
        let asked = self.http.get(format!("{}{path}", self.base)).bearer_auth(&self.key);
        asked.send().await.unwrap().json().await.unwrap()
    }
}

fn video(number: u8) -> Vec<u8> {
    let mut bytes = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    bytes.extend(std::iter::repeat_n(number, 300_000));
    bytes
}

/// What one writer was told: by project, the steps with their last texts; uploaded videos; webhooks.
#[derive(Default)]
struct Told {
    projects: HashMap<String, HashMap<String, String>>,
    deleted: Vec<String>,
    videos: Vec<(String, u8)>,
    webhooks: Vec<String>,
}

/// Writes until the service is gone.
async fn write(serving: &Serving, writer: u8, acknowledged: &AtomicUsize, more: &Notify) -> Told {
    let mut told = Told::default();
    let done = || {
        acknowledged.fetch_add(1, Ordering::Relaxed);
        more.notify_one();
    };
    let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
    for round in 0_u32.. {
        let new = json!({ "project": { "name": format!("{writer}/{round}") } });
        let Some(made) = serving.write(Method::POST, "/projects", new).await else { break };
        let project = id(&made);
        told.projects.insert(project.clone(), HashMap::new());
        done();
        let new = json!({ "step": { "projectId": project, "description": "new" } });
        let Some(made) = serving.write(Method::POST, "/projects/steps", new).await else { break };
        let step = id(&made);
        told.projects.get_mut(&project).unwrap().insert(step.clone(), "new".to_owned());
        done();
        let (path, text) = (format!("/projects/steps/{step}"), format!("text of {round}"));
        // Whether an unanswered change was made is not known.
        let before = told.projects.get_mut(&project).unwrap().remove(&step);
        if serving.write(Method::PUT, &path, json!({ "description": text })).await.is_none() {
            break;
        }
        assert!(before.is_some());
        told.projects.get_mut(&project).unwrap().insert(step, text);
        done();
        if round % 3 == 1 {
            let steps = told.projects.remove(&project).unwrap();
            if serving.write(Method::DELETE, "/projects", json!({ "projectId": project })).await.is_none() {
                break;
            }
            assert_eq!(steps.len(), 1);
            told.deleted.push(project);
            done();
        }
        if round % 4 == 2 {
            let byte = writer.wrapping_add(u8::try_from(round % 200).unwrap());
            let Some(made) = serving.upload(video(byte)).await else { break };
            told.videos.push((id(&made), byte));
            done();
            let new = json!({ "event": "conversion", "url": "https://x.example" });
            let Some(made) = serving.write(Method::POST, "/webhooks", new).await else { break };
            told.webhooks.push(id(&made));
            done();
        }
    }
    told
}

async fn assert_kept(serving: &Serving, told: &Told) {
    for (project, steps) in &told.projects {
        let read = serving.get(&format!("/projects/{project}")).await;
        for (step, text) in steps {
            let found = read["steps"].as_array().unwrap().iter().find(|found| found["id"] == **step);
            assert_eq!(found.unwrap()["description"], **text);
        }
    }
    for project in &told.deleted {
        assert_eq!(serving.get(&format!("/projects/{project}")).await["status"], 404);
    }
    let videos = serving.get("/videos/videos").await;
    for (id, byte) in &told.videos {
        let found = videos["videos"].as_array().unwrap().iter().find(|found| found["id"] == **id).unwrap();
        let file = serving.http.get(found["videoUrl"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(file.bytes().await.unwrap(), video(*byte));
    }
    let webhooks = serving.get("/webhooks").await;
    for id in &told.webhooks {
        assert!(webhooks.as_array().unwrap().iter().any(|found| found["id"] == **id));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_a_kill() {
    // Where one of several is killed the others take the writes, which end with nothing: .ci/chaos is about them.
    if serving::postgres::is_cluster() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for _ in 0..3 {
        let mut serving = Serving::start(data.path());
        for told in &all {
            assert_kept(&serving, told).await;
        }
        let (acknowledged, more) = (AtomicUsize::new(0), Notify::new());
        let shared = Arc::new((acknowledged, more));
        let pid = serving.process.child().id();
        let killer = {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                while shared.0.load(Ordering::Relaxed) < 120 {
                    shared.1.notified().await;
                }
                assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
            })
        };
        let (one, two) = (write(&serving, 1, &shared.0, &shared.1), write(&serving, 100, &shared.0, &shared.1));
        let (one, two) = tokio::join!(one, two);
        killer.await.unwrap();
        serving.process.child().wait().unwrap();
        all.extend([one, two]);
    }
    let serving = Serving::start(data.path());
    for told in &all {
        assert_kept(&serving, told).await;
    }
    assert!(std::fs::read_dir(data.path().join("blobs/moving")).unwrap().next().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_taken_while_others_write() {
    // A database is backed up by its own programs.
    if serving::postgres::is_wanted() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(data.path());
    let file = place.path().join("backup.tar");
    let back = |file: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.args(["serve", "backup"]).arg(file).arg("--data").arg(data.path()).env_clear();
        command.output().unwrap()
    };
    let (shared, before) = ((AtomicUsize::new(0), Notify::new()), json!({ "project": { "name": "Before" } }));
    let id = serving.write(Method::POST, "/projects", before).await.unwrap()["id"].as_str().unwrap().to_owned();
    let made = serving.upload(video(7)).await.unwrap()["id"].as_str().unwrap().to_owned();
    let known = Told { projects: HashMap::from([(id, HashMap::new())]), videos: vec![(made, 7)], ..Told::default() };
    let pid = serving.process.child().id();
    let backing = async {
        while shared.0.load(Ordering::Relaxed) < 30 {
            shared.1.notified().await;
        }
        let output = tokio::task::block_in_place(|| back(&file));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    };
    tokio::join!(write(&serving, 9, &shared.0, &shared.1), backing);
    serving.process.child().wait().unwrap();
    assert!(!back(&place.path().join("no/such/folder.tar")).status.success());

    let restored = place.path().join("restored");
    std::fs::create_dir(&restored).unwrap();
    tar::Archive::new(std::fs::File::open(&file).unwrap()).unpack(&restored).unwrap();
    let serving = Serving::start(&restored);
    assert_kept(&serving, &known).await;
    let videos = serving.get("/videos/videos").await;
    for video in videos["videos"].as_array().unwrap() {
        let file = serving.http.get(video["videoUrl"].as_str().unwrap()).send().await.unwrap();
        assert_eq!((file.status().as_u16(), file.content_length()), (200, Some(300_024)));
    }
    assert!(serving.get("/projects/").await["projects"].as_array().unwrap().len() > 5);
    assert_eq!(
        std::fs::read_dir(data.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("backup-"))
            .count(),
        0
    );
}
