//! Projects being duplicated: by drafts that are saved call by call, stopped, gone on with and taken away again.

use serde_json::json;

use super::probe::Probe;
use super::projects::{project, read, sample, studio};
use crate::domain::{Project, Step};
use crate::draft::{Call, Outcome};
use crate::settings::Key;
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::ground::{RequestId, Unanswered};
use crate::studio::projects::{Effect as Of, Event as Told, Write, Written};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::shell::twin::script;
use crate::studio::widgets::Confirm;

impl Probe {
    /// What the duplicate asked for last and nobody answered.
    fn asked(&mut self) -> Option<(RequestId, Ask)> {
        let at = self.effects.iter().rposition(|effect| matches!(effect, Effect::Projects(Of::Ask { .. })))?;
        match self.effects.remove(at) {
            Effect::Projects(Of::Ask { request, ask }) => Some((request, *ask)),
            _ => None,
        }
    }

    fn replied(&mut self, request: RequestId, reply: Reply) -> &mut Self {
        self.event(Event::Projects(Told::Answered { request, reply: Box::new(reply) }))
    }

    /// The next call; what is read before it is answered as by a service where nobody else did anything.
    fn called(&mut self) -> Option<(RequestId, Box<Call>)> {
        loop {
            let (request, ask) = self.asked()?;
            let reply = match ask {
                Ask::Call(call, ..) => return Some((request, call)),
                Ask::ReadProject { .. } => {
                    let copying = self.model.screens.projects.copying.as_ref().unwrap();
                    Reply::Project(Ok(Box::new(copying.draft().base().project().into())))
                }
                Ask::ListProjects { .. } => Reply::Projects(Ok(Vec::new())),
                Ask::FindOutKeys => Reply::Keys(false),
            };
            self.replied(request, reply);
        }
    }

    /// The next call comes to this.
    fn comes_to(&mut self, outcome: Outcome) -> &mut Self {
        let (request, call) = self.called().expect("a call");
        self.replied(request, Reply::Call(call, Box::new(outcome)))
    }

    /// What is read next can't be.
    fn unread(&mut self, why: &str) -> &mut Self {
        let (request, ask) = self.asked().expect("a reading");
        let reply = ask.unanswered(&Unanswered::Refused(why.to_owned()));
        assert!(!matches!(reply, Reply::Call(..)), "{reply:?}");
        self.replied(request, reply)
    }
}

/// Answers so many calls of a copy, or all; gives what was called.
fn copy(probe: &mut Probe, calls: usize) -> Vec<Call> {
    let mut called = Vec::new();
    while called.len() < calls {
        let Some((request, call)) = probe.called() else { break };
        called.push((*call).clone());
        let made = called.len();
        let outcome = match &*call {
            Call::CreateProject { .. } => Outcome::CreatedProject("copy".into()),
            Call::CreateStep(_) => Outcome::CreatedStep(format!("new{made}").into(), format!("name{made}").into()),
            _ => Outcome::Done,
        };
        probe.replied(request, Reply::Call(call, Box::new(outcome)));
    }
    called
}

#[test]
fn a_duplicate_is_made_of_the_project_as_it_is_now() {
    let mut probe = studio();
    probe.model.shell.deeds.recording = Some(Vec::new());
    probe.keys("d");
    assert!(probe.shows("❯ Gift finder (copy)") && probe.shows("and the same answers"));
    probe.keys("<enter>").told("Gift finder");
    let called = copy(&mut probe, usize::MAX);
    assert_eq!(called[0], Call::CreateProject { name: "Gift finder (copy)".into() });
    // An answer that leads to a step which is there already goes with its step: only those of a loop come after.
    assert_eq!(called.len(), 1 + 3 + 1 + 1);
    assert!(probe.shows("Duplicated as \"Gift finder (copy)\"."));
    // As a command it is one; in a script it is the calls, whose ids other commands may name.
    let deeds = &probe.model.shell.deeds;
    assert_eq!(deeds.done.back().unwrap().brief(), "projects duplicate p1 --name 'Gift finder (copy)'");
    let recorded = script(deeds.recording.as_deref().unwrap());
    assert_eq!(recorded.matches("steps create \"$project_1\"").count(), 3, "{recorded}");
    assert_eq!(recorded.matches("steps update \"$step_").count(), 1, "{recorded}");
    assert!(!["duplicate", "new2", "name2", "new3", "name3"].iter().any(|id| recorded.contains(id)), "{recorded}");
    let mut projects = sample();
    projects.push(project("copy", "Gift finder (copy)", "f1", 3, "2026-11-20T12:00:00Z"));
    probe.projects(&projects);
    assert!(reading(&probe.model).iter().any(|line| line.starts_with("> Gift finder (copy)")));
}

#[test]
fn an_escape_and_a_digit_that_arrive_together_answer_no_question() {
    for digit in ["1", "2", "3"] {
        let mut probe = studio();
        probe.keys("d<enter>").told("Gift finder");
        copy(&mut probe, 3);
        probe.comes_to(Outcome::Unknown("the connection broke".into())).unread("the connection broke").keys("<enter>d");
        assert!(probe.shows("1 ") && probe.shows("2 "), "answered by digits:\n{}", probe.screen());
        // Terminals send Alt as an escape before the key: this is what leaving the question and going elsewhere looks
        // like where both come in one piece.
        probe.keys(&format!("<alt-{digit}>"));
        assert!(probe.called().is_none() && probe.asked().is_none(), "{digit} was taken as an answer");
    }
    // Bound to a command, Alt and a digit reach the question as they are: they are no answer either.
    let question = Confirm::new("Remove it?", Vec::new(), vec!["No".into(), "Yes".into()]);
    assert_eq!(question.key(Key::char('2')), Some(1));
    assert_eq!(question.key(Key { alt: true, ..Key::char('2') }), None);
    assert_eq!(question.key(Key { ctrl: true, ..Key::char('2') }), None);
}

#[test]
fn a_duplicate_that_stops_says_what_exists_and_goes_on_or_goes_away() {
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    copy(&mut probe, 3);
    // The answer to a creation is lost, and what came of it can't be read.
    probe.comes_to(Outcome::Unknown("the connection broke".into())).unread("the connection broke");
    insta::assert_snapshot!("projects copy stopped", probe.screen());
    assert!(probe.shows("has 2 of 3 steps") && probe.shows("this is checked first"));
    probe.keys("<enter>");
    assert!(probe.shows("a copy is incomplete: d"));
    // Going on looks first: the third step is there, so it is not made again.
    probe.keys("d2");
    let (request, ask) = probe.asked().expect("the copy is read");
    assert!(matches!(&ask, Ask::ReadProject { id, .. } if id.as_str() == "copy"), "{ask:?}");
    let known = probe.model.screens.projects.copying.as_ref().unwrap().draft().base().project();
    let lost: Project = read(&json!({"id": "copy", "steps": [{
        "id": "lost", "name": "lost1", "overlayText": "שלום 日本語",
    }]}));
    let steps: Vec<Step> = [known.steps.clone(), lost.steps].into_iter().flatten().flatten().collect();
    let there = Project { steps: Some(steps), ..known };
    probe.replied(request, Reply::Project(Ok(Box::new(there.into()))));
    let (request, call) = probe.called().expect("a call");
    let Call::UpdateStep { id: Some(id), change, .. } = &*call else { panic!("{call:?}") };
    let next = change.answers.iter().flatten().map(|answer| answer.next.as_ref().unwrap().text().to_owned());
    assert_eq!(
        (id.as_str(), next.collect::<Vec<_>>()),
        ("new2", ["name3", "lost1", "gone1"].map(str::to_owned).to_vec())
    );
    // Refused in the middle, it can be taken away whole.
    probe.replied(request, Reply::Unauthorized(call, "401".into()));
    assert!(probe.shows("has 3 of 3 steps; 1 of 2 have their answers"));
    probe.keys("3");
    assert_eq!(probe.sent().1, Write::Delete("copy".into()));
    probe.wrote(Ok(Written::Done));
    assert!(probe.shows("Deleted the copy \"Gift finder (copy)\".") && probe.model.screens.projects.copying.is_none());
}

#[test]
fn a_duplicate_can_be_stopped_and_left_at_that() {
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    copy(&mut probe, 2);
    probe.keys("n");
    assert!(probe.shows("Wait: still duplicating as"));
    probe.keys("d2").comes_to(Outcome::CreatedStep("new3".into(), "name3".into()));
    assert!(probe.shows("Stopped, as you asked.") && probe.shows("has 2 of 3 steps"));
    probe.keys("4");
    assert!(probe.model.screens.projects.copying.is_none() && probe.shows("Kept \"Gift finder (copy)\" as it is."));
    // Where not even the project is known to exist it can be looked for, and there is nothing to delete.
    probe.keys("d<enter>").told("Gift finder").comes_to(Outcome::Unknown("no answer".into())).unread("no answer");
    assert!(probe.shows("We don't know whether it was created") && probe.shows("2 Look for it again"));
    assert!(!probe.shows("Nothing was copied") && !probe.shows("Delete the copy"), "{}", probe.screen());
    probe.keys("3");
    assert!(probe.model.screens.projects.copying.is_none() && probe.shows("Not duplicated as"));
    probe.keys("d<enter>").told("Gift finder").comes_to(Outcome::Refused("409".into()));
    assert!(probe.shows("nothing was created: 409"));
}

#[test]
fn a_video_that_is_refused_can_be_left_out() {
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    copy(&mut probe, 1);
    probe.comes_to(Outcome::Invalid("there is no such video".into()));
    assert!(probe.shows("there is no such video") && probe.shows("has 0 of 3 steps"));
    probe.keys("3");
    let (request, call) = probe.called().expect("the step again");
    assert!(matches!(&*call, Call::CreateStep(new) if new.fields.video_id.is_none()), "{call:?}");
    probe.replied(request, Reply::Call(call, Box::new(Outcome::CreatedStep("new2".into(), "name2".into()))));
    copy(&mut probe, usize::MAX);
    assert!(probe.shows("1 without a video: the service refused it."));
}

#[test]
fn a_step_that_was_made_though_its_answer_was_lost_is_not_made_twice() {
    // Wherever the answer to a creation is lost, and whether or not it was made: three steps are there in the end.
    for at in 1..=3 {
        for arrived in [false, true] {
            let mut probe = studio();
            probe.keys("d<enter>").told("Gift finder");
            copy(&mut probe, at);
            let (request, call) = probe.called().expect("a creation");
            let Call::CreateStep(new) = (*call).clone() else { panic!("{call:?}") };
            probe.replied(request, Reply::Call(call, Box::new(Outcome::Unknown("lost".into()))));
            let mut made = 0;
            while let Some((request, ask)) = probe.asked() {
                let base = probe.model.screens.projects.copying.as_ref().unwrap().draft().base().project();
                let is_known =
                    base.steps.iter().flatten().any(|step| step.id.as_ref().is_some_and(|id| *id == "there".into()));
                let there = Step {
                    id: Some("there".into()),
                    name: Some("there1".into()),
                    overlay_text: new.fields.overlay_text.clone(),
                    video_id: new.fields.video_id.clone(),
                    ..Step::default()
                };
                let reply = match ask {
                    Ask::ReadProject { .. } => {
                        let mut project = base;
                        if arrived && !is_known {
                            project.steps.get_or_insert_default().push(there);
                        }
                        Reply::Project(Ok(Box::new(project.into())))
                    }
                    Ask::ListProjects { .. } => Reply::Projects(Ok(Vec::new())),
                    Ask::FindOutKeys => Reply::Keys(true),
                    Ask::Call(call, ..) => {
                        made += usize::from(matches!(*call, Call::CreateStep(_)));
                        let outcome = match &*call {
                            Call::CreateStep(_) => {
                                Outcome::CreatedStep(format!("late{made}").into(), format!("late-name{made}").into())
                            }
                            _ => Outcome::Done,
                        };
                        Reply::Call(call, Box::new(outcome))
                    }
                };
                probe.replied(request, reply);
            }
            assert!(probe.shows("Duplicated as"), "lost at {at}, arrived: {arrived}");
            assert_eq!(made + usize::from(arrived) + at - 1, 3, "lost at {at}, arrived: {arrived}");
        }
    }
}

#[test]
fn a_step_that_a_service_without_keys_does_not_show_is_created_again_only_on_request() {
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    copy(&mut probe, 1);
    let (request, lost) = probe.called().expect("a creation");
    let unknown = || Box::new(Outcome::Unknown("lost".into()));
    probe.replied(request, Reply::Call(lost.clone(), unknown()));
    assert!(probe.called().is_none(), "it is only looked for");
    assert!(probe.shows("doesn't show it yet") && probe.shows("Create the missing step again"), "{}", probe.screen());
    // Looked for again it is still not there; then a person says that it is to be created.
    probe.keys("2");
    assert!(probe.called().is_none());
    probe.keys("3");
    assert_eq!(probe.called().expect("the creation again").1, lost);

    // The project itself. There is nothing yet that could be deleted.
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    let (request, lost) = probe.called().expect("the project's creation");
    probe.replied(request, Reply::Call(lost.clone(), unknown()));
    assert!(probe.called().is_none());
    assert!(probe.shows("We don't know whether it was created") && probe.shows("2 Look for it again"));
    assert!(!probe.shows("missing step") && !probe.shows("Delete the copy"), "{}", probe.screen());
    assert!(probe.shows("3 Create the project again"), "{}", probe.screen());
    probe.keys("2");
    assert!(probe.called().is_none() && probe.shows("Look for it again"));
    probe.keys("3");
    assert_eq!(probe.called().expect("the creation again").1, lost);
}

/// A copy whose project's creation was not answered, where the service has a project of that name with a step.
fn with_a_strangers_project() -> (Probe, Box<Call>) {
    let mut probe = studio();
    probe.keys("d<enter>").told("Gift finder");
    let (request, lost) = probe.called().expect("the project's creation");
    probe.replied(request, Reply::Call(lost.clone(), Box::new(Outcome::Unknown("lost".into()))));
    looked_for(&mut probe);
    (probe, lost)
}

/// Answers what is read until a call is due or a person has to decide; what is called.
fn looked_for(probe: &mut Probe) -> Option<(RequestId, Box<Call>)> {
    loop {
        let (request, ask) = probe.asked()?;
        let there = project("theirs", "gift finder (COPY)", "f1", 1, "2026-11-20T12:00:00Z");
        let reply = match ask {
            Ask::ListProjects { .. } => Reply::Projects(Ok(vec![read(&there)])),
            Ask::FindOutKeys => Reply::Keys(false),
            Ask::ReadProject { .. } => Reply::Project(Ok(Box::new(read(&there).into()))),
            Ask::Call(call, ..) => return Some((request, call)),
        };
        probe.replied(request, reply);
    }
}

#[test]
fn a_project_that_may_be_someone_elses_is_taken_or_left_as_a_person_says() {
    let (mut probe, _) = with_a_strangers_project();
    assert!(probe.shows("which may be someone else's"), "{}", probe.screen());
    assert!(!probe.shows("Nothing was copied") && !probe.shows("Delete the copy"), "{}", probe.screen());
    assert!(probe.shows("3 It is theirs: continue with it"), "{}", probe.screen());
    assert!(probe.shows("4 It is someone else's: create the project again"), "{}", probe.screen());
    probe.keys("3");
    let called = looked_for(&mut probe).expect("it goes on").1;
    assert!(!matches!(*called, Call::CreateProject { .. }), "{called:?}");
    assert_eq!(probe.model.screens.projects.copying.as_ref().unwrap().project().unwrap().as_str(), "theirs");

    let (mut probe, lost) = with_a_strangers_project();
    probe.keys("4");
    assert_eq!(looked_for(&mut probe).expect("the creation again").1, lost);

    // Nothing goes on, and nothing is said of a copy that nobody knows of.
    let (mut probe, _) = with_a_strangers_project();
    probe.keys("5");
    assert!(probe.shows("Not duplicated as") && probe.model.screens.projects.copying.is_none());
}
