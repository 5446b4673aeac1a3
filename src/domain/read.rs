//! Reading JSON that may be wrong: what can be read is read, what can't is named with its path.
//!
//! One declaration of a resource ([`shape!`](crate::shape)) serves both ends: the client reads with it and shows the
//! [`Finding`]s, the local service reads requests with it and refuses those that have any.

use std::fmt::{self, Write as _};

use serde_json::{Map, Value};

use super::num::Num;

/// One thing in a body that is not as §2 or §4 declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: the keys and indices from the root of the body.
    pub at: Vec<Segment>,
    /// What is wrong there.
    pub fault: Fault,
}

/// One step of a path into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A member of an object.
    Key(String),
    /// A place in an array, from 0.
    Index(usize),
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A required member is not there.
    Missing,
    /// The value has another JSON type than declared.
    Mistyped {
        /// The declared type.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// A member that is not declared.
    Undeclared,
    /// A value outside the declared list.
    UnknownValue(String),
    /// Of the right type but not allowed; the sentence says why.
    Invalid(String),
}

impl Finding {
    /// The path as people write it: `products[3].title`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in &self.at {
            match segment {
                Segment::Key(key) if path.is_empty() => path.push_str(key),
                Segment::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Segment::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        path
    }

    /// The path as a JSON Pointer (RFC 6901): `/products/3/title`; the empty text is the whole body.
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.at {
            pointer.push('/');
            match segment {
                Segment::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Segment::Index(index) => {
                    let _ = write!(pointer, "{index}");
                }
            }
        }
        pointer
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is required and missing"),
            Self::Mistyped { expected, found } => write!(f, "must be {expected}, found {found}"),
            Self::Undeclared => f.write_str("is not a declared property"),
            Self::UnknownValue(value) => write!(f, "has the unknown value {value:?}"),
            Self::Invalid(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            write!(f, "the body {}", self.fault)
        } else {
            write!(f, "{} {}", self.path(), self.fault)
        }
    }
}

/// One step of the path that a reader is at: declared members have names that need no copy.
#[derive(Debug, Clone, Copy)]
enum At {
    Key(&'static str),
    Index(usize),
}

/// Walks a JSON value, keeping the path it is at and what it found wrong.
#[derive(Debug, Default)]
pub struct Reader {
    at: Vec<At>,
    findings: Vec<Finding>,
}

/// The members of an object, while they are read one by one. Nothing is copied but what stays undeclared.
#[derive(Debug)]
pub struct Members<'a> {
    /// Those that were read are gone.
    left: Vec<Option<(&'a String, &'a Value)>>,
    /// Where the next one is expected: most services write members in the order of the specification.
    next: usize,
}

impl<'a> Members<'a> {
    /// Those of a value, where it is an object.
    #[must_use]
    pub fn of(value: &'a Value) -> Option<Self> {
        Some(Self { left: value.as_object()?.iter().map(Some).collect(), next: 0 })
    }

    fn find(&self, key: &str) -> Option<usize> {
        let is = |member: &Option<(&String, &Value)>| member.is_some_and(|(name, _)| name == key);
        let (before, ahead) = self.left.split_at_checked(self.next)?;
        let at = ahead.iter().position(is).map(|at| self.next + at);
        at.or_else(|| before.iter().position(is))
    }

    fn take(&mut self, key: &str) -> Option<&'a Value> {
        let at = self.find(key)?;
        self.next = at + 1;
        self.left.get_mut(at)?.take().map(|(_, value)| value)
    }
}

/// The findings kept of one body: a service that gets every field of every product wrong is named, not listed in full.
const MOST_FINDINGS: usize = 500;

impl Reader {
    /// Reads a whole body as `T`; what can't be read becomes `T`'s default and a finding.
    #[must_use]
    pub fn read<T: FromJson>(value: &Value) -> (T, Vec<Finding>) {
        let mut reader = Self::default();
        let read = reader.take(value);
        (read, reader.findings)
    }

    /// Notes a fault at the place where the reader is.
    pub fn note(&mut self, fault: Fault) {
        if self.findings.len() < MOST_FINDINGS {
            let at = self.path();
            self.findings.push(Finding { at, fault });
        }
    }

    fn path(&self) -> Vec<Segment> {
        let segment = |at: &At| match at {
            At::Key(key) => Segment::Key((*key).to_owned()),
            At::Index(index) => Segment::Index(*index),
        };
        self.at.iter().map(segment).collect()
    }

    /// Reads the value at the reader's place; a mistyped one is noted and becomes the default.
    pub fn take<T: FromJson>(&mut self, value: &Value) -> T {
        if let Some(read) = T::from_json(value, self) {
            read
        } else {
            self.note(Fault::Mistyped { expected: T::TYPE, found: type_of(value) });
            T::rescue(value).unwrap_or_default()
        }
    }

    /// Runs `inside` at a member.
    pub fn enter<T>(&mut self, key: &'static str, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(At::Key(key), inside)
    }

    fn inside<T>(&mut self, at: At, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.at.push(at);
        let result = inside(self);
        self.at.pop();
        result
    }

    /// A member that has to be there and may not be null.
    pub fn required<T: FromJson>(&mut self, members: &mut Members<'_>, key: &'static str) -> T {
        match members.take(key) {
            Some(value) => self.enter(key, |reader| reader.take(value)),
            None => self.absent(key),
        }
    }

    /// A member that has to be there and may be null.
    pub fn nullable<T: FromJson>(&mut self, members: &mut Members<'_>, key: &'static str) -> Option<T> {
        match members.take(key) {
            Some(Value::Null) => None,
            Some(value) => Some(self.enter(key, |reader| reader.take(value))),
            None => self.absent(key),
        }
    }

    /// A member that may be absent but not null.
    pub fn optional<T: FromJson>(&mut self, members: &mut Members<'_>, key: &'static str) -> Option<T> {
        let value = members.take(key)?;
        self.enter(key, |reader| {
            if value.is_null() {
                reader.note(Fault::Mistyped { expected: T::TYPE, found: "null" });
                return None;
            }
            Some(reader.take(value))
        })
    }

    /// A member that may be absent or null.
    pub fn optional_nullable<T: FromJson>(&mut self, members: &mut Members<'_>, key: &'static str) -> Option<T> {
        match members.take(key) {
            None | Some(Value::Null) => None,
            Some(value) => Some(self.enter(key, |reader| reader.take(value))),
        }
    }

    /// The members that nobody asked for, as they came. Each is noted as undeclared.
    pub fn undeclared(&mut self, members: Members<'_>) -> Map<String, Value> {
        let mut rest = Map::new();
        for (key, value) in members.left.into_iter().flatten() {
            if self.findings.len() < MOST_FINDINGS {
                let mut at = self.path();
                at.push(Segment::Key(key.clone()));
                self.findings.push(Finding { at, fault: Fault::Undeclared });
            }
            rest.insert(key.clone(), value.clone());
        }
        rest
    }

    /// What was found wrong so far.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    fn absent<T: Default>(&mut self, key: &'static str) -> T {
        self.enter(key, |reader| reader.note(Fault::Missing));
        T::default()
    }
}

/// A value that can be read from JSON tolerantly.
pub trait FromJson: Sized + Default {
    /// The declared JSON type, as it reads in "must be …".
    const TYPE: &'static str;

    /// Reads `value`, or `None` where its type is another. Faults inside it are noted, not returned.
    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self>;

    /// What can be saved of a value of the wrong type.
    #[must_use]
    fn rescue(_value: &Value) -> Option<Self> {
        None
    }
}

/// The name of a JSON value's type.
#[must_use]
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl FromJson for String {
    const TYPE: &'static str = "a string";
    fn from_json(value: &Value, _reader: &mut Reader) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
    fn rescue(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        }
    }
}

/// What nobody reads.
impl FromJson for () {
    const TYPE: &'static str = "anything";
    fn from_json(_value: &Value, _reader: &mut Reader) -> Option<Self> {
        Some(())
    }
}

impl FromJson for bool {
    const TYPE: &'static str = "a boolean";
    fn from_json(value: &Value, _reader: &mut Reader) -> Option<Self> {
        value.as_bool()
    }
}

impl FromJson for Num {
    const TYPE: &'static str = "a number";
    fn from_json(value: &Value, _reader: &mut Reader) -> Option<Self> {
        value.as_f64().map(Self)
    }
    fn rescue(value: &Value) -> Option<Self> {
        let number: f64 = value.as_str()?.trim().parse().ok()?;
        number.is_finite().then_some(Self(number))
    }
}

impl FromJson for Map<String, Value> {
    const TYPE: &'static str = "an object";
    fn from_json(value: &Value, _reader: &mut Reader) -> Option<Self> {
        value.as_object().cloned()
    }
}

impl FromJson for Value {
    const TYPE: &'static str = "a value";
    fn from_json(value: &Value, _reader: &mut Reader) -> Option<Self> {
        Some(value.clone())
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    const TYPE: &'static str = "an array";
    fn from_json(value: &Value, reader: &mut Reader) -> Option<Self> {
        let members = value.as_array()?;
        // Of what can't be read nothing stays: a large array of it takes no room.
        let mut all = Self::with_capacity(members.len().min(1_024));
        for (index, member) in members.iter().enumerate() {
            all.extend(reader.inside(At::Index(index), |reader| {
                let read = T::from_json(member, reader);
                if read.is_none() {
                    reader.note(Fault::Mistyped { expected: T::TYPE, found: type_of(member) });
                }
                read.or_else(|| T::rescue(member))
            }));
        }
        Some(all)
    }
}
