//! The driver of exports: follows searches to their end and writes a file, whole or not at all.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::SearchProducts;
use crate::client::{Client, ClientError};
use crate::domain::json::split_page;
use crate::domain::{Cursor, ProductSearch, Sheet};
use crate::studio::effect::Export;
use crate::studio::event::{Event, RequestId};

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
    #[error("{0} is there already; choose another name")]
    Exists(String),
    /// What takes them as they come takes no more.
    #[error("standard output: {0}")]
    Output(io::Error),
    /// The cursors lead in a circle.
    #[error("the service gives the same page again and again")]
    Endless,
}

/// Writes products to a file and reports how far it is; cancelled, it leaves nothing.
pub async fn export(client: Client, request: RequestId, export: Export, events: UnboundedSender<Event>) -> Event {
    let mut done = 0;
    let told = |count| {
        done = count;
        let _ = events.send(Event::Exported { request, done, ended: None });
    };
    let ended = to_file(&client, &export, false, told).await.map_err(|error| error.to_string());
    Event::Exported { request, done, ended: Some(ended.map(|(file, _)| file)) }
}

/// Writes products to a file; `told` is told how many are in. Gives the file and how many there are. What stands in its
/// place is left as it is, unless `overwrite` gives it up: then it stands there until the new file is whole.
///
/// # Errors
/// What [`ExportError`] lists; then no file was written.
pub async fn to_file(
    client: &Client,
    export: &Export,
    overwrite: bool,
    told: impl FnMut(u64),
) -> Result<(String, u64), ExportError> {
    let path = place(&export.file);
    let shown = path.display().to_string();
    let fail = |why: io::Error| ExportError::File { path: shown.clone(), why };
    if !overwrite && path.exists() {
        return Err(ExportError::Exists(shown));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = beside(folder).map_err(fail)?;
    let mut sheet = file
        .reopen()
        .and_then(|out| Sheet::begin(BufWriter::new(out), export.format, &export.columns))
        .map_err(fail)?;
    let done = fill(client, export, &mut sheet, told).await.map_err(|error| match error {
        Unfilled::Export(error) => error,
        Unfilled::Writing(why) => fail(why),
    })?;
    // Unless something stands there by now that is not to be overwritten.
    let written = sheet.end().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
    written.and_then(|out| out.sync_all()).and_then(|()| put(file, &path, overwrite)).map_err(fail)?;
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

/// The file that was meant: `~` is the home folder, anything else is seen from where the studio was started.
fn place(file: &str) -> PathBuf {
    let home = directories::BaseDirs::new();
    match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.home_dir().join(rest),
        _ => std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file)),
    }
}

/// A file beside its place.
fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cutaway-export-");
    // It is the person's file, not a secret: who may read it is for their umask to say.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Puts a file that is whole into its place.
fn put(file: NamedTempFile, path: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite { file.persist(path) } else { file.persist_noclobber(path) }.map(drop).map_err(|error| error.error)
}

/// Writes a text to a file, whole or not at all.
///
/// # Errors
/// As the system's; [`io::ErrorKind::AlreadyExists`] where something stands there that is not to be overwritten.
pub fn write_text(path: &Path, text: &str, overwrite: bool) -> io::Result<()> {
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = beside(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    put(file, path, overwrite)
}
