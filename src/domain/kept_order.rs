//! Orders in webhook events about visits: under the names that shops and services give their members, or in the words of our
//! own service. Of the order's number only a mark is kept, which tells it from others.

use super::BorrowedJson;
use super::kept_event::{KeptEvent, PURCHASE, clean, member, text};

/// Events that tell of an order.
const ORDERS: [&str; 6] =
    [PURCHASE, "conversion", "order", "order_completed", "purchase_completed", "checkout_completed"];
/// What one order may cost at most, in whatever currency.
pub(super) const MOST_AMOUNT: f64 = 1e9;
/// Products of an order that are kept.
const MOST_PRODUCTS: usize = 50;

/// Whether an event of this name tells of an order.
pub(super) fn is_order(event: &str) -> bool {
    ORDERS.contains(&event)
}

/// What is kept of an order.
#[derive(Debug, Default)]
pub(super) struct Order {
    mark: Option<String>,
    amount: Option<String>,
    currency: Option<String>,
    products: Vec<String>,
    is_verified: bool,
}

/// What tells an order from others.
fn mark(order: &str) -> String {
    blake3::hash(order.as_bytes()).to_hex().chars().take(16).collect()
}

/// A number as it is written with a point, where it is one that an order may cost.
fn number(text: &str) -> Option<String> {
    let text = if text.contains('.') { text.to_owned() } else { text.replacen(',', ".", 1) };
    let is_one = text.parse::<f64>().is_ok_and(|number| number.abs() <= MOST_AMOUNT);
    is_one.then_some(text)
}

fn amount(object: &BorrowedJson) -> Option<String> {
    let names = ["amount", "total", "totalPrice", "total_price", "revenue", "value", "price"];
    names.iter().find_map(|name| number(&text(object, &[name])?))
}

fn currency(object: &BorrowedJson) -> Option<String> {
    let currency = text(object, &["currency", "currencyCode", "currency_code"])?.to_ascii_uppercase();
    Some(currency).filter(|code| is_code(code))
}

fn is_code(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn products(object: &BorrowedJson) -> Option<Vec<String>> {
    let names = ["products", "items", "lineItems", "line_items", "productIds", "product_ids"];
    let BorrowedJson::List(list) = member(object, &names)? else { return None };
    let id = |one: &BorrowedJson| match one {
        BorrowedJson::Text(id) => Some(clean(id)),
        BorrowedJson::Number(id) => Some(id.to_string()),
        one => text(one, &["productId", "product_id", "externalProductId", "id"]),
    };
    let mut ids: Vec<String> = list.iter().filter_map(id).filter(|id| !id.is_empty()).take(MOST_PRODUCTS).collect();
    ids.sort();
    ids.dedup();
    Some(ids)
}

impl Order {
    /// What an object says of an order. `is_order` where it is nothing else, so that its id is the order's.
    fn in_object(object: &BorrowedJson, is_order: bool) -> Self {
        let names =
            ["orderId", "order_id", "order", "orderNumber", "order_number", "transactionId", "transaction_id", "id"];
        let names = if is_order { &names[..] } else { names.split_last().map_or(&[][..], |(_, others)| others) };
        Self {
            mark: text(object, names).as_deref().map(mark),
            amount: amount(object),
            currency: currency(object),
            products: products(object).unwrap_or_default(),
            is_verified: object.get("verified") == Some(&BorrowedJson::Bool(true)),
        }
    }

    /// The same of an object and of an order within it.
    fn in_all_of(object: &BorrowedJson) -> Self {
        let within = member(object, &["order", "conversion", "purchase"]);
        Self::in_object(object, false).or(within.map(|order| Self::in_object(order, true)).unwrap_or_default())
    }

    /// What the text of an event of our service says: `1001 499.5 NOK`.
    fn in_text(told: &str) -> Self {
        let mut words: Vec<&str> = told.split_whitespace().collect();
        let currency = words.pop_if(|word| is_code(word)).map(str::to_owned);
        let amount =
            if currency.is_some() { words.pop_if(|word| number(word).is_some()).and_then(number) } else { None };
        let order = words.join(" ");
        Self { mark: (!order.is_empty()).then(|| mark(&order)), amount, currency, ..Self::default() }
    }

    /// This, and what it doesn't say as the other one says it.
    fn or(self, other: Self) -> Self {
        Self {
            mark: self.mark.or(other.mark),
            amount: self.amount.or(other.amount),
            currency: self.currency.or(other.currency),
            products: if self.products.is_empty() { other.products } else { self.products },
            is_verified: self.is_verified || other.is_verified,
        }
    }

    /// What an event says of it, and of what that doesn't say the payload, where that has no other order. `told` is the event's
    /// text.
    pub fn of(event: &BorrowedJson, payload: Option<&BorrowedJson>, told: Option<&str>) -> Self {
        let order = Self::in_all_of(event).or(told.map(Self::in_text).unwrap_or_default());
        match payload.map(Self::in_all_of) {
            // Who the whole payload is from says nothing of one order.
            Some(rest) => order.or(Self { is_verified: false, ..rest }),
            None => order,
        }
    }

    /// Without what may say who the viewer is.
    pub fn without(mut self, is_personal: impl Fn(&str) -> bool) -> Self {
        self.products.retain(|id| !is_personal(id));
        self.amount = self.amount.filter(|amount| !is_personal(amount));
        self
    }

    /// It as an event.
    pub fn event(self, at: i64) -> KeptEvent {
        KeptEvent {
            at,
            name: PURCHASE.to_owned(),
            amount: self.amount,
            currency: self.currency,
            verified: Some(self.is_verified),
            order: self.mark,
            products: self.products,
            ..KeptEvent::default()
        }
    }
}

/// The order of a payload that tells of nothing else.
pub(super) fn alone(payload: &BorrowedJson) -> Option<Order> {
    let order = Order::in_all_of(payload);
    (order.amount.is_some() && (order.mark.is_some() || order.currency.is_some())).then_some(order)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(event: &Value, payload: &Value) -> KeptEvent {
        let told = event.get("text").and_then(Value::as_str);
        Order::of(&BorrowedJson::from(event), Some(&BorrowedJson::from(payload)), told).event(7)
    }

    #[test]
    fn orders_are_read_in_the_words_of_many_services() {
        let kept =
            of(&json!({ "amount": 49.5, "currency": "eur", "orderId": "7", "products": ["2", 1, "2"] }), &json!({}));
        assert_eq!((kept.amount.as_deref(), kept.currency.as_deref()), (Some("49.5"), Some("EUR")));
        assert_eq!((kept.products, kept.verified), (vec!["1".to_owned(), "2".to_owned()], Some(false)));
        let same = [
            of(&json!({}), &json!({ "order": { "id": "7", "total": "49.5", "currencyCode": "EUR" } })),
            of(&json!({ "text": "7 49.5 EUR" }), &json!({})),
            of(&json!({ "order_id": 7, "value": 49.5 }), &json!({ "currency": "EUR", "items": [{ "id": 3 }] })),
        ];
        for other in same {
            assert_eq!((&other.order, &other.currency), (&kept.order, &kept.currency), "{other:?}");
            assert_eq!(other.amount, kept.amount);
        }
        // What an event says itself goes before what its payload says, each by itself.
        let whole = json!({ "orderId": "pay", "amount": 30, "currency": "NOK", "verified": true });
        for own in [
            json!({ "order": { "id": "7", "total": "49,5", "currency": "EUR" } }),
            json!({ "text": "7 49.5 EUR" }),
            json!({ "text": "7", "orderId": null, "amount": null, "total": 49.5, "currency": "EUR" }),
        ] {
            let told = of(&own, &whole);
            assert_eq!(
                (&told.order, &told.amount, &told.currency),
                (&kept.order, &kept.amount, &kept.currency),
                "{own}"
            );
            assert_eq!(told.verified, Some(false));
        }
        assert_eq!(of(&json!({ "order": { "verified": true } }), &json!({})).verified, Some(true));
        let bare = of(&json!({ "text": "thanks" }), &json!({ "amount": "much" }));
        assert_eq!((bare.amount, bare.currency, bare.order), (None, None, Some(mark("thanks"))));
        assert!(alone(&BorrowedJson::from(&json!({ "amount": 5 }))).is_none());
        assert!(alone(&BorrowedJson::from(&json!({ "amount": 5, "currency": "NOK" }))).is_some());
    }
}
