//! What is pointed at. Two screens of another size show the same thing at another place, or cut, so what is pointed at
//! is a stretch of text, and each side finds it in its own picture and draws a ring around it.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr as _;

use super::Mark;
use crate::domain::Veil;
use crate::studio::widgets::{Ink, Role};

/// The shortest text that another one may be the beginning of, characters.
const LEAST_BEGINNING: usize = 4;

/// A stretch of text in a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    x: u16,
    y: u16,
    across: u16,
    text: String,
}

/// A way to go from one stretch to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// To the left in the line.
    Left,
    /// To the right in the line.
    Right,
}

/// All stretches of text in a picture, in reading order.
#[derive(Debug, Clone, Default)]
pub struct Runs(Vec<Run>);

/// Whether a cell ends a stretch: lines, bars and blocks do.
fn is_edge(sign: &str) -> bool {
    matches!(sign, "|" | "+" | "▌" | "▐") || sign.chars().next().is_some_and(|c| ('\u{2500}'..='\u{259f}').contains(&c))
}

impl Runs {
    /// Those of a picture. A single space is within a text; more, and lines, are between two.
    #[must_use]
    pub fn of(buf: &Buffer) -> Self {
        let mut runs = Vec::new();
        for y in buf.area.top()..buf.area.bottom() {
            let mut open: Option<Run> = None;
            let mut spaces = 0;
            let mut x = buf.area.left();
            while x < buf.area.right() {
                let sign = buf.cell((x, y)).map_or(" ", |cell| cell.symbol());
                let across = u16::try_from(sign.width()).unwrap_or(1).max(1);
                if sign.trim().is_empty() || is_edge(sign) {
                    spaces += if is_edge(sign) { 2 } else { 1 };
                } else {
                    if spaces > 1 {
                        runs.extend(open.take());
                    }
                    let run = open.get_or_insert_with(|| Run { x, y, across: 0, text: String::new() });
                    if spaces == 1 && !run.text.is_empty() {
                        run.text.push(' ');
                    }
                    run.text.push_str(sign);
                    run.across = x + across - run.x;
                    spaces = 0;
                }
                x += across;
            }
            runs.extend(open);
        }
        Self(runs)
    }

    /// The same as whoever watches sees them.
    #[must_use]
    fn veiled(mut self, veil: &Veil) -> Self {
        for run in &mut self.0 {
            run.text = veil.text(&run.text).into_owned();
        }
        self
    }

    /// The mark of the stretch at a cell.
    #[must_use]
    pub fn at(&self, x: u16, y: u16) -> Option<Mark> {
        let at = self.0.iter().position(|run| run.y == y && (run.x..run.x + run.across).contains(&x))?;
        self.mark(at)
    }

    /// The mark of the next stretch in a direction, from a mark; of one in the middle where there is none yet.
    #[must_use]
    pub fn next(&self, from: Option<&Mark>, to: Direction) -> Option<Mark> {
        let Some(at) = from.and_then(|mark| self.find(mark)) else { return self.mark(self.0.len() / 2) };
        let here = self.0.get(at)?;
        let middle = |run: &Run| i32::from(run.x) + i32::from(run.across) / 2;
        let far = |run: &Run| (i32::from(run.y) - i32::from(here.y), (middle(run) - middle(here)).abs());
        let mut others = self.0.iter().enumerate().filter(|(other, _)| *other != at);
        let next = match to {
            Direction::Left => others.rfind(|(other, run)| run.y == here.y && *other < at),
            Direction::Right => others.find(|(other, run)| run.y == here.y && *other > at),
            Direction::Up => others.filter(|(_, run)| run.y < here.y).min_by_key(|(_, run)| (-far(run).0, far(run).1)),
            Direction::Down => others.filter(|(_, run)| run.y > here.y).min_by_key(|(_, run)| far(run)),
        };
        self.mark(next.map_or(at, |(next, _)| next))
    }

    fn mark(&self, at: usize) -> Option<Mark> {
        let run = self.0.get(at)?;
        let nth = self.0.iter().take(at).filter(|other| other.text == run.text).count();
        Some(Mark { text: run.text.clone(), nth })
    }

    /// Where a mark is in this picture: the stretch that says the same, or the beginning of it.
    fn find(&self, mark: &Mark) -> Option<usize> {
        let all: Vec<usize> =
            self.0.iter().enumerate().filter(|(_, run)| run.text == mark.text).map(|it| it.0).collect();
        if let Some(last) = all.last() {
            return all.get(mark.nth).or(Some(last)).copied();
        }
        let uncut = |text: &str| text.trim_end_matches(['…', '~', ' ']).to_owned();
        let wanted = uncut(&mark.text);
        self.0.iter().position(|run| {
            let shown = uncut(&run.text);
            let short = shown.chars().count().min(wanted.chars().count());
            short >= LEAST_BEGINNING && (shown.starts_with(&wanted) || wanted.starts_with(&shown))
        })
    }
}

/// Draws the ring around what is pointed at, where it is seen.
pub fn draw(buf: &mut Buffer, ink: Ink, mark: &Mark, veil: &Veil) {
    let runs = Runs::of(buf).veiled(veil);
    let Some(run) = runs.find(mark).and_then(|at| runs.0.get(at)) else { return };
    let style = ink.style(Role::Warn).add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    for x in run.x..run.x + run.across {
        if let Some(cell) = buf.cell_mut((x, run.y)) {
            cell.set_style(style);
        }
    }
    // Said by signs, too, where there is a cell for them: color alone is not seen by everybody.
    let around = [(run.x.checked_sub(1), "("), (Some(run.x + run.across), ")")];
    for (x, sign) in around {
        if let Some(cell) = x.and_then(|x| buf.cell_mut((x, run.y))) {
            cell.set_symbol(sign).set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    fn buffer(lines: &[&str]) -> Buffer {
        Buffer::with_lines(lines.iter().copied())
    }

    #[test]
    fn what_is_pointed_at_is_found_where_it_is_cut_or_elsewhere() {
        let wide = Runs::of(&buffer(&["│ Fjell wool sock   149 │", "│ Fjell wool liner  149 │"]));
        let mark = wide.at(3, 1).unwrap();
        assert_eq!(mark, Mark { text: "Fjell wool liner".to_owned(), nth: 0 });
        let price = wide.at(20, 1).unwrap();
        assert_eq!(price, Mark { text: "149".to_owned(), nth: 1 });
        let narrow = Runs::of(&buffer(&["Fjell wool l…", "149", "149"]));
        assert_eq!(narrow.find(&mark), Some(0));
        assert_eq!(narrow.find(&price), Some(2));
        assert_eq!(narrow.find(&Mark { text: "Elsewhere".to_owned(), nth: 0 }), None);
    }

    #[test]
    fn keys_go_from_text_to_text() {
        let runs = Runs::of(&buffer(&["one  two", "three", "four  five"]));
        let go = |from: &str, to| runs.next(Some(&Mark { text: from.to_owned(), nth: 0 }), to).unwrap().text;
        assert_eq!(go("one", Direction::Right), "two");
        assert_eq!(go("two", Direction::Right), "two");
        assert_eq!(go("two", Direction::Left), "one");
        assert_eq!(go("one", Direction::Down), "three");
        assert_eq!(go("three", Direction::Down), "four");
        assert_eq!(go("five", Direction::Up), "three");
        assert!(Runs::default().next(None, Direction::Up).is_none());
    }

    #[test]
    fn the_ring_has_signs() {
        let mut buf = buffer(&["  Fjell wool sock   "]);
        let theme = crate::settings::Theme::load("dark", None, crate::settings::Depth::Mono).0;
        let ink = Ink::new(&theme, true);
        draw(&mut buf, ink, &Mark { text: "Fjell wool sock".to_owned(), nth: 0 }, &Veil::default());
        let row: String = (0..20).map(|x| buf.cell((x, 0)).unwrap().symbol().to_owned()).collect();
        assert_eq!(row, " (Fjell wool sock)  ");
        let mut empty = Buffer::empty(Rect::ZERO);
        draw(&mut empty, ink, &Mark { text: "x".to_owned(), nth: 3 }, &Veil::default());
    }
}
