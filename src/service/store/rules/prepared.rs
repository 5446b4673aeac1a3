//! A product made ready to be kept: its JSON in parts, what it is sorted by, what it is found by.

use serde::Serialize;

use crate::domain::{Analysis, Num, Product};
use crate::service::search::Terms;
use crate::service::search::moment::moment;
use crate::service::store::StoreError;

/// Stands in stored JSON for the service's own address, which changes from start to start. A control character is
/// always escaped in JSON text, so no product's text can hold it.
pub(in crate::service::store) const OWN_ADDRESS: char = '\u{1}';

/// What stands for the service's own address in the sample's documents.
pub const SAMPLE_SCHEME: &str = "sample:";

/// A product as the tables take it.
#[derive(Debug, Clone)]
pub(in crate::service::store) struct Prepared {
    pub external: String,
    pub version: i64,
    pub published: bool,
    pub inventory: i64,
    pub created: Option<i64>,
    pub provider_created: Option<i64>,
    pub provider_updated: Option<i64>,
    pub parts: Parts,
    pub terms: Terms,
}

/// The JSON of a product in parts that are put together again without being parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::service::store) struct Parts {
    /// The members before `media`, without the id: `,"externalProductId":…`.
    pub head: String,
    /// The members after `metafields`: `,"options":…`.
    pub tail: String,
    /// What a search adds: `,"price":…,"imageUrl":…,"mediaCount":…,"variantsCount":…`.
    pub found: String,
    /// The array of media.
    pub media: String,
    /// The array of variants.
    pub variants: String,
    /// The object of metafields.
    pub metafields: String,
    /// The analysis, where there is one.
    pub analysis: Option<String>,
}

/// What the head begins with and the members that it ends before, while they are left empty.
const BEFORE_HEAD: &str = r#"{"id":0"#;
const BETWEEN: &str = r#","media":[],"variants":[],"metafields":{}"#;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    price: Option<Num>,
    image_url: Option<&'a str>,
    media_count: usize,
    variants_count: usize,
}

impl Prepared {
    /// Makes a product ready. `sample` products may name the service's own address with [`SAMPLE_SCHEME`].
    pub(in crate::service::store) fn of(
        mut product: Product,
        analysis: Option<&Analysis>,
        sample: bool,
    ) -> Result<Self, StoreError> {
        let terms = Terms::of(&product);
        let inventory = product.inventory().unwrap_or_default();
        let provider_created = product.provider_created_at.as_deref().and_then(moment);
        let json = |text: String| if sample { own_address(&text) } else { text };

        let found = serde_json::to_string(&Found {
            price: product.price_range().map(|(low, _)| low).filter(|low| low.0 >= 0.0),
            image_url: image_url(&product),
            media_count: product.media.len(),
            variants_count: product.variants.len(),
        })?;
        let media = json(serde_json::to_string(&std::mem::take(&mut product.media))?);
        let variants = json(serde_json::to_string(&std::mem::take(&mut product.variants))?);
        let metafields = json(serde_json::to_string(&std::mem::take(&mut product.metafields))?);
        product.id = Num(0.0);
        (product.matched_title, product.matched_tags) = (None, None);
        product.extra.clear();
        let rest = serde_json::to_string(&product)?;
        let inside = rest.strip_prefix(BEFORE_HEAD).and_then(|rest| rest.strip_suffix('}'));
        let (head, tail) = inside
            .and_then(|inside| inside.split_once(BETWEEN))
            .ok_or_else(|| StoreError::Document("its members are in another order".to_owned()))?;
        Ok(Self {
            version: product.version.whole().unwrap_or_default(),
            published: product.published_at.is_some(),
            inventory,
            created: provider_created.or_else(|| moment(&product.created_at)),
            provider_created,
            provider_updated: product.provider_updated_at.as_deref().and_then(moment),
            parts: Parts {
                head: json(head.to_owned()),
                tail: json(tail.to_owned()),
                found: json(
                    found
                        .strip_prefix('{')
                        .and_then(|f| f.strip_suffix('}'))
                        .map_or_else(String::new, |f| format!(",{f}")),
                ),
                media,
                variants,
                metafields,
                analysis: analysis.map(serde_json::to_string).transpose()?,
            },
            external: product.external_product_id.to_string(),
            terms,
        })
    }
}

/// The picture to show for a product: the featured one, else the first.
fn image_url(product: &Product) -> Option<&str> {
    let first = || product.media.iter().find_map(|media| media.preview_url.as_deref());
    product.featured_media_preview_url.as_deref().or_else(first)
}

fn own_address(json: &str) -> String {
    json.replace("\"sample:", &format!("\"{OWN_ADDRESS}"))
}
