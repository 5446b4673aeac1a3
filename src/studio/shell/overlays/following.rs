//! What may follow keys that begin a chord. It stays until a key is pressed, however long that takes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Came, Layered};
use crate::settings::{Chord, Key};
use crate::studio::ground::{Command, Keymap, Layer, Target};
use crate::studio::screens::pane::Hint;
use crate::studio::shell::state::Shell;
use crate::studio::widgets::{Ink, Panel, Role, put, width, wipe};

/// Columns of the keys, and of a whole entry.
const KEYS: u16 = 12;
const ENTRY: u16 = 38;

/// Keys that were pressed, and what may follow them.
#[derive(Debug, Clone)]
pub struct Following {
    pressed: Vec<Key>,
    follow: Vec<Follow>,
    size: (u16, u16),
}

/// What may follow.
#[derive(Debug, Clone)]
struct Follow {
    /// The keys that are still to be pressed.
    keys: Vec<Key>,
    /// What they do.
    title: String,
}

impl Following {
    /// Keys that were pressed in these layers.
    #[must_use]
    pub fn of(pressed: Vec<Key>, keymap: &Keymap, layers: &[Layer]) -> Self {
        let follow = |(chord, target): (Chord, Target)| Follow {
            keys: chord.keys().get(pressed.len()..).unwrap_or_default().to_vec(),
            title: keymap.title(target),
        };
        let follow = keymap.following(layers, &pressed).into_iter().map(follow).collect();
        Self { pressed, follow, size: (0, 0) }
    }

    /// The keys that were pressed.
    #[must_use]
    pub fn pressed(&self) -> &[Key] {
        &self.pressed
    }

    fn label(keys: &[Key], ascii: bool) -> String {
        keys.iter().map(|key| key.label(ascii)).collect::<Vec<_>>().join(" ")
    }

    /// Entries beside each other, and the area of all of them: above the last line.
    fn area(&self) -> (u16, Rect) {
        let (across, down) = self.size;
        let columns = (across.saturating_sub(2) / ENTRY).max(1);
        let count = u16::try_from(self.follow.len()).unwrap_or(u16::MAX);
        let height = count.div_ceil(columns).saturating_add(2).min(down.saturating_sub(2));
        (columns, Rect { x: 0, y: down.saturating_sub(1 + height), width: across, height })
    }

    /// Where an entry stands in the area inside.
    fn place(at: usize, columns: u16, inside: Rect) -> Option<(u16, u16)> {
        let at = u16::try_from(at).ok()?;
        let y = inside.y.checked_add(at / columns).filter(|y| *y < inside.bottom())?;
        Some((inside.x + 1 + (at % columns) * ENTRY, y))
    }
}

impl Layered for Following {
    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    fn hints(&self) -> &'static [Hint] {
        const { &[Hint::of(Command::Back).saying("cancel")] }
    }

    fn take(&mut self, _command: Command, _keymap: &Keymap) -> Came {
        Came::Nothing
    }

    fn pressed(&mut self, x: u16, y: u16) -> Came {
        let (columns, area) = self.area();
        if y < area.y {
            return self.back();
        }
        let inside =
            Rect { x: 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height.saturating_sub(2) };
        let is_there = |at: &usize| {
            Self::place(*at, columns, inside).is_some_and(|(left, row)| row == y && (left..left + ENTRY).contains(&x))
        };
        let chosen = (0..self.follow.len()).find(is_there).and_then(|at| self.follow.get(at)?.keys.first().copied());
        chosen.map_or(Came::Nothing, Came::Pressed)
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        let (columns, area) = self.area();
        wipe(buf, ink, area);
        let title = format!("{} {}", Self::label(&self.pressed, ink.ascii), ink.ellipsis());
        let inside = Panel { title: &title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        for (at, follow) in self.follow.iter().enumerate() {
            let Some((x, y)) = Self::place(at, columns, inside) else { break };
            let room = inside.right().saturating_sub(x);
            put(buf, ink, (x, y), KEYS.min(room), &Self::label(&follow.keys, ink.ascii), ink.style(Role::Accent));
            let room = room.saturating_sub(KEYS + 1).min(ENTRY - KEYS - 2);
            put(buf, ink, (x + KEYS + 1, y), room, &follow.title, ink.style(Role::Text));
        }
        // Where the next key is waited for.
        let x = area.x.saturating_add(2).saturating_add(width(&title));
        (area.height > 0).then_some((x.min(area.right().saturating_sub(1)), area.y))
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        lines.push(format!("{}: another key follows", Self::label(&self.pressed, true)));
        lines.extend(self.follow.iter().map(|it| format!("{}: {}", Self::label(&it.keys, true), it.title)));
    }
}
