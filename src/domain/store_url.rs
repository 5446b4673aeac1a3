//! Addresses of stores: when two of them are the same store.

use super::StoreUrl;

impl StoreUrl {
    /// The address with scheme and host in small letters, and without the port that the scheme has anyway (RFC 3986 §6.2).
    /// What is no address of a host stays as it is.
    ///
    /// ```
    /// use cutaway::domain::StoreUrl;
    ///
    /// assert_eq!(StoreUrl::from("HTTPS://Shop.Example:443/A").normalized(), StoreUrl::from("https://shop.example/A"));
    /// ```
    #[must_use]
    pub fn normalized(&self) -> Self {
        let text = self.as_str().trim();
        let Some((scheme, rest)) = text.split_once("://") else { return Self::from(text) };
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let scheme = scheme.to_ascii_lowercase();
        let host = authority.to_lowercase();
        let usual = match scheme.as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => "",
        };
        let host = host.strip_suffix(usual).unwrap_or(&host);
        Self::from(format!("{scheme}://{host}{path}"))
    }

    /// Whether both are the same store: a slash at the end makes no other one.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        let (one, other) = (self.normalized(), other.normalized());
        one.as_str().trim_end_matches('/') == other.as_str().trim_end_matches('/')
    }

    /// This store as a list of known ones spells it, where it is among them; else normalized.
    #[must_use]
    pub fn known_as<'a>(&self, mut known: impl Iterator<Item = &'a Self>) -> Self {
        known.find(|known| known.is_same(self)).cloned().unwrap_or_else(|| self.normalized())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_capitals_is_the_same_store() {
        let same = |one: &str, other: &str| StoreUrl::from(one).is_same(&StoreUrl::from(other));
        assert!(same("https://NORDLYS.example", "https://nordlys.example/"));
        assert!(same(" http://a.example:80/shop", "http://A.example/shop/"));
        assert!(same("https://Ærø.example", "https://æRØ.example"));
        assert!(!same("https://a.example/Shop", "https://a.example/shop"), "paths have cases");
        assert!(!same("https://a.example", "http://a.example"));
        assert!(!same("https://a.example:8443", "https://a.example"));
        assert!(same("no address", "no address") && !same("a", "b"));
        let known = [StoreUrl::from("https://Shop.Example/")];
        assert_eq!(StoreUrl::from("https://shop.example").known_as(known.iter()), known[0]);
        assert_eq!(StoreUrl::from("https://B.example/").known_as(known.iter()), StoreUrl::from("https://b.example/"));
    }
}
