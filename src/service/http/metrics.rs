//! `GET /metrics`: what a process does, in the text format of OpenMetrics 1.0.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Method};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::{App, answer};
use crate::domain::BUILT;
use crate::service::timing::{AROUND_ATTEMPT, milliseconds, now};

/// Where the figures are.
pub(super) const METRICS: &str = "/metrics";

/// The type of the text.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The route of a request that had none: its path is unknown, or it was refused before.
const NO_ROUTE: &str = "none";

/// The bounds of the times of requests, seconds.
const SECONDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// A request, as it is counted: no label holds what a stranger chose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByRoute {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByPool {
    pool: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByResult {
    result: &'static str,
}

/// A figure with a fraction.
type Seconds = Gauge<f64, AtomicU64>;

/// What is counted while requests are answered, and what is read when somebody asks.
pub(in crate::service) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    times: Family<ByRoute, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    open: Family<ByPool, Gauge>,
    idle: Family<ByPool, Gauge>,
    waiting: Family<ByPool, Gauge>,
    queued: Gauge,
    due: Gauge,
    overdue: Seconds,
    leases: Gauge,
    lease_age: Seconds,
    replica_pages: Family<ByResult, Counter>,
}

fn times() -> Histogram {
    Histogram::new(SECONDS)
}

fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Milliseconds as seconds; none where it is less than nothing, which a clock that was set back makes of it.
fn seconds(milliseconds: i64) -> f64 {
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default()).as_secs_f64()
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("cutaway"),
            requests: Family::default(),
            times: Family::new_with_constructor(times),
            in_flight: Gauge::default(),
            open: Family::default(),
            idle: Family::default(),
            waiting: Family::default(),
            queued: Gauge::default(),
            due: Gauge::default(),
            overdue: Seconds::default(),
            leases: Gauge::default(),
            lease_age: Seconds::default(),
            replica_pages: Family::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let begun: Seconds = Gauge::default();
        begun.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        let build = Info::new(vec![
            ("version", BUILT.version),
            ("commit", BUILT.commit.unwrap_or_default()),
            ("target", BUILT.target),
        ]);
        let to = &mut self.registry;
        to.register("build", "Which build this is", build);
        to.register_with_unit("start_time", "When the process started, since 1970", Unit::Seconds, begun);
        to.register("requests", "Requests that were answered, by method, route and status", self.requests.clone());
        to.register_with_unit("request", "How long responses took", Unit::Seconds, self.times.clone());
        to.register("requests_in_flight", "Requests that are being answered", self.in_flight.clone());
        to.register("database_connections", "Connections to the database", self.open.clone());
        to.register("database_connections_idle", "Connections to the database that are idle", self.idle.clone());
        to.register("database_queue", "Jobs waiting for a connection", self.waiting.clone());
        to.register("deliveries_queued", "Webhook deliveries that have not ended", self.queued.clone());
        to.register("deliveries_due", "Webhook deliveries whose time has come", self.due.clone());
        let overdue = "How long the first due delivery has waited";
        to.register_with_unit("deliveries_overdue", overdue, Unit::Seconds, self.overdue.clone());
        to.register("leases", "Subscriptions that a process is delivering to", self.leases.clone());
        to.register_with_unit(
            "lease_age",
            "The age of the oldest of these leases",
            Unit::Seconds,
            self.lease_age.clone(),
        );
        let pages = "Pages of catalogs that came from the replica, or that it was behind or away for";
        to.register("replica_pages", pages, self.replica_pages.clone());
    }

    /// A request came; it counts as answered or given up when this is dropped.
    pub(super) fn begin(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// A request was answered.
    pub(super) fn answered(&self, method: &Method, response: &Response, took: Duration) {
        let route = response.extensions().get::<MatchedPath>().map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
        let method = match *method {
            Method::GET => "GET",
            Method::HEAD => "HEAD",
            Method::POST => "POST",
            Method::PUT => "PUT",
            Method::DELETE => "DELETE",
            Method::OPTIONS => "OPTIONS",
            _ => "other",
        };
        self.times.get_or_create(&ByRoute { route: route.clone() }).observe(took.as_secs_f64());
        self.requests.get_or_create(&Answered { method, route, status: response.status().as_u16() }).inc();
    }

    /// Reads what isn't counted as it happens. What the database doesn't tell stays as it was.
    async fn read(&self, app: &App) {
        for pool in app.store.pools() {
            let label = ByPool { pool: pool.name };
            self.open.get_or_create(&label).set(whole(pool.open));
            self.idle.get_or_create(&label).set(whole(pool.idle));
            self.waiting.get_or_create(&label).set(whole(pool.waiting));
        }
        for (result, count) in app.store.replica_pages() {
            let counter = self.replica_pages.get_or_create(&ByResult { result: result.name() });
            counter.inner().store(count, Ordering::Relaxed);
        }
        let now = now();
        match app.store.delivery_depth(now).await {
            Ok(depth) => {
                self.queued.set(whole(depth.queued));
                self.due.set(whole(depth.due));
                self.overdue.set(depth.due_since.map_or(0.0, |since| seconds(now.saturating_sub(since))));
                self.leases.set(whole(depth.leases));
                let lasts = milliseconds(app.timing.receiver.saturating_add(AROUND_ATTEMPT));
                let age = |until: i64| seconds(now.saturating_sub(until.saturating_sub(lasts)));
                self.lease_age.set(depth.lease_until.map_or(0.0, age));
            }
            Err(error) => tracing::warn!(%error, "the queue of deliveries can't be measured"),
        }
    }
}

/// A request that is being answered.
pub(super) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Tells which route answered.
pub(super) async fn with_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// `GET /metrics`, for whoever has a key.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    app.metrics.read(&app).await;
    let mut text = String::new();
    if let Err(error) = encode(&mut text, &app.metrics.registry) {
        return answer::broken(&error);
    }
    let mut response = Response::new(text.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(OPENMETRICS));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
