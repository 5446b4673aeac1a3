//! Products as a file: in which forms, and how each is written.

use std::io::{self, Write};

use strum::VariantArray;

use super::export::ExportColumn;
use super::json::{self, escape_on_one_line};
use super::product::FoundProduct;
use super::read::Reader;

/// The form of an export of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum ExportFormat {
    /// Comma-separated values, RFC 4180, for spreadsheets.
    Csv,
    /// A JSON document a line.
    NdJson,
    /// One JSON array.
    Json,
}

impl ExportFormat {
    /// Every form.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::NdJson => "NDJSON",
            Self::Json => "JSON",
        }
    }

    /// What it is for.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Csv => "for spreadsheets; columns can be chosen",
            Self::NdJson => "one product per line, as received",
            Self::Json => "one array, as the service sends it",
        }
    }

    /// How files of it end, the usual way first.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Csv => &["csv"],
            Self::NdJson => &["ndjson", "jsonl"],
            Self::Json => &["json"],
        }
    }

    /// The end of a file's name, which is also its name on a command line.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.endings().first().copied().unwrap_or_default()
    }

    /// The form of a file that ends so.
    #[must_use]
    pub fn by_ending(ending: &str) -> Option<Self> {
        let is = |format: &Self| format.endings().iter().any(|one| one.eq_ignore_ascii_case(ending));
        Self::ALL.iter().copied().find(is)
    }

    /// Whether it is a table, of which columns can be chosen.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        matches!(self, Self::Csv)
    }
}

/// Products being written, in one of the forms.
pub struct Sheet<'a, W: Write> {
    out: Form<W>,
    columns: &'a [ExportColumn],
    count: u64,
}

enum Form<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json { out: W, array: bool },
}

impl<'a, W: Write> Sheet<'a, W> {
    /// Begins one; a table has these columns.
    ///
    /// # Errors
    /// Where `out` can't be written to.
    pub fn begin(mut out: W, format: ExportFormat, columns: &'a [ExportColumn]) -> io::Result<Self> {
        let out = match format {
            ExportFormat::Csv => {
                let mut table = csv::Writer::from_writer(out);
                table.write_record(columns.iter().map(|column| column.title())).map_err(unwritten)?;
                Form::Csv(Box::new(table))
            }
            ExportFormat::NdJson => Form::Json { out, array: false },
            ExportFormat::Json => {
                out.write_all(b"[")?;
                Form::Json { out, array: true }
            }
        };
        Ok(Self { out, columns, count: 0 })
    }

    /// Adds a product, as the service sent it.
    ///
    /// # Errors
    /// Where it is no JSON, or can't be written.
    pub fn add(&mut self, product: &str) -> io::Result<()> {
        match &mut self.out {
            Form::Csv(table) => {
                let value = json::read(product.as_bytes()).map_err(io::Error::other)?;
                let (found, _): (FoundProduct, _) = Reader::read(&value);
                table.write_record(self.columns.iter().map(|column| column.cell(&found))).map_err(unwritten)?;
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

    /// Writes the end of it; what it was written to.
    ///
    /// # Errors
    /// Where that can't be written to.
    pub fn end(self) -> io::Result<W> {
        match self.out {
            Form::Csv(table) => {
                table.into_inner().map_err(|error| io::Error::new(error.error().kind(), error.to_string()))
            }
            Form::Json { mut out, array } => {
                if array {
                    out.write_all(b"\n]\n")?;
                }
                Ok(out)
            }
        }
    }
}

/// Why a row wasn't written: what the writer said itself, so that a reader who went away is known as such.
fn unwritten(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
