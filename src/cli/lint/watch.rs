//! `cutaway lint --watch`: says when a product of a published project sells out, is hidden, or costs more than promised.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use color_eyre::eyre::eyre;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use url::Url;

use super::records::Opened;
use super::wiring;
use crate::api::{GetProduct, ListProjects, ProductPage, SearchProducts};
use crate::cli::output::Output;
use crate::cli::{Failure, Session, session, telling};
use crate::client::Client;
use crate::domain::{
    FoundProduct, Include, PageSize, ProductId, ProductSearch, Project, SortBy, SortDirection, StoreUrl, json, text,
};
use crate::lint::{Happened, Shelf, Stocked, Watching};

/// Products of the first page of a round.
const FEW: i64 = 25;

/// How long a webhook may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Times that a webhook is tried.
const TRIES: u32 = 3;

/// How to watch.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Keep running, and print when a product of a published project sells out, is hidden, or breaks a price promise
    #[arg(long = "watch", id = "watch", conflicts_with_all = ["sarif", "baseline", "deep"])]
    pub(super) is_on: bool,
    /// Look for changes every N seconds
    #[arg(long, value_name = "N", default_value_t = 30, requires = "watch", value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Stop after looking N times
    #[arg(long, value_name = "N", requires = "watch")]
    rounds: Option<u64>,
    /// Also send each change to this address, as JSON by POST
    #[arg(long, value_name = "URL", requires = "watch")]
    webhook: Option<Url>,
}

/// What is known so far.
struct Known {
    client: Client,
    store: StoreUrl,
    /// The project that is watched; all that are published where there is none.
    only: Option<String>,
    projects: Vec<Opened>,
    /// When each project was changed, as its list says.
    changed: HashMap<String, Option<String>>,
    stock: Shelf,
    /// The newest change of a product that was seen.
    newest: Option<String>,
    /// The products that were changed just then, as they were.
    last: HashMap<ProductId, String>,
    round: u64,
}

impl Watch {
    pub(super) async fn run(&self, session: &Session, only: Option<String>, as_json: bool) -> Result<(), Failure> {
        let (connection, store) = session.connect_to_store().await?;
        let hook = self.webhook.clone().map(Hook::new).transpose()?;
        let mut known = Known::begin(connection.client, store, only).await?;
        let mut watching = Watching::default();
        watching.look(known.projects.iter().map(|opened| &opened.wired), &known.stock);
        known.say_begun(&watching);
        let mut next = Instant::now();
        while self.rounds.is_none_or(|rounds| known.round < rounds) {
            next = (next + Duration::from_secs(self.every)).max(Instant::now());
            sleep_until(next).await;
            known.round += 1;
            match known.look().await {
                Ok(false) => {}
                Ok(true) => {
                    let projects = known.projects.iter().map(|opened| &opened.wired);
                    for happened in watching.look(projects, &known.stock) {
                        let document = document(&happened, &known.store);
                        tell(&happened, &document, as_json)?;
                        if let Some(hook) = &hook {
                            hook.send(&document).await;
                        }
                    }
                }
                Err(failure) if is_lasting(&failure) => return Err(failure),
                Err(failure) => session::warn(&format!("couldn't look for changes: {failure}; trying again")),
            }
        }
        Ok(())
    }
}

impl Known {
    /// Reads what there is to watch.
    async fn begin(client: Client, store: StoreUrl, only: Option<String>) -> Result<Self, Failure> {
        let stock = Shelf::new(store.clone(), []);
        let (projects, changed, last) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut known = Self { client, store, only, projects, changed, stock, newest: None, last, round: 0 };
        // What changes while this is read is seen in the first round.
        let page = known.page(None).await?;
        known.note(&page.products);
        known.list().await?;
        known.fill().await;
        Ok(known)
    }

    fn say_begun(&self, watching: &Watching) {
        let products = self.stock.ids().len();
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        telling::hint(&format!(
            "cutaway: watching {} of {}; {} now. Ctrl-C stops",
            count(products, "product"),
            count(self.projects.len(), "published project"),
            count(watching.count(), "problem"),
        ));
    }

    /// One round: two requests where nothing changed. Whether something did.
    async fn look(&mut self) -> Result<bool, Failure> {
        let mut changed = self.products().await?;
        // The list of projects, and what the order of changes can't show, take turns.
        changed |= if self.round.is_multiple_of(2) { self.one_more().await } else { self.list().await? };
        if changed {
            self.fill().await;
        }
        Ok(changed)
    }

    /// The products that changed since the last round, the newest change first.
    async fn products(&mut self) -> Result<bool, Failure> {
        let (mut cursor, mut changed, mut fresh) = (None, false, Vec::new());
        let mut followed = HashSet::new();
        loop {
            let page = self.page(cursor.as_ref()).await?;
            let is_new = |found: &FoundProduct| self.is_new(found);
            let new = page.products.iter().take_while(|found| is_new(found) || self.is_last(found));
            let new: Vec<FoundProduct> = new.cloned().collect();
            let all = new.len() == page.products.len() && !new.is_empty();
            fresh.extend(new);
            cursor = page.next_cursor.filter(|cursor| !cursor.is_empty() && followed.insert(cursor.clone()));
            if !all || cursor.is_none() || !page.has_more {
                break;
            }
        }
        let new: Vec<&FoundProduct> = fresh.iter().filter(|found| self.is_new(found)).collect();
        for found in new {
            changed |= self.stock.ids().contains(found.product.external_product_id.as_str());
            self.stock.take(found);
        }
        self.note(&fresh);
        Ok(changed)
    }

    async fn page(&self, cursor: Option<&crate::domain::Cursor>) -> Result<ProductPage, Failure> {
        let size = if cursor.is_none() { FEW } else { 500 };
        let search = ProductSearch {
            app_url: self.store.clone(),
            limit: PageSize::new(size).ok(),
            cursor: cursor.cloned(),
            include: Some(Include { media: Some(true), variants: Some(true), ..Include::default() }),
            sort_by: Some(SortBy::ProviderUpdatedAt),
            sort_direction: Some(SortDirection::Desc),
            ..ProductSearch::default()
        };
        Ok(self.client.call(&SearchProducts(search)).await?.value)
    }

    /// Whether a product changed since the last round.
    fn is_new(&self, found: &FoundProduct) -> bool {
        let at = found.product.provider_updated_at.as_ref();
        match (at, &self.newest) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(at), Some(newest)) if at == newest => {
                self.last.get(&found.product.external_product_id) != Some(&content(found))
            }
            (Some(at), Some(newest)) => is_later(at, newest),
        }
    }

    /// Whether it is as new as the newest of the last round.
    fn is_last(&self, found: &FoundProduct) -> bool {
        found.product.provider_updated_at.is_some() && found.product.provider_updated_at == self.newest
    }

    /// Notes what is the newest by now.
    fn note(&mut self, products: &[FoundProduct]) {
        let newest = products.first().and_then(|found| found.product.provider_updated_at.clone());
        let Some(newest) = newest else { return };
        if self.newest.as_ref() != Some(&newest) {
            self.last.clear();
        }
        let of = products.iter().filter(|found| found.product.provider_updated_at.as_ref() == Some(&newest));
        self.last.extend(of.map(|found| (found.product.external_product_id.clone(), content(found))));
        self.newest = Some(newest);
    }

    /// The projects that changed, read again. Whether there are any.
    async fn list(&mut self) -> Result<bool, Failure> {
        let mut listed = self.client.call(&ListProjects).await?.value.projects;
        if let Some(only) = &self.only {
            listed.retain(|project| project.id.as_str() == only);
            if listed.is_empty() {
                return Err(Failure::NotFound(format!("there is no project {only:?}")));
            }
        } else {
            // A service that tells of no project that it is published publishes them all.
            let says = listed.iter().any(is_published);
            listed.retain(|project| !says || is_published(project));
        }
        let before = self.projects.len();
        self.projects.retain(|opened| listed.iter().any(|project| project.id.as_str() == opened.wired.id));
        let mut changed = self.projects.len() != before;
        for project in listed {
            let id = project.id.as_str().to_owned();
            if self.changed.get(&id).is_some_and(|known| *known == project.updated_at) {
                continue;
            }
            let read = wiring::read(&self.client, Some(&id)).await?;
            self.projects.retain(|opened| opened.wired.id != id);
            self.projects.extend(read);
            self.changed.insert(id, project.updated_at);
            changed = true;
        }
        Ok(changed)
    }

    /// Asks for one of the linked products, each in its turn: one that is deleted is in no list of changes.
    async fn one_more(&mut self) -> bool {
        let mut ids: Vec<String> = self.stock.ids().into_iter().map(str::to_owned).collect();
        ids.sort();
        let turn = usize::try_from(self.round / 2).unwrap_or_default();
        let Some(id) = turn.checked_rem(ids.len()).and_then(|turn| ids.get(turn)) else { return false };
        let operation =
            GetProduct { app_url: self.store.clone(), product_id: id.as_str().into(), ..GetProduct::default() };
        match self.client.call(&operation).await {
            Ok(answer) => {
                self.stock.put(id.as_str().into(), Stocked::of(answer.value.product));
                true
            }
            Err(_) => false,
        }
    }

    /// Links that are new are looked up; what is known of the others stays.
    async fn fill(&mut self) {
        let mut stock = Shelf::new(self.store.clone(), wiring::links(&self.projects));
        stock.keep(&self.stock);
        wiring::ask(&self.client, &mut stock).await;
        self.stock = stock;
    }
}

/// Whether looking again won't help.
fn is_lasting(failure: &Failure) -> bool {
    matches!(failure.exit_code(), 2..=4) || matches!(failure, Failure::Output(_))
}

fn is_published(project: &Project) -> bool {
    project.publish_id.as_deref().is_some_and(|id| !id.trim().is_empty())
}

/// All of a product, to tell whether it changed.
fn content(found: &FoundProduct) -> String {
    blake3::hash(serde_json::to_string(found).unwrap_or_default().as_bytes()).to_hex().to_string()
}

fn is_later(at: &str, other: &str) -> bool {
    match (at.parse::<Timestamp>(), other.parse::<Timestamp>()) {
        (Ok(at), Ok(other)) => at > other,
        _ => at > other,
    }
}

/// What happened, as it is sent and printed with `--json`.
fn document(happened: &Happened, store: &StoreUrl) -> Value {
    let problem = &happened.problem;
    json!({
        "at": Timestamp::now().to_string(),
        "event": happened.word(),
        "state": if happened.is_over { "over" } else { "begun" },
        "rule": problem.rule.id(),
        "severity": problem.severity().word(),
        "sentence": problem.sentence,
        "store": store.as_str(),
        "project": { "id": problem.record.id() },
        "step": problem.record.step(),
        "field": problem.field,
        "reach": problem.reach.map(|reach| json!({ "share": reach.share, "of": reach.of.word() })),
    })
}

fn tell(happened: &Happened, document: &Value, as_json: bool) -> Result<(), Failure> {
    let mut out = Output::open();
    if as_json {
        json::escape_on_one_line(&document.to_string(), &mut out)?;
        out.write_all(b"\n")?;
    } else {
        let problem = &happened.problem;
        let title = problem.record.title().unwrap_or_default();
        let reach = problem.reach.map(|reach| format!(" ({})", reach.told())).unwrap_or_default();
        let over = if happened.is_over { "no longer: " } else { "" };
        let line = format!("{} {title}: {over}{}{reach}", happened.word(), problem.sentence);
        writeln!(out, "{}", text::line(&line))?;
    }
    Ok(out.flush()?)
}

/// Where changes are sent.
struct Hook {
    url: Url,
    client: reqwest::Client,
}

impl Hook {
    fn new(url: Url) -> Result<Self, Failure> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Failure::Usage("--webhook must be an http or https address".to_owned()));
        }
        let client = reqwest::Client::builder()
            .user_agent(concat!("cutaway/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE);
        let client = client.build().map_err(|error| Failure::Other(eyre!("--webhook: {error}")))?;
        Ok(Self { url, client })
    }

    /// Sends a change; one that nobody takes is told, and the watch goes on.
    async fn send(&self, document: &Value) {
        let mut said = String::new();
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(Duration::from_secs(1 << attempt)).await;
            }
            match self.client.post(self.url.clone()).json(document).send().await {
                Ok(response) if response.status().is_success() => return,
                Ok(response) => said = format!("it answered {}", response.status()),
                Err(error) => said = error.without_url().to_string(),
            }
        }
        session::warn(&format!("couldn't deliver a change to the webhook: {said}"));
    }
}
