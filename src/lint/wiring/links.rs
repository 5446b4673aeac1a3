//! Products on steps against the catalog: W01 to W04.

use super::offer::Offer;
use super::shelf::{Shelf, Stocked, meant};
use super::{Promise, Wired, Wiring, promise};
use crate::domain::{FoundProduct, Num, Product, StepProduct, Variant, are_sold_out};
use crate::graph::Leads;
use crate::lint::look::{number, said};
use crate::lint::problem::{Fix, Problem};
use crate::lint::rule::Rule;

/// A link of a step: where it is, and what it says.
#[derive(Clone, Copy)]
struct Link<'a> {
    wired: &'a Wired,
    step: usize,
    at: usize,
    to: &'a StepProduct,
}

impl Link<'_> {
    fn problem(self, rule: Rule, field: &str, sentence: String) -> Problem {
        let id = &self.to.product_id;
        let variant = self.to.variant_id.as_ref().map(|variant| format!("/{variant}")).unwrap_or_default();
        Problem::new(rule, self.wired.record(self.step, None), format!("products[{}]{field}", self.at), sentence)
            .about(format!("{id}{variant}{field}"))
            .reaching(self.wired.reach(self.step))
            .fixed_by(Fix::ChooseProducts)
    }
}

/// What a linked product is called in sentences.
fn called(product: &Product, link: &StepProduct) -> String {
    let title = product.title.trim();
    let title = if title.is_empty() { link.product_id.as_str() } else { title };
    match link.variant_id.as_ref().and_then(|_| meant(link, product).first().copied()).and_then(|v| v.title.clone()) {
        Some(variant) => format!("\"{title}\" ({variant})"),
        None => format!("\"{title}\""),
    }
}

impl Wiring {
    /// W01, W02, W03 of every link of a step.
    pub(super) fn links(&mut self, wired: &Wired, step: usize, stock: &Shelf, problems: &mut Vec<Problem>) {
        let links = wired.graph.node(step).map(|node| node.products.as_slice()).unwrap_or_default();
        for (at, link) in links.iter().enumerate() {
            let place = Link { wired, step, at, to: link };
            let found = Self::link(place, stock);
            for rule in [Rule::StepSellsSoldOut, Rule::StepSellsHidden, Rule::StepSellsWithout] {
                match found.iter().find(|(of, _)| *of == rule) {
                    Some((_, None)) => self.stand(rule, None),
                    told => self.stand(rule, Some(told.is_some())),
                }
            }
            problems.extend(found.into_iter().filter_map(|(rule, told)| told.filter(|_| self.has(rule))));
        }
    }

    /// What each rule has to say of a link; `None` beside a rule that can't tell.
    fn link(place: Link, stock: &Shelf) -> Vec<(Rule, Option<Problem>)> {
        let link = place.to;
        let open = |rules: &[Rule]| rules.iter().map(|rule| (*rule, None)).collect::<Vec<_>>();
        let hidden = |sentence: String| {
            let problem = place.problem(Rule::StepSellsHidden, "", sentence);
            let mut found = vec![(Rule::StepSellsHidden, Some(problem))];
            found.extend(open(&[Rule::StepSellsSoldOut, Rule::StepSellsWithout]));
            found
        };
        match stock.get(link) {
            _ if stock.is_elsewhere(link) => {
                hidden(format!("it shows product {} of another store, {}", link.product_id, link.store))
            }
            None | Some(Stocked::Unknown | Stocked::Elsewhere) => {
                open(&[Rule::StepSellsSoldOut, Rule::StepSellsHidden, Rule::StepSellsWithout])
            }
            Some(Stocked::Gone) => {
                let store = if link.store.is_same(stock.store()) { "the store" } else { link.store.as_str() };
                hidden(format!("it shows product {}, which {store} doesn't have", link.product_id))
            }
            Some(Stocked::There(offer)) => {
                let found = offer.found();
                let variants = meant(link, &found.product);
                // Without any variant, those of the product may have been left out.
                if variants.is_empty() && !found.product.variants.is_empty() {
                    let variant = link.variant_id.as_ref().map(ToString::to_string).unwrap_or_default();
                    let title = called(&found.product, link);
                    return hidden(format!("it shows variant {variant} of {title}, which the product doesn't have"));
                }
                let mut told = vec![sold_out(place, found, &variants)];
                told.push(publication(place, found));
                told.extend(missing(place, offer, &variants));
                told.into_iter().flatten().collect()
            }
        }
    }

    /// W04: what the answers of a step promise of prices.
    pub(super) fn promises(&mut self, wired: &Wired, step: usize, stock: &Shelf, problems: &mut Vec<Problem>) {
        if !self.has(Rule::AnswerNamesPrice) {
            return;
        }
        for (port, answer) in wired.graph.ports(step).iter().enumerate() {
            let Leads::Step(to) = answer.leads else { continue };
            let links = wired.graph.node(to).map(|node| node.products.as_slice()).unwrap_or_default();
            if links.is_empty() {
                continue;
            }
            let Some(promised) = promise(&answer.text) else { continue };
            for link in links {
                let broken = broken(&promised, link, stock);
                self.stand(Rule::AnswerNamesPrice, broken.as_ref().map(Result::is_err));
                let Some(Err((title, costs))) = broken else { continue };
                let text = answer.text.trim();
                let sentence = format!("answer \"{text}\" leads to {title}, which costs {costs}");
                let about = format!("{text} {}", link.product_id);
                let problem = Problem::new(
                    Rule::AnswerNamesPrice,
                    wired.record(step, Some(port)),
                    format!("answers[{port}].text"),
                    sentence,
                );
                problems.push(problem.about(about).reaching(wired.reach(step)));
            }
        }
    }
}

/// W01. Nothing where it is fine.
fn sold_out(place: Link, found: &FoundProduct, variants: &[&Variant]) -> Option<(Rule, Option<Problem>)> {
    match are_sold_out(variants.iter().copied()) {
        Some(false) => None,
        None => Some((Rule::StepSellsSoldOut, None)),
        Some(true) => {
            let sentence = format!("it shows {}, which is sold out", called(&found.product, place.to));
            Some((Rule::StepSellsSoldOut, Some(place.problem(Rule::StepSellsSoldOut, "", sentence))))
        }
    }
}

/// W02, as S04 and S05.
fn publication(place: Link, found: &FoundProduct) -> Option<(Rule, Option<Problem>)> {
    let product = &found.product;
    let why = if product.published_at.is_none() {
        "which is not published".to_owned()
    } else {
        let word = product.status.as_deref().map(str::trim).unwrap_or_default();
        if word.eq_ignore_ascii_case("active") {
            return None;
        }
        match ["draft", "archived"].into_iter().find(|odd| word.eq_ignore_ascii_case(odd)) {
            Some(word) => format!("whose status is {word}"),
            // What another word means nobody knows.
            None => return Some((Rule::StepSellsHidden, None)),
        }
    };
    let sentence = format!("it shows {}, {why}", called(product, place.to));
    Some((Rule::StepSellsHidden, Some(place.problem(Rule::StepSellsHidden, "", sentence))))
}

/// W03, as S07, S20 and S29.
fn missing(place: Link, offer: &Offer, variants: &[&Variant]) -> Vec<Option<(Rule, Option<Problem>)>> {
    let found = offer.found();
    let product = &found.product;
    let title = called(product, place.to);
    let told = |field: &str, sentence: String| {
        Some((Rule::StepSellsWithout, Some(place.problem(Rule::StepSellsWithout, field, sentence))))
    };
    let mut all = Vec::new();
    if variants.is_empty() {
        all.push(Some((Rule::StepSellsWithout, None)));
    } else if variants.iter().any(|variant| said(variant.price.as_ref()).and_then(number).is_none()) {
        all.push(told(".price", format!("it shows {title}, which has no price")));
    }
    if product.media.is_empty() {
        all.push(if found.media_count.0 > 0.0 {
            Some((Rule::StepSellsWithout, None))
        } else {
            told(".media", format!("it shows {title}, which has no picture"))
        });
    }
    if let Some(wrong) = offer.wrong_address() {
        all.push(told(".productUrl", format!("it shows {title}: {wrong}")));
    }
    // What is known to be wrong comes before what can't be told.
    all.sort_by_key(|one| one.as_ref().is_some_and(|(_, problem)| problem.is_none()));
    all
}

/// Whether a promise doesn't hold for a product: what that is called and costs. Nothing where it can't be told.
pub(super) fn broken(promised: &Promise, link: &StepProduct, stock: &Shelf) -> Option<Result<(), (String, String)>> {
    let Some(Stocked::There(offer)) = stock.get(link) else { return None };
    let product = &offer.found().product;
    let currency = said(product.currency_code.as_ref())?;
    if !promised.currencies.iter().any(|meant| meant.eq_ignore_ascii_case(currency)) {
        return None;
    }
    let prices: Vec<f64> =
        meant(link, product).into_iter().filter_map(|variant| number(variant.price.as_deref()?)).collect();
    // Who can have one of the variants for it was promised right.
    let least = prices.into_iter().min_by(f64::total_cmp)?;
    let is_kept = least <= promised.most + 0.005;
    Some(if is_kept { Ok(()) } else { Err((called(product, link), format!("{} {currency}", Num(least)))) })
}
