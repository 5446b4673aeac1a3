//! From a key to a command, by the layer that owns it.

use std::collections::{BTreeSet, HashMap};

use crate::settings::{DEFAULT_KEYMAP, FileFault, Key, read_keymap};
use crate::studio::ground::Command;

/// Who reads a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// While text is typed.
    Text,
    /// Everywhere else.
    Global,
    /// The Products screen's own.
    Products,
    /// The Projects screen's own.
    Projects,
    /// The Steps screen's own.
    Steps,
    /// The Videos screen's own.
    Videos,
    /// The Webhooks screen's own.
    Webhooks,
    /// The Account screen's own.
    Account,
    /// The Inspector screen's own.
    Inspector,
    /// While the pictures of a video lie over the screen.
    Preview,
}

impl Layer {
    const ALL: [(Self, &'static str); 10] = [
        (Self::Text, "text"),
        (Self::Global, "global"),
        (Self::Products, "products"),
        (Self::Projects, "projects"),
        (Self::Steps, "steps"),
        (Self::Videos, "videos"),
        (Self::Webhooks, "webhooks"),
        (Self::Account, "account"),
        (Self::Inspector, "inspector"),
        (Self::Preview, "preview"),
    ];

    /// The layers outside of typing: everywhere, then the screens in the order of help.
    pub const OUTSIDE_TEXT: [Self; 9] = [
        Self::Global,
        Self::Products,
        Self::Projects,
        Self::Steps,
        Self::Videos,
        Self::Webhooks,
        Self::Account,
        Self::Inspector,
        Self::Preview,
    ];

    /// The names of all layers in the keymap file.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|(_, name)| name)
    }

    /// The name in the keymap file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(layer, _)| *layer == self).map_or("", |(_, name)| name)
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(layer, _)| *layer)
    }
}

/// The keys of every layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    commands: HashMap<(Layer, Key), Command>,
    /// In the order of the files, for hints: the first key of a command is the one that is shown.
    order: Vec<(Layer, Key, Command)>,
    /// What this studio may not do.
    absent: BTreeSet<Command>,
}

impl Keymap {
    /// The keymap that Cutaway brings, with the person's own over it; and what is wrong in the latter.
    #[must_use]
    pub fn load(own: Option<&str>) -> (Self, Vec<FileFault>) {
        let mut keymap = Self::default();
        let mut faults = Vec::new();
        keymap.apply("default keymap", DEFAULT_KEYMAP, &mut faults);
        if let Some(own) = own {
            keymap.apply("keymap.toml", own, &mut faults);
        }
        (keymap, faults)
    }

    fn apply(&mut self, file: &str, text: &str, faults: &mut Vec<FileFault>) {
        let (bindings, wrong) = read_keymap(file, text);
        faults.extend(wrong);
        for binding in bindings {
            let Some(layer) = Layer::by_name(&binding.layer) else {
                let known: Vec<&str> = Layer::ALL.iter().map(|(_, name)| *name).collect();
                let what = format!("there is no layer {:?}; the layers are {}", binding.layer, known.join(", "));
                faults.push(FileFault::at(file, text, binding.at, what));
                continue;
            };
            self.order.retain(|(l, key, _)| (*l, *key) != (layer, binding.key));
            if binding.command.is_empty() {
                self.commands.remove(&(layer, binding.key));
            } else if let Some(command) = Command::by_name(&binding.command) {
                self.commands.insert((layer, binding.key), command);
                self.order.push((layer, binding.key, command));
            } else {
                let what = format!("there is no command {:?}; help (?) lists them", binding.command);
                faults.push(FileFault::at(file, text, binding.at, what));
            }
        }
    }

    /// The same without commands that the studio may not carry out here: no key gives them, and nothing lists them.
    #[must_use]
    pub fn without(mut self, absent: impl IntoIterator<Item = Command>) -> Self {
        self.absent.extend(absent);
        self.commands.retain(|_, command| !self.absent.contains(command));
        self.order.retain(|(_, _, command)| !self.absent.contains(command));
        self
    }

    /// Whether the studio may carry a command out here.
    #[must_use]
    pub fn offers(&self, command: Command) -> bool {
        !self.absent.contains(&command)
    }

    /// The command of a key in a layer.
    #[must_use]
    pub fn command(&self, layer: Layer, key: Key) -> Option<Command> {
        self.commands.get(&(layer, key)).copied()
    }

    /// The keys of a command in some layers, in the order of the files.
    pub fn keys_of(&self, command: Command, layers: &[Layer]) -> impl Iterator<Item = Key> {
        self.order
            .iter()
            .filter(move |(layer, _, named)| *named == command && layers.contains(layer))
            .map(|(_, key, _)| *key)
    }

    /// The first key of a command, wherever it is bound: outside of typing if it is there.
    #[must_use]
    pub fn first_key(&self, command: Command) -> Option<Key> {
        self.keys_of(command, &Layer::OUTSIDE_TEXT).next().or_else(|| self.keys_of(command, &[Layer::Text]).next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::KeyCode;

    #[test]
    fn the_keys_that_do_not_move_are_where_the_contract_says() {
        let (keymap, faults) = Keymap::load(None);
        assert_eq!(faults, []);
        for (key, command) in [
            ("1", Command::GoProducts),
            ("2", Command::GoProjects),
            ("3", Command::GoVideos),
            ("4", Command::GoWebhooks),
            ("5", Command::GoAccount),
            ("6", Command::GoInspector),
            ("?", Command::Help),
            (":", Command::Palette),
            ("ctrl-p", Command::Palette),
            ("enter", Command::Open),
            ("esc", Command::Back),
            ("space", Command::Mark),
            ("y", Command::Copy),
            ("o", Command::Address),
            ("q", Command::Quit),
        ] {
            assert_eq!(keymap.command(Layer::Global, Key::parse(key).unwrap()), Some(command), "{key}");
        }
        assert_eq!(keymap.command(Layer::Products, Key::char('/')), Some(Command::Search));
        assert_eq!(keymap.command(Layer::Products, Key::char('f')), Some(Command::Filter));
    }

    /// What letters mean that do one thing wherever they do anything: the last part of the names of their commands.
    const LETTERS: [(char, &[&str]); 27] = [
        ('S', &["save"]),
        // Whatever was kept is deleted: a project, a draft, a search.
        ('D', &["delete", "discard", "forget"]),
        ('X', &["stop", "cancel"]),
        ('C', &["clear"]),
        ('R', &["retry"]),
        ('U', &["upload"]),
        ('x', &["remove"]),
        ('d', &["duplicate"]),
        ('e', &["export", "save"]),
        ('E', &["rename"]),
        ('n', &["new", "create"]),
        ('r', &["refresh"]),
        ('t', &["outline"]),
        ('b', &["saved"]),
        ('*', &["toggle"]),
        // Less or all of a card, of the folders.
        ('z', &["zoom", "fold"]),
        // What is there is changed: a filter, an answer, captions, a profile.
        ('c', &["chips", "text", "captions", "edit"]),
        // What is listed: by a value, of a kind, about an event.
        ('f', &["open", "kinds", "show", "event", "filter"]),
        ('v', &["full", "preview"]),
        ('K', &["up", "earlier"]),
        ('J', &["down", "later"]),
        ('Q', &["qr"]),
        ('Y', &["embed"]),
        ('O', &["order"]),
        ('L', &["player"]),
        ('B', &["products"]),
        ('i', &["thumbnails"]),
    ];

    #[test]
    fn letters_mean_the_same_on_every_screen() {
        let (keymap, _) = Keymap::load(None);
        for (letter, means) in LETTERS {
            for layer in Layer::OUTSIDE_TEXT {
                let Some(command) = keymap.command(layer, Key::char(letter)) else { continue };
                let name = command.name();
                assert!(
                    means.iter().any(|word| name.rsplit('.').next() == Some(word)),
                    "{letter} in {layer:?}: {name}"
                );
            }
        }
    }

    /// Letters that mean different things on different screens. None is to be added: a new command takes a letter that is
    /// free everywhere, one that means the same, a key that is no letter, or none. `a` and `p` are among the keys that do
    /// not move: they add an answer and play where steps are shown. `s` sorts where there is something to sort, and signs
    /// in where there is not.
    const OF_THEIR_SCREEN: [(char, &[&str]); 3] = [
        ('a', &["products.select.all", "steps.answer.add", "webhooks.redeliver", "inspector.again", "videos.register"]),
        ('p', &["steps.play", "webhooks.ping", "videos.uploads.pause"]),
        ('s', &["products.sort", "projects.sort", "account.sign_in", "videos.sort"]),
    ];

    #[test]
    fn no_other_letter_means_different_things_on_two_screens() {
        let (keymap, _) = Keymap::load(None);
        for letter in ('a'..='z').chain('A'..='Z') {
            let screens =
                Layer::OUTSIDE_TEXT.into_iter().filter(|layer| !matches!(layer, Layer::Global | Layer::Preview));
            let mut found: Vec<_> =
                screens.filter_map(|layer| keymap.command(layer, Key::char(letter))).map(Command::name).collect();
            found.sort_unstable();
            let known = LETTERS.iter().any(|(known, _)| *known == letter);
            if found.len() < 2 || known {
                continue;
            }
            let mut own =
                OF_THEIR_SCREEN.iter().find(|(own, _)| *own == letter).map_or(Vec::new(), |(_, own)| own.to_vec());
            own.sort_unstable();
            assert_eq!(found, own, "{letter}");
        }
    }

    #[test]
    fn names_that_commands_had_before_still_work_in_a_file_of_ones_own() {
        for (old, command) in Command::ALIASES {
            let (keymap, faults) = Keymap::load(Some(&format!("[global]\n\"f9\" = \"{old}\"\n")));
            assert_eq!(faults, [], "{old}");
            assert_eq!(keymap.command(Layer::Global, Key::plain(KeyCode::Function(9))), Some(*command), "{old}");
            assert!(Command::ALL.iter().all(|command| command.name() != *old), "{old} is a name of today, too");
        }
    }

    #[test]
    fn a_file_of_ones_own_wins_and_its_faults_are_named() {
        let own = "[global]\nq = \"\"\n\"f10\" = \"app.quit\"\nz = \"no.such\"\n[nowhere]\na = \"app.quit\"\n";
        let (keymap, faults) = Keymap::load(Some(own));
        assert_eq!(keymap.command(Layer::Global, Key::char('q')), None);
        assert_eq!(keymap.command(Layer::Global, Key::plain(KeyCode::Function(10))), Some(Command::Quit));
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [4, 6]);
    }
}
