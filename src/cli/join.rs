//! `cutaway join CODE`: looks over the shoulder of a studio that is shared on this computer.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use clap::Args;
use futures_util::FutureExt as _;
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};

use super::surroundings::environment;
use super::{Failure, GlobalFlags, waited_for};
use crate::domain::{ShareCode, text};
use crate::runtime::remote::Size;
use crate::runtime::watching::{FromWatcher, Hearing, Hello, Speaking, ToWatcher, Visit};
use crate::settings::Environment;
use crate::terminal::{Session, Stdin, cell_size, size};

/// A wrong code is answered no sooner.
const WRONG: Duration = Duration::from_secs(1);

/// What is said of the terminal besides its name.
const SAID: [&str; 14] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "COLORTERM",
    "COLORFGBG",
    "NO_COLOR",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "LC_TERMINAL",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "SSH_CONNECTION",
    "TMUX",
    "STY",
];

/// Watch a studio that someone shares with you
#[derive(Debug, Args)]
#[command(after_help = "\
The owner runs “Share this studio” in the studio (: palette) and tells you the code. It works once, on the computer and \
for the user that the studio runs as; over SSH use `ssh -p 7228 CODE@HOST`. You see the studio read-only and without \
secrets or personal data. Arrows or a click point at something; q or Ctrl-Q leaves.

Examples:
  cutaway join K7QF-29MX-4TBD")]
pub(super) struct Join {
    /// The code, with or without dashes, in any case
    #[arg(value_name = "CODE")]
    code: String,
}

impl Join {
    pub(super) fn run(&self, global: &GlobalFlags) -> Result<(), Failure> {
        let environment = environment()?;
        let code: ShareCode =
            self.code.parse().map_err(|error: crate::domain::NoCode| Failure::Usage(error.to_string()))?;
        if global.is_plain(&environment) || !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Err(Failure::Usage("watching a studio needs a terminal that can be drawn on".to_owned()));
        }
        let hello = hello(code, &environment);
        waited_for(watch(code, &hello))?
    }
}

fn hello(code: ShareCode, environment: &Environment) -> Hello {
    let known = |name: &str| environment.get(name).map(str::to_owned);
    let now = now();
    Hello {
        code: code.to_string(),
        name: known("USER").or_else(|| known("LOGNAME")).unwrap_or_default(),
        key: None,
        term: known("TERM").unwrap_or_default(),
        said: SAID.iter().filter_map(|name| Some(((*name).to_owned(), known(name)?))).collect(),
        cells: now.cells,
        cell: now.cell,
    }
}

fn now() -> Size {
    Size { cells: size(), cell: cell_size() }
}

async fn watch(code: ShareCode, hello: &Hello) -> Result<(), Failure> {
    let Some(visit) = Visit::begin(code, hello).await? else {
        tokio::time::sleep(WRONG).await;
        let why = "no studio on this computer is shared with this code; each code works once, so ask for a new one";
        return Err(Failure::NotFound(why.to_owned()));
    };
    let (mut hearing, speaking) = visit.split();
    // Nothing of the terminal is taken before there is something to show: Ctrl-C ends the waiting.
    let first = loop {
        match hearing.next().await {
            Ok(ToWatcher::Output(bytes)) => break bytes,
            Ok(ToWatcher::Said(words)) => super::session::note(&text::line(&words)),
            Ok(ToWatcher::End(why)) => return Err(Failure::Faulty(text::line(&why).into_owned())),
            Err(_) => return Err(Failure::Faulty("the studio ended".to_owned())),
        }
    };
    let why = show(hearing, speaking, first).await?;
    if !why.is_empty() {
        super::session::note(&text::line(&why));
    }
    Ok(())
}

/// Has the terminal for as long as there is something to show; why that ended.
async fn show(mut hearing: Hearing, speaking: Speaking, first: Vec<u8>) -> Result<String, Failure> {
    let session = Session::enter(false, false)?;
    let mut out = session.writer();
    let typing = tokio::spawn(pass_on(speaking).boxed());
    let mut taken = Taken::default();
    let mut write = |bytes: &[u8]| {
        taken.see(bytes);
        out.write_all(bytes).and_then(|()| out.flush())
    };
    write(&first)?;
    let showing = async {
        loop {
            match hearing.next().await {
                Ok(ToWatcher::Output(bytes)) => write(&bytes)?,
                Ok(ToWatcher::Said(_)) => {}
                Ok(ToWatcher::End(why)) => return Ok(why),
                Err(_) => return Ok("The studio ended.".to_owned()),
            }
        }
    };
    let mut ended = signal(SignalKind::terminate())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let why: io::Result<String> = tokio::select! {
        why = showing => why,
        _ = ended.recv() => Ok(String::new()),
        _ = hung_up.recv() => Ok(String::new()),
    };
    typing.abort();
    // What the studio had no time to take back.
    if taken.keyboard {
        let mut out = session.writer();
        let _ = out.write_all(KEYBOARD_BACK).and_then(|()| out.flush());
    }
    session.writer().drain(LAST);
    drop(session);
    Ok(why?)
}

/// How long the last bytes for the terminal are waited for.
const LAST: Duration = Duration::from_millis(300);

/// Has the terminal tell keys apart, and as before.
const KEYBOARD: &[u8] = b"\x1b[>1u";
const KEYBOARD_BACK: &[u8] = b"\x1b[<1u";

/// What the studio asked of the terminal and has not undone yet.
#[derive(Default)]
struct Taken {
    keyboard: bool,
}

impl Taken {
    fn see(&mut self, bytes: &[u8]) {
        let last = |sign: &[u8]| bytes.windows(sign.len()).rposition(|window| window == sign);
        let (taken, back) = (last(KEYBOARD), last(KEYBOARD_BACK));
        if taken.is_some() || back.is_some() {
            self.keyboard = taken > back;
        }
    }
}

/// Passes on what is typed, and the size.
async fn pass_on(mut speaking: Speaking) -> io::Result<()> {
    let mut typed = Stdin::open()?;
    let mut resized = signal(SignalKind::window_change())?;
    let mut bytes = vec![0; 4096];
    loop {
        let said = tokio::select! {
            read = typed.read(&mut bytes) => match read? {
                0 => return Ok(()),
                read => FromWatcher::Input(bytes.get(..read).unwrap_or_default().to_vec()),
            },
            _ = resized.recv() => FromWatcher::Size(now()),
        };
        speaking.say(&said).await?;
    }
}
