//! Where connections stand that have not shown a key yet. There is always room for the next one: the oldest has to leave
//! for it, first of all one of the same address where that has many. So a crowd that never speaks shuts out nobody.

use std::collections::VecDeque;
use std::net::IpAddr;
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
}

/// A connection's place, until it is dropped.
pub(super) struct Place {
    hall: Arc<Hall>,
    number: u64,
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
        let leaves = if waiting.in_order.iter().filter(|one| of_it(one)).count() >= self.most_of_one {
            waiting.in_order.iter().position(of_it)
        } else {
            (waiting.in_order.len() >= self.most).then_some(0)
        };
        if let Some(oldest) = leaves.and_then(|position| waiting.in_order.remove(position)) {
            oldest.close.cancel();
        }
        let number = waiting.next;
        waiting.next += 1;
        waiting.in_order.push_back(One { number, address, close });
        Place { hall: Arc::clone(self), number }
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
}
