//! What this program is: its version, and from what it was built.

use serde::Serialize;

/// A build of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Built {
    /// The version.
    pub version: &'static str,
    /// The commit of the sources, where that is known: a development build doesn't ask, so that a commit rebuilds nothing.
    pub commit: Option<&'static str>,
    /// The day of that commit, as 2026-12-31.
    pub date: Option<&'static str>,
    /// The machine that it was built for, as Rust's compiler calls it.
    pub target: &'static str,
    /// How it was built: `release`, `debug`.
    pub profile: &'static str,
    /// The optional parts that are built in.
    pub features: &'static [&'static str],
}

/// This build. `build.rs` finds out what it tells.
pub const BUILT: Built = Built {
    version: env!("CARGO_PKG_VERSION"),
    commit: option_env!("CUTAWAY_COMMIT"),
    date: option_env!("CUTAWAY_DATE"),
    target: env!("CUTAWAY_TARGET"),
    profile: env!("CUTAWAY_BUILD_PROFILE"),
    features: &[
        #[cfg(feature = "keyring")]
        "keyring",
    ],
};

impl Built {
    /// The version and what else tells builds apart: `0.1.0 (0123456789ab 2026-12-31)`.
    #[must_use]
    pub fn short(&self) -> String {
        let from = [self.commit, self.date].into_iter().flatten().collect::<Vec<_>>();
        let from = if from.is_empty() { format!("{} build", self.profile) } else { from.join(" ") };
        format!("{} ({from})", self.version)
    }

    /// All of it, a line each.
    #[must_use]
    pub fn long(&self) -> String {
        let features = if self.features.is_empty() { "none".to_owned() } else { self.features.join(", ") };
        format!("{}\ntarget: {}\nfeatures: {features}", self.short(), self.target)
    }
}

/// The build script's.
#[cfg(test)]
#[path = "../../build/day.rs"]
mod day;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packager_s_time_is_a_day() {
        let days = [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01")];
        let later = [(1_709_251_199, "2024-02-29"), (1_767_225_599, "2025-12-31"), (4_107_456_000, "2100-02-28")];
        for (seconds, said) in days.into_iter().chain(later) {
            assert_eq!(day::of(seconds), said);
        }
    }

    #[test]
    fn a_build_says_what_is_known_of_it() {
        let built = Built {
            version: "1.2.3",
            commit: Some("0123456789ab"),
            date: Some("2026-12-31"),
            target: "x86_64-unknown-linux-gnu",
            profile: "release",
            features: &["keyring"],
        };
        assert_eq!(
            built.long(),
            "1.2.3 (0123456789ab 2026-12-31)\ntarget: x86_64-unknown-linux-gnu\nfeatures: keyring"
        );
        let unknown = Built { commit: None, date: None, features: &[], ..built };
        assert_eq!(unknown.long(), "1.2.3 (release build)\ntarget: x86_64-unknown-linux-gnu\nfeatures: none");
        assert!(BUILT.target.contains('-') && BUILT.version == env!("CARGO_PKG_VERSION"));
    }
}
