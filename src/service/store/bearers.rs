//! Whose credentials are, asked of PostgreSQL: each request is looked up after it has come, and those that come while others
//! are looked up go together.

use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use super::StoreError;
use super::credentials::{Identity, KEYS, TOKENS, is_like_token, now_seconds, said};
use super::db::{Listed, Question, Session};

/// The hash of a credential, as it is kept.
pub(super) type Hash = [u8; 32];

/// Those who wait to be told whose a credential is.
#[derive(Default)]
pub(super) struct Asking(Mutex<Vec<Asker>>);

struct Asker {
    hash: Hash,
    /// Whether it looks like a token: these are looked for among the tokens first.
    is_token: bool,
    answer: oneshot::Sender<Option<Identity>>,
}

impl Asking {
    /// Joins those who wait. Where they can't be answered together, the answer never comes.
    pub(super) fn join(&self, secret: &str, hash: Hash) -> oneshot::Receiver<Option<Identity>> {
        let (answer, answered) = oneshot::channel();
        let asker = Asker { hash, is_token: is_like_token(secret), answer };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(asker);
        answered
    }

    /// Answers those who wait now.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses; then none of them is answered.
    pub(super) fn answer(&self, session: &Session) -> Result<(), StoreError> {
        let askers = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if askers.is_empty() {
            return Ok(());
        }
        let now = now_seconds();
        let of = |is_token: bool| {
            let alike = askers.iter().filter(move |asker| asker.is_token == is_token);
            alike.map(|asker| asker.hash).collect::<Vec<Hash>>()
        };
        let (keys, tokens) = (of(false), of(true));
        let mut found = looked_up(session, [&keys, &tokens], now)?;
        // What looks like the one may be the other.
        let unknown = |hashes: &[Hash]| {
            let unknown = hashes.iter().filter(|hash| !found.iter().any(|(known, _)| known == *hash));
            unknown.copied().collect::<Vec<Hash>>()
        };
        let (keys, tokens) = (unknown(&keys), unknown(&tokens));
        found.extend(looked_up(session, [&tokens, &keys], now)?);
        for asker in askers {
            let identity = said(asker.hash, &found);
            // Nobody waits any more where the request was cancelled.
            let _ = asker.answer.send(identity);
        }
        Ok(())
    }
}

/// Whose these are, looked for among the keys and among the tokens.
fn looked_up(session: &Session, [keys, tokens]: [&[Hash]; 2], now: i64) -> Result<Vec<(Hash, Identity)>, StoreError> {
    let asked = [(KEYS, keys), (TOKENS, tokens)].into_iter().filter(|(_, hashes)| !hashes.is_empty());
    let asked: Vec<_> = asked.map(|(sql, hashes)| (sql, [Listed::Hashes(hashes), Listed::Number(now)])).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let questions: Vec<_> = asked.iter().map(|(sql, values)| Question::new(sql, values)).collect();
    let mut found = Vec::new();
    for ((sql, _), rows) in asked.iter().zip(session.answers(&questions)?) {
        for row in rows {
            found.extend(Identity::read(&row, *sql == KEYS)?);
        }
    }
    Ok(found)
}
