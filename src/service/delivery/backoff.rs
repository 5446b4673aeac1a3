//! When a delivery is tried again: later each time, with jitter, for a day; or when the receiver says.

use std::time::Duration;

use super::attempt::Answer;
use crate::service::store::{Due, Outcome};
use crate::service::timing::{Timing, milliseconds};

/// How much longer each wait is than the one before.
const GROWTH: u32 = 3;

/// What becomes of a delivery after this answer.
pub(super) fn outcome(answer: &Answer, due: &Due, timing: &Timing, now: i64) -> Outcome {
    match answer.status {
        Some(200..=299) => return Outcome::Delivered,
        Some(410) => return Outcome::Gone,
        _ => {}
    }
    if answer.is_final || now >= due.tried_until {
        return Outcome::Failed;
    }
    let own = jittered(wait(due.attempts, timing), chance());
    let wait = answer.retry_after.map_or(own, |asked| asked.max(own));
    // The last attempt is made when the time is over, not given up before.
    Outcome::Again(now.saturating_add(milliseconds(wait)).min(due.tried_until))
}

/// The wait after so many attempts before this one.
fn wait(attempts: u32, timing: &Timing) -> Duration {
    let times = GROWTH.checked_pow(attempts).unwrap_or(u32::MAX);
    timing.first_retry.checked_mul(times).map_or(timing.longest_retry, |wait| wait.min(timing.longest_retry))
}

/// Up to a fifth shorter or longer, so that what failed together does not come together again.
fn jittered(wait: Duration, chance: u8) -> Duration {
    wait.mul_f64(0.8 + 0.4 * f64::from(chance) / 255.0)
}

fn chance() -> u8 {
    let mut byte = [128];
    // Without random numbers there is no jitter, no more.
    let _ = getrandom::fill(&mut byte);
    let [byte] = byte;
    byte
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::WebhookSecret;
    use crate::service::store::Secrets;

    fn due(attempts: u32) -> Due {
        let text = String::new;
        let secrets = Secrets { current: WebhookSecret::new(""), old: Vec::new(), until: None };
        let (id, webhook, url, message, body) = (text(), text(), text(), text(), text());
        Due {
            id,
            webhook,
            workspace: 1,
            unproven: false,
            url,
            secrets,
            message,
            body,
            attempts,
            tried_until: 1_000_000_000,
            due_at: 0,
            fence: 0,
        }
    }

    fn answered(status: u16, retry_after: Option<u64>) -> Answer {
        Answer { status: Some(status), retry_after: retry_after.map(Duration::from_secs), ..Answer::default() }
    }

    #[test]
    fn later_each_time_for_a_day() {
        let timing = Timing::default();
        let waits: Vec<u64> = (0..9).map(|attempts| wait(attempts, &timing).as_secs()).collect();
        assert_eq!(waits, [5, 15, 45, 135, 405, 1215, 3645, 10935, 14400]);
        assert_eq!(wait(u32::MAX, &timing), timing.longest_retry);
        assert_eq!(jittered(Duration::from_secs(10), 0), Duration::from_secs(8));
        assert_eq!(jittered(Duration::from_secs(10), 255), Duration::from_secs(12));
    }

    #[test]
    fn what_a_receiver_says_counts() {
        let timing = Timing::default();
        let of = |answer: &Answer, now| outcome(answer, &due(0), &timing, now);
        assert_eq!(of(&answered(204, None), 0), Outcome::Delivered);
        assert_eq!(of(&answered(410, None), 0), Outcome::Gone);
        assert_eq!(of(&answered(503, Some(600)), 0), Outcome::Again(600_000));
        assert_eq!(of(&answered(503, Some(9_999_999)), 0), Outcome::Again(1_000_000_000));
        assert_eq!(of(&answered(500, None), 1_000_000_000), Outcome::Failed);
        assert_eq!(of(&Answer { is_final: true, ..Answer::default() }, 0), Outcome::Failed);
        for status in [301, 400, 404, 500] {
            assert!(matches!(of(&answered(status, Some(1)), 0), Outcome::Again(4_000..=6_000)), "{status}");
        }
    }
}
