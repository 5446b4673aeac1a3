//! Slows down whoever fails or asks too often, by address: in memory, bounded, or in the database that several processes share.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::service::store::{Failed, Store, StoreError};
use crate::service::timing;

/// Who sent a request, as the connection has it.
#[derive(Debug, Clone, Copy)]
pub(in crate::service) struct Peer(pub IpAddr);

/// Addresses remembered at most.
const MOST_ADDRESSES: usize = 4096;

/// What counts as one sender: of IPv6 the network of 64 bits, which one machine has for itself.
fn sender(peer: Peer) -> IpAddr {
    match peer.0.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Attempts that failed: the first few cost nothing, each later one a wait that doubles.
pub(crate) struct Failures {
    /// What they tried, as the database knows it.
    kind: &'static str,
    /// So many cost nothing.
    free: u32,
    of: Mutex<HashMap<IpAddr, Failed>>,
}

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(60);

impl Failures {
    /// At something of this name, of which so many cost nothing.
    pub(super) fn beyond(kind: &'static str, free: u32) -> Self {
        Self { kind, free, of: Mutex::default() }
    }

    /// How long this sender has to wait; nothing where it may go on.
    ///
    /// # Errors
    /// [`StoreError`] where several processes count together and the database refuses.
    pub(super) async fn wait(&self, store: &Store, peer: Peer) -> Result<Option<Duration>, StoreError> {
        let own = self.of.lock().unwrap_or_else(PoisonError::into_inner).get(&sender(peer)).copied();
        // A guesser is not given more guesses by a database that takes no notes.
        let shared = if store.is_shared() { store.failed(self.kind, sender(peer).to_string()).await? } else { None };
        let now = timing::now();
        Ok(own.into_iter().chain(shared).filter_map(|failed| self.left(failed, now)).max())
    }

    /// How long to wait after these, at a moment.
    fn left(&self, failed: Failed, now: i64) -> Option<Duration> {
        let beyond = failed.times.checked_sub(self.free).filter(|_| failed.counts(now))?;
        let wait = 2_u64.checked_pow(beyond).map_or(LONGEST, Duration::from_secs).min(LONGEST);
        let gone = Duration::from_millis(u64::try_from(now - failed.last).unwrap_or_default());
        wait.checked_sub(gone).filter(|wait| !wait.is_zero())
    }

    /// Notes a failed attempt.
    ///
    /// # Errors
    /// As [`Failures::wait`].
    pub(super) async fn note(&self, store: &Store, peer: Peer) -> Result<(), StoreError> {
        self.keep(sender(peer), timing::now());
        if store.is_shared() { store.note_failed(self.kind, sender(peer).to_string()).await } else { Ok(()) }
    }

    fn keep(&self, sender: IpAddr, now: i64) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.len() >= MOST_ADDRESSES {
            of.retain(|_, failed| failed.counts(now));
        }
        if of.len() >= MOST_ADDRESSES {
            of.clear();
        }
        let failed = Failed::again(of.get(&sender).copied(), now);
        of.insert(sender, failed);
    }
}

/// Requests in a row and over time: so many at once, and one more with each `refill`.
pub(crate) struct Rate {
    burst: u32,
    refill: Duration,
    /// When each sender's allowance will be full again.
    full_at: Mutex<HashMap<IpAddr, Instant>>,
}

impl Rate {
    pub(super) fn new(burst: u32, refill: Duration) -> Self {
        Self { burst, refill, full_at: Mutex::default() }
    }

    /// The same for all processes that share a database; a `kind` of its own is what tells it from other allowances there.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub(super) async fn take_shared(
        &self,
        store: &Store,
        kind: &'static str,
        peer: Peer,
    ) -> Result<Result<(), Duration>, StoreError> {
        // What this process alone refuses costs the others no turn.
        if let Err(wait) = self.take(peer, Instant::now()) {
            return Ok(Err(wait));
        }
        if !store.is_shared() {
            return Ok(Ok(()));
        }
        let of = (timing::milliseconds(self.refill), timing::milliseconds(self.refill * self.burst));
        let taken = store.take_of(kind, sender(peer).to_string(), of).await?;
        Ok(taken.map_err(|wait| Duration::from_millis(u64::try_from(wait).unwrap_or_default())))
    }

    /// Takes one request of the sender's allowance; where there is none left, says how long to wait.
    pub(super) fn take(&self, peer: Peer, now: Instant) -> Result<(), Duration> {
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= MOST_ADDRESSES {
            full_at.retain(|_, at| *at > now);
        }
        if full_at.len() >= MOST_ADDRESSES {
            full_at.clear();
        }
        let at = full_at.entry(sender(peer)).or_insert(now);
        let then = (*at).max(now) + self.refill;
        let most = now + self.refill * self.burst;
        if then > most {
            return Err(then - most);
        }
        *at = then;
        Ok(())
    }
}

/// Whole seconds for a `Retry-After`, at least one.
pub(super) fn retry_after(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::FORGOTTEN;

    fn peer(text: &str) -> Peer {
        Peer(text.parse().unwrap())
    }

    const BEGIN: i64 = 1_700_000_000_000;
    const SECOND: i64 = 1000;

    fn of(failures: &Failures, sender: &str, now: i64) -> Option<Duration> {
        let failed = failures.of.lock().unwrap().get(&super::sender(peer(sender))).copied();
        failed.and_then(|failed| failures.left(failed, now))
    }

    #[test]
    fn failures_cost_more_and_more_and_are_forgotten() {
        let failures = Failures::beyond("word", 5);
        let (one, other) = ("192.0.2.1", "192.0.2.2");
        for _ in 0..4 {
            failures.keep(sender(peer(one)), BEGIN);
        }
        assert_eq!(of(&failures, one, BEGIN), None);
        for (nth, wait) in [1, 2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
            failures.keep(sender(peer(one)), BEGIN);
            assert_eq!(of(&failures, one, BEGIN), Some(Duration::from_secs(wait)), "{nth}");
        }
        assert_eq!(of(&failures, other, BEGIN), None);
        assert_eq!(of(&failures, one, BEGIN + 60 * SECOND), None);
        assert_eq!(of(&failures, one, BEGIN - SECOND), Some(LONGEST), "a clock went back");
        let later = BEGIN + FORGOTTEN;
        failures.keep(sender(peer(one)), later);
        assert_eq!(of(&failures, one, later), None);
        for _ in 0..8 {
            failures.keep(sender(peer(one)), later);
        }
        assert_eq!(of(&failures, one, BEGIN - FORGOTTEN), None, "a clock went back far");
    }

    #[test]
    fn one_machine_of_ipv6_has_many_addresses() {
        let failures = Failures::beyond("word", 5);
        for last in 0..20 {
            failures.keep(sender(peer(&format!("2001:db8::{last:x}"))), BEGIN);
        }
        assert!(of(&failures, "2001:db8::ffff", BEGIN).is_some());
        assert!(of(&failures, "2001:db8:0:1::1", BEGIN).is_none());
    }

    #[test]
    fn an_allowance_fills_up_again() {
        let (rate, begin) = (Rate::new(3, Duration::from_secs(2)), Instant::now());
        let me = peer("192.0.2.1");
        for _ in 0..3 {
            assert_eq!(rate.take(me, begin), Ok(()));
        }
        assert_eq!(rate.take(me, begin), Err(Duration::from_secs(2)));
        assert_eq!(rate.take(peer("192.0.2.2"), begin), Ok(()));
        assert_eq!(rate.take(me, begin + Duration::from_secs(2)), Ok(()));
        assert!(rate.take(me, begin + Duration::from_secs(2)).is_err());
    }
}
