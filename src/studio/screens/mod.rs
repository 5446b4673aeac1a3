//! The screens. Each is a model, an update and a view; none knows another.

pub mod account;
pub mod inspector;
pub mod pane;
pub mod products;
pub mod projects;
pub mod steps;
pub mod turn;
pub mod videos;
pub mod webhooks;
