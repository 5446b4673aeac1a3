//! What of an answer could not be read: said beside the table, and left open in it.

use std::fmt::Display;

use serde_json::Value;

use super::telling;
use crate::cli::table::MISSING;
use crate::client::{Answer, json};
use crate::domain::{Fault, Finding, FromJson, Reader};

/// How many findings are told in full.
const TOLD: usize = 3;

/// What could not be read, over all pages of an answer.
#[derive(Debug, Default)]
pub(super) struct Unread {
    count: usize,
    first: Vec<String>,
}

impl Unread {
    /// Takes in the findings of one answer. Unknown fields and values are no loss: they are kept as they are.
    pub(super) fn note(&mut self, findings: &[Finding]) {
        for finding in findings.iter().filter(|finding| is_loss(finding)) {
            if self.first.len() < TOLD {
                self.first.push(finding.to_string());
            }
            self.count += 1;
        }
    }

    /// Says on standard error what of one answer could not be read.
    pub(super) fn tell_of<T>(answer: &Answer<T>) {
        let mut unread = Self::default();
        unread.note(&answer.findings);
        unread.tell();
    }

    /// Whether all could be read.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Says on standard error what it was.
    pub(super) fn tell(&self) {
        if let Some(sentence) = self.sentence() {
            telling::hint(&format!("cutaway: {sentence}"));
        }
    }

    fn sentence(&self) -> Option<String> {
        let more = match self.count.checked_sub(self.first.len())? {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let things = match self.count {
            0 => return None,
            1 => "1 field".to_owned(),
            count => format!("{count} fields"),
        };
        Some(format!("{things} of the response couldn't be read as specified: {}{more}", self.first.join("; ")))
    }
}

fn is_loss(finding: &Finding) -> bool {
    matches!(finding.fault, Fault::Missing | Fault::Mistyped { .. } | Fault::Invalid(_))
}

/// The body of an answer in which something could not be read, to tell what the service gave from what stands in its
/// place; nothing where all is well, which spares reading it twice.
pub(super) fn given<T>(answer: &Answer<T>) -> Option<Value> {
    answer.findings.iter().any(is_loss).then(|| json::read(&answer.body).unwrap_or_default())
}

/// An object as the service gave it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a>(pub(super) Option<&'a Value>);

impl Given<'_> {
    /// Whether the member can be read as a `T`. Without a body in hand everything could be.
    fn has<T: FromJson>(self, key: &str) -> bool {
        let Some(object) = self.0 else { return true };
        let value = object.get(key);
        value.is_some_and(|value| T::from_json(value, &mut Reader::default()).or_else(|| T::rescue(value)).is_some())
    }

    /// The cell of a member that has to be there.
    pub(super) fn required<T: FromJson + Display>(self, key: &str, read: &T) -> String {
        self.computed::<T>(key, || read.to_string())
    }

    /// The cell of what is made from a member that has to be there.
    pub(super) fn computed<T: FromJson>(self, key: &str, shown: impl FnOnce() -> String) -> String {
        if self.has::<T>(key) { shown() } else { MISSING.to_owned() }
    }

    /// The cell of a member that has to be there and may be null, which shows as `none`.
    pub(super) fn nullable<T: FromJson>(
        self,
        key: &str,
        read: Option<&T>,
        none: &str,
        shown: impl FnOnce(&T) -> String,
    ) -> String {
        match (read, self.0.map(|object| object.get(key))) {
            (None, None | Some(Some(Value::Null))) => none.to_owned(),
            (Some(read), _) if self.has::<T>(key) => shown(read),
            _ => MISSING.to_owned(),
        }
    }

    /// The cell of a text that may be null, which shows as nothing.
    pub(super) fn text(self, key: &str, read: Option<&String>) -> String {
        self.nullable(key, read, "", String::clone)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::{Num, Segment};

    #[test]
    fn what_is_missing_shows_as_missing() {
        let body = json!({"version": 3, "words": "4", "odd": [], "none": null});
        let given = Given(Some(&body));
        let zero = Num(0.0);
        assert_eq!(given.required("version", &Num(3.0)), "3");
        assert_eq!(given.required("words", &Num(4.0)), "4", "what could be saved is shown");
        assert_eq!(given.required("odd", &zero), MISSING);
        assert_eq!(given.required("absent", &zero), MISSING);
        assert_eq!(given.nullable::<String>("none", None, "no", String::clone), "no");
        assert_eq!(given.nullable::<String>("absent", None, "no", String::clone), MISSING);
        assert_eq!(given.text("odd", Some(&String::new())), MISSING);
        assert_eq!(Given(None).required("absent", &zero), "0");
    }

    #[test]
    fn losses_are_counted_and_the_first_told() {
        let finding = |key: &str, fault| Finding { at: vec![Segment::Key(key.to_owned())], fault };
        let mut unread = Unread::default();
        unread.note(&[finding("later", Fault::Undeclared), finding("kind", Fault::UnknownValue("x".to_owned()))]);
        assert_eq!(unread.sentence(), None);
        unread.note(&[finding("a", Fault::Missing)]);
        let said = "1 field of the response couldn't be read as specified: a is required and missing";
        assert_eq!(unread.sentence().as_deref(), Some(said));
        unread.note(&["b", "c", "d", "e"].map(|key| finding(key, Fault::Missing)));
        let said = unread.sentence().unwrap();
        assert!(said.starts_with("5 fields") && said.contains("c is") && said.ends_with("; and 2 more"), "{said}");
    }
}
