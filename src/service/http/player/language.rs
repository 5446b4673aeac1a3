//! The languages of the player's interface: one file each in `assets/player/languages`.

use std::sync::LazyLock;

use serde_json::Value;

use crate::service::http::page::escaped;

/// Every language that has a file: its code (BCP 47) and its texts as JSON.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/player_languages.rs"));

/// What is used where a viewer reads none of the others.
const FALLBACK: &str = "en";

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| FILES.iter().map(Language::read).collect());

/// No texts at all: what there would be if even the file of [`FALLBACK`] were gone.
static NONE: Language = Language { code: FALLBACK, json: "{}", texts: Vec::new() };

/// The interface's texts in one language.
#[derive(Debug)]
pub(super) struct Language {
    /// Its code, for the attribute `lang`.
    pub code: &'static str,
    /// Its texts as JSON, for the page's script.
    pub json: &'static str,
    /// Each text as HTML, by its name as the page's template has it: with `t:` before it.
    texts: Vec<(String, String)>,
}

impl Language {
    fn read((code, json): &(&'static str, &'static str)) -> Self {
        let read: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        let text = |value: Value| value.as_str().map(escaped);
        let texts = read.into_iter().filter_map(|(name, value)| Some((format!("t:{name}"), text(value)?)));
        Self { code, json, texts: texts.collect() }
    }

    /// The direction in which it is written, `ltr` or `rtl`.
    pub(super) fn direction(&self) -> &str {
        self.text("dir")
    }

    /// Whether a language tag is of this language.
    pub(super) fn is_of(&self, tag: &str) -> bool {
        matching(tag).is_some_and(|found| found.code == self.code)
    }

    /// One of its texts, as HTML.
    pub(super) fn text(&self, name: &str) -> &str {
        let found = self.texts.iter().find(|(known, _)| known.strip_prefix("t:") == Some(name));
        found.map_or("", |(_, text)| text)
    }

    /// Its texts by the names that the page's template has.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

fn named(code: &str) -> Option<&'static Language> {
    // Norwegian is written in two ways, and named without saying which in most browsers.
    let code = if code.eq_ignore_ascii_case("no") || code.eq_ignore_ascii_case("nn") { "nb" } else { code };
    LANGUAGES.iter().find(|language| language.code.eq_ignore_ascii_case(code))
}

/// The language of this tag, or of what it begins with: `de` for `de-AT`.
fn matching(tag: &str) -> Option<&'static Language> {
    let mut tag = tag.trim();
    loop {
        if let Some(found) = named(tag) {
            return Some(found);
        }
        tag = tag.rsplit_once('-')?.0;
    }
}

/// The project's own language, else the one that was asked for by name, else the first that the viewer's browser reads (`Accept-Language`, RFC 9110
/// §12.5.4), else English.
pub(super) fn choose(own: Option<&str>, named: Option<&str>, accepted: Option<&str>) -> &'static Language {
    let mut accepted: Vec<(&str, f32)> = accepted
        .unwrap_or_default()
        .split(',')
        .take(20)
        .map(|part| {
            let (tag, parameters) = part.split_once(';').unwrap_or((part, ""));
            let weight = parameters.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
            (tag, weight.unwrap_or(1.0))
        })
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    accepted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut wanted = own.into_iter().chain(named).chain(accepted.iter().map(|(tag, _)| *tag));
    wanted.find_map(matching).or_else(|| matching(FALLBACK)).unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_language_has_every_text_with_the_same_places_to_fill_in() {
        let places = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect()
        };
        let english = matching("en").unwrap();
        assert!(LANGUAGES.len() >= 7 && english.texts.len() > 30);
        for language in LANGUAGES.iter() {
            let names = |of: &Language| of.texts.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            assert_eq!(names(language), names(english), "{}", language.code);
            for ((name, text), (_, theirs)) in language.texts.iter().zip(&english.texts) {
                assert!(!text.trim().is_empty(), "{} {name}", language.code);
                assert_eq!(places(text), places(theirs), "{} {name}", language.code);
            }
            assert!(["ltr", "rtl"].contains(&language.direction()), "{}", language.code);
        }
    }

    #[test]
    fn a_viewer_gets_a_language_that_they_read() {
        let code = |named, accepted| choose(None, named, accepted).code;
        assert_eq!(code(None, None), "en");
        assert_eq!(code(None, Some("sv, de-AT;q=0.8, fr;q=0.9")), "fr");
        assert_eq!(code(None, Some("nn-NO, en;q=0.5")), "nb");
        assert_eq!(code(Some("he"), Some("de")), "he");
        assert_eq!(code(Some("xx"), Some("ja;q=0, *;q=0.1")), "en");
        assert_eq!(choose(Some("de-AT"), Some("fr"), Some("ja")).code, "de");
        assert_eq!(choose(Some("sv"), Some("fr"), Some("ja")).code, "fr");
    }
}
