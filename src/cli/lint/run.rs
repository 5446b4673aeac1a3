//! One run of the lint: what is read, in which order, and what is reported.

use super::films::{self, Which};
use super::place::Place;
use super::report::Report;
use super::{products, wiring};
use crate::cli::Failure;
use crate::domain::StoreUrl;
use crate::lint::{Limits, Rule, Set};
use crate::runtime::connection::Connection;

/// What a run is to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Scope {
    /// Products, videos and every project.
    All,
    Products,
    /// The videos of the library.
    Videos,
    /// Videos in files.
    Files(Vec<String>),
    /// One project, by its id.
    Project(String),
}

/// All stores of a workspace, where they are known: of others than the local one only some are.
pub(super) fn stores(connection: &Connection) -> Option<&[StoreUrl]> {
    connection.workspace.as_ref().map(|_| connection.stores.as_slice())
}

fn has(limits: &Limits, set: Set) -> bool {
    Rule::all().any(|rule| rule.set() == set && limits.has(rule))
}

/// Whether rules over products are on.
fn of_products(scope: &Scope, limits: &Limits) -> bool {
    let is_on = |rule: Rule| (rule.is_of_products() || rule == Rule::LinkDead) && limits.has(rule);
    matches!(scope, Scope::All | Scope::Products) && Rule::all().any(is_on)
}

/// Whether rules over projects are on.
fn of_projects(scope: &Scope, limits: &Limits) -> bool {
    let has_faults = limits.faults.as_ref().is_some_and(|kinds| !kinds.is_empty());
    let is_any = has(limits, Set::Wiring) || has(limits, Set::Video) || has_faults;
    matches!(scope, Scope::All | Scope::Project(_)) && is_any
}

/// Whether a run can't do without a store. One project can be checked without: of its products nothing can be told then.
pub(super) fn needs_store(scope: &Scope, limits: &Limits) -> bool {
    let all_projects = *scope == Scope::All && of_projects(scope, limits);
    of_products(scope, limits) || (all_projects && has(limits, Set::Wiring))
}

/// Which rules a run looks for.
fn is_in(scope: &Scope, limits: &Limits, rule: Rule) -> bool {
    let set = rule.set();
    limits.has(rule)
        && match scope {
            Scope::All => true,
            Scope::Products => rule.is_of_products() || set == Set::Deep,
            Scope::Videos | Scope::Files(_) => set == Set::Video && rule != Rule::TooLong,
            Scope::Project(_) => matches!(set, Set::Video | Set::Wiring) && rule != Rule::BestSellerNowhere,
        }
}

/// Reads what is to be looked at, and reports.
pub(super) async fn run(
    place: &Place<'_>,
    scope: &Scope,
    (limits, deep): (&Limits, bool),
    report: &mut Report,
) -> Result<(), Failure> {
    report.scope(|rule| is_in(scope, limits, rule));
    if let Scope::Files(paths) = scope {
        return films::files(paths, limits, report).await;
    }
    let Place { client, store, asking, state, .. } = *place;
    let of_projects = of_projects(scope, limits);
    let is_wiring = of_projects && has(limits, Set::Wiring);
    let id = if let Scope::Project(id) = scope { Some(id.as_str()) } else { None };
    let projects = if of_projects { wiring::read(client, state, id).await? } else { Vec::new() };
    report.read(projects.len(), "projects");
    let films = if has(limits, Set::Video) && *scope != Scope::Products {
        let shown = wiring::videos(&projects);
        let which = if id.is_some() { Which::Of(&shown) } else { Which::All };
        Some(films::library((client, asking), which, (limits, deep), report).await?)
    } else {
        None
    };
    let mut catalog = store.filter(|_| is_wiring).map(|store| wiring::wants(&projects, place, store, limits));
    let checks = of_products(scope, limits);
    let wants = catalog.as_ref().filter(|_| !checks);
    let reads = match (wants, store) {
        (Some(catalog), Some(_)) if id.is_none() || deep => wiring::needs_catalog(catalog, id.is_none(), limits),
        // One project is not worth reading a large catalog, unless that is asked for.
        (Some(catalog), Some(store)) => {
            wiring::needs_catalog(catalog, false, limits) && products::are_few(client, store).await
        }
        _ => checks,
    };
    if let Some(store) = store.filter(|_| reads) {
        products::read((client, store), asking, (limits, checks), catalog.as_mut(), report).await?;
    }
    if let Some(catalog) = &mut catalog {
        wiring::ask(client, &mut catalog.shelf).await;
    }
    if of_projects {
        wiring::tell(&projects, catalog, films.as_ref(), (limits, id.is_none()), report)?;
    }
    Ok(())
}
