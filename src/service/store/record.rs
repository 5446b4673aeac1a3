//! Records of §2.7 and §2.8 as JSON text, straight from their rows: what is kept as JSON is not parsed again.

use rusqlite::Row;

use super::StoreError;
use crate::service::address;

/// The columns of a project's record, for [`project`].
pub(super) const PROJECT: &str = "project.id, project.name, workspace.app_key, project.owner, project.publish_id,
    coalesce(project.folder, ''), project.email_notifications, project.steps_order, project.steps_count,
    project.created_at, project.updated_at, project.player";

/// The columns of a step's record, for [`step`].
pub(super) const STEP: &str = "step.id, step.name, project.id, coalesce(step.description, ''), step.answers,
    coalesce(step.video, ''), coalesce(step.overlay_text, ''), coalesce(step.answer_time, 0), step.created_at,
    step.updated_at, step.products";

/// Appends the record of a project whose row begins with [`PROJECT`].
pub(super) fn project(out: &mut Vec<u8>, row: &Row<'_>, base_url: &str) -> Result<(), StoreError> {
    let publish_id = text(row, 4)?;
    let mut record = Record::begin(out);
    for (name, at) in [("id", 0), ("name", 1), ("appKey", 2), ("owner", 3), ("publishId", 4), ("folder", 5)] {
        record.string(name, text(row, at)?)?;
    }
    record.json("emailNotifications", text(row, 6)?);
    record.json("stepsOrder", text(row, 7)?);
    record.json("stepsCount", &row.get::<_, i64>(8)?.to_string());
    record.string("createdAt", text(row, 9)?)?;
    record.string("updatedAt", text(row, 10)?)?;
    record.string("cutaway", &address::player(base_url, publish_id))?;
    // An extension: whoever doesn't use it doesn't see it.
    let player = text(row, 11)?;
    if player != "{}" {
        record.json("player", player);
    }
    record.end();
    Ok(())
}

/// Appends the record of a step whose row begins with [`STEP`].
pub(super) fn step(out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), StoreError> {
    let mut record = Record::begin(out);
    for (name, at) in [("id", 0), ("name", 1), ("projectId", 2), ("description", 3)] {
        record.string(name, text(row, at)?)?;
    }
    record.json("answers", text(row, 4)?);
    record.string("videoId", text(row, 5)?)?;
    record.string("overlayText", text(row, 6)?)?;
    record.json("answerTime", &crate::domain::Num(row.get(7)?).to_string());
    record.string("createdAt", text(row, 8)?)?;
    record.string("updatedAt", text(row, 9)?)?;
    // An extension: whoever doesn't use it doesn't see it.
    let products = text(row, 10)?;
    if products != "[]" {
        record.json("products", products);
    }
    record.end();
    Ok(())
}

/// A column's text, where it lies.
fn text<'a>(row: &'a Row<'_>, at: usize) -> Result<&'a str, StoreError> {
    Ok(row.get_ref(at)?.as_str().map_err(rusqlite::Error::from)?)
}

/// An object being written.
struct Record<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Record<'a> {
    fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out }
    }

    /// A member that is JSON text already.
    fn json(&mut self, name: &str, json: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out.extend_from_slice(json.as_bytes());
    }

    fn string(&mut self, name: &str, text: &str) -> Result<(), StoreError> {
        self.json(name, "");
        Ok(serde_json::to_writer(&mut *self.out, text)?)
    }

    fn end(self) {
        self.out.push(b'}');
    }
}
