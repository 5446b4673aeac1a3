//! The loop: take everything that is queued, update, then draw once. What it draws on, reads from and acts through are
//! handed to it: a terminal and a host, or those of a test.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout, timeout_at};

use super::drivers::Drivers;
use super::host::editor::Edited;
use super::surface::{Source, Surface};
use crate::studio::effect::Effect;
use crate::studio::event::{Event, Moment};
use crate::studio::{Linked, Model, SwitchTo, account, plain, sharing, update, view, view_with_links};
use crate::terminal::{Anchor, Placed};

/// What is typed goes to the disk once what was typed before is there. At the end the last of it has so long.
const KEPT: Duration = Duration::from_millis(500);

/// While more comes than that, frames are at least so far apart.
const FRAME: Duration = Duration::from_millis(16);
/// The same where the way to the person is slow.
const SLOW_FRAME: Duration = Duration::from_millis(100);
/// Keys that follow each other faster than that are a key held down: pictures are painted once it is let go.
const REST: Duration = Duration::from_millis(60);
/// The same where the way to the person is slow, over which keys come in bunches.
const SLOW_REST: Duration = Duration::from_millis(250);
/// So long the answer to a line is waited for at most before the next line is heard, in a dialogue of lines.
const ANSWERED: Duration = Duration::from_secs(10);
/// A terminal that is gone says so by a signal as well: it is heard within this time.
const SIGNALED: Duration = Duration::from_millis(200);
/// So many replies are taken before it is looked whether a key was pressed.
const MOST_AT_ONCE: usize = 1_000;
/// So many frames may follow each other at once: a key pressed is seen without waiting.
const BURST: u32 = 3;

/// Why the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The person quit.
    Quit,
    /// Nothing more will come: the terminal is gone, or the process was told to end.
    HungUp,
    /// The person wants another profile: a studio of its own, with nothing of this one.
    Switch(SwitchTo),
    /// The person wants this profile to have another name. While a studio is open on it that can't be.
    Rename(String),
}

/// Runs a studio until it ends. The first picture is shown before anything is waited for.
///
/// # Errors
/// Where the surface can't be shown on any more.
pub async fn run<S: Surface, I: Source, D: Drivers>(
    model: &mut Model,
    surface: &mut S,
    source: &mut I,
    drivers: &mut D,
    events: &mut UnboundedReceiver<Event>,
) -> io::Result<Ended> {
    let (width, height) = surface.size();
    if surface.is_plain() {
        model.speak();
    }
    update(model, drivers.now(), Event::Resized { width, height }).into_iter().for_each(drop);
    let begun = model.start(drivers.now());
    let mut pace = Pace::new();
    // The first picture covers what a terminal shows of questions that it doesn't know.
    surface.ask()?;
    pace.draw(model, surface, false)?;
    if let Some(ended) = carry_out(begun, surface, source, drivers).await? {
        return Ok(ended);
    }
    pace.stale = true;
    loop {
        let hears = pace.hears(model, drivers, events);
        let batch = pace.next(hears, surface, source, events).await?;
        let (now, is_input) = (drivers.now(), matches!(batch, Batch::Input(_)));
        let mut effects = Vec::new();
        match batch {
            Batch::Gone => return end(model, surface, source, events, drivers).await,
            Batch::Nothing => continue,
            Batch::Show => {
                pace.show(model, drivers);
                continue;
            }
            Batch::Freed | Batch::Draw => {
                pace.draw(model, surface, matches!(batch, Batch::Freed))?;
                continue;
            }
            Batch::Input(batch) => {
                pace.heard(surface.is_slow());
                for event in batch {
                    effects.extend(update(model, now, event));
                }
            }
            Batch::Event(Some(event)) => effects.extend(taken(model, now, event, source)),
            Batch::Event(None) => return Ok(Ended::HungUp),
        }
        for _ in 0..MOST_AT_ONCE {
            let Ok(event) = events.try_recv() else { break };
            effects.extend(taken(model, now, event, source));
        }
        match carry_out(effects, surface, source, drivers).await? {
            Some(Ended::HungUp) => return end(model, surface, source, events, drivers).await,
            Some(ended) => return Ok(ended),
            None => {}
        }
        pace.show(model, drivers);
        pace.stale = true;
        pace.pressed |= is_input;
        if !surface.is_busy() && pace.is_due(is_input, model, surface) {
            pace.draw(model, surface, is_input)?;
        }
    }
}

/// What follows from what happened. A key of somebody who was given the keys counts like one of who sits here.
fn taken(model: &mut Model, now: Moment, event: Event, source: &mut impl Source) -> Vec<Effect> {
    if matches!(&event, Event::Sharing(sharing::Event::Pressed(..) | sharing::Event::Pasted(..))) {
        source.stay();
    }
    update(model, now, event)
}

/// When something is drawn, and when the next line is heard.
struct Pace {
    buffer: Buffer,
    /// Those that show what arrived never hold up what was pressed.
    frames: Frames,
    /// Keys have frames of their own.
    typed: Frames,
    /// What happened is not shown yet.
    stale: bool,
    /// Pictures of what is shown are not painted yet.
    behind: bool,
    /// From when on they may be.
    rests_at: Instant,
    /// A key was pressed while the frame before was on its way: it is shown as soon as that has arrived.
    pressed: bool,
    /// In a dialogue of lines the next one is heard once the one before was answered, or then.
    heard_at: Instant,
    /// When those who watch are to be shown what happened, where they were shown something just now.
    shows_at: Option<Instant>,
}

impl Pace {
    fn new() -> Self {
        Self {
            buffer: Buffer::empty(Rect::ZERO),
            frames: Frames::new(),
            typed: Frames::new(),
            stale: false,
            behind: false,
            rests_at: Instant::now(),
            pressed: false,
            heard_at: Instant::now() + ANSWERED,
            shows_at: None,
        }
    }

    /// Whether what is typed is heard now.
    fn hears(&self, model: &Model, drivers: &impl Drivers, events: &UnboundedReceiver<Event>) -> bool {
        let is_answered = || Instant::now() >= self.heard_at || !is_awaiting(model, drivers, events);
        model.plain.is_none() || !self.stale && is_answered()
    }

    /// What comes next.
    async fn next(
        &self,
        hears: bool,
        surface: &mut impl Surface,
        source: &mut impl Source,
        events: &mut UnboundedReceiver<Event>,
    ) -> io::Result<Batch> {
        let wait = if self.stale { Instant::now() } else { self.rests_at };
        let wait = self.frames.wait(surface.is_slow()).max(wait);
        let (is_busy, is_slow) = (surface.is_busy(), surface.is_slow());
        Ok(tokio::select! {
            // Keys before replies: a person who types is never behind a flood of progress.
            biased;
            arrived = hear(source, hears) => arrived.map_or(Batch::Gone, Batch::Input),
            // A terminal that takes nothing holds up what is drawn on it, and nothing else.
            freed = surface.freed(), if is_busy => {
                freed?;
                let may_draw = self.pressed && self.typed.wait(is_slow) <= Instant::now();
                if may_draw { Batch::Freed } else { Batch::Nothing }
            }
            event = events.recv() => Batch::Event(event),
            () = tokio::time::sleep_until(wait), if (self.stale || self.behind) && !is_busy => Batch::Draw,
            () = tokio::time::sleep_until(self.heard_at), if !hears && !self.stale => Batch::Nothing,
            () = until(self.shows_at), if self.shows_at.is_some() => Batch::Show,
        })
    }

    /// Shows what is known now to those who watch.
    fn show(&mut self, model: &Model, drivers: &mut impl Drivers) {
        self.shows_at = drivers.show(model).map(|rest| Instant::now() + rest);
    }

    /// Something was typed.
    fn heard(&mut self, is_slow: bool) {
        self.heard_at = Instant::now() + ANSWERED;
        self.rests_at = Instant::now() + if is_slow { SLOW_REST } else { REST };
    }

    /// Whether what happened is shown before anything else is taken. Each line is answered before the next is heard.
    fn is_due(&self, is_input: bool, model: &Model, surface: &impl Surface) -> bool {
        let frames = if is_input { &self.typed } else { &self.frames };
        (is_input && model.plain.is_some()) || frames.wait(surface.is_slow()) <= Instant::now()
    }

    /// Draws what is known now; by the frames of keys, where a key was pressed.
    fn draw(&mut self, model: &mut Model, surface: &mut impl Surface, typed: bool) -> io::Result<()> {
        let frames = if typed { &mut self.typed } else { &mut self.frames };
        draw(model, surface, &mut self.buffer, frames, Instant::now() < self.rests_at)?;
        if surface.is_slow() && (typed || self.pressed) {
            // On a slow line a frame that shows a key is one of both kinds: together they would be twice as many.
            let other = if typed { &mut self.frames } else { &mut self.typed };
            other.drawn();
        }
        (self.stale, self.behind, self.pressed) = (surface.is_partial(), surface.is_behind(), false);
        Ok(())
    }
}

enum Batch {
    Input(Vec<Event>),
    Event(Option<Event>),
    /// The frame before has arrived, and a key is to be shown.
    Freed,
    Draw,
    /// Nothing that anything follows from.
    Nothing,
    /// Those who watch are to be shown what happened.
    Show,
    /// Nothing more will be heard.
    Gone,
}

/// Waits until then; for ever without a time.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// What arrived next; while no line is heard, only that it is to end.
async fn hear(source: &mut impl Source, hears: bool) -> Option<Vec<Event>> {
    if hears {
        return source.next().await;
    }
    source.ended().await;
    None
}

/// Whether what was asked for is still to come.
fn is_awaiting(model: &Model, drivers: &impl Drivers, events: &UnboundedReceiver<Event>) -> bool {
    drivers.is_waiting() || !events.is_empty() || model.is_awaiting()
}

fn draw(
    model: &mut Model,
    surface: &mut impl Surface,
    buffer: &mut Buffer,
    frames: &mut Frames,
    hurried: bool,
) -> io::Result<()> {
    if model.plain.is_some() {
        let said = plain::say(model);
        frames.drawn();
        return surface.say(&said, model.asks_secret());
    }
    let area = Rect { x: 0, y: 0, width: model.shell.size.0, height: model.shell.size.1 };
    if buffer.area == area {
        buffer.reset();
    } else {
        *buffer = Buffer::empty(area);
    }
    let cursor = if surface.has_links() {
        let (cursor, links) = view_with_links(model, buffer);
        let anchor = |link: Linked| Anchor { at: link.at, width: link.width, address: link.address };
        surface.link(links.into_iter().map(anchor).collect());
        cursor
    } else {
        view(model, buffer)
    };
    let placed = model.shown_pictures().into_iter().filter_map(|(area, picture)| {
        let data = picture.data.as_ref()?;
        Some(Placed { id: picture.id, area, bytes: Arc::clone(&data.bytes), over: data.over })
    });
    surface.place(placed.collect(), hurried);
    frames.drawn();
    surface.present(buffer, cursor)?;
    surface.progress(model.screens.videos.progress())
}

/// Takes in what happened already, such as a text that comes from the editor, before the end.
async fn end<D: Drivers>(
    model: &mut Model,
    surface: &mut impl Surface,
    source: &mut impl Source,
    events: &mut UnboundedReceiver<Event>,
    drivers: &mut D,
) -> io::Result<Ended> {
    let mut last = Vec::new();
    for _ in 0..MOST_AT_ONCE {
        let Ok(event) = events.try_recv() else { break };
        last.extend(update(model, drivers.now(), event));
    }
    if model.plain.is_some() {
        let _ = surface.say(&plain::say(model), false);
    }
    let until = Instant::now() + KEPT;
    loop {
        // A terminal that is gone is no reason to keep nothing.
        let _ = carry_out(last, surface, source, drivers).await;
        if model.screens.steps.is_kept() {
            return Ok(Ended::HungUp);
        }
        let Ok(Some(event)) = timeout_at(until, events.recv()).await else { return Ok(Ended::HungUp) };
        last = update(model, drivers.now(), event);
    }
}

/// While the terminal was lent it may have got another size.
fn report_size(surface: &impl Surface, drivers: &mut impl Drivers) {
    let (width, height) = surface.size();
    drivers.report(Event::Resized { width, height });
}

/// Carries effects out: those of the terminal here, the rest by the drivers.
async fn carry_out<D: Drivers>(
    effects: Vec<Effect>,
    surface: &mut impl Surface,
    source: &mut impl Source,
    drivers: &mut D,
) -> io::Result<Option<Ended>> {
    let mut effects = effects.into_iter();
    while let Some(effect) = effects.next() {
        if !drivers.allows(&effect) {
            let tells = matches!(effect, Effect::TellDesktop(_));
            (!tells).then(|| drivers.report(Event::NotKept("This isn't available here.".to_owned())));
            continue;
        }
        match effect {
            Effect::Quit => return Ok(Some(Ended::Quit)),
            Effect::Account(account::Effect::Switch(to)) => return Ok(Some(Ended::Switch(to))),
            Effect::Account(account::Effect::RenameOpen(to)) => return Ok(Some(Ended::Rename(to))),
            Effect::Repaint => surface.repaint(),
            Effect::CopyText(text) | Effect::CopySecret(text) | Effect::CopySignIn(text) => {
                let event = match surface.copy(&text) {
                    Ok(()) => Event::Copied(text.len()),
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => Event::NoClipboard,
                    Err(error) => Event::NotKept(format!("Couldn't copy: {error}")),
                };
                drivers.report(event);
            }
            Effect::TellDesktop(words) => surface.tell_desktop(&words)?,
            Effect::Suspend => {
                source.release();
                drivers.pause().await;
                surface.suspend(source.ended()).await?;
                source.reclaim().await?;
                report_size(surface, drivers);
                drivers.report(Event::Resumed);
            }
            Effect::EditText(text) => {
                source.release();
                surface.lend();
                let edited = match drivers.edit_text(text, source.ended()).await {
                    Edited::Ended(kept) => {
                        let words = |kept: &Path| format!("The text from the editor is in {}", kept.display());
                        let _ = kept.map(|kept| surface.say_last(words(&kept)));
                        return Ok(Some(hung_up(effects, drivers)));
                    }
                    Edited::Text(edited) => edited,
                };
                drivers.report(Event::TextEdited(edited));
                let back = match surface.take_back() {
                    Ok(()) => source.reclaim().await,
                    gone => gone,
                };
                match back {
                    Err(_) if timeout(SIGNALED, source.ended()).await.is_ok() => {
                        return Ok(Some(hung_up(effects, drivers)));
                    }
                    back => back?,
                }
                report_size(surface, drivers);
            }
            other => drivers.carry_out(other),
        }
    }
    Ok(None)
}

/// Nothing more will come: the drivers carry out what was asked for before that, such as to keep what was typed.
fn hung_up(effects: impl Iterator<Item = Effect>, drivers: &mut impl Drivers) -> Ended {
    for effect in effects {
        if drivers.allows(&effect) {
            drivers.carry_out(effect);
        }
    }
    Ended::HungUp
}

/// How close frames may follow each other: `BURST` at once, then one a `FRAME`.
#[derive(Debug)]
struct Frames {
    /// When the bucket that every frame adds to is empty again.
    empty_at: Instant,
}

impl Frames {
    fn new() -> Self {
        Self { empty_at: Instant::now() }
    }

    fn drawn(&mut self) {
        self.empty_at = self.empty_at.max(Instant::now()) + FRAME;
    }

    /// When the next frame may be drawn.
    fn wait(&self, slow: bool) -> Instant {
        let now = Instant::now();
        if slow {
            return self.empty_at + SLOW_FRAME.saturating_sub(FRAME);
        }
        self.empty_at.checked_sub(FRAME * (BURST - 1)).unwrap_or(now)
    }
}
