//! What viewers did in a visit, as numbers: what a visit adds follows from its events alone, wherever it is counted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

/// Characters that are kept of an answer's text.
const MOST_TEXT: usize = 500;

/// What is counted, as the table has it.
pub mod kind {
    /// Visits.
    pub const VISIT: &str = "visit";
    /// Those that came to the end.
    pub const COMPLETED: &str = "completed";
    /// Visits that saw a step.
    pub const SEEN: &str = "seen";
    /// Those that ended there.
    pub const LEFT: &str = "left";
    /// Those that went back from there.
    pub const BACK: &str = "back";
    /// Those that chose an answer.
    pub const CHOSEN: &str = "chosen";
    /// Choices of answers that the step did not have.
    pub const UNKNOWN_ANSWER: &str = "unknown_answer";
    /// Steps that the project did not have.
    pub const UNKNOWN_STEP: &str = "unknown_step";
    /// How long a visit stayed, by buckets.
    pub const SECONDS: &str = "seconds";
    /// Visits that were shown a product.
    pub const SHOWN: &str = "shown";
    /// Those that clicked it.
    pub const CLICKED: &str = "clicked";
    /// Verified orders of what a visit was shown.
    pub const DIRECT: &str = "direct";
    /// Other verified orders.
    pub const INDIRECT: &str = "indirect";
    /// Orders that nobody verified.
    pub const UNVERIFIED: &str = "unverified";
    /// Visits that took a path.
    pub const PATH: &str = "path";
    /// Verified orders with a product, in a currency.
    pub const SOLD: &str = "sold";
}

/// A step as viewers meet it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownStep {
    /// Its name.
    pub name: String,
    /// The texts of its answers, as they are counted.
    pub answers: Vec<String>,
    /// The names of the steps that they lead to; none ends the video.
    #[serde(default)]
    pub leads: Vec<Option<String>>,
    /// The products that it shows, as players report them.
    pub products: Vec<String>,
}

impl KnownStep {
    /// As what a chosen text counts; none where the step had no such answer. Where it has several of that text, what the
    /// visit came to next says which one it was.
    fn chosen(&self, text: &str, next: Option<&Event>) -> Option<String> {
        let mut same = (0..self.answers.len()).filter(|at| self.answers.get(*at).is_some_and(|answer| answer == text));
        let first = same.next()?;
        if same.next().is_none() {
            return Some(text.to_owned());
        }
        let to = match next? {
            next if next.name == "step_shown" => next.step.as_deref(),
            _ => None,
        };
        let leads = |at: &usize| self.leads.get(*at).is_some_and(|leads| leads.as_deref() == to);
        let at = (first..self.answers.len())
            .filter(|at| self.answers.get(*at).is_some_and(|one| one == text))
            .find(leads)?;
        Some(answer_key(&self.answers, at))
    }
}

/// As what the answer at a place counts: its text, and of the second and later ones of one text their number behind it.
#[must_use]
pub fn answer_key(answers: &[String], at: usize) -> String {
    let text = answers.get(at).map(String::as_str).unwrap_or_default();
    match answers.iter().take(at).filter(|before| *before == text).count() {
        0 => text.to_owned(),
        before => format!("{text}{BETWEEN}{}", before + 1),
    }
}

/// Stands between the parts of what is counted: no counted text has a control character in it.
const BETWEEN: &str = "\u{1f}";
/// Steps of a path that are told apart.
pub(super) const MOST_ON_PATH: usize = 8;
/// Behind a path that went on.
const ON: &str = "…";

/// A path as it is counted: at most so many steps, in the order in which they were first seen, and whether it `goes_on`
/// behind them.
pub(super) fn path_text(steps: &[&str], most: usize, goes_on: bool) -> String {
    let on = (goes_on || steps.len() > most).then_some(ON);
    joined(steps.iter().take(most).copied().chain(on))
}

/// Parts of what is counted as one text.
pub(super) fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().collect();
    parts.join(BETWEEN)
}

/// A product's id and a currency as orders of it are counted; of a very long id its beginning.
#[must_use]
pub fn sold_key(product: &str, currency: &str) -> String {
    joined([counted_text(product).as_str(), currency])
}

/// The product's id and the currency of what was counted.
#[must_use]
pub fn sold_of(counted: &str) -> Option<(&str, &str)> {
    counted.split_once(BETWEEN)
}

/// The names of the steps of a path, and whether it went on.
#[must_use]
pub fn path_of(counted: &str) -> (Vec<String>, bool) {
    let mut steps: Vec<String> = counted.split(BETWEEN).map(str::to_owned).collect();
    let on = steps.last().is_some_and(|last| last == ON);
    if on {
        steps.pop();
    }
    (steps, on)
}

/// A text as it is counted: what players cut off of it counts no more.
#[must_use]
pub fn counted_text(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect();
    text.trim().to_owned()
}

/// An event as it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub name: String,
    /// At which step.
    pub step: Option<String>,
    /// The text that was chosen, or the product.
    pub text: Option<String>,
    /// Milliseconds since 1970.
    pub at: i64,
}

/// How often what was counted: by step, kind, and what of it.
pub type Counts = BTreeMap<(String, &'static str, String), i64>;

/// The bucket of a length of time: there are four to each doubling of a quarter of a second.
#[must_use]
pub fn bucket(milliseconds: i64) -> u32 {
    let mut at = 0;
    while at < 60 && milliseconds > upper(at) {
        at += 1;
    }
    at
}

/// The longest time of a bucket, milliseconds.
#[must_use]
pub fn upper(bucket: u32) -> i64 {
    #[allow(clippy::cast_possible_truncation)] // At most 250 * 2^15.
    let upper = (250.0 * (f64::from(bucket.min(60)) / 4.0).exp2()).round() as i64;
    upper
}

/// What a visit adds, by its events in the order in which they happened.
#[must_use]
pub fn counted(steps: &[KnownStep], events: &[Event], ended: bool) -> Counts {
    let known: HashMap<&str, &KnownStep> = steps.iter().map(|step| (step.name.as_str(), step)).collect();
    let mut found: BTreeSet<(String, &'static str, String)> = BTreeSet::new();
    let mut unknown: BTreeSet<&str> = BTreeSet::new();
    let mut unknown_answers: BTreeSet<(&str, &str)> = BTreeSet::new();
    let (mut last, mut path) = (None, Vec::new());
    let mut completed = false;
    found.insert((String::new(), kind::VISIT, String::new()));
    for (number, event) in events.iter().enumerate() {
        completed |= event.name == "completed";
        let Some(name) = event.step.as_deref() else { continue };
        let Some(step) = known.get(name) else {
            if event.name == "step_shown" {
                unknown.insert(name);
                last = Some("");
            }
            continue;
        };
        let mut note = |kind, what: &str| found.insert((name.to_owned(), kind, what.to_owned()));
        let text = event.text.as_deref().unwrap_or_default();
        match event.name.as_str() {
            "step_shown" => {
                last = Some(name);
                let first = note(kind::SEEN, "");
                if first {
                    path.push(name);
                }
                let gone = events.iter().skip(number + 1).find(|next| is_elsewhere(&next.name));
                if let Some(gone) = gone.filter(|_| first) {
                    note(kind::SECONDS, &bucket(gone.at.saturating_sub(event.at)).to_string());
                }
            }
            "back" => drop(note(kind::BACK, "")),
            "answer_selected" => {
                let after = events.iter().skip(number + 1).find(|next| is_elsewhere(&next.name));
                match step.chosen(text, after) {
                    Some(chosen) => drop(note(kind::CHOSEN, &chosen)),
                    None => drop(unknown_answers.insert((name, text))),
                }
            }
            "product_shown" if step.products.iter().any(|id| id == text) => drop(note(kind::SHOWN, text)),
            "product_clicked" if step.products.iter().any(|id| id == text) => drop(note(kind::CLICKED, text)),
            _ => {}
        }
    }
    if completed {
        found.insert((String::new(), kind::COMPLETED, String::new()));
    } else if let Some(last) = last.filter(|_| ended) {
        found.insert((last.to_owned(), kind::LEFT, String::new()));
    }
    if (completed || ended) && !path.is_empty() {
        found.insert((String::new(), kind::PATH, path_text(&path, MOST_ON_PATH, false)));
    }
    let mut counts: Counts = found.into_iter().map(|key| (key, 1)).collect();
    count_unknown(&mut counts, &unknown_answers, unknown.len());
    counts
}

/// Adds what the project doesn't have: answers by their steps and texts, and how many steps.
fn count_unknown(counts: &mut Counts, answers: &BTreeSet<(&str, &str)>, steps: usize) {
    for (name, _) in answers {
        *counts.entry(((*name).to_owned(), kind::UNKNOWN_ANSWER, String::new())).or_default() += 1;
    }
    if let Some(more) = i64::try_from(steps).ok().filter(|more| *more > 0) {
        counts.insert((String::new(), kind::UNKNOWN_STEP, String::new()), more);
    }
}

/// Whether a viewer is at another place with this.
pub(super) fn is_elsewhere(event: &str) -> bool {
    ["step_shown", "completed", "dead_end"].contains(&event)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step() -> KnownStep {
        let text = |text: &str| text.to_owned();
        KnownStep {
            name: text("a"),
            answers: vec![text("Go"), text("Go"), text("Stay")],
            leads: vec![Some(text("b")), None, Some(text("c"))],
            products: Vec::new(),
        }
    }

    fn event(name: &str, step: &str, text: &str) -> Event {
        Event { name: name.to_owned(), step: Some(step.to_owned()), text: Some(text.to_owned()), at: 0 }
    }

    #[test]
    fn an_id_as_long_as_a_book_is_counted_by_its_beginning() {
        let id = "9".repeat(40_000);
        let key = sold_key(&id, "EUR");
        assert_eq!(sold_of(&key), Some(("9".repeat(MOST_TEXT).as_str(), "EUR")));
        assert_eq!(sold_of(&sold_key("7 8", "EUR")), Some(("7 8", "EUR")));
    }

    #[test]
    fn two_answers_of_one_text_are_told_apart_by_where_they_lead() {
        let other = |name: &str| KnownStep { name: name.to_owned(), answers: Vec::new(), leads: Vec::new(), ..step() };
        let steps = [step(), other("b"), other("c")];
        let chosen = |events: &[Event]| -> Vec<String> {
            let counts = counted(&steps, events, true);
            counts.into_keys().filter(|(_, kind, _)| *kind == kind::CHOSEN).map(|(.., what)| what).collect()
        };
        let begun = event("step_shown", "a", "");
        let go = event("answer_selected", "a", "Go");
        assert_eq!(chosen(&[begun.clone(), go.clone(), event("step_shown", "b", "")]), ["Go"]);
        assert_eq!(chosen(&[begun.clone(), go.clone(), event("completed", "a", "")]), ["Go\u{1f}2"]);
        assert!(chosen(&[begun.clone(), go.clone()]).is_empty(), "nobody knows which");
        assert_eq!(chosen(&[begun, event("answer_selected", "a", "Stay")]), ["Stay"]);
        assert_eq!(answer_key(&step().answers, 1), "Go\u{1f}2");
    }

    #[test]
    fn a_path_is_the_steps_as_they_were_first_seen() {
        let names: Vec<String> = (0..12).map(|at| format!("s{at}")).collect();
        let known = |name: &String| KnownStep { name: name.clone(), answers: Vec::new(), leads: Vec::new(), ..step() };
        let steps: Vec<KnownStep> = names.iter().map(known).collect();
        let path = |seen: &[usize], ended: bool| {
            let events: Vec<Event> = seen.iter().map(|at| event("step_shown", &names[*at], "")).collect();
            let counts = counted(&steps, &events, ended);
            counts.into_keys().find(|(_, kind, _)| *kind == kind::PATH).map(|(.., what)| path_of(&what))
        };
        let names = |places: &[usize]| places.iter().map(|at| format!("s{at}")).collect::<Vec<_>>();
        assert_eq!(path(&[2, 0, 2, 1], true), Some((names(&[2, 0, 1]), false)));
        assert_eq!(path(&[2, 0], false), None, "it goes on");
        assert_eq!(path(&[0, 1, 2, 3, 4, 5, 6, 7, 8], true), Some((names(&[0, 1, 2, 3, 4, 5, 6, 7]), true)));
    }
}
