//! `cutaway serve` without a command: serves until it is told to end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use serde::Serialize;

use super::progress::Bar;
use super::stop::Stop;
use super::{IngressArgs, ServeArgs, ServeError, say, tell};
use crate::cli::guests::GuestCommands;
use crate::cli::surroundings;
use crate::domain::StoreUrl;
use crate::domain::shell::word;
use crate::service::guests::GuestBook;
use crate::service::offline::Kept;
use crate::service::sample::SYNTHETIC_URL;
use crate::service::{ServeOptions, Service, ServiceError, Timing, VisitorLimits};
use crate::settings::{Config, Folders};
use crate::ssh::{self, Limits, Options, Server};

/// The one line that a started service prints.
#[derive(Serialize)]
struct Ready<'a> {
    base_url: &'a str,
    upload_url: &'a str,
    auth_url: &'a str,
    api_key: &'a str,
    app_urls: &'a [StoreUrl],
    /// Where guests come in over SSH, where they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    ssh: Option<String>,
    /// Where it listens, where that is not the address that it hands out.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_url: Option<&'a str>,
}

/// Where the service listens unless told otherwise.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7227);

/// What the service is opened with.
fn options(args: &ServeArgs, kept: Kept, ingress: &IngressArgs) -> Result<ServeOptions, ServeError> {
    Ok(ServeOptions {
        data: kept.data,
        read_database: args.replica.place(kept.database.as_ref(), |name| std::env::var(name).ok())?,
        database: kept.database,
        blobs: args.storage.place(|name| std::env::var(name).ok())?,
        redirect_files: args.storage.redirect_files,
        leave_files: args.storage.leave_files,
        visitors: visitor_limits(args),
        max_upload: args.max_upload,
        allow_private_webhooks: args.allow_private_webhooks,
        public_url: ingress.public_url.clone(),
        trusted_proxies: ingress.trusted_proxy.clone(),
        tls: ingress.tls()?,
        max_connections: ingress.max_connections,
        timing: Timing { drain: ingress.drain.unwrap_or_default(), ..Timing::default() },
    })
}

/// The words by which other commands find what is served here; a password is none of them.
fn here(args: &ServeArgs) -> String {
    let folder = args.data.as_ref().map(|data| format!(" --data {}", word(&data.display().to_string())));
    let url = args.database.database_url.as_ref().map(|url| format!(" --database-url {}", word(url.expose_secret())));
    folder.into_iter().chain(url).collect()
}

pub(super) async fn serve(args: &ServeArgs, kept: Kept) -> Result<ExitCode, ServeError> {
    let listen = args.listen.unwrap_or(LISTEN);
    check_addresses(args, listen)?;
    allow_files();
    // From the first moment on, so that no signal ends the process halfway.
    let mut stop = Stop::listen()?;
    let ingress = args.ingress.clone().with_environment(|name| std::env::var(name).ok())?;
    let options = options(args, kept, &ingress)?;
    let serve = options.clone();
    let mut opening = Service::open(options);
    let service = tokio::select! {
        opened = &mut opening => opened?,
        () = stop.asked() => {
            // Whatever it waits for, such as another process's migration, nobody waits for it. What it has begun ends with its
            // connection.
            std::mem::forget(opening);
            return Ok(ExitCode::SUCCESS);
        }
    };
    tokio::select! {
        loaded = load(args, &service) => loaded?,
        () = stop.asked() => return Ok(ExitCode::SUCCESS),
    }
    let stores = service.app_urls().await?;
    let here = here(args);
    // Minted before it listens: whoever reads the line can use what it says.
    let key = if args.ready_json { Some(service.add_process_key("ready").await?) } else { None };
    let running = service.start(listen).await?;
    let guests = let_guests_in(args, serve, running.service().guest_book()).await?;
    let ssh = guests.as_ref().map(|guests| guests.addr().to_string());
    let local_url = running.base_url().to_owned();
    let public_url = ingress.public_url.map(|url| url.to_string());
    let base_url = public_url.as_ref().unwrap_or(&local_url);
    if let Some(key) = &key {
        let ready = Ready {
            base_url,
            upload_url: base_url,
            auth_url: base_url,
            api_key: key.expose(),
            app_urls: &stores,
            ssh,
            local_url: public_url.as_ref().map(|_| local_url.as_str()),
        };
        say(&serde_json::to_string(&ready).map_err(io::Error::from)?)?;
    } else {
        let public = public_url.as_ref().map_or(String::new(), |url| format!(" (public address: {url})"));
        tell(&format!("Cutaway listens on {local_url}{public}; create a key with: cutaway serve key add{here}"));
        if let Some(ssh) = ssh {
            tell(&format!("Guests connect over SSH to {ssh}; add one with: cutaway serve ssh-key add FILE.pub{here}"));
        }
    }
    stop.asked().await;
    // First: what guests have open is kept by the service.
    if let Some(guests) = guests {
        guests.stop().await;
    }
    // Whoever asks again doesn't want to wait.
    running.drain(stop.asked()).await;
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to listen where other machines get to, unless that is meant.
fn check_addresses(args: &ServeArgs, listen: SocketAddr) -> Result<(), ServeError> {
    let mut addresses = std::iter::once(listen).chain(args.ssh).map(|address| address.ip());
    match addresses.find(|address| !address.is_loopback() && !args.allow_remote) {
        None => Ok(()),
        Some(address) => {
            let why = format!("{address} can be reached from other machines; add --allow-remote if that's intended");
            Err(ServeError::Usage(why))
        }
    }
}

fn visitor_limits(args: &ServeArgs) -> VisitorLimits {
    let usual = VisitorLimits::default();
    VisitorLimits {
        visits: args.visits_per_day.unwrap_or(usual.visits),
        events: args.visit_events_per_day.unwrap_or(usual.events),
        bytes: args.visit_bytes_per_day.unwrap_or(usual.bytes),
    }
}

/// Loads the products that it is to have from the start.
async fn load(args: &ServeArgs, service: &Service) -> Result<(), ServiceError> {
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
    Ok(())
}

/// The settings of whoever runs the service, where there are any.
fn configured() -> Option<Config> {
    let folders = Folders::find(&surroundings::environment().ok()?);
    folders.config_file().ok().filter(|path| path.exists()).map(|path| Config::read(&path))
}

/// Listens for guests too, where that was asked for.
async fn let_guests_in(
    args: &ServeArgs,
    serve: ServeOptions,
    book: Option<GuestBook>,
) -> Result<Option<ssh::Running>, ServeError> {
    let Some(listen) = args.ssh else { return Ok(None) };
    let limits = Limits::default();
    let limits = Limits {
        upload: args.max_upload.unwrap_or(limits.upload),
        lost_after: configured().map_or(limits.lost_after, |config| config.lost_after),
        ..limits
    };
    let limits = match args.ssh_idle {
        Some(minutes) => limits.idle_for(Duration::from_secs(u64::from(minutes) * 60)),
        None => limits,
    };
    let options = Options { listen, serve, book, sample: args.sample, limits, commands: Arc::new(GuestCommands) };
    Ok(Some(Server::start(options).await?))
}

/// Lets this process have as many files open as the system allows it: every connection is one.
fn allow_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}
