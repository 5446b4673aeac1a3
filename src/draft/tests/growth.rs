//! That saving a project of many steps takes work in proportion to them, counted in steps that are looked at.

use super::service::Service;
use crate::domain::{Project, Step};
use crate::draft::work::visits;
use crate::draft::{Applying, Draft, Edit, Library, Next, Outcome, ProjectFile, Request, Seen};

/// A project file: every step leads to the next two, every fifth back to the first, and every tenth waits with its answers.
fn file(steps: usize) -> ProjectFile {
    use std::fmt::Write as _;
    let mut text = "cutaway = 1\nname = \"Long\"\n".to_owned();
    for at in 0..steps {
        let _ = writeln!(text, "[[steps]]\nname = \"s{at}\"\noverlayText = \"Step {at}\"");
        if at % 10 == 0 {
            text.push_str("answerTime = 2.5\n");
        }
        let back = (at % 5 == 0 && at > 0).then_some(0);
        for to in [at + 1, at + 2].into_iter().filter(|to| *to < steps).chain(back) {
            let _ = writeln!(text, "[[steps.answers]]\ntext = \"To {to}\"\nnext = \"s{to}\"");
        }
    }
    ProjectFile::read(&text).unwrap()
}

/// What importing a file takes.
#[derive(Debug)]
struct Work {
    visits: u64,
    reads: usize,
    calls: usize,
}

/// Imports a file into a service that answers writes with the tag of the state after them, and heeds `If-Match`.
fn import(file: &ProjectFile) -> (Work, Service) {
    let (mut draft, imported) = Draft::of_file("w", file, &Library::default());
    assert!(imported.warnings.is_empty());
    let (mut service, mut applying, mut state) = (Service::of(Project::default()), Applying::new("seed"), 0_usize);
    let mut work = Work { visits: visits(), reads: 0, calls: 0 };
    loop {
        match applying.next(&draft) {
            Next::Nothing => break,
            Next::ReadProject { .. } => {
                work.reads += 1;
                let reading = crate::draft::Reading {
                    project: service.project.clone(),
                    tag: Some(format!("\"{state}\"")),
                    flaw: None,
                    products_here: false,
                };
                assert_eq!(applying.read(&mut draft, reading).1, Seen::Same);
            }
            Next::ListProjects { .. } => assert_eq!(applying.listed(&mut draft, &[]).1, Seen::Same),
            Next::FindOutKeys => panic!("nothing was lost"),
            Next::Call(call, options) => {
                work.calls += 1;
                applying.sending(&mut draft, &call, &options);
                let request = call.request(draft.project_id()).expect("the call can be made");
                let updates = matches!(request, Request::UpdateStep(_) | Request::UpdateProject(_));
                let outcome = match service.make_if(request, options.tag.as_deref(), &mut state) {
                    Outcome::Done if updates => Outcome::Tagged(format!("\"{state}\"")),
                    outcome => outcome,
                };
                applying.answered(&mut draft, &call, outcome).unwrap();
            }
        }
    }
    assert!(draft.is_saved() && draft.plan().is_empty());
    work.visits = visits() - work.visits;
    (work, service)
}

impl Service {
    fn make_if(&mut self, request: Request, tag: Option<&str>, state: &mut usize) -> Outcome {
        if tag.is_some_and(|tag| tag != format!("\"{state}\"")) {
            return Outcome::Changed("412".to_owned());
        }
        *state += 1;
        self.answer(request, super::service::Luck::Good)
    }
}

#[test]
fn a_plan_of_a_new_order_looks_up_its_steps() {
    let (_, service) = import(&file(1_000));
    let mut draft = Draft::new("w", service.project);
    let last = *draft.shown_order().last().unwrap();
    draft.apply(&Edit::MoveStep { step: last, to: 0 }).unwrap();
    let before = visits();
    assert_eq!(draft.plan().calls.len(), 1);
    let visits = visits() - before;
    assert!(visits <= 10 * 1_000, "{visits} steps were looked at");
}

#[test]
fn twice_as_many_steps_take_twice_the_work() {
    let (half, _) = import(&file(500));
    let (whole, service) = import(&file(1_000));
    assert!(whole.visits <= 21 * half.visits / 10, "{half:?} {whole:?}");
    assert!(whole.visits <= 40 * 1_000, "{whole:?}");
    assert!(whole.calls <= 21 * half.calls / 10, "{half:?} {whole:?}");
    // The project is read a few times, however many steps it has.
    assert!(whole.reads <= 2, "{whole:?}");
    let steps: Vec<Step> = service.project.steps.unwrap();
    let texts: Vec<&str> = steps.iter().filter_map(|step| step.overlay_text.as_deref()).collect();
    assert_eq!(texts.len(), 1_000);
    let led = steps.iter().flat_map(|step| step.answers.iter().flatten()).filter(|answer| answer.next.is_some());
    assert_eq!(led.count(), 999 + 998 + 199);
}
