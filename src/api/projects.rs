//! Projects, steps and folders, §4.3 and §4.4.

use serde_json::{Value, json};

use super::operation::{Operation, Payload};
use super::to_json;
use crate::domain::{
    Answer, Folder, FromJson, HasSchema, Members, Num, PlayerChange, Project, ProjectId, Reader, Schemas, Step, StepId,
    StepName, StepProduct, VideoId,
};
use crate::shape;

shape! {
    /// `POST /projects`
    pub struct CreateProject {
        project: req NewProject => "project",
    }
}

shape! {
    /// What a project is created with, §2.7.
    pub struct NewProject {
        name: req String => "name",
        /// A folder's id or name. §2.7 lists it with what an update takes; not every service takes it here.
        folder: opt String => "folder",
        /// As [`Self::folder`].
        email_notifications: opt Vec<String> => "emailNotifications",
        /// An extension: how the player looks and what it asks.
        player: opt PlayerChange => "player",
    }
}

shape! {
    /// The answer of create project. The player's address is in [`Self::player_url`] or any other member that holds
    /// an http(s) address (the field is named after the service).
    pub struct CreatedProject {
        id: req ProjectId => "id",
        player_url: opt String => "cutaway",
    }
}

impl CreatedProject {
    /// The player's address, whatever the service calls the field.
    #[must_use]
    pub fn player(&self) -> Option<&str> {
        let named = self.player_url.as_deref();
        named.or_else(|| self.extra.values().filter_map(Value::as_str).find(|text| is_web_address(text)))
    }
}

fn is_web_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

shape! {
    /// The answer of list projects.
    pub struct ProjectList {
        projects: req Vec<Project> => "projects",
    }
}

/// `GET /projects/{id}`; the spec also shows it as POST, see [`GetProjectByPost`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetProject {
    /// Which one.
    pub id: ProjectId,
}

/// `POST /projects/{id}`, the other way the spec shows to read a project (§4.3). It writes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetProjectByPost {
    /// Which one.
    pub id: ProjectId,
}

/// A project with its steps, whichever way the service arranged them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenedProject {
    /// The project, with its steps in [`Project::steps`] where there were any.
    pub project: Project,
    /// Members beside `project` and `steps`, as they came.
    pub extra: serde_json::Map<String, Value>,
}

impl FromJson for OpenedProject {
    const TYPE: &'static str = "an object";
    fn from_json(body: &Value, reader: &mut Reader) -> Option<Self> {
        let mut members = Members::of(body)?;
        let mut project: Project = reader.required(&mut members, "project");
        let beside: Option<Vec<Step>> = reader.optional_nullable(&mut members, "steps");
        if let Some(steps) = beside {
            project.steps = Some(steps);
        }
        Some(Self { project, extra: reader.undeclared(members) })
    }
}

impl HasSchema for OpenedProject {
    fn schema(schemas: &mut Schemas) -> Value {
        let properties = json!({ "project": Project::schema(schemas), "steps": Vec::<Step>::schema(schemas) });
        json!({ "type": "object", "required": ["project", "steps"], "properties": properties })
    }
}

impl Operation for GetProject {
    type Response = OpenedProject;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
}

impl Operation for GetProjectByPost {
    type Response = OpenedProject;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(json!({}))
    }
}

/// `PUT /projects/{id}`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateProject {
    /// Which one.
    pub id: ProjectId,
    /// What changes; absent members stay as they are.
    pub change: ProjectChange,
}

shape! {
    /// The writable fields of a project, §2.7.
    pub struct ProjectChange {
        name: opt String => "name",
        email_notifications: opt Vec<String> => "emailNotifications",
        steps_order: opt Vec<String> => "stepsOrder",
        /// A folder's id or name; empty takes the project out of its folder.
        folder: opt String => "folder",
        /// An extension: the player's settings that change. Absent members stay, null clears one.
        player: opt PlayerChange => "player",
    }
}

impl Operation for UpdateProject {
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.change))
    }
}

shape! {
    /// `DELETE /projects`: the id travels in the body and in the query, the spec leaves open which.
    pub struct DeleteProject {
        project_id: req ProjectId => "projectId",
    }
}

impl Operation for DeleteProject {
    type Response = ();

    fn query(&self) -> Vec<(&'static str, &str)> {
        vec![("projectId", self.project_id.as_str())]
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
}

shape! {
    /// The answer of list folders.
    pub struct FolderList {
        folders: req Vec<Folder> => "folders",
    }
}

shape! {
    /// `POST /projects/steps`
    pub struct CreateStep {
        step: req NewStep => "step",
    }
}

shape! {
    /// What a step is created with, §2.8.
    pub struct NewStep {
        project_id: req ProjectId => "projectId",
        description: opt String => "description",
        answers: opt Vec<Answer> => "answers",
        video_id: opt VideoId => "videoId",
        overlay_text: opt String => "overlayText",
        /// An extension: the products that the step shows.
        products: opt Vec<StepProduct> => "products",
    }
}

shape! {
    /// The answer of create step.
    pub struct CreatedStep {
        id: req StepId => "id",
        name: req StepName => "name",
    }
}

/// `PUT /projects/steps/{id}`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateStep {
    /// Which one.
    pub id: StepId,
    /// What changes; absent members stay as they are.
    pub change: StepChange,
}

shape! {
    /// The writable fields of a step, §2.8.
    pub struct StepChange {
        description: opt String => "description",
        answers: opt Vec<Answer> => "answers",
        /// Empty takes the video away.
        video_id: opt VideoId => "videoId",
        overlay_text: opt String => "overlayText",
        /// Seconds from the video's start at which the answers appear, not negative.
        answer_time: opt Num => "answerTime",
        /// An extension: the products that the step shows, in place of those that it showed.
        products: opt Vec<StepProduct> => "products",
    }
}

impl Operation for UpdateStep {
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.change))
    }
}

shape! {
    /// `DELETE /projects/steps`: the id travels in the body and in the query.
    pub struct DeleteStep {
        step_id: req StepId => "stepId",
    }
}

impl Operation for DeleteStep {
    type Response = ();

    fn query(&self) -> Vec<(&'static str, &str)> {
        vec![("stepId", self.step_id.as_str())]
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
}
