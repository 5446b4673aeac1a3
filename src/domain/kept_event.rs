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
pub(super) const ANSWER: &str = "answer_selected";
/// Events of which the text is an answer or a product, and not something that a viewer wrote.
pub(super) const WITH_TEXT: [&str; 3] = [ANSWER, "product_shown", "product_clicked"];
/// The longest name or id that is kept, characters.
const LONGEST: usize = 200;

/// The first of these members that is there and not null.
pub(super) fn member<'a, 'b>(object: &'b BorrowedJson<'a>, names: &[&str]) -> Option<&'b BorrowedJson<'a>> {
    names.iter().find_map(|name| object.get(name).filter(|value| **value != BorrowedJson::Null))
}

/// A text without control characters, as long as it may be. Most are so already.
pub(super) fn clean(text: &str) -> String {
    if text.len() <= LONGEST && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// The first of these members that is a text, and not an empty one, or a number.
pub(super) fn text(object: &BorrowedJson, names: &[&str]) -> Option<String> {
    let usable = |name: &&str| match object.get(name)? {
        BorrowedJson::Text(text) => Some(clean(text)).filter(|text| !text.is_empty()),
        BorrowedJson::Number(number) => Some(clean(&number.to_string())),
        _ => None,
    };
    names.iter().find_map(usable)
}
