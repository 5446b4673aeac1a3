//! The driver of exports: follows searches to their end and writes a file, whole or not at all.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::SearchProducts;
use crate::client::json::{escape_on_one_line, split_page};
use crate::client::{Client, ClientError, json};
use crate::domain::{Cursor, ExportColumn, FoundProduct, ProductSearch, Reader};
use crate::studio::effect::{Export, ExportFormat};
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
    mut told: impl FnMut(u64),
) -> Result<(String, u64), ExportError> {
    let mut done = 0;
    let path = place(&export.file);
    let shown = path.display().to_string();
    let fail = |why: io::Error| ExportError::File { path: shown.clone(), why };
    if !overwrite && path.exists() {
        return Err(ExportError::Exists(shown));
    }
    let mut sheet = Sheet::create(&path, export).map_err(fail)?;
    for search in &export.searches {
        let mut search: ProductSearch = search.clone();
        let mut followed = BTreeSet::new();
        loop {
            let answer = client.call_raw(&SearchProducts(search.clone())).await?;
            let page = split_page(&answer.body).map_err(ExportError::Page)?;
            for product in &page.products {
                sheet.add(product.get()).map_err(fail)?;
                done += 1;
            }
            told(done);
            let next = page.next_cursor.filter(|_| page.has_more != Some(false)).map(Cursor::from);
            if next.is_none() {
                break;
            }
            if !next.iter().all(|next| followed.insert(next.clone())) {
                return Err(ExportError::Endless);
            }
            search.cursor = next;
        }
    }
    sheet.finish(&path, overwrite).map_err(fail)?;
    Ok((shown, done))
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

/// A file being written beside its place, and put there once it is whole.
struct Sheet<'a> {
    file: NamedTempFile,
    out: Form,
    columns: &'a [ExportColumn],
    count: u64,
}

enum Form {
    Csv(Box<csv::Writer<BufWriter<std::fs::File>>>),
    Json { out: BufWriter<std::fs::File>, array: bool },
}

impl<'a> Sheet<'a> {
    fn create(path: &Path, export: &'a Export) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = beside(folder)?;
        let mut out = BufWriter::new(file.reopen()?);
        let out = match export.format {
            ExportFormat::Csv => {
                let mut table = csv::Writer::from_writer(out);
                table.write_record(export.columns.iter().map(|column| column.title()))?;
                Form::Csv(Box::new(table))
            }
            ExportFormat::NdJson => Form::Json { out, array: false },
            ExportFormat::Json => {
                out.write_all(b"[")?;
                Form::Json { out, array: true }
            }
        };
        Ok(Self { file, out, columns: &export.columns, count: 0 })
    }

    fn add(&mut self, product: &str) -> io::Result<()> {
        match &mut self.out {
            Form::Csv(table) => {
                let value = json::read(product.as_bytes()).map_err(io::Error::other)?;
                let (found, _): (FoundProduct, _) = Reader::read(&value);
                table.write_record(self.columns.iter().map(|column| column.cell(&found)))?;
            }
            Form::Json { out, array } => {
                if *array {
                    out.write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
                }
                escape_on_one_line(product, out)?;
                if !*array {
                    out.write_all(b"\n")?;
                }
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Puts the file into its place, unless something stands there by now that is not to be overwritten.
    fn finish(self, path: &Path, overwrite: bool) -> io::Result<()> {
        let out = match self.out {
            Form::Csv(table) => table.into_inner().map_err(|error| io::Error::other(error.to_string()))?,
            Form::Json { mut out, array } => {
                if array {
                    out.write_all(b"\n]\n")?;
                }
                out
            }
        };
        let written = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        written.sync_all()?;
        put(self.file, path, overwrite)
    }
}
