//! Counts requests on their way, for the status line.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::client::{Exchange, Observe};
use crate::domain::Finding;
use crate::domain::wire::Recorded;
use crate::studio::event::Event;
use crate::studio::inspector;

/// Reports how many requests are on their way and how long the last took.
#[derive(Debug)]
pub struct Traffic {
    /// Held while a report is sent, so that reports arrive in the order of the counts.
    in_flight: Mutex<usize>,
    events: UnboundedSender<Event>,
}

impl Traffic {
    /// Reports to `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Event>) -> Self {
        Self { in_flight: Mutex::new(0), events }
    }

    fn report(&self, change: impl FnOnce(usize) -> usize, round_trip_ms: Option<u64>, lost: Option<bool>) {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        *in_flight = change(*in_flight);
        let _ = self.events.send(Event::Traffic { in_flight: *in_flight, round_trip_ms, lost });
    }
}

impl Observe for Traffic {
    fn began(&self) {
        self.report(|count| count + 1, None, None);
    }

    fn ended(&self, exchange: Exchange) {
        let answered = exchange.status.and(exchange.round_trip);
        let round_trip_ms = answered.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        // What was cancelled, or refused here before it was sent, says nothing of the way to the service.
        let lost = (exchange.lost || exchange.status.is_some()).then_some(exchange.lost);
        self.report(|count| count.saturating_sub(1), round_trip_ms, lost);
    }

    fn wants_wire(&self) -> bool {
        true
    }

    fn recorded(&self, recorded: Recorded) {
        let _ = self.events.send(Event::Inspector(inspector::Event::Recorded(Arc::new(recorded))));
    }

    fn found(&self, number: u64, findings: &[Finding]) {
        let _ = self.events.send(Event::Inspector(inspector::Event::Found { number, findings: findings.to_vec() }));
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;
    use url::Url;

    use super::*;
    use crate::api::Me;
    use crate::client::{Client, ClientOptions, Hosts};

    /// What the status line is told once a call has ended.
    async fn told(options: ClientOptions) -> Option<bool> {
        let (events, mut arrived) = unbounded_channel();
        let client = Client::new(ClientOptions { observer: Some(Arc::new(Traffic::new(events))), ..options });
        assert!(client.call(&Me).await.is_err());
        let mut last = None;
        while let Ok(event) = arrived.try_recv() {
            if let Event::Traffic { in_flight: 0, lost, .. } = event {
                last = Some(lost);
            }
        }
        last.unwrap()
    }

    #[tokio::test]
    async fn who_is_not_signed_in_has_lost_no_connection() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let nobody = Url::parse(&format!("http://{}", taken.local_addr().unwrap())).unwrap();
        drop(taken);
        let options = || ClientOptions::new(Hosts::single(nobody.clone()));
        assert_eq!(told(options()).await, None);
        let limits = crate::client::Limits { retries: 0, ..crate::client::Limits::default() };
        let key = Some(crate::domain::ApiKey::new("a key"));
        assert_eq!(told(ClientOptions { credential: key, limits, ..options() }).await, Some(true));
    }
}
