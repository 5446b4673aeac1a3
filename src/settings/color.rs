//! A colour as it is written in a file and as a terminal of some depth shows it.

use std::str::FromStr as _;

use ratatui::style::Color;

use crate::domain::wire::shown_word;

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: `NO_COLOR`, or a terminal without them.
    Mono,
    /// The 16 of ANSI.
    Basic,
    /// The 256 of xterm.
    Indexed,
    /// 24 bits.
    True,
}

/// That it is a colour.
///
/// # Errors
/// A sentence that says what colours are.
pub(super) fn is_colour(name: &str) -> Result<(), String> {
    colour(name, Depth::True).map(drop)
}

/// A colour as this terminal shows it; none where there are none, or where it is no colour.
#[must_use]
pub fn colour_of(name: &str, depth: Depth) -> Option<Color> {
    colour(name, depth).ok().filter(|_| depth != Depth::Mono)
}

pub(super) fn colour(name: &str, depth: Depth) -> Result<Color, String> {
    let colour = Color::from_str(name).map_err(|_| {
        let name = shown_word(name);
        format!("{name:?} is not a color; colors are #rrggbb, a number up to 255 or an ANSI name")
    })?;
    let colour = match (colour, depth) {
        (Color::Indexed(index), Depth::Basic) => rgb_of(index),
        (other, _) => other,
    };
    Ok(match (colour, depth) {
        (_, Depth::Mono) => Color::Reset,
        (Color::Rgb(r, g, b), depth) => shown_colour((r, g, b), depth),
        (other, _) => other,
    })
}

/// A colour of 24 bits as a terminal of this depth shows it.
#[must_use]
pub fn shown_colour((r, g, b): (u8, u8, u8), depth: Depth) -> Color {
    match depth {
        Depth::Mono => Color::Reset,
        Depth::Basic => nearest_basic(r, g, b),
        Depth::Indexed => Color::Indexed(nearest_indexed(r, g, b)),
        Depth::True => Color::Rgb(r, g, b),
    }
}

/// What xterm shows for one of its 256 colours; the first 16 are the terminal's own.
pub(super) fn rgb_of(index: u8) -> Color {
    let step = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
    match index {
        0..16 => Color::Indexed(index),
        16..232 => {
            let cube = index - 16;
            Color::Rgb(step(cube / 36), step(cube / 6 % 6), step(cube % 6))
        }
        232.. => Color::Rgb(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10),
    }
}

/// The nearest of xterm's colour cube and grey ramp.
fn nearest_indexed(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| (0u8..).zip(STEPS).min_by_key(|(_, step)| step.abs_diff(value)).unwrap_or((0, 0));
    let ((ri, rv), (gi, gv), (bi, bv)) = (nearest(r), nearest(g), nearest(b));
    let grey = (0u8..24).min_by_key(|i| distance((r, g, b), (8 + i * 10, 8 + i * 10, 8 + i * 10))).unwrap_or(0);
    let grey_value = 8 + grey * 10;
    if distance((r, g, b), (grey_value, grey_value, grey_value)) < distance((r, g, b), (rv, gv, bv)) {
        232 + grey
    } else {
        16 + 36 * ri + 6 * gi + bi
    }
}

fn nearest_basic(r: u8, g: u8, b: u8) -> Color {
    const BASIC: [(Color, (u8, u8, u8)); 15] = [
        (Color::Black, (0, 0, 0)),
        (Color::Red, (170, 0, 0)),
        (Color::Green, (0, 170, 0)),
        (Color::Yellow, (170, 120, 0)),
        (Color::Blue, (0, 0, 170)),
        (Color::Magenta, (170, 0, 170)),
        (Color::Cyan, (0, 170, 170)),
        (Color::Gray, (190, 190, 190)),
        (Color::DarkGray, (110, 110, 110)),
        (Color::LightRed, (255, 110, 110)),
        (Color::LightGreen, (110, 230, 110)),
        (Color::LightYellow, (250, 220, 110)),
        (Color::LightBlue, (110, 150, 255)),
        (Color::LightMagenta, (240, 120, 240)),
        (Color::LightCyan, (110, 230, 230)),
    ];
    BASIC.iter().min_by_key(|(_, value)| distance((r, g, b), *value)).map_or(Color::Reset, |(colour, _)| *colour)
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}
