//! The service's own promises: what it keeps, answers and sends, on each database and storage that it knows.

#[path = "../approval/mod.rs"]
mod approval;
mod auth;
mod availability;
mod bodies;
mod captions;
mod catalog;
mod conditions;
mod crowd;
mod durability;
mod funnel;
#[path = "../hosted/mod.rs"]
mod hosted;
mod in_s3;
mod metrics;
mod on_postgres;
mod poolers;
#[path = "../postgres_line/mod.rs"]
mod postgres_line;
mod postgres_plans;
mod postgres_trouble;
mod processes;
#[path = "../receiver/mod.rs"]
mod receiver;
#[path = "../serving/mod.rs"]
mod serving;
mod two_databases;
mod visits;
mod webhook_health;
mod workspace;
