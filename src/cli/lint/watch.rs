//! `cutaway lint --watch`: says when a product of a published project sells out, is hidden, or costs more than promised.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use url::Url;

use super::hook::Hook;
use super::records::Opened;
use super::{run, wiring};
use crate::api::{GetProject, ListProjects, ProductPage, SearchProducts};
use crate::cli::output::Output;
use crate::cli::{Failure, Session, session, telling};
use crate::client::Client;
use crate::domain::{
    FoundProduct, Include, PageSize, ProductId, ProductSearch, Project, SortBy, SortDirection, StoreUrl, json, text,
};
use crate::lint::{Happened, Shelf, Watching};

/// Products of the first page of a round.
const FEW: i64 = 25;

/// How to watch.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Keep running, and print when a product of a published project sells out, is hidden, or breaks a price promise
    #[arg(long = "watch", id = "watch", conflicts_with_all = ["sarif", "baseline", "deep", "set", "rule"])]
    pub(super) is_on: bool,
    /// Look for changes every N seconds
    #[arg(long, value_name = "N", default_value_t = 30, requires = "watch", value_parser = clap::value_parser!(u64).range(1..=86_400))]
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
    /// The state folder.
    state: Option<PathBuf>,
    store: StoreUrl,
    /// All stores of the workspace, where they are known.
    stores: Option<Vec<StoreUrl>>,
    /// The project that is watched; all that are published where there is none.
    only: Option<String>,
    projects: Vec<Opened>,
    /// When each project was changed, as its list says.
    changed: HashMap<String, Option<String>>,
    /// The content of those of which it doesn't.
    undated: BTreeMap<String, blake3::Hash>,
    /// Whether the service was seen to tell of a project that it is published.
    says: bool,
    stock: Shelf,
    /// The newest change of a product that was seen, and is not in the future.
    newest: Option<Timestamp>,
    /// The first products of the last round, as they were.
    first: HashMap<ProductId, blake3::Hash>,
    round: u64,
    /// Whether something changed since it was looked at.
    is_changed: bool,
}

impl Watch {
    pub(super) async fn run(&self, session: &Session, only: Option<String>, as_json: bool) -> Result<(), Failure> {
        let (connection, store) = session.connect_to_store().await?;
        let hook = self.webhook.clone().map(Hook::begin).transpose()?;
        let stores = run::stores(&connection).map(<[StoreUrl]>::to_vec);
        let state = session.folders.state().ok().map(Path::to_path_buf);
        let known = Known::begin(connection.client, state, (store, stores), only).await?;
        let ended = self.rounds(known, hook.as_ref(), as_json).await;
        if let Some(hook) = hook {
            hook.end().await;
        }
        ended
    }

    async fn rounds(&self, mut known: Known, hook: Option<&Hook>, as_json: bool) -> Result<(), Failure> {
        let mut watching = Watching::default();
        watching.look(known.projects.iter().map(|opened| &opened.wired), &known.stock);
        known.say_begun(&watching);
        let mut next = Instant::now();
        while self.rounds.is_none_or(|rounds| known.round < rounds) {
            next = (next + Duration::from_secs(self.every)).max(Instant::now());
            sleep_until(next).await;
            known.round += 1;
            let looked = known.look().await;
            if std::mem::take(&mut known.is_changed) {
                let projects = known.projects.iter().map(|opened| &opened.wired);
                for happened in watching.look(projects, &known.stock) {
                    let document = document(&happened, &known.store);
                    tell(&happened, &document, as_json)?;
                    if let Some(hook) = hook {
                        hook.send(document);
                    }
                }
            }
            match looked {
                Err(failure) if is_lasting(&failure) => return Err(failure),
                Err(failure) => session::warn(&format!("couldn't look for changes: {failure}; trying again")),
                Ok(()) => {}
            }
        }
        Ok(())
    }
}

impl Known {
    /// Reads what there is to watch.
    async fn begin(
        client: Client,
        state: Option<PathBuf>,
        (store, stores): (StoreUrl, Option<Vec<StoreUrl>>),
        only: Option<String>,
    ) -> Result<Self, Failure> {
        let mut known = Self {
            client,
            state,
            stock: Shelf::new(store.clone(), []),
            store,
            stores,
            only,
            projects: Vec::new(),
            changed: HashMap::new(),
            undated: BTreeMap::new(),
            says: false,
            newest: None,
            first: HashMap::new(),
            round: 0,
            is_changed: false,
        };
        // What changes while this is read is seen in the first round.
        known.products().await?;
        known.list().await?;
        known.fill().await;
        known.is_changed = false;
        Ok(known)
    }

    fn say_begun(&self, watching: &Watching) {
        let products = self.stock.ids().len() + self.stock.elsewhere().len();
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

    /// One round: two requests where nothing changed. What changed is kept, also where a part of it fails.
    async fn look(&mut self) -> Result<(), Failure> {
        let products = self.products().await;
        // The list of projects, what the order of changes can't show, and projects whose changes have no date take turns.
        let turns = if self.undated.is_empty() { 2 } else { 3 };
        let turn = self.round / turns;
        let rest = match self.round % turns {
            1 => self.list().await,
            0 => {
                self.one_more(turn).await;
                Ok(())
            }
            _ => self.one_undated(turn).await,
        };
        if self.is_changed {
            self.fill().await;
        }
        products.and(rest)
    }

    /// The products that changed since the last round, the newest change first. Dates in the future, and products without one,
    /// say nothing of what is new: where the first page has no other, one more is read.
    async fn products(&mut self) -> Result<(), Failure> {
        let now = Timestamp::now();
        let (mut cursor, mut newest, mut first) = (None, self.newest, HashMap::new());
        let mut followed = HashSet::new();
        loop {
            let page = self.page(cursor.as_ref()).await?;
            let is_first = cursor.is_none();
            for found in &page.products {
                if self.stock.is_news(found) {
                    self.stock.take(found);
                    self.is_changed = true;
                }
            }
            if is_first {
                first.extend(
                    page.products.iter().map(|found| (found.product.external_product_id.clone(), content(found))),
                );
            }
            let dates = page.products.iter().filter_map(changed_at).filter(|at| *at <= now);
            let last = dates.clone().next_back();
            newest = newest.max(dates.max());
            let goes_on = match (last, self.newest) {
                (Some(last), Some(known)) if last > known => true,
                // Some changed in the same moment as the newest that was seen.
                (Some(last), Some(known)) => last == known && is_first && first != self.first,
                (Some(_), None) => false,
                (None, _) => is_first,
            };
            cursor = page.next_cursor.filter(|cursor| !cursor.is_empty() && followed.insert(cursor.clone()));
            if !goes_on || cursor.is_none() || !page.has_more {
                break;
            }
        }
        (self.newest, self.first) = (newest, first);
        Ok(())
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

    /// The projects that changed, read again.
    async fn list(&mut self) -> Result<(), Failure> {
        let mut listed = self.client.call(&ListProjects).await?.value.projects;
        if let Some(only) = &self.only {
            listed.retain(|project| project.id.as_str() == only);
            if listed.is_empty() {
                return Err(Failure::NotFound(format!("there is no project {only:?}")));
            }
        } else {
            // A service that tells of no project that it is published publishes them all.
            self.says |= listed.iter().any(is_published);
            listed.retain(|project| !self.says || is_published(project));
        }
        let is_listed = |id: &str| listed.iter().any(|project| project.id.as_str() == id);
        let before = self.projects.len();
        self.projects.retain(|opened| is_listed(&opened.wired.id));
        self.changed.retain(|id, _| is_listed(id));
        self.undated.retain(|id, _| listed.iter().any(|one| one.id.as_str() == id && one.updated_at.is_none()));
        self.is_changed |= self.projects.len() != before;
        for project in listed {
            let id = project.id.as_str().to_owned();
            // One whose changes have no date is looked at in its turn.
            if self.changed.get(&id) == Some(&project.updated_at) {
                continue;
            }
            if project.updated_at.is_none() {
                // What changes while it is read is seen in its turn.
                if let Some(content) = self.content_of(&id).await? {
                    self.undated.insert(id.clone(), content);
                }
            }
            let read = match wiring::read(&self.client, self.state.as_deref(), Some(&id)).await {
                // It was deleted since it was listed.
                Err(failure) if failure.exit_code() == 4 && self.only.is_none() => Vec::new(),
                read => read?,
            };
            self.projects.retain(|opened| opened.wired.id != id);
            self.projects.extend(read);
            self.changed.insert(id, project.updated_at);
            self.is_changed = true;
        }
        Ok(())
    }

    /// Asks for one of the linked products, each in its turn: one that is deleted is in no list of changes.
    async fn one_more(&mut self, turn: u64) {
        let mut ids: Vec<ProductId> = self.stock.ids().into_iter().map(ProductId::from).collect();
        ids.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        // Of those of other stores no list tells what changed.
        let elsewhere = self.stock.elsewhere();
        let turn = usize::try_from(turn).unwrap_or_default();
        let Some(turn) = turn.checked_rem(ids.len() + elsewhere.len()) else { return };
        let Some(id) = ids.get(turn) else {
            let Some((store, id)) = elsewhere.get(turn - ids.len()) else { return };
            if let Ok(stocked) = wiring::stocked(&self.client, store, id).await {
                self.stock.put_elsewhere((store.clone(), id.clone()), stocked);
                self.is_changed = true;
            }
            return;
        };
        if let Ok(stocked) = wiring::stocked(&self.client, &self.store, id).await {
            self.stock.put(id.clone(), stocked);
            self.is_changed = true;
        }
    }

    /// Looks at one of the projects whose changes have no date, each in its turn, and reads it whole where it changed.
    async fn one_undated(&mut self, turn: u64) -> Result<(), Failure> {
        let turn = usize::try_from(turn).unwrap_or_default();
        let at = turn.checked_rem(self.undated.len());
        let Some((id, known)) = at.and_then(|at| self.undated.iter().nth(at)).map(|(id, known)| (id.clone(), *known))
        else {
            return Ok(());
        };
        let content = self.content_of(&id).await?;
        if content == Some(known) {
            return Ok(());
        }
        // One that is gone is not in the next list.
        let Some(content) = content else { return Ok(()) };
        let read = wiring::read(&self.client, self.state.as_deref(), Some(&id)).await?;
        self.projects.retain(|opened| opened.wired.id != id);
        self.projects.extend(read);
        self.undated.insert(id, content);
        self.is_changed = true;
        Ok(())
    }

    /// All that the service says of a project; nothing where it is gone.
    async fn content_of(&self, id: &str) -> Result<Option<blake3::Hash>, Failure> {
        match self.client.call(&GetProject { id: id.into() }).await {
            Ok(answer) => Ok(Some(blake3::hash(&answer.body))),
            Err(error) if error.status() == Some(404) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Links that are new are looked up; what is known of the others stays.
    async fn fill(&mut self) {
        let mut stock = Shelf::new(self.store.clone(), wiring::links(&self.projects));
        if let Some(stores) = &self.stores {
            stock = stock.among(stores);
        }
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
fn content(found: &FoundProduct) -> blake3::Hash {
    blake3::hash(serde_json::to_string(found).unwrap_or_default().as_bytes())
}

/// When a product changed at the shop.
fn changed_at(found: &FoundProduct) -> Option<Timestamp> {
    found.product.provider_updated_at.as_deref()?.trim().parse().ok()
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
        "reach": problem.reach.map(super::line::reach_of),
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
