//! The packets of the SSH file transfer protocol, version 3 (draft-ietf-secsh-filexfer-02), as far as a place needs them
//! into which files are put. Numbers are big-endian, texts go behind their length.

/// The version that is spoken.
pub(super) const VERSION: u32 = 3;

/// A longer packet is none that a client sends who was told nothing else: the most that the draft asks for is 34,000.
pub(super) const LONGEST: u32 = 256 * 1024 + 1024;

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// To begin, with the version that it speaks.
    Init,
    /// To open a file, and for what.
    Open { path: String, how: Flags },
    /// To close a file or a folder.
    Close(u32),
    /// To write to a file.
    Write { handle: u32, offset: u64, data: Vec<u8> },
    /// What stands at a path.
    Stat(String),
    /// The same of an open file.
    StatOpen(u32),
    /// To change what is known of an open file.
    SetStatOpen(u32),
    /// To open a folder.
    OpenFolder(String),
    /// What is in an open folder.
    ReadFolder(u32),
    /// A path without what leads up and down.
    RealPath(String),
    /// Anything else.
    Other,
}

/// For what a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags(u32);

impl Flags {
    /// Whether it is to be read.
    pub(super) fn reads(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether it is to be written from its beginning.
    pub(super) fn truncates(self) -> bool {
        self.0 & 2 != 0 && self.0 & 4 == 0
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Ok = 0,
    End = 1,
    NoSuchFile = 2,
    Denied = 3,
    Failed = 4,
    BadMessage = 5,
    Unsupported = 8,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    /// Of so many bytes.
    File(u64),
}

/// Reads what a packet asks for, and what the answer is called; none where it is no packet.
pub(super) fn read(packet: &[u8]) -> Option<(u32, Asked)> {
    let (kind, rest) = packet.split_first()?;
    let mut rest = Rest(rest);
    if *kind == 1 {
        return Some((rest.number()?, Asked::Init));
    }
    let id = rest.number()?;
    let asked = match kind {
        3 => Asked::Open { path: rest.text()?, how: Flags(rest.number()?) },
        4 => Asked::Close(rest.handle()?),
        6 => Asked::Write { handle: rest.handle()?, offset: rest.long()?, data: rest.bytes()?.to_vec() },
        // Nothing here is a link.
        7 | 17 => Asked::Stat(rest.text()?),
        8 => Asked::StatOpen(rest.handle()?),
        10 => Asked::SetStatOpen(rest.handle()?),
        11 => Asked::OpenFolder(rest.text()?),
        12 => Asked::ReadFolder(rest.handle()?),
        16 => Asked::RealPath(rest.text()?),
        _ => Asked::Other,
    };
    Some((id, asked))
}

/// What is not read yet of a packet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.take(8)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// One that was given out here.
    fn handle(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.bytes()?.try_into().ok()?))
    }
}

/// An answer, with its length before it.
pub(super) struct Answer(Vec<u8>);

impl Answer {
    fn new(kind: u8, id: u32) -> Self {
        let mut bytes = vec![0; 4];
        bytes.push(kind);
        bytes.extend(id.to_be_bytes());
        Self(bytes)
    }

    fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        self.0.extend(bytes);
        self
    }

    /// The attributes of a file: its size, and that it can't be read.
    fn about(self, kind: Kind) -> Self {
        const SIZE: u32 = 1;
        const MODE: u32 = 4;
        match kind {
            Kind::Folder => self.number(MODE).number(0o40_700),
            Kind::File(size) => {
                let mut answer = self.number(SIZE | MODE);
                answer.0.extend(size.to_be_bytes());
                answer.number(0o100_200)
            }
        }
    }

    /// The version.
    pub(super) fn version() -> Self {
        Self::new(2, VERSION)
    }

    /// How it ended, and why in words.
    pub(super) fn status(id: u32, status: Status, words: &str) -> Self {
        Self::new(101, id).number(status as u32).bytes(words.as_bytes()).bytes(b"en")
    }

    /// What an open file or folder is called.
    pub(super) fn handle(id: u32, handle: u32) -> Self {
        Self::new(102, id).bytes(&handle.to_be_bytes())
    }

    /// Names, each with what is known of it.
    pub(super) fn names(id: u32, names: &[(String, Kind)]) -> Self {
        let count = u32::try_from(names.len()).unwrap_or(0);
        names.iter().fold(Self::new(104, id).number(count), |answer, (name, kind)| {
            let line = match kind {
                Kind::Folder => format!("drwx------    1 -        -        {:>12} {name}", 0),
                Kind::File(size) => format!("--w-------    1 -        -        {size:>12} {name}"),
            };
            answer.bytes(name.as_bytes()).bytes(line.as_bytes()).about(*kind)
        })
    }

    /// What stands at a path.
    pub(super) fn what(id: u32, kind: Kind) -> Self {
        Self::new(105, id).about(kind)
    }

    /// As it goes over the wire.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len().saturating_sub(4)).unwrap_or(u32::MAX);
        if let Some(head) = self.0.get_mut(..4) {
            head.copy_from_slice(&length.to_be_bytes());
        }
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_anywhere_is_no_request() {
        let mut packet = vec![6, 0, 0, 0, 9];
        packet.extend([0, 0, 0, 4, 0, 0, 0, 1]);
        packet.extend(7_u64.to_be_bytes());
        packet.extend([0, 0, 0, 3]);
        packet.extend(b"abc");
        let whole = Asked::Write { handle: 1, offset: 7, data: b"abc".to_vec() };
        assert_eq!(read(&packet), Some((9, whole)));
        for cut in 0..packet.len() {
            assert_eq!(read(&packet[..cut]), None, "cut at {cut}");
        }
        packet[21] = 0xff;
        assert_eq!(read(&packet), None, "a length beyond its end");
        assert_eq!(read(&[99, 0, 0, 0, 1]), Some((1, Asked::Other)));
    }

    #[test]
    fn an_answer_tells_its_length() {
        let answer = Answer::status(3, Status::Denied, "no").into_bytes();
        assert_eq!(answer, b"\0\0\0\x15\x65\0\0\0\x03\0\0\0\x03\0\0\0\x02no\0\0\0\x02en");
    }
}
