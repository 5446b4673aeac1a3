//! What viewers did, on the graph.

use std::sync::Arc;

use super::probe::Probe;
use super::steps::opened;
use crate::api::{AnswerFunnel, ProjectFunnel, StepFunnel};
use crate::domain::Num;
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
