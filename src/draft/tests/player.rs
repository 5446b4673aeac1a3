//! The player's settings in a draft: edited, undone, planned, merged one by one.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::service::{Luck, Service};
use crate::domain::{PlayerChange, PlayerSettings, Project};
use crate::draft::{Applying, Call, Draft, Edit, Next, Outcome, Reading, Seen, Side, Spot};

fn members(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn project(settings: Value) -> Project {
    Project {
        id: "p".into(),
        name: Some("Quiz".to_owned()),
        player: Some(PlayerSettings::of(&members(settings))),
        steps: Some(Vec::new()),
        ..Project::default()
    }
}

fn edit(draft: &mut Draft, settings: Value) {
    draft.apply(&Edit::Player { change: PlayerChange { members: members(settings) } }).unwrap();
}

fn planned(draft: &Draft) -> Option<Value> {
    let calls: Vec<Call> = draft.plan().calls.into_iter().map(|planned| planned.call).collect();
    match calls.as_slice() {
        [] => None,
        [Call::UpdateProject { change }] => Some(Value::Object(change.player.clone().unwrap())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edit_sends_what_it_changes_and_is_undone() {
    let mut draft = Draft::new("w", project(json!({ "brandColor": "#000000", "endText": "Bye" })));
    edit(&mut draft, json!({ "brandColor": "#ffffff", "endText": null, "formFields": [] }));
    assert_eq!(planned(&draft), Some(json!({ "endText": null, "brandColor": "#ffffff", "formFields": [] })));
    assert_eq!(draft.project().player.unwrap().brand_color.as_deref(), Some("#ffffff"));
    let again = Draft::from_records(draft.records()).unwrap();
    assert_eq!(again.content(), draft.content(), "its journal tells of it");
    draft.undo().unwrap();
    assert!(draft.is_saved());
    draft.redo().unwrap();
    assert!(!draft.is_saved());
}

#[test]
fn settings_are_merged_one_by_one() {
    let begin = json!({ "brandColor": "#000000", "endText": "Bye", "shopText": "Shop" });
    let mut draft = Draft::new("w", project(begin));
    edit(&mut draft, json!({ "brandColor": "#111111", "shopText": null }));
    // Another one and the same were changed elsewhere.
    let theirs = json!({ "brandColor": "#222222", "endText": "See you", "shopText": "Shop", "language": "de" });
    let mut merge = draft.merge(project(theirs));
    assert_eq!(merge.conflicts.len(), 1);
    let conflict = &merge.conflicts[0];
    assert_eq!(conflict.spot, Spot::Player("brandColor"));
    assert_eq!((&*conflict.base, &*conflict.mine, &*conflict.theirs), ("#000000", "#111111", "#222222"));
    let mut mine = draft.clone();
    mine.rebase(&merge);
    let settings = |draft: &Draft| Value::Object(draft.content().head().player.clone().unwrap());
    assert_eq!(settings(&mine), json!({ "brandColor": "#111111", "endText": "See you", "language": "de" }));
    assert_eq!(planned(&mine), Some(json!({ "shopText": null, "brandColor": "#111111" })));
    merge.decide(Spot::Player("brandColor"), Side::Theirs);
    draft.rebase(&merge);
    assert_eq!(planned(&draft), Some(json!({ "shopText": null })));
}

#[test]
fn a_service_that_keeps_no_settings_is_found_out() {
    for keeps in [true, false] {
        let mut draft = Draft::new("w", Project { player: None, ..project(json!({})) });
        edit(&mut draft, json!({ "endText": "Bye" }));
        let shown = |draft: &Draft| Project { player: draft.project().player.filter(|_| keeps), ..project(json!({})) };
        let mut applying = Applying::new("seed");
        let (mut calls, mut reads) = (0, 0);
        loop {
            match applying.next(&draft) {
                Next::Nothing => break,
                Next::ReadProject { .. } => {
                    reads += 1;
                    let theirs =
                        if calls == 0 { Project { player: None, ..project(json!({})) } } else { shown(&draft) };
                    assert_eq!(applying.read(&mut draft, theirs).1, Seen::Same);
                }
                Next::Call(call, _) => {
                    calls += 1;
                    applying.answered(&mut draft, &call, Outcome::Done).unwrap();
                }
                Next::ListProjects { .. } | Next::FindOutKeys => panic!("there is nothing to look for"),
            }
        }
        // What is missing once may be late.
        assert_eq!((calls, reads, applying.loses_player()), (1, if keeps { 2 } else { 4 }, !keeps));
        assert!(draft.is_saved());
    }
}

/// Saves a draft with a service whose projects are read like this, after so long.
fn apply(
    applying: &mut Applying,
    draft: &mut Draft,
    service: &mut Service,
    mut reading: impl FnMut(Project, Duration) -> Reading,
) {
    loop {
        match applying.next(draft) {
            Next::Nothing => break,
            Next::ReadProject { after } => {
                let reading = reading(service.project.clone(), after);
                assert_eq!(applying.read(draft, reading).1, Seen::Same);
            }
            Next::Call(call, _) => {
                let request = call.request(draft.project_id()).unwrap();
                let outcome = service.answer(request, Luck::Good);
                applying.answered(draft, &call, outcome).unwrap();
            }
            Next::ListProjects { .. } | Next::FindOutKeys => panic!("there is nothing to look for"),
        }
    }
}

fn without_products(mut project: Project) -> Project {
    project.steps.iter_mut().flatten().for_each(|step| step.products = None);
    project
}

#[test]
fn a_service_that_keeps_no_products_is_found_out() {
    for keeps in [true, false] {
        let mut draft = Draft::new("w", super::generate::quiz());
        let step = super::generate::by_name(&draft, "begin");
        let products = vec![super::generate::product(1)];
        draft.apply(&Edit::AddProducts { step, products, title: "A mug".to_owned() }).unwrap();
        let mut service = Service::of(super::generate::quiz());
        let mut applying = Applying::new("seed");
        apply(&mut applying, &mut draft, &mut service, |theirs, _| {
            if keeps { theirs.into() } else { without_products(theirs).into() }
        });
        assert_eq!(applying.loses_products(), !keeps);
        assert!(draft.is_saved());
    }
}

#[test]
fn products_that_a_late_reading_lacks_are_not_said_to_be_lost() {
    let mut draft = Draft::new("w", super::generate::quiz());
    let step = super::generate::by_name(&draft, "begin");
    let products = vec![super::generate::product(1)];
    draft.apply(&Edit::AddProducts { step, products, title: "A mug".to_owned() }).unwrap();
    let mut service = Service::of(super::generate::quiz());
    let mut applying = Applying::new("seed");
    let mut waited = Vec::new();
    apply(&mut applying, &mut draft, &mut service, |theirs, after| {
        waited.push(after);
        if waited.len() < 4 { without_products(theirs).into() } else { theirs.into() }
    });
    assert_eq!((waited.len(), applying.loses_products(), applying.keeps_products_here()), (4, false, false));
    assert!(waited.is_sorted() && waited[3] > waited[1], "{waited:?}");
    // On this computer is another thing.
    let mut applying = Applying::new("seed");
    draft
        .apply(&Edit::AddProducts { step, products: vec![super::generate::product(2)], title: "B".to_owned() })
        .unwrap();
    apply(&mut applying, &mut draft, &mut service, |theirs, _| Reading { products_here: true, ..theirs.into() });
    assert_eq!((applying.loses_products(), applying.keeps_products_here()), (false, true));
}
