//! Where the studio is shown and where its keys come from: a terminal, or a test.

use std::future::Future;
use std::io;

use ratatui::buffer::Buffer;

use crate::studio::event::Event;
use crate::terminal::{Anchor, Placed};

/// Where the studio is shown.
pub trait Surface: Send {
    /// The size in columns and rows.
    fn size(&self) -> (u16, u16);

    /// Whether the studio is a dialogue of lines here: then nothing is drawn, and lines are told by [`Self::say`].
    fn is_plain(&self) -> bool {
        false
    }

    /// Says lines, one below the other; what is typed next is a secret where that is said.
    ///
    /// # Errors
    /// Where nothing can be said any more: the studio ends.
    fn say(&mut self, _lines: &[String], _asks_secret: bool) -> io::Result<()> {
        Ok(())
    }

    /// Shows a picture, with the cursor where it says.
    ///
    /// # Errors
    /// Where it can't be shown any more: the studio ends.
    fn present(&mut self, picture: &Buffer, cursor: Option<(u16, u16)>) -> io::Result<()>;

    /// The pictures of the next frame: called before [`Self::present`]. While keys follow each other it is hurried:
    /// pictures that have to be painted again then wait, see [`Self::is_behind`].
    fn place(&mut self, _placed: Vec<Placed>, _hurried: bool) {}

    /// Whether it shows links.
    fn has_links(&self) -> bool {
        false
    }

    /// The cells of the next frame that are links: called before [`Self::present`].
    fn link(&mut self, _anchors: Vec<Anchor>) {}

    /// Whether pictures of the last frame wait for the next.
    fn is_behind(&self) -> bool {
        false
    }

    /// Whether the last frame had room for a part of the picture only: the rest is due as soon as the line has room.
    fn is_partial(&self) -> bool {
        false
    }

    /// Whether what was shown last is on its way still: until it has arrived nothing more is drawn, but everything else
    /// goes on.
    fn is_busy(&self) -> bool {
        false
    }

    /// Waits until it is no longer busy. Safe to be cancelled.
    ///
    /// # Errors
    /// Where nothing can be shown any more: the studio ends.
    fn freed(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// The next picture is painted whole.
    fn repaint(&mut self);

    /// Puts a text on the person's clipboard.
    ///
    /// # Errors
    /// Where that can't be done; `Unsupported` where there is no clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;

    /// Hands the terminal back until the person comes again, or until `ended` says that nobody will.
    fn suspend(&mut self, ended: impl Future<Output = ()> + Send) -> impl Future<Output = io::Result<()>> + Send;

    /// Lends the terminal to another program; [`Self::take_back`] ends that.
    fn lend(&mut self) {}

    /// Takes the terminal back after it was lent; the next picture is painted whole.
    ///
    /// # Errors
    /// Where it is gone.
    fn take_back(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Says something once the terminal was given back for good, where somebody can read it.
    fn say_last(&mut self, _words: String) {}

    /// Asks the terminal what it can do; called once, after the first picture.
    ///
    /// # Errors
    /// Where it can't be asked.
    fn ask(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Shows in the terminal's own way how far something is, in percent; nothing where nothing is under way.
    ///
    /// # Errors
    /// Where it can't be shown any more.
    fn progress(&mut self, _percent: Option<u8>) -> io::Result<()> {
        Ok(())
    }

    /// Tells the person's desktop something, where that can be done.
    ///
    /// # Errors
    /// Where nothing can be shown any more.
    fn tell_desktop(&mut self, _words: &str) -> io::Result<()> {
        Ok(())
    }

    /// Whether the way to the person was measured to be slow: then pictures are fewer.
    fn is_slow(&self) -> bool {
        false
    }
}

/// Where keys, pastes, the mouse and sizes come from.
pub trait Source: Send {
    /// What arrived next; `None` when nothing will come any more. Safe to be cancelled.
    fn next(&mut self) -> impl Future<Output = Option<Vec<Event>>> + Send;

    /// Waits until it is to end though nothing is read; from then on it returns at once. Safe to be cancelled.
    fn ended(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// A key was pressed by who was given the keys of this session: it isn't one in which nothing is pressed.
    fn stay(&mut self) {}

    /// Stops reading: what comes now is for someone else.
    fn release(&mut self) {}

    /// Reads again.
    ///
    /// # Errors
    /// Where there is nothing to read from any more.
    fn reclaim(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        std::future::ready(Ok(()))
    }
}
