//! How many deliveries are made at once, and whose: receivers that are slow or do not answer hold places for a quarter of
//! a minute each, so nobody may hold all of them. Bounded in all, by workspace and by a workspace's hosts; receivers that
//! did not take the last thing, or nothing yet, get only a part of the places, so that there is room for what works.

use url::Url;

use crate::service::store::Candidate;

/// Deliveries at once.
pub(super) const MOST: usize = 128;
/// Those of them to receivers that are not proven.
const MOST_UNPROVEN: usize = 64;
/// Those of one workspace.
const MOST_OF_WORKSPACE: usize = 16;
/// Those of one workspace to receivers that are not proven.
const MOST_UNPROVEN_OF_WORKSPACE: usize = 8;
/// Those of one workspace to one host.
const MOST_TO_HOST: usize = 4;

/// A delivery under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    webhook: String,
    workspace: i64,
    host: String,
    unproven: bool,
}

impl Lane {
    pub(super) fn of(candidate: Candidate<'_>) -> Self {
        let Candidate { webhook, workspace, url, unproven } = candidate;
        let host = |url: &Url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?));
        let host = Url::parse(url).ok().as_ref().and_then(host).unwrap_or_default();
        Self { webhook: webhook.to_owned(), workspace, host, unproven }
    }
}

/// All that are under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Lanes(Vec<Lane>);

impl Lanes {
    pub(super) fn new(taken: impl Iterator<Item = Lane>) -> Self {
        Self(taken.collect())
    }

    /// Takes a place for a delivery, where there is one; of one subscription there is never more than one under way.
    pub(super) fn take(&mut self, lane: Lane) -> bool {
        let count = |counts: &dyn Fn(&Lane) -> bool| self.0.iter().filter(|taken| counts(taken)).count();
        let ours = |taken: &Lane| taken.workspace == lane.workspace;
        let free = count(&|_| true) < MOST
            && count(&|taken| taken.webhook == lane.webhook) == 0
            && count(&ours) < MOST_OF_WORKSPACE
            && count(&|taken| ours(taken) && taken.host == lane.host) < MOST_TO_HOST
            && (!lane.unproven
                || (count(&|taken| taken.unproven) < MOST_UNPROVEN
                    && count(&|taken| ours(taken) && taken.unproven) < MOST_UNPROVEN_OF_WORKSPACE));
        if free {
            self.0.push(lane);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(number: usize, workspace: i64, host: &str, unproven: bool) -> Lane {
        let (webhook, url) = (format!("{workspace}-{number}"), format!("https://{host}/{number}"));
        Lane::of(Candidate { webhook: &webhook, workspace, url: &url, unproven })
    }

    #[test]
    fn nobody_holds_all_places() {
        let mut lanes = Lanes::default();
        let mut took = |workspace, hosts: usize, failing| {
            let all = (0..300).map(|number| lane(number, workspace, &format!("h{}.example", number % hosts), failing));
            all.filter(|lane| lanes.take(lane.clone())).count()
        };
        assert_eq!(took(1, 1, false), MOST_TO_HOST, "one host");
        assert_eq!(took(2, 300, true), MOST_UNPROVEN_OF_WORKSPACE, "what is not proven");
        assert_eq!(took(2, 299, false), MOST_OF_WORKSPACE - MOST_UNPROVEN_OF_WORKSPACE, "the rest of a workspace");
        for workspace in 3..100 {
            took(workspace, 300, true);
        }
        assert_eq!(lanes.0.iter().filter(|lane| lane.unproven).count(), MOST_UNPROVEN);
        assert!(lanes.take(lane(0, 1000, "works.example", false)), "there is room for what works");
        assert!(!lanes.take(lane(0, 1000, "other.example", false)), "one of a subscription at once");
        assert_eq!(lane(1, 1, "h.example", false).host, "h.example:443");
    }
}
