//! W07: what sells best, or what there is most of, is shown in a step.

use std::collections::BTreeSet;

use super::sample::{EACH, product, step, wired};
use super::tests::{each, hit, problems, sell_out};
use super::{Sellers, Wiring};
use crate::api::ProductSold;
use crate::domain::{FoundProduct, Num, Step};
use crate::lint::{Limits, Rule};

#[test]
fn what_there_is_most_of_should_be_shown() {
    let steps: Vec<Step> = (0..EACH).map(step).collect();
    let mut catalog: Vec<FoundProduct> = (0..10 * EACH).map(product).collect();
    let mut wrong = BTreeSet::new();
    for (number, found) in catalog.iter_mut().enumerate() {
        match number {
            // Many of them, and each is in a step.
            0..20 => each(found, |v| v.inventory_quantity = Some(Num(5000.0))),
            20..40 => {
                each(found, |v| v.inventory_quantity = Some(Num(900.0)));
                wrong.insert(format!("p{number}"));
            }
            // More of them, but not sold, or not counted.
            40..50 => {
                each(found, |v| v.inventory_quantity = Some(Num(9000.0)));
                found.product.published_at = None;
            }
            50..60 => {
                each(found, |v| (v.inventory_quantity, v.inventory_tracked) = (Some(Num(9000.0)), Some(false)));
            }
            _ => {}
        }
    }
    let (problems, _) = problems(&steps, &catalog);
    assert_eq!(hit(&problems, Rule::BestSellerNowhere), wrong);
}

/// W07 by revenue: of each currency those whose orders came to most, where they can be bought.
#[test]
fn what_most_was_paid_for_is_in_a_step() {
    let steps: Vec<Step> = (0..EACH).map(step).collect();
    let wired = wired(&steps);
    let sold = |number: usize, currency: &str, amount: f64| ProductSold {
        id: format!("p{number}"),
        currency: currency.to_owned(),
        orders: Num(2.0),
        amount: Num(amount),
        ..ProductSold::default()
    };
    let mut catalog: Vec<FoundProduct> = (0..10 * EACH).map(product).collect();
    for found in &mut catalog {
        each(found, |v| v.inventory_tracked = Some(false));
    }
    let (mut orders, mut wrong) = (Vec::new(), BTreeSet::new());
    for (number, found) in catalog.iter_mut().enumerate() {
        match number {
            // In two projects, and together the most of their currency.
            20..40 => {
                orders.extend([sold(number, "EUR", 300.0), sold(number, "EUR", 300.0)]);
                wrong.insert(format!("p{number}"));
            }
            // Few of a small currency are the most of it.
            40..60 => {
                orders.push(sold(number, "KWD", 1.0));
                wrong.insert(format!("p{number}"));
            }
            // The most, and each is in a step; as much of what can't be bought; less; nothing.
            0..20 => orders.push(sold(number, "NOK", 9000.0)),
            60..70 => {
                orders.push(sold(number, "SEK", 9000.0));
                found.product.published_at = None;
            }
            70..80 => {
                orders.push(sold(number, "SEK", 9000.0));
                each(found, |v| v.inventory_tracked = Some(true));
                sell_out(found);
            }
            80..100 => orders.push(sold(number, "EUR", 500.0)),
            100..120 => orders.push(sold(number, "", 0.0)),
            _ => {}
        }
    }
    // Of a product that the store doesn't have.
    orders.push(sold(100 * EACH, "EUR", 1e6));
    let mut sellers = Sellers::new(EACH, &orders);
    for found in &catalog {
        sellers.take(found);
    }
    let mut wiring = Wiring::new(Limits::default());
    let problems = sellers.end([&wired], &mut wiring);
    assert_eq!(hit(&problems, Rule::BestSellerNowhere), wrong);
    assert_eq!(
        problems.iter().find(|problem| problem.record.id() == "p20").unwrap().sentence,
        "4 verified orders with it came to 600 EUR, among the most of all, and no step shows it"
    );
}
