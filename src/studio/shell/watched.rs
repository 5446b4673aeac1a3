//! What somebody who watches is shown: a copy of the model in the size of their own terminal, from which secrets and
//! personal data are gone before anything is drawn. A frame of the owner's never reaches them.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::sharing::{Keys, WatcherId};
use crate::domain::{HIDDEN, Veil, behind};
use crate::settings::{Graphics, Theme};
use crate::studio::ground::Screen;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Overlay, What};
use crate::studio::shell::update::{renew_notices, resize};
use crate::studio::shell::view;
use crate::studio::widgets::pictures::Pictures;
use crate::studio::widgets::{Page, Role};

/// Where somebody who watches sits: their terminal.
#[derive(Debug, Clone)]
pub struct Seat {
    /// Who.
    pub id: WatcherId,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Their colors.
    pub theme: Arc<Theme>,
    /// Whether their terminal has only ASCII.
    pub ascii: bool,
    /// What is hidden from them.
    pub veil: Arc<Veil>,
}

/// The studio as it is shown there.
#[must_use]
pub fn watched(model: &Model, seat: &Seat) -> Model {
    let mut copy = model.clone();
    copy.plain = None;
    let shell = &mut copy.shell;
    (shell.sharing.seat, shell.sharing.code) = (Some(seat.id), None);
    (shell.begin.ascii, shell.theme, shell.size) = (seat.ascii, Arc::clone(&seat.theme), seat.size);
    shell.begin.opens_addresses = false;
    shell.pictures = Pictures::default();
    shell.pictures.graphics = Some(Graphics::Off);
    let keys = model.shell.sharing.watcher(seat.id).map(|watcher| watcher.keys);
    shell.notices.of_watcher(keys == Some(Keys::Given));
    let secrets = model.shell.sharing.code.map(|code| code.to_string());
    for overlay in &mut copy.layers {
        veil_layer(overlay, &seat.veil, secrets.as_deref());
    }
    for screen in Screen::EVERY {
        copy.screens.of_mut(*screen).veil(&seat.veil);
    }
    copy.shell.veil = Some(Arc::clone(&seat.veil));
    renew_notices(&mut copy);
    behind(&seat.veil, || resize(&mut copy));
    copy
}

/// Hides what a layer shows that is not for others.
fn veil_layer(overlay: &mut Overlay, veil: &Veil, secret: Option<&str>) {
    let shows_code = match &overlay.what {
        What::Page(page) => secret.is_some_and(|secret| page.text_to_copy() == Some(secret)),
        _ => false,
    };
    if shows_code || overlay.layer().is_secret() || matches!(overlay.what, What::SignIn(_)) {
        let words = "What is open here is not shown to people who watch.".to_owned();
        overlay.what = What::Page(Page::new("Hidden", vec![(Role::Dim, words)], ""));
    } else {
        overlay.layer_mut().veil(veil);
    }
}

/// Draws such a copy and gives the cursor's place.
pub fn draw_watched(copy: &Model, buf: &mut Buffer) -> Option<(u16, u16)> {
    let cursor = match &copy.shell.veil {
        Some(veil) => behind(veil, || view(copy, buf)),
        None => view(copy, buf),
    };
    hide_broken(buf);
    cursor
}

/// A word, its place and its length.
struct Word {
    y: u16,
    from: u16,
    to: u16,
    hidden: bool,
    /// Whether nothing stands before it in its pane.
    is_first: bool,
    /// Whether nothing stands behind it there.
    is_last: bool,
}

/// Hides the other parts of a word that was too long for its line and broken: a part of it may be no longer known for
/// what it is. Parts begin in one column, each in a line of its own up to its pane's edge, and all but the last are at least
/// as long as what follows. What stands beside a label, or in a row with more, is something else.
fn hide_broken(buf: &mut Buffer) {
    let mut lines: Vec<Vec<Word>> = (buf.area.top()..buf.area.bottom()).map(|y| words(buf, y)).collect();
    let mut found = true;
    while found {
        found = false;
        for y in 0..lines.len() {
            let hidden: Vec<(u16, u16, bool, bool)> = lines
                .get(y)
                .into_iter()
                .flatten()
                .filter(|word| word.hidden)
                .map(|word| (word.from, word.to, word.is_first, word.is_last))
                .collect();
            for (from, to, is_first, is_last) in hidden {
                let above = y.checked_sub(1).filter(|_| is_first).and_then(|above| lines.get_mut(above));
                let above = above.and_then(|words| words.iter_mut().find(|it| it.from == from && !it.hidden));
                let is_part = |word: &&mut Word| word.is_last && word.to >= to && word.to - word.from > LEAST_PART;
                if let Some(word) = above.filter(is_part) {
                    (word.hidden, found) = (true, true);
                }
                let is_long = is_last && to - from > LEAST_PART;
                let below = lines.get_mut(y + 1).filter(|_| is_long);
                let below = below.and_then(|words| words.iter_mut().find(|it| it.from == from && !it.hidden));
                if let Some(word) = below.filter(|word| word.is_first && word.to <= to) {
                    (word.hidden, found) = (true, true);
                }
            }
        }
    }
    for word in lines.iter().flatten().filter(|word| word.hidden) {
        for x in word.from..word.to {
            if let Some(cell) = buf.cell_mut((x, word.y)) {
                cell.set_char(HIDDEN);
            }
        }
    }
}

/// Shorter words were not broken: no column is that narrow, cells.
const LEAST_PART: u16 = 9;

/// Whether a sign is an edge of a pane, or a mark on it.
fn is_edge(sign: char) -> bool {
    matches!(sign, '\u{2500}'..='\u{259f}' | '|')
}

fn words(buf: &Buffer, y: u16) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_open = false;
    // Whether anything stood in this pane so far.
    let mut is_first = true;
    for x in buf.area.left()..buf.area.right() {
        let sign = buf.cell((x, y)).and_then(|cell| cell.symbol().chars().next()).unwrap_or(' ');
        let is_inside = sign.is_alphanumeric()
            || sign == HIDDEN
            || matches!(sign, '@' | '.' | '_' | '%' | '+' | '-' | '=' | '/' | ':');
        let is_hidden = sign == HIDDEN;
        match words.last_mut() {
            Some(word) if is_open && is_inside => (word.to, word.hidden) = (x + 1, word.hidden || is_hidden),
            Some(word) if is_inside || !(sign.is_whitespace() || is_edge(sign)) => word.is_last &= is_first,
            _ => {}
        }
        if is_inside && !is_open {
            words.push(Word { y, from: x, to: x + 1, hidden: is_hidden, is_first, is_last: true });
        }
        is_first = is_edge(sign) || (is_first && sign.is_whitespace());
        is_open = is_inside;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(lines: &[&str]) -> Vec<String> {
        let mut buf = Buffer::with_lines(lines.iter().copied());
        hide_broken(&mut buf);
        let row = |y| (0..buf.area.width).map(|x| buf.cell((x, y)).unwrap().symbol().to_owned()).collect::<String>();
        (0..buf.area.height).map(row).collect()
    }

    #[test]
    fn no_part_of_a_broken_word_is_left() {
        let shown = hidden(&["  firstname.last", "  ••••••••••••••", "  pany.example  "]);
        assert_eq!(shown, ["  ••••••••••••••", "  ••••••••••••••", "  ••••••••••••  "]);
        // What only stands above or below is something else.
        let shown = hidden(&["  Title          ", "  •••••••• more  ", "  Fjell          "]);
        assert_eq!(shown, ["  Title          ", "  •••••••• more  ", "  Fjell          "]);
    }

    #[test]
    fn what_stands_beside_a_label_or_in_another_row_is_shown() {
        let pane = [
            "│ Player  http://localhost:7227/p │",
            "│ Emails  ••••••••••••••••••••••• │",
            "│ Steps   6                       │",
            "│ Created 2026-11-26 11:38        │",
        ];
        assert_eq!(hidden(&pane), pane);
        // A row of a list has more in it than a name.
        let list = ["││ Fjellwandern-Socken  14 ││", "││ •••••••••••••••••••  12 ││", "││ Turbekledning         3 ││"];
        assert_eq!(hidden(&list), list);
        // Beside another pane, parts are parts.
        let beside = ["│ one ││ firstname.last │", "│ two ││ •••••••••••••• │", "│ 3   ││ pany.example   │"];
        let parts = ["│ one ││ •••••••••••••• │", "│ two ││ •••••••••••••• │", "│ 3   ││ ••••••••••••   │"];
        assert_eq!(hidden(&beside), parts);
    }
}
