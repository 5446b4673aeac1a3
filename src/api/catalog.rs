//! The four catalog operations, §4.1.

use serde_json::Value;

use super::operation::{Operation, Payload};
use super::to_json;
use crate::domain::{Cursor, Finding, FoundProduct, Num, Product, ProductId, ProductSearch, Reader, StoreUrl};
use crate::shape;

shape! {
    /// `POST /products-service/getProduct`
    pub struct GetProduct {
        app_url: req StoreUrl => "appUrl",
        product_id: req ProductId => "productId",
        skip_variant_metafields: opt bool => "skipVariantMetafields",
    }
}

shape! {
    /// The answer of getProduct.
    pub struct GotProduct {
        product: null Product => "product",
    }
}

shape! {
    /// `POST /products-service/getProductMedia`
    pub struct GetProductMedia {
        app_url: req StoreUrl => "appUrl",
        product_id: req ProductId => "productId",
    }
}

/// `POST /products-service/searchProductsCursor`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchProducts(pub ProductSearch);

shape! {
    /// A page of searchProductsCursor.
    pub struct ProductPage {
        products: req Vec<FoundProduct> => "products",
        next_cursor: null Cursor => "nextCursor",
        has_more: req bool => "hasMore",
    }
}

impl Operation for SearchProducts {
    type Response = ProductPage;

    fn payload(&self) -> Payload {
        Payload::Json(to_json(&self.0))
    }
    fn read(body: &Value) -> (ProductPage, Vec<Finding>) {
        let (mut page, findings): (ProductPage, _) = Reader::read(body);
        // A service that does not say whether there is more says so with its cursor; silence is no "no".
        if body.get("hasMore").and_then(Value::as_bool).is_none() {
            page.has_more = page.next_cursor.as_ref().is_some_and(|cursor| !cursor.is_empty());
        }
        (page, findings)
    }
}

impl ProductPage {
    /// Where the next page begins, if there is one: where the service left out `hasMore`, its cursor says it.
    #[must_use]
    pub fn next(&self) -> Option<&Cursor> {
        self.next_cursor.as_ref().filter(|cursor| self.has_more && !cursor.is_empty())
    }
}

shape! {
    /// `POST /products-service/getProductsCount`
    pub struct CountProducts {
        app_url: req StoreUrl => "appUrl",
        strict: opt bool => "strict",
    }
}

shape! {
    /// The answer of getProductsCount.
    pub struct ProductsCount {
        total: req Num => "total",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_that_does_not_say_whether_there_is_more_goes_on_as_its_cursor_says() {
        let read = |rest: &str| {
            let body: Value = serde_json::from_str(&format!(r#"{{"products":[]{rest}}}"#)).unwrap();
            let (page, findings) = SearchProducts::read(&body);
            let unsaid = findings.iter().any(|finding| finding.path() == "hasMore");
            (page.next().map(ToString::to_string), unsaid)
        };
        let next = || Some("c".to_owned());
        assert_eq!(read(r#","nextCursor":"c","hasMore":true"#), (next(), false));
        assert_eq!(read(r#","nextCursor":"c""#), (next(), true));
        assert_eq!(read(r#","nextCursor":"c","hasMore":null"#), (next(), true));
        assert_eq!(read(r#","nextCursor":"c","hasMore":false"#), (None, false));
        assert_eq!(read(r#","nextCursor":"""#), (None, true));
        assert_eq!(read(r#","nextCursor":null,"hasMore":true"#), (None, false));
        let whole = json!({"products": [], "nextCursor": "c", "hasMore": true});
        assert_eq!(to_json(&SearchProducts::read(&whole).0), whole, "written as it is declared");
    }
}
