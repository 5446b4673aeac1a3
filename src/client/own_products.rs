//! Products of steps at services that don't keep them: the field is an extension of §2.8. What such a service drops or
//! refuses is kept in a file of the state folder, one for each service, and put into what it says of its projects. So
//! whoever reads a project with the client finds the products, and the service never hears of them in another field.
//!
//! A service is believed by what it shows, step by step: where it gives products back, it keeps them, and what was kept
//! here of that step goes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::envelope::Envelope;
use super::send::Sender;
use super::{Answer, ClientError, json};
use crate::api::{CreateStep, DeleteProject, DeleteStep, GetProject, GetProjectByPost, Operation, UpdateStep};
use crate::domain::StepId;
use crate::settings::{alone, write_private as replace_private};

const FIELD: &str = "products";

/// Where products are kept that services don't keep.
#[derive(Debug, Clone)]
pub struct OwnProducts {
    folder: Arc<Path>,
}

/// What is known of one service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    /// Its address, for people who look into the file.
    service: String,
    /// Whether it keeps products; absent until that is known.
    keeps: Option<bool>,
    /// What is kept here for it, by the paths of its steps.
    steps: BTreeMap<String, KeptStep>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct KeptStep {
    /// The project, as far as it is known.
    project: Option<String>,
    /// What the service calls the step: some name no ids.
    name: Option<String>,
    products: Vec<Value>,
    /// Whether the service refused the field, or has something else in it.
    refused: bool,
    /// Whether the service did not say yet what became of them.
    unsettled: bool,
}

/// Where the products are that were written to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// At the service.
    There,
    /// Here: the service doesn't keep them.
    Here,
    /// Here, until a reading tells whether the service has them.
    Unsettled,
}

/// What was written to a step.
struct Sent {
    /// The path of the step; none where it is created.
    path: Option<String>,
    project: Option<String>,
    products: Vec<Value>,
}

/// A step as its path names it: ids may hold anything.
fn path_of(id: &str) -> String {
    UpdateStep { id: StepId::new(id), ..UpdateStep::default() }.path()
}

fn text(object: &Value, member: &str) -> Option<String> {
    object.get(member)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn list(object: &Value) -> Option<&Vec<Value>> {
    object.get(FIELD)?.as_array().filter(|products| !products.is_empty())
}

/// Whether a list holds products of a step, and not what another service means by that name.
fn are_products(list: &[Value]) -> bool {
    list.iter().all(|product| text(product, "productId").is_some())
}

impl Sent {
    fn of(envelope: &Envelope) -> Option<Self> {
        let body = envelope.json.as_ref()?;
        let (path, step) = if envelope.row == UpdateStep::ROW {
            (Some(envelope.path.clone()), body)
        } else if envelope.row == CreateStep::ROW {
            (None, body.get("step")?)
        } else {
            return None;
        };
        let products = step.get(FIELD)?.as_array()?.clone();
        Some(Self { path, project: text(step, "projectId"), products })
    }
}

/// The same request without the products; none where nothing else is in it.
fn without(envelope: &Envelope) -> Option<Envelope> {
    let mut plain = envelope.clone();
    let body = plain.json.as_mut()?;
    let is_new = plain.row == CreateStep::ROW;
    let step = if is_new { body.get_mut("step")? } else { body };
    let members = step.as_object_mut()?;
    members.remove(FIELD);
    let is_empty = members.is_empty();
    // What was refused under a key may be refused under it again.
    plain.conditions.key = plain.conditions.key.map(|key| format!("{key}-plain"));
    (is_new || !is_empty).then_some(plain)
}

/// Whether a service refuses the field: a 400 that names it, and nothing that is wrong with what is in it. Where nothing
/// else was sent, it may say that there is nothing to do.
fn refuses(error: &ClientError, alone: bool) -> bool {
    let ClientError::Problem(problem) = error else { return false };
    if !matches!(problem.status, 400 | 422) {
        return false;
    }
    let is_field = |pointer: &str| pointer.rsplit(['/', '.']).next() == Some(FIELD);
    let is_inside = |pointer: &str| pointer.split(['/', '.']).any(|part| part == FIELD);
    if problem
        .errors
        .iter()
        .any(|error| is_inside(&error.pointer) && (!is_field(&error.pointer) || of_value(&error.detail)))
    {
        return false;
    }
    let told = |sentence: &str| names(sentence) && !of_value(sentence);
    let named = problem.errors.iter().any(|error| is_field(&error.pointer) || told(&error.detail));
    let says = problem.errors.is_empty() && (problem.detail.as_deref().is_some_and(told) || told(&problem.title));
    named || says || alone
}

/// Whether a sentence is about what is in the field: how much, or of which type.
fn of_value(sentence: &str) -> bool {
    const WORDS: [&str; 7] = ["entries", "items", "array", "list", "type", "empty", "characters"];
    let sentence = sentence.to_lowercase();
    sentence.contains(|c: char| c.is_ascii_digit()) || WORDS.iter().any(|word| sentence.contains(word))
}

/// Whether a sentence names the field, and not only a word that begins with it.
fn names(sentence: &str) -> bool {
    sentence.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == FIELD)
}

/// The steps of a project as a service tells it.
fn steps_mut(body: &mut Value) -> Option<&mut Vec<Value>> {
    if body.get("steps").is_some_and(Value::is_array) {
        return body.get_mut("steps")?.as_array_mut();
    }
    body.get_mut("project")?.get_mut("steps")?.as_array_mut()
}

impl Kept {
    /// Takes what became of a write: where the products are, and the path of their step where that is not certain.
    fn note(&mut self, sent: &Sent, answer: &Value, refused: bool) -> (Where, Option<String>) {
        let id = text(answer, "id").map(|id| path_of(&id));
        let Some(path) = sent.path.clone().or(id) else { return (Where::There, None) };
        let before = self.steps.remove(&path).unwrap_or_default();
        if sent.products.is_empty() {
            return (Where::There, None);
        }
        // A record that has other fields of a step says what became of this one too.
        let shown = list(answer).map(|list| are_products(list));
        if shown == Some(true) && !refused {
            self.keeps = Some(true);
            return (Where::There, None);
        }
        let unsettled = !refused && shown.is_none() && answer.get("answers").is_none();
        if !unsettled {
            self.keeps = Some(false);
        }
        let step = KeptStep {
            project: sent.project.clone().or_else(|| text(answer, "projectId")).or(before.project),
            name: text(answer, "name").or(before.name),
            products: sent.products.clone(),
            refused: refused || shown == Some(false),
            unsettled,
        };
        self.steps.insert(path.clone(), step);
        if unsettled { (Where::Unsettled, Some(path)) } else { (Where::Here, None) }
    }

    /// The step of which a reading tells.
    fn step_of(&self, project: Option<&str>, told: &Value) -> Option<String> {
        if let Some(id) = text(told, "id") {
            return Some(path_of(&id)).filter(|path| self.steps.contains_key(path));
        }
        let name = text(told, "name")?;
        let is_it = |step: &KeptStep| step.name.as_deref() == Some(&name) && step.project.as_deref() == project;
        self.steps.iter().find(|(_, step)| is_it(step)).map(|(path, _)| path.clone())
    }

    /// Puts what is kept here into a reading of a project; whether anything was.
    fn fill(&mut self, body: &mut Value) -> bool {
        let project = body.get("project").and_then(|project| text(project, "id"));
        let Some(steps) = steps_mut(body) else { return false };
        let is_kept_there = |step: &Value| list(step).is_some_and(|list| are_products(list));
        let keeps = steps.iter().any(is_kept_there);
        let mut filled = false;
        for told in steps {
            let Some(path) = self.step_of(project.as_deref(), told) else { continue };
            let Some(kept) = self.steps.get_mut(&path) else { continue };
            // What was sent to a service that keeps products, and isn't there, was removed there.
            if is_kept_there(told) || (keeps && kept.unsettled && list(told).is_none()) {
                self.steps.remove(&path);
                continue;
            }
            kept.unsettled = false;
            kept.project = kept.project.take().or_else(|| project.clone());
            kept.name = text(told, "name").or(kept.name.take());
            if let Some(told) = told.as_object_mut() {
                told.insert(FIELD.to_owned(), Value::Array(kept.products.clone()));
                filled = true;
            }
        }
        if keeps && !self.steps.values().any(|step| step.refused) {
            self.keeps = Some(true);
        }
        filled
    }

    /// Forgets what is deleted.
    fn forget(&mut self, deleted: &Map<String, Value>) {
        let id = |member: &str| deleted.get(member).and_then(Value::as_str);
        if let Some(step) = id("stepId") {
            self.steps.remove(&path_of(step));
        }
        if let Some(project) = id("projectId") {
            self.steps.retain(|_, step| step.project.as_deref() != Some(project));
        }
    }
}

impl OwnProducts {
    /// Those of a folder, which need not exist.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    fn file(&self, service: &Url) -> PathBuf {
        let name: String = blake3::hash(service.as_str().as_bytes()).to_hex().chars().take(16).collect();
        self.folder.join(format!("{name}.json"))
    }

    /// Changes what is known of a service, and writes it where that is something else by then.
    async fn change<T: Send + 'static>(
        &self,
        service: &Url,
        change: impl FnOnce(&mut Kept) -> T + Send + 'static,
    ) -> io::Result<T> {
        let (file, service) = (self.file(service), service.to_string());
        let changed = move || {
            let known = load(&file)?;
            let mut kept = known.clone();
            let done = change(&mut kept);
            if kept != known {
                kept.service = service;
                replace_private(&file, &serde_json::to_string_pretty(&kept)?)?;
            }
            Ok(done)
        };
        let folder = self.folder.join(".lock");
        tokio::task::spawn_blocking(move || alone(&folder, changed)?).await.map_err(io::Error::other)?
    }

    /// Puts what is kept here into what a service says of a project; whether anything was.
    pub(super) async fn fill(&self, sender: &Sender, envelope: &Envelope, body: &mut Value) -> bool {
        if envelope.row != GetProject::ROW && envelope.row != GetProjectByPost::ROW {
            return false;
        }
        let service = sender.place().hosts.base;
        let shows = steps_mut(body).is_some_and(|steps| steps.iter().any(|step| list(step).is_some()));
        if !shows && !self.file(&service).exists() {
            return false;
        }
        let mut told = std::mem::take(body);
        let changed = self.change(&service, move |kept| (kept.fill(&mut told), told)).await;
        match changed {
            Ok((filled, told)) => {
                *body = told;
                filled
            }
            Err(error) => {
                tracing::warn!(%error, "the products that are kept here can't be read");
                false
            }
        }
    }

    /// Whether a request says something of the products of steps, or of what has some.
    pub(super) fn concerns(envelope: &Envelope) -> bool {
        let rows = [UpdateStep::ROW, CreateStep::ROW, DeleteStep::ROW, DeleteProject::ROW];
        rows.contains(&envelope.row)
    }

    /// Makes a call, without the products where the service refuses them, and keeps them where it doesn't.
    pub(super) async fn send(&self, sender: &Sender, envelope: Envelope) -> Result<Answer<()>, ClientError> {
        let Some(sent) = Sent::of(&envelope) else {
            let deleted = (envelope.row == DeleteStep::ROW || envelope.row == DeleteProject::ROW)
                .then(|| envelope.json.as_ref().and_then(Value::as_object).cloned())
                .flatten();
            let answer = sender.call(envelope).await?;
            if let Some(deleted) = deleted.filter(|_| self.file(&sender.place().hosts.base).exists()) {
                let _ = self.change(&sender.place().hosts.base, move |kept| kept.forget(&deleted)).await;
            }
            return Ok(answer);
        };
        let plain = without(&envelope);
        let (answer, refused) = match sender.call(envelope).await {
            Ok(answer) => (answer, None),
            Err(error) if refuses(&error, plain.is_none()) && self.keeps(sender).await != Some(true) => match plain {
                Some(plain) => (sender.call(plain).await?, Some(error)),
                None => (Answer::of_nothing(), Some(error)),
            },
            Err(error) => return Err(error),
        };
        self.note(sender, sent, answer, refused).await
    }

    async fn keeps(&self, sender: &Sender) -> Option<bool> {
        self.change(&sender.place().hosts.base, |kept| kept.keeps).await.ok().flatten()
    }

    /// Takes what a write came to. Where the answer doesn't tell whether the service keeps the products, the project is
    /// read once; where that tells nothing either, the next reading does.
    async fn note(
        &self,
        sender: &Sender,
        sent: Sent,
        answer: Answer<()>,
        refused: Option<ClientError>,
    ) -> Result<Answer<()>, ClientError> {
        let service = sender.place().hosts.base;
        let told = json::read(&answer.body).unwrap_or_default();
        let (is_refused, project) = (refused.is_some(), sent.project.clone().or_else(|| text(&told, "projectId")));
        let noted = self.change(&service, move |kept| {
            let (at, path) = kept.note(&sent, &told, is_refused);
            let known = path.as_ref().and_then(|path| kept.steps.get(path)?.project.clone());
            (at, path, known)
        });
        let products_here = match noted.await {
            Ok((Where::Unsettled, Some(path), known)) => match project.or(known) {
                Some(project) => self.find_out(sender, &project, path).await,
                None => false,
            },
            Ok((at, ..)) => at == Where::Here,
            // Nothing is said to be kept that is not.
            Err(error) => {
                tracing::warn!(%error, "the products of a step can't be kept here");
                return refused.map_or(Ok(answer), Err);
            }
        };
        Ok(Answer { products_here, ..answer })
    }

    /// Reads a project to see whether its service keeps the products of a step; whether it is known that it doesn't.
    async fn find_out(&self, sender: &Sender, project: &str, path: String) -> bool {
        let Ok(envelope) = Envelope::of(&GetProject { id: project.into() }) else { return false };
        let Ok(answer) = sender.call(envelope).await else { return false };
        let Ok(mut body) = json::read(&answer.body) else { return false };
        let found = move |kept: &mut Kept| {
            kept.fill(&mut body);
            let here = kept.steps.get(&path).is_some_and(|step| !step.unsettled);
            if here {
                kept.keeps = Some(false);
            }
            here
        };
        self.change(&sender.place().hosts.base, found).await.unwrap_or(false)
    }
}

/// What is known by the file. One that can't be read is moved out of the way, and never written over.
fn load(file: &Path) -> io::Result<Kept> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
        Err(error) => return Err(error),
    };
    if let Ok(kept) = serde_json::from_str(&text) {
        return Ok(kept);
    }
    std::fs::rename(file, file.with_extension("broken"))?;
    Ok(Kept::default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(products: &Value) -> Sent {
        Sent { path: Some(path_of("a/1")), project: None, products: products.as_array().unwrap().clone() }
    }

    fn project(products: Option<&Value>) -> Value {
        let mut steps = json!([{ "id": "a/1", "name": "aaaaa" }, { "id": "b", "name": "bbbbb" }]);
        if let Some(products) = products {
            steps[1][FIELD] = products.clone();
        }
        json!({ "project": { "id": "p" }, "steps": steps })
    }

    #[test]
    fn what_a_service_drops_is_put_in_until_it_shows_products_of_that_step() {
        let (mut kept, products) = (Kept::default(), json!([{ "store": "s", "productId": "1" }]));
        let unsettled = (Where::Unsettled, Some(path_of("a/1")));
        assert_eq!(kept.note(&sent(&products), &Value::Null, false), unsettled);
        let mut told = project(None);
        assert!(kept.fill(&mut told));
        assert_eq!((&told["steps"][0][FIELD], &told["steps"][1][FIELD]), (&products, &Value::Null));
        // By name, where the service tells no ids.
        let mut told = json!({ "project": { "id": "p", "steps": [{ "name": "aaaaa" }] } });
        assert!(kept.fill(&mut told));
        assert_eq!(told["project"]["steps"][0][FIELD], products);
        // An empty list is none, and what it shows of another step says nothing of this one.
        assert!(kept.fill(&mut project(Some(&json!([])))));
        let mut told = project(Some(&products));
        assert!(kept.fill(&mut told));
        assert_eq!((&told["steps"][0][FIELD], kept.keeps, kept.steps.len()), (&products, Some(true), 1));
        let mut told = json!({ "steps": [{ "id": "a/1", "products": [{ "store": "s", "productId": "2" }] }] });
        let as_told = told.clone();
        assert!(!kept.fill(&mut told));
        assert_eq!((told, kept.steps.len()), (as_told, 0));
    }

    #[test]
    fn what_became_of_a_write_is_believed() {
        let (mut kept, products) = (Kept::default(), json!([{ "store": "s", "productId": "1" }]));
        let note = |kept: &mut Kept, answer: &Value| kept.note(&sent(&products), answer, false).0;
        assert_eq!(note(&mut kept, &json!({ "products": [{ "productId": "1" }] })), Where::There);
        assert_eq!((kept.keeps, kept.steps.len()), (Some(true), 0));
        // It was put back to an older version.
        assert_eq!(note(&mut kept, &json!({ "answers": [] })), Where::Here);
        assert_eq!((kept.keeps, kept.steps.len()), (Some(false), 1));
        // It means something else by that name.
        assert_eq!(note(&mut kept, &json!({ "answers": [], "products": ["gid://1"] })), Where::Here);
        let mut told = json!({ "steps": [{ "id": "a/1", "products": ["gid://1"] }] });
        assert!(kept.fill(&mut told));
        assert_eq!(told["steps"][0][FIELD], products);
        assert_eq!(kept.note(&sent(&products), &Value::Null, true).0, Where::Here, "refused");
        assert_eq!(kept.note(&sent(&json!([])), &Value::Null, true).0, Where::There);
        assert!(kept.steps.is_empty());
        // Sent to a service that keeps them, and removed there before anybody looked.
        assert_eq!(note(&mut kept, &Value::Null), Where::Unsettled);
        assert!(!kept.fill(&mut project(Some(&products))));
        assert!(kept.steps.is_empty());
    }

    #[test]
    fn a_refusal_names_the_field_and_nothing_inside_of_it() {
        let is_refused = |status: u16, body: &Value, alone: bool| {
            let problem = crate::api::Problem::read(status, body.to_string().as_bytes(), None);
            refuses(&ClientError::Problem(Box::new(problem)), alone)
        };
        let refused = |status: u16, body: &Value| is_refused(status, body, false);
        let field = |pointer: &str, detail: &str| json!({ "errors": [{ "pointer": pointer, "detail": detail }] });
        assert!(refused(400, &field("/products", "is not declared")));
        assert!(refused(422, &field("/step/products", "?")));
        assert!(refused(400, &json!({ "detail": "unknown property \"products\"" })));
        assert!(refused(400, &field("", "additional property 'products'")));
        assert!(!refused(400, &field("/products/0/productId", "is empty")));
        assert!(!refused(400, &field("/products", "may have at most 50 entries")));
        assert!(!refused(400, &json!({ "detail": "products must be an array" })));
        assert!(!refused(400, &field("/answers", "are too many")));
        assert!(!refused(500, &field("/products", "is not declared")));
        // Where nothing else was sent.
        let nothing = field("", "has none of the fields that this operation takes: answers, videoId");
        assert!(!refused(400, &nothing) && is_refused(400, &nothing, true));
        assert!(!is_refused(400, &field("/products", "may have at most 50 entries"), true));
        assert!(!is_refused(404, &nothing, true));
    }

    #[test]
    fn what_is_deleted_is_forgotten() {
        let (mut kept, products) = (Kept::default(), json!([{ "store": "s", "productId": "1" }]));
        kept.note(&sent(&products), &json!({ "projectId": "p" }), false);
        kept.forget(json!({ "projectId": "q", "stepId": "b" }).as_object().unwrap());
        assert_eq!(kept.steps.len(), 1);
        kept.forget(json!({ "projectId": "p" }).as_object().unwrap());
        assert!(kept.steps.is_empty());
    }
}
