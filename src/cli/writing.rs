//! What all commands that change something do alike.

use std::io::Write as _;

use super::findings::{Given, Unread, given};
use super::output::Output;
use super::session::warn;
use super::{Failure, Session, table};
use crate::api::Operation;
use crate::client::{Answer, json};

/// What is said where a service doesn't give the products of a step back.
pub(super) const PRODUCTS_HERE: &str =
    "this service doesn't store the products of steps: they are kept on this computer, and viewers don't see them";

/// Makes a call that changes something and shows its answer: as `shown` says it to people, or as it came.
pub(super) async fn write<O: Operation>(
    session: &Session,
    operation: &O,
    as_json: bool,
    shown: impl FnOnce(&O::Response, Given<'_>) -> Vec<(&'static str, String)>,
) -> Result<(), Failure> {
    session.may_write::<O>()?;
    let client = session.connect().await?.client;
    if as_json {
        let answer = client.call_raw(operation).await?;
        note_products(&answer);
        // The specification gives these answers no body. It was done, so there is nothing to fail for.
        if O::ROW.ignores_body() && json::document(&answer.body).is_err() {
            let mut out = Output::open();
            out.write_all(b"null\n")?;
            return Ok(out.flush()?);
        }
        return Output::open().document(&answer);
    }
    let answer = client.call(operation).await?;
    note_products(&answer);
    let raw = given(&answer);
    let mut out = Output::open();
    table::fields(&shown(&answer.value, Given(raw.as_ref())), &mut out)?;
    out.flush()?;
    let mut unread = Unread::default();
    unread.note(&answer.findings);
    unread.tell();
    Ok(())
}

/// Says where the products of a step are, where the service has none of them.
pub(super) fn note_products<T>(answer: &Answer<T>) {
    if answer.products_here {
        warn(PRODUCTS_HERE);
    }
}
