//! The screens. Each is a model, an update and a view; none knows another.

pub mod later;
pub mod products;

use super::command::Command;

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
}

impl Screen {
    /// Every screen.
    pub const ALL: [Self; 6] =
        [Self::Products, Self::Projects, Self::Videos, Self::Webhooks, Self::Account, Self::Inspector];

    /// The command that shows it.
    #[must_use]
    pub fn command(self) -> Command {
        match self {
            Self::Products => Command::GoProducts,
            Self::Projects => Command::GoProjects,
            Self::Videos => Command::GoVideos,
            Self::Webhooks => Command::GoWebhooks,
            Self::Account => Command::GoAccount,
            Self::Inspector => Command::GoInspector,
        }
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Products => "Products",
            Self::Projects => "Projects",
            Self::Videos => "Videos",
            Self::Webhooks => "Webhooks",
            Self::Account => "Account",
            Self::Inspector => "Inspector",
        }
    }
}
