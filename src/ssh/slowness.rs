//! Wrong codes are slowed: each of an address takes longer than the one before, also where they come at once.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long the first wrong code takes.
const FIRST: Duration = Duration::from_secs(1);

/// How often that doubles at most.
const DOUBLINGS: u32 = 4;

/// So long after the last of them an address starts again from nothing.
const FORGOTTEN: Duration = Duration::from_secs(600);

/// So many addresses are remembered at most.
const MOST: usize = 4096;

/// The addresses that showed wrong codes.
#[derive(Default)]
pub(super) struct Slowness {
    known: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

impl Slowness {
    /// How long the answer to a wrong code of this address is to take.
    pub(super) fn of(&self, address: IpAddr) -> Duration {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        known.retain(|_, (_, last)| now.duration_since(*last) < FORGOTTEN);
        if known.len() >= MOST && !known.contains_key(&network(address)) {
            return FIRST * 2_u32.pow(DOUBLINGS);
        }
        let (wrong, last) = known.entry(network(address)).or_insert((0, now));
        let slowed = FIRST * 2_u32.pow((*wrong).min(DOUBLINGS));
        (*wrong, *last) = (wrong.saturating_add(1), now);
        slowed
    }
}

/// What one person has of addresses: of IPv6 a whole network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => IpAddr::V6((u128::from(six) & !u128::from(u64::MAX)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_wrong_code_takes_longer_than_the_one_before() {
        let slowness = Slowness::default();
        let of = |address: &str| slowness.of(address.parse().unwrap()).as_secs();
        let taken: Vec<u64> = (0..7).map(|_| of("192.0.2.1")).collect();
        assert_eq!(taken, [1, 2, 4, 8, 16, 16, 16]);
        assert_eq!(of("192.0.2.2"), 1);
        assert_eq!([of("2001:db8::1"), of("2001:db8::2"), of("2001:db8:0:1::1")], [1, 2, 1]);
    }
}
