//! One who watches, in the process of the studio: their terminal is drawn on in its own size and pace, from copies of the
//! model, and what they press is passed on.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use super::Shown;
use crate::runtime::surface::{Source, Surface};
use crate::runtime::themes::load_theme;
use crate::settings::{Depth, Folders, Key, KeyCode};
use crate::studio::event::{Event, MouseAction};
use crate::studio::sharing::{self, Direction, Keys, Mark, Runs};
use crate::studio::watched::{Seat, draw_watched, watched};

/// While more comes than that, frames are at least so far apart.
const FRAME: Duration = Duration::from_millis(16);

/// Leaves at once, whoever has the keys.
const LEAVE: Key = Key::ctrl('q');

/// One who watches.
pub(super) struct Chair {
    pub(super) seat: Seat,
    /// Where their own colors are found.
    pub(super) folders: Folders,
    pub(super) depth: Depth,
    /// What the studio is like.
    pub(super) shown: watch::Receiver<Shown>,
    /// The studio's loop.
    pub(super) events: UnboundedSender<Event>,
    /// What is on their screen.
    pub(super) buffer: Buffer,
    pub(super) mark: Option<Mark>,
    /// Whether the studio was not told yet of what they point at.
    pub(super) untold: bool,
}

impl Chair {
    /// Shows the studio until they leave.
    pub(super) async fn sit(&mut self, surface: &mut impl Surface, source: &mut impl Source) {
        self.seat.size = surface.size();
        if surface.ask().is_err() {
            return;
        }
        let mut stale = true;
        loop {
            let is_busy = surface.is_busy();
            tokio::select! {
                biased;
                arrived = source.next() => {
                    let Some(events) = arrived else { return };
                    for event in events {
                        if !self.take(event).await {
                            return;
                        }
                    }
                    stale = true;
                }
                freed = surface.freed(), if is_busy => {
                    if freed.is_err() {
                        return;
                    }
                }
                changed = self.shown.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    stale = true;
                }
                () = tokio::time::sleep(FRAME), if stale && !is_busy => {
                    self.tell_mark();
                    let Ok(is_partial) = self.draw(surface) else { return };
                    stale = is_partial;
                }
            }
        }
    }

    /// Draws the studio as it is now; whether a part is still to come.
    fn draw(&mut self, surface: &mut impl Surface) -> std::io::Result<bool> {
        let Some(model) = self.shown.borrow_and_update().clone() else { return Ok(false) };
        let copy = {
            let model = model.lock().unwrap_or_else(PoisonError::into_inner);
            // A picture of before they came is not for them.
            if model.shell.sharing.watcher(self.seat.id).is_none() {
                return Ok(false);
            }
            watched(&model, &self.seat)
        };
        let (width, height) = self.seat.size;
        let area = Rect { x: 0, y: 0, width, height };
        if self.buffer.area == area {
            self.buffer.reset();
        } else {
            self.buffer = Buffer::empty(area);
        }
        let cursor = draw_watched(&copy, &mut self.buffer);
        surface.present(&self.buffer, cursor)?;
        Ok(surface.is_partial())
    }

    fn keys(&self) -> Keys {
        let Some(model) = self.shown.borrow().clone() else { return Keys::Never };
        let model = model.lock().unwrap_or_else(PoisonError::into_inner);
        model.shell.sharing.watcher(self.seat.id).map_or(Keys::Never, |watcher| watcher.keys)
    }

    /// Whether asking for the keys says something new.
    fn may_ask(&self) -> bool {
        let Some(model) = self.shown.borrow().clone() else { return false };
        let model = model.lock().unwrap_or_else(PoisonError::into_inner);
        model
            .shell
            .sharing
            .watcher(self.seat.id)
            .is_some_and(|watcher| watcher.keys == Keys::WithOwner && !watcher.asks)
    }

    fn tell(&self, event: sharing::Event) {
        let _ = self.events.send(Event::Sharing(event));
    }

    /// Points at something: the studio is told with the next frame, however often it changes until then.
    fn point(&mut self, mark: Option<Mark>) {
        self.untold |= self.mark != mark;
        self.mark = mark;
    }

    fn tell_mark(&mut self) {
        if std::mem::take(&mut self.untold) {
            self.tell(sharing::Event::Pointed(self.seat.id, self.mark.clone()));
        }
    }

    /// Takes what they did; whether they stay.
    async fn take(&mut self, event: Event) -> bool {
        match event {
            Event::Resized { width, height } => self.seat.size = (width, height),
            Event::ThemeFits(name) => {
                let (folders, depth) = (self.folders.clone(), self.depth);
                if let Ok((theme, _)) = tokio::task::spawn_blocking(move || load_theme(&folders, &name, depth)).await {
                    self.seat.theme = Arc::new(theme);
                }
            }
            Event::Pressed(LEAVE) => return false,
            Event::Pressed(key) if self.keys() == Keys::Given => self.tell(sharing::Event::Pressed(self.seat.id, key)),
            Event::Pressed(key) => return self.press(key),
            Event::Pasted(text) if self.keys() == Keys::Given => self.tell(sharing::Event::Pasted(self.seat.id, text)),
            Event::Mouse(mouse) if mouse.what == MouseAction::Press => {
                let mark = Runs::of(&self.buffer).at(mouse.x, mouse.y);
                self.point(mark);
            }
            _ => {}
        }
        true
    }

    /// A key while the owner has them.
    fn press(&mut self, key: Key) -> bool {
        let to = match key.code {
            KeyCode::Char('q') => return false,
            KeyCode::Char('c') if key.ctrl => return false,
            KeyCode::Char('k') if self.may_ask() => {
                self.tell(sharing::Event::AskedForKeys(self.seat.id));
                return true;
            }
            KeyCode::Esc => {
                self.point(None);
                return true;
            }
            KeyCode::Up => Direction::Up,
            KeyCode::Down => Direction::Down,
            KeyCode::Left => Direction::Left,
            KeyCode::Right => Direction::Right,
            _ => return true,
        };
        let mark = Runs::of(&self.buffer).next(self.mark.as_ref(), to);
        self.point(mark);
        true
    }
}
