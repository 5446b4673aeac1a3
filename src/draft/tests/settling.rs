//! Creations whose answers get lost, with services that tell what they were given in their own way.

use crate::domain::{Project, Step};
use crate::draft::{Applying, Draft, Edit, Next, Outcome, Record, Request, Seen, Stranger};

use super::generate::{by_name, quiz, quiz_draft};
use super::service::{Luck, Service};

/// A draft of the quiz with one new step.
fn with_new_step() -> Draft {
    let mut draft = quiz_draft();
    let end = by_name(&draft, "end");
    let step = draft.apply(&Edit::AddStep { from: None }).unwrap().step.unwrap();
    draft.apply(&Edit::Overlay { step, text: "Well  done, you!".to_owned() }).unwrap();
    let target = crate::draft::Target::Step(end);
    draft.apply(&Edit::AddAnswer { step, at: None, text: "On".to_owned(), target }).unwrap();
    draft
}

/// What came of it.
#[derive(Debug, PartialEq)]
enum Came {
    Saved,
    Unclear(usize),
    Changed(Vec<String>),
}

/// Makes the plan; the answer of the first creation is lost. `late` is after how many readings it is shown, `told` how the
/// service tells it.
fn save(draft: &mut Draft, service: &mut Service, late: usize, told: &dyn Fn(&mut Project)) -> (Came, Vec<Record>) {
    let mut applying = Applying::new("seed");
    let (mut records, mut pending, mut lost) = (Vec::new(), None, false);
    let mut waits = 0;
    for _ in 0..1_000 {
        match applying.next(draft) {
            Next::Nothing => return (Came::Saved, records),
            Next::ListProjects { .. } => unreachable!("the project is there"),
            Next::FindOutKeys => applying.know_keys(true),
            Next::ReadProject { .. } => {
                if let Some(request) = pending.take_if(|_| waits >= late) {
                    service.answer(request, Luck::Good);
                }
                waits += 1;
                let mut project = service.project.clone();
                told(&mut project);
                let (more, seen) = applying.read(draft, project);
                records.extend(more);
                match seen {
                    Seen::Same => {}
                    Seen::Flawed(flaw) => unreachable!("{flaw}"),
                    Seen::Unclear(strangers) => return (Came::Unclear(strangers.len()), records),
                    Seen::Changed(merge) => return (Came::Changed(merge.changes()), records),
                }
            }
            Next::Call(call, options) => {
                records.extend(applying.sending(draft, &call, &options));
                let request = call.request(draft.project_id()).unwrap();
                let outcome = if matches!(request, Request::CreateStep(_)) && !lost {
                    lost = true;
                    waits = 0;
                    pending = Some(request);
                    Outcome::Unknown("the line broke".to_owned())
                } else {
                    service.answer(request, Luck::Good)
                };
                records.extend(applying.answered(draft, &call, outcome).unwrap());
            }
        }
    }
    panic!("it does not end");
}

type Telling = &'static dyn Fn(&mut Step);

#[test]
fn what_is_told_in_another_way_is_found_and_not_created_twice() {
    let tellings: [(&str, Telling); 7] = [
        ("as it was sent", &|_| {}),
        ("without its text", &|step| step.overlay_text = None),
        ("without its answers", &|step| step.answers = None),
        ("with neither", &|step| (step.overlay_text, step.answers) = (None, None)),
        ("with white space squeezed", &|step| {
            let text = step.overlay_text.take().unwrap_or_default();
            step.overlay_text = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }),
        ("with its answers' next as ids", &|step| {
            for answer in step.answers.iter_mut().flatten() {
                if answer.next.as_deref() == Some("end") {
                    answer.next = Some("id-end".to_owned());
                }
            }
        }),
        ("with empty fields that it never had", &|step| {
            step.description.get_or_insert_default();
        }),
    ];
    for (telling, change) in tellings {
        for late in 0..4 {
            let (mut draft, mut service) = (with_new_step(), Service::of(quiz()));
            // Only what was created is told in another way.
            let told = |project: &mut Project| project.steps.iter_mut().flatten().skip(4).for_each(change);
            let (came, _) = save(&mut draft, &mut service, late, &told);
            assert_eq!(came, Came::Saved, "{telling}, shown after {late} readings");
            assert_eq!(service.created, 1, "{telling}, shown after {late} readings");
            let made = service.project.steps.unwrap().pop().unwrap();
            assert_eq!(made.overlay_text.as_deref(), Some("Well  done, you!"), "{telling}");
        }
    }
}

#[test]
fn what_never_arrived_is_created_once_more_under_the_same_key() {
    let (mut draft, mut service) = (with_new_step(), Service::of(quiz()));
    let (came, records) = save(&mut draft, &mut service, usize::MAX, &|_| {});
    assert_eq!((came, service.created), (Came::Saved, 1));
    let keys: Vec<&String> = records
        .iter()
        .filter_map(|record| match record {
            Record::Sent { sent: Some(_), key, .. } => key.as_ref(),
            _ => None,
        })
        .collect();
    assert!(keys.len() >= 2 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    // The journal knows the key too: whoever goes on after the process was killed sends the same again.
    let at = records.iter().position(|record| matches!(record, Record::Sent { .. })).unwrap();
    let mut killed = with_new_step();
    for record in &records[..=at] {
        killed.take(record.clone());
    }
    let Next::ReadProject { .. } = Applying::new("other").next(&killed) else { panic!("it looks first") };
    killed.absent();
    let mut applying = Applying::new("other");
    let (_, seen) = applying.read(&mut killed, quiz());
    assert_eq!(seen, Seen::Same);
    let Next::Call(call, options) = applying.next(&killed) else { panic!("{:?}", applying.next(&killed)) };
    assert!(call.creates() && options.key.as_ref() == Some(keys[0]), "{options:?}");
}

#[test]
fn what_may_be_somebody_elses_is_asked_about() {
    let reads = std::cell::Cell::new(0);
    let other = |project: &mut Project| {
        // Not before anything was asked for.
        reads.set(reads.get() + 1);
        if reads.get() == 1 {
            return;
        }
        project.steps.as_mut().unwrap().push(Step {
            id: Some("id-theirs".into()),
            name: Some("thirs".into()),
            overlay_text: Some("Something else".to_owned()),
            ..Step::default()
        });
    };
    let (mut draft, mut service) = (with_new_step(), Service::of(quiz()));
    let (came, _) = save(&mut draft, &mut service, usize::MAX, &other);
    assert_eq!((came, service.created), (Came::Unclear(1), 0));
    let mut theirs = quiz();
    other(&mut theirs);
    let stranger = Stranger::Step(Box::new(theirs.steps.as_ref().unwrap()[4].clone()));
    // It is the one: its text is written over, which the plan says.
    let mut adopted = draft.clone();
    adopted.adopt(&stranger).unwrap();
    assert!(!adopted.is_unsettled());
    let mut service = Service::of(theirs.clone());
    super::service::apply(&mut adopted, &mut service, &mut || Luck::Good);
    let steps = service.project.steps.as_deref().unwrap();
    assert_eq!((service.created, steps.len()), (0, 5));
    assert_eq!(steps[4].overlay_text.as_deref(), Some("Well  done, you!"));
    // It is not: it is somebody else's, and ours is created beside it.
    draft.absent().unwrap();
    let mut applying = Applying::new("seed");
    let (_, seen) = applying.read(&mut draft, theirs.clone());
    let Seen::Changed(merge) = seen else { panic!("{seen:?}") };
    assert_eq!(merge.elsewhere, ["step thirs was added"]);
    draft.rebase(&merge);
    let mut service = Service::of(theirs);
    super::service::apply(&mut draft, &mut service, &mut || Luck::Good);
    assert_eq!((service.created, service.project.steps.unwrap().len()), (1, 6));
}

#[test]
fn what_others_change_while_a_plan_is_made_is_found_before_the_next_write() {
    let mut draft = with_new_step();
    let begin = by_name(&draft, "begin");
    draft.apply(&Edit::Overlay { step: begin, text: "Mine".to_owned() }).unwrap();
    let mut service = Service::of(quiz());
    let mut applying = Applying::new("seed");
    let mut writes = 0;
    let came = loop {
        match applying.next(&draft) {
            Next::ReadProject { .. } => {
                let (_, seen) = applying.read(&mut draft, service.project.clone());
                if seen != Seen::Same {
                    break seen;
                }
            }
            Next::Call(call, options) => {
                applying.sending(&mut draft, &call, &options);
                let outcome = service.answer(call.request(draft.project_id()).unwrap(), Luck::Good);
                applying.answered(&mut draft, &call, outcome).unwrap();
                writes += 1;
                service.project.steps.as_mut().unwrap()[0].overlay_text = Some("Theirs".to_owned());
            }
            other => panic!("{other:?}"),
        }
    };
    let Seen::Changed(merge) = came else { panic!("{came:?}") };
    assert_eq!((writes, merge.conflicts.len()), (1, 1));
    assert_eq!(merge.changes(), ["the text of begin was changed here and by someone else"]);
}
