//! What the commands print, take and leave behind: the binary as scripts and people use it.

#[path = "../approval/mod.rs"]
mod approval;
mod bad_input;
mod completion_shells;
mod doctor;
mod export;
mod help;
#[path = "../hosted/mod.rs"]
mod hosted;
mod lint;
mod login;
mod mcp;
mod mcp_live;
mod odd_files;
mod old_workspaces;
mod origins;
mod output;
mod plain_page;
mod products;
#[path = "../programs/mod.rs"]
mod programs;
mod project_files;
#[path = "../faults/proxy.rs"]
mod proxy;
#[path = "../receiver/mod.rs"]
mod receiver;
#[path = "../recorder/mod.rs"]
mod recorder;
mod schema;
mod serve;
#[path = "../serving/mod.rs"]
mod serving;
mod shell_words;
mod twin;
mod watch;
mod webhooks;
mod workspace;
