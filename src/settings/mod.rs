//! Where files are, what the configuration says, and what all of it comes to: a [`Target`].
//!
//! Nothing here reads the process's environment: it is handed in, so that many studios may live in one process.

mod config;
mod credentials;
mod environment;
mod files;
mod folders;
mod hosts;
mod target;

pub use config::{Config, LOCAL_PROFILE, Profile};
pub use credentials::{Credentials, CredentialsError};
pub use environment::Environment;
pub use folders::{Folders, NoHome};
pub use hosts::{HostError, Hosts, host_url, is_loopback, is_private};
pub use target::{CredentialSource, Flags, Place, ReadOnlyReason, Target, TargetError};
