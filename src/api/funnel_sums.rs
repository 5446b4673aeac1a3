//! What was counted as it is told: sums of what visits added, beside the steps of now. Who counts them is not asked.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    AnswerFunnel, FunnelDay, FunnelPath, FunnelVersion, FunnelWeek, GoneFunnel, ProductFunnel, ProductSold,
    ProjectFunnel, Revenue, StepFunnel,
};
use crate::domain::funnel::{answer_key, counted_text, kind, path_of, sold_of, upper};
use crate::domain::{Num, Share};

/// Sums by step, kind, and what of it: how often, and how much.
pub type FunnelSums = BTreeMap<(String, String, String), (i64, f64)>;

/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;
/// Paths that are shown.
const MOST_PATHS: usize = 20;
/// Products of one currency that are shown.
const MOST_SOLD: usize = 100;

/// Takes out the sums of one kind at a step.
fn take(sums: &mut FunnelSums, step: &str, wanted: &str) -> Vec<(String, i64, f64)> {
    let key = |what: String| (step.to_owned(), wanted.to_owned(), what);
    let found: Vec<_> = sums
        .range(key(String::new())..)
        .take_while(|((of, kind, _), _)| of == step && kind == wanted)
        .map(|((.., what), (count, amount))| (what.clone(), *count, *amount))
        .collect();
    for (what, ..) in &found {
        sums.remove(&key(what.clone()));
    }
    found
}

fn count(sums: &mut FunnelSums, step: &str, kind: &str) -> i64 {
    take(sums, step, kind).iter().map(|(_, count, _)| count).sum()
}

fn revenue(sums: &mut FunnelSums, step: &str, kind: &str) -> Vec<Revenue> {
    let sold = take(sums, step, kind).into_iter().map(|(currency, orders, amount)| Revenue {
        currency,
        orders: orders.into(),
        // Sums of cents are written as such.
        amount: Num((amount * 100.0).round() / 100.0),
        ..Revenue::default()
    });
    sold.collect()
}

/// The median of buckets, seconds: between the ends of the bucket that it falls into.
fn median(mut buckets: Vec<(u32, i64)>) -> Option<Num> {
    buckets.sort_unstable();
    let all: i64 = buckets.iter().map(|(_, count)| count).sum();
    let mut before = 0;
    for (bucket, count) in buckets {
        if (before + count) * 2 >= all && count > 0 {
            let least = if bucket == 0 { 0 } else { upper(bucket - 1) };
            let Num(middle) = Num::from(i64::midpoint(least, upper(bucket)));
            return Some(Num((middle / 100.0).round() / 10.0));
        }
        before += count;
    }
    None
}

fn share(part: i64, of: i64) -> Share {
    let whole = |count: i64| u64::try_from(count).unwrap_or_default();
    Share { part: whole(part), of: whole(of) }
}

/// A share as it is written: four digits say all that is known of it.
fn digits(share: f64) -> Num {
    Num((share * 10_000.0).round() / 10_000.0)
}

/// A step as the project has it now.
#[derive(Debug, Clone)]
pub struct FunnelStep {
    /// Its name.
    pub name: String,
    /// What it is called.
    pub title: Option<String>,
    /// The texts of its answers, and where they lead.
    pub answers: Vec<(String, Option<String>)>,
    /// The products that it shows, as players report them.
    pub products: Vec<String>,
}

fn step(sums: &mut FunnelSums, now: FunnelStep) -> StepFunnel {
    let name = now.name;
    let seen = count(sums, &name, kind::SEEN);
    let mut chosen: BTreeMap<String, i64> =
        take(sums, &name, kind::CHOSEN).into_iter().map(|(text, count, _)| (text, count)).collect();
    let texts: Vec<String> = now.answers.iter().map(|(text, _)| counted_text(text)).collect();
    let answers = now.answers.into_iter().enumerate().map(|(at, (text, next))| {
        let chosen = chosen.remove(&answer_key(&texts, at)).unwrap_or_default();
        let share = share(chosen, seen);
        let interval = share.interval();
        AnswerFunnel {
            text,
            next: next.filter(|next| !next.is_empty()),
            chosen: chosen.into(),
            share: share.ratio().map(digits),
            low: interval.map(|(low, _)| digits(low)),
            high: interval.map(|(_, high)| digits(high)),
            ..AnswerFunnel::default()
        }
    });
    let answers = answers.collect();
    let mut clicked: BTreeMap<String, i64> =
        take(sums, &name, kind::CLICKED).into_iter().map(|(id, count, _)| (id, count)).collect();
    let mut shown: BTreeMap<String, i64> =
        take(sums, &name, kind::SHOWN).into_iter().map(|(id, count, _)| (id, count)).collect();
    // Those of now first, then those that the step had.
    let had: BTreeSet<String> = shown.keys().chain(clicked.keys()).cloned().collect();
    let had = had.into_iter().filter(|id| !now.products.contains(id)).collect::<Vec<_>>();
    let products = now.products.iter().cloned().chain(had).map(|id| ProductFunnel {
        shown: shown.remove(&id).unwrap_or_default().into(),
        clicked: clicked.remove(&id).unwrap_or_default().into(),
        id,
        ..ProductFunnel::default()
    });
    let products = products.collect();
    let buckets = take(sums, &name, kind::SECONDS).into_iter();
    let buckets = buckets.filter_map(|(bucket, count, _)| Some((bucket.parse().ok()?, count)));
    StepFunnel {
        title: now.title,
        seen: seen.into(),
        left: count(sums, &name, kind::LEFT).into(),
        back: count(sums, &name, kind::BACK).into(),
        median_seconds: median(buckets.collect()),
        answers,
        gone_answers: (chosen.values().sum::<i64>() + count(sums, &name, kind::UNKNOWN_ANSWER)).into(),
        products,
        orders: revenue(sums, &name, kind::DIRECT),
        name,
        ..StepFunnel::default()
    }
}

/// A day since 1970 as a date.
fn day_text(day: i64) -> String {
    let moment = Timestamp::from_millisecond(day.saturating_mul(DAY)).unwrap_or_default();
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}

/// Beside the sums: which days they are of, and what each day and version had.
#[derive(Debug, Clone, Default)]
pub struct FunnelFrame {
    /// The first day that was asked for, since 1970.
    pub since: Option<i64>,
    /// The last one.
    pub until: Option<i64>,
    /// Days since 1970 with their visits and those that came to the end.
    pub days: Vec<(i64, i64, i64)>,
    /// The versions, the oldest first.
    pub versions: Vec<FunnelVersion>,
    /// Visits that were made up.
    pub sample: i64,
}

/// What was counted, beside the steps of now.
#[must_use]
pub fn funnel_of(mut sums: FunnelSums, now: Vec<FunnelStep>, frame: FunnelFrame) -> ProjectFunnel {
    let steps = now.into_iter().map(|now| step(&mut sums, now)).collect();
    let visits = count(&mut sums, "", kind::VISIT).into();
    let completed = count(&mut sums, "", kind::COMPLETED).into();
    let paths = paths(take(&mut sums, "", kind::PATH));
    let [direct, indirect, unverified] =
        [kind::DIRECT, kind::INDIRECT, kind::UNVERIFIED].map(|kind| revenue(&mut sums, "", kind));
    let sold = sold(take(&mut sums, "", kind::SOLD));
    // What is left belongs to no step of now.
    let gone = |wanted: &str| sums.iter().filter(|((_, kind, _), _)| kind == wanted).map(|(_, (count, _))| count).sum();
    let (seen, left, unknown): (i64, i64, i64) = (gone(kind::SEEN), gone(kind::LEFT), gone(kind::UNKNOWN_STEP));
    let gone = GoneFunnel { seen: seen.into(), left: left.into(), unknown: unknown.into(), ..GoneFunnel::default() };
    let weeks = weeks(&frame.days);
    let days = frame.days.into_iter().map(|(day, visits, completed)| FunnelDay {
        day: day_text(day),
        visits: visits.into(),
        completed: completed.into(),
        ..FunnelDay::default()
    });
    ProjectFunnel {
        since: frame.since.map(day_text),
        until: frame.until.map(day_text),
        visits,
        completed,
        sample_visits: (frame.sample > 0).then(|| frame.sample.into()),
        steps,
        gone,
        direct,
        indirect,
        unverified,
        sold: (!sold.is_empty()).then_some(sold),
        paths,
        days: days.collect(),
        weeks,
        versions: frame.versions,
        ..ProjectFunnel::default()
    }
}

/// What the visits of one version did, beside the steps that it had.
#[must_use]
pub fn version_of(version: FunnelVersion, sums: FunnelSums, had: Vec<FunnelStep>) -> FunnelVersion {
    let funnel = funnel_of(sums, had, FunnelFrame::default());
    let some = |sold: Vec<Revenue>| (!sold.is_empty()).then_some(sold);
    let is_gone = [&funnel.gone.seen, &funnel.gone.left, &funnel.gone.unknown].iter().any(|count| count.0 > 0.0);
    FunnelVersion {
        steps: Some(funnel.steps.into_iter().filter(|step| step.seen.0 > 0.0).collect()),
        gone: is_gone.then_some(funnel.gone),
        direct: some(funnel.direct),
        indirect: some(funnel.indirect),
        unverified: some(funnel.unverified),
        paths: (!funnel.paths.is_empty()).then_some(funnel.paths),
        ..version
    }
}

/// The paths that most took, and how many took another one.
fn paths(mut taken: Vec<(String, i64, f64)>) -> Vec<FunnelPath> {
    taken.retain(|(_, visits, _)| *visits > 0);
    taken.sort_by(|(one, of_one, _), (other, of_other, _)| {
        one.is_empty().cmp(&other.is_empty()).then(of_other.cmp(of_one)).then_with(|| one.cmp(other))
    });
    let others: i64 = taken
        .iter()
        .enumerate()
        .filter(|(at, (path, ..))| *at >= MOST_PATHS || path.is_empty())
        .map(|(_, (_, visits, _))| visits)
        .sum();
    let shown = taken.iter().take(MOST_PATHS).filter(|(path, ..)| !path.is_empty()).map(|(path, visits, _)| {
        let (steps, on) = path_of(path);
        FunnelPath { steps, goes_on: on.then_some(true), visits: (*visits).into(), ..FunnelPath::default() }
    });
    let others = (others > 0).then(|| FunnelPath { visits: others.into(), ..FunnelPath::default() });
    shown.chain(others).collect()
}

/// The products whose orders came to most, by currency.
fn sold(counted: Vec<(String, i64, f64)>) -> Vec<ProductSold> {
    let mut by_currency: BTreeMap<String, Vec<ProductSold>> = BTreeMap::new();
    for (what, orders, amount) in counted.iter().filter(|(_, orders, _)| *orders > 0) {
        let Some((id, currency)) = sold_of(what) else { continue };
        by_currency.entry(currency.to_owned()).or_default().push(ProductSold {
            id: id.to_owned(),
            currency: currency.to_owned(),
            orders: (*orders).into(),
            amount: Num((amount * 100.0).round() / 100.0),
            ..ProductSold::default()
        });
    }
    let most = |mut sold: Vec<ProductSold>| {
        sold.sort_by(|one, other| other.amount.0.total_cmp(&one.amount.0).then_with(|| one.id.cmp(&other.id)));
        sold.truncate(MOST_SOLD);
        sold
    };
    by_currency.into_values().flat_map(most).collect()
}

/// The weeks of days, each by its Monday (ISO 8601).
fn weeks(days: &[(i64, i64, i64)]) -> Vec<FunnelWeek> {
    let mut weeks: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (day, visits, completed) in days {
        // 1970-01-01 was a Thursday.
        let week = weeks.entry(day.saturating_sub((day + 3).rem_euclid(7))).or_default();
        week.0 += visits;
        week.1 += completed;
    }
    let week = |(day, (visits, completed)): (i64, (i64, i64))| FunnelWeek {
        week: day_text(day),
        visits: visits.into(),
        completed: completed.into(),
        ..FunnelWeek::default()
    };
    weeks.into_iter().map(week).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        // 2024-10-14 was a Monday.
        let weeks = weeks(&[(20_009, 1, 0), (20_010, 2, 1), (20_016, 4, 1), (20_017, 8, 2)]);
        let told: Vec<_> =
            weeks.iter().map(|week| (week.week.as_str(), week.visits.whole(), week.completed.whole())).collect();
        assert_eq!(
            told,
            [("2024-10-07", Some(1), Some(0)), ("2024-10-14", Some(6), Some(2)), ("2024-10-21", Some(8), Some(2))]
        );
    }

    #[test]
    fn the_paths_that_most_took_come_first_and_the_rest_together() {
        let path = |text: &str, visits: i64| (text.to_owned(), visits, 0.0);
        let mut taken: Vec<_> = (0..30).map(|at| path(&format!("a\u{1f}{at}"), at)).collect();
        taken.push(path("", 1000));
        let told = paths(taken);
        assert_eq!(told.len(), MOST_PATHS + 1);
        assert_eq!((told[0].steps.join(" "), told[0].visits), ("a 29".to_owned(), Num(29.0)));
        let rest: i64 = 1000 + (1..10).sum::<i64>();
        assert_eq!((told[20].steps.len(), told[20].visits.whole()), (0, Some(rest)));
    }
}
