use proptest::prelude::*;

use super::generate::{answer, by_name, play, product, projects, quiz, quiz_draft, throws};
use super::service::{Luck, Service, apply};
use crate::domain::{Num, Project, StepId, StepProduct};
use crate::draft::{Draft, Edit, Incoming, Side, Spot, Target, products_told};

/// The project as another left it.
fn elsewhere(edits: impl Fn(&Draft) -> Vec<Edit>) -> Project {
    let (mut other, mut service) = (quiz_draft(), Service::of(quiz()));
    for edit in edits(&other.clone()) {
        other.apply(&edit).unwrap();
    }
    apply(&mut other, &mut service, &mut || Luck::Good);
    service.project
}

fn texts(draft: &Draft, step: &str) -> Vec<String> {
    let content = draft.content().step(by_name(draft, step)).unwrap();
    content.answers().iter().map(|answer| answer.text.clone()).collect()
}

#[test]
fn different_fields_of_one_step_go_together() {
    let theirs = elsewhere(|draft| {
        let step = by_name(draft, "begin");
        vec![
            Edit::Describe { step, text: "theirs".to_owned() },
            Edit::AddAnswer { step, at: Some(0), text: "First".to_owned(), target: Target::End },
            Edit::AnswerText { answer: answer(draft, "begin", 1), text: "To the right".to_owned() },
        ]
    });
    let mut draft = quiz_draft();
    let step = by_name(&draft, "begin");
    draft.apply(&Edit::Overlay { step, text: "mine".to_owned() }).unwrap();
    let (unsure, right) = (answer(&draft, "begin", 2), answer(&draft, "begin", 1));
    draft.apply(&Edit::Retarget { answer: unsure, target: Target::Step(by_name(&draft, "end")) }).unwrap();
    draft.apply(&Edit::Retarget { answer: right, target: Target::End }).unwrap();
    let merge = draft.merge(theirs.clone());
    assert_eq!(merge.conflicts, []);
    assert_eq!(merge.elsewhere.len(), 3, "{:?}", merge.elsewhere);
    draft.rebase(&merge);
    let content = draft.content().step(step).unwrap();
    assert_eq!((content.description(), content.overlay()), ("theirs", "mine"));
    assert_eq!(texts(&draft, "begin"), ["First", "Left", "To the right", "Not sure"]);
    assert_eq!(content.answers()[2].target, Target::End);
    assert_eq!(draft.plan().calls.len(), 1, "only mine is still to be saved");
    let mut service = Service::of(theirs);
    apply(&mut draft, &mut service, &mut || Luck::Good);
    assert!(draft.merge(service.project).is_quiet());
    draft.undo().unwrap();
    assert_eq!(draft.content().step(step).unwrap().description(), "", "merging can be undone");
}

#[test]
fn what_both_changed_is_decided_one_by_one() {
    let theirs = elsewhere(|draft| {
        let step = by_name(draft, "begin");
        vec![
            Edit::Overlay { step, text: "theirs".to_owned() },
            Edit::AnswerText { answer: answer(draft, "begin", 0), text: "theirs".to_owned() },
            Edit::DeleteStep { step: by_name(draft, "left"), incoming: Incoming::Dangling },
            Edit::Name { name: "Same".to_owned() },
        ]
    });
    let mut draft = quiz_draft();
    let (begin, left) = (by_name(&draft, "begin"), by_name(&draft, "left"));
    let first = answer(&draft, "begin", 0);
    draft.apply(&Edit::Overlay { step: begin, text: "mine".to_owned() }).unwrap();
    draft.apply(&Edit::AnswerText { answer: first, text: "mine".to_owned() }).unwrap();
    draft.apply(&Edit::Describe { step: left, text: "mine".to_owned() }).unwrap();
    draft.apply(&Edit::Name { name: "Same".to_owned() }).unwrap();
    let mut merge = draft.merge(theirs.clone());
    let spots: Vec<_> = merge.conflicts.iter().map(|conflict| conflict.spot).collect();
    assert_eq!(spots, [Spot::Overlay(begin), Spot::AnswerText(begin, first), Spot::Step(left)]);
    assert_eq!(merge.conflicts[0].what, "the text of begin");
    let mut mine = draft.clone();
    mine.rebase(&merge);
    assert_eq!(mine.content().step(begin).unwrap().overlay(), "mine");
    assert_eq!(mine.content().step(left).unwrap().description(), "mine");
    let mut service = Service::of(theirs);
    apply(&mut mine, &mut service, &mut || Luck::Good);
    assert_eq!(service.created, 1, "what was deleted elsewhere and kept here is created again");
    for conflict in merge.conflicts.clone() {
        merge.decide(conflict.spot, Side::Theirs);
    }
    draft.rebase(&merge);
    assert_eq!(draft.content().step(begin).unwrap().overlay(), "theirs");
    assert!(draft.content().step(left).is_none());
    assert_eq!(draft.content().step(begin).unwrap().answers()[0].target, Target::Unresolved("left".to_owned()));
}

#[test]
fn products_that_both_added_are_both_there_and_only_a_contradiction_is_asked() {
    let added = |draft: &Draft, n: usize| Edit::AddProducts {
        step: by_name(draft, "begin"),
        products: vec![product(n)],
        title: "A mug".to_owned(),
    };
    let ids = |draft: &Draft| -> Vec<String> {
        let step = draft.content().step(by_name(draft, "begin")).unwrap();
        step.products().iter().map(|product| product.told(None)).collect()
    };
    let mut draft = quiz_draft();
    let made = draft.apply(&added(&draft.clone(), 0)).unwrap();
    assert_eq!(made.name, "add “A mug” to begin");
    let theirs = elsewhere(|draft| vec![added(draft, 1)]);
    let merge = draft.merge(theirs.clone());
    assert_eq!((merge.conflicts.as_slice(), merge.elsewhere.len()), ([].as_slice(), 1), "{:?}", merge.elsewhere);
    draft.rebase(&merge);
    assert_eq!(ids(&draft), ["p0", "p1"]);
    let mut service = Service::of(theirs);
    apply(&mut draft, &mut service, &mut || Luck::Good);
    let step = by_name(&draft, "begin");
    assert_eq!(service.project.steps.as_ref().unwrap()[0].products.as_ref().map(Vec::len), Some(2));

    // One gives it a time, the other one takes it away.
    let mut other = Draft::new("w", service.project.clone());
    let at_two = StepProduct { from: Some(Num(2.0)), ..product(1) };
    let change = |to| Edit::ChangeProduct { step, at: 1, to, title: "A mug".to_owned() };
    draft.apply(&change(Some(at_two))).unwrap();
    other
        .apply(&Edit::ChangeProduct { step: by_name(&other, "begin"), at: 1, to: None, title: String::new() })
        .unwrap();
    apply(&mut other, &mut service, &mut || Luck::Good);
    let mut merge = draft.merge(service.project.clone());
    assert_eq!(merge.conflicts.len(), 1, "{merge:?}");
    let conflict = &merge.conflicts[0];
    assert_eq!((conflict.what.as_str(), conflict.spot), ("the products of begin", Spot::Products(step)));
    assert_eq!([&conflict.base, &conflict.mine, &conflict.theirs], ["p0, p1", "p0, p1 from 2 s", "p0"]);
    merge.decide(Spot::Products(step), Side::Theirs);
    let mut undone = draft.clone();
    draft.rebase(&merge);
    assert_eq!(ids(&draft), ["p0"]);
    assert!(draft.is_saved());
    undone.undo().unwrap();
    assert_eq!(ids(&undone), ["p0", "p1"]);
    assert_eq!(undone.redo().unwrap().name, "change “A mug” at begin");
}

#[test]
fn a_service_that_tells_no_steps_has_not_deleted_them() {
    let mut draft = quiz_draft();
    let merge = draft.merge(Project { steps: None, ..quiz() });
    assert!(merge.is_quiet());
    draft.rebase(&merge);
    assert!(draft.is_saved() && draft.steps().len() == 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn two_sides_come_together(project in projects(), mine in throws(10), theirs in throws(10)) {
        let base = Draft::new("w", project.clone());
        let (mut draft, mut other, mut service) = (base.clone(), base.clone(), Service::of(project.clone()));
        for throw in &theirs {
            play(&mut other, throw);
        }
        apply(&mut other, &mut service, &mut || Luck::Good);
        let theirs = service.project;

        // No change here: what they have.
        let mut quiet = base.clone();
        let merge = quiet.merge(theirs.clone());
        prop_assert_eq!(&merge.conflicts, &[]);
        quiet.rebase(&merge);
        prop_assert_eq!(quiet.project(), theirs.clone());
        prop_assert!(quiet.is_saved());

        for throw in &mine {
            play(&mut draft, throw);
        }
        // No change there: what was here.
        let mut same = draft.clone();
        let merge = same.merge(project);
        prop_assert!(merge.is_quiet(), "{:?}", merge);
        same.rebase(&merge);
        prop_assert!(same.content().says_the_same(draft.content()));

        // Both: it can be saved, and nothing of theirs is asked of the service again.
        let merge = draft.merge(theirs.clone());
        draft.rebase(&merge);
        let mut service = Service::of(theirs);
        apply(&mut draft, &mut service, &mut || Luck::Good);
        prop_assert!(draft.is_saved());
        let ids = |project: &Project| -> Vec<Option<StepId>> {
            project.steps.iter().flatten().map(|step| step.id.clone()).collect()
        };
        prop_assert_eq!(ids(&draft.project()), ids(&service.project));

        // The same on both sides is no conflict.
        let mut twin = Draft::new("w", service.project.clone());
        let step = twin.refs().first().copied();
        if let Some(step) = step {
            let mut service = Service::of(service.project.clone());
            let mut other = twin.clone();
            for draft in [&mut twin, &mut other] {
                draft.apply(&Edit::Overlay { step, text: "same".to_owned() }).unwrap();
                let add = Edit::AddAnswer { step, at: None, text: "same".to_owned(), target: Target::End };
                draft.apply(&add).unwrap();
            }
            if other.plan().hindrances.is_empty() {
                apply(&mut other, &mut service, &mut || Luck::Good);
                let merge = twin.merge(service.project);
                prop_assert_eq!(&merge.conflicts, &[]);
                twin.rebase(&merge);
                prop_assert!(twin.is_saved());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn where_two_collide_each_place_is_decided_by_itself(
        project in projects(), mine in throws(14), theirs in throws(14), decided in prop::collection::vec(any::<bool>(), 24),
    ) {
        let base = Draft::new("w", project.clone());
        let (mut draft, mut other, mut service) = (base.clone(), base.clone(), Service::of(project));
        for throw in &theirs {
            play(&mut other, throw);
        }
        apply(&mut other, &mut service, &mut || Luck::Good);
        for throw in &mine {
            play(&mut draft, throw);
        }
        let mut merge = draft.merge(service.project.clone());
        for (conflict, mine) in merge.conflicts.clone().iter().zip(decided) {
            merge.decide(conflict.spot, if mine { Side::Mine } else { Side::Theirs });
        }
        let (before, told) = (draft.content().clone(), merge.theirs().content().clone());
        draft.rebase(&merge);
        for (step, content) in draft.content().steps() {
            let (Some(b), Some(m), Some(t)) = (base.content().step(step), before.step(step), told.step(step)) else {
                continue;
            };
            let told = |of: &crate::draft::StepContent| products_told(of.products());
            let [mb, mm, mt, mn] = [b, m, t, content].map(told);
            let asked = merge.conflicts.iter().find(|conflict| conflict.spot == Spot::Products(step));
            match asked {
                Some(conflict) => {
                    prop_assert!(mm != mt && mm != mb && mt != mb);
                    prop_assert_eq!(mn, if conflict.side == Side::Mine { mm } else { mt });
                }
                None if mm == mb => prop_assert_eq!(mn, mt),
                None if mt == mb => prop_assert_eq!(mn, mm),
                None => {
                    // Nothing is lost that only one side has.
                    for product in m.products().iter().chain(t.products()) {
                        let before = b.products().iter().any(|one| one.is_same(product));
                        prop_assert!(before || content.products().iter().any(|one| one.is_same(product)));
                    }
                }
            }
            let time = |of: &crate::draft::StepContent| format!("{:?}", of.answers_after());
            for (spot, of) in [
                (Spot::Description(step), [b.description(), m.description(), t.description(), content.description()]),
                (Spot::Overlay(step), [b.overlay(), m.overlay(), t.overlay(), content.overlay()]),
                (Spot::Video(step), [b.video(), m.video(), t.video(), content.video()]),
                (Spot::AnswerTime(step), [&time(b), &time(m), &time(t), &time(content)]),
            ] {
                let [b, m, t, now] = of;
                let conflict = merge.conflicts.iter().find(|conflict| conflict.spot == spot);
                prop_assert_eq!(conflict.is_some(), m != t && m != b && t != b, "{:?}", of);
                let mine = conflict.map_or(t == b, |conflict| conflict.side == Side::Mine);
                prop_assert_eq!(now, if mine { m } else { t }, "{:?}", spot);
            }
        }
        // What only one side has is there; what both took away is not.
        for step in before.steps().chain(told.steps()).map(|(step, _)| step) {
            let (m, t) = (before.step(step).is_some(), told.step(step).is_some());
            if base.content().step(step).is_none() || (m && t) {
                prop_assert!(draft.content().step(step).is_some());
            }
        }
        prop_assert!(draft.merge(service.project.clone()).is_quiet());
        apply(&mut draft, &mut service, &mut || Luck::Good);
        prop_assert!(draft.is_saved());
    }
}
