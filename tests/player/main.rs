//! The player and the pages for consent, in browsers.

#[path = "../approval/mod.rs"]
mod approval;
mod approving;
mod axe;
mod bad_input;
#[path = "../browser/mod.rs"]
mod browser;
mod captions;
mod details;
mod embed;
mod firefox;
mod keyboard;
mod products;
#[path = "../receiver/mod.rs"]
mod receiver;
#[path = "../serving/mod.rs"]
mod serving;
mod settings;
mod speed;
mod states;
mod trouble;
mod visit;
mod visits;
