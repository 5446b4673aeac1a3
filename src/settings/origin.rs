//! Whose a stored credential is: it belongs to the origins of its profile, and goes nowhere else.

use url::Url;

use super::{Hosts, Profile};
use crate::domain::shell;

/// Whether both addresses have the same origin: scheme, host and port (RFC 6454). Hosts are compared without case, and a
/// default port equals one that is not written, because [`Url`] reads both so.
#[must_use]
pub fn is_same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}

/// Where an address that is in use was named, beside the profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedBy {
    pub(super) base: Option<&'static str>,
    pub(super) lb: Option<&'static str>,
    pub(super) upload: Option<&'static str>,
    pub(super) auth: Option<&'static str>,
}

/// Why the credential that is kept with a profile is not used at these hosts; nothing where all of them are the
/// profile's own.
pub(super) fn refusal(name: &str, profile: &Profile, hosts: &Hosts, named: NamedBy) -> Option<String> {
    let kept = [&profile.base_url, &profile.lb_base_url, &profile.upload_url, &profile.auth_url];
    let own: Vec<&Url> = kept.into_iter().flatten().collect();
    let is_foreign = |url: &Url| !own.iter().any(|own| is_same_origin(own, url));
    let base_is_foreign = is_foreign(&hosts.base);
    let used = [
        (named.base, "--base-url", Some(&hosts.base)),
        (named.lb, "--lb-base-url", hosts.lb.as_ref()),
        (named.upload, "--upload-url", Some(&hosts.upload)),
        (named.auth, "--auth-url", Some(&hosts.auth)),
    ];
    let foreign = used.into_iter().find_map(|(by, flag, url)| Some((by, flag, url.filter(|url| is_foreign(url))?)));
    let (by, flag, url) = foreign?;
    let by = by.unwrap_or(flag);
    let home = profile.base_url.as_ref().map_or_else(|| "no address".to_owned(), origin);
    let way_on = if base_is_foreign {
        let new = url.host_str().unwrap_or_default().trim_matches(['[', ']']).replace(':', "-");
        format!(
            "to sign in there: cutaway login --profile {} --base-url {}",
            shell::word(&new),
            shell::word(url.as_str())
        )
    } else {
        let (name, url) = (shell::word(name), shell::word(url.as_str()));
        format!("if the address is right, keep it with the profile: cutaway profiles change {name} {flag} {url}")
    };
    Some(format!(
        "the credential of the profile {name} is for {home}; it was not sent to {}, which {by} names; {way_on}; or give \
         the key for that address in CUTAWAY_API_KEY",
        origin(url)
    ))
}

/// Whether all these hosts are of the origins of a profile's own ones: only then a credential for them is one of it.
#[must_use]
pub fn are_own(own: &Hosts, used: &Hosts) -> bool {
    used.all().all(|(_, url)| own.all().any(|(_, own)| is_same_origin(own, url)))
}

/// An origin as people write it.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let same = |one: &str, other: &str| is_same_origin(&Url::parse(one).unwrap(), &Url::parse(other).unwrap());
        assert!(same("https://Shop.Example/a", "https://shop.example:443/b?c"));
        assert!(same("http://127.0.0.1", "http://127.0.0.1:80/x"));
        assert!(!same("https://shop.example", "http://shop.example"));
        assert!(!same("https://shop.example", "https://shop.example:8443"));
        assert!(!same("https://shop.example", "https://shop.example.evil.example"));
        assert!(!same("http://127.0.0.1:1", "http://127.0.0.1:2"));
        let hosts = |text: &str| Hosts::single(Url::parse(text).unwrap());
        let own = Hosts { upload: Url::parse("https://up.example").unwrap(), ..hosts("https://a.example") };
        assert!(are_own(&own, &hosts("https://up.example/v1")) && !are_own(&own, &hosts("https://b.example")));
    }
}
