//! What a person has set: where files are, what the configuration says and what all of it comes to (a [`Target`]),
//! keys and colours.
//!
//! Nothing here reads the process's environment: it is handed in, so that many studios may live in one process.

mod bounded;
mod chord;
mod color;
mod config;
mod config_edit;
mod credential_store;
mod credentials;
mod environment;
mod fault;
mod files;
mod folders;
mod graphics;
mod hosts;
mod key;
mod keymap;
mod keyring;
mod origin;
mod own_command;
mod owner;
mod public;
mod schema;
mod secret;
mod target;
mod terminal;
mod theme;

pub use bounded::{
    MOST_SETTINGS, open_regular, open_regular_with, read_bounded, read_end, read_open, read_text_bounded,
};
pub use chord::{Chord, MOST_KEYS};
pub use color::{Depth, colour_of, shown_colour};
pub use config::{CONFIG_VERSION, Config, LOCAL_PROFILE, Profile, ProfileStore, profile_name};
pub use config_edit::{ConfigEdit, ConfigEditError, edit_config};
pub use credential_store::{CredentialStore, Kept};
pub use credentials::{Credentials, CredentialsError, Entry};
pub use environment::Environment;
pub use fault::{FileFault, read_text};
pub use files::alone;
pub use files::{replace_private as write_private, replace_private_bytes as write_private_bytes};
pub use folders::{Folders, NoHome};
pub use graphics::Graphics;
pub use hosts::{HostError, Hosts, host_url, is_loopback, is_private};
pub use key::{Key, KeyCode, Sent};
pub use keymap::{Binding, DEFAULT_KEYMAP, Does, KeymapFile, Preset, read_keymap};
pub use origin::{are_own, is_same_origin};
pub use own_command::{OwnCommand, PLACEHOLDERS, Unfilled};
pub use owner::leave_to_owner;
pub use public::is_public;
pub use schema::{config_schema, keymap_schema, theme_schema};
pub use secret::{Secret, Tokens};
pub use target::{CredentialSource, Flags, Place, ReadOnlyReason, Target, TargetError};
pub use terminal::{Copying, Multiplexer, SHORTCUTS, SetBy, TERMINAL_VARIABLE, TerminalSetting, TerminalSettings};
pub use theme::{Role, THEMES, Theme};
