//! Asking before something is gone.

use std::io::{self, Write as _};

use super::{Failure, streams};
use crate::domain::text;

/// An answer longer than this is none, bytes.
const LONGEST_ANSWER: u64 = 256;

/// Asks a question that yes or no answers.
///
/// # Errors
/// Where the answer is not yes: `otherwise` says what that means.
pub(super) fn question(words: &str, otherwise: &str) -> Result<(), Failure> {
    let mut stderr = io::stderr();
    let _ = write!(stderr, "{} [y/N] ", text::line(words));
    let _ = stderr.flush();
    let mut answer = String::new();
    let read = io::BufRead::read_line(&mut io::Read::take(io::stdin().lock(), LONGEST_ANSWER), &mut answer);
    if read.is_ok() && is_yes(&answer) { Ok(()) } else { Err(Failure::Faulty(otherwise.to_owned())) }
}

/// Asks whether `what` (`project 1`) shall be deleted, unless that was said already.
///
/// # Errors
/// Where the answer is not yes, or there is no terminal to ask on: a script has to say what it means.
pub(super) fn deletion(what: &str, yes: bool) -> Result<(), Failure> {
    ask(&format!("Delete {what}? This can't be undone."), &format!("{what} was not deleted"), yes)
}

/// Asks whether `what` (`every visit`) shall be removed, unless that was said already.
///
/// # Errors
/// As [`deletion`].
pub(super) fn removal(what: &str, yes: bool) -> Result<(), Failure> {
    ask(&format!("Remove {what}? This can't be undone."), "nothing was removed", yes)
}

/// Asks whether `what` (`3 calls on project 1`) shall be done, unless that was said already.
///
/// # Errors
/// As [`deletion`].
pub(super) fn change(what: &str, yes: bool) -> Result<(), Failure> {
    ask(&format!("Apply {what}?"), "nothing was changed", yes)
}

fn ask(question: &str, refused: &str, yes: bool) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !(streams::is_typed() && streams::errors_are_shown()) {
        return Err(Failure::Usage(format!("{refused}: there is no terminal to ask for confirmation; use --yes")));
    }
    // Where the question can't be written there is nobody to answer it, and nothing is deleted.
    self::question(question, refused)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Y", "yes\r\n"].into_iter().all(is_yes));
        assert!(!["", "\n", "n\n", "ye", "yes please"].into_iter().any(is_yes));
    }
}
