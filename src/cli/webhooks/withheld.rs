//! What is said of that of events which is not kept.

use crate::domain::LeftOut;

fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// What was left out, for people: a sentence each.
pub(super) fn told(left: LeftOut) -> Vec<String> {
    let texts = || format!("{} not kept: they may name a viewer", counted(left.withheld, "text", "texts"));
    let events = || {
        let count = counted(left.events, "entry", "entries");
        format!("{count} in the events not recognized: without eventName")
    };
    [(left.withheld > 0).then(texts), (left.events > 0).then(events)].into_iter().flatten().collect()
}
