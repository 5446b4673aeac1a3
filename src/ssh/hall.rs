//! Where connections stand that have not shown a key yet. There is always room for the next one: the oldest has to leave
//! for it, first of all one of the same address where that has many, and one that never spoke before one that did. So a
//! crowd that never speaks shuts out nobody, also where it comes in behind: the kernel may hand over late who knocked early.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// The connections without a key, the oldest first.
pub(super) struct Hall {
    most: usize,
    most_of_one: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    in_order: VecDeque<One>,
}

struct One {
    number: u64,
    address: IpAddr,
    close: CancellationToken,
    heard: Arc<AtomicBool>,
}

/// A connection's place, until it is dropped.
pub(super) struct Place {
    hall: Arc<Hall>,
    number: u64,
    heard: Arc<AtomicBool>,
}

impl Place {
    /// To be set once the connection has said anything.
    pub(super) fn heard(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.heard)
    }
}

impl Hall {
    pub(super) fn new(most: usize, most_of_one: usize) -> Arc<Self> {
        Arc::new(Self { most: most.max(1), most_of_one: most_of_one.max(1), waiting: Mutex::default() })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection of this address, which is closed by `close` where another one needs it.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr, close: CancellationToken) -> Place {
        let mut waiting = self.waiting();
        let of_it = |one: &One| one.address == address;
        let is_silent = |one: &One| !one.heard.load(Ordering::Relaxed);
        let first = |of: &dyn Fn(&One) -> bool| {
            let silent = waiting.in_order.iter().position(|one| of(one) && is_silent(one));
            silent.or_else(|| waiting.in_order.iter().position(of))
        };
        let leaves = if waiting.in_order.iter().filter(|one| of_it(one)).count() >= self.most_of_one {
            first(&of_it)
        } else {
            first(&|_| true).filter(|_| waiting.in_order.len() >= self.most)
        };
        if let Some(oldest) = leaves.and_then(|position| waiting.in_order.remove(position)) {
            oldest.close.cancel();
        }
        let number = waiting.next;
        waiting.next += 1;
        let heard = Arc::<AtomicBool>::default();
        waiting.in_order.push_back(One { number, address, close, heard: Arc::clone(&heard) });
        Place { hall: Arc::clone(self), number, heard }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hall.waiting().in_order.retain(|one| one.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leaves_for_the_next_and_first_one_of_a_crowd() {
        let hall = Hall::new(3, 2);
        let enter = |address: &str| {
            let close = CancellationToken::new();
            (hall.enter(address.parse().unwrap(), close.clone()), close)
        };
        let (first, crowd) = (enter("10.0.0.1"), [enter("10.0.0.2"), enter("10.0.0.2")]);
        let third = enter("10.0.0.2");
        assert!(!first.1.is_cancelled() && crowd[0].1.is_cancelled() && !crowd[1].1.is_cancelled());
        let (_next, _) = enter("10.0.0.3");
        assert!(first.1.is_cancelled() && !third.1.is_cancelled());
        drop((first, crowd, third));
        assert_eq!(hall.waiting().in_order.len(), 1);
    }

    #[test]
    fn who_spoke_stays_before_those_who_never_did() {
        let hall = Hall::new(3, 3);
        let enter = || {
            let close = CancellationToken::new();
            (hall.enter("10.0.0.1".parse().unwrap(), close.clone()), close)
        };
        let honest = enter();
        honest.0.heard().store(true, Ordering::Relaxed);
        let silent: Vec<_> = (0..5).map(|_| enter()).collect();
        assert!(!honest.1.is_cancelled());
        let left: Vec<bool> = silent.iter().map(|(_, close)| close.is_cancelled()).collect();
        assert_eq!(left, [true, true, true, false, false], "the oldest of the silent ones");
    }
}
