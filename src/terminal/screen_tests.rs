//! What reaches a terminal, held against an emulator.

use ratatui::style::Style;

use super::*;

fn page(lines: &[&str]) -> Buffer {
    Buffer::with_lines(lines.iter().copied())
}

fn emulated(bytes: &[u8], rows: u16, columns: u16) -> String {
    let size = |cells| std::num::NonZero::new(cells).unwrap();
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    parser.process(bytes);
    // Written blanks and blanks never written look the same.
    parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned() + "\n").collect()
}

/// Presents pages one at a time and holds what an emulator shows against each.
fn shows(pages: &[Buffer]) -> Vec<usize> {
    let mut screen = Screen::new(Vec::new());
    let mut sizes = Vec::new();
    for page in pages {
        let before = screen.out.len();
        screen.present(page, None).unwrap();
        sizes.push(screen.out.len() - before);
        let fresh = {
            let mut fresh = Screen::new(Vec::new());
            fresh.present(page, None).unwrap();
            fresh.out
        };
        let (rows, columns) = (page.area.height, page.area.width);
        assert_eq!(emulated(&screen.out, rows, columns), emulated(&fresh, rows, columns));
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
