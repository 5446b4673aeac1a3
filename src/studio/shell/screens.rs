//! All screens.

use super::begin::{Begin, Credential};
use super::screen::AnyScreen;
use crate::studio::ground::{Screen, every_screen};
use crate::studio::screens;
use crate::studio::screens::account::Account;
use crate::studio::screens::inspector::Inspector;
use crate::studio::screens::products::Products;
use crate::studio::screens::projects::Projects;
use crate::studio::screens::steps::Steps;
use crate::studio::screens::videos::Videos;
use crate::studio::screens::webhooks::Webhooks;

macro_rules! screens {
    ($( $screen:ident $name:ident )*) => {
        /// The screens.
        #[derive(Debug, Clone)]
        pub struct Screens {
            /// The one that is shown.
            pub shown: Screen,
            $(
                #[doc = concat!("The ", stringify!($name), " screen.")]
                pub $screen: screens::$screen::$name,
            )*
        }

        impl Screens {
            /// A screen as its parent sees it.
            #[must_use]
            pub fn of(&self, screen: Screen) -> &dyn AnyScreen {
                match screen {
                    $( Screen::$name => &self.$screen, )*
                }
            }

            /// The same, to take its turn.
            pub fn of_mut(&mut self, screen: Screen) -> &mut dyn AnyScreen {
                match screen {
                    $( Screen::$name => &mut self.$screen, )*
                }
            }
        }
    };
}

every_screen!(screens);

impl Screens {
    /// The screens at the start.
    #[must_use]
    pub fn new(begin: &Begin) -> Self {
        let left = begin.resume.clone().unwrap_or_default();
        let credential = match &begin.credential {
            Credential::None => None,
            Credential::From(source) => Some(source.clone()),
        };
        let mut screens = Self {
            shown: left.screen().unwrap_or_default(),
            products: Products::remembering(begin.memory.clone()),
            projects: Projects::default(),
            steps: Steps::preferring(left.outline, left.places),
            videos: Videos::default(),
            webhooks: Webhooks::default(),
            account: Account::new(&begin.profile, credential, begin.read_only.clone(), begin.profiles.clone()),
            inspector: Inspector::default(),
        };
        let base = begin.way.iter().skip_while(|flag| *flag != "--base-url").nth(1);
        screens.account.in_use = base.cloned();
        screens.account.guest = begin.guest.as_ref().map(|guest| guest.name.clone());
        screens.products.zone.clone_from(&begin.zone);
        screens.projects.zone.clone_from(&begin.zone);
        screens.videos.zone.clone_from(&begin.zone);
        screens.webhooks.zone.clone_from(&begin.zone);
        screens.inspector.zone.clone_from(&begin.zone);
        screens
    }
}
