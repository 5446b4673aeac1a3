//! Saving on the Steps screen: the plan, its calls, what others changed meanwhile, and what comes next.

use super::probe::Probe;
use super::steps::{opened, sample};
use crate::domain::{Project, ProjectId};
use crate::studio::event::Failure;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps::{self, Found};

#[test]
fn a_plan_is_shown_made_call_by_call_and_stops_where_the_service_refuses() {
    use crate::draft::{Outcome, Reading};
    use crate::studio::{Ask, Reply};

    let mut probe = opened("Gift finder", 120, 40);
    let project = sample("Gift finder");
    probe.keys("<down>w<right><right><enter>nS").answer_steps(&project);
    insta::assert_snapshot!("plan", probe.screen());
    // Nothing is asked before what is about to be asked is on the disk.
    let asked = |probe: &mut Probe| -> Option<(crate::studio::ground::RequestId, Ask)> {
        let at = probe.effects.iter().position(|effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. })))?;
        match probe.effects.remove(at) {
            Effect::Steps(steps::Effect::Ask { request, ask }) => Some((request, *ask)),
            _ => None,
        }
    };
    // The service is read again before every call, and here nobody else has changed anything.
    let reads = |probe: &mut Probe| {
        kept(probe);
        let (request, ask) = asked(probe).expect("the project is read");
        assert!(matches!(ask, Ask::ReadProject { .. }), "{ask:?}");
        let project = probe.model.screens.steps.draft().unwrap().base().project();
        let reading = Reading { tag: Some("\"tag\"".to_owned()), ..project.into() };
        let reply = Box::new(Reply::Project(Ok(Box::new(reading))));
        probe.event(Event::Steps(steps::Event::Answered { request, reply }));
    };
    probe.keys("<enter>");
    assert_eq!(asked(&mut probe), None);
    reads(&mut probe);
    assert_eq!(asked(&mut probe), None);
    kept(&mut probe);
    let (request, ask) = asked(&mut probe).expect("the first call");
    let Ask::Call(call, _, options) = ask else { panic!("{ask:?}") };
    assert!(options.key.is_some() && options.tag.as_deref() == Some("\"tag\""), "{options:?}");
    let created = Outcome::CreatedStep("id-new".into(), "nEw01".into());
    let reply = Box::new(Reply::Call(call, Box::new(created)));
    probe.event(Event::Steps(steps::Event::Answered { request, reply }));
    reads(&mut probe);
    let (request, ask) = asked(&mut probe).expect("the second call");
    let Ask::Call(call, _, _) = ask else { panic!("{ask:?}") };
    let reply = Box::new(Reply::Call(call, Box::new(Outcome::Refused("the service said no (400)".into()))));
    probe.event(Event::Steps(steps::Event::Answered { request, reply }));
    insta::assert_snapshot!("plan stopped", probe.screen());
    assert!(!probe.model.screens.steps.draft().unwrap().is_saved(), "what was not made stays");
    probe.keys("R");
    assert!(!probe.shows("Enter continues from here"), "what retries elsewhere retries here: {}", probe.screen());
}

/// All records that were handed out are on the disk.
fn kept(probe: &mut Probe) {
    let count: usize = std::mem::take(&mut probe.kept);
    let new: usize = probe
        .effects
        .iter()
        .map(|effect| match effect {
            Effect::Steps(steps::Effect::Keep { records, .. }) => records.len(),
            _ => 0,
        })
        .sum();
    probe.effects.retain(|effect| !matches!(effect, Effect::Steps(steps::Effect::Keep { .. })));
    probe.kept = count + new;
    let records = Ok(u64::try_from(probe.kept).unwrap());
    probe.event(Event::Steps(steps::Event::Kept { project: ProjectId::new("p1"), records }));
}

#[test]
fn what_is_typed_is_kept_once_all_of_it_is_on_the_disk() {
    let mut probe = opened("Gift finder", 120, 40);
    let is_kept = |probe: &Probe| probe.model.screens.steps.is_kept();
    assert!(is_kept(&probe), "nothing was typed");
    probe.keys("<enter>");
    probe.keys("ab");
    assert!(!is_kept(&probe));
    // The first letter is on the disk; the second one is on its way now.
    kept(&mut probe);
    assert!(!is_kept(&probe));
    kept(&mut probe);
    assert!(is_kept(&probe));
}

/// The last question that the plan asks of the service, answered with this project.
fn reads(probe: &mut Probe, project: crate::domain::Project) {
    use crate::studio::{Ask, Reply};

    kept(probe);
    let at = probe.effects.iter().position(|effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. })));
    let Effect::Steps(steps::Effect::Ask { request, ask }) = probe.effects.remove(at.expect("a question")) else {
        unreachable!()
    };
    assert!(matches!(*ask, Ask::ReadProject { .. }), "{ask:?}");
    let reply = Box::new(Reply::Project(Ok(Box::new(project.into()))));
    probe.event(Event::Steps(steps::Event::Answered { request, reply }));
}

#[test]
fn a_creation_that_is_not_shown_is_sent_again_only_because_a_person_says_so() {
    use crate::draft::Outcome;
    use crate::studio::ground::saver::{Ask, Reply};

    let mut probe = opened("Gift finder", 120, 40);
    let project = sample("Gift finder");
    probe.keys("nS").answer_steps(&project).keys("<enter>");
    let mut sent = 0;
    // Answers whatever is asked of a service that never shows the step and is not known to heed keys.
    let mut answer = |probe: &mut Probe| loop {
        kept(probe);
        let is_ask = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. }));
        let Some(at) = probe.effects.iter().position(is_ask) else { return sent };
        let Effect::Steps(steps::Effect::Ask { request, ask }) = probe.effects.remove(at) else { unreachable!() };
        let reply = Box::new(match *ask {
            Ask::Call(call, ..) => {
                sent += 1;
                Reply::Call(call, Box::new(Outcome::Unknown("the line broke".to_owned())))
            }
            Ask::ReadProject { .. } => Reply::Project(Ok(Box::new(project.clone().into()))),
            Ask::ListProjects { .. } => unreachable!("the project is there"),
            Ask::FindOutKeys => Reply::Keys(false),
        });
        probe.event(Event::Steps(steps::Event::Answered { request, reply }));
    };
    assert_eq!(answer(&mut probe), 1);
    assert!(probe.shows("It was not sent again") && probe.shows("n create it again"), "{}", probe.screen());
    probe.keys("<enter>");
    assert_eq!(answer(&mut probe), 1, "it is only looked for");
    assert!(probe.shows("⏎ look again"), "{}", probe.screen());
    probe.keys("n").answer_steps(&project).keys("<enter>");
    assert_eq!(answer(&mut probe), 2);
}

#[test]
fn what_changes_elsewhere_while_the_plan_is_shown_is_not_written_over() {
    let mut probe = opened("Gift finder", 120, 40);
    let mut theirs = sample("Gift finder");
    probe.keys("<enter><tab>Mine<esc>S").answer_steps(&theirs);
    probe.answer_steps(&theirs).keys("<enter>").answer_steps(&theirs);
    // Another step first: it is kept, the plan is shown again, and nothing was asked of the service.
    theirs.steps.as_mut().unwrap()[1].overlay_text = Some("Changed by someone else".into());
    reads(&mut probe, theirs.clone());
    assert!(probe.shows("Changed by someone else, kept") && probe.shows("⏎ save all"), "{}", probe.screen());
    // Then the same text: that is for the person to decide.
    probe.answer_steps(&theirs).keys("<enter>").answer_steps(&theirs);
    theirs.steps.as_mut().unwrap()[0].overlay_text = Some("Theirs".into());
    reads(&mut probe, theirs);
    assert!(probe.shows("m mine") && probe.shows("Theirs"), "{}", probe.screen());
}

#[test]
fn what_conflicts_is_decided_on_and_the_rest_is_merged() {
    let mut probe = opened("Gift finder", 120, 40);
    let mut theirs = sample("Gift finder");
    probe.keys("<enter><tab>Mine<esc>S");
    let steps = theirs.steps.as_mut().unwrap();
    steps[0].overlay_text = Some("Theirs".into());
    steps[1].overlay_text = Some("Changed by someone else".into());
    probe.answer_steps(&theirs);
    insta::assert_snapshot!("conflict", probe.screen());
    probe.keys("t<enter>");
    insta::assert_snapshot!("decided", probe.screen());
    assert!(
        probe.model.screens.steps.draft().unwrap().is_saved(),
        "theirs was taken, and nothing else was changed here"
    );
}

/// Saves what was edited, at a service that does all of it.
pub fn saved(probe: &mut Probe, project: &Project) {
    probe.keys("S").answer_steps(project);
    made(probe);
}

/// Lets the plan that is shown be made.
fn made(probe: &mut Probe) {
    use crate::draft::Outcome;
    use crate::studio::{Ask, Reply};

    probe.keys("<enter>");
    loop {
        kept(probe);
        let is_ask = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. }));
        let Some(at) = probe.effects.iter().position(is_ask) else { break };
        let Effect::Steps(steps::Effect::Ask { request, ask }) = probe.effects.remove(at) else { unreachable!() };
        let reply = if let Ask::Call(call, ..) = *ask {
            Reply::Call(call, Box::new(Outcome::Done))
        } else {
            let project = probe.model.screens.steps.draft().unwrap().base().project();
            Reply::Project(Ok(Box::new(project.into())))
        };
        probe.event(Event::Steps(steps::Event::Answered { request, reply: Box::new(reply) }));
    }
    assert!(probe.model.screens.steps.draft().unwrap().is_saved(), "{}", probe.screen());
}

#[test]
fn what_could_not_be_read_before_a_save_is_known_after_it() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter>!<esc>S");
    let read = probe.effects.iter().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::Read { request, .. }) => Some(*request),
        _ => None,
    });
    let failure = Failure::new("couldn't reach shop.example");
    probe.event(Event::Steps(steps::Event::Read { request: read.unwrap(), project: Err(failure) }));
    assert!(probe.shows("couldn't reload"), "{}", probe.screen());
    made(&mut probe);
    assert!(probe.shows("All changes saved") && !probe.shows("couldn't reload"), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(!probe.shows("couldn't reload"), "{}", probe.screen());
}

#[test]
fn what_can_be_done_next_is_said_once_all_is_saved() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("<enter>!<esc>");
        saved(&mut probe, &sample("Gift finder"));
        assert!(probe.shows("Saved. o opens the player, Q shows its QR code."), "{}", probe.screen());
        assert!(!probe.shows("ssh -L"), "nobody came by SSH\n{}", probe.screen());
        probe.keys("Q");
        assert!(probe.shows("https://play.example/p1") && probe.shows("▀"), "{}", probe.screen());
        probe.keys("<esc>");
        assert!(!probe.shows("https://play.example/p1"), "{}", probe.screen());
        // The same key does it at any time.
        probe.keys("Q");
        assert!(probe.shows("https://play.example/p1"), "{}", probe.screen());
    }
}

#[test]
fn an_answer_that_makes_no_sense_takes_no_step_away() {
    use crate::domain::Step;
    use crate::draft::Reading;

    // What was not read as a step is none of those that there were.
    let garbled = |of: &Project| Project { steps: Some(vec![Step::default(); 2]), ..of.clone() };
    let project = sample("Gift finder");
    for saves in [true, false] {
        let mut probe = opened("Gift finder", 120, 40);
        probe.keys("<enter>!<esc>");
        let before = probe.model.screens.steps.draft().unwrap().clone();
        probe.keys(if saves { "S" } else { "r" });
        let read = probe.effects.iter().find_map(|effect| match effect {
            Effect::Steps(steps::Effect::Read { request, .. }) => Some(*request),
            _ => None,
        });
        let reading = Reading { flaw: Some("project.steps[0].id was a number".into()), ..garbled(&project).into() };
        probe.event(Event::Steps(steps::Event::Read { request: read.unwrap(), project: Ok(Box::new(reading)) }));
        assert!(probe.shows("no sense: project.steps"), "{}", probe.screen());
        let draft = probe.model.screens.steps.draft().unwrap();
        assert_eq!((draft.project(), draft.base().project()), (before.project(), before.base().project()));
    }
}

#[test]
fn a_save_is_awaited_also_while_the_disk_is_waited_for() {
    let project = sample("Gift finder");
    let mut probe = Probe::new(120, 40);
    probe.open_project(project.clone());
    assert!(!probe.model.is_awaiting());
    probe.keys("nS").answer_steps(&project);
    assert!(!probe.model.is_awaiting(), "the plan is shown");
    // No request is on its way yet: the record of the first call goes to the disk before.
    probe.keys("<enter>");
    assert!(probe.model.is_awaiting());
    let asks = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. }));
    assert!(!probe.effects.iter().any(asks));
}

#[test]
fn a_draft_whose_project_is_gone_is_said_whichever_comes_first() {
    for is_draft_first in [true, false] {
        let edited = {
            let mut probe = opened("Gift finder", 120, 40);
            probe.keys("n");
            probe.model.screens.steps.draft().unwrap().clone()
        };
        let mut probe = Probe::new(120, 40);
        probe.turn(|model, now, turn| model.screens.steps.open("p1".into(), String::new(), now, turn)).keys("12");
        let asked = |effect: &Effect| match effect {
            Effect::Steps(steps::Effect::Read { request, .. }) => Some(*request),
            _ => None,
        };
        let request = probe.effects.iter().find_map(asked).unwrap();
        let failure = Failure { missing: true, ..Failure::new("404 Not found") };
        let read = Event::Steps(steps::Event::Read { request, project: Err(failure) });
        let found = Found::Draft { draft: Box::new(edited), written: probe.now, records: 2 };
        let found = Event::Steps(steps::Event::JournalFound { project: "p1".into(), found });
        let (first, second) = if is_draft_first { (found, read) } else { (read, found) };
        probe.event(first).event(second);
        assert!(probe.shows("The service no longer has this project"), "{}", probe.screen());
    }
}
