//! Where a database of PostgreSQL is.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Why a database can't be named like that. Nothing of the address is repeated: it may have a password in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabasePlaceError {
    /// It is no address of a database.
    #[error("not an address of PostgreSQL, as in postgres://USER@HOST/DATABASE: {0}")]
    Address(String),
    /// Certificates can't be checked here.
    #[error("TLS to the database: {0}")]
    Tls(String),
}

/// The address of a database of PostgreSQL, with what it takes to get in. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabasePlace {
    config: Config,
    /// Whether statements are prepared once for a connection.
    prepares: bool,
}

impl fmt::Debug for DatabasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabasePlace")
    }
}

impl FromStr for DatabasePlace {
    type Err = DatabasePlaceError;

    fn from_str(text: &str) -> Result<Self, DatabasePlaceError> {
        let address = |why: &str| DatabasePlaceError::Address(why.to_owned());
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(address("it doesn't begin with postgres://"));
        }
        let source = |error: &tokio_postgres::Error| {
            std::error::Error::source(error).map_or_else(|| "it can't be read".to_owned(), ToString::to_string)
        };
        let (text, prepares) = without_prepare(text).map_err(address)?;
        let mut config: Config = text.parse().map_err(|error| address(&source(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(address("it names no host"));
        }
        if config.get_dbname().is_none() {
            return Err(address("it names no database"));
        }
        config.application_name("cutaway");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        // A server that is gone without a word is noticed in seconds, not after the system's two hours.
        if !text.contains("keepalives") {
            let (idle, interval) = (Duration::from_secs(10), Duration::from_secs(5));
            config.keepalives_idle(idle).keepalives_interval(interval).keepalives_retries(3);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(20));
        }
        Ok(Self { config, prepares })
    }
}

/// The address without what the library doesn't know: `prepare=off`, for poolers that hand out connections by transaction.
fn without_prepare(text: &str) -> Result<(String, bool), &'static str> {
    let Some((place, asked)) = text.split_once('?') else { return Ok((text.to_owned(), true)) };
    let mut prepares = true;
    let mut rest = Vec::new();
    for part in asked.split('&') {
        match part.strip_prefix("prepare=") {
            Some("off") => prepares = false,
            Some("on") => prepares = true,
            Some(_) => return Err("prepare must be on or off"),
            None => rest.push(part),
        }
    }
    Ok((if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) }, prepares))
}

impl DatabasePlace {
    /// Whether the address has a password in it.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Which database it is, without who may get in.
    pub(in crate::service::store) fn shown(&self) -> String {
        let mut hosts = Vec::new();
        let mut sockets = String::new();
        for host in self.config.get_hosts() {
            match host {
                Host::Tcp(name) => hosts.push(name.clone()),
                #[cfg(unix)]
                Host::Unix(path) => sockets = format!("?host={}", path.display()),
            }
        }
        format!("postgres://{}/{}{sockets}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether statements are prepared once for a connection, and its settings last as long as it does.
    pub(in crate::service::store) fn prepares(&self) -> bool {
        self.prepares
    }

    /// What speaks TLS to it, with the certificates that this machine trusts.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, DatabasePlaceError> {
        let failed = |error: rustls::Error| DatabasePlaceError::Tls(error.to_string());
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().map_err(failed)?;
        // Without TLS nobody's certificate is looked at, and a machine without any can do that too.
        let config = if self.config.get_ssl_mode() == SslMode::Disable {
            config.with_root_certificates(rustls::RootCertStore::empty())
        } else {
            config.with_platform_verifier().map_err(failed)?
        };
        Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_never_shown() {
        let place: DatabasePlace = "postgres://shop:hunter2@db.example/cutaway?sslmode=disable".parse().unwrap();
        assert!(place.has_password());
        assert!(!format!("{place:?}").contains("hunter2"));
        assert_eq!(place.shown(), "postgres://db.example/cutaway");
        assert!(!"postgresql:///cutaway?host=/run/postgresql".parse::<DatabasePlace>().unwrap().has_password());
        let pooled = "postgres://a@h/d?prepare=off&sslmode=disable".parse::<DatabasePlace>().unwrap();
        assert!(!pooled.prepares() && pooled.config().get_ssl_mode() == SslMode::Disable && place.prepares());
        assert!(!"postgres://a@h/d?prepare=off".parse::<DatabasePlace>().unwrap().prepares());
        for wrong in [
            "",
            "postgres://a@h/d?prepare=never",
            "mysql://a/b",
            "postgres://",
            "postgres://h",
            "postgres://h:port/x",
            "postgres://a:secretword@h/d?what=1",
        ] {
            let why = wrong.parse::<DatabasePlace>().unwrap_err().to_string();
            assert!(!why.contains("secretword"), "{why}");
        }
    }
}
