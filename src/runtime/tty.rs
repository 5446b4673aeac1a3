//! The studio on the process's own terminal: its standard streams, its signals, and the shell behind it.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use rustix::io::Errno;
use rustix::process::{Signal as Kill, getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use super::console::{Console, Known, Setup};
use super::surface::{Source, Surface};
use crate::studio::event::Event;
use crate::terminal::{
    Anchor, Answer, Arrival, Decoder, Keyboard, Placed, Reader, Session, Stdin, cell_size, is_foreground, read_within,
    size, tell,
};

/// So long is waited for a terminal that takes nothing, before it is given back without what was on its way.
const PATIENCE: Duration = Duration::from_millis(300);

/// So long is waited at most for answers that are on their way: they are not for whoever has the terminal next.
const ANSWERS: Duration = Duration::from_millis(600);

/// So long a process that stops itself goes on at most until it is stopped.
const STOPPED: Duration = Duration::from_millis(500);

/// So often it stops itself again though nobody woke it: it may have seen its waking late.
const MOST_UNSTOPPED: u32 = 3;

/// So long after it was woken a process may be told that it was woken to end.
const TOLD: Duration = Duration::from_millis(100);

/// So long is waited at most for signals that were sent before.
const SIGNALS: Duration = Duration::from_millis(500);
/// So long a thread may take from a signal to reporting it.
const TAKEN: Duration = Duration::from_millis(20);

/// The terminal, shown on.
pub struct Tty {
    session: Arc<Session>,
    console: Console,
    /// What is said once the terminal was given back for good.
    last: Option<String>,
}

/// The terminal, read from.
pub struct Keys {
    session: Arc<Session>,
    /// Taken away while the terminal belongs to someone else, so that keys are not taken from them.
    reader: Option<Reader<Stdin>>,
    resized: Signal,
    /// What tells the process to end.
    ended: [Signal; 4],
    /// It was told to.
    is_over: bool,
    /// The process was stopped and goes on: whoever stopped it did not give the terminal back.
    woken: Signal,
    known: Arc<Known>,
}

/// Takes the terminal: its two ends.
///
/// # Errors
/// What the terminal says, or that there is none.
pub fn open(setup: Setup) -> io::Result<(Tty, Keys)> {
    let session = Arc::new(Session::enter(setup.capability.mouse, setup.capability.links)?);
    if setup.capability.keyboard == Keyboard::On {
        session.use_keyboard_protocol()?;
    }
    let mut console = Console::new(setup, session.writer());
    console.measure()?;
    let keys = Keys {
        session: Arc::clone(&session),
        reader: Some(Reader::new(Stdin::open()?)),
        resized: signal(SignalKind::window_change())?,
        ended: [
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::quit())?,
        ],
        is_over: false,
        woken: woken()?,
        known: Arc::clone(&console.known),
    };
    Ok((Tty { session, console, last: None }, keys))
}

fn woken() -> io::Result<Signal> {
    signal(SignalKind::from_raw(Kill::CONT.as_raw()))
}

impl Surface for Tty {
    fn size(&self) -> (u16, u16) {
        size()
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

    async fn suspend(&mut self, ended: impl Future<Output = ()> + Send) -> io::Result<()> {
        let (mut woken, mut ended) = (woken()?, pin!(ended));
        self.console.screen.withdraw_pictures()?;
        self.lend();
        let mut unstopped = 0;
        loop {
            // Who is to end in the background is woken for it, and hears of both at about the same time.
            if !is_foreground() && timeout(TOLD, &mut ended).await.is_ok() {
                return Ok(());
            }
            kill_process(getpid(), Kill::TSTP)?;
            let mut is_woken = tokio::select! {
                biased;
                () = &mut ended => return Ok(()),
                woken = timeout(STOPPED, woken.recv()) => woken.is_ok(),
            };
            // Whoever was stopped for longer finds the time over before anything is heard of the waking.
            hear_signals().await?;
            is_woken |= timeout(Duration::ZERO, woken.recv()).await.is_ok();
            unstopped = if is_woken { 0 } else { unstopped + 1 };
            if is_foreground() {
                return self.take_back();
            }
            // A process without a shell above it is not stopped at all, and nobody will bring it to the foreground.
            if unstopped > MOST_UNSTOPPED {
                return Err(Errno::IO.into());
            }
        }
    }

    fn lend(&mut self) {
        // What is on its way belongs on our screen, not on theirs, and so do the answers to it.
        if self.console.screen.out().drain(PATIENCE) && is_foreground() {
            hear_answers(&self.console);
        }
        self.session.give_back();
    }

    fn take_back(&mut self) -> io::Result<()> {
        self.console.link.forget();
        self.session.take()?;
        self.console.screen.repaint();
        Ok(())
    }

    fn say_last(&mut self, words: String) {
        self.last = Some(words);
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

impl Source for Keys {
    async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
            let events = self.arrived().await?;
            // An answer that tells nothing new is no reason to draw.
            if !events.is_empty() {
                return Some(events);
            }
        }
    }

    async fn ended(&mut self) {
        while !self.is_over {
            let [term, hangup, interrupt, quit] = &mut self.ended;
            self.is_over = tokio::select! {
                biased;
                _ = term.recv() => true,
                _ = hangup.recv() => true,
                // While the terminal is lent, its keys (Ctrl-C) signal everybody in the foreground, and are for whoever
                // has it.
                _ = interrupt.recv() => self.reader.is_some() || !is_foreground(),
                _ = quit.recv() => self.reader.is_some() || !is_foreground(),
            };
        }
    }

    fn release(&mut self) {
        self.reader = None;
    }

    async fn reclaim(&mut self) -> io::Result<()> {
        self.reader = Some(Reader::new(Stdin::open()?));
        // On a busy machine a key for whoever had the terminal is heard of after they have ended.
        hear_signals().await?;
        // Who suspended the process itself has taken the terminal again.
        self.woken = woken()?;
        let [_, _, interrupt, quit] = &mut self.ended;
        (*interrupt, *quit) = (signal(SignalKind::interrupt())?, signal(SignalKind::quit())?);
        Ok(())
    }
}

impl Keys {
    /// What arrived next; nothing where it was for the terminal's own use.
    async fn arrived(&mut self) -> Option<Vec<Event>> {
        let unambiguous = self.session.has_keyboard_protocol();
        if self.is_over {
            return None;
        }
        let reader = self.reader.as_mut()?;
        let [term, hangup, interrupt, quit] = &mut self.ended;
        let arrived = tokio::select! {
            biased;
            _ = term.recv() => Next::End,
            _ = hangup.recv() => Next::End,
            _ = interrupt.recv() => Next::End,
            _ = quit.recv() => Next::End,
            _ = self.woken.recv() => Next::Woken,
            _ = self.resized.recv() => Next::Size,
            () = self.known.silent() => Next::Silent,
            arrivals = reader.next(unambiguous) => Next::Input(arrivals),
        };
        let (width, height) = size();
        match arrived {
            Next::End | Next::Input(Err(_) | Ok(None)) => {
                self.is_over = true;
                None
            }
            Next::Silent => self.known.look_after(&mut self.session.writer()).then(Vec::new),
            Next::Woken if !is_foreground() => Some(vec![Event::InBackground]),
            Next::Woken => {
                self.known.forget_answers();
                self.session.take().ok()?;
                Some(vec![Event::Resized { width, height }, Event::Resumed])
            }
            Next::Size => {
                let known = self.known.resized(cell_size());
                Some(known.into_iter().chain([Event::Resized { width, height }]).collect())
            }
            Next::Input(Ok(Some(arrivals))) => {
                let tells_apart = || drop(self.session.use_keyboard_protocol());
                let event_of = |arrival| self.known.event_of(arrival, cell_size, tells_apart);
                Some(arrivals.into_iter().filter_map(event_of).collect())
            }
        }
    }
}

/// Waits until who listens to signals has heard those that were sent before. They are passed on in one go, the lower
/// numbers first, so one with a high number that the process sends itself comes behind them.
async fn hear_signals() -> io::Result<()> {
    let mut behind = signal(SignalKind::window_change())?;
    kill_process(getpid(), Kill::WINCH)?;
    // Only where the signal is held back from the process it never comes.
    let _ = timeout(SIGNALS, behind.recv()).await;
    // Each thread may take one; where it waits for a busy processor, it hasn't reported it yet.
    sleep(TAKEN).await;
    Ok(())
}

/// Waits for the answers that are on their way, for as long as they take: whoever has the terminal next would take them
/// for keys. The keys among them are lost, as nobody is there for them any more.
fn hear_answers(console: &Console) {
    let since = Instant::now();
    let mut decoder = Decoder::default();
    while let Some(likely) = console.link.outstanding() {
        let Some(left) = likely.min(ANSWERS).checked_sub(since.elapsed()) else { return };
        let Ok(Some(bytes)) = read_within(left) else { return };
        let mut arrivals = Vec::new();
        decoder.take(since.elapsed(), &bytes, &mut arrivals);
        let answers = arrivals.iter().filter(|arrival| matches!(arrival, Arrival::Answer(Answer::Status)));
        answers.for_each(|_| console.link.answered());
    }
}

enum Next {
    End,
    Woken,
    Silent,
    Size,
    Input(io::Result<Option<Vec<Arrival>>>),
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.console.withdraw();
        self.lend();
        if let Some(words) = &self.last {
            tell(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On one thread nobody hears of a signal before something is waited for.
    #[tokio::test]
    async fn who_listens_from_now_on_hears_nothing_of_a_signal_that_was_sent_before() {
        let mut before = signal(SignalKind::user_defined1()).unwrap();
        kill_process(getpid(), Kill::USR1).unwrap();
        hear_signals().await.unwrap();
        let mut after = signal(SignalKind::user_defined1()).unwrap();
        hear_signals().await.unwrap();
        assert!(timeout(Duration::ZERO, after.recv()).await.is_err());
        assert!(timeout(Duration::ZERO, before.recv()).await.is_ok());
    }
}
