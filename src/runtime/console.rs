//! What any terminal shows and says, wherever its bytes come from and go to: the process's own, or a guest's.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ratatui::buffer::Buffer;

use crate::settings::{Depth, Graphics};
use crate::studio::event::{Event, Mouse, MouseAction};
use crate::terminal::{
    Anchor, Answer, Answers, Arrival, Capability, Desktop, Keyboard, Link, Outbox, Placed, Pulse, REPEATS_QUERY,
    STATUS_QUERY, Screen, clipboard, progress, questions, questions_through_tmux,
};

/// Pixels of a cell where nobody says.
const LIKELY_CELL: (u16, u16) = (10, 20);

/// What is known of a terminal before it was asked, and chosen for it.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// What it can show.
    pub capability: Capability,
    /// How pictures are to be shown, where that was chosen.
    pub graphics: Option<Graphics>,
    /// Whether it may be told how far something is.
    pub tells_progress: bool,
    /// Whether its theme follows its background: none was chosen.
    pub follows_background: bool,
    /// How long a terminal that answered before may be silent until it is taken to be gone.
    pub lost_after: Duration,
    /// How it passes words on to the desktop, where it does.
    pub desktop: Option<Desktop>,
}

/// What a terminal shows.
pub(super) struct Console {
    pub(super) screen: Screen<Outbox>,
    pub(super) known: Arc<Known>,
    pub(super) link: Arc<Link>,
    setup: Setup,
    /// The number of the write that the last frame is.
    frame: u64,
    /// What it was told last of how far something is.
    progress: Option<u8>,
    /// The frames since tmux answered for itself, as far as the terminal around it is asked again with some.
    unanswered: u8,
}

/// The frames with which the terminal around tmux is asked again while it is silent.
const ASKED_AGAIN: [u8; 3] = [1, 4, 16];

impl Console {
    pub(super) fn new(setup: Setup, outbox: Outbox) -> Self {
        let far = setup.capability.remote;
        let link = Arc::new(if setup.capability.silent { Link::silent_to(far) } else { Link::new(far) });
        let (answered, repeats) = (Mutex::default(), AtomicBool::new(false));
        let known = Arc::new(Known { setup, answered, repeats, link: Arc::clone(&link) });
        Self {
            screen: Screen::new(outbox)
                .with(setup.capability.shortcuts)
                .with_links(setup.capability.links)
                .with_wide_signs(setup.capability.wide_signs)
                .with_passing(setup.capability.passes),
            known,
            link,
            setup,
            frame: 0,
            progress: None,
            unanswered: 0,
        }
    }

    /// Asks how long an answer takes while nothing else is on its way.
    pub(super) fn measure(&mut self) -> io::Result<()> {
        if self.setup.capability.silent {
            return Ok(());
        }
        self.link.asked();
        self.screen.write(STATUS_QUERY)
    }

    pub(super) fn has_links(&self) -> bool {
        self.setup.capability.links
    }

    pub(super) fn link(&mut self, anchors: Vec<Anchor>) {
        self.screen.link(anchors);
    }

    pub(super) fn present(&mut self, picture: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<()> {
        if self.known.repeats.load(Ordering::Relaxed) {
            self.screen.repeats();
        }
        let (before, after) = self.link.queries();
        self.screen.ask(before, after);
        self.screen.limit(self.link.most());
        let bytes = self.screen.present(picture, cursor)?.bytes;
        if bytes > 0 {
            self.frame = self.screen.out().wanted();
            if before {
                self.link.asked();
            }
            self.link.framed(if before { bytes - STATUS_QUERY.len() } else { bytes });
            self.ask_through_tmux()?;
        }
        Ok(())
    }

    /// Asks the terminal around tmux again: while tmux redraws, as at its own start, it drops what it is to pass on.
    fn ask_through_tmux(&mut self) -> io::Result<()> {
        let Capability { passes, silent, .. } = self.setup.capability;
        if !passes || silent || self.setup.graphics == Some(Graphics::Off) {
            return Ok(());
        }
        let (is_there, has_kitty) = {
            let answered = self.known.answered();
            (answered.found.is_some(), answered.answers.has_kitty())
        };
        if !is_there || has_kitty {
            return Ok(());
        }
        self.unanswered = self.unanswered.saturating_add(1);
        if ASKED_AGAIN.contains(&self.unanswered) { self.write(&questions_through_tmux()) } else { Ok(()) }
    }

    /// Writes what is no frame.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.sent(bytes.len());
        self.screen.write(bytes)
    }

    /// Whether nothing more is to be drawn now: the last frame is not written yet, or more is on its way to the terminal
    /// than the line carries soon. Other writes keep no frame waiting: it comes after them.
    pub(super) fn is_busy(&self) -> bool {
        !self.screen.out().has_done(self.frame) || !self.link.is_free()
    }

    /// Waits until it is no longer busy. Safe to be cancelled.
    pub(super) fn freed(&self) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let (emptied, link) = (self.screen.out().emptied(), Arc::clone(&self.link));
        async move {
            emptied.await?;
            link.freed().await;
            Ok(())
        }
    }

    /// Whether the way to the person is slow.
    pub(super) fn is_slow(&self) -> bool {
        self.screen.out().is_slow() || self.link.is_slow()
    }

    pub(super) fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.screen.place(placed, hurried);
    }

    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        if !self.setup.capability.clipboard {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.write(&clipboard(text, self.setup.capability.copies_through))
    }

    pub(super) fn ask(&mut self) -> io::Result<()> {
        let pictures = self.setup.graphics != Some(Graphics::Off);
        if self.setup.capability.asks_repeats {
            self.write(REPEATS_QUERY)?;
            // It stands where a studio may have been before this one.
            self.screen.repaint();
        }
        let questions = questions(&self.setup.capability, self.setup.follows_background, pictures);
        if questions.is_empty() { Ok(()) } else { self.write(&questions) }
    }

    pub(super) fn progress(&mut self, percent: Option<u8>) -> io::Result<()> {
        if !self.setup.tells_progress || self.progress == percent {
            return Ok(());
        }
        self.progress = percent;
        self.write(&progress(percent))
    }

    pub(super) fn tell_desktop(&mut self, words: &str) -> io::Result<()> {
        self.setup.desktop.map_or(Ok(()), |desktop| self.write(&desktop.telling(words)))
    }

    /// Takes back what the terminal was given to keep, before it is given back itself; it may be gone.
    pub(super) fn withdraw(&mut self) {
        let _ = self.screen.withdraw_pictures();
        if self.progress.take().is_some() {
            let _ = self.screen.write(&progress(None));
        }
    }
}

/// How pictures are shown, as far as it is known: what is set, what the environment says, what the terminal answers.
pub(super) struct Known {
    setup: Setup,
    answered: Mutex<Answered>,
    /// Whether it said that it draws signs again.
    repeats: AtomicBool,
    link: Arc<Link>,
}

#[derive(Default)]
struct Answered {
    answers: Answers,
    /// Whether the background is light, where it was said.
    light: Option<bool>,
    /// Whether it was told already that it shows colors of 24 bits.
    is_direct: bool,
    found: Option<(Graphics, (u16, u16))>,
}

impl Known {
    fn answered(&self) -> MutexGuard<'_, Answered> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a line on which nothing happens needs looking after. Safe to be cancelled.
    pub(super) async fn silent(&self) {
        self.link.silent(self.setup.lost_after).await;
    }

    /// Looks after a line on which nothing happens: asks the terminal whether it is there, through what writes to it.
    /// Whether it still is.
    pub(super) fn look_after(&self, out: &mut Outbox) -> bool {
        match self.link.pulse(self.setup.lost_after) {
            Pulse::Lost => return false,
            Pulse::Ask => {
                self.link.asked();
                // What can't be written any more is heard of by whoever draws.
                let _ = out.write_all(STATUS_QUERY).and_then(|()| out.flush());
            }
            Pulse::Quiet(_) => {}
        }
        true
    }

    /// What the terminal was asked is not answered any more: another program had it.
    pub(super) fn forget_answers(&self) {
        self.link.forget();
    }

    /// What is known, where that is news.
    fn find(&self, answered: &mut Answered, cell: Option<(u16, u16)>) -> Option<Event> {
        let graphics = self.setup.graphics.unwrap_or_else(|| self.setup.capability.graphics(&answered.answers));
        let cell = answered.answers.cell.or(cell).unwrap_or(LIKELY_CELL);
        let found = Some((graphics, cell));
        (std::mem::replace(&mut answered.found, found) != found).then_some(Event::GraphicsKnown { graphics, cell })
    }

    /// The letters may have another size now, and so may the cells: what the terminal answered before is old.
    pub(super) fn resized(&self, cell: Option<(u16, u16)>) -> Option<Event> {
        let mut answered = self.answered();
        answered.answers.cell = cell.or(answered.answers.cell);
        if answered.found.is_some() { self.find(&mut answered, cell) } else { None }
    }

    /// What arrived, as the studio knows it: `cell` says how many pixels a cell has, where the system knows; `keyboard`
    /// is called where the terminal says that it tells keys apart.
    pub(super) fn event_of(
        &self,
        arrival: Arrival,
        cell: impl FnOnce() -> Option<(u16, u16)>,
        keyboard: impl FnOnce(),
    ) -> Option<Event> {
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
                if self.setup.capability.keyboard != Keyboard::Off {
                    keyboard();
                }
                None
            }
            Arrival::Answer(Answer::Repeats(is)) => {
                self.repeats.store(is && self.setup.capability.asks_repeats, Ordering::Relaxed);
                None
            }
            Arrival::Answer(Answer::Status) => {
                self.link.answered();
                let round_trip_ms = self.link.news()?.as_millis();
                Some(Event::LinkMeasured { round_trip_ms: u64::try_from(round_trip_ms).unwrap_or(u64::MAX) })
            }
            Arrival::Answer(Answer::Background { light }) if self.setup.follows_background => {
                self.answered().light = Some(light);
                let theme = Capability { light: Some(light), ..self.setup.capability }.theme();
                Some(Event::ThemeFits(theme.to_owned()))
            }
            Arrival::Answer(Answer::Direct) if self.setup.capability.asks_colors => {
                let mut answered = self.answered();
                if std::mem::replace(&mut answered.is_direct, true) {
                    return None;
                }
                let capability = self.setup.capability;
                let light = answered.light.or(capability.light);
                let theme = Capability { light, depth: Depth::True, ..capability }.theme();
                let theme = self.setup.follows_background.then(|| theme.to_owned());
                Some(Event::ColorsFound { depth: Depth::True, theme })
            }
            Arrival::Answer(answer) => {
                let mut answered = self.answered();
                // What the terminal around tmux says comes after the last that tmux says.
                let is_late = self.setup.capability.passes && matches!(answer, Answer::Kitty { .. });
                // The last answer of all: now everything is known that will be.
                if answered.answers.take(answer) || is_late { self.find(&mut answered, cell()) } else { None }
            }
            Arrival::Focus(_) => None,
        }
    }
}
