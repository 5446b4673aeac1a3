//! The last exchanges, within a measure.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Recorded;
use crate::domain::Finding;

/// Exchanges kept at most.
const MOST: usize = 500;
/// Room they may take, bytes.
const MOST_WEIGHT: usize = 16 * 1024 * 1024;

/// The last exchanges, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct WireLog {
    kept: VecDeque<Arc<Recorded>>,
    weight: usize,
}

impl WireLog {
    /// Takes an exchange in; the oldest go where there is no room.
    pub fn push(&mut self, recorded: Arc<Recorded>) {
        self.weight += recorded.weight();
        self.kept.push_back(recorded);
        while self.kept.len() > MOST || (self.weight > MOST_WEIGHT && self.kept.len() > 1) {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.weight = self.weight.saturating_sub(oldest.weight());
        }
    }

    /// Takes in what was found in the answer of an exchange.
    pub fn found(&mut self, number: u64, findings: Vec<Finding>) {
        if let Some(recorded) = self.kept.iter_mut().rev().find(|recorded| recorded.number == number) {
            self.weight = self.weight.saturating_sub(recorded.weight());
            Arc::make_mut(recorded).findings = findings;
            self.weight += recorded.weight();
        }
    }

    /// The exchanges, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Recorded>> + ExactSizeIterator {
        self.kept.iter()
    }

    /// The exchange of this number.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&Arc<Recorded>> {
        self.kept.iter().rev().find(|recorded| recorded.number == number)
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::wire::Message;
    use crate::domain::{Fault, Segment};

    /// An exchange whose answer has this body.
    pub(in crate::domain::wire) fn recorded(number: u64, body: &str) -> Recorded {
        Recorded {
            number,
            at: "2026-01-31T12:00:00Z".parse().unwrap(),
            operation: "searchProductsCursor",
            method: "POST",
            path: "/products-service/searchProductsCursor".to_owned(),
            url: "https://api.example/products-service/searchProductsCursor".to_owned(),
            socket: None,
            status: Some(200),
            elapsed_ms: 20,
            round_trip_ms: Some(12),
            retries: 0,
            request_id: Some("r-1".to_owned()),
            error: None,
            sent: Message {
                headers: vec![("authorization".to_owned(), "Bearer [taken out]".to_owned())],
                body: r#"{"limit":"it's"}"#.to_owned(),
                size: 16,
                cut: false,
            },
            received: Message { headers: Vec::new(), body: body.to_owned(), size: body.len(), cut: false },
            findings: Vec::new(),
        }
    }

    #[test]
    fn it_keeps_to_its_measure() {
        let mut log = WireLog::default();
        for number in 0..MOST as u64 + 10 {
            log.push(Arc::new(recorded(number, "{}")));
        }
        assert_eq!((log.iter().len(), log.iter().next().unwrap().number), (MOST, 10));
        let large = "x".repeat(1024 * 1024);
        for number in 1000..1040 {
            log.push(Arc::new(recorded(number, &large)));
        }
        assert!(log.iter().len() < 17 && log.weight <= MOST_WEIGHT);
        log.found(1039, vec![Finding { at: vec![Segment::Key("a".to_owned())], fault: Fault::Missing }]);
        assert_eq!(log.get(1039).unwrap().findings.len(), 1);
        let weight: usize = log.iter().map(|recorded| recorded.weight()).sum();
        assert_eq!(log.weight, weight);
    }
}
