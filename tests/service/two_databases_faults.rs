//! Faults that are planted in what PostgreSQL answers, to show that each would be seen.

use roaring::RoaringBitmap;
use serde_json::{Value, json};

use super::SAMPLE;
use crate::hosted::postgres;

/// Has no process know the bitmaps that it had.
const UNKNOWN: &str = "UPDATE store SET chunk_tokens = ''";

/// Takes one product out of a bitmap, as a lost update would.
fn lose_a_bit(place: &str) -> (String, String) {
    let row = "FROM posting WHERE term = 'wool' AND store = (SELECT min(id) FROM store) ORDER BY field LIMIT 1";
    let was = postgres::answer(place, &format!("SELECT encode(bits, 'hex') {row}"));
    let bytes: Vec<u8> =
        (0..was.len() / 2).map(|at| u8::from_str_radix(&was[at * 2..at * 2 + 2], 16).unwrap()).collect();
    let mut bits = RoaringBitmap::deserialize_from(&bytes[..]).unwrap();
    assert!(bits.remove(bits.min().unwrap()));
    let mut less = Vec::new();
    bits.serialize_into(&mut less).unwrap();
    let less: String = less.iter().map(|byte| format!("{byte:02x}")).collect();
    let change = |from: &str, to: &str| {
        format!("UPDATE posting SET bits = '\\x{to}' WHERE term = 'wool' AND bits = '\\x{from}'; {UNKNOWN}")
    };
    (change(&was, &less), change(&less, &was))
}

/// What is planted, and how it is taken back: a view stands where a table was, so the service's own statements are answered
/// as if they had been written wrongly.
pub(super) fn faults(place: &str) -> Vec<(&'static str, Value, String, String)> {
    let product = |inventory: &str, created: &str| {
        let plant = format!(
            "ALTER TABLE product RENAME TO product_kept; CREATE VIEW product AS SELECT id, store, external, version,
             published, {inventory} AS inventory, created, {created} AS provider_created, provider_updated
             FROM product_kept"
        );
        (plant, "DROP VIEW product; ALTER TABLE product_kept RENAME TO product".to_owned())
    };
    let by = |key: &str| json!({ "appUrl": SAMPLE, "limit": 5, "sortBy": key, "sortDirection": "asc" });
    let sort = product("-inventory", "provider_created");
    let nulls = product("inventory", "coalesce(provider_created, 0)");
    let tie = product("inventory * 2 + 1 - id % 2", "provider_created");
    let end = (
        format!(
            "ALTER TABLE posting RENAME TO posting_kept; CREATE VIEW posting AS SELECT * FROM posting_kept
             WHERE NOT (term > 'woo' AND term < 'wp'); {UNKNOWN}"
        ),
        format!("DROP VIEW posting; ALTER TABLE posting_kept RENAME TO posting; {UNKNOWN}"),
    );
    let bit = lose_a_bit(place);
    let word = |word: &str| json!({ "appUrl": SAMPLE, "limit": 500, "searchTerm": word });
    vec![
        ("sort", by("inventoryQuantity"), sort.0, sort.1),
        ("null order", by("providerCreatedAt"), nulls.0, nulls.1),
        ("tie", by("inventoryQuantity"), tie.0, tie.1),
        ("prefix end", word("wo"), end.0, end.1),
        ("lost bit", word("wool"), bit.0, bit.1),
    ]
}
