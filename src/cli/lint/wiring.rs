//! What is wrong with projects: their steps, as `projects check` finds it, and what they offer.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::line::Line;
use super::place::Place;
use super::records::{Catalog, Opened};
use super::report::Report;
use crate::api::{GetFunnel, GetProduct, ListProjects, ProjectFunnel};
use crate::cli::projects::check;
use crate::cli::{Failure, session};
use crate::client::{Client, ClientError};
use crate::domain::{ProductId, StepProduct, StoreUrl, VideoId};
use crate::lint::{Films, Limits, Named, Problem, Reaches, Rule, Sellers, Shelf, Stocked, Wired, Wiring};
use crate::runtime::kept_visits::{self, NoFunnel};

/// The folder of events that were kept, in the state folder.
const KEPT: &str = "visits";

/// Reads projects: one, or all.
pub(super) async fn read(client: &Client, state: Option<&Path>, id: Option<&str>) -> Result<Vec<Opened>, Failure> {
    let ids = if let Some(id) = id {
        vec![id.to_owned()]
    } else {
        let projects = client.call(&ListProjects).await?.value.projects;
        projects.into_iter().map(|project| project.id.as_str().to_owned()).collect()
    };
    let mut all = Vec::new();
    let mut counts = true;
    for id in ids {
        let (answer, graph, faults) = check::check(client, &id).await?;
        let funnel = match if counts { funnel(client, &id, &mut counts).await } else { None } {
            None if !counts => kept_here(client, state, &id).await,
            funnel => funnel,
        };
        let name = answer.value.project.name.unwrap_or_default();
        let reaches = Reaches::of(&graph, funnel.as_ref());
        let sold = funnel.and_then(|funnel| funnel.sold).unwrap_or_default();
        all.push(Opened { wired: Wired { id, name, graph: Arc::new(graph), reaches }, faults, sold });
    }
    Ok(all)
}

/// What viewers of a project did, where the service counts that; else it `counts` none.
async fn funnel(client: &Client, id: &str, counts: &mut bool) -> Option<ProjectFunnel> {
    let ask = GetFunnel { id: id.into(), since: None, until: None };
    match client.call(&ask).await {
        Ok(answer) => return Some(answer.value),
        Err(error) if matches!(error.status(), Some(404 | 405 | 501)) => *counts = false,
        Err(error) => session::warn(&format!("couldn't read the visits of {id}, so its paths are counted: {error}")),
    }
    None
}

/// The same of a service that doesn't count: of the events that were kept on this computer, as `projects funnel` has it.
async fn kept_here(client: &Client, state: Option<&Path>, id: &str) -> Option<ProjectFunnel> {
    // Where nothing was ever kept, no project is read a second time for it.
    let state = state.filter(|state| state.join(KEPT).is_dir())?;
    let ask = GetFunnel { id: id.into(), since: None, until: None };
    match Box::pin(kept_visits::funnel(client, state, &ask)).await {
        Ok((funnel, _)) => Some(funnel),
        Err(NoFunnel::Nothing) => None,
        Err(error) => {
            session::warn(&format!("couldn't read the visits of {id}, so its paths are counted: {error}"));
            None
        }
    }
}

/// The products that the steps of projects link to.
pub(super) fn links(projects: &[Opened]) -> impl Iterator<Item = &StepProduct> {
    projects.iter().flat_map(|opened| opened.wired.graph.nodes()).flat_map(|node| &node.products)
}

/// The videos that the steps of projects show.
pub(super) fn videos(projects: &[Opened]) -> HashSet<VideoId> {
    let nodes = projects.iter().flat_map(|opened| opened.wired.graph.nodes());
    nodes.filter_map(|node| node.video.clone()).collect()
}

/// What the rules over projects want of the catalog, while it is read.
pub(super) fn wants(projects: &[Opened], place: &Place<'_>, store: &StoreUrl, limits: &Limits) -> Catalog {
    let shelf = Shelf::new(store.clone(), links(projects));
    Catalog {
        shelf: if let Some(stores) = place.stores { shelf.among(stores) } else { shelf },
        named: Named::new(projects.iter().map(|opened| &opened.wired)),
        sellers: Sellers::new(limits.best_sellers, projects.iter().flat_map(|opened| &opened.sold)),
        is_read: false,
    }
}

/// Asks for the products that the steps link to and that nothing is known of, each in its store.
pub(super) async fn ask(client: &Client, stock: &mut Shelf) {
    for id in stock.missing() {
        match stocked(client, stock.store(), &id).await {
            Ok(stocked) => stock.put(id, stocked),
            Err(error) => session::warn(&format!("couldn't check product {id}: {error}")),
        }
    }
    for (store, id) in stock.missing_elsewhere() {
        match stocked(client, &store, &id).await {
            Ok(stocked) => stock.put_elsewhere((store, id), stocked),
            Err(error) => session::warn(&format!("couldn't check product {id} of {store}: {error}")),
        }
    }
}

/// What the service says of a product. Some services have a 404 for one that is gone.
pub(super) async fn stocked(client: &Client, store: &StoreUrl, id: &ProductId) -> Result<Stocked, ClientError> {
    let operation = GetProduct { app_url: store.clone(), product_id: id.clone(), ..GetProduct::default() };
    match client.call(&operation).await {
        Ok(answer) => Ok(Stocked::of(answer.value.product)),
        Err(error) if error.status() == Some(404) => Ok(Stocked::Gone),
        Err(error) if error.is_unknown_store() => Ok(Stocked::Elsewhere),
        Err(error) => Err(error),
    }
}

/// Tells all that is wrong with projects, what most meet first.
pub(super) fn tell(
    projects: &[Opened],
    catalog: Option<Catalog>,
    films: Option<&Films>,
    (limits, is_whole): (&Limits, bool),
    report: &mut Report,
) -> Result<(), Failure> {
    let mut wiring = Wiring::new(limits.clone());
    let mut problems: Vec<Problem> = Vec::new();
    // Without a store nothing is known of any product.
    let nothing = Shelf::default();
    for opened in projects {
        let shelf = catalog.as_ref().map_or(&nothing, |catalog| &catalog.shelf);
        problems.extend(wiring.project(&opened.wired, shelf));
        if let Some(films) = films {
            problems.extend(wiring.films(&opened.wired, films));
        }
    }
    if let Some(catalog) = catalog {
        if catalog.is_read {
            problems.extend(catalog.named.end(&mut wiring));
            if is_whole {
                let all = projects.iter().map(|opened| &opened.wired);
                problems.extend(catalog.sellers.end(all, &mut wiring));
            }
        } else {
            catalog.named.untold(&mut wiring);
        }
    } else {
        Named::new(projects.iter().map(|opened| &opened.wired)).untold(&mut wiring);
    }
    let mut lines: Vec<Line> = problems.iter().map(Line::of).collect();
    for opened in projects {
        let faults = opened.faults.iter().filter(|fault| limits.has_fault(fault.kind));
        lines.extend(faults.map(|fault| Line::of_fault(opened, fault)));
    }
    let share = |line: &Line| line.reach.map_or(0.0, |reach| reach.share);
    lines.sort_by(|one, other| share(other).total_cmp(&share(one)).then(other.severity.cmp(&one.severity)));
    for line in &lines {
        report.take(line)?;
    }
    report.checked(wiring.tally());
    Ok(())
}

/// Whether the catalog has to be read for the rules over projects; `is_whole` where all of them are checked.
pub(super) fn needs_catalog(catalog: &Catalog, is_whole: bool, limits: &Limits) -> bool {
    let is_named = limits.has(Rule::TextNamesGone) && !catalog.named.is_empty();
    is_named || (is_whole && limits.has(Rule::BestSellerNowhere))
}
