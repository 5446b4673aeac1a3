//! Projects, steps and folders, §4.3 and §4.4.

use serde_json::{Value, json};

use super::operation::{Host, Method, Operation, Payload, Row};
use super::to_json;
use crate::domain::{
    Answer, Fault, Finding, Folder, Num, Project, ProjectId, Reader, Segment, Step, StepId, StepName, VideoId,
};
use crate::shape;

const fn row(name: &'static str, method: Method, path: &'static str) -> Row {
    let reads = matches!(method, Method::Get);
    Row {
        name,
        tag: "studio",
        method,
        path,
        host: Host::Base,
        writes: !reads,
        idempotent: !matches!(method, Method::Post),
        takes_app_key: !reads,
    }
}

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

impl Operation for CreateProject {
    const ROW: Row = row("createProject", Method::Post, "/projects");
    type Response = CreatedProject;

    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(body: &Value) -> (CreatedProject, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `GET /projects/`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListProjects;

shape! {
    /// The answer of list projects.
    pub struct ProjectList {
        projects: req Vec<Project> => "projects",
    }
}

impl Operation for ListProjects {
    const ROW: Row = row("listProjects", Method::Get, "/projects/");
    type Response = ProjectList;

    fn read(body: &Value) -> (ProjectList, Vec<Finding>) {
        Reader::read(body)
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

fn read_project(body: &Value) -> (OpenedProject, Vec<Finding>) {
    let mut reader = Reader::default();
    let Some(mut object) = body.as_object().cloned() else {
        reader.note(Fault::Mistyped { expected: "an object", found: crate::domain::type_of(body) });
        return (OpenedProject::default(), reader.into_findings());
    };
    let mut project: Project = reader.required(&mut object, "project");
    let beside: Option<Vec<Step>> = reader.optional_nullable(&mut object, "steps");
    if let Some(steps) = beside {
        project.steps = Some(steps);
    }
    for key in object.keys() {
        reader.enter(Segment::Key(key.clone()), |reader| reader.note(Fault::Undeclared));
    }
    (OpenedProject { project, extra: object }, reader.into_findings())
}

impl Operation for GetProject {
    const ROW: Row = row("getProject", Method::Get, "/projects/{id}");
    type Response = OpenedProject;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn read(body: &Value) -> (OpenedProject, Vec<Finding>) {
        read_project(body)
    }
}

impl Operation for GetProjectByPost {
    const ROW: Row = Row {
        writes: false,
        idempotent: true,
        takes_app_key: true,
        ..row("getProjectByPost", Method::Post, "/projects/{id}")
    };
    type Response = OpenedProject;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(json!({}))
    }
    fn read(body: &Value) -> (OpenedProject, Vec<Finding>) {
        read_project(body)
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
    }
}

impl Operation for UpdateProject {
    const ROW: Row = row("updateProject", Method::Put, "/projects/{id}");
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.change))
    }
    fn read(_body: &Value) -> ((), Vec<Finding>) {
        ((), Vec::new())
    }
}

shape! {
    /// `DELETE /projects`: the id travels in the body and in the query, the spec leaves open which.
    pub struct DeleteProject {
        project_id: req ProjectId => "projectId",
    }
}

impl Operation for DeleteProject {
    const ROW: Row = row("deleteProject", Method::Delete, "/projects");
    type Response = ();

    fn query(&self) -> Vec<(&'static str, &str)> {
        vec![("projectId", self.project_id.as_str())]
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(_body: &Value) -> ((), Vec<Finding>) {
        ((), Vec::new())
    }
}

/// `GET /projects/actions/folders`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListFolders;

shape! {
    /// The answer of list folders.
    pub struct FolderList {
        folders: req Vec<Folder> => "folders",
    }
}

impl Operation for ListFolders {
    const ROW: Row = row("listFolders", Method::Get, "/projects/actions/folders");
    type Response = FolderList;

    fn read(body: &Value) -> (FolderList, Vec<Finding>) {
        Reader::read(body)
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
    }
}

shape! {
    /// The answer of create step.
    pub struct CreatedStep {
        id: req StepId => "id",
        name: req StepName => "name",
    }
}

impl Operation for CreateStep {
    const ROW: Row = row("createStep", Method::Post, "/projects/steps");
    type Response = CreatedStep;

    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(body: &Value) -> (CreatedStep, Vec<Finding>) {
        Reader::read(body)
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
    }
}

impl Operation for UpdateStep {
    const ROW: Row = row("updateStep", Method::Put, "/projects/steps/{id}");
    type Response = ();

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.change))
    }
    fn read(_body: &Value) -> ((), Vec<Finding>) {
        ((), Vec::new())
    }
}

shape! {
    /// `DELETE /projects/steps`: the id travels in the body and in the query.
    pub struct DeleteStep {
        step_id: req StepId => "stepId",
    }
}

impl Operation for DeleteStep {
    const ROW: Row = row("deleteStep", Method::Delete, "/projects/steps");
    type Response = ();

    fn query(&self) -> Vec<(&'static str, &str)> {
        vec![("stepId", self.step_id.as_str())]
    }
    fn payload(&self) -> Payload {
        Payload::Json(to_json(self))
    }
    fn read(_body: &Value) -> ((), Vec<Finding>) {
        ((), Vec::new())
    }
}
