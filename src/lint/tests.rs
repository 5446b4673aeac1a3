//! Every rule finds what is wrong, each time, and nothing that is fine: faults are put into a catalog at known places, beside
//! others that only look so.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Catalog, Limits, Problem, Rule, Set};
use crate::domain::{
    Analysis, AnalysisData, AnalysisStatus, AnalyzedType, Category, FoundProduct, Media, Num, Product, ProductOption,
    SelectedOption, StoreUrl, Variant,
};

const STORE: &str = "https://shop.example";
const NOW: &str = "2026-06-01T12:00:00Z";

/// How many products have a fault, and how many a decoy of it.
const EACH: usize = 20;

/// A product of which nothing is wrong; of each number another.
fn fine(number: usize) -> FoundProduct {
    let colors = ["Grey", "Moss"];
    let variants: Vec<Variant> = colors.iter().enumerate().map(|(at, color)| variant(number, at, color)).collect();
    let media = (0..2).map(|at| picture(number, at, colors[at])).collect();
    let option = ProductOption {
        name: "Color".to_owned(),
        values: colors.map(str::to_owned).to_vec(),
        ..ProductOption::default()
    };
    let product = Product {
        external_product_id: format!("{}", 8_000_000 + number).as_str().into(),
        app_url: StoreUrl::from(STORE),
        title: format!("Wool sock number {number}"),
        handle: format!("wool-sock-{number}"),
        description: Some("Warm, and made to last.".to_owned()),
        description_html: Some("<p>Warm, and made to last.</p>".to_owned()),
        vendor: Some("Nordlys".to_owned()),
        product_type: Some("Socks".to_owned()),
        tags: vec!["winter".to_owned(), "merino".to_owned()],
        status: Some("ACTIVE".to_owned()),
        created_at: "2026-05-01T10:00:00Z".to_owned(),
        updated_at: "2026-05-20T10:00:00Z".to_owned(),
        provider_updated_at: Some("2026-05-20T09:59:00Z".to_owned()),
        category: Some(Category { name: "Socks".to_owned(), ..Category::default() }),
        featured_media_id: Some(format!("m{number}-0")),
        published_at: Some("2026-05-02T10:00:00Z".to_owned()),
        currency_code: Some("NOK".to_owned()),
        currency_symbol: Some("kr".to_owned()),
        media,
        variants,
        options: Some(vec![option]),
        product_url: format!("{STORE}/products/wool-sock-{number}"),
        ..Product::default()
    };
    let (media_count, variants_count) = (Num(2.0), Num(2.0));
    let analysis = Some(Analysis {
        updated_at: "2026-05-21T10:00:00Z".to_owned(),
        data: AnalysisData { product_type: AnalyzedType::Accessories, confidence: Num(0.9), ..AnalysisData::default() },
        ..Analysis::default()
    });
    let status = Some(AnalysisStatus::Analyzed);
    FoundProduct {
        product,
        price: Some(Num(199.0)),
        media_count,
        variants_count,
        analysis,
        analysis_status: status,
        ..FoundProduct::default()
    }
}

fn variant(number: usize, at: usize, color: &str) -> Variant {
    let chosen = SelectedOption { name: "Color".to_owned(), value: color.to_owned(), ..SelectedOption::default() };
    Variant {
        title: Some(color.to_owned()),
        external_media_id: Some(format!("m{number}-{at}")),
        external_variant_id: format!("v{number}-{at}").as_str().into(),
        barcode: Some(gtin(number * 2 + at)),
        compare_at_price: Some("249.00".to_owned()),
        inventory_quantity: Some(Num(7.0)),
        inventory_policy: Some("DENY".to_owned()),
        inventory_tracked: Some(true),
        selected_options: Some(vec![chosen]),
        price: Some("199.00".to_owned()),
        sku: Some(format!("SOCK-{number}-{at}")),
        ..Variant::default()
    }
}

fn picture(number: usize, at: usize, color: &str) -> Media {
    Media {
        status: Some("READY".to_owned()),
        created_at: "2026-05-01T10:00:00Z".to_owned(),
        external_media_id: format!("m{number}-{at}"),
        media_content_type: "IMAGE".to_owned(),
        alt: Some(format!("Wool sock, {color}")),
        preview_width: Some(Num(800.0)),
        preview_height: Some(Num(800.0)),
        ..Media::default()
    }
}

/// A number with thirteen digits of which the last is right.
fn gtin(number: usize) -> String {
    let front = format!("40{number:010}");
    let sum: u32 = front.chars().rev().zip([3, 1].into_iter().cycle()).map(|(c, w)| c.to_digit(10).unwrap() * w).sum();
    format!("{front}{}", (10 - sum % 10) % 10)
}

type Change = fn(&mut FoundProduct);

fn p(found: &mut FoundProduct) -> &mut Product {
    &mut found.product
}

fn v(found: &mut FoundProduct) -> &mut Variant {
    &mut found.product.variants[0]
}

fn each(found: &mut FoundProduct, change: impl Fn(&mut Variant)) {
    found.product.variants.iter_mut().for_each(change);
}

fn m(found: &mut FoundProduct) -> &mut Media {
    &mut found.product.media[1]
}

#[allow(clippy::unnecessary_wraps)] // Fields may be null.
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// What is wrong, and what only looks so, by the rule that has to tell them apart. Written down from the table of the rules.
#[allow(clippy::too_many_lines)] // It is a table.
fn cases() -> Vec<(Rule, Change, Change)> {
    use Rule as R;
    vec![
        (
            R::SoldOut,
            |f| each(f, |v| v.inventory_quantity = Some(Num(0.0))),
            |f| {
                each(f, |v| (v.inventory_quantity, v.inventory_policy) = (Some(Num(0.0)), some("CONTINUE")));
            },
        ),
        (
            R::SoldOut,
            |f| each(f, |v| v.inventory_quantity = Some(Num(0.0))),
            |f| {
                each(f, |v| (v.inventory_quantity, v.inventory_policy) = (Some(Num(0.0)), some("BACKORDER")));
            },
        ),
        (
            R::NearlyOut,
            |f| each(f, |v| v.inventory_quantity = Some(Num(1.0))),
            |f| {
                each(f, |v| (v.inventory_quantity, v.inventory_tracked) = (Some(Num(1.0)), Some(false)));
            },
        ),
        (R::Oversold, |f| v(f).inventory_quantity = Some(Num(-1.0)), |f| v(f).inventory_quantity = Some(Num(0.0))),
        (R::Unpublished, |f| p(f).published_at = None, |f| p(f).published_at = some("2099-01-01T00:00:00Z")),
        (R::PublishedNotActive, |f| p(f).status = some("draft"), |f| p(f).status = some("paused")),
        (R::PublishedNotActive, |f| p(f).status = some("ARCHIVED"), |f| p(f).status = some("Active")),
        (R::NoVariants, |f| p(f).variants.clear(), |f| drop(p(f).variants.pop())),
        (R::PriceMissing, |f| v(f).price = some("on request"), |f| v(f).price = some(" 199.0 ")),
        (R::PriceMissing, |f| v(f).price = None, |f| v(f).price = some("199")),
        (R::PriceZero, |f| v(f).price = some("0.00"), |f| v(f).price = some("0.01")),
        (R::CompareAtWrong, |f| v(f).compare_at_price = some("199.00"), |f| v(f).compare_at_price = None),
        (
            R::PriceOutlier,
            |f| (v(f).price, v(f).compare_at_price) = (some("1990"), None),
            |f| {
                (v(f).price, v(f).compare_at_price) = (some("1989"), None);
            },
        ),
        (R::Currency, |f| p(f).currency_code = None, |f| p(f).currency_code = some("nok")),
        (R::Currency, |f| p(f).currency_code = some("SEK"), |f| p(f).currency_symbol = None),
        (R::Currency, |f| p(f).currency_symbol = some("€"), |f| p(f).currency_symbol = some("Kr.")),
        (R::Currency, |f| p(f).currency_symbol = some("SEK"), |f| p(f).currency_symbol = some("nok")),
        (R::Currency, |f| p(f).currency_symbol = some("$"), |f| p(f).currency_symbol = some("Nkr")),
        (R::PriceDisagrees, |f| f.price = Some(Num(198.0)), |f| f.price = None),
        (R::SkuMissing, |f| v(f).sku = some(" "), |f| v(f).sku = Some(format!("x-{}", p(f).external_product_id))),
        (
            R::SkuTwice,
            |f| v(f).sku = Some(f.product.variants[1].sku.as_deref().unwrap().to_lowercase()),
            |f| {
                v(f).sku = Some(format!("{}-B", f.product.variants[1].sku.as_deref().unwrap()));
            },
        ),
        (
            R::SkuOdd,
            |f| v(f).sku = Some(format!("{} ", v(f).sku.clone().unwrap())),
            |f| {
                v(f).sku = Some(format!("НОСОК ЩЖ {}", p(f).external_product_id));
            },
        ),
        (
            R::SkuOdd,
            |f| v(f).sku = Some(format!("SK\u{7}{}", p(f).external_product_id)),
            |f| v(f).sku = Some(format!("S K.{}", p(f).external_product_id)),
        ),
        (
            R::SkuOdd,
            |f| v(f).sku = Some(format!("SОCK-{}", p(f).external_product_id)),
            |f| v(f).sku = Some(format!("ΩMEGA-{}", p(f).external_product_id)),
        ),
        (
            R::VariantsAlike,
            |f| p(f).variants[1].selected_options = v(f).selected_options.clone(),
            |f| {
                // The same value of another option.
                let mut chosen = v(f).selected_options.clone().unwrap();
                chosen[0].name = "Lining".to_owned();
                p(f).variants[1].selected_options = Some(chosen);
            },
        ),
        (R::OptionAlien, |f| v(f).selected_options = Some(Vec::new()), |f| v(f).selected_options = None),
        (
            R::OptionAlien,
            |f| p(f).options.as_mut().unwrap()[0].values.push("Plum".to_owned()),
            |f| p(f).options.as_mut().unwrap()[0].values.reverse(),
        ),
        (
            R::OptionAlien,
            |f| v(f).selected_options.as_mut().unwrap()[0].value = "Plum".to_owned(),
            |f| {
                p(f).options = None;
            },
        ),
        (R::VariantMediaLost, |f| v(f).external_media_id = some("gone"), |f| v(f).external_media_id = None),
        (
            R::NoMedia,
            |f| {
                f.product.media.clear();
                f.media_count = Num(0.0);
            },
            |f| p(f).media.clear(),
        ),
        (
            R::FeaturedLost,
            |f| p(f).featured_media_id = some("gone"),
            |f| p(f).featured_media_id = Some(f.product.media[1].external_media_id.clone()),
        ),
        (
            R::FeaturedLost,
            |f| p(f).featured_media_id = None,
            |f| {
                m(f).id = Num(77.0);
                p(f).featured_media_id = some("77");
            },
        ),
        (R::MediaNotReady, |f| m(f).status = some("uploaded"), |f| m(f).status = None),
        (R::MediaNotReady, |f| m(f).status = some("FAILED"), |f| m(f).status = some("QUEUED")),
        (
            R::MediaNotReady,
            |f| m(f).status = some("PROCESSING"),
            |f| {
                (m(f).status, m(f).created_at) = (some("PROCESSING"), "2026-06-01T11:30:00Z".to_owned());
            },
        ),
        (R::Alt, |f| m(f).alt = None, |f| m(f).alt = some("Sock no. 2")),
        (R::Alt, |f| m(f).alt = some("IMG_1234.jpg"), |f| m(f).alt = some("A sock in img. 1234")),
        (R::Alt, |f| m(f).alt = f.product.media[0].alt.clone(), |f| m(f).alt = some("wool sock, grey")),
        (R::PictureSmall, |f| square(f, 299.0), |f| square(f, 300.0)),
        (R::Aspect, |f| m(f).preview_width = Some(Num(900.0)), |f| m(f).preview_width = Some(Num(860.0))),
        // What is small may be narrow, too.
        (R::Aspect, |f| sized(f, 250.0, 800.0), |f| sized(f, 250.0, 500.0)),
        (R::ProductVideoHeavy, |f| heavy(f, 50_000_001.0), |f| heavy(f, 50_000_000.0)),
        (
            R::ProductVideoHeavy,
            |f| {
                heavy(f, 1.0);
                m(f).video_url = None;
            },
            |f| m(f).video_url = None,
        ),
        (
            R::TextEmpty,
            |f| (p(f).description, p(f).description_html) = (None, some("<p>Warm</p>")),
            |f| p(f).description_html = None,
        ),
        (
            R::TextEmpty,
            |f| p(f).description_html = some("a<iframe src=x></iframe>"),
            |f| p(f).description_html = some("a<iframes>"),
        ),
        (R::TextEmpty, |f| p(f).description = some("  "), |f| p(f).description = some(".")),
        (
            R::TextEmpty,
            |f| p(f).description_html = some("<Script >x"),
            |f| p(f).description_html = some("<b>script</b>"),
        ),
        (
            R::Title,
            |f| p(f).title = format!("WOOL SOCK NUMBER {}", p(f).external_product_id),
            |f| {
                p(f).title = format!("ULTRA wool sock {}", p(f).external_product_id);
            },
        ),
        (
            R::Title,
            |f| p(f).title = format!("{} {}", "sock".repeat(40), p(f).external_product_id),
            |f| {
                p(f).title = format!("{} {}", "sock".repeat(30), p(f).external_product_id);
            },
        ),
        (R::HandleDiffers, |f| p(f).product_url.push_str("-old"), |f| p(f).product_url.push_str("/?variant=1")),
        (
            R::HandleDiffers,
            |f| p(f).product_url = p(f).product_url.replace("shop", "mirror"),
            |f| {
                p(f).product_url = p(f).product_url.replace("shop", "SHOP");
            },
        ),
        (
            R::HandleDiffers,
            |f| p(f).product_url = "/products/a".to_owned(),
            |f| p(f).product_url = p(f).product_url.replace("https", "http"),
        ),
        (R::Uncategorized, |f| p(f).tags.clear(), |f| p(f).template_suffix = None),
        (R::Uncategorized, |f| p(f).category = None, |f| p(f).tags.truncate(1)),
        (R::Uncategorized, |f| p(f).product_type = some(" "), |f| p(f).product_type = some("socks and more")),
        (R::Uncategorized, |f| p(f).vendor = None, |f| p(f).vendor = some("?")),
        (
            R::AnalysisDisagrees,
            |f| {
                f.analysis.as_mut().unwrap().data.product_type = AnalyzedType::Shoes;
                p(f).product_type = some("Jackets");
            },
            |f| {
                // Words that nobody has put a kind to.
                f.analysis.as_mut().unwrap().data.product_type = AnalyzedType::Shoes;
            },
        ),
        (
            R::AnalysisDisagrees,
            |f| f.analysis.as_mut().unwrap().updated_at = "2026-05-20T09:59:59Z".to_owned(),
            |f| f.analysis.as_mut().unwrap().updated_at = "2026-05-20T10:00:00Z".to_owned(),
        ),
        (
            R::AnalysisDisagrees,
            |f| (f.analysis, f.analysis_status) = (None, Some(AnalysisStatus::Pending)),
            |f| {
                (f.analysis, f.analysis_status) = (None, Some(AnalysisStatus::Pending));
                p(f).created_at = "2026-06-01T00:00:00Z".to_owned();
            },
        ),
        (
            R::RecordOld,
            |f| p(f).provider_updated_at = some("2026-05-21T10:00:01Z"),
            |f| p(f).provider_updated_at = some("2026-05-21T10:00:00Z"),
        ),
        (
            R::HostileText,
            |f| p(f).title = format!("Wool\u{202e}sock {}", p(f).external_product_id),
            |f| p(f).title = format!("גרבי \u{200e}צמר {}", p(f).external_product_id),
        ),
        (
            R::HostileText,
            |f| p(f).title = format!("Woolж sock {}", p(f).external_product_id),
            |f| p(f).title = format!("Wool носок {}", p(f).external_product_id),
        ),
        (R::HostileText, |f| m(f).alt = some("a\u{2066}b"), |f| m(f).alt = some("a – b")),
        (
            R::HostileText,
            |f| v(f).sku = Some(format!("A\u{200b}{}", p(f).external_product_id)),
            |f| v(f).sku = Some(format!("A_{}", p(f).external_product_id)),
        ),
        (
            R::HostileText,
            |f| {
                p(f).handle.push('\u{feff}');
                p(f).product_url.push('\u{feff}');
            },
            |f| p(f).handle = p(f).handle.to_uppercase(),
        ),
        (R::AnalysisDisagrees, |f| f.analysis.as_mut().unwrap().data.confidence = Num(0.49), |f| f.analysis = None),
        (
            R::RecordOld,
            |f| p(f).provider_updated_at = some("2026-06-01T12:06:00Z"),
            |f| {
                p(f).provider_updated_at = some("2026-05-21T09:00:00Z");
            },
        ),
        (R::HostileText, |f| p(f).tags[0] = "win\u{200b}ter".to_owned(), |f| p(f).tags[0] = "зима".to_owned()),
        (
            R::GtinInvalid,
            |f| v(f).barcode = some("4006381333932"),
            |f| v(f).barcode = Some(format!("A{}", p(f).external_product_id)),
        ),
        (
            R::GtinMissing,
            |f| v(f).barcode = None,
            |f| {
                v(f).barcode = None;
                p(f).vendor = None;
            },
        ),
        (R::PictureForFeed, |f| square(f, 499.0), |f| square(f, 500.0)),
        (R::PictureForFeed, |f| square(f, 8_001.0), |f| square(f, 8_000.0)),
        (
            R::TextForFeed,
            |f| p(f).title = format!("{} {}", "sock".repeat(40), p(f).external_product_id),
            |f| p(f).title = format!("{} {}", "sock".repeat(30), p(f).external_product_id),
        ),
        (R::TextForFeed, |f| p(f).product_url += &"?".repeat(2_000), |f| p(f).product_url += &"?".repeat(1_000)),
        (
            R::TextForFeed,
            |f| p(f).description = Some("x".repeat(5_001)),
            |f| p(f).description = Some("x".repeat(5_000)),
        ),
        (
            R::OfferedSoldOut,
            |f| each(f, |v| v.inventory_quantity = Some(Num(0.0))),
            |f| {
                each(f, |v| v.inventory_quantity = Some(Num(0.0)));
                p(f).published_at = None;
            },
        ),
    ]
}

fn found_barcode(found: &FoundProduct) -> Option<String> {
    found.product.variants[0].barcode.clone()
}

fn heavy(found: &mut FoundProduct, size: f64) {
    let media = m(found);
    media.media_content_type = "VIDEO".to_owned();
    (media.video_url, media.video_size) = (some("https://shop.example/v.mp4"), Some(Num(size)));
}

fn square(found: &mut FoundProduct, side: f64) {
    sized(found, side, side);
}

fn sized(found: &mut FoundProduct, width: f64, height: f64) {
    for media in &mut found.product.media {
        (media.preview_width, media.preview_height) = (Some(Num(width)), Some(Num(height)));
    }
}

fn catalog() -> Catalog {
    let limits = Limits { sets: Set::all().collect(), ..Limits::default() };
    Catalog::new(StoreUrl::from(STORE), limits, NOW.parse::<Timestamp>().unwrap())
}

/// Which products have a problem by this rule.
fn hit(problems: &[Problem], rule: Rule) -> BTreeSet<String> {
    problems.iter().filter(|problem| problem.rule == rule).map(|problem| problem.record.id().to_owned()).collect()
}

#[test]
fn a_catalog_of_which_nothing_is_wrong_has_no_problem() {
    let mut catalog = catalog();
    let mut problems: Vec<Problem> = (0..500).flat_map(|number| catalog.product(&fine(number), &[])).collect();
    problems.extend(catalog.end());
    assert_eq!(problems, [], "{:?}", problems.first());
    for rule in Rule::all().filter(|rule| rule.is_of_products()) {
        let counts = catalog.tally().of(rule);
        assert_eq!((counts.checked, counts.unchecked), (500, 0), "{rule:?}");
    }
}

#[test]
fn every_rule_finds_each_fault_and_no_decoy() {
    for (nth, (rule, fault, decoy)) in cases().into_iter().enumerate() {
        let mut catalog = catalog();
        let (mut problems, mut wrong) = (Vec::new(), BTreeSet::new());
        for number in 0..10 * EACH {
            let mut found = fine(number);
            match number % 10 {
                3 => {
                    fault(&mut found);
                    wrong.insert(found.product.external_product_id.as_str().to_owned());
                }
                6 => decoy(&mut found),
                _ => {}
            }
            problems.extend(catalog.product(&found, &[]));
        }
        problems.extend(catalog.end());
        assert_eq!(wrong.len(), EACH);
        assert_eq!(hit(&problems, rule), wrong, "case {nth}, {rule:?}");
    }
}

/// All faults and all look-alikes in one catalog of 10,000 products, with all rules on: no rule disturbs another, and of products
/// that nobody touched nothing is wrong.
#[test]
fn among_ten_thousand_products_each_fault_is_found_and_nothing_else() {
    const ALL: usize = 10_000;
    let cases = cases();
    let (step, mut catalog) = (ALL / EACH, catalog());
    assert!(2 * cases.len() < step, "a place for each");
    let (mut problems, mut expected) = (Vec::new(), Vec::new());
    for number in 0..ALL {
        let mut found = fine(number);
        // Twenty places for each fault, each beside that of its look-alike, all over the catalog.
        let (nth, is_decoy) = ((number % step) / 2, number % 2 == 1);
        if let Some((rule, fault, decoy)) = cases.get(nth) {
            if is_decoy {
                decoy(&mut found);
            } else {
                fault(&mut found);
            }
            expected.push((found.product.external_product_id.as_str().to_owned(), Some((*rule, !is_decoy)), nth));
        } else {
            expected.push((found.product.external_product_id.as_str().to_owned(), None, nth));
        }
        problems.extend(catalog.product(&found, &[]));
    }
    problems.extend(catalog.end());
    let found: BTreeSet<(&str, Rule)> = problems.iter().map(|problem| (problem.record.id(), problem.rule)).collect();
    let wrong: BTreeSet<&str> = found.iter().map(|(id, _)| *id).collect();
    for (id, at, nth) in &expected {
        match at {
            Some((rule, is_fault)) => {
                assert_eq!(found.contains(&(id.as_str(), *rule)), *is_fault, "case {nth}, {rule:?}, {id}");
            }
            None => {
                assert!(!wrong.contains(id.as_str()), "{id}: {:?}", problems.iter().find(|of| of.record.id() == *id));
            }
        }
    }
}

#[test]
fn words_that_the_specification_does_not_list_are_not_checked() {
    let mut catalog = catalog();
    for (number, status) in ["ACTIVE", "active", "draft", "Archived", "paused", "unlisted"].into_iter().enumerate() {
        let mut found = fine(number);
        p(&mut found).status = some(status);
        catalog.product(&found, &[]);
    }
    for (number, status) in ["READY", "FAILED", "processing", "UPLOADED", "QUEUED"].into_iter().enumerate() {
        let mut found = fine(100 + number);
        m(&mut found).status = some(status);
        catalog.product(&found, &[]);
    }
    let of = |rule| {
        let counts = catalog.tally().of(rule);
        (counts.checked, counts.unchecked, counts.problems)
    };
    assert_eq!((of(Rule::PublishedNotActive), of(Rule::MediaNotReady)), ((9, 2, 2), (10, 1, 3)));
}

#[test]
fn what_third_parties_ask_for_is_a_setting() {
    let told = |limits: Limits| {
        let limits = Limits { sets: Set::all().collect(), ..limits };
        let mut catalog = Catalog::new(StoreUrl::from(STORE), limits, NOW.parse::<Timestamp>().unwrap());
        let problems = catalog.product(&fine(0), &[]);
        problems.iter().map(|problem| (problem.rule, problem.field.clone())).collect::<Vec<_>>()
    };
    assert_eq!(told(Limits::default()), []);
    let strict = Limits { title: 10, feed_side: 801.0, feed_description: 5, feed_address: 5, ..Limits::default() };
    let of = |rule, field: &str| (rule, field.to_owned());
    assert_eq!(
        BTreeSet::from_iter(told(strict)),
        BTreeSet::from([
            of(Rule::Title, "title"),
            of(Rule::PictureForFeed, "media[0].previewWidth"),
            of(Rule::PictureForFeed, "media[1].previewWidth"),
            of(Rule::TextForFeed, "description"),
            of(Rule::TextForFeed, "title"),
            of(Rule::TextForFeed, "productUrl"),
        ])
    );
    // 800 by 800 pixels are 0.64 megapixels.
    let small = told(Limits { feed_megapixels: 0.6, ..Limits::default() });
    assert_eq!(small.iter().filter(|(rule, _)| *rule == Rule::PictureForFeed).count(), 2);
}

#[test]
fn what_products_share_is_told_once_it_is_shared() {
    let mut catalog = catalog();
    let mut problems = Vec::new();
    for number in 0..300 {
        let mut found = fine(number);
        match number {
            7 => v(&mut found).barcode = Some(gtin(2)),
            8 => p(&mut found).title = "WOOL  sock number 1".to_owned(),
            9 => p(&mut found).title = "Wool Sock Number 1".to_owned(),
            10 => p(&mut found).tags.push("Winter".to_owned()),
            11 => p(&mut found).vendor = some("Nordlyz"),
            14 => v(&mut found).sku = some("sock-1-0"),
            15 => p(&mut found).product_type = some("Sock"),
            // A digit is another word, and so are two letters.
            16 => p(&mut found).tags = vec!["winter2".to_owned(), "merlin".to_owned()],
            // The same barcode at two variants of one product is one of them.
            17 => p(&mut found).variants[1].barcode = found_barcode(&found),
            12 => {
                each(&mut found, |v| (v.price, v.compare_at_price) = (some("1990"), None));
                found.price = Some(Num(1990.0));
            }
            13 => {
                each(&mut found, |v| (v.price, v.compare_at_price) = (some("1989"), None));
                found.price = Some(Num(1989.0));
            }
            _ => {}
        }
        problems.extend(catalog.product(&found, &[]));
    }
    // A service that repeats a product repeats no SKU.
    problems.extend(catalog.product(&fine(1), &[]));
    problems.extend(catalog.end());
    let told: Vec<(Rule, &str)> = problems.iter().map(|problem| (problem.rule, problem.record.id())).collect();
    let expected = [
        (Rule::BarcodeTwice, "8000007"),
        (Rule::Title, "8000009"),
        (Rule::SkuTwice, "8000014"),
        (Rule::PriceOutlier, "8000012"),
        (Rule::PriceOutlier, "8000012"),
        (Rule::TagNear, "Winter"),
        (Rule::KindNear, "Sock"),
        (Rule::KindNear, "Nordlyz"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_open_is_counted_and_not_guessed() {
    let mut catalog = catalog();
    let mut found = fine(0);
    each(&mut found, |v| (v.inventory_tracked, v.inventory_quantity, v.price) = (None, None, None));
    p(&mut found).status = None;
    p(&mut found).options = None;
    let problems = catalog.product(&found, &[("handle".to_owned(), "is required and missing".to_owned())]);
    let rules: BTreeSet<Rule> = problems.iter().map(|problem| problem.rule).collect();
    assert_eq!(rules, BTreeSet::from([Rule::PriceMissing, Rule::SpecBreach]));
    let open: Vec<Rule> = Rule::all().filter(|rule| catalog.tally().of(*rule).unchecked > 0).collect();
    let expected = [
        Rule::SoldOut,
        Rule::NearlyOut,
        Rule::Oversold,
        Rule::PublishedNotActive,
        Rule::PriceZero,
        Rule::CompareAtWrong,
        Rule::PriceDisagrees,
        Rule::OptionAlien,
    ];
    assert_eq!(open, expected);
}

#[test]
fn rules_are_found_by_id_and_name() {
    let ids: BTreeSet<&str> = Rule::all().map(Rule::id).collect();
    let names: BTreeSet<&str> = Rule::all().map(Rule::name).collect();
    assert_eq!((ids.len(), names.len()), (57, 57));
    for rule in Rule::all() {
        assert_eq!((Rule::by_word(rule.id()), Rule::by_word(rule.name())), (Some(rule), Some(rule)));
    }
    assert_eq!(Rule::by_word("s01"), Some(Rule::SoldOut));
    assert_eq!(Rule::by_word("S99"), None);
}
