//! From a tool's name and arguments to what it does.

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::agent::Agent;
use super::calls::{Arguments, Called, id, optional};
use super::shape::Shape;
use super::tools;
use crate::api::{Operation as _, SearchProducts};

/// Calls a tool.
///
/// # Errors
/// A sentence for the agent.
pub(super) async fn call(agent: &Agent, called: &Called, mut arguments: Arguments) -> Result<Value, String> {
    let tool = &called.tool;
    let Some(described) = tools::named(&tool.name) else {
        return Err(format!("there is no tool {:?}", tool.name));
    };
    let shape = if described.shaped { Some(Shape::take(&mut arguments)?) } else { None };
    if let Some(shape) = shape.as_ref().filter(|_| described.row == SearchProducts::ROW) {
        include(shape, &mut arguments);
    }
    let takes_store = described.row.tag == SearchProducts::ROW.tag;
    if let Some(store) = agent.store.as_ref().filter(|_| takes_store) {
        arguments.entry("appUrl").or_insert_with(|| json!(store.as_str()));
    }
    let answer = (described.call)(agent, called, arguments).await?;
    match shape {
        None => Ok(answer),
        Some(shape) => shape.of(answer),
    }
}

/// Includes what members are selected of.
fn include(shape: &Shape, arguments: &mut Arguments) {
    for part in shape.includes(&["media", "variants", "analysis"]) {
        let include = arguments.entry("include").or_insert_with(|| json!({}));
        if let Some(include) = include.as_object_mut() {
            include.entry(part).or_insert(Value::Bool(true));
        }
    }
}

/// That a tool declares all that it was given, as its schema says (`additionalProperties: false`).
///
/// # Errors
/// A sentence for the agent.
pub(super) fn declared(tool: &Tool, arguments: Option<&Arguments>) -> Result<(), String> {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let known = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    match arguments.into_iter().flat_map(Map::keys).find(|name| !known(name)) {
        None => Ok(()),
        Some(other) => {
            let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let known = if known.is_empty() { "no arguments".to_owned() } else { known.join(", ") };
            Err(format!("the arguments are wrong: {other} is not a declared property; {} takes {known}", tool.name))
        }
    }
}

/// That a tool can read what it is called with: the texts that it takes beside its fields, and then those.
///
/// # Errors
/// A sentence for the agent.
pub(super) fn readable(tool: &Tool, mut arguments: Arguments) -> Result<(), String> {
    let Some(described) = tools::named(&tool.name) else { return Ok(()) };
    if let Some((name, _)) = described.id {
        id(&mut arguments, name)?;
    }
    for (name, _, _) in described.texts {
        optional(&mut arguments, name)?;
    }
    if described.shaped {
        Shape::take(&mut arguments)?;
    }
    (described.fits)(tool, arguments)
}
