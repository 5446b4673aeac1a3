//! The keymap file: layers of keys, each naming a command or a program of the person's own.

use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::chord::Chord;
use super::fault::FileFault;
use super::own_command::OwnCommand;

/// The keymap that Cutaway brings.
pub const DEFAULT_KEYMAP: &str = include_str!("../../assets/keymap.toml");

/// A keymap for hands that are used to something else; it lies over the default one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Preset {
    /// The keys that Cutaway brings, and no others.
    Default,
    /// As in vi.
    Vim,
    /// As in Emacs.
    Emacs,
}

impl Preset {
    /// The names of all presets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::iter().map(Into::into)
    }

    /// The preset of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::iter().find(|preset| <&str>::from(preset) == name)
    }

    /// Its lines; a keymap file of its own.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::Vim => include_str!("../../assets/keymap-vim.toml"),
            Self::Emacs => include_str!("../../assets/keymap-emacs.toml"),
        }
    }
}

/// What a line of a keymap does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// The keys do nothing any more.
    Nothing,
    /// Runs the command of this name.
    Command(String),
    /// Runs a program of the person's own.
    Own(OwnCommand),
}

/// One line of a keymap: in this layer, these keys do this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The layer: `global`, or a screen's own.
    pub layer: String,
    /// The keys.
    pub chord: Chord,
    /// What they do.
    pub does: Does,
    /// Where what they do stands, byte offset.
    pub at: usize,
}

/// A keymap file as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeymapFile {
    /// The preset that it builds on, where it names one.
    pub preset: Option<Preset>,
    /// Its lines, in their order.
    pub bindings: Vec<Binding>,
}

/// Reads a keymap file. Lines that are wrong are left out and named.
///
/// ```
/// use cutaway::settings::{Chord, Preset, read_keymap};
///
/// let text = "preset = \"vim\"\n[global]\n\"g q\" = \"app.quit\"\nf99 = \"app.help\"\n";
/// let (file, faults) = read_keymap("keymap.toml", text);
/// assert_eq!(file.preset, Some(Preset::Vim));
/// assert_eq!(file.bindings[0].chord, Chord::parse("g q").unwrap());
/// assert!(faults[0].to_string().starts_with("keymap.toml:4:7: \"f99\" is not a key"));
/// ```
#[must_use]
pub fn read_keymap(file: &str, text: &str) -> (KeymapFile, Vec<FileFault>) {
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => return (KeymapFile::default(), vec![FileFault::of_toml(file, text, &error)]),
    };
    let mut read = KeymapFile::default();
    let mut faults = Vec::new();
    for (name, value) in table {
        let mut fault = |at: usize, what: String| faults.push(FileFault::at(file, text, at, what));
        let at = value.span().start;
        match (name.get_ref().as_ref(), value.into_inner()) {
            ("preset", DeValue::String(named)) if Preset::by_name(&named).is_some() => {
                read.preset = Preset::by_name(&named);
            }
            ("preset", _) => {
                let known: Vec<&str> = Preset::names().collect();
                fault(at, format!("there is no such preset; the presets are {}", known.join(", ")));
            }
            (layer, DeValue::Table(keys)) => {
                for (name, value) in keys {
                    let at = value.span().start;
                    match line(layer, name.get_ref(), value) {
                        Ok(binding) => read.bindings.push(binding),
                        Err(what) => fault(at, what),
                    }
                }
            }
            (other, _) => fault(at, format!("{other:?} is neither a layer of keys nor \"preset\"")),
        }
    }
    read.bindings.sort_by_key(|binding| binding.at);
    faults.sort_by_key(|fault| (fault.line, fault.column));
    (read, faults)
}

fn line(layer: &str, name: &str, value: Spanned<DeValue>) -> Result<Binding, String> {
    let at = value.span().start;
    let chord = Chord::parse(name)?;
    let does = match value.into_inner() {
        DeValue::String(name) if name.is_empty() => Does::Nothing,
        DeValue::String(name) => Does::Command(name.into_owned()),
        DeValue::Table(own) => Does::Own(OwnCommand::of_table(own)?),
        _ => return Err("a key takes a command's name, or a program: { run = [\"program\", \"{id}\"] }".to_owned()),
    };
    Ok(Binding { layer: layer.to_owned(), chord, does, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let (read, faults) = read_keymap("keymap.toml", "[global]\n\"?\" = \"help\"\n\"hyper-x\" = \"help\"\n");
        assert_eq!(read.bindings.len(), 1);
        assert_eq!((faults[0].line, faults[0].column), (3, 13));
        let (read, faults) = read_keymap("keymap.toml", "[global]\nx = 3\ny = \"app.help\"\n");
        assert_eq!((read.bindings.len(), faults[0].line, faults[0].column), (1, 2, 5));
        let (_, faults) = read_keymap("keymap.toml", "[global\n");
        assert_eq!(faults[0].line, 1);
        let (_, faults) = read_keymap("keymap.toml", "preset = \"nano\"\nx = 1\n[global]\nx = { run = [] }\n");
        let lines: Vec<_> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [1, 2, 4], "{faults:?}");
    }

    #[test]
    fn a_program_of_ones_own_is_read() {
        let text = "[products]\nf5 = { run = [\"erp\", \"--id={id}\"], title = \"Look up\", ask = true }\n";
        let (read, faults) = read_keymap("keymap.toml", text);
        assert_eq!(faults, []);
        let run = ["erp", "--id={id}"].map(str::to_owned).to_vec();
        let own = OwnCommand { run, title: "Look up".to_owned(), ask: true };
        assert_eq!(read.bindings[0].does, Does::Own(own));
    }
}
