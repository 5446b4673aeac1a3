//! A store of PostgreSQL as a page finds it: its row, and by what the bitmaps of its chunks are known, all of one moment.

use super::StoreError;
use super::chunk_tokens::ChunkTokens;
use super::db::{self, Connection, Listed, Question, Row, Transaction};
use super::stores::{StoreRow, trimmed};
use crate::domain::StoreUrl;

/// A store, and what its pages are found with.
pub(super) struct Shelf {
    pub(super) row: StoreRow,
    /// The number that its next product gets.
    pub(super) next_number: u32,
    /// How often its catalog was changed.
    pub(super) generation: i64,
    pub(super) tokens: ChunkTokens,
}

const BY_ADDRESS: &str = "SELECT id, app_url, products, published, next_number, generation, chunk_tokens FROM store
    WHERE workspace = ?1 AND app_url = ?2";
const OF_WORKSPACE: &str = "SELECT id, app_url, products, published, next_number, generation, chunk_tokens FROM store
    WHERE workspace = ?1";

fn read(row: &Row<'_>) -> db::Result<Shelf> {
    let store = StoreRow {
        id: row.get(0)?,
        app_url: StoreUrl::new(row.get::<String>(1)?),
        products: row.get(2)?,
        published: row.get(3)?,
    };
    let generation = row.get(5)?;
    let tokens = ChunkTokens::read(row.get_ref(6)?.as_blob()?, generation);
    Ok(Shelf { row: store, next_number: row.get(4)?, generation, tokens })
}

impl Shelf {
    /// Begins a transaction that reads with the store of this address, where the workspace has it.
    pub(super) fn begin<'c>(
        connection: &'c mut Connection,
        workspace: i64,
        app_url: &StoreUrl,
    ) -> Result<(Transaction<'c>, Option<Self>), StoreError> {
        let of = [Listed::Number(workspace), Listed::Text(trimmed(app_url))];
        let (transaction, rows) = connection.transaction_with(Question::new(BY_ADDRESS, &of))?;
        if let Some(row) = rows.first() {
            let shelf = read(row)?;
            return Ok((transaction, Some(shelf)));
        }
        let Some(session) = transaction.postgres() else { return Ok((transaction, None)) };
        // Written otherwise it is the same store: a host has no capitals.
        let rows = session.rows(Question::new(OF_WORKSPACE, &[Listed::Number(workspace)]))?;
        let shelves = rows.iter().map(read).collect::<db::Result<Vec<_>>>()?;
        let same = shelves.into_iter().find(|shelf| shelf.row.app_url.is_same(app_url));
        Ok((transaction, same))
    }
}
