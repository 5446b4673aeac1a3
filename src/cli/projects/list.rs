//! `cutaway projects list`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::api::{ListFolders, ListProjects};
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session, names, session, times};
use crate::client::{Client, json};
use crate::domain::{Folder, FolderId, Num, Project, ProjectId};

/// List projects.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects list
  cutaway projects list --folder Service --json")]
pub(super) struct List {
    /// Only projects in the folder with this ID or name; '' for those in no folder
    #[arg(long, value_name = "F", add = ArgValueCompleter::new(names::folders))]
    folder: Option<String>,
    /// Print the service's response as JSON, reduced to these projects
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        if self.json {
            let wanted = match &self.folder {
                Some(folder) => Some(wanted(folder, &client.call(&ListFolders).await?.value.folders)?),
                None => None,
            };
            let mut answer = client.call_raw(&ListProjects).await?;
            session.keep_names::<ListProjects>(&answer.body);
            if let Some(wanted) = wanted {
                let mut body = json::read(&answer.body).map_err(|what| unreadable(&answer, what))?;
                if let Some(projects) = body.get_mut("projects").and_then(Value::as_array_mut) {
                    projects.retain(|project| is_in(project.get("folder").and_then(Value::as_str), wanted.as_ref()));
                }
                answer.body = body.to_string().into();
            }
            return Output::open().document(&answer);
        }
        let folders = self.folders(&client).await?;
        let wanted = self.folder.as_deref().map(|folder| wanted(folder, &folders)).transpose()?;
        let answer = client.call(&ListProjects).await?;
        session.keep_names::<ListProjects>(&answer.body);
        let raw = given(&answer);
        let projects = raw.as_ref().and_then(|raw| raw.get("projects")?.as_array());
        // What is no object could not be read and has no row.
        let mut objects = projects.into_iter().flatten().filter(|project| project.is_object());
        let read = answer.value.projects.iter().map(|project| (project, Given(objects.next())));
        let shown = read.filter(|(project, _)| {
            let folder = project.folder.as_ref().map(FolderId::as_str);
            wanted.as_ref().is_none_or(|wanted| is_in(folder, wanted.as_ref()))
        });
        let rows: Vec<_> = shown.map(|(project, given)| row(project, given, &folders)).collect();
        let mut out = Output::open();
        let columns = [left("ID"), words("NAME"), words("FOLDER"), right("STEPS"), left("UPDATED")];
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        Unread::tell_of(&answer);
        Ok(())
    }

    /// The folders, by which ids get their names. Where nobody asked for one, the list is good without.
    async fn folders(&self, client: &Client) -> Result<Vec<Folder>, Failure> {
        match client.call(&ListFolders).await {
            Ok(answer) => Ok(answer.value.folders),
            Err(error) if self.folder.is_none() && error.status().is_some_and(|status| status != 401) => {
                session::warn(&format!("the folders could not be read: {error}"));
                Ok(Vec::new())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The folder that is meant; none for the projects that are in no folder.
fn wanted(folder: &str, folders: &[Folder]) -> Result<Option<FolderId>, Failure> {
    if folder.is_empty() {
        return Ok(None);
    }
    if let Some(known) = folders.iter().find(|known| known.id.as_str() == folder) {
        return Ok(Some(known.id.clone()));
    }
    let named: Vec<&FolderId> = folders.iter().filter(|known| known.name == folder).map(|known| &known.id).collect();
    match named.as_slice() {
        [one] => Ok(Some((*one).clone())),
        [] => Err(Failure::NotFound(format!("there is no folder {folder:?}"))),
        several => {
            let ids: Vec<_> = several.iter().map(|id| id.as_str()).collect();
            let why = format!("{} folders are named {folder:?}; use one of their IDs: {}", ids.len(), ids.join(", "));
            Err(Failure::Usage(why))
        }
    }
}

fn is_in(folder: Option<&str>, wanted: Option<&FolderId>) -> bool {
    folder.filter(|folder| !folder.is_empty()) == wanted.map(FolderId::as_str)
}

fn row(project: &Project, given: Given<'_>, folders: &[Folder]) -> Vec<String> {
    let folder = given.nullable("folder", project.folder.as_ref(), "", |id| name_of(id, folders));
    vec![
        given.required::<ProjectId>("id", &project.id),
        project.name.clone().unwrap_or_default(),
        folder,
        project.steps_count.as_ref().map(Num::to_string).unwrap_or_default(),
        times::shown(project.updated_at.as_deref().unwrap_or_default()),
    ]
}

/// A folder by its name where that is known.
pub(super) fn name_of(id: &FolderId, folders: &[Folder]) -> String {
    let known = folders.iter().find(|folder| folder.id == *id && !folder.name.is_empty());
    known.map_or_else(|| id.to_string(), |folder| folder.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_meant_by_id_or_by_a_name_that_only_one_has() {
        let folder = |id: &str, name: &str| Folder { id: id.into(), name: name.to_owned(), ..Folder::default() };
        let folders = [folder("1", "A"), folder("2", "B"), folder("3", "B"), folder("B", "C")];
        assert_eq!(wanted("A", &folders).unwrap(), Some("1".into()));
        assert_eq!(wanted("B", &folders).unwrap(), Some("B".into()), "an id comes first");
        assert_eq!(wanted("", &folders).unwrap(), None);
        assert_eq!(wanted("D", &folders).unwrap_err().exit_code(), 4);
        let several = wanted("B", &folders[..3]).unwrap_err();
        assert_eq!((several.exit_code(), several.to_string().ends_with("2, 3")), (2, true));
        assert!(is_in(Some(""), None) && is_in(None, None) && !is_in(Some("1"), None));
    }
}
