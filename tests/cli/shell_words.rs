//! Command lines as the studio says them: a shell gives the program what was meant, whatever stands in it.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // Helpers of tests are tests too.

use std::process::Command;

use cutaway::domain::shell::{quoted, word};
use proptest::prelude::*;

/// What `sh` makes of a line's words.
fn given(line: &str) -> Vec<String> {
    let output = Command::new("sh").arg("-c").arg(format!("printf '%s\\0' {line}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

fn strange() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "'",
        "\"",
        "$HOME",
        "`id`",
        "\\",
        "\n",
        "\r",
        "\t",
        "\u{1b}[201~",
        "\u{202e}",
        "!",
        "-n",
        "--",
        "*",
        "~",
        " ",
        "é",
        "👩‍👧",
        "",
        "#",
        ";",
        "&",
        "|",
        "<",
        ">",
        "(",
        ")",
        "{a,b}",
        "\u{7f}",
        "%s",
        "=>",
        "\n\n",
    ]);
    let odd = odd.prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![odd, "[^\\x00]{0,5}"], 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn an_argument_survives_the_shell(words in prop::collection::vec(strange(), 1..8)) {
        for quote in [word, quoted] {
            let line: Vec<String> = words.iter().map(|word| quote(word)).collect();
            let line = line.join(" ");
            prop_assert_eq!(&given(&line), &words);
            prop_assert!(line.chars().all(|c| c == '\n' || !cutaway::domain::text::is_hostile(c)), "{:?}", line);
        }
    }
}

#[test]
fn plain_words_stay_plain() {
    assert_eq!(
        ["--limit", "a.b/c:d@e%f+g=h,i_j", "", "a b", "~", "é"].map(word),
        ["--limit", "a.b/c:d@e%f+g=h,i_j", "''", "'a b'", "'~'", "'é'"]
    );
}
