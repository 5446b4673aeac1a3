//! A database that is locked or away, and a process that is about to stop: 503 with `Retry-After`, nothing half done,
//! and `/readyz` that says so while `/healthz` goes on.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::hosted;
use crate::serving;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cutaway::service::{ServeOptions, Timing};
use hosted::{ServedFor, on};
use reqwest::{Method, StatusCode};
use rusqlite::Connection;
use serde_json::{Value, json};
use serving::{Process, serve};
use tokio::sync::oneshot;

/// The database of a folder.
const DATABASE: &str = "cutaway.sqlite3";

fn options(data: &Path, timing: Timing) -> ServeOptions {
    ServeOptions { timing, ..on(data) }
}

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn status(&self, path: &str) -> u16 {
        self.http.get(self.url(path)).send().await.unwrap().status().as_u16()
    }

    async fn projects(&self) -> usize {
        let listed: Value = self.asked(Method::GET, "/projects").send().await.unwrap().json().await.unwrap();
        listed["projects"].as_array().unwrap().len()
    }

    /// Asks for a project; it has to be made, or refused as what may work later.
    async fn create(&self) -> bool {
        let new = json!({ "project": { "name": "One" } });
        let answer = self.asked(Method::POST, "/projects").json(&new).send().await.unwrap();
        if answer.status() == StatusCode::OK {
            return true;
        }
        assert_eq!(answer.status(), 503);
        assert_eq!(answer.headers()["retry-after"], "1");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let said: Value = answer.json().await.unwrap();
        assert!(said["detail"].as_str().unwrap().starts_with("The service's database "), "{said}");
        false
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_others_keep_locked_is_tried_again_later() {
    // What is locked or away is a file; tests/service/on_postgres.rs has servers.
    if hosted::postgres::is_wanted() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { busy: Duration::from_millis(100), ..Timing::default() };
    let served = Served::empty(options(data.path(), timing)).await;
    assert!(served.create().await);
    assert_eq!(served.status("/readyz").await, 200);
    let other = Connection::open(data.path().join(DATABASE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(!served.create().await);
    assert_eq!((served.status("/readyz").await, served.status("/healthz").await), (503, 200));
    assert_eq!(served.projects().await, 1, "reading needs no lock");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(served.status("/readyz").await, 200);
    assert_eq!(served.projects().await, 1, "what was refused was not done");
    assert!(served.create().await);
    assert_eq!(served.projects().await, 2);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_tried_again_later() {
    // What is locked or away is a file; tests/service/on_postgres.rs has servers.
    if hosted::postgres::is_wanted() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(options(data.path(), Timing::default())).await;
    let (here, away) = (data.path().join(DATABASE), data.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    // Nobody has asked yet, so the connection at the door is still to be opened.
    assert!(!served.create().await);
    let answer = served.http.get(served.url("/readyz")).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(served.status("/healthz").await, 200);
    std::fs::rename(&away, &here).unwrap();
    assert_eq!(served.status("/readyz").await, 200);
    assert_eq!(served.projects().await, 0);
    assert!(served.create().await);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_about_to_stop_answers_on_and_is_not_ready() {
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { drain: Duration::from_secs(600), ..Timing::default() };
    let served = Served::empty(options(data.path(), timing)).await;
    let (at_once, asked) = oneshot::channel::<()>();
    let draining = served.running.drain(async { drop(asked.await) });
    let asking = async {
        while served.status("/readyz").await == 200 {}
        assert_eq!((served.status("/readyz").await, served.status("/healthz").await), (503, 200));
        assert!(served.create().await);
        at_once.send(()).unwrap();
    };
    tokio::join!(draining, asking);
    served.running.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_the_wait_for_others() {
    let data = tempfile::tempdir().unwrap();
    let command = &mut serve(&data.path().join("home"), data.path());
    let mut process = Process::start(command.args(["--drain", "10m"]));
    let url = format!("{}/readyz", process.base());
    let http = reqwest::Client::new();
    let status = async || http.get(&url).send().await.unwrap().status().as_u16();
    assert_eq!(status().await, 200);
    let pid = process.child().id().to_string();
    let terminate = || assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    terminate();
    while status().await == 200 {}
    assert_eq!(status().await, 503);
    terminate();
    assert!(process.child().wait().unwrap().success());
}
