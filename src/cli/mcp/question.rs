//! What a person is asked before something is changed: which records by their names, what is done to them, and every
//! argument, each cut short by itself, so that none can push another out of sight.

use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::agent::Agent;
use super::describe;
use crate::api::{GetProject, ListVideos, ListWebhooks};
use crate::cli::projects;
use crate::domain::text;

/// Characters shown of one argument.
const SHOWN: usize = 300;
/// Requests of a plan that are shown.
const MOST_CALLS: usize = 20;

/// The lines below the question: the IDs first, with what they are of.
///
/// # Errors
/// Where there is nothing to ask about: an argument is missing, or the plan is none. A sentence for the agent.
pub(super) async fn about(agent: &Agent, tool: &Tool, arguments: &Map<String, Value>) -> Result<String, String> {
    let required = tool.input_schema.get("required").and_then(Value::as_array).into_iter().flatten();
    if let Some(missing) = required.filter_map(Value::as_str).find(|name| !arguments.contains_key(*name)) {
        return Err(format!("{missing} is required and missing{}", describe::found_by(missing)));
    }
    let (ids, others): (Vec<_>, Vec<_>) = arguments.iter().partition(|(name, _)| name.ends_with("Id"));
    let mut lines = Vec::new();
    for (name, value) in ids {
        let named = match value.as_str() {
            Some(id) => record(agent, name, id).await,
            None => None,
        };
        let named = named.map(|named| format!(" ({})", cut_short(&named))).unwrap_or_default();
        lines.push(format!("{name}: {}{named}", shown(value)));
    }
    let text_of = |name: &str| arguments.get(name).and_then(Value::as_str);
    let planned = match (&*tool.name, text_of("projectId"), text_of("file")) {
        ("apply_project", Some(id), Some(file)) => {
            Some(projects::planned(&agent.client, id, file).await.map_err(|failure| failure.to_string())?)
        }
        _ => None,
    };
    // What a file changes says more than the file.
    lines.extend(planned.iter().flat_map(calls));
    let said = others.into_iter().filter(|(name, _)| planned.is_none() || *name != "file");
    lines.extend(said.map(|(name, value)| format!("{name}: {}", shown(value))));
    Ok(lines.join("\n"))
}

/// The name of the record that has this ID, where the service says one.
async fn record(agent: &Agent, member: &str, id: &str) -> Option<String> {
    let of = |answer: &Value, list: Option<&str>, name: &str| {
        let records = list.map_or(answer, |list| answer.get(list).unwrap_or(&Value::Null)).as_array()?;
        let record = records.iter().find(|record| record.get("id").and_then(Value::as_str) == Some(id))?;
        record.get(name)?.as_str().map(str::to_owned)
    };
    match member {
        "projectId" => {
            let answer = agent.ask(&GetProject { id: id.into() }).await.ok()?;
            answer.get("project")?.get("name")?.as_str().map(str::to_owned)
        }
        "videoId" => of(&agent.ask(&ListVideos).await.ok()?, Some("videos"), "name"),
        "webhookId" => of(&agent.ask(&ListWebhooks).await.ok()?, None, "url"),
        _ => None,
    }
}

/// The requests of a plan, a line each.
fn calls(plan: &Value) -> Vec<String> {
    let calls = plan.get("plan").and_then(|plan| plan.get("calls")).and_then(Value::as_array);
    let titles = calls.into_iter().flatten().filter_map(|call| call.get("title")?.as_str());
    let mut lines: Vec<String> = titles.map(|title| format!("- {}", cut_short(title))).collect();
    let more = lines.len().saturating_sub(MOST_CALLS);
    lines.truncate(MOST_CALLS);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut_short(text),
        other => cut_short(&other.to_string()),
    }
}

/// A text on one line that a terminal can be given, with how long it is where not all of it is shown.
fn cut_short(whole: &str) -> String {
    let length = whole.chars().count();
    let shown: String = whole.chars().take(SHOWN).collect();
    let shown = text::line(&shown);
    if length > SHOWN { format!("{shown} … ({length} characters)") } else { shown.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_cut_short_and_says_so() {
        assert_eq!(cut_short("a\nb\u{1b}[2J"), text::line("a\nb\u{1b}[2J"));
        let long = cut_short(&"é".repeat(SHOWN + 1));
        assert!(long.starts_with('é') && long.ends_with("… (301 characters)"), "{long}");
        let calls: Vec<Value> = (0..22).map(|at| serde_json::json!({ "title": format!("Update step {at}") })).collect();
        let lines = super::calls(&serde_json::json!({ "plan": { "calls": calls } }));
        assert_eq!((lines.len(), lines.last().map(String::as_str)), (21, Some("- and 2 more")));
    }
}
