//! What guests over SSH have in a database that several processes serve: small texts, such as where their studio was, and
//! the journals of their drafts. On a data folder all of this is in files.
//!
//! A journal is held under a lease and a fence that whoever takes it draws again: what is written under an earlier fence
//! is refused, so a process that stalled can't write into a draft that went on elsewhere.

use super::db::{OptionalExtension as _, Transaction, params};
use super::{Store, StoreError};
use crate::service::timing::now;

/// A small text, with the number of its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestNote {
    /// Which version it is; each change makes the next one.
    pub version: i64,
    /// It.
    pub text: String,
}

/// Which journal is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GuestDraft {
    /// Whose it is.
    pub home: String,
    /// What it is called.
    pub name: String,
}

/// A journal that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenDraft {
    /// There is none.
    Nothing,
    /// Somebody else holds it.
    Held,
    /// It is held now.
    Taken {
        /// All of it.
        text: String,
        /// When it was written last, milliseconds since 1970.
        written: i64,
    },
}

/// What stands where a journal was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftPlace {
    /// It, under the same fence.
    Own,
    /// It, taken by somebody else.
    Another,
    /// Nothing: it was removed.
    Nothing,
}

/// What came of asking for a journal that somebody else holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftAsked {
    /// It is asked for; whether its holder has taken note.
    Asked {
        /// Whether they have.
        noted: bool,
    },
    /// Somebody else asks for it, and is served first.
    ByAnother,
    /// It is gone.
    Nothing,
}

/// A journal that is to be let go of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftDraft {
    /// Which.
    pub of: GuestDraft,
    /// The fence that it was held under.
    pub fence: String,
    /// Whether it is to be there for the next holder; else it is removed.
    pub stays: bool,
}

/// A journal that is held, as its holder finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldDraft {
    /// Whether it is held still.
    pub place: DraftPlace,
    /// Whether somebody waits for it.
    pub wanted: bool,
    /// Whether its holder has taken note of that.
    pub noted: bool,
}

/// A journal in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDraft {
    /// What it is called.
    pub name: String,
    /// When it was written last, milliseconds since 1970.
    pub written: i64,
    /// How many pieces it has.
    pub pieces: i64,
}

fn text_of(transaction: &Transaction<'_>, of: &GuestDraft) -> Result<String, StoreError> {
    let sql = "SELECT piece FROM guest_line WHERE home = ?1 AND name = ?2 ORDER BY number";
    let mut statement = transaction.prepare_cached(sql)?;
    let pieces = statement.query_map(params![of.home, of.name], |row| row.get::<String>(0))?;
    Ok(pieces.collect::<Result<Vec<_>, _>>()?.concat())
}

fn clear(transaction: &Transaction<'_>, of: &GuestDraft) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM guest_line WHERE home = ?1 AND name = ?2", params![of.home, of.name])?;
    Ok(())
}

fn add(transaction: &Transaction<'_>, of: &GuestDraft, piece: &str) -> Result<(), StoreError> {
    let last = "SELECT coalesce(max(number), 0) FROM guest_line WHERE home = ?1 AND name = ?2";
    let last: i64 = transaction.query_row(last, params![of.home, of.name], |row| row.get(0))?;
    transaction.execute(
        "INSERT INTO guest_line (home, name, number, piece) VALUES (?1, ?2, ?3, ?4)",
        params![of.home, of.name, last + 1, piece],
    )?;
    Ok(())
}

/// Renews the lease of a journal that is written to under a fence; what stands in its place.
fn renewed(transaction: &Transaction<'_>, of: &GuestDraft, fence: &str, until: i64) -> Result<DraftPlace, StoreError> {
    let sql = "UPDATE guest_draft SET lease_until = ?4, written = ?5 WHERE home = ?1 AND name = ?2 AND fence = ?3";
    if transaction.execute(sql, params![of.home, of.name, fence, until, now()])? == 1 {
        return Ok(DraftPlace::Own);
    }
    let sql = "SELECT 1 FROM guest_draft WHERE home = ?1 AND name = ?2";
    let is_there = transaction.prepare_cached(sql)?.exists(params![of.home, of.name])?;
    Ok(if is_there { DraftPlace::Another } else { DraftPlace::Nothing })
}

/// A journal as its holder or whoever wants it finds it.
struct Row {
    lease_until: i64,
    written: i64,
    wanted_by: Option<String>,
    wanted_until: i64,
    noted: bool,
}

fn row_of(transaction: &Transaction<'_>, of: &GuestDraft) -> Result<Option<Row>, StoreError> {
    let sql = "SELECT lease_until, written, wanted_by, wanted_until, noted FROM guest_draft
               WHERE home = ?1 AND name = ?2";
    let found = transaction.query_row(sql, params![of.home, of.name], |row| {
        Ok(Row {
            lease_until: row.get(0)?,
            written: row.get(1)?,
            wanted_by: row.get(2)?,
            wanted_until: row.get(3)?,
            noted: row.get::<i64>(4)? != 0,
        })
    });
    Ok(found.optional()?)
}

fn note(transaction: &Transaction<'_>, of: &GuestDraft, noted: bool) -> Result<(), StoreError> {
    let sql = "UPDATE guest_draft SET noted = ?3 WHERE home = ?1 AND name = ?2";
    transaction.execute(sql, params![of.home, of.name, i64::from(noted)])?;
    Ok(())
}

/// What stands where a journal was held under a fence.
fn seen(transaction: &Transaction<'_>, of: &GuestDraft, fence: &str, now: i64) -> Result<HeldDraft, StoreError> {
    let sql = "SELECT fence, lease_until, wanted_until, noted FROM guest_draft WHERE home = ?1 AND name = ?2";
    let found = transaction.prepare_cached(sql)?.query_row(params![of.home, of.name], |row| {
        let is_own = row.get::<String>(0)? == fence;
        let place = match (is_own, row.get::<i64>(1)? > 0) {
            // Also where whoever took it has let go of it again: what they wrote is in it.
            (false, _) => DraftPlace::Another,
            (true, true) => DraftPlace::Own,
            (true, false) => DraftPlace::Nothing,
        };
        Ok(HeldDraft { place, wanted: is_own && row.get::<i64>(2)? > now, noted: is_own && row.get::<i64>(3)? != 0 })
    });
    let nothing = HeldDraft { place: DraftPlace::Nothing, wanted: false, noted: false };
    Ok(found.optional()?.unwrap_or(nothing))
}

impl Store {
    /// A small text of a home.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn guest_note(&self, home: String, name: String) -> Result<Option<GuestNote>, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT version, content FROM guest_note WHERE home = ?1 AND name = ?2";
                let found = connection
                    .prepare_cached(sql)?
                    .query_row(params![home, name], |row| Ok(GuestNote { version: row.get(0)?, text: row.get(1)? }));
                Ok(found.optional()?)
            })
            .await
    }

    /// Puts a small text in the place of this version of it, or of nothing. Says whether that was still there.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn put_guest_note(
        &self,
        (home, name): (String, String),
        text: String,
        version: Option<i64>,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let changed = match version {
                Some(version) => transaction.execute(
                    "UPDATE guest_note SET content = ?3, version = version + 1
                     WHERE home = ?1 AND name = ?2 AND version = ?4",
                    params![home, name, text, version],
                )?,
                None => transaction.execute(
                    "INSERT INTO guest_note (home, name, version, content) VALUES (?1, ?2, 1, ?3) ON CONFLICT DO NOTHING",
                    params![home, name, text],
                )?,
            };
            Ok(changed == 1)
        })
        .await
    }

    /// Holds a journal that nobody holds, under this fence and for so many milliseconds. `asking` is whoever asked for it
    /// and was not heard: they take it from its holder.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn take_guest_draft(
        &self,
        of: GuestDraft,
        (fence, lasts): (String, i64),
        asking: Option<String>,
    ) -> Result<TakenDraft, StoreError> {
        self.write(move |transaction| {
            let Some(row) = row_of(transaction, &of)? else { return Ok(TakenDraft::Nothing) };
            let is_unheard = asking.is_some() && row.wanted_by == asking && !row.noted;
            if row.lease_until > now() && !is_unheard {
                return Ok(TakenDraft::Held);
            }
            let sql =
                "UPDATE guest_draft SET fence = ?3, lease_until = ?4, wanted_by = NULL, wanted_until = 0, noted = 0
                       WHERE home = ?1 AND name = ?2";
            transaction.execute(sql, params![of.home, of.name, fence, now() + lasts])?;
            Ok(TakenDraft::Taken { text: text_of(transaction, &of)?, written: row.written })
        })
        .await
    }

    /// Begins a journal where there is none, held under this fence. Says whether there was none.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn begin_guest_draft(
        &self,
        of: GuestDraft,
        (fence, lasts): (String, i64),
        text: String,
    ) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let begun = transaction.execute(
                "INSERT INTO guest_draft (home, name, fence, lease_until, written, wanted_until, noted)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, 0) ON CONFLICT DO NOTHING",
                params![of.home, of.name, fence, now() + lasts, now()],
            )?;
            if begun == 1 {
                clear(transaction, &of)?;
                add(transaction, &of, &text)?;
            }
            Ok(begun == 1)
        })
        .await
    }

    /// Adds to it, or puts the text in the place of the `whole` of it. Nothing is written under an earlier fence.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn write_guest_draft(
        &self,
        of: GuestDraft,
        (fence, lasts): (String, i64),
        text: String,
        whole: bool,
    ) -> Result<DraftPlace, StoreError> {
        self.write(move |transaction| {
            let place = renewed(transaction, &of, &fence, now() + lasts)?;
            if place == DraftPlace::Own {
                if whole {
                    clear(transaction, &of)?;
                }
                add(transaction, &of, &text)?;
            }
            Ok(place)
        })
        .await
    }

    /// Lets go of journals, each held under its fence, by one change. What is held under another fence by now stays as it is.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses; none was let go of then.
    pub async fn leave_guest_drafts(&self, left: Vec<LeftDraft>) -> Result<(), StoreError> {
        self.write(move |transaction| {
            for LeftDraft { of, fence, stays } in &left {
                let sql = if *stays {
                    "UPDATE guest_draft SET lease_until = 0 WHERE home = ?1 AND name = ?2 AND fence = ?3"
                } else {
                    "DELETE FROM guest_draft WHERE home = ?1 AND name = ?2 AND fence = ?3"
                };
                if transaction.execute(sql, params![of.home, of.name, fence])? == 1 && !stays {
                    clear(transaction, of)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// What stands where journals were held, each under its fence. Each is found by its key, at one moment, and nobody's turn
    /// is waited for.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn see_guest_drafts(&self, drafts: Vec<(GuestDraft, String)>) -> Result<Vec<HeldDraft>, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let now = now();
                drafts.iter().map(|(of, fence)| seen(&transaction, of, fence, now)).collect()
            })
            .await
    }

    /// Renews the leases of journals that are held under these fences, and takes note of who waits for them. One that was let
    /// go of meanwhile stays so.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn renew_guest_drafts(&self, drafts: Vec<(GuestDraft, String)>, lasts: i64) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let mut renew = transaction.prepare_cached(
                "UPDATE guest_draft SET lease_until = ?4, noted = CASE WHEN wanted_until > ?5 THEN 1 ELSE 0 END
                 WHERE home = ?1 AND name = ?2 AND fence = ?3 AND lease_until > 0",
            )?;
            for (of, fence) in &drafts {
                renew.execute(params![of.home, of.name, fence, now() + lasts, now()])?;
            }
            Ok(())
        })
        .await
    }

    /// Asks, as `who`, for a journal that somebody else holds, for so many milliseconds.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn want_guest_draft(&self, of: GuestDraft, who: String, lasts: i64) -> Result<DraftAsked, StoreError> {
        self.write(move |transaction| {
            let Some(row) = row_of(transaction, &of)? else { return Ok(DraftAsked::Nothing) };
            let is_own = row.wanted_by.as_deref() == Some(who.as_str());
            if !is_own && row.wanted_until > now() {
                return Ok(DraftAsked::ByAnother);
            }
            let sql = "UPDATE guest_draft SET wanted_by = ?3, wanted_until = ?4 WHERE home = ?1 AND name = ?2";
            transaction.execute(sql, params![of.home, of.name, who, now() + lasts])?;
            if !is_own {
                note(transaction, &of, false)?;
            }
            Ok(DraftAsked::Asked { noted: is_own && row.noted })
        })
        .await
    }

    /// Asks for a journal no longer.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn unwant_guest_draft(&self, of: GuestDraft, who: String) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE guest_draft SET wanted_by = NULL, wanted_until = 0
                       WHERE home = ?1 AND name = ?2 AND wanted_by = ?3";
            transaction.execute(sql, params![of.home, of.name, who])?;
            Ok(())
        })
        .await
    }

    /// The journals of a home.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn guest_drafts(&self, home: String) -> Result<Vec<ListedDraft>, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT name, written, (SELECT count(*) FROM guest_line
                               WHERE guest_line.home = guest_draft.home AND guest_line.name = guest_draft.name)
                           FROM guest_draft WHERE home = ?1 ORDER BY name";
                let mut statement = connection.prepare_cached(sql)?;
                let rows = statement.query_map([home], |row| {
                    Ok(ListedDraft { name: row.get(0)?, written: row.get(1)?, pieces: row.get(2)? })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// What the journals are called that somebody holds.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn held_guest_drafts(&self) -> Result<Vec<String>, StoreError> {
        self.readers
            .run(|connection| {
                let sql = "SELECT name FROM guest_draft WHERE lease_until > ?1 ORDER BY home, name";
                let mut statement = connection.prepare_cached(sql)?;
                let rows = statement.query_map([now()], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// All of a journal, whoever holds it.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn guest_draft(&self, of: GuestDraft) -> Result<String, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                text_of(&transaction, &of)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(home: &str) -> GuestDraft {
        GuestDraft { home: home.to_owned(), name: "a.draft".to_owned() }
    }

    /// How a holder finds what it held under a fence.
    async fn place(store: &Store, fence: &str) -> DraftPlace {
        let seen = store.see_guest_drafts(vec![(draft("one"), fence.to_owned()), (draft("two"), "x".to_owned())]).await;
        let seen = seen.unwrap();
        assert_eq!((seen.len(), seen[1].place), (2, DraftPlace::Nothing), "that is another home's");
        seen[0].place
    }

    async fn take(store: &Store, fence: &str) -> TakenDraft {
        store.take_guest_draft(draft("one"), (fence.to_owned(), 60_000), None).await.unwrap()
    }

    async fn leave(store: &Store, fence: &str, stays: bool) {
        let left = LeftDraft { of: draft("one"), fence: fence.to_owned(), stays };
        store.leave_guest_drafts(vec![left]).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_holder_that_stalled_finds_that_its_draft_went_elsewhere_also_where_it_was_left_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert_eq!(place(&store, "first").await, DraftPlace::Nothing);
        // Its lease is over at once, as that of a process that stalls.
        let begun = store.begin_guest_draft(draft("one"), ("first".to_owned(), 0), "text".to_owned()).await;
        assert!(begun.unwrap());
        assert_eq!(place(&store, "first").await, DraftPlace::Own);
        assert!(matches!(take(&store, "second").await, TakenDraft::Taken { .. }));
        assert_eq!(
            (place(&store, "first").await, place(&store, "second").await),
            (DraftPlace::Another, DraftPlace::Own)
        );
        leave(&store, "second", true).await;
        assert_eq!(place(&store, "first").await, DraftPlace::Another);
        assert_eq!(place(&store, "second").await, DraftPlace::Nothing, "nobody has it who was to give it away");
        leave(&store, "first", false).await;
        assert_eq!(store.guest_draft(draft("one")).await.unwrap(), "text", "that is not the first one's to remove");
        assert!(matches!(take(&store, "third").await, TakenDraft::Taken { .. }), "it was let go of");
        leave(&store, "third", false).await;
        assert_eq!((place(&store, "third").await, take(&store, "x").await), (DraftPlace::Nothing, TakenDraft::Nothing));
        assert_eq!(store.guest_draft(draft("one")).await.unwrap(), "");
    }
}
