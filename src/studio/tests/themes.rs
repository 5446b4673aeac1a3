//! Every text can be read on what is behind it, in every theme and on every screen; and nothing is said by color alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::hints::{SIZES, modes};
use super::probe::{Probe, product};
use super::steps::sample as project;
use crate::domain::Color as Value;
use crate::settings::{Depth, THEMES, Theme};
use crate::studio::Row;
use crate::studio::products::Event as OfProducts;
use crate::studio::screens::products::Page;
use crate::studio::shell::event::Event;
use crate::studio::shell::view;

const BLACK: Value = Value::BLACK;
const WHITE: Value = Value::WHITE;

/// The least contrast of letters and digits, and of what only leads the eye: edges, lines, bars, dots.
const OF_TEXT: f64 = 4.5;
const OF_SIGNS: f64 = 3.0;

/// The sixteen colors of the terminal itself, as xterm has them.
const BASIC: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// The value of a color; none where it is the terminal's own.
fn value(color: Color) -> Option<Value> {
    let of = |channels| Some(Value { channels });
    let basic = |at: usize| of(BASIC[at]);
    let step = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
    match color {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => of([red, green, blue]),
        Color::Indexed(at @ 0..16) => basic(usize::from(at)),
        Color::Indexed(at @ 16..232) => of([step((at - 16) / 36), step((at - 16) / 6 % 6), step((at - 16) % 6)]),
        Color::Indexed(at) => of([8 + (at - 232) * 10; 3]),
        Color::Black => basic(0),
        Color::Red => basic(1),
        Color::Green => basic(2),
        Color::Yellow => basic(3),
        Color::Blue => basic(4),
        Color::Magenta => basic(5),
        Color::Cyan => basic(6),
        Color::Gray => basic(7),
        Color::DarkGray => basic(8),
        Color::LightRed => basic(9),
        Color::LightGreen => basic(10),
        Color::LightYellow => basic(11),
        Color::LightBlue => basic(12),
        Color::LightMagenta => basic(13),
        Color::LightCyan => basic(14),
        Color::White => basic(15),
    }
}

/// What a terminal makes of a faint color: two thirds of it, the rest of what is behind it.
fn faint(color: Value, behind: Value) -> Value {
    let part = |at: usize| (u16::from(color.channels[at]) * 2 + u16::from(behind.channels[at])) / 3;
    Value { channels: [0, 1, 2].map(|at| u8::try_from(part(at)).unwrap()) }
}

/// The contrast of a cell on a terminal of this background.
fn contrast(cell: &Cell, background: Value) -> f64 {
    let foreground = if background == BLACK { WHITE } else { BLACK };
    let (mut fg, mut bg) = (value(cell.fg).unwrap_or(foreground), value(cell.bg).unwrap_or(background));
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut fg, &mut bg);
    }
    if cell.modifier.contains(Modifier::DIM) {
        fg = faint(fg, bg);
    }
    fg.contrast(bg)
}

fn painted(probe: &mut Probe, theme: &Theme) -> Buffer {
    probe.model.shell.theme = Arc::new(theme.clone());
    let (width, height) = probe.model.shell.size;
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    view(&probe.model, &mut buffer);
    buffer
}

/// The backgrounds that a theme is for.
fn backgrounds(theme: &str) -> &'static [Value] {
    match theme {
        "dark" | "high-contrast" => &[BLACK],
        "light" => &[WHITE],
        _ => &[BLACK, WHITE],
    }
}

/// The least of a pair to one decimal, as contrasts are said: magenta on black is 4.47 by xterm's palette.
fn is_enough(contrast: f64, least: f64) -> bool {
    (contrast * 10.0).round() / 10.0 >= least
}

#[test]
fn every_pair_that_screens_paint_can_be_read() {
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    let mut pairs = 0;
    for (name, mode) in modes() {
        for (width, height) in SIZES {
            let mut probe = mode(width, height);
            for ((theme, _), depth) in THEMES.iter().flat_map(|theme| [(theme, Depth::Indexed), (theme, Depth::True)]) {
                let (loaded, _) = Theme::load(theme, None, depth);
                let buffer = painted(&mut probe, &loaded);
                for (cell, background) in
                    buffer.content.iter().flat_map(|cell| backgrounds(theme).iter().map(move |ground| (cell, *ground)))
                {
                    let symbol = cell.symbol();
                    if symbol.trim().is_empty() {
                        continue;
                    }
                    pairs += 1;
                    let least = if symbol.chars().any(char::is_alphanumeric) { OF_TEXT } else { OF_SIGNS };
                    let found = contrast(cell, background);
                    if !is_enough(found, least) {
                        let pair =
                            format!("{theme} on {background}: {:?} on {:?}, {:?}", cell.fg, cell.bg, cell.modifier);
                        wrong
                            .entry(pair)
                            .or_insert_with(|| format!("{found:.2} of {least}: {symbol:?} in {name} {width}x{height}"));
                    }
                }
            }
        }
    }
    assert!(pairs > 1_000_000, "{pairs}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The sixteen colors of a theme, where a terminal has no more, on the background that it is for.
#[test]
fn sixteen_colors_suffice_to_read_what_is_not_faint() {
    for (theme, _) in THEMES {
        let (loaded, _) = Theme::load(theme, None, Depth::Basic);
        for background in backgrounds(theme) {
            for style in [loaded.text, loaded.dim, loaded.accent, loaded.ok, loaded.warn, loaded.error, loaded.matched]
            {
                let mut cell = Cell::new("x");
                cell.set_style(style);
                let found = contrast(&cell, *background);
                assert!(is_enough(found, OF_TEXT), "{theme} on {background}: {style:?} {found:.2}");
            }
        }
    }
}

fn steps_in(theme: &str) -> (Probe, Buffer) {
    let mut probe = Probe::new(120, 40);
    probe.open_project(project("Gift finder"));
    let buffer = painted(&mut probe, &Theme::load(theme, None, Depth::True).0);
    (probe, buffer)
}

#[test]
fn without_colors_form_says_what_is_selected_and_what_has_the_keys() {
    let (_, buffer) = steps_in("monochrome");
    let signs = |signs: &[&str]| buffer.content.iter().filter(|cell| signs.contains(&cell.symbol())).count();
    assert!(signs(&["┏", "┓", "┗", "┛"]) >= 4, "the selected card and the pane have heavy edges");
    assert!(signs(&["━"]) > 20 && signs(&["╭"]) > 0, "others have not");
    let (_, colored) = steps_in("dark");
    assert!(colored.content.iter().all(|cell| !["┏", "━"].contains(&cell.symbol())), "where colors say it");
}

#[test]
fn the_whole_current_row_stands_on_another_ground_in_every_list() {
    for (name, keys) in [("products", "<down>"), ("palette", ":<down>"), ("filters", "f<down>")] {
        let mut probe = Probe::new(120, 40);
        probe.counted(2).found(&["Fjell wool sock", "Fjell wool liner"], None).keys(keys);
        let (theme, _) = Theme::load("dark", None, Depth::True);
        let buffer = painted(&mut probe, &theme);
        let on = |cell: &Cell| Some(cell.bg) == theme.select.bg;
        // What is in front was drawn last; behind it another row may be the current one.
        let cells = |row: &&[Cell]| row.iter().filter(|cell| on(cell)).count();
        let row = buffer.content.chunks(120).max_by_key(cells).unwrap();
        let from = row.iter().position(on).unwrap();
        let all = row.iter().skip(from).take_while(|cell| on(cell)).count();
        assert!(all >= 38, "{name}: {all} cells\n{}", probe.screen());
        assert!(!row[from + all].symbol().trim().is_empty(), "{name}: up to the edge");
    }
}

#[test]
fn what_nobody_sees_in_the_shop_says_so_in_a_word() {
    let mut probe = Probe::new(120, 40);
    let hidden = [("draft", Some("2026-01-01")), ("ARCHIVED", Some("2026-01-01")), ("active", None)];
    let rows = hidden.iter().enumerate().map(|(at, (status, published))| {
        let mut found = product(at, "A sock");
        found.product.status = Some((*status).to_owned());
        found.product.published_at = published.map(str::to_owned);
        Row::of(&found)
    });
    let (request, _) = probe.search();
    let page = Page { rows: rows.collect(), ..Page::default() };
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Ok(page) }));
    for word in ["draft", "archived", "unpublished"] {
        assert!(probe.shows(&format!("A sock  {word}")), "{}", probe.screen());
    }
}
