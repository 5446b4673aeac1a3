//! The wire: one type per operation of §4, and the problems of §7. The client sends these types and the local service
//! answers the same ones, so the two can't drift apart.

mod catalog;
mod deliveries;
mod identity;
mod operation;
mod problem;
mod projects;
mod signature;
mod videos;
mod visits;
mod webhooks;

use serde::Serialize;
use serde_json::Value;

pub use catalog::{CountProducts, GetProduct, GetProductMedia, GotProduct, ProductPage, ProductsCount, SearchProducts};
pub use deliveries::{
    DeliveryList, EnableWebhook, GetWebhookSecret, ListDeliveries, PingWebhook, Redeliver, RotateWebhookSecret,
    SecretOfWebhook,
};
pub use identity::{API_KEY_HEADER, ExchangeKey, ExchangedToken, Me};
pub use operation::{Host, IDEMPOTENCY_KEY, Method, Operation, Payload, Row};
pub use problem::{FieldError, PROBLEM_TYPE, Problem, title_of};
pub use projects::{
    CreateProject, CreateStep, CreatedProject, CreatedStep, DeleteProject, DeleteStep, FolderList, GetProject,
    GetProjectByPost, ListFolders, ListProjects, NewProject, NewStep, OpenedProject, ProjectChange, ProjectList,
    StepChange, UpdateProject, UpdateStep,
};
pub use signature::{sign, verify};
pub use videos::{CreateVideo, CreatedVideo, DeleteAsset, DeletedAsset, ListVideos, NewVideo, UploadVideo, VideoList};
pub use visits::{BeginVisit, BoughtInVisit, LeftInVisit, ReportVisit, VisitEvent};
pub use webhooks::{CreateWebhook, DeleteWebhook, ListWebhooks};

/// Every operation of §4, in its order; the last ends a subscription, which §4 leaves out.
pub const OPERATIONS: [Row; 23] = [
    GetProduct::ROW,
    GetProductMedia::ROW,
    SearchProducts::ROW,
    CountProducts::ROW,
    ExchangeKey::ROW,
    Me::ROW,
    CreateProject::ROW,
    ListProjects::ROW,
    GetProject::ROW,
    GetProjectByPost::ROW,
    UpdateProject::ROW,
    DeleteProject::ROW,
    ListFolders::ROW,
    CreateStep::ROW,
    UpdateStep::ROW,
    DeleteStep::ROW,
    CreateVideo::ROW,
    UploadVideo::ROW,
    ListVideos::ROW,
    DeleteAsset::ROW,
    CreateWebhook::ROW,
    ListWebhooks::ROW,
    DeleteWebhook::ROW,
];

/// The exact JSON of a request. The shapes hold only strings, numbers, lists and objects with string keys, which
/// always have a JSON form.
fn to_json<T: Serialize>(request: &T) -> Value {
    serde_json::to_value(request).unwrap_or_default()
}
