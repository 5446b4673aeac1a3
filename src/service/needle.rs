//! An e-mail address that is looked for in texts and in bytes: in capitals or not, as it is and percent-encoded.

use std::borrow::Cow;

/// What stands in the place of an address: an address that nobody has (RFC 6761 §6.4).
pub(super) const REMOVED: &str = "removed@example.invalid";

/// An address to look for.
#[derive(Clone)]
pub(super) struct Needle {
    /// In small letters; as it is, and as it stands in an address of the web.
    forms: [String; 2],
}

impl Needle {
    /// Of an address; nothing where the text is none.
    pub(super) fn new(email: &str) -> Option<Self> {
        let email = email.trim().to_lowercase();
        let (local, domain) = email.rsplit_once('@')?;
        let plain = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
        (plain(local) && plain(domain)).then(|| Self { forms: [email.clone(), format!("{local}%40{domain}")] })
    }

    /// Whether this text is the address.
    pub(super) fn is(&self, text: &str) -> bool {
        self.forms.iter().any(|form| text.trim().to_lowercase() == *form)
    }

    /// Patterns for SQL's `LIKE … ESCAPE '\'` that match every text that holds the address. They may match more.
    pub(super) fn patterns(&self) -> [String; 2] {
        self.forms.clone().map(|form| {
            let mut pattern = "%".to_owned();
            for c in form.chars() {
                match c {
                    '%' | '_' | '\\' => pattern.extend(['\\', c]),
                    // SQL knows capitals of ASCII only.
                    c if c.is_ascii() => pattern.push(c),
                    _ => pattern.push('%'),
                }
            }
            pattern.push('%');
            pattern
        })
    }

    /// Whether a text holds the address, not as a part of a longer one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        matches!(self.removed_from(text), Cow::Owned(_))
    }

    /// The text with [`REMOVED`] in place of the address.
    pub(super) fn removed_from<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = String::new();
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            match self.forms.iter().find_map(|form| length(rest, form)) {
                Some(length) if stands_alone(text, at, at + length) => {
                    out.push_str(text.get(from..at).unwrap_or_default());
                    out.push_str(REMOVED);
                    at += length;
                    from = at;
                }
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The longest form, bytes.
    pub(super) fn most(&self) -> usize {
        self.forms.iter().map(|form| form.to_uppercase().len().max(form.len())).max().unwrap_or_default()
    }

    /// Overwrites the address in bytes with as many `x`. Whether it was there.
    pub(super) fn overwrite(&self, bytes: &mut [u8]) -> bool {
        let mut found = false;
        for form in &self.forms {
            for variant in [form.clone(), form.to_uppercase()] {
                found |= overwrite(bytes, variant.as_bytes());
            }
        }
        found
    }
}

/// How many bytes of the text's begin are this form, in whatever case.
fn length(text: &str, form: &str) -> Option<usize> {
    let mut wanted = form.chars();
    let mut length = 0;
    for c in text.chars() {
        if wanted.as_str().is_empty() {
            break;
        }
        for small in c.to_lowercase() {
            if wanted.next() != Some(small) {
                return None;
            }
        }
        length += c.len_utf8();
    }
    wanted.as_str().is_empty().then_some(length)
}

/// Whether what stands between these bytes of a text is not a part of a longer address.
fn stands_alone(text: &str, from: usize, to: usize) -> bool {
    let before = text.get(..from).and_then(|before| before.chars().next_back());
    let mut after = text.get(to..).unwrap_or_default().chars();
    let longer_before = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'));
    let longer_after = match after.next() {
        Some('.' | '-') => after.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric(),
        None => false,
    };
    // `\n` and the like of JSON end in a letter that is none of the address.
    let escaped = text.get(..from).is_some_and(|before| {
        let mut back = before.chars().rev();
        matches!(back.next(), Some('n' | 't' | 'r')) && back.next() == Some('\\')
    });
    (escaped || !longer_before) && !longer_after
}

fn overwrite(bytes: &mut [u8], wanted: &[u8]) -> bool {
    // The byte that is rarest in files, and stands in every form.
    let Some(pivot) = wanted.iter().position(|byte| matches!(byte, b'@' | b'%')) else { return false };
    let Some(sign) = wanted.get(pivot).copied() else { return false };
    let mut places = Vec::new();
    for at in memchr::memchr_iter(sign, bytes) {
        let Some(from) = at.checked_sub(pivot) else { continue };
        if bytes.get(from..from + wanted.len()).is_some_and(|found| found.eq_ignore_ascii_case(wanted)) {
            places.push(from);
        }
    }
    for from in &places {
        if let Some(found) = bytes.get_mut(*from..from + wanted.len()) {
            found.fill(b'x');
        }
    }
    !places.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_any_case_and_not_inside_a_longer_one() {
        let needle = Needle::new(" Ann.Lee@Shop.Example ").unwrap();
        for holds in [
            "ann.lee@shop.example",
            "<ANN.LEE@SHOP.EXAMPLE>",
            "{\"email\":\"Ann.Lee@shop.example\"}",
            "write to ann.lee@shop.example.",
            "https://x.example/?q=ann.lee%40shop.example&b=1",
            "mailto:ann.lee@shop.example",
            "a\\nann.lee@shop.example\\n",
        ] {
            let removed = needle.removed_from(holds);
            assert!(removed.contains(REMOVED) && !removed.to_lowercase().contains("ann.lee"), "{holds}: {removed}");
        }
        for other in
            ["joann.lee@shop.example", "ann.lee@shop.example.org", "x-ann.lee@shop.example", "ann@shop.example", ""]
        {
            assert!(!needle.is_in(other), "{other}");
        }
        assert_eq!(
            needle.removed_from("a ann.lee@shop.example b ANN.lee@shop.example"),
            format!("a {REMOVED} b {REMOVED}")
        );
    }

    #[test]
    fn other_scripts_have_capitals_too() {
        let needle = Needle::new("zoë@müller.example").unwrap();
        assert!(needle.is_in("ZOË@MÜLLER.EXAMPLE") && needle.is("Zoë@Müller.example"));
        let mut bytes = "…ZOË@MÜLLER.EXAMPLE…zoë@müller.example".as_bytes().to_vec();
        assert!(needle.overwrite(&mut bytes) && !needle.overwrite(&mut bytes));
        assert_eq!(needle.patterns()[0], "%zo%@m%ller.example%");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in ["", "ann", "@shop.example", "ann@", "a b@shop.example", "a@b\nc"] {
            assert!(Needle::new(wrong).is_none(), "{wrong:?}");
        }
    }
}
