//! The tables, version by version.

use super::db::{self, Connection, TransactionBehavior};
use super::{StoreError, products};

/// What brings a database from one version to the next; the version is kept in `user_version`.
const MIGRATIONS: [&str; 19] = [
    FIRST,
    SECOND,
    THIRD,
    FOURTH,
    FIFTH,
    SIXTH,
    SEVENTH,
    EIGHTH,
    NINTH,
    TENTH,
    ELEVENTH,
    TWELFTH,
    THIRTEENTH,
    FOURTEENTH,
    FIFTEENTH,
    SIXTEENTH,
    SEVENTEENTH,
    EIGHTEENTH,
    NINETEENTH,
];

/// Products are kept in two tables: a narrow one with what is sorted and filtered, and the documents as JSON text in
/// parts, so that a page is put together without parsing. `product.id` is `store << 32 | number`: the products of a store
/// stay together, and their numbers are dense for the bitmaps of `posting`.
const FIRST: &str = "
CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE workspace (id INTEGER PRIMARY KEY, app_key TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL);
CREATE TABLE user (
    id TEXT PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, email TEXT NOT NULL, created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE api_key (
    hash BLOB PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, user TEXT NOT NULL REFERENCES user,
    name TEXT, created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE access_token (
    hash BLOB PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, user TEXT NOT NULL REFERENCES user,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX access_token_expiry ON access_token (expires_at);
CREATE TABLE store (
    id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, app_url TEXT NOT NULL,
    name TEXT, currency_code TEXT, currency_symbol TEXT,
    next_number INTEGER NOT NULL DEFAULT 1, products INTEGER NOT NULL DEFAULT 0, published INTEGER NOT NULL DEFAULT 0,
    UNIQUE (workspace, app_url)
);
CREATE TABLE product (
    id INTEGER PRIMARY KEY, store INTEGER NOT NULL REFERENCES store, external TEXT NOT NULL,
    version INTEGER NOT NULL, published INTEGER NOT NULL, inventory INTEGER NOT NULL,
    created INTEGER, provider_created INTEGER, provider_updated INTEGER,
    UNIQUE (store, external)
);
CREATE INDEX product_inventory_up ON product (store, inventory);
CREATE INDEX product_inventory_down ON product (store, inventory DESC);
CREATE INDEX product_provider_created_up ON product (store, provider_created);
CREATE INDEX product_provider_created_down ON product (store, provider_created DESC);
CREATE INDEX product_provider_updated_up ON product (store, provider_updated);
CREATE INDEX product_provider_updated_down ON product (store, provider_updated DESC);
CREATE INDEX product_created ON product (store, created);
CREATE TABLE document (
    id INTEGER PRIMARY KEY, head TEXT NOT NULL, tail TEXT NOT NULL, found TEXT NOT NULL,
    media TEXT NOT NULL, variants TEXT NOT NULL, metafields TEXT NOT NULL, analysis TEXT
);
CREATE TABLE posting (
    store INTEGER NOT NULL, field INTEGER NOT NULL, chunk INTEGER NOT NULL, term TEXT NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (store, field, chunk, term)
) WITHOUT ROWID;
CREATE TABLE lookup (
    store INTEGER NOT NULL, field INTEGER NOT NULL, hash INTEGER NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (store, field, hash, number)
) WITHOUT ROWID;
";

/// What is made in a workspace. Projects and steps are numbered beside their ids: the number keeps the order in which
/// they were made, and is short in indices. `steps_order`, `email_notifications` and `answers` are JSON texts. A step's
/// `video` may name one that was deleted. A video is registered by its address, is one of the sample's files
/// (`sample:` in place of the service's address), was uploaded (then it has a size), or is an id reserved. A webhook that
/// has ended gets no deliveries any more.
const SECOND: &str = "
CREATE TABLE folder (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL REFERENCES workspace,
    name TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX folder_name ON folder (workspace, name);
CREATE TABLE project (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL REFERENCES workspace,
    owner TEXT NOT NULL REFERENCES user, publish_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    folder TEXT REFERENCES folder (id), email_notifications TEXT NOT NULL DEFAULT '[]',
    steps_order TEXT NOT NULL DEFAULT '[]', steps_count INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX project_workspace ON project (workspace);
CREATE TABLE step (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project INTEGER NOT NULL REFERENCES project (number),
    name TEXT NOT NULL, description TEXT, answers TEXT NOT NULL DEFAULT '[]', video TEXT, overlay_text TEXT,
    answer_time REAL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    UNIQUE (project, name)
);
CREATE INDEX step_video ON step (video) WHERE video IS NOT NULL;
CREATE TABLE video (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL REFERENCES workspace,
    name TEXT NOT NULL, video_url TEXT, poster_url TEXT, content_type TEXT, size INTEGER, sha256 BLOB,
    created_at TEXT NOT NULL
);
CREATE INDEX video_workspace ON video (workspace);
CREATE TABLE webhook (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL REFERENCES workspace,
    owner TEXT NOT NULL REFERENCES user, event TEXT NOT NULL, url TEXT NOT NULL, secret TEXT NOT NULL, ended_at TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX webhook_event ON webhook (workspace, event);
";

/// Approvals, visits and deliveries. `family` ties together the tokens that came of one approval. Times are seconds since
/// 1970 for tokens and codes, milliseconds for visits and deliveries. A visit's and a delivery's indices hold only what
/// something is still due for. Deliveries name their subscription by its id.
const THIRD: &str = "
ALTER TABLE access_token ADD COLUMN family TEXT;
CREATE INDEX access_token_family ON access_token (family) WHERE family IS NOT NULL;
CREATE TABLE refresh_token (
    hash BLOB PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, user TEXT NOT NULL REFERENCES user,
    family TEXT NOT NULL, expires_at INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX refresh_token_family ON refresh_token (family);
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
CREATE TABLE authorization_code (
    hash BLOB PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, user TEXT NOT NULL REFERENCES user,
    challenge TEXT NOT NULL, redirect TEXT NOT NULL, family TEXT NOT NULL, expires_at INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE device_code (
    hash BLOB PRIMARY KEY, user_code BLOB NOT NULL UNIQUE, decided INTEGER NOT NULL DEFAULT 0,
    workspace INTEGER REFERENCES workspace, user TEXT REFERENCES user,
    interval INTEGER NOT NULL, polled_at INTEGER, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
ALTER TABLE workspace ADD COLUMN player_form INTEGER NOT NULL DEFAULT 0;
CREATE TABLE visit (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL REFERENCES workspace,
    project TEXT NOT NULL, publish_id TEXT NOT NULL, playlist TEXT NOT NULL, anonymous TEXT NOT NULL, collected TEXT,
    begun_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, ended_at INTEGER
);
CREATE INDEX visit_open ON visit (seen_at) WHERE ended_at IS NULL;
CREATE INDEX visit_begun ON visit (begun_at);
CREATE TABLE visit_event (
    visit INTEGER NOT NULL REFERENCES visit (number), number INTEGER NOT NULL, name TEXT NOT NULL,
    step TEXT, video TEXT, text TEXT, at INTEGER NOT NULL,
    PRIMARY KEY (visit, number)
) WITHOUT ROWID;
CREATE TABLE visit_purchase (
    visit INTEGER NOT NULL REFERENCES visit (number), purchase TEXT NOT NULL, PRIMARY KEY (visit, purchase)
) WITHOUT ROWID;
CREATE TABLE delivery (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, webhook TEXT NOT NULL, message TEXT NOT NULL,
    event TEXT NOT NULL, body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'pending',
    created_at INTEGER NOT NULL, tried_until INTEGER NOT NULL, next_at INTEGER, attempted_at INTEGER,
    status INTEGER, error TEXT, answer TEXT
);
CREATE INDEX delivery_due ON delivery (webhook, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX delivery_webhook ON delivery (webhook, number);
CREATE INDEX delivery_created ON delivery (created_at);
";

/// An uploaded file has one of two hashes: SHA-256 where it came before this version.
const FOURTH: &str = "
ALTER TABLE video ADD COLUMN blake3 BLOB;
";

/// Scripts without spaces are found by their parts: no table is another, what products are found by is.
const FIFTH: &str = "";

/// The owner is shown who asks for a device code.
const SIXTH: &str = "
ALTER TABLE device_code ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE device_code ADD COLUMN address TEXT NOT NULL DEFAULT '';
";

/// `webhook.old_secrets` is a JSON list of `{secret, until}`; `failures` are those in a row since `failing_since`, and
/// `ended_why` says what ended a subscription, `delivered_at` when its receiver first took something. `shop_secret` is what a shop signs its purchases with, `player_embed` a JSON
/// list of the origins that may embed the player (all where it is null). `visitor_use` counts what visitors made a project
/// write, by hours since 1970. Times are milliseconds since 1970.
const SEVENTH: &str = "
ALTER TABLE webhook ADD COLUMN old_secrets TEXT NOT NULL DEFAULT '[]';
ALTER TABLE webhook ADD COLUMN failing_since INTEGER;
ALTER TABLE webhook ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook ADD COLUMN ended_why TEXT;
ALTER TABLE webhook ADD COLUMN delivered_at INTEGER;
ALTER TABLE workspace ADD COLUMN shop_secret TEXT;
ALTER TABLE workspace ADD COLUMN player_embed TEXT;
ALTER TABLE visit_event ADD COLUMN verified INTEGER;
CREATE TABLE visitor_use (
    project TEXT NOT NULL, hour INTEGER NOT NULL, visits INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (project, hour)
) WITHOUT ROWID;
";

/// Keys have an id, a scope, an end and a last use; one with a `process` ends with that process. A token remembers the key
/// that it was exchanged for, and everything of one approval belongs to a grant, which ends. Tokens from before that
/// remember no key, so they end here; clients exchange their key again. `audit` holds who changed what: no bodies, nobody's
/// data. Times of keys and grants are seconds since 1970, those of `audit` milliseconds.
const EIGHTH: &str = "
ALTER TABLE api_key ADD COLUMN id TEXT;
ALTER TABLE api_key ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_key ADD COLUMN expires_at INTEGER;
ALTER TABLE api_key ADD COLUMN used_at INTEGER;
ALTER TABLE api_key ADD COLUMN process TEXT;
UPDATE api_key SET id = lower(hex(randomblob(6)));
UPDATE api_key SET process = '' WHERE name = 'ready';
CREATE UNIQUE INDEX api_key_id ON api_key (id);
ALTER TABLE access_token ADD COLUMN api_key TEXT;
DELETE FROM access_token WHERE family IS NULL;
CREATE INDEX access_token_key ON access_token (api_key) WHERE api_key IS NOT NULL;
CREATE TABLE oauth_grant (
    id TEXT PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspace, user TEXT NOT NULL REFERENCES user,
    flow TEXT, api_key TEXT, read_only INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, used_at INTEGER
) WITHOUT ROWID;
INSERT OR IGNORE INTO oauth_grant (id, workspace, user, created_at, expires_at)
    SELECT family, workspace, user, unixepoch(), unixepoch() + 7776000 FROM refresh_token;
ALTER TABLE authorization_code ADD COLUMN api_key TEXT;
ALTER TABLE device_code ADD COLUMN api_key TEXT;
CREATE TABLE audit (
    number INTEGER PRIMARY KEY, at INTEGER NOT NULL, workspace INTEGER REFERENCES workspace, actor TEXT NOT NULL,
    credential TEXT, name TEXT, action TEXT NOT NULL, record TEXT, status INTEGER, address TEXT, detail TEXT
);
CREATE INDEX audit_at ON audit (at);
";

/// What was created under which `Idempotency-Key`, with the answer that was given. Times are seconds since 1970.
const NINTH: &str = "
CREATE TABLE creation (
    workspace INTEGER NOT NULL REFERENCES workspace, operation TEXT NOT NULL, key TEXT NOT NULL,
    fingerprint BLOB NOT NULL, answer BLOB NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, operation, key)
) WITHOUT ROWID;
CREATE INDEX creation_created ON creation (created_at);
";

/// `player` is a JSON object of the player's settings of a project.
const TENTH: &str = "
ALTER TABLE project ADD COLUMN player TEXT NOT NULL DEFAULT '{}';
";

/// Captions of videos: WebVTT, one a language (BCP 47). The hash is BLAKE3's. A visit has the key that the player begins
/// it with: sent again it is the same visit.
const ELEVENTH: &str = "
CREATE TABLE caption (
    number INTEGER PRIMARY KEY, video TEXT NOT NULL, language TEXT NOT NULL, label TEXT, cues INTEGER NOT NULL,
    hash BLOB NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, vtt TEXT NOT NULL, UNIQUE (video, language)
);
ALTER TABLE visit ADD COLUMN begin_key TEXT;
CREATE UNIQUE INDEX visit_begin_key ON visit (publish_id, begin_key) WHERE begin_key IS NOT NULL;
";

/// `player` of a visit has the settings of a project that was deleted while somebody watched it: its form keeps its rules.
const TWELFTH: &str = "
ALTER TABLE visit ADD COLUMN player TEXT;
";

/// `products` is a JSON array of the products that a step shows.
const THIRTEENTH: &str = "
ALTER TABLE step ADD COLUMN products TEXT NOT NULL DEFAULT '[]';
";

/// A subscription is claimed by who delivers to it, until that moment in milliseconds since 1970. Each claim raises the
/// fence: what came of an attempt under an earlier one counts no more.
const FOURTEENTH: &str = "
ALTER TABLE webhook ADD COLUMN lease_until INTEGER;
ALTER TABLE webhook ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;
";

/// What viewers do in numbers: by project, day since 1970 (UTC) and version, at a step or at none. `what` is the answer's
/// text, the product, the bucket of a time or the currency. `funnel_version` has the steps that visitors met, as JSON.
const FIFTEENTH: &str = "
CREATE TABLE funnel_version (
    project TEXT NOT NULL, version TEXT NOT NULL, first_at INTEGER NOT NULL, steps TEXT NOT NULL,
    PRIMARY KEY (project, version)
) WITHOUT ROWID;
CREATE TABLE funnel (
    project TEXT NOT NULL, day INTEGER NOT NULL, version TEXT NOT NULL, step TEXT NOT NULL, kind TEXT NOT NULL,
    what TEXT NOT NULL, count INTEGER NOT NULL, amount REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (project, day, version, step, kind, what)
) WITHOUT ROWID;
ALTER TABLE visit ADD COLUMN version TEXT;
";

/// Which versions of a project still have visits is asked with each sweep.
const SIXTEENTH: &str = "
CREATE INDEX visit_version ON visit (project, version);
";

/// Files of videos in S3, by the video's id: `state` is arriving, kept or leaving. Those in the folder have no row.
const SEVENTEENTH: &str = "
CREATE TABLE blob (
    id TEXT PRIMARY KEY, place TEXT NOT NULL, state TEXT NOT NULL, upload_id TEXT, lease_until INTEGER,
    fence INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX blob_lease ON blob (lease_until) WHERE state <> 'kept';
";

/// `revision` is the entity tag of a project with its steps, without quotation marks: every change of either makes another.
const EIGHTEENTH: &str = "
ALTER TABLE project ADD COLUMN revision TEXT NOT NULL DEFAULT '';
UPDATE project SET revision = lower(hex(randomblob(16)));
";

/// What guests over SSH have in a database that is shared. In a folder they have it in files; here is what a move brings
/// from such a database, until the next one brings it back. `generation` counts the changes of a catalog: a copy that has
/// fewer is behind.
const NINETEENTH: &str = "
CREATE TABLE guest_note (
    home TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (home, name)
) WITHOUT ROWID;
CREATE TABLE guest_draft (
    home TEXT NOT NULL, name TEXT NOT NULL, fence TEXT NOT NULL, lease_until INTEGER NOT NULL, written INTEGER NOT NULL,
    wanted_by TEXT, wanted_until INTEGER NOT NULL, noted INTEGER NOT NULL, PRIMARY KEY (home, name)
) WITHOUT ROWID;
CREATE TABLE guest_line (
    home TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, piece TEXT NOT NULL,
    PRIMARY KEY (home, name, number)
) WITHOUT ROWID;
ALTER TABLE store ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
";

/// The version from which on scripts without spaces are found by their parts.
const CUT_UP: usize = 5;

/// The version of a database.
fn version(connection: &Connection) -> db::Result<usize> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get::<i64>(0))
        .map(|version| usize::try_from(version).unwrap_or(usize::MAX))
}

/// Refuses a database that a later program wrote.
pub(super) fn is_known(connection: &Connection) -> Result<(), StoreError> {
    match version(connection)? {
        found if found > MIGRATIONS.len() => Err(StoreError::Newer { found, known: MIGRATIONS.len() }),
        _ => Ok(()),
    }
}

/// Brings the database to the version that this program knows.
///
/// # Errors
/// [`StoreError::Newer`] where a later program wrote it.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again inside: another process may have been quicker.
    let found = version(&transaction)?;
    is_known(&transaction)?;
    for step in MIGRATIONS.iter().skip(found) {
        transaction.sqlite_batch(step)?;
    }
    if (1..CUT_UP).contains(&found) {
        products::cut_up(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len()).unwrap_or_default())?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::service::store::db::Connection;

    use super::MIGRATIONS;
    use crate::domain::{Product, ProductSearch, StoreUrl};
    use crate::service::search::{Query, Terms};
    use crate::service::store::postings::Changes;
    use crate::service::store::{NewProduct, NewStore, PageAsk, PageWish, Store};

    /// What a database of a version has: tables with their columns, and indices.
    fn parts(connection: &Connection) -> (Vec<(String, Vec<String>)>, Vec<String>) {
        let names = |sql: &str| -> Vec<String> {
            let mut statement = connection.prepare(sql).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        };
        let tables = names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
        let columns = |table: String| {
            let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
            (table, columns)
        };
        let indices = names("SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite_%'");
        (tables.into_iter().map(columns).collect(), indices)
    }

    /// Takes away what later versions added.
    fn rewind(connection: &Connection, version: usize) {
        let old = Connection::open_in_memory().unwrap();
        for step in MIGRATIONS.iter().take(version) {
            old.execute_batch(step).unwrap();
        }
        let ((old_tables, old_indices), (tables, indices)) = (parts(&old), parts(connection));
        for index in indices.iter().filter(|index| !old_indices.contains(index)) {
            connection.execute_batch(&format!("DROP INDEX {index}")).unwrap();
        }
        for (table, columns) in tables {
            let Some((_, before)) = old_tables.iter().find(|(name, _)| *name == table) else {
                connection.execute_batch(&format!("DROP TABLE {table}")).unwrap();
                continue;
            };
            for column in columns.iter().filter(|column| !before.contains(column)) {
                connection.execute_batch(&format!("ALTER TABLE {table} DROP COLUMN {column}")).unwrap();
            }
        }
        connection.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
    }

    #[tokio::test]
    async fn products_of_an_earlier_version_are_found_by_their_parts() {
        if crate::service::store::engine::is_shared() {
            return;
        }
        let (folder, url) = (tempfile::tempdir().unwrap(), StoreUrl::new("https://shop.example"));
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let product = Product {
            external_product_id: "1".into(),
            title: "ウールの靴下".to_owned(),
            tags: vec!["冬季 wool".to_owned()],
            ..Product::default()
        };
        let new = NewProduct { product: product.clone(), analysis: None };
        store.upsert(owner.workspace, NewStore::at(&url), vec![new]).await.unwrap();
        let as_before = move |connection: &mut crate::service::store::db::Connection| {
            let mut changes = Changes::default();
            changes.note(1, Some(&Terms::of(&product)), Terms::of_whole_words(&product));
            changes.write(connection, 1)?;
            rewind(connection, 4);
            Ok(())
        };
        let found = async |store: &Store, term: &str| {
            let search = ProductSearch { search_term: Some(term.to_owned()), ..ProductSearch::default() };
            let query = Query::of(&search).unwrap();
            let ask = PageAsk { query, limit: 1, after: None, wish: PageWish::default(), base_url: String::new() };
            let (page, ()) = store.page(owner.workspace, (url.clone(), None), |_| Ok((ask, ()))).await.unwrap();
            String::from_utf8(page.json).unwrap().contains("靴下")
        };
        assert!(found(&store, "靴下").await && found(&store, "季 wool").await);
        store.writer.run(as_before).await.unwrap();
        assert!(!found(&store, "靴下").await);
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        assert!(found(&store, "靴下").await && found(&store, "下").await && found(&store, "ウール").await);
        assert!(!found(&store, "靴箱").await);
    }
}
