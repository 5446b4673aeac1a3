//! Products that texts name though they can't be had: W05. Works without any link.

use std::collections::HashMap;

use super::{Wired, Wiring};
use crate::domain::text::{fold, words};
use crate::domain::{FoundProduct, Product, ProductId};
use crate::graph::Leads;
use crate::lint::problem::{Problem, Reach, Record};
use crate::lint::rule::Rule;

/// A text that viewers read.
#[derive(Debug)]
struct Text {
    words: Vec<String>,
    record: Record,
    field: String,
    reach: Reach,
    /// The products that are shown where it stands or leads: what is wrong with those is reported of the link.
    linked: Vec<ProductId>,
    found: Vec<Match>,
}

/// A product's name in a text: which of its words, and whether the product can be had.
#[derive(Debug)]
struct Match {
    from: usize,
    to: usize,
    product: ProductId,
    title: String,
    stand: Stand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// It can be had, or that can't be told.
    Fine,
    Hidden,
    SoldOut,
}

/// Products of one name at one place that are told.
const MOST: usize = 5;

impl Text {
    /// Notes that it names a product at a place. One that can be had stands for all of its name; of others some are kept.
    fn note(&mut self, product: &Product, (from, to): (usize, usize), stand: Stand) {
        let id = &product.external_product_id;
        let is_here = |named: &&Match| (named.from, named.to) == (from, to);
        let is_fine = self.found.iter().filter(is_here).any(|named| named.stand == Stand::Fine);
        let is_known = self.found.iter().filter(is_here).any(|named| named.product == *id);
        if is_fine || is_known || (stand != Stand::Fine && self.linked.contains(id)) {
            return;
        }
        if stand == Stand::Fine {
            self.found.retain(|named| (named.from, named.to) != (from, to));
        } else if self.found.iter().filter(is_here).count() >= MOST {
            return;
        }
        self.found.push(Match { from, to, product: id.clone(), title: product.title.trim().to_owned(), stand });
    }
}

/// What texts of projects name. Of the catalog nothing is kept but what they do.
#[derive(Debug, Default)]
pub struct Named {
    texts: Vec<Text>,
    /// Where words begin: by the first word, texts and places.
    first: HashMap<String, Vec<(usize, usize)>>,
}

impl Named {
    /// The texts of projects.
    #[must_use]
    pub fn new<'a>(projects: impl IntoIterator<Item = &'a Wired>) -> Self {
        let mut named = Self::default();
        for wired in projects {
            for (step, node) in wired.graph.nodes().iter().enumerate() {
                let of = |step: usize| {
                    let products = wired.graph.node(step).map(|node| node.products.as_slice()).unwrap_or_default();
                    products.iter().map(|link| link.product_id.clone()).collect::<Vec<_>>()
                };
                named.add(wired, (step, None), &node.overlay, "overlayText".to_owned(), of(step));
                for (port, answer) in node.ports.iter().enumerate() {
                    let mut linked = of(step);
                    if let Leads::Step(to) = answer.leads {
                        linked.extend(of(to));
                    }
                    named.add(wired, (step, Some(port)), &answer.text, format!("answers[{port}].text"), linked);
                }
            }
        }
        named
    }

    fn add(
        &mut self,
        wired: &Wired,
        (step, port): (usize, Option<usize>),
        text: &str,
        field: String,
        linked: Vec<ProductId>,
    ) {
        let words: Vec<String> = words(&fold(text)).map(str::to_owned).collect();
        if words.is_empty() {
            return;
        }
        let at = self.texts.len();
        for (place, word) in words.iter().enumerate() {
            self.first.entry(word.clone()).or_default().push((at, place));
        }
        let (record, reach) = (wired.record(step, port), wired.reach(step));
        self.texts.push(Text { words, record, field, reach, linked, found: Vec::new() });
    }

    /// Whether there is no text to look for products in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Takes the next product of the catalog. Of products of one name, some are kept.
    pub fn take(&mut self, found: &FoundProduct) {
        if self.texts.is_empty() {
            return;
        }
        let product = &found.product;
        let folded = [fold(&product.title), fold(&product.handle)];
        for name in &folded {
            let mut of_name = words(name);
            let Some(places) = of_name.next().and_then(|first| self.first.get(first)) else { continue };
            let rest: Vec<&str> = of_name.collect();
            // One word alone is hardly a name: it can't be told from the word that people use.
            if rest.is_empty() {
                continue;
            }
            let stand = if product.published_at.is_none() {
                Stand::Hidden
            } else if product.is_sold_out() == Some(true) {
                Stand::SoldOut
            } else {
                Stand::Fine
            };
            for (text, place) in places {
                let Some(text) = self.texts.get_mut(*text) else { continue };
                let here = text.words.get(place + 1..).unwrap_or_default();
                if here.len() >= rest.len() && here.iter().zip(&rest).all(|(here, name)| here == name) {
                    text.note(product, (*place, place + 1 + rest.len()), stand);
                }
            }
        }
    }

    /// The catalog is not read: none of the texts can be told.
    pub fn untold(&self, wiring: &mut Wiring) {
        self.texts.iter().for_each(|_| wiring.stand(Rule::TextNamesGone, None));
    }

    /// What is wrong, once the catalog is read.
    pub fn end(self, wiring: &mut Wiring) -> Vec<Problem> {
        let mut problems = Vec::new();
        for text in self.texts {
            let mut told: Vec<&ProductId> = Vec::new();
            for named in text.found.iter().filter(|named| named.stand != Stand::Fine) {
                // A longer name, or the same of another product, that can be had is the one that is meant.
                let is_other = text
                    .found
                    .iter()
                    .any(|other| other.stand == Stand::Fine && other.from <= named.from && other.to >= named.to);
                if is_other || told.contains(&&named.product) {
                    continue;
                }
                told.push(&named.product);
                let is = if named.stand == Stand::Hidden { "not published" } else { "sold out" };
                let sentence = format!("it names \"{}\" ({}), which is {is}", named.title, named.product);
                let problem = Problem::new(Rule::TextNamesGone, text.record.clone(), text.field.clone(), sentence);
                let field = text.field.split('[').next().unwrap_or_default();
                problems.push(problem.about(format!("{field} {}", named.product)).reaching(text.reach));
            }
            wiring.stand(Rule::TextNamesGone, Some(!told.is_empty()));
        }
        problems.retain(|problem| wiring.has(problem.rule));
        problems
    }
}
