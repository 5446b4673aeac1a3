//! WebVTT (W3C): as much of it as tells whether a file of captions can be shown, and what it says.

/// The largest file of captions, bytes. An hour of speech has about 80 kB.
pub const MOST_VTT: usize = 512 * 1024;
/// Cues that a file may have.
pub const MOST_CUES: usize = 10_000;
/// Faults that are named at most.
const MOST_FAULTS: usize = 10;
/// The language of captions of which nobody says which it is (ISO 639-2).
pub const NO_LANGUAGE: &str = "und";

/// What a file of captions says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captions {
    /// What its head says of its language (`Language: de`).
    pub language: Option<String>,
    /// Its cues, in the order of the file.
    pub cues: Vec<Cue>,
}

/// A text and when it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue {
    /// From here, milliseconds from the film's start.
    pub start_ms: u64,
    /// Until here.
    pub end_ms: u64,
    /// What is said, without marks.
    pub text: String,
}

/// Why a line can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VttFault {
    /// Which line, from 1; 0 is the file as a whole.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for VttFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.why),
            line => write!(f, "line {line}: {}", self.why),
        }
    }
}

impl Captions {
    /// Reads a file of captions.
    ///
    /// # Errors
    /// What is wrong with it, the first ten of it. There is at least one.
    pub fn read(text: &str) -> Result<Self, Vec<VttFault>> {
        let whole = |why: String| vec![VttFault { line: 0, why }];
        if text.len() > MOST_VTT {
            return Err(whole(format!("has {} bytes; captions may have at most {MOST_VTT}", text.len())));
        }
        // RFC-like line ends of all three kinds; a byte order mark is no part of the text.
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        let mut lines = text.split('\n').zip(1_usize..).peekable();
        let first = lines.next().map(|(line, _)| line).unwrap_or_default();
        if !first.strip_prefix("WEBVTT").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            let why = "must be WebVTT: its first line begins with WEBVTT".to_owned();
            return Err(vec![VttFault { line: 1, why }]);
        }
        let (mut captions, mut faults, mut block) = (Self::default(), Vec::new(), Vec::new());
        while let Some((line, _)) = lines.next_if(|(line, _)| !line.is_empty() && !line.contains("-->")) {
            if let Some(language) = line.strip_prefix("Language:") {
                captions.language = Some(language.trim().to_owned()).filter(|language| !language.is_empty());
            }
        }
        for (line, number) in lines.chain([("", 0)]) {
            if !line.is_empty() {
                block.push((line, number));
                continue;
            }
            match cue(&block) {
                Ok(cue) => captions.cues.extend(cue),
                Err(fault) => faults.push(fault),
            }
            block.clear();
            if captions.cues.len() > MOST_CUES {
                return Err(whole(format!("has more than {MOST_CUES} cues")));
            }
            if faults.len() >= MOST_FAULTS {
                return Err(faults);
            }
        }
        if faults.is_empty() && captions.cues.is_empty() {
            return Err(whole("has no cues: nothing would be shown".to_owned()));
        }
        if faults.is_empty() { Ok(captions) } else { Err(faults) }
    }
}

/// The cue of a block of lines; nothing where the block is a note, a style or a region.
fn cue(block: &[(&str, usize)]) -> Result<Option<Cue>, VttFault> {
    let Some((first, number)) = block.first().copied() else { return Ok(None) };
    let begins =
        |word: &str| first.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let is_cue = block.iter().take(2).any(|(line, _)| line.contains("-->"));
    if !is_cue {
        if ["NOTE", "STYLE", "REGION"].into_iter().any(begins) {
            return Ok(None);
        }
        let why = "a cue needs a line with its times, as 00:01.000 --> 00:04.000".to_owned();
        return Err(VttFault { line: number, why });
    }
    // An identifier may come before the times.
    let at = usize::from(!first.contains("-->"));
    let Some((times, number)) = block.get(at).copied() else { return Ok(None) };
    let wrong = |why: &str| VttFault { line: number, why: why.to_owned() };
    let (start, rest) = times.split_once("-->").unwrap_or_default();
    let end = rest.split_whitespace().next().unwrap_or_default();
    let (Some(start_ms), Some(end_ms)) = (milliseconds(start.trim()), milliseconds(end)) else {
        return Err(wrong("the times must be like 00:01.000 --> 00:04.000 or 01:00:01.000 --> 01:00:04.000"));
    };
    if end_ms <= start_ms {
        return Err(wrong("the cue ends before it begins"));
    }
    let said: Vec<&str> = block.iter().skip(at + 1).map(|(line, _)| *line).collect();
    if said.iter().any(|line| line.contains("-->")) {
        return Err(wrong("two cues need an empty line between them"));
    }
    Ok(Some(Cue { start_ms, end_ms, text: without_marks(&said.join("\n")) }))
}

/// The milliseconds of `mm:ss.ttt` or `hh:mm:ss.ttt`.
fn milliseconds(time: &str) -> Option<u64> {
    let digits = |text: &str, least: usize, most: usize| {
        let plain = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| plain)
    };
    let (clock, fraction) = time.split_once('.')?;
    let mut parts = clock.rsplit(':');
    let seconds = digits(parts.next()?, 2, 2).filter(|seconds| *seconds < 60)?;
    let minutes = digits(parts.next()?, 2, 2).filter(|minutes| *minutes < 60)?;
    let hours = parts.next().map_or(Some(0), |hours| digits(hours, 2, 6))?;
    let none_left = parts.next().is_none();
    let fraction = digits(fraction, 3, 3).filter(|_| none_left)?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction)
}

/// The text of a cue without its tags, with its character references resolved.
fn without_marks(text: &str) -> String {
    const REFERENCES: [(&str, &str); 6] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", "\u{a0}"),
        ("&lrm;", "\u{200e}"),
        ("&rlm;", "\u{200f}"),
        ("&amp;", "&"),
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    REFERENCES.iter().fold(out, |text, (name, sign)| text.replace(name, sign)).trim().to_owned()
}

/// A language tag (BCP 47) as it is usually written: `de`, `pt-BR`, `zh-Hant`; nothing where it is none.
#[must_use]
pub fn language_tag(given: &str) -> Option<String> {
    let mut parts = given.split('-');
    let first = parts.next().filter(|first| (2..=3).contains(&first.len()))?;
    let plain = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if given.len() > 35 || !first.bytes().all(|byte| byte.is_ascii_alphabetic()) || !given.split('-').all(plain) {
        return None;
    }
    let mut tag = first.to_ascii_lowercase();
    for part in parts {
        tag.push('-');
        match part.len() {
            2 if part.bytes().all(|byte| byte.is_ascii_alphabetic()) => tag.push_str(&part.to_ascii_uppercase()),
            4 if part.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                let (head, tail) = part.split_at(1);
                tag.push_str(&head.to_ascii_uppercase());
                tag.push_str(&tail.to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(tag)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn faults(text: &str) -> Vec<(usize, String)> {
        Captions::read(text).unwrap_err().into_iter().map(|fault| (fault.line, fault.why)).collect()
    }

    #[test]
    fn captions_as_editors_write_them() {
        let text = "\u{feff}WEBVTT - a tour\r\nKind: captions\r\nLanguage: de-AT\r\n\r\nNOTE by hand\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\n\
                    1\r\n00:00.000 --> 00:02.500 line:0 align:start\r\n<v Kari>Hei &amp; <b>hallo</b>\r\nto linjer\r\n\r\n\
                    01:00:02.500-->01:00:04.000\r\nLast";
        let read = Captions::read(text).unwrap();
        assert_eq!(read.language.as_deref(), Some("de-AT"));
        assert_eq!(read.cues[0], Cue { start_ms: 0, end_ms: 2500, text: "Hei & hallo\nto linjer".to_owned() });
        assert_eq!((read.cues[1].start_ms, &*read.cues[1].text), (3_602_500, "Last"));
        assert_eq!(read.cues.len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert_eq!(faults("1\n00:00:01,000 --> 00:00:02,000\nsrt")[0].0, 1);
        assert_eq!(faults("WEBVTTX\n\n00:01.000 --> 00:02.000\na")[0].0, 1);
        assert_eq!(faults("WEBVTT\n")[0].0, 0);
        let found = faults("WEBVTT\n\n00:01,000 --> 00:02.000\na\n\nonly text\n\n00:03.000 --> 00:02.000\nb");
        assert_eq!(found.iter().map(|fault| fault.0).collect::<Vec<_>>(), [3, 6, 8]);
        assert_eq!(faults("WEBVTT\n\n00:01.000 --> 00:02.000\na\n00:02.000 --> 00:03.000\nb")[0].0, 3);
        assert_eq!(faults("WEBVTT\n\n00:61.000 --> 00:62.000\na")[0].0, 3);
        assert!(faults(&format!("WEBVTT\n\n{}", "x".repeat(MOST_VTT)))[0].1.contains("bytes"));
        assert_eq!(faults(&format!("WEBVTT\n\n{}", "x\n\n".repeat(50))).len(), MOST_FAULTS);
    }

    #[test]
    fn languages_as_they_are_usually_written() {
        for (given, tag) in [("DE", "de"), ("pt-br", "pt-BR"), ("ZH-hant-tw", "zh-Hant-TW"), ("es-419", "es-419")] {
            assert_eq!(language_tag(given).as_deref(), Some(tag));
        }
        for none in ["", "d", "de_AT", "de-", "-de", "../../etc", "a b", "deutschland", "de-abcdefghi", "d1", "name"] {
            assert_eq!(language_tag(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in ".{0,400}", times in "[0-9:. >-]{0,40}") {
            for text in [text.clone(), format!("WEBVTT\n\n{text}"), format!("WEBVTT\n\n{times}\n{text}")] {
                match Captions::read(&text) {
                    Ok(read) => prop_assert!(read.cues.iter().all(|cue| cue.start_ms < cue.end_ms)),
                    Err(faults) => prop_assert!(!faults.is_empty() && faults.len() <= MOST_FAULTS),
                }
            }
        }
    }
}
