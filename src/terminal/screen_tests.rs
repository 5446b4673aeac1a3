//! What reaches a terminal, held against an emulator.

use ratatui::style::{Color, Modifier, Style};

use super::super::cells::cells_of;
use super::*;

fn page(lines: &[&str]) -> Buffer {
    Buffer::with_lines(lines.iter().copied())
}

/// Each cell that an emulator shows, with what is behind it; blanks written and blanks never written look the same.
fn emulated(bytes: &[u8], rows: u16, columns: u16) -> String {
    let size = |cells| std::num::NonZero::new(cells).unwrap();
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    parser.process(bytes);
    let screen = parser.screen();
    let cell = |y, x| {
        let cell = screen.cell(y, x).unwrap();
        let shown = if cell.has_contents() { cell.contents() } else { " " };
        let text = if shown == " " { String::new() } else { format!("{:?}{}", cell.fgcolor(), cell.bold()) };
        format!("{shown}{:?}{text}{}|", cell.bgcolor(), cell.inverse())
    };
    (0..rows).map(|y| (0..columns).map(|x| cell(y, x)).collect::<String>() + "\n").collect()
}

/// Every set of what terminals do with many cells at once.
pub(super) fn sets() -> impl Iterator<Item = Shortcuts> {
    (0..=u8::MAX).map(|bits| Shortcuts {
        ends: bits & 1 > 0,
        erases: bits & 2 > 0,
        colored: bits & 4 > 0,
        repeats: bits & 8 > 0,
        inserts: bits & 16 > 0,
        scrolls: bits & 32 > 0,
        margins: bits & 64 > 0,
        syncs: bits & 128 > 0,
    })
}

/// Those that the emulator knows of the crate `vt100`: it has no margins.
fn known_sets() -> impl Iterator<Item = Shortcuts> {
    sets().filter(|shortcuts| !shortcuts.margins && !shortcuts.syncs)
}

/// Presents pages one at a time and holds what an emulator shows against each, for every set of shortcuts: how many bytes
/// each took without any.
fn shows(pages: &[Buffer]) -> Vec<usize> {
    let mut sizes = Vec::new();
    for shortcuts in known_sets() {
        let mut screen = Screen::new(Vec::new()).with(shortcuts);
        for page in pages {
            let before = screen.out.len();
            screen.present(page, None).unwrap();
            if shortcuts == Shortcuts::default() {
                sizes.push(screen.out.len() - before);
            }
            let fresh = {
                let mut fresh = Screen::new(Vec::new());
                fresh.present(page, None).unwrap();
                fresh.out
            };
            let (rows, columns) = (page.area.height, page.area.width);
            assert_eq!(emulated(&screen.out, rows, columns), emulated(&fresh, rows, columns), "{shortcuts:?}");
        }
    }
    sizes
}

#[test]
fn a_frame_is_what_differs() {
    let sizes = shows(&[page(&["abc", "def"]), page(&["abc", "dXf"]), page(&["abc", "dXf"])]);
    assert!(sizes[1] < 40, "{sizes:?}");
    assert_eq!(sizes[2], 0);
}

#[test]
fn rows_that_move_are_moved_by_the_terminal() {
    let lines: Vec<String> = (0..40).map(|n| format!("| row number {n:>4} with some more text |")).collect();
    let view = |from: usize| page(&lines[from..from + 20].iter().map(String::as_str).collect::<Vec<_>>());
    let sizes = shows(&[view(0), view(1), view(4), view(2), view(20)]);
    assert!(sizes[1] < 130 && sizes[2] < 250 && sizes[3] < 200, "{sizes:?}");
}

#[test]
fn runs_are_erased_and_repeated() {
    let long = |sign: &str| page(&[format!("| {} |", sign.repeat(60)).as_str(), "| |"]);
    let taken = |shortcuts: Shortcuts| {
        let mut screen = Screen::new(Vec::new()).with(shortcuts);
        let mut sizes = Vec::new();
        for page in [long("x"), long(" "), long("─")] {
            sizes.push(screen.present(&page, None).unwrap().bytes);
        }
        sizes
    };
    let all = Shortcuts { margins: false, syncs: false, ..Shortcuts::ALL };
    let (plain, short) = (taken(Shortcuts { scrolls: true, ..Shortcuts::default() }), taken(all));
    assert!(plain.iter().all(|size| *size > 60) && short[1..].iter().all(|size| *size < 40), "{plain:?} {short:?}");
    shows(&[long("x"), long(" "), long("─"), long("日"), long(" ")]);
}

#[test]
fn what_is_drawn_alike_is_drawn_together() {
    // Rows of columns in two colors that take turns, of which all changes.
    let table = |turn: usize| {
        let mut page = page(&[" ".repeat(60).as_str(); 20]);
        for y in 0..20_u16 {
            for column in 0..4_u16 {
                let word = format!("w{}", (usize::from(y * 4 + column) * 7919 + turn * 31) % 1000);
                let style = if column % 2 == 0 { Style::new() } else { Style::new().fg(Color::Indexed(250)) };
                page.set_string(1 + column * 15, y, &word, style);
            }
        }
        page
    };
    let mut screen = Screen::new(Vec::new());
    screen.present(&table(0), None).unwrap();
    let from = screen.out.len();
    screen.present(&table(1), None).unwrap();
    let pens = screen.out[from..].split(|byte| *byte == b'm').count() - 1;
    assert!(pens <= 22, "the pen is changed once a row, and not three times: {pens}");
    shows(&[table(0), table(1), table(2)]);
}

#[test]
fn wide_signs_leave_nothing_behind() {
    let mut wide = page(&["....", "...."]);
    wide.set_string(0, 0, "日本", Style::new());
    let mut shifted = page(&["....", "...."]);
    shifted.set_string(1, 0, "日", Style::new());
    shows(&[wide.clone(), shifted.clone(), wide, page(&["abcd", "...."]), shifted]);
}

#[test]
fn joined_signs_leave_nothing_behind_where_they_are_not_joined() {
    // The emulator draws each person of a family by itself, over eight cells in place of two.
    let mut family = page(&["0123456789abcdef", "................"]);
    family.set_string(2, 0, "👨‍👩‍👧‍👦", Style::new());
    let mut changed = family.clone();
    changed.set_string(14, 0, "X", Style::new());
    let mut moved = page(&["0123456789abcdef", "................"]);
    moved.set_string(2, 1, "👨‍👩‍👧‍👦", Style::new());
    let plain = page(&["0123456789abcdef", "................"]);
    shows(&[plain.clone(), family.clone(), changed, plain.clone(), moved, family, plain]);
}

#[test]
fn a_cursor_that_only_moves_is_not_hidden() {
    let lines: Vec<String> = (0..20).map(|row| format!("row {row:>2} {}", ".".repeat(60))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (full, mut changed) = (page(&lines), page(&lines));
    changed.set_string(3, 4, "XY", Style::new());
    let mut screen = Screen::new(Vec::new()).with(Shortcuts { syncs: true, ..Shortcuts::default() });
    let mut present = |page: &Buffer, cursor| {
        let from = screen.out.len();
        screen.present(page, cursor).unwrap();
        String::from_utf8(screen.out[from..].to_vec()).unwrap()
    };
    // Shown with the first frame, which may be seen on its way.
    assert!(present(&full, Some((3, 2))).ends_with("\x1b[?25h\x1b[?2026l"));
    assert_eq!(present(&full, Some((3, 3))), "\x1b[?2026h\n\x1b[?2026l");
    assert_eq!(present(&full, Some((3, 3))), "");
    // Where little changes it stays in sight; where much does it doesn't run over the screen.
    assert_eq!(present(&changed, Some((5, 4))), "\x1b[?2026h\nXY\x1b[?2026l");
    let other = present(&page(&["another".repeat(9).as_str(); 20]), Some((5, 4)));
    assert!(other.starts_with("\x1b[?2026h\x1b[?25l") && other.ends_with("\x1b[?25h\x1b[?2026l"), "{other:?}");
    // It goes and comes with nothing else.
    let last = page(&["another".repeat(9).as_str(); 20]);
    assert_eq!(present(&last, None), "\x1b[?2026h\x1b[?25l\x1b[?2026l");
    assert_eq!(present(&last, Some((5, 4))), "\x1b[?2026h\x1b[?25h\x1b[?2026l");
}

#[test]
fn the_cursor_is_where_it_is_to_be_after_every_frame() {
    let mut seed = 3u32;
    let mut random = |below: u16| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from((seed >> 16) % u32::from(below)).unwrap()
    };
    let size = |cells| std::num::NonZero::new(cells).unwrap();
    for shortcuts in known_sets() {
        let mut parser = vt100::Parser::new(size(20), size(60), 0);
        let mut screen = Screen::new(Vec::new()).with(shortcuts);
        let mut page = page(&[" ".repeat(60).as_str(); 20]);
        for _ in 0..200 {
            for _ in 0..[0, 0, 1, 3, 20][usize::from(random(5))] {
                let sign = ["a", "─", "日 ", "some words"][usize::from(random(4))];
                page.set_string(random(50), random(20), sign, Style::new());
            }
            for y in 0..20 {
                for x in 0..59 {
                    if cells_of(page[(x, y)].symbol()) == 2 {
                        page[(x + 1, y)].reset();
                    }
                }
            }
            if random(9) == 0 {
                screen.repaint();
            }
            let cursor = (random(4) > 0).then(|| (random(60), random(20)));
            let from = screen.out.len();
            screen.present(&page, cursor).unwrap();
            parser.process(&screen.out[from..]);
            let shown = parser.screen();
            let place = shown.cursor_position();
            assert_eq!((!shown.hide_cursor()).then_some((place.1, place.0)), cursor, "{shortcuts:?}");
        }
    }
}

#[test]
fn controls_never_pass() {
    let mut hostile = page(&["ab"]);
    hostile.cell_mut((0, 0)).unwrap().set_symbol("\u{1b}[31m");
    let mut screen = Screen::new(Vec::new());
    screen.present(&hostile, None).unwrap();
    assert!(!String::from_utf8(screen.out).unwrap().contains("[31m"));
}

#[test]
fn random_pages_arrive_whole() {
    let mut seed = 7u32;
    let mut random = move |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    let signs = ["a", "b", " ", "│", "日", "é", "x"];
    let mut pages = vec![page(&[" ".repeat(30).as_str(); 12])];
    for _ in 0..60 {
        let mut next = pages.last().unwrap().clone();
        match random(3) {
            0 => next.content.rotate_left(30 * usize::try_from(1 + random(4)).unwrap()),
            1 => next.content.rotate_right(30 * usize::try_from(1 + random(4)).unwrap()),
            _ => {}
        }
        for _ in 0..random(4) {
            // Long runs of one sign, on backgrounds and in weights.
            let (x, y) = (u16::try_from(random(29)).unwrap(), u16::try_from(random(12)).unwrap());
            let sign = [" ", "─", "x"][random(3) as usize];
            let grounds = [Color::Reset, Color::Blue, Color::Indexed(237)];
            let style = Style::new().bg(grounds[random(3) as usize]);
            let style = if random(3) == 0 { style.fg(Color::Red).add_modifier(Modifier::BOLD) } else { style };
            let style = if random(5) == 0 { style.add_modifier(Modifier::REVERSED) } else { style };
            next.set_string(x, y, sign.repeat(random(30) as usize), style);
        }
        for _ in 0..random(20) {
            let at = (u16::try_from(random(29)).unwrap(), u16::try_from(random(12)).unwrap());
            next.set_string(at.0, at.1, signs[random(7) as usize], Style::new());
        }
        // What a wide sign covers is blank, as a view leaves it.
        for y in 0..12 {
            for x in 0..29 {
                if cells_of(next[(x, y)].symbol()) == 2 {
                    next[(x + 1, y)].reset();
                }
            }
            if cells_of(next[(29, y)].symbol()) == 2 {
                next[(29, y)].reset();
            }
        }
        pages.push(next);
    }
    shows(&pages);
}

#[test]
fn a_frame_that_may_not_be_large_comes_in_parts_of_what_is_newest() {
    let lines = |mark: &str| (0..20).map(|row| format!("{row:>4} {}", mark.repeat(30))).collect::<Vec<_>>();
    let view = |mark: &str| page(&lines(mark).iter().map(String::as_str).collect::<Vec<_>>());
    let mut screen = Screen::new(Vec::new());
    screen.limit(Some(200));
    let mut parts = 0;
    // What is shown changes all the time; then it is the last.
    for mark in ["a", "b", "c"] {
        screen.present(&view(mark), None).unwrap();
        assert!(screen.is_partial());
    }
    while screen.is_partial() {
        let before = screen.out.len();
        screen.present(&view("c"), None).unwrap();
        assert!(screen.out.len() - before < 300, "{}", screen.out.len() - before);
        parts += 1;
    }
    assert!(parts > 2, "{parts}");
    assert_eq!(screen.present(&view("c"), None).unwrap(), Written::default());
    let mut fresh = Screen::new(Vec::new());
    fresh.present(&view("c"), None).unwrap();
    let columns = view("c").area.width;
    assert_eq!(emulated(&screen.out, 20, columns), emulated(&fresh.out, 20, columns));
}

/// A window on a map of cards, with lines between them, whose left upper corner is at a place; beside it a border and a small
/// picture that stay.
fn window(right: usize, down: usize) -> Buffer {
    let mut map = vec![vec!['·'; 240]; 80];
    for card in 0..60 {
        let (x, y) = ((card % 10) * 24, (card / 10) * 12);
        for (row, text) in [
            format!("╭ c{card:03} ─────╮"),
            format!("│ Card of {:>4} │", card * 37 % 1000),
            "╰────────────╯".to_owned(),
        ]
        .iter()
        .enumerate()
        {
            text.chars().enumerate().for_each(|(at, sign)| map[y + row][x + at] = sign);
        }
        (y + 3..y + 12).for_each(|row| map[row][x + 3] = '│');
    }
    let mut lines: Vec<String> = vec![format!("╭{}╮", "─".repeat(78))];
    for (row, line) in map[down..down + 28].iter().enumerate() {
        let mut line: Vec<char> =
            line[right..right + 78].iter().map(|sign| if *sign == '·' { ' ' } else { *sign }).collect();
        if row > 22 {
            "⣿⣿⢰⣶ map ⣿⣿".chars().enumerate().for_each(|(at, sign)| line[at] = sign);
        }
        lines.push(format!("│{}│", line.into_iter().collect::<String>()));
    }
    lines.push(format!("╰{}╯", "─".repeat(78)));
    let mut page = page(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    for y in 1..29 {
        for x in 1..79 {
            if page[(x, y)].symbol() != " " {
                let style =
                    if page[(x, y)].symbol() == "│" { Style::new().fg(Color::Indexed(244)) } else { Style::new() };
                page[(x, y)].set_style(style);
            }
        }
    }
    page
}

#[test]
fn a_map_under_a_window_is_moved_by_the_terminal_in_both_directions() {
    let places = [(40, 10), (64, 10), (52, 10), (52, 22), (30, 3), (90, 30), (90, 31), (89, 30), (0, 0), (160, 50)];
    let pages: Vec<Buffer> = places.iter().map(|(right, down)| window(*right, *down)).collect();
    shows(&pages);
    let taken = |inserts: bool| -> Vec<usize> {
        let mut screen = Screen::new(Vec::new()).with(Shortcuts { inserts, ..Shortcuts::of("xterm-256color") });
        pages.iter().map(|page| screen.present(page, None).unwrap().bytes).collect()
    };
    let (plain, slid) = (taken(false), taken(true));
    assert!([2, 7].into_iter().all(|at| slid[at] * 3 < plain[at] * 2), "{plain:?} {slid:?}");
    assert!(slid.iter().zip(&plain).all(|(slid, plain)| slid <= plain), "{plain:?} {slid:?}");
    // Where lines may take two cells, nobody knows what would move.
    let mut wide = Screen::new(Vec::new()).with(Shortcuts::of("xterm-256color")).with_wide_signs(true);
    for page in &pages {
        wide.present(page, None).unwrap();
    }
    let written = String::from_utf8(wide.out).unwrap();
    let moves = written.split("\x1b[").filter(|part| part.trim_start_matches(char::is_numeric).starts_with(['P', '@']));
    assert_eq!(moves.count(), 0);
}

#[test]
fn a_line_that_goes_down_is_drawn_going_down() {
    let lines = |mark: bool| {
        let mut page = page(&[" ".repeat(60).as_str(); 20]);
        for y in 0..20 {
            for x in [4, 30, 55] {
                let style = if mark { Style::new().fg(Color::Indexed(117)) } else { Style::new() };
                page.set_string(x, y, "│", style);
            }
        }
        page
    };
    let mut screen = Screen::new(Vec::new());
    screen.present(&lines(false), None).unwrap();
    let bytes = screen.present(&lines(true), None).unwrap().bytes;
    assert!(bytes < 60 * 5 + 80, "{bytes}");
    shows(&[lines(false), lines(true), lines(false)]);
}
