//! What the terminal can show, as the environment and the terminal itself say.

use super::input::{Answer, Maker};
use crate::settings::{Depth, Graphics};

/// What is known of the terminal before it was asked anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

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
            Answer::Keyboard | Answer::Status | Answer::Cell(..) | Answer::Other => {}
        }
        false
    }
}

impl Capability {
    /// What the environment says (`NO_COLOR`, `COLORTERM`, `TERM`, `LC_ALL`, `LC_CTYPE`, `LANG`, `SSH_CONNECTION`).
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = get("TERM").unwrap_or_default();
        let true_colour = get("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit")
            || term.ends_with("-direct")
            || term.contains("kitty");
        let depth = if get("NO_COLOR").is_some() || term == "dumb" || term.starts_with("vt") {
            Depth::Mono
        } else if true_colour {
            Depth::True
        } else if term.contains("256color") {
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
        let multiplexed = get("TMUX").is_some() || term.starts_with("tmux") || term.starts_with("screen");
        let asks = !multiplexed && depth != Depth::Mono && !term.is_empty() && term != "linux";
        let program = get("TERM_PROGRAM").or_else(|| get("LC_TERMINAL")).unwrap_or_default();
        let maker = match program.as_str() {
            _ if multiplexed => None,
            "iTerm.app" | "iTerm2" => Some(Maker::Iterm2),
            "WezTerm" => Some(Maker::Wezterm),
            "mintty" => Some(Maker::Mintty),
            _ => get("KONSOLE_VERSION").map(|_| Maker::Konsole),
        };
        Self { depth, ascii, remote, asks, maker }
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
            None => self.plain_graphics(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Capability {
        Capability::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_is_believed() {
        let modern = of(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")]);
        let asked = Capability { depth: Depth::True, ascii: false, remote: false, asks: true, maker: None };
        assert_eq!(modern, asked);
        assert_eq!(of(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]).depth, Depth::Mono);
        assert_eq!(of(&[("TERM", "screen")]).depth, Depth::Basic);
        assert!(of(&[("LC_ALL", "C")]).ascii);
        assert!(!of(&[]).ascii);
        assert!(of(&[("SSH_CONNECTION", "a b c d")]).remote);
    }

    #[test]
    fn the_best_way_to_show_pictures() {
        let plain = of(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]);
        let answered = |answers: &[Answer]| {
            let mut taken = Answers::default();
            for answer in answers {
                taken.take(*answer);
            }
            plain.graphics(&taken)
        };
        let (kitty, sixel) = (Answer::Kitty { deflate: false }, Answer::Present { sixel: true });
        assert_eq!(answered(&[]), Graphics::Blocks);
        assert_eq!(answered(&[sixel]), Graphics::Sixel);
        assert_eq!(answered(&[kitty, sixel]), Graphics::Kitty { deflate: false });
        assert_eq!(answered(&[kitty, Answer::Kitty { deflate: true }]), Graphics::Kitty { deflate: true });
        assert_eq!(answered(&[kitty, Answer::Made(Maker::Wezterm), sixel]), Graphics::Iterm2);
        let silent = of(&[("TERM", "xterm"), ("NO_COLOR", "1")]);
        assert_eq!((silent.graphics(&Answers::default()), silent.asks), (Graphics::Off, false));
        assert!(!of(&[("TERM", "tmux-256color")]).asks && !of(&[("TERM", "linux")]).asks);
        assert_eq!(of(&[("TERM", "xterm"), ("LC_ALL", "C")]).plain_graphics(), Graphics::Off);
    }
}
