//! What viewers did, on the graph.

use std::sync::Arc;

use serde_json::json;

use super::probe::Probe;
use super::steps_products::quiz;
use crate::api::{
    AnswerFunnel, FunnelDay, FunnelPath, FunnelVersion, FunnelWeek, GoneFunnel, ProductFunnel, ProjectFunnel, Revenue,
    StepFunnel,
};
use crate::domain::{Num, Project};
use crate::studio::ground::{Failure, RequestId};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps;

/// The question for the numbers; nothing where they were not asked for.
fn asked(probe: &mut Probe) -> Option<RequestId> {
    let asked = |effect: &Effect| match effect {
        Effect::Steps(steps::Effect::Funnel { request, project }) if project.as_str() == "p1" => Some(*request),
        _ => None,
    };
    let at = probe.effects.iter().position(|effect| asked(effect).is_some())?;
    asked(&probe.effects.remove(at))
}

/// A project that is open, after the studio asked for its numbers by itself.
fn opened(name: &str, width: u16, height: u16) -> Probe {
    let mut probe = super::steps::opened(name, width, height);
    assert!(asked(&mut probe).is_some(), "the numbers are asked for");
    probe
}

/// Numbers of the sample's quiz: of a thousand at its first step two thirds choose the second answer and a tenth leave;
/// at the others there were ten.
fn numbers(probe: &Probe) -> ProjectFunnel {
    let steps = probe.model.screens.steps.draft().unwrap().steps();
    let steps = steps.iter().enumerate().map(|(at, step)| {
        let (seen, left) = if at == 0 { (1000_u32, 100_u32) } else { (10, 6) };
        let answers = step.answers.iter().flatten().enumerate().map(|(port, answer)| AnswerFunnel {
            text: answer.text.clone(),
            chosen: Num::from(match (at, port) {
                (0, 1) => 667_u32,
                (0, 0) => 233,
                _ => 1,
            }),
            ..AnswerFunnel::default()
        });
        StepFunnel {
            name: step.name.as_ref().unwrap().as_str().to_owned(),
            seen: seen.into(),
            left: left.into(),
            answers: answers.collect(),
            ..StepFunnel::default()
        }
    });
    ProjectFunnel {
        visits: 1000_u32.into(),
        completed: 400_u32.into(),
        steps: steps.collect(),
        ..ProjectFunnel::default()
    }
}

#[test]
fn shares_stand_on_the_graph_until_they_are_hidden() {
    let mut probe = opened("Gift finder", 120, 40);
    let plain = probe.screen();
    assert_eq!(asked(&mut probe), None);
    probe.keys(";");
    let request = asked(&mut probe).expect("the numbers are asked for");
    assert_eq!(asked(&mut probe), None, "once");
    let funnel = Ok(Arc::new(numbers(&probe)));
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel }));
    let screen = probe.screen();
    insta::assert_snapshot!("funnel", screen);
    for part in ["10% of 1000 left", "67%", "23%", "31–83% of 10 left"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    probe.keys("<right><left>");
    assert_eq!(asked(&mut probe), None, "moving asks for nothing");
    probe.keys(";");
    assert!(!plain.contains("% of") && !probe.screen().contains("% of"), "{}", probe.screen());
}

#[test]
fn a_service_that_does_not_count_is_said_and_nothing_is_shown() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys(";");
    let request = asked(&mut probe).unwrap();
    let funnel = Err(Failure::new("this service doesn't count what viewers do."));
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel }));
    let screen = probe.screen();
    assert!(screen.contains("Couldn't load the funnel: this service doesn't count what viewers do."), "{screen}");
    assert!(!screen.contains("% of"), "{screen}");
    // The next try asks again.
    probe.keys(";");
    assert!(asked(&mut probe).is_some());
}

/// The same numbers with days, weeks, paths, versions and orders.
fn all_numbers(probe: &Probe) -> ProjectFunnel {
    let day = |at: u32| FunnelDay {
        day: format!("2026-01-{:02}", at + 1),
        visits: Num::from(20 + (at * 7) % 31),
        ..FunnelDay::default()
    };
    let week = |at: u32| FunnelWeek {
        week: format!("2026-01-{:02}", 5 + 7 * at),
        visits: Num::from(200 + 40 * at),
        ..FunnelWeek::default()
    };
    let path = |steps: &[&str], visits: u32, goes_on: bool| FunnelPath {
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        goes_on: goes_on.then_some(true),
        visits: visits.into(),
        ..FunnelPath::default()
    };
    let sold = |orders: u32, amount: u32| {
        vec![Revenue { currency: "NOK".to_owned(), orders: orders.into(), amount: amount.into(), ..Revenue::default() }]
    };
    let mut numbers = numbers(probe);
    if let Some(step) = numbers.steps.iter_mut().find(|step| step.name == "B1gGf") {
        let count = |id: &str, shown: u32, clicked: u32| ProductFunnel {
            id: id.to_owned(),
            shown: shown.into(),
            clicked: clicked.into(),
            ..ProductFunnel::default()
        };
        step.products = vec![count("8123463670922", 310, 45), count("8123457444432 7", 290, 12)];
        step.orders = sold(7, 3500);
    }
    let version = |name: &str, sample: bool| FunnelVersion {
        version: name.to_owned(),
        first_visit_at: "2026-01-01T10:00:00Z".to_owned(),
        visits: 500_u32.into(),
        completed: 200_u32.into(),
        sample: sample.then_some(true),
        ..FunnelVersion::default()
    };
    ProjectFunnel {
        sample_visits: Some(500_u32.into()),
        gone: GoneFunnel { seen: 300_u32.into(), unknown: 12_u32.into(), ..GoneFunnel::default() },
        direct: sold(12, 5988),
        indirect: sold(3, 700),
        days: (0..28).map(day).collect(),
        weeks: (0..4).map(week).collect(),
        paths: vec![
            path(&["pHB58", "7TzzA", "bT5wX", "Sm4ll"], 400, false),
            path(&["pHB58"], 100, true),
            path(&[], 500, false),
        ],
        versions: vec![version("sample", true), version("0123456789ab", false)],
        ..numbers
    }
}

#[test]
fn the_funnel_in_numbers() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("|");
        let request = asked(&mut probe).expect("the numbers are asked for");
        let funnel = Ok(Arc::new(all_numbers(&probe)));
        probe.event(Event::Steps(steps::Event::Funnel { request, funnel }));
        let screen = probe.screen();
        if width == 80 {
            insta::assert_snapshot!("funnel in numbers 80x24", screen);
        }
        for part in ["1,000 visits", "40% came to the end", "500 of them are sample data", "2026-01-01 to 2026-01-28"] {
            assert!(screen.contains(part), "{part}\n{screen}");
        }
        probe.keys("w");
        assert!(probe.screen().contains("at most 320 a week"), "{}", probe.screen());
        probe.keys("<end>");
        let end = probe.screen();
        assert!(end.contains("sample data") && end.contains("0123456789ab"), "{end}");
        let read = crate::studio::shell::reading(&probe.model).join("\n");
        for part in ["Products: shown, clicked", "B1gGf, 8123463670922", "310", "45", "7 for 3500 NOK"] {
            assert!(read.contains(part), "{part}\n{read}");
        }
        probe.keys("<home>");
        if height > 30 {
            for part in ["312 at steps that are gone", "12 for 5988 NOK", "other paths", "31–83%"] {
                assert!(screen.contains(part), "{part}\n{screen}");
            }
        }
        probe.keys("<esc>");
        assert!(!probe.screen().contains("Paths that viewers took most"), "{}", probe.screen());
    }
}

#[test]
fn the_panel_shows_the_numbers_of_one_version() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("|v");
    let request = asked(&mut probe).expect("the numbers are asked for");
    let mut funnel = all_numbers(&probe);
    let step = |name: &str, seen: u32| StepFunnel { name: name.to_owned(), seen: seen.into(), ..StepFunnel::default() };
    funnel.versions[1].steps = Some(vec![step("B1gGf", 77), step("0ldSt", 33)]);
    funnel.versions[0].steps = Some(vec![step("B1gGf", 233)]);
    funnel.versions[1].gone = Some(GoneFunnel { seen: 5_u32.into(), ..GoneFunnel::default() });
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel: Ok(Arc::new(funnel)) }));
    assert!(probe.shows("1,000 visits"), "{}", probe.screen());
    // The newest first, then those before it, then all again.
    probe.keys("v");
    let screen = probe.screen();
    for part in ["version 0123456789ab, 1 of 2", "500 visits", "0ldSt", "33", "5 at steps that are gone"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    assert!(!screen.contains("1,000 visits") && !screen.contains("at most"), "{screen}");
    let read = crate::studio::shell::reading(&probe.model).join("\n");
    assert!(read.contains("Version: version 0123456789ab, 1 of 2"), "{read}");
    probe.keys("v");
    assert!(probe.shows("version sample data, 2 of 2") && probe.shows("233"), "{}", probe.screen());
    probe.keys("v");
    assert!(probe.shows("1,000 visits") && probe.shows("by day"), "{}", probe.screen());
}

#[test]
fn a_funnel_that_cannot_be_loaded_is_said_in_the_panel() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("|");
    let request = asked(&mut probe).unwrap();
    let funnel = Err(Failure::new("this service doesn't count what viewers do."));
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel }));
    assert!(probe.shows("Couldn't load the funnel: this service doesn't count what viewers do."));
}

/// Problems are told by viewers from the start: the numbers are read once a project was opened and its products looked up,
/// and where they can't be had nothing is said, nor asked of a service again that doesn't count.
#[test]
fn the_numbers_are_read_once_a_project_was_opened() {
    let shown = || quiz(&json!([{"store": "https://nordlys.example", "productId": "1"}]));
    let mut probe = Probe::new(120, 40);
    probe.open_project(shown());
    assert_eq!(asked(&mut probe), None, "its products come first");
    probe.looks_up(|_| Ok(None));
    let request = asked(&mut probe).expect("the numbers are asked for");
    assert!(probe.shows("(100% of paths)"), "{}", probe.screen());
    let funnel = Ok(Arc::new(numbers(&probe)));
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel }));
    assert!(probe.shows("(100% of viewers)"), "{}", probe.screen());
    assert!(!probe.shows("of 1000 left"), "they are not shown on the graph yet\n{}", probe.screen());
    probe.keys("nu<right><left>r");
    assert_eq!(asked(&mut probe), None, "once");

    let mut probe = Probe::new(120, 40);
    probe.open_project(shown()).looks_up(|_| Ok(None));
    let request = asked(&mut probe).expect("the numbers are asked for");
    let failure = Failure { missing: true, ..Failure::new("this service doesn't count what viewers do.") };
    probe.event(Event::Steps(steps::Event::Funnel { request, funnel: Err(failure) }));
    assert!(!probe.shows("Couldn't load the funnel"), "{}", probe.screen());
    let other = Project { id: "p2".into(), ..shown() };
    probe.open_project(other).looks_up(|_| Ok(None));
    let asks = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Funnel { .. }));
    assert!(!probe.effects.iter().any(asks), "the service doesn't count");
}
