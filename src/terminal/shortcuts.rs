//! Ways of saying much of a page in few bytes, and which terminals know them (ECMA-48 §8.3.26, §8.3.32, §8.3.38, §8.3.41,
//! §8.3.64, §8.3.67, §8.3.103; DEC STD 070, DECSTBM and DECSLRM).

use super::terminfo::Terminfo;
use crate::settings::TerminalSettings;

/// What a terminal does with a whole run of cells at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub struct Shortcuts {
    /// It erases to the end of the row (EL).
    pub ends: bool,
    /// It erases so many cells (ECH).
    pub erases: bool,
    /// What it erases takes the background of the pen; else only what has none of its own can be erased.
    pub colored: bool,
    /// It draws the last sign again so many times (REP).
    pub repeats: bool,
    /// It inserts and deletes cells, so that the rest of the row moves (ICH, DCH).
    pub inserts: bool,
    /// It moves rows within a region of the page (DECSTBM, IL, DL).
    pub scrolls: bool,
    /// Regions can also end at columns (DECLRMM, DECSLRM). Where that isn't known, rows would move as wholes.
    pub margins: bool,
    /// It shows a frame when all of it has come (mode 2026).
    pub syncs: bool,
}

/// Terminals that are known by names of their own to have regions that end at columns. xterm has them where its emulation is
/// set to a VT420, as it comes; but `xterm` is what many others call themselves.
const MARGINS: [&str; 5] = ["wezterm", "contour", "ghostty", "xterm-ghostty", "mintty"];

/// Families of terminals in which some support synchronized output; the others ignore the request.
const SYNCS: [&str; 15] = [
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
    "tmux",
];

/// Terminals that are known by names of their own to draw a sign again. `xterm` is what many others call themselves. tmux knows
/// REP and says so in its entry of the terminal database, but up to 3.3 it repeats ASCII only and draws nothing else.
const REPEAT: [&str; 8] =
    ["xterm-kitty", "kitty", "alacritty", "foot", "wezterm", "contour", "ghostty", "xterm-ghostty"];

impl Shortcuts {
    /// All of them.
    #[cfg(test)]
    pub const ALL: Self = Self {
        ends: true,
        erases: true,
        colored: true,
        repeats: true,
        inserts: true,
        scrolls: true,
        margins: true,
        syncs: true,
    };

    /// What the name of a terminal says.
    #[must_use]
    pub fn of(term: &str) -> Self {
        let named = |name: &str| term == name || term.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
        let known = !(term.is_empty() || term == "dumb" || term.starts_with("vt5"));
        let family = ["xterm", "linux", "rxvt", "tmux", "konsole", "putty", "vte", "mlterm"];
        let repeats = REPEAT.into_iter().any(named);
        let erases = repeats || family.into_iter().any(named);
        Self {
            ends: known,
            erases,
            colored: false,
            repeats,
            inserts: erases || named("screen"),
            // A VT100 has regions, but moves their rows only by feeding lines.
            scrolls: known && !named("vt100"),
            margins: MARGINS.into_iter().any(named),
            syncs: SYNCS.into_iter().any(named),
        }
    }

    /// The same, with what the terminal database says.
    #[must_use]
    pub fn with_database(self, known: &Terminfo) -> Self {
        let inserts = self.inserts || known.inserts;
        let scrolls = self.scrolls || known.scrolls;
        Self { erases: self.erases || known.erases, colored: known.colored, inserts, scrolls, ..self }
    }

    /// The same, where a person named them all: only those are used.
    #[must_use]
    pub fn with_settings(self, set: &TerminalSettings) -> Self {
        self.each(|known, name| set.shortcut(name).unwrap_or(known))
    }

    /// The same, without those that somebody who doesn't know the terminal left out.
    #[must_use]
    pub fn restricted_by(self, set: &TerminalSettings) -> Self {
        self.each(|known, name| known && set.shortcut(name) != Some(false))
    }

    /// Each of them as this says, by what it is and its name in the settings.
    fn each(self, of: impl Fn(bool, &str) -> bool) -> Self {
        Self {
            ends: of(self.ends, "el"),
            erases: of(self.erases, "ech"),
            colored: of(self.colored, "bce"),
            repeats: of(self.repeats, "rep"),
            inserts: of(self.inserts, "ich"),
            scrolls: of(self.scrolls, "csr"),
            margins: of(self.margins, "smglr"),
            syncs: of(self.syncs, "sync"),
        }
    }

    /// Whether cells can be erased that have a background of their own, or are plain.
    pub(super) fn may_erase(self, plain: bool) -> bool {
        (self.ends || self.erases) && (plain || self.colored)
    }

    /// How so many cells are erased where the cursor stands, where that takes fewer bytes than drawing blanks; `last` are
    /// those to the end of the row, and it `goes_on` with what is drawn behind them.
    pub(super) fn erasing(self, cells: usize, last: bool, goes_on: bool) -> Option<Erasing> {
        if self.ends && last && cells > 3 {
            Some(Erasing::ToEnd)
        } else if self.erases && cells > (3 + digits(cells)) + if goes_on { 3 + digits(cells) } else { 1 } {
            // The cursor stays, and has to be moved on as well where what is drawn next is behind them.
            Some(Erasing::Cells)
        } else {
            None
        }
    }

    /// Whether a sign of so many bytes that follows itself so many times is repeated, in place of written again.
    pub(super) fn repeating(self, times: usize, bytes: usize) -> bool {
        self.repeats && times * bytes > 3 + digits(times)
    }
}

/// How cells are erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erasing {
    /// All to the end of the row.
    ToEnd,
    /// So many of them.
    Cells,
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_knows() {
        let xterm = Shortcuts::of("xterm-256color");
        let lacks = Shortcuts { colored: false, repeats: false, margins: false, ..Shortcuts::ALL };
        assert_eq!(xterm, lacks);
        let known = Terminfo { erases: true, colored: true, ..Terminfo::default() };
        assert!(xterm.with_database(&known).colored);
        assert!(Shortcuts::of("foot").repeats);
        assert_eq!(Shortcuts::of("ghostty"), Shortcuts::of("xterm-ghostty"));
        assert!(!Shortcuts::of("tmux-256color").repeats && Shortcuts::of("tmux-256color").erases);
        assert!(!Shortcuts::of("screen").erases && Shortcuts::of("screen").with_database(&known).erases);
        assert!(!Shortcuts::of("footer").repeats && !Shortcuts::of("screen-256color").repeats);
        assert_eq!(Shortcuts::of("dumb"), Shortcuts::default());
        assert!(!Shortcuts::of("vt100").scrolls && Shortcuts::of("vt220").scrolls && Shortcuts::of("linux").scrolls);
        assert!(!Shortcuts::of("foot").margins, "it saves the cursor instead");
        assert!(Shortcuts::of("wezterm").margins && Shortcuts::of("xterm-ghostty").margins);
        assert!(Shortcuts::of("xterm-kitty").syncs && Shortcuts::of("tmux-256color").syncs);
        for silent in ["linux", "screen-256color", "rxvt-unicode", "vt220", "putty", "unheard-of"] {
            assert!(!Shortcuts::of(silent).syncs && !Shortcuts::of(silent).margins, "{silent}");
        }
    }

    #[test]
    fn what_is_named_is_all_that_is_used() {
        let set = |line: &str| TerminalSettings::default().with(Some(line), &[]).unwrap();
        let xterm = Shortcuts::of("xterm-256color");
        let named = xterm.with_settings(&set("shortcuts=el+rep"));
        assert_eq!(named, Shortcuts { ends: true, repeats: true, ..Shortcuts::default() });
        assert_eq!(xterm.with_settings(&set("shortcuts=none")), Shortcuts::default());
        assert_eq!(xterm.with_settings(&set("shortcuts=auto")), xterm);
        let less = xterm.restricted_by(&set("shortcuts=el+rep"));
        assert_eq!(less, Shortcuts { ends: true, ..Shortcuts::default() }, "nothing is added");
        for name in crate::settings::SHORTCUTS {
            assert_ne!(Shortcuts::default().with_settings(&set(&format!("shortcuts={name}"))), Shortcuts::default());
        }
    }

    #[test]
    fn nothing_is_longer_than_what_it_stands_for() {
        let all = Shortcuts { colored: false, ..Shortcuts::ALL };
        assert!(all.may_erase(true) && !all.may_erase(false) && !Shortcuts::default().may_erase(true));
        assert_eq!(all.erasing(3, true, false), None);
        assert_eq!(all.erasing(4, true, false), Some(Erasing::ToEnd));
        assert_eq!((all.erasing(5, false, false), all.erasing(8, false, true)), (None, None));
        assert_eq!(all.erasing(6, false, false), Some(Erasing::Cells));
        assert_eq!(all.erasing(11, false, true), Some(Erasing::Cells));
        assert!(all.repeating(2, 3) && !all.repeating(4, 1) && all.repeating(5, 1));
    }
}
