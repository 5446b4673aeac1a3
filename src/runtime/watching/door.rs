//! The door of a studio that is shared: one code, for one person. Whoever shows it takes a seat, once they are let in.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::chair::Chair;
use super::frame::{FromWatcher, Hello, ToWatcher, read_from_watcher, read_hello};
use super::meeting::{Place, is_own};
use super::{Shared, Shown};
use crate::domain::{ShareCode, Veil};
use crate::runtime::console::Setup;
use crate::runtime::remote::{self, Size};
use crate::runtime::terminfo::terminfo;
use crate::runtime::themes::load_theme;
use crate::settings::{Folders, Graphics};
use crate::studio::event::Event;
use crate::studio::sharing::{self, WatcherId};
use crate::studio::watched::Seat;
use crate::terminal::Capability;

/// So long whoever knocks may take to show a code.
const SHOWING: Duration = Duration::from_secs(5);

/// A wrong code is answered no sooner.
const WRONG: Duration = Duration::from_secs(1);

/// What Ctrl-C sends.
const CTRL_C: u8 = 3;

/// Bytes of a terminal that wait to be read.
const UNREAD: usize = 16 * 1024;

/// Frames for a terminal that wait to be sent.
const UNSENT: usize = 4;

/// So long is waited for a terminal that takes nothing, before it is left as it is.
const LEAVING: Duration = Duration::from_secs(2);

/// A line over which nothing came for so long though it was asked is gone.
const LOST_AFTER: Duration = Duration::from_secs(600);

/// What a seat in the studio comes with.
#[derive(Clone)]
pub(super) struct Room {
    pub(super) folders: Folders,
    /// The folder of the workspace that the studio works on, where it is a local one.
    pub(super) workspace: Option<PathBuf>,
    pub(super) veil: Arc<Veil>,
    pub(super) shown: watch::Receiver<Shown>,
    pub(super) events: UnboundedSender<Event>,
    pub(super) shared: Arc<Shared>,
    /// Ends the sharing.
    pub(super) over: CancellationToken,
}

impl Room {
    /// Waits at the door until somebody shows the code, and then for as long as they watch.
    pub(super) async fn receive(self, place: Place, code: ShareCode) {
        let Some(Some((stream, hello))) = self.over.run_until_cancelled(first(&place, code)).await else {
            if !self.over.is_cancelled() {
                self.tell(sharing::Event::Closed(code));
            }
            return;
        };
        // It is good for nobody else.
        drop(place);
        let id = self.shared.next_id();
        let ended = self.clone().seat(id, code, stream, hello).await;
        self.tell(sharing::Event::Left(id));
        if let Err(error) = ended {
            tracing::debug!(%error, "somebody who watched is gone");
        }
    }

    fn tell(&self, event: sharing::Event) {
        let _ = self.events.send(Event::Sharing(event));
    }

    async fn seat(self, id: WatcherId, code: ShareCode, stream: UnixStream, hello: Hello) -> io::Result<()> {
        let (read, write) = stream.into_split();
        let (frames, unsent) = mpsc::channel(UNSENT);
        let sending = tokio::spawn(send(write, unsent).boxed());
        let size = watch::Sender::new(bounded(hello.size()));
        let (theirs, input) = duplex(UNREAD);
        let sizes = size.subscribe();
        let gone = CancellationToken::new();
        let seated = Arc::<AtomicBool>::default();
        let hearing = tokio::spawn(hear(read, theirs, size, Arc::clone(&seated), gone.clone().drop_guard()).boxed());
        let why = self.let_in((id, code), &hello, (sizes, input, seated), &frames, &gone).await;
        let _ = tokio::time::timeout(LEAVING, frames.send(ToWatcher::End(why))).await;
        drop(frames);
        hearing.abort();
        let mut sending = sending;
        if tokio::time::timeout(LEAVING, &mut sending).await.is_err() {
            sending.abort();
        }
        Ok(())
    }

    /// Lets them in, once they may, and shows them the studio until they leave; why that ended.
    async fn let_in(
        &self,
        (id, code): (WatcherId, ShareCode),
        hello: &Hello,
        (sizes, input, seated): (watch::Receiver<Size>, DuplexStream, Arc<AtomicBool>),
        frames: &mpsc::Sender<ToWatcher>,
        gone: &CancellationToken,
    ) -> String {
        let name = hello.name.clone();
        let may_have_keys = hello.key.as_ref().is_none_or(|key| !key.read_only);
        if !self.is_known(hello) {
            let fingerprint = hello.key.as_ref().map(|key| key.fingerprint.clone()).unwrap_or_default();
            let _ = frames.send(ToWatcher::Said(format!("Waiting until the owner admits {fingerprint} …"))).await;
            let (answer, admitted) = oneshot::channel();
            self.shared.wait(id, answer);
            self.tell(sharing::Event::Knocked { id, code, name: name.clone(), fingerprint });
            let answered = tokio::select! {
                admitted = admitted => admitted.unwrap_or(false),
                () = self.over.cancelled() => return ENDED.to_owned(),
                () = gone.cancelled() => return String::new(),
            };
            if !answered {
                return "The owner didn't let you in.".to_owned();
            }
        }
        seated.store(true, Ordering::Relaxed);
        self.tell(sharing::Event::Joined { id, code, name, may_have_keys });
        match self.show(id, hello, sizes, input, frames.clone()).await {
            Ok(true) => ENDED.to_owned(),
            Ok(false) => "You left the shared studio.".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// Whether they need nobody to let them in: they are this user, or their key is registered for this workspace.
    fn is_known(&self, hello: &Hello) -> bool {
        hello.key.as_ref().is_none_or(|key| key.workspace.is_some() && key.workspace == self.workspace)
    }

    /// Shows the studio; whether that ended because the sharing did.
    async fn show(
        &self,
        id: WatcherId,
        hello: &Hello,
        sizes: watch::Receiver<Size>,
        input: DuplexStream,
        frames: mpsc::Sender<ToWatcher>,
    ) -> io::Result<bool> {
        let variable = |name: &str| match name {
            "TERM" => Some(hello.term.clone()),
            name => hello.said.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
        };
        let (folders, term) = (self.folders.clone(), hello.term.clone());
        let seen = Capability::of(variable);
        let found = tokio::task::spawn_blocking(move || {
            let capability = seen.with_database(terminfo([], &term).map(|(_, known)| known));
            (capability, load_theme(&folders, capability.theme(), capability.depth).0)
        });
        let (capability, theme) = found.await.map_err(io::Error::other)?;
        let setup = Setup {
            capability,
            graphics: Some(Graphics::Off),
            tells_progress: false,
            follows_background: true,
            lost_after: LOST_AFTER,
            desktop: None,
        };
        let (theme, depth) = (Arc::new(theme), capability.depth);
        let (written, is_written) = oneshot::channel();
        let (mut surface, mut source) = remote::open(setup, sizes, input, Output { frames, _written: written })?;
        let seat = Seat { id, size: (0, 0), theme, ascii: capability.ascii, veil: Arc::clone(&self.veil) };
        let (shown, events) = (self.shown.clone(), self.events.clone());
        let (buffer, folders) = (Buffer::empty(Rect::ZERO), self.folders.clone());
        let mut chair = Chair { seat, folders, depth, shown, events, buffer, mark: None, untold: false };
        let is_over = self.over.run_until_cancelled(chair.sit(&mut surface, &mut source)).await.is_none();
        drop((surface, source));
        // The terminal is given back by the last that is written.
        let _ = tokio::time::timeout(LEAVING, is_written).await;
        Ok(is_over || self.over.is_cancelled())
    }
}

/// What is said where the sharing ends.
const ENDED: &str = "The owner stopped sharing the studio.";

/// The first who shows the code.
async fn first(place: &Place, code: ShareCode) -> Option<(UnixStream, Hello)> {
    loop {
        let (mut stream, _) = place.listener.accept().await.ok()?;
        if !is_own(&stream) {
            continue;
        }
        match tokio::time::timeout(SHOWING, read_hello(&mut stream)).await {
            Ok(Ok(hello)) if hello.code.parse() == Ok(code) => return Some((stream, hello)),
            Ok(Ok(_)) => tokio::time::sleep(WRONG).await,
            _ => {}
        }
    }
}

/// A size that can be drawn.
fn bounded(size: Size) -> Size {
    let (width, height) = size.cells;
    Size { cells: (width.clamp(1, 1000), height.clamp(1, 500)), cell: size.cell }
}

/// Passes on what comes from them, until they are gone. What they type before they are let in is for nobody; Ctrl-C and q
/// leave.
async fn hear(
    mut read: OwnedReadHalf,
    mut input: DuplexStream,
    size: watch::Sender<Size>,
    seated: Arc<AtomicBool>,
    _gone: DropGuard,
) {
    while let Ok(frame) = read_from_watcher(&mut read).await {
        match frame {
            FromWatcher::Input(bytes) if !seated.load(Ordering::Relaxed) => {
                if bytes.contains(&b'q') || bytes.contains(&CTRL_C) {
                    return;
                }
            }
            FromWatcher::Input(bytes) => {
                if input.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            FromWatcher::Size(new) => drop(size.send_replace(bounded(new))),
        }
    }
}

/// Sends what is for them, until that is all.
async fn send(mut write: OwnedWriteHalf, mut unsent: mpsc::Receiver<ToWatcher>) {
    while let Some(frame) = unsent.recv().await {
        if write.write_all(&frame.bytes()).await.is_err() {
            return;
        }
    }
}

/// Their terminal, written to on a thread where waiting holds up nobody.
struct Output {
    frames: mpsc::Sender<ToWatcher>,
    _written: oneshot::Sender<()>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.frames.blocking_send(ToWatcher::Output(bytes.to_vec()));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
