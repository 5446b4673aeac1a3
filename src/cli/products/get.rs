//! `cutaway products get`

use std::io::Write;

use clap::Args;
use serde_json::Value;

use crate::api::{GetProduct, Operation as _};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session};
use crate::client::json;
use crate::domain::{Product, Variant};

/// Show one product.
#[derive(Debug, Args)]
pub(super) struct Get {
    /// The product's external id
    id: String,
    /// Leave out the live metafields of variants
    #[arg(long)]
    skip_variant_metafields: bool,
    /// Print the service's own answer as JSON
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
            // The document is printed also where it says null; the exit code says it again.
            let body = json::read(&answer.body).map_err(|what| unreadable(&answer, what))?;
            Output::open().document(&answer)?;
            return if is_null(&body) { Err(not_found()) } else { Ok(()) };
        }
        let answer = connection.client.call(&get).await?;
        let product = answer.value.product.ok_or_else(not_found)?;
        let mut out = Output::open();
        let width = out.width;
        overview(&product, width, &mut out)?;
        Ok(out.flush()?)
    }
}

fn is_null(body: &Value) -> bool {
    GetProduct::read(body).0.product.is_none()
}

fn overview(product: &Product, width: Option<usize>, out: &mut impl Write) -> std::io::Result<()> {
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    let currency = product.currency_code.as_deref().or(product.currency_symbol.as_deref()).unwrap_or_default();
    let price = product.price_range().map(|(low, high)| {
        let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!("{range} {currency}")
    });
    let options =
        product.options.iter().flatten().map(|option| format!("{}: {}", option.name, option.values.join(", ")));
    table::fields(
        &[
            ("Title", product.title.clone()),
            ("Id", product.external_product_id.to_string()),
            ("Type", said(&product.product_type)),
            ("Vendor", said(&product.vendor)),
            ("Category", product.category.as_ref().map(|category| category.full_name.clone()).unwrap_or_default()),
            ("Tags", product.tags.join(", ")),
            ("Status", said(&product.status)),
            ("Published", product.published_at.clone().unwrap_or_else(|| "no".to_owned())),
            ("Price", price.unwrap_or_default()),
            ("In stock", product.inventory().map(|stock| stock.to_string()).unwrap_or_default()),
            ("Options", options.collect::<Vec<_>>().join("\n")),
            ("Media", product.media.len().to_string()),
            ("Metafields", product.metafields.len().to_string()),
            ("Created", product.provider_created_at.clone().unwrap_or_else(|| product.created_at.clone())),
            ("Updated", product.provider_updated_at.clone().unwrap_or_else(|| product.updated_at.clone())),
            ("Version", product.version.to_string()),
            ("Address", product.product_url.clone()),
            ("About", said(&product.description)),
        ],
        out,
    )?;
    if product.variants.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = [left("VARIANT"), words("TITLE"), left("SKU"), right("PRICE"), right("WAS"), right("STOCK")];
    table::write(&columns, &product.variants.iter().map(variant).collect::<Vec<_>>(), width, out)
}

fn variant(variant: &Variant) -> Vec<String> {
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    vec![
        variant.external_variant_id.to_string(),
        said(&variant.title),
        said(&variant.sku),
        said(&variant.price),
        said(&variant.compare_at_price),
        variant.inventory_quantity.map(|stock| stock.to_string()).unwrap_or_default(),
    ]
}
