//! The studio as a dialogue of lines: lines come in by any stream, and answers go out as lines that nothing moves or
//! colors. So a script drives it, a screen reader reads it, and a terminal that knows no sequences shows it.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::buffer::Buffer;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::surface::{Source, Surface};
use crate::studio::event::Event;
use crate::terminal::Outbox;

/// The size that lists are paged by: what is current is said whatever it is.
const SIZE: (u16, u16) = (120, 50);

/// A line that is longer is cut, bytes.
const LONGEST: usize = 64 * 1024;

/// So long is waited for a reader that takes nothing, before what is on its way is left.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is typed there has to be shown by us, and edited: the terminal sends each key as it is pressed.
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;
const BACKSPACE: u8 = 8;
const CTRL_U: u8 = 21;
const ESCAPE: u8 = 27;
const DELETE: u8 = 127;

/// How a terminal is kept from showing a secret that is typed.
pub type Hide = Box<dyn FnMut(bool) + Send>;

/// Where answers go.
pub struct Lines {
    out: Outbox,
    hide: Option<Hide>,
    /// Whether what is typed is a secret.
    is_hidden: Arc<AtomicBool>,
}

/// Where lines come from.
pub struct Entered<R> {
    input: R,
    bytes: Vec<u8>,
    /// What is being typed on a terminal that sends each key: what it shows is up to us.
    typed: Option<Typed>,
    is_over: bool,
    end: End,
}

/// Resolves when the dialogue is to end, whatever is read.
pub type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The line that is being typed.
struct Typed {
    line: Vec<u8>,
    out: Outbox,
    /// Whether what comes belongs to a sequence of the terminal.
    sequence: Option<u8>,
    /// Whether what is typed is a secret.
    is_hidden: Arc<AtomicBool>,
}

/// A dialogue by these streams. `is_raw` is a terminal that sends each key as it is pressed, and shows none.
///
/// # Errors
/// Where there can be no more threads.
pub fn open<R: AsyncRead + Send + Unpin>(
    input: R,
    output: impl Write + Send + 'static,
    is_raw: bool,
    hide: Option<Hide>,
    end: End,
) -> io::Result<(Lines, Entered<R>)> {
    let out = Outbox::new(output, || true)?;
    let is_hidden = Arc::new(AtomicBool::new(false));
    let typed =
        is_raw.then(|| Typed { line: Vec::new(), out: out.clone(), sequence: None, is_hidden: Arc::clone(&is_hidden) });
    Ok((Lines { out, hide, is_hidden }, Entered { input, bytes: Vec::new(), typed, is_over: false, end }))
}

impl Surface for Lines {
    fn size(&self) -> (u16, u16) {
        SIZE
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn say(&mut self, lines: &[String], asks_secret: bool) -> io::Result<()> {
        if self.is_hidden.swap(asks_secret, Ordering::SeqCst) != asks_secret
            && let Some(hide) = &mut self.hide
        {
            hide(asks_secret);
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.out.write_all(format!("{}\n", lines.join("\n")).as_bytes())?;
        self.out.flush()
    }

    fn is_busy(&self) -> bool {
        self.out.is_busy()
    }

    fn freed(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.out.emptied()
    }

    fn present(&mut self, _picture: &Buffer, _cursor: Option<(u16, u16)>) -> io::Result<()> {
        Ok(())
    }

    fn repaint(&mut self) {}

    fn copy(&mut self, _text: &str) -> io::Result<()> {
        Err(io::Error::other("there is no clipboard here"))
    }

    async fn suspend(&mut self, _ended: impl Future<Output = ()> + Send) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if self.is_hidden.load(Ordering::SeqCst)
            && let Some(hide) = &mut self.hide
        {
            hide(false);
        }
        // What was said last is read by somebody, unless nobody takes anything.
        self.out.drain(PATIENCE);
    }
}

impl<R: AsyncRead + Send + Unpin> Source for Entered<R> {
    async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
            if let Some(line) = self.line() {
                return Some(vec![Event::Entered(line)]);
            }
            if self.is_over {
                return None;
            }
            let mut read = [0; 4096];
            let count = tokio::select! {
                biased;
                () = &mut self.end => return None,
                count = self.input.read(&mut read) => count.unwrap_or(0),
            };
            self.is_over |= count == 0;
            let arrived = read.get(..count).unwrap_or_default();
            match &mut self.typed {
                None => self.bytes.extend_from_slice(arrived),
                Some(typed) => self.is_over |= typed.take(arrived, &mut self.bytes).is_err(),
            }
        }
    }

    async fn ended(&mut self) {
        (&mut self.end).await;
    }
}

impl<R> Entered<R> {
    /// The next line that is whole, or the last one though nothing ends it.
    fn line(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n');
        let last = self.is_over && !self.bytes.is_empty();
        let (taken, rest) = match end {
            Some(end) => (end, end + 1),
            None if self.bytes.len() >= LONGEST => (LONGEST, LONGEST),
            None if last => (self.bytes.len(), self.bytes.len()),
            None => return None,
        };
        let line: Vec<u8> = self.bytes.drain(..rest).take(taken).collect();
        Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
    }
}

impl Typed {
    /// Takes what was typed; whole lines go to `lines`. What is erased is shown behind a backslash, as on a
    /// terminal that prints on paper.
    ///
    /// # Errors
    /// Where nothing more is to be read: Ctrl-C, or Ctrl-D on an empty line, or a terminal that is gone.
    fn take(&mut self, bytes: &[u8], lines: &mut Vec<u8>) -> io::Result<()> {
        for byte in bytes {
            match *byte {
                ESCAPE => self.sequence = Some(ESCAPE),
                byte if self.is_in_sequence(byte) => {}
                CTRL_C => return Err(io::ErrorKind::Interrupted.into()),
                CTRL_D if self.line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
                b'\r' | b'\n' => {
                    self.out.write_all(b"\n")?;
                    lines.append(&mut self.line);
                    lines.push(b'\n');
                }
                BACKSPACE | DELETE => self.erase()?,
                CTRL_U => {
                    self.line.clear();
                    self.out.write_all(b"\\\n")?;
                }
                byte if byte < b' ' => {}
                byte if self.line.len() < LONGEST => {
                    self.line.push(byte);
                    if !self.is_hidden.load(Ordering::SeqCst) {
                        self.out.write_all(&[byte])?;
                    }
                }
                _ => {}
            }
        }
        self.out.flush()
    }

    /// Whether a byte belongs to a sequence of the terminal, a key that is no line: `ESC [ 1 ; 5 D`, `ESC O P`. Esc alone
    /// is no sequence, and what follows it is text.
    fn is_in_sequence(&mut self, byte: u8) -> bool {
        self.sequence = match (self.sequence, byte) {
            (Some(ESCAPE), b'[' | b'O') => Some(byte),
            (Some(b'['), b' '..=b'?') => Some(b'['),
            (Some(b'[' | b'O'), b' '..) => {
                self.sequence = None;
                return true;
            }
            _ => None,
        };
        self.sequence.is_some()
    }

    /// Takes the last character back.
    fn erase(&mut self) -> io::Result<()> {
        let mut character = Vec::new();
        while let Some(byte) = self.line.pop() {
            character.insert(0, byte);
            // The bytes of a character but its first begin with 10.
            if byte & 0b1100_0000 != 0b1000_0000 {
                break;
            }
        }
        if character.is_empty() || self.is_hidden.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.out.write_all(b"\\").and_then(|()| self.out.write_all(&character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(typed: &[u8], is_raw: bool) -> Vec<String> {
        let (_surface, mut source) = open(typed, io::sink(), is_raw, None, Box::pin(std::future::pending())).unwrap();
        let mut all = Vec::new();
        while let Some(events) = source.next().await {
            for event in events {
                let Event::Entered(line) = event else { panic!("{event:?}") };
                all.push(line);
            }
        }
        all
    }

    #[tokio::test]
    async fn lines_end_as_they_may() {
        assert_eq!(lines(b"2\r\nopen Quiz\n\nlast", false).await, ["2", "open Quiz", "", "last"]);
        let long = vec![b'x'; LONGEST + 3];
        assert_eq!(lines(&long, false).await.iter().map(String::len).collect::<Vec<_>>(), [LONGEST, 3]);
    }

    #[tokio::test]
    async fn what_is_typed_key_by_key_becomes_lines_too() {
        let typed = "wö\u{7f}ool\r\x1b[Ano\u{15}yes\r".as_bytes();
        assert_eq!(lines(typed, true).await, ["wool", "yes"]);
        let keys = b"\x1bquit\r\x1bOPa\r\x1b[1;5Db\r\x1b\rc\r";
        assert_eq!(lines(keys, true).await, ["quit", "a", "b", "", "c"], "keys that are no lines");
        assert_eq!(lines(b"one\rtw\x03three\r", true).await, ["one"], "Ctrl-C ends it");
        assert_eq!(lines(b"one\r\x04two\r", true).await, ["one"], "and so does Ctrl-D on an empty line");
    }
}
