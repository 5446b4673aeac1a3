//! Following a search by its cursors.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;

use color_eyre::eyre::eyre;
use futures_util::future::join;

use crate::api::SearchProducts;
use crate::cli::{Failure, streams};
use crate::domain::{Cursor, text};

/// One page read; where the next begins, if the service says there is one.
pub(in crate::cli) struct Page {
    /// How many products it has.
    pub(in crate::cli) products: usize,
    /// Where the next page begins.
    pub(in crate::cli) next: Option<Cursor>,
    /// Whether there is one, where the service said so.
    pub(in crate::cli) more: Option<bool>,
}

impl Page {
    /// Where the next page begins; `None` at the end.
    ///
    /// # Errors
    /// Where the service contradicts itself, so that products would be missing without a word.
    pub(in crate::cli) fn into_next(self) -> Result<Option<Cursor>, Failure> {
        let contradicts = |what: &str| Err(Failure::Other(eyre!("the service says there is more, but {what}")));
        match (self.more, self.next) {
            (Some(false), _) | (None, None) => Ok(None),
            (Some(true), None) => contradicts("gives no cursor"),
            (Some(true), Some(_)) if self.products == 0 => contradicts("its page is empty; it may never end"),
            // Where a service says nothing, an empty page is its end.
            (None, Some(_)) if self.products == 0 => Ok(None),
            (_, Some(next)) => Ok(Some(next)),
        }
    }
}

/// A search followed to its end; one page is in memory at a time.
pub(in crate::cli) struct Pages {
    request: SearchProducts,
    written: usize,
    /// The hashes of every cursor that was followed: some services lead in a circle.
    followed: HashSet<u64>,
    hasher: RandomState,
}

impl Pages {
    pub(in crate::cli) fn new(request: SearchProducts) -> Self {
        let hasher = RandomState::new();
        let followed = request.0.cursor.iter().map(|cursor| hasher.hash_one(cursor)).collect();
        Self { request, written: 0, followed, hasher }
    }

    /// Has one page after the other written, from the first to the last; how many products that were.
    pub(in crate::cli) async fn follow(
        mut self,
        mut write: impl AsyncFnMut(&SearchProducts) -> Result<Page, Failure>,
    ) -> Result<usize, Failure> {
        loop {
            let page = match write(&self.request).await {
                Ok(page) => page,
                Err(failure) => {
                    self.say_where(&failure);
                    return Err(failure);
                }
            };
            if !self.advance(page)? {
                return Ok(self.written);
            }
        }
    }

    /// Has one page after the other read, and each taken while the next one is on its way: two are in memory at a time. Where
    /// one can't be read, those before it were taken.
    pub(in crate::cli) async fn read_ahead<A>(
        mut self,
        mut read: impl AsyncFnMut(&SearchProducts) -> Result<(A, Page), Failure>,
        mut take: impl AsyncFnMut(A) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut arrived = read(&self.request).await?;
        loop {
            let (answer, page) = arrived;
            match self.advance(page) {
                Ok(true) => {}
                last => {
                    take(answer).await?;
                    return last.map(drop);
                }
            }
            // What is asked for first is on its way while the page before it is taken.
            let (following, taken) = join(read(&self.request), take(answer)).await;
            taken?;
            arrived = following?;
        }
    }

    /// Goes on behind a page; whether there is more.
    fn advance(&mut self, page: Page) -> Result<bool, Failure> {
        self.written += page.products;
        let Some(next) = page.into_next()? else { return Ok(false) };
        if !self.followed.insert(self.hasher.hash_one(&next)) {
            let what = "the service gives the same cursor again; it would never end";
            return Err(Failure::Other(eyre!(what)));
        }
        self.request.0.cursor = Some(next);
        Ok(true)
    }

    /// Where a search that failed midway can go on.
    fn say_where(&self, failure: &Failure) {
        if let (Some(cursor), Some(_)) = (&self.request.0.cursor, failure.line())
            && self.written > 0
        {
            let (written, cursor) = (self.written, text::line(cursor.as_str()));
            let _ = writeln!(
                streams::errors(),
                "cutaway: {written} products were written; continue with --cursor {cursor}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Given = (usize, Option<&'static str>, Option<bool>);

    /// What following these pages comes to; the pages begin again when they are over.
    async fn follow(begin: Option<&str>, pages: &[Given]) -> Result<usize, String> {
        let mut request = SearchProducts::default();
        request.0.cursor = begin.map(Cursor::from);
        let mut given = pages.iter().cycle().take(100);
        let write = async |_: &SearchProducts| {
            let (products, next, more) = *given.next().expect("an end");
            Ok(Page { products, next: next.map(Cursor::from), more })
        };
        Pages::new(request).follow(write).await.map_err(|failure| failure.line().unwrap())
    }

    #[tokio::test]
    async fn a_search_ends_where_the_service_ends_it() {
        let (a, b, yes) = (Some("a"), Some("b"), Some(true));
        assert_eq!(follow(None, &[(2, a, yes), (1, None, Some(false))]).await, Ok(3));
        assert_eq!(follow(None, &[(2, a, None), (2, b, None), (1, None, None)]).await, Ok(5), "unsaid");
        assert_eq!(follow(None, &[(2, a, None), (0, b, None)]).await, Ok(2), "unsaid, and empty at the end");
        assert_eq!(follow(None, &[(2, a, Some(false))]).await, Ok(2));
    }

    #[tokio::test]
    async fn a_page_is_taken_while_the_next_one_is_on_its_way() {
        use std::cell::{Cell, RefCell};
        let (asked, taken) = (Cell::new(0), RefCell::new(Vec::new()));
        let arrives = tokio::sync::Notify::new();
        let read = async |_: &SearchProducts| {
            asked.set(asked.get() + 1);
            let nth = asked.get();
            if nth == 2 {
                // It does not arrive before the first one was taken.
                arrives.notified().await;
            }
            if nth == 4 {
                return Err(Failure::Other(eyre!("cut off")));
            }
            Ok((nth, Page { products: 1, next: Some(Cursor::from(format!("{nth}").as_str())), more: Some(true) }))
        };
        let take = async |nth: i32| {
            assert!(asked.get() > nth, "the next one was asked for before");
            taken.borrow_mut().push(nth);
            arrives.notify_one();
            Ok(())
        };
        let failure = Pages::new(SearchProducts::default()).read_ahead(read, take).await.unwrap_err();
        assert_eq!(failure.line().unwrap(), "cut off");
        assert_eq!(*taken.borrow(), [1, 2, 3], "what arrived was taken");
    }

    #[tokio::test]
    async fn a_search_that_would_never_end_is_an_error() {
        let (a, b, yes) = (Some("a"), Some("b"), Some(true));
        let same = |result: Result<usize, String>| result.unwrap_err().contains("same cursor");
        assert!(same(follow(None, &[(2, a, yes)]).await));
        assert!(same(follow(Some("a"), &[(2, a, yes)]).await), "the cursor that was begun with");
        assert!(same(follow(None, &[(2, a, yes), (2, b, yes)]).await), "in a circle");
        assert!(same(follow(None, &[(2, a, None), (2, b, None)]).await));
        assert!(follow(None, &[(2, a, yes), (0, b, yes)]).await.unwrap_err().contains("page is empty"));
        assert!(follow(None, &[(2, None, yes)]).await.unwrap_err().contains("no cursor"));
    }
}
