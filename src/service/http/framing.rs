//! Where requests begin and end in the bytes of a connection, for one thing: a head that has both a `Transfer-Encoding`
//! and a `Content-Length` is refused (RFC 9112 §6.1). Of two programs that read it one may take the other's next request
//! for a part of this one's body. The parser of requests drops the second without a word, so it is looked for here.

/// Bytes of a line that are looked at: the names and values that matter are short.
const MOST_LINE: usize = 256;

/// Follows the requests of a connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    state: State,
    line: Vec<u8>,
    head: Head,
    /// Heads that came whole.
    heads: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    /// So many bytes of a body are to come.
    Body(u64),
    /// The line with the size of a chunk.
    Size,
    /// So many bytes of a chunk are to come.
    Chunk(u64),
    /// The line break after a chunk.
    ChunkEnd,
    /// The lines after the last chunk.
    Trailer,
    /// The connection ends with the current request.
    End,
}

/// What is known of a head so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Head {
    begun: bool,
    encoded: bool,
    length: Option<u64>,
}

impl Framing {
    /// Takes the next bytes; the number of the request, from 1, whose head has both.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Option<u64> {
        while let Some((first, rest)) = bytes.split_first() {
            match self.state {
                State::End => return None,
                State::Body(left) | State::Chunk(left) => {
                    let taken = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
                    let left = left - taken as u64;
                    bytes = bytes.get(taken..).unwrap_or_default();
                    self.state = match self.state {
                        State::Body(_) if left == 0 => State::Head,
                        State::Body(_) => State::Body(left),
                        _ if left == 0 => State::ChunkEnd,
                        _ => State::Chunk(left),
                    };
                }
                _ => {
                    bytes = rest;
                    if *first != b'\n' {
                        if self.line.len() < MOST_LINE {
                            self.line.push(*first);
                        }
                        continue;
                    }
                    let line = std::mem::take(&mut self.line);
                    if self.ends(line.strip_suffix(b"\r").unwrap_or(&line)) {
                        return Some(self.heads);
                    }
                }
            }
        }
        None
    }

    /// Takes a whole line; whether it ended a head that has both.
    fn ends(&mut self, line: &[u8]) -> bool {
        self.state = match self.state {
            State::Head if !line.is_empty() => {
                self.head.note(line);
                State::Head
            }
            // Empty lines before a request count for nothing.
            State::Head if !self.head.begun => State::Head,
            State::Head => {
                self.heads += 1;
                match std::mem::take(&mut self.head) {
                    Head { encoded: true, length: Some(_), .. } => {
                        self.state = State::End;
                        return true;
                    }
                    Head { encoded: true, .. } => State::Size,
                    Head { length: Some(length), .. } if length > 0 => State::Body(length),
                    _ => State::Head,
                }
            }
            State::Size => match size(line) {
                Some(0) => State::Trailer,
                Some(size) => State::Chunk(size),
                None => State::End,
            },
            State::ChunkEnd => State::Size,
            State::Trailer if line.is_empty() => State::Head,
            other => other,
        };
        false
    }
}

impl Head {
    fn note(&mut self, line: &[u8]) {
        if !std::mem::replace(&mut self.begun, true) {
            return;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.encoded = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(value.trim_ascii()).ok().and_then(|value| value.parse().ok());
            // One that can't be read is refused by the parser.
            self.length = Some(value.unwrap_or(0));
        }
    }
}

/// The size of a chunk, without its extensions.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever way the bytes are cut, the same is found.
    fn found(text: &str) -> Option<u64> {
        let at_once = Framing::default().take(text.as_bytes());
        for size in [1, 2, 3, 7] {
            let mut framing = Framing::default();
            let in_pieces = text.as_bytes().chunks(size).find_map(|piece| framing.take(piece));
            assert_eq!(in_pieces, at_once, "{size}: {text:?}");
        }
        at_once
    }

    #[test]
    fn a_head_with_both_is_found_wherever_it_stands() {
        let both = "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
        let other = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nHost: a\r\nCONTENT-LENGTH:5\r\n\r\n0\r\n\r\n";
        let body = "POST / HTTP/1.1\r\nContent-Length: 71\r\n\r\n";
        let chunks = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!((found(both), found(other)), (Some(1), Some(1)));
        assert_eq!(found(&format!("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n{both}")), Some(2));
        assert_eq!(found(&format!("{chunks}5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n{other}")), Some(2));
        // In a body it is a body.
        assert_eq!(both.len(), 71);
        assert_eq!(found(&format!("{body}{both}GET / HTTP/1.1\r\n\r\n")), None);
        assert_eq!(found(&format!("{body}{both}{both}")), Some(2));
        assert_eq!(found(&format!("{chunks}47\r\n{both}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n{other}")), Some(3));
        assert_eq!(found("GET / HTTP/1.1\r\nX: Transfer-Encoding: chunked, Content-Length: 1\r\n\r\n"), None);
    }
}
