//! What all commands that change something do alike.

use std::io::Write as _;

use super::findings::{Given, Unread, given};
use super::output::Output;
use super::session::warn;
use super::{Failure, Session, table};
use crate::api::{Operation, Row};
use crate::client::{Answer, json};
use crate::domain::Finding;

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
        return passed_on(&O::ROW, &answer);
    }
    let answer = client.call(operation).await?;
    note_products(&answer);
    let raw = given(&answer);
    show(&shown(&answer.value, Given(raw.as_ref())), &answer.findings)
}

fn passed_on(row: &Row, answer: &Answer<()>) -> Result<(), Failure> {
    note_products(answer);
    // The specification gives these answers no body. It was done, so there is nothing to fail for.
    if row.ignores_body() && json::document(&answer.body).is_err() {
        let mut out = Output::open();
        out.write_all(b"null\n")?;
        return Ok(out.flush()?);
    }
    Output::open().document(answer)
}

fn show(fields: &[(&'static str, String)], findings: &[Finding]) -> Result<(), Failure> {
    let mut out = Output::open();
    table::fields(fields, &mut out)?;
    out.flush()?;
    let mut unread = Unread::default();
    unread.note(findings);
    unread.tell();
    Ok(())
}

/// Says where the products of a step are, where the service has none of them.
pub(super) fn note_products<T>(answer: &Answer<T>) {
    if answer.products_here {
        warn(PRODUCTS_HERE);
    }
}
