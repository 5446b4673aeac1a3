//! The studio on the process's own terminal.

use std::fs::File;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use rustix::process::{Signal as Kill, getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::surface::{Source, Surface};
use crate::studio::event::{Event, Mouse, MouseAction};
use crate::terminal::{Answer, Arrival, QUERIES, Reader, Screen, Session, clipboard, progress, size};

/// A frame that takes longer to hand over means that the way to the person is slow.
const SLOW: Duration = Duration::from_millis(20);

/// The terminal, shown on.
pub struct Tty {
    session: Rc<Session>,
    screen: Screen<File>,
    slow: bool,
    /// Whether the terminal may be told how far something is, and what it was told last.
    tells_progress: bool,
    progress: Option<u8>,
}

/// The terminal, read from.
pub struct Keys {
    session: Rc<Session>,
    /// Taken away while the terminal belongs to someone else, so that keys are not taken from them.
    reader: Option<Reader>,
    resized: Signal,
    ended: [Signal; 3],
}

/// Takes the terminal: its two ends. `tells_progress` is whether it may be told how far something is.
///
/// # Errors
/// What the terminal says, or that there is none.
pub fn open(tells_progress: bool) -> io::Result<(Tty, Keys)> {
    let session = Rc::new(Session::enter()?);
    let screen = Screen::new(session.writer()?);
    let keys = Keys {
        session: Rc::clone(&session),
        reader: Some(Reader::open()?),
        resized: signal(SignalKind::window_change())?,
        ended: [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?],
    };
    Ok((Tty { session, screen, slow: false, tells_progress, progress: None }, keys))
}

impl Drop for Tty {
    fn drop(&mut self) {
        if self.progress.is_some() {
            // The terminal may be gone, and its progress with it.
            let _ = self.screen.write(&progress(None));
        }
    }
}

impl Surface for Tty {
    fn size(&self) -> (u16, u16) {
        size()
    }

    fn present(&mut self, picture: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<()> {
        let before = Instant::now();
        let written = self.screen.present(picture, cursor)?;
        if written.bytes > 0 {
            self.slow = before.elapsed() > SLOW;
        }
        Ok(())
    }

    fn repaint(&mut self) {
        self.screen.repaint();
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.screen.write(&clipboard(text))
    }

    async fn suspend(&mut self) -> io::Result<()> {
        let mut woken = signal(SignalKind::from_raw(Kill::CONT.as_raw()))?;
        self.session.give_back();
        kill_process(getpid(), Kill::TSTP)?;
        // A process without a shell above it is not stopped at all: then there is no waking to wait for.
        let _ = tokio::time::timeout(Duration::from_millis(500), woken.recv()).await;
        self.session.take()?;
        self.screen.repaint();
        Ok(())
    }

    fn lend(&mut self) {
        self.session.give_back();
    }

    fn take_back(&mut self) -> io::Result<()> {
        self.session.take()?;
        self.screen.repaint();
        Ok(())
    }

    fn ask(&mut self) -> io::Result<()> {
        self.screen.write(QUERIES)
    }

    fn progress(&mut self, percent: Option<u8>) -> io::Result<()> {
        if !self.tells_progress || self.progress == percent {
            return Ok(());
        }
        self.progress = percent;
        self.screen.write(&progress(percent))
    }

    fn is_slow(&self) -> bool {
        self.slow
    }
}

impl Source for Keys {
    async fn next(&mut self) -> Option<Vec<Event>> {
        let unambiguous = self.session.has_keyboard_protocol();
        let reader = self.reader.as_mut()?;
        let [term, hangup, interrupt] = &mut self.ended;
        let arrived = tokio::select! {
            biased;
            _ = term.recv() => Next::End,
            _ = hangup.recv() => Next::End,
            _ = interrupt.recv() => Next::End,
            _ = self.resized.recv() => Next::Size,
            arrivals = reader.next(unambiguous) => Next::Input(arrivals),
        };
        match arrived {
            Next::End | Next::Input(Err(_) | Ok(None)) => None,
            Next::Size => {
                let (width, height) = size();
                Some(vec![Event::Resized { width, height }])
            }
            Next::Input(Ok(Some(arrivals))) => {
                Some(arrivals.into_iter().filter_map(|arrival| self.event_of(arrival)).collect())
            }
        }
    }

    fn release(&mut self) {
        self.reader = None;
    }

    fn reclaim(&mut self) -> io::Result<()> {
        self.reader = Some(Reader::open()?);
        Ok(())
    }
}

enum Next {
    End,
    Size,
    Input(io::Result<Option<Vec<Arrival>>>),
}

impl Keys {
    fn event_of(&self, arrival: Arrival) -> Option<Event> {
        let mouse = |x, y, what| Some(Event::Mouse(Mouse { x, y, what }));
        match arrival {
            Arrival::Key(key) => Some(Event::Pressed(key)),
            Arrival::Paste(text) => Some(Event::Pasted(text)),
            Arrival::Press(x, y) => mouse(x, y, MouseAction::Press),
            Arrival::Drag(x, y) => mouse(x, y, MouseAction::Drag),
            Arrival::Release(x, y) => mouse(x, y, MouseAction::Release),
            Arrival::WheelUp(x, y) => mouse(x, y, MouseAction::WheelUp),
            Arrival::WheelDown(x, y) => mouse(x, y, MouseAction::WheelDown),
            Arrival::Answer(Answer::Keyboard) => {
                let _ = self.session.use_keyboard_protocol();
                None
            }
            Arrival::Answer(_) | Arrival::Focus(_) => None,
        }
    }
}
