//! What a person has set: files, keys, colours, profiles.

mod fault;
mod key;
mod keymap;
mod theme;

pub use fault::FileFault;
pub use key::{Key, KeyCode};
pub use keymap::{Binding, DEFAULT_KEYMAP, read_keymap};
pub use theme::{Depth, THEMES, Theme};
