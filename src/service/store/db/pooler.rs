//! A pooler that hands out its connections by transaction, found out at the start: statements that are prepared on one of its
//! connections are asked for on another, and settings last for nobody.

use super::{Connection, DatabasePlace, Error, Result, Session};

/// Which connection of the server this is; nothing where the server doesn't say.
const CONNECTION: &str = "SELECT pid || ' ' || backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()";
/// How often two lines are held against each other.
const LOOKS: u32 = 3;

/// Refuses such a pooler where statements are prepared. It is known by two lines that share a connection of the server, or by
/// one that has another connection than before. A pooler that is so busy that neither is seen is found out by its errors.
pub(in crate::service::store) fn refuse_pooler(connection: &Connection, place: &DatabasePlace) -> Result<()> {
    let Some(session) = connection.postgres().filter(|_| place.prepares()) else { return Ok(()) };
    let mut other = Session::new(place.clone());
    other.ready()?;
    let first = session.said(CONNECTION)?;
    for _ in 0..LOOKS {
        let (beside, again) = (other.said(CONNECTION)?, session.said(CONNECTION)?);
        if first.is_some() && (beside == first || again != first) {
            let why = "this is a pooler that hands out connections by transaction; add ?prepare=off to the address";
            return Err(Error::Away(why.to_owned()));
        }
    }
    Ok(())
}
