//! The driver of exports: follows searches to their end and writes a file, whole or not at all.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use super::host::{Access, Existing, Files};
use crate::api::SearchProducts;
use crate::client::{Client, ClientError};
use crate::domain::json::split_page;
use crate::domain::{Cursor, ProductSearch, Sheet};
use crate::studio::event::{Event, RequestId};
use crate::studio::products::{Event as OfProducts, Export};

/// Why there is no file.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The service.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A page can't be read.
    #[error("{0}")]
    Page(String),
    /// The file can't be written.
    #[error("{path}: {why}")]
    File {
        /// Which.
        path: String,
        /// Why.
        why: io::Error,
    },
    /// The file is there.
    #[error("{0} already exists; choose another name")]
    Exists(String),
    /// What takes them as they come takes no more.
    #[error("standard output: {0}")]
    Output(io::Error),
    /// The cursors lead in a circle.
    #[error("the service keeps returning the same page")]
    Endless,
}

/// Writes products to a file and reports how far it is; cancelled, it leaves nothing.
pub async fn export(
    client: Client,
    files: Files,
    request: RequestId,
    export: Export,
    events: UnboundedSender<Event>,
) -> OfProducts {
    let mut done = 0;
    let told = |count| {
        done = count;
        let _ = events.send(Event::Products(OfProducts::Exported { request, done, ended: None }));
    };
    let ended = to_file(&client, &files, &export, false, told).await.map_err(|error| error.to_string());
    OfProducts::Exported { request, done, ended: Some(ended.map(|(file, _)| file)) }
}

/// Writes products to a file; `told` is told how many are in. Gives the file and how many there are. What stands in its
/// place is left as it is, unless `overwrite` gives it up: then it stands there until the new file is whole.
///
/// # Errors
/// What [`ExportError`] lists; then no file was written.
pub async fn to_file(
    client: &Client,
    files: &Files,
    export: &Export,
    overwrite: bool,
    told: impl FnMut(u64),
) -> Result<(String, u64), ExportError> {
    let shown = files.find(&export.file).display().to_string();
    let fail = |why: io::Error| match why.kind() {
        io::ErrorKind::AlreadyExists => ExportError::Exists(shown.clone()),
        _ => ExportError::File { path: shown.clone(), why },
    };
    let existing = if overwrite { Existing::Replace } else { Existing::Refuse };
    let file = files.begin(&export.file, Access::Usual, existing).map_err(fail)?;
    let mut sheet = file
        .writer()
        .and_then(|out| Sheet::begin(BufWriter::new(out), export.format, &export.columns))
        .map_err(fail)?;
    let done = fill(client, export, &mut sheet, told).await.map_err(|error| match error {
        Unfilled::Export(error) => error,
        Unfilled::Writing(why) => fail(why),
    })?;
    let written = sheet.end().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
    // Unless something stands there by now that is not to be overwritten.
    written.map_err(fail)?;
    let kept = tokio::task::spawn_blocking(move || file.keep()).await;
    kept.map_err(io::Error::other).flatten().map_err(fail)?;
    Ok((shown, done))
}

/// Writes products to what takes them as they come; how many there are.
///
/// # Errors
/// What [`ExportError`] lists; what came before it is written.
pub async fn to_writer(client: &Client, export: &Export, out: impl Write) -> Result<u64, ExportError> {
    let output = |why: io::Error| ExportError::Output(why);
    let mut sheet = Sheet::begin(out, export.format, &export.columns).map_err(output)?;
    let done = fill(client, export, &mut sheet, |_| ()).await.map_err(|error| match error {
        Unfilled::Export(error) => error,
        Unfilled::Writing(why) => output(why),
    })?;
    sheet.end().and_then(|mut out| out.flush()).map_err(output)?;
    Ok(done)
}

/// Why a sheet did not get its rows.
enum Unfilled {
    Export(ExportError),
    Writing(io::Error),
}

impl<E: Into<ExportError>> From<E> for Unfilled {
    fn from(error: E) -> Self {
        Self::Export(error.into())
    }
}

/// Follows the searches to their end, a row a product.
async fn fill<W: Write>(
    client: &Client,
    export: &Export,
    sheet: &mut Sheet<'_, W>,
    mut told: impl FnMut(u64),
) -> Result<u64, Unfilled> {
    let mut done = 0;
    for search in &export.searches {
        let mut search: ProductSearch = search.clone();
        let mut followed = BTreeSet::new();
        loop {
            let answer = client.call_raw(&SearchProducts(search.clone())).await?;
            let page = split_page(&answer.body).map_err(ExportError::Page)?;
            for product in &page.products {
                sheet.add(product.get()).map_err(Unfilled::Writing)?;
                done += 1;
            }
            told(done);
            let next = page.next_cursor.filter(|_| page.has_more != Some(false)).map(Cursor::from);
            if next.is_none() {
                break;
            }
            if !next.iter().all(|next| followed.insert(next.clone())) {
                return Err(ExportError::Endless.into());
            }
            search.cursor = next;
        }
    }
    Ok(done)
}
