//! Where something about the terminal is known from.

use std::fmt;

use crate::cli::Session;
use crate::settings::{SetBy, TerminalSetting};

/// Where it is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A person set it by hand.
    Hand(TerminalSetting, SetBy),
    /// The terminal answered so.
    Terminal,
    /// The terminal's name, or what else the environment calls it.
    Name(&'static str),
    /// A variable that says just this.
    Variable(&'static str),
    /// The terminal database.
    Database,
}

impl Origin {
    /// Who set this by hand, where somebody did.
    pub(super) fn of_hand(session: &Session, setting: TerminalSetting) -> Option<Self> {
        session.target.terminal.by(setting).map(|by| Self::Hand(setting, by))
    }

    /// The word for it in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Hand(..) => "hand",
            Self::Terminal => "terminal",
            Self::Name(_) => "name",
            Self::Variable(_) => "variable",
            Self::Database => "database",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hand(setting, SetBy::Flag) => write!(f, "by --terminal {}", setting.name()),
            Self::Hand(setting, by) => write!(f, "by {} in {by}", setting.name()),
            Self::Terminal => f.write_str("as the terminal answered"),
            Self::Name(name) | Self::Variable(name) => write!(f, "by {name}"),
            Self::Database => f.write_str("by the terminal database"),
        }
    }
}
