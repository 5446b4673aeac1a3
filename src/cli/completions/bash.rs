//! Completions for bash, which takes a candidate into the line as it is: each is one quoted word.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::CompletionCandidate;
use clap_complete::env::{self, EnvCompleter};

use super::shell::{Asked, LINE, Shell, candidates, variable};
use super::word::{Quotes, Typed, is_plain, single_quoted, split, unquoted};

/// The part of it that readline replaces.
const REPLACED: &str = "_CUTAWAY_REPLACED";
/// Which word is being typed, where no line is given.
const INDEX: &str = "_CUTAWAY_INDEX";

/// bash
pub(super) struct Bash;

/// Candidates are read one by one, never split and never expanded; vertical tabs stand in none of them.
const SCRIPT: &str = r#"_clap_complete_NAME() {
    local candidate
    COMPREPLY=()
    while IFS= read -r -d $'\v' candidate; do
        COMPREPLY+=("$candidate")
    done < <(
        _CUTAWAY_LINE="${COMP_LINE:0:${COMP_POINT:-0}}" _CUTAWAY_REPLACED="${2-}" _CUTAWAY_INDEX="${COMP_CWORD:-0}" \
            VAR=bash COMPLETER -- "${COMP_WORDS[@]}" 2> /dev/null
    )
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" =~ [=/:]$ ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o bashdefault -o nosort -F _clap_complete_NAME BIN
else
    complete -o bashdefault -F _clap_complete_NAME BIN
fi
"#;

impl Shell for Bash {
    fn known_as(&self) -> &'static dyn EnvCompleter {
        &env::Bash
    }

    fn script(&self, asked: &Asked<'_>) -> io::Result<String> {
        let quoted = |word: &str| if is_plain(word) { word.to_owned() } else { single_quoted(word) };
        Ok(asked.fill(SCRIPT, quoted))
    }

    fn answer(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let line = variable(LINE);
        let words = if line.is_empty() { raw_words(&given, &variable(INDEX)) } else { split(&line) };
        let Some(current) = words.last().cloned() else { return Ok(()) };
        let replaced = if line.is_empty() { current.raw.clone() } else { variable(REPLACED) };
        let words = words.into_iter().map(|word| word.plain).collect();
        for word in replacements(&current, &replaced, &candidates(command, words, folder)?) {
            write!(buf, "{word}\u{b}")?;
        }
        Ok(())
    }
}

/// The words as bash has split them, up to the one that is being typed.
fn raw_words(given: &[OsString], index: &str) -> Vec<Typed> {
    let last = index.parse::<usize>().unwrap_or_default();
    let typed = |word: &OsString| {
        let raw = word.to_string_lossy().into_owned();
        Typed { plain: unquoted(&raw), open: Quotes::None, raw }
    };
    let mut words: Vec<Typed> = given.iter().take(last + 1).map(typed).collect();
    words.resize_with(last + 1, Typed::default);
    words
}

/// What readline puts in the place of the part that it replaces: a part of one word, whatever the candidate is. Quotes
/// that the person opened are taken up: where a replacement begins with them, readline does not double them.
fn replacements(current: &Typed, replaced: &str, candidates: &[CompletionCandidate]) -> Vec<String> {
    // What of the word stands before that part stays: `--tag=`, `https:`, the opening quote.
    let head = current.raw.strip_suffix(replaced).unwrap_or_default();
    let head = split(head).pop().unwrap_or_default();
    let values = candidates.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned());
    let tails: Vec<String> = values.filter_map(|value| Some(value.strip_prefix(&head.plain)?.to_owned())).collect();
    // All alike: what they have in common is put into the line, and is to be the beginning of each of them.
    let all_plain = tails.iter().all(|tail| is_plain(tail));
    let quoted = |tail: String| match head.open {
        Quotes::None if all_plain => tail,
        Quotes::None | Quotes::Single => single_quoted(&tail),
        Quotes::Double if all_plain => format!("\"{tail}\""),
        // Nothing is expanded between single quotes, and an empty text between double ones opens and ends the word.
        Quotes::Double => format!("\"\"{}\"\"", single_quoted(&tail)),
    };
    tails.into_iter().map(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(line: &str, part: &str, values: &[&str]) -> Vec<String> {
        let candidates: Vec<_> = values.iter().map(CompletionCandidate::new).collect();
        replacements(&split(line).pop().unwrap(), part, &candidates)
    }

    #[test]
    fn a_candidate_is_one_word_whatever_is_in_it() {
        let hostile = "Zeta $(touch X) & y";
        assert_eq!(replaced("c show Ze", "Ze", &[hostile]), ["'Zeta $(touch X) & y'"]);
        assert_eq!(replaced("c show 'Ze", "Ze", &["Zeta's"]), [r"'Zeta'\''s'"]);
        assert_eq!(replaced("c show \"Ze", "Ze", &[hostile]), ["\"\"'Zeta $(touch X) & y'\"\""]);
        assert_eq!(replaced("c show --tag=Ze", "Ze", &["--tag=Zeta x"]), ["'Zeta x'"]);
        assert_eq!(replaced("c --app-url https://s", "//s", &["https://shop.example"]), ["//shop.example"]);
        assert_eq!(replaced("c show ", "", &["a", "b"]), ["a", "b"]);
        assert_eq!(replaced("c show ", "", &["a", "b c"]), ["'a'", "'b c'"], "all alike");
    }
}
