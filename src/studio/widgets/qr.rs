//! A QR code: what a telephone's camera takes over from the screen; and that of a project's player.

use qrcode::{Color, EcLevel, QrCode};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color as Paint, Style};

use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Ink, Panel, Role, piece, put, width};

/// A code as a square of dark and light.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    dark: Vec<bool>,
    across: usize,
}

impl Code {
    /// The code of a text; none where it is too long for one.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        // The lowest level of correction: a screen is neither torn nor dirty, and rows are few.
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let dark = code.to_colors().into_iter().map(|color| color == Color::Dark).collect();
        Some(Self { dark, across: code.width() })
    }

    fn is_dark(&self, x: usize, y: usize, margin: usize) -> bool {
        let inside = |at: usize| at.checked_sub(margin).filter(|at| *at < self.across);
        let (Some(x), Some(y)) = (inside(x), inside(y)) else { return false };
        self.dark.get(y * self.across + x).copied().unwrap_or(false)
    }

    /// The code in rows of text, with as wide a light margin as fits (four modules are asked for, one often does); none
    /// where there is no room. In ASCII a module is `##` or two spaces, else half a cell high.
    #[must_use]
    pub fn rows(&self, across: u16, down: u16, ascii: bool) -> Option<Vec<String>> {
        [4, 2, 1].into_iter().find_map(|margin| {
            let side = self.across + 2 * margin;
            let (wide, high) = if ascii { (side * 2, side) } else { (side, side.div_ceil(2)) };
            let fits = wide <= usize::from(across) && high <= usize::from(down);
            fits.then(|| if ascii { self.plain(side, margin) } else { self.halves(side, margin) })
        })
    }

    fn plain(&self, side: usize, margin: usize) -> Vec<String> {
        let module = |x, y| if self.is_dark(x, y, margin) { "##" } else { "  " };
        (0..side).map(|y| (0..side).map(|x| module(x, y)).collect()).collect()
    }

    fn halves(&self, side: usize, margin: usize) -> Vec<String> {
        let cell = |x, y| match (self.is_dark(x, y, margin), self.is_dark(x, y + 1, margin)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        (0..side).step_by(2).map(|y| (0..side).map(|x| cell(x, y)).collect()).collect()
    }
}

/// What is shown on the whole screen, for a telephone to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerCode {
    /// The address, harmless.
    pub address: String,
    /// What it belongs to, harmless.
    pub called: String,
    /// The code of the address.
    pub code: Code,
}

impl PlayerCode {
    /// The code of an address; none where it is too long for one.
    #[must_use]
    pub fn of(address: &str, called: &str) -> Option<Self> {
        let code = Code::of(address)?;
        Some(Self { address: address.to_owned(), called: called.to_owned(), code })
    }

    /// Whether only the machine that shows it can open the address.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let host = self.address.split_once("://").map_or("", |(_, rest)| rest);
        ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
    }
}

impl PlayerCode {
    /// Draws it on the whole of an area, with its address where there is room for both.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) {
        let only_here = piece(Role::Warn, "only this computer can open its address");
        let bottom = if self.is_local() { vec![only_here] } else { Vec::new() };
        let inside = Panel { title: &self.called, bottom, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let mut words = wrap(&self.address, inside.width.saturating_sub(2));
        // The words stand under the code where there is room for both.
        let all = u16::try_from(words.len()).unwrap_or(u16::MAX);
        let with_words = self.code.rows(inside.width, inside.height.saturating_sub(all), ink.ascii);
        let Some(rows) = with_words.clone().or_else(|| self.code.rows(inside.width, inside.height, ink.ascii)) else {
            words.push(String::new());
            words.extend(wrap("Enlarge the window to see the QR code.", inside.width.saturating_sub(2)));
            for (line, y) in words.iter().zip(inside.y..inside.bottom()) {
                put(buf, ink, (inside.x + 1, y), inside.width.saturating_sub(2), line, ink.style(Role::Text));
            }
            return;
        };
        // A code is a picture: dark on light, whatever the colors of the theme, or phones don't read it.
        let style = Style::new().fg(Paint::Black).bg(Paint::White);
        let across = rows.first().map_or(0, |row| width(row));
        let x = inside.x + (inside.width.saturating_sub(across)) / 2;
        let mut y = inside.y;
        for row in &rows {
            buf.set_stringn(x, y, row, usize::from(across), style);
            y += 1;
        }
        if with_words.is_some() {
            for line in &words {
                let at = inside.x + inside.width.saturating_sub(width(line)) / 2;
                put(buf, ink, (at, y), inside.width, line, ink.style(Role::Dim));
                y += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "http://127.0.0.1:7227/play/3f0c7d52-5e2a-4b7e-9a39-0c6f0c7a1d11";

    #[test]
    fn a_code_fits_the_screens_it_is_made_for() {
        let code = Code::of(ADDRESS).unwrap();
        assert_eq!(code.rows(76, 18, false).unwrap().len(), 18);
        assert_eq!(code.rows(116, 35, false).unwrap().len(), 21);
        assert_eq!(code.rows(76, 19, true), None);
        let plain = code.rows(196, 55, true).unwrap();
        // Four modules of margin, then the ring of seven in the corner.
        assert!(plain[3].trim().is_empty() && plain[4].starts_with("        ##############  "));
    }

    #[test]
    fn both_ways_draw_the_same() {
        let code = Code::of(ADDRESS).unwrap();
        let (plain, halves) = (code.plain(35, 1), code.halves(35, 1));
        for (y, row) in plain.iter().enumerate() {
            for (x, module) in row.as_bytes().chunks(2).enumerate() {
                let cell = halves[y / 2].chars().nth(x).unwrap();
                let dark = cell == '█' || cell == if y % 2 == 0 { '▀' } else { '▄' };
                assert_eq!(module == b"##", dark);
            }
        }
    }

    #[test]
    fn what_is_too_long_has_none() {
        assert_eq!(Code::of(&"x".repeat(5_000)), None);
    }

    #[test]
    fn it_is_told_who_can_open_the_address() {
        let is_local = |address: &str| PlayerCode::of(address, "Quiz").unwrap().is_local();
        assert!(is_local("http://127.0.0.1:7227/play/3f0c7d52") && is_local("http://[::1]:7227/play/3f0c7d52"));
        assert!(!is_local("https://player.example/play/3f0c7d52"));
        assert_eq!(PlayerCode::of(&"x".repeat(5_000), "Quiz"), None);
    }
}
