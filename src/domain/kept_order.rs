//! Orders in webhook events about visits: under the names that shops and services give their members, or in the words of our
//! own service. Of the order's number only a mark is kept, which tells it from others.

use super::BorrowedJson;
use super::kept_event::{KeptEvent, PURCHASE, member, text};

/// Events that tell of an order.
const ORDERS: [&str; 6] =
    [PURCHASE, "conversion", "order", "order_completed", "purchase_completed", "checkout_completed"];
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

fn amount(object: &BorrowedJson) -> Option<String> {
    let amount = text(object, &["amount", "total", "totalPrice", "total_price", "revenue", "value", "price"])?;
    Some(amount).filter(|amount| amount.parse::<f64>().is_ok_and(f64::is_finite))
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
        BorrowedJson::Text(id) => Some(id.clone().into_owned()),
        BorrowedJson::Number(id) => Some(id.to_string()),
        one => text(one, &["productId", "product_id", "externalProductId", "id"]),
    };
    let mut ids: Vec<String> = list.iter().filter_map(id).filter(|id| id.len() <= 200).take(MOST_PRODUCTS).collect();
    ids.sort();
    ids.dedup();
    Some(ids)
}

impl Order {
    /// What an event says of it, and where that says nothing the payload. `told` is the text of an event of our service:
    /// `1001 499.5 NOK`.
    pub fn of(event: &BorrowedJson, payload: &BorrowedJson, told: Option<&str>) -> Self {
        let within = |object| member(object, &["order", "conversion", "purchase"]);
        let (in_event, in_payload) = (within(event), within(payload));
        let places: Vec<&BorrowedJson> =
            [Some(event), in_event, Some(payload), in_payload].into_iter().flatten().collect();
        let number = |object: &&BorrowedJson| {
            text(
                object,
                &["orderId", "order_id", "order", "orderNumber", "order_number", "transactionId", "transaction_id"],
            )
        };
        let own = || in_event.into_iter().chain(in_payload).find_map(|order| text(order, &["id"]));
        let number = places.iter().find_map(number).or_else(own);
        let mut order = Self {
            mark: number.as_deref().map(mark),
            amount: places.iter().find_map(|place| amount(place)),
            currency: places.iter().find_map(|place| currency(place)),
            products: places.iter().find_map(|place| products(place)).unwrap_or_default(),
            is_verified: event.get("verified") == Some(&BorrowedJson::Bool(true)),
        };
        if order.amount.is_none() && order.currency.is_none() {
            let mut words: Vec<&str> = told.unwrap_or_default().split_whitespace().collect();
            order.currency = words.pop_if(|word| is_code(word)).map(str::to_owned);
            let is_amount = |word: &mut &str| word.parse::<f64>().is_ok_and(f64::is_finite);
            if order.currency.is_some() {
                order.amount = words.pop_if(is_amount).map(str::to_owned);
            }
            let number = words.join(" ");
            if order.mark.is_none() && !number.is_empty() {
                order.mark = Some(mark(&number));
            }
        }
        order
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
    let order = Order::of(payload, payload, None);
    (order.amount.is_some() && (order.mark.is_some() || order.currency.is_some())).then_some(order)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(event: &Value, payload: &Value) -> KeptEvent {
        let told = event.get("text").and_then(Value::as_str);
        Order::of(&BorrowedJson::from(event), &BorrowedJson::from(payload), told).event(7)
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
        let bare = of(&json!({ "text": "thanks" }), &json!({ "amount": "much" }));
        assert_eq!((bare.amount, bare.currency, bare.order), (None, None, Some(mark("thanks"))));
        assert!(alone(&BorrowedJson::from(&json!({ "amount": 5 }))).is_none());
        assert!(alone(&BorrowedJson::from(&json!({ "amount": 5, "currency": "NOK" }))).is_some());
    }
}
