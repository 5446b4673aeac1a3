//! Ids and names that commands saw last, kept for completions: a small file a workspace, in the state folder. Without it
//! nothing is lost, so whatever goes wrong with it is passed over.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap_complete::CompletionCandidate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::surroundings::{config, environment};
use crate::api::{
    GetProduct, GetProject, ListFolders, ListProjects, ListVideos, ListWebhooks, Operation, SearchProducts,
};
use crate::client::json;
use crate::domain::wire::Redaction;
use crate::domain::{SortBy, WebhookEvent, text};
use crate::settings::{Credentials, Flags, Folders, LOCAL_PROFILE, Place, THEMES, Target, read_bounded};

/// Names of a kind kept at most.
const MOST: usize = 2_000;
/// A larger file is none that was written here, bytes.
const MOST_BYTES: u64 = 16 << 20;

/// What is kept of a workspace: names by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Names {
    projects: BTreeMap<String, String>,
    steps: BTreeMap<String, String>,
    folders: BTreeMap<String, String>,
    videos: BTreeMap<String, String>,
    webhooks: BTreeMap<String, String>,
    stores: BTreeMap<String, String>,
    products: BTreeMap<String, String>,
    product_types: BTreeMap<String, String>,
    tags: BTreeMap<String, String>,
}

fn file(folders: &Folders, target: &Target) -> Option<PathBuf> {
    let place = match &target.place {
        Place::Local => LOCAL_PROFILE.to_owned(),
        Place::Remote(hosts) => hosts.base.to_string(),
    };
    let digest: [u8; 32] = Sha256::digest(place.as_bytes()).into();
    let name = digest.iter().take(8).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    });
    Some(folders.state().ok()?.join("completions").join(format!("{name}.json")))
}

fn load(file: &Path) -> Names {
    read_bounded(file, MOST_BYTES).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn save(file: &PathBuf, names: &Names) -> Option<()> {
    let folder = file.parent()?;
    let mut making = std::fs::DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder).ok()?;
    let mut whole = tempfile::NamedTempFile::new_in(folder).ok()?;
    whole.write_all(&serde_json::to_vec(names).ok()?).ok()?;
    whole.persist(file).ok().map(|_| ())
}

/// Keeps what an answer of this operation names.
pub(super) fn keep<O: Naming>(folders: &Folders, target: &Target, body: &[u8]) {
    let Ok(body) = json::read(body) else { return };
    change(folders, target, |names| O::see(names, &body));
}

/// Keeps the addresses of stores, but for those that hold a password or a key.
pub(super) fn keep_stores<'a>(folders: &Folders, target: &Target, stores: impl Iterator<Item = &'a str>) {
    let plain = |store: &&str| Redaction::default().text(store) == *store;
    let stores = stores.filter(plain);
    change(folders, target, |names| names.stores = stores.map(|store| (store.to_owned(), String::new())).collect());
}

fn change(folders: &Folders, target: &Target, change: impl FnOnce(&mut Names)) {
    let Some(file) = file(folders, target) else { return };
    let before = load(&file);
    let mut names = before.clone();
    change(&mut names);
    if names != before {
        let _ = save(&file, &names);
    }
}

/// Ids and names of a list's entries.
fn entries(list: Option<&Value>, name: impl Fn(&Value) -> String) -> BTreeMap<String, String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|entry| Some((entry.get("id")?.as_str()?.to_owned(), name(entry)))).take(MOST).collect()
}

fn words(entry: &Value, members: &[&str]) -> String {
    let texts = members.iter().filter_map(|member| entry.get(member)?.as_str()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(" · ")
}

/// An operation whose answer names things that a command line may name.
pub(super) trait Naming: Operation {
    /// Keeps what its answer names.
    fn see(names: &mut Names, body: &Value);
}

macro_rules! naming {
    ($( $operation:ident($names:ident, $body:ident) $see:block )*) => { $(
        impl Naming for $operation {
            fn see($names: &mut Names, $body: &Value) $see
        }
    )* };
}

fn name(entry: &Value) -> String {
    words(entry, &["name"])
}

naming! {
    ListProjects(names, body) { names.projects = entries(body.get("projects"), name); }
    ListFolders(names, body) { names.folders = entries(body.get("folders"), name); }
    ListVideos(names, body) { names.videos = entries(body.get("videos"), name); }
    ListWebhooks(names, body) { names.webhooks = entries(Some(body), |webhook| words(webhook, &["event", "url"])); }
    GetProject(names, body) {
        let steps = body.get("steps").or_else(|| body.get("project")?.get("steps"));
        let seen = entries(steps, |step| words(step, &["name", "overlayText"]));
        if names.steps.len() + seen.len() > MOST {
            names.steps.clear();
        }
        names.steps.extend(seen);
    }
    SearchProducts(names, body) {
        let products = body.get("products").and_then(Value::as_array);
        products.into_iter().flatten().for_each(|product| names.see_product(product));
    }
    GetProduct(names, body) { body.get("product").into_iter().for_each(|product| names.see_product(product)); }
}

impl Names {
    /// No answer lists all products: what was seen adds up, until it is too much.
    fn see_product(&mut self, product: &Value) {
        let text = |member: &str| product.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(id) = text("externalProductId") {
            add(&mut self.products, id, text("title").unwrap_or_default());
        }
        if let Some(kind) = text("productType") {
            add(&mut self.product_types, kind, "");
        }
        let tags = product.get("tags").and_then(Value::as_array).into_iter().flatten();
        tags.filter_map(Value::as_str).for_each(|tag| add(&mut self.tags, tag, ""));
    }
}

fn add(names: &mut BTreeMap<String, String>, id: &str, name: &str) {
    if names.len() >= MOST && !names.contains_key(id) {
        names.clear();
    }
    names.insert(id.to_owned(), name.to_owned());
}

/// The names of the place that the command line being typed is about.
fn known() -> (Names, Vec<String>) {
    let Ok(environment) = environment() else { return Default::default() };
    let folders = Folders::find(&environment);
    let config = config(&folders);
    let mut profiles: Vec<String> = config.profiles.keys().cloned().collect();
    profiles.push(LOCAL_PROFILE.to_owned());
    let given = super::completions::words();
    let flag = |name: &str| {
        let tied = |word: &String| Some(word.strip_prefix(name)?.strip_prefix('=')?.to_owned());
        let apart = || given.get(given.iter().position(|argument| argument == name)? + 1).cloned();
        given.iter().find_map(tied).or_else(apart)
    };
    let flags = Flags { profile: flag("--profile"), base_url: flag("--base-url"), ..Flags::default() };
    let target = Target::resolve(&flags, &environment, &config, &Credentials::default()).ok();
    let names = target.and_then(|target| Some(load(&file(&folders, &target)?))).unwrap_or_default();
    (names, profiles)
}

/// Candidates whose id or name begins with what was typed so far.
fn beginning(typed: &OsStr, names: &BTreeMap<String, String>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy().to_lowercase();
    let fits = |text: &str| text.to_lowercase().starts_with(&typed);
    // What begins like a flag would be one: a service does not choose the flags of a command.
    let fitting = names.iter().filter(|(id, name)| !id.starts_with('-') && (fits(id) || fits(name)));
    fitting
        .map(|(id, name)| {
            let help = (!name.is_empty()).then(|| text::line(name).into_owned().into());
            CompletionCandidate::new(text::line(id).into_owned()).help(help)
        })
        .collect()
}

/// Projects.
pub(super) fn projects(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.projects)
}

/// Steps of the projects that were shown.
pub(super) fn steps(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.steps)
}

/// Folders of projects.
pub(super) fn folders(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.folders)
}

/// Videos of the library.
pub(super) fn videos(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.videos)
}

/// Subscriptions.
pub(super) fn webhooks(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.webhooks)
}

/// Products that were found.
pub(super) fn products(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.products)
}

/// The types of products that were found.
pub(super) fn product_types(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.product_types)
}

/// The tags of products that were found.
pub(super) fn tags(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.tags)
}

/// What products can be sorted by.
pub(super) fn sorts(typed: &OsStr) -> Vec<CompletionCandidate> {
    of_words(typed, SortBy::ALL.iter().map(SortBy::as_str))
}

/// Events that can be subscribed to.
pub(super) fn events(typed: &OsStr) -> Vec<CompletionCandidate> {
    of_words(typed, WebhookEvent::ALL.iter().map(WebhookEvent::as_str))
}

/// Stores.
pub(super) fn stores(typed: &OsStr) -> Vec<CompletionCandidate> {
    beginning(typed, &known().0.stores)
}

/// Profiles of the configuration.
pub(super) fn profiles(typed: &OsStr) -> Vec<CompletionCandidate> {
    let profiles = known().1.into_iter().map(|profile| (profile, String::new())).collect();
    beginning(typed, &profiles)
}

/// Themes that Cutaway brings.
pub(super) fn themes(typed: &OsStr) -> Vec<CompletionCandidate> {
    of_words(typed, THEMES.iter().map(|(name, _)| *name))
}

fn of_words<'a>(typed: &OsStr, words: impl Iterator<Item = &'a str>) -> Vec<CompletionCandidate> {
    beginning(typed, &words.map(|word| (word.to_owned(), String::new())).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_and_names_are_seen_and_found() {
        let mut names = Names::default();
        ListProjects::see(
            &mut names,
            &json!({ "projects": [{ "id": "a1", "name": "Gift \u{1b}[2J" }, { "name": "no id" }] }),
        );
        GetProject::see(&mut names, &json!({ "steps": [{ "id": "s1", "name": "aB3dE", "overlayText": "Hello" }] }));
        ListWebhooks::see(&mut names, &json!([{ "id": "w1", "event": "conversion", "url": "https://x.example" }]));
        assert_eq!((names.projects.len(), names.steps["s1"].as_str()), (1, "aB3dE · Hello"));
        let found = |typed: &str, names: &BTreeMap<String, String>| -> Vec<String> {
            let found = beginning(OsStr::new(typed), names);
            assert!(found.iter().all(|one| !format!("{:?}", one.get_help()).contains("\\u{1b}[")));
            found.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(found("gif", &names.projects), ["a1"]);
        assert_eq!(found("A", &names.projects), ["a1"]);
        assert_eq!(found("", &names.webhooks), ["w1"]);
        assert!(found("x", &names.projects).is_empty());
        SearchProducts::see(
            &mut names,
            &json!({ "products": [
                { "externalProductId": "1", "title": "Wool sock", "productType": "Socks", "tags": ["winter", 3] },
                { "externalProductId": "", "tags": null }, "no product",
            ] }),
        );
        GetProduct::see(&mut names, &json!({ "product": null }));
        GetProduct::see(
            &mut names,
            &json!({ "product": { "externalProductId": "2", "title": "Hat", "tags": ["new"] } }),
        );
        assert_eq!(
            (found("wool", &names.products), found("", &names.products)),
            (vec!["1".into()], vec!["1".into(), "2".into()])
        );
        assert_eq!(
            (found("", &names.tags), found("so", &names.product_types)),
            (vec!["new".into(), "winter".into()], vec!["Socks".into()])
        );
        for nth in 0..=MOST {
            add(&mut names.products, &format!("id {nth}"), "");
        }
        assert!(names.products.len() <= MOST);
        let again: Names = serde_json::from_str(&serde_json::to_string(&names).unwrap()).unwrap();
        assert_eq!(again, names);
    }
}
