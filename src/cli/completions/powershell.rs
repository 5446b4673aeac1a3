//! Completions for PowerShell, which takes a candidate into the line as it is. Its script hands over what is typed as text:
//! the one of `clap_complete` runs it through `Invoke-Expression`, which carries out the `$(…)` of an unfinished line.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{self, EnvCompleter};

use super::shell::{Asked, LINE, Shell, candidates, variable};
use super::word::is_plain;

/// PowerShell
pub(super) struct Powershell;

/// The line goes through a variable: nothing of it is read as PowerShell, and Windows' own quoting of arguments has no
/// part in it.
const SCRIPT: &str = r#"
Register-ArgumentCompleter -Native -CommandName BIN -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $line = $commandAst.Extent.Text
    $typed = [math]::Min($cursorPosition - $commandAst.Extent.StartOffset, $line.Length)
    $line = $line.Substring(0, [math]::Max($typed, 0))
    if ($wordToComplete -eq '') {
        $line += ' '
    }
    $before = $env:VAR
    try {
        $env:VAR = 'powershell'
        $env:_CUTAWAY_LINE = $line
        $results = & COMPLETER -- BIN
    } finally {
        $env:VAR = $before
        $env:_CUTAWAY_LINE = $null
    }
    $results | ForEach-Object {
        $candidate, $help = $_.Split("`t", 2)
        if (-not $help) {
            $help = $candidate
        }
        [System.Management.Automation.CompletionResult]::new($candidate, $candidate, 'ParameterValue', $help)
    }
}
"#;

/// PowerShell takes typographic quotes for straight ones.
fn is_single_quote(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}')
}

fn is_double_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}')
}

/// The text as one word: as it is where nothing in it means anything, else between single quotes.
fn quoted(text: &str) -> String {
    // An `@` or a `,` is an operator there.
    if is_plain(text) && !text.contains(['@', ',', '%']) {
        return text.to_owned();
    }
    let mut word = String::from("'");
    for c in text.chars() {
        if is_single_quote(c) {
            word.push(c);
        }
        word.push(c);
    }
    word.push('\'');
    word
}

/// The words of a line up to the cursor, without quotes and backticks; the last one is being typed, and may be empty.
/// Nothing is expanded.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut begun) = (vec![String::new()], false);
    let mut closes: Option<fn(char) -> bool> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(word) = words.last_mut() else { break };
        let single = closes.is_some_and(|closes| closes('\''));
        match closes {
            None if c.is_whitespace() => {
                if begun {
                    words.push(String::new());
                }
                begun = false;
                continue;
            }
            None if is_single_quote(c) => closes = Some(is_single_quote),
            None if is_double_quote(c) => closes = Some(is_double_quote),
            Some(closing) if closing(c) => {
                // A quote that is doubled stands for itself.
                match chars.next_if(|next| closing(*next)) {
                    Some(next) => word.push(next),
                    None => closes = None,
                }
            }
            _ if c == '`' && !single => word.extend(chars.next()),
            _ => word.push(c),
        }
        begun = true;
    }
    words
}

impl Shell for Powershell {
    fn known_as(&self) -> &'static dyn EnvCompleter {
        &env::Powershell
    }

    fn script(&self, asked: &Asked<'_>) -> io::Result<String> {
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
        let words = if line.is_empty() {
            given.iter().map(|word| word.to_string_lossy().into_owned()).collect()
        } else {
            split(&line)
        };
        for candidate in candidates(command, words, folder)? {
            write!(buf, "{}", quoted(&candidate.get_value().to_string_lossy()))?;
            if let Some(help) = candidate.get_help() {
                write!(buf, "\t{}", help.to_string().lines().next().unwrap_or_default())?;
            }
            writeln!(buf)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_one_word() {
        assert_eq!(quoted("--limit"), "--limit");
        assert_eq!(quoted("Zeta $(touch X) & y"), "'Zeta $(touch X) & y'");
        assert_eq!(quoted("it's \u{2019}; x"), "'it''s \u{2019}\u{2019}; x'");
        assert_eq!(quoted("@a"), "'@a'");
    }

    #[test]
    fn a_line_is_read_as_text() {
        assert_eq!(split("cutaway  show 'b c' d` e \"f`\"g\"\"h\""), ["cutaway", "show", "b c", "d e", "f\"g\"h"]);
        assert_eq!(split("cutaway "), ["cutaway", ""]);
        assert_eq!(split("cutaway ''"), ["cutaway", ""]);
        assert_eq!(split("cutaway 'it''s` $(x)"), ["cutaway", "it's` $(x)"]);
        assert_eq!(split("cutaway \u{201c}$(touch X) \u{2019}y\u{201d} z"), ["cutaway", "$(touch X) \u{2019}y", "z"]);
        for text in ["a b", "it's", "''", "$(x) `y` \" ; | & @", "\u{2018}a"] {
            assert_eq!(split(&quoted(text)), [text]);
        }
    }
}
