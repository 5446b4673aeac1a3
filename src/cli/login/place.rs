//! Where one signs in: the profile, and the service it stands for.

use url::Url;

use crate::cli::Failure;
use crate::domain::shell;
use crate::settings::{
    Config, Credentials, Environment, Flags, Hosts, LOCAL_PROFILE, Place, Profile, Target, are_own, host_url,
    is_same_origin,
};

/// A profile to sign in to.
pub(super) struct SignInPlace {
    /// The profile's name.
    pub(super) name: String,
    /// What it is in the configuration; nothing where it is new.
    pub(super) before: Option<Profile>,
    /// What it will be.
    pub(super) profile: Profile,
    /// The service.
    pub(super) hosts: Hosts,
}

impl SignInPlace {
    /// The profile that was named, else the default one, else a new one called after the service's host.
    pub(super) fn find(flags: &Flags, environment: &Environment, config: &Config) -> Result<Self, Failure> {
        let base = flags.base_url.as_deref().or_else(|| environment.get("CUTAWAY_BASE_URL"));
        let base = base.map(host_url).transpose().map_err(|error| Failure::Usage(format!("--base-url: {error}")))?;
        let named = flags.profile.as_deref().or_else(|| environment.get("CUTAWAY_PROFILE")).map(str::trim);
        let default = config.default_profile.as_deref().filter(|_| base.is_none());
        let host =
            base.as_ref().and_then(|base| base.host_str()).map(|host| host.trim_matches(['[', ']']).replace(':', "-"));
        let name = named.or(default).map(str::to_owned).or(host);
        let name = name.filter(|name| name != LOCAL_PROFILE).ok_or_else(|| {
            Failure::Usage(
                "name the service with --base-url https://… (the local workspace needs no sign-in)".to_owned(),
            )
        })?;
        let name = crate::settings::profile_name(&name).map_err(Failure::Usage)?;
        let before = config.profiles.get(&name).cloned();
        let mut profile = before.clone().unwrap_or_default();
        match (&base, &profile.base_url) {
            (Some(given), Some(kept)) if given != kept => {
                return Err(Failure::Usage(format!(
                    "the profile {name} is for {kept}; use another --profile for {given}, or `cutaway profiles change` to move it"
                )));
            }
            (None, None) => {
                return Err(Failure::Usage(format!(
                    "there is no profile {name} yet; give its --base-url to create it"
                )));
            }
            _ => {}
        }
        profile.base_url = base.or(profile.base_url);
        if before.is_none() {
            profile.read_only = flags.read_only;
            profile.app_url = flags.app_url.as_deref().map(str::trim).filter(|url| !url.is_empty()).map(Into::into);
        }
        // The other hosts are read as for every other command, and kept with a profile that is new.
        let mut with_it = config.clone();
        with_it.profiles.insert(name.clone(), profile.clone());
        let flags = Flags { profile: Some(name.clone()), ..flags.clone() };
        let target = Target::resolve(&flags, environment, &with_it, &Credentials::default())?;
        let Place::Remote(hosts) = target.place else {
            return Err(Failure::Usage("the local workspace needs no sign-in".to_owned()));
        };
        if before.is_some() {
            let own = Flags { profile: Some(name.clone()), ..Flags::default() };
            let own = Target::resolve(&own, &Environment::default(), &with_it, &Credentials::default())?;
            if let Place::Remote(own) = own.place {
                refuse_foreign(&name, &own, &hosts)?;
            }
        } else {
            profile.lb_base_url.clone_from(&hosts.lb);
            profile.upload_url = (hosts.upload != hosts.base).then(|| hosts.upload.clone());
            profile.auth_url = (hosts.auth != hosts.base).then(|| hosts.auth.clone());
        }
        Ok(Self { name, before, profile, hosts: *hosts })
    }
}

/// Refuses to sign in where a host is of another origin than the profile's own: what would be kept with the profile is
/// sent to those only.
fn refuse_foreign(name: &str, own: &Hosts, used: &Hosts) -> Result<(), Failure> {
    if are_own(own, used) {
        return Ok(());
    }
    let is_foreign = |url: &Url| !own.all().any(|(_, own)| is_same_origin(own, url));
    let foreign = used.all().find(|(_, url)| is_foreign(url));
    let (word, url) = foreign.unwrap_or(("base", &used.base));
    let flag = match word {
        "authorization" => "--auth-url",
        "upload" => "--upload-url",
        "second" => "--lb-base-url",
        _ => "--base-url",
    };
    Err(Failure::Usage(format!(
        "{url} is not an address of the profile {name}, so no credential from there is kept with it; if the address is \
         right, add it first: cutaway profiles change {} {flag} {}; or sign in under another --profile",
        shell::word(name),
        shell::word(url.as_str())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str =
        "[profiles.shop]\nbase_url = \"https://shop.example\"\nauth_url = \"https://id.shop.example\"\n";

    fn find(profile: Option<&str>, base: Option<&str>) -> Result<SignInPlace, Failure> {
        let flags = Flags {
            profile: profile.map(str::to_owned),
            base_url: base.map(str::to_owned),
            read_only: true,
            ..Flags::default()
        };
        SignInPlace::find(&flags, &Environment::default(), &Config::parse(CONFIG, "c"))
    }

    #[test]
    fn a_known_profile_keeps_its_hosts_and_a_new_one_gets_them() {
        let shop = find(Some("shop"), None).ok().unwrap();
        assert_eq!((shop.before.as_ref(), shop.hosts.auth.as_str()), (Some(&shop.profile), "https://id.shop.example/"));
        let new = find(None, Some("https://[2001:db8::1]:8443")).ok().unwrap();
        assert_eq!((new.name.as_str(), new.before.is_none(), new.profile.read_only), ("2001-db8--1", true, true));
        assert_eq!(new.profile.auth_url, None);
    }

    #[test]
    fn a_key_never_goes_to_another_service_than_the_profile_is_for() {
        for (profile, base) in [
            (Some("shop"), Some("https://evil.example")),
            (Some("local"), None),
            (None, None),
            (Some("new"), None),
            (Some("a/b"), Some("https://x.example")),
        ] {
            assert_eq!(find(profile, base).err().map(|error| error.exit_code()), Some(2), "{profile:?} {base:?}");
        }
    }

    #[test]
    fn a_profile_keeps_no_credential_of_hosts_that_are_not_its_own() {
        let elsewhere = || Some("https://evil.example".to_owned());
        let shop = Flags { profile: Some("shop".to_owned()), ..Flags::default() };
        for flags in [
            Flags { auth_url: elsewhere(), ..shop.clone() },
            Flags { upload_url: elsewhere(), ..shop.clone() },
            Flags { lb_base_url: elsewhere(), ..shop.clone() },
        ] {
            let refused = SignInPlace::find(&flags, &Environment::default(), &Config::parse(CONFIG, "c")).err();
            let refused = refused.map(|error| (error.exit_code(), error.to_string()));
            assert!(
                refused.is_some_and(|(code, why)| code == 2 && why.contains("profiles change shop --")),
                "{flags:?}"
            );
        }
        let by_name = Environment::from_iter([("CUTAWAY_AUTH_URL".to_owned(), "https://evil.example".to_owned())]);
        assert!(SignInPlace::find(&shop, &by_name, &Config::parse(CONFIG, "c")).is_err());
        let own = Flags { upload_url: Some("https://id.shop.example:443/up".to_owned()), ..shop };
        assert!(SignInPlace::find(&own, &Environment::default(), &Config::parse(CONFIG, "c")).is_ok());
    }
}
