//! Following a search by its cursors.

use std::io::{self, Write as _};

use crate::api::SearchProducts;
use crate::cli::Failure;
use crate::domain::{Cursor, text};

/// One page written; where the next begins, if the service says there is one.
pub(super) struct Page {
    /// How many were written.
    pub(super) products: usize,
    /// Where the next page begins.
    pub(super) next: Option<Cursor>,
    /// Whether there is one, where the service said so.
    pub(super) more: Option<bool>,
}

/// A search followed to its end; one page is in memory at a time.
pub(super) struct Pages {
    request: SearchProducts,
    written: usize,
}

impl Pages {
    pub(super) fn new(request: SearchProducts) -> Self {
        Self { request, written: 0 }
    }

    /// Has one page after the other written, from the first to the last.
    pub(super) async fn follow(
        mut self,
        mut write: impl AsyncFnMut(&SearchProducts) -> Result<Page, Failure>,
    ) -> Result<(), Failure> {
        loop {
            let page = match write(&self.request).await {
                Ok(page) => page,
                Err(failure) => {
                    self.say_where(&failure);
                    return Err(failure);
                }
            };
            self.written += page.products;
            let next = match (page.more, page.next) {
                (Some(false), _) | (None, None) => return Ok(()),
                (_, Some(next)) => next,
                (Some(true), None) => {
                    let what = "the service says there is more, but gives no cursor";
                    return Err(Failure::Other(color_eyre::eyre::eyre!(what)));
                }
            };
            if self.request.0.cursor.as_ref() == Some(&next) {
                let what = "the service gives the same cursor again; it would never end";
                return Err(Failure::Other(color_eyre::eyre::eyre!(what)));
            }
            self.request.0.cursor = Some(next);
        }
    }

    /// Where a search that failed midway can go on.
    fn say_where(&self, failure: &Failure) {
        if let (Some(cursor), Some(_)) = (&self.request.0.cursor, failure.line())
            && self.written > 0
        {
            let (written, cursor) = (self.written, text::line(cursor.as_str()));
            let _ = writeln!(io::stderr(), "cutaway: {written} products were written; go on with --cursor {cursor}");
        }
    }
}
