//! The database that tests of the store work on: SQLite, or PostgreSQL where `CUTAWAY_TEST_ENGINE` says so.

use std::path::Path;

use super::{DatabasePlace, Store, StoreError};

#[path = "../../../tests/postgres/mod.rs"]
mod postgres;

/// The address of a database for a folder, whatever tests run on (nothing, loudly, where this machine has no PostgreSQL), and
/// what is answered there.
pub(super) use postgres::{answer, beside};

/// The database of a folder, where tests run on PostgreSQL.
pub(super) fn of_folder(folder: &Path) -> Option<DatabasePlace> {
    postgres::of_folder(folder).map(|place| place.parse().unwrap())
}

/// Whether tests run on PostgreSQL: what is about the files of SQLite means nothing there.
pub(super) fn is_shared() -> bool {
    postgres::is_wanted()
}

/// Opens it, for tests that wait for nothing.
pub(super) fn open(place: DatabasePlace) -> Result<Store, StoreError> {
    let opening = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        runtime.block_on(Store::open_shared(&place))
    });
    opening.join().unwrap()
}

/// Two stores on a database that don't think of each other; nothing, loudly, where this machine has no PostgreSQL.
pub(super) fn naive(folder: &Path) -> Option<[Store; 2]> {
    let place: DatabasePlace = beside(folder)?.parse().unwrap();
    place.be_naive();
    Some([place.clone(), place].map(|place| open(place).unwrap()))
}
