//! What is noted while a frame is drawn: where what is current stands, and which cells show an address.

use std::cell::{Cell, RefCell};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use url::Url;

use crate::domain::is_web_address;

/// Addresses of more characters than that are no links: terminals forget them.
const MOST_LINK: usize = 2_000;

/// Notes of one frame. The terminal's cursor stands on what is current where no text is typed: magnifiers and screen readers
/// follow it.
#[derive(Debug, Default)]
pub struct Noted {
    /// The pane that has the keys.
    pane: Cell<Option<Rect>>,
    at: Cell<Option<(u16, u16)>>,
    /// Whether the terminal has links.
    wants_links: bool,
    links: RefCell<Vec<Linked>>,
}

/// Cells of a row that show an address, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The first cell.
    pub at: (u16, u16),
    /// How many.
    pub width: u16,
    /// The whole address, in printable ASCII.
    pub address: String,
    /// What the cells say.
    shown: String,
}

impl Noted {
    /// Notes of a frame for a terminal that has links.
    #[must_use]
    pub fn with_links() -> Self {
        Self { wants_links: true, ..Self::default() }
    }

    /// The cell of what is current, where something is.
    #[must_use]
    pub fn at(&self) -> Option<(u16, u16)> {
        self.at.get()
    }

    /// Something else lies over what was drawn so far.
    pub fn clear(&self) {
        self.pane.set(None);
        self.at.set(None);
    }

    /// The addresses over which nothing else was drawn since.
    #[must_use]
    pub fn links(&self, buf: &Buffer) -> Vec<Linked> {
        let mut links = self.links.take();
        links.retain(|link| read(buf, link.at, link.width) == link.shown);
        links
    }

    /// What is drawn in this cell is current. Outside the pane that has the keys nothing is.
    pub(super) fn stands(&self, place: (u16, u16)) {
        if self.pane.get().is_none_or(|pane| pane.contains(place.into())) {
            self.at.set(Some(place));
        }
    }

    /// This pane has the keys: what is current is in it, and as long as nothing is, its first cell.
    pub(super) fn has_keys(&self, pane: Rect) {
        self.pane.set(Some(pane));
        // Texts begin a cell beside the border.
        self.at.set(Some((pane.x + 2.min(pane.width.saturating_sub(1)), pane.y + 1)));
    }

    /// Where this address was drawn in an area, on one row or broken over several, its cells are a link to it. One whose host
    /// was cut, or that is none of the web, is not.
    pub(super) fn link(&self, buf: &Buffer, area: Rect, address: &str) {
        let is_plain = self.wants_links && address.is_ascii() && address.len() <= MOST_LINK && is_web_address(address);
        let Some(target) = is_plain.then(|| Url::parse(address).ok()).flatten() else { return };
        let target = target.to_string();
        let area = area.intersection(buf.area);
        if target.len() > MOST_LINK || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return;
        }
        let mut cells = (area.top()..area.bottom()).flat_map(|y| (area.left()..area.right()).map(move |x| (x, y)));
        let Some(parts) = cells.find_map(|at| parts_from(buf, area, at, address)) else { return };
        let linked = parts.into_iter().map(|(at, width)| Linked {
            at,
            width,
            address: target.clone(),
            shown: read(buf, at, width),
        });
        self.links.borrow_mut().extend(linked);
    }
}

/// The cells of an address that begins here, row by row; none where not all of it is there.
fn parts_from(buf: &Buffer, area: Rect, (x, y): (u16, u16), address: &str) -> Option<Vec<((u16, u16), u16)>> {
    let (mut parts, mut rest) = (Vec::new(), address);
    for y in y..area.bottom() {
        let same = (x..area.right()).zip(rest.chars()).take_while(|(x, c)| {
            buf.cell((*x, y)).is_some_and(|cell| cell.symbol().len() == 1 && cell.symbol().starts_with(*c))
        });
        let width = same.count();
        if width == 0 {
            return None;
        }
        parts.push(((x, y), u16::try_from(width).ok()?));
        rest = rest.get(width..)?;
        let beside = u16::try_from(width).ok().and_then(|width| buf.cell((x.checked_add(width)?, y)));
        // Whose it is can be read of what is left of one that was cut.
        if beside.is_some_and(|cell| matches!(cell.symbol(), "…" | "~"))
            && address.len() - rest.len() > host_end(address)
        {
            return Some(parts);
        }
        if rest.is_empty() {
            // Where more follows it may be another address.
            return beside
                .is_none_or(|cell| !cell.symbol().starts_with(|c: char| c.is_ascii_graphic()))
                .then_some(parts);
        }
    }
    None
}

/// How many characters of an address are its scheme and host.
fn host_end(address: &str) -> usize {
    address.match_indices('/').nth(2).map_or(address.len(), |(at, _)| at)
}

fn read(buf: &Buffer, (x, y): (u16, u16), width: u16) -> String {
    (x..x.saturating_add(width)).filter_map(|x| buf.cell((x, y))).map(ratatui::buffer::Cell::symbol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://shop.example/products/fjell-wool-sock";

    /// What is linked of a page on which this address may be.
    fn linked(lines: &[&str], address: &str) -> Vec<(u16, u16, u16)> {
        let noted = Noted::with_links();
        let buf = Buffer::with_lines(lines.iter().copied());
        noted.link(&buf, buf.area, address);
        noted.links(&buf).into_iter().map(|link| (link.at.0, link.at.1, link.width)).collect()
    }

    #[test]
    fn an_address_that_is_seen_whole_is_a_link() {
        assert_eq!(linked(&["", &format!("  Page  {ADDRESS} │")], ADDRESS), [(8, 1, 45)]);
        let broken = ["Page  https://shop.example/produc", "      ts/fjell-wool-sock"];
        assert_eq!(linked(&broken, ADDRESS), [(6, 0, 27), (6, 1, 18)]);
    }

    #[test]
    fn what_is_cut_in_its_host_or_of_no_web_is_none() {
        assert_eq!(linked(&["https://shop.example/products/fj…"], ADDRESS), [(0, 0, 32)]);
        assert_eq!(linked(&["https://shop.exam…"], ADDRESS), []);
        assert_eq!(linked(&["https://shop.example/pro"], ADDRESS), [], "nothing says that more follows");
        assert_eq!(linked(&[&format!("{ADDRESS}-2")], ADDRESS), [], "that is another one");
        for other in
            ["javascript:alert(1)", "file:///etc/passwd", "https://a.example/\u{1b}]8;;x", "https://a b.example/"]
        {
            assert_eq!(linked(&[other], other), [], "{other:?}");
        }
    }

    #[test]
    fn what_something_else_lies_over_is_none() {
        let noted = Noted::with_links();
        let mut buf = Buffer::with_lines([ADDRESS]);
        noted.link(&buf, buf.area, ADDRESS);
        buf.set_string(9, 0, "╭", ratatui::style::Style::new());
        assert_eq!(noted.links(&buf), []);
    }
}
