//! What is wrong with the steps of projects, as `projects check` tells it.

use super::line::Line;
use super::report::Report;
use crate::api::ListProjects;
use crate::cli::projects::check;
use crate::cli::{Failure, Session};
use crate::graph;
use crate::lint::Severity;

pub(super) async fn check(session: &Session, id: Option<&str>, report: &mut Report) -> Result<(), Failure> {
    let client = session.connect().await?.client;
    let ids = if let Some(id) = id {
        vec![id.to_owned()]
    } else {
        let projects = client.call(&ListProjects).await?.value.projects;
        projects.into_iter().map(|project| project.id.as_str().to_owned()).collect()
    };
    for id in ids {
        let (answer, graph, faults) = check::check(&client, &id).await?;
        let project = answer.value.project.name.unwrap_or_default();
        for fault in faults {
            let step = fault.step.map(|step| graph.name(step).to_owned());
            let key = format!("wiring {id} {}", fault.key);
            report.take(&Line {
                rule: fault.kind.name().to_owned(),
                name: fault.kind.name().to_owned(),
                set: super::WIRING,
                severity: severity(fault.severity()),
                sentence: fault.sentence.clone(),
                field: fault.port.map_or_else(String::new, |port| format!("answers[{port}]")),
                kind: if step.is_some() { "step" } else { "project" },
                title: Some(step.as_ref().map_or_else(|| project.clone(), |step| format!("{project}, {step}"))),
                id: id.clone(),
                store: None,
                fix: fault.fix.as_ref().map(|fix| fix.words(&graph)),
                key,
            })?;
        }
    }
    Ok(())
}

fn severity(severity: graph::Severity) -> Severity {
    match severity {
        graph::Severity::Fault => Severity::Error,
        graph::Severity::Warning => Severity::Warning,
        graph::Severity::Note => Severity::Note,
    }
}
