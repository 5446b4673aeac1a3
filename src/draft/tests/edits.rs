use proptest::prelude::*;
use serde_json::json;

use super::generate::{answer, by_name, play, project, projects, quiz, quiz_draft, throws};
use super::service::{Luck, Service, apply};
use crate::domain::{Project, VideoId};
use crate::draft::{Draft, Edit, Find, Incoming, Place, Refused, Target};
use crate::graph::{Graph, Leads};

fn graph(draft: &Draft) -> Graph {
    Graph::new(&draft.steps(), &draft.steps_order())
}

fn nexts(draft: &Draft, step: &str) -> Vec<String> {
    let steps = draft.steps();
    let step = steps.iter().find(|one| one.name.as_ref().is_some_and(|name| name.as_str() == step)).unwrap();
    step.answers.iter().flatten().map(|answer| answer.next.clone().unwrap_or_default()).collect()
}

#[test]
fn what_is_not_touched_stays_as_it_was_told() {
    let mut draft = quiz_draft();
    assert_eq!(draft.project(), quiz());
    let step = by_name(&draft, "begin");
    let made = draft.apply(&Edit::Overlay { step, text: "Where to?".to_owned() }).unwrap();
    assert_eq!(made.name, "set the text of begin to “Where to?”");
    let mut expected = quiz();
    expected.steps.as_mut().unwrap()[0].overlay_text = Some("Where to?".to_owned());
    assert_eq!(draft.project(), expected, "ids and names are spelled as they came, unknown members are kept");
    assert_eq!(draft.undo().unwrap().name, made.name);
    assert_eq!(draft.project(), quiz());
    assert!(draft.undo().is_none() && draft.is_saved());
    assert_eq!(draft.redo().unwrap().name, made.name);
    assert!(draft.redo().is_none() && !draft.is_saved());
}

#[test]
fn answers_are_wired_by_the_words_the_project_uses() {
    let mut draft = quiz_draft();
    let unsure = answer(&draft, "begin", 2);
    let right = by_name(&draft, "right");
    let made = draft.apply(&Edit::Retarget { answer: unsure, target: Target::Step(right) }).unwrap();
    assert_eq!(made.name, "retarget “Not sure” to right");
    assert_eq!(nexts(&draft, "begin"), ["left", "id-right", "right"]);
    draft.apply(&Edit::Retarget { answer: unsure, target: Target::End }).unwrap();
    assert_eq!(nexts(&draft, "begin"), ["left", "id-right", ""]);
    let same = draft.apply(&Edit::Retarget { answer: unsure, target: Target::End }).unwrap();
    assert_eq!((same.record, draft.history().len()), (None, 2), "what changes nothing is no edit");
}

proptest! {
    #[test]
    fn names_that_are_kept_are_those_that_would_be_found_again(project in projects(), edits in throws(12)) {
        let mut draft = Draft::new("w", project.clone());
        let mut service = Service::of(project);
        prop_assert!(draft.knows_its_names());
        for (at, edit) in edits.iter().enumerate() {
            play(&mut draft, edit);
            prop_assert!(draft.knows_its_names());
            // Saved, its steps are the service's.
            if at == 5 {
                apply(&mut draft, &mut service, &mut || Luck::Good);
                prop_assert!(draft.knows_its_names());
            }
        }
    }
}

#[test]
fn of_two_steps_of_one_name_each_can_be_meant() {
    let twin = |id: &str| json!({"id": id, "name": "twin", "answers": [{"text": "On", "next": "twin"}]});
    let mut draft =
        Draft::new("w", project(&json!({"id": "p", "steps": [twin("1"), twin("2"), {"overlayText": "x"}]})));
    let refs = draft.refs();
    let first = draft.answer_at(refs[0], 0).unwrap();
    assert_eq!(draft.content().answer(first).unwrap().2.target, Target::Step(refs[0]), "the first of them is taken");
    draft.apply(&Edit::Retarget { answer: first, target: Target::Step(refs[1]) }).unwrap();
    assert_eq!(draft.steps()[0].answers.as_ref().unwrap()[0].next.as_deref(), Some("2"));
    assert_eq!(graph(&draft).ports(0)[0].leads, Leads::Step(1));
    let nameless = draft.apply(&Edit::Retarget { answer: first, target: Target::Step(refs[2]) });
    assert_eq!(nameless, Err(Refused::Nameless));
}

#[test]
fn steps_are_added_inserted_and_copied() {
    let mut draft = quiz_draft();
    let unsure = answer(&draft, "begin", 2);
    let made = draft.apply(&Edit::AddStep { from: Some(unsure) }).unwrap();
    assert_eq!(made.name, "add step new-1 after “Not sure”");
    assert_eq!(nexts(&draft, "begin")[2], "new-1");
    assert_eq!(draft.steps_order(), ["begin", "new-1", "id-left", "right", "end"]);
    let on = answer(&draft, "left", 0);
    let inserted = draft.apply(&Edit::InsertStep { answer: on, text: "Next".to_owned() }).unwrap();
    assert_eq!(draft.label(inserted.step.unwrap()), "new-2");
    assert_eq!((nexts(&draft, "left"), nexts(&draft, "new-2")), (vec!["new-2".to_owned()], vec!["end".to_owned()]));
    let step = by_name(&draft, "right");
    draft.apply(&Edit::DuplicateStep { step }).unwrap();
    assert_eq!(nexts(&draft, "new-3"), ["end", "begin"]);
    let graph = graph(&draft);
    assert_eq!((graph.len(), draft.refs().len()), (7, 7));
    assert_eq!(graph.find("new-3"), draft.refs().iter().position(|step| draft.label(*step) == "new-3"));
}

#[test]
fn a_step_goes_and_its_answers_are_asked_about() {
    let deleted = |incoming| {
        let mut draft = quiz_draft();
        let step = by_name(&draft, "right");
        let told = draft.deletion(step).unwrap();
        assert_eq!((told.incoming.len(), told.incoming[0].2.as_str()), (1, "Right"));
        assert_eq!((told.successor, told.outgoing.len()), (Target::Step(by_name(&draft, "end")), 0));
        draft.apply(&Edit::DeleteStep { step, incoming }).unwrap();
        assert_eq!(draft.steps_order(), ["begin", "id-left", "end"]);
        let next = nexts(&draft, "begin");
        draft.undo().unwrap();
        assert_eq!(draft.project(), quiz());
        next
    };
    assert_eq!(deleted(Incoming::Rewired), ["left", "end", ""]);
    assert_eq!(deleted(Incoming::Dangling), ["left", "id-right", ""]);
    assert_eq!(deleted(Incoming::Removed), ["left", ""]);
}

#[test]
fn the_order_is_moved_filled_and_cleaned() {
    let mut body = quiz();
    body.steps_order = Some(vec!["right".to_owned(), "ghost".to_owned(), "id-begin".to_owned()]);
    let mut draft = Draft::new("w", body);
    let step = by_name(&draft, "begin");
    draft.apply(&Edit::MoveStep { step, to: 0 }).unwrap();
    assert_eq!(draft.steps_order(), ["id-begin", "right", "ghost"]);
    draft.apply(&Edit::AddMissing).unwrap();
    draft.apply(&Edit::DropAlien).unwrap();
    assert_eq!(draft.steps_order(), ["id-begin", "right", "left", "end"]);
    let without = Project { steps_order: None, ..quiz() };
    let mut draft = Draft::new("w", without);
    let step = by_name(&draft, "end");
    draft.apply(&Edit::MoveStep { step, to: 1 }).unwrap();
    assert_eq!(draft.steps_order(), ["begin", "end", "left", "right"]);
}

#[test]
fn a_text_is_found_everywhere_and_replaced_where_it_is_meant() {
    let mut draft = quiz_draft();
    let find = Find { text: "LEFT".to_owned(), case: false };
    let hits = draft.hits(&find);
    let texts: Vec<_> = hits.iter().map(|hit| hit.replaced("west")).collect();
    assert_eq!(texts, ["west", "This is west"]);
    let only = hits.iter().map(|hit| hit.place).filter(|place| matches!(place, Place::Overlay(_))).collect();
    let made = draft.apply(&Edit::Replace { find: find.clone(), with: "west".to_owned(), only: Some(only) }).unwrap();
    assert_eq!(made.name, "replace “LEFT” by “west”");
    assert_eq!(draft.hits(&find).len(), 1);
    assert!(draft.hits(&Find { case: true, ..find }).is_empty());
    let dotted = Find { text: "i".to_owned(), case: false };
    assert_eq!(dotted.within("Iİi"), [0..1, 3..4], "a letter that becomes two is found only whole");
}

#[test]
fn the_history_goes_anywhere() {
    let mut draft = quiz_draft();
    let step = by_name(&draft, "left");
    for text in ["1", "2", "3"] {
        draft.apply(&Edit::Describe { step, text: text.to_owned() }).unwrap();
    }
    draft.apply(&Edit::Video { step, video: Some(VideoId::new("v")) }).unwrap();
    draft.go(1).unwrap();
    assert_eq!((draft.at(), draft.content().step(step).unwrap().description()), (1, "1"));
    draft.go(4).unwrap();
    assert_eq!(draft.content().step(step).unwrap().video(), "v");
    assert!(draft.go(5).is_none() && draft.go(4).is_none());
    draft.go(2);
    draft.apply(&Edit::Meant { finding: "x".to_owned(), meant: true }).unwrap();
    let names: Vec<_> = draft.history().collect();
    assert_eq!(names, ["describe left as “1”", "describe left as “2”", "ignore a problem"]);
}

#[test]
fn what_is_large_survives() {
    let many: Vec<_> = (0..50).map(|n| (format!("Answer {n}"), "big".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(text, next)| (text.as_str(), next.as_str())).collect();
    let body = json!({"id": "p", "steps": [super::generate::step("big", &"long ".repeat(20_000), &many)]});
    let mut draft = Draft::new("w", project(&body));
    let step = by_name(&draft, "big");
    draft.apply(&Edit::DuplicateStep { step }).unwrap();
    assert_eq!(draft.steps()[1].answers.as_ref().unwrap().len(), 50);
    assert_eq!(draft.hits(&Find { text: "LONG".to_owned(), case: false })[0].found.len(), 20_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn undone_to_the_start_it_is_the_base(project in projects(), throws in throws(30)) {
        let mut draft = Draft::new("w", project.clone());
        prop_assert_eq!(draft.project(), project.clone());
        for throw in &throws {
            play(&mut draft, throw);
            let graph = graph(&draft);
            prop_assert_eq!(graph.len(), draft.refs().len());
            let plan = draft.plan();
            prop_assert_eq!(draft.is_saved(), plan.is_empty() && plan.hindrances.is_empty());
            // What the draft means is what whoever reads the steps it tells will take them to mean.
            let refs = draft.refs();
            for (index, step) in refs.iter().enumerate() {
                for (port, answer) in draft.content().step(*step).unwrap().answers().iter().enumerate() {
                    let leads = match &answer.target {
                        Target::End => Leads::End,
                        Target::Unresolved(_) => Leads::Dangling,
                        Target::Step(to) => Leads::Step(refs.iter().position(|other| other == to).unwrap()),
                    };
                    prop_assert_eq!(graph.ports(index)[port].leads, leads);
                }
            }
        }
        let (after, edits) = (draft.project(), draft.at());
        draft.go(0);
        prop_assert_eq!(draft.project(), project);
        prop_assert!(draft.content() == draft.base().content());
        draft.go(edits);
        prop_assert_eq!(draft.project(), after);
    }
}
