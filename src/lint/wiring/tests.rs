//! Every rule over projects finds each of 20 faults, and none of 20 look-alikes. What is expected was written down from the
//! table of the rules before they were.

use std::collections::BTreeSet;

use super::sample::{EACH, SECOND, STORE, link, product, step, wired};
use super::{Named, Reaches, Sellers, Shelf, Stocked, Wiring};
use crate::api::{AnswerFunnel, ProjectFunnel, StepFunnel};
use crate::domain::{Answer, FoundProduct, Num, Step, StepProduct, StoreUrl, Variant};
use crate::graph::Graph;
use crate::lint::{Limits, Problem, ReachOf, Rule};

/// What all rules find of a project with this catalog.
pub(super) fn problems(steps: &[Step], catalog: &[FoundProduct]) -> (Vec<Problem>, Wiring) {
    let wired = wired(steps);
    let stores = [STORE, SECOND].map(StoreUrl::from);
    let links = steps.iter().flat_map(|step| step.products.iter().flatten());
    let mut shelf = Shelf::new(StoreUrl::from(STORE), links).among(&stores);
    let mut wiring = Wiring::new(Limits { best_sellers: 2 * EACH, ..Limits::default() });
    let (mut named, mut sellers) = (Named::new([&wired]), Sellers::new(2 * EACH, []));
    for found in catalog {
        shelf.take(found);
        named.take(found);
        sellers.take(found);
    }
    for id in shelf.missing() {
        shelf.put(id, Stocked::Gone);
    }
    let mut problems = wiring.project(&wired, &shelf);
    problems.extend(named.end(&mut wiring));
    problems.extend(sellers.end([&wired], &mut wiring));
    (problems, wiring)
}

/// The steps, or the product where it is about none, that a rule names.
pub(super) fn hit(problems: &[Problem], rule: Rule) -> BTreeSet<String> {
    let of = problems.iter().filter(|problem| problem.rule == rule);
    of.map(|problem| problem.record.step().unwrap_or(problem.record.id()).to_owned()).collect()
}

type Change = fn(&mut Step, &mut FoundProduct);

pub(super) fn each(found: &mut FoundProduct, change: impl Fn(&mut Variant)) {
    found.product.variants.iter_mut().for_each(change);
}

fn say(step: &mut Step, text: impl Into<String>) {
    if let Some(answer) = step.answers.iter_mut().flatten().next() {
        answer.text = text.into();
    }
}

fn lead(step: &mut Step) -> &mut StepProduct {
    &mut step.products.as_mut().unwrap()[0]
}

pub(super) fn sell_out(found: &mut FoundProduct) {
    each(found, |v| v.inventory_quantity = Some(Num(0.0)));
}

/// The most of a text: a price that the product of the next step keeps, or doesn't.
fn number_of(step: &Step) -> usize {
    step.name.as_ref().unwrap().as_str().trim_start_matches('s').parse().unwrap()
}

/// What is wrong, and what only looks so. An answer leads to the next step, whose products cost 400 and 600 NOK.
#[allow(clippy::too_many_lines)] // It is a table.
fn cases() -> Vec<(Rule, Change, Change)> {
    use Rule as R;
    vec![
        // W01: the linked product is S01.
        (R::StepSellsSoldOut, |_, f| sell_out(f), |_, f| f.product.variants[0].inventory_quantity = Some(Num(0.0))),
        (
            R::StepSellsSoldOut,
            |s, f| {
                let variant = &mut f.product.variants[0];
                variant.inventory_quantity = Some(Num(-1.0));
                lead(s).variant_id = Some(variant.external_variant_id.clone());
            },
            |s, f| {
                f.product.variants[0].inventory_quantity = Some(Num(0.0));
                lead(s).variant_id = Some(f.product.variants[1].external_variant_id.clone());
            },
        ),
        (
            R::StepSellsSoldOut,
            |_, f| sell_out(f),
            |_, f| each(f, |v| (v.inventory_quantity, v.inventory_policy) = (Some(Num(0.0)), Some("CONTINUE".into()))),
        ),
        (
            R::StepSellsSoldOut,
            |_, f| sell_out(f),
            |_, f| each(f, |v| (v.inventory_quantity, v.inventory_policy) = (Some(Num(0.0)), Some("LATER".into()))),
        ),
        // W02: S04, S05, null, or another store.
        (R::StepSellsHidden, |_, f| f.product.published_at = None, |_, f| f.product.status = None),
        (
            R::StepSellsHidden,
            |_, f| f.product.status = Some("Archived".into()),
            |_, f| f.product.status = Some("PAUSED".into()),
        ),
        (
            R::StepSellsHidden,
            |s, _| lead(s).product_id = "nowhere".into(),
            |s, _| s.products.as_mut().unwrap().push(link(0)),
        ),
        (
            R::StepSellsHidden,
            |s, _| lead(s).store = StoreUrl::from("https://other.example"),
            |s, _| lead(s).store = StoreUrl::from("https://SHOP.example/"),
        ),
        (
            R::StepSellsHidden,
            |s, _| lead(s).store = StoreUrl::from("https://other.example"),
            |s, _| lead(s).store = StoreUrl::from(SECOND),
        ),
        (
            R::StepSellsHidden,
            |s, _| lead(s).variant_id = Some("nowhere".into()),
            |s, f| lead(s).variant_id = Some(f.product.variants[1].external_variant_id.clone()),
        ),
        (
            R::StepSellsHidden,
            |s, _| lead(s).variant_id = Some("nowhere".into()),
            |s, f| {
                // All its variants were left out.
                lead(s).variant_id = Some("nowhere".into());
                f.product.variants.clear();
            },
        ),
        // W03: S07, S20, S29.
        (
            R::StepSellsWithout,
            |_, f| f.product.variants[1].price = Some("ask us".into()),
            |_, f| f.product.variants[1].price = Some("0.00".into()),
        ),
        (
            R::StepSellsWithout,
            |_, f| f.product.variants[1].price = None,
            |s, f| {
                f.product.variants[1].price = None;
                lead(s).variant_id = Some(f.product.variants[0].external_variant_id.clone());
            },
        ),
        (
            R::StepSellsWithout,
            |_, f| {
                f.product.media.clear();
                f.media_count = Num(0.0);
            },
            |_, f| f.product.media.clear(),
        ),
        (
            R::StepSellsWithout,
            |_, f| f.product.product_url.push_str("-old"),
            |_, f| f.product.product_url.push_str("?variant=2"),
        ),
        // W04: an answer's price against the product of the step that it leads to.
        (R::AnswerNamesPrice, |s, _| say(s, "Under 399 kr"), |s, _| say(s, "Under 400 kr")),
        (R::AnswerNamesPrice, |s, _| say(s, "NOK 350 or less"), |s, _| say(s, "NOK 350 or more")),
        (R::AnswerNamesPrice, |s, _| say(s, "Only 99,-"), |s, _| say(s, "Size 99")),
        (R::AnswerNamesPrice, |s, _| say(s, "1–200 kr"), |s, _| say(s, "Under $200")),
        (R::AnswerNamesPrice, |s, _| say(s, "Max 300 kr"), |s, _| say(s, "Spar 300 kr")),
        // W05: a text names a product that can't be had, and that nothing links to.
        (
            R::TextNamesGone,
            |s, f| {
                f.product.published_at = None;
                s.overlay_text = Some(format!("Try the {}!", f.product.title.to_uppercase()));
                s.products = None;
            },
            |s, f| {
                s.overlay_text = Some(format!("Try the {}!", f.product.title));
                s.products = None;
            },
        ),
        (
            R::TextNamesGone,
            |s, f| {
                sell_out(f);
                say(s, format!("See {}", f.product.handle));
                s.products = None;
            },
            |s, f| {
                // A link to it tells what is wrong itself.
                sell_out(f);
                say(s, format!("See {}", f.product.handle));
            },
        ),
        (
            R::TextNamesGone,
            |s, f| {
                sell_out(f);
                s.overlay_text = Some(f.product.title.clone());
                s.products = None;
            },
            |s, f| {
                // Another word than the name's last.
                sell_out(f);
                s.overlay_text = Some(format!("{}0", f.product.title));
                s.products = None;
            },
        ),
    ]
}

#[test]
fn every_rule_finds_each_fault_and_no_look_alike() {
    for (nth, (rule, fault, decoy)) in cases().into_iter().enumerate() {
        let (mut steps, mut catalog) = (Vec::new(), Vec::new());
        let mut wrong = BTreeSet::new();
        for number in 0..10 * EACH {
            let (mut step, mut found) = (step(number), product(number));
            match number % 10 {
                3 => {
                    fault(&mut step, &mut found);
                    wrong.insert(format!("s{}", number_of(&step)));
                }
                6 => decoy(&mut step, &mut found),
                _ => {}
            }
            steps.push(step);
            catalog.push(found);
        }
        let (problems, wiring) = problems(&steps, &catalog);
        assert_eq!(wrong.len(), EACH);
        assert_eq!(hit(&problems, rule), wrong, "case {nth}, {rule:?}");
        assert!(problems.iter().all(|problem| problem.reach.is_some()), "case {nth}");
        assert_eq!(wiring.tally().of(rule).problems, u64::try_from(EACH).unwrap(), "case {nth}, {rule:?}");
        // A status that is missing or that nobody knows is no answer to whether the product is shown.
        let is_open = |found: &&FoundProduct| {
            let status = found.product.status.as_deref();
            !matches!(status, Some("ACTIVE" | "Archived")) && found.product.published_at.is_some()
        };
        let is_unknown = catalog.iter().filter(is_open).count();
        if is_unknown > 0 {
            let unchecked = wiring.tally().of(Rule::StepSellsHidden).unchecked;
            assert_eq!(unchecked, u64::try_from(is_unknown).unwrap(), "case {nth}, {rule:?}");
        }
    }
}

#[test]
fn a_project_of_which_nothing_is_wrong_has_no_problem() {
    let steps: Vec<Step> = (0..50).map(step).collect();
    let mut steps = steps;
    steps[49].answers.as_mut().unwrap()[0].next = None;
    let catalog: Vec<FoundProduct> = (0..50).map(product).collect();
    let (problems, wiring) = problems(&steps, &catalog);
    assert_eq!(problems, []);
    let of = |rule| (wiring.tally().of(rule).checked, wiring.tally().of(rule).unchecked);
    assert_eq!((of(Rule::StepSellsSoldOut), of(Rule::TextNamesGone)), ((50, 0), (100, 0)));
}

#[test]
fn endings_offer_something_where_many_come_to_them() {
    // 40 endings behind one step: each has a fortieth of the paths, but for those that lead to the same one.
    let limits = Limits { many_end: 0.02, ..Limits::default() };
    let next = (0..2 * EACH).map(|number| Some(format!("s{number}").as_str().into()));
    let answers = next.map(|next| Answer { text: "There".to_owned(), next, ..Answer::default() }).collect();
    let mut steps = vec![Step { name: Some("first".into()), answers: Some(answers), ..Step::default() }];
    let mut wrong = BTreeSet::new();
    for number in 0..2 * EACH {
        let mut end = Step { answers: Some(Vec::new()), products: None, ..step(number) };
        match number % 8 {
            1 => end.products = Some(vec![link(0)]),
            3 => end.overlay_text = Some("More at https://shop.example".to_owned()),
            5 => end.description = Some("Visit WWW.shop.example".to_owned()),
            // Not many come to either of these.
            7 => {
                let answer = |text: &str| Answer { text: text.to_owned(), ..Answer::default() };
                end.answers = Some(vec![answer("Bye, see www.shop.example"), answer("Bye")]);
            }
            _ => drop(wrong.insert(format!("s{number}"))),
        }
        steps.push(end);
    }
    let wired = wired(&steps);
    let mut wiring = Wiring::new(limits);
    let shelf = Shelf::new(StoreUrl::from(STORE), []);
    let problems = wiring.project(&wired, &shelf);
    assert_eq!((wrong.len(), hit(&problems, Rule::EndWithoutOffer)), (EACH, wrong));
    // The same, where too few come to each of them.
    assert_eq!(Wiring::new(Limits::default()).project(&wired, &shelf), []);
}

#[test]
fn what_cannot_be_told_is_counted_and_not_guessed() {
    let mut steps = vec![step(0), step(1)];
    say(&mut steps[0], "Under 100 kr");
    let mut odd = product(1);
    odd.product.status = None;
    odd.product.currency_code = None;
    each(&mut odd, |v| v.inventory_tracked = None);
    let wired = wired(&steps);
    let mut shelf = Shelf::new(StoreUrl::from(STORE), [&link(0), &link(1)]);
    shelf.take(&odd);
    let mut wiring = Wiring::new(Limits::default());
    let problems = wiring.project(&wired, &shelf);
    assert_eq!(hit(&problems, Rule::StepSellsSoldOut), BTreeSet::new());
    // The product that nobody could ask for, and the one whose fields are open.
    let open = |rule| wiring.tally().of(rule).unchecked;
    assert_eq!((open(Rule::StepSellsSoldOut), open(Rule::StepSellsHidden), open(Rule::AnswerNamesPrice)), (2, 2, 1));
}

#[test]
fn what_was_left_out_of_one_product_or_of_the_stores_is_not_missing() {
    let mut steps = vec![step(0), step(1)];
    lead(&mut steps[1]).store = StoreUrl::from("https://other.example");
    let wired = wired(&steps);
    let mut shelf = Shelf::new(StoreUrl::from(STORE), [&link(0)]);
    let mut bare = product(0).product;
    bare.media.clear();
    shelf.put("p0".into(), Stocked::of(Some(bare)));
    let mut wiring = Wiring::new(Limits::default());
    assert_eq!(wiring.project(&wired, &shelf), []);
    let open = |rule| wiring.tally().of(rule).unchecked;
    assert_eq!((open(Rule::StepSellsHidden), open(Rule::StepSellsWithout)), (1, 2));
}

/// Links to what is gone, of other stores and there twice: each is counted, and none hides another.
#[test]
fn each_link_of_a_step_is_counted_whatever_it_leads_to() {
    let mut odd = vec![step(0)];
    let of = |store: &str, id: &str| StepProduct {
        store: StoreUrl::from(store),
        product_id: id.into(),
        ..StepProduct::default()
    };
    let links = vec![
        link(0),
        StepProduct { from: Some(Num(3.0)), ..link(0) },
        of(STORE, "gone"),
        of(STORE, "gone"),
        of(SECOND, "p0"),
        of("https://other.example", "p0"),
        of("", ""),
    ];
    odd[0].products = Some(links.clone());
    let mut sold_out = product(0);
    sell_out(&mut sold_out);
    let (problems, wiring) = problems(&odd, &[sold_out]);
    let fields = |rule| {
        let of = problems.iter().filter(|problem: &&Problem| problem.rule == rule);
        of.map(|problem| problem.field.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(fields(Rule::StepSellsSoldOut), ["products[0]", "products[1]"]);
    let (gone, elsewhere) = (["products[2]", "products[3]"], ["products[5]", "products[6]"]);
    assert_eq!(fields(Rule::StepSellsHidden), [gone, elsewhere].concat());
    for rule in [Rule::StepSellsSoldOut, Rule::StepSellsHidden, Rule::StepSellsWithout] {
        let counts = wiring.tally().of(rule);
        assert_eq!(counts.checked + counts.unchecked, links.len() as u64, "{rule:?}");
    }
}

#[test]
fn of_many_products_of_one_name_a_few_are_told() {
    let mut steps = vec![step(0)];
    steps[0].overlay_text = Some("Try the felt hat model1".to_owned());
    steps[0].products = None;
    let gone = |number: usize| {
        let mut gone = product(1);
        gone.product.external_product_id = format!("twin{number}").as_str().into();
        sell_out(&mut gone);
        gone
    };
    let mut catalog: Vec<FoundProduct> = (0..1_000).map(gone).collect();
    let (found, _) = problems(&steps, &catalog);
    assert_eq!(found.iter().filter(|problem| problem.rule == Rule::TextNamesGone).count(), 5);
    // One of them can be had.
    catalog.push(product(1));
    assert_eq!(hit(&problems(&steps, &catalog).0, Rule::TextNamesGone), BTreeSet::new());
}

#[test]
fn names_of_other_products_are_not_taken_for_those_that_are_gone() {
    let mut steps = vec![step(0)];
    steps[0].overlay_text = Some("Take the felt hat model1 deluxe".to_owned());
    steps[0].products = None;
    let (mut gone, mut deluxe) = (product(1), product(2));
    sell_out(&mut gone);
    deluxe.product.title = "Felt hat model1 deluxe".to_owned();
    let (found, _) = problems(&steps, &[gone.clone(), deluxe]);
    assert_eq!(hit(&found, Rule::TextNamesGone), BTreeSet::new());
    let (found, _) = problems(&steps, &[gone.clone()]);
    assert_eq!(hit(&found, Rule::TextNamesGone), BTreeSet::from(["s0".to_owned()]));
    // A name of one word is hardly one.
    gone.product.title = "Take".to_owned();
    gone.product.handle = "take".to_owned();
    assert_eq!(hit(&problems(&steps, &[gone]).0, Rule::TextNamesGone), BTreeSet::new());
}

#[test]
fn reaches_are_those_of_viewers_where_some_were_counted() {
    let mut steps = vec![step(0), step(1)];
    let end = Answer { text: "Stop".to_owned(), ..Answer::default() };
    steps[0].answers.as_mut().unwrap().push(end);
    steps[1].answers = Some(Vec::new());
    let graph = Graph::new(&steps, &[]);
    let paths = Reaches::of(&graph, None).step(&graph, 1);
    assert_eq!((paths.share, paths.of), (0.5, ReachOf::Paths));
    let counted = |name: &str, seen: f64| StepFunnel {
        name: name.to_owned(),
        seen: Num(seen),
        answers: vec![
            AnswerFunnel { next: Some("s1".to_owned()), chosen: Num(20.0), ..AnswerFunnel::default() },
            AnswerFunnel { chosen: Num(60.0), ..AnswerFunnel::default() },
        ],
        ..StepFunnel::default()
    };
    let funnel = ProjectFunnel {
        visits: Num(100.0),
        steps: vec![counted("s0", 90.0), counted("s1", 20.0)],
        ..ProjectFunnel::default()
    };
    let reaches = Reaches::of(&graph, Some(&funnel));
    let (first, second) = (reaches.step(&graph, 0), reaches.step(&graph, 1));
    assert_eq!((first.share, second.share, second.of), (0.9, 0.2, ReachOf::Viewers));
    assert_eq!((reaches.end(&graph, 0).share, reaches.end(&graph, 1).share), (0.6, 0.2));
    assert_eq!(
        (first.told(), second.told()),
        ("90 of 100 viewers (83–94%)".into(), "20 of 100 viewers (13–29%)".into())
    );
    // An ending that one viewer came to is none that many come to; of half of them it is.
    let ends_of = |visits: f64, ended: f64| {
        let mut steps = funnel.steps.clone();
        (steps[0].seen, steps[1].seen) = (Num(visits), Num(ended));
        let funnel = ProjectFunnel { visits: Num(visits), steps, ..ProjectFunnel::default() };
        let mut bare = super::sample::wired(&[step(0), Step { answers: Some(Vec::new()), products: None, ..step(1) }]);
        bare.reaches = Reaches::of(&bare.graph, Some(&funnel));
        let mut wiring = Wiring::new(Limits::default());
        let found = wiring.endings(&bare).len();
        (found, wiring.tally().of(Rule::EndWithoutOffer).unchecked)
    };
    assert_eq!([ends_of(1.0, 1.0), ends_of(3.0, 1.0), ends_of(40.0, 20.0)], [(0, 1), (0, 1), (1, 0)]);
    // A step that is new: nobody could come to it.
    let mut steps = funnel.steps.clone();
    steps[1].seen = Num(0.0);
    let reaches = Reaches::of(&graph, Some(&ProjectFunnel { steps, ..funnel.clone() }));
    let (first, second) = (reaches.step(&graph, 0), reaches.step(&graph, 1));
    assert_eq!((first.of, second.share, second.of), (ReachOf::Viewers, 0.5, ReachOf::Paths));
    assert_eq!(reaches.end(&graph, 1).of, ReachOf::Paths);
    // Nobody came so far: the paths.
    let nobody = ProjectFunnel { visits: Num(0.0), ..funnel };
    assert_eq!(Reaches::of(&graph, Some(&nobody)).step(&graph, 1).of, ReachOf::Paths);
}
