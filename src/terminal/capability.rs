//! What the terminal can show, as the environment and the terminal itself say.

use super::arrival::{Answer, Maker};
use super::shortcuts::Shortcuts;
use super::terminfo::Terminfo;
use crate::settings::{Copying, Depth, Graphics, Multiplexer, TerminalSetting, TerminalSettings};

/// What is known of the terminal before it was asked anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Capability {
    /// How many colours it shows.
    pub depth: Depth,
    /// Whether it shows only ASCII.
    pub ascii: bool,
    /// Whether the person is elsewhere, on the other end of a line.
    pub remote: bool,
    /// Whether the terminal can be asked about pictures: some would show the question.
    pub asks: bool,
    /// Who made the terminal, where the environment says so.
    pub maker: Option<Maker>,
    /// Whether its background is light, where the environment says so (`COLORFGBG`).
    pub light: Option<bool>,
    /// Whether it can be asked about its background (OSC 11): some would show the question.
    pub asks_background: bool,
    /// Whether it can be asked how many colors it shows (XTGETTCAP), where that isn't known to be all.
    pub asks_colors: bool,
    /// Whether it is asked whether it draws signs again (REP): it isn't known to, and nobody said that it isn't to be used.
    pub asks_repeats: bool,
    /// Whether questions can go to it where somebody wants that, though it isn't known to take them well: not where they are
    /// known to be shown.
    pub bears_questions: bool,
    /// Whether nothing at all is asked, not even whether it is there.
    pub silent: bool,
    /// Whether it is known to have a clipboard that can be written to, or to pass over what would write to it (OSC 52).
    pub clipboard: bool,
    /// What that is wrapped for.
    pub copies_through: Option<Multiplexer>,
    /// Whether pictures are passed through tmux to the terminal around it.
    pub passes: bool,
    /// What stands between the program and the terminal.
    pub through: Option<Multiplexer>,
    /// Whether the mouse is reported: GNU screen holds the Esc key back while it is.
    pub mouse: bool,
    /// Whether it tells keys apart (kitty's keyboard protocol).
    pub keyboard: Keyboard,
    /// Whether it is known to send every key apart by that protocol.
    pub sends_all: bool,
    /// Whether it is known to open addresses that are given with what is shown (OSC 8): others might show them.
    pub links: bool,
    /// Whether it bears links where it has none: multiplexers and old terminals may show them.
    pub bears_links: bool,
    /// Whether it may draw signs of ambiguous width over two cells (UAX #11), as terminals do that are set for Chinese,
    /// Japanese or Korean.
    pub wide_signs: bool,
    /// What it does with many cells at once.
    pub shortcuts: Shortcuts,
}

/// Whether a terminal tells keys apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keyboard {
    /// It is asked, and does where it says so.
    #[default]
    Asked,
    /// It does, as somebody set.
    On,
    /// It doesn't, or isn't to.
    Off,
}

/// Terminals of 24-bit colors whose names don't say so.
const TRUE: [&str; 10] =
    ["kitty", "alacritty", "foot", "ghostty", "xterm-ghostty", "wezterm", "rio", "contour", "iterm2", "mintty"];

/// Terminals of 256 colors whose names don't say so.
const INDEXED: [&str; 4] = ["mlterm", "putty", "konsole", "vte"];

/// Terminals that are known to send every key apart when they are asked to.
const SENDS_ALL: [&str; 7] = ["kitty", "xterm-kitty", "foot", "ghostty", "xterm-ghostty", "alacritty", "rio"];

/// What is known of a terminal by its name, or by the program that the environment names.
struct Named {
    name: &'static str,
    /// It has links.
    links: bool,
    /// It draws signs of ambiguous width over one cell. Multiplexers count for themselves, and do so too.
    narrow: bool,
}

const fn known(name: &'static str, links: bool, narrow: bool) -> Named {
    Named { name, links, narrow }
}

/// The terminals of which either is known.
const NAMED: [Named; 13] = [
    known("kitty", true, true),
    known("xterm-kitty", true, true),
    known("foot", true, true),
    known("ghostty", true, true),
    known("xterm-ghostty", true, true),
    known("alacritty", true, true),
    known("wezterm", true, true),
    known("rio", true, true),
    known("contour", true, true),
    known("WezTerm", true, true),
    known("vscode", true, true),
    known("iTerm.app", true, false),
    known("linux", false, true),
];

/// Languages for which terminals may draw them over two.
const WIDE: [&str; 3] = ["ja", "ko", "zh"];

/// The versions of VTE that have them, as its variable counts.
const VTE_LINKS: u32 = 5_000;

/// Terminals that are known to pass over strings that they can't use (OSC, APC): others may print them.
const BEARING: [&str; 15] = [
    "xterm",
    "kitty",
    "alacritty",
    "foot",
    "ghostty",
    "wezterm",
    "rio",
    "contour",
    "iterm2",
    "mlterm",
    "konsole",
    "vte",
    "gnome",
    "mintty",
    "st",
];

/// What the terminal answered about pictures so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers {
    kitty: bool,
    deflate: bool,
    sixel: bool,
    maker: Option<Maker>,
    /// Pixels of a cell, across and down.
    pub cell: Option<(u16, u16)>,
}

impl Answers {
    /// Whether it said that it shows pictures by kitty's protocol.
    #[must_use]
    pub const fn has_kitty(&self) -> bool {
        self.kitty
    }

    /// Takes an answer; whether it was the last one.
    pub fn take(&mut self, answer: Answer) -> bool {
        match answer {
            Answer::Kitty { deflate } => {
                self.kitty |= !deflate;
                self.deflate |= deflate;
            }
            // Larger or smaller cells than these are no cells.
            Answer::Cell(across, down) if (2..=200).contains(&across) && (2..=400).contains(&down) => {
                self.cell = Some((across, down));
            }
            Answer::Made(maker) => self.maker = Some(maker),
            Answer::Present { sixel } => {
                self.sixel = sixel;
                return true;
            }
            Answer::Keyboard
            | Answer::Repeats(_)
            | Answer::Status
            | Answer::Background { .. }
            | Answer::Direct
            | Answer::Cell(..)
            | Answer::Other => {}
        }
        false
    }
}

impl Capability {
    /// What the environment says (`NO_COLOR`, `COLORTERM`, `TERM`, `LC_ALL`, `LC_CTYPE`, `LANG`, `SSH_CONNECTION`).
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self::within(variable, None)
    }

    /// The same, where it was said what stands between, or that nothing does.
    #[must_use]
    #[allow(clippy::option_option)]
    pub fn within(variable: impl Fn(&str) -> Option<String>, said: Option<Option<Multiplexer>>) -> Self {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = get("TERM").unwrap_or_default();
        let is_within = |names: [&str; 2]| names.iter().any(|name| get(name).is_some());
        let looks_multiplexed = is_within(["TMUX", "STY"]) || term.starts_with("tmux") || term.starts_with("screen");
        let multiplexed = said.map_or(looks_multiplexed, |said| said.is_some());
        let named = |names: &[&str]| names.iter().any(|name| term == *name || term.starts_with(&format!("{name}-")));
        // Variables of a terminal stay set in whatever is started from it, also what is a terminal itself, by another name.
        let is_own = !multiplexed && named(&BEARING);
        let program = get("TERM_PROGRAM").or_else(|| get("LC_TERMINAL")).filter(|_| is_own).unwrap_or_default();
        let is_true = get("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit")
            || term.contains("-direct")
            || term.contains("kitty")
            || named(&TRUE)
            || matches!(&*program, "iTerm.app" | "iTerm2" | "WezTerm" | "ghostty" | "rio" | "vscode");
        let is_plain = term == "dumb" || term.starts_with("vt");
        let depth = if get("NO_COLOR").is_some() || is_plain {
            Depth::Mono
        } else if is_true {
            Depth::True
        } else if term.contains("256color") || named(&INDEXED) {
            Depth::Indexed
        } else {
            Depth::Basic
        };
        let locale = get("LC_ALL").or_else(|| get("LC_CTYPE")).or_else(|| get("LANG")).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        // With no locale at all (cron, containers) terminals of today show UTF-8 all the same; `C` and `POSIX` by
        // name, or another character set, are taken at their word.
        let ascii = term == "linux-ascii"
            || !(locale.is_empty() || locale.contains("utf-8") || locale.contains("utf8"))
            || term.starts_with("vt");
        let remote = get("SSH_CONNECTION").is_some() || get("SSH_TTY").is_some();
        // Multiplexers take kitty's questions for a title, and old terminals show them.
        // Whoever wants no colors has a terminal as new as others.
        let is_old = is_plain || term.is_empty() || term.starts_with("linux");
        let bears_strings = named(&BEARING);
        let is_mono = depth == Depth::Mono;
        let asks = !multiplexed && !is_old && !is_mono && bears_strings;
        let clipboard = !is_old && (multiplexed || bears_strings || term.starts_with("rxvt-unicode"));
        // tmux answers for itself.
        let is_tmux = get("TMUX").is_some() || term.starts_with("tmux");
        let is_screen = !is_tmux && (get("STY").is_some() || term.starts_with("screen"));
        let found = match (is_tmux, is_screen) {
            (true, _) => Some(Multiplexer::Tmux),
            (_, true) => Some(Multiplexer::Screen),
            _ => None,
        };
        let through = said.unwrap_or(found);
        let is_screen = through == Some(Multiplexer::Screen);
        // One of them runs inside of the other. Where it is GNU screen that is nearer, it would hold Esc back.
        let is_either = said.is_none() && is_tmux && get("STY").is_some() && term.starts_with("screen");
        let light = get("COLORFGBG").and_then(|colors| {
            let background = colors.rsplit(';').next()?.parse::<u8>().ok()?;
            Some(background == 7 || (9..=15).contains(&background))
        });
        let maker = match program.as_str() {
            _ if multiplexed => None,
            "iTerm.app" | "iTerm2" => Some(Maker::Iterm2),
            "WezTerm" => Some(Maker::Wezterm),
            "mintty" => Some(Maker::Mintty),
            _ => get("KONSOLE_VERSION").filter(|_| is_own).map(|_| Maker::Konsole),
        };
        let asks_background = !is_old && !is_mono && !is_screen;
        // Those that are known by a name of their own to bear strings of this kind. Others that call themselves xterm
        // would print it, and over a line nothing else tells them apart.
        let is_xterm = get("XTERM_VERSION").is_some() && named(&["xterm"]) && program.is_empty();
        let bears = is_xterm || named(&["foot", "contour", "mlterm"]);
        let asks_colors = asks && bears && matches!(depth, Depth::Basic | Depth::Indexed);
        let sends_all = !multiplexed && (named(&SENDS_ALL) || matches!(&*program, "ghostty" | "rio"));
        let vte = get("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
        let is_one =
            |of: fn(&Named) -> bool| NAMED.iter().any(|it| of(it) && (named(&[it.name]) || it.name == program));
        let is_known = is_one(|it| it.links)
            || is_own && vte.is_some_and(|version| version >= VTE_LINKS)
            || is_own && get("WT_SESSION").is_some();
        let links = is_known && through.is_none() && !is_old;
        let bears_links = through.is_none() && !(is_plain || term.is_empty() || term.starts_with("linux"));
        // urxvt prints what isn't for it.
        let bears_questions = bears_links && !term.starts_with("rxvt");
        let is_narrow = is_one(|it| it.narrow) || program == "ghostty" || multiplexed;
        let is_eastern = locale.split(['_', '-', '.', '@']).next().is_some_and(|language| WIDE.contains(&language));
        let wide_signs = is_eastern && !is_narrow && !ascii;
        let shortcuts = Shortcuts::of(&term);
        Self {
            depth,
            ascii,
            remote,
            asks,
            maker,
            light,
            asks_background,
            asks_colors,
            asks_repeats: !shortcuts.repeats && shortcuts.erases && !ascii,
            bears_questions,
            silent: false,
            clipboard,
            copies_through: through,
            passes: false,
            through,
            mouse: !is_screen && !is_either,
            keyboard: Keyboard::Asked,
            sends_all,
            links,
            bears_links,
            wide_signs,
            shortcuts,
        }
    }

    /// The same, with what a person set by hand. One file is for all their terminals: links and questions never go to one that
    /// may show them.
    #[must_use]
    pub fn with_settings(self, set: &TerminalSettings) -> Self {
        let depth = set.depth();
        let (clipboard, copies_through) = match set.copying() {
            None => (self.clipboard, self.copies_through),
            Some(Copying::Off) => (false, None),
            Some(Copying::Plain) => (true, None),
            // tmux is what most have, where none is seen: it may be at the other end of a line.
            Some(Copying::Wrapped) => (true, self.through.or(Some(Multiplexer::Tmux))),
        };
        let (keyboard, sends_all) = match set.is_on(TerminalSetting::KeyboardProtocol) {
            None => (self.keyboard, self.sends_all),
            Some(true) => (Keyboard::On, true),
            Some(false) => (Keyboard::Off, false),
        };
        let found = Self {
            depth: depth.unwrap_or(self.depth),
            asks_colors: self.asks_colors && depth.is_none(),
            asks_repeats: self.asks_repeats && set.shortcut("rep").is_none(),
            clipboard,
            copies_through,
            mouse: set.is_on(TerminalSetting::Mouse).unwrap_or(self.mouse),
            keyboard,
            sends_all,
            links: set.is_on(TerminalSetting::Links).map_or(self.links, |wanted| wanted && self.bears_links),
            wide_signs: set.wide_signs().unwrap_or(self.wide_signs),
            shortcuts: self.shortcuts.with_settings(set),
            ..self
        };
        let found = found.asking(set.is_on(TerminalSetting::AskTerminal), depth.is_none());
        // What goes through is asked for in the same way.
        let passes = set.is_on(TerminalSetting::Passthrough) == Some(true)
            && found.through == Some(Multiplexer::Tmux)
            && !found.silent;
        Self { passes, asks: found.asks || passes, ..found }
    }

    /// The same, where it was said whether the terminal is asked; its colors where they are still to be found out.
    fn asking(self, asks: Option<bool>, colors: bool) -> Self {
        match asks {
            None => self,
            Some(true) => Self {
                asks: self.asks || self.bears_questions,
                asks_background: self.asks_background || self.bears_questions,
                asks_colors: self.asks_colors
                    || (self.bears_questions && colors && matches!(self.depth, Depth::Basic | Depth::Indexed)),
                ..self
            },
            Some(false) => Self {
                asks: false,
                asks_background: false,
                asks_colors: false,
                asks_repeats: false,
                keyboard: if self.keyboard == Keyboard::On { Keyboard::On } else { Keyboard::Off },
                silent: true,
                ..self
            },
        }
    }

    /// The same for a terminal elsewhere, of which whoever wrote the settings knows nothing: they can only make what it is
    /// sent safer.
    #[must_use]
    pub fn restricted_by(self, set: &TerminalSettings) -> Self {
        let is_off = |set: Option<bool>| set == Some(false);
        let found = Self {
            depth: set.depth().map_or(self.depth, |depth| depth.min(self.depth)),
            asks_colors: self.asks_colors && set.depth().is_none(),
            asks_repeats: self.asks_repeats && set.shortcut("rep") != Some(false),
            clipboard: self.clipboard && set.copying() != Some(Copying::Off),
            mouse: self.mouse && !is_off(set.is_on(TerminalSetting::Mouse)),
            keyboard: if is_off(set.is_on(TerminalSetting::KeyboardProtocol)) { Keyboard::Off } else { self.keyboard },
            sends_all: self.sends_all && !is_off(set.is_on(TerminalSetting::KeyboardProtocol)),
            links: self.links && !is_off(set.is_on(TerminalSetting::Links)),
            wide_signs: self.wide_signs || set.wide_signs() == Some(true),
            shortcuts: self.shortcuts.restricted_by(set),
            ..self
        };
        found.asking(set.is_on(TerminalSetting::AskTerminal).filter(|asks| !asks), true)
    }

    /// The same, with what the terminal database knows: of the colors where it knows more than the names do.
    #[must_use]
    pub fn with_database(mut self, known: Option<Terminfo>) -> Self {
        let Some(known) = known else { return self };
        self.shortcuts = self.shortcuts.with_database(&known);
        if self.depth != Depth::Basic {
            return self;
        }
        self.depth = match known.colors {
            _ if known.direct => Depth::True,
            Some(256..) => Depth::Indexed,
            Some(_) => Depth::Basic,
            None => Depth::Mono,
        };
        self
    }

    /// The theme where none was chosen: one for the background, where that is known; where neither it nor more than 16
    /// colors are, the one that can be read on both.
    #[must_use]
    pub fn theme(&self) -> &'static str {
        match (self.light, self.depth) {
            (Some(true), _) => "light",
            (Some(false), _) | (None, Depth::Indexed | Depth::True | Depth::Mono) => "dark",
            (None, Depth::Basic) => "ansi",
        }
    }

    /// How pictures are shown where the terminal said nothing.
    #[must_use]
    pub fn plain_graphics(&self) -> Graphics {
        if self.depth == Depth::Mono || self.ascii { Graphics::Off } else { Graphics::Blocks }
    }

    /// The best way to show pictures, by what the terminal answered.
    #[must_use]
    pub fn graphics(&self, answers: &Answers) -> Graphics {
        if self.depth == Depth::Mono {
            return Graphics::Off;
        }
        match answers.maker.or(self.maker) {
            // They show what kitty's protocol sends, but not where characters hold its place; Konsole's sixels break.
            Some(Maker::Iterm2 | Maker::Wezterm | Maker::Mintty | Maker::Konsole) => Graphics::Iterm2,
            None if answers.kitty => Graphics::Kitty { deflate: answers.deflate },
            None if answers.sixel => Graphics::Sixel,
            Some(Maker::OldKitty) | None => self.plain_graphics(),
        }
    }
}

#[cfg(test)]
#[path = "capability_tests.rs"]
mod tests;
