//! The keymap file: layers of keys, each naming a command.

use std::collections::BTreeMap;

use toml::Spanned;

use super::fault::FileFault;
use super::key::Key;

/// The keymap that Cutaway brings.
pub const DEFAULT_KEYMAP: &str = include_str!("../../assets/keymap.toml");

/// One line of a keymap: in this layer, this key is this command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The layer: `global`, or a screen's own.
    pub layer: String,
    /// The key.
    pub key: Key,
    /// The command's name; empty takes the key away.
    pub command: String,
    /// Where the line stands, byte offset of the command's name.
    pub at: usize,
}

/// Reads a keymap file. Lines that are wrong are left out and named.
///
/// ```
/// use cutaway::settings::{Key, read_keymap};
///
/// let (bindings, faults) = read_keymap("keymap.toml", "[global]\nf10 = \"app.quit\"\nf99 = \"app.help\"\n");
/// assert_eq!(bindings[0].key, Key::parse("f10").unwrap());
/// assert!(faults[0].to_string().starts_with("keymap.toml:3:7: \"f99\" is not a key"));
/// ```
#[must_use]
pub fn read_keymap(file: &str, text: &str) -> (Vec<Binding>, Vec<FileFault>) {
    type Layers = BTreeMap<String, BTreeMap<String, Spanned<String>>>;
    let layers: Layers = match toml::from_str(text) {
        Ok(layers) => layers,
        Err(error) => return (Vec::new(), vec![FileFault::of_toml(file, text, &error)]),
    };
    let mut bindings = Vec::new();
    let mut faults = Vec::new();
    for (layer, keys) in layers {
        for (name, command) in keys {
            let at = command.span().start;
            match Key::parse(&name) {
                Ok(key) => bindings.push(Binding { layer: layer.clone(), key, command: command.into_inner(), at }),
                Err(what) => faults.push(FileFault::at(file, text, at, what)),
            }
        }
    }
    bindings.sort_by_key(|binding| binding.at);
    (bindings, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let (bindings, faults) = read_keymap("keymap.toml", "[global]\n\"?\" = \"help\"\n\"hyper-x\" = \"help\"\n");
        assert_eq!(bindings.len(), 1);
        assert_eq!((faults[0].line, faults[0].column), (3, 13));
        let (_, faults) = read_keymap("keymap.toml", "[global]\nx = 3\n");
        assert_eq!((faults[0].line, faults[0].column), (2, 5));
        let (_, faults) = read_keymap("keymap.toml", "[global\n");
        assert_eq!(faults[0].line, 1);
    }
}
