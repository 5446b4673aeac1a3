//! Every kind of line that the twin can say, with every flag, for what holds them against the commands there are.

use super::line::{Deed, Line};
use super::projects::called;
use super::{account, catalog, library, projects};
use crate::api::{self, ProjectChange, StepChange};
use crate::domain::{
    Answer, ApiKey, DateRange, ExportColumn, Include, IncludeAnalysis, InventoryRange, Num, PlayerChange,
    ProductFilters, ProductSearch, SortBy, SortDirection, StepProduct, TagsMatch, WebhookEvent,
};
use crate::draft::{ProjectFormat, Request};
use crate::settings::{Profile, ProfileStore};
use crate::studio::account::Way;
use crate::studio::projects::{Change, Write, Written};
use crate::studio::screens::products::{Export, ExportFormat};

/// The arguments of all of them, as a script has them, where people typed this.
pub fn every_line(typed: &str) -> Vec<Vec<String>> {
    let way = ["--profile".to_owned(), "local".to_owned()];
    let said = |line: &Line| -> Vec<Vec<String>> {
        let flags: &[&'static str] = match line.made().map(|made| made.kind) {
            Some("step") => &["--id-only", "--id-and-name"],
            Some(_) => &["--id-only"],
            None => &[],
        };
        let plain = line.arguments(&way);
        flags.iter().map(|flag| line.clone().switch(flag).arguments(&way)).chain([plain]).collect()
    };
    let deeds = [catalog(typed), on_projects(typed), calls(typed), library(), profiles()].concat();
    let lines = deeds.iter().filter_map(|deed| match deed {
        Deed::Line(line) | Deed::Aside { line: Some(line), .. } => Some(said(line)),
        Deed::Aside { .. } => None,
    });
    lines.flatten().collect()
}

fn searches(typed: &str) -> Vec<ProductSearch> {
    let list = || Some(vec![typed.to_owned(), "b".to_owned()]);
    let search = |mode: TagsMatch, sort_by: SortBy, timeout_ms: Option<Num>, date: &str| ProductSearch {
        app_url: "https://a.example".into(),
        search_term: Some(typed.to_owned()),
        include: Some(Include { analysis: Some(IncludeAnalysis { timeout_ms }), ..Include::default() }),
        filters: Some(ProductFilters {
            product_type: list(),
            category: list(),
            tags: list(),
            sku: list(),
            product_name: list(),
            product_id: list(),
            variant_id: list(),
            tags_match_mode: Some(mode),
            inventory: Some(InventoryRange { min: Some(Num(-3.0)), max: Some(Num(9.0)), ..InventoryRange::default() }),
            created_at: Some(DateRange {
                from: Some(date.to_owned()),
                to: Some(date.to_owned()),
                ..DateRange::default()
            }),
            ..ProductFilters::default()
        }),
        sort_by: Some(sort_by),
        sort_direction: Some(SortDirection::Desc),
        published_only: Some(true),
        ..ProductSearch::default()
    };
    let mut searches = vec![
        search(TagsMatch::All, SortBy::ProviderCreatedAt, Some(Num(2500.0)), "2026-01-31"),
        search(TagsMatch::Any, SortBy::ProviderCreatedAt, None, "365d"),
        ProductSearch { app_url: "https://a.example".into(), ..ProductSearch::default() },
    ];
    searches.extend(SortBy::ALL.iter().map(|by| search(TagsMatch::Any, by.clone(), None, "2026-01-31T12:00:00Z")));
    searches
}

fn catalog(typed: &str) -> Vec<Deed> {
    let store = || "https://a.example".into();
    let mut lines = vec![catalog::product(&store(), &typed.into()), catalog::analysis(&store(), &typed.into(), 2500)];
    for search in searches(typed) {
        lines.push(catalog::search(&search));
        for format in ExportFormat::ALL.iter().copied() {
            let file = "x".to_owned();
            let columns = ExportColumn::ALL.into_iter().skip(1).collect();
            let export = Export { searches: vec![search.clone(), search.clone()], format, columns, file };
            lines.extend(catalog::export(&export, "/tmp/x y"));
        }
    }
    lines.into_iter().map(Line::done).collect()
}

fn answers(typed: &str) -> Vec<Option<Vec<Answer>>> {
    let answer =
        |next: Option<&str>| Answer { text: typed.to_owned(), next: next.map(str::to_owned), ..Answer::default() };
    vec![
        None,
        Some(Vec::new()),
        Some(vec![answer(Some("aB3dE")), answer(Some(""))]),
        Some(vec![answer(Some("aB3dE")), answer(None)]),
    ]
}

fn on_projects(typed: &str) -> Vec<Deed> {
    let text = || Some(typed.to_owned());
    let change =
        |emails: Vec<String>, order| Change { name: text(), folder: text(), emails: Some(emails), order, player: None };
    let (some, made) = (vec!["a@b.example".to_owned(), "c@d.example".to_owned()], Written::Project("p".into()));
    let members =
        [("endText".to_owned(), "It's \"over\" $HOME".into()), ("shopText".to_owned(), serde_json::Value::Null)];
    let player = PlayerChange { members: members.into_iter().collect() };
    let player = Change { player: Some(player), ..Change::default() };
    let writes = [
        (Write::Create(typed.to_owned()), made),
        (Write::Change("p".into(), change(some.clone(), Some(some))), Written::Done),
        (Write::Change("p".into(), change(Vec::new(), None)), Written::Done),
        (Write::Change("p".into(), player), Written::Done),
        (Write::Delete(typed.into()), Written::Done),
    ];
    let mut deeds: Vec<Deed> = writes.iter().map(|(write, written)| projects::written(write, written)).collect();
    deeds.push(projects::duplicate(&typed.into(), typed, &"p".into(), Vec::new()));
    deeds.extend(ProjectFormat::ALL.iter().map(|format| projects::export(&typed.into(), "/tmp/x y", *format)));
    deeds
}

/// What saving a draft calls.
fn calls(typed: &str) -> Vec<Deed> {
    let text = || Some(typed.to_owned());
    let mut requests = vec![
        Request::CreateProject(api::CreateProject {
            project: api::NewProject { name: typed.to_owned(), ..api::NewProject::default() },
            ..api::CreateProject::default()
        }),
        Request::DeleteStep(api::DeleteStep { step_id: typed.into(), ..api::DeleteStep::default() }),
        Request::UpdateProject(api::UpdateProject {
            id: typed.into(),
            change: ProjectChange { name: text(), ..ProjectChange::default() },
        }),
    ];
    let product = StepProduct { store: "https://a.example".into(), product_id: "p-1".into(), ..StepProduct::default() };
    let second = StepProduct { variant_id: Some("v-1".into()), from: Some(Num(2.5)), ..product.clone() };
    let products = vec![product, second];
    for answers in answers(typed) {
        let step = api::NewStep {
            project_id: typed.into(),
            description: text(),
            overlay_text: text(),
            video_id: Some(typed.into()),
            answers: answers.clone(),
            products: Some(products.clone()),
            ..api::NewStep::default()
        };
        requests.push(Request::CreateStep(api::CreateStep { step, ..api::CreateStep::default() }));
        let change = StepChange {
            description: text(),
            answers,
            video_id: Some("".into()),
            products: Some(products.clone()),
            ..StepChange::default()
        };
        requests.push(Request::UpdateStep(api::UpdateStep { id: typed.into(), change }));
    }
    requests.iter().map(|request| called(request, Some(("id", "name")))).collect()
}

fn library() -> Vec<Deed> {
    let (video, webhook) = ("v".into(), "w".into());
    let mut deeds = vec![
        library::register("https://cdn.example/a.mp4", "", &video),
        library::register("https://cdn.example/a.mp4", "-x", &video),
        library::upload("/tmp/-x y.mp4".as_ref(), "v"),
        library::captions(&video, "de=/tmp/-x y.vtt"),
        library::remove_captions(&video, "pt-BR"),
        library::delete(&video),
        library::unsubscribe(&webhook),
        library::enable(&webhook),
        library::disable(&webhook),
        library::rotate(&webhook),
        library::ping(&webhook),
        library::redeliver(&webhook, "d"),
        library::secret(&webhook),
        library::listen(),
    ];
    let subscribed = |event| library::subscribe(event, "https://shop.example/hook", &webhook);
    deeds.extend(WebhookEvent::ALL.iter().map(subscribed));
    deeds
}

fn profiles() -> Vec<Deed> {
    let url = |text: &str| url::Url::parse(text).ok();
    let store = |name: Option<&str>| ProfileStore { url: "https://shop.example".into(), name: name.map(str::to_owned) };
    let whole = Profile {
        base_url: url("https://api.example"),
        lb_base_url: url("https://lb.example"),
        upload_url: url("https://up.example"),
        auth_url: url("https://auth.example"),
        app_url: Some("https://shop.example".into()),
        theme: Some("dusk".to_owned()),
        colour: Some("red".to_owned()),
        stores: vec![store(Some("My shop"))],
        read_only: true,
        live: true,
    };
    let nothing = Profile::default();
    let again = Profile { stores: vec![store(None)], live: false, read_only: false, ..whole.clone() };
    let mut deeds = vec![
        account::save("shop", None, &whole),
        account::save("shop", Some(&whole), &again),
        account::save("shop", Some(&whole), &nothing),
        account::rename("shop", "stall"),
        account::remove("shop"),
        account::set_default("shop"),
        account::sign_out("shop"),
    ];
    deeds
        .extend([Way::Key(ApiKey::new("")), Way::Device, Way::Browser].iter().map(|way| account::sign_in("shop", way)));
    deeds
}
