//! Where a database of PostgreSQL is.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::tls::Tls;

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
#[derive(Clone)]
pub struct DatabasePlace {
    config: Config,
    ours: Ours,
    /// What all of its connections know of it.
    known: Arc<Known>,
}

/// What an address says to us and the library knows nothing of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ours {
    /// Whether statements are prepared once for a connection.
    prepares: bool,
    /// How many connections read at most.
    readers: usize,
}

/// As many connections as read where nothing is said.
const READERS: usize = 8;

#[derive(Default)]
struct Known {
    /// Which of the hosts took the last connection.
    host: AtomicUsize,
    /// How often it was asked something and waited for.
    trips: Arc<AtomicU64>,
    /// What speaks TLS to it: reading a machine's certificates takes a while.
    tls: OnceLock<Tls>,
    /// Whether its processes don't think of each other.
    #[cfg(test)]
    naive: std::sync::atomic::AtomicBool,
}

impl PartialEq for DatabasePlace {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.ours == other.ours
    }
}

impl Eq for DatabasePlace {}

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
        let (text, ours) = without_ours(text).map_err(address)?;
        let mut config: Config = text.parse().map_err(|error| address(&source(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(address("it names no host"));
        }
        let is_odd = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
        if config.get_hosts().iter().any(is_odd) {
            return Err(address("an @ in a password has to be written as %40"));
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
        Ok(Self { config, ours, known: Arc::default() })
    }
}

/// The same for one of its hosts alone.
fn of_host(config: &Config, nth: usize) -> Config {
    let mut one = Config::new();
    match config.get_hosts().get(nth) {
        Some(Host::Tcp(name)) => one.host(name),
        #[cfg(unix)]
        Some(Host::Unix(path)) => one.host_path(path),
        None => &mut one,
    };
    if let Some(address) = config.get_hostaddrs().get(nth) {
        one.hostaddr(*address);
    }
    // One port may stand for all.
    if let Some(port) = config.get_ports().get(nth).or(config.get_ports().first()) {
        one.port(*port);
    }
    let texts = [
        (config.get_user(), Config::user as fn(&mut Config, String) -> &mut Config),
        (config.get_dbname(), Config::dbname),
        (config.get_options(), Config::options),
        (config.get_application_name(), Config::application_name),
    ];
    for (text, set) in texts {
        if let Some(text) = text {
            set(&mut one, text.to_owned());
        }
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(time) = config.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(time) = config.get_keepalives_interval() {
        one.keepalives_interval(time);
    }
    if let Some(count) = config.get_keepalives_retries() {
        one.keepalives_retries(count);
    }
    one.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    one
}

/// The address without what the library doesn't know: `prepare=off`, for poolers that hand out connections by transaction,
/// and `readers=N`.
fn without_ours(text: &str) -> Result<(String, Ours), &'static str> {
    let mut ours = Ours { prepares: true, readers: READERS };
    let Some((place, asked)) = text.split_once('?') else { return Ok((text.to_owned(), ours)) };
    let mut rest = Vec::new();
    for part in asked.split('&') {
        match part.split_once('=') {
            Some(("prepare", "off")) => ours.prepares = false,
            Some(("prepare", "on")) => ours.prepares = true,
            Some(("prepare", _)) => return Err("prepare must be on or off"),
            Some(("readers", number)) => {
                let readers = number.parse().ok().filter(|readers| (1..=64).contains(readers));
                ours.readers = readers.ok_or("readers must be a number from 1 to 64")?;
            }
            _ => rest.push(part),
        }
    }
    Ok((if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) }, ours))
}

/// Where PostgreSQL listens unless told otherwise.
const USUAL_PORT: u16 = 5432;

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
        let ports = self.config.get_ports();
        for (nth, host) in self.config.get_hosts().iter().enumerate() {
            let port = ports.get(nth).or(ports.first()).filter(|port| **port != USUAL_PORT);
            match host {
                Host::Tcp(name) => hosts.push(port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"))),
                #[cfg(unix)]
                Host::Unix(path) => sockets = format!("?host={}", path.display()),
            }
        }
        format!("postgres://{}/{}{sockets}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }

    /// Its hosts, each to be connected to by itself: first the one that took the last connection.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (usize, Config)> + '_ {
        let count = self.config.get_hosts().len();
        let first = self.known.host.load(Ordering::Relaxed);
        (0..count).map(move |nth| (first + nth) % count).map(|nth| (nth, of_host(&self.config, nth)))
    }

    /// What counts how often it is asked something and waited for.
    pub(super) fn trips(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.known.trips)
    }

    /// Says which of the hosts took a connection.
    pub(super) fn took(&self, nth: usize) {
        self.known.host.store(nth, Ordering::Relaxed);
    }

    /// Whether statements are prepared once for a connection, and its settings last as long as it does.
    #[must_use]
    pub fn prepares(&self) -> bool {
        self.ours.prepares
    }

    /// From now on whoever works on it doesn't think of others who do: what goes wrong then is what their tests look for.
    #[cfg(test)]
    pub(in crate::service::store) fn be_naive(&self) {
        self.known.naive.store(true, Ordering::Relaxed);
    }

    /// What is asked of it, where nobody thinks of others.
    #[cfg(test)]
    pub(super) fn naively(&self, sql: String) -> String {
        const CARES: [(&str, &str); 4] = [
            ("SELECT one FROM turn FOR UPDATE;", ""),
            ("AND decided = 0", ""),
            (
                "AND fence = $2 AND coalesce(lease_until, 0) <= $3",
                "AND (fence = $2 OR coalesce(lease_until, 0) <= $3 OR true)",
            ),
            ("ON CONFLICT (workspace, app_url) DO NOTHING", ""),
        ];
        if !self.known.naive.load(Ordering::Relaxed) {
            return sql;
        }
        CARES.into_iter().fold(sql, |sql, (care, none)| sql.replace(care, none))
    }

    /// How many connections read at most, of a process.
    pub(in crate::service::store) fn readers(&self) -> usize {
        self.ours.readers
    }

    /// What speaks TLS to it, with the certificates that this machine trusts.
    pub(super) fn tls(&self) -> Result<Tls, DatabasePlaceError> {
        if let Some(tls) = self.known.tls.get() {
            return Ok(tls.clone());
        }
        let tls = self.read_tls()?;
        Ok(self.known.tls.get_or_init(|| tls).clone())
    }

    /// Whether nobody's certificate is looked at: TLS isn't spoken, and a machine without certificates can do that too.
    fn is_plain(&self) -> bool {
        let hosts = self.config.get_hosts();
        self.config.get_ssl_mode() == SslMode::Disable || !hosts.iter().any(|host| matches!(host, Host::Tcp(_)))
    }

    fn read_tls(&self) -> Result<Tls, DatabasePlaceError> {
        let failed = |error: rustls::Error| DatabasePlaceError::Tls(error.to_string());
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().map_err(failed)?;
        let plain = || config.clone().with_root_certificates(rustls::RootCertStore::empty());
        let config = if self.is_plain() {
            plain()
        } else {
            match config.clone().with_platform_verifier() {
                Ok(config) => config,
                // A server that offers none is talked to without.
                Err(error) if self.config.get_ssl_mode() == SslMode::Prefer => {
                    tracing::warn!(%error, "this machine has no certificates to check that of the database with");
                    plain()
                }
                Err(error) => return Err(failed(error)),
            }
        };
        Ok(Tls::new(config.with_no_client_auth()))
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
        let elsewhere: DatabasePlace = "postgres://a@one:5433,two:5432/d".parse().unwrap();
        assert_eq!(elsewhere.shown(), "postgres://one:5433,two/d");
        assert!(!"postgresql:///cutaway?host=/run/postgresql".parse::<DatabasePlace>().unwrap().has_password());
        let pooled = "postgres://a@h/d?prepare=off&sslmode=disable".parse::<DatabasePlace>().unwrap();
        assert!(!pooled.prepares() && pooled.config.get_ssl_mode() == SslMode::Disable && place.prepares());
        assert!(!"postgres://a@h/d?prepare=off".parse::<DatabasePlace>().unwrap().prepares());
        let few = "postgres://a@h/d?readers=3&prepare=off".parse::<DatabasePlace>().unwrap();
        assert_eq!((few.readers(), few.prepares(), place.readers()), (3, false, 8));
        for wrong in [
            "",
            "postgres://a@h/d?prepare=never",
            "postgres://a@h/d?readers=0",
            "postgres://a@h/d?readers=many",
            "mysql://a/b",
            "postgres://",
            "postgres://h",
            "postgres://h:port/x",
            "postgres://a:secretword@h/d?what=1",
            "postgres://a:p@secretword@h/d",
        ] {
            let why = wrong.parse::<DatabasePlace>().unwrap_err().to_string();
            assert!(!why.contains("secretword"), "{why}");
        }
    }

    #[test]
    fn each_host_is_asked_by_itself_first_the_one_that_answered_last() {
        let text =
            "postgres://shop:word@one:5433,two:5434,three:5435/d?target_session_attrs=read-write&connect_timeout=2";
        let place: DatabasePlace = text.parse().unwrap();
        let ports =
            |place: &DatabasePlace| -> Vec<u16> { place.hosts().map(|(_, config)| config.get_ports()[0]).collect() };
        assert_eq!(ports(&place), [5433, 5434, 5435]);
        for (_, config) in place.hosts() {
            assert_eq!(
                (config.get_hosts().len(), config.get_user(), config.get_dbname()),
                (1, Some("shop"), Some("d"))
            );
            assert_eq!(config.get_password(), place.config.get_password());
            assert_eq!(config.get_target_session_attrs(), place.config.get_target_session_attrs());
            assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(2)));
            assert_eq!(config.get_tcp_user_timeout(), place.config.get_tcp_user_timeout());
        }
        // Whichever connection found it out.
        place.clone().took(1);
        assert_eq!(ports(&place), [5434, 5435, 5433]);
        let one: DatabasePlace = "postgres://a@one,two/d".parse().unwrap();
        assert_eq!(ports(&one), [5432, 5432]);
    }
}
