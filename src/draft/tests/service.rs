//! What a service does with the calls of a plan, for tests without one: it may fail, and its answers may get lost.

use serde_json::to_value;

use crate::api::NewStep;
use crate::domain::{FolderId, Project, ProjectId, Step, StepId, StepName};
use crate::draft::{Draft, Next, Outcome, Record, Request};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Luck {
    /// It goes well.
    Good,
    /// It is refused.
    Refused,
    /// It does not arrive, and nobody knows.
    Lost,
    /// It is done, and nobody knows.
    Silent,
}

#[derive(Debug, Clone)]
pub struct Service {
    pub project: Project,
    pub created: usize,
    names: usize,
}

impl Service {
    pub fn of(project: Project) -> Self {
        // Names that no other service of the test gives.
        let names = project.steps.as_ref().map_or(0, |steps| 100 * steps.len());
        Self { project, created: 0, names }
    }

    fn steps(&mut self) -> &mut Vec<Step> {
        self.project.steps.get_or_insert_default()
    }

    fn create(&mut self, new: NewStep) -> Outcome {
        self.created += 1;
        self.names += 1;
        let (id, name) = (StepId::new(format!("uuid-{}", self.names)), StepName::new(format!("X{:04}", self.names)));
        let step = Step {
            id: Some(id.clone()),
            name: Some(name.clone()),
            project_id: Some(new.project_id),
            description: new.description,
            answers: new.answers,
            video_id: new.video_id,
            overlay_text: new.overlay_text,
            ..Step::default()
        };
        self.steps().push(step);
        Outcome::CreatedStep(id, name)
    }

    fn make(&mut self, request: Request) -> Outcome {
        let by = |steps: &mut Vec<Step>, id: &StepId| {
            let is = |step: &Step| {
                step.id.as_ref() == Some(id)
                    || (step.id.is_none() && step.name.as_ref().is_some_and(|name| name.as_str() == id.as_str()))
            };
            steps.iter().position(is)
        };
        match request {
            Request::CreateProject(new) => {
                self.created += 1;
                self.project =
                    Project { id: ProjectId::new("made"), name: Some(new.project.name), ..Project::default() };
                self.project.steps = Some(Vec::new());
                Outcome::CreatedProject(self.project.id.clone())
            }
            Request::CreateStep(new) => self.create(new.step),
            Request::UpdateStep(update) => {
                let Some(at) = by(self.steps(), &update.id) else { return Outcome::Gone("no step".to_owned()) };
                let (step, change) = (&mut self.steps()[at], update.change);
                step.description = change.description.or(step.description.take());
                step.overlay_text = change.overlay_text.or(step.overlay_text.take());
                step.video_id = change.video_id.or(step.video_id.take()).filter(|video| !video.is_empty());
                step.answer_time = change.answer_time.or(step.answer_time.take());
                step.answers = change.answers.or(step.answers.take());
                Outcome::Done
            }
            Request::DeleteStep(delete) => {
                let Some(at) = by(self.steps(), &delete.step_id) else { return Outcome::Gone("no step".to_owned()) };
                self.steps().remove(at);
                Outcome::Done
            }
            Request::UpdateProject(update) => {
                let (project, change) = (&mut self.project, update.change);
                project.name = change.name.or(project.name.take());
                project.email_notifications = change.email_notifications.or(project.email_notifications.take());
                project.steps_order = change.steps_order.or(project.steps_order.take());
                if let Some(folder) = change.folder {
                    project.folder = Some(FolderId::new(folder)).filter(|folder| !folder.is_empty());
                }
                Outcome::Done
            }
        }
    }

    pub fn answer(&mut self, request: Request, luck: Luck) -> Outcome {
        match luck {
            Luck::Good => self.make(request),
            Luck::Refused => Outcome::Refused("503".to_owned()),
            Luck::Lost => Outcome::Unknown("broken".to_owned()),
            Luck::Silent => {
                self.make(request);
                Outcome::Unknown("broken".to_owned())
            }
        }
    }
}

/// Applies what there is, going on after every failure, until nothing is left. The records of it.
pub fn apply(draft: &mut Draft, service: &mut Service, luck: &mut dyn FnMut() -> Luck) -> Vec<Record> {
    let mut records = Vec::new();
    for _ in 0..1_000 {
        match draft.next() {
            Next::Nothing => return records,
            Next::ReadProject => records.extend(draft.settle(&service.project)),
            Next::ListProjects => {
                let all = if service.project.id.is_empty() { Vec::new() } else { vec![service.project.clone()] };
                records.extend(draft.settle_project(&all));
            }
            Next::Call(call) => {
                assert!(to_value(&call).is_ok());
                records.extend(draft.sending(&call, &[]));
                let request = call.request(draft.project_id()).expect("the next call can be made");
                match draft.answered(&call, service.answer(request, luck())) {
                    Ok(record) => records.extend(record),
                    Err(stopped) => records.extend(stopped.record.map(|record| *record)),
                }
            }
        }
    }
    panic!("it does not end: {:?}", draft.next());
}
