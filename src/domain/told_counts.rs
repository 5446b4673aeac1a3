//! What a visit adds to numbers that are kept without the project's steps: whatever they are when the numbers are shown,
//! the numbers are the same as if the visit were counted then. So a step that is renamed makes nobody count again.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::funnel::{
    KnownStep, answer_key, bucket, counted_text, is_elsewhere, joined, kind, path_of, path_text, sold_key,
};
use super::kept_event::KeptEvent;
use super::kept_order::MOST_AMOUNT;
use super::told_visit::ToldVisit;

/// By step, kind, and what of it: how often, and how much was paid.
pub type ToldCounts = BTreeMap<(String, &'static str, String), (i64, f64)>;
/// The same of many visits, as it is read again.
pub type ToldSums = BTreeMap<(String, String, String), (i64, f64)>;

/// Choices of an answer, with what came next: of two answers of one text that says which one it was.
const CHOSEN_TO: &str = "chosen_to";
/// What comes next in it: a step, whose name follows; the end; nothing that was told.
const STEP: &str = ">";
const END: &str = "=";
const UNTOLD: &str = "?";
/// Verified orders of products, with their currency, the products, and the steps that were seen in the 24 hours before.
const BOUGHT: &str = "bought";
/// Stands between products, and between steps.
const AMONG: &str = "\u{1e}";
/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;
/// Steps of a path that are kept: more than are told apart, as some of them may be gone when it is shown.
const MOST_ON_PATH: usize = 24;

/// What came next, as it is kept.
fn next_text(next: Option<&KeptEvent>) -> String {
    match next {
        None => UNTOLD.to_owned(),
        Some(KeptEvent { name, step: Some(step), .. }) if name == "step_shown" => format!("{STEP}{step}"),
        Some(_) => END.to_owned(),
    }
}

/// A text as it is counted; most are counted as they are.
fn text_of(event: &KeptEvent) -> Cow<'_, str> {
    match event.text.as_deref().unwrap_or_default() {
        text if text.len() <= 200 && !text.contains(char::is_control) => Cow::Borrowed(text.trim()),
        text => Cow::Owned(counted_text(text)),
    }
}

/// What a visit adds, as far as it was told.
#[must_use]
pub fn told(visit: &ToldVisit) -> ToldCounts {
    let events: Vec<&KeptEvent> = visit.told();
    let mut found: BTreeSet<(&str, &'static str, Cow<'_, str>)> = BTreeSet::new();
    let nothing = || Cow::Borrowed("");
    let (mut last, mut path, mut completed) = (None, Vec::new(), false);
    for (number, event) in events.iter().enumerate() {
        completed |= event.name == "completed";
        let Some(step) = event.step.as_deref() else { continue };
        let after = || events.iter().skip(number + 1).find(|next| is_elsewhere(&next.name)).copied();
        match event.name.as_str() {
            "step_shown" => {
                last = Some(step);
                if found.insert((step, kind::SEEN, nothing())) {
                    path.push(step);
                    if let Some(gone) = after() {
                        let stayed = bucket(gone.at.saturating_sub(event.at));
                        found.insert((step, kind::SECONDS, Cow::Owned(stayed.to_string())));
                    }
                }
            }
            "back" => drop(found.insert((step, kind::BACK, nothing()))),
            "answer_selected" => {
                let text = text_of(event);
                found.insert((step, CHOSEN_TO, Cow::Owned(joined([&*text, &next_text(after())]))));
                found.insert((step, kind::CHOSEN, text));
            }
            "product_shown" => drop(found.insert((step, kind::SHOWN, text_of(event)))),
            "product_clicked" => drop(found.insert((step, kind::CLICKED, text_of(event)))),
            _ => {}
        }
    }
    if !completed && let Some(last) = last {
        found.insert((last, kind::LEFT, nothing()));
    }
    let of_visit = |kind, what: String| ((String::new(), kind, what), (1, 0.0));
    let mut counts: ToldCounts =
        found.into_iter().map(|(step, kind, what)| ((step.to_owned(), kind, what.into_owned()), (1, 0.0))).collect();
    counts.extend([of_visit(kind::VISIT, String::new())]);
    counts.extend(completed.then(|| of_visit(kind::COMPLETED, String::new())));
    counts.extend((!path.is_empty()).then(|| of_visit(kind::PATH, path_text(&path, MOST_ON_PATH, false))));
    for order in visit.purchases() {
        let (kind, what) = ordered(order, &events);
        let amount = order.amount.as_deref().and_then(|amount| amount.parse::<f64>().ok()).unwrap_or_default();
        let sum = counts.entry((String::new(), kind, what)).or_default();
        sum.0 += 1;
        sum.1 += if (0.0..=MOST_AMOUNT).contains(&amount) { amount } else { 0.0 };
    }
    counts
}

/// As what an order counts. Whether a verified one of known products is a direct one the project's steps say.
fn ordered(order: &KeptEvent, events: &[&KeptEvent]) -> (&'static str, String) {
    let currency = order.currency.clone().unwrap_or_default();
    if order.verified != Some(true) {
        return (kind::UNVERIFIED, currency);
    }
    if order.products.is_empty() {
        return (kind::INDIRECT, currency);
    }
    let is_before = |event: &&&KeptEvent| event.at <= order.at && event.at >= order.at.saturating_sub(DAY);
    let seen = events.iter().filter(|event| event.name == "step_shown").filter(is_before);
    let seen: BTreeSet<&str> = seen.filter_map(|event| event.step.as_deref()).take(MOST_ON_PATH).collect();
    let lists = [order.products.join(AMONG), seen.into_iter().collect::<Vec<_>>().join(AMONG)];
    (BOUGHT, joined([currency.as_str()].into_iter().chain(lists.iter().map(String::as_str))))
}

/// Counts a verified order as a project with these steps has it: by itself, at the steps that show one of its products and
/// were seen in the 24 hours before, and by its products.
fn bought(what: &str, steps: &[KnownStep], mut add: impl FnMut(&str, &str, String)) {
    let (parts, _) = path_of(what);
    let [currency, products, seen] = parts.as_slice() else { return };
    let products: BTreeSet<&str> = products.split(AMONG).collect();
    let seen: BTreeSet<&str> = seen.split(AMONG).collect();
    let id = |product: &str| product.split(' ').next().unwrap_or_default().to_owned();
    // A shop may name a product with its variant or without.
    let same = |one: &str, other: &str| one == other || id(one) == other || one == id(other);
    let is_bought = |shown: &String| products.iter().any(|product| same(shown, product));
    let mut kind = kind::INDIRECT;
    for step in steps.iter().filter(|step| seen.contains(step.name.as_str()) && step.products.iter().any(is_bought)) {
        add(&step.name, kind::DIRECT, currency.clone());
        kind = kind::DIRECT;
    }
    add("", kind, currency.clone());
    for product in products.iter().map(|product| id(product)).collect::<BTreeSet<_>>() {
        add("", kind::SOLD, sold_key(&product, currency));
    }
}

/// The answers of a text: none, one, or several that are told apart by where they lead.
fn answers_of<'a>(step: &'a KnownStep, text: &'a str) -> impl Iterator<Item = usize> + 'a {
    (0..step.answers.len()).filter(move |at| step.answers.get(*at).is_some_and(|answer| answer == text))
}

/// As what a choice counts that came to a place; none where the step has no such answer, or nobody knows which it was.
fn chosen_to(step: &KnownStep, text: &str, next: &str) -> Option<String> {
    let to = if next == END { None } else { Some(next.strip_prefix(STEP)?) };
    let at = answers_of(step, text).find(|at| step.leads.get(*at).is_some_and(|leads| leads.as_deref() == to))?;
    Some(answer_key(&step.answers, at))
}

/// As what a number of a step counts that the project has.
fn at_step(step: &KnownStep, of: &str, what: &str) -> Option<(&'static str, String)> {
    let unknown = || Some((kind::UNKNOWN_ANSWER, String::new()));
    match of {
        kind::SEEN => Some((kind::SEEN, String::new())),
        kind::LEFT => Some((kind::LEFT, String::new())),
        kind::BACK => Some((kind::BACK, String::new())),
        kind::SECONDS => Some((kind::SECONDS, what.to_owned())),
        // Also of products that it shows no more: they were put out of it meanwhile.
        kind::SHOWN if !what.is_empty() => Some((kind::SHOWN, what.to_owned())),
        kind::CLICKED if !what.is_empty() => Some((kind::CLICKED, what.to_owned())),
        kind::CHOSEN => match answers_of(step, what).count() {
            0 => unknown(),
            1 => Some((kind::CHOSEN, what.to_owned())),
            _ => None,
        },
        CHOSEN_TO => {
            let (parts, _) = path_of(what);
            let [text, next] = parts.as_slice() else { return None };
            if answers_of(step, text).count() < 2 {
                return None;
            }
            chosen_to(step, text, next).map(|chosen| (kind::CHOSEN, chosen)).or_else(unknown)
        }
        _ => None,
    }
}

/// The sums as a project with these steps has them.
#[must_use]
pub fn of_project(sums: ToldSums, steps: &[KnownStep]) -> ToldSums {
    let known: HashMap<&str, &KnownStep> = steps.iter().map(|step| (step.name.as_str(), step)).collect();
    let mut counted = ToldSums::new();
    let mut add = |step: &str, kind: &str, what: String, (count, amount): (i64, f64)| {
        let sum = counted.entry((step.to_owned(), kind.to_owned(), what)).or_default();
        *sum = (sum.0 + count, sum.1 + amount);
    };
    for ((step, of, what), sum) in sums {
        if of == BOUGHT {
            bought(&what, steps, |step, kind, what| add(step, kind, what, sum));
        } else if step.is_empty() {
            if of != kind::PATH || what.is_empty() {
                add("", &of, what, sum);
                continue;
            }
            let (path, on) = path_of(&what);
            let path: Vec<&str> = path.iter().map(String::as_str).filter(|step| known.contains_key(step)).collect();
            if !path.is_empty() {
                add("", kind::PATH, path_text(&path, super::funnel::MOST_ON_PATH, on), sum);
            }
        } else if let Some(known) = known.get(step.as_str()) {
            if let Some((kind, what)) = at_step(known, &of, &what) {
                add(&step, kind, what, sum);
            }
        } else {
            // The step is gone, or was never there.
            match of.as_str() {
                kind::SEEN => add("", kind::UNKNOWN_STEP, String::new(), sum),
                kind::LEFT => add("", kind::LEFT, String::new(), sum),
                _ => {}
            }
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::funnel::counted;
    use crate::domain::{KeptEvent, KeptVisit};

    fn step(name: &str, answers: &[(&str, Option<&str>)]) -> KnownStep {
        KnownStep {
            name: name.to_owned(),
            answers: answers.iter().map(|(text, _)| (*text).to_owned()).collect(),
            leads: answers.iter().map(|(_, next)| next.map(str::to_owned)).collect(),
            products: ["Go", "Stay", "Else", "1001"].map(str::to_owned).to_vec(),
        }
    }

    /// A visit that does anything, anywhere, also at steps that are gone.
    fn visit(seed: u64) -> ToldVisit {
        const NAMES: [&str; 8] = [
            "step_shown",
            "step_shown",
            "answer_selected",
            "answer_selected",
            "back",
            "product_shown",
            "product_clicked",
            "completed",
        ];
        let mut dice = seed;
        let mut below = |end: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(dice >> 33).unwrap() % end
        };
        let events = (0..=below(14)).map(|at| KeptEvent {
            at: i64::try_from(at * 700).unwrap(),
            name: NAMES[below(if at > 5 { 8 } else { 7 })].to_owned(),
            step: Some(["a", "b", "c", "gone"][below(4)].to_owned()),
            text: Some(["Go", "Stay", "Else", "1001"][below(4)].to_owned()),
            ..KeptEvent::default()
        });
        let mut told = ToldVisit::default();
        told.take(KeptVisit { events: events.collect(), ..KeptVisit::default() });
        told
    }

    #[test]
    fn numbers_without_the_steps_come_to_what_counting_with_them_does() {
        let projects = [
            vec![step("a", &[("Go", Some("b")), ("Stay", None)]), step("b", &[("Else", None)]), step("c", &[])],
            vec![step("a", &[("Go", Some("b")), ("Stay", Some("c"))]), step("c", &[("Go", None), ("Stay", Some("a"))])],
            Vec::new(),
        ];
        for steps in &projects {
            for seed in 0..3000 {
                let visit = visit(seed);
                let expected: ToldSums = counted(steps, &visit.events(), true)
                    .into_iter()
                    .map(|((step, kind, what), count)| ((step, kind.to_owned(), what), (count, 0.0)))
                    .collect();
                let sums = told(&visit).into_iter().map(|((step, of, what), sum)| ((step, of.to_owned(), what), sum));
                assert_eq!(of_project(sums.collect(), steps), expected, "{seed}: {:?}", visit.events());
            }
        }
    }

    fn sums(visit: &ToldVisit, steps: &[KnownStep]) -> ToldSums {
        let sums = told(visit).into_iter().map(|((step, of, what), sum)| ((step, of.to_owned(), what), sum));
        of_project(sums.collect(), steps)
    }

    #[test]
    fn an_order_is_direct_where_a_step_of_the_day_before_shows_a_product_of_it() {
        let order = |at: i64, order: &str, products: &[&str], verified: bool| KeptEvent {
            at,
            name: "purchase".to_owned(),
            amount: Some("10".to_owned()),
            currency: Some("NOK".to_owned()),
            verified: Some(verified),
            order: Some(order.to_owned()),
            products: products.iter().map(|id| (*id).to_owned()).collect(),
            ..KeptEvent::default()
        };
        let shown = |at: i64, step: &str| KeptEvent {
            at,
            name: "step_shown".to_owned(),
            step: Some(step.to_owned()),
            ..KeptEvent::default()
        };
        let events = vec![
            shown(0, "a"),
            shown(DAY, "b"),
            order(DAY, "one", &["1001 red", "7"], true),
            order(DAY + 1, "two", &["1001"], true),
            order(DAY + 2, "three", &["9"], true),
            order(DAY + 2, "four", &["1001"], false),
        ];
        let mut visit = ToldVisit::default();
        visit.take(KeptVisit { events, ..KeptVisit::default() });
        let has = |products: &[&str]| products.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let steps = [
            KnownStep { products: has(&["1001"]), ..step("a", &[]) },
            KnownStep { products: has(&["8"]), ..step("b", &[]) },
        ];
        let found: Vec<_> = sums(&visit, &steps)
            .into_iter()
            .filter(|((_, of, _), _)| {
                [kind::DIRECT, kind::INDIRECT, kind::UNVERIFIED, kind::SOLD].contains(&of.as_str())
            })
            .map(|((step, of, what), sum)| format!("{step} {of} {} {sum:?}", what.replace('\u{1f}', " ")))
            .collect();
        let wanted = [
            " direct NOK (1, 10.0)",
            " indirect NOK (2, 20.0)",
            " sold 1001 NOK (2, 20.0)",
            " sold 7 NOK (1, 10.0)",
            " sold 9 NOK (1, 10.0)",
            " unverified NOK (1, 10.0)",
            "a direct NOK (1, 10.0)",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_a_step_showed_before_counts_there_still() {
        let clicked = KeptEvent {
            name: "product_clicked".to_owned(),
            step: Some("a".to_owned()),
            text: Some("swapped".to_owned()),
            ..KeptEvent::default()
        };
        let mut visit = ToldVisit::default();
        visit.take(KeptVisit { events: vec![clicked], ..KeptVisit::default() });
        let found = sums(&visit, &[step("a", &[])]);
        assert_eq!(found.get(&("a".to_owned(), kind::CLICKED.to_owned(), "swapped".to_owned())), Some(&(1, 0.0)));
    }

    #[test]
    fn two_answers_of_one_text_are_told_apart_by_where_they_lead() {
        let steps = [step("a", &[("Go", Some("b")), ("Go", None)]), step("b", &[])];
        let event = |at, name: &str, step: &str| KeptEvent {
            at,
            name: name.to_owned(),
            step: Some(step.to_owned()),
            text: Some("Go".to_owned()),
            ..KeptEvent::default()
        };
        let chosen = |events: &[KeptEvent]| {
            let mut visit = ToldVisit::default();
            visit.take(KeptVisit { events: events.to_vec(), ..KeptVisit::default() });
            let sums = told(&visit).into_iter().map(|((step, of, what), sum)| ((step, of.to_owned(), what), sum));
            let found = of_project(sums.collect(), &steps).into_keys();
            found.filter(|(_, of, _)| of == kind::CHOSEN || of == kind::UNKNOWN_ANSWER).collect::<Vec<_>>()
        };
        let key = |kind: &str, what: &str| ("a".to_owned(), kind.to_owned(), what.to_owned());
        let begun = [event(0, "step_shown", "a"), event(1, "answer_selected", "a")];
        let then = |next: KeptEvent| [begun.as_slice(), &[next]].concat();
        assert_eq!(chosen(&then(event(2, "step_shown", "b"))), [key(kind::CHOSEN, "Go")]);
        assert_eq!(chosen(&then(event(2, "completed", "a"))), [key(kind::CHOSEN, "Go\u{1f}2")]);
        assert_eq!(chosen(&begun), [key(kind::UNKNOWN_ANSWER, "")], "nobody knows which");
    }
}
