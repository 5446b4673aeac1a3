//! Numbers from a seed: the same seed, the same numbers.

#![allow(dead_code, clippy::print_stderr)] // Not every test needs all of it.

/// `SplitMix64`.
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below this.
    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap()
    }

    /// True so many times of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// The seed that `CUTAWAY_FAULTS_SEED` names, else one of the clock; it is printed.
pub fn seed(of: &str) -> u64 {
    let clock = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        u64::try_from(now.as_nanos() % 1_000_000_007).unwrap()
    };
    let seed = std::env::var("CUTAWAY_FAULTS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(clock);
    eprintln!("{of}: CUTAWAY_FAULTS_SEED={seed}");
    seed
}

/// The number that a variable names; else what is enough for every run of the tests.
pub fn count(variable: &str, bounded: usize) -> usize {
    std::env::var(variable).ok().and_then(|count| count.parse().ok()).unwrap_or(bounded)
}
