//! The wire: one type per operation, listed in `table.rs`, and the problems of §7. The client sends these types and the
//! local service answers the same ones, so the two can't drift apart.

mod captions;
mod catalog;
mod deliveries;
mod funnel;
mod funnel_sums;
mod identity;
mod operation;
mod problem;
mod projects;
mod row;
mod schemas;
mod signature;
mod table;
mod videos;
mod visits;
mod webhooks;

use serde::Serialize;
use serde_json::Value;

pub use captions::{
    CaptionsList, GetCaptions, NewCaptions, RemoveCaptions, RemovedCaptions, SetCaptions, VideoCaptions,
};
pub use catalog::{CountProducts, GetProduct, GetProductMedia, GotProduct, ProductPage, ProductsCount, SearchProducts};
pub use deliveries::{DeliveryList, Redeliver, SecretOfWebhook};
pub use funnel::{
    AnswerFunnel, FunnelDay, FunnelPath, FunnelVersion, FunnelWeek, GetFunnel, GoneFunnel, NoVersion, ProductFunnel,
    ProductSold, ProjectFunnel, Revenue, StepFunnel,
};
pub use funnel_sums::{FunnelFrame, FunnelStep, FunnelSums, funnel_of, version_of};
pub use identity::{API_KEY_HEADER, ExchangedToken};
pub use operation::{IDEMPOTENCY_KEY, Listed, Operation, Payload};
pub use problem::{FieldError, PROBLEM_TYPE, Problem, title_of};
pub use projects::{
    CreateProject, CreateStep, CreatedProject, CreatedStep, DeleteProject, DeleteStep, FolderList, GetProject,
    GetProjectByPost, NewProject, NewStep, OpenedProject, ProjectChange, ProjectList, StepChange, UpdateProject,
    UpdateStep,
};
pub use row::{Body, Host, InQuery, Method, Row, SchemaOf};
pub use signature::{TOLERANCE, sign, verify};
pub(crate) use table::each_operation;
pub use table::*;
pub use videos::{CreateVideo, CreatedVideo, DeleteAsset, DeletedAsset, NewVideo, UploadVideo, VideoList};
pub use visits::{BeginVisit, BoughtInVisit, LeftInVisit, ReportVisit, VisitEvent};
pub use webhooks::{CreateWebhook, DeleteWebhook};

/// The exact JSON of a request. The shapes hold only strings, numbers, lists and objects with string keys, which
/// always have a JSON form.
fn to_json<T: Serialize>(request: &T) -> Value {
    serde_json::to_value(request).unwrap_or_default()
}
