//! The loop: take everything that is queued, update, then draw once.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::surface::{Source, Surface};
use super::world::{Done, World};
use crate::studio::effect::Effect;
use crate::studio::event::{Event, Moment, MouseAction};
use crate::studio::{Model, SwitchTo, account, update, view};
use crate::terminal::Placed;

/// While more comes than that, frames are at least so far apart.
const FRAME: Duration = Duration::from_millis(16);
/// The same where the way to the person is slow.
const SLOW_FRAME: Duration = Duration::from_millis(100);
/// Keys that follow each other faster than that are a key held down: pictures are painted once it is let go.
const REST: Duration = Duration::from_millis(60);
/// The same where the way to the person is slow, over which keys come in bunches.
const SLOW_REST: Duration = Duration::from_millis(250);
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
pub async fn run<S: Surface, I: Source, W: World>(
    model: &mut Model,
    surface: &mut S,
    source: &mut I,
    world: &mut W,
    events: &mut UnboundedReceiver<Event>,
) -> io::Result<Ended> {
    let (width, height) = surface.size();
    update(model, world.now(), Event::Resized { width, height }).into_iter().for_each(drop);
    let begun = model.start(world.now());
    // Keys have frames of their own: those that show what arrived meanwhile never hold up what was pressed.
    let (mut frames, mut typed) = (Frames::new(), Frames::new());
    let mut buffer = Buffer::empty(Rect::ZERO);
    draw(model, surface, &mut buffer, &mut frames, false)?;
    surface.ask()?;
    if let Some(ended) = carry_out(begun, surface, source, world).await? {
        return Ok(ended);
    }
    // What happened is not shown yet; pictures of what is shown are not painted yet, and from when on they may be.
    let (mut stale, mut behind, mut rests_at) = (true, false, Instant::now());
    loop {
        let wait = frames.wait(surface.is_slow()).max(if stale { Instant::now() } else { rests_at });
        let batch = tokio::select! {
            // Keys before replies: a person who types is never behind a flood of progress.
            biased;
            arrived = source.next() => match arrived {
                Some(batch) => Batch::Input(batch),
                None => return Ok(Ended::HungUp),
            },
            event = events.recv() => Batch::Event(event),
            () = tokio::time::sleep_until(wait), if stale || behind => Batch::Draw,
        };
        let now = world.now();
        let mut effects = Vec::new();
        let own = if matches!(batch, Batch::Input(_)) { &mut typed } else { &mut frames };
        match batch {
            Batch::Input(batch) => {
                rests_at = Instant::now() + if surface.is_slow() { SLOW_REST } else { REST };
                for event in batch {
                    effects.extend(update(model, now, event));
                }
            }
            Batch::Event(Some(event)) => effects.extend(update(model, now, event)),
            Batch::Event(None) => return Ok(Ended::HungUp),
            Batch::Draw => {
                draw(model, surface, &mut buffer, own, Instant::now() < rests_at)?;
                (stale, behind) = (false, surface.is_behind());
                continue;
            }
        }
        while let Ok(event) = events.try_recv() {
            effects.extend(update(model, now, event));
        }
        if let Some(ended) = carry_out(effects, surface, source, world).await? {
            return Ok(ended);
        }
        stale = true;
        if own.wait(surface.is_slow()) <= Instant::now() {
            draw(model, surface, &mut buffer, own, Instant::now() < rests_at)?;
            (stale, behind) = (false, surface.is_behind());
        }
    }
}

enum Batch {
    Input(Vec<Event>),
    Event(Option<Event>),
    Draw,
}

fn draw(
    model: &Model,
    surface: &mut impl Surface,
    buffer: &mut Buffer,
    frames: &mut Frames,
    hurried: bool,
) -> io::Result<()> {
    let area = Rect { x: 0, y: 0, width: model.size.0, height: model.size.1 };
    if buffer.area == area {
        buffer.reset();
    } else {
        *buffer = Buffer::empty(area);
    }
    let cursor = view(model, buffer);
    let placed = model.shown_pictures().into_iter().filter_map(|(area, picture)| {
        let data = picture.data.as_ref()?;
        Some(Placed { id: picture.id, area, bytes: Arc::clone(&data.bytes), over: data.over })
    });
    surface.place(placed.collect(), hurried);
    frames.drawn();
    surface.present(buffer, cursor)?;
    surface.progress(model.videos.progress())
}

/// Carries effects out: those of the terminal here, the rest by the world.
async fn carry_out<W: World>(
    effects: Vec<Effect>,
    surface: &mut impl Surface,
    source: &mut impl Source,
    world: &mut W,
) -> io::Result<Option<Ended>> {
    for effect in effects {
        match effect {
            Effect::Quit => return Ok(Some(Ended::Quit)),
            Effect::Account(account::Effect::Switch(to)) => return Ok(Some(Ended::Switch(to))),
            Effect::Account(account::Effect::RenameOpen(to)) => return Ok(Some(Ended::Rename(to))),
            Effect::Repaint => surface.repaint(),
            Effect::CopyText(text) => {
                let event = match surface.copy(&text) {
                    Ok(()) => Event::Copied(text.len()),
                    Err(error) => Event::NotKept(format!("It could not be copied: {error}")),
                };
                world.report(event);
            }
            Effect::TellDesktop(words) => surface.tell_desktop(&words)?,
            Effect::Suspend => {
                source.release();
                world.pause().await;
                surface.suspend().await?;
                source.reclaim()?;
                let (width, height) = surface.size();
                world.report(Event::Resized { width, height });
                world.report(Event::Resumed);
            }
            Effect::ShowPicture(picture) => {
                source.release();
                let shown = surface.show(picture).await;
                source.reclaim()?;
                match shown {
                    Ok(()) if !until_pressed(source).await => return Ok(Some(Ended::HungUp)),
                    Ok(()) => {}
                    Err(error) => world.report(Event::NotKept(format!("The picture could not be shown: {error}"))),
                }
                surface.repaint();
                let (width, height) = surface.size();
                world.report(Event::Resized { width, height });
                world.report(Event::Resumed);
            }
            Effect::EditText(text) => {
                source.release();
                surface.lend();
                let edited = world.edit_text(text).await;
                surface.take_back()?;
                source.reclaim()?;
                let (width, height) = surface.size();
                world.report(Event::Resized { width, height });
                world.report(Event::TextEdited(edited));
            }
            other => match world.carry_out(other) {
                Done::Started => {}
                Done::Now(event) => world.report(event),
            },
        }
    }
    Ok(None)
}

/// Waits for a key or a press of the mouse, or another size of the screen; whether one came.
async fn until_pressed(source: &mut impl Source) -> bool {
    while let Some(events) = source.next().await {
        let ends = |event: &Event| match event {
            Event::Pressed(_) | Event::Resized { .. } => true,
            Event::Mouse(mouse) => mouse.what == MouseAction::Press,
            _ => false,
        };
        if events.iter().any(ends) {
            return true;
        }
    }
    false
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

/// The moment of now, from the system's clock.
#[must_use]
pub fn clock() -> Moment {
    Moment(jiff::Timestamp::now().as_millisecond())
}
