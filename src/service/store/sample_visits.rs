//! A month of visits that nobody made, so that who is new sees a funnel at once. Only their numbers are kept, as one
//! version of the project that says so, and they are the same on each day that they are made for.

use std::collections::HashMap;

use super::db::Transaction;
use super::funnel::{DAY, made_up, made_up_order, remove_made_up};
use super::{Store, StoreError};
use crate::domain::funnel::{Counts, Event, KnownStep, counted};

/// So many days, today among them.
const DAYS: i64 = 30;
/// The longest visit, events.
const LONGEST: usize = 40;
/// Of a hundred who click a product so many buy it; and so many of a hundred others buy something else.
const BUYS: [u64; 2] = [18, 1];
const CURRENCY: &str = "NOK";

/// Random numbers that are the same everywhere (xorshift64*).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end.max(1)
    }

    fn of(text: &str) -> Self {
        Self(
            text.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }
}

/// What viewers of a step do, which is the step's own.
struct Habits {
    /// Of a hundred, how many leave.
    leave: u64,
    /// How often each of its answers is chosen beside the others.
    weights: Vec<u64>,
    /// About how long they stay, milliseconds.
    stays: u64,
}

impl Habits {
    fn of(step: &KnownStep) -> Self {
        let mut chance = Chance::of(&step.name);
        Self {
            leave: 3 + chance.below(14),
            weights: step.answers.iter().map(|_| 10 + chance.below(60)).collect(),
            stays: 3000 + chance.below(9000),
        }
    }
}

/// A viewer, from the first step on.
struct Viewer<'a> {
    steps: &'a HashMap<&'a str, (&'a KnownStep, Habits)>,
    chance: &'a mut Chance,
    events: Vec<Event>,
    now: i64,
    /// The step of a product that was bought.
    bought: Option<String>,
}

impl Viewer<'_> {
    fn does(&mut self, name: &str, step: &str, text: Option<&str>) {
        let [name, step] = [name, step].map(str::to_owned);
        self.events.push(Event { name, step: Some(step), text: text.map(str::to_owned), at: self.now });
    }

    fn walks(&mut self, first: &str) {
        let (mut at, mut before) = (first.to_owned(), None::<String>);
        while self.events.len() < LONGEST {
            let Some((step, habits)) = self.steps.get(at.as_str()) else { return };
            self.does("step_shown", &at, None);
            for product in &step.products {
                self.does("product_shown", &at, Some(product));
                if self.chance.below(100) < 14 {
                    self.does("product_clicked", &at, Some(product));
                    if self.chance.below(100) < BUYS[0] {
                        self.bought = Some(at.clone());
                    }
                }
            }
            if self.chance.below(100) < habits.leave {
                return;
            }
            self.now += i64::try_from(habits.stays / 2 + self.chance.below(habits.stays)).unwrap_or_default();
            if let Some(last) = before.take().filter(|_| self.chance.below(100) < 6) {
                self.does("back", &at, None);
                at = last;
                continue;
            }
            let mut wanted = self.chance.below(habits.weights.iter().sum());
            let chosen = habits.weights.iter().position(|weight| {
                let here = wanted < *weight;
                wanted = wanted.saturating_sub(*weight);
                here
            });
            let Some(chosen) = chosen else { return self.does("completed", &at, None) };
            self.does("answer_selected", &at, step.answers.get(chosen).map(String::as_str));
            match step.leads.get(chosen).cloned().flatten() {
                None => return self.does("completed", &at, None),
                Some(next) => before = Some(std::mem::replace(&mut at, next)),
            }
        }
    }
}

/// Makes up about so many visits a day of a project, up to this day, since 1970.
pub(super) fn make(
    transaction: &Transaction,
    project: &str,
    known: &[KnownStep],
    a_day: i64,
    today: i64,
) -> Result<(), StoreError> {
    let Some(first) = known.first() else { return Ok(()) };
    let by_name: HashMap<&str, (&KnownStep, Habits)> =
        known.iter().map(|step| (step.name.as_str(), (step, Habits::of(step)))).collect();
    let mut chance = Chance::of(&first.name);
    for day in today - DAYS + 1..=today {
        // More on Saturdays and Sundays, and more from week to week.
        let weekend = if (day + 3).rem_euclid(7) >= 5 { a_day / 2 } else { 0 };
        let visits = a_day * 3 / 4 + weekend + (day - today + DAYS) * a_day / 60;
        let spread = u64::try_from(a_day / 3).unwrap_or_default();
        let visits = visits + i64::try_from(chance.below(spread)).unwrap_or_default();
        let mut counts = Counts::new();
        for _ in 0..visits {
            let mut viewer =
                Viewer { steps: &by_name, chance: &mut chance, events: Vec::new(), now: day * DAY, bought: None };
            viewer.walks(&first.name);
            let Viewer { events, bought, .. } = viewer;
            for (key, count) in counted(known, &events, true) {
                *counts.entry(key).or_default() += count;
            }
            let elsewhere = bought.is_none() && chance.below(100) < BUYS[1];
            if bought.is_some() || elsewhere {
                let amount = f64::from(u32::try_from(199 + 50 * chance.below(60)).unwrap_or_default());
                made_up_order(transaction, project, day, bought.as_deref(), (CURRENCY, amount))?;
            }
        }
        made_up(transaction, project, day, &counts)?;
    }
    Ok(())
}

impl Store {
    /// Removes the made-up visits of the sample's projects; how many there were.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn remove_sample_visits(&self) -> Result<i64, StoreError> {
        self.write(remove_made_up).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::FunnelDays;
    use crate::service::store::funnel::SAMPLE;

    #[tokio::test]
    async fn a_month_is_made_up_the_same_each_time_and_goes_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let began = std::time::Instant::now();
        store.load_workspace(&owner, crate::service::sample::workspace().unwrap()).await.unwrap();
        println!("the sample's folders, projects and a month of visits: {:?}", began.elapsed());
        let projects = |connection: &mut crate::service::store::db::Connection| {
            let mut statement = connection.prepare("SELECT id, name FROM project ORDER BY number")?;
            let rows = statement.query_map([], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        let projects = store.writer.run(projects).await.unwrap();
        let mut all = 0;
        for (id, name) in &projects {
            let funnel = store.funnel(owner.workspace, id.clone(), FunnelDays::ALL).await.unwrap();
            let visits = funnel.visits.whole().unwrap();
            all += visits;
            assert_eq!(funnel.sample_visits, (visits > 0).then_some(funnel.visits), "{name}");
            if name != "Gift finder" {
                continue;
            }
            assert_eq!((funnel.days.len(), funnel.versions.len()), (30, 1));
            assert_eq!(funnel.versions[0].version, SAMPLE);
            assert!((900..1900).contains(&visits), "{visits}");
            let sum =
                |counts: &mut dyn Iterator<Item = crate::domain::Num>| counts.map(|n| n.whole().unwrap()).sum::<i64>();
            assert_eq!(sum(&mut funnel.paths.iter().map(|path| path.visits)), visits, "each took one path");
            assert_eq!(sum(&mut funnel.weeks.iter().map(|week| week.visits)), visits);
            assert_eq!((funnel.gone.seen.whole(), funnel.gone.unknown.whole()), (Some(0), Some(0)));
            let left = sum(&mut funnel.steps.iter().map(|step| step.left));
            assert_eq!(left + funnel.completed.whole().unwrap(), visits, "each left somewhere or came to the end");
            assert!(funnel.steps.iter().any(|step| !step.orders.is_empty()) && !funnel.direct.is_empty());
        }
        assert_eq!(store.remove_sample_visits().await.unwrap(), all);
        assert_eq!(store.remove_sample_visits().await.unwrap(), 0);
        let funnel = store.funnel(owner.workspace, projects[0].0.clone(), FunnelDays::ALL).await.unwrap();
        assert_eq!((funnel.visits.whole(), funnel.versions.len(), funnel.sample_visits), (Some(0), 0, None));
    }
}
