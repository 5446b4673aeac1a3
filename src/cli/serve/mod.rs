//! `cutaway serve`: the local service alone, for a team, a script or a test.

mod audit;
mod database;
mod error;
mod forget;
mod grants;
mod import;
mod ingress;
mod keys;
mod moving;
mod progress;
mod serving;
mod shops;
mod shown;
mod size;
mod ssh_keys;
mod stop;
mod storage;

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use crate::service::MOST_BACKUPS;
use crate::service::offline::{self, Kept};
pub use audit::Audit;
pub use database::{DatabaseArgs, ReplicaArgs};
pub use error::ServeError;
pub use forget::Forget;
pub use grants::GrantCommand;
pub use ingress::IngressArgs;
pub use keys::{Add, KeyCommand};
pub use moving::Move;
pub use ssh_keys::{AddSshKey, SshKeyCommand};
pub use storage::StorageArgs;

/// `cutaway serve`
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  cutaway serve --data ./workspace --sample
  cutaway serve --data ./workspace --listen 127.0.0.1:0 --sample-products 100000 --ready-json
  cutaway serve --data ./workspace key add --name script
  cutaway serve --data ./workspace --ssh 0.0.0.0:7228 --allow-remote
  cutaway serve --data ./workspace import-products products.ndjson --app-url https://shop.example.com
  cutaway serve --data ./workspace backup workspace.tar
  cutaway serve --data ./workspace player-form on")]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of its own.
pub struct ServeArgs {
    /// The address to listen on; port 0 picks a free one [default: 127.0.0.1:7227]
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// Also let guests in over SSH on this address: the studio, for the keys of `serve ssh-key`
    #[arg(long, value_name = "ADDR:PORT")]
    pub ssh: Option<SocketAddr>,
    /// End a guest's studio in which nothing was pressed for so many minutes [default: 240]
    #[arg(long, value_name = "MINUTES", requires = "ssh", value_parser = clap::value_parser!(u32).range(1..=43_200))]
    pub ssh_idle: Option<u32>,
    /// The folder that everything is stored in
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Where the database is
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Where a replica of it is
    #[command(flatten)]
    pub replica: ReplicaArgs,
    /// Load the sample store into an empty folder
    #[arg(long)]
    pub sample: bool,
    /// Add a store with a synthetic catalog of N products
    #[arg(long, value_name = "N")]
    pub sample_products: Option<u64>,
    /// The largest video that can be uploaded: bytes, or with K, M, G or T
    #[arg(long, value_name = "SIZE", value_parser = size::size)]
    pub max_upload: Option<u64>,
    /// Once ready, print one line of JSON with the addresses and a new API key
    #[arg(long)]
    pub ready_json: bool,
    /// Allow listening on an address that isn't loopback
    #[arg(long)]
    pub allow_remote: bool,
    /// Also deliver webhooks to this machine and private networks
    #[arg(long)]
    pub allow_private_webhooks: bool,
    /// How others reach it
    #[command(flatten)]
    pub ingress: IngressArgs,
    /// Where uploaded videos are stored
    #[command(flatten)]
    pub storage: StorageArgs,
    /// The most visits that one project's player may record in a day, a quarter of them in one hour [default: 100000]
    #[arg(long, value_name = "N")]
    pub visits_per_day: Option<u64>,
    /// The most events of visits that one project may record in a day, a quarter of them in one hour [default: 2000000]
    #[arg(long, value_name = "N")]
    pub visit_events_per_day: Option<u64>,
    /// The most that visitors of one project may make the service store in a day, a quarter of it in one hour: bytes, or with
    /// K, M, G or T [default: 512M]
    #[arg(long, value_name = "SIZE", value_parser = size::size)]
    pub visit_bytes_per_day: Option<u64>,
    /// What to do instead of serving
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
}

/// What `cutaway serve` does instead of serving.
#[derive(Debug, Clone, Subcommand)]
pub enum ServeCommand {
    /// Import products from NDJSON, one per line; existing ones are updated and get a new version
    #[command(after_help = "\
Examples:
  cutaway serve import-products products.ndjson --app-url https://shop.example.com --data ./shop")]
    ImportProducts {
        /// The file; `-` is standard input
        file: PathBuf,
        /// The address of the store that they belong to; added if it's missing
        #[arg(long, value_name = "URL")]
        app_url: String,
    },
    /// Back up everything to one tar file, also while the service runs; unpack it to get a folder to serve
    #[command(after_help = "\
Examples:
  cutaway serve backup workspace.tar --data ./workspace
  cutaway serve backup workspace.tar --keep 7 --data ./workspace")]
    Backup {
        /// The file to write; an existing one is replaced once the new one is complete
        file: PathBuf,
        /// Keep this many: the backups before it stay as FILE.1 (the last one), FILE.2 and so on
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_BACKUPS)))]
        keep: Option<u32>,
    },
    /// Migrate a PostgreSQL database to this version of Cutaway
    ///
    /// `serve` creates the tables of an empty database by itself. Stop the processes of the earlier version first, unless the
    /// changelog says otherwise.
    #[command(after_help = "\
Examples:
  cutaway serve migrate --database-url postgres://cutaway@db.example.com/cutaway
  cutaway serve migrate --check --database-url postgres://cutaway@db.example.com/cutaway")]
    Migrate {
        /// Change nothing; exit with code 1 if the database has to be migrated
        #[arg(long)]
        check: bool,
    },
    /// Move the workspace from the data folder into a PostgreSQL database, or back
    ///
    /// Everything in the database is moved; API keys, sign-ins, webhooks and addresses stay valid. Both sides are compared
    /// table by table. Neither may be served meanwhile, and the target must be empty. If a move is interrupted, run it again:
    /// it continues where it stopped. What was moved away stays, but isn't served any more. Uploaded videos stay where they are.
    #[command(after_help = "\
Examples:
  cutaway serve move --data ./workspace --to postgres://cutaway@db.example.com/cutaway
  cutaway serve move --data ./workspace --from postgres://cutaway@db.example.com/cutaway")]
    Move(Move),
    /// Create, list and revoke the API keys of the workspace
    #[command(after_help = "\
Examples:
  cutaway serve key add --name script --data ./workspace
  cutaway serve key list
  cutaway serve key revoke script")]
    Key {
        /// What to do
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Add, list and revoke the public keys that may sign in over SSH
    #[command(after_help = "\
Examples:
  cutaway serve ssh-key add ~/.ssh/id_ed25519.pub --name alice --data ./workspace
  cutaway serve ssh-key list
  cutaway serve ssh-key revoke alice")]
    SshKey {
        /// What to do
        #[command(subcommand)]
        command: SshKeyCommand,
    },
    /// List and revoke the sign-ins of clients
    #[command(after_help = "\
Examples:
  cutaway serve grant list --data ./workspace")]
    Grant {
        /// What to do
        #[command(subcommand)]
        command: GrantCommand,
    },
    /// Show who changed what, when and with which key
    ///
    /// Lists every request that changes something, also refused ones, and every command that grants or revokes access.
    /// Entries contain no request bodies and are kept for 90 days.
    #[command(after_help = "\
Examples:
  cutaway serve audit --since 7d --data ./workspace
  cutaway serve audit --json")]
    Audit(Audit),
    /// Remove a person's data: their address disappears from the database, its log, the videos and the logs
    ///
    /// Deletes the visits and deliveries that contain the address and removes the address from everything else.
    /// Works whether or not the service is running. The audit log records when it was done and how much was
    /// removed, but not the address. Earlier backups still contain it.
    #[command(after_help = "\
Examples:
  cutaway serve forget --email jane@example.com --data ./workspace")]
    Forget(Forget),
    /// Remove the made-up visits of the sample projects from their funnels
    ///
    /// The sample store comes with a month of made-up visits, so that its funnels show something. Works whether or not the
    /// service is running. Visits of real viewers stay.
    #[command(after_help = "\
Examples:
  cutaway serve remove-sample-visits
  cutaway serve remove-sample-visits --data ./workspace")]
    RemoveSampleVisits,
    /// Turn the form for name, e-mail and phone at the end of a video on or off
    #[command(after_help = "\
Examples:
  cutaway serve player-form on --data ./workspace
  cutaway serve player-form off --data ./workspace")]
    PlayerForm {
        /// Whether viewers see the form
        setting: Switch,
    },
    /// Set which sites may embed the player; by default, all may
    #[command(after_help = "\
Examples:
  cutaway serve player-embed https://shop.example.com https://www.shop.example.com --data ./workspace
  cutaway serve player-embed --anyone --data ./workspace
  cutaway serve player-embed --data ./workspace")]
    PlayerEmbed(shops::PlayerEmbed),
    /// Print the secret that shops sign purchases with; created on first use
    ///
    /// Anyone could report a purchase from the player's page, so webhooks mark those `verified: false`. A shop's
    /// server reports purchases with an API key as bearer token, or signs them with this secret as Standard Webhooks does
    /// (webhook-id, webhook-timestamp, webhook-signature); those are marked `verified: true`.
    #[command(after_help = "\
Examples:
  cutaway serve shop-secret --data ./workspace
  cutaway serve shop-secret --new --data ./workspace")]
    ShopSecret(shops::ShopSecret),
}

impl ServeCommand {
    /// Its name, where it is about a folder and can't be asked of another database.
    fn of_folder(&self) -> Option<&'static str> {
        match self {
            Self::Backup { .. } => Some("backup"),
            _ => None,
        }
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Viewers see the form.
    On,
    /// Viewers don't see the form.
    Off,
}

impl ServeArgs {
    /// A flag that says how to serve, where one was given.
    fn of_serving(&self) -> Option<&'static str> {
        [
            (self.listen.is_some(), "--listen"),
            (self.ssh.is_some(), "--ssh"),
            (self.ssh_idle.is_some(), "--ssh-idle"),
            (self.sample, "--sample"),
            (self.sample_products.is_some(), "--sample-products"),
            (self.max_upload.is_some(), "--max-upload"),
            (self.ready_json, "--ready-json"),
            (self.allow_remote, "--allow-remote"),
            (self.allow_private_webhooks, "--allow-private-webhooks"),
            (self.visits_per_day.is_some(), "--visits-per-day"),
            (self.visit_events_per_day.is_some(), "--visit-events-per-day"),
            (self.visit_bytes_per_day.is_some(), "--visit-bytes-per-day"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
        .or_else(|| self.ingress.given())
        .or_else(|| self.storage.given())
        .or_else(|| self.replica.given())
    }
}

/// Runs `cutaway serve`; without `--data` it works in `default_data`. `logs` is where the program's own logs
/// are.
///
/// # Errors
/// [`ServeError`], with the exit code it asks for.
pub async fn run(args: ServeArgs, default_data: &Path, logs: Option<&Path>) -> Result<ExitCode, ServeError> {
    let data = args.data.clone().unwrap_or_else(|| default_data.to_owned());
    // Guests and other processes look for it from where they are.
    let data = std::path::absolute(&data).unwrap_or(data);
    if let (Some(_), Some(flag)) = (&args.command, args.of_serving()) {
        return Err(ServeError::Usage(format!("{flag} is only for serving, which this command doesn't do")));
    }
    let database = args.database.place(|name| std::env::var(name).ok())?;
    let kept = Kept { data: data.clone(), database };
    if let (Some(_), Some(what)) = (&kept.database, args.command.as_ref().and_then(ServeCommand::of_folder)) {
        return Err(ServeError::Usage(format!(
            "serve {what} works only on a data folder, not on a PostgreSQL database{}",
            if what == "backup" { "; back it up with pg_dump, then the bucket" } else { "" }
        )));
    }
    match &args.command {
        None => serving::serve(&args, kept).await,
        Some(ServeCommand::ImportProducts { file, app_url }) => import::import_products(kept, file, app_url).await,
        Some(ServeCommand::Backup { file, keep }) => {
            let backup = offline::backup(&data, file, *keep).await?;
            say(&format!("{}: the database and {} videos, {} bytes", file.display(), backup.videos, backup.bytes))?;
            if let Some((videos, place)) = backup.elsewhere {
                tell(&format!(
                    "The files of {videos} other videos are in {place} and not in this backup; back up the bucket too."
                ));
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(ServeCommand::Migrate { check }) => migrate(&kept, *check).await,
        Some(ServeCommand::Move(command)) => command.run(&kept, args.database.is_given()).await,
        Some(ServeCommand::Key { command }) => command.run(&kept).await,
        Some(ServeCommand::SshKey { command }) => command.run(&kept).await,
        Some(ServeCommand::Grant { command }) => command.run(&kept).await,
        Some(ServeCommand::Audit(command)) => command.run(&kept).await,
        Some(ServeCommand::Forget(command)) => command.run(&kept, logs).await,
        Some(ServeCommand::RemoveSampleVisits) => {
            let visits = offline::remove_sample_visits(&kept).await?;
            say(&format!("Removed {visits} sample visit{}", if visits == 1 { "" } else { "s" }))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(ServeCommand::PlayerForm { setting }) => {
            offline::set_player_form(&kept, *setting == Switch::On).await?;
            Ok(ExitCode::SUCCESS)
        }
        Some(ServeCommand::PlayerEmbed(command)) => command.run(&kept).await.map(|()| ExitCode::SUCCESS),
        Some(ServeCommand::ShopSecret(command)) => command.run(&kept).await.map(|()| ExitCode::SUCCESS),
    }
}

/// Brings a database to this version, or says whether it has it.
async fn migrate(kept: &Kept, check: bool) -> Result<ExitCode, ServeError> {
    let Some(place) = &kept.database else {
        let why = "serve migrate needs --database-url; a data folder is migrated when it's opened";
        return Err(ServeError::Usage(why.to_owned()));
    };
    let (found, known) = offline::migrate(place, check).await?;
    match (found >= known, check) {
        (true, _) if found > known => {
            say(&format!(
                "The database has version {found}, which this version of Cutaway ({known}) works with; nothing to do"
            ))?;
        }
        (true, _) => say(&format!("The database has version {known}; nothing to do"))?,
        (false, false) => say(&format!("Migrated the database from version {found} to version {known}"))?,
        (false, true) => {
            say(&format!("The database has version {found}; this version of Cutaway needs {known}"))?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
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
