//! `cutaway serve` as others meet it: who may come in, over which ways, and what goes on beside it.

mod access;
#[path = "../approval/mod.rs"]
mod approval;
mod behind_proxy;
mod forget;
mod handover;
mod local_socket;
mod local_workspace;
mod moves;
mod other_clients;
mod other_services;
#[path = "../receiver/mod.rs"]
mod receiver;
mod scale;
#[path = "../serving/mod.rs"]
mod serving;
mod standby;
mod strangers;
mod tls;
