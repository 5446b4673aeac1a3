//! What a line of the list needs of a project.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::{Folder, FolderId, Project, cut, text};
use crate::studio::ground::{Moment, Waiting};
use crate::studio::widgets::time::moment_of;

/// The most of a name that is shown, characters.
const MOST_NAME: usize = 200;

/// A project as the list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// As it was read, without its steps.
    pub project: Arc<Project>,
    /// Its name, harmless; empty where it has none.
    pub name: Box<str>,
    /// Its name as it is compared.
    pub key: Box<str>,
    /// When it was changed last, else created.
    pub changed: Option<Moment>,
    /// Whether only a draft of it is here: the service lists no such project.
    pub unlisted: bool,
}

impl Row {
    /// The row of a project.
    #[must_use]
    pub fn of(project: Project) -> Self {
        let name = short(project.name.as_deref().unwrap_or_default());
        let changed = project.updated_at.as_deref().and_then(moment_of);
        let changed = changed.or_else(|| project.created_at.as_deref().and_then(moment_of));
        Self { key: text::natural(name.trim()).into(), name, changed, project: Arc::new(project), unlisted: false }
    }

    /// The row of a draft whose project the service does not list.
    #[must_use]
    pub fn of_draft(draft: &Waiting) -> Self {
        let project = Project { id: draft.project.clone(), name: Some(draft.name.clone()), ..Project::default() };
        Self { unlisted: true, ..Self::of(project) }
    }

    /// What it is called in sentences and lists.
    #[must_use]
    pub fn called(&self) -> &str {
        called(&self.name)
    }

    /// The folder it is in.
    #[must_use]
    pub fn folder(&self) -> Option<&FolderId> {
        self.project.folder.as_ref().filter(|folder| !folder.is_empty())
    }

    /// How many steps it has, where the service says so.
    #[must_use]
    pub fn steps(&self) -> Option<i64> {
        let counted = self.project.steps_count.as_ref().and_then(|count| count.whole());
        let ordered = || self.project.steps_order.as_ref().and_then(|order| i64::try_from(order.len()).ok());
        counted.or_else(ordered)
    }

    /// Its player's address.
    #[must_use]
    pub fn player(&self) -> Option<String> {
        player(&self.project)
    }
}

/// What a project of this harmless name is called.
pub(super) fn called(name: &str) -> &str {
    if name.trim().is_empty() { "(no name)" } else { name }
}

/// A player's address: in the field named after the service, whatever that is called (§2.7).
pub(super) fn player(project: &Project) -> Option<String> {
    let web = |text: &str| text.starts_with("https://") || text.starts_with("http://");
    let named = project.player_url.as_deref().filter(|url| web(url));
    let found = named.or_else(|| project.extra.values().filter_map(Value::as_str).find(|text| web(text)))?;
    Some(text::line(found).into_owned())
}

/// A folder as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderName {
    /// Which one.
    pub id: FolderId,
    /// Its name, harmless; its id where it has none.
    pub name: Box<str>,
}

impl FolderName {
    /// The folder's name.
    #[must_use]
    pub fn of(folder: &Folder) -> Self {
        let name = if folder.name.trim().is_empty() { folder.id.as_str() } else { &folder.name };
        Self { id: folder.id.clone(), name: short(name) }
    }
}

pub(super) fn short(text: &str) -> Box<str> {
    text::line(cut(text, MOST_NAME)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_not_made_up() {
        let row = Row::of(Project::default());
        assert_eq!((row.called(), row.steps(), row.player(), row.changed), ("(no name)", None, None, None));
    }

    #[test]
    fn the_player_is_found_whatever_its_field_is_called() {
        let mut project = Project { player_url: Some("javascript:alert(1)".to_owned()), ..Project::default() };
        project.extra.insert("shopvids".to_owned(), "https://play.example/\u{202e}p".into());
        assert_eq!(Row::of(project).player().as_deref(), Some("https://play.example/·p"));
    }
}
