//! What no statement of the store may need, so that it should run on databases that speak PostgreSQL's protocol and are
//! distributed. None of these was at hand, so this is held over the SQL itself: every text of `src/service/store` that is a
//! statement, and the tables of PostgreSQL.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // All of it is tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What a statement begins with.
const BEGINS: [&str; 13] = [
    "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "BEGIN", "SET", "DECLARE", "WITH", "COPY",
    "FETCH",
];

/// Words, and why none of them is said.
const NEVER: [(&str, &str); 27] = [
    ("SERIAL", "sequences give numbers out of order, and on some databases beyond 2^53"),
    ("BIGSERIAL", "a sequence"),
    ("SEQUENCE", "a sequence"),
    ("NEXTVAL", "a sequence"),
    ("IDENTITY", "a sequence"),
    ("LISTEN", "not through a pooler, not everywhere"),
    ("NOTIFY", "not through a pooler, not everywhere"),
    ("EXTENSION", "not everywhere"),
    ("JSONB", "it orders and merges members"),
    ("TSVECTOR", "words are found by our own rows"),
    ("GIN", "words are found by our own rows"),
    ("GIST", "words are found by our own rows"),
    ("TRIGGER", "not everywhere"),
    ("FUNCTION", "not everywhere"),
    ("PROCEDURE", "not everywhere"),
    ("TEMP", "of one session, which a pooler hands on"),
    ("TEMPORARY", "of one session, which a pooler hands on"),
    ("UNLOGGED", "lost in a failover"),
    ("PG_ADVISORY_LOCK", "held by a session, and lost with it"),
    ("PG_TRY_ADVISORY_LOCK", "held by a session, and lost with it"),
    ("SKIP", "SKIP LOCKED passes over rows that are free"),
    ("LOCK", "tables are locked by nobody"),
    ("CTID", "where a row is on the disk"),
    ("XMIN", "of one server's transactions"),
    ("RANDOM", "replicas would differ"),
    ("INHERITS", "not everywhere"),
    ("TABLESPACE", "not everywhere"),
];

/// The texts of a file outside of its comments and tests.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let (mut chars, mut found) = (source.chars().peekable(), Vec::new());
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '\'' if chars.peek() == Some(&'"') => {
                chars.next();
            }
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next_if(|c| *c != '"') {
                    let c = if c == '\\' { chars.next().map(|c| if c == '\n' { ' ' } else { c }) } else { Some(c) };
                    text.extend(c);
                }
                chars.next();
                found.push(text);
            }
            _ => {}
        }
    }
    found
}

fn words(sql: &str) -> impl Iterator<Item = String> + '_ {
    let words = sql.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(str::to_uppercase)
}

/// A statement without its quoted names and texts, and without the places of what is written in.
fn bare(sql: &str) -> String {
    let mut depth = 0;
    let written = sql.chars().filter(|c| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0 && *c != '}'
    });
    let (sql, mut out) = (written.collect::<String>(), String::new());
    for (at, piece) in sql.split(['\'', '"']).enumerate() {
        out.push_str(if at % 2 == 0 { piece } else { "x" });
    }
    out
}

fn is_statement(text: &str) -> bool {
    let first = words(text).next().unwrap_or_default();
    // A statement says its first word in capitals; a sentence doesn't.
    BEGINS.contains(&first.as_str()) && text.trim_start().starts_with(&first)
}

/// Every statement, with the file that it is in.
fn statements(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            statements(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
        match path.extension().and_then(|kind| kind.to_str()) {
            Some("sql") => {
                let plain = source.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
                found.extend(plain.split(';').map(|sql| (name.clone(), sql.to_owned())));
            }
            Some("rs") => found
                .extend(texts(&source).into_iter().filter(|text| is_statement(text)).map(|sql| (name.clone(), sql))),
            _ => {}
        }
    }
}

fn of_store() -> Vec<(String, String)> {
    let mut found = Vec::new();
    statements(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/service/store"), &mut found);
    found
}

/// What is wrong with a statement.
fn wrongs(sql: &str) -> Vec<&'static str> {
    let said: BTreeSet<String> = words(&bare(sql)).collect();
    let mut wrong: Vec<_> = NEVER.iter().filter(|(word, _)| said.contains(*word)).map(|(word, _)| *word).collect();
    // Whoever writes waits for the one row, and for nothing else: nobody waits for each other.
    if said.contains("FOR") && bare(sql).to_uppercase().contains("FOR UPDATE") && !said.contains("TURN") {
        wrong.push("FOR UPDATE of another row than the turn");
    }
    wrong
}

#[test]
fn no_statement_needs_what_distributed_databases_lack() {
    let statements = of_store();
    assert!(statements.len() > 200, "only {} statements were found", statements.len());
    let wrong: Vec<_> = statements
        .iter()
        .filter_map(|(file, sql)| Some((file, sql, wrongs(sql))).filter(|(.., wrong)| !wrong.is_empty()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Texts are ordered by their bytes, as SQLite does, and every table has a key.
#[test]
fn tables_of_postgresql_are_ordered_like_those_of_sqlite() {
    let statements = of_store();
    let tables =
        statements.iter().filter(|(file, sql)| file.contains("/sql/") && sql.trim_start().starts_with("CREATE TABLE"));
    let mut count = 0;
    for (_, sql) in tables {
        count += 1;
        assert!(sql.contains("PRIMARY KEY"), "{sql}");
        for column in sql.lines().filter(|line| words(line).nth(1).as_deref() == Some("TEXT")) {
            assert!(column.contains("COLLATE \"C\""), "{column}");
        }
    }
    assert!(count > 25);
}

#[test]
fn what_is_forbidden_is_seen() {
    for (sql, wrong) in [
        ("CREATE TABLE a (id bigserial)", "BIGSERIAL"),
        ("SELECT nextval('a')", "NEXTVAL"),
        ("SELECT id FROM delivery FOR UPDATE SKIP LOCKED", "SKIP"),
        ("SELECT id FROM project FOR UPDATE", "FOR UPDATE of another row than the turn"),
        ("CREATE INDEX a ON b USING gin (c)", "GIN"),
        ("SELECT pg_advisory_lock(1)", "PG_ADVISORY_LOCK"),
    ] {
        assert!(wrongs(sql).contains(&wrong), "{sql}");
    }
    for sql in
        ["SELECT one FROM turn FOR UPDATE", "SELECT 'listen' FROM \"lock\"", "SELECT pg_advisory_xact_lock({LOCK})"]
    {
        assert_eq!(wrongs(sql), [""; 0], "{sql}");
    }
    assert_eq!(
        texts(
            r#"let a = "SELECT 1"; // "SELECT 2"
        '"'; "b\"c" "#
        ),
        ["SELECT 1", "b\"c"]
    );
}
