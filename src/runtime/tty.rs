//! The studio on the process's own terminal.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use rustix::process::{Signal as Kill, getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::pictures::full_screen;
use super::surface::{Source, Surface};
use crate::settings::Graphics;
use crate::studio::event::{Event, Mouse, MouseAction};
use crate::studio::pictures::Raster;
use crate::terminal::{
    Answer, Answers, Arrival, Capability, Desktop, KEYBOARD_QUERIES, PICTURE_QUERIES, Placed, Reader, Screen, Session,
    cell_size, clipboard, progress, size,
};

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
    /// How the terminal passes words on to the desktop.
    desktop: Option<Desktop>,
    pictures: Rc<Asked>,
}

/// How pictures are shown, as far as it is known: what is set, what the environment says, what the terminal answers.
struct Asked {
    set: Option<Graphics>,
    capability: Capability,
    answers: Cell<Answers>,
    found: Cell<Option<(Graphics, (u16, u16))>>,
}

impl Asked {
    /// Whether the terminal is to be asked.
    fn asks(&self) -> bool {
        self.capability.asks && self.set != Some(Graphics::Off)
    }

    /// Takes an answer; what is known once all are here.
    fn take(&self, answer: Answer) -> Option<Event> {
        let mut answers = self.answers.get();
        let last = answers.take(answer);
        self.answers.set(answers);
        if last { self.find() } else { None }
    }

    /// What is known, where that is news.
    fn find(&self) -> Option<Event> {
        let answers = self.answers.get();
        let graphics = self.set.unwrap_or_else(|| self.capability.graphics(&answers));
        let cell = answers.cell.or_else(cell_size).unwrap_or(LIKELY_CELL);
        let found = Some((graphics, cell));
        (self.found.replace(found) != found).then_some(Event::GraphicsKnown { graphics, cell })
    }
}

/// Pixels of a cell where nobody says.
const LIKELY_CELL: (u16, u16) = (10, 20);

/// The terminal, read from.
pub struct Keys {
    session: Rc<Session>,
    /// Taken away while the terminal belongs to someone else, so that keys are not taken from them.
    reader: Option<Reader>,
    resized: Signal,
    ended: [Signal; 3],
    pictures: Rc<Asked>,
}

/// Takes the terminal: its two ends. `set` is how pictures are to be shown, where that was chosen; `tells_progress` is
/// whether it may be told how far something is, `desktop` how it passes words on, where it does.
///
/// # Errors
/// What the terminal says, or that there is none.
pub fn open(
    capability: Capability,
    set: Option<Graphics>,
    tells_progress: bool,
    desktop: Option<Desktop>,
) -> io::Result<(Tty, Keys)> {
    let pictures = Rc::new(Asked { set, capability, answers: Cell::default(), found: Cell::default() });
    let session = Rc::new(Session::enter()?);
    let screen = Screen::new(session.writer()?);
    let keys = Keys {
        session: Rc::clone(&session),
        reader: Some(Reader::open()?),
        resized: signal(SignalKind::window_change())?,
        ended: [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?],
        pictures: Rc::clone(&pictures),
    };
    Ok((Tty { session, screen, slow: false, tells_progress, progress: None, desktop, pictures }, keys))
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

    fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.screen.place(placed, hurried);
    }

    fn is_behind(&self) -> bool {
        self.screen.is_behind()
    }

    async fn show(&mut self, picture: Arc<Raster>) -> io::Result<()> {
        let graphics = self.pictures.found.get().map_or(Graphics::Blocks, |(graphics, _)| graphics);
        let cell = self.pictures.found.get().map_or(LIKELY_CELL, |(_, cell)| cell);
        let (depth, screen) = (self.pictures.capability.depth, size());
        self.screen.write(b"\x1b[m\x1b[H\x1b[2J")?;
        let printing = move || full_screen::print(&picture, graphics, depth, screen, cell);
        let last = tokio::task::spawn_blocking(printing).await.map_err(io::Error::other)??;
        self.screen.write(&last)
    }

    fn repaint(&mut self) {
        self.screen.repaint();
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.screen.write(&clipboard(text))
    }

    async fn suspend(&mut self) -> io::Result<()> {
        let mut woken = signal(SignalKind::from_raw(Kill::CONT.as_raw()))?;
        self.screen.withdraw_pictures()?;
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
        self.screen.write(if self.pictures.asks() { PICTURE_QUERIES } else { KEYBOARD_QUERIES })
    }

    fn progress(&mut self, percent: Option<u8>) -> io::Result<()> {
        if !self.tells_progress || self.progress == percent {
            return Ok(());
        }
        self.progress = percent;
        self.screen.write(&progress(percent))
    }

    fn tell_desktop(&mut self, words: &str) -> io::Result<()> {
        self.desktop.map_or(Ok(()), |desktop| self.screen.write(&desktop.telling(words)))
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
                // Another size of the letters makes other cells: what the terminal answered before is old.
                let mut answers = self.pictures.answers.get();
                answers.cell = cell_size().or(answers.cell);
                self.pictures.answers.set(answers);
                let known = self.pictures.found.get().and_then(|_| self.pictures.find());
                Some(known.into_iter().chain([Event::Resized { width, height }]).collect())
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
            Arrival::Answer(answer) => self.pictures.take(answer),
            Arrival::Focus(_) => None,
        }
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // Before the session gives the terminal back; it may be gone.
        let _ = self.screen.withdraw_pictures();
        if self.progress.is_some() {
            let _ = self.screen.write(&progress(None));
        }
    }
}
