//! What the terminal database says of a terminal: its compiled entries (term(5)), of which a few facts matter here.

/// The facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Terminfo {
    /// How many colors it shows; `None` where it shows none.
    pub colors: Option<u32>,
    /// Whether it shows colors of 24 bits (`RGB`, `Tc`).
    pub direct: bool,
    /// Whether it erases a number of cells (`ech`).
    pub erases: bool,
    /// Whether it inserts and deletes a number of cells (`ich`, `dch`).
    pub inserts: bool,
    /// Whether it has a region of rows, and inserts and deletes a number of them there (`csr`, `il`, `dl`).
    pub scrolls: bool,
    /// Whether what it erases takes the background that is set (`bce`).
    pub colored: bool,
}

/// Entries of numbers of 16 bits, and of 32.
const MAGIC: [u16; 2] = [0o432, 0o1036];

/// Where `max_colors` stands among the numbers, `back_color_erase` among the flags, and `change_scroll_region`, `erase_chars`,
/// and those that delete and insert a number of cells and of rows, among the texts.
const MAX_COLORS: usize = 13;
const BACK_COLOR_ERASE: usize = 28;
const CHANGE_SCROLL_REGION: usize = 3;
const ERASE_CHARS: usize = 37;
const DELETE_CHARS: usize = 105;
const DELETE_LINES: usize = 106;
const INSERT_CHARS: usize = 108;
const INSERT_LINES: usize = 110;

impl Terminfo {
    /// Reads an entry; `None` where it is none.
    #[must_use]
    pub fn parse(entry: &[u8]) -> Option<Self> {
        let short = |at: usize| Some(u16::from_le_bytes(entry.get(at..at + 2)?.try_into().ok()?));
        let magic = short(0).filter(|magic| MAGIC.contains(magic))?;
        let (names, flags, numbers) = (usize::from(short(2)?), usize::from(short(4)?), usize::from(short(6)?));
        // Numbers begin at an even place.
        let begin = (12 + names + flags).next_multiple_of(2);
        let colors = if MAX_COLORS >= numbers {
            None
        } else if magic == MAGIC[0] {
            // What is negative is absent.
            short(begin + 2 * MAX_COLORS).filter(|number| *number < 0x8000).map(u32::from)
        } else {
            let at = begin + 4 * MAX_COLORS;
            let number = u32::from_le_bytes(entry.get(at..at + 4)?.try_into().ok()?);
            Some(number).filter(|number| *number < 0x8000_0000)
        };
        // The names of further capabilities stand at the end of the entry.
        let has = |name: &[u8]| entry.windows(name.len()).any(|window| window == name);
        let colored = BACK_COLOR_ERASE < flags && entry.get(12 + names + BACK_COLOR_ERASE) == Some(&1);
        let texts = begin + numbers * if magic == MAGIC[0] { 2 } else { 4 };
        let count = usize::from(short(8)?);
        // What is negative is absent.
        let says = |at: usize| at < count && short(texts + 2 * at).is_some_and(|place| place < 0x8000);
        let (erases, inserts) = (says(ERASE_CHARS), says(DELETE_CHARS) && says(INSERT_CHARS));
        let scrolls = says(CHANGE_SCROLL_REGION) && says(DELETE_LINES) && says(INSERT_LINES);
        let direct = has(b"\0Tc\0") || has(b"\0RGB\0") || colors.is_some_and(|colors| colors >= 1 << 24);
        Some(Self { colors: colors.filter(|colors| *colors > 0), direct, erases, inserts, scrolls, colored })
    }

    /// The places of an entry under a folder of the database: systems differ in how they name the folder within.
    pub fn places(term: &str) -> impl Iterator<Item = String> + use<> {
        let plain = !term.is_empty() && !term.starts_with('.') && !term.contains('/');
        let first = term.chars().next().filter(|first| plain && first.is_ascii());
        let term = term.to_owned();
        first.into_iter().flat_map(move |first| [format!("{first}/{term}"), format!("{:x}/{term}", u32::from(first))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry with so many colors, and a further capability; with flags and texts, where it is a `whole` one.
    fn entry(colors: i16, further: &str, whole: bool) -> Vec<u8> {
        let names = b"mine|a terminal\0";
        let mut entry = Vec::new();
        let (flags, texts) = if whole { (29, 111) } else { (1, 0) };
        for number in [0o432, i16::try_from(names.len()).unwrap(), flags, 14, texts, 0] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        entry.extend_from_slice(names);
        entry.extend(std::iter::repeat_n(1, usize::try_from(flags).unwrap()));
        // The numbers begin at an even place.
        entry.extend(std::iter::repeat_n(0, entry.len() % 2));
        let texts = std::iter::repeat_n(0, usize::try_from(texts).unwrap());
        for number in std::iter::repeat_n(-1, 13).chain([colors]).chain(texts) {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        entry.extend_from_slice(format!("\0{further}\0").as_bytes());
        entry
    }

    #[test]
    fn what_an_entry_says() {
        let of = |colors, further| Terminfo::parse(&entry(colors, further, false));
        let known = Terminfo { colors: Some(256), ..Terminfo::default() };
        assert_eq!(of(256, ""), Some(known));
        assert_eq!(of(256, "Tc"), Some(Terminfo { direct: true, ..known }));
        assert_eq!(of(-1, ""), Some(Terminfo::default()));
        let whole = Terminfo { erases: true, inserts: true, scrolls: true, colored: true, ..known };
        assert_eq!(Terminfo::parse(&entry(256, "", true)), Some(whole));
        assert_eq!(Terminfo::parse(b"no entry at all, but long enough for one"), None);
        for end in 0..150 {
            let _ = Terminfo::parse(&entry(8, "", true)[..end]);
        }
        assert_eq!(Terminfo::places("xterm").collect::<Vec<_>>(), ["x/xterm", "78/xterm"]);
        assert_eq!(Terminfo::places("../passwd").count() + Terminfo::places("").count(), 0);
    }
}
