//! What a person is asked before something is changed: which records by their names, what is done to them, and every
//! value, each on a line of its own and cut short by itself, so that none can push another out of sight.

use rmcp::model::Tool;
use serde_json::{Map, Value};
use url::Url;

use super::agent::Agent;
use super::{describe, dispatch};
use crate::api::{GetProject, ListVideos, ListWebhooks};
use crate::cli::projects;
use crate::domain::text;

/// Characters shown of a long value: its beginning and its end.
const BEGIN: usize = 200;
const END: usize = 80;
/// Lines that are shown of one argument, and of a plan.
const MOST_OF_ONE: usize = 40;
const MOST_OF_PLAN: usize = 200;

/// The lines below the question: the IDs first, with what they are of. None where nothing would change.
///
/// # Errors
/// Where there is nothing to ask about: an argument is missing or can't be read, or the plan is
/// another one. A sentence for the agent.
pub(super) async fn about(
    agent: &Agent,
    tool: &Tool,
    arguments: &Map<String, Value>,
) -> Result<Option<String>, String> {
    let required = tool.input_schema.get("required").and_then(Value::as_array).into_iter().flatten();
    if let Some(missing) = required.filter_map(Value::as_str).find(|name| !arguments.contains_key(*name)) {
        return Err(format!("{missing} is required and missing{}", describe::found_by(missing)));
    }
    dispatch::readable(tool, arguments.clone())?;
    let (ids, others): (Vec<_>, Vec<_>) = arguments.iter().partition(|(name, _)| name.ends_with("Id"));
    let mut lines = Vec::new();
    for (name, value) in ids {
        let id = value.as_str().filter(|id| !id.is_empty());
        let named = match id {
            Some(id) => record(agent, name, id).await,
            None => None,
        };
        let named = match named {
            Some(named) => format!(" ({})", cut_short(&named)),
            None if id.is_some() => " (its name is not known)".to_owned(),
            None => String::new(),
        };
        lines.push(format!("{name}: {}{named}", shown(value)));
    }
    if &*tool.name == "apply_project" {
        let text_of = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let (project, file) = (text_of("projectId"), text_of("file"));
        let meant = projects::meant(&agent.client, project, file).await.map_err(|failure| failure.to_string())?;
        if meant.hash != text_of("planHash") {
            return Err(projects::ANOTHER_PLAN.to_owned());
        }
        if meant.lines.is_empty() {
            return Ok(None);
        }
        // What a file changes says more than the file. What is deleted comes first.
        lines.extend(first(meant.lines.iter().map(String::as_str).map(indented).collect(), MOST_OF_PLAN));
        lines.extend(meant.hindrances.iter().map(|hindrance| format!("can't be saved: {}", cut_short(hindrance))));
    } else {
        if let Some(file) = arguments.get("file").and_then(Value::as_str) {
            projects::check_file(file).map_err(|failure| failure.to_string())?;
        }
        for (name, value) in others {
            let mut leaves = Vec::new();
            gather(name, value, &mut leaves);
            lines.extend(first(leaves, MOST_OF_ONE));
        }
    }
    Ok(Some(lines.join("\n")))
}

/// The name of the record that has this ID, where it is known.
async fn record(agent: &Agent, member: &str, id: &str) -> Option<String> {
    let of = |records: &Value, name: &str| {
        let record = records.as_array()?.iter().find(|record| record.get("id").and_then(Value::as_str) == Some(id))?;
        record.get(name)?.as_str().map(str::to_owned)
    };
    match member {
        "projectId" => {
            let answer = agent.ask(&GetProject { id: id.into() }).await.ok()?;
            answer.get("project")?.get("name")?.as_str().map(str::to_owned)
        }
        "stepId" => agent.step(id),
        "videoId" => of(agent.ask(&ListVideos).await.ok()?.get("videos")?, "name"),
        "webhookId" => of(&agent.ask(&ListWebhooks).await.ok()?, "url"),
        _ => None,
    }
}

/// A line for each value in an argument: `player.shopUrl: "https://shop.example"`.
fn gather(path: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                gather(&format!("{path}.{}", cut_short(name)), member, lines);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                gather(&format!("{path}[{at}]"), item, lines);
            }
        }
        leaf => lines.push(format!("{path}: {}", shown(leaf))),
    }
}

/// A line of a plan, cut short: what changes stands below its request.
fn indented(line: &str) -> String {
    let before = if line.starts_with(' ') { "    " } else { "" };
    format!("{before}{}", cut_short(line))
}

/// The first of some lines, and how many more there are.
fn first(mut lines: Vec<String>, most: usize) -> Vec<String> {
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    if more > 0 {
        lines.push(format!("… and {more} more lines that are not shown"));
    }
    lines
}

/// A value in quotes where it is a text; of an address that may hide it, the host.
fn shown(value: &Value) -> String {
    let Value::String(text) = value else { return cut_short(&value.to_string()) };
    let quoted = Value::String(cut_short(text)).to_string();
    let address = Url::parse(text.trim()).ok().filter(Url::has_host);
    let hides =
        |address: &Url| text.chars().count() > BEGIN + END || address.username() != "" || address.password().is_some();
    match address.as_ref().filter(|address| hides(address)).and_then(Url::host_str) {
        Some(host) => format!("{quoted} (on {})", cut_short(host)),
        None => quoted,
    }
}

/// A text on one line that a terminal can be given, with single spaces: its beginning and its end, and how long it is where
/// not all of it is shown.
fn cut_short(whole: &str) -> String {
    let is_space = |c: char| c.is_whitespace() || c == '\u{2800}';
    let words: Vec<&str> = whole.split(is_space).filter(|word| !word.is_empty()).collect();
    let one = words.join(" ");
    let length = one.chars().count();
    if length <= BEGIN + END {
        return text::line(&one).into_owned();
    }
    let begin: String = one.chars().take(BEGIN).collect();
    let end: String = one.chars().skip(length - END).collect();
    text::line(&format!("{begin} … {end} ({length} characters)")).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_hides_another_or_what_it_is() {
        let lines = |value: Value| {
            let mut lines = Vec::new();
            gather("player", &value, &mut lines);
            lines
        };
        let long = "é".repeat(1_000);
        let told = lines(json!({ "endText": long, "shopUrl": "https://shop.example/" }));
        assert!(
            told.first().is_some_and(|line| line.contains("… é") && line.contains("(1000 characters)")),
            "{told:?}"
        );
        assert_eq!(told.last().map(String::as_str), Some(r#"player.shopUrl: "https://shop.example/""#));
        // Nothing looks like a line of its own, and no address like another.
        let forged = json!(format!("x{}\nprojectId: other\u{1b}[2J\u{2800}", " ".repeat(150)));
        assert_eq!(lines(forged), ["player: \"x projectId: other·[2J\""]);
        let other = lines(json!(format!("https://shop.example:{}@evil.example/", "a".repeat(600))));
        assert!(other.concat().ends_with("(on evil.example)"), "{other:?}");
        assert_eq!(
            lines(json!([{ "text": "A", "next": "" }, null])),
            ["player[0].text: \"A\"", "player[0].next: \"\"", "player[1]: null",]
        );
        let many = first(vec!["a".to_owned(); 50], MOST_OF_ONE);
        assert_eq!(many.last().map(String::as_str), Some("… and 10 more lines that are not shown"));
    }
}
