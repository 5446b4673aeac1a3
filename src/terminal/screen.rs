//! From one picture of the screen to the next in the fewest bytes, in one write.

mod differences;
mod links;
mod moves;
mod order;
mod rows;
mod slides;

use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::anchors::{Anchor, Anchors};
use super::pacer::STATUS_QUERY;
use super::pen::{PLAIN, Pen};
use super::placed::{Gallery, Placed, Plan};
use super::shift::digest;
use super::shortcuts::Shortcuts;
use links::NO_LINK;
use moves::Cursor;
use rows::{STAY, WRAP};

/// Keeps what the terminal shows and writes what differs.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    shown: Buffer,
    /// A digest of each row of `shown`: most rows are told to be the same, or to have moved, by these alone.
    digests: Vec<u64>,
    pen: Pen,
    /// Where the terminal's cursor is; `None` where that is not certain.
    cursor: Option<Cursor>,
    visible: Option<(u16, u16)>,
    frame: Vec<u8>,
    whole: bool,
    /// Whether frames begin and end with a query, that the terminal answers once it has come so far.
    queries: (bool, bool),
    /// How many bytes a frame may have, nearly, and whether the last one left out what came after that.
    most: Option<usize>,
    is_partial: bool,
    shortcuts: Shortcuts,
    /// Whether signs of ambiguous width may be drawn over two cells.
    wide_signs: bool,
    pictures: Gallery,
    anchors: Anchors,
    /// The next frame, where pictures change it.
    planned: Buffer,
}

/// What a frame came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Bytes.
    pub bytes: usize,
    /// Cells that changed.
    pub cells: usize,
}

impl<W: Write> Screen<W> {
    /// A screen that shows nothing yet; the first frame paints all of it.
    pub fn new(out: W) -> Self {
        Self {
            out,
            shown: Buffer::empty(Rect::ZERO),
            digests: Vec::new(),
            pen: PLAIN,
            cursor: None,
            visible: None,
            frame: Vec::with_capacity(16 * 1024),
            whole: true,
            queries: (false, false),
            most: None,
            is_partial: false,
            shortcuts: Shortcuts::default(),
            wide_signs: false,
            pictures: Gallery::default(),
            anchors: Anchors::default(),
            planned: Buffer::empty(Rect::ZERO),
        }
    }

    /// Uses what the terminal does with many cells at once.
    #[must_use]
    pub fn with(mut self, shortcuts: Shortcuts) -> Self {
        self.shortcuts = shortcuts;
        self
    }

    /// The terminal was found to draw signs again (REP).
    pub fn repeats(&mut self) {
        self.shortcuts.repeats = true;
    }

    /// Trusts no column behind a sign of ambiguous width, where the terminal may draw those over two cells: no row begins in
    /// a wrong place, or goes on in the next one.
    #[must_use]
    pub fn with_wide_signs(mut self, possible: bool) -> Self {
        self.wide_signs = possible;
        self
    }

    /// Shows links, where the terminal is known to have them.
    #[must_use]
    pub fn with_links(mut self, known: bool) -> Self {
        self.anchors.known = known;
        self
    }

    /// Gives the terminal its pictures through tmux.
    #[must_use]
    pub fn with_passing(mut self, passes: bool) -> Self {
        self.pictures.passes = passes;
        self
    }

    /// The links of the next frame.
    pub fn link(&mut self, anchors: Vec<Anchor>) {
        self.anchors.want(anchors);
    }

    /// The pictures of the next frame; in one that is hurried those that are painted over cells may wait.
    pub fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.pictures.place(placed, hurried);
    }

    /// Whether the next frame begins and ends with a [query](STATUS_QUERY).
    pub fn ask(&mut self, before: bool, after: bool) {
        self.queries = (before, after);
    }

    /// How many bytes a frame may have, nearly: rows that would be beyond are left as they are, see [`Self::is_partial`].
    pub fn limit(&mut self, most: Option<usize>) {
        self.most = most;
    }

    /// Whether the last frame had more to show than it might have bytes.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What it is written to.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Whether pictures of the last frame wait for the next, so that they do not keep everything else waiting.
    pub fn is_behind(&self) -> bool {
        self.pictures.is_behind()
    }

    /// Takes back from the terminal what it was given to keep.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn withdraw_pictures(&mut self) -> io::Result<()> {
        let bytes = self.pictures.withdraw();
        if bytes.is_empty() { Ok(()) } else { self.write(bytes.as_bytes()) }
    }

    /// The next frame paints everything: someone else wrote to the terminal.
    pub fn repaint(&mut self) {
        self.whole = true;
    }

    /// Writes bytes that are no frame, in a write of their own.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Where the terminal prints it, the cursor is elsewhere now.
        self.cursor = None;
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// Shows a picture, with the cursor where it says, or hidden.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn present(&mut self, next: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<Written> {
        let again = self.whole || self.shown.area != next.area;
        if again {
            self.pictures.forget();
        }
        if !self.pictures.has_any() {
            return self.present_with(next, cursor, true, &Plan::default());
        }
        let may_scroll = self.pictures.may_scroll();
        let mut planned = std::mem::replace(&mut self.planned, Buffer::empty(Rect::ZERO));
        planned.clone_from(next);
        let nothing = Buffer::empty(Rect::ZERO);
        let plan = self.pictures.plan(&mut planned, if again { &nothing } else { &self.shown });
        let written = self.present_with(&planned, cursor, may_scroll, &plan);
        self.planned = planned;
        written
    }

    fn present_with(
        &mut self,
        next: &Buffer,
        cursor: Option<(u16, u16)>,
        may_scroll: bool,
        plan: &Plan,
    ) -> io::Result<Written> {
        self.frame.clear();
        if self.shortcuts.syncs {
            self.frame.extend_from_slice(BEGIN);
        }
        if self.queries.0 {
            self.frame.extend_from_slice(STATUS_QUERY);
        }
        let start = self.frame.len();
        let across = usize::from(next.area.width).max(1);
        let digests: Vec<u64> = next.content.chunks(across).map(digest).collect();
        let mut may_move = false;
        if self.whole || self.shown.area != next.area {
            self.shown = Buffer::empty(next.area);
            self.digests = self.shown.content.chunks(across).map(digest).collect();
            self.pen = PLAIN;
            if self.anchors.were_drawn {
                // The last frame may have been cut off within one.
                self.frame.extend_from_slice(NO_LINK);
            }
            self.frame.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
            // It may also have been cut off where a region was set.
            if self.shortcuts.margins {
                self.frame.extend_from_slice(b"\x1b[?69l");
            }
            if self.shortcuts.scrolls {
                self.frame.extend_from_slice(b"\x1b[r");
            }
            self.cursor = Some(Cursor::sure((0, 0)));
            self.anchors.forget();
        } else {
            // Where rows of several pictures stand beside each other, moving them would move right ones away.
            may_move = may_scroll && !self.is_partial;
        }
        let drawn: Vec<bool> = digests.iter().zip(&self.digests).map(|(now, before)| now != before).collect();
        let cells = self.draw(next, &digests, may_move, plan.before.as_bytes());
        if self.is_partial {
            self.anchors.owe();
        } else {
            self.draw_anchors(next, &drawn);
        }
        for ((x, y), bytes) in &plan.over {
            self.pen.change(PLAIN, &mut self.frame);
            self.cursor = None;
            self.go(*x, *y);
            self.frame.extend_from_slice(bytes.as_bytes());
            self.cursor = None;
        }
        let drawn = self.frame.len() - start;
        if drawn == 0 && self.visible == cursor && !self.whole {
            return Ok(Written::default());
        }
        self.end(start, cursor);
        self.visible = cursor;
        self.whole = false;
        self.out.write_all(&self.frame)?;
        self.out.flush()?;
        Ok(Written { bytes: self.frame.len(), cells })
    }

    /// Ends a frame whose changes begin at a byte of it, with the cursor where it is to be.
    fn end(&mut self, start: usize, cursor: Option<(u16, u16)>) {
        // A cursor that is hidden and shown again flickers, and starts to blink again. It is only where it could be seen on its way.
        let is_still = !self.whole && cursor.is_some() && self.frame.len() - start <= AT_ONCE;
        if self.visible.is_some() && !is_still {
            self.frame.splice(start..start, HIDE.iter().copied());
        }
        if self.wide_signs && self.frame.len() > start {
            self.frame.splice(start..start, STAY.iter().copied());
            self.frame.extend_from_slice(WRAP);
        }
        self.cursor = self.cursor.filter(|at| at.is_sure);
        if let Some((x, y)) = cursor {
            self.go(x, y);
            if self.visible.is_none() || !is_still {
                self.frame.extend_from_slice(SHOW);
            }
        } else if self.whole {
            self.frame.extend_from_slice(HIDE);
        }
        if self.queries.1 {
            self.frame.extend_from_slice(STATUS_QUERY);
        }
        if self.shortcuts.syncs {
            self.frame.extend_from_slice(END);
        }
    }
}

/// Begin and end of a frame that the terminal shows at once (mode 2026), and the cursor's sight.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";
const HIDE: &[u8] = b"\x1b[?25l";
const SHOW: &[u8] = b"\x1b[?25h";

/// So many bytes arrive together, in one packet with what is around them, and are drawn at once by terminals that lack mode
/// 2026, too.
const AT_ONCE: usize = 500;

#[cfg(test)]
#[path = "frame_tests.rs"]
mod frame_tests;
#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "width_tests.rs"]
mod width_tests;
