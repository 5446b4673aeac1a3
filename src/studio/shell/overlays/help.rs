//! Every key and what it does: those of the screen that is shown first, then those that hold everywhere, then the rest.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Came, Layered, TEXT};
use crate::domain::text::{self, fold};
use crate::settings::{Chord, Key};
use crate::studio::ground::layout::{Frame, centered};
use crate::studio::ground::{Command, Keymap, Layer};
use crate::studio::screens::pane::Hint;
use crate::studio::shell::state::Shell;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::{scroll, stride};
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, piece, put, scrollbar};

/// From so many columns on the names of commands stand beside what they do.
const WIDE: u16 = 84;

/// The help page: of which screen it was asked, what was typed to search it, and how far it is scrolled.
#[derive(Debug, Clone)]
pub struct Help {
    screen: Layer,
    /// The keys of the mode it was asked in, and what they do there.
    now: Vec<(String, &'static str)>,
    query: LineEdit,
    top: usize,
    size: (u16, u16),
}

/// A line of the page.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// The name of the commands that follow.
    Heading(&'static str),
    /// Keys of the mode that it was asked in, and what they do there.
    Now(String, &'static str),
    /// A command with its keys.
    Command(String, Command),
    /// A program of the person's own with its keys: title and command line.
    Own(String, String, String),
    /// More of what is said of the command before.
    More(String),
    /// Between two groups.
    Gap,
}

impl Help {
    /// The page as it is asked for on the screen of a layer.
    #[must_use]
    pub fn of(screen: Layer) -> Self {
        Self { screen, now: Vec::new(), query: LineEdit::default(), top: 0, size: (0, 0) }
    }

    /// The same, beginning with the keys of the mode it was asked in.
    #[must_use]
    pub fn in_a_mode(self, now: Vec<(String, &'static str)>) -> Self {
        Self { now, ..self }
    }

    /// Every command that matches, in groups.
    fn lines(&self, keymap: &Keymap) -> Vec<Line> {
        let wanted = fold(self.query.text().trim());
        let others = Layer::OUTSIDE_TEXT.into_iter().filter(|layer| ![self.screen, Layer::Global].contains(layer));
        let mut lines = Vec::new();
        let now = self.now.iter().filter(|(keys, words)| fold(&format!("{keys} {words}")).contains(&wanted));
        lines.extend(now.map(|(keys, words)| Line::Now(keys.clone(), words)));
        if !lines.is_empty() {
            lines.insert(0, Line::Heading("Now"));
        }
        let offered = Command::ALL.iter().filter(|command| keymap.offers(**command));
        let offered: Vec<(&Command, Layer)> = offered.map(|command| (command, self.group(*command, keymap))).collect();
        for group in [self.screen, Layer::Global].into_iter().chain(others) {
            let matching: Vec<Line> = offered
                .iter()
                .filter(|(_, of)| *of == group)
                .filter_map(|(command, _)| {
                    // The keys of this screen before those that others have for the same; a mode has its own only.
                    let layers = if group.is_mode() { [group, Layer::Text] } else { [Layer::Global, group] };
                    let mut keys: Vec<&Chord> = keymap.keys_that_work(**command, &layers);
                    if keys.is_empty() {
                        keys = keymap.keys_anywhere(**command);
                    }
                    // Between chords a space would look as if all were one.
                    let between = if keys.iter().any(|chord| chord.keys().len() > 1) { ", " } else { " " };
                    let keys = keys.iter().map(|key| key.label(true)).collect::<Vec<_>>().join(between);
                    let all = format!("{keys} {} {} {}", command.title(), command.name(), command.about());
                    fold(&all).contains(&wanted).then_some(Line::Command(keys, **command))
                })
                .collect();
            let own = keymap.own_in(&[group]).into_iter().map(|(_, own, chord)| {
                let said = |words: &str| text::line(words).into_owned();
                Line::Own(chord.label(true), said(&own.title), said(&own.line()))
            });
            let finds = |line: &Line| match line {
                Line::Own(keys, title, run) => fold(&format!("{keys} {title} {run}")).contains(&wanted),
                _ => true,
            };
            let matching: Vec<Line> = matching.into_iter().chain(own.filter(finds)).collect();
            if matching.is_empty() {
                continue;
            }
            if !lines.is_empty() {
                lines.push(Line::Gap);
            }
            lines.push(Line::Heading(self.heading(group)));
            for line in matching {
                let more = if let Line::Command(_, command) = &line { self.told(*command) } else { Vec::new() };
                lines.push(line);
                lines.extend(more.into_iter().skip(1).map(Line::More));
            }
        }
        lines
    }

    /// The columns of what a command does: from where, and how many.
    fn column(&self) -> (u16, u16) {
        let inside = self.area().width.saturating_sub(2);
        let from = if inside >= WIDE { 41 } else { 17 };
        (from, inside.saturating_sub(from + 1))
    }

    /// What a command does, in lines that fit.
    fn told(&self, command: Command) -> Vec<String> {
        let (_, room) = self.column();
        if room == 0 { vec![command.about().to_owned()] } else { wrap(command.about(), room) }
    }

    /// Where a command stands: with this screen's if it has a key here, else where its name says.
    fn group(&self, command: Command, keymap: &Keymap) -> Layer {
        let bound = |layer| keymap.keys_of(command, &[layer]).next().is_some();
        let named = command.name().split('.').next().unwrap_or_default();
        match Layer::OUTSIDE_TEXT.into_iter().find(|layer| layer.name() == named) {
            Some(layer) if layer == self.screen => layer,
            _ if bound(self.screen) => self.screen,
            Some(layer) if !bound(Layer::Global) => layer,
            _ => Layer::Global,
        }
    }

    /// What stands over the commands of a layer: what holds on every screen does not in a mode.
    fn heading(&self, group: Layer) -> &'static str {
        if group == Layer::Global && self.screen.is_mode() { "On every screen" } else { heading(group) }
    }

    fn area(&self) -> Rect {
        // As high as the screen under it, whose lower edge it covers.
        centered(Frame::of(self.size.0, self.size.1).body, 100, u16::MAX)
    }

    fn page(&self) -> usize {
        usize::from(self.area().height.saturating_sub(4)).max(1)
    }
}

impl Layered for Help {
    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn hints(&self) -> &'static [Hint] {
        TEXT
    }

    fn text_key(&mut self, key: Key) -> Came {
        if self.query.key(key) {
            self.top = 0;
        }
        Came::Nothing
    }

    fn pasted(&mut self, pasted: &str) {
        if self.query.paste(pasted) {
            self.top = 0;
        }
    }

    fn take(&mut self, command: Command, keymap: &Keymap) -> Came {
        stride(command, self.page()).map_or(Came::Nothing, |by| self.wheel(by, keymap))
    }

    fn wheel(&mut self, by: isize, keymap: &Keymap) -> Came {
        let (page, all) = (self.page(), self.lines(keymap).len());
        scroll(&mut self.top, by, page, all);
        Came::Nothing
    }

    fn view(&self, buf: &mut Buffer, shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        let keymap = &shell.begin.keymap;
        let area = self.area();
        crate::studio::widgets::wipe(buf, ink, area);
        let lines = self.lines(keymap);
        let count = lines.iter().filter(|line| matches!(line, Line::Command(..))).count();
        let right = vec![piece(Role::Dim, format!("{count} commands"))];
        let panel = Panel { title: "Help", right, focused: true, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        if inside.height < 2 || inside.width < 20 {
            return None;
        }
        put(buf, ink, (inside.x + 1, inside.y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        let cursor = self.query.draw(buf, ink, (inside.x + 3, inside.y), inside.width - 4);
        if self.query.text().is_empty() {
            let say = if shell.begin.guest.is_some() {
                "type to search"
            } else {
                "type to search; keymap.toml in the configuration folder changes keys"
            };
            put(buf, ink, (inside.x + 4, inside.y), inside.width - 5, say, ink.style(Role::Faint));
        }
        let wide = inside.width >= WIDE;
        let (from, room) = self.column();
        for (row, line) in lines.iter().skip(self.top).take(self.page()).enumerate() {
            let y = inside.y + 2 + u16::try_from(row).unwrap_or(0);
            let (keys, command) = match line {
                Line::Command(keys, command) => (keys, command),
                Line::Heading(name) => {
                    put(buf, ink, (inside.x + 1, y), inside.width - 2, name, ink.style(Role::Text));
                    continue;
                }
                Line::Now(keys, words) => {
                    put(buf, ink, (inside.x + 1, y), 15, keys, ink.style(Role::Accent));
                    put(buf, ink, (inside.x + 17, y), inside.width.saturating_sub(18), words, ink.style(Role::Text));
                    continue;
                }
                Line::Own(keys, title, run) => {
                    put(buf, ink, (inside.x + 1, y), 15, keys, ink.style(Role::Accent));
                    if wide {
                        put(buf, ink, (inside.x + 17, y), 23, title, ink.style(Role::Dim));
                    }
                    let words = if wide { run.clone() } else { format!("{title}: {run}") };
                    put(buf, ink, (inside.x + from, y), room, &words, ink.style(Role::Text));
                    continue;
                }
                Line::More(words) => {
                    put(buf, ink, (inside.x + from, y), room, words, ink.style(Role::Text));
                    continue;
                }
                Line::Gap => continue,
            };
            put(buf, ink, (inside.x + 1, y), 15, keys, ink.style(Role::Accent));
            if wide {
                put(buf, ink, (inside.x + 17, y), 23, command.name(), ink.style(Role::Dim));
            }
            let about = self.told(*command).into_iter().next().unwrap_or_default();
            put(buf, ink, (inside.x + from, y), room, &about, ink.style(Role::Text));
        }
        if lines.is_empty() {
            put(buf, ink, (inside.x + 1, inside.y + 2), inside.width - 2, "No matching command.", ink.style(Role::Dim));
        }
        scrollbar(buf, ink, area, self.top, self.page(), lines.len());
        Some(cursor)
    }

    fn read(&self, shell: &Shell, lines: &mut Vec<String>) {
        lines.push(format!("Help: {}", self.query.text()));
        for line in self.lines(&shell.begin.keymap) {
            match line {
                Line::Command(keys, command) => {
                    lines.push(format!("{keys}  {}  {}", command.name(), command.about()));
                }
                Line::Own(keys, title, run) => lines.push(format!("{keys}  {title}  {run}")),
                Line::Heading(name) => lines.push(format!("{name}:")),
                Line::Now(keys, words) => lines.push(format!("{keys}  {words}")),
                Line::More(_) | Line::Gap => {}
            }
        }
    }
}

/// What stands over the commands of a layer.
fn heading(layer: Layer) -> &'static str {
    match layer {
        Layer::Text => "While typing",
        Layer::Global => "Everywhere",
        Layer::Products => "Products",
        Layer::Projects => "Projects",
        Layer::Steps => "Steps of a project",
        Layer::Videos => "Videos",
        Layer::Webhooks => "Webhooks",
        Layer::Account => "Account",
        Layer::Inspector => "Inspector",
        Layer::Preview => "Preview of a video",
        Layer::Play => "While you play a project",
        Layer::Wire => "While you wire an answer",
        Layer::Form => "Video and products in a step's form",
        Layer::Save => "While you save a project",
        Layer::StepProducts => "Products of a step",
        Layer::Funnel => "Funnel in numbers",
        Layer::Qr => "QR code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_it_any_question_on_comes_first_and_every_command_stands_once() {
        let (keymap, _) = Keymap::load(None);
        for screen in Layer::OUTSIDE_TEXT.into_iter().skip(1) {
            let lines = Help::of(screen).lines(&keymap);
            assert_eq!(lines.first(), Some(&Line::Heading(heading(screen))));
            let mut shown: Vec<Command> = lines
                .iter()
                .filter_map(|line| if let Line::Command(_, it) = line { Some(*it) } else { None })
                .collect();
            shown.sort_unstable();
            assert_eq!(
                shown,
                {
                    let mut all = Command::ALL.to_vec();
                    all.sort_unstable();
                    all
                },
                "{screen:?}"
            );
        }
        let mut narrow = Help::of(Layer::Projects);
        narrow.resize(80, 24);
        assert!(narrow.lines(&keymap).iter().any(|line| matches!(line, Line::More(_))), "nothing is cut off");
        let mut help = Help::of(Layer::Webhooks);
        help.pasted("ping");
        assert_eq!(help.lines(&keymap).first(), Some(&Line::Heading("Webhooks")));
    }
}
