//! Cursors, §4.1: where a page ended, sealed so that nobody makes or changes one, and only its own search opens it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::domain::Cursor;

/// The last product of a page: the next one begins after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Its sort key; `None` where it has none or the order is by id.
    pub key: Option<i64>,
    /// Its id.
    pub id: i64,
}

/// Bytes of a position: whether there is a key, the key, the id.
const POSITION: usize = 17;

/// Bytes of how often the catalog had been changed, behind the position, where a copy of the database is read from: one
/// that has had fewer changes isn't asked for the next page.
const GENERATION: usize = 8;

/// Bytes of the seal: half of an HMAC-SHA256.
const SEAL: usize = 16;

fn seal(secret: &[u8; 32], fingerprint: [u8; 16], position: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(&fingerprint);
    mac.update(position);
    Some(mac)
}

/// The cursor of a position in the search with this fingerprint, as it was after so many changes of the catalog where that is
/// to be known.
#[must_use]
pub fn write(position: Position, generation: Option<i64>, fingerprint: [u8; 16], secret: &[u8; 32]) -> Option<Cursor> {
    let mut bytes = vec![u8::from(position.key.is_some())];
    bytes.extend(position.key.unwrap_or_default().to_be_bytes());
    bytes.extend(position.id.to_be_bytes());
    bytes.extend(generation.iter().flat_map(|generation| generation.to_be_bytes()));
    let mac = seal(secret, fingerprint, &bytes)?.finalize().into_bytes();
    bytes.extend(mac.iter().take(SEAL));
    Some(Cursor::new(URL_SAFE_NO_PAD.encode(bytes)))
}

/// Whether a cursor has the form of ours. Whether it belongs to a search only that search can tell.
#[must_use]
pub fn is_formed(cursor: &Cursor) -> bool {
    URL_SAFE_NO_PAD.decode(cursor.as_str()).is_ok_and(|bytes| parts(&bytes).is_some())
}

/// What is sealed, and its seal.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let has_length = [POSITION, POSITION + GENERATION].contains(&bytes.len().checked_sub(SEAL)?);
    bytes.split_at_checked(bytes.len() - SEAL).filter(|_| has_length)
}

/// After how many changes of the catalog a cursor says that it was written. That nobody changed it only [`read`] tells.
#[must_use]
pub fn generation(cursor: &Cursor) -> Option<i64> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor.as_str()).ok()?;
    let (_, generation) = parts(&bytes)?.0.split_at_checked(POSITION)?;
    Some(i64::from_be_bytes(generation.try_into().ok()?))
}

/// The position that a cursor holds; `None` where it was changed or belongs to another search.
#[must_use]
pub fn read(cursor: &Cursor, fingerprint: [u8; 16], secret: &[u8; 32]) -> Option<Position> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor.as_str()).ok()?;
    let (sealed, mac) = parts(&bytes)?;
    seal(secret, fingerprint, sealed)?.verify_truncated_left(mac).ok()?;
    let (has_key, rest) = sealed.split_first()?;
    let (key, rest) = rest.split_first_chunk::<8>()?;
    let (id, _) = rest.split_first_chunk::<8>()?;
    let key = (*has_key == 1).then_some(i64::from_be_bytes(*key));
    Some(Position { key, id: i64::from_be_bytes(*id) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_search_opens_an_unchanged_cursor() {
        let (secret, ours) = ([7; 32], [1; 16]);
        let position = Position { key: Some(-5), id: 1 << 33 };
        for reached in [None, Some(7), Some(-1), Some(i64::MAX)] {
            let cursor = write(position, reached, ours, &secret).unwrap();
            assert_eq!(read(&cursor, ours, &secret), Some(position));
            assert_eq!((generation(&cursor), is_formed(&cursor)), (reached, true));
            assert_eq!(read(&cursor, [2; 16], &secret), None);
            assert_eq!(read(&cursor, ours, &[8; 32]), None);
            for at in 0..cursor.as_str().len() {
                let mut changed: Vec<char> = cursor.as_str().chars().collect();
                changed[at] = if changed[at] == 'A' { 'B' } else { 'A' };
                let changed = Cursor::new(changed.into_iter().collect::<String>());
                assert!(read(&changed, ours, &secret).is_none(), "{at}");
            }
        }
        assert_eq!(generation(&Cursor::new("nonsense")), None);
        assert_eq!(read(&Cursor::new("nonsense"), ours, &secret), None);
        assert_eq!(read(&Cursor::new(""), ours, &secret), None);
    }
}
