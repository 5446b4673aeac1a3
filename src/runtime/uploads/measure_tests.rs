//! Containers of a right structure in which something is wrong: sizes, depth, unknown sizes, ends that come early.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use mp4_atom::{FixedPoint, Mvhd, Tkhd};
use proptest::prelude::*;

use super::*;

/// More than this is never read of a file, whatever it says: each element that is looked at costs a buffer at most.
const MOST_READ: u64 = 10_001 * 8 * 1024;

/// A file that counts how many bytes are read from it.
struct Counted<R> {
    file: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn measured(file: impl Read + Seek, kind: &str) -> Measures {
    let read = Rc::new(Cell::new(0));
    let found = measure(Counted { file, read: Rc::clone(&read) }, kind);
    assert!(read.get() <= MOST_READ, "{} bytes were read", read.get());
    found
}

/// An element, or a box: what it is, and what is in it.
#[derive(Debug, Clone)]
struct Node {
    id: u32,
    body: Body,
}

#[derive(Debug, Clone)]
enum Body {
    Bytes(Vec<u8>),
    Nodes(Vec<Node>),
}

fn leaf(id: u32, bytes: impl Into<Vec<u8>>) -> Node {
    Node { id, body: Body::Bytes(bytes.into()) }
}

fn branch(id: u32, nodes: impl Into<Vec<Node>>) -> Node {
    Node { id, body: Body::Nodes(nodes.into()) }
}

/// What is wrong in the head of an element.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    /// It says to be so long.
    Size(u64),
    /// It says not to know how long it is.
    Unknown,
    /// It is another than it was.
    Id(u32),
    /// It has itself in it, so many times.
    Deep(u32),
}

/// Writes the head of an element before its body.
type Head = fn(u32, Option<u64>, &mut Vec<u8>);

fn ebml_head(id: u32, size: Option<u64>, out: &mut Vec<u8>) {
    let id = id.to_be_bytes();
    out.extend_from_slice(&id[id.iter().take_while(|byte| **byte == 0).count().min(3)..]);
    match size {
        None => out.push(0xff),
        Some(size) if size < 0x7f => out.push(0x80 | u8::try_from(size).unwrap()),
        Some(size) => out.extend_from_slice(&((1 << 56) | (size & ((1 << 56) - 1))).to_be_bytes()),
    }
}

fn mp4_head(kind: u32, size: Option<u64>, out: &mut Vec<u8>) {
    match size.map(|size| u32::try_from(size.saturating_add(8))) {
        None => out.extend_from_slice(&[0; 4]),
        Some(Ok(size)) => out.extend_from_slice(&size.to_be_bytes()),
        Some(Err(_)) => out.extend_from_slice(&1_u32.to_be_bytes()),
    }
    out.extend_from_slice(&kind.to_be_bytes());
    if let Some(size) = size.filter(|size| u32::try_from(size.saturating_add(8)).is_err()) {
        out.extend_from_slice(&size.saturating_add(16).to_be_bytes());
    }
}

/// Writes elements, with what is wrong in those of these numbers.
fn write(nodes: &[Node], head: Head, wrong: &BTreeMap<usize, Wrong>, count: &mut usize) -> Vec<u8> {
    let mut out = Vec::new();
    for node in nodes {
        let wrong_here = wrong.get(count).copied();
        *count += 1;
        let mut body = match &node.body {
            Body::Bytes(bytes) => bytes.clone(),
            Body::Nodes(nodes) => write(nodes, head, wrong, count),
        };
        let (mut id, mut size) = (node.id, Some(body.len() as u64));
        match wrong_here {
            None => {}
            Some(Wrong::Size(other)) => size = Some(other),
            Some(Wrong::Unknown) => size = None,
            Some(Wrong::Id(other)) => id = other,
            Some(Wrong::Deep(depth)) => {
                for _ in 0..depth {
                    let mut around = Vec::with_capacity(body.len() + 12);
                    head(id, Some(body.len() as u64), &mut around);
                    around.append(&mut body);
                    body = around;
                }
                size = Some(body.len() as u64);
            }
        }
        head(id, size, &mut out);
        out.append(&mut body);
    }
    out
}

fn written(nodes: &[Node], head: Head) -> Vec<u8> {
    write(nodes, head, &BTreeMap::new(), &mut 0)
}

/// A WebM file of this length and size of picture, with what else such files have in them.
fn webm(ms: u32, picture: (u16, u16)) -> Vec<Node> {
    let tag = branch(0x7373, [branch(0x67C8, [leaf(0x45A3, "TITLE"), leaf(0x4487, "A shoe")])]);
    let chapter = branch(0x1043_A770, [branch(0x45B9, [branch(0xB6, [branch(0xB6, [leaf(0x91, [0])])])])]);
    let audio = branch(0xAE, [leaf(0x83, [2]), branch(0xE1, [leaf(0x9F, [2])])]);
    let pixels = [leaf(0xB0, picture.0.to_be_bytes()), leaf(0xBA, picture.1.to_be_bytes()), leaf(0x53B8, [0])];
    let video = branch(0xAE, [leaf(0xD7, [1]), branch(0xE0, pixels), leaf(0x83, [1])]);
    vec![
        branch(0x1A45_DFA3, [leaf(0x4286, [1]), leaf(0x4282, "webm")]),
        branch(
            0x1853_8067,
            [
                branch(0x114D_9B74, [branch(0x4DBB, [leaf(0x53AB, [0x15, 0x49, 0xA9, 0x66]), leaf(0x53AC, [0x40])])]),
                leaf(0xEC, [0; 40]),
                branch(
                    0x1549_A966,
                    [
                        leaf(0x7BA9, "A film"),
                        leaf(0x002A_D7B1, 1_000_000_u32.to_be_bytes()),
                        leaf(0x4489, f64::from(ms).to_be_bytes()),
                    ],
                ),
                tag,
                chapter,
                branch(0x1654_AE6B, [audio, video]),
                branch(0x1F43_B675, [leaf(0xE7, [0]), leaf(0xA3, [7; 200])]),
            ],
        ),
    ]
}

fn fourcc(kind: [u8; 4]) -> u32 {
    u32::from_be_bytes(kind)
}

/// The body of a box that the library writes.
fn body_of(atom: &impl mp4_atom::Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    atom.encode(&mut bytes).unwrap();
    bytes.split_off(8)
}

fn mp4(ms: u32, picture: (u16, u16)) -> Vec<Node> {
    let head = Mvhd { timescale: 1000, duration: u64::from(ms), ..Mvhd::default() };
    let track = |(width, height): (u16, u16)| Tkhd {
        width: FixedPoint::from(width),
        height: FixedPoint::from(height),
        ..Tkhd::default()
    };
    let part = |size| {
        branch(fourcc(*b"trak"), [leaf(fourcc(*b"tkhd"), body_of(&track(size))), leaf(fourcc(*b"mdia"), [0; 64])])
    };
    vec![
        leaf(fourcc(*b"ftyp"), *b"isom\0\0\0\0isommp42"),
        leaf(fourcc(*b"mdat"), [9; 500]),
        branch(fourcc(*b"moov"), [leaf(fourcc(*b"mvhd"), body_of(&head)), part((0, 0)), part(picture)]),
    ]
}

type Wrongs = (BTreeMap<usize, Wrong>, Option<usize>, Vec<(usize, u8)>);

/// What may be wrong with a file: in the heads of some elements, where it ends, and single bytes.
fn wrongs() -> impl Strategy<Value = Wrongs> {
    let size = prop_oneof![
        0..300_u64,
        Just(u64::MAX),
        Just(u64::MAX / 2),
        Just(i64::MAX.unsigned_abs() - 8),
        Just(1 << 31),
        Just((1 << 32) - 8),
        Just((1 << 56) - 2),
        any::<u64>()
    ];
    let wrong = prop_oneof![
        4 => size.prop_map(Wrong::Size),
        1 => Just(Wrong::Unknown),
        1 => prop_oneof![Just(0xAE_u32), Just(0xE0), Just(0x4489), Just(0x1654_AE6B), Just(fourcc(*b"moov")), any::<u32>()].prop_map(Wrong::Id),
        1 => (1..2_000_u32).prop_map(Wrong::Deep),
    ];
    let heads = prop::collection::btree_map(0..30_usize, wrong, 0..4);
    let bytes = prop::collection::vec((0..2_000_usize, any::<u8>()), 0..4);
    (heads, prop::option::of(0..900_usize), bytes)
}

fn spoiled(nodes: &[Node], head: Head, (heads, cut, flipped): &Wrongs) -> Vec<u8> {
    let mut bytes = write(nodes, head, heads, &mut 0);
    for (at, value) in flipped {
        if let Some(byte) = bytes.get_mut(*at) {
            *byte = *value;
        }
    }
    bytes.truncate(cut.unwrap_or(usize::MAX));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_sound_is_read(ms in 1..u32::MAX - 1, width in 1..u16::MAX, height in 1..u16::MAX) {
        let expected = Measures { duration_ms: Some(ms.into()), picture: Some((width.into(), height.into())) };
        let bytes = written(&webm(ms, (width, height)), ebml_head);
        prop_assert_eq!(measured(Cursor::new(bytes), "video/webm"), expected);
        let bytes = written(&mp4(ms, (width, height)), mp4_head);
        prop_assert_eq!(measured(Cursor::new(bytes), "video/mp4"), expected);
    }

    #[test]
    fn what_is_wrong_in_a_webm_costs_what_it_says_and_nothing_else(wrongs in wrongs()) {
        let bytes = spoiled(&webm(61_000, (64, 48)), ebml_head, &wrongs);
        measured(Cursor::new(bytes), "video/webm");
    }

    #[test]
    fn what_is_wrong_in_an_mp4_costs_what_it_says_and_nothing_else(wrongs in wrongs()) {
        let bytes = spoiled(&mp4(61_000, (64, 48)), mp4_head, &wrongs);
        measured(Cursor::new(bytes), "video/mp4");
    }

    #[test]
    fn garbage_is_no_reason_to_fail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mp4 = [b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\xffmoov".as_slice(), &bytes].concat();
        measured(Cursor::new(mp4), "video/mp4");
        let webm = [b"\x1a\x45\xdf\xa3".as_slice(), &bytes].concat();
        measured(Cursor::new(webm), "video/webm");
    }
}

#[test]
fn a_live_stream_that_knows_no_lengths_is_read_up_to_its_pictures() {
    let mut nodes = webm(5_000, (320, 240));
    // The segment, which is the fourth element, and the first cluster do not know how long they are.
    let heads = BTreeMap::from([(3, Wrong::Unknown)]);
    let bytes = write(&nodes, ebml_head, &heads, &mut 0);
    assert_eq!(measured(Cursor::new(bytes), "video/webm").picture, Some((320, 240)));
    // What comes after a cluster of unknown length is not looked for.
    if let Body::Nodes(parts) = &mut nodes[1].body {
        parts.reverse();
    }
    let heads = BTreeMap::from([(3, Wrong::Unknown), (4, Wrong::Unknown)]);
    let bytes = write(&nodes, ebml_head, &heads, &mut 0);
    assert_eq!(measured(Cursor::new(bytes), "video/webm"), Measures::default());
    // And of a known one it is.
    let bytes = written(&nodes, ebml_head);
    assert_eq!(measured(Cursor::new(bytes), "video/webm").picture, Some((320, 240)));
}

#[test]
fn lengths_that_are_none_are_not_told() {
    for length in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        let info = branch(0x1549_A966, [leaf(0x4489, length.to_be_bytes())]);
        let nodes = [branch(0x1A45_DFA3, []), branch(0x1853_8067, [info])];
        assert_eq!(measured(Cursor::new(written(&nodes, ebml_head)), "video/webm").duration_ms, None, "{length}");
    }
    for (duration, scale) in [(u64::from(u32::MAX), 1), (u64::MAX, 1), (5, 0), (u64::MAX - 1, 1)] {
        let head = Mvhd { timescale: scale, duration, ..Mvhd::default() };
        let nodes = [branch(fourcc(*b"moov"), [leaf(fourcc(*b"mvhd"), body_of(&head))])];
        let found = measured(Cursor::new(written(&nodes, mp4_head)), "video/mp4").duration_ms;
        assert_eq!(found, None, "{duration}/{scale}");
    }
}

/// The same bytes again and again, without an end.
struct Endless(Vec<u8>, u64);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.0[usize::try_from(self.1 % self.0.len() as u64).unwrap()];
            self.1 = self.1.wrapping_add(1);
        }
        Ok(buffer.len())
    }
}

impl Seek for Endless {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.1 = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.1.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?,
            SeekFrom::End(_) => return Err(io::ErrorKind::InvalidInput.into()),
        };
        Ok(self.1)
    }
}

#[test]
fn files_without_an_end_are_left_after_a_while() {
    let hostile: [(&str, &str, Vec<u8>); 6] = [
        ("empty elements in a segment that never ends", "video/webm", {
            let mut bytes = b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff".to_vec();
            bytes.extend(b"\xec\x80".repeat(100_000));
            bytes
        }),
        ("headers of files after each other", "video/webm", b"\x1a\x45\xdf\xa3\x80".to_vec()),
        ("voids that are far apart", "video/webm", b"\x1a\x45\xdf\xa3\x80\xec\x10\x01\x00\x00\x00".to_vec()),
        ("empty boxes", "video/mp4", b"\0\0\0\x08free".to_vec()),
        ("films in films", "video/mp4", b"\0\0\0\x08moov".to_vec()),
        ("boxes that are far apart", "video/mp4", b"\0\0\0\x01free\0\0\x01\0\0\0\0\0".to_vec()),
    ];
    for (what, kind, bytes) in hostile {
        assert_eq!(measured(Endless(bytes, 0), kind), Measures::default(), "{what}");
    }
}
