//! Forgetting a person: visits and deliveries with an address go, and no text of the database holds it afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::audit::{self, Entry};
use super::db::{Connection, OptionalExtension as _, ToSql, Transaction, Value, params};
use super::documents::stored;
use super::postings::Changes;
use super::sweep::{empty_log, remove_visits};
use super::{Store, StoreError, again, chunk_tokens};
use crate::domain::Product;
use crate::draft::journal;
use crate::service::needle::{Needle, Parts, SIGNS};
use crate::service::search::Terms;
use crate::service::search::numbers::{number, store_of};

/// What was removed with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Visits.
    pub visits: u64,
    /// Deliveries.
    pub deliveries: u64,
    /// Other records that held the address, files included.
    pub others: u64,
    /// Pieces of the drafts of guests among them, where those are in the database.
    pub drafts: u64,
}

/// A table, with what its texts are told by.
struct Table {
    name: String,
    columns: Vec<Column>,
    /// The column by which a row is known.
    number: Option<&'static str>,
}

/// A column that may have texts.
struct Column {
    name: String,
    /// What it is compared as.
    compared: String,
}

/// A text of a table that may hold the address.
struct Place {
    table: String,
    column: String,
    /// The row's number, where its table has them, and what that is called.
    number: Option<i64>,
    numbered_by: Option<&'static str>,
    text: Value,
}

/// How long others may keep the database busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked again for what came meanwhile.
const ROUNDS: usize = 5;
/// Tables of which no column holds a text of its own: what products are found by follows from the products.
const WITHOUT_TEXT: [&str; 2] = ["posting", "lookup"];

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// By what the rows of PostgreSQL's tables are known that have numbers in SQLite.
const NUMBERS: [(&str, &str); 13] = [
    ("workspace", "id"),
    ("store", "id"),
    ("product", "id"),
    ("document", "id"),
    ("folder", "number"),
    ("project", "number"),
    ("step", "number"),
    ("video", "number"),
    ("caption", "number"),
    ("webhook", "number"),
    ("visit", "number"),
    ("delivery", "number"),
    ("audit", "number"),
];

/// The tables of a database of PostgreSQL.
fn tables_shared(connection: &Connection) -> Result<Vec<Table>, StoreError> {
    const COLUMNS: &str = "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
        WHERE table_schema = ANY (current_schemas(false)) AND data_type IN ('text', 'bytea') ORDER BY 1, 2";
    let mut statement = connection.prepare(COLUMNS)?;
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let columns: Vec<(String, String, String)> = columns.collect::<Result<_, _>>()?;
    let mut tables: Vec<Table> = Vec::new();
    for (table, column, kind) in columns {
        if WITHOUT_TEXT.contains(&table.as_str()) {
            continue;
        }
        let name = quoted(&column);
        // Of bytes, every one that is no letter of ASCII is written as its number, and is compared with none of the signs.
        let compared = if kind == "bytea" { format!("encode({name}, 'escape')") } else { name };
        let column = Column { name: column, compared };
        if let Some(known) = tables.last_mut().filter(|known| known.name == table) {
            known.columns.push(column);
        } else {
            let number = NUMBERS.iter().find(|(name, _)| *name == table).map(|(_, number)| *number);
            tables.push(Table { name: table, columns: vec![column], number });
        }
    }
    Ok(tables)
}

fn tables(connection: &Connection) -> Result<Vec<Table>, StoreError> {
    if connection.postgres().is_some() {
        return tables_shared(connection);
    }
    let mut names =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut tables = Vec::new();
    for name in names.into_iter().filter(|name| !WITHOUT_TEXT.contains(&name.as_str())) {
        let mut columns =
            connection.prepare("SELECT name FROM pragma_table_info(?1) WHERE upper(type) IN ('TEXT', 'BLOB', '')")?;
        let columns: Vec<String> = columns.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let columns = columns.into_iter().map(|name| Column { compared: quoted(&name), name }).collect();
        let by_number = connection.prepare(&format!("SELECT rowid FROM {} LIMIT 0", quoted(&name))).is_ok();
        tables.push(Table { name, columns, number: by_number.then_some("rowid") });
    }
    Ok(tables)
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Blob(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// Every text that holds the address. Reads only, so that nobody waits for it.
fn places(connection: &Connection, needle: &Needle) -> Result<Vec<Place>, StoreError> {
    let mut places = Vec::new();
    for table in tables(connection)?.iter().filter(|table| !table.columns.is_empty()) {
        let number = table.number.unwrap_or("NULL");
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        // SQLite's looks at no case.
        let like = if connection.postgres().is_some() { "ILIKE" } else { "LIKE" };
        let like = |column: &Column| {
            let sign = |sign: usize| format!("{} {like} ?{sign} ESCAPE '\\'", column.compared);
            (1..=SIGNS.len()).map(sign).collect::<Vec<_>>().join(" OR ")
        };
        let held = table.columns.iter().map(like).collect::<Vec<_>>().join(" OR ");
        let sql = format!("SELECT {number}, {} FROM {} WHERE {held}", columns.join(", "), quoted(&table.name));
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query(SIGNS.each_ref().map(|sign| sign as &dyn ToSql))?;
        while let Some(row) = rows.next()? {
            for (index, column) in table.columns.iter().enumerate() {
                let text: Value = row.get(index + 1)?;
                if text_of(&text).is_some_and(|text| needle.is_in(text)) {
                    let (numbered_by, number) = (table.number, row.get(0)?);
                    let (table, column) = (table.name.clone(), column.name.clone());
                    places.push(Place { table, column, number, numbered_by, text });
                }
            }
        }
    }
    Ok(places)
}

/// The visits that a place belongs to.
fn visits_of(connection: &Connection, place: &Place) -> Result<Vec<i64>, StoreError> {
    match (place.table.as_str(), place.number) {
        ("visit", Some(number)) => Ok(vec![number]),
        // A table without numbers: every visit with this text.
        ("visit_event" | "visit_purchase", _) => {
            let sql = format!("SELECT visit FROM {} WHERE {} = ?1", quoted(&place.table), quoted(&place.column));
            let mut statement = connection.prepare(&sql)?;
            let rows = statement.query_map([&place.text], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        }
        _ => Ok(Vec::new()),
    }
}

/// The addresses of a JSON list without this one.
fn without(list: &str, needle: &Needle) -> Option<String> {
    let mut addresses: Vec<String> = serde_json::from_str(list).ok()?;
    addresses.retain(|address| !needle.is(address));
    serde_json::to_string(&addresses).ok()
}

/// Lines of a draft's journal with the address overwritten in as many bytes, and with the sums that they have then.
fn overwritten(lines: &str, needle: &Needle) -> String {
    let mut bytes = lines.as_bytes().to_vec();
    journal::overwrite(&mut bytes, |json| {
        let found = needle.overwrite(json, 0..json.len(), Parts::Whole);
        if found {
            // What an edit is called quotes the beginning of its text.
            needle.overwrite_cut(json);
        }
        found
    });
    // What stands in damaged lines.
    let all = 0..bytes.len();
    needle.overwrite(&mut bytes, all, Parts::Whole);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Puts a text without the address in its place, where it is still the same.
fn replace(transaction: &Transaction, place: &Place, needle: &Needle) -> Result<usize, StoreError> {
    let Some(text) = text_of(&place.text) else { return Ok(0) };
    if (place.table.as_str(), place.column.as_str()) == ("guest_line", "piece") {
        let sql = "UPDATE guest_line SET piece = ?1 WHERE piece = ?2";
        return Ok(transaction.execute(sql, params![overwritten(text, needle), place.text])?);
    }
    let listed = if place.column == "email_notifications" { without(text, needle) } else { None };
    let new = needle.removed_from(listed.as_deref().unwrap_or(text)).into_owned();
    let new = if matches!(place.text, Value::Blob(_)) { Value::Blob(new.into_bytes()) } else { Value::Text(new) };
    // Caches know captions by their hash.
    if let (("caption", "vtt"), Value::Text(vtt)) = ((place.table.as_str(), place.column.as_str()), &new) {
        let hash = blake3::hash(vtt.as_bytes());
        transaction.execute("UPDATE caption SET hash = ?1 WHERE vtt = ?2", params![hash.as_bytes(), place.text])?;
    }
    // Counts of two answers that say the same from now on are one.
    if (place.table.as_str(), place.column.as_str()) == ("funnel", "what") {
        transaction.execute(
            "INSERT INTO funnel (project, day, version, step, kind, what, count, amount)
             SELECT project, day, version, step, kind, ?1, count, amount FROM funnel WHERE what = ?2
             ON CONFLICT (project, day, version, step, kind, what)
             DO UPDATE SET count = funnel.count + excluded.count, amount = funnel.amount + excluded.amount",
            params![new, place.text],
        )?;
        return Ok(transaction.execute("DELETE FROM funnel WHERE what = ?1", [&place.text])?);
    }
    let (table, column) = (quoted(&place.table), quoted(&place.column));
    let by = place.numbered_by.map_or_else(|| "?3 IS NULL".to_owned(), |number| format!("{number} = ?3"));
    // Who has read it before writes nothing of that back.
    let next = if place.table == "guest_note" { ", version = version + 1" } else { "" };
    let sql = format!("UPDATE {table} SET {column} = ?1{next} WHERE {column} = ?2 AND {by}");
    Ok(transaction.execute(&sql, params![new, place.text, place.number])?)
}

/// The products that hold the address, as they are, by their ids.
fn products_in(connection: &Connection, places: &[Place]) -> Result<BTreeMap<i64, Product>, StoreError> {
    let mut found = BTreeMap::new();
    for id in places.iter().filter(|place| place.table == "document").filter_map(|place| place.number) {
        if let Some(product) = stored(connection, id)? {
            found.insert(id, product);
        }
    }
    Ok(found)
}

/// Products that were changed are found by what they say now: a tag stands whole among what they are found by. Their stores,
/// with the chunks whose terms were changed.
fn found_as_they_are_now(
    transaction: &Transaction,
    before: BTreeMap<i64, Product>,
) -> Result<BTreeMap<i64, BTreeSet<u32>>, StoreError> {
    let mut changes: BTreeMap<i64, Changes> = BTreeMap::new();
    for (id, before) in before {
        if let Some(now) = stored(transaction, id)? {
            let of_store = changes.entry(store_of(id)).or_default();
            of_store.note(number(id), Some(&Terms::of(&before)), Terms::of(&now));
        }
    }
    changes.into_iter().map(|(store, mut changes)| Ok((store, changes.write(transaction, store)?))).collect()
}

/// Every store of a database whose pages come from bitmaps that are known by tokens.
fn stores_in(connection: &Connection) -> Result<Vec<i64>, StoreError> {
    if connection.postgres().is_none() {
        return Ok(Vec::new());
    }
    let mut stores = connection.prepare("SELECT id FROM store")?;
    Ok(stores.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Removes the deliveries about a visit; how many there were. Their bodies are read here: PostgreSQL refuses all of a
/// statement where one of them is no JSON, or has a U+0000.
fn remove_deliveries_shared(transaction: &Transaction, visit: i64) -> Result<u64, StoreError> {
    const ABOUT: &str = "SELECT number, body FROM delivery WHERE strpos(body, ?1) > 0";
    let mut statement = transaction.prepare("SELECT session FROM visit WHERE number = ?1")?;
    let Some(session) = statement.query_row([visit], |row| row.get::<String>(0)).optional()? else { return Ok(0) };
    let mut statement = transaction.prepare(ABOUT)?;
    let rows = statement.query_map([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
    let is_about = |body: &str| {
        let body: Result<serde_json::Value, _> = serde_json::from_str(body);
        body.is_ok_and(|body| body.get("sessionId").and_then(serde_json::Value::as_str) == Some(session.as_str()))
    };
    let mut removed = 0;
    for (number, _) in found.iter().filter(|(_, body)| is_about(body)) {
        removed += transaction.execute("DELETE FROM delivery WHERE number = ?1", [number])? as u64;
    }
    Ok(removed)
}

fn remove(transaction: &Transaction, places: &[Place], needle: &Needle) -> Result<Forgotten, StoreError> {
    const OF_SESSION: &str = "DELETE FROM delivery WHERE json_valid(body) AND json_extract(body, '$.sessionId') =
        (SELECT session FROM visit WHERE number = ?1)";
    let mut forgotten = Forgotten::default();
    let mut visits = Vec::new();
    for place in places {
        visits.extend(visits_of(transaction, place)?);
    }
    visits.sort_unstable();
    visits.dedup();
    for number in &visits {
        forgotten.deliveries += if transaction.postgres().is_some() {
            remove_deliveries_shared(transaction, *number)?
        } else {
            transaction.execute(OF_SESSION, [number])? as u64
        };
    }
    remove_visits(transaction, &visits)?;
    forgotten.visits = visits.len() as u64;
    let products = products_in(transaction, places)?;
    for place in places {
        match (place.table.as_str(), place.number) {
            ("delivery", Some(number)) => {
                forgotten.deliveries += transaction.execute("DELETE FROM delivery WHERE number = ?1", [number])? as u64;
            }
            ("visit", _) => {}
            (table, _) => {
                let replaced = replace(transaction, place, needle)? as u64;
                forgotten.others += replaced;
                forgotten.drafts += if table == "guest_line" { replaced } else { 0 };
            }
        }
    }
    let changed = found_as_they_are_now(transaction, products)?;
    transaction.execute("UPDATE store SET generation = generation + 1", [])?;
    for store in stores_in(transaction)? {
        chunk_tokens::renew(transaction, store, changed.get(&store).unwrap_or(&BTreeSet::new()))?;
    }
    Ok(forgotten)
}

/// Does it again while others keep the database busy.
fn patiently(mut work: impl FnMut() -> Result<bool, StoreError>) -> Result<(), StoreError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match work() {
            Ok(true) => return Ok(()),
            Err(StoreError::Database(error)) if error.is_busy() => {}
            Err(error) => return Err(error),
            Ok(false) => {}
        }
        if Instant::now() > until {
            return Err(StoreError::Busy);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn forget(connection: &mut Connection, needle: &Needle) -> Result<Forgotten, StoreError> {
    let mut forgotten = Forgotten::default();
    for _ in 0..ROUNDS {
        let places = places(connection, needle)?;
        if places.is_empty() {
            break;
        }
        let done = again(connection, |transaction| remove(transaction, &places, needle))?;
        forgotten.visits += done.visits;
        forgotten.deliveries += done.deliveries;
        forgotten.others += done.others;
        forgotten.drafts += done.drafts;
    }
    Ok(forgotten)
}

impl Store {
    /// Removes an address from every table. What was written over or freed may be read in the files until
    /// [`Store::rewrite`].
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub(in crate::service) async fn forget(&self, needle: Needle) -> Result<Forgotten, StoreError> {
        self.writer
            .run(move |connection| {
                connection.pragma_update(None, "secure_delete", true)?;
                forget(connection, &needle)
            })
            .await
    }

    /// Writes the whole database again and empties its log, so that nothing of what was removed is left in the files.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where others kept it busy for a minute; else where the database refuses.
    pub async fn rewrite(&self) -> Result<(), StoreError> {
        self.writer
            .run(|connection| {
                if let Some(session) = connection.postgres() {
                    // What was removed is overwritten by the server when it needs the room; it may begin now.
                    if let Err(error) = session.batch("VACUUM") {
                        tracing::warn!(%error, "the database was not vacuumed");
                    }
                    return Ok(());
                }
                patiently(|| Ok(connection.sqlite_batch("VACUUM").map(|()| true)?))?;
                patiently(|| empty_log(connection))
            })
            .await
    }

    /// Records that somebody was forgotten: when, and how much it was, without the address.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn note_forgotten(&self, workspace: i64, of: Forgotten) -> Result<(), StoreError> {
        let Forgotten { visits, deliveries, others, .. } = of;
        let detail = format!("visits: {visits}, deliveries: {deliveries}, other records: {others}");
        let entry = Entry::local(workspace, audit::FORGET, None, Some(detail));
        self.write(move |transaction| audit::insert(transaction, &entry)).await
    }

    /// Keeps the new hash of an uploaded file that was written to.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn rehash(&self, id: String, blake3: [u8; 32]) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.execute("UPDATE video SET blake3 = ?2, sha256 = NULL WHERE id = ?1", params![id, blake3])?;
            Ok(())
        })
        .await
    }
}
