//! What each rule finds, and what looks alike and is fine.

use super::*;

/// What is wrong, and what only looks so, by the rule that has to tell them apart. Written down from the table of the rules.
#[allow(clippy::too_many_lines)] // It is a table.
pub(super) fn cases() -> Vec<(Rule, Change, Change)> {
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

pub(super) fn found_barcode(found: &FoundProduct) -> Option<String> {
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
