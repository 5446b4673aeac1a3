//! How others reach the service: flags, and their twins in the environment.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;

use super::ServeError;
use crate::service::ingress::network;
use crate::service::{PublicUrl, TlsFiles};

const PUBLIC_URL: &str = "CUTAWAY_PUBLIC_URL";
const TRUSTED_PROXY: &str = "CUTAWAY_TRUSTED_PROXY";
const TLS_CERT: &str = "CUTAWAY_TLS_CERT";
const TLS_KEY: &str = "CUTAWAY_TLS_KEY";

/// The flags. Their twins in the environment hold while the service is served, and are no flags of other commands.
#[derive(Debug, Clone, Default, Args)]
pub struct IngressArgs {
    /// The address under which others reach the service, as in `https://video.example.com` [env: CUTAWAY_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// A proxy, or a network of them, whose word on who asks is trusted; repeatable [env: CUTAWAY_TRUSTED_PROXY, comma-separated]
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
    /// Speak TLS with this certificate (PEM, the whole chain); read again when it changes [env: CUTAWAY_TLS_CERT]
    #[arg(long, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM) [env: CUTAWAY_TLS_KEY]
    #[arg(long, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Connections served at once; the longest silent ones are closed for new ones [default: 1024]
    #[arg(long, value_name = "N")]
    pub max_connections: Option<usize>,
    /// When told to stop, keep serving for this long while /readyz responds with 503: 5s, 1m [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub drain: Option<Duration>,
}

/// A time in seconds or minutes.
fn span(text: &str) -> Result<Duration, String> {
    let why = || format!("{text:?} is not a time of at most 10 minutes, such as 5s or 1m");
    let (number, unit) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(number), _) => (number, 1),
        (_, Some(number)) => (number, 60),
        (None, None) => (text, 1),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|all| *all <= 600);
    seconds.map(Duration::from_secs).ok_or_else(why)
}

impl IngressArgs {
    /// A flag that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (self.public_url.is_some(), "--public-url"),
            (!self.trusted_proxy.is_empty(), "--trusted-proxy"),
            (self.tls_cert.is_some(), "--tls-cert"),
            (self.tls_key.is_some(), "--tls-key"),
            (self.max_connections.is_some(), "--max-connections"),
            (self.drain.is_some(), "--drain"),
        ]
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
        let path = |name: &str| get(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let (tls_cert, tls_key) = (self.tls_cert.or_else(|| path(TLS_CERT)), self.tls_key.or_else(|| path(TLS_KEY)));
        Ok(Self { public_url, trusted_proxy, tls_cert, tls_key, ..self })
    }

    /// The files of the certificate, where the service is to speak TLS.
    pub(super) fn tls(&self) -> Result<Option<TlsFiles>, ServeError> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert: cert.clone(), key: key.clone() })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(ServeError::Usage("--tls-cert needs the private key too: add --tls-key".to_owned())),
            (None, Some(_)) => Err(ServeError::Usage("--tls-key needs the certificate too: add --tls-cert".to_owned())),
        }
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
        let flags = IngressArgs { public_url: "https://b.example".parse().ok(), ..IngressArgs::default() };
        assert_eq!(flags.with_environment(of(both)).unwrap().public_url.unwrap().as_str(), "https://b.example");
        let wrong = IngressArgs::default().with_environment(of(&[("CUTAWAY_PUBLIC_URL", "a.example/x")]));
        assert!(wrong.unwrap_err().to_string().starts_with("CUTAWAY_PUBLIC_URL: "));
    }
}
