//! Places for connections: bounded in all and for one address. Where they are all taken, connections that wait for their
//! clients are closed for new ones, the longest silent first, so that a crowd of silent or slow ones never shuts out
//! who asks something, not even from the same address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::activity::{Activity, Claim};

/// How long a connection may stay unused while places are few.
const SHORT_IDLE: Duration = Duration::from_secs(5);

/// The places of one listener.
pub(super) struct Places {
    most: usize,
    /// How many of them one address holds before its own silent connections are closed.
    most_of_one: usize,
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    next: u64,
    by_number: HashMap<u64, Entry>,
    by_address: HashMap<IpAddr, usize>,
}

struct Entry {
    address: IpAddr,
    activity: Arc<Activity>,
    close: CancellationToken,
}

/// A place, until it is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    address: IpAddr,
    activity: Arc<Activity>,
    /// Cancelled where another connection needs the place.
    pub(super) close: CancellationToken,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().remove(self.number);
        self.places.freed.notify_one();
    }
}

impl Place {
    /// Has a place again after it had to leave it, where it has a claim again by now. So that a crowd can't make places out of
    /// nothing this goes only so far beyond the bound; whoever has no claim is closed for others as before.
    pub(super) fn take_again(&mut self) -> bool {
        let mut taken = self.places.taken();
        let has_asked = self.activity.claim(Instant::now()).is_none();
        if !has_asked || taken.by_number.len() >= self.places.most + (self.places.most / 8).max(1) {
            return false;
        }
        self.close = CancellationToken::new();
        taken.add(
            self.number,
            Entry { address: self.address, activity: Arc::clone(&self.activity), close: self.close.clone() },
        );
        true
    }
}

impl Places {
    pub(super) fn new(most: usize) -> Arc<Self> {
        let most = most.max(4);
        Arc::new(Self { most, most_of_one: most / 4 * 3, taken: Mutex::default(), freed: Notify::new() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns once there is a place, or a connection that can be closed for one.
    pub(super) async fn free(&self) {
        const ASKED_AGAIN: Duration = Duration::from_millis(100);
        loop {
            {
                let taken = self.taken();
                if taken.by_number.len() < self.most || taken.victim(None, Instant::now()).is_some() {
                    return;
                }
            }
            let _ = tokio::time::timeout(ASKED_AGAIN, self.freed.notified()).await;
        }
    }

    /// A place for a connection from this address, which others may have to leave for it.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr, activity: Arc<Activity>) -> Place {
        let now = Instant::now();
        let close = CancellationToken::new();
        let mut taken = self.taken();
        if taken.by_number.len() >= self.most / 4 * 3 {
            taken.close_unused(now);
        }
        let own = taken.by_address.get(&address).copied().unwrap_or_default();
        let victim = if taken.by_number.len() >= self.most {
            taken.victim(taken.largest(), now).or_else(|| taken.victim(None, now))
        } else if own >= self.most_of_one {
            taken.victim(Some(address), now)
        } else {
            None
        };
        if let Some(victim) = victim {
            taken.close_for_another(victim);
        }
        let number = taken.next;
        taken.next += 1;
        taken.add(number, Entry { address, activity: Arc::clone(&activity), close: close.clone() });
        drop(taken);
        Place { places: Arc::clone(self), number, address, activity, close }
    }

    /// Closes a connection that waits for its client, where the process can't have more of them.
    pub(super) fn make_room(&self) {
        let mut taken = self.taken();
        if let Some(victim) = taken.victim(None, Instant::now()) {
            taken.close_for_another(victim);
        }
    }
}

impl Taken {
    fn add(&mut self, number: u64, entry: Entry) {
        *self.by_address.entry(entry.address).or_default() += 1;
        self.by_number.insert(number, entry);
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.by_number.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&entry.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&entry.address);
            }
        }
        Some(entry)
    }

    fn close(&mut self, number: u64) {
        if let Some(entry) = self.remove(number) {
            entry.close.cancel();
        }
    }

    /// Closes a connection because another one needs its place, and logs that.
    fn close_for_another(&mut self, number: u64) {
        let held = self.by_number.len();
        self.close(number);
        tracing::debug!(held, "closed a connection for another one");
    }

    /// The address with the most connections.
    fn largest(&self) -> Option<IpAddr> {
        self.by_address.iter().max_by_key(|(_, count)| **count).map(|(address, _)| *address)
    }

    /// The connection, of this address where one is given, that is closed for another one.
    fn victim(&self, of: Option<IpAddr>, now: Instant) -> Option<u64> {
        let entries = self.by_number.iter().filter(|(_, entry)| of.is_none_or(|address| entry.address == address));
        let claims = entries.filter_map(|(number, entry)| {
            let claim: Claim = entry.activity.claim(now)?;
            Some(((claim, entry.activity.since(), *number), *number))
        });
        claims.min().map(|(_, number)| number)
    }

    fn close_unused(&mut self, now: Instant) {
        let unused = |entry: &Entry| {
            entry.activity.is_unused() && now.saturating_duration_since(entry.activity.since()) >= SHORT_IDLE
        };
        let numbers: Vec<u64> =
            self.by_number.iter().filter(|(_, entry)| unused(entry)).map(|(number, _)| *number).collect();
        for number in numbers {
            self.close(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::activity::Phase;
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    struct Crowd {
        places: Arc<Places>,
        all: Vec<Place>,
    }

    impl Crowd {
        fn new(most: usize) -> Self {
            Self { places: Places::new(most), all: Vec::new() }
        }

        /// A connection that has been in a phase for so many milliseconds.
        fn add(&mut self, last: u8, phase: Phase, age: u64) -> Arc<Activity> {
            let activity = Activity::of(phase, Duration::from_millis(age));
            self.all.push(self.places.take(address(last), Arc::clone(&activity)));
            activity
        }

        fn closed(&self) -> Vec<usize> {
            let closed = self.all.iter().enumerate().filter(|(_, place)| place.close.is_cancelled());
            closed.map(|(at, _)| at).collect()
        }
    }

    #[test]
    fn the_longest_silent_one_leaves_first_and_who_is_served_stays() {
        let mut crowd = Crowd::new(8);
        crowd.add(1, Phase::Busy, 4_900);
        for (phase, age) in [
            (Phase::Head, 2_000),
            (Phase::Opened, 3_000),
            (Phase::Idle, 1_000),
            (Phase::Answer, 4_000),
            (Phase::Head, 900),
        ] {
            crowd.add(1, phase, age);
        }
        assert!(crowd.closed().is_empty());
        // Its share is used up: only its own leave.
        crowd.add(1, Phase::Opened, 0);
        assert_eq!(crowd.closed(), [2]);
        crowd.add(2, Phase::Idle, 4_000);
        crowd.add(2, Phase::Busy, 0);
        assert_eq!(crowd.closed(), [2]);
        // All places are used up: of the address with the most connections one leaves.
        crowd.add(3, Phase::Opened, 0);
        assert_eq!(crowd.closed(), [1, 2]);
    }

    #[test]
    fn of_a_crowd_of_slow_requests_unknown_ones_leave_before_who_has_just_come() {
        let mut crowd = Crowd::new(4);
        for known in [true, false, false] {
            let activity = crowd.add(1, Phase::Busy, 1_000);
            activity.await_body(true);
            if known {
                activity.is_known();
            }
        }
        crowd.add(1, Phase::Opened, 0);
        assert_eq!(crowd.closed(), [1]);
        crowd.add(2, Phase::Opened, 0);
        assert_eq!(crowd.closed(), [1]);
        crowd.add(3, Phase::Busy, 0);
        assert_eq!(crowd.closed(), [1, 2]);
        // Nothing is left but who has just come, and who is served.
        crowd.add(3, Phase::Busy, 0);
        assert_eq!(crowd.closed(), [1, 2, 3]);
        crowd.add(3, Phase::Busy, 0);
        assert_eq!(crowd.closed(), [1, 2, 3, 4]);
    }

    #[test]
    fn unused_ones_go_early_where_places_are_few() {
        let mut crowd = Crowd::new(8);
        for last in 0..6 {
            crowd.add(last, Phase::Idle, 6_000);
        }
        assert!(crowd.closed().is_empty());
        crowd.add(9, Phase::Opened, 0);
        assert_eq!(crowd.closed(), [0, 1, 2, 3, 4, 5]);
    }

    #[tokio::test]
    async fn who_finds_no_place_waits_until_one_is_left() {
        let mut crowd = Crowd::new(4);
        for last in 0..4 {
            crowd.add(last, Phase::Busy, 9_000);
        }
        let places = Arc::clone(&crowd.places);
        let waiting = tokio::spawn(async move { places.free().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        crowd.all.pop();
        waiting.await.unwrap();
    }
}
