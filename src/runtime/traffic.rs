//! Counts requests on their way, for the status line.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use crate::client::{Exchange, Observe};
use crate::studio::event::Event;

/// Reports how many requests are on their way and how long the last took.
#[derive(Debug)]
pub struct Traffic {
    in_flight: AtomicUsize,
    events: UnboundedSender<Event>,
}

impl Traffic {
    /// Reports to `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Event>) -> Self {
        Self { in_flight: AtomicUsize::new(0), events }
    }
}

impl Observe for Traffic {
    fn began(&self) {
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        let _ = self.events.send(Event::Traffic { in_flight, round_trip_ms: None });
    }

    fn ended(&self, exchange: Exchange) {
        let in_flight = self.in_flight.fetch_sub(1, Ordering::Relaxed).saturating_sub(1);
        let answered = exchange.status.and(exchange.round_trip);
        let round_trip_ms = answered.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let _ = self.events.send(Event::Traffic { in_flight, round_trip_ms });
    }
}
