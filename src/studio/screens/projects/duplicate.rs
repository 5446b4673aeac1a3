//! Duplicating a project: a draft of a new project, saved as every draft is. What of it exists the draft itself says.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{Answer, Way};
use super::asking::quoted;
use super::fetching::remind;
use super::vocabulary::{Effect, Record, Turn, Write};
use super::{Projects, Words, WriteOf};
use crate::domain::{Project, ProjectId, text};
use crate::draft::{Call, Draft, Edit, Merge, Side, StepRef, Stranger};
use crate::studio::ground::saver::{Answered, Due, Halt, Reply, Saver};
use crate::studio::ground::{Failure, Moment, NoticeKind, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Question, Role};

/// What a duplicate is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Calls are made.
    Running,
    /// It stopped; why, for people.
    Stopped(String),
}

/// A duplicate under way, or stopped.
#[derive(Debug, Clone)]
pub struct Duplicate {
    /// What is copied.
    source: ProjectId,
    /// The new project's name.
    pub name: String,
    /// What it is doing.
    pub stage: Stage,
    /// Whether to stop after the call that is under way.
    stopping: bool,
    draft: Draft,
    saver: Saver,
    /// What it waits for.
    waits: Option<RequestId>,
    /// How many calls it takes in all.
    calls: usize,
    /// The step whose video the service refused.
    refused: Option<StepRef>,
    /// Where the response to a creation was lost: the projects that may be what was created, none where nothing is shown
    /// that could be it.
    unclear: Option<Vec<Stranger>>,
    /// How many videos were left out because of that.
    without_video: usize,
    /// How many entries of the original's order name no step: no service takes them.
    aliens: usize,
}

impl Duplicate {
    fn new(source: &Record, name: String, saver: Saver, turn: &Turn) -> Self {
        let (mut draft, _) = Draft::copy_of(&turn.context.workspace, source.project.clone(), Some(name.clone()));
        draft = draft.within(turn.context.profile.clone());
        let calls = draft.plan().calls.len();
        Self {
            source: source.project.id.clone(),
            name,
            stage: Stage::Running,
            stopping: false,
            draft,
            saver,
            waits: None,
            calls,
            refused: None,
            unclear: None,
            without_video: 0,
            aliens: source.graph.as_ref().map_or(0, |graph| graph.alien().len()),
        }
    }

    /// The project that is copied.
    #[must_use]
    pub fn source(&self) -> &ProjectId {
        &self.source
    }

    /// The new project, once there is one.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectId> {
        Some(self.draft.project_id()).filter(|id| !id.is_empty())
    }

    /// What the new project is to be, and what of it exists.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Calls that are done, and how many there are.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.calls.saturating_sub(self.saver.left()), self.calls)
    }

    /// What exists of it, exactly.
    fn what_exists(&self) -> String {
        if self.project().is_none() {
            let is_known = !self.draft.is_unsettled();
            let words = if is_known {
                "Nothing was copied."
            } else {
                "We don't know whether it was created. No step was created."
            };
            return words.to_owned();
        }
        let (base, content) = (self.draft.base(), self.draft.content());
        let (made, all) = (base.sequence().len(), content.steps().count());
        let plan = self.draft.plan();
        let waits = |step: StepRef| {
            plan.calls.iter().any(|planned| planned.call.step() == Some(step)) || base.step(step).is_none()
        };
        let answered = content.steps().filter(|(_, content)| !content.answers().is_empty());
        let (wired, to_wire) =
            answered.fold((0, 0), |(wired, to_wire), (step, _)| (wired + usize::from(!waits(step)), to_wire + 1));
        let answers = if made > 0 { format!("; {wired} of {to_wire} have their answers") } else { String::new() };
        let is_settled = !plan.calls.iter().any(|planned| matches!(planned.call, Call::UpdateProject { .. }));
        let rest = if is_settled { "." } else { "; folder, e-mails and the order of the steps are not set." };
        let doubt = if self.draft.is_unsettled() {
            " We don't know whether one more step was created; this is checked first."
        } else {
            ""
        };
        format!("The new project has {made} of {all} steps{answers}{rest}{doubt}")
    }

    /// Leaves out the video that the service refused.
    fn leave_video_out(&mut self) {
        if let Some(step) = self.refused.take()
            && self.draft.apply(&Edit::Video { step, video: None }).is_ok()
        {
            self.without_video += 1;
        }
    }

    /// Takes over what somebody else made of the new project meanwhile: nothing of it is written over.
    fn take_over(&mut self, mut merge: Merge) {
        let spots: Vec<_> = merge.conflicts.iter().map(|conflict| conflict.spot).collect();
        for spot in spots {
            merge.decide(spot, Side::Theirs);
        }
        drop(self.draft.rebase(&merge));
    }

    /// What can become of it now that it has stopped, in words.
    fn ways(&self) -> Vec<(Way, String)> {
        let is_there = self.project().is_some();
        let strangers = self.unclear.as_deref().unwrap_or_default();
        let mut ways = vec![(Way::Leave, Way::Leave.words().to_owned())];
        let looks_again = !is_there && self.draft.is_unsettled();
        ways.push((Way::GoOn, if looks_again { "Look for it again" } else { Way::GoOn.words() }.to_owned()));
        if self.refused.is_some() {
            ways.push((Way::WithoutVideo, Way::WithoutVideo.words().to_owned()));
        }
        for (nth, stranger) in strangers.iter().enumerate() {
            if let Stranger::Project(project) = stranger {
                ways.push((Way::Adopt(nth), format!("It is {}: continue with it", text::line(project.id.as_str()))));
            }
        }
        if self.unclear.is_some() {
            let words = match strangers {
                [] if is_there => Way::CreateAgain.words(),
                [] => "Create the project again",
                [_] => "It is someone else's: create the project again",
                _ => "None of them: create the project again",
            };
            ways.push((Way::CreateAgain, words.to_owned()));
        }
        if is_there {
            ways.push((Way::Delete, Way::Delete.words().to_owned()));
        }
        ways.push((Way::Forget, if is_there { Way::Forget.words() } else { "Don't duplicate it" }.to_owned()));
        ways
    }

    fn halted(&mut self, halt: &Halt) {
        self.refused = match halt.call.as_deref() {
            Some(Call::CreateStep(new)) if halt.invalid => new.fields.video_id.as_ref().map(|_| new.step),
            _ => None,
        };
        self.stage = Stage::Stopped(halt.to_string());
    }
}

impl Projects {
    /// Duplicates the selected project, or asks what becomes of a copy that is not whole yet.
    pub(super) fn duplicate(&mut self, turn: &mut Turn) {
        match &self.copying {
            Some(copying) if matches!(copying.stage, Stage::Stopped(_)) => self.ask_about_copy(turn),
            Some(copying) => {
                let (done, all) = copying.progress();
                let lines = vec![(Role::Text, format!("{done} of {all} requests done."))];
                let title = format!("Duplicating as {}", quoted(&copying.name));
                let ways = vec![(Way::Leave, "Continue".to_owned()), (Way::Stop, Way::Stop.words().to_owned())];
                Self::ask_way(title, lines, ways, turn);
            }
            None => self.ask_copy_name(turn),
        }
    }

    fn ask_way(title: String, lines: Vec<(Role, String)>, ways: Vec<(Way, String)>, turn: &mut Turn) {
        let options = ways.into_iter().map(|(way, words)| (Answer::Copying(way), words));
        turn.question(Question::decide(title, lines, options));
    }

    fn ask_about_copy(&self, turn: &mut Turn) {
        let Some(copying) = &self.copying else { return };
        let Stage::Stopped(why) = &copying.stage else { return };
        let lines = vec![(Role::Error, text::line(why).into_owned()), (Role::Text, copying.what_exists())];
        let title = format!("The copy {} is incomplete", quoted(&copying.name));
        Self::ask_way(title, lines, copying.ways(), turn);
    }

    /// Does with a copy what the person decided.
    pub(super) fn decide_copy(&mut self, way: Way, now: Moment, turn: &mut Turn) {
        let Some(copying) = &mut self.copying else { return };
        match way {
            Way::Leave => {}
            Way::Stop => copying.stopping = !matches!(copying.stage, Stage::Stopped(_)),
            Way::Forget => {
                let name = quoted(&copying.name);
                let is_there = copying.project().is_some();
                let say =
                    if is_there { format!("Kept {name} as it is.") } else { format!("Not duplicated as {name}.") };
                turn.say(NoticeKind::Hint, say);
                self.copying = None;
            }
            Way::Delete => {
                let (Some(project), called) = (copying.project().cloned(), quoted(&copying.name)) else { return };
                let (doing, done) = (format!("deleting {called}"), format!("Deleted the copy {called}."));
                self.write(WriteOf::Copy, Write::Delete(project), Words::new(doing, done, "Not deleted"), now, turn);
            }
            Way::GoOn | Way::WithoutVideo | Way::CreateAgain | Way::Adopt(_) => {
                if !self.may_write(turn) {
                    return;
                }
                let Some(copying) = &mut self.copying else { return };
                let unclear = copying.unclear.take().unwrap_or_default();
                match way {
                    Way::WithoutVideo => copying.leave_video_out(),
                    Way::CreateAgain => drop(copying.draft.absent()),
                    Way::Adopt(nth) => drop(unclear.get(nth).and_then(|one| copying.draft.adopt(one))),
                    _ => {}
                }
                copying.stopping = false;
                copying.saver.renew(&turn.context, &of(copying), now);
                self.go_on(now, turn);
            }
        }
    }

    /// Makes a project that holds what this one does, of which the service may have nothing.
    pub fn make_of(&mut self, project: Project, now: Moment, turn: &mut Turn) {
        if self.copying.is_some() {
            turn.say(NoticeKind::Hint, "Another copy is incomplete; ‹projects.duplicate› continues or deletes it.");
            return;
        }
        if !self.may_write(turn) {
            return;
        }
        let name = super::row::called(project.name.as_deref().unwrap_or_default()).to_owned();
        self.begin_copy(Ok(Some(Arc::new(Record::of(project, Value::Null, Vec::new())))), name, now, turn);
    }

    /// Begins a copy with the project as it is now.
    pub(super) fn begin_copy(
        &mut self,
        record: Result<Option<Arc<Record>>, Failure>,
        name: String,
        now: Moment,
        turn: &mut Turn,
    ) {
        match record {
            Ok(Some(record)) if record.graph.is_none() => {
                let say = "Not duplicated: the service sent no steps of this project. Nothing was created.";
                turn.say(NoticeKind::Error, say);
            }
            Ok(Some(record)) => {
                let saver = Saver::new(&turn.context, &format!("{}\n{name}", record.project.id), now);
                self.copying = Some(Box::new(Duplicate::new(&record, name, saver, turn)));
                self.go_on(now, turn);
            }
            Ok(None) => {
                turn.say(
                    NoticeKind::Error,
                    "The service no longer has this project. ‹projects.refresh› reloads the list.",
                );
            }
            Err(failure) if failure.unauthorized => {}
            Err(failure) => {
                turn.say(NoticeKind::Error, format!("Not duplicated: couldn't load the project: {}", failure.what));
            }
        }
    }

    /// What is due next for a copy, or its end.
    fn go_on(&mut self, now: Moment, turn: &mut Turn) {
        let request = turn.next_id();
        let Some(copying) = &mut self.copying else { return };
        copying.stage = Stage::Running;
        match copying.saver.next(&mut copying.draft) {
            Due::Ask(ask, _) => {
                copying.waits = Some(request);
                turn.ask(Effect::Ask { request, ask });
                remind(turn, 0);
            }
            Due::Nothing => self.duplicated(now, turn),
            Due::Stuck => {
                copying.stage =
                    Stage::Stopped("The next request needs a value that the service didn't send.".to_owned());
                self.stopped(now, turn);
            }
        }
    }

    fn duplicated(&mut self, now: Moment, turn: &mut Turn) {
        let Some(copying) = self.copying.take() else { return };
        let mut said = vec![format!("Duplicated as {}.", quoted(&copying.name))];
        if copying.without_video > 0 {
            said.push(format!("{} without a video: the service refused it.", copying.without_video));
        }
        if copying.aliens > 0 {
            said.push(format!("{} entries of the order named no step and were left out.", copying.aliens));
        }
        if copying.saver.loses_player() {
            said.push("This service doesn't store player settings.".to_owned());
        }
        if copying.saver.loses_products() {
            said.push("This service doesn't store the products of steps.".to_owned());
        }
        if copying.saver.keeps_products_here() {
            said.push("This service doesn't store the products of steps; they are kept on this computer.".to_owned());
        }
        turn.say(NoticeKind::Done, said.join(" "));
        self.wanted = copying.project().cloned();
        self.refresh(now, turn);
    }

    /// Takes what a copy asked for.
    pub(super) fn copy_answered(&mut self, request: RequestId, reply: Reply, now: Moment, turn: &mut Turn) {
        let Some(copying) = &mut self.copying else { return };
        if copying.waits.take_if(|waits| *waits == request).is_none() {
            return;
        }
        let (_, answered) = copying.saver.answered(&mut copying.draft, reply);
        match answered {
            Answered::On => {}
            // Nobody else knows of the project yet: what is there and unknown is what was being made.
            Answered::Unclear(strangers) if matches!(strangers.first(), Some(Stranger::Step(_))) => {
                drop(strangers.first().and_then(|stranger| copying.draft.adopt(stranger)));
            }
            // The project itself may be somebody else's, and what is not shown may be about to be.
            Answered::Unclear(strangers) => {
                let halt = Halt::unclear(&copying.draft, &strangers);
                copying.unclear = Some(strangers);
                return self.copy_halted(&halt, now, turn);
            }
            Answered::Changed(merge) => copying.take_over(*merge),
            Answered::Stopped(halt) => return self.copy_halted(&halt, now, turn),
        }
        if std::mem::take(&mut copying.stopping) && !copying.draft.is_saved() {
            copying.stage = Stage::Stopped("Stopped, as you asked.".to_owned());
            self.stopped(now, turn);
        } else {
            self.go_on(now, turn);
        }
    }

    fn copy_halted(&mut self, halt: &Halt, now: Moment, turn: &mut Turn) {
        let Some(copying) = &mut self.copying else { return };
        if halt.unauthorized {
            turn.outcomes.push(Outcome::Unauthorized);
        }
        copying.halted(halt);
        if copying.project().is_some() || copying.draft.is_unsettled() {
            return self.stopped(now, turn);
        }
        let what = text::line(&halt.why).into_owned();
        self.copying = None;
        if !halt.unauthorized {
            turn.say(NoticeKind::Error, format!("Not duplicated, nothing was created: {what}"));
        }
    }

    fn stopped(&mut self, now: Moment, turn: &mut Turn) {
        self.refresh(now, turn);
        self.ask_about_copy(turn);
    }
}

/// What tells this copy from others.
fn of(copying: &Duplicate) -> String {
    format!("{}\n{}", copying.source, copying.name)
}
