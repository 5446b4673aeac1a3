//! Asking the addresses of products: `--deep`.

use futures_util::StreamExt as _;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use url::Url;

use crate::domain::FoundProduct;
use crate::lint::{LinkAnswer, Links};
use crate::runtime::checking::Asking;

/// Addresses that are asked beside each other.
const BESIDE: usize = 4;

/// Asks the addresses of a page of products that were not asked yet.
pub(super) async fn ask(asking: &Asking, links: &mut Links, products: &[FoundProduct]) {
    let mut wanted: Vec<_> = products.iter().flat_map(|found| links.unasked(found)).collect();
    wanted.sort_by(|(_, one), (_, other)| one.cmp(other));
    wanted.dedup();
    let answers = futures_util::stream::iter(wanted)
        .map(async |(kind, address)| {
            let answer = match Url::parse(&address) {
                Ok(url) => one(asking, &url).await,
                Err(_) => None,
            };
            (kind, address, answer)
        })
        .buffer_unordered(BESIDE);
    let answers: Vec<_> = answers.collect().await;
    for (kind, address, answer) in answers {
        links.answered(kind, address, answer.as_ref());
    }
}

/// What a host answers. Some know no HEAD: those are asked for the first byte.
async fn one(asking: &Asking, url: &Url) -> Option<LinkAnswer> {
    let (mut response, mut ended) = asking.follow(&Method::HEAD, url, &HeaderMap::new()).await?;
    if matches!(response.status().as_u16(), 403 | 405 | 501) {
        let headers = HeaderMap::from_iter([(RANGE, HeaderValue::from_static("bytes=0-0"))]);
        (response, ended) = asking.follow(&Method::GET, url, &headers).await?;
    }
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|called| called.to_str().ok()).map(str::to_owned);
    Some(LinkAnswer { status: response.status().as_u16(), content_type, ended })
}
