//! A request made ready to be sent, whichever operation it is of.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::{ClientError, Conditions};
use crate::api::{AnyRequest, GetProject, GetProjectByPost, OPERATIONS, Operation, Payload, Row, each_operation};
use crate::domain::AppKey;
use crate::domain::wire::Recorded;

/// The longest id that is sent, bytes.
const LONGEST_ID: usize = 2_048;

/// A request of §4 without its host and its credential.
#[derive(Clone)]
pub(super) struct Envelope {
    pub(super) row: Row,
    pub(super) path: String,
    query: Vec<(Cow<'static, str>, String)>,
    pub(super) json: Option<Value>,
    pub(super) conditions: Conditions,
}

impl Envelope {
    pub(super) fn of<O: Operation>(operation: &O) -> Result<Self, ClientError> {
        // An empty id, `.` or `..` would turn the path into another operation's.
        if let Some(id) = operation.path_id()
            && matches!(id, "" | "." | "..")
        {
            return Err(ClientError::Id(format!("{id:?} is no id")));
        }
        let query = operation.query();
        // Also those in the query: an address has to stay one that servers take.
        let ids = operation.path_id().into_iter().chain(query.iter().map(|(_, value)| *value));
        if let Some(id) = ids.into_iter().find(|id| id.len() > LONGEST_ID) {
            return Err(ClientError::Id(format!("an id of {} bytes is none", id.len())));
        }
        let json = match operation.payload() {
            Payload::None => None,
            Payload::Json(json) => Some(json),
            Payload::Multipart => {
                return Err(ClientError::Request(format!("{} carries a file, not JSON", O::ROW.name)));
            }
        };
        let query = query.into_iter().map(|(key, value)| (Cow::Borrowed(key), value.to_owned())).collect();
        let conditions = Conditions::default().of(&O::ROW);
        Ok(Self { row: O::ROW, path: operation.path(), query, json, conditions })
    }

    /// That of a request that is only passed on.
    pub(super) fn of_any(request: &AnyRequest) -> Result<Self, ClientError> {
        macro_rules! of {
            ($( $operation:ident )*) => {
                match request {
                    $( AnyRequest::$operation(request) => Self::of(request), )*
                }
            };
        }
        each_operation!(of)
    }

    /// That of an operation without an id, a query and a body.
    pub(super) fn bare(row: Row) -> Self {
        let (path, conditions) = (row.path.to_owned(), Conditions::default());
        Self { row, path, query: Vec::new(), json: None, conditions }
    }

    /// The same under these conditions.
    pub(super) fn under(self, conditions: Conditions) -> Self {
        Self { conditions: conditions.of(&self.row), ..self }
    }

    /// The request that was recorded, again. What was taken out as secret is put in again where it is this client's
    /// own; a body that was cut is none.
    pub(super) fn again(recorded: &Recorded) -> Result<Self, ClientError> {
        let known = OPERATIONS.iter().find(|row| row.name == recorded.operation && row.idempotent && !row.writes);
        let row = *known.ok_or_else(|| ClientError::Request("only reads are sent again".to_owned()))?;
        let whole = recorded.sent.is_whole();
        let json = match recorded.sent.body.as_str() {
            _ if !whole => return Err(ClientError::Request("its body was too long to be kept whole".to_owned())),
            "" => None,
            body => Some(serde_json::from_str(body).map_err(|error| ClientError::Request(error.to_string()))?),
        };
        let url = Url::parse(&recorded.url).map_err(|error| ClientError::Request(error.to_string()))?;
        let query = url.query_pairs().map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned())).collect();
        Ok(Self { row, path: recorded.path.clone(), query, json, conditions: Conditions::default() })
    }

    /// That of an upload: the file goes beside it.
    pub(super) fn of_file(row: Row, path: String, conditions: Conditions) -> Self {
        Self { row, path, query: Vec::new(), json: None, conditions: conditions.of(&row) }
    }

    /// Whether it may go to the second host: it changes nothing and may be repeated.
    pub(super) fn is_read(&self) -> bool {
        self.row.idempotent && !self.row.writes
    }

    /// Puts the workspace key into the body (§5.5).
    pub(super) fn with_app_key(mut self, key: Option<&AppKey>) -> Self {
        if let (Some(key), Some(Value::Object(object))) = (key, &mut self.json) {
            object.insert("appKey".to_owned(), Value::from(key.expose()));
        }
        self
    }

    /// The other way the spec shows to read a project (§4.3), where this is one of them.
    pub(super) fn other_way(&self) -> Option<Self> {
        let (row, json) = if self.row == GetProject::ROW {
            (GetProjectByPost::ROW, GetProjectByPost::default().payload())
        } else if self.row == GetProjectByPost::ROW {
            (GetProject::ROW, Payload::None)
        } else {
            return None;
        };
        let json = if let Payload::Json(json) = json { Some(json) } else { None };
        Some(Self { row, json, ..self.clone() })
    }

    /// The body's bytes.
    pub(super) fn body(&self) -> Option<Bytes> {
        self.json.as_ref().map(|json| Bytes::from(json.to_string()))
    }

    /// The address at this host, which may itself have a path.
    pub(super) fn url(&self, host: &Url) -> Result<Url, ClientError> {
        let text = format!("{}{}", host.as_str().trim_end_matches('/'), self.path);
        let mut url = Url::parse(&text).map_err(|error| ClientError::Request(error.to_string()))?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{DeleteAsset, DeleteProject, Me};

    #[test]
    fn paths_are_put_behind_the_hosts_own() {
        let host = Url::parse("https://example.com/api/").unwrap();
        let envelope = Envelope::of(&Me).unwrap();
        assert_eq!(envelope.url(&host).unwrap().as_str(), "https://example.com/api/users/me");
        let delete = DeleteProject { project_id: "a b".into(), ..DeleteProject::default() };
        let url = Envelope::of(&delete).unwrap().url(&host).unwrap();
        assert_eq!(url.as_str(), "https://example.com/api/projects?projectId=a+b");
    }

    #[test]
    fn ids_that_would_change_the_path_are_refused() {
        for id in ["", ".", ".."] {
            assert!(Envelope::of(&DeleteAsset { id: id.into() }).is_err());
        }
    }

    #[test]
    fn the_workspace_key_goes_into_the_body() {
        let envelope = Envelope::of(&GetProjectByPost { id: "p".into() }).unwrap();
        let envelope = envelope.with_app_key(Some(&AppKey::new("k")));
        assert_eq!(envelope.body().unwrap(), r#"{"appKey":"k"}"#);
    }
}
