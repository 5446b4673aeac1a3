//! A project being duplicated: steps are created first, wired second, put in order last. What exists is known at every
//! moment, so that it can go on where it stopped, and nothing is created twice.

use std::collections::HashSet;
use std::sync::Arc;

use super::vocabulary::{Change, Record, Trouble, Write, Written};
use crate::domain::{Answer, FolderId, PlayerChange, PlayerSettings, ProjectId, Step, StepId, StepName};
use crate::graph::{Graph, Leads};

/// A step of the new project.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    id: StepId,
    name: StepName,
    wired: bool,
}

/// What a duplicate is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Calls are made.
    Running,
    /// It stopped; why, for people.
    Stopped(String),
    /// What exists is read again before it goes on: an answer got lost.
    Checking,
}

/// What went wrong with the last call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hitch {
    /// Its answer got lost: it may have been done.
    Lost,
    /// The service found something wrong with what was sent.
    Invalid,
    /// It was not done.
    Refused,
}

/// A duplicate under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Copying {
    /// What is copied.
    source: Arc<Record>,
    /// The new project's name.
    pub name: String,
    /// What it is doing.
    pub stage: Stage,
    /// Whether to stop after the call that is under way.
    pub stopping: bool,
    project: Option<ProjectId>,
    /// The steps in the order they are created in: numbers among the source's.
    order: Vec<usize>,
    /// The new steps, by the number of their original.
    made: Vec<Option<Made>>,
    /// Steps whose video is left out.
    without_video: HashSet<usize>,
    settled: bool,
    hitch: Option<Hitch>,
}

impl Copying {
    /// A copy of a project under another name.
    #[must_use]
    pub fn new(source: Arc<Record>, name: String) -> Self {
        let order = source.graph.as_ref().map(|graph| graph.order().to_vec()).unwrap_or_default();
        let made = vec![None; source.steps().len()];
        Self {
            source,
            name,
            stage: Stage::Running,
            stopping: false,
            project: None,
            order,
            made,
            without_video: HashSet::new(),
            settled: false,
            hitch: None,
        }
    }

    /// The project that is copied.
    #[must_use]
    pub fn source(&self) -> &ProjectId {
        &self.source.project.id
    }

    /// The new project, once there is one.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectId> {
        self.project.as_ref()
    }

    /// Calls that are done, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let (wired, to_wire) = self.wiring();
        let done = usize::from(self.project.is_some()) + self.steps_made() + wired + usize::from(self.settled);
        (done, 2 + self.order.len() + to_wire)
    }

    /// How many steps have their answers, and how many are to have some.
    fn wiring(&self) -> (usize, usize) {
        let done = self.made.iter().flatten().filter(|made| made.wired).count();
        (done, self.order.iter().filter(|step| self.needs_wiring(**step)).count())
    }

    fn steps_made(&self) -> usize {
        self.made.iter().flatten().count()
    }

    fn made_of(&self, step: usize) -> Option<&Made> {
        self.made.get(step)?.as_ref()
    }

    fn needs_wiring(&self, step: usize) -> bool {
        let Some(step) = self.source.steps().get(step) else { return false };
        step.answer_time.is_some() || step.answers.as_ref().is_some_and(|answers| !answers.is_empty())
    }

    /// The step that is to be created next.
    fn missing(&self) -> Option<usize> {
        self.order.iter().copied().find(|step| self.made_of(*step).is_none())
    }

    fn unwired(&self) -> Option<usize> {
        let open = |step: &usize| self.needs_wiring(*step) && self.made_of(*step).is_some_and(|made| !made.wired);
        self.order.iter().copied().find(open)
    }

    /// The next call; none when all is done.
    #[must_use]
    pub fn next_write(&self) -> Option<Write> {
        let Some(project) = &self.project else { return Some(Write::Create(self.name.clone())) };
        if let Some(index) = self.missing() {
            return Some(Write::AddStep(project.clone(), Box::new(self.bare(index)?)));
        }
        if let Some(index) = self.unwired() {
            let step = self.source.steps().get(index)?;
            return Some(Write::Wire(self.made_of(index)?.id.clone(), self.answers(index), step.answer_time));
        }
        let change = self.change();
        (!self.settled && change != Change::default()).then(|| Write::Change(project.clone(), change))
    }

    /// A step without its answers: what they lead to is not there yet.
    fn bare(&self, index: usize) -> Option<Step> {
        let step = self.source.steps().get(index)?;
        let video = step.video_id.clone().filter(|video| !video.is_empty() && !self.without_video.contains(&index));
        Some(Step {
            description: step.description.clone(),
            overlay_text: step.overlay_text.clone(),
            video_id: video,
            ..Step::default()
        })
    }

    /// The answers of a step, leading to the copies of where the originals lead; what leads nowhere leads there still.
    /// Other members of an answer are not taken along: an id among them would mean the original.
    fn answers(&self, index: usize) -> Option<Vec<Answer>> {
        let answers = self.source.steps().get(index)?.answers.as_ref()?;
        let ports = self.source.graph.as_ref().map(|graph| graph.ports(index)).unwrap_or_default();
        let mut copied = Vec::with_capacity(answers.len());
        for (at, answer) in answers.iter().enumerate() {
            let next = match ports.get(at).map(|port| port.leads) {
                Some(Leads::Step(to)) => answer.next.as_deref().and_then(|given| self.spelled(to, given)),
                _ => None,
            };
            copied.push(Answer { text: answer.text.clone(), next: next.or(answer.next.clone()), ..Answer::default() });
        }
        Some(copied)
    }

    /// The copy of a step as the original was written: by name or by id.
    fn spelled(&self, step: usize, given: &str) -> Option<String> {
        let made = self.made_of(step)?;
        let by_id = self.source.steps().get(step)?.id.as_ref().is_some_and(|id| id.as_str() == given);
        let (first, second) =
            if by_id { (made.id.as_str(), made.name.as_str()) } else { (made.name.as_str(), made.id.as_str()) };
        Some(if first.is_empty() { second } else { first }.to_owned())
    }

    /// Folder, e-mails and order. Entries of the order that name no step stay behind: no service takes them.
    fn change(&self) -> Change {
        let project = &self.source.project;
        let folder = project.folder.as_ref().filter(|folder| !folder.is_empty()).map(FolderId::to_string);
        let emails = project.email_notifications.clone().filter(|emails| !emails.is_empty());
        let ordered = |graph: &Graph| {
            let given = project.steps_order.as_deref().unwrap_or_default();
            let entries = given.iter().filter_map(|entry| self.spelled(graph.find(entry)?, entry));
            entries.collect::<Vec<_>>()
        };
        let order = self.source.graph.as_ref().map(ordered).filter(|order| !order.is_empty());
        let settings = project.player.as_ref().map(PlayerSettings::members).filter(|settings| !settings.is_empty());
        let player = settings.map(|members| PlayerChange { members });
        Change { name: None, folder, emails, order, player }
    }

    /// Takes what a call brought about.
    pub fn took(&mut self, written: Written) {
        self.hitch = None;
        match written {
            Written::Project(id) => self.project = Some(id),
            Written::Step(id, name) => {
                if let Some(index) = self.missing() {
                    self.keep(index, id, name);
                }
            }
            Written::Done => match self.unwired() {
                Some(index) => {
                    if let Some(Some(made)) = self.made.get_mut(index) {
                        made.wired = true;
                    }
                }
                None => self.settled = true,
            },
        }
    }

    fn keep(&mut self, index: usize, id: StepId, name: StepName) {
        if let Some(place) = self.made.get_mut(index) {
            *place = Some(Made { id, name, wired: false });
        }
    }

    /// Stops because of a call that failed.
    pub fn stop(&mut self, trouble: &Trouble) {
        self.hitch = Some(match trouble {
            Trouble { unknown: true, .. } => Hitch::Lost,
            Trouble { invalid: true, .. } => Hitch::Invalid,
            _ => Hitch::Refused,
        });
        self.stage = Stage::Stopped(trouble.failure.what.clone());
    }

    /// Whether what exists has to be read before it goes on: what only changes can be sent again, a step that may be
    /// there already can't.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.hitch == Some(Hitch::Lost) && self.project.is_some() && self.missing().is_some()
    }

    /// Takes the new project as it is now: a step in it that is not known is the one whose answer got lost, as nobody
    /// else knows of the project.
    pub fn found(&mut self, steps: &[Step]) {
        let known: HashSet<StepId> = self.made.iter().flatten().map(|made| made.id.clone()).collect();
        let lost = steps.iter().find(|step| step.id.as_ref().is_some_and(|id| !id.is_empty() && !known.contains(id)));
        if let (Some(index), Some(step)) = (self.missing(), lost) {
            let (id, name) = (step.id.clone().unwrap_or_default(), step.name.clone().unwrap_or_default());
            self.keep(index, id, name);
        }
        self.hitch = None;
    }

    /// Whether leaving a video out may help: the service refused a step that has one.
    #[must_use]
    pub fn may_leave_video_out(&self) -> bool {
        let step =
            self.missing().filter(|step| self.hitch == Some(Hitch::Invalid) && !self.without_video.contains(step));
        step.and_then(|step| self.bare(step)).is_some_and(|step| step.video_id.is_some())
    }

    /// Leaves the next step's video out.
    pub fn leave_video_out(&mut self) {
        self.without_video.extend(self.missing());
    }

    /// What exists of it, exactly.
    #[must_use]
    pub fn what_exists(&self) -> String {
        if self.project.is_none() {
            return "Nothing was copied.".to_owned();
        }
        let (made, all) = (self.steps_made(), self.order.len());
        let (wired, to_wire) = self.wiring();
        let answers = if made > 0 { format!("; {wired} of {to_wire} have their answers") } else { String::new() };
        let rest = if self.settled { "." } else { "; folder, e-mails and the order of the steps are not set." };
        let doubt = if self.is_in_doubt() {
            " We don't know whether one more step was created; this is checked first."
        } else {
            ""
        };
        format!("The new project has {made} of {all} steps{answers}{rest}{doubt}")
    }

    /// How many entries of the order stay behind.
    #[must_use]
    pub fn left_behind(&self) -> (usize, usize) {
        (self.source.graph.as_ref().map_or(0, |graph| graph.alien().len()), self.without_video.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Num, Project};
    use crate::studio::ground::Failure;

    fn step(id: &str, name: &str, answers: &[(&str, &str)]) -> Step {
        let answer = |(text, next): &(&str, &str)| Answer {
            text: (*text).to_owned(),
            next: Some((*next).to_owned()),
            ..Answer::default()
        };
        Step {
            id: Some(id.into()),
            name: Some(name.into()),
            answers: Some(answers.iter().map(answer).collect()),
            video_id: Some("v1".into()),
            ..Step::default()
        }
    }

    fn source() -> Arc<Record> {
        let project = Project {
            id: "p".into(),
            folder: Some("f".into()),
            steps_order: Some(vec!["bbbbb".into(), "1".into(), "alien".into()]),
            steps: Some(vec![
                step("1", "aaaaa", &[("to b", "bbbbb"), ("end", ""), ("lost", "zzzzz")]),
                Step { answer_time: Some(Num(4.0)), ..step("2", "bbbbb", &[("to a by id", "1"), ("self", "bbbbb")]) },
                step("3", "ccccc", &[]),
            ]),
            ..Project::default()
        };
        Arc::new(Record::of(project, serde_json::Value::Null, Vec::new()))
    }

    /// Answers every call as a service would, from `made` on; gives the calls.
    fn run(copy: &mut Copying, made: &mut u32) -> Vec<Write> {
        let mut writes = Vec::new();
        while let Some(write) = copy.next_write() {
            writes.push(write.clone());
            copy.took(answer(&write, made));
        }
        writes
    }

    fn answer(write: &Write, made: &mut u32) -> Written {
        *made += 1;
        match write {
            Write::Create(_) => Written::Project("copy".into()),
            Write::AddStep(..) => Written::Step(format!("id{made}").into(), format!("name{made}").into()),
            _ => Written::Done,
        }
    }

    #[test]
    fn steps_come_first_then_their_answers_then_the_order() {
        let mut copy = Copying::new(source(), "Copy".to_owned());
        let writes = run(&mut copy, &mut 0);
        // 2 is made of bbbbb, 3 of aaaaa, 4 of ccccc, which has no answers.
        let kinds: Vec<_> =
            writes.iter().map(|write| format!("{write:?}").split('(').next().unwrap().to_owned()).collect();
        assert_eq!(kinds, ["Create", "AddStep", "AddStep", "AddStep", "Wire", "Wire", "Change"]);
        let wires: Vec<_> = writes
            .iter()
            .filter_map(|write| match write {
                Write::Wire(id, answers, time) => {
                    let next = |answer: &Answer| answer.next.clone().unwrap();
                    Some((id.as_str(), answers.iter().flatten().map(next).collect::<Vec<_>>(), time.is_some()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(wires[0], ("id2", vec!["id3".to_owned(), "name2".to_owned()], true));
        assert_eq!(wires[1], ("id3", vec!["name2".to_owned(), String::new(), "zzzzz".to_owned()], false));
        let change = Change {
            folder: Some("f".to_owned()),
            order: Some(vec!["name2".to_owned(), "id3".to_owned()]),
            ..Change::default()
        };
        assert_eq!(writes[6], Write::Change("copy".into(), change));
        assert_eq!(copy.progress(), (7, 7));
        assert_eq!(copy.left_behind(), (1, 0));
    }

    #[test]
    fn it_goes_on_where_it_stopped_whatever_the_answer_that_got_lost() {
        let whole = {
            let mut copy = Copying::new(source(), "Copy".to_owned());
            run(&mut copy, &mut 0).len()
        };
        for stop_at in 0..whole {
            for arrived in [false, true] {
                let mut copy = Copying::new(source(), "Copy".to_owned());
                let (mut made, mut there) = (0, Vec::new());
                for at in 0.. {
                    let Some(write) = copy.next_write() else { break };
                    let mut note = |written: &Written| {
                        if let Written::Step(id, name) = written {
                            there.push(step(id.as_str(), name.as_str(), &[]));
                        }
                    };
                    if at == stop_at && !matches!(write, Write::Create(_)) {
                        // The answer is lost; whether the call arrived is not known here.
                        if arrived {
                            note(&answer(&write, &mut made));
                        }
                        let trouble =
                            Trouble { failure: Failure::new("lost"), unknown: true, invalid: false, gone: false };
                        copy.stop(&trouble);
                        assert_eq!(copy.is_in_doubt(), matches!(write, Write::AddStep(..)));
                        if copy.is_in_doubt() {
                            assert!(copy.what_exists().contains("We don't know"));
                            copy.found(&there);
                        }
                        continue;
                    }
                    let written = answer(&write, &mut made);
                    note(&written);
                    copy.took(written);
                }
                assert_eq!(there.len(), 3, "stopped at {stop_at}, arrived: {arrived}");
                assert_eq!(copy.progress().0, 7);
            }
        }
    }

    #[test]
    fn a_video_that_is_gone_can_be_left_out() {
        let mut copy = Copying::new(source(), "Copy".to_owned());
        copy.took(Written::Project("copy".into()));
        assert!(!copy.may_leave_video_out());
        copy.stop(&Trouble { failure: Failure::new("400"), unknown: false, invalid: true, gone: false });
        assert!(copy.may_leave_video_out() && !copy.is_in_doubt());
        copy.leave_video_out();
        let Some(Write::AddStep(_, step)) = copy.next_write() else { panic!("no step") };
        assert_eq!((step.video_id, copy.left_behind().1), (None, 1));
    }
}
