//! How visits are put together of webhook events: payloads come twice, late, in parts, and in any order.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::kept_event::{KeptEvent, PURCHASE, WITH_TEXT};
use super::kept_visit::KeptVisit;

/// How an event was told.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Telling {
    /// How often, at most by one payload.
    times: usize,
    /// When the first payload was made that told it.
    first: i64,
    /// How many events of the same time came before it, at most in one payload.
    behind: usize,
}

/// A visit as far as its payloads told it: each event once, in the order of time. Of events of the same time those come first
/// that were told first, and of those of one payload the ones that stand before the others in it; so they have the same order
/// however the payloads come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToldVisit {
    events: BTreeMap<KeptEvent, Telling>,
    /// When the first payload was made.
    at: Option<i64>,
}

impl ToldVisit {
    /// Takes one more payload of it.
    pub fn take(&mut self, kept: KeptVisit) {
        let mut events = kept.events;
        events.sort_by_key(|event| event.at);
        let mut told: BTreeMap<KeptEvent, Telling> = BTreeMap::new();
        let (mut time, mut behind) = (None, 0);
        for event in events {
            behind = if time == Some(event.at) { behind + 1 } else { 0 };
            time = Some(event.at);
            let first = Telling { times: 0, first: kept.at, behind };
            told.entry(event).or_insert(first).times += 1;
        }
        if self.events.is_empty() {
            self.events = told;
        } else {
            for (event, telling) in told {
                let known = self.events.entry(event).or_insert(telling);
                *known = Telling {
                    times: known.times.max(telling.times),
                    first: known.first.min(telling.first),
                    behind: known.behind.max(telling.behind),
                };
            }
        }
        self.at = Some(self.at.map_or(kept.at, |at| at.min(kept.at)));
    }

    /// When it began, milliseconds since 1970.
    #[must_use]
    pub fn begun(&self) -> i64 {
        self.events.keys().next().map(|event| event.at).or(self.at).unwrap_or_default()
    }

    /// What happened, in its order.
    #[must_use]
    pub fn told(&self) -> Vec<&KeptEvent> {
        let mut told: Vec<(&KeptEvent, &Telling)> = self.events.iter().collect();
        told.sort_by_key(|(event, telling)| (event.at, telling.first, telling.behind));
        // A text that an earlier version kept is no second event beside the same without it.
        let has_text = |event: &KeptEvent| {
            let mut behind = self.events.range((Bound::Excluded(event.clone()), Bound::Unbounded));
            let next = behind.next().map(|(next, _)| next);
            next.is_some_and(|next| (next.at, &next.name, &next.step) == (event.at, &event.name, &event.step))
        };
        let is_bare = |event: &KeptEvent| event.text.is_none() && WITH_TEXT.contains(&event.name.as_str());
        told.into_iter().map(|(event, _)| event).filter(|event| !(is_bare(event) && has_text(event))).collect()
    }

    /// What happened, as visits are counted where the steps are known.
    #[cfg(test)]
    pub(super) fn events(&self) -> Vec<super::funnel::Event> {
        let event = |event: &KeptEvent| super::funnel::Event {
            name: event.name.clone(),
            step: event.step.clone(),
            text: event.text.as_deref().map(super::funnel::counted_text),
            at: event.at,
        };
        self.told().into_iter().map(event).collect()
    }

    /// What was bought: each order once, as the shop said it where it did.
    #[must_use]
    pub fn purchases(&self) -> Vec<&KeptEvent> {
        let mut of_order: BTreeMap<&str, &KeptEvent> = BTreeMap::new();
        let mut all = Vec::new();
        let purchases = || self.events.iter().filter(|(event, _)| event.name == PURCHASE);
        // An earlier version kept no number of an order: what it kept may be what came again.
        let bare = |event: &KeptEvent| (event.at, event.amount.clone(), event.currency.clone(), event.verified);
        let mut again: BTreeMap<_, usize> = BTreeMap::new();
        for (event, _) in purchases().filter(|(event, _)| event.order.is_some()) {
            *again.entry(bare(event)).or_default() += 1;
        }
        for (event, telling) in purchases() {
            let Some(order) = &event.order else {
                let known = again.get(&bare(event)).copied().unwrap_or_default();
                all.extend(std::iter::repeat_n(event, telling.times.saturating_sub(known)));
                continue;
            };
            let known = of_order.entry(order).or_insert(event);
            if known.verified != Some(true) && event.verified == Some(true) {
                *known = event;
            }
        }
        all.extend(of_order.into_values());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at: i64, name: &str) -> KeptEvent {
        KeptEvent { at, name: name.to_owned(), ..KeptEvent::default() }
    }

    fn payload(at: i64, events: &[KeptEvent]) -> KeptVisit {
        KeptVisit { at, events: events.to_vec(), ..KeptVisit::default() }
    }

    fn order(at: i64, verified: bool, order: &str) -> KeptEvent {
        let order = Some(order).filter(|order| !order.is_empty()).map(str::to_owned);
        KeptEvent { order, verified: Some(verified), amount: Some("5".to_owned()), ..event(at, PURCHASE) }
    }

    fn names(visit: &ToldVisit) -> Vec<&str> {
        visit.told().into_iter().map(|event| event.name.as_str()).collect()
    }

    /// All orders of up to four things.
    fn orders(count: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for _ in 0..count {
            let more = |so_far: &Vec<usize>| {
                let rest = (0..count).filter(|one| !so_far.contains(one)).collect::<Vec<_>>();
                rest.into_iter().map(|one| [so_far.as_slice(), &[one]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(more).collect();
        }
        all
    }

    #[test]
    fn payloads_of_one_visit_are_put_together_in_any_order() {
        // Four events of one second, told as a whole, in parts, and one after the other.
        let events = [event(1, "zoo"), event(5, "y"), event(5, "x"), event(5, "b"), event(5, "a"), event(9, "c")];
        let wanted = ["zoo", "y", "x", "b", "a", "c"];
        let ways: [&[KeptVisit]; 3] = [
            &[payload(9, &events), payload(9, &events[2..]), payload(9, &events[..4]), payload(9, &events)],
            &[payload(1, &events[..2]), payload(2, &events[..4]), payload(3, &events)],
            &[payload(1, &events[..2]), payload(2, &events[2..4]), payload(3, &events[4..])],
        ];
        for way in ways {
            for order in orders(way.len()) {
                let mut told = ToldVisit::default();
                for at in &order {
                    told.take(way[*at].clone());
                }
                assert_eq!(names(&told), wanted, "{order:?}");
                assert_eq!(told.begun(), 1);
            }
        }
    }

    #[test]
    fn what_an_earlier_version_kept_is_not_counted_again() {
        let answer = |text: Option<&str>| KeptEvent { text: text.map(str::to_owned), ..event(1, "answer_selected") };
        let mut told = ToldVisit::default();
        told.take(payload(1, &[answer(Some("91 23 45 67")), order(2, true, ""), order(2, true, "")]));
        told.take(payload(1, &[answer(None), order(2, true, "a")]));
        assert_eq!(told.told().len(), 3, "an answer and two kinds of purchases: {:?}", told.told());
        let orders: Vec<_> = told.purchases().into_iter().map(|one| one.order.as_deref()).collect();
        assert_eq!(orders, [None, Some("a")]);
    }

    #[test]
    fn an_order_counts_once_and_as_the_shop_said_it() {
        let mut told = ToldVisit::default();
        told.take(payload(1, &[order(1, false, "a"), order(2, false, ""), order(2, false, "")]));
        told.take(payload(2, &[order(3, true, "a"), order(4, false, "a"), order(4, true, "b"), order(5, true, "b")]));
        let bought: Vec<_> =
            told.purchases().into_iter().map(|one| (one.order.as_deref(), one.verified, one.at)).collect();
        let wanted =
            [(None, Some(false), 2), (None, Some(false), 2), (Some("a"), Some(true), 3), (Some("b"), Some(true), 4)];
        assert_eq!(bought, wanted);
    }
}
