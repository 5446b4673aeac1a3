//! The real loop and the real life of a studio, on terminals and a world that tests drive.

mod event_loop;
mod sittings;

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Color;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::drivers::Drivers;
use super::host::editor::Edited;
use super::surface::{Source, Surface};
use crate::settings::Key;
use crate::studio::effect::Effect;
use crate::studio::event::{Event, Moment};

/// So long a test waits for what does come before it fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is seen on a terminal of a test.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    pub text: String,
    pub colors: HashSet<Color>,
    pub frames: usize,
    pub size: (u16, u16),
    pub copied: Vec<String>,
}

/// A terminal of a test, drawn on.
pub struct TestSurface {
    size: (u16, u16),
    shown: watch::Sender<Shown>,
    stalls: Arc<AtomicBool>,
    is_slow: Arc<AtomicBool>,
}

/// A terminal of a test, read from.
pub struct TestSource {
    input: UnboundedReceiver<Input>,
}

enum Input {
    Events(Vec<Event>),
    Panic,
}

/// The person at a terminal of a test.
pub struct Person {
    input: Option<UnboundedSender<Input>>,
    shown: watch::Receiver<Shown>,
    pub stalls: Arc<AtomicBool>,
    pub is_slow: Arc<AtomicBool>,
}

/// A terminal of a size, and the person at it.
pub fn terminal(size: (u16, u16)) -> (TestSurface, TestSource, Person) {
    let (input, arriving) = unbounded_channel();
    let (show, shown) = watch::channel(Shown::default());
    let (stalls, is_slow) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let surface = TestSurface { size, shown: show, stalls: Arc::clone(&stalls), is_slow: Arc::clone(&is_slow) };
    (surface, TestSource { input: arriving }, Person { input: Some(input), shown, stalls, is_slow })
}

impl Person {
    /// Waits until a text is on the screen.
    pub async fn sees(&mut self, text: &str) -> &mut Self {
        self.waits(text, |shown| shown.text.contains(text)).await
    }

    /// Waits until the screen is so.
    pub async fn waits(&mut self, what: &str, is_so: impl Fn(&Shown) -> bool) -> &mut Self {
        let waited = tokio::time::timeout(PATIENCE, self.shown.wait_for(is_so)).await.map(|seen| seen.is_ok());
        assert_eq!(waited, Ok(true), "{what} was never seen, but this:\n{}", self.shown.borrow().text);
        self
    }

    /// What is on the screen now.
    pub fn screen(&self) -> Shown {
        self.shown.borrow().clone()
    }

    fn gives(&self, input: Input) {
        self.input.as_ref().unwrap().send(input).unwrap_or_else(|_| panic!("nobody reads the keys"));
    }

    /// Presses keys: `<enter>` by name, others as they are.
    pub fn presses(&mut self, script: &str) -> &mut Self {
        let mut rest = script;
        while let Some(c) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|inner| inner.split_once('>'));
            let (key, after) = match named {
                Some((name, after)) => (Key::parse(name).unwrap(), after),
                None => (Key::char(c), rest.strip_prefix(c).unwrap()),
            };
            self.gives(Input::Events(vec![Event::Pressed(key)]));
            rest = after;
        }
        self
    }

    /// Makes whatever reads the keys panic.
    pub fn panics(&self) {
        self.gives(Input::Panic);
    }

    /// The line is gone.
    pub fn hangs_up(&mut self) {
        self.input = None;
    }
}

impl Surface for TestSurface {
    fn size(&self) -> (u16, u16) {
        self.size
    }

    fn present(&mut self, picture: &Buffer, _cursor: Option<(u16, u16)>) -> io::Result<()> {
        let across = usize::from(picture.area.width).max(1);
        let rows =
            picture.content.chunks(across).map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
        let text = rows.collect::<Vec<_>>().join("\n");
        self.shown.send_modify(|shown| {
            shown.text = text;
            shown.colors = picture.content.iter().flat_map(|cell| [cell.fg, cell.bg]).collect();
            shown.frames += 1;
            shown.size = (picture.area.width, picture.area.height);
        });
        Ok(())
    }

    fn is_busy(&self) -> bool {
        self.stalls.load(Ordering::SeqCst)
    }

    async fn freed(&mut self) -> io::Result<()> {
        std::future::pending().await
    }

    fn is_slow(&self) -> bool {
        self.is_slow.load(Ordering::SeqCst)
    }

    fn repaint(&mut self) {}

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.shown.send_modify(|shown| shown.copied.push(text.to_owned()));
        Ok(())
    }

    async fn suspend(&mut self, _ended: impl Future<Output = ()> + Send) -> io::Result<()> {
        Ok(())
    }
}

impl Source for TestSource {
    async fn next(&mut self) -> Option<Vec<Event>> {
        match self.input.recv().await? {
            Input::Events(events) => Some(events),
            Input::Panic => panic!("the keys of a test"),
        }
    }
}

/// A world of a test: it writes down what it is asked for, and refuses what it is told to.
pub struct TestDrivers {
    pub events: UnboundedSender<Event>,
    pub asked: Arc<Mutex<Vec<Effect>>>,
    pub refuses: fn(&Effect) -> bool,
}

impl Drivers for TestDrivers {
    fn now(&self) -> Moment {
        Moment(1_795_176_000_000)
    }

    fn allows(&self, effect: &Effect) -> bool {
        !(self.refuses)(effect)
    }

    fn carry_out(&mut self, effect: Effect) {
        self.asked.lock().unwrap().push(effect);
    }

    async fn pause(&mut self) {}

    async fn edit_text(&mut self, text: String, _ended: impl Future<Output = ()> + Send) -> Edited {
        Edited::Text(Ok(text))
    }

    fn report(&mut self, event: Event) {
        let _ = self.events.send(event);
    }
}
