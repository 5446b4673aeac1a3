//! A row of the database, as the rules read it.

use super::StoreError;
use super::db::{self, Row};
use super::rules::record::Columns;

impl Columns for Row<'_> {
    fn text(&self, at: usize) -> Result<&str, StoreError> {
        Ok(self.get_ref(at)?.as_str().map_err(db::Error::from)?)
    }

    fn whole(&self, at: usize) -> Result<i64, StoreError> {
        Ok(self.get(at)?)
    }

    fn real(&self, at: usize) -> Result<f64, StoreError> {
        Ok(self.get(at)?)
    }
}
