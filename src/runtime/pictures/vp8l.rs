//! How many groups of prefix codes a lossless WebP is written with (RFC 9649 § 3). Each costs a decoder up to 20 kB, and
//! a file that says to have 65,536 of them, of which it need not use any, is small. So they are counted before anything
//! is decoded: the file is read up to them, with nothing of it kept but the largest group that is named.

/// Of a green channel, red, blue, alpha and distances; the color cache adds to the first.
const ALPHABETS: [usize; 5] = [256 + 24, 256, 256, 256, 40];
/// Lengths of codes come in this order.
const LENGTH_ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// The longest code, bits.
const LONGEST: usize = 15;

/// Counts the groups in a file; 0 where it has no lossless part, none where it is no WebP or ends before them.
pub fn groups(file: &[u8]) -> Option<u32> {
    let mut rest = file.strip_prefix(b"RIFF").and_then(|rest| rest.get(4..)?.strip_prefix(b"WEBP"))?;
    let mut canvas = (0, 0);
    while let Some((name, body, next)) = chunk(rest) {
        rest = next;
        match &name {
            b"VP8X" => canvas = (whole(body.get(4..7)?) + 1, whole(body.get(7..10)?) + 1),
            // Of films the first picture is shown.
            b"ANMF" => {
                canvas = (whole(body.get(6..9)?) + 1, whole(body.get(9..12)?) + 1);
                rest = body.get(16..)?;
            }
            b"VP8L" => {
                let mut bits = Bits { bytes: body.strip_prefix(b"\x2f")?, at: 0 };
                let size = (bits.read(14)? + 1, bits.read(14)? + 1);
                bits.read(4)?;
                return groups_of_stream(&mut bits, size);
            }
            b"ALPH" if body.first()? & 3 == 1 => {
                return groups_of_stream(&mut Bits { bytes: body.get(1..)?, at: 0 }, canvas);
            }
            _ => {}
        }
    }
    Some(0)
}

/// The first chunk: its name, what is in it, and what comes after it.
fn chunk(bytes: &[u8]) -> Option<([u8; 4], &[u8], &[u8])> {
    let (&[a, b, c, d, length @ ..], rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
    let body = rest.get(..length.min(rest.len()))?;
    Some(([a, b, c, d], body, rest.get(length.saturating_add(length % 2)..).unwrap_or_default()))
}

/// A number of three bytes.
fn whole(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

fn groups_of_stream(bits: &mut Bits<'_>, (mut width, height): (u32, u32)) -> Option<u32> {
    let blocks = |edge: u32, bits: u32| edge.div_ceil(1 << bits);
    let mut seen = [false; 4];
    while bits.read(1)? == 1 {
        let kind = bits.read(2)?;
        // Each may stand there once.
        if std::mem::replace(seen.get_mut(usize::try_from(kind).ok()?)?, true) {
            return None;
        }
        match kind {
            // Predictors and colors, for blocks of pixels.
            0 | 1 => {
                let size = bits.read(3)? + 2;
                read_image(bits, u64::from(blocks(width, size)) * u64::from(blocks(height, size)))?;
            }
            // A table of colors; several pixels may then be one.
            3 => {
                let colours = bits.read(8)? + 1;
                read_image(bits, u64::from(colours))?;
                let packed = match colours {
                    ..=2 => 3,
                    3..=4 => 2,
                    5..=16 => 1,
                    _ => 0,
                };
                width = blocks(width, packed);
            }
            _ => {}
        }
    }
    read_cache(bits)?;
    if bits.read(1)? == 0 {
        return Some(1);
    }
    let size = bits.read(3)? + 2;
    let largest = read_image(bits, u64::from(blocks(width, size)) * u64::from(blocks(height, size)))?;
    Some(largest + 1)
}

/// How many more symbols the color cache makes.
fn read_cache(bits: &mut Bits<'_>) -> Option<usize> {
    if bits.read(1)? == 0 {
        return Some(0);
    }
    let size = bits.read(4)?;
    (1..=11).contains(&size).then(|| 1 << size)
}

/// Reads an image within the image: the largest of its pixels, of which each names a group with its red and green.
/// What is copied from before, or out of the cache, is no larger than what was there.
fn read_image(bits: &mut Bits<'_>, pixels: u64) -> Option<u32> {
    let cache = read_cache(bits)?;
    let [green, red, blue, alpha, distance] = ALPHABETS;
    let codes =
        [Code::read(bits, green + cache)?, Code::read(bits, red)?, Code::read(bits, blue)?, Code::read(bits, alpha)?];
    let distances = Code::read(bits, distance)?;
    let [greens, reds, blues, alphas] = &codes;
    let (mut left, mut largest) = (pixels, 0);
    while left > 0 {
        let symbol = greens.symbol(bits)?;
        let length = match symbol {
            0..=255 => {
                let group = (reds.symbol(bits)? << 8) | symbol;
                largest = largest.max(group);
                blues.symbol(bits)?;
                alphas.symbol(bits)?;
                1
            }
            256..=279 => {
                let length = read_extra(bits, symbol - 256)?;
                let distance = distances.symbol(bits)?;
                read_extra(bits, distance)?;
                length
            }
            _ => 1,
        };
        left = left.checked_sub(length)?;
    }
    Some(largest)
}

/// A length or a distance, which begins with its magnitude.
fn read_extra(bits: &mut Bits<'_>, prefix: u32) -> Option<u64> {
    if prefix < 4 {
        return Some(u64::from(prefix) + 1);
    }
    let more = (prefix - 2) >> 1;
    let offset = u64::from(2 + (prefix & 1)) << more;
    Some(offset + u64::from(bits.read(more)?) + 1)
}

/// A prefix code: how many codes there are of each length, and the symbols in the order of their codes.
struct Code {
    counts: [u32; LONGEST + 1],
    symbols: Vec<u32>,
}

impl Code {
    fn read(bits: &mut Bits<'_>, alphabet: usize) -> Option<Self> {
        if bits.read(1)? == 1 {
            let two = bits.read(1)? == 1;
            let long = bits.read(1)? == 1;
            let first = bits.read(if long { 8 } else { 1 })?;
            let mut lengths = vec![0; 256];
            *lengths.get_mut(usize::try_from(first).ok()?)? = 1;
            if !two {
                return Self::of(&lengths);
            }
            let second = bits.read(8)?;
            // The first of the two has the shorter number, whichever it is.
            return Some(Self { counts: counted(&[1, 1]), symbols: vec![first, second] });
        }
        let mut lengths = [0; LENGTH_ORDER.len()];
        let count = usize::try_from(4 + bits.read(4)?).ok()?;
        for at in LENGTH_ORDER.iter().take(count) {
            *lengths.get_mut(*at)? = u8::try_from(bits.read(3)?).ok()?;
        }
        Self::of(&read_lengths(bits, &Self::of(&lengths)?, alphabet)?)
    }

    /// The code in which symbols have these lengths.
    fn of(lengths: &[u8]) -> Option<Self> {
        let used = || lengths.iter().enumerate().filter(|(_, length)| **length > 0);
        let mut symbols: Vec<(u8, u32)> =
            used().filter_map(|(symbol, length)| Some((*length, u32::try_from(symbol).ok()?))).collect();
        symbols.sort_unstable();
        let symbols: Vec<u32> = symbols.into_iter().map(|(_, symbol)| symbol).collect();
        (!symbols.is_empty()).then(|| Self { counts: counted(lengths), symbols })
    }

    /// The next symbol; one that is the only one takes no bits.
    fn symbol(&self, bits: &mut Bits<'_>) -> Option<u32> {
        if let [only] = self.symbols.as_slice() {
            return Some(*only);
        }
        let (mut code, mut first, mut index) = (0_u32, 0_u32, 0_u32);
        for count in self.counts.iter().skip(1) {
            code |= bits.read(1)?;
            if code < first + count {
                return self.symbols.get(usize::try_from(index + (code.checked_sub(first)?)).ok()?).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

fn counted(lengths: &[u8]) -> [u32; LONGEST + 1] {
    let mut counts = [0; LONGEST + 1];
    for length in lengths.iter().filter(|length| **length > 0) {
        if let Some(count) = counts.get_mut(usize::from(*length)) {
            *count += 1;
        }
    }
    counts
}

/// The lengths of a code's symbols, which are written in a code of their own.
fn read_lengths(bits: &mut Bits<'_>, code: &Code, alphabet: usize) -> Option<Vec<u8>> {
    let mut left = if bits.read(1)? == 1 {
        let size = 2 + 2 * bits.read(3)?;
        2 + usize::try_from(bits.read(size)?).ok()?
    } else {
        alphabet
    };
    let (mut lengths, mut before) = (Vec::with_capacity(alphabet), 8);
    while lengths.len() < alphabet && left > 0 {
        left -= 1;
        let symbol = code.symbol(bits)?;
        let (length, times) = match symbol {
            0..=15 => (u8::try_from(symbol).ok()?, 1),
            16 => (before, 3 + bits.read(2)?),
            17 => (0, 3 + bits.read(3)?),
            _ => (0, 11 + bits.read(7)?),
        };
        if symbol < 16 && length > 0 {
            before = length;
        }
        let whole = lengths.len() + usize::try_from(times).ok()?;
        if whole > alphabet {
            return None;
        }
        lengths.resize(whole, length);
    }
    Some(lengths)
}

/// Bits, of each byte the lowest first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn read(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        for place in 0..count {
            let byte = *self.bytes.get(self.at / 8)?;
            number |= u32::from(byte >> (self.at % 8) & 1) << place;
            self.at += 1;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream of bits, the lowest of each number first.
    fn written(numbers: &[(u32, u32)]) -> Vec<u8> {
        let mut bits = Vec::new();
        for (number, count) in numbers {
            bits.extend((0..*count).map(|place| number >> place & 1));
        }
        bits.chunks(8)
            .map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | u8::try_from(*bit).unwrap()))
            .collect()
    }

    /// A file that says that it has so many groups, and ends before them.
    fn file(groups: u32) -> Vec<u8> {
        let (red, green) = ((groups - 1) >> 8, (groups - 1) & 255);
        let only = |symbol: u32| [(1, 1), (0, 1), (1, 1), (symbol, 8)];
        let mut bits = vec![(63, 14), (63, 14), (0, 4), (0, 1), (0, 1), (1, 1), (0, 3), (0, 1)];
        for symbol in [green, red, 0, 255, 0] {
            bits.extend(only(symbol));
        }
        let stream = [b"\x2f".as_slice(), &written(&bits), &[0; 8]].concat();
        let length = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
        let body = [b"WEBPVP8L".as_slice(), &length(stream.len()), &stream].concat();
        [b"RIFF".as_slice(), &length(body.len()), &body].concat()
    }

    #[test]
    fn groups_are_counted_before_they_are_read() {
        for count in [1, 2, 255, 256, 257, 2_600, 65_536] {
            assert_eq!(groups(&file(count)), Some(count));
        }
        let whole = file(65_536);
        for cut in 0..33 {
            assert_ne!(groups(&whole[..cut]), Some(65_536));
        }
    }

    #[test]
    fn what_encoders_write_has_few() {
        let noise = |x: u32, y: u32| (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503) ^ (x * y)).to_le_bytes();
        for (width, height) in [(1, 1), (7, 300), (257, 64)] {
            let image = image::RgbaImage::from_fn(width, height, |x, y| image::Rgba(noise(x, y)));
            let mut bytes = std::io::Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::WebP).unwrap();
            assert_eq!(groups(bytes.get_ref()), Some(1));
        }
    }
}
