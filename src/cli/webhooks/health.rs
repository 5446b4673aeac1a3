//! How the deliveries of subscriptions go, where the service tells: the local workspace and `serve` do.

use futures_util::StreamExt as _;

use crate::api::ListDeliveries;
use crate::cli::times;
use crate::client::Client;
use crate::domain::{Delivery, WebhookId};

/// So many subscriptions are asked about at the same time.
const AT_ONCE: usize = 4;

/// What a cell shows that the service tells nothing of.
const UNKNOWN: &str = "—";

/// How the deliveries of one subscription go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Health {
    /// When something was delivered last, as the table shows it.
    pub(super) last_delivery: String,
    /// Since when deliveries have failed, as the table shows it.
    pub(super) failing_since: String,
}

impl Health {
    fn unknown() -> Self {
        Self { last_delivery: UNKNOWN.to_owned(), failing_since: UNKNOWN.to_owned() }
    }

    /// What the latest deliveries say, the latest first.
    fn of(deliveries: &[Delivery]) -> Self {
        let attempted = |delivery: &&Delivery| delivery.attempted_at.is_some();
        let time = |delivery: &Delivery| delivery.attempted_at.clone().unwrap_or_default();
        let tried: Vec<&Delivery> = deliveries.iter().filter(attempted).collect();
        let is_delivered = |delivery: &&&Delivery| delivery.state == "delivered";
        let last = tried.iter().filter(is_delivered).map(|delivery| time(delivery)).max();
        // What was tried before the last success no longer counts.
        let failing = tried.iter().filter(|delivery| !is_delivered(delivery)).map(|delivery| time(delivery));
        let failing = failing.filter(|time| last.as_ref().is_none_or(|last| time > last)).min();
        let shown = |time: Option<String>| time.map_or_else(|| UNKNOWN.to_owned(), |time| times::shown(&time));
        Self { last_delivery: shown(last), failing_since: shown(failing) }
    }
}

/// Asks how the deliveries of these webhooks go, in their order. Where the first answer is that there is no such thing, the
/// service shows nothing of deliveries, and nothing more is asked.
pub(super) async fn of(client: &Client, webhooks: &[WebhookId]) -> Vec<Health> {
    let Some((first, rest)) = webhooks.split_first() else { return Vec::new() };
    let Some(first) = ask(client, first).await else { return vec![Health::unknown(); webhooks.len()] };
    let rest = futures_util::stream::iter(rest).map(|id| ask(client, id)).buffered(AT_ONCE);
    let rest: Vec<Option<Vec<Delivery>>> = rest.collect().await;
    let health = |deliveries: Option<Vec<Delivery>>| deliveries.map_or_else(Health::unknown, |all| Health::of(&all));
    std::iter::once(Some(first)).chain(rest).map(health).collect()
}

/// The latest deliveries of a webhook; none where the service does not show them.
async fn ask(client: &Client, webhook: &WebhookId) -> Option<Vec<Delivery>> {
    Some(client.call(&ListDeliveries(webhook.clone())).await.ok()?.value.deliveries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(state: &str, attempted: &str) -> Delivery {
        let attempted_at = (!attempted.is_empty()).then(|| attempted.to_owned());
        Delivery { state: state.to_owned(), attempted_at, ..Delivery::default() }
    }

    #[test]
    fn failing_begins_after_the_last_success() {
        // What is no time stays as it is, so the zone of this machine makes no difference.
        let health = |deliveries: &[Delivery]| {
            let Health { last_delivery, failing_since } = Health::of(deliveries);
            (last_delivery, failing_since)
        };
        let pair = |last: &str, failing: &str| (last.to_owned(), failing.to_owned());
        assert_eq!(health(&[]), pair("—", "—"));
        assert_eq!(health(&[delivery("pending", "")]), pair("—", "—"));
        assert_eq!(health(&[delivery("delivered", "t2"), delivery("failed", "t1")]), pair("t2", "—"));
        let failing = [delivery("pending", "t4"), delivery("failed", "t3"), delivery("delivered", "t2")];
        assert_eq!(health(&failing), pair("t2", "t3"));
        assert_eq!(health(&[delivery("ended", "t1")]), pair("—", "t1"));
    }
}
