//! Catalogs made up in any size, the same for the same size: product `n` depends on `n` alone.

use serde_json::{Map, Value};

use super::FILES;
use super::vocabulary::{ADJECTIVES, COLOURS, KINDS, MATERIALS, SIZES, TAGS, VENDORS};
use crate::domain::{
    Category, Media, Num, Product, ProductId, ProductOption, SelectedOption, StoreUrl, Variant, VariantId,
};
use crate::service::store::{NewProduct, SAMPLE_SCHEME};

/// The address of the store that made-up catalogs go into.
pub const SYNTHETIC_URL: &str = "https://synthetic.example";

/// Products `from` (counted from 0) up to `to` of the made-up catalog.
pub fn synthetic(from: u64, to: u64) -> impl Iterator<Item = NewProduct> + Send + 'static {
    (from..to).map(|number| NewProduct { product: product(number), analysis: None })
}

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn of<T: Copy + Default>(&mut self, list: &[T]) -> T {
        let at = usize::try_from(self.below(list.len() as u64)).unwrap_or_default();
        list.get(at).copied().unwrap_or_default()
    }
}

/// 2019-01-01 and 2026-11-01, seconds since 1970.
const FIRST_SECOND: u64 = 1_546_300_800;
const LAST_SECOND: u64 = 1_793_491_200;

fn time(second: u64) -> String {
    let second = i64::try_from(second).unwrap_or_default();
    jiff::Timestamp::from_second(second).map(|time| time.to_string()).unwrap_or_default()
}

fn product(number: u64) -> Product {
    let mut dice = Dice(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0xc07a_3a1d);
    let (kind, noun) = dice.of(&KINDS);
    let title = format!("{} {} {noun} {}", dice.of(&ADJECTIVES), dice.of(&MATERIALS), number % 997);
    let app_url = StoreUrl::new(SYNTHETIC_URL);
    let external = format!("{}", 7_000_000_000 + number);
    let created = FIRST_SECOND + dice.below(LAST_SECOND - FIRST_SECOND);
    let updated = created + dice.below(LAST_SECOND - created);
    let (created_at, updated_at) = (time(created), time(updated));
    let handle: String = title.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let media = media(&mut dice, number, &app_url, &created_at, kind);
    let variants = variants(&mut dice, number, &app_url, &external, &created_at);
    let colours: Vec<String> = variants.iter().filter_map(|v| v.title.clone()).collect();
    let published = (!dice.one_in(12)).then(|| created_at.clone());
    Product {
        external_product_id: ProductId::new(external),
        description: dice.one_in(2).then(|| format!("{title}: made to last.")),
        vendor: Some(dice.of(&VENDORS).to_owned()),
        product_type: (!dice.one_in(50)).then(|| kind.to_owned()),
        tags: tags(&mut dice),
        status: Some(if published.is_some() { "active" } else { "draft" }.to_owned()),
        provider_created_at: (!dice.one_in(40)).then(|| created_at.clone()),
        provider_updated_at: (!dice.one_in(20)).then(|| updated_at.clone()),
        platform: "shopify".to_owned(),
        version: Num(1.0),
        category: dice.one_in(2).then(|| Category {
            gid: format!("gid://taxonomy/{kind}"),
            full_name: format!("Shop > {kind}"),
            name: kind.to_owned(),
            ..Category::default()
        }),
        featured_media_id: media.first().map(|media| media.external_media_id.clone()),
        featured_media_preview_url: media.first().and_then(|media| media.preview_url.clone()),
        published_at: published,
        currency_code: Some("EUR".to_owned()),
        currency_symbol: Some("€".to_owned()),
        product_url: format!("{SYNTHETIC_URL}/products/{handle}-{number}"),
        options: Some(vec![ProductOption {
            id: format!("{number}"),
            gid: format!("gid://option/{number}"),
            name: "Colour".to_owned(),
            position: Num(1.0),
            values: colours,
            ..ProductOption::default()
        }]),
        metafields: metafields(&mut dice),
        handle,
        title,
        app_url,
        created_at,
        updated_at,
        media,
        variants,
        ..Product::default()
    }
}

/// None to six of 300, the first ones most often.
fn tags(dice: &mut Dice) -> Vec<String> {
    let mut tags = Vec::new();
    for _ in 0..dice.below(7) {
        let rank = dice.below(300) * dice.below(300) / 300;
        let word = TAGS.get(usize::try_from(rank % 30).unwrap_or_default()).copied().unwrap_or_default();
        let tag = if rank < 30 { word.to_owned() } else { format!("{word} {}", rank / 30) };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

fn metafields(dice: &mut Dice) -> Map<String, Value> {
    let mut metafields = Map::new();
    if dice.one_in(3) {
        metafields.insert("care".to_owned(), Value::from(dice.of(&["hand wash", "machine wash", "wipe clean"])));
    }
    metafields
}

fn media(dice: &mut Dice, number: u64, app_url: &StoreUrl, created_at: &str, kind: &str) -> Vec<Media> {
    let pictures = FILES.iter().filter(|file| file.path.starts_with("pictures/")).count() as u64;
    let count = if dice.one_in(20) { 0 } else { 1 + u64::from(dice.one_in(8)) };
    (0..count)
        .map(|position| {
            let chosen = usize::try_from(dice.below(pictures)).unwrap_or_default();
            let picture = FILES.iter().filter(|file| file.path.starts_with("pictures/")).nth(chosen);
            Media {
                status: Some("READY".to_owned()),
                app_url: app_url.clone(),
                id: whole(number * 4 + position),
                created_at: created_at.to_owned(),
                updated_at: created_at.to_owned(),
                external_media_id: format!("{}", 9_000_000_000 + number * 4 + position),
                media_content_type: "IMAGE".to_owned(),
                alt: Some(kind.to_owned()),
                preview_url: picture.map(|picture| format!("{SAMPLE_SCHEME}{}", picture.path)),
                position: Some(whole(position + 1)),
                ..Media::default()
            }
        })
        .collect()
}

fn variants(dice: &mut Dice, number: u64, app_url: &StoreUrl, external: &str, created_at: &str) -> Vec<Variant> {
    let count = if dice.one_in(3) { 1 + dice.below(4) } else { 1 };
    let (price, colour) = (5 + dice.below(300), dice.below(16));
    let sold_out = dice.one_in(9);
    (0..count)
        .map(|position| {
            let at = usize::try_from((colour + position) % 16).unwrap_or_default();
            let name = COLOURS.get(at).copied().unwrap_or_default();
            let size = dice.of(&SIZES);
            let stock = if sold_out { 0 } else { dice.below(25) * dice.below(25) / 3 };
            Variant {
                app_url: app_url.clone(),
                id: whole(number * 4 + position),
                external_product_id: ProductId::new(external),
                title: Some(name.to_owned()),
                created_at: created_at.to_owned(),
                updated_at: created_at.to_owned(),
                position: Some(whole(position + 1)),
                external_variant_id: VariantId::new(format!("{}", 8_000_000_000 + number * 4 + position)),
                inventory_quantity: (!dice.one_in(30)).then(|| whole(stock)),
                inventory_policy: Some("deny".to_owned()),
                inventory_tracked: Some(true),
                selected_options: Some(vec![SelectedOption {
                    name: "Colour".to_owned(),
                    value: name.to_owned(),
                    ..SelectedOption::default()
                }]),
                price: Some(format!("{}.{:02}", price + position, dice.of(&[0_u64, 50, 90, 95]))),
                sku: Some(format!("SY-{number}-{position}{size}")),
                taxable: Some(true),
                ..Variant::default()
            }
        })
        .collect()
}

#[allow(clippy::cast_precision_loss)] // far below 2^53
fn whole(number: u64) -> Num {
    Num(number as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_makes_the_same_product() {
        let again: Vec<_> = synthetic(0, 300).collect();
        assert_eq!(synthetic(0, 300).collect::<Vec<_>>(), again);
        assert_eq!(synthetic(200, 300).collect::<Vec<_>>(), again[200..]);
        assert!(again.iter().any(|new| new.product.published_at.is_none()));
        assert!(again.iter().any(|new| new.product.inventory() == Some(0)));
    }
}
