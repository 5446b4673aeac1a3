//! What is known of an operation before it is called.

use serde_json::Value;

use crate::domain::{HasSchema, Schemas};

/// An HTTP method of §4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `DELETE`
    Delete,
}

impl Method {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// Which of the hosts of the spec's head answers an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// `{base_url}`, with `{lb_base_url}` in its place where that is allowed.
    Base,
    /// `{upload_url}`.
    Upload,
}

/// The JSON Schema of a type; named ones are put among the schemas that are given.
pub type SchemaOf = fn(&mut Schemas) -> Value;

/// What a parameter of a query may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InQuery {
    /// A date, or a time of RFC 3339.
    Day,
}

/// The body that an operation takes.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    /// None.
    None,
    /// A JSON object.
    Json(SchemaOf),
    /// A JSON object that may be left out.
    MaybeJson(SchemaOf),
    /// A file, as `multipart/form-data`.
    File,
}

/// One row of the table of operations.
#[allow(clippy::struct_excessive_bools)] // Each says something of its own, as the columns of a table do.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// A name for logs, the inspector and the interface description. No two operations share one.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The group of §1.
    pub tag: &'static str,
    /// The method.
    pub method: Method,
    /// The path under the host; `{id}` stands for the request's id.
    pub path: &'static str,
    /// The host.
    pub host: Host,
    /// Whether it changes anything: refused when read-only.
    pub writes: bool,
    /// Whether it may be sent again when its answer got lost.
    pub idempotent: bool,
    /// Whether the workspace key goes into the body (§5.5; the catalog rejects unknown properties).
    pub takes_app_key: bool,
    /// Whether it is an extension of the local service: the specification doesn't have it, and other services need not.
    pub is_extension: bool,
    /// Whether the service heeds its `Idempotency-Key`: sent again under the same key, it creates nothing more.
    pub is_created_once: bool,
    /// Whether the service heeds `If-Match`.
    pub heeds_if_match: bool,
    /// Whether its success carries the `ETag` of the state that it shows.
    pub has_tag: bool,
    /// The id that may travel in the query instead of in the body.
    pub id_in_query: Option<&'static str>,
    /// What else its query may ask: names, and what they are. All of them may be left out.
    pub query: &'static [(&'static str, InQuery, &'static str)],
    /// The status of its success.
    pub status: &'static str,
    /// Problems that it may answer with, beside those that follow from its path and its body.
    pub problems: &'static [&'static str],
    /// What it is asked with.
    pub body: Body,
    /// What its success carries.
    pub response: SchemaOf,
    /// The list in its success that was asked for: a response in which it is no list can't be read, and isn't an empty one.
    pub lists: Option<&'static str>,
}

/// No two rows share a name.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

/// Whether two names are the same, also where the compiler asks.
const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

impl Row {
    /// Whether both are of the same operation, also where the compiler asks.
    #[must_use]
    pub const fn is(&self, other: &Self) -> bool {
        is_same(self.name.as_bytes(), other.name.as_bytes())
    }

    /// The row of an operation that reads where its method is GET and writes otherwise, and that may be repeated unless
    /// its method is POST.
    pub(super) const fn new(name: &'static str, tag: &'static str, method: Method, path: &'static str) -> Self {
        Self {
            name,
            summary: "",
            tag,
            method,
            path,
            host: Host::Base,
            writes: !matches!(method, Method::Get),
            idempotent: !matches!(method, Method::Post),
            takes_app_key: false,
            is_extension: false,
            is_created_once: false,
            heeds_if_match: false,
            has_tag: false,
            id_in_query: None,
            query: &[],
            status: "200",
            problems: &[],
            body: Body::None,
            response: anything,
            lists: None,
        }
    }

    /// It reads, whatever its method.
    pub(super) const fn reads(self) -> Self {
        Self { writes: false, idempotent: true, ..self }
    }

    /// Sent twice it does what it does once, whatever its method.
    pub(super) const fn repeatable(self) -> Self {
        Self { idempotent: true, ..self }
    }

    /// Its body carries the workspace key.
    pub(super) const fn keyed(self) -> Self {
        Self { takes_app_key: true, ..self }
    }

    /// It creates something, once under its key.
    pub(super) const fn once(self) -> Self {
        Self { is_created_once: true, ..self }
    }

    /// It heeds `If-Match`.
    pub(super) const fn if_match(self) -> Self {
        Self { heeds_if_match: true, ..self }
    }

    /// Its answer has an `ETag`.
    pub(super) const fn tagged(self) -> Self {
        Self { has_tag: true, ..self }
    }

    /// Its id may stand in the query.
    pub(super) const fn id_in_query(self, name: &'static str) -> Self {
        Self { id_in_query: Some(name), ..self }
    }

    /// This member of its success is the list that was asked for.
    pub(super) const fn lists(self, member: &'static str) -> Self {
        Self { lists: Some(member), ..self }
    }

    /// Its query may ask this.
    pub(super) const fn asks(self, query: &'static [(&'static str, InQuery, &'static str)]) -> Self {
        Self { query, ..self }
    }

    /// It goes to the host for uploads.
    pub(super) const fn to_upload_host(self) -> Self {
        Self { host: Host::Upload, ..self }
    }

    /// It queues what it does: a 202.
    pub(super) const fn queues(self) -> Self {
        Self { status: "202", ..self }
    }

    /// It may answer with these problems.
    pub(super) const fn problems(self, problems: &'static [&'static str]) -> Self {
        Self { problems, ..self }
    }

    /// It takes such a body.
    pub(super) const fn takes(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// It takes such an object.
    pub(super) const fn takes_json<T: HasSchema>(self) -> Self {
        self.takes(Body::Json(T::schema))
    }

    /// It takes this unless that was said.
    pub(super) const fn or_takes<T: HasSchema>(self) -> Self {
        if matches!(self.body, Body::None) { self.takes_json::<T>() } else { self }
    }

    /// It answers with this.
    pub(super) const fn gives<T: HasSchema>(self) -> Self {
        Self { response: T::schema, ..self }
    }

    /// The same as the table lists it.
    pub(super) const fn listed(self, summary: &'static str, is_extension: bool) -> Self {
        Self { summary: summary.trim_ascii(), is_extension, ..self }
    }

    /// Whether it makes something new, each time it is sent: it goes with an [`IDEMPOTENCY_KEY`](super::IDEMPOTENCY_KEY).
    #[must_use]
    pub const fn creates(&self) -> bool {
        self.writes && !self.idempotent
    }

    /// Whether the answer's body may be anything: §4 shows none for updates and deletions.
    #[must_use]
    pub const fn ignores_body(&self) -> bool {
        matches!(self.method, Method::Put | Method::Delete)
    }
}

fn anything(_: &mut Schemas) -> Value {
    Value::Bool(true)
}
