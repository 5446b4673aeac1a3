//! Counts how often steps are looked at, so that tests can tell work that grows with a project from work that explodes.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static VISITS: Cell<u64> = const { Cell::new(0) };
}

/// A step is looked at. Counted in tests only.
pub(super) fn visit() {
    #[cfg(test)]
    VISITS.set(VISITS.get() + 1);
}

/// How often steps were looked at by this thread so far.
#[cfg(test)]
pub(super) fn visits() -> u64 {
    VISITS.get()
}
