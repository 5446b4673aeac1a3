//! What the terminal can show, as the environment says; nothing is asked.

use crate::settings::Depth;

/// What is known of the terminal before it was asked anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    /// How many colours it shows.
    pub depth: Depth,
    /// Whether it shows only ASCII.
    pub ascii: bool,
    /// Whether the person is elsewhere, on the other end of a line.
    pub remote: bool,
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
        Self { depth, ascii, remote }
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
        assert_eq!(modern, Capability { depth: Depth::True, ascii: false, remote: false });
        assert_eq!(of(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]).depth, Depth::Mono);
        assert_eq!(of(&[("TERM", "screen")]).depth, Depth::Basic);
        assert!(of(&[("LC_ALL", "C")]).ascii);
        assert!(!of(&[]).ascii);
        assert!(of(&[("SSH_CONNECTION", "a b c d")]).remote);
    }
}
