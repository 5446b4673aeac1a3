//! §4.3 and §4.4: projects and their steps.

use super::line::{Deed, Line, Scope};
use super::word::Word;
use crate::api::{ProjectChange, StepChange};
use crate::domain::{Answer, Num, ProjectId, StepId, StepName, StepProduct, VideoId};
use crate::draft::{ProjectFormat, Request};
use crate::studio::projects::{Change, Write, Written};

fn line(command: &'static [&'static str]) -> Line {
    Line::new(Scope::Workspace, command)
}

/// A write of the Projects screen and what it brought about.
#[must_use]
pub(super) fn written(write: &Write, written: &Written) -> Deed {
    match (write, written) {
        (Write::Create(name), Written::Project(id)) => create(name, id),
        (Write::Change(id, change), _) => {
            let Change { name, folder, emails, order, player } = change.clone();
            let change = ProjectChange {
                name,
                folder,
                email_notifications: emails,
                steps_order: order,
                player,
                ..ProjectChange::default()
            };
            change_project(id, &change)
        }
        (Write::Delete(id), _) => line(&["projects", "delete"]).operand(Word::id(id.as_str())).switch("--yes").done(),
        (Write::Create(_), _) => Deed::aside("something was created, but its ID is unknown"),
    }
}

/// A call of a saved plan; `made` is what was created, by id and name.
#[must_use]
pub(super) fn called(request: &Request, made: Option<(&str, &str)>) -> Deed {
    let (id, name) = made.unwrap_or_default();
    match request {
        Request::CreateProject(create_project) => create(&create_project.project.name, &ProjectId::from(id)),
        Request::CreateStep(create) => {
            let step = &create.step;
            let change = StepChange {
                description: step.description.clone(),
                answers: step.answers.clone(),
                video_id: step.video_id.clone(),
                overlay_text: step.overlay_text.clone(),
                products: step.products.clone(),
                ..StepChange::default()
            };
            create_step(&step.project_id, &change, &StepId::from(id), &StepName::from(name))
        }
        Request::UpdateStep(update) => change_step(&update.id, &update.change),
        Request::DeleteStep(delete) => {
            line(&["steps", "delete"]).operand(Word::id(delete.step_id.as_str())).switch("--yes").done()
        }
        Request::UpdateProject(update) => change_project(&update.id, &update.change),
    }
}

fn create(name: &str, id: &ProjectId) -> Deed {
    line(&["projects", "create"]).operand(name).making("project", [id.as_str()]).done()
}

/// A duplicate of a project with all its steps, made by these calls.
#[must_use]
pub(super) fn duplicate(source: &ProjectId, name: &str, made: &ProjectId, calls: Vec<Deed>) -> Deed {
    let line = line(&["projects", "duplicate"]).operand(Word::id(source.as_str())).flag("--name", name);
    line.making("project", [made.as_str()]).made_of(calls).done()
}

/// A project written to a file.
#[must_use]
pub(super) fn export(project: &ProjectId, file: &str, format: ProjectFormat) -> Deed {
    let line = line(&["projects", "export"]).operand(Word::id(project.as_str())).writing(file);
    line.flag("--format", format.word()).done()
}

/// Whether a command line gives this back as it was: it takes white space from the ends, and nothing for nothing.
fn is_kept(text: &str) -> bool {
    !text.is_empty() && text.trim() == text
}

fn change_project(id: &ProjectId, change: &ProjectChange) -> Deed {
    let mut line = line(&["projects", "update"]).operand(Word::id(id.as_str()));
    line = line.flags("--name", change.name.as_deref()).flags("--folder", change.folder.as_deref());
    if let Some(emails) = &change.email_notifications {
        if !emails.iter().all(|email| is_kept(email)) {
            return Deed::aside("the e-mails of a project were set to what no command can set");
        }
        line = line.flags("--email", emails.iter().map(String::as_str));
        line = if emails.is_empty() { line.flag("--email", "") } else { line };
    }
    if let Some(order) = &change.steps_order {
        if !order.iter().all(|step| is_kept(step) && !step.contains(',')) {
            return Deed::aside("the steps of a project were put in an order that no command can set");
        }
        let mut word = Word::default();
        for (at, step) in order.iter().enumerate() {
            word = if at > 0 { word.and(",".into()) } else { word };
            word = word.and(Word::id(step));
        }
        line = line.flag("--steps-order", word);
    }
    if let Some(player) = &change.player {
        line = line.flag("--player", serde_json::to_string(player).unwrap_or_default());
    }
    line.done()
}

fn create_step(project: &ProjectId, content: &StepChange, id: &StepId, name: &StepName) -> Deed {
    let line = line(&["steps", "create"]).operand(Word::id(project.as_str()));
    filled(line, content).making("step", [id.as_str(), name.as_str()]).done()
}

fn change_step(id: &StepId, change: &StepChange) -> Deed {
    filled(line(&["steps", "update"]).operand(Word::id(id.as_str())), change).done()
}

fn filled(line: Line, content: &StepChange) -> Line {
    let line = line.flags("--description", content.description.as_deref());
    let line = line.flags("--overlay-text", content.overlay_text.as_deref());
    let line = line.flags("--video", content.video_id.as_ref().map(VideoId::as_str).map(Word::id));
    let line = match &content.answers {
        Some(answers) => answered(line, answers),
        None => line,
    };
    let line = match &content.products {
        Some(products) if products.is_empty() => line.flag("--product", ""),
        Some(products) => line.flags("--product", products.iter().map(given)),
        None => line,
    };
    line.flags("--answer-time", content.answer_time.as_ref().map(Num::to_string))
}

/// A product as `--product` takes it, with its store: what the current one is differs from place to place.
fn given(product: &StepProduct) -> String {
    let mut given = product.product_id.as_str().to_owned();
    given.extend(product.variant_id.iter().map(|variant| format!(",variant={variant}")));
    given.extend(product.from.iter().map(|from| format!(",from={from}")));
    format!("{given},store={}", product.store)
}

/// The answers, each as a flag; where one can't be said so, all of them as JSON.
fn answered(line: Line, answers: &[Answer]) -> Line {
    if answers.is_empty() {
        return line.flag("--answer", "");
    }
    let next = |answer: &Answer| answer.next.clone().unwrap_or_default();
    let is_flag = |answer: &Answer| {
        let next = next(answer);
        answer.extra.is_empty()
            && answer.next.is_some()
            && answer.text.trim() == answer.text
            && next.trim() == next
            && !next.contains("=>")
    };
    if answers.iter().all(is_flag) {
        let words = answers.iter().map(|answer| Word::text(format!("{}=>", answer.text)).and(Word::id(next(answer))));
        return line.flags("--answer", words);
    }
    let mut document = Word::text("[");
    for (at, answer) in answers.iter().enumerate() {
        document = if at > 0 { document.and(",".into()) } else { document };
        let json = serde_json::to_string(answer).unwrap_or_default();
        let named = answer.next.as_ref().filter(|next| !next.is_empty());
        // The step stands apart, so that a script can put another in its place: where JSON writes it as it is.
        let member = named.map(|next| format!("\"next\":\"{next}\""));
        document = match member.as_ref().and_then(|member| json.split_once(member.as_str())).zip(named) {
            Some(((before, after), next)) => document
                .and(Word::text(format!("{before}\"next\":\"")))
                .and(Word::id(next))
                .and(Word::text(format!("\"{after}"))),
            None => document.and(Word::text(json)),
        };
    }
    line.flag("--answers", Word::text("-")).reading(document.and("]".into()))
}
