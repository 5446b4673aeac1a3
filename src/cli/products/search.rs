//! `cutaway products search`

use std::io::Write as _;

use clap::Args;
use serde_json::Value;

use super::pages::{Page, Pages};
use super::wanted::Wanted;
use crate::api::SearchProducts;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{Column, Table, left, right, words};
use crate::cli::{Failure, Session, telling};
use crate::client::{Client, json};
use crate::domain::{Cursor, FoundProduct, Num, PageSize, ProductSearch, StoreUrl};

/// Search the catalog.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products search wool --type Socks --published
  cutaway products search --tag winter --tag new --tags-match all --inventory-max 0
  cutaway products search --created-from 7d --sort providerCreatedAt --desc --json
  cutaway products search --all --json | jq -r .title")]
pub(super) struct Search {
    #[command(flatten)]
    wanted: Wanted,
    /// Products per page, 1 to 500 [default: 30, with --all 500]
    #[arg(long, value_name = "N", value_parser = page_size, allow_hyphen_values = true)]
    limit: Option<PageSize>,
    /// Continue from the cursor of an earlier page
    #[arg(long, value_name = "C")]
    cursor: Option<String>,
    /// Fetch all pages; with --json, print one product per line (NDJSON)
    #[arg(long)]
    all: bool,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

fn page_size(text: &str) -> Result<PageSize, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("must be a whole number from 1 to 500, found {text}"))
        .and_then(PageSize::new)
}

impl Search {
    fn request(&self, app_url: StoreUrl) -> ProductSearch {
        ProductSearch {
            limit: self.limit.or(self.all.then_some(PageSize::MOST)),
            cursor: self.cursor.clone().map(Cursor::from),
            ..self.wanted.request(app_url)
        }
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        self.wanted.check()?;
        let (connection, app_url) = session.connect_to_store().await?;
        let request = SearchProducts(self.request(app_url));
        let client = &connection.client;
        match (self.json, self.all) {
            (true, false) => {
                let answer = client.call_raw(&request).await?;
                session.keep_names::<SearchProducts>(&answer.body);
                Output::open().document(&answer)
            }
            (true, true) => {
                let found = Pages::new(request).follow(async |request| lines(client, request).await).await?;
                tell_nothing(found);
                Ok(())
            }
            (false, _) => self.table(session, client, request).await,
        }
    }

    async fn table(&self, session: &Session, client: &Client, request: SearchProducts) -> Result<(), Failure> {
        let analysis = request.0.include.as_ref().is_some_and(|include| include.analysis.is_some());
        let mut table: Option<Table> = None;
        let mut unread = Unread::default();
        let mut page = async |request: &SearchProducts| {
            let answer = client.call(request).await?;
            // One page is enough to complete from; a whole catalog would only pass through.
            if !self.all {
                session.keep_names::<SearchProducts>(&answer.body);
            }
            unread.note(&answer.findings);
            let raw = given(&answer);
            let found = answer.value;
            // What is no object could not be read and has no row.
            let products = raw.as_ref().and_then(|raw| raw.get("products")?.as_array());
            let mut objects = products.into_iter().flatten().filter(|product| product.is_object());
            let rows: Vec<_> =
                found.products.iter().map(|product| row(product, Given(objects.next()), analysis)).collect();
            let mut out = Output::open();
            let begun = match table.take() {
                Some(table) => table,
                None => Table::begin(columns(analysis), &rows, out.width, &mut out)?,
            };
            rows.iter().try_for_each(|row| begun.row(row, &mut out))?;
            out.flush()?;
            table = Some(begun);
            let said = raw.as_ref().is_none_or(|raw| raw.get("hasMore").is_some_and(Value::is_boolean));
            Ok(Page {
                products: rows.len(),
                next: found.next_cursor.filter(|c| !c.is_empty()),
                more: said.then_some(found.has_more),
            })
        };
        let found = if self.all {
            Pages::new(request).follow(page).await
        } else {
            page(&request).await.and_then(|page| {
                let found = page.products;
                if let Some(cursor) = page.into_next()? {
                    telling::hint(&format!("more: --cursor {}, or --all", cursor.as_str()));
                }
                Ok(found)
            })
        };
        unread.tell();
        tell_nothing(found?);
        Ok(())
    }
}

/// An empty table, or no line at all, could also be a fault: this says that it is the answer.
fn tell_nothing(found: usize) {
    if found == 0 {
        telling::hint("nothing was found");
    }
}

/// Writes a page, one product a line.
async fn lines(client: &Client, request: &SearchProducts) -> Result<Page, Failure> {
    let answer = client.call_raw(request).await?;
    let page = json::split_page(&answer.body).map_err(|what| unreadable(&answer, what))?;
    let mut out = Output::open();
    for product in &page.products {
        json::escape_on_one_line(product.get(), &mut out)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(Page { products: page.products.len(), next: page.next_cursor.map(Cursor::from), more: page.has_more })
}

fn columns(analysis: bool) -> &'static [Column] {
    const COLUMNS: [Column; 8] = [
        left("ID"),
        words("TITLE"),
        words("TYPE"),
        right("PRICE"),
        right("VARIANTS"),
        right("MEDIA"),
        left("STATUS"),
        left("ANALYSIS"),
    ];
    let shown = if analysis { COLUMNS.len() } else { COLUMNS.len() - 1 };
    COLUMNS.get(..shown).unwrap_or(&COLUMNS)
}

fn row(found: &FoundProduct, given: Given<'_>, analysis: bool) -> Vec<String> {
    let product = &found.product;
    let price = found.price.map(|price| {
        given.computed::<Num>("price", || match &product.currency_code {
            Some(currency) => format!("{price} {currency}"),
            None => price.to_string(),
        })
    });
    let mut row = vec![
        given.required("externalProductId", &product.external_product_id),
        given.required("title", &product.title),
        given.text("productType", product.product_type.as_ref()),
        price.unwrap_or_default(),
        given.required("variantsCount", &found.variants_count),
        given.required("mediaCount", &found.media_count),
        given.text("status", product.status.as_ref()),
    ];
    if analysis {
        row.push(found.analysis_status.as_ref().map(ToString::to_string).unwrap_or_default());
    }
    row
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        search: Search,
    }

    fn request(arguments: &[&str]) -> Result<serde_json::Value, String> {
        let line = Line::try_parse_from([&["search"], arguments].concat()).map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(line.search.request("https://a.example".into())).unwrap())
    }

    #[test]
    fn every_flag_becomes_its_field() {
        let all = "wool --limit 5 --cursor c --include media --include variants --analysis-timeout-ms 2.5 --type T \
                   --category C --tag a --tag b --sku S --name N --product-id 1 --variant-id 2 --tags-match all \
                   --inventory-min -3 --inventory-max 9 --created-from 2026-01-01 --created-to 2026-02-01T00:00:00Z \
                   --sort providerCreatedAt --desc --published";
        assert_eq!(
            request(&all.split_whitespace().collect::<Vec<_>>()).unwrap(),
            serde_json::json!({
                "appUrl": "https://a.example", "limit": 5, "cursor": "c", "searchTerm": "wool",
                "include": {"analysis": {"analysisTimeoutMs": 2.5}, "media": true, "variants": true},
                "filters": {
                    "productType": ["T"], "category": ["C"], "tags": ["a", "b"], "tagsMatchMode": "all",
                    "inventory": {"min": -3, "max": 9}, "productId": ["1"], "variantId": ["2"], "sku": ["S"],
                    "productName": ["N"], "createdAt": {"from": "2026-01-01", "to": "2026-02-01T00:00:00Z"}
                },
                "sortBy": "providerCreatedAt", "sortDirection": "desc", "publishedOnly": true
            })
        );
        assert_eq!(request(&[]).unwrap(), serde_json::json!({"appUrl": "https://a.example"}));
        assert_eq!(request(&["--include", "analysis"]).unwrap()["include"], serde_json::json!({"analysis": true}));
    }

    #[test]
    fn what_the_specification_forbids_is_refused() {
        for (flag, value) in [
            ("--limit", "501"),
            ("--limit", "0"),
            ("--limit", "-1"),
            ("--limit", "2.5"),
            ("--limit", "99999999999999999999"),
            ("--analysis-timeout-ms", "0"),
            ("--analysis-timeout-ms", "-1"),
            ("--analysis-timeout-ms", "NaN"),
            ("--inventory-min", "1.5"),
            ("--inventory-max", "many"),
            ("--created-from", "2026-13-01"),
            ("--created-to", "soon"),
            ("--sort", "price"),
            ("--tags-match", "some"),
            ("--include", "everything"),
        ] {
            assert!(request(&[flag, value]).is_err(), "{flag} {value}");
        }
    }
}
