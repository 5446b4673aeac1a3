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
        let cancelled = exchange.error.as_deref() == Some("cancelled");
        let lost = (!cancelled).then_some(exchange.status.is_none());
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
