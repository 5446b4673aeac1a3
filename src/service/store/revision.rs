//! The state of a project, and whether a change may be made to it.

use super::StoreError;
use super::db::Connection;
use super::rules::revision::{Precondition, quoted};

/// Whether a precondition holds of a project.
pub(super) fn check(when: &Precondition, connection: &Connection, project: i64) -> Result<(), StoreError> {
    if when.needs_tag() { when.check(&tag(connection, project)?) } else { Ok(()) }
}

/// The strong tag of a project as it is now, in quotation marks. It is kept in the project's row: no step is read for it,
/// however many there are.
pub(super) fn tag(connection: &Connection, project: i64) -> Result<String, StoreError> {
    let mut statement = connection.prepare_cached("SELECT revision FROM project WHERE number = ?1")?;
    let revision: String = statement.query_row([project], |row| row.get(0))?;
    Ok(quoted(&revision))
}

#[cfg(test)]
mod tests {
    use super::super::db::params;
    use super::super::{Identity, Store, projects, rules, steps};
    use super::*;
    use crate::api::{NewStep, ProjectChange, StepChange};
    use crate::domain::{ProjectId, StepId};

    /// A project with three steps, of which all but the first can't be read: whoever does is refused by the database.
    async fn guarded(store: &Store, of: &Identity) -> (ProjectId, i64, StepId) {
        let of = of.clone();
        let make = move |connection: &mut Connection| {
            let (number, made) = projects::insert(connection, &of, "Quiz")?;
            let mut ids = Vec::new();
            for name in ["aaaaa", "bbbbb", "ccccc"] {
                ids.push(steps::insert(connection, number, &steps::StepRow { name, ..steps::StepRow::default() })?);
            }
            connection
                .execute("UPDATE step SET answers = x'ff' WHERE project = ?1 AND name <> 'aaaaa'", params![number])?;
            Ok((made.id, number, ids.swap_remove(0)))
        };
        store.writer.run(make).await.unwrap()
    }

    #[tokio::test]
    async fn a_change_of_one_step_reads_no_other_and_makes_another_tag() {
        // What guards the other steps is a text that is none, which PostgreSQL does not take.
        if crate::service::store::engine::is_shared() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let (project, number, step) = guarded(&store, &owner).await;
        let read = store.project_json(owner.workspace, project.clone(), String::new()).await;
        assert!(read.is_err(), "reading them all meets the guard");
        let now = async || store.readers.run(move |connection| tag(connection, number)).await.unwrap();
        let mut tags = vec![now().await];
        let when = |tags: &[String]| Precondition::any_of(vec![tags.last().unwrap().clone()]);

        let new = NewStep { project_id: project.clone(), ..NewStep::default() };
        store.create_step(owner.workspace, new, Vec::new(), (when(&tags), None)).await.unwrap();
        tags.push(now().await);
        let change = StepChange { overlay_text: Some("Hello".to_owned()), ..StepChange::default() };
        let changed = store.update_step(owner.workspace, step.clone(), change, Vec::new(), when(&tags)).await.unwrap();
        tags.push(now().await);
        assert_eq!(&changed.1, tags.last().unwrap());
        let change = ProjectChange { name: Some("Other".to_owned()), ..ProjectChange::default() };
        let when_now = (when(&tags), String::new());
        let (_, tag_then) =
            store.update_project(owner.workspace, project.clone(), change, Vec::new(), when_now).await.unwrap();
        tags.push(now().await);
        assert_eq!(&tag_then, tags.last().unwrap());
        store.delete_step(owner.workspace, step, when(&tags)).await.unwrap();
        tags.push(now().await);
        assert!(tags.iter().enumerate().all(|(at, tag)| !tags[..at].contains(tag)), "{tags:?}");
        let stale = Precondition::any_of(tags[..4].to_vec());
        let refused = store.delete_project(owner.workspace, project.clone(), stale).await;
        assert!(matches!(refused, Err(StoreError::Changed)), "{refused:?}");
        store.delete_project(owner.workspace, project, when(&tags)).await.unwrap();
    }

    #[test]
    fn no_two_revisions_are_the_same() {
        let (one, other) = (rules::revision::fresh(), rules::revision::fresh());
        assert!(one != other && one.len() == 32 && !one.contains(['"', '-']), "{one} {other}");
    }
}
