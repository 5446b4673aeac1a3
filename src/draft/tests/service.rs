//! What a service does with the calls of a plan, for tests without one: it may fail, and its answers may get lost.

use serde_json::to_value;

use crate::api::NewStep;
use crate::domain::{FolderId, Project, ProjectId, Step, StepId, StepName};
use crate::draft::{Applying, Draft, Next, Outcome, Record, Request, Seen};

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
        let number = |step: &Step| step.id.as_ref()?.as_str().strip_prefix("uuid-")?.parse().ok();
        let steps = project.steps.as_deref().unwrap_or_default();
        let names = steps.iter().filter_map(number).fold(100 * steps.len(), usize::max);
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
            products: new.products.filter(|products| !products.is_empty()),
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
                // As our own service: a step that shows none has no such field.
                step.products = change.products.or(step.products.take()).filter(|products| !products.is_empty());
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
    let mut applying = Applying::new("seed");
    for _ in 0..5_000 {
        let (more, seen) = match applying.next(draft) {
            Next::Nothing => return records,
            Next::ReadProject { .. } => applying.read(draft, service.project.clone()),
            Next::FindOutKeys => {
                applying.know_keys(true);
                continue;
            }
            Next::ListProjects { .. } => {
                let all = if service.project.id.is_empty() { Vec::new() } else { vec![service.project.clone()] };
                applying.listed(draft, &all)
            }
            Next::Call(call, options) => {
                assert!(to_value(&call).is_ok());
                records.extend(applying.sending(draft, &call, &options));
                let request = call.request(draft.project_id()).expect("the next call can be made");
                match applying.answered(draft, &call, service.answer(request, luck())) {
                    Ok(record) => records.extend(record),
                    Err(stopped) => records.extend(stopped.record.map(|record| *record)),
                }
                continue;
            }
        };
        records.extend(more);
        assert_eq!(seen, Seen::Same, "nobody else is there");
    }
    panic!("it does not end: {:?}", applying.next(draft));
}
