//! A line typed on the terminal without being shown.

use std::io::{self, Read as _, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::cli::Failure;
use crate::domain::ApiKey;

/// Longer ones are something else that was pasted, bytes.
const MOST: usize = 8 * 1024;

/// The terminal without echo, until it is dropped.
struct Quiet(Termios);

impl Quiet {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        // Without signals: one would leave the terminal without echo.
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        let _ = writeln!(io::stderr());
    }
}

/// Asks for a key: a dot for each character, Backspace and Ctrl-U take back, Ctrl-C gives up.
pub(super) fn read(question: &str) -> Result<ApiKey, Failure> {
    let _ = write!(io::stderr(), "{question}");
    let _ = io::stderr().flush();
    let quiet =
        Quiet::begin().map_err(|error| Failure::Usage(format!("the terminal can't hide your input: {error}")))?;
    let typed = line(&mut io::stdin().lock(), &mut io::stderr());
    drop(quiet);
    match typed {
        Ok(Some(line)) => Ok(ApiKey::new(&line)),
        Ok(None) => Err(Failure::Faulty("canceled; nothing was changed".to_owned())),
        Err(error) => Err(Failure::Usage(format!("couldn't read the API key: {error}"))),
    }
}

/// Reads up to Enter; nothing where it was given up.
fn line(input: &mut impl io::BufRead, shown: &mut impl io::Write) -> io::Result<Option<String>> {
    let mut typed: Vec<u8> = Vec::new();
    for byte in input.bytes() {
        match byte? {
            b'\r' | b'\n' => return Ok(Some(String::from_utf8_lossy(&typed).into_owned())),
            // Ctrl-C, Ctrl-D, Esc.
            3 | 4 | 27 => return Ok(None),
            8 | 127 if typed.pop().is_some() => shown.write_all(b"\x08 \x08")?,
            21 => {
                shown.write_all("\x08 \x08".repeat(typed.len()).as_bytes())?;
                typed.clear();
            }
            0..32 | 127 => {}
            byte if typed.len() < MOST => {
                typed.push(byte);
                shown.write_all(b"*")?;
            }
            _ => {}
        }
        shown.flush()?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_taken_and_not_shown() {
        let read = |keys: &str| {
            let mut shown = Vec::new();
            let read = line(&mut keys.as_bytes(), &mut shown).unwrap();
            (read, String::from_utf8(shown).unwrap())
        };
        assert_eq!(read("ab\x7fc\r"), (Some("ac".to_owned()), "**\x08 \x08*".to_owned()));
        assert_eq!(read("wrong\x15right\n").0.as_deref(), Some("right"));
        assert_eq!(read("secret\x03").0, None);
        assert_eq!(read("unfinished").0, None);
        assert!(!read("marked\r").1.contains('m'));
    }
}
