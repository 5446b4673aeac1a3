//! `/metrics`: figures in the text format of OpenMetrics, for whoever has a key, without a stranger's words in them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::hosted;

use cutaway::service::ServeOptions;
use hosted::{ServedFor, on};
use reqwest::Method;
use serde_json::{Value, json};

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    /// The figures by their names and labels, as they are written.
    async fn figures(&self) -> Vec<(String, f64)> {
        let answer = self.asked(Method::GET, "/metrics").send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
        let text = answer.text().await.unwrap();
        assert!(text.ends_with("\n# EOF\n"), "{text}");
        let told = text.lines().filter(|line| !line.starts_with('#'));
        told.map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
    }

    async fn figure(&self, name: &str) -> Option<f64> {
        self.figures().await.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_by_route_and_status_and_no_path_of_a_stranger_is_told() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::sample(on(data.path())).await;
    for path in ["/metrics", "/metrics/", "/metrics?x=y"] {
        let refused = served.http.get(served.url(path)).send().await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers().contains_key("www-authenticate")),
            (401, true),
            "{path}"
        );
    }
    for _ in 0..3 {
        assert_eq!(served.asked(Method::GET, "/projects").send().await.unwrap().status(), 200);
    }
    let listed: Value = served.asked(Method::GET, "/projects").send().await.unwrap().json().await.unwrap();
    let id = listed["projects"][0]["id"].as_str().unwrap();
    served.asked(Method::GET, &format!("/projects/{id}")).send().await.unwrap();
    served.asked(Method::GET, "/projects/no-such-project").send().await.unwrap();
    served.asked(Method::GET, "/secret-of-a-stranger").send().await.unwrap();
    let figures = served.figures().await;
    let figure = |name: &str| figures.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let requests = |labels: &str| figure(&format!("cutaway_requests_total{{{labels}}}"));
    assert_eq!(requests(r#"method="GET",route="/projects",status="200""#), Some(4.0), "{figures:?}");
    assert_eq!(requests(r#"method="GET",route="/projects/{id}",status="200""#), Some(1.0), "{figures:?}");
    assert_eq!(requests(r#"method="GET",route="/projects/{id}",status="404""#), Some(1.0));
    assert_eq!(requests(r#"method="GET",route="none",status="404""#), Some(1.0));
    assert_eq!(requests(r#"method="GET",route="none",status="401""#), Some(3.0));
    assert_eq!(figure(r#"cutaway_request_seconds_count{route="/projects"}"#), Some(4.0));
    assert_eq!(figure("cutaway_requests_in_flight"), Some(1.0), "this one");
    assert_eq!(figure(r#"cutaway_database_queue{pool="write"}"#), Some(0.0));
    assert_eq!(figure(r#"cutaway_database_connections{pool="write"}"#), Some(1.0));
    assert!(figures.iter().all(|(name, _)| !name.contains("stranger") && !name.contains(id)), "{figures:?}");
    assert!(figures.iter().any(|(name, _)| name.starts_with("cutaway_build_info{version=")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_delivered_is_told() {
    // Takes connections and never answers: the delivery is on its way for as long as the test lasts.
    let receiver = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", receiver.local_addr().unwrap());
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(ServeOptions { allow_private_webhooks: true, ..on(data.path()) }).await;
    assert_eq!(served.figure("cutaway_deliveries_queued").await, Some(0.0));
    let new = json!({ "event": "conversion", "url": url });
    let made = served.asked(Method::POST, "/webhooks").json(&new).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    let ping = format!("/webhooks/{}/ping", made["id"].as_str().unwrap_or_else(|| panic!("{made}")));
    assert!(served.asked(Method::POST, &ping).send().await.unwrap().status().is_success());
    tokio::task::spawn_blocking(move || receiver.accept().map(drop)).await.unwrap().unwrap();
    assert_eq!(served.figure("cutaway_deliveries_queued").await, Some(1.0));
}
