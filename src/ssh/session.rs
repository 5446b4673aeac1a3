//! One connection: which key it shows, and the channels that it opens. What a guest may not do is refused here, and what
//! nobody answers is refused by russh.

mod by_code;
mod coming;
mod commands;
mod ending;
mod files;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::FutureExt;
use russh::keys::PublicKey;
use russh::server::{Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session, VerifiedPublicKey};
use russh::{Channel, ChannelId, ChannelOpenFailure, ChannelWriteHalf, Pty, Sig};
use tokio::io::{DuplexStream, duplex};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SshError;
use super::channel::Output;
use super::command;
use super::guest::{SAID, Shared};
use super::hall::Place;
use super::keys::GuestKey;
use super::sessions::Entered;
use super::shop::{Kind, Shop};
use super::studio::Studio;
use super::watching::Watcher;
use crate::domain::ShareCode;
use crate::runtime::remote::Size;

/// Bytes from the client that wait to be read.
const UNREAD: usize = 64 * 1024;

/// What Ctrl-C is on a terminal in raw mode.
const INTERRUPT: u8 = 3;

/// The longest value that a client may say something with, bytes.
const LONGEST_SAID: usize = 128;

/// The largest terminal, cells across and down: more is no terminal.
const LARGEST: (u32, u32) = (1000, 500);

/// A terminal that has no size is drawn as one of this.
const USUAL: (u16, u16) = (80, 24);

/// One connection.
pub(super) struct Connection {
    shop: Arc<Shop>,
    address: IpAddr,
    /// Until a key was shown.
    place: Option<Place>,
    guest: Option<Shared>,
    /// Whoever came in by a code, and watches.
    watcher: Option<Watcher>,
    entered: Option<Entered>,
    channels: HashMap<ChannelId, Line>,
    running: TaskTracker,
    tokens: Tokens,
}

/// What ends a connection.
#[derive(Clone)]
pub(super) struct Tokens {
    /// Cancelled once a key was shown.
    pub(super) known: CancellationToken,
    /// Ends what runs in it in order.
    pub(super) end: CancellationToken,
    /// Closes it.
    pub(super) close: CancellationToken,
}

/// A channel.
struct Line {
    /// What is written to; what is read comes by calls.
    channel: ChannelWriteHalf<Msg>,
    term: Option<Term>,
    said: Vec<(String, String)>,
    input: Option<DuplexStream>,
    is_running: bool,
    /// Whether what runs is a command, which Ctrl-C ends.
    is_command: bool,
    /// Whether each key comes as it is pressed: without a terminal, lines come when they are whole.
    is_raw: bool,
    /// Cancelled once what runs has its place among the others, and reads.
    begun: CancellationToken,
    /// Cancelled once what runs reads nothing any more.
    deaf: CancellationToken,
    end: CancellationToken,
}

struct Term {
    name: String,
    size: watch::Sender<Size>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        // First: who ends now is not there to be told why.
        self.tokens.close.cancel();
        self.tokens.end.cancel();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Connection {
    /// Of this address, in its place among those without a key.
    pub(super) fn new(shop: Arc<Shop>, address: IpAddr, place: Place, tokens: Tokens) -> Self {
        let (channels, running) = (HashMap::new(), TaskTracker::new());
        Self { shop, address, place: Some(place), guest: None, watcher: None, entered: None, channels, running, tokens }
    }

    /// The entry of a key that may come in.
    async fn entry(&self, key: &PublicKey) -> Option<GuestKey> {
        let (keys, offered) = (self.shop.keys.clone(), key.clone());
        match tokio::task::spawn_blocking(move || keys.find(&offered)).await {
            Ok(Ok(entry)) => entry,
            Ok(Err(error)) => {
                tracing::error!(%error, "the SSH keys can't be read; nobody is let in");
                None
            }
            Err(error) => {
                tracing::error!(%error, "the SSH keys can't be read; nobody is let in");
                None
            }
        }
    }

    /// Whether a key is known not to be let in any more, or with other rights.
    async fn is_revoked(&self, key: &GuestKey) -> bool {
        let keys = self.shop.keys.clone();
        let all = tokio::task::spawn_blocking(move || keys.all()).await;
        matches!(all, Ok(Ok(all)) if !all.iter().any(|known| known.has_same_rights(key)))
    }

    /// Lets a key in whose owner was proven.
    async fn enter(&mut self, key: GuestKey) -> Result<(), SshError> {
        let (id, shown, address) = (key.id.clone(), key.shown().to_owned(), self.address);
        let entered = self.shop.sessions.enter(key.clone(), self.tokens.end.clone());
        let guest = self.shop.rooms.guest(key.clone()).await?;
        if self.is_revoked(&key).await {
            // It was revoked meanwhile, and whoever followed that may not have seen it here.
            self.shop.rooms.shut_out(&key).await?;
            return Err(SshError::Internal(format!("the key {id} was revoked")));
        }
        tracing::info!(key = %id, name = %shown, %address, "an SSH guest came in");
        (self.guest, self.entered) = (Some(Arc::new(guest)), Some(entered));
        self.is_in();
        let keys = self.shop.keys.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = keys.note_use(&id, jiff::Timestamp::now().to_string()) {
                tracing::warn!(%error, "when an SSH key was used was not noted");
            }
        });
        Ok(())
    }

    /// They are in: no place is held for them any more.
    fn is_in(&mut self) {
        self.place = None;
        self.tokens.known.cancel();
    }

    /// Opens the studio as a dialogue of lines, for which no terminal is needed.
    fn open_dialogue(&mut self, id: ChannelId, session: &mut Session) -> Result<(), SshError> {
        if let Some(line) = self.channels.get_mut(&id).filter(|line| !line.is_running) {
            line.is_raw = line.term.is_some();
            line.term = Some(Term { name: "dumb".to_owned(), size: watch::Sender::new(size(0, 0, 0, 0)) });
        }
        self.open_studio(id, session)
    }

    /// Opens the studio in a channel that has a terminal.
    fn open_studio(&mut self, id: ChannelId, session: &mut Session) -> Result<(), SshError> {
        let refuse = |session: &mut Session, why: &str| {
            session.channel_success(id)?;
            session.extended_data(id, 1, format!("cutaway: {why}\r\n"))?;
            session.exit_status_request(id, 2)?;
            session.eof(id)?;
            session.close(id)
        };
        let (Some(line), Some(guest)) = (self.channels.get_mut(&id), self.guest.clone()) else {
            return Ok(session.channel_failure(id)?);
        };
        if line.is_running {
            return Ok(session.channel_failure(id)?);
        }
        let Some(term) = &line.term else {
            let why = "the studio needs a terminal; connect with ssh -t, or name a command such as: products count";
            line.end.cancel();
            return Ok(refuse(session, why)?);
        };
        let Ok(share) = self.shop.share_of(&guest.key.id, Kind::Studio).try_acquire_owned() else {
            line.end.cancel();
            return Ok(refuse(session, "too many studios are open by your key; close one first")?);
        };
        let Ok(permit) = Arc::clone(&self.shop.studios).try_acquire_owned() else {
            line.end.cancel();
            return Ok(refuse(session, "too many studios are open here; try again later")?);
        };
        let (theirs, input) = duplex(UNREAD);
        let (output, written) = Output::new(line.channel.make_writer(), self.tokens.close.clone());
        let studio = Studio {
            guest,
            house: Arc::clone(&self.shop.house),
            limits: self.shop.limits,
            port: self.shop.port,
            term: term.name.clone(),
            is_raw: line.is_raw,
            said: std::mem::take(&mut line.said),
            size: term.size.subscribe(),
            input,
            output,
            written,
            end: line.end.clone(),
        };
        (line.input, line.is_running) = (Some(theirs), true);
        line.begun.cancel();
        session.channel_success(id)?;
        let (handle, over) = (session.handle(), line.end.clone());
        let (shop, tokens) = (Arc::clone(&self.shop), self.tokens.clone());
        self.running.spawn(self.shop.tasks.track_future(FutureExt::boxed(async move {
            let ended = studio.run().await;
            over.cancel();
            ending::in_time(&tokens, ending::end_studio(&handle, id, ended, (&shop, &tokens))).await;
            drop((permit, share));
        })));
        Ok(())
    }
}

/// A size as the client tells it, in cells and pixels.
fn size(columns: u32, rows: u32, width: u32, height: u32) -> Size {
    let cells = |wanted: u32, most: u32, usual: u16| match u16::try_from(wanted.min(most)) {
        Ok(0) | Err(_) => usual,
        Ok(cells) => cells,
    };
    let cells = (cells(columns, LARGEST.0, USUAL.0), cells(rows, LARGEST.1, USUAL.1));
    let pixels = |all: u32, cells: u16| u16::try_from(all / u32::from(cells)).ok().filter(|pixels| *pixels > 0);
    Size { cells, cell: pixels(width, cells.0).zip(pixels(height, cells.1)) }
}

impl Handler for Connection {
    type Error = SshError;

    async fn auth_publickey_offered(&mut self, user: &str, offer: PublicKeyOffer<'_>) -> Result<Auth, SshError> {
        let is_known = match ShareCode::as_shown(user) {
            Some(code) => self.is_offered(code, offer.public_key).await,
            None => self.entry(offer.public_key).await.is_some(),
        };
        Ok(if is_known { Auth::Accept } else { Auth::reject() })
    }

    async fn auth_publickey(&mut self, user: &str, key: VerifiedPublicKey<'_>) -> Result<Auth, SshError> {
        if let Some(code) = ShareCode::as_shown(user) {
            if !self.is_offered(code, key.public_key).await {
                return Ok(Auth::reject());
            }
            self.enter_to_watch(code, key.public_key).await;
            return Ok(Auth::Accept);
        }
        // Asked again: it may have been revoked in between.
        let Some(entry) = self.entry(key.public_key).await else { return Ok(Auth::reject()) };
        match self.enter(entry).await {
            Ok(()) => Ok(Auth::Accept),
            Err(error) => {
                tracing::error!(%error, "an SSH guest could not be let in");
                Ok(Auth::reject())
            }
        }
    }

    async fn auth_succeeded(&mut self, session: &mut Session) -> Result<(), SshError> {
        self.end_in_order(session.handle());
        Ok(())
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), SshError> {
        // One that was ended here is not heard of again.
        self.channels.retain(|_, line| !line.end.is_cancelled());
        let most = if self.watcher.is_some() { 1 } else { self.shop.limits.channels };
        let is_out = (self.guest.is_none() && self.watcher.is_none()) || self.tokens.end.is_cancelled();
        if is_out || self.channels.len() >= most {
            reply.reject(ChannelOpenFailure::ResourceShortage).await;
            return Ok(());
        }
        let end = self.tokens.end.child_token();
        // The other half would have to be emptied by somebody.
        let (_, channel) = channel.split();
        let line = Line {
            channel,
            term: None,
            said: Vec::new(),
            input: None,
            is_running: false,
            is_command: false,
            is_raw: true,
            begun: CancellationToken::new(),
            deaf: CancellationToken::new(),
            end,
        };
        self.channels.insert(line.channel.id(), line);
        reply.accept().await;
        Ok(())
    }

    async fn channel_close(&mut self, id: ChannelId, _: &mut Session) -> Result<(), SshError> {
        self.channels.remove(&id);
        Ok(())
    }

    async fn channel_eof(&mut self, id: ChannelId, _: &mut Session) -> Result<(), SshError> {
        if let Some(line) = self.channels.get_mut(&id) {
            line.input = None;
        }
        Ok(())
    }

    async fn data(&mut self, id: ChannelId, data: &[u8], _: &mut Session) -> Result<(), SshError> {
        let has_neighbors =
            self.channels.iter().any(|(other, line)| *other != id && line.is_running && !line.end.is_cancelled());
        let Some(line) = self.channels.get_mut(&id) else { return Ok(()) };
        if line.is_command && line.term.is_some() && data.contains(&INTERRUPT) {
            line.end.cancel();
        }
        line.hand_over(data, has_neighbors).await;
        Ok(())
    }

    async fn pty_request(
        &mut self,
        id: ChannelId,
        term: &str,
        columns: u32,
        rows: u32,
        width: u32,
        height: u32,
        _: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), SshError> {
        match self.channels.get_mut(&id) {
            Some(line) if line.term.is_none() && !line.is_running => {
                let name = term.chars().take(LONGEST_SAID).collect();
                line.term = Some(Term { name, size: watch::Sender::new(size(columns, rows, width, height)) });
                session.channel_success(id)?;
            }
            _ => session.channel_failure(id)?,
        }
        Ok(())
    }

    async fn env_request(
        &mut self,
        id: ChannelId,
        name: &str,
        value: &str,
        session: &mut Session,
    ) -> Result<(), SshError> {
        let is_said = SAID.contains(&name) && value.len() <= LONGEST_SAID;
        match self.channels.get_mut(&id) {
            Some(line) if is_said && !line.is_running => {
                line.said.retain(|(known, _)| known != name);
                line.said.push((name.to_owned(), value.to_owned()));
                session.channel_success(id)?;
            }
            _ => session.channel_failure(id)?,
        }
        Ok(())
    }

    async fn shell_request(&mut self, id: ChannelId, session: &mut Session) -> Result<(), SshError> {
        if self.tokens.end.is_cancelled() {
            return Ok(session.channel_failure(id)?);
        }
        if let Some(watcher) = self.watcher.clone() {
            return self.watch(id, watcher, session);
        }
        self.open_studio(id, session)
    }

    async fn exec_request(&mut self, id: ChannelId, line: &[u8], session: &mut Session) -> Result<(), SshError> {
        if self.tokens.end.is_cancelled() {
            return Ok(session.channel_failure(id)?);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            self.open_studio(id, session)
        } else if command::asks_dialogue(line) {
            self.open_dialogue(id, session)
        } else {
            self.run(id, line, session)
        }
    }

    async fn subsystem_request(&mut self, id: ChannelId, name: &str, session: &mut Session) -> Result<(), SshError> {
        if name == "sftp" && !self.tokens.end.is_cancelled() {
            return self.take_files(id, session);
        }
        Ok(session.channel_failure(id)?)
    }

    async fn x11_request(
        &mut self,
        id: ChannelId,
        _: bool,
        _: &str,
        _: &str,
        _: u32,
        session: &mut Session,
    ) -> Result<(), SshError> {
        Ok(session.channel_failure(id)?)
    }

    async fn window_change_request(
        &mut self,
        id: ChannelId,
        columns: u32,
        rows: u32,
        width: u32,
        height: u32,
        _: &mut Session,
    ) -> Result<(), SshError> {
        if let Some(term) = self.channels.get(&id).and_then(|line| line.term.as_ref()) {
            term.size.send_replace(size(columns, rows, width, height));
        }
        Ok(())
    }

    async fn signal(&mut self, id: ChannelId, signal: Sig, _: &mut Session) -> Result<(), SshError> {
        if let (Some(line), Sig::HUP | Sig::INT | Sig::QUIT | Sig::TERM | Sig::KILL) = (self.channels.get(&id), signal)
        {
            line.end.cancel();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_one_that_can_be_drawn() {
        assert_eq!(size(0, 0, 0, 0), Size { cells: (80, 24), cell: None });
        assert_eq!(size(100, 40, 1000, 800), Size { cells: (100, 40), cell: Some((10, 20)) });
        assert_eq!(size(u32::MAX, 7, 3, 3).cells, (1000, 7));
    }
}
