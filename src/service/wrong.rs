//! Naming what is wrong with a request beyond its types: a place in the body and a sentence.

use crate::domain::{Fault, Finding, Segment};

/// The place that a JSON Pointer names. The names of §4 need no escaping.
fn place(pointer: &str) -> Vec<Segment> {
    let segment = |text: &str| text.parse().map_or_else(|_| Segment::Key(text.to_owned()), Segment::Index);
    pointer.split('/').skip(1).map(segment).collect()
}

/// Notes a finding at a JSON Pointer into the body, where nothing was found yet at that place or around it.
pub(super) fn wrong(found: &mut Vec<Finding>, pointer: &str, why: impl Into<String>) {
    let at = place(pointer);
    if !found.iter().any(|finding| at.starts_with(&finding.at)) {
        found.push(Finding { at, fault: Fault::Invalid(why.into()) });
    }
}

/// The places in the body of the members that were read of an array: those of another type were left out of it.
pub(super) fn indices(found: &[Finding], pointer: &str) -> impl Iterator<Item = usize> + use<> {
    let array = place(pointer);
    let left_out = |finding: &Finding| match (finding.at.split_last(), &finding.fault) {
        // Numbers and truths are read as the texts that they are written as.
        (_, Fault::Mistyped { expected: "a string", found: "number" | "boolean" }) => None,
        (Some((Segment::Index(at), before)), Fault::Mistyped { .. }) if *before == array => Some(*at),
        _ => None,
    };
    let left_out: Vec<usize> = found.iter().filter_map(left_out).collect();
    (0..).filter(move |at| !left_out.contains(at))
}
