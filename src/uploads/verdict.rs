//! What follows from a failure: again, later, or a person has to do something.

use std::time::Duration;

use super::file::FileChange;

/// Why an upload did not arrive, as far as it matters for what comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The file is another one than it was.
    File(FileChange),
    /// The service said no, with this status.
    Status(u16),
    /// No connection, or it broke, or nothing came.
    Line,
    /// It can't go better by itself.
    Lasting,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Send it again after so long.
    Again(Duration),
    /// It goes on once someone signed in; nothing else of this queue would fare better before.
    SignIn,
    /// It failed; what a person can do.
    Fail(&'static str),
}

/// How often in a row an answer that may be passing is waited out.
const MOST_REFUSALS: u32 = 12;
/// How often in a row a line may break: hours, at the longest pause.
const MOST_BREAKS: u32 = 200;
/// Before it is sent again the first time.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause of our own choosing.
const LONGEST: Duration = Duration::from_secs(60);
/// No service can keep a file waiting for longer than this.
const LONGEST_ASKED: Duration = Duration::from_secs(60 * 60);

/// What follows from a failure, the `attempts`th in a row (from 1), where the service asked for a pause of `asked`.
/// `luck` is from 0 to 1, so that many that broke together do not come back together.
#[must_use]
pub fn verdict(trouble: &Trouble, attempts: u32, asked: Option<Duration>, luck: f64) -> Verdict {
    let most = match trouble {
        Trouble::File(change) => return Verdict::Fail(mend_of_file(change)),
        Trouble::Status(401) => return Verdict::SignIn,
        Trouble::Status(status) => match mend_of_status(*status) {
            Some(fix) => return Verdict::Fail(fix),
            None => MOST_REFUSALS,
        },
        Trouble::Line => MOST_BREAKS,
        Trouble::Lasting => return Verdict::Fail("fix the problem, then retry"),
    };
    if attempts >= most {
        return Verdict::Fail("it was retried many times; retry when the service works again");
    }
    let whole = FIRST.saturating_mul(2u32.saturating_pow(attempts.saturating_sub(1))).min(LONGEST);
    let own = whole.mul_f64(0.5 + 0.5 * luck.clamp(0.0, 1.0));
    Verdict::Again(own.max(asked.unwrap_or_default().min(LONGEST_ASKED)))
}

fn mend_of_file(change: &FileChange) -> &'static str {
    match change {
        FileChange::Removed => "put the file back and retry, or cancel",
        FileChange::Unreadable(_) => "make the file readable, then retry",
        _ => "if the file is complete now, retry",
    }
}

/// What to do about an answer that will be the same next time; none where it may pass.
fn mend_of_status(status: u16) -> Option<&'static str> {
    Some(match status {
        403 => "ask for permission to upload, then retry",
        404 | 405 => "the upload address is wrong: see --upload-url",
        413 => "the file is too large for the service: make it smaller, then add it again",
        415 => "the service doesn't accept this kind of file: convert it to MP4, then add it again",
        408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 507 => return None,
        400..=499 => "the service refused it: see its message",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_fails_and_what_passes_is_waited_out() {
        for status in [400, 403, 404, 413, 415, 422] {
            assert!(matches!(verdict(&Trouble::Status(status), 1, None, 0.5), Verdict::Fail(_)), "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504, 507, 599] {
            assert!(matches!(verdict(&Trouble::Status(status), 1, None, 0.5), Verdict::Again(_)), "{status}");
            assert!(matches!(verdict(&Trouble::Status(status), MOST_REFUSALS, None, 0.5), Verdict::Fail(_)));
        }
        assert_eq!(verdict(&Trouble::Status(401), 1, None, 0.5), Verdict::SignIn);
        assert!(matches!(verdict(&Trouble::File(FileChange::Removed), 1, None, 0.5), Verdict::Fail(_)));
    }

    #[test]
    fn pauses_grow_are_jittered_and_heed_the_service() {
        let pause = |attempts, asked, chance| match verdict(&Trouble::Line, attempts, asked, chance) {
            Verdict::Again(pause) => pause,
            other => panic!("{other:?}"),
        };
        assert_eq!(pause(1, None, 0.0), Duration::from_millis(500));
        assert_eq!(pause(1, None, 1.0), Duration::from_secs(1));
        assert_eq!(pause(3, None, 1.0), Duration::from_secs(4));
        assert_eq!(pause(150, None, 1.0), LONGEST);
        assert_eq!(pause(1, Some(Duration::from_secs(9)), 1.0), Duration::from_secs(9));
        assert_eq!(pause(1, Some(Duration::MAX), 1.0), LONGEST_ASKED);
    }
}
