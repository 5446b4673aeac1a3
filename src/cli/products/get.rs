//! `cutaway products get`

use std::io::Write;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::{Map, Value};

use crate::api::{GetProduct, Operation as _};
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, MISSING, left, right, words};
use crate::cli::{Failure, Session, names, times};
use crate::client::json;
use crate::domain::{Num, Product, Variant};

/// Show one product.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway products get 8123456789012
  cutaway products get 8123456789012 --skip-variant-metafields --json")]
pub(super) struct Get {
    /// The product's external ID
    #[arg(add = ArgValueCompleter::new(names::products))]
    id: String,
    /// Leave out the live metafields of variants
    #[arg(long)]
    skip_variant_metafields: bool,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Get {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let (connection, app_url) = session.connect_to_store().await?;
        let get = GetProduct {
            app_url,
            product_id: self.id.as_str().into(),
            skip_variant_metafields: self.skip_variant_metafields.then_some(true),
            ..GetProduct::default()
        };
        let not_found = || Failure::NotFound(format!("there is no product {:?} in {}", self.id, get.app_url));
        if self.json {
            let answer = connection.client.call_raw(&get).await?;
            session.keep_names::<GetProduct>(&answer.body);
            // The document is printed also where it says null; the exit code says it again.
            let body = json::read(&answer.body).map_err(|what| unreadable(&answer, what))?;
            Output::open().document(&answer)?;
            return if is_null(&body) { Err(not_found()) } else { Ok(()) };
        }
        let answer = connection.client.call(&get).await?;
        session.keep_names::<GetProduct>(&answer.body);
        let raw = given(&answer);
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        let Some(product) = answer.value.product else {
            unread.tell();
            return Err(not_found());
        };
        let mut out = Output::open();
        let width = out.width;
        overview(&product, Given(raw.as_ref().and_then(|raw| raw.get("product"))), width, &mut out)?;
        out.flush()?;
        unread.tell();
        Ok(())
    }
}

fn is_null(body: &Value) -> bool {
    GetProduct::read(body).0.product.is_none()
}

fn overview(product: &Product, given: Given<'_>, width: Option<usize>, out: &mut impl Write) -> std::io::Result<()> {
    let currency = product.currency_code.as_deref().or(product.currency_symbol.as_deref()).unwrap_or_default();
    let price = product.price_range().map(|(low, high)| {
        let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!("{range} {currency}")
    });
    let options =
        product.options.iter().flatten().map(|option| format!("{}: {}", option.name, option.values.join(", ")));
    let raw = given.0.and_then(|product| product.get("variants")?.as_array());
    let mut objects = raw.into_iter().flatten().filter(|value| value.is_object());
    let rows: Vec<_> = product.variants.iter().map(|read| variant(read, Given(objects.next()))).collect();
    // A sum of which a part is not known is not known.
    let stock = if rows.iter().any(|row| row.last().is_some_and(|stock| stock == MISSING)) {
        MISSING.to_owned()
    } else {
        let sum = || product.inventory().map(|stock| stock.to_string()).unwrap_or_default();
        given.computed::<Vec<Value>>("variants", sum)
    };
    let (created, updated) = (product.provider_created_at.clone(), product.provider_updated_at.clone());
    table::fields(
        &[
            ("Title", given.required("title", &product.title)),
            ("Id", given.required("externalProductId", &product.external_product_id)),
            ("Type", given.text("productType", product.product_type.as_ref())),
            ("Vendor", given.text("vendor", product.vendor.as_ref())),
            (
                "Category",
                given.nullable("category", product.category.as_ref(), "", |category| category.full_name.clone()),
            ),
            ("Tags", given.computed::<Vec<String>>("tags", || product.tags.join(", "))),
            ("Status", given.text("status", product.status.as_ref())),
            ("Published", given.nullable("publishedAt", product.published_at.as_ref(), "no", |at| times::shown(at))),
            ("Price", price.unwrap_or_default()),
            ("In stock", stock),
            ("Options", options.collect::<Vec<_>>().join("\n")),
            ("Media", given.computed::<Vec<Value>>("media", || product.media.len().to_string())),
            ("Metafields", given.computed::<Map<String, Value>>("metafields", || product.metafields.len().to_string())),
            ("Created", times::shown(&created.unwrap_or_else(|| given.required("createdAt", &product.created_at)))),
            ("Updated", times::shown(&updated.unwrap_or_else(|| given.required("updatedAt", &product.updated_at)))),
            ("Version", given.required("version", &product.version)),
            ("Address", given.required("productUrl", &product.product_url)),
            ("About", given.text("description", product.description.as_ref())),
        ],
        out,
    )?;
    if product.variants.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = [left("VARIANT"), words("TITLE"), left("SKU"), right("PRICE"), right("WAS"), right("STOCK")];
    table::write(&columns, &rows, width, out)
}

fn variant(variant: &Variant, given: Given<'_>) -> Vec<String> {
    vec![
        given.required("externalVariantId", &variant.external_variant_id),
        given.text("title", variant.title.as_ref()),
        given.text("sku", variant.sku.as_ref()),
        given.text("price", variant.price.as_ref()),
        given.text("compareAtPrice", variant.compare_at_price.as_ref()),
        given.nullable("inventoryQuantity", variant.inventory_quantity.as_ref(), "", Num::to_string),
    ]
}
