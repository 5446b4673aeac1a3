//! Products and what belongs to them, §2.1 to §2.5.

use serde::Serialize;
use serde::ser::SerializeMap as _;
use serde_json::{Map, Value, json};

use super::ids::{ProductId, StoreUrl, VariantId};
use super::num::Num;
use super::read::{FromJson, Members, Reader};
use super::schema::{HasSchema, Schemas, object};
use crate::{shape, words};

shape! {
    /// A product, §2.1.
    pub struct Product {
        id: req Num => "id",
        external_product_id: req ProductId => "externalProductId",
        app_url: req StoreUrl => "appUrl",
        title: req String => "title",
        handle: req String => "handle",
        description: null String => "description",
        vendor: null String => "vendor",
        product_type: null String => "productType",
        tags: req Vec<String> => "tags",
        status: null String => "status",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        provider_created_at: optnull String => "providerCreatedAt",
        provider_updated_at: optnull String => "providerUpdatedAt",
        platform: req String => "platform",
        version: req Num => "version",
        description_html: null String => "descriptionHtml",
        category: null Category => "category",
        template_suffix: null String => "templateSuffix",
        featured_media_id: null String => "featuredMediaId",
        featured_media_preview_url: null String => "featuredMediaPreviewUrl",
        published_at: null String => "publishedAt",
        currency_code: null String => "currencyCode",
        currency_symbol: null String => "currencySymbol",
        media: req Vec<Media> => "media",
        variants: req Vec<Variant> => "variants",
        metafields: req Map<String, Value> => "metafields",
        options: null Vec<ProductOption> => "options",
        product_url: req String => "productUrl",
        matched_title: opt bool => "matchedTitle",
        matched_tags: opt bool => "matchedTags",
    }
}

shape! {
    /// A product's place in a taxonomy, §2.1.
    pub struct Category {
        gid: req String => "gid",
        full_name: req String => "fullName",
        name: req String => "name",
    }
}

shape! {
    /// A picture, video or model of a product, §2.2. Sizes are pixels and bytes.
    pub struct Media {
        status: null String => "status",
        app_url: req StoreUrl => "appUrl",
        id: req Num => "id",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        external_media_id: req String => "externalMediaId",
        media_content_type: req String => "mediaContentType",
        alt: null String => "alt",
        preview_url: null String => "previewUrl",
        preview_height: null Num => "previewHeight",
        preview_width: null Num => "previewWidth",
        video_url: null String => "videoUrl",
        video_size: null Num => "videoSize",
        position: null Num => "position",
        media_to_variant: optnull Vec<String> => "mediaToVariant",
    }
}

shape! {
    /// One way in which a product is sold, §2.3. Prices are decimal strings in the product's currency.
    pub struct Variant {
        app_url: req StoreUrl => "appUrl",
        id: req Num => "id",
        external_product_id: req ProductId => "externalProductId",
        title: null String => "title",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        position: null Num => "position",
        external_media_id: null String => "externalMediaId",
        external_variant_id: req VariantId => "externalVariantId",
        barcode: null String => "barcode",
        compare_at_price: null String => "compareAtPrice",
        inventory_item_id: null String => "inventoryItemId",
        inventory_quantity: null Num => "inventoryQuantity",
        inventory_policy: null String => "inventoryPolicy",
        inventory_tracked: null bool => "inventoryTracked",
        selected_options: null Vec<SelectedOption> => "selectedOptions",
        price: null String => "price",
        sku: null String => "sku",
        taxable: null bool => "taxable",
    }
}

shape! {
    /// What a variant chose of an option, §2.3.
    pub struct SelectedOption {
        name: req String => "name",
        value: req String => "value",
    }
}

shape! {
    /// A choice that a product offers, §2.4.
    pub struct ProductOption {
        id: req String => "id",
        gid: req String => "gid",
        name: req String => "name",
        position: req Num => "position",
        values: req Vec<String> => "values",
    }
}

shape! {
    /// What was found out about a product by looking at it, §2.5.
    pub struct Analysis {
        app_url: req StoreUrl => "appUrl",
        product_id: req ProductId => "productId",
        version: req Num => "version",
        created_at: req String => "createdAt",
        updated_at: req String => "updatedAt",
        data: req AnalysisData => "data",
    }
}

shape! {
    /// The facets of an analysis, §2.5. `confidence` is as the service gives it.
    pub struct AnalysisData {
        gender_appropriateness: req Gender => "genderAppropriateness",
        product_type: req AnalyzedType => "productType",
        age_group: req AgeGroup => "ageGroup",
        price_range: req PriceRange => "priceRange",
        confidence: req Num => "confidence",
    }
}

words! {
    /// Whom a product suits, §2.5.
    pub enum Gender { Male => "male", Female => "female", Unisex => "unisex", Unknown => "unknown" }
}

words! {
    /// What kind of thing a product is, §2.5.
    pub enum AnalyzedType {
        Tops => "tops", Outerwear => "outerwear", Bottoms => "bottoms", OnePieces => "one-pieces", Shoes => "shoes",
        Jewelry => "jewelry", Accessories => "accessories", Cosmetics => "cosmetics", Furniture => "furniture",
        Bags => "bags", Automotive => "automotive", Home => "home", Toys => "toys", Media => "media",
        Electronics => "electronics", AnotherKind => "other",
    }
}

words! {
    /// The age that a product is for, §2.5.
    pub enum AgeGroup {
        Baby => "baby", Kids => "kids", Teen => "teen", Adult => "adult", Senior => "senior",
        AllAges => "all-ages", Unknown => "unknown",
    }
}

words! {
    /// How dear a product is for its kind, §2.5.
    pub enum PriceRange {
        Budget => "budget", MidRange => "mid-range", Premium => "premium", Luxury => "luxury", Unknown => "unknown",
    }
}

words! {
    /// Whether a product was analyzed yet, §3.
    pub enum AnalysisStatus { Pending => "pending", Analyzed => "analyzed" }
}

/// A product as a search finds it: §2.1 with "additional fields on products returned by searchProductsCursor".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundProduct {
    /// The product; media and variants are empty unless they were asked for.
    pub product: Product,
    /// The lowest price, not negative.
    pub price: Option<Num>,
    /// The picture to show for it.
    pub image_url: Option<String>,
    /// How many media it has.
    pub media_count: Num,
    /// How many variants it has.
    pub variants_count: Num,
    /// The analysis, where it was asked for and is there.
    pub analysis: Option<Analysis>,
    /// Whether it was analyzed, where that was asked for.
    pub analysis_status: Option<AnalysisStatus>,
}

impl HasSchema for FoundProduct {
    fn schema(schemas: &mut Schemas) -> Value {
        schemas.named("FoundProduct", |schemas| {
            let price = json!({ "type": "number", "minimum": 0 });
            let more = object(vec![
                ("price", false, true, price),
                ("imageUrl", false, true, String::schema(schemas)),
                ("mediaCount", true, false, Num::schema(schemas)),
                ("variantsCount", true, false, Num::schema(schemas)),
                ("analysis", false, false, Analysis::schema(schemas)),
                ("analysisStatus", false, false, AnalysisStatus::schema(schemas)),
            ]);
            // A product's own schema lets nothing more in, so it is repeated with more members.
            Product::schema(schemas);
            let mut found = schemas.get_mut("Product").cloned().unwrap_or_default();
            for (part, more) in more.as_object().into_iter().flatten() {
                match (found.get_mut(part), more) {
                    (Some(Value::Object(mine)), Value::Object(more)) => mine.extend(more.clone()),
                    (Some(Value::Array(mine)), Value::Array(more)) => mine.extend(more.iter().cloned()),
                    _ => {}
                }
            }
            found
        })
    }
}

impl FromJson for FoundProduct {
    const TYPE: &'static str = "an object";

    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
        let mut members = Members::of(value)?;
        let price = reader.optional_nullable(&mut members, "price");
        let image_url = reader.optional_nullable(&mut members, "imageUrl");
        let media_count = reader.required(&mut members, "mediaCount");
        let variants_count = reader.required(&mut members, "variantsCount");
        let analysis = reader.optional(&mut members, "analysis");
        let analysis_status = reader.optional(&mut members, "analysisStatus");
        let product = Product::of_members(members, reader);
        Some(Self { product, price, image_url, media_count, variants_count, analysis, analysis_status })
    }
}

impl Serialize for FoundProduct {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Ok(Value::Object(product)) = serde_json::to_value(&self.product) else {
            return Err(serde::ser::Error::custom("a product is an object"));
        };
        let mut object = serializer.serialize_map(None)?;
        for (key, value) in &product {
            object.serialize_entry(key, value)?;
        }
        object.serialize_entry("price", &self.price)?;
        object.serialize_entry("imageUrl", &self.image_url)?;
        object.serialize_entry("mediaCount", &self.media_count)?;
        object.serialize_entry("variantsCount", &self.variants_count)?;
        if let Some(analysis) = &self.analysis {
            object.serialize_entry("analysis", analysis)?;
        }
        if let Some(status) = &self.analysis_status {
            object.serialize_entry("analysisStatus", status)?;
        }
        object.end()
    }
}

impl Product {
    /// What is in stock: the sum over the variants, null as 0; `None` without variants.
    #[must_use]
    pub fn inventory(&self) -> Option<i64> {
        (!self.variants.is_empty())
            .then(|| self.variants.iter().filter_map(|v| v.inventory_quantity?.whole()).fold(0, i64::saturating_add))
    }

    /// The lowest and the highest price of the variants that have a readable one.
    #[must_use]
    pub fn price_range(&self) -> Option<(Num, Num)> {
        let prices = self.variants.iter().filter_map(|v| v.price.as_deref()?.trim().parse::<f64>().ok());
        prices.filter(|price| price.is_finite()).fold(None, |range, price| match range {
            None => Some((Num(price), Num(price))),
            Some((low, high)) => Some((Num(low.0.min(price)), Num(high.0.max(price)))),
        })
    }
}
