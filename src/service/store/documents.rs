//! Documents read back: parts of JSON text put together into answers.

use std::io::Write as _;

use memchr::memchr;
use serde_json::{Map, Value};

use super::db::{self, Connection, OptionalExtension as _, Row, params};
use super::rules::prepared::{OWN_ADDRESS, SAMPLE_SCHEME};
use super::{Store, StoreError, stores};
use crate::domain::{Product, ProductId, Reader, StoreUrl};
use crate::service::search::machine::Matched;

macro_rules! selected {
    ($media:literal, $variants:literal, $analysis:literal, $from:literal) => {
        concat!("SELECT head, tail, found, ", $media, ", ", $variants, ", metafields, ", $analysis, $from)
    };
}

macro_rules! columns {
    ($wish:expr, $from:literal) => {
        match ($wish.media, $wish.variants, $wish.analysis) {
            (false, false, false) => selected!("NULL", "NULL", "NULL", $from),
            (true, false, false) => selected!("media", "NULL", "NULL", $from),
            (false, true, false) => selected!("NULL", "variants", "NULL", $from),
            (true, true, false) => selected!("media", "variants", "NULL", $from),
            (false, false, true) => selected!("NULL", "NULL", "analysis", $from),
            (true, false, true) => selected!("media", "NULL", "analysis", $from),
            (false, true, true) => selected!("NULL", "variants", "analysis", $from),
            (true, true, true) => selected!("media", "variants", "analysis", $from),
        }
    };
}

/// What a page is to carry beside the products themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageWish {
    /// The media.
    pub media: bool,
    /// The variants.
    pub variants: bool,
    /// The analysis and its status.
    pub analysis: bool,
}

impl PageWish {
    /// The columns in the order of the constants below; those that are not wished for are not read.
    pub(super) fn by_id(self) -> &'static str {
        columns!(self, " FROM document WHERE id = ?1")
    }

    /// The same for some at once, in any order, with the id of each behind the others.
    pub(super) fn by_ids(self) -> &'static str {
        columns!(self, ", id FROM document WHERE id = ANY (?1)")
    }
}

/// Where the id is of which [`PageWish::by_ids`] tells.
pub(super) const ID: usize = 7;
const HEAD: usize = 0;
const TAIL: usize = 1;
const FOUND: usize = 2;
const MEDIA: usize = 3;
const VARIANTS: usize = 4;
const METAFIELDS: usize = 5;
const ANALYSIS: usize = 6;

/// The columns in the order of the constants above.
pub(super) const BY_ID: &str =
    "SELECT head, tail, found, media, variants, metafields, analysis FROM document WHERE id = ?1";

/// Writes parts of documents, with the service's own address where it belongs.
pub(super) struct Writer<'a> {
    pub out: Vec<u8>,
    pub base_url: &'a str,
}

impl Writer<'_> {
    pub(super) fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A part of a document: it may hold [`OWN_ADDRESS`]. It was text when it was kept, so it is copied as bytes.
    fn column(&mut self, row: &Row<'_>, column: usize) -> Result<(), StoreError> {
        let mut rest = row.get_ref(column)?.as_bytes().map_err(db::Error::from)?;
        while let Some((before, after)) = memchr(OWN_ADDRESS as u8, rest).and_then(|at| rest.split_at_checked(at)) {
            self.out.extend_from_slice(before);
            self.text(self.base_url);
            self.text("/sample/");
            rest = after.split_first().map_or(after, |(_, after)| after);
        }
        self.out.extend_from_slice(rest);
        Ok(())
    }

    /// A product of a search, §2.1 with the search's additions.
    pub(super) fn found(
        &mut self,
        id: i64,
        row: &Row<'_>,
        wish: PageWish,
        matched: Option<Matched>,
    ) -> Result<(), StoreError> {
        let _ = write!(self.out, "{{\"id\":{id}");
        self.column(row, HEAD)?;
        self.text(",\"media\":");
        if wish.media {
            self.column(row, MEDIA)?;
        } else {
            self.text("[]");
        }
        self.text(",\"variants\":");
        if wish.variants {
            self.column(row, VARIANTS)?;
        } else {
            self.text("[]");
        }
        self.text(",\"metafields\":");
        self.column(row, METAFIELDS)?;
        self.column(row, TAIL)?;
        if let Some(Matched { title, tags }) = matched {
            let _ = write!(self.out, ",\"matchedTitle\":{title},\"matchedTags\":{tags}");
        }
        self.column(row, FOUND)?;
        if wish.analysis {
            if row.get_ref(ANALYSIS)? == db::ValueRef::Null {
                self.text(",\"analysisStatus\":\"pending\"");
            } else {
                self.text(",\"analysis\":");
                self.column(row, ANALYSIS)?;
                self.text(",\"analysisStatus\":\"analyzed\"");
            }
        }
        self.text("}");
        Ok(())
    }

    /// A product of §2.1 as it is.
    fn product(&mut self, id: i64, row: &Row<'_>, skip_variant_metafields: bool) -> Result<(), StoreError> {
        self.text(&format!("{{\"id\":{id}"));
        self.column(row, HEAD)?;
        self.text(",\"media\":");
        self.column(row, MEDIA)?;
        self.text(",\"variants\":");
        self.column(row, VARIANTS)?;
        self.text(",\"metafields\":");
        if skip_variant_metafields {
            let stored = row.get_ref(METAFIELDS)?.as_str().map_err(db::Error::from)?;
            let marker = format!("\"{OWN_ADDRESS}");
            let mut metafields: Map<String, Value> =
                serde_json::from_str(&stored.replace(&marker, &format!("\"{}/sample/", self.base_url)))?;
            metafields.shift_remove("variants");
            self.text(&serde_json::to_string(&metafields)?);
        } else {
            self.column(row, METAFIELDS)?;
        }
        self.column(row, TAIL)?;
        self.text("}");
        Ok(())
    }
}

/// PostgreSQL's index has the beginning of an external id, which may be long.
const ID_OF: &str = "SELECT id FROM product WHERE store = ?1 AND external = ?2";
const ID_OF_SHARED: &str =
    "SELECT id FROM product WHERE store = ?1 AND left(external, 512) = left(?2, 512) AND external = ?2";

/// The id of the product with this external id.
pub(super) fn id_of(connection: &Connection, store: i64, external: &str) -> Result<Option<i64>, StoreError> {
    let sql = if connection.postgres().is_some() { ID_OF_SHARED } else { ID_OF };
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![store, external], |row| row.get(0)).optional()?)
}

/// A stored product as it was given; the service's own address is the sample's scheme again.
pub(super) fn stored(connection: &Connection, id: i64) -> Result<Option<Product>, StoreError> {
    let mut statement = connection.prepare_cached(BY_ID)?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(|row| given(id, &row)).transpose()
}

/// The same of its row.
pub(super) fn given(id: i64, row: &Row<'_>) -> Result<Product, StoreError> {
    let mut writer = Writer { out: Vec::new(), base_url: "" };
    writer.product(id, row, false)?;
    let text = String::from_utf8_lossy(&writer.out).replace("\"/sample/", &format!("\"{SAMPLE_SCHEME}"));
    Ok(Reader::read(&serde_json::from_str(&text)?).0)
}

/// A product of a store as it is read, with addresses of the sample's files under this one.
pub(super) fn product_of(
    connection: &Connection,
    store: i64,
    external: &str,
    base_url: &str,
) -> Result<Option<Product>, StoreError> {
    let Some(id) = id_of(connection, store, external)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(BY_ID)?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut writer = Writer { out: Vec::new(), base_url };
    writer.product(id, &row, true)?;
    Ok(Some(Reader::read(&serde_json::from_slice(&writer.out)?).0))
}

impl Store {
    /// The JSON of a product (§2.1), or `None` where the store has none of this id.
    ///
    /// # Errors
    /// [`StoreError::UnknownStore`] where the workspace has no such store; else where the database refuses.
    pub async fn product_json(
        &self,
        workspace: i64,
        app_url: StoreUrl,
        product: ProductId,
        skip_variant_metafields: bool,
        base_url: String,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.of_document(workspace, app_url, product, base_url, move |writer, id, row| {
            writer.product(id, row, skip_variant_metafields)
        })
        .await
    }

    /// The JSON array of a product's media (§2.2), or `None` where the store has none of this id.
    ///
    /// # Errors
    /// As [`Self::product_json`].
    pub async fn media_json(
        &self,
        workspace: i64,
        app_url: StoreUrl,
        product: ProductId,
        base_url: String,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.of_document(workspace, app_url, product, base_url, |writer, _, row| writer.column(row, MEDIA)).await
    }

    async fn of_document(
        &self,
        workspace: i64,
        app_url: StoreUrl,
        product: ProductId,
        base_url: String,
        write: impl FnOnce(&mut Writer<'_>, i64, &Row<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let store =
                    stores::find(&transaction, workspace, &app_url)?.ok_or(StoreError::UnknownStore(app_url))?;
                let Some(id) = id_of(&transaction, store.id, product.as_str())? else { return Ok(None) };
                let mut statement = transaction.prepare_cached(BY_ID)?;
                let mut rows = statement.query([id])?;
                let Some(row) = rows.next()? else { return Ok(None) };
                let mut writer = Writer { out: Vec::new(), base_url: &base_url };
                write(&mut writer, id, &row)?;
                Ok(Some(writer.out))
            })
            .await
    }
}
