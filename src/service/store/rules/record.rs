//! Records of §2.7 and §2.8 as JSON text, straight from their rows: what is kept as JSON is not parsed again.

use crate::service::address;
use crate::service::store::StoreError;

/// A row of what a database found, as far as records are written from it.
pub(in crate::service::store) trait Columns {
    /// A column's text, where it lies.
    fn text(&self, at: usize) -> Result<&str, StoreError>;
    /// A column's whole number.
    fn whole(&self, at: usize) -> Result<i64, StoreError>;
    /// A column's number.
    fn real(&self, at: usize) -> Result<f64, StoreError>;
}

/// Appends the record of a project. Its row begins with id, name, the workspace's app key, owner, publish id, folder (empty
/// where there is none), addresses and order of steps as JSON, count of steps, times of creation and change, and the player's
/// settings as JSON.
pub(in crate::service::store) fn project(
    out: &mut Vec<u8>,
    row: &impl Columns,
    base_url: &str,
) -> Result<(), StoreError> {
    let publish_id = row.text(4)?;
    let mut record = Record::begin(out);
    for (name, at) in [("id", 0), ("name", 1), ("appKey", 2), ("owner", 3), ("publishId", 4), ("folder", 5)] {
        record.string(name, row.text(at)?)?;
    }
    record.json("emailNotifications", row.text(6)?);
    record.json("stepsOrder", row.text(7)?);
    record.json("stepsCount", &row.whole(8)?.to_string());
    record.string("createdAt", row.text(9)?)?;
    record.string("updatedAt", row.text(10)?)?;
    record.string("cutaway", &address::player(base_url, publish_id))?;
    // An extension: whoever doesn't use it doesn't see it.
    let player = row.text(11)?;
    if player != "{}" {
        record.json("player", player);
    }
    record.end();
    Ok(())
}

/// Appends the record of a step. Its row begins with id, name, the project's id, description, answers as JSON, video, text over
/// it, seconds until its answers, times of creation and change, and products as JSON; a text that is missing is empty.
pub(in crate::service::store) fn step(out: &mut Vec<u8>, row: &impl Columns) -> Result<(), StoreError> {
    let mut record = Record::begin(out);
    for (name, at) in [("id", 0), ("name", 1), ("projectId", 2), ("description", 3)] {
        record.string(name, row.text(at)?)?;
    }
    record.json("answers", row.text(4)?);
    record.string("videoId", row.text(5)?)?;
    record.string("overlayText", row.text(6)?)?;
    record.json("answerTime", &crate::domain::Num(row.real(7)?).to_string());
    record.string("createdAt", row.text(8)?)?;
    record.string("updatedAt", row.text(9)?)?;
    // An extension: whoever doesn't use it doesn't see it.
    let products = row.text(10)?;
    if products != "[]" {
        record.json("products", products);
    }
    record.end();
    Ok(())
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
