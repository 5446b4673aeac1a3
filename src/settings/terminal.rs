//! What a person set by hand of how their terminal is used, where that is found out else.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use strum::{EnumIter, EnumString, IntoEnumIterator as _, IntoStaticStr};

use super::color::Depth;
use super::graphics::Graphics;
use crate::domain::wire::shown_word;

/// The variable that sets them for one terminal, as `--terminal` does.
pub const TERMINAL_VARIABLE: &str = "CUTAWAY_TERMINAL";

/// What leaves a setting to be found out.
const AUTO: &str = "auto";

/// What can be set, by its name in `config.toml`, `--terminal` and `CUTAWAY_TERMINAL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)] // [`Self::about`] says what each is.
pub enum TerminalSetting {
    AskTerminal,
    Colors,
    Pictures,
    Passthrough,
    Links,
    AmbiguousWidth,
    Clipboard,
    Mouse,
    KeyboardProtocol,
    Shortcuts,
    Multiplexer,
}

/// What a terminal may do with many cells at once, as `shortcuts` names it: what each is called elsewhere stands in the docs.
pub const SHORTCUTS: [&str; 8] = ["el", "ech", "bce", "rep", "ich", "csr", "smglr", "sync"];

const SWITCH: [&str; 3] = [AUTO, "on", "off"];

impl TerminalSetting {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The words that it takes, the first of which leaves it to be found out; of `shortcuts` those that stand alone.
    pub(super) fn words(self) -> &'static [&'static str] {
        match self {
            Self::AskTerminal | Self::Passthrough | Self::Links | Self::Mouse | Self::KeyboardProtocol => &SWITCH,
            Self::Colors => &[AUTO, "none", "16", "256", "24bit"],
            Self::Pictures => &Graphics::WORDS,
            Self::AmbiguousWidth => &[AUTO, "wide", "narrow"],
            Self::Clipboard => &[AUTO, "on", "wrapped", "off"],
            Self::Shortcuts => &[AUTO, "none"],
            Self::Multiplexer => &[AUTO, "none", "tmux", "screen"],
        }
    }

    /// What it sets, in a line.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::AskTerminal => {
                "Whether the terminal is asked what it can do; on asks also one that isn't known to take that well, \
                 but never old terminals"
            }
            Self::Colors => "How many colors are shown; before NO_COLOR and COLORTERM",
            Self::Pictures => "How pictures are shown",
            Self::Passthrough => {
                "Whether pictures in kitty's protocol go through tmux to the terminal around it, whose allow-passthrough \
                 has to be on"
            }
            Self::Links => {
                "Whether the terminal opens addresses on the screen (OSC 8); never on in tmux, GNU screen and old terminals"
            }
            Self::AmbiguousWidth => {
                "Whether the terminal draws lines and other signs of ambiguous width over two cells"
            }
            Self::Clipboard => {
                "Whether what is copied is sent to the terminal's clipboard (OSC 52): as it is, or wrapped for tmux or GNU \
                 screen"
            }
            Self::Mouse => "Whether the mouse is used",
            Self::KeyboardProtocol => "Whether the terminal tells all keys apart (kitty's keyboard protocol)",
            Self::Shortcuts => "What the terminal does with many cells at once: none, or those named, joined by +",
            Self::Multiplexer => "What stands between the studio and the terminal",
        }
    }

    /// Whether it takes this word.
    fn takes(self, word: &str) -> bool {
        self.words().contains(&word) || self == Self::Shortcuts && word.split('+').all(|one| SHORTCUTS.contains(&one))
    }

    /// What to say of a word that it doesn't take.
    fn refusal(self, word: &str) -> String {
        let mut words = self.words().join(", ");
        if self == Self::Shortcuts {
            words = format!("{words}, or some of {}, joined by +", SHORTCUTS.join(", "));
        }
        format!("{}: must be one of {words}, found {:?}", self.name(), shown_word(word))
    }
}

/// Who set something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[allow(missing_docs)]
pub enum SetBy {
    #[strum(to_string = "config.toml")]
    File,
    #[strum(to_string = "CUTAWAY_TERMINAL")]
    Environment,
    #[strum(to_string = "--terminal")]
    Flag,
}

/// What stands between a program and the terminal that it is seen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    /// tmux, which passes on what is wrapped for it where `allow-passthrough` lets it.
    Tmux,
    /// GNU screen, which passes on strings of its own length.
    Screen,
}

/// What is done with what is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copying {
    /// Nothing is sent: it is only shown.
    Off,
    /// It is sent as it is.
    Plain,
    /// It is sent wrapped for what stands between.
    Wrapped,
}

/// What was set, and by whom. What isn't in it is found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TerminalSettings(BTreeMap<TerminalSetting, (String, SetBy)>);

impl TerminalSettings {
    /// Sets one, in place of what it was before.
    ///
    /// # Errors
    /// What it has to be, where the word is none of those that it takes.
    pub fn set(&mut self, setting: TerminalSetting, word: &str, by: SetBy) -> Result<(), String> {
        if !setting.takes(word) {
            return Err(setting.refusal(word));
        }
        if word == AUTO {
            self.0.remove(&setting);
        } else {
            self.0.insert(setting, (word.to_owned(), by));
        }
        Ok(())
    }

    /// The same with what a variable and flags set: lists of `NAME=VALUE`, with commas or blanks between. Flags go before the
    /// variable, that before the file.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub fn with(&self, variable: Option<&str>, flags: &[String]) -> Result<Self, String> {
        let mut settings = self.clone();
        if let Some(line) = variable {
            settings.set_all(line, SetBy::Environment)?;
        }
        for line in flags {
            settings.set_all(line, SetBy::Flag)?;
        }
        Ok(settings)
    }

    fn set_all(&mut self, line: &str, by: SetBy) -> Result<(), String> {
        for pair in line.split([',', ' ', '\t']).filter(|pair| !pair.is_empty()) {
            let Some((name, word)) = pair.split_once('=') else {
                return Err(format!("{by}: must be NAME=VALUE, such as mouse=off, found {:?}", shown_word(pair)));
            };
            let Ok(setting) = TerminalSetting::from_str(&name.replace('-', "_")) else {
                let names: Vec<&str> = TerminalSetting::iter().map(TerminalSetting::name).collect();
                let names = names.join(", ");
                return Err(format!("{by}: {:?} is no setting of the terminal; they are {names}", shown_word(name)));
            };
            self.set(setting, word, by).map_err(|why| format!("{by}: {why}"))?;
        }
        Ok(())
    }

    /// What was set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(setting, (word, _))| (setting.name(), word.as_str()))
    }

    /// Who set this; nothing where it is found out.
    #[must_use]
    pub fn by(&self, setting: TerminalSetting) -> Option<SetBy> {
        self.0.get(&setting).map(|(_, by)| *by)
    }

    fn word(&self, setting: TerminalSetting) -> Option<&str> {
        self.0.get(&setting).map(|(word, _)| word.as_str())
    }

    /// Whether something that is on or off is on, where that was set.
    #[must_use]
    pub fn is_on(&self, setting: TerminalSetting) -> Option<bool> {
        self.word(setting).map(|word| word == "on")
    }

    /// How many colors are shown.
    #[must_use]
    pub fn depth(&self) -> Option<Depth> {
        Some(match self.word(TerminalSetting::Colors)? {
            "none" => Depth::Mono,
            "16" => Depth::Basic,
            "256" => Depth::Indexed,
            _ => Depth::True,
        })
    }

    /// How pictures are shown.
    #[must_use]
    pub fn pictures(&self) -> Option<Graphics> {
        self.word(TerminalSetting::Pictures).and_then(Graphics::named).flatten()
    }

    /// Whether the terminal may draw signs of ambiguous width over two cells.
    #[must_use]
    pub fn wide_signs(&self) -> Option<bool> {
        self.word(TerminalSetting::AmbiguousWidth).map(|word| word == "wide")
    }

    /// What is done with what is copied.
    #[must_use]
    pub fn copying(&self) -> Option<Copying> {
        Some(match self.word(TerminalSetting::Clipboard)? {
            "off" => Copying::Off,
            "wrapped" => Copying::Wrapped,
            _ => Copying::Plain,
        })
    }

    /// Whether the terminal does something with many cells at once, by its name of [`SHORTCUTS`].
    #[must_use]
    pub fn shortcut(&self, name: &str) -> Option<bool> {
        self.word(TerminalSetting::Shortcuts).map(|word| word.split('+').any(|one| one == name))
    }

    /// What stands between the studio and the terminal; nothing of it is one of the answers.
    #[must_use]
    #[allow(clippy::option_option)] // That nothing stands there was said, or nothing was.
    pub fn multiplexer(&self) -> Option<Option<Multiplexer>> {
        Some(match self.word(TerminalSetting::Multiplexer)? {
            "tmux" => Some(Multiplexer::Tmux),
            "screen" => Some(Multiplexer::Screen),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_before_the_variable_and_that_before_the_file() {
        let mut file = TerminalSettings::default();
        for (setting, word) in [(TerminalSetting::Mouse, "off"), (TerminalSetting::Colors, "16")] {
            file.set(setting, word, SetBy::File).unwrap();
        }
        let flags = ["colors=24bit".to_owned(), "clipboard=wrapped ask-terminal=off".to_owned()];
        let all = file.with(Some("mouse=on,colors=256, links=off"), &flags).unwrap();
        assert_eq!(
            (all.is_on(TerminalSetting::Mouse), all.by(TerminalSetting::Mouse)),
            (Some(true), Some(SetBy::Environment))
        );
        assert_eq!((all.depth(), all.by(TerminalSetting::Colors)), (Some(Depth::True), Some(SetBy::Flag)));
        assert_eq!(
            (all.copying(), all.is_on(TerminalSetting::AskTerminal), all.is_on(TerminalSetting::Links)),
            (Some(Copying::Wrapped), Some(false), Some(false))
        );
        let found_out = file.with(None, &["mouse=auto".to_owned()]).unwrap();
        assert_eq!((found_out.is_on(TerminalSetting::Mouse), found_out.by(TerminalSetting::Mouse)), (None, None));
    }

    #[test]
    fn every_word_is_taken_and_means_something() {
        for setting in TerminalSetting::iter() {
            assert_eq!((setting.words()[0], setting.about().is_empty()), (AUTO, false));
            for word in setting.words() {
                let mut settings = TerminalSettings::default();
                settings.set(setting, word, SetBy::Flag).unwrap();
                assert_eq!(settings.by(setting).is_some(), *word != AUTO);
            }
        }
        let set = |line: &str| TerminalSettings::default().with(Some(line), &[]);
        let shortcuts = set("shortcuts=el+rep").unwrap();
        assert_eq!(["el", "ech", "rep"].map(|name| shortcuts.shortcut(name)), [true, false, true].map(Some));
        assert_eq!(set("multiplexer=none").unwrap().multiplexer(), Some(None));
        assert_eq!(set("multiplexer=tmux").unwrap().multiplexer(), Some(Some(Multiplexer::Tmux)));
        assert_eq!(
            set("mouse=maybe").unwrap_err(),
            "CUTAWAY_TERMINAL: mouse: must be one of auto, on, off, found \"maybe\""
        );
        assert!(set("mouse").unwrap_err().contains("must be NAME=VALUE"));
        assert!(set("speed=3").unwrap_err().contains("\"speed\" is no setting of the terminal; they are ask_terminal"));
        assert!(set("shortcuts=el+up").unwrap_err().contains("some of el, ech"));
    }
}
