//! Which messages were taken already: what is sent again, byte for byte, is not passed on again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A message is remembered so long after its time, seconds: twice as long as its signature is believed.
const REMEMBERED: i64 = 600;
/// So many are remembered at most.
const MOST: usize = 20_000;
/// A longer id or time is nobody's.
const LONGEST: usize = 300;

/// What is known of a message when it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing. It is remembered from now on, until [`Replays::end`] says how it went.
    New,
    /// It was taken.
    Before,
    /// It is being passed on.
    UnderWay,
    /// It has no id, or one that can't be remembered.
    Nameless,
}

/// The memory. What is verified is kept apart from what is not: nobody takes the id of a message that is still to come.
#[derive(Default)]
pub struct Replays {
    verified: Mutex<Memory>,
    others: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// By id and time, with whether it was taken. A sender that tries again, or is asked to, signs with another time.
    known: HashMap<(String, String), bool>,
    /// Which are to be forgotten first.
    order: BTreeMap<(i64, u64), (String, String)>,
    count: u64,
}

impl Replays {
    fn memory(&self, verified: bool) -> MutexGuard<'_, Memory> {
        let memory = if verified { &self.verified } else { &self.others };
        memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a message arrived; `now` is seconds since 1970.
    pub fn begin(&self, verified: bool, id: &str, timestamp: &str, now: i64) -> Seen {
        if id.is_empty() || id.len() > LONGEST || timestamp.len() > LONGEST {
            return Seen::Nameless;
        }
        let mut memory = self.memory(verified);
        memory.forget_until(now.saturating_sub(REMEMBERED));
        let key = (id.to_owned(), timestamp.to_owned());
        match memory.known.get(&key) {
            Some(true) => Seen::Before,
            Some(false) => Seen::UnderWay,
            None => {
                memory.count += 1;
                let place = (now, memory.count);
                memory.order.insert(place, key.clone());
                memory.known.insert(key, false);
                Seen::New
            }
        }
    }

    /// Notes how it went: one that was not taken may come again.
    pub fn end(&self, verified: bool, id: &str, timestamp: &str, taken: bool) {
        let mut memory = self.memory(verified);
        let key = (id.to_owned(), timestamp.to_owned());
        if taken {
            memory.known.insert(key, true);
        } else {
            memory.known.remove(&key);
            memory.order.retain(|_, known| *known != key);
        }
    }
}

impl Memory {
    fn forget_until(&mut self, then: i64) {
        while let Some(first) = self.order.first_entry()
            && (first.key().0 < then || self.known.len() >= MOST)
        {
            let key = first.remove();
            self.known.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_once() {
        let replays = Replays::default();
        assert_eq!(replays.begin(true, "m", "1000", 1000), Seen::New);
        assert_eq!(replays.begin(true, "m", "1000", 1000), Seen::UnderWay);
        replays.end(true, "m", "1000", false);
        assert_eq!(replays.begin(true, "m", "1000", 1001), Seen::New, "it failed");
        replays.end(true, "m", "1000", true);
        assert_eq!(replays.begin(true, "m", "1000", 1300), Seen::Before);
        assert_eq!(replays.begin(true, "m", "1001", 1300), Seen::New, "its sender signed it again");
        assert_eq!(replays.begin(false, "m", "1000", 1300), Seen::New, "a stranger's is another one");
        assert_eq!(replays.begin(true, "", "1000", 1300), Seen::Nameless);
        assert_eq!(replays.begin(true, "m", "1000", 1000 + 2 * REMEMBERED), Seen::New, "nobody believes it by then");
    }

    #[test]
    fn not_more_is_remembered_than_there_is_room() {
        let replays = Replays::default();
        for nth in 0..=MOST {
            assert_eq!(replays.begin(false, &nth.to_string(), "1", 1), Seen::New);
            replays.end(false, &nth.to_string(), "1", true);
        }
        assert_eq!(replays.begin(false, "0", "1", 1), Seen::New, "the oldest");
        assert_eq!(replays.begin(false, &MOST.to_string(), "1", 1), Seen::Before);
    }
}
