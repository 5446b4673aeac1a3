//! The settings of a project's player as they are kept, a JSON object; and the form that follows from them.

use serde_json::{Map, Value};

use super::db::Connection;
use super::{Collected, StoreError};
use crate::domain::{PlayerChange, PlayerSettings, site_origin};
use crate::service::wrong::wrong;

/// The settings as they are kept, with a change made. Members that nobody declared are not kept.
pub(super) fn changed(kept: &str, change: Option<&PlayerChange>) -> Result<String, StoreError> {
    let Some(change) = change else { return Ok(kept.to_owned()) };
    let mut members: Map<String, Value> = serde_json::from_str(kept)?;
    change.make(&mut members);
    members.retain(|name, _| PlayerSettings::has(name));
    // Origins are compared as browsers write them.
    if let Some(Value::Array(origins)) = members.get_mut("embedOrigins") {
        for origin in origins {
            if let Some(written) = origin.as_str().and_then(|text| site_origin(text).ok()) {
                *origin = Value::String(written);
            }
        }
    }
    Ok(serde_json::to_string(&members)?)
}

/// The settings of what is kept.
pub(super) fn read(kept: &str) -> Result<PlayerSettings, StoreError> {
    Ok(PlayerSettings::of(&serde_json::from_str(kept)?))
}

/// Every field that a form may have, by its name in what it sends.
const FIELDS: [&str; 3] = ["name", "email", "phone"];

/// What a project's form asks for: what its settings say, else everything where the workspace wants a form.
pub(super) fn fields(settings: &PlayerSettings, workspace: bool) -> Vec<&'static str> {
    match &settings.form_fields {
        Some(chosen) => FIELDS.into_iter().filter(|name| chosen.iter().any(|field| field.as_str() == *name)).collect(),
        None if workspace => FIELDS.to_vec(),
        None => Vec::new(),
    }
}

/// The form that viewers of a project are shown.
pub(super) struct Form {
    fields: Vec<&'static str>,
    consent: Option<String>,
}

/// What tells one text that viewers agree to from another: a player says with the form which one it showed.
#[must_use]
pub fn consent_version(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect()
}

/// The form of a visit's project, also of one that was deleted meanwhile; nothing where there is none, and where nobody
/// knows any more what the project asked for: then nothing is taken without the consent that it may have wanted.
pub(super) fn form_of(connection: &Connection, session: &str) -> Result<Option<Form>, StoreError> {
    let sql = "SELECT workspace.player_form, coalesce(project.player, visit.player)
        FROM visit JOIN workspace ON workspace.id = visit.workspace
        LEFT JOIN project ON project.publish_id = visit.publish_id WHERE visit.session = ?1";
    let (workspace, kept): (bool, Option<String>) =
        connection.prepare_cached(sql)?.query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(kept) = kept else { return Ok(None) };
    let settings = read(&kept)?;
    let fields = fields(&settings, workspace);
    Ok((!fields.is_empty()).then_some(Form { fields, consent: settings.consent_text }))
}

/// What viewers say of the text that they agree to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Whether they agree.
    pub yes: bool,
    /// The [`consent_version`] of the text that they were shown; nothing where their player doesn't say.
    pub shown: Option<String>,
}

impl Form {
    /// Takes out what the form did not ask for, and notes what the viewer agreed to.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where they were shown another text to agree to than the merchant has now; what they did not
    /// read nobody notes as agreed to. [`StoreError::Invalid`] where nothing is left, or where they had to agree and did not.
    pub(super) fn limit(&self, given: &mut Collected, agreed: &Agreed) -> Result<(), StoreError> {
        let current = self.consent.as_deref().map(consent_version);
        if agreed.shown.is_some() && agreed.shown != current {
            return Err(StoreError::Conflict(
                "The text to agree to has changed; /project of the player has the current one.".to_owned(),
            ));
        }
        let places = [("name", &mut given.name), ("email", &mut given.email), ("phone", &mut given.phone)];
        let mut left = false;
        for (name, value) in places {
            if !self.fields.contains(&name) {
                *value = None;
            }
            left |= value.is_some();
        }
        let mut found = Vec::new();
        if !left {
            for name in &self.fields {
                wrong(&mut found, &format!("/{name}"), "must be given, or another field of the form");
            }
        }
        if self.consent.is_some() && !agreed.yes {
            wrong(&mut found, "/consent", "must be true: the shop asks viewers to agree before they send the form");
        }
        given.consent.clone_from(&self.consent);
        if found.is_empty() { Ok(()) } else { Err(StoreError::Invalid(found)) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Precondition, Store, projects};
    use super::*;
    use crate::service::limits::VisitorLimits;
    use crate::service::timing::now;

    /// A little more than the time after which nobody is taken to watch a deleted project still, milliseconds.
    const TWO_DAYS: i64 = 2 * 24 * 60 * 60 * 1000;

    #[tokio::test]
    async fn the_form_of_a_deleted_project_whose_rules_nobody_kept_takes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        store.set_player_form(owner.workspace, true).await.unwrap();
        let of = owner.clone();
        let make = move |connection: &mut Connection| {
            let (number, made) = projects::insert(connection, &of, "Quiz")?;
            let rules = r#"{"formFields":["email"],"consentText":"I agree."}"#;
            connection.execute("UPDATE project SET player = ?1 WHERE number = ?2", (rules, number))?;
            Ok(made)
        };
        let project = store.writer.run(make).await.unwrap();
        let mut sessions = Vec::new();
        for begun in [now(), now() - TWO_DAYS] {
            let limits = VisitorLimits::default();
            let visit =
                store.begin_visit(project.publish_id.clone(), None, None, begun, limits).await.unwrap().unwrap();
            assert!(visit.form);
            sessions.push(visit.session);
        }
        store.delete_project(owner.workspace, project.id, Precondition::default()).await.unwrap();
        let forms = move |connection: &mut Connection| {
            sessions.iter().map(|session| form_of(connection, session)).collect::<Result<Vec<_>, _>>()
        };
        let forms = store.writer.run(forms).await.unwrap();
        assert_eq!(forms[0].as_ref().unwrap().consent.as_deref(), Some("I agree."));
        assert!(forms[1].is_none());
    }
}
