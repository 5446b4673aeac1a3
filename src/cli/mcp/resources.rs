//! What agents may read by its address: projects, their graphs, what is wrong with them, and products.

use rmcp::model::{ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use super::agent::Agent;
use crate::api::{GetProduct, GetProject, ListProjects};
use crate::cli::{Failure, projects};

/// What addresses begin with.
const SCHEME: &str = "cutaway://";
const JSON: &str = "application/json";
const SVG: &str = "image/svg+xml";
/// Projects on a page.
const PAGE: usize = 200;

/// A resource by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    Project(String),
    Graph(String),
    Problems(String),
    Product(String),
}

impl Named {
    fn read(uri: &str) -> Option<Self> {
        let parts: Vec<&str> = uri.strip_prefix(SCHEME)?.split('/').collect();
        let id = |id: &str| {
            let id = percent_decoded(id)?;
            (!id.trim().is_empty()).then_some(id)
        };
        match parts.as_slice() {
            ["projects", project] => id(project).map(Self::Project),
            ["projects", project, "graph.svg"] => id(project).map(Self::Graph),
            ["projects", project, "problems"] => id(project).map(Self::Problems),
            ["products", product] => id(product).map(Self::Product),
            _ => None,
        }
    }
}

/// An id as it stands in an address (RFC 3986 §2.1).
fn percent_encoded(id: &str) -> String {
    use std::fmt::Write as _;
    id.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

fn percent_decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

const PROBLEMS: &str = "What is wrong with a project's steps; the tool lint also checks their products and videos";

/// The kinds of addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, about: &str, kind: &str| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name).with_description(about).with_mime_type(kind)
    };
    vec![
        template("projects/{projectId}", "project", "A project with its steps and answers", JSON),
        template(
            "projects/{projectId}/graph.svg",
            "project graph",
            "A project's steps and where answers lead, as a picture",
            SVG,
        ),
        template("projects/{projectId}/problems", "project problems", PROBLEMS, JSON),
        template("products/{productId}", "product", "A product of the workspace's store, by its external ID", JSON),
    ]
}

/// A page of the projects there are, each with its graph. A cursor is how many came before.
pub(super) async fn list(agent: &Agent, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let before = match cursor {
        None => 0,
        Some(cursor) => cursor.parse::<usize>().map_err(|_| {
            ErrorData::invalid_params(format!("{cursor:?} isn't a cursor that resources/list returned"), None)
        })?,
    };
    let answer = agent.ask(&ListProjects).await.map_err(|why| ErrorData::internal_error(why, None))?;
    let all = answer.get("projects").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let projects = all.iter().skip(before).take(PAGE);
    let after = before.saturating_add(PAGE);
    let next = (after < all.len()).then(|| after.to_string());
    let of = |project: &Value| {
        let id = project.get("id")?.as_str()?;
        let name = project.get("name").and_then(Value::as_str).unwrap_or(id);
        let uri = format!("{SCHEME}projects/{}", percent_encoded(id));
        let graph = format!("{name}: graph");
        Some([
            Resource::new(uri.clone(), name)
                .with_description("A project with its steps and answers")
                .with_mime_type(JSON),
            Resource::new(format!("{uri}/graph.svg"), graph)
                .with_description("Its steps and where answers lead")
                .with_mime_type(SVG),
        ])
    };
    let mut page = ListResourcesResult::with_all_items(projects.filter_map(of).flatten().collect());
    page.next_cursor = next;
    Ok(page)
}

/// Reads one.
pub(super) async fn read(agent: &Agent, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = |why: &str| ErrorData::resource_not_found(format!("{uri}: {why}"), None);
    let Some(named) = Named::read(uri) else {
        return Err(unknown("there is no such resource; resources/templates/list has what there is"));
    };
    let failed = |failure: Failure| match failure.exit_code() {
        4 => unknown(&failure.to_string()),
        _ => ErrorData::internal_error(format!("{uri}: {failure}"), None),
    };
    let (text, kind) = match named {
        Named::Project(id) => {
            let project = agent.call(&GetProject { id: id.as_str().into() }).await.map_err(failed)?;
            if project.get("project").is_some_and(Value::is_null) {
                return Err(unknown("there is no such project"));
            }
            (project.to_string(), JSON)
        }
        Named::Graph(id) => (projects::drawn(&agent.client, &id).await.map_err(failed)?, SVG),
        Named::Problems(id) => {
            let checked = projects::checked(&agent.client, &id).await.map_err(failed)?;
            (checked.to_string(), JSON)
        }
        Named::Product(id) => {
            let Some(store) = agent.store.clone() else {
                return Err(unknown("no store is known; start with --app-url"));
            };
            let ask = GetProduct { app_url: store, product_id: id.as_str().into(), ..GetProduct::default() };
            let product = agent.call(&ask).await.map_err(failed)?;
            if product.get("product").is_none_or(Value::is_null) {
                return Err(unknown("there is no such product"));
            }
            (product.to_string(), JSON)
        }
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for id in ["0198b1a2-7c3d", "a/b c?#", "ünï", "%"] {
            let uri = format!("{SCHEME}projects/{}/graph.svg", percent_encoded(id));
            assert_eq!(Named::read(&uri), Some(Named::Graph(id.to_owned())), "{uri}");
        }
        for odd in [
            "",
            "cutaway://",
            "cutaway://projects/",
            "cutaway://projects/a/b",
            "file:///etc/passwd",
            "cutaway://projects/%f",
        ] {
            assert_eq!(Named::read(odd), None, "{odd}");
        }
    }
}
