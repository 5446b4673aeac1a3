//! What a studio that has ended left behind.

use std::sync::atomic::Ordering;

use portable_pty::ExitStatus;

use super::Studio;

/// How a studio ended.
pub struct Ended {
    /// With which code, or by which signal.
    pub status: ExitStatus,
    /// Everything it wrote.
    pub raw: Vec<u8>,
    /// What the terminal is left like.
    pub screen: vt100::Screen,
    /// How the line discipline was set before it came, and after it went.
    pub termios: (String, String),
}

impl Ended {
    /// Holds the terminal against what it was before the studio came.
    pub fn is_restored(&self) {
        let (before, after) = &self.termios;
        assert_eq!(before, after, "the line discipline is as it was");
        assert!(!self.screen.alternate_screen(), "the alternate screen was left");
        assert!(!self.screen.hide_cursor(), "the cursor is shown");
        assert!(!self.screen.bracketed_paste(), "pastes are not marked any more: {:?}", self.last_bytes());
        assert_eq!(self.screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        // What the emulator does not know is read off the bytes: the last word on each mode.
        for mode in ["69", "1000", "1002", "1003", "1006", "1004", "2004", "2026"] {
            assert_ne!(self.last_word_on(mode), Some('h'), "mode {mode} is off");
        }
        let count = |sign: &str| self.raw.windows(sign.len()).filter(|window| *window == sign.as_bytes()).count();
        assert_eq!(count("\x1b[>1u"), count("\x1b[<1u"), "the keyboard protocol was given back as often as taken");
    }

    /// The last that was written, in letters.
    fn last_bytes(&self) -> String {
        let from = self.raw.len().saturating_sub(600);
        self.raw[from..].escape_ascii().to_string()
    }

    /// Whether a mode was last set (`h`) or reset (`l`).
    fn last_word_on(&self, mode: &str) -> Option<char> {
        let text = String::from_utf8_lossy(&self.raw);
        let sign = format!("\x1b[?{mode}");
        let at = text.rfind(&sign)?;
        text[at + sign.len()..].chars().next()
    }
}

impl Studio {
    /// Closes the terminal once something more is written, as a window that is closed; how the studio ended.
    #[allow(dead_code)] // Not every program of tests closes one.
    pub fn closes(mut self) -> ExitStatus {
        self.seen.is_closing.store(true, Ordering::SeqCst);
        self.reading.take().unwrap().join().unwrap();
        let Self { start, mut child, master, writer, .. } = self;
        drop((master, writer));
        let status = child.wait().unwrap();
        drop(start);
        status
    }
}
