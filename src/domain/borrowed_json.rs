//! JSON that borrows the texts of what it was read from: many lines are read once each and thrown away.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum BorrowedJson<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text; only one with escapes in it is a copy.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// An object: its members as they were written, also those that were written twice.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> BorrowedJson<'a> {
    /// Reads a text.
    ///
    /// # Errors
    /// Where it is no JSON.
    pub fn of(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The member of an object; of two with one name the last one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl<'a> From<&'a Value> for BorrowedJson<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(*is),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(values) => Self::List(values.iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), Self::from(value))).collect(),
            ),
        }
    }
}

/// The name of a member.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Names)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for BorrowedJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = BorrowedJson<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Bool(is))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(BorrowedJson::Null, BorrowedJson::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(BorrowedJson::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(BorrowedJson::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = object.next_entry::<Name<'de>, _>()? {
            members.push((name, value));
        }
        Ok(BorrowedJson::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_a_value_reads() {
        let texts = [
            r#"{"a": [1, -2, 2.5, 1e300, 18446744073709551615, true, null], "b": {"c": "\u00e5 \"x\"", "\n": ""}}"#,
            "[]",
            "\"text\"",
            " 7 ",
        ];
        for text in texts {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(BorrowedJson::of(text).unwrap(), BorrowedJson::from(&value), "{text}");
        }
        for odd in ["", "{", "{\"a\":}", "[1,]", "\"\\ud800\"", "1 2", &"[".repeat(200)] {
            let value = serde_json::from_str::<Value>(odd);
            assert_eq!(BorrowedJson::of(odd).is_err(), value.is_err(), "{odd}");
        }
        let twice = BorrowedJson::of(r#"{"a": 1, "a": 2}"#).unwrap();
        assert_eq!(twice.get("a"), Some(&BorrowedJson::Number(2.into())));
        let BorrowedJson::List(values) = BorrowedJson::of(r#"["plain", "\n"]"#).unwrap() else { panic!() };
        assert!(matches!(&values[0], BorrowedJson::Text(Cow::Borrowed("plain"))));
    }
}
