//! What the studio keeps levels off, however long it is used: a hundred thousand keys on every screen, with a service that
//! answers.

use super::probe::{NOON, Probe};
use super::projects::{listed, record, sample as projects};
use super::steps::sample;
use crate::draft::Outcome;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::Moment;
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::Gathered;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::{Ask, Reply};
use crate::studio::{projects as on_projects, steps, videos, webhooks};

/// Keys of one walk, and how often what is kept is weighed.
const KEYS: usize = 100_000;
const WEIGHED_EVERY: usize = 2_500;

/// A small generator of its own (xorshift), so that a seed tells a walk.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }

    fn key(&mut self) -> Key {
        let letters: Vec<char> =
            "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789/.,:;+-=[]%&*@!?'".chars().collect();
        let named = [
            KeyCode::Enter,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Backspace,
        ];
        match self.below(3) {
            0 => Key::plain(named[self.below(named.len())]),
            // Much is done in Steps, which keeps the most.
            1 => Key::char("nawidcxuJKl2".chars().nth(self.below(12)).unwrap()),
            _ => Key::char(letters[self.below(letters.len())]),
        }
    }
}

/// Answers what was asked; what is kept on the disk is.
fn answer(probe: &mut Probe, kept: &mut u64) {
    for _ in 0..20 {
        let effects = std::mem::take(&mut probe.effects);
        if effects.is_empty() {
            return;
        }
        for effect in effects {
            let event = match effect {
                Effect::Products(OnProducts::Search { request, .. }) => {
                    let found: Vec<_> = (0..60).map(|at| super::probe::product(at, &format!("Sock {at}"))).collect();
                    let rows = found.iter().map(crate::studio::Row::of).collect();
                    let page = crate::studio::products::Page { rows, ..crate::studio::products::Page::default() };
                    Event::Products(OfProducts::PageArrived { request, page: Ok(page) })
                }
                Effect::Products(OnProducts::Count { request, .. }) => {
                    Event::Products(OfProducts::CountArrived { request, total: Ok(60) })
                }
                Effect::Products(OnProducts::FetchProduct { request, .. }) => {
                    Event::Products(OfProducts::ProductArrived { request, product: Ok(None) })
                }
                Effect::Products(OnProducts::FetchAnalysis { request, .. }) => {
                    Event::Products(OfProducts::AnalysisArrived { request, analysis: Ok(None) })
                }
                Effect::Products(OnProducts::FetchFacets { request, .. }) => {
                    Event::Products(OfProducts::FacetsArrived { request, facets: Ok(Vec::new()) })
                }
                Effect::Products(OnProducts::Gather { request, .. }) => {
                    Event::Products(OfProducts::Gathered { request, gathered: Gathered::All })
                }
                Effect::Wake { alarm, .. } => Event::Woke(alarm),
                Effect::CopyText(text) => Event::Copied(text.len()),
                Effect::Projects(on_projects::Effect::List { request }) => {
                    Event::Projects(on_projects::Event::Listed { request, list: Ok(listed(&projects())) })
                }
                Effect::Projects(on_projects::Effect::Read { request, .. }) => {
                    let record = Ok(Some(record("p1", "Gift finder")));
                    Event::Projects(on_projects::Event::Read { request, record })
                }
                Effect::Steps(steps::Effect::Read { request, .. }) => {
                    let project = Ok(Box::new(sample("Gift finder").into()));
                    Event::Steps(steps::Event::Read { request, project })
                }
                Effect::Steps(steps::Effect::Library { request }) => {
                    Event::Steps(steps::Event::Library { request, videos: Ok(std::sync::Arc::default()) })
                }
                Effect::Steps(steps::Effect::FindJournal { project, .. }) => {
                    *kept = 0;
                    Event::Steps(steps::Event::JournalFound { project, found: steps::Found::Nothing })
                }
                Effect::Steps(steps::Effect::Keep { project, records }) => {
                    *kept += u64::try_from(records.len()).unwrap();
                    Event::Steps(steps::Event::Kept { project, records: Ok(*kept) })
                }
                Effect::Steps(steps::Effect::Claim { project }) => {
                    Event::Steps(steps::Event::Claimed { project, held: true })
                }
                Effect::Steps(steps::Effect::Ask { request, ask }) => {
                    let reply = Box::new(match *ask {
                        Ask::Call(call, ..) => Reply::Call(call, Box::new(Outcome::Refused("no".to_owned()))),
                        Ask::ReadProject { .. } => Reply::Project(Ok(Box::new(sample("Gift finder").into()))),
                        Ask::ListProjects { .. } => Reply::Projects(Ok(Vec::new())),
                        Ask::FindOutKeys => Reply::Keys(false),
                    });
                    Event::Steps(steps::Event::Answered { request, reply })
                }
                Effect::Videos(videos::Effect::List(request)) => {
                    Event::Videos(videos::Event::Listed { request, videos: Ok(Vec::new()) })
                }
                Effect::Webhooks(webhooks::Effect::List(request)) => {
                    Event::Webhooks(webhooks::Event::Listed { request, webhooks: Ok(Vec::new()) })
                }
                _ => continue,
            };
            probe.event(event);
        }
    }
    probe.effects.clear();
}

/// How much is kept: the whole model, written out.
fn weight(probe: &Probe) -> usize {
    format!("{:?}", probe.model).len()
}

#[test]
fn what_is_kept_levels_off_under_a_hundred_thousand_keys() {
    let seed = std::env::var("CUTAWAY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed_u64);
    println!("seed {seed} (CUTAWAY_SEED)");
    let mut dice = Dice(seed.max(1));
    let mut probe = Probe::new(120, 40);
    let (mut kept, mut weights, mut shown, mut edits) = (0, Vec::new(), [0_usize; 7], 0);
    probe.found(&["Wool socks", "Cap"], None);
    probe.open_project(sample("Gift finder"));
    for nth in 1..=KEYS {
        let key = dice.key();
        // Whoever quits starts again; that keeps nothing.
        if key == Key::char('q') {
            continue;
        }
        probe.now = Moment(NOON.0 + i64::try_from(nth).unwrap() * 40);
        probe.event(Event::Pressed(key));
        answer(&mut probe, &mut kept);
        shown[probe.model.screens.shown as usize] += 1;
        edits = edits.max(probe.model.screens.steps.draft().map_or(0, crate::draft::Draft::at));
        if nth % WEIGHED_EVERY == 0 {
            // How long a draft is by then is chance: what is weighed is what is left of it once another project is open.
            let mut next = sample("Gift finder");
            next.id = format!("p{nth}").as_str().into();
            probe.open_project(next);
            kept = 0;
            weights.push(weight(&probe));
        }
    }
    println!("keys on each screen: {shown:?}; at most {edits} edits\n{}", probe.screen());
    println!("bytes written out, every {WEIGHED_EVERY} keys: {weights:?}");
    let (first, second) = weights.split_at(weights.len() / 2);
    // Where a list lies open or a draft is at its longest one weighing stands out: what stays is in the middle.
    let middle = |weights: &[usize]| {
        let mut sorted = weights.to_vec();
        sorted.sort_unstable();
        (sorted[sorted.len() / 2], sorted[sorted.len() - 1])
    };
    let ((first, first_most), (second, second_most)) = (middle(first), middle(second));
    assert!(second <= first * 5 / 4 && second_most <= first_most * 2, "it grows on: {weights:?}");
}

#[test]
fn what_is_followed_and_played_round_and_round_is_forgotten() {
    let mut probe = Probe::new(120, 40);
    let mut project = sample("Gift finder");
    let steps = project.steps.as_mut().unwrap();
    steps.truncate(1);
    let own = steps[0].name.clone().unwrap();
    steps[0].answers.as_mut().unwrap().iter_mut().for_each(|answer| answer.next = Some(own.as_str().to_owned()));
    probe.open_project(project);
    for _ in 0..1_100 {
        probe.keys("<right>");
    }
    let before = weight(&probe);
    for _ in 0..1_100 {
        probe.keys("<right>");
    }
    assert!(weight(&probe) < before + 1_000, "following answers is remembered without end");
    probe.keys("p");
    for _ in 0..1_100 {
        probe.keys("1");
    }
    let before = weight(&probe);
    for _ in 0..1_100 {
        probe.keys("1");
    }
    assert!(weight(&probe) < before + 1_000, "a walk is remembered without end");
}
