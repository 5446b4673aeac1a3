//! What programs of other makes rely on: paths with and without a slash at their end, fields that are kept or refused,
//! over HTTP against the real binary.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use cutaway::api::OPERATIONS;
use reqwest::Method;
use serde_json::{Value, json};
use serving::Served;

/// Status and body of an answer.
async fn asked(served: &Served, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
    let method: Method = method.parse().unwrap();
    let mut request = reqwest::Client::new().request(method, format!("{}{path}", served.base()));
    request = request.bearer_auth(served.key());
    if let Some(body) = body {
        request = request.json(body);
    }
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
}

#[tokio::test]
async fn every_path_is_the_same_with_a_slash_at_its_end() {
    let served = Served::start();
    let beside = [
        ("GET", "/healthz"),
        ("GET", "/openapi.json"),
        ("GET", "/webhooks/{id}/deliveries"),
        ("GET", "/webhooks/{id}/secret"),
        ("GET", "/.well-known/oauth-authorization-server"),
    ];
    let rows = OPERATIONS.iter().map(|row| (row.method.as_str(), row.path)).chain(beside);
    for (method, path) in rows {
        let path = path.trim_end_matches('/').replace("{id}", "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e");
        let bare = asked(&served, method, &path, None).await;
        let twin = asked(&served, method, &format!("{path}/"), None).await;
        let queried = asked(&served, method, &format!("{path}/?a=b"), None).await.0;
        // What reserves an id or exchanges a key answers otherwise each time.
        let alike =
            // And which process answers, where there are several.
            if ["/videos/video", "/healthz"].contains(&&*path) || path.contains("authenticate") { bare.0 == twin.0 } else { bare == twin };
        assert!(alike && queried == bare.0 && bare.0 != 405, "{method} {path}: {bare:?} {twin:?} {queried}");
    }
    for path in ["/webhooks/", "/videos/videos/", "/users/me/", "/projects/actions/folders/", "/projects/"] {
        assert_eq!(asked(&served, "GET", path, None).await.0, 200, "{path}");
    }
    let no_key = reqwest::get(format!("{}/users/me/", served.base())).await.unwrap();
    assert_eq!(no_key.status(), 401);
    let by_key = reqwest::Client::new()
        .post(format!("{}/account-service/authenticateCliApiKey/", served.base()))
        .header("X-CLI-API-Key", served.key());
    assert_eq!(by_key.send().await.unwrap().status(), 200);
    assert_eq!(asked(&served, "GET", "/users/me//", None).await.0, 404);
}

#[tokio::test]
async fn a_project_is_created_with_all_that_was_given() {
    let served = Served::start();
    let wanted = json!({ "project": {
        "name": "Spring", "folder": "New one", "emailNotifications": ["ola@example.com", "kari@example.com"],
    } });
    let (status, made) = asked(&served, "POST", "/projects", Some(&wanted)).await;
    assert_eq!(status, 200, "{made}");
    let path = format!("/projects/{}", made["id"].as_str().unwrap());
    let project = asked(&served, "GET", &path, None).await.1["project"].clone();
    assert_eq!(project["emailNotifications"], wanted["project"]["emailNotifications"]);
    let folders = asked(&served, "GET", "/projects/actions/folders", None).await.1;
    let folder = folders["folders"].as_array().unwrap().iter().find(|folder| folder["name"] == "New one").unwrap();
    assert_eq!(project["folder"], folder["id"]);
    let by_id = json!({ "project": { "name": "Summer", "folder": folder["id"] } });
    assert_eq!(asked(&served, "POST", "/projects", Some(&by_id)).await.0, 200);
    let again = asked(&served, "GET", "/projects/actions/folders", None).await.1;
    assert_eq!(again["folders"].as_array().unwrap().len(), folders["folders"].as_array().unwrap().len());

    let before = asked(&served, "GET", "/projects/", None).await.1;
    for (wrong, pointer) in [
        (json!({ "name": "x", "emailNotifications": ["nobody"] }), "/project/emailNotifications/0"),
        (json!({ "name": "x", "folder": "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e" }), "/project/folder"),
        (json!({ "name": "x", "folder": null }), "/project/folder"),
        (json!({ "folder": "Never made" }), "/project/name"),
    ] {
        let (status, answer) = asked(&served, "POST", "/projects", Some(&json!({ "project": wrong }))).await;
        assert_eq!((status, &answer["errors"][0]["pointer"]), (400, &json!(pointer)), "{answer}");
    }
    assert_eq!(asked(&served, "GET", "/projects/", None).await.1, before);
    assert_eq!(asked(&served, "GET", "/projects/actions/folders", None).await.1, again);
}

#[tokio::test]
async fn a_body_with_none_of_the_fields_changes_nothing_and_is_refused() {
    let served = Served::start();
    let projects = asked(&served, "GET", "/projects/", None).await.1;
    let project = projects["projects"][0]["id"].as_str().unwrap();
    let opened = asked(&served, "GET", &format!("/projects/{project}"), None).await.1;
    let step = opened["steps"][0]["id"].as_str().unwrap();
    let key = asked(&served, "GET", "/users/me", None).await.1["appKey"].clone();
    let (of_project, of_step) = (format!("/projects/{project}"), format!("/projects/steps/{step}"));
    for (method, path) in [
        ("PUT", of_project.as_str()),
        ("PUT", &of_step),
        ("POST", "/projects"),
        ("POST", "/projects/steps"),
        ("POST", "/webhooks"),
    ] {
        for body in [
            json!({}),
            json!({ "appKey": key }),
            json!({ "unknown": 1, "appKey": key }),
            json!({ "wrapped": { "name": "Other", "description": "Other" } }),
        ] {
            let (status, answer) = asked(&served, method, path, Some(&body)).await;
            assert_eq!(status, 400, "{method} {path} {body}: {answer}");
            assert!(!answer["errors"].as_array().unwrap().is_empty(), "{answer}");
        }
    }
    let wrapped = json!({ "project": { "name": "Other" } });
    let (status, answer) = asked(&served, "PUT", &of_project, Some(&wrapped)).await;
    assert!(status == 400 && answer.to_string().contains("stepsOrder"), "{answer}");
    assert_eq!(asked(&served, "PUT", &of_step, Some(&json!({ "step": { "description": "Other" } }))).await.0, 400);
    assert_eq!(asked(&served, "GET", &of_project, None).await.1, opened);
    assert_eq!(asked(&served, "PUT", &of_project, Some(&json!({ "name": "Other", "unknown": 1 }))).await.0, 200);
    assert_eq!(asked(&served, "PUT", &of_step, Some(&json!({ "description": "", "appKey": key }))).await.0, 200);
}

#[tokio::test]
async fn an_analysis_without_a_time_limit_is_asked_for_with_an_empty_object() {
    let served = Served::start();
    let search =
        |analysis: Value| json!({ "appUrl": served.store(), "limit": 20, "include": { "analysis": analysis } });
    let path = "/products-service/searchProductsCursor";
    let (status, page) = asked(&served, "POST", path, Some(&search(json!({})))).await;
    assert_eq!(status, 200, "{page}");
    assert_eq!(page, asked(&served, "POST", path, Some(&search(json!(true)))).await.1);
    for wrong in [json!({ "analysisTimeoutMs": 0 }), json!({ "analysisTimeoutMs": null }), json!({ "x": 1 })] {
        assert_eq!(asked(&served, "POST", path, Some(&search(wrong.clone()))).await.0, 400, "{wrong}");
    }
}
