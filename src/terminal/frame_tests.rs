//! Thousands of random frames, for every set of what terminals do with many cells at once: after each, what an emulator shows
//! is what was to be shown, and what painting all of it again comes to.
//!
//! `CUTAWAY_FRAMES_SEED=7` repeats a run; `CUTAWAY_FRAMES=1000` gives each set so many frames.

#![allow(clippy::string_slice)] // An address of ASCII.

use ratatui::style::{Color, Style};

use super::super::cells::cells_of;
use super::tests::sets;
use super::width_tests::{EVERY, Emulator, SIGNS, Widths};
use super::*;

const SIZE: (u16, u16) = (64, 16);
/// Each set gets so many frames, unless more are asked for.
const FEW: u64 = 24;
const ADDRESS: &str = "https://a.example/path";

struct Dice(u64);

impl Dice {
    /// A number below another (xorshift).
    fn below(&mut self, most: u16) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u16::try_from((self.0 >> 24) % u64::from(most)).unwrap()
    }
}

fn number(variable: &str, else_it_is: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(else_it_is)
}

/// What is on a map of words, of which there are no two alike.
fn on_map(x: u16, y: u16) -> String {
    let block = u64::from(x / 10) * 1_000 + u64::from(y);
    let word = (block + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let text = format!("{:08x}", word >> 32);
    let at = usize::from(x % 10);
    if word & 0x300 == 0 || at >= 8 { " ".to_owned() } else { text[at..=at].to_owned() }
}

/// A page whose parts slide, roll and change, as those of the studio do.
struct Scene {
    page: Buffer,
    /// Where the map is seen, and what of it.
    left: u16,
    place: (u16, u16),
}

impl Scene {
    fn new() -> Self {
        Self { page: Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)), left: 10, place: (200, 200) }
    }

    fn next(&mut self, dice: &mut Dice) {
        let row = usize::from(SIZE.0);
        match dice.below(8) {
            0 => self.page.content.rotate_left(row * usize::from(1 + dice.below(4))),
            1 => self.page.content.rotate_right(row * usize::from(1 + dice.below(4))),
            2 => {
                // What is beside it becomes wider or narrower.
                self.left = dice.below(40);
                self.map();
            }
            3..=5 => {
                // Half of the time as a list beside something else: up or down only.
                let along = if dice.below(2) == 0 { 30 } else { dice.below(61) };
                self.place = (self.place.0 + 30 - along, self.place.1 + 3 - dice.below(7));
                self.place = (self.place.0.clamp(100, 300), self.place.1.clamp(100, 300));
                self.map();
            }
            _ => self.signs(dice),
        }
        for y in 0..SIZE.1 {
            for x in 0..SIZE.0 {
                // What a wide sign covers is blank, as a view leaves it.
                for covered in 1..u16::try_from(cells_of(self.page[(x, y)].symbol())).unwrap() {
                    if x + covered < SIZE.0 {
                        self.page[(x + covered, y)].reset();
                    } else {
                        self.page[(x, y)].reset();
                    }
                }
            }
        }
    }

    fn map(&mut self) {
        for y in 1..SIZE.1 - 1 {
            for x in 0..SIZE.0 - 1 {
                self.page[(x, y)].reset();
                let right = x.checked_sub(self.left + 1);
                // What is beside the map stays.
                let sign = right.map_or_else(|| on_map(x, y), |x| on_map(self.place.0 + x, self.place.1 + y));
                self.page[(x, y)].set_symbol(&sign);
            }
            self.page[(self.left, y)].set_symbol("│");
        }
    }

    fn signs(&mut self, dice: &mut Dice) {
        for _ in 0..dice.below(5) {
            let ground = [Color::Reset, Color::Blue, Color::Indexed(237)][usize::from(dice.below(3))];
            let run = [" ", "─", "x"][usize::from(dice.below(3))].repeat(usize::from(dice.below(40)));
            self.page.set_string(dice.below(SIZE.0), dice.below(SIZE.1), run, Style::new().bg(ground));
        }
        for _ in 0..dice.below(12) {
            let sign = SIGNS[usize::from(dice.below(u16::try_from(SIGNS.len()).unwrap()))];
            self.page.set_string(dice.below(SIZE.0), dice.below(SIZE.1), sign, Style::new());
        }
    }

    /// Addresses on the page that are links in this frame.
    fn anchors(&mut self, dice: &mut Dice) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for y in 0..if dice.below(3) == 0 { SIZE.1 } else { 0 } {
            let (x, width) = (dice.below(30), 6 + dice.below(12));
            let is_covered = (1..=x).any(|back| cells_of(self.page[(x - back, y)].symbol()) > usize::from(back));
            if dice.below(4) > 0 || is_covered {
                continue;
            }
            self.page.set_string(x, y, &ADDRESS[..usize::from(width)], Style::new());
            anchors.push(Anchor { at: (x, y), width, address: ADDRESS.to_owned() });
        }
        anchors
    }

    /// The rows, as a terminal shows them that draws signs as wide as they are.
    fn rows(&self) -> Vec<String> {
        let row = |y| {
            let (mut row, mut covered) = (String::new(), 0);
            for x in 0..SIZE.0 {
                if covered == 0 {
                    row.push_str(self.page[(x, y)].symbol());
                    covered = cells_of(self.page[(x, y)].symbol());
                }
                covered -= 1;
            }
            row
        };
        (0..SIZE.1).map(row).collect()
    }
}

/// How many times regions with margins are set.
fn margins(bytes: &[u8]) -> usize {
    bytes.windows(5).filter(|window| window == b"\x1b[?69").count() / 2
}

/// How many times cells are inserted.
fn inserted(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.split("\x1b[").filter(|part| part.trim_start_matches(char::is_numeric).starts_with('@')).count()
}

#[test]
fn every_frame_comes_to_what_painting_all_of_it_comes_to() {
    let (seed, frames) = (number("CUTAWAY_FRAMES_SEED", 0x5eed), number("CUTAWAY_FRAMES", FEW));
    println!("CUTAWAY_FRAMES_SEED={seed}");
    let (mut insertions, mut blocks) = (0, 0);
    // What begins and ends a frame changes nothing within it: only longer runs have each set with and without it.
    let sets = sets().filter(|set| frames > FEW || set.syncs == set.ends);
    for (shortcuts, round) in sets.zip(1_u64..) {
        let mut dice = Dice(seed.wrapping_add(round).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (mut scene, mut screen) = (Scene::new(), Screen::new(Vec::new()).with(shortcuts).with_links(true));
        let mut emulators: Vec<Emulator> = EVERY.iter().map(|widths| Emulator::new(SIZE, *widths)).collect();
        emulators.push(Emulator::new(SIZE, Widths::Joined).clearing_moved());
        for frame in 0..frames {
            scene.next(&mut dice);
            let anchors = scene.anchors(&mut dice);
            if dice.below(20) == 0 {
                screen.repaint();
            }
            let from = screen.out.len();
            // Some come in parts, and of those some are overtaken by the next before all of them came.
            screen.limit((dice.below(4) == 0).then_some(200));
            let is_overtaken = dice.below(3) == 0;
            loop {
                screen.link(anchors.clone());
                screen.present(&scene.page, None).unwrap();
                if is_overtaken || !screen.is_partial() {
                    break;
                }
            }
            let written = &screen.out[from..];
            for emulator in &mut emulators {
                emulator.takes(written);
            }
            insertions += inserted(written);
            blocks += margins(written);
            if screen.is_partial() {
                continue;
            }
            let of = format!("CUTAWAY_FRAMES_SEED={seed}, frame {frame} of {shortcuts:?}");
            let mut wanted = vec![vec![String::new(); usize::from(SIZE.0)]; usize::from(SIZE.1)];
            for Anchor { at: (x, y), width, address } in anchors {
                wanted[usize::from(y)][usize::from(x)..usize::from(x + width)].fill(address);
            }
            let rows = scene.rows();
            for emulator in emulators.iter().filter(|emulator| emulator.widths == Widths::Joined) {
                assert_eq!(emulator.shows(), rows, "tmux: {}, {of}", emulator.clears_moved);
                assert_eq!(emulator.links, wanted, "{of}");
            }
            if dice.below(4) == 0 {
                let mut fresh = Screen::new(Vec::new());
                fresh.present(&scene.page, None).unwrap();
                for emulator in &emulators {
                    let whole = Emulator::showing(&fresh.out, SIZE, emulator.widths);
                    assert_eq!(emulator.shows(), whole, "{:?}, {of}", emulator.widths);
                }
            }
        }
    }
    assert!(insertions > 100 && blocks > 10, "almost nothing slid: {insertions} along rows, {blocks} in blocks");
}

#[test]
fn what_tmux_leaves_where_much_is_inserted_is_known() {
    let shown = |clears_moved: bool| {
        let emulator = Emulator::new((20, 1), Widths::Joined);
        let mut emulator = if clears_moved { emulator.clearing_moved() } else { emulator };
        emulator.takes(b"abcdefghijklmnopqrst\x1b[1;3H\x1b[12@");
        emulator.shows().concat()
    };
    assert_eq!(shown(false), "ab            cdefgh");
    // As tmux 3.3a shows it.
    assert_eq!(shown(true), "ab      ijklmncdefgh");
}

#[test]
fn what_moves_leaves_the_links_beside_it() {
    // Without margins only whole rows can be moved: those below the link, with nothing beside them.
    let page = |from: u16, beside: u16| {
        let mut page = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
        for y in 0..SIZE.1 {
            let row: String = (100..130).map(|x| on_map(x, from + y)).collect();
            page.set_string(0, y, format!("{row}│"), Style::new());
            if y < beside {
                page.set_string(32, y, format!("what is beside it, {y:>2}"), Style::new());
            }
        }
        page.set_string(32, 5, ADDRESS, Style::new());
        page
    };
    let link = Anchor { at: (32, 5), width: u16::try_from(ADDRESS.len()).unwrap(), address: ADDRESS.to_owned() };
    for (margins, most) in [(true, 250), (false, 450)] {
        let beside = if margins { SIZE.1 } else { 6 };
        let shortcuts = Shortcuts { margins, ..Shortcuts::ALL };
        let mut screen = Screen::new(Vec::new()).with(shortcuts).with_links(true);
        let mut emulator = Emulator::new(SIZE, Widths::Joined);
        for from in 0..6 {
            screen.link(vec![link.clone()]);
            let begin = screen.out.len();
            let written = screen.present(&page(from, beside), None).unwrap();
            emulator.takes(&screen.out[begin..]);
            assert!(from == 0 || written.bytes < most, "{margins}: {} bytes", written.bytes);
            let moves = screen.out[begin..].contains(&b'M');
            assert!(from == 0 || moves, "{margins}: nothing is moved");
            let linked = |(x, cell): (usize, &String)| cell.is_empty() != (32..32 + ADDRESS.len()).contains(&x);
            assert!(emulator.links[5].iter().enumerate().all(linked), "{margins}: {:?}", emulator.links[5]);
            assert!(emulator.links.iter().enumerate().all(|(y, row)| y == 5 || row.iter().all(String::is_empty)));
        }
    }
}
