//! JSON of requests, in which no member may come twice: of two readers one takes the first and the other the last, so
//! that what one checks is not what the other carries out (RFC 8259 §4). No text may contain U+0000.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::api::Problem;
use crate::domain::{Fault, Finding, FromJson, Reader, Segment, with_nul};

/// The members that are named at most.
const MOST_NAMED: usize = 100;

/// Reads a document.
///
/// # Errors
/// A 400 that says where it is no JSON, or names each member that comes more than once.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Box<Problem>> {
    let (mut at, mut twice) = (Vec::new(), Vec::new());
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Document { at: &mut at, twice: &mut twice }.deserialize(&mut reader);
    let whole = read.and_then(|value| reader.end().map(|()| value)).map_err(|error| {
        let fault = Fault::Invalid(format!("is not JSON: {error}"));
        Box::new(Problem::invalid(&[Finding { at: Vec::new(), fault }]))
    })?;
    if twice.is_empty() { Ok(whole) } else { Err(Box::new(Problem::invalid(&twice))) }
}

/// Reads a whole body as `T`, with everything that is wrong with it: also texts of members that `T` does not have.
pub(super) fn read<T: FromJson>(value: &Value) -> (T, Vec<Finding>) {
    let (read, mut findings) = Reader::read(value);
    for nul in with_nul(value) {
        // A member that is not declared may be passed over, but not with such a text.
        findings.retain(|finding| finding.at != nul.at);
        findings.push(nul);
    }
    (read, findings)
}

/// A place in a document.
struct Document<'a> {
    at: &'a mut Vec<Segment>,
    twice: &'a mut Vec<Finding>,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        loop {
            self.at.push(Segment::Index(array.len()));
            let entry = entries.next_element_seed(Document { at: &mut *self.at, twice: &mut *self.twice })?;
            self.at.pop();
            match entry {
                Some(entry) => array.push(entry),
                None => return Ok(Value::Array(array)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            self.at.push(Segment::Key(name.clone()));
            if object.contains_key(&name) && self.twice.len() < MOST_NAMED {
                let fault = Fault::Invalid("appears more than once".to_owned());
                self.twice.push(Finding { at: self.at.clone(), fault });
            }
            let value = members.next_value_seed(Document { at: &mut *self.at, twice: &mut *self.twice })?;
            self.at.pop();
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_is_read_as_it_is() {
        for text in [
            "null",
            "[1, -2, 2.5, 1e3, true, \"a\\u00e9\\n\", {}, []]",
            "{\"a\": {\"a\": [{\"a\": 1}]}}",
            "18446744073709551615",
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn members_that_come_twice_are_named_at_any_depth() {
        let problem =
            parse(br#"{"a/b": 1, "c": [0, {"d": 1, "d": {"e": 1, "\u0065": 2}}], "a/b": 2, "d": 1}"#).unwrap_err();
        let pointers: Vec<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!((problem.status, pointers), (400, vec!["/c/1/d", "/c/1/d/e", "/a~1b"]));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{\"a\": 1} x", "[1,]", "{\"a\" 1}", "1e999", "\"\\ud800\"", &deep] {
            let problem = parse(text.as_bytes()).unwrap_err();
            assert_eq!((problem.status, problem.errors[0].pointer.as_str()), (400, ""), "{text:.20}");
        }
    }
}
