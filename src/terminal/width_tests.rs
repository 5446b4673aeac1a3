//! Terminals that disagree with us, and with each other, on how wide signs are: whatever is drawn, nothing stale is left, and
//! what is beside such a sign stands where it should.

#![allow(clippy::string_slice)] // Cut where characters end.

use ratatui::style::Style;
use unicode_width::UnicodeWidthChar;

use super::super::cells::{cells_of, is_ambiguous};
use super::*;

/// How a terminal draws characters of which several make one sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Widths {
    /// As we measure: a sign is as wide as the whole of it.
    Joined,
    /// Each character by itself, as wide as a table says; those of no width are added to the one before.
    Apart,
    /// Each sign is as wide as its first character: selectors and joiners change nothing.
    First,
    /// Lines, arrows and whatever else is ambiguous take two cells, as where a terminal is set for East Asia.
    Ambiguous,
    /// No sign is wider than a cell unless it is of East Asia: the tables of an old Unicode.
    Old,
}

pub(super) const EVERY: [Widths; 4] = [Widths::Joined, Widths::Apart, Widths::First, Widths::Old];

/// A small terminal: what a screen writes, and no more than that.
pub(super) struct Emulator {
    pub(super) widths: Widths,
    /// As tmux does up to 3.3 at least: where cells are inserted it clears only those that moved away, which are fewer than it
    /// inserts where more than half of what is left of the row is inserted.
    pub(super) clears_moved: bool,
    columns: usize,
    rows: Vec<Vec<String>>,
    at: (usize, usize),
    wraps: bool,
    region: (usize, usize),
    /// The columns that regions end at, from the first to before the second, where they do.
    margins: Option<(usize, usize)>,
    last: String,
    /// The address that what is drawn is linked to, and those of all cells.
    link: String,
    pub(super) links: Vec<Vec<String>>,
}

impl Emulator {
    pub(super) fn new((columns, rows): (u16, u16), widths: Widths) -> Self {
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let blank = vec![vec![String::from(" "); columns]; rows];
        Self {
            widths,
            clears_moved: false,
            columns,
            rows: blank,
            at: (0, 0),
            wraps: true,
            region: (0, rows - 1),
            margins: None,
            last: String::new(),
            link: String::new(),
            links: vec![vec![String::new(); columns]; rows],
        }
    }

    /// One that clears only what moved.
    pub(super) fn clearing_moved(mut self) -> Self {
        self.clears_moved = true;
        self
    }

    pub(super) fn showing(bytes: &[u8], size: (u16, u16), widths: Widths) -> Vec<String> {
        let mut emulator = Self::new(size, widths);
        emulator.takes(bytes);
        emulator.shows()
    }

    pub(super) fn takes(&mut self, bytes: &[u8]) {
        let mut rest = std::str::from_utf8(bytes).unwrap();
        while let Some(c) = rest.chars().next() {
            rest = match c {
                '\x1b' => self.sequence(rest),
                '\r' => {
                    self.at.0 = 0;
                    &rest[1..]
                }
                '\n' => {
                    self.at.1 = (self.at.1 + 1).min(self.rows.len() - 1);
                    &rest[1..]
                }
                '\x08' => {
                    self.at.0 = self.at.0.saturating_sub(1);
                    &rest[1..]
                }
                _ => self.text(rest),
            };
        }
    }

    pub(super) fn shows(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.concat()).collect()
    }

    fn sequence<'t>(&mut self, text: &'t str) -> &'t str {
        if let Some((address, rest)) = text.strip_prefix("\x1b]8;;").and_then(|inside| inside.split_once("\x1b\\")) {
            self.link = address.to_owned();
            return rest;
        }
        let inside = text.strip_prefix("\x1b[").unwrap();
        let end = inside.find(|c: char| matches!(c, '@'..='~')).unwrap();
        let numbers: Vec<usize> = inside[..end].split(';').filter_map(|number| number.parse().ok()).collect();
        let first = numbers.first().copied().unwrap_or(1);
        let (x, y) = self.at;
        match (&inside[..end], &inside[end..=end]) {
            (_, "H") => self.at = (numbers.get(1).map_or(0, |x| x - 1), first - 1),
            (_, "C") => self.at.0 = (x + first).min(self.columns - 1),
            (_, "D") => self.at.0 = x.saturating_sub(first),
            (_, "A") => self.at.1 = y.saturating_sub(first),
            (_, "B") => self.at.1 = (y + first).min(self.rows.len() - 1),
            (_, letter @ ("P" | "@")) => {
                let before = self.rows[y].clone();
                for _ in 0..first {
                    let (from, to) = if letter == "P" { (x, self.columns - 1) } else { (self.columns - 1, x) };
                    self.rows[y].remove(from);
                    self.rows[y].insert(to, " ".to_owned());
                    self.links[y].remove(from);
                    self.links[y].insert(to, String::new());
                }
                let moved = (self.columns - x).saturating_sub(first);
                if letter == "@" && self.clears_moved && x + 1 < self.columns && moved < first {
                    let stays = x + moved..(x + first).min(self.columns);
                    self.rows[y][stays.clone()].clone_from_slice(&before[stays]);
                }
            }
            (_, "J") => (0..self.rows.len()).for_each(|y| self.blank(y, 0..self.columns)),
            (_, "K") => self.blank(y, x..self.columns),
            (_, "X") => self.blank(y, x..(x + first).min(self.columns)),
            (_, "b") => (0..first).for_each(|_| self.draw(&self.last.clone(), 1)),
            (set, "r") => {
                self.region = if set.is_empty() { (0, self.rows.len() - 1) } else { (first - 1, numbers[1] - 1) };
                self.at = (0, 0);
            }
            (_, letter @ ("L" | "M")) => {
                let (left, right) = self.margins.unwrap_or((0, self.columns));
                assert!((left..right).contains(&x) && (self.region.0..=self.region.1).contains(&y));
                for _ in 0..first {
                    let (from, to) = if letter == "M" { (y, self.region.1) } else { (self.region.1, y) };
                    roll(&mut self.rows, (from, to), left..right, " ");
                    roll(&mut self.links, (from, to), left..right, "");
                }
            }
            ("?69", letter) => self.margins = (letter == "h").then_some((0, self.columns)),
            (_, "s") => {
                assert!(self.margins.is_some(), "the cursor is saved");
                self.margins = Some((first - 1, numbers[1]));
                self.at = (0, 0);
            }
            ("?7", letter) => self.wraps = letter == "h",
            (_, "m" | "h" | "l" | "n") => {}
            other => panic!("{other:?} is not known"),
        }
        &inside[end + 1..]
    }

    fn blank(&mut self, y: usize, across: std::ops::Range<usize>) {
        self.links[y][across.clone()].iter_mut().for_each(|link| link.clone_from(&self.link));
        self.rows[y][across].iter_mut().for_each(|cell| *cell = " ".to_owned());
    }

    /// Draws the sign that stands first, by this terminal's own idea of it.
    fn text<'t>(&mut self, text: &'t str) -> &'t str {
        let c = text.chars().next().unwrap();
        let sign = match self.widths {
            Widths::Apart => &text[..c.len_utf8()],
            _ => unicode_segmentation::UnicodeSegmentation::graphemes(text, true).next().unwrap(),
        };
        let first = UnicodeWidthChar::width(c).unwrap_or(1);
        let is_asian = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{ffff}');
        let wide = match self.widths {
            Widths::Joined => cells_of(sign),
            Widths::Ambiguous => {
                if is_ambiguous(sign) {
                    2
                } else {
                    cells_of(sign)
                }
            }
            Widths::Apart | Widths::First => first,
            Widths::Old => first.min(if is_asian { 2 } else { 1 }),
        };
        self.draw(sign, wide);
        &text[sign.len()..]
    }

    fn draw(&mut self, sign: &str, wide: usize) {
        let (x, y) = self.at;
        if wide == 0 {
            if let Some(before) = x.checked_sub(1).and_then(|x| self.rows[y].get_mut(x)) {
                before.push_str(sign);
            }
            return;
        }
        // A sign that is drawn over a part of a wide one takes all of it away.
        if x + wide > self.columns {
            if self.wraps {
                self.at = (0, (y + 1).min(self.rows.len() - 1));
                return self.draw(sign, wide);
            }
            self.at.0 = self.columns.saturating_sub(wide);
            return self.draw(sign, wide);
        }
        let mut begin = x;
        while begin > 0 && self.rows[y][begin].is_empty() {
            begin -= 1;
        }
        let mut end = x + wide;
        while end < self.columns && self.rows[y][end].is_empty() {
            end += 1;
        }
        self.blank(y, begin..end);
        self.rows[y][x] = sign.to_owned();
        self.rows[y][x + 1..x + wide].iter_mut().for_each(String::clear);
        self.last = sign.to_owned();
        self.at.0 = x + wide;
    }
}

/// Moves the cells between two columns by a row, out of one and into another; cells of a blank come in.
fn roll(rows: &mut [Vec<String>], (from, to): (usize, usize), columns: std::ops::Range<usize>, blank: &str) {
    let (top, bottom) = (from.min(to), from.max(to));
    for column in columns {
        let mut cells: Vec<String> =
            rows[top..=bottom].iter_mut().map(|row| std::mem::take(&mut row[column])).collect();
        cells.remove(from - top);
        cells.insert(to - top, blank.to_owned());
        rows[top..=bottom].iter_mut().zip(cells).for_each(|(row, cell)| row[column] = cell);
    }
}

pub(super) const SIGNS: [&str; 16] = [
    "a",
    "b",
    " ",
    "│",
    "日",
    "é",
    "❤\u{fe0f}",
    "1\u{fe0f}\u{20e3}",
    "🇳🇴",
    "👨\u{200d}👩\u{200d}👧",
    "क्षि",
    "नि",
    "🫩",
    "⌚",
    "ש",
    "한",
];

fn random_pages(seed: &mut u32, columns: u16, rows: u16) -> Vec<Buffer> {
    let mut random = |below: u32| {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 16) % below
    };
    let mut pages = vec![Buffer::empty(Rect::new(0, 0, columns, rows))];
    for _ in 0..40 {
        let mut next = pages.last().unwrap().clone();
        let row = usize::from(columns);
        match random(4) {
            0 => next.content.rotate_left(row),
            1 => next.content.rotate_right(row),
            _ => {}
        }
        for _ in 0..random(12) {
            let (x, y) = (random(columns.into()), random(rows.into()));
            let sign = SIGNS[random(16) as usize];
            next.set_string(u16::try_from(x).unwrap(), u16::try_from(y).unwrap(), sign, Style::new());
        }
        for y in 0..rows {
            for x in 0..columns {
                // What a wide sign covers is blank, as a view leaves it.
                for covered in 1..u16::try_from(cells_of(next[(x, y)].symbol())).unwrap() {
                    if x + covered < columns {
                        next[(x + covered, y)].reset();
                    } else {
                        next[(x, y)].reset();
                    }
                }
            }
        }
        pages.push(next);
    }
    pages
}

#[test]
fn frames_and_whole_repaints_come_to_the_same_however_wide_signs_are_drawn() {
    let mut seed = 11u32;
    let sets = [Shortcuts::default(), Shortcuts::ALL];
    for _ in 0..8 {
        let pages = random_pages(&mut seed, 24, 6);
        for shortcuts in sets {
            let mut screen = Screen::new(Vec::new()).with(shortcuts);
            let mut emulators = EVERY.map(|widths| Emulator::new((24, 6), widths));
            for (at, page) in pages.iter().enumerate() {
                let before = screen.out.len();
                screen.present(page, None).unwrap();
                let mut fresh = Screen::new(Vec::new());
                fresh.present(page, None).unwrap();
                for emulator in &mut emulators {
                    emulator.takes(&screen.out[before..]);
                    let whole = Emulator::showing(&fresh.out, (24, 6), emulator.widths);
                    assert_eq!(emulator.shows(), whole, "{:?}, frame {at}, {shortcuts:?}", emulator.widths);
                }
            }
        }
    }
}

#[test]
fn what_is_under_a_sign_that_is_drawn_narrower_is_gone_and_what_is_behind_it_stands_still() {
    for sign in ["❤\u{fe0f}", "🇳🇴", "👨\u{200d}👩\u{200d}👧", "🫩", "⌚"] {
        let before = Buffer::with_lines(["abcdefghijklmnop", "................"]);
        let mut after = before.clone();
        after.set_string(4, 0, sign, Style::new());
        let mut screen = Screen::new(Vec::new());
        screen.present(&before, None).unwrap();
        screen.present(&after, None).unwrap();
        for widths in EVERY {
            let shown = Emulator::showing(&screen.out, (16, 2), widths);
            assert!(shown[0].starts_with("abcd") && !shown[0].contains('f'), "{widths:?}: {shown:?}");
            assert!(shown[0].ends_with("ghijklmnop") && shown[1] == "................", "{widths:?}: {shown:?}");
        }
        // At the end of a row it doesn't go on in the next one.
        let mut last = before.clone();
        last.set_string(14, 0, sign, Style::new());
        screen.present(&last, None).unwrap();
        for widths in EVERY {
            let shown = Emulator::showing(&screen.out, (16, 2), widths);
            assert_eq!(shown[1], "................", "{widths:?}");
        }
    }
}

#[test]
fn exactly_the_cells_of_an_address_are_links() {
    const ADDRESS: &str = "https://a.example/";
    let mut seed = 5u32;
    let mut random = |below: u16| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from((seed >> 16) % u32::from(below)).unwrap()
    };
    let all = Shortcuts::ALL;
    for (round, shortcuts) in [Shortcuts::default(), all].into_iter().cycle().take(8).enumerate() {
        let mut screen = Screen::new(Vec::new()).with(shortcuts).with_links(true);
        let mut emulators = EVERY.map(|widths| Emulator::new((24, 6), widths));
        let mut pages = random_pages(&mut (31 * u32::try_from(round).unwrap()), 24, 6);
        for page in &mut pages {
            let mut anchors = Vec::new();
            for y in 0..6 {
                let (x, width) = (random(6), 4 + random(14));
                let is_covered = (1..=x).any(|back| cells_of(page[(x - back, y)].symbol()) > usize::from(back));
                if random(3) > 0 || is_covered {
                    continue;
                }
                page.set_string(x, y, &ADDRESS[..usize::from(width)], Style::new());
                anchors.push(Anchor { at: (x, y), width, address: format!("{ADDRESS}{}", random(2)) });
            }
            let from = screen.out.len();
            // Most frames come in parts, of which only the last has all links.
            screen.limit((random(3) == 0).then_some(60));
            loop {
                screen.link(anchors.clone());
                screen.present(page, None).unwrap();
                if !screen.is_partial() {
                    break;
                }
            }
            let mut wanted = vec![vec![String::new(); 24]; 6];
            for Anchor { at: (x, y), width, address } in anchors {
                wanted[usize::from(y)][usize::from(x)..usize::from(x + width)].fill(address);
            }
            for emulator in &mut emulators {
                emulator.takes(&screen.out[from..]);
                assert_eq!(emulator.links, wanted, "{:?}, {shortcuts:?}", emulator.widths);
            }
        }
    }
    // A frame that is cut off within a link leaves none on what is drawn next.
    let mut screen = Screen::new(Vec::new()).with_links(true);
    let page = Buffer::with_lines(["a link"]);
    screen.link(vec![Anchor { at: (2, 0), width: 4, address: ADDRESS.to_owned() }]);
    screen.present(&page, None).unwrap();
    let opening = screen.out.windows(6).position(|part| part == b"\x1b]8;;h").unwrap();
    let mut emulator = Emulator::new((6, 1), Widths::Joined);
    emulator.takes(&screen.out[..opening + 5 + ADDRESS.len() + 2]);
    assert_eq!(emulator.link, ADDRESS);
    let from = screen.out.len();
    screen.repaint();
    screen.link(Vec::new());
    screen.present(&page, None).unwrap();
    emulator.takes(&screen.out[from..]);
    assert_eq!((&*emulator.link, emulator.links.concat().concat()), ("", String::new()));
    // What is no address of the web, or no plain one, is never written.
    let mut screen = Screen::new(Vec::new()).with_links(true);
    let page = Buffer::with_lines(["abc"]);
    for address in ["javascript:x", "file:///etc", "https://a\x1b\\[2J", "https://a b", "https://a/\u{202e}", ""] {
        screen.link(vec![Anchor { at: (0, 0), width: 3, address: address.to_owned() }]);
        screen.present(&page, None).unwrap();
    }
    let mut unknown = Screen::new(Vec::new());
    unknown.link(vec![Anchor { at: (0, 0), width: 3, address: ADDRESS.to_owned() }]);
    unknown.present(&page, None).unwrap();
    for written in [&screen.out, &unknown.out] {
        assert!(!String::from_utf8_lossy(written).contains("\x1b]"));
    }
}

/// How many frames of random lines have a mark of a row, or the cursor, elsewhere than they are to be.
fn misplaced(wide_signs: bool, shortcuts: Shortcuts) -> usize {
    let mut seed = 23u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from((seed >> 16) % below).unwrap()
    };
    let mut screen = Screen::new(Vec::new()).with(shortcuts).with_wide_signs(wide_signs);
    let mut emulator = Emulator::new((30, 12), Widths::Ambiguous);
    let mut page = Buffer::with_lines(vec![format!("{:<30}", "row"); 12]);
    let mut count = 0;
    for frame in 0..200_u8 {
        let marks: Vec<String> = (0..12).map(|y| char::from(b'a' + (frame + y) % 26).to_string()).collect();
        for (mark, y) in marks.iter().zip(0..) {
            page.set_string(3, y, mark, Style::new());
            if random(3) > 0 {
                let sign = ["│", "─ ─", "│ words │", "x", "日", "←──"][usize::from(random(6))];
                page.set_string(4 + random(18), y, sign, Style::new());
            }
        }
        let cursor = (random(30), random(12));
        let from = screen.out.len();
        screen.present(&page, Some(cursor)).unwrap();
        emulator.takes(&screen.out[from..]);
        let begins: Vec<String> = emulator.rows.iter().map(|row| row[..4].concat()).collect();
        let wanted: Vec<String> = marks.iter().map(|mark| format!("row{mark}")).collect();
        let at = (usize::from(cursor.0), usize::from(cursor.1));
        count += usize::from(begins != wanted || emulator.at != at);
    }
    count
}

#[test]
fn rows_begin_where_they_should_though_lines_take_two_cells() {
    let all = Shortcuts::ALL;
    for shortcuts in [Shortcuts::default(), all] {
        assert_eq!(misplaced(true, shortcuts), 0, "{shortcuts:?}");
        assert!(misplaced(false, shortcuts) > 20, "nothing here would show a row that begins elsewhere: {shortcuts:?}");
    }
}
