//! What this screen hears from the world and what it asks of it.

use serde_json::Value;

pub use super::answer::{Answer, ExportDraft, Turn};
use super::{Change, Facets, Row, Seen};
use crate::domain::{Analysis, Cursor, ExportColumn, Product, ProductId, ProductSearch, StoreUrl};
use crate::studio::ground::{Failure, RequestId};
use crate::studio::widgets::problems::{CheckReply, CheckRequest};

pub use crate::domain::ExportFormat;

/// A page of products, as rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where the next page begins; none at the end.
    pub next: Option<Cursor>,
    /// The values that filters can choose from, as this page holds them.
    pub seen: Seen,
    /// What of the page was not as the spec declares it, with its path. The first few.
    pub findings: Vec<String>,
    /// How many findings there were in all.
    pub findings_count: usize,
}

/// A product's record as it was sent and as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Which one.
    pub id: ProductId,
    /// As it was read.
    pub product: Product,
    /// As it was sent.
    pub raw: Value,
    /// The description as text, a paragraph a line, unwrapped.
    pub description: Vec<String>,
    /// What was not as the spec declares it.
    pub findings: Vec<String>,
}

/// How gathering what a search finds goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gathered {
    /// Some more of it.
    Some(Vec<ProductId>),
    /// That was all.
    All,
    /// The rest can't be had, and why.
    Failed(String),
}

/// What happened, for the Products screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A page of a search arrived, or did not.
    PageArrived {
        /// The question.
        request: RequestId,
        /// The page.
        page: Result<Page, Failure>,
    },
    /// The count of the store's products arrived.
    CountArrived {
        /// The question.
        request: RequestId,
        /// The count.
        total: Result<u64, Failure>,
    },
    /// A product's record arrived; `None` where the service knows none.
    ProductArrived {
        /// The question.
        request: RequestId,
        /// The record.
        product: Result<Option<Box<Record>>, Failure>,
    },
    /// A product's analysis arrived; `None` where there is none yet.
    AnalysisArrived {
        /// The question.
        request: RequestId,
        /// The analysis.
        analysis: Result<Option<Box<Analysis>>, Failure>,
    },
    /// The analysis of products in the list arrived, of those that were analyzed, or could not be had.
    FacetsArrived {
        /// The question.
        request: RequestId,
        /// What the analysis says of which product.
        facets: Result<Vec<(ProductId, Facets)>, String>,
    },
    /// Products found were gathered, to be marked.
    Gathered {
        /// The question.
        request: RequestId,
        /// Which, or how it ended.
        gathered: Gathered,
    },
    /// An export went on, or ended.
    Exported {
        /// Which one.
        request: RequestId,
        /// How many products are in.
        done: u64,
        /// How it ended: the file that was written, or why none was.
        ended: Option<Result<String, String>>,
    },
    /// What the list of the catalog's problems asked for.
    Check(CheckReply),
}

/// Which products are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportScope {
    /// Those that are marked.
    Marked,
    /// Those that the search finds, to its end.
    Found,
}

/// An export to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The searches whose products go in, each followed to its end.
    pub searches: Vec<ProductSearch>,
    /// The form.
    pub format: ExportFormat,
    /// The columns of a table.
    pub columns: Vec<ExportColumn>,
    /// The file, as the person typed it.
    pub file: String,
}

/// What the world should do for the Products screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask for a page of products.
    Search {
        /// What the reply is called.
        request: RequestId,
        /// What is asked.
        search: Box<ProductSearch>,
        /// Wait so long first, milliseconds: more is being typed.
        after_ms: u64,
    },
    /// Ask how many products a store has.
    Count {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
    },
    /// Ask for a product's record.
    FetchProduct {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Ask for a product's analysis.
    FetchAnalysis {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// How long the service may wait for it, milliseconds.
        timeout_ms: u32,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Ask for the analyses of products in the list.
    FetchFacets {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which ones.
        products: Vec<ProductId>,
        /// How long the service may wait for them, milliseconds.
        timeout_ms: u32,
    },
    /// Follow a search to its end for the ids of what it finds.
    Gather {
        /// What its reports are called.
        request: RequestId,
        /// The search, where it goes on.
        search: Box<ProductSearch>,
    },
    /// Write products to a file: whole, or not at all.
    Export {
        /// What its reports are called.
        request: RequestId,
        /// What, how and where.
        export: Box<Export>,
    },
    /// What the list of the catalog's problems asks.
    Check(CheckRequest),
    /// Remember something of the Products screen, for the next start.
    Remember(Box<Change>),
}
