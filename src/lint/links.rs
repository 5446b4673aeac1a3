//! Whether the addresses of products lead where they should: L01. Asking them is for whoever has a network.

use std::collections::HashMap;

use url::Url;

use super::limits::Limits;
use super::problem::{Problem, Record};
use super::rule::Rule;
use super::tally::Tally;
use crate::domain::FoundProduct;

/// What should stand at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// The product's page.
    Page,
    /// A picture.
    Picture,
    /// A video.
    Video,
}

/// What a host answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkAnswer {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// Where redirects led to in the end.
    pub ended: Url,
}

/// The addresses of a product: each with its field and what should stand there.
#[must_use]
pub fn addresses(found: &FoundProduct) -> Vec<(String, LinkKind, &str)> {
    let product = &found.product;
    let mut all = vec![("productUrl".to_owned(), LinkKind::Page, product.product_url.as_str())];
    for (at, media) in product.media.iter().enumerate() {
        let of = |field: &str| super::look::of_media(at, field);
        all.extend(media.preview_url.as_deref().map(|url| (of("previewUrl"), LinkKind::Picture, url)));
        all.extend(media.video_url.as_deref().map(|url| (of("videoUrl"), LinkKind::Video, url)));
    }
    all.retain(|(_, _, url)| !url.trim().is_empty());
    all
}

/// What is wrong with an answer, in words; nothing where it is fine.
#[must_use]
pub fn judge(kind: LinkKind, asked: &Url, answer: &LinkAnswer) -> Option<String> {
    if answer.status >= 400 {
        return Some(format!("answers {}", answer.status));
    }
    let is_home = |url: &Url| matches!(url.path(), "" | "/") && url.query().is_none();
    if is_home(&answer.ended) && !is_home(asked) {
        return Some("leads to the home page".to_owned());
    }
    let called = answer.content_type.as_deref()?.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_right = match kind {
        LinkKind::Page => matches!(called.as_str(), "text/html" | "application/xhtml+xml"),
        LinkKind::Picture => called.starts_with("image/"),
        LinkKind::Video => called.starts_with("video/") || called.ends_with("mpegurl"),
    };
    // Bytes of no declared kind may be anything.
    let says_nothing = called.is_empty() || (kind != LinkKind::Page && called == "application/octet-stream");
    (!is_right && !says_nothing).then(|| format!("answers with {called}"))
}

/// The addresses of a catalog, as they are asked.
#[derive(Debug)]
pub struct Links {
    limits: Limits,
    tally: Tally,
    /// What was answered, by kind and address: each is asked once.
    known: HashMap<(LinkKind, String), Option<Result<(), String>>>,
}

impl Links {
    /// Nothing was asked yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, tally: Tally::default(), known: HashMap::new() }
    }

    /// Whether they are to be asked at all.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.limits.has(Rule::LinkDead)
    }

    /// The addresses of a product that were not asked yet.
    #[must_use]
    pub fn unasked(&self, found: &FoundProduct) -> Vec<(LinkKind, String)> {
        let all = addresses(found).into_iter().map(|(_, kind, url)| (kind, url.trim().to_owned()));
        let mut new: Vec<(LinkKind, String)> = all.filter(|key| !self.known.contains_key(key)).collect();
        new.dedup();
        new
    }

    /// Notes what came of an address: nothing where nobody answered.
    pub fn answered(&mut self, kind: LinkKind, address: String, answer: Option<&LinkAnswer>) {
        let verdict =
            answer.and_then(|answer| Some(judge(kind, &Url::parse(&address).ok()?, answer).map_or(Ok(()), Err)));
        self.known.insert((kind, address), verdict);
    }

    /// The problems of a product whose addresses were asked.
    pub fn product(&mut self, found: &FoundProduct) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut is_open = false;
        let record = Record::Product {
            store: found.product.app_url.clone(),
            id: found.product.external_product_id.as_str().to_owned(),
            title: Some(found.product.title.clone()),
        };
        for (field, kind, url) in addresses(found) {
            match self.known.get(&(kind, url.trim().to_owned())) {
                Some(Some(Ok(()))) => {}
                Some(Some(Err(wrong))) => {
                    let sentence = format!("{} {wrong}", url.trim());
                    problems.push(Problem::new(Rule::LinkDead, record.clone(), field, sentence));
                }
                _ => is_open = true,
            }
        }
        if let Some(counts) = self.tally.at(Rule::LinkDead) {
            counts.problems += u64::try_from(problems.len()).unwrap_or_default();
            if is_open && problems.is_empty() { counts.unchecked += 1 } else { counts.checked += 1 }
        }
        problems
    }

    /// What was checked.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::{Media, Product, StoreUrl};
    use crate::lint::Set;

    const HOME: &str = "https://shop.example/";

    fn found(number: usize) -> FoundProduct {
        let media = Media {
            preview_url: Some(format!("https://cdn.example/{number}.jpg")),
            video_url: Some(format!("https://cdn.example/{number}.mp4")),
            ..Media::default()
        };
        let product = Product {
            external_product_id: format!("p{number}").as_str().into(),
            app_url: StoreUrl::from("https://shop.example"),
            product_url: format!("https://shop.example/products/{number}"),
            media: vec![media],
            ..Product::default()
        };
        FoundProduct { product, ..FoundProduct::default() }
    }

    /// What each kind of address answers where all is well.
    fn fine(kind: LinkKind, address: &str) -> LinkAnswer {
        let called = match kind {
            LinkKind::Page => "text/html; charset=utf-8",
            LinkKind::Picture => "image/webp",
            LinkKind::Video => "video/mp4",
        };
        LinkAnswer { status: 200, content_type: Some(called.to_owned()), ended: Url::parse(address).unwrap() }
    }

    type Change = fn(&mut LinkAnswer);

    /// Of which kind of address what answer is wrong, and which one only looks so.
    fn cases() -> Vec<(LinkKind, Change, Change)> {
        use LinkKind::{Page, Picture, Video};
        vec![
            (Page, |a| a.status = 404, |a| a.status = 204),
            (Picture, |a| a.status = 503, |a| a.content_type = None),
            (Picture, |a| a.content_type = Some("text/html".into()), |a| a.content_type = Some("IMAGE/AVIF".into())),
            (
                Video,
                |a| a.content_type = Some("image/png".into()),
                |a| a.content_type = Some("application/octet-stream".into()),
            ),
            (
                Page,
                |a| a.content_type = Some("application/json".into()),
                |a| a.content_type = Some("application/xhtml+xml".into()),
            ),
            (
                Page,
                |a| a.ended = Url::parse(HOME).unwrap(),
                |a| a.ended = Url::parse("https://shop.example/no/products/1").unwrap(),
            ),
        ]
    }

    #[test]
    fn dead_links_are_found_and_live_ones_are_not() {
        for (nth, (changed, fault, decoy)) in cases().into_iter().enumerate() {
            let limits = Limits { sets: vec![Set::Deep], ..Limits::default() };
            let mut links = Links::new(limits);
            let (mut told, mut wrong) = (BTreeSet::new(), BTreeSet::new());
            for number in 0..200 {
                let found = found(number);
                for (kind, address) in links.unasked(&found) {
                    let mut answer = fine(kind, &address);
                    match number % 10 {
                        3 if kind == changed => fault(&mut answer),
                        6 if kind == changed => decoy(&mut answer),
                        _ => {}
                    }
                    links.answered(kind, address, Some(&answer));
                }
                if number % 10 == 3 {
                    wrong.insert(format!("p{number}"));
                }
                assert_eq!(links.unasked(&found), [], "each is asked once");
                told.extend(links.product(&found).iter().map(|problem| problem.record.id().to_owned()));
            }
            assert_eq!((wrong.len(), told), (20, wrong), "case {nth}");
        }
    }

    #[test]
    fn who_does_not_answer_is_counted_apart() {
        let mut links = Links::new(Limits { sets: vec![Set::Deep], ..Limits::default() });
        let found = found(1);
        for (kind, address) in links.unasked(&found) {
            links.answered(kind, address, None);
        }
        assert_eq!(links.product(&found), []);
        assert_eq!((links.tally().of(Rule::LinkDead).unchecked, links.tally().of(Rule::LinkDead).checked), (1, 0));
    }
}
