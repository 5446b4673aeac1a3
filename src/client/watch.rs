//! Watching a call: whoever wants to know of it is told when it ends, whatever way it ends.

use std::sync::Arc;

use super::ClientError;
use super::exchange::{Exchange, Observe};
use super::trace::Trace;

/// Reports a call to the observer when it ends, also by being dropped.
pub(super) struct Watch {
    observer: Option<Arc<dyn Observe>>,
    trace: Option<Arc<Trace>>,
    exchange: Option<Exchange>,
    began: tokio::time::Instant,
}

impl Watch {
    pub(super) fn begin(observer: Option<Arc<dyn Observe>>, exchange: Exchange) -> Self {
        if let Some(observer) = &observer {
            observer.began();
        }
        let trace = observer.as_ref().filter(|observer| observer.wants_wire()).map(|_| Arc::default());
        Self { observer, trace, exchange: Some(exchange), began: tokio::time::Instant::now() }
    }

    /// Where what is said on the wire is noted, where anybody wants to see it.
    pub(super) fn trace(&self) -> Option<Arc<Trace>> {
        self.trace.clone()
    }

    /// What is known so far.
    pub(super) fn note(&mut self, change: impl FnOnce(&mut Exchange)) {
        if let Some(exchange) = &mut self.exchange {
            change(exchange);
        }
    }

    pub(super) fn fail(&mut self, error: &ClientError) {
        self.note(|exchange| {
            exchange.status = error.status();
            exchange.request_id = error.request_id().map(str::to_owned);
            exchange.error = Some(error.to_string());
            exchange.lost = error.is_lost();
        });
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        exchange.elapsed = self.began.elapsed();
        if exchange.status.is_none() && exchange.error.is_none() {
            exchange.error = Some("cancelled".to_owned());
        }
        tracing::debug!(
            operation = exchange.operation,
            status = exchange.status,
            elapsed_ms = u64::try_from(exchange.elapsed.as_millis()).unwrap_or(u64::MAX),
            retries = exchange.retries,
            request_id = exchange.request_id.as_deref(),
            error = exchange.error.as_deref(),
            "exchange"
        );
        if let Some(observer) = &self.observer {
            if let Some(trace) = self.trace.take() {
                observer.recorded(trace.recorded(&exchange));
            }
            observer.ended(exchange);
        }
    }
}
