//! What is said of what was done.

use super::projects::called;
use super::*;
use crate::api;
use crate::domain::{
    Answer, DateRange, Include, IncludeAnalysis, InventoryRange, Num, ProductFilters, ProductSearch, SortBy,
    SortDirection, StepProduct, TagsMatch, Webhook, WebhookEvent,
};
use crate::draft::{ProjectFormat, Request};
use crate::settings::{Profile, ProfileStore};
use crate::studio::ground::Moment;
use crate::studio::projects::{Change, Write, Written};
use crate::studio::screens::products::{Export, ExportFormat};

fn way() -> std::sync::Arc<[String]> {
    ["--profile".to_owned(), "local".to_owned()].into()
}

fn done(deed: Deed) -> Done {
    Done { at: Moment(0), deed, way: way(), passing: None }
}

fn shell(deed: Deed) -> String {
    done(deed).shell()
}

fn search() -> ProductSearch {
    let list = |one: &str| Some(vec![one.to_owned(), "b".to_owned()]);
    ProductSearch {
        app_url: "https://a.example".into(),
        search_term: Some("-wool sock".to_owned()),
        include: Some(Include {
            analysis: Some(IncludeAnalysis { timeout_ms: Some(Num(2500.0)) }),
            variants: Some(true),
            ..Include::default()
        }),
        filters: Some(ProductFilters {
            product_type: list("Socks & more"),
            tags: list("it's"),
            tags_match_mode: Some(TagsMatch::All),
            inventory: Some(InventoryRange { min: Some(Num(-3.0)), max: Some(Num(9.0)), ..InventoryRange::default() }),
            created_at: Some(DateRange { from: Some("2026-01-01".to_owned()), ..DateRange::default() }),
            ..ProductFilters::default()
        }),
        sort_by: Some(SortBy::ProviderCreatedAt),
        sort_direction: Some(SortDirection::Desc),
        published_only: Some(true),
        ..ProductSearch::default()
    }
}

#[test]
fn a_search_is_said_with_every_filter_and_its_order() {
    assert_eq!(
        shell(catalog::search(&search()).done()),
        "cutaway --profile local --app-url https://a.example products search --analysis-timeout-ms 2500 \
         --type 'Socks & more' --type b --tag 'it'\\''s' --tag b --tags-match all --inventory-min=-3 --inventory-max 9 \
         --created-from 2026-01-01 --sort providerCreatedAt --desc --published -- '-wool sock'"
    );
}

#[test]
fn batches_of_marked_products_are_one_export() {
    let of = |ids: &[&str]| ProductSearch {
        app_url: "https://a.example".into(),
        filters: Some(ProductFilters {
            product_id: Some(ids.iter().map(|id| (*id).to_owned()).collect()),
            ..ProductFilters::default()
        }),
        ..ProductSearch::default()
    };
    let export = Export {
        searches: vec![of(&["1", "2"]), of(&["3"])],
        format: ExportFormat::Csv,
        columns: vec![crate::domain::ExportColumn::Id, crate::domain::ExportColumn::LowestPrice],
        file: "x.csv".to_owned(),
    };
    assert_eq!(
        shell(catalog::export(&export, "/tmp/my products.csv").unwrap().done()),
        "cutaway --profile local --app-url https://a.example products export '/tmp/my products.csv' --product-id 1 \
         --product-id 2 --product-id 3 --format csv --columns id,lowest-price"
    );
}

fn answer(text: &str, next: Option<&str>) -> Answer {
    Answer { text: text.to_owned(), next: next.map(str::to_owned), ..Answer::default() }
}

fn change(answers: Vec<Answer>) -> Deed {
    let change = api::StepChange { answers: Some(answers), ..api::StepChange::default() };
    called(&Request::UpdateStep(api::UpdateStep { id: "s1".into(), change }), None)
}

#[test]
fn answers_are_flags_where_flags_can_say_them() {
    assert_eq!(
        shell(change(vec![answer("For her", Some("aB3dE")), answer("a => b", Some(""))])),
        "cutaway --profile local steps update s1 --answer 'For her=>aB3dE' --answer 'a => b=>'"
    );
    assert_eq!(shell(change(Vec::new())), "cutaway --profile local steps update s1 --answer ''");
    let products = |products: Vec<StepProduct>| {
        let change = api::StepChange { products: Some(products), ..api::StepChange::default() };
        shell(called(&Request::UpdateStep(api::UpdateStep { id: "s1".into(), change }), None))
    };
    let product = StepProduct {
        store: "https://a.example".into(),
        product_id: "p1".into(),
        variant_id: Some("red".into()),
        from: Some(Num(2.5)),
        ..StepProduct::default()
    };
    let flag = "--product p1,variant=red,from=2.5,store=https://a.example";
    assert_eq!(products(vec![product]), format!("cutaway --profile local steps update s1 {flag}"));
    assert_eq!(products(Vec::new()), "cutaway --profile local steps update s1 --product ''");
    let mut strange = answer(" spaced ", Some("aB3dE"));
    strange.extra.insert("colour".to_owned(), "red".into());
    assert_eq!(
        shell(change(vec![strange, answer("nowhere", None)])),
        "printf '%s\\n' '[{\"text\":\" spaced \",\"next\":\"aB3dE\",\"colour\":\"red\"},{\"text\":\"nowhere\"}]' \
         | cutaway --profile local steps update s1 --answers=-"
    );
}

#[test]
fn what_no_flag_can_say_leads_to_what_was_made_too() {
    let id = "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c";
    let step = api::NewStep { project_id: "p".into(), ..Default::default() };
    let step = called(&Request::CreateStep(api::CreateStep { step, ..Default::default() }), Some((id, "nameA")));
    let script = script(&[done(step), done(change(vec![answer(" spaced ", Some(id)), answer("a", Some("\"\\"))]))]);
    assert_eq!(
        script.lines().last(),
        Some(
            "printf '%s\\n' '[{\"text\":\" spaced \",\"next\":\"'\"$step_1\"'\"},{\"text\":\"a\",\"next\":\"\\\"\\\\\"}]' \
             | cutaway --profile local steps update s1 --answers=-"
        )
    );
}

#[test]
fn a_delivery_of_what_the_script_makes_is_not_made_again() {
    let again = |webhook: &str| done(library::redeliver(&webhook.into(), "d1"));
    let made = Webhook { id: "w1".into(), event: WebhookEvent::Conversion, ..Webhook::default() };
    let script =
        script(&[again("w1"), done(library::subscribe(&made.event, &made.url, &made.id)), again("w2"), again("w1")]);
    let lines: Vec<&str> = script.lines().skip(5).collect();
    assert_eq!(lines[0], "cutaway --profile local webhooks redeliver w1 d1");
    assert_eq!(lines[2], "cutaway --profile local webhooks redeliver w2 d1");
    assert!(lines[3].starts_with("# Not run: ") && lines[3].ends_with("webhooks redeliver w1 d1"), "{script}");
}

#[test]
fn an_export_is_written_beside_the_one_that_is_there() {
    let export = |file: &str| done(projects::export(&"p1".into(), file, ProjectFormat::Markdown));
    let script = script(&[export("/a b/tour.md"), export("/a.b/tour")]);
    let lines: Vec<&str> = script.lines().skip(5).collect();
    assert_eq!(
        lines,
        [
            "file_1='/a b/tour.md'; n=1; while [ -e \"$file_1\" ]; do n=$((n + 1)); file_1='/a b/tour'-\"$n\".md; done",
            "cutaway --profile local projects export p1 \"$file_1\" --format markdown",
            "file_2=/a.b/tour; n=1; while [ -e \"$file_2\" ]; do n=$((n + 1)); file_2=/a.b/tour-\"$n\"; done",
            "cutaway --profile local projects export p1 \"$file_2\" --format markdown",
        ]
    );
}

#[test]
fn a_script_keeps_what_it_makes_in_variables() {
    let create =
        |name: &str, id: &str| done(projects::written(&Write::Create(name.to_owned()), &Written::Project(id.into())));
    let step = |id: &str, name: &str, answers| {
        let step = api::NewStep { project_id: "p1".into(), answers, video_id: Some("v1".into()), ..Default::default() };
        done(called(&Request::CreateStep(api::CreateStep { step, ..Default::default() }), Some((id, name))))
    };
    let order = Change { order: Some(vec!["nameB".to_owned(), "s-a".to_owned()]), ..Change::default() };
    let recorded = [
        create("-x", "p1"),
        create("never named again", "p2"),
        done(library::register("https://cdn.example/a.mp4", "", &"v1".into())),
        step("s-a", "nameA", None),
        step("s-b", "nameB", Some(vec![answer("on", Some("nameA")), answer("out", Some("other"))])),
        done(projects::written(&Write::Change("p1".into(), order), &Written::Done)),
        done(Deed::aside("a\nb")),
        done(projects::written(&Write::Delete("p1".into()), &Written::Done)),
    ];
    let script = script(&recorded);
    let lines: Vec<&str> = script.lines().skip(5).collect();
    assert!(script.starts_with("#!/bin/sh\n") && script.contains("set -eu\n"));
    assert_eq!(
        lines,
        [
            "project_1=$(cutaway --profile local projects create --id-only -- -x)",
            "cutaway --profile local projects create 'never named again'",
            "video_1=$(cutaway --profile local videos create https://cdn.example/a.mp4 --id-only)",
            "step_1=$(cutaway --profile local steps create \"$project_1\" --video \"$video_1\" --id-and-name)",
            "step_1_name=${step_1#* }; step_1=${step_1%% *}",
            "step_2=$(cutaway --profile local steps create \"$project_1\" --video \"$video_1\" --answer 'on=>'\"$step_1_name\" \
             --answer 'out=>other' --id-and-name)",
            "step_2_name=${step_2#* }; step_2=${step_2%% *}",
            "cutaway --profile local projects update \"$project_1\" --steps-order \"$step_2_name\",\"$step_1\"",
            "# Not a command: a b.",
            "cutaway --profile local projects delete \"$project_1\" --yes",
        ]
    );
}

#[test]
fn a_script_takes_another_address_from_the_environment() {
    let way = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<std::sync::Arc<[String]>>();
    let at = |words: &[&str]| Done { way: way(words), ..done(library::delete(&"v".into())) };
    let (one, two) = ("https://one.example/", "https://two.example/a b");
    let script = script(&[
        at(&["--base-url", one, "--upload-url", "https://up.example/"]),
        at(&["--profile", "shop", "--base-url", two]),
        at(&["--base-url", one]),
    ]);
    let lines: Vec<&str> = script.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "set -eu",
            "base_url=${CUTAWAY_BASE_URL:-https://one.example/}",
            "upload_url=${CUTAWAY_UPLOAD_URL:-${CUTAWAY_BASE_URL:-https://up.example/}}",
            "base_url_2=${CUTAWAY_BASE_URL_2:-'https://two.example/a b'}",
            "cutaway --base-url \"$base_url\" --upload-url \"$upload_url\" assets delete v --yes",
            "cutaway --profile shop --base-url \"$base_url_2\" assets delete v --yes",
            "cutaway --base-url \"$base_url\" assets delete v --yes",
        ]
    );
}

#[test]
fn profiles_are_said_without_their_keys() {
    let url = |text: &str| url::Url::parse(text).ok();
    let before = Profile { base_url: url("https://api.example"), live: true, ..Profile::default() };
    let stores = vec![ProfileStore { url: "https://shop.example".into(), name: Some("My shop".to_owned()) }];
    let after = Profile { stores, live: false, read_only: true, colour: Some("red".to_owned()), ..before.clone() };
    assert_eq!(
        shell(account::save("shop", Some(&before), &after)),
        "cutaway profiles change shop --colour red --store 'https://shop.example=My shop' --read-only --not-live"
    );
    assert_eq!(
        shell(account::save("shop", None, &before)),
        "cutaway profiles add shop --base-url https://api.example/ --live"
    );
    let way = crate::studio::account::Way::Key(crate::domain::ApiKey::new("secret"));
    let said = done(account::sign_in("shop", &way));
    assert_eq!(said.shell(), "# Not run: signed in to shop: cutaway login --profile shop --api-key-stdin");
    assert_eq!(said.command(), "cutaway login --profile shop --api-key-stdin");
}

#[test]
fn what_no_program_can_be_given_is_said_in_words() {
    let webhook =
        Webhook { event: WebhookEvent::Conversion, url: "https://a.example/\0".to_owned(), ..Webhook::default() };
    assert!(
        shell(library::subscribe(&webhook.event, &webhook.url, &webhook.id))
            .starts_with("# Not a command: webhooks create")
    );
}

#[test]
fn looks_give_way_to_what_was_meant() {
    let mut deeds = Deeds { recording: Some(Vec::new()), ..Deeds::default() };
    let term = |term: &str| ProductSearch { search_term: Some(term.to_owned()), ..search() };
    let look = |deed: Deed, look| Done { passing: Some(look), ..done(deed) };
    for typed in ["w", "wo", "wool"] {
        deeds.note(look(catalog::search(&term(typed)).done(), Look::Search));
        deeds.note(look(catalog::product(&"https://a.example".into(), &typed.into()).done(), Look::Product));
    }
    assert_eq!((deeds.done.len(), deeds.recorded()), (2, 2), "the last search, and the product passed by");
    deeds.settle();
    deeds.note(look(catalog::search(&term("x")).done(), Look::Search));
    assert_eq!(deeds.recorded(), 3);
    deeds.note(done(library::delete(&"v".into())));
    deeds.note(look(catalog::search(&term("y")).done(), Look::Search));
    assert_eq!(deeds.recorded(), 5, "what changes something stays, and what stands before it");
}

#[test]
fn what_is_recorded_comes_from_what_any_question_for() {
    use crate::studio::ground::{Failure, RequestId};
    use crate::studio::shell::effect::Effect;
    use crate::studio::shell::event::Event;
    use crate::studio::shell::screens::Screens;
    use crate::studio::tests::probe::begin;
    use crate::studio::webhooks;
    let (mut clerk, screens) = (Clerk::default(), Screens::new(&begin()));
    let ask = |request| Effect::Webhooks(webhooks::Effect::Delete { request, webhook: "mine".into() });
    let told = |request, said| Event::Webhooks(webhooks::Event::Deleted { request, webhook: "other".into(), said });
    let [first, second, third] = [1, 2, 3].map(RequestId);
    assert!(clerk.hears(&told(first, Ok(()))).is_empty(), "nobody asked for it");
    for request in [first, second, third] {
        clerk.sees(&ask(request), &screens);
    }
    clerk.sees(&Effect::Cancel(third), &screens);
    assert!(clerk.hears(&told(second, Err(Failure::new("no")))).is_empty(), "it was not done");
    assert!(clerk.hears(&told(third, Ok(()))).is_empty(), "it was given up");
    let said: Vec<String> = clerk.hears(&told(first, Ok(()))).into_iter().map(|(deed, _)| shell(deed)).collect();
    assert_eq!(said, ["cutaway --profile local webhooks delete mine --yes"]);
    assert!(clerk.hears(&told(first, Ok(()))).is_empty(), "once");
}
