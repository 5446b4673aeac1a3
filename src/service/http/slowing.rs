//! Slows down whoever fails or asks too often: by address, in memory, bounded.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    /// So many cost nothing.
    free: u32,
    of: Mutex<HashMap<IpAddr, Failed>>,
}

struct Failed {
    times: u32,
    last: Instant,
}

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(60);
/// After so long without a failure, all is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(15 * 60);

impl Failed {
    fn until(&self, free: u32) -> Option<Instant> {
        let beyond = self.times.checked_sub(free)?;
        let wait = 2_u64.checked_pow(beyond).map_or(LONGEST, Duration::from_secs).min(LONGEST);
        Some(self.last + wait)
    }
}

impl Failures {
    /// Of which so many cost nothing.
    pub(super) fn beyond(free: u32) -> Self {
        Self { free, of: Mutex::default() }
    }

    /// How long this sender has to wait; nothing where it may go on.
    pub(super) fn wait(&self, peer: Peer, now: Instant) -> Option<Duration> {
        let of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let until = of.get(&sender(peer)).filter(|failed| failed.last + FORGOTTEN > now)?.until(self.free)?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    /// Notes a failed attempt.
    pub(super) fn note(&self, peer: Peer, now: Instant) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.len() >= MOST_ADDRESSES {
            of.retain(|_, failed| failed.last + FORGOTTEN > now);
        }
        if of.len() >= MOST_ADDRESSES {
            of.clear();
        }
        let failed = of.entry(sender(peer)).or_insert(Failed { times: 0, last: now });
        if failed.last + FORGOTTEN <= now {
            failed.times = 0;
        }
        *failed = Failed { times: failed.times.saturating_add(1), last: now };
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

    fn peer(text: &str) -> Peer {
        Peer(text.parse().unwrap())
    }

    #[test]
    fn failures_cost_more_and_more_and_are_forgotten() {
        let (failures, begin) = (Failures::beyond(5), Instant::now());
        for _ in 0..4 {
            failures.note(peer("192.0.2.1"), begin);
        }
        assert_eq!(failures.wait(peer("192.0.2.1"), begin), None);
        for (nth, wait) in [1, 2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
            failures.note(peer("192.0.2.1"), begin);
            assert_eq!(failures.wait(peer("192.0.2.1"), begin), Some(Duration::from_secs(wait)), "{nth}");
        }
        assert_eq!(failures.wait(peer("192.0.2.2"), begin), None);
        assert_eq!(failures.wait(peer("192.0.2.1"), begin + Duration::from_secs(60)), None);
        let later = begin + FORGOTTEN;
        failures.note(peer("192.0.2.1"), later);
        assert_eq!(failures.wait(peer("192.0.2.1"), later), None);
    }

    #[test]
    fn one_machine_of_ipv6_has_many_addresses() {
        let (failures, begin) = (Failures::beyond(5), Instant::now());
        for last in 0..20 {
            failures.note(peer(&format!("2001:db8::{last:x}")), begin);
        }
        assert!(failures.wait(peer("2001:db8::ffff"), begin).is_some());
        assert!(failures.wait(peer("2001:db8:0:1::1"), begin).is_none());
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
