//! The screens by name, so that one can be meant where none is known.

use super::Command;

/// The screens, in the order of their digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Screen {
    #[default]
    Products,
    Projects,
    Videos,
    Webhooks,
    Account,
    Inspector,
    /// The steps of the project that is open: under the tab of Projects.
    Steps,
}

/// The table of screens: each with the module it lives in. What is the same for all of them follows from it: their
/// effects, their events and their questions among those of the studio, and to whom those are given.
macro_rules! every_screen {
    ($follows:ident) => {
        $follows! {
            products Products
            projects Projects
            steps Steps
            videos Videos
            webhooks Webhooks
            account Account
            inspector Inspector
        }
    };
}

pub(in crate::studio) use every_screen;

/// One of each line of the table.
macro_rules! screens {
    ($( $module:ident $name:ident )*) => {
        /// Every screen.
        pub const EVERY: &[Self] = &[$( Self::$name ),*];
    };
}

impl Screen {
    /// The screens that have a tab.
    pub const ALL: [Self; 6] =
        [Self::Products, Self::Projects, Self::Videos, Self::Webhooks, Self::Account, Self::Inspector];

    every_screen!(screens);

    /// The command that shows it.
    #[must_use]
    pub fn command(self) -> Command {
        match self {
            Self::Products => Command::GoProducts,
            Self::Projects | Self::Steps => Command::GoProjects,
            Self::Videos => Command::GoVideos,
            Self::Webhooks => Command::GoWebhooks,
            Self::Account => Command::GoAccount,
            Self::Inspector => Command::GoInspector,
        }
    }

    /// The screen that this command shows.
    #[must_use]
    pub fn of(command: Command) -> Option<Self> {
        Self::ALL.into_iter().find(|screen| screen.command() == command)
    }

    /// The screen whose tab it stands under.
    #[must_use]
    pub fn tab(self) -> Self {
        if self == Self::Steps { Self::Projects } else { self }
    }

    /// Its title where there is little room.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::Products => "Prod",
            Self::Projects | Self::Steps => "Proj",
            Self::Videos => "Vid",
            Self::Webhooks => "Hook",
            Self::Account => "Acct",
            Self::Inspector => "Insp",
        }
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Products => "Products",
            Self::Projects => "Projects",
            Self::Steps => "Steps",
            Self::Videos => "Videos",
            Self::Webhooks => "Webhooks",
            Self::Account => "Account",
            Self::Inspector => "Inspector",
        }
    }
}
