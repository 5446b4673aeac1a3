//! What PostgreSQL's errors mean to whoever asked.

use std::error::Error as _;

use tokio_postgres::error::SqlState;

use super::{AWAY, BUSY};

/// What is said of an error. A server's words may name the values of a row, so only what they are about is repeated.
pub(super) fn sentence(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) if *said.code() == SqlState::READ_ONLY_SQL_TRANSACTION => {
            "PostgreSQL: this server takes no changes (25006); name the primary, or add target_session_attrs=read-write"
                .to_owned()
        }
        Some(said) if is_mixed_up(said.code()) => {
            format!(
                "PostgreSQL: {} ({}); add ?prepare=off to the address of a pooler",
                said.message(),
                said.code().code()
            )
        }
        Some(said) if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => {
            format!(
                "PostgreSQL: {} (42501); the role has to own the tables, or have all rights on them",
                said.message()
            )
        }
        Some(said) => format!("PostgreSQL: {} ({})", said.message(), said.code().code()),
        None => match error.source() {
            Some(source) => format!("PostgreSQL: {error}: {source}"),
            None => format!("PostgreSQL: {error}"),
        },
    }
}

/// Whether a line is over with this: its server is going, or is no longer the one that writes.
pub(super) fn is_over(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION || code.code().starts_with("57P") || code.code().starts_with("08")
}

/// Why PostgreSQL can't be asked at the moment, where that is what happened.
pub(super) fn unavailable(error: &tokio_postgres::Error) -> Option<&'static str> {
    let Some(code) = error.code() else {
        // What was not even sent is a fault of the program; everything else is the line.
        let is_fault = error.source().is_some_and(<dyn std::error::Error>::is::<super::FromSqlError>);
        return if is_fault { None } else { Some(AWAY) };
    };
    match code.code() {
        "53100" => Some("The service's disk is full."),
        "40001" | "40P01" | "55P03" | "57014" | "25P03" | "53300" => Some(BUSY),
        "25006" | "28P01" | "28000" | "3D000" | "42501" => Some(AWAY),
        _ if is_mixed_up(code) => Some(AWAY),
        code if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Some(AWAY),
        _ => None,
    }
}

/// Whether a statement that was prepared isn't there, or another one is: a pooler hands out connections by transaction.
fn is_mixed_up(code: &SqlState) -> bool {
    ["26000", "42P05", "08P01"].contains(&code.code())
}

/// Whether a transaction that ended in this way was not kept, and may be tried again as it was: others were in its way, or the
/// line was lost before its end.
pub(super) fn may_go_again(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => ["40001", "40P01"].contains(&code.code()) || is_over(code),
        None => error.is_closed() || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>),
    }
}
