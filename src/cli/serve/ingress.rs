//! How others reach the service: flags, and their twins in the environment.

use clap::Args;
use ipnet::IpNet;

use super::ServeError;
use crate::service::PublicUrl;
use crate::service::ingress::network;

const PUBLIC_URL: &str = "CUTAWAY_PUBLIC_URL";
const TRUSTED_PROXY: &str = "CUTAWAY_TRUSTED_PROXY";

/// The flags. Their twins in the environment hold while the service is served, and are no flags of other commands.
#[derive(Debug, Clone, Default, Args)]
pub struct IngressArgs {
    /// The address under which others reach the service, as in https://video.example.com [env: CUTAWAY_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// A proxy, or a network of them, that is believed about who asks; repeatable [env: CUTAWAY_TRUSTED_PROXY, by commas]
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
}

impl IngressArgs {
    /// A flag that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [(self.public_url.is_some(), "--public-url"), (!self.trusted_proxy.is_empty(), "--trusted-proxy")]
            .into_iter()
            .find_map(|(given, flag)| given.then_some(flag))
    }

    /// The same with what the environment says where no flag does.
    pub(super) fn with_environment(self, get: impl Fn(&str) -> Option<String>) -> Result<Self, ServeError> {
        let wrong = |name: &str, why: String| ServeError::Usage(format!("{name}: {why}"));
        let public_url = match (self.public_url, get(PUBLIC_URL)) {
            (Some(url), _) => Some(url),
            (None, Some(text)) => Some(text.parse().map_err(|why| wrong(PUBLIC_URL, why))?),
            (None, None) => None,
        };
        let trusted_proxy = match get(TRUSTED_PROXY) {
            Some(text) if self.trusted_proxy.is_empty() => {
                let networks = text.split(',').map(network).collect::<Result<_, _>>();
                networks.map_err(|why| wrong(TRUSTED_PROXY, why))?
            }
            _ => self.trusted_proxy,
        };
        Ok(Self { public_url, trusted_proxy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_before_the_environment() {
        let of = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned())
        };
        let both = &[("CUTAWAY_PUBLIC_URL", "https://a.example"), ("CUTAWAY_TRUSTED_PROXY", "10.0.0.0/8, ::1")];
        let read = IngressArgs::default().with_environment(of(both)).unwrap();
        assert_eq!(read.public_url.unwrap().as_str(), "https://a.example");
        assert_eq!(read.trusted_proxy.len(), 2);
        let flags = IngressArgs { public_url: "https://b.example".parse().ok(), trusted_proxy: vec![] };
        assert_eq!(flags.with_environment(of(both)).unwrap().public_url.unwrap().as_str(), "https://b.example");
        let wrong = IngressArgs::default().with_environment(of(&[("CUTAWAY_PUBLIC_URL", "a.example/x")]));
        assert!(wrong.unwrap_err().to_string().starts_with("CUTAWAY_PUBLIC_URL: "));
    }
}
