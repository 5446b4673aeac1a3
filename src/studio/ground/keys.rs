//! From a key to a command, by the layer that owns it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::domain::text;
use crate::settings::{
    Binding, Chord, DEFAULT_KEYMAP, Does, FileFault, Key, KeyCode, KeymapFile, OwnCommand, Preset, Sent, read_keymap,
};
use crate::studio::ground::{Command, Layer};

/// What keys do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A command.
    Command(Command),
    /// A program of the person's own: its place among [`Keymap::own`].
    Own(usize),
}

/// What is known of keys that were pressed one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing is bound to them.
    Nothing,
    /// They do this.
    Does(Target),
    /// More keys have to follow.
    Begins,
}

/// Which file a line comes from; a later one lies over those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Default,
    Preset,
    Own,
}

/// A line of a keymap.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    layer: Layer,
    chord: Chord,
    target: Target,
    origin: Origin,
    /// Where it stands in its file.
    at: usize,
}

/// The keys of every layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    /// In the order of the files, for hints: the first keys of a command are those that are shown.
    lines: Vec<Line>,
    /// What single keys do, which is asked for the most.
    single: HashMap<(Layer, Key), Target>,
    /// The lines of each target, by their places among `lines`: help asks for all of them.
    of: HashMap<Target, Vec<usize>>,
    /// Programs of the person's own, with the layer of their keys.
    own: Vec<(Layer, OwnCommand)>,
    /// Letters that begin keys of an answer being wired.
    wire_letters: Arc<str>,
    /// What this studio may not do.
    absent: BTreeSet<Command>,
    /// The keys of that, so that whoever presses one can be told.
    withheld: Vec<Line>,
    /// Lines that hold, but not as they were meant, maybe.
    notes: Vec<FileFault>,
}

/// What a command's name stands between, in a sentence about its keys.
const OPENS: char = '‹';
const CLOSES: char = '›';

/// The name of the person's own file.
const OWN_FILE: &str = "keymap.toml";

impl Keymap {
    /// The keymap that Cutaway brings, with the person's own over it; and what is wrong in the latter.
    #[must_use]
    pub fn load(own: Option<&str>) -> (Self, Vec<FileFault>) {
        let mut keymap = Self::default();
        let mut faults = Vec::new();
        keymap.apply("default keymap", DEFAULT_KEYMAP, Origin::Default, &mut faults);
        let stay = |line: &Line| line.layer == Layer::Global && THAT_STAY.contains(&line.chord.to_string().as_str());
        let stay: Vec<Line> = keymap.lines.iter().filter(|line| stay(line)).cloned().collect();
        if let Some(text) = own {
            let (file, wrong) = read_keymap(OWN_FILE, text);
            let preset = file.preset.map_or("", Preset::text);
            keymap.apply("preset", preset, Origin::Preset, &mut faults);
            faults.extend(wrong);
            keymap.apply_lines(OWN_FILE, text, file, Origin::Own, &mut faults);
            keymap.notes = keymap.conflicts(Origin::Own, OWN_FILE, text, &stay);
        }
        keymap.index();
        (keymap, faults)
    }

    fn apply(&mut self, file: &str, text: &str, origin: Origin, faults: &mut Vec<FileFault>) {
        let (read, wrong) = read_keymap(file, text);
        faults.extend(wrong);
        self.apply_lines(file, text, read, origin, faults);
    }

    fn apply_lines(&mut self, file: &str, text: &str, read: KeymapFile, origin: Origin, faults: &mut Vec<FileFault>) {
        for binding in read.bindings {
            if let Err(what) = self.bind(&binding, origin) {
                faults.push(FileFault::at(file, text, binding.at, what));
            }
        }
    }

    /// Takes a line over those before it.
    fn bind(&mut self, binding: &Binding, origin: Origin) -> Result<(), String> {
        let Some(layer) = Layer::by_name(&binding.layer) else {
            let known: Vec<&str> = Layer::names().collect();
            return Err(format!("there is no layer {:?}; the layers are {}", binding.layer, known.join(", ")));
        };
        let chord = &binding.chord;
        let target = match &binding.does {
            Does::Nothing => {
                self.lines.retain(|line| line.layer != layer || line.chord != *chord);
                return Ok(());
            }
            Does::Command(name) => Command::by_name(name)
                .map(Target::Command)
                .ok_or_else(|| format!("there is no command {name:?}; help (?) lists them"))?,
            Does::Own(_) => Target::Own(self.own.len()),
        };
        refused(layer, chord)?;
        // Keys that run something can't begin a chord as well: nothing would say which of the two is meant.
        let clashes = |line: &Line| line.layer == layer && clash(&line.chord, chord);
        if let Some(other) = self.lines.iter().find(|line| line.origin == origin && clashes(line)) {
            let other = &other.chord;
            return Err(if other == chord {
                format!("\"{chord}\" is bound twice")
            } else {
                format!("\"{chord}\" and \"{other}\" begin with the same keys, so one would hide the other")
            });
        }
        self.lines.retain(|line| !clashes(line));
        if let Does::Own(own) = &binding.does {
            self.own.push((layer, own.clone()));
        }
        self.lines.push(Line { layer, chord: chord.clone(), target, origin, at: binding.at });
        Ok(())
    }

    /// What of the lines of a file doesn't come to what it says: keys that another layer takes first, or that this one
    /// takes from a screen, and keys that most terminals don't send.
    fn conflicts(&self, origin: Origin, file: &str, text: &str, stay: &[Line]) -> Vec<FileFault> {
        let mut notes = Vec::new();
        for line in self.lines.iter().filter(|line| line.origin == origin) {
            for what in self.hidden(line).into_iter().chain(self.taken(line, stay)).chain(unsent(&line.chord)) {
                notes.push(FileFault::at(file, text, line.at, what));
            }
        }
        notes
    }

    /// The key that a line takes from what it does everywhere.
    fn taken(&self, line: &Line, stay: &[Line]) -> Option<String> {
        let lost = |it: &&Line| it.layer == line.layer && clash(&it.chord, &line.chord) && it.target != line.target;
        let lost = stay.iter().find(lost)?;
        Some(format!("\"{}\" is no longer {}, which it is on every screen", lost.chord, self.name(lost.target)))
    }

    /// What a line hides, or is hidden by.
    fn hidden(&self, line: &Line) -> Option<String> {
        let alone = |layer: Layer| layer == Layer::Text || layer.is_mode();
        let chord = &line.chord;
        if alone(line.layer) {
            return None;
        }
        if line.layer != Layer::Global {
            let before = |it: &&Line| it.layer == Layer::Global && clash(&it.chord, chord);
            let first = self.lines.iter().find(before).filter(|it| it.target != line.target)?;
            let does = self.name(first.target);
            return Some(format!(
                "\"{}\" is {does} in [global], which comes first: this line does nothing",
                first.chord
            ));
        }
        let behind = |it: &&Line| it.layer != Layer::Global && !alone(it.layer) && clash(&it.chord, chord);
        let behind = self.lines.iter().filter(behind).filter(|it| it.target != line.target && it.origin != Origin::Own);
        let names: Vec<String> =
            behind.map(|it| format!("{} ({} in [{}])", self.name(it.target), it.chord, it.layer.name())).collect();
        let hides = format!("\"{chord}\" in [global] hides {}; bind it to \"\" there to accept this", names.join(", "));
        (!names.is_empty()).then_some(hides)
    }

    fn name(&self, target: Target) -> &str {
        match target {
            Target::Command(command) => command.name(),
            Target::Own(at) => self.own(at).map_or("", |own| &own.title),
        }
    }

    fn index(&mut self) {
        let single = |line: &Line| match line.chord.keys() {
            [key] => Some(((line.layer, *key), line.target)),
            _ => None,
        };
        self.single = self.lines.iter().filter_map(single).collect();
        self.of.clear();
        for (at, line) in self.lines.iter().enumerate() {
            self.of.entry(line.target).or_default().push(at);
        }
        let letter = |line: &Line| match line.chord.keys().first()? {
            Key { code: KeyCode::Char(letter @ 'a'..='z'), ctrl: false, alt: false, .. } => Some(*letter),
            _ => None,
        };
        let letters: BTreeSet<char> =
            self.lines.iter().filter(|line| line.layer == Layer::Wire).filter_map(letter).collect();
        self.wire_letters = letters.into_iter().collect::<String>().into();
    }

    /// Letters that are keys while an answer is wired: none of them can be typed to go to a step.
    #[must_use]
    pub fn wire_letters(&self) -> &Arc<str> {
        &self.wire_letters
    }

    /// What of the person's own file holds, but maybe not as it was meant. Where the terminal sends every key apart,
    /// nothing is said of keys that others don't.
    #[must_use]
    pub fn notes(&self, sends_all: bool) -> Vec<FileFault> {
        let told = |note: &&FileFault| !sends_all || !note.what.contains(MOST_TERMINALS);
        self.notes.iter().filter(told).cloned().collect()
    }

    /// The same without commands that the studio may not carry out here: no key gives them, and nothing lists them.
    #[must_use]
    pub fn without(mut self, absent: impl IntoIterator<Item = Command>) -> Self {
        self.absent.extend(absent);
        let absent = &self.absent;
        let is_absent = |line: &Line| matches!(line.target, Target::Command(command) if absent.contains(&command));
        self.withheld.extend(self.lines.extract_if(.., |line| is_absent(line)));
        self.index();
        self
    }

    /// The same without programs of the person's own.
    #[must_use]
    pub fn without_own(mut self) -> Self {
        self.lines.retain(|line| !matches!(line.target, Target::Own(_)));
        self.own.clear();
        self.index();
        self
    }

    /// Whether the studio may carry a command out here.
    #[must_use]
    pub fn offers(&self, command: Command) -> bool {
        !self.absent.contains(&command)
    }

    /// The command that a key would give in one of these layers if the studio might carry it out here.
    #[must_use]
    pub fn withheld(&self, layers: &[Layer], key: Key) -> Option<Command> {
        let line = self.withheld.iter().find(|line| layers.contains(&line.layer) && line.chord.keys() == [key])?;
        match line.target {
            Target::Command(command) => Some(command),
            Target::Own(_) => None,
        }
    }

    /// The command of a key in a layer.
    #[must_use]
    pub fn command(&self, layer: Layer, key: Key) -> Option<Command> {
        match self.single.get(&(layer, key)) {
            Some(Target::Command(command)) => Some(*command),
            _ => None,
        }
    }

    /// What keys do that were pressed one after the other: the first of the layers that knows them decides.
    #[must_use]
    pub fn find(&self, layers: &[Layer], pressed: &[Key]) -> Found {
        let in_layer = |layer: &Layer| {
            let exact = match pressed {
                [key] => self.single.get(&(*layer, *key)).copied(),
                _ => self.lines.iter().find(|it| it.layer == *layer && it.chord.keys() == pressed).map(|it| it.target),
            };
            let begins = || self.lines.iter().any(|it| it.layer == *layer && it.chord.begins_with(pressed));
            exact.map(Found::Does).or_else(|| begins().then_some(Found::Begins))
        };
        layers.iter().find_map(in_layer).unwrap_or(Found::Nothing)
    }

    /// What may follow keys that were pressed, and what each does: in the order of the files.
    #[must_use]
    pub fn following(&self, layers: &[Layer], pressed: &[Key]) -> Vec<(Chord, Target)> {
        let mut found: Vec<(Chord, Target)> = Vec::new();
        for layer in layers {
            for line in self.lines.iter().filter(|it| it.layer == *layer && it.chord.begins_with(pressed)) {
                if !found.iter().any(|(chord, _)| line.chord.begins_with(chord.keys())) {
                    found.push((line.chord.clone(), line.target));
                }
            }
        }
        found
    }

    /// The keys of a command in some layers, in the order of the files.
    pub fn keys_of(&self, command: Command, layers: &[Layer]) -> impl Iterator<Item = &Chord> {
        self.bound(Target::Command(command), layers)
    }

    /// The keys by which a command is given where these layers read them: none that an earlier one of them has for another.
    #[must_use]
    pub fn keys_that_work(&self, command: Command, layers: &[Layer]) -> Vec<&Chord> {
        let mut found = Vec::new();
        for chord in self.keys_of(command, layers) {
            let works = self.find(layers, chord.keys()) == Found::Does(Target::Command(command));
            if works && !found.contains(&chord) {
                found.push(chord);
            }
        }
        found
    }

    /// The keys of what they do in some layers, in the order of the files.
    pub fn bound(&self, target: Target, layers: &[Layer]) -> impl Iterator<Item = &Chord> {
        let lines = self.of.get(&target).into_iter().flatten().filter_map(|at| self.lines.get(*at));
        lines.filter(move |line| layers.contains(&line.layer)).map(|line| &line.chord)
    }

    /// The keys of a command wherever they are bound: in modes, where it is a mode's, and else on the screens.
    #[must_use]
    pub fn keys_anywhere(&self, command: Command) -> Vec<&Chord> {
        let has = |layer: &Layer| command.is_of_mode() || !layer.is_mode();
        let layers: Vec<Layer> = Layer::OUTSIDE_TEXT.into_iter().filter(has).collect();
        self.keys_of(command, &layers).collect()
    }

    /// The first keys of a command, wherever they are bound: outside of typing if they are there.
    #[must_use]
    pub fn first_key(&self, command: Command) -> Option<&Chord> {
        let outside = self.keys_anywhere(command).into_iter().next();
        outside.or_else(|| self.keys_of(command, &[Layer::Text]).next())
    }

    /// A sentence in which a command's name between single angle quotes, `‹steps.undo›`, is the shortest key that gives it;
    /// where no key does, what the command is called.
    #[must_use]
    pub fn in_words<'t>(&self, words: &'t str, ascii: bool) -> Cow<'t, str> {
        if !words.contains(OPENS) {
            return Cow::Borrowed(words);
        }
        let mut said = String::with_capacity(words.len());
        let mut rest = words;
        while let Some((before, after)) = rest.split_once(OPENS) {
            said.push_str(before);
            rest = after;
            match after.split_once(CLOSES).and_then(|(name, rest)| Some((Command::by_name(name)?, rest))) {
                Some((command, behind)) => {
                    said.push_str(&self.said(command, ascii));
                    rest = behind;
                }
                // Somebody's own words.
                None => said.push(OPENS),
            }
        }
        said.push_str(rest);
        Cow::Owned(said)
    }

    /// The shortest keys that give a command where these layers read them, as they are called; nothing where none do.
    #[must_use]
    pub fn shortest(&self, command: Command, layers: &[Layer], ascii: bool) -> Option<String> {
        shortest_of(&self.keys_that_work(command, layers), ascii)
    }

    /// What a sentence calls the keys of a command; the bar that hints call “space” as it is printed on keys.
    fn said(&self, command: Command, ascii: bool) -> String {
        match shortest_of(&self.keys_anywhere(command), ascii) {
            Some(keys) => keys.strip_prefix("space").map_or_else(|| keys.clone(), |more| format!("Space{more}")),
            None => format!("“{}” (: palette)", command.title()),
        }
    }

    /// What keys do, in two or three words.
    #[must_use]
    pub fn title(&self, target: Target) -> String {
        match target {
            Target::Command(command) => command.title().to_owned(),
            Target::Own(at) => self.own(at).map(|own| text::line(&own.title).into_owned()).unwrap_or_default(),
        }
    }

    /// A program of the person's own.
    #[must_use]
    pub fn own(&self, at: usize) -> Option<&OwnCommand> {
        self.own.get(at).map(|(_, own)| own)
    }

    /// The programs of the person's own that can be run in some layers: each with its place and its keys.
    #[must_use]
    pub fn own_in(&self, layers: &[Layer]) -> Vec<(usize, &OwnCommand, &Chord)> {
        let lines = self.lines.iter().filter(|line| layers.contains(&line.layer));
        let own = lines.filter_map(|line| match line.target {
            Target::Own(at) => Some((at, self.own(at)?, &line.chord)),
            Target::Command(_) => None,
        });
        own.collect()
    }
}

/// The shortest of some keys, as they are called.
fn shortest_of(chords: &[&Chord], ascii: bool) -> Option<String> {
    chords.iter().map(|chord| chord.label(ascii)).min_by_key(|label| label.chars().count())
}

/// Why a layer can't have these keys.
fn refused(layer: Layer, chord: &Chord) -> Result<(), String> {
    let Some((first, more)) = chord.keys().split_first() else { return Ok(()) };
    if first.code == KeyCode::Esc && !more.is_empty() {
        return Err(format!("\"{chord}\" begins with esc, which goes back at once"));
    }
    let is_plain = !first.ctrl && !first.alt && !matches!(first.code, KeyCode::Function(_));
    let types = is_plain && (!more.is_empty() || matches!(first.code, KeyCode::Char(_)));
    if layer == Layer::Text && types {
        return Err(format!("\"{chord}\" begins with a key that typing needs"));
    }
    Ok(())
}

/// Keys that do the same everywhere, so that hands know them.
const THAT_STAY: [&str; 16] =
    ["1", "2", "3", "4", "5", "6", "?", ":", "ctrl-p", "enter", "esc", "space", "y", "o", "q", "f1"];

/// Whether one of two chords is the other, or its beginning.
fn clash(one: &Chord, other: &Chord) -> bool {
    one.begins_with(other.keys()) || other.begins_with(one.keys())
}

/// What notes about keys that are not sent have in common.
const MOST_TERMINALS: &str = "most terminals";

/// What is to be said of keys that most terminals don't send.
fn unsent(chord: &Chord) -> Option<String> {
    chord.keys().iter().find_map(|key| match key.sent() {
        Sent::Itself => None,
        Sent::As(other) => {
            let apart = "those with kitty's keyboard protocol (kitty, foot, Ghostty and others) send it";
            Some(format!("{MOST_TERMINALS} send \"{other}\" for \"{key}\"; {apart}"))
        }
        Sent::Never => Some(format!("no terminal sends \"{key}\" so that it could be told from other keys")),
    })
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
