//! How bad something is: by a sign of its own, beside its color, so that nobody has to tell colors apart.

use super::Role;
use crate::graph::Severity;
use crate::studio::ground::NoticeKind;

/// What it is drawn in.
#[must_use]
pub fn severity_role(severity: Severity) -> Role {
    match severity {
        Severity::Fault => Role::Error,
        Severity::Warning => Role::Warn,
        Severity::Note => Role::Dim,
    }
}

/// Its sign, which the cards of the graph have too, with a blank behind it.
#[must_use]
pub fn severity_sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Fault => "× ",
        Severity::Warning => "! ",
        Severity::Note => "· ",
    }
}

/// Its word.
#[must_use]
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Fault => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A piece of a line as it is read out: a sign of how bad something is by its word.
#[must_use]
pub fn severity_spoken(piece: &str) -> String {
    let of = [Severity::Fault, Severity::Warning, Severity::Note];
    let severity = of.into_iter().find(|severity| piece.trim() == severity_sign(*severity).trim());
    severity.map_or_else(|| piece.to_owned(), |severity| format!("{}: ", severity_word(severity)))
}

/// The sign of what was said, with a blank behind it.
#[must_use]
pub fn notice_sign(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Done => "✓ ",
        NoticeKind::Hint => "● ",
        NoticeKind::Warning => severity_sign(Severity::Warning),
        NoticeKind::Error => severity_sign(Severity::Fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_sign_of_its_own() {
        let signs = [Severity::Fault, Severity::Warning, Severity::Note].map(severity_sign);
        assert!(signs[0] != signs[1] && signs[1] != signs[2] && signs[0] != signs[2]);
        let kinds = [NoticeKind::Done, NoticeKind::Hint, NoticeKind::Warning, NoticeKind::Error].map(notice_sign);
        for (at, sign) in kinds.iter().enumerate() {
            assert!(kinds.iter().skip(at + 1).all(|other| other != sign), "{sign}");
        }
        assert_eq!(severity_spoken("          × "), "error: ");
        assert_eq!(severity_spoken("a · b"), "a · b");
    }
}
