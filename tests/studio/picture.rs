//! The pictures of the README, drawn from real screens: they say what the screens say, or `UPDATE_DOCS=1` draws them again.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

use crate::terminal::Start;

/// Units of the picture that a cell takes.
pub const CELL: (f32, f32) = (8.4, 18.0);
pub const BACKGROUND: &str = "#14171e";
const TEXT: &str = "#d5dae5";

#[test]
fn the_pictures_of_the_readme_are_of_today() {
    let mut studio = Start::new().size(120, 28).with("COLORTERM", "truecolor").configured("config.toml", "").open();
    studio.shows("274 products").keys("/wool").shows("43 found").keys("\rf").shows("Filters");
    studio.keys("\x1b[B\x1b[B\x1b[B\x1b[B50").shows("stock: from 50");
    studio.keys("\x1b").hides("Filters").keys("P").shows("published").shows("26 found");
    studio.keys("\r").shows("Product ID").keys("]").shows("SKU").shows("Stone grey");
    studio.until("nothing in flight", |rows| !rows[0].contains('⇅'));
    is_drawn("picture.svg", &studio.screen());
    studio
        .keys("\x1b\x1b2")
        .shows("Gift finder")
        .keys("/gift f\r\r")
        .shows("9 steps")
        .keys("\x1b[C")
        .shows("map")
        .shows("1 problem")
        .shows("of viewers")
        .shows("Welcome to Nordlys");
    studio.until("nothing in flight", |rows| !rows[0].contains('⇅'));
    is_drawn("steps.svg", &studio.screen());
    studio.quit();
}

fn is_drawn(name: &str, screen: &Screen) {
    let file = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let now = svg(screen);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        return std::fs::write(file, now).unwrap();
    }
    let drawn = std::fs::read_to_string(file).unwrap();
    assert_eq!(rows(&drawn), rows(&now), "docs/{name} is out of date: UPDATE_DOCS=1 cargo test --test studio picture");
}

/// What a picture says, row by row. How long ago something was and how the connection is are of the moment.
fn rows(svg: &str) -> Vec<String> {
    let mut rows: Vec<(f32, String)> = Vec::new();
    for line in svg.lines().filter(|line| line.starts_with("<text")) {
        let at: f32 = line.split(" y=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().parse().unwrap();
        let text = line.split_once('>').unwrap().1.trim_end_matches("</text>");
        match rows.last_mut().filter(|(row, _)| row.total_cmp(&at).is_eq()) {
            Some((_, row)) => row.extend([" ", text]),
            None => rows.push((at, text.to_owned())),
        }
    }
    rows.into_iter().map(|(_, row)| lasting(&row)).collect()
}

/// The words of a row that are the same whenever it is drawn. Shares of the sample's viewers depend on the day of the week.
pub fn lasting(row: &str) -> String {
    let row = row.split("6 Insp").next().unwrap();
    let words: Vec<&str> = row.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
    let is_unit = |at: usize| words.get(at).is_some_and(|word| ["s", "min", "h", "d", "mo", "y"].contains(word));
    let is_number = |word: &str| word.trim_start_matches('(').parse::<u32>().is_ok();
    let is_time = |at: usize| is_number(words[at]) && is_unit(at + 1) || is_unit(at);
    (0..words.len())
        .filter(|at| !is_time(*at) && !words[*at].ends_with('%'))
        .map(|at| words[at])
        .collect::<Vec<_>>()
        .join(" ")
}

fn svg(screen: &Screen) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let (width, height) = (f32::from(columns) * CELL.0 + 24.0, f32::from(rows) * CELL.1 + 24.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" font-size=\"14\" \
         font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{BACKGROUND}\"/>\n<g transform=\"translate(12 12)\">\n"
    );
    for row in 0..rows {
        draw_row(&mut svg, screen, row, row);
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Draws a row of the screen where another row, or the same, would be.
pub fn draw_row(svg: &mut String, screen: &Screen, row: u16, at: u16) {
    let columns = screen.size().1.get();
    let mut column = 0;
    while column < columns {
        let Some(cell) = screen.cell(row, column) else { break };
        let mut text = sign(cell).to_owned();
        let mut end = column + if cell.is_wide() { 2 } else { 1 };
        // Plain characters that look the same are one piece of text, and a line across is one line.
        while let Some(next) = screen.cell(row, end).filter(|next| joins(cell, next) && end < columns) {
            text.push_str(sign(next));
            end += 1;
        }
        draw(svg, cell, &text, (column, at), end - column);
        column = end;
    }
}

fn sign(cell: &Cell) -> &str {
    if cell.has_contents() { cell.contents() } else { " " }
}

fn joins(first: &Cell, next: &Cell) -> bool {
    let plain = |cell: &Cell| sign(cell).is_ascii() && !cell.is_wide();
    let look = |cell: &Cell| (cell.fgcolor(), cell.bgcolor(), cell.bold(), cell.underline(), cell.inverse());
    let across = |cell: &Cell| sign(cell) == "─";
    (plain(first) && plain(next) || across(first) && across(next)) && look(first) == look(next)
}

fn draw(svg: &mut String, cell: &Cell, text: &str, at: (u16, u16), cells: u16) {
    let (x, y) = (f32::from(at.0) * CELL.0, f32::from(at.1) * CELL.1);
    let width = f32::from(cells) * CELL.0;
    if let Some(colour) = hex(cell.bgcolor()) {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/>",
            CELL.1
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let colour = hex(cell.fgcolor()).unwrap_or_else(|| TEXT.to_owned());
    if let Some(path) = line(text, x, y) {
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.2\"/>");
        return;
    }
    let weight = if cell.bold() { " font-weight=\"bold\"" } else { "" };
    let shown = text.trim_end();
    let width = f32::from(u16::try_from(shown.chars().count()).unwrap()) * CELL.0;
    let width = if shown.is_ascii() { format!(" textLength=\"{width:.1}\"") } else { String::new() };
    let escaped = shown.replace('&', "&amp;").replace('<', "&lt;");
    let base = y + 13.5;
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{base:.1}\" fill=\"{colour}\"{weight}{width} xml:space=\"preserve\">{escaped}</text>"
    );
}

/// Lines are drawn, so that they meet whatever the font.
fn line(sign: &str, x: f32, y: f32) -> Option<String> {
    let (right, bottom) = (x + CELL.0, y + CELL.1);
    if sign.chars().all(|c| c == '─') {
        let (down, cells) = (y + CELL.1 / 2.0, u16::try_from(sign.chars().count()).ok()?);
        return Some(format!("M{x:.1} {down:.1}H{:.1}", x + f32::from(cells) * CELL.0));
    }
    let (across, down) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
    let corner = |from: (f32, f32), to: (f32, f32)| {
        format!("M{:.1} {:.1}Q{across:.1} {down:.1} {:.1} {:.1}", from.0, from.1, to.0, to.1)
    };
    Some(match sign {
        "│" | "┃" => format!("M{across:.1} {y:.1}V{bottom:.1}"),
        "╭" => corner((right, down), (across, bottom)),
        "╮" => corner((x, down), (across, bottom)),
        "╰" => corner((right, down), (across, y)),
        "╯" => corner((x, down), (across, y)),
        "├" => format!("M{across:.1} {y:.1}V{bottom:.1}M{across:.1} {down:.1}H{right:.1}"),
        "┤" => format!("M{across:.1} {y:.1}V{bottom:.1}M{x:.1} {down:.1}H{across:.1}"),
        "┬" => format!("M{x:.1} {down:.1}H{right:.1}M{across:.1} {down:.1}V{bottom:.1}"),
        "┴" => format!("M{x:.1} {down:.1}H{right:.1}M{across:.1} {y:.1}V{down:.1}"),
        "┼" => format!("M{x:.1} {down:.1}H{right:.1}M{across:.1} {y:.1}V{bottom:.1}"),
        "▌" => format!("M{:.1} {y:.1}V{bottom:.1}M{:.1} {y:.1}V{bottom:.1}", x + 0.6, x + 1.8),
        _ => return None,
    })
}

/// The colour of a cell: those of 24 bits and of xterm's cube and greys are the same everywhere.
fn hex(colour: Color) -> Option<String> {
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    let (r, g, b) = match colour {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Idx(n @ 16..=231) => (step((n - 16) / 36), step((n - 16) / 6 % 6), step((n - 16) % 6)),
        Color::Idx(n @ 232..) => (8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
        _ => return None,
    };
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}
