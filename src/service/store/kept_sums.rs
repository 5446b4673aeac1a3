//! The numbers of webhook events about visits that are kept on this computer, beside the file of the events: sums by
//! project and day, and where in the file the events of each visit are. All of it follows from that file, so it is made
//! again where it is lost or broken. It is SQLite's alone, whatever database a service has.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ToSql;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Transaction, params};

use super::StoreError;
use super::funnel::MOST_PATHS;
use crate::domain::funnel::kind;
use crate::domain::told_counts::ToldSums;

/// The form of the tables: another one is made again.
const FORM: i64 = 2;
/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages that are kept in memory, KiB.
const CACHE: i64 = 32 * 1024;

const TABLES: &str = "
CREATE TABLE covered (one INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, unread INTEGER NOT NULL);
INSERT INTO covered VALUES (1, 0, 0);
CREATE TABLE project (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, visits INTEGER NOT NULL);
CREATE TABLE visit (mark BLOB PRIMARY KEY, places BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE sum (
    project INTEGER, day INTEGER, kind TEXT, step TEXT, what TEXT, count INTEGER NOT NULL, amount REAL NOT NULL,
    PRIMARY KEY (project, day, kind, step, what)
) WITHOUT ROWID;";

/// What tells a visit of a project from others.
pub type VisitMark = [u8; 16];

/// Sums of a project and a day: by step, kind, and what of it, how often, and how much was paid.
pub type DaySums = HashMap<(String, &'static str, String), (i64, f64)>;

/// What events change that are new in the file.
#[derive(Debug, Default)]
pub struct KeptChanges {
    /// Where all events of these visits are.
    pub visits: Vec<(VisitMark, Vec<u8>)>,
    /// What is added to the sums of a project and a day since 1970.
    pub sums: BTreeMap<(String, i64), DaySums>,
    /// More lines that tell of no visit.
    pub unread: u64,
    /// Bytes of the file that are counted with these.
    pub covered: u64,
}

/// The numbers of one file.
pub struct KeptSums(Connection);

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// The file and what SQLite has beside it.
fn remove(file: &Path) -> io::Result<()> {
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        match fs::remove_file(PathBuf::from(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn opened(file: &Path) -> rusqlite::Result<Option<Connection>> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What a crash of the machine takes is counted again.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
    let form: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match form {
        FORM => {}
        0 => {
            let batch = format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {FORM}; COMMIT;");
            connection.execute_batch(&batch)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(connection))
}

impl KeptSums {
    /// Those in a file, which only its owner may read. It is made where it isn't there, and made again where it can't be used.
    /// Nobody else may open it meanwhile.
    ///
    /// # Errors
    /// Where the file can't be made or opened.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        drop(options.open(file)?);
        match opened(file) {
            Ok(Some(connection)) => return Ok(Self(connection)),
            Ok(None) => {}
            Err(error) if is_broken(&error) => {}
            Err(error) => return Err(error.into()),
        }
        remove(file)?;
        drop(options.open(file)?);
        let connection = opened(file)?.ok_or_else(|| io::Error::other("the numbers have an unknown form"))?;
        Ok(Self(connection))
    }

    /// How many bytes of the file of events are counted, and how many lines of them tell of no visit.
    ///
    /// # Errors
    /// Where the database refuses.
    pub fn covered(&self) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT bytes, unread FROM covered";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (bytes, unread) = self.0.query_row(sql, [], read)?;
        Ok((u64::try_from(bytes).unwrap_or_default(), u64::try_from(unread).unwrap_or_default()))
    }

    /// Where the events of a visit are, as they were given.
    ///
    /// # Errors
    /// Where the database refuses.
    pub fn places(&self, mark: &VisitMark) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self.0.prepare_cached("SELECT places FROM visit WHERE mark = ?1")?;
        Ok(statement.query_row([mark.as_slice()], |row| row.get(0)).optional()?)
    }

    /// Writes what changed, all of it or nothing.
    ///
    /// # Errors
    /// Where the database refuses.
    pub fn write(&mut self, mut changes: KeptChanges) -> Result<(), StoreError> {
        let transaction = self.0.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // In the order of the table, each of its pages is changed once.
        changes.visits.sort_unstable_by_key(|(mark, _)| *mark);
        {
            let sql = "INSERT INTO visit (mark, places) VALUES (?1, ?2)
                ON CONFLICT (mark) DO UPDATE SET places = excluded.places";
            let mut statement = transaction.prepare_cached(sql)?;
            for (mark, places) in &changes.visits {
                statement.execute(params![mark.as_slice(), places])?;
            }
        }
        for ((project, day), sums) in changes.sums {
            let more: i64 = sums.iter().filter(|((_, of, _), _)| *of == kind::VISIT).map(|(_, (count, _))| count).sum();
            let sql = "INSERT INTO project (id, visits) VALUES (?1, ?2)
                ON CONFLICT (id) DO UPDATE SET visits = visits + excluded.visits RETURNING number";
            let project = transaction.prepare_cached(sql)?.query_row(params![project, more], |row| row.get(0))?;
            add(&transaction, (project, day), sums)?;
        }
        let sql = "UPDATE covered SET bytes = ?1, unread = unread + ?2";
        let small = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        transaction.execute(sql, [small(changes.covered), small(changes.unread)])?;
        Ok(transaction.commit()?)
    }

    /// Forgets all numbers.
    ///
    /// # Errors
    /// Where the database refuses.
    pub fn clear(&mut self) -> Result<(), StoreError> {
        let sql = "BEGIN IMMEDIATE; DELETE FROM visit; DELETE FROM sum; DELETE FROM project;
            UPDATE covered SET bytes = 0, unread = 0; COMMIT;";
        Ok(self.0.execute_batch(sql)?)
    }

    /// The sums of a project over days since 1970, both included, its visits and those that came to the end by day, and how
    /// many visits there are of other projects.
    ///
    /// # Errors
    /// Where the database refuses.
    pub fn read(&self, project: &str, [first, last]: [Option<i64>; 2]) -> Result<ProjectSums, StoreError> {
        let sql = "SELECT number, visits FROM project WHERE id = ?1";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let found = self.0.query_row(sql, [project], read).optional()?;
        let all: i64 = self.0.query_row("SELECT coalesce(sum(visits), 0) FROM project", [], |row| row.get(0))?;
        let (number, own) = found.unwrap_or_default();
        let elsewhere = u64::try_from(all - own).unwrap_or_default();
        let of = [number, first.unwrap_or(i64::MIN), last.unwrap_or(i64::MAX)];
        let sql =
            "SELECT step, kind, what, sum(count), sum(amount) FROM sum WHERE project = ?1 AND day BETWEEN ?2 AND ?3
            GROUP BY step, kind, what HAVING sum(count) <> 0";
        let mut statement = self.0.prepare_cached(sql)?;
        let rows =
            statement.query_map(of, |row| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), (row.get(3)?, row.get(4)?))))?;
        let sums = rows.collect::<rusqlite::Result<_>>()?;
        let sql = "SELECT day, coalesce(sum(count) FILTER (WHERE kind = 'visit'), 0),
            coalesce(sum(count) FILTER (WHERE kind = 'completed'), 0) FROM sum
            WHERE project = ?1 AND day BETWEEN ?2 AND ?3 AND kind IN ('visit', 'completed') AND step = ''
            GROUP BY day HAVING sum(count) <> 0 ORDER BY day";
        let mut statement = self.0.prepare_cached(sql)?;
        let days = statement.query_map(of, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(ProjectSums { sums, days: days.collect::<rusqlite::Result<_>>()?, elsewhere })
    }
}

/// What is known of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectSums {
    /// Its sums.
    pub sums: ToldSums,
    /// Days since 1970 with their visits and those that came to the end.
    pub days: Vec<(i64, i64, i64)>,
    /// Visits of other projects.
    pub elsewhere: u64,
}

/// Adds to a project's sums of a day. Paths that are too many to be told apart count together, and stay there.
fn add(transaction: &Transaction<'_>, (project, day): (i64, i64), sums: DaySums) -> Result<(), StoreError> {
    let sql = "INSERT INTO sum (project, day, kind, step, what, count, amount) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (project, day, kind, step, what)
        DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount";
    let mut write = transaction.prepare_cached(sql)?;
    let known = "SELECT 1 FROM sum WHERE project = ?1 AND day = ?2 AND kind = ?3 AND step = '' AND what = ?4";
    let mut known = transaction.prepare_cached(known)?;
    let count = "SELECT count(*) FROM sum WHERE project = ?1 AND day = ?2 AND kind = ?3 AND step = ''";
    let is_path = |of: &str| of == kind::PATH;
    let mut paths: i64 = if sums.keys().any(|(_, of, _)| is_path(of)) {
        transaction.prepare_cached(count)?.query_row(params![project, day, kind::PATH], |row| row.get(0))?
    } else {
        0
    };
    let mut sums: Vec<_> = sums.into_iter().filter(|(_, (count, amount))| *count != 0 || *amount != 0.0).collect();
    // What most took is told apart, in an order that doesn't depend on chance.
    sums.sort_by(|((step, of, what), (count, _)), ((other_step, other_of, other), (other_count, _))| {
        of.cmp(other_of).then(step.cmp(other_step)).then(other_count.cmp(count)).then(what.cmp(other))
    });
    for ((step, of, what), (count, amount)) in sums {
        let mut what = what.as_str();
        if is_path(of) && !known.exists(params![project, day, of, what])? {
            if paths < MOST_PATHS {
                paths += 1;
            } else {
                what = "";
            }
        }
        let row: [&dyn ToSql; 7] = [&project, &day, &of, &step, &what, &count, &amount];
        write.execute(row.as_slice())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(path: &str, count: i64, covered: u64) -> KeptChanges {
        let of = |kind, what: &str| ((String::new(), kind, what.to_owned()), (count, 0.0));
        let sums = HashMap::from([of(kind::VISIT, ""), of(kind::PATH, path)]);
        let sums = BTreeMap::from([(("p".to_owned(), 7), sums)]);
        KeptChanges { visits: vec![([7; 16], vec![1, 2])], sums, unread: 1, covered }
    }

    #[test]
    fn numbers_are_there_again_and_a_broken_file_is_recreated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sqlite3");
        let mut sums = KeptSums::open(&file).unwrap();
        sums.write(changes("a", 3, 10)).unwrap();
        drop(sums);
        let sums = KeptSums::open(&file).unwrap();
        assert_eq!((sums.covered().unwrap(), sums.places(&[7; 16]).unwrap()), ((10, 1), Some(vec![1, 2])));
        let read = sums.read("p", [Some(7), None]).unwrap();
        assert_eq!((read.days, read.elsewhere), (vec![(7, 3, 0)], 0));
        assert_eq!(sums.read("q", [None, None]).unwrap(), ProjectSums { elsewhere: 3, ..ProjectSums::default() });
        assert_eq!(sums.read("p", [Some(8), None]).unwrap().sums, ToldSums::new());
        drop(sums);
        fs::write(&file, "this is no database, and long enough to be told from one that is empty").unwrap();
        assert_eq!(KeptSums::open(&file).unwrap().covered().unwrap(), (0, 0));
    }

    #[test]
    fn too_many_paths_count_together_and_what_is_taken_back_leaves_them_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut sums = KeptSums::open(&folder.path().join("a.sqlite3")).unwrap();
        for path in 0..MOST_PATHS + 5 {
            sums.write(changes(&format!("path {path}"), 1, 1)).unwrap();
        }
        sums.write(changes(&format!("path {}", MOST_PATHS + 2), -1, 1)).unwrap();
        let read = sums.read("p", [None, None]).unwrap().sums;
        let paths: Vec<_> = read.iter().filter(|((_, of, _), _)| of == kind::PATH).collect();
        assert_eq!(paths.len(), usize::try_from(MOST_PATHS).unwrap() + 1);
        assert_eq!(paths[0], (&(String::new(), kind::PATH.to_owned(), String::new()), &(4, 0.0)));
    }
}
