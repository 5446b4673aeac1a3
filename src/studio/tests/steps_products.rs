//! Products on steps: searched for, added, given a variant and a time, seen wherever the step is.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::probe::{Probe, product};
use super::steps::sample;
use crate::api::{ProjectFunnel, StepFunnel};
use crate::domain::{Answer, Num, ProductId, Project, Reader, Step, StepProduct};
use crate::studio::ground::Failure;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps::{self, Listing};

const STORE: &str = "https://nordlys.example";

pub fn listing(at: usize, title: &str) -> Listing {
    Listing::of(&product(at, title))
}

/// The sample's quiz whose first step shows products.
pub fn quiz(products: &serde_json::Value) -> Project {
    let mut project = sample("Gift finder");
    let first = project.steps.as_mut().and_then(|steps| steps.first_mut()).unwrap();
    first.products = Some(Reader::read::<Vec<StepProduct>>(products).0);
    project
}

impl Probe {
    /// Answers the newest search for products to show.
    pub fn finds(&mut self, found: Vec<Listing>) -> &mut Self {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Steps(steps::Effect::FindProducts { request, .. }) => Some(*request),
            _ => None,
        });
        let request = asked.expect("a search for products");
        self.event(Event::Steps(steps::Event::ProductsFound { request, found: Ok(found) }))
    }

    /// Answers what was asked about products that steps show.
    pub fn looks_up(&mut self, answer: impl Fn(&ProductId) -> Result<Option<Listing>, Failure>) -> &mut Self {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Steps(steps::Effect::LookUp { request, store, products }) => {
                    let found: Result<Vec<Option<Listing>>, Failure> = products.iter().map(&answer).collect();
                    let found = found.map(|found| found.into_iter().flatten().collect());
                    self.event(Event::Steps(steps::Event::LookedUp { request, store, products, found }));
                }
                other => self.effects.push(other),
            }
        }
        self
    }

    pub fn products_of_first(&self) -> Vec<String> {
        let draft = self.model.screens.steps.draft().unwrap();
        let first = draft.refs()[0];
        draft.content().step(first).unwrap().products().iter().map(|product| product.told(None)).collect()
    }
}

#[test]
fn products_are_searched_added_set_and_removed() {
    let mut probe = Probe::new(120, 40);
    probe.open_project(sample("Gift finder"));
    probe.keys("B").finds(vec![listing(0, "Wool socks"), listing(1, "Felt slippers"), listing(2, "Mittens")]);
    insta::assert_snapshot!("products of a step, found", probe.screen());
    // Words are typed; Space in them is a space.
    probe.keys("warm x");
    let words = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::FindProducts { words, store, .. }) => Some((words.clone(), store.to_string())),
        _ => None,
    });
    assert_eq!(words, Some(("warm x".to_owned(), STORE.to_owned())));
    probe.finds(vec![listing(0, "Wool socks"), listing(1, "Felt slippers")]);
    // Enter leaves the words, Space selects both, Enter adds them.
    probe.keys("<enter><space><space><enter>");
    assert_eq!(probe.products_of_first(), ["0", "1"]);
    // On the first that the step shows: a variant, a time.
    probe.keys("<home>t2,5<enter>");
    assert_eq!(probe.products_of_first(), ["0 from 2.5 s", "1"]);
    probe.keys("t<backspace><backspace><backspace>soon<enter>");
    assert!(probe.shows("isn't a number of seconds"), "{}", probe.screen());
    probe.keys("v<down><enter>");
    assert!(probe.products_of_first()[0].contains("variant"), "{:?}", probe.products_of_first());
    probe.keys("<down>x");
    assert_eq!(probe.products_of_first().len(), 1);
    insta::assert_snapshot!("products of a step, shown", probe.screen());
    probe.keys("<esc>");
    insta::assert_snapshot!("products on a card", probe.screen());
    // Each is an edit of its own, by its title.
    probe.keys("u");
    assert!(probe.shows("remove “Felt slippers” from"), "{}", probe.screen());
    probe.keys("S");
    assert!(probe.shows("product") && probe.shows("Wool socks"), "{}", probe.screen());
}

#[test]
fn a_step_tells_its_products_wherever_it_is_shown() {
    let products = json!([
        { "store": STORE, "productId": "0" },
        { "store": STORE, "productId": "gone" },
        { "store": "https://elsewhere.example", "productId": "7" },
        { "store": STORE, "productId": "0", "from": 3 },
    ]);
    let mut probe = Probe::new(160, 50);
    probe.open_project(quiz(&products)).looks_up(|id| match id.as_str() {
        "0" => Ok(Some(listing(0, "Wool socks"))),
        "7" => Err(Failure::new("no such store")),
        _ => Ok(None),
    });
    let told = ["Wool socks", "gone · gone from the store", "7 · of another store", "Wool socks from 3 s"];
    // In the form, from where it is opened too, in play, in the outline and in what finds a step.
    probe.keys("<enter><tab><tab><tab><tab>");
    for line in told {
        assert!(probe.shows(line), "{line}\n{}", probe.screen());
    }
    probe.keys(" ");
    assert!(probe.shows("Products of") && probe.shows("shown twice"), "{}", probe.screen());
    probe.keys("<esc><esc>p");
    assert!(probe.shows("◆ Wool socks") && probe.shows("gone from the store"), "{}", probe.screen());
    probe.keys("<esc>t");
    assert!(probe.shows("◆ gone from the store · gone · +3"), "{}", probe.screen());
    probe.keys("t/wool soc");
    assert!(probe.shows("1 of "), "{}", probe.screen());
    probe.keys("<esc>");
    // Nothing of it was dropped, and nothing is to be saved.
    assert_eq!(probe.products_of_first().len(), 4);
    assert!(probe.model.screens.steps.draft().unwrap().is_saved());
    // Nothing is asked twice.
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::Steps(steps::Effect::LookUp { .. }))));
}

/// What the catalog says against a step is among the problems: gone to, fixed by choosing another product, ignored.
#[test]
fn problems_of_products_are_listed_fixed_and_ignored() {
    let sold_out = || {
        let mut found = product(0, "Wool socks");
        for variant in &mut found.product.variants {
            (variant.inventory_tracked, variant.inventory_quantity) = (Some(true), Some(Num(0.0)));
            variant.inventory_policy = Some("DENY".to_owned());
        }
        Listing::of(&found)
    };
    let products = json!([{ "store": STORE, "productId": "0" }, { "store": STORE, "productId": "gone" }]);
    let mut probe = Probe::new(160, 50);
    probe.open_project(quiz(&products)).looks_up(|id| Ok((id.as_str() == "0").then(sold_out)));
    let sentence = "it shows \"Wool socks\", which is sold out (100% of paths)";
    assert!(probe.shows(sentence), "{}", probe.screen());
    assert!(probe.shows("it shows product gone, which the store doesn't have (100% of paths)"), "{}", probe.screen());
    // Next and previous; the fix lets the person choose.
    let selected = |probe: &Probe, what: &str| {
        let screen = probe.screen();
        screen.split("─ Problems").nth(1).unwrap().lines().any(|line| line.contains('▌') && line.contains(what))
    };
    for _ in 0..20 {
        if selected(&probe, "sold out") {
            break;
        }
        probe.keys(".");
    }
    assert!(selected(&probe, "sold out") && probe.shows("choose another product"), "{}", probe.screen());
    // What is chosen takes its place, with one key, and is one edit.
    probe.keys("m");
    assert!(probe.shows("in place of Wool socks"), "{}", probe.screen());
    // Before anything was found, and where the step shows it already, that is said, and nothing changes.
    probe.keys("<enter>");
    assert!(probe.shows("Still searching"), "{}", probe.screen());
    probe.finds(Vec::new()).keys("<enter>");
    assert!(probe.shows("No product was found"), "{}", probe.screen());
    probe.keys("/a").finds(vec![sold_out(), listing(1, "Felt slippers")]).keys("<enter><enter>");
    assert!(probe.shows("The step shows Wool socks already"), "{}", probe.screen());
    assert_eq!(probe.products_of_first(), ["0", "gone"]);
    probe.keys("<down><enter>");
    assert_eq!(probe.products_of_first(), ["1", "gone"], "{}", probe.screen());
    assert!(!probe.shows(sentence) && probe.shows("Shows Felt slippers in place of Wool socks"), "{}", probe.screen());
    probe.keys("u");
    assert_eq!(probe.products_of_first(), ["0", "gone"]);
    for _ in 0..20 {
        if selected(&probe, "sold out") {
            break;
        }
        probe.keys(".");
    }
    probe.keys("m").finds(vec![listing(1, "Felt slippers")]).keys("<esc>");
    // Ignored, it is listed no more; undone, it is back. Another product in its place is no problem.
    for _ in 0..20 {
        if selected(&probe, "sold out") {
            break;
        }
        probe.keys(",");
    }
    probe.keys("M");
    assert!(!probe.shows(sentence), "{}", probe.screen());
    // What is ignored is saved as `cutaway lint --baseline` reads it.
    probe.keys(":save ignored<enter><enter>");
    let saved = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::Export { file, content, .. }) => Some((file.clone(), content.clone())),
        _ => None,
    });
    let (file, content) = saved.expect("a file");
    assert!(
        file == "known.txt" && content.lines().any(|line| line.starts_with("W01 ") && line.ends_with(" 0")),
        "{content}"
    );
    probe.keys("u");
    assert!(probe.shows(sentence), "{}", probe.screen());
}

/// What is wrong with a product itself is among the problems too, once, at the step that most come to: with a fix where another
/// product helps, and ignored under the name that the command line knows it by.
#[test]
fn problems_of_the_shop_are_listed_where_their_products_are_shown() {
    let odd = || {
        let mut found = product(0, "Wool socks");
        for variant in &mut found.product.variants {
            (variant.inventory_tracked, variant.inventory_quantity) = (Some(true), Some(Num(0.0)));
            variant.inventory_policy = Some("DENY".to_owned());
        }
        if let Some(first) = found.product.variants.first_mut() {
            first.inventory_quantity = Some(Num(2.0));
        }
        Listing::of(&found)
    };
    let products = json!([{ "store": STORE, "productId": "0" }]);
    let mut project = quiz(&products);
    let steps = project.steps.as_mut().unwrap();
    let twice = steps[0].products.clone();
    for step in steps {
        step.products.clone_from(&twice);
    }
    let mut probe = Probe::new(160, 50);
    probe.open_project(project).looks_up(|_| Ok(Some(odd())));
    let nearly_out = "\"Wool socks\": only 2 left to buy (100% of paths)";
    let rows = |probe: &Probe| probe.screen().matches(nearly_out).count();
    let go = |probe: &mut Probe, key: &str| {
        let selected =
            |probe: &Probe| probe.screen().lines().any(|line| line.contains('▌') && line.contains("only 2 left"));
        for _ in 0..30 {
            if !selected(probe) {
                probe.keys(key);
            }
        }
        assert!(selected(probe), "{}", probe.screen());
    };
    go(&mut probe, ".");
    assert!(rows(&probe) == 1 && probe.shows("choose another product"), "{}", probe.screen());
    probe.keys("m");
    assert!(probe.shows("in place of Wool socks"), "{}", probe.screen());
    probe.finds(vec![listing(1, "Felt slippers")]).keys("<esc>");
    go(&mut probe, ",");
    probe.keys("M");
    assert_eq!(rows(&probe), 0, "{}", probe.screen());
    probe.keys(":save ignored<enter><enter>");
    let saved = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::Export { content, .. }) => Some(content.clone()),
        _ => None,
    });
    let saved = saved.expect("a file");
    assert_eq!(saved.lines().filter(|line| line.starts_with("S02 ")).count(), 1, "{saved}");
    probe.keys("u");
    go(&mut probe, ".");
}

/// A question is about a product, not about its place: somebody else may remove what stands before it.
#[test]
fn an_answer_is_for_the_product_that_it_any_question_about() {
    let of = |ids: &[&str]| quiz(&ids.iter().map(|id| json!({ "store": STORE, "productId": id })).collect());
    for (theirs, expected, says) in
        [(&["1"][..], &["1"][..], "no longer shows this product"), (&["1", "0"], &["1", "0 from 4 s"], "")]
    {
        let mut probe = Probe::new(120, 40);
        probe.open_project(of(&["0", "1"])).keys("RB").finds(vec![listing(0, "Wool socks")]);
        probe.keys("<enter><home>t");
        assert!(probe.shows("Show from second"), "{}", probe.screen());
        probe.answer_steps(&of(theirs)).keys("4<enter>");
        assert_eq!(probe.products_of_first(), expected, "{}", probe.screen());
        assert!(probe.shows(says), "{}", probe.screen());
    }
}

#[test]
fn a_search_that_fails_says_why_and_one_that_is_late_changes_nothing() {
    let mut probe = Probe::new(80, 24);
    probe.open_project(sample("Gift finder")).keys("B");
    let first = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::FindProducts { request, .. }) => Some(*request),
        _ => None,
    });
    probe.keys("a").finds(vec![listing(0, "Wool socks")]);
    let late = steps::Event::ProductsFound { request: first.unwrap(), found: Ok(vec![listing(1, "Slippers")]) };
    probe.event(Event::Steps(late));
    assert!(probe.shows("Wool socks") && !probe.shows("Slippers"), "{}", probe.screen());
    probe.keys("b");
    let request = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::FindProducts { request, .. }) => Some(*request),
        _ => None,
    });
    let failed =
        steps::Event::ProductsFound { request: request.unwrap(), found: Err(Failure::new("the store is away")) };
    probe.event(Event::Steps(failed));
    assert!(probe.shows("Couldn't search: the store is away"), "{}", probe.screen());
}

/// A product that is fine, sold out, nearly sold out, hidden or gone, by its number.
fn stocked(id: &ProductId) -> Option<Listing> {
    let at: usize = id.as_str().parse().unwrap_or(0);
    let mut found = product(at, &format!("Product {at}"));
    let left = if at % 5 == 2 { 2.0 } else { 0.0 };
    if matches!(at % 5, 1 | 2) {
        for variant in &mut found.product.variants {
            (variant.inventory_tracked, variant.inventory_quantity) = (Some(true), Some(Num(left)));
            variant.inventory_policy = Some("DENY".to_owned());
        }
    }
    if at % 5 == 3 {
        found.product.published_at = None;
    }
    (at % 5 != 4).then(|| Listing::of(&found))
}

/// A project whose steps show these products and lead to these steps.
fn showing(steps: &[(Vec<u8>, Vec<u8>)]) -> Project {
    let step = |(at, (products, next)): (usize, &(Vec<u8>, Vec<u8>))| {
        let answers = next.iter().enumerate().map(|(nth, next)| Answer {
            text: if nth == 0 { "Under 5 kr".to_owned() } else { format!("Answer {nth}") },
            next: Some(format!("s{next}")),
            ..Answer::default()
        });
        let shown = products.iter().map(|id| StepProduct {
            store: STORE.into(),
            product_id: id.to_string().as_str().into(),
            ..StepProduct::default()
        });
        Step {
            id: Some(format!("i{at}").as_str().into()),
            name: Some(format!("s{at}").as_str().into()),
            answers: Some(answers.collect()),
            products: Some(shown.collect()),
            ..Step::default()
        }
    };
    let steps_order = Some((0..steps.len()).map(|at| format!("s{at}")).collect());
    let steps = Some(steps.iter().enumerate().map(step).collect());
    Project { id: "p".into(), steps, steps_order, ..Project::default() }
}

/// The same with what viewers did shown on the graph: an edit puts neither problems nor numbers of another step into words.
#[test]
fn an_edit_of_one_step_words_nothing_of_another() {
    let keys = ["J", "n", "u", "d", "u", "<down>", "xu", "K", "<ctrl-r>", "c"];
    let worded = |count: u8| -> Vec<u64> {
        let steps: Vec<(Vec<u8>, Vec<u8>)> = (0..count).map(|at| (vec![at, at + 1, at + 2], vec![at + 1])).collect();
        let mut probe = Probe::new(120, 40);
        probe.open_project(showing(&steps)).looks_up(|id| Ok(stocked(id))).keys(";");
        let asked = probe.effects.iter().rev().find_map(|effect| match effect {
            Effect::Steps(steps::Effect::Funnel { request, .. }) => Some(*request),
            _ => None,
        });
        let seen = |at: u8| StepFunnel {
            name: format!("s{at}"),
            seen: 100u32.into(),
            left: 40u32.into(),
            ..StepFunnel::default()
        };
        let funnel =
            ProjectFunnel { visits: 100u32.into(), steps: (0..count).map(seen).collect(), ..ProjectFunnel::default() };
        probe.event(Event::Steps(steps::Event::Funnel { request: asked.unwrap(), funnel: Ok(Arc::new(funnel)) }));
        let read = crate::studio::shell::reading(&probe.model).join("\n");
        assert!(read.contains("of 100 left"), "{read}");
        let mut cost = |key: &str| {
            let before = steps::worded();
            probe.keys(key);
            steps::worded() - before
        };
        keys.iter().map(|key| cost(key)).collect()
    };
    let few = worded(12);
    assert_eq!(few, worded(120));
    assert!(few.iter().all(|worded| *worded < 60), "{few:?}");
}

/// Each of these keys changes the project; what it costs must not grow with the products of other steps.
#[test]
fn an_edit_of_one_step_looks_at_no_product_of_another() {
    let keys = ["J", "n", "u", "d", "u", "<down>", "xu", "K", "<ctrl-r>", "c"];
    let looks = |count: u8| -> Vec<u64> {
        let steps: Vec<(Vec<u8>, Vec<u8>)> = (0..count).map(|at| (vec![at, at + 1, at + 2], vec![at + 1])).collect();
        let mut probe = Probe::new(120, 40);
        probe.open_project(showing(&steps)).looks_up(|id| Ok(stocked(id)));
        let mut cost = |key: &str| {
            let before = steps::looks();
            probe.keys(key);
            steps::looks() - before
        };
        keys.iter().map(|key| cost(key)).collect()
    };
    let few = looks(12);
    assert_eq!(few, looks(120));
    assert!(few.iter().all(|looks| *looks < 120), "{few:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 500, ..ProptestConfig::default() })]

    /// What is kept of each step from one edit to the next is what looking at all of them again finds.
    #[test]
    fn what_is_kept_of_steps_is_what_all_of_it_comes_to(
        steps in prop::collection::vec((prop::collection::vec(0u8..20, 0..4), prop::collection::vec(0u8..9, 0..4)), 1..8),
        keys in prop::collection::vec(prop::sample::select(vec![
            "J", "K", "n", "u", "<ctrl-r>", "d", "x", "x<down><enter>", "<down>", "<up>", "<right>", "<left>", "i", "c", "[", "]", ".", ",", "m",
            "M", "<esc>", "r", "aUnder 3 kr<enter>", "eUnder 900 kr<enter>", "w2", "w1", "B<down><enter><esc>",
        ]), 1..30),
    ) {
        let project = showing(&steps);
        let mut probe = Probe::new(120, 40);
        probe.open_project(project.clone());
        for (at, key) in keys.into_iter().enumerate() {
            probe.keys(key);
            if at % 3 == 0 {
                probe.answer_steps(&project).looks_up(|id| Ok(stocked(id)));
            }
            if let Some([kept, again]) = probe.model.screens.steps.found_twice() {
                prop_assert_eq!(kept, again);
            }
        }
    }
}

/// A product of another store is looked up there, and never taken for one of the store that is worked in.
#[test]
fn products_of_other_stores_are_problems_as_the_lint_has_them() {
    let (second, nobody) = ("https://second.example", "https://nobody.example");
    let products = json!([
        { "store": STORE, "productId": "0" },
        { "store": second, "productId": "0" },
        { "store": second, "productId": "1" },
        { "store": nobody, "productId": "7" },
    ]);
    let mut probe = Probe::new(160, 50);
    probe.open_project(quiz(&products));
    for effect in std::mem::take(&mut probe.effects) {
        let Effect::Steps(steps::Effect::LookUp { request, store, products }) = effect else { continue };
        let found = match store.as_str() {
            STORE => Ok(vec![listing(0, "Wool socks")]),
            "https://second.example" => Ok(vec![listing(1, "Mittens")]),
            _ => Err(Failure { missing: true, ..Failure::new("appUrl is not a store of this workspace") }),
        };
        probe.event(Event::Steps(steps::Event::LookedUp { request, store, products, found }));
    }
    let screen = probe.screen();
    assert!(screen.contains("it shows product 0, which https://second.example doesn't have"), "{screen}");
    assert!(screen.contains("it shows product 7 of another store, https://nobody.example"), "{screen}");
    assert!(!screen.contains("which the store doesn't have"), "the own one is there\n{screen}");
}
