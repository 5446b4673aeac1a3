//! `cutaway serve`: the local service alone, for a team, a script or a test.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use crate::domain::StoreUrl;
use crate::service::sample::SYNTHETIC_URL;
use crate::service::{ServeOptions, Service, ServiceError, offline};

/// `cutaway serve`
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  cutaway serve --data ./workspace --sample
  cutaway serve --data ./workspace --listen 127.0.0.1:0 --sample-products 100000 --ready-json
  cutaway serve --data ./workspace key add --name script
  cutaway serve --data ./workspace import-products products.ndjson --app-url https://shop.example.com
  cutaway serve --data ./workspace backup workspace.tar
  cutaway serve --data ./workspace player-form on")]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of its own.
pub struct ServeArgs {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:7227]
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// The folder that holds everything
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Load the sample store into an empty folder
    #[arg(long)]
    pub sample: bool,
    /// Add a store with a synthetic catalog of so many products
    #[arg(long, value_name = "N")]
    pub sample_products: Option<u64>,
    /// The largest video that may be uploaded: bytes, or with K, M, G or T
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_upload: Option<u64>,
    /// Print one line of JSON with addresses and a new key once connections are accepted
    #[arg(long)]
    pub ready_json: bool,
    /// Allow an address that is not loopback
    #[arg(long)]
    pub allow_remote: bool,
    /// Deliver webhooks to this machine and the networks around it too
    #[arg(long)]
    pub allow_private_webhooks: bool,
    /// What to do instead of serving
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
}

/// What `cutaway serve` does instead of serving.
#[derive(Debug, Clone, Subcommand)]
pub enum ServeCommand {
    /// Take in products from NDJSON, one a line; raises the version of those that are there
    #[command(after_help = "\
Examples:
  cutaway serve import-products products.ndjson --app-url https://shop.example.com --data ./shop")]
    ImportProducts {
        /// The file; `-` is standard input
        file: PathBuf,
        /// The store that they belong to; connected if it is missing
        #[arg(long, value_name = "URL")]
        app_url: String,
    },
    /// Copy everything into one tar file, while the folder is served or not; unpacked, it is a folder to serve
    #[command(after_help = "\
Examples:
  cutaway serve backup workspace.tar --data ./workspace")]
    Backup {
        /// The file; one that is there is replaced once the new one is whole
        file: PathBuf,
    },
    /// API keys of the workspace
    #[command(after_help = "\
Examples:
  cutaway serve key add --name script --data ./workspace")]
    Key {
        /// What to do with them
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Ask viewers for name, e-mail and phone at the end of a video, or do not
    #[command(after_help = "\
Examples:
  cutaway serve player-form on --data ./workspace
  cutaway serve player-form off --data ./workspace")]
    PlayerForm {
        /// Whether they are asked
        setting: Switch,
    },
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// They are asked.
    On,
    /// They are not.
    Off,
}

/// What `cutaway serve key` does.
#[derive(Debug, Clone, Subcommand)]
pub enum KeyCommand {
    /// Make a key and print it, this once
    #[command(after_help = "\
Examples:
  cutaway serve key add --name script --data ./workspace")]
    Add {
        /// A name to know it by
        #[arg(long, value_name = "N")]
        name: Option<String>,
    },
}

/// Why `cutaway serve` failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The command line asks for what is not allowed.
    #[error("{0}")]
    Usage(String),
    /// The service refused.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// Standard output or a signal could not be used.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl ServeError {
    /// The exit code of the contract: 2 where the command line is wrong, else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            _ => 1,
        }
    }
}

/// The one line that a started service prints.
#[derive(Serialize)]
struct Ready<'a> {
    base_url: &'a str,
    upload_url: &'a str,
    auth_url: &'a str,
    api_key: &'a str,
    app_urls: &'a [StoreUrl],
}

/// Where the service listens unless told otherwise.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7227);

impl ServeArgs {
    /// A flag that says how to serve, where one was given.
    fn of_serving(&self) -> Option<&'static str> {
        [
            (self.listen.is_some(), "--listen"),
            (self.sample, "--sample"),
            (self.sample_products.is_some(), "--sample-products"),
            (self.max_upload.is_some(), "--max-upload"),
            (self.ready_json, "--ready-json"),
            (self.allow_remote, "--allow-remote"),
            (self.allow_private_webhooks, "--allow-private-webhooks"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
    }
}

/// Runs `cutaway serve`; without `--data` it works in `default_data`.
///
/// # Errors
/// [`ServeError`], with the exit code it asks for.
pub async fn run(args: ServeArgs, default_data: &Path) -> Result<ExitCode, ServeError> {
    let data = args.data.clone().unwrap_or_else(|| default_data.to_owned());
    if let (Some(_), Some(flag)) = (&args.command, args.of_serving()) {
        return Err(ServeError::Usage(format!("{flag} is for serving, and this command does not serve")));
    }
    match &args.command {
        None => serve(&args, data).await,
        Some(ServeCommand::ImportProducts { file, app_url }) => import_products(data, file, app_url).await,
        Some(ServeCommand::Backup { file }) => {
            let backup = offline::backup(&data, file).await?;
            say(&format!("{}: the database and {} videos, {} bytes", file.display(), backup.videos, backup.bytes))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(ServeCommand::Key { command: KeyCommand::Add { name } }) => {
            let key = offline::add_key(&data, name.clone()).await?;
            say(key.expose())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(ServeCommand::PlayerForm { setting }) => {
            offline::set_player_form(&data, *setting == Switch::On).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn serve(args: &ServeArgs, data: PathBuf) -> Result<ExitCode, ServeError> {
    let listen = args.listen.unwrap_or(LISTEN);
    if !listen.ip().is_loopback() && !args.allow_remote {
        let why = format!("{} can be reached from other machines; add --allow-remote if that is meant", listen.ip());
        return Err(ServeError::Usage(why));
    }
    // From the first moment on, so that no signal ends the process halfway.
    let stop = Stop::listen()?;
    let allow_private_webhooks = args.allow_private_webhooks;
    let options = ServeOptions { data, max_upload: args.max_upload, allow_private_webhooks, ..ServeOptions::default() };
    let service = Service::open(options).await?;
    let loading = async {
        if args.sample {
            let only_synthetic = service.app_urls().await?.iter().all(|url| url.as_str() == SYNTHETIC_URL);
            if only_synthetic || service.is_empty().await? {
                service.load_sample(|_| ()).await?;
            }
        }
        if let Some(products) = args.sample_products {
            let bar = Bar::new("synthetic catalog", Some(products));
            service.load_synthetic(products, move |loaded| bar.show(loaded)).await?;
        }
        Ok::<_, ServiceError>(())
    };
    let mut stop = stop;
    tokio::select! {
        loaded = loading => loaded?,
        () = stop.asked() => return Ok(ExitCode::SUCCESS),
    }
    let stores = service.app_urls().await?;
    // Minted before it listens: whoever reads the line can use what it says.
    let key = if args.ready_json { Some(service.add_key(Some("ready".to_owned())).await?) } else { None };
    let running = service.start(listen).await?;
    let base_url = running.base_url().to_owned();
    match &key {
        Some(key) => {
            let ready = Ready {
                base_url: &base_url,
                upload_url: &base_url,
                auth_url: &base_url,
                api_key: key.expose(),
                app_urls: &stores,
            };
            say(&serde_json::to_string(&ready).map_err(io::Error::from)?)?;
        }
        None => tell(&format!("Cutaway listens on {base_url}; make a key with: cutaway serve key add")),
    }
    stop.asked().await;
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

async fn import_products(data: PathBuf, file: &Path, app_url: &str) -> Result<ExitCode, ServeError> {
    if !app_url.starts_with("http://") && !app_url.starts_with("https://") {
        return Err(ServeError::Usage(format!("--app-url must be an http(s) address, found {app_url:?}")));
    }
    let bar = Bar::new("import", None);
    let app_url = StoreUrl::new(app_url);
    let imported = if file == Path::new("-") {
        offline::import_products(&data, &app_url, io::stdin().lock(), |so_far| bar.show(so_far)).await?
    } else {
        let opened = File::open(file).map_err(|error| ServeError::Usage(format!("{}: {error}", file.display())))?;
        offline::import_products(&data, &app_url, BufReader::new(opened), |so_far| bar.show(so_far)).await?
    };
    bar.end();
    say(&format!("{} added, {} updated", imported.added, imported.updated))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a size: `500000`, `20M`, `4G`. The letters stand for powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_end_matches(['b', 'B']).trim_end_matches(['i']);
    let (number, power) = match text.char_indices().last() {
        Some((at, letter)) if letter.is_ascii_alphabetic() => {
            let power = "KMGT".find(letter.to_ascii_uppercase()).ok_or("the letter must be K, M, G or T")?;
            (text.get(..at).unwrap_or_default(), power + 1)
        }
        _ => (text, 0),
    };
    let number: u64 = number.trim().parse().map_err(|_| "must be a whole number of bytes, or with K, M, G or T")?;
    let unit = 1024_u64.pow(u32::try_from(power).unwrap_or_default());
    number.checked_mul(unit).ok_or_else(|| "is too large".to_owned())
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Standard error is for people: a message that can't be written is lost, no more.
fn tell(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// SIGINT and SIGTERM.
struct Stop {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Stop {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn asked(&mut self) {
        tokio::select! { _ = self.terminate.recv() => {}, _ = self.interrupt.recv() => {} }
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn asked(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Progress on standard error, where that is a terminal.
struct Bar {
    what: &'static str,
    of: Option<u64>,
    begun: Instant,
    shown: Arc<Mutex<Option<Instant>>>,
}

/// Cells of the bar.
const CELLS: u64 = 30;

impl Bar {
    fn new(what: &'static str, of: Option<u64>) -> Self {
        Self { what, of, begun: Instant::now(), shown: Arc::default() }
    }

    fn show(&self, so_far: u64) {
        let done = self.of == Some(so_far);
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = shown.is_some_and(|at| at.elapsed() < Duration::from_millis(100));
        if !io::stderr().is_terminal() || (lately && !done) {
            return;
        }
        *shown = Some(Instant::now());
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let rate = (so_far as f64 / self.begun.elapsed().as_secs_f64().max(0.001)) as u64;
        let mut err = io::stderr().lock();
        let _ = match self.of {
            Some(of) => {
                let full = so_far.saturating_mul(CELLS) / of.max(1);
                let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
                write!(err, "\r{}: {bar} {so_far} of {of} products, {rate} a second", self.what)
            }
            None => write!(err, "\r{}: {so_far} products, {rate} a second", self.what),
        };
        if done {
            let _ = writeln!(err);
        }
        let _ = err.flush();
    }

    /// Ends the line where it was not known how many would come.
    fn end(&self) {
        if self.shown.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            tell("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        assert_eq!(size("500000"), Ok(500_000));
        assert_eq!(size("2K"), Ok(2048));
        assert_eq!(size("20 MiB"), Ok(20 * 1024 * 1024));
        assert_eq!(size("4g"), Ok(4 << 30));
        for wrong in ["", "M", "1.5G", "-1", "3X", "99999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
