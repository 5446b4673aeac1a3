//! `cutaway products export`

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::wanted::Wanted;
use crate::cli::output::Output;
use crate::cli::{Failure, Session, streams, telling};
use crate::domain::{ExportColumn, ExportFormat, Include, PageSize, ProductFilters, ProductSearch};
use crate::runtime::export;
use crate::runtime::host::Files;
use crate::studio::products::Export as Asked;

/// More ids than so many are asked for in turns: a request has its bounds.
const IDS: usize = 100;

impl ValueEnum for ExportFormat {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.extension()).help(format!("{}, {}", self.title(), self.about())))
    }
}

/// Export products to a file for spreadsheets and other tools.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products export products.csv
  cutaway products export products.csv --overwrite
  cutaway products export wool.csv wool --published --columns id,title,stock
  cutaway products export - > products.csv
  cutaway products export - --format ndjson | head -1
  cutaway products export winter.ndjson --tag winter --sort providerCreatedAt --desc")]
pub(super) struct Export {
    /// The file to write; - is standard output. An existing file is kept unless --overwrite is given
    file: PathBuf,
    /// Replace an existing file once the new one is complete
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    wanted: Wanted,
    /// The format [default: by the file's extension, CSV for -]
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// The columns of a table: id, title, vendor, type, category, tags, status, lowest-price, highest-price, currency,
    /// stock, variants, skus, published, created, updated, address, picture
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', value_parser = column)]
    columns: Vec<ExportColumn>,
}

fn column(word: &str) -> Result<ExportColumn, String> {
    ExportColumn::by_word(word.trim()).ok_or_else(|| {
        let known: Vec<String> = ExportColumn::ALL.iter().map(|column| column.word()).collect();
        format!("must be one of {}", known.join(", "))
    })
}

impl Export {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        self.wanted.check()?;
        streams::may_use(&self.file)?;
        let to_output = self.file == Path::new("-");
        let usual = || if to_output { Some(ExportFormat::Csv) } else { ending(&self.file) };
        let format = self.format.or_else(usual);
        let format = format
            .ok_or_else(|| Failure::Usage("which format? The file's name doesn't say; use --format".to_owned()))?;
        let Some(file) = self.file.to_str() else {
            return Err(Failure::Usage(format!("{}: the file name is not valid UTF-8", self.file.display())));
        };
        let columns = if self.columns.is_empty() { ExportColumn::ALL.to_vec() } else { self.columns.clone() };
        let (connection, store) = session.connect_to_store().await?;
        let mut search = ProductSearch { limit: Some(PageSize::MOST), ..self.wanted.request(store) };
        // Prices, stock and SKUs are those of variants: a table that shows them is no table without.
        if format.has_columns() && columns.iter().any(|column| column.needs_variants()) {
            search.include = Some(Include { variants: Some(true), ..search.include.unwrap_or_default() });
        }
        let asked = Asked { searches: in_turns(search), format, columns, file: file.to_owned() };
        if to_output {
            let count = export::to_writer(&connection.client, &asked, Output::open()).await?;
            telling::hint(&format!("cutaway: {count} products"));
            return Ok(());
        }
        let (written, count) =
            export::to_file(&connection.client, &Files::of_process(), &asked, self.overwrite, |_| ()).await?;
        telling::hint(&format!("cutaway: saved {count} products to {written}"));
        Ok(())
    }
}

/// A search for many ids as several for some of them.
fn in_turns(search: ProductSearch) -> Vec<ProductSearch> {
    let ids = search.filters.as_ref().and_then(|filters| filters.product_id.clone()).unwrap_or_default();
    if ids.len() <= IDS {
        return vec![search];
    }
    let turn = |ids: &[String]| {
        let filters = search.filters.clone().unwrap_or_default();
        let filters = ProductFilters { product_id: Some(ids.to_vec()), ..filters };
        ProductSearch { filters: Some(filters), ..search.clone() }
    };
    ids.chunks(IDS).map(turn).collect()
}

fn ending(file: &Path) -> Option<ExportFormat> {
    ExportFormat::by_ending(file.extension()?.to_str()?)
}
