//! A studio on a terminal that is somewhere else: bytes come and go by whatever carries them, and its size is told.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::buffer::Buffer;
use tokio::io::AsyncRead;
use tokio::sync::watch;

use super::console::{Console, Known, Setup};
use super::surface::{Source, Surface};
use crate::studio::event::Event;
use crate::terminal::{Anchor, Keyboard, Outbox, Placed, Reader, entering, keyboard_protocol, leaving};

/// How large a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Columns and rows.
    pub cells: (u16, u16),
    /// Pixels of a cell, across and down, where that is known.
    pub cell: Option<(u16, u16)>,
}

/// The terminal, shown on. Dropping it gives the terminal back.
pub struct RemoteSurface {
    console: Console,
    outbox: Outbox,
    size: watch::Receiver<Size>,
    keyboard: Arc<AtomicBool>,
}

/// The terminal, read from. It ends with its input, and when nobody tells its size any more.
pub struct RemoteKeys<R> {
    reader: Reader<R>,
    known: Arc<Known>,
    outbox: Outbox,
    size: watch::Receiver<Size>,
    keyboard: Arc<AtomicBool>,
}

/// Takes the terminal whose input is `input`, and that shows what is written to `output`: by a thread of its own, so that
/// one that takes nothing holds up nobody.
///
/// # Errors
/// Where there can be no more threads.
pub fn open<R: AsyncRead + Send + Unpin>(
    setup: Setup,
    size: watch::Receiver<Size>,
    input: R,
    output: impl Write + Send + 'static,
) -> io::Result<(RemoteSurface, RemoteKeys<R>)> {
    let mut outbox = Outbox::new(output, || true)?;
    let tells_apart = setup.capability.keyboard == Keyboard::On;
    outbox.write_all(entering(tells_apart, setup.capability.mouse).as_bytes()).and_then(|()| outbox.flush())?;
    let mut console = Console::new(setup, outbox.clone());
    console.measure()?;
    let keyboard = Arc::new(AtomicBool::new(tells_apart));
    let keys = RemoteKeys {
        reader: Reader::new(input),
        known: Arc::clone(&console.known),
        outbox: outbox.clone(),
        size: size.clone(),
        keyboard: Arc::clone(&keyboard),
    };
    Ok((RemoteSurface { console, outbox, size, keyboard }, keys))
}

impl Surface for RemoteSurface {
    fn size(&self) -> (u16, u16) {
        self.size.borrow().cells
    }

    fn present(&mut self, picture: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<()> {
        self.console.present(picture, cursor)
    }

    fn is_busy(&self) -> bool {
        self.console.is_busy()
    }

    fn freed(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.console.freed()
    }

    fn has_links(&self) -> bool {
        self.console.has_links()
    }

    fn link(&mut self, anchors: Vec<Anchor>) {
        self.console.link(anchors);
    }

    fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.console.place(placed, hurried);
    }

    fn is_partial(&self) -> bool {
        self.console.screen.is_partial()
    }

    fn is_behind(&self) -> bool {
        self.console.screen.is_behind()
    }

    fn repaint(&mut self) {
        self.console.screen.repaint();
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.console.copy(text)
    }

    /// There is no shell behind it that it could be handed back to.
    async fn suspend(&mut self, _ended: impl Future<Output = ()> + Send) -> io::Result<()> {
        Ok(())
    }

    fn ask(&mut self) -> io::Result<()> {
        self.console.ask()
    }

    fn progress(&mut self, percent: Option<u8>) -> io::Result<()> {
        self.console.progress(percent)
    }

    fn tell_desktop(&mut self, words: &str) -> io::Result<()> {
        self.console.tell_desktop(words)
    }

    fn is_slow(&self) -> bool {
        self.console.is_slow()
    }
}

impl Drop for RemoteSurface {
    fn drop(&mut self) {
        self.console.withdraw();
        let bytes = leaving(self.keyboard.load(Ordering::SeqCst), self.console.has_links());
        // It is written once all that is on its way is; the terminal may be gone.
        let _ = self.outbox.write_all(bytes.as_bytes()).and_then(|()| self.outbox.flush());
    }
}

impl<R: AsyncRead + Send + Unpin> Source for RemoteKeys<R> {
    async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
            let events = self.arrived().await?;
            // An answer that tells nothing new is no reason to draw.
            if !events.is_empty() {
                return Some(events);
            }
        }
    }
}

impl<R: AsyncRead + Send + Unpin> RemoteKeys<R> {
    /// What arrived next; nothing where it was for the terminal's own use.
    async fn arrived(&mut self) -> Option<Vec<Event>> {
        let unambiguous = self.keyboard.load(Ordering::SeqCst);
        tokio::select! {
            biased;
            resized = self.size.changed() => {
                resized.ok()?;
                let Size { cells: (width, height), cell } = *self.size.borrow_and_update();
                Some(self.known.resized(cell).into_iter().chain([Event::Resized { width, height }]).collect())
            }
            () = self.known.silent() => self.known.look_after(&mut self.outbox).then(Vec::new),
            arrived = self.reader.next(unambiguous) => {
                let cell = self.size.borrow().cell;
                let (outbox, keyboard) = (&mut self.outbox, &self.keyboard);
                let mut tells_apart = || {
                    if !keyboard.swap(true, Ordering::SeqCst) {
                        let _ = outbox.write_all(keyboard_protocol().as_bytes()).and_then(|()| outbox.flush());
                    }
                };
                let arrivals = arrived.ok()??;
                Some(arrivals.into_iter().filter_map(|it| self.known.event_of(it, || cell, &mut tells_apart)).collect())
            }
        }
    }
}
