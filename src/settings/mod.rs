//! What a person has set: where files are, what the configuration says and what all of it comes to (a [`Target`]),
//! keys and colours.
//!
//! Nothing here reads the process's environment: it is handed in, so that many studios may live in one process.

mod config;
mod credentials;
mod environment;
mod fault;
mod files;
mod folders;
mod graphics;
mod hosts;
mod key;
mod keymap;
mod target;
mod theme;

pub use config::{Config, LOCAL_PROFILE, Profile};
pub use credentials::{Credentials, CredentialsError};
pub use environment::Environment;
pub use fault::{FileFault, read_text};
pub use folders::{Folders, NoHome};
pub use graphics::Graphics;
pub use hosts::{HostError, Hosts, host_url, is_loopback, is_private};
pub use key::{Key, KeyCode};
pub use keymap::{Binding, DEFAULT_KEYMAP, read_keymap};
pub use target::{CredentialSource, Flags, Place, ReadOnlyReason, Target, TargetError};
pub use theme::{Depth, THEMES, Theme, shown_colour};
