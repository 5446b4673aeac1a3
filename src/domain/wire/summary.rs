//! Findings summed up by field: what a service sends otherwise than the specification has it, and how often.

use std::collections::BTreeMap;

use super::Recorded;
use crate::domain::{Finding, Segment};

/// One fault of one field, over all exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingSum {
    /// The operation's name in §4.
    pub operation: &'static str,
    /// The field, places in arrays left open: `products[].title`.
    pub field: String,
    /// What is wrong with it.
    pub fault: String,
    /// How often.
    pub count: usize,
    /// In how many exchanges.
    pub exchanges: usize,
    /// The last of them.
    pub last: u64,
    /// What the service calls that one.
    pub request_id: Option<String>,
}

/// Sums the findings up, the most frequent first.
#[must_use]
pub fn sum_up<'a>(exchanges: impl Iterator<Item = &'a Recorded>) -> Vec<FindingSum> {
    let mut sums: BTreeMap<(&'static str, String, String), FindingSum> = BTreeMap::new();
    for recorded in exchanges {
        for finding in &recorded.findings {
            let (field, fault) = (field(finding), finding.fault.to_string());
            let sum = sums.entry((recorded.operation, field.clone(), fault.clone())).or_insert_with(|| FindingSum {
                operation: recorded.operation,
                field,
                fault,
                count: 0,
                exchanges: 0,
                last: 0,
                request_id: None,
            });
            sum.count += 1;
            if sum.last != recorded.number {
                sum.exchanges += 1;
                sum.last = recorded.number;
                sum.request_id.clone_from(&recorded.request_id);
            }
        }
    }
    let mut sums: Vec<FindingSum> = sums.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.count));
    sums
}

/// The path of a finding with the places in arrays left open.
fn field(finding: &Finding) -> String {
    let mut path = String::new();
    for segment in &finding.at {
        match segment {
            Segment::Index(_) => path.push_str("[]"),
            Segment::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
        }
    }
    if path.is_empty() { "the body".to_owned() } else { path }
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::recorded;
    use super::*;
    use crate::domain::Fault;

    #[test]
    fn findings_are_summed_up_by_field() {
        let at =
            |index, key: &str| vec![Segment::Key("products".into()), Segment::Index(index), Segment::Key(key.into())];
        let missing = |index| Finding { at: at(index, "title"), fault: Fault::Missing };
        let odd = Finding { at: at(0, "odd"), fault: Fault::Undeclared };
        let first = Recorded { findings: vec![odd, missing(0), missing(1)], ..recorded(1, "{}") };
        let second = Recorded { findings: vec![missing(4)], ..recorded(2, "{}") };
        let sums = sum_up([first, second].iter());
        assert_eq!(
            (sums[0].field.as_str(), sums[0].count, sums[0].exchanges, sums[0].last),
            ("products[].title", 3, 2, 2)
        );
        assert_eq!(sums[1].fault, "is not a declared property");
    }
}
