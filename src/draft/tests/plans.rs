use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::generate::{answer, by_name, play, project, projects, quiz, quiz_draft, throws};
use super::service::{Luck, Service, apply};
use crate::domain::{Answer, Project, Step};
use crate::draft::{Applying, Call, Difference, Draft, Edit, Fate, Incoming, Named, Next, Outcome, Target, journal};
use crate::graph::{Graph, Leads};

fn titles(draft: &Draft) -> Vec<String> {
    draft.plan().calls.into_iter().map(|planned| planned.title).collect()
}

/// What a step says, but for its name.
type Said = (String, String, String, Option<f64>, Vec<(String, Leads)>);

/// What a project says, whatever its steps are called and however they are spelled.
fn meaning(steps: &[Step], order: &[String]) -> Vec<Said> {
    let graph = Graph::new(steps, order);
    let said = |node: &crate::graph::Node| {
        let ports = node.ports.iter().map(|port| (port.text.clone(), port.leads)).collect();
        let video = node.video.as_ref().map(ToString::to_string).unwrap_or_default();
        (
            node.description.clone(),
            node.overlay.clone(),
            video,
            node.answer_time.filter(|seconds| *seconds > 0.0),
            ports,
        )
    };
    graph.nodes().iter().map(|node| said(node)).collect()
}

fn saved(draft: &Draft, service: &Project) {
    let (mine, theirs) = (draft.project(), service);
    let (ours, steps) = (draft.steps(), theirs.steps.clone().unwrap_or_default());
    // Created steps stand where the service put them.
    let name = |step: &Step| (step.id.clone(), step.name.clone());
    let placed: Vec<Step> =
        ours.iter().map(|one| steps.iter().find(|other| name(other) == name(one)).cloned().unwrap()).collect();
    assert_eq!(ours.len(), steps.len());
    let theirs_order = theirs.steps_order.clone().unwrap_or_default();
    assert_eq!(meaning(&ours, &draft.steps_order()), meaning(&placed, &theirs_order));
    assert_eq!(draft.steps_order(), theirs_order);
    assert_eq!(mine.name.unwrap_or_default(), theirs.name.clone().unwrap_or_default());
    assert_eq!(mine.email_notifications.unwrap_or_default(), theirs.email_notifications.clone().unwrap_or_default());
    let folder = |project: &Project| project.folder.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(folder(&draft.project()), folder(theirs));
}

#[test]
fn a_project_without_steps_begins_where_its_draft_does() {
    let mut draft = Draft::new("w", project(&json!({"id": "p", "name": "Socks", "stepsOrder": [], "steps": []})));
    let first = draft.apply(&Edit::AddStep { from: None }).unwrap().step.unwrap();
    draft.apply(&Edit::AddAnswer { step: first, at: None, text: "On".to_owned(), target: Target::End }).unwrap();
    let on = draft.answer_at(first, 0).unwrap();
    draft.apply(&Edit::AddStep { from: Some(on) }).unwrap();
    // Without an order of its own the service takes the oldest step for the first.
    assert_eq!(titles(&draft)[..2], ["create step new-1", "create step new-2"]);
}

#[test]
fn only_what_changed_is_sent() {
    let mut draft = quiz_draft();
    assert!(draft.plan().is_empty());
    let step = by_name(&draft, "begin");
    draft.apply(&Edit::Overlay { step, text: "Which way now?".to_owned() }).unwrap();
    draft.apply(&Edit::Name { name: "Quiz 2".to_owned() }).unwrap();
    let plan = draft.plan();
    assert_eq!(titles(&draft), ["update step begin: text", "update the project: name"]);
    let Difference::Text { field: "text", words } = &plan.calls[0].differences[0] else { panic!("{plan:?}") };
    let said: Vec<_> = words.iter().map(|words| (words.fate, words.text.as_str())).collect();
    assert_eq!(said, [(Fate::Kept, "Which "), (Fate::Removed, "way?"), (Fate::Added, "way now?")]);
    let Some(crate::draft::Request::UpdateStep(update)) = plan.calls[0].call.request(draft.project_id()) else {
        panic!("{plan:?}")
    };
    assert_eq!(serde_json::to_string(&update.change).unwrap(), r#"{"overlayText":"Which way now?"}"#);
}

#[test]
fn steps_that_point_at_each_other_are_created_first_and_wired_second() {
    let mut draft = quiz_draft();
    let a = draft.apply(&Edit::AddStep { from: Some(answer(&draft, "begin", 2)) }).unwrap().step.unwrap();
    let on = draft.apply(&Edit::AddAnswer { step: a, at: None, text: "On".to_owned(), target: Target::End }).unwrap();
    let b = draft.apply(&Edit::AddStep { from: on.answer }).unwrap().step.unwrap();
    let back = Edit::AddAnswer { step: b, at: None, text: "Back".to_owned(), target: Target::Step(a) };
    draft.apply(&back).unwrap();
    draft.apply(&Edit::AnswerTime { step: a, seconds: 3.0 }).unwrap();
    assert_eq!(
        titles(&draft),
        [
            "create step new-2",
            "create step new-1",
            "update step new-2: answers",
            "update step new-1: answer time",
            "update step begin: answers",
            "update the project: order",
        ]
    );
    let calls = draft.plan().calls;
    let Call::CreateStep(new) = &calls[0].call else { panic!("{calls:?}") };
    assert_eq!(new.fields.answers.as_ref().unwrap()[0].next, Some(Named::As(String::new())), "not wired yet");
    let mut service = Service::of(quiz());
    apply(&mut draft, &mut service, &mut || Luck::Good);
    assert!(draft.is_saved() && draft.plan().is_empty());
    saved(&draft, &service.project);
    assert_eq!(service.project.steps.as_ref().unwrap()[0].answers.as_ref().unwrap()[2].next.as_deref(), Some("X0402"));
    // What was saved can still be undone, and saved again.
    while draft.undo().is_some() {}
    assert_eq!(draft.steps(), quiz().steps.unwrap());
    apply(&mut draft, &mut service, &mut || Luck::Good);
    assert_eq!(service.project.steps.as_ref().unwrap().len(), 4);
}

#[test]
fn what_an_answer_becomes_is_told() {
    let mut draft = quiz_draft();
    let (left, right) = (answer(&draft, "begin", 0), answer(&draft, "begin", 1));
    draft.apply(&Edit::MoveAnswer { answer: left, to: 1 }).unwrap();
    draft.apply(&Edit::DeleteAnswer { answer: right }).unwrap();
    draft.apply(&Edit::AnswerText { answer: left, text: "Left side".to_owned() }).unwrap();
    let step = by_name(&draft, "begin");
    let target = Target::Step(step);
    draft.apply(&Edit::AddAnswer { step, at: None, text: "Again".to_owned(), target }).unwrap();
    let plan = draft.plan();
    let Difference::Answers { answers } = &plan.calls[0].differences[0] else { panic!("{plan:?}") };
    let told: Vec<_> = answers.iter().map(|one| (one.fate, one.before.as_deref(), one.after.as_deref())).collect();
    assert_eq!(
        told,
        [
            (Fate::Changed, Some("left"), Some("left")),
            (Fate::Removed, Some("right"), None),
            (Fate::Kept, Some("end"), Some("end")),
            (Fate::Added, None, Some("begin")),
        ]
    );
}

#[test]
fn a_lost_creation_is_looked_for_before_it_is_asked_for_again() {
    for (lucks, created) in
        [([Luck::Silent, Luck::Good], 1), ([Luck::Lost, Luck::Good], 1), ([Luck::Refused, Luck::Silent], 1)]
    {
        let mut draft = quiz_draft();
        let step = by_name(&draft, "right");
        draft.apply(&Edit::DuplicateStep { step }).unwrap();
        let mut service = Service::of(quiz());
        let mut lucks = lucks.into_iter();
        apply(&mut draft, &mut service, &mut || lucks.next().unwrap_or(Luck::Good));
        assert_eq!(service.created, created);
        saved(&draft, &service.project);
    }
}

#[test]
fn it_goes_on_after_a_crash_between_the_call_and_its_answer() {
    let mut draft = quiz_draft();
    let begun = draft.begun();
    let step = by_name(&draft, "right");
    let edit = draft.apply(&Edit::DuplicateStep { step }).unwrap().record.unwrap();
    let mut service = Service::of(quiz());
    let mut applying = Applying::new("seed");
    applying.read(&mut draft, quiz());
    let Next::Call(call, options) = applying.next(&draft) else { panic!("{:?}", applying.next(&draft)) };
    let sent = applying.sending(&mut draft, &call, &options).unwrap();
    service.answer(call.request(draft.project_id()).unwrap(), Luck::Good);
    let (text, _) = journal::whole(&[begun, edit, sent]);
    let mut again = journal::read(text.as_bytes()).unwrap().draft.unwrap();
    assert!(matches!(Applying::new("another").next(&again), Next::ReadProject { .. }));
    apply(&mut again, &mut service, &mut || Luck::Good);
    assert_eq!(service.created, 1);
    saved(&again, &service.project);
}

#[test]
fn a_new_project_is_created_once_with_all_its_steps() {
    for luck in [Luck::Good, Luck::Silent] {
        let new = Project { name: Some("New".to_owned()), ..Project::default() };
        let mut draft = Draft::new("w", new);
        let first = draft.apply(&Edit::AddStep { from: None }).unwrap().step.unwrap();
        let itself = Edit::AddAnswer { step: first, at: None, text: "Again".to_owned(), target: Target::Step(first) };
        draft.apply(&itself).unwrap();
        assert_eq!(titles(&draft), ["create project New", "create step new-1", "update step new-1: answers"]);
        let mut service = Service::of(Project::default());
        let mut lucks = vec![luck].into_iter();
        apply(&mut draft, &mut service, &mut || lucks.next().unwrap_or(Luck::Good));
        assert_eq!((service.created, draft.project_id().as_str()), (2, "made"));
        saved(&draft, &service.project);
    }
}

#[test]
fn a_creation_that_is_never_answered_is_given_up() {
    let mut draft = quiz_draft();
    draft.apply(&Edit::AddStep { from: None }).unwrap();
    let (mut applying, mut sent) = (Applying::new("seed"), 0);
    let stopped = loop {
        match applying.next(&draft) {
            Next::ReadProject { .. } => drop(applying.read(&mut draft, quiz())),
            Next::FindOutKeys => applying.know_keys(true),
            Next::Call(call, options) => {
                sent += 1;
                assert!(sent < 20, "it is asked for without end");
                applying.sending(&mut draft, &call, &options);
                if let Err(stopped) = applying.answered(&mut draft, &call, Outcome::Unknown("broken".to_owned())) {
                    break stopped;
                }
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((sent, stopped.why.as_str()), (4, "broken"));
    // What came of it is looked for before it is sent again.
    assert!(matches!(Applying::new("another").next(&draft), Next::ReadProject { .. }));
}

#[test]
fn a_deleted_step_is_deleted_and_one_that_is_gone_already_too() {
    let mut draft = quiz_draft();
    for name in ["left", "right"] {
        let step = by_name(&draft, name);
        draft.apply(&Edit::DeleteStep { step, incoming: Incoming::Rewired }).unwrap();
    }
    let mut service = Service::of(quiz());
    service.project.steps.as_mut().unwrap().remove(1);
    apply(&mut draft, &mut service, &mut || Luck::Good);
    saved(&draft, &service.project);
    assert!(matches!(service.project.steps.as_ref().unwrap()[0].answers.as_deref(), Some([Answer { .. }, ..])));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn applied_to_the_base_it_gives_the_draft(
        project in projects(), throws in throws(20), lucks in vec(0_usize..6, 0..40), twice in throws(6)
    ) {
        // Without id and name nothing can be asked of a step, and another's id by name or twice is asked for as the first's.
        let (mut draft, mut service) = (Draft::new("w", project.clone()), Service::of(project));
        let mut lucks = lucks.into_iter();
        let mut luck = || match lucks.next() {
            Some(0) => Luck::Refused,
            Some(1) => Luck::Lost,
            Some(2) => Luck::Silent,
            _ => Luck::Good,
        };
        let mut records = vec![draft.begun()];
        for throws in [throws, twice] {
            for throw in &throws {
                records.extend(play(&mut draft, throw));
            }
            let created = service.created;
            let new = draft.content().steps().filter(|(step, _)| draft.base().step(*step).is_none()).count();
            records.extend(apply(&mut draft, &mut service, &mut luck));
            prop_assert_eq!(service.created - created, new, "nothing is created twice");
            saved(&draft, &service.project);
            prop_assert_eq!(Draft::from_records(records.clone()), Some(draft.clone()));
        }
    }
}
