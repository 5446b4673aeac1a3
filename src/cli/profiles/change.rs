//! `cutaway profiles add` and `cutaway profiles change`

use clap::Args;

use super::{config_file, say, store};
use crate::cli::session::warn;
use crate::cli::surroundings::environment;
use crate::cli::{Failure, GlobalFlags, telling};
use crate::domain::StoreUrl;
use crate::runtime::profiles::save_profile;
use crate::settings::{Config, ConfigEditError, Flags, Folders, Profile, ProfileStore, host_url, profile_name};

/// What a profile is given. Its hosts, store, theme and read-only come from the global flags of these names.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Change {
    /// The profile's name
    #[arg(value_parser = profile_name)]
    name: String,
    /// Add a store, as URL or URL=NAME (repeatable)
    #[arg(long = "store", value_name = "URL", value_parser = shop)]
    stores: Vec<ProfileStore>,
    /// Remove a store (repeatable)
    #[arg(long = "remove-store", value_name = "URL")]
    removed_stores: Vec<String>,
    /// Mark it as a live shop: commands ask before changing anything, and the studio's frame has the profile's color
    #[arg(long, overrides_with = "not_live")]
    live: bool,
    /// Unmark it as a live shop
    #[arg(long)]
    not_live: bool,
    /// Allow changes again
    #[arg(long, conflicts_with = "read_only")]
    writable: bool,
    /// The color of the studio's frame: red, #ff8800
    #[arg(long, alias = "colour", value_name = "COLOR")]
    color: Option<String>,
    /// Make it the default profile
    #[arg(long)]
    default: bool,
}

/// A store of a shop and its name.
fn shop(text: &str) -> Result<ProfileStore, String> {
    let (url, name) = match text.rsplit_once('=') {
        Some((url, name)) if !name.contains('/') => (url, Some(name.trim().to_owned()).filter(|name| !name.is_empty())),
        _ => (text, None),
    };
    host_url(url).map_err(|error| error.to_string())?;
    Ok(ProfileStore { url: StoreUrl::new(url.trim()), name })
}

impl Change {
    pub(super) fn add(&self, global: &GlobalFlags) -> Result<(), Failure> {
        let mut profile = Profile::default();
        self.apply(&mut profile, &global.read()?)?;
        if profile.base_url.is_none() {
            return Err(Failure::Usage("a profile needs a service: give --base-url".to_owned()));
        }
        self.save(None, &profile)?;
        say(&format!("Added profile {}. Run cutaway login --profile {:?} to sign in.", self.name, self.name))
    }

    pub(super) fn change(&self, global: &GlobalFlags) -> Result<(), Failure> {
        let flags = global.read()?;
        let path = config_file(&Folders::find(&environment()?))?;
        let before = Config::read(&path).profiles.get(&self.name).cloned();
        if before.is_none() && self.name != crate::settings::LOCAL_PROFILE {
            return Err(ConfigEditError::Missing(self.name.clone()).into());
        }
        let before = before.unwrap_or_default();
        let mut after = before.clone();
        self.apply(&mut after, &flags)?;
        self.save(Some(&before), &after)?;
        say(&format!("Changed profile {}.", self.name))
    }

    fn save(&self, before: Option<&Profile>, after: &Profile) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        let waiting = telling::WhereItTakesLong::keyring();
        let store = store(&folders, &environment)?;
        let said = save_profile(&folders, &store, &self.name, (before, after), self.default)?;
        drop(waiting);
        if let Some(said) = said {
            warn(&said);
        }
        Ok(())
    }

    /// Sets what was named.
    fn apply(&self, profile: &mut Profile, flags: &Flags) -> Result<(), Failure> {
        let hosts = [
            ("--base-url", &flags.base_url, &mut profile.base_url),
            ("--lb-base-url", &flags.lb_base_url, &mut profile.lb_base_url),
            ("--upload-url", &flags.upload_url, &mut profile.upload_url),
            ("--auth-url", &flags.auth_url, &mut profile.auth_url),
        ];
        for (flag, given, kept) in hosts {
            match given.as_deref().map(str::trim) {
                None => {}
                Some("") => *kept = None,
                Some(text) => {
                    *kept = Some(host_url(text).map_err(|error| Failure::Usage(format!("{flag}: {error}")))?);
                }
            }
        }
        let text = |given: &Option<String>, kept: &mut Option<String>| {
            if let Some(text) = given.as_deref().map(str::trim) {
                *kept = (!text.is_empty()).then(|| text.to_owned());
            }
        };
        text(&flags.theme, &mut profile.theme);
        text(&self.color, &mut profile.colour);
        if let Some(color) = &profile.colour
            && crate::settings::colour_of(color, crate::settings::Depth::True).is_none()
        {
            return Err(Failure::Usage(format!(
                "--color: {color:?} is not a color; use #rrggbb, a number up to 255 or an ANSI name"
            )));
        }
        if let Some(store) = flags.app_url.as_deref().map(str::trim) {
            profile.app_url = (!store.is_empty()).then(|| StoreUrl::from(store));
        }
        profile.stores.retain(|store| {
            let same = |url: &StoreUrl| url.is_same(&store.url);
            !self.removed_stores.iter().any(|url| same(&StoreUrl::from(url.as_str())))
                && !self.stores.iter().any(|new| same(&new.url))
        });
        profile.stores.extend(self.stores.iter().cloned());
        profile.read_only = (profile.read_only || flags.read_only) && !self.writable;
        profile.live = (profile.live || self.live) && !self.not_live;
        Ok(())
    }
}
