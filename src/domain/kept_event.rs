//! What is kept of something that happened in a visit, and how members are read whatever a service calls them.

use serde::{Deserialize, Serialize};

use super::BorrowedJson;

/// What happened in a visit, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptEvent {
    /// When, milliseconds since 1970.
    pub at: i64,
    /// What.
    pub name: String,
    /// At which step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The answer or the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a purchase: what it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// Of a purchase: in which currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Of a purchase: whether the shop said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Of a purchase: what tells its order from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Of a purchase: the ids of the products.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
}

/// The name of an event that tells of an order.
pub(super) const PURCHASE: &str = "purchase";
/// The longest name or id that is kept, characters.
const LONGEST: usize = 200;

pub(super) fn member<'a, 'b>(object: &'b BorrowedJson<'a>, names: &[&str]) -> Option<&'b BorrowedJson<'a>> {
    names.iter().find_map(|name| object.get(name)).filter(|value| **value != BorrowedJson::Null)
}

/// A text without control characters, as long as it may be. Most are so already.
fn clean(text: &str) -> String {
    if text.len() <= LONGEST && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

pub(super) fn text(object: &BorrowedJson, names: &[&str]) -> Option<String> {
    let text = match member(object, names)? {
        BorrowedJson::Text(text) => clean(text),
        BorrowedJson::Number(number) => clean(&number.to_string()),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}
