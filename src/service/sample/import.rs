//! Products from NDJSON: one product a line, as §2.1 has them or as a search gives them.

use std::io::BufRead;

use serde_json::{Map, Value};

use crate::domain::{Analysis, Fault, Finding, Product, Reader, StoreUrl, with_nul};
use crate::service::store::{Imported, NewProduct, NewStore, Store, StoreError};
use crate::service::timing;

/// Why an import stopped. Everything before the batch of the line named was taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be read.
    #[error("the file can't be read: {0}")]
    Read(#[from] std::io::Error),
    /// A line is no product.
    #[error("line {line}: {why}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Products written in one transaction.
const BATCH: usize = 1_000;

/// Takes in the products of `lines`, with progress after each batch: so many so far. The
/// store is connected with the first batch if it is missing: an import that fails before leaves none.
///
/// # Errors
/// [`ImportError`]; the batches before it stay.
pub async fn import(
    store: &Store,
    workspace: i64,
    app_url: &StoreUrl,
    lines: impl BufRead,
    mut progress: impl FnMut(u64),
) -> Result<Imported, ImportError> {
    let new = NewStore::at(app_url);
    let (mut imported, mut batch) = (Imported::default(), Vec::with_capacity(BATCH));
    let mut lines = lines.lines().zip(1_u64..).peekable();
    while let Some((text, line)) = lines.next() {
        let text = text?;
        if !text.trim().is_empty() {
            batch.push(read(&text, &new.app_url).map_err(|why| ImportError::Line { line, why })?);
        }
        if batch.len() == BATCH || (lines.peek().is_none() && !batch.is_empty()) {
            let now = store.upsert(workspace, new.clone(), std::mem::take(&mut batch)).await?;
            imported.added += now.added;
            imported.updated += now.updated;
            progress(imported.added + imported.updated);
        }
    }
    Ok(imported)
}

/// Members that a search adds to a product, or that the service decides: not taken from the file.
const NOT_TAKEN: [&str; 8] =
    ["price", "imageUrl", "mediaCount", "variantsCount", "analysisStatus", "matchedTitle", "matchedTags", "id"];

fn read(line: &str, app_url: &StoreUrl) -> Result<NewProduct, String> {
    let mut value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let nul = with_nul(&value);
    let object = value.as_object_mut().ok_or("a product must be an object")?;
    let analysis = object.shift_remove("analysis").filter(|analysis| !analysis.is_null());
    for name in NOT_TAKEN {
        object.shift_remove(name);
    }
    complete(object, app_url);
    let (product, mut findings) = Reader::read::<Product>(&value);
    // The specification lets a product have no other members; on the product itself they are left out.
    findings.retain(|finding| !(finding.fault == Fault::Undeclared && finding.at.len() == 1));
    findings.extend(nul);
    let analysis = analysis.map(|analysis| {
        let (analysis, more) = Reader::read::<Analysis>(&analysis);
        findings.extend(more);
        analysis
    });
    if findings.is_empty() {
        return Ok(NewProduct { product, analysis });
    }
    Err(findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("; "))
}

/// Fills in what the service knows better than a file.
fn complete(product: &mut Map<String, Value>, app_url: &StoreUrl) {
    let now = || Value::from(timing::timestamp().to_string());
    product.insert("id".to_owned(), Value::from(0));
    product.insert("appUrl".to_owned(), Value::from(app_url.as_str()));
    product.entry("version").or_insert(Value::from(1));
    product.entry("createdAt").or_insert_with(now);
    product.entry("updatedAt").or_insert_with(now);
    for list in ["media", "variants"] {
        let members = product.get_mut(list).and_then(Value::as_array_mut);
        for member in members.into_iter().flatten().filter_map(Value::as_object_mut) {
            member.insert("appUrl".to_owned(), Value::from(app_url.as_str()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_no_database_keeps_is_named() {
        let line =
            r#"{"externalProductId":"1","title":"a\u0000b","tags":["x","\u0000"],"analysis":{"status":"\u0000"}}"#;
        let why = read(line, &StoreUrl::new("https://shop.example")).unwrap_err();
        for place in ["title", "tags[1]", "analysis.status"] {
            assert!(why.contains(&format!("{place} must not contain U+0000")), "{why}");
        }
    }
}
