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
    /// Its name
    #[arg(value_parser = profile_name)]
    name: String,
    /// A store to choose from, with what people call it: URL or URL=NAME
    #[arg(long = "store", value_name = "URL", value_parser = shop)]
    stores: Vec<ProfileStore>,
    /// Take a store away
    #[arg(long = "remove-store", value_name = "URL")]
    removed_stores: Vec<String>,
    /// What is changed here is seen by customers at once: writes ask, and the frame has the profile's colour
    #[arg(long, overrides_with = "not_live")]
    live: bool,
    /// It is not live
    #[arg(long)]
    not_live: bool,
    /// Writing is allowed again
    #[arg(long, conflicts_with = "read_only")]
    writable: bool,
    /// The colour of the frame, as themes have it: red, #ff8800
    #[arg(long, value_name = "COLOUR")]
    colour: Option<String>,
    /// Open it when no profile is named
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
        say(&format!("The profile {} is made; cutaway login --profile {:?} signs in.", self.name, self.name))
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
        say(&format!("The profile {} is changed.", self.name))
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
        text(&self.colour, &mut profile.colour);
        if let Some(colour) = &profile.colour
            && crate::settings::colour_of(colour, crate::settings::Depth::True).is_none()
        {
            return Err(Failure::Usage(format!("--colour: {colour:?} is no colour")));
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
