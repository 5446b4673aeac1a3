//! The local workspace: served by whichever process came first, taken over unseen when that one ends.

#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests are tests too.

use crate::serving;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cutaway::api::{CountProducts, Me};
use cutaway::runtime::connection::{Connection, Hooks, connect};
use cutaway::settings::{Config, Credentials, Environment, Flags, Folders, Target};
use serving::{Process, serve_locally};

fn target() -> Target {
    let nothing = Environment::default();
    Target::resolve(&Flags::default(), &nothing, &Config::default(), &Credentials::default()).unwrap()
}

async fn connected(folders: &Folders) -> Connection {
    connect(&target(), folders, None, Hooks::default(), |_| ()).await.unwrap()
}

async fn count(connection: &Connection) -> i64 {
    let app_url = connection.store.clone().unwrap();
    let count = CountProducts { app_url, ..CountProducts::default() };
    connection.client.call(&count).await.unwrap().value.total.whole().unwrap()
}

/// Another process that serves the folder, once it does.
fn served_elsewhere(folder: &Path) -> Process {
    Process::start(serve_locally(&folder.join("home"), folder).arg("--sample"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_serves_and_later_ones_attach() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::under(home.path());
    let loaded = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&loaded);
    let progress = move |products| told.store(products, Ordering::SeqCst);
    let first = connect(&target(), &folders, None, Hooks::default(), progress).await.unwrap();
    assert!(loaded.load(Ordering::SeqCst) >= 200, "the sample store's loading is told");
    let second = connected(&folders).await;
    assert_eq!(first.base_url, second.base_url);
    assert!(first.workspace.as_ref().unwrap().is_served_here().await);
    assert!(!second.workspace.as_ref().unwrap().is_served_here().await);
    assert_eq!(count(&first).await, count(&second).await);

    first.workspace.as_ref().unwrap().close().await;
    assert!(count(&second).await >= 200, "taken over unseen");
    assert!(second.workspace.as_ref().unwrap().is_served_here().await);
    assert!(count(&first).await >= 200, "and the first is attached to the second now");
    second.workspace.unwrap().close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_was_killed_is_replaced_for_many_callers_at_once() {
    let home = tempfile::tempdir().unwrap();
    let folders = Folders::under(home.path());
    let elsewhere = served_elsewhere(&folders.local_workspace().unwrap());
    let connection = connected(&folders).await;
    assert!(!connection.workspace.as_ref().unwrap().is_served_here().await);
    let before = connection.client.call(&Me).await.unwrap().value;
    drop(elsewhere);
    let calls = (0..16).map(|_| connection.client.call(&Me));
    for answer in futures_util::future::join_all(calls).await {
        assert_eq!(answer.unwrap().value, before, "the same workspace, at whichever address");
    }
    assert!(connection.workspace.as_ref().unwrap().is_served_here().await);
    connection.workspace.unwrap().close().await;
}
