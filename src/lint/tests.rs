//! Every rule finds what is wrong, each time, and nothing that is fine: faults are put into a catalog at known places, beside
//! others that only look so.

mod cases;

use std::collections::BTreeSet;

use cases::{cases, found_barcode};
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
