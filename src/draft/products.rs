//! The products of steps: edits of them, and what two changes of them come to.

use std::collections::HashSet;

use super::edit::{Bench, Refused, quoted};
use super::refs::StepRef;
use super::sequence::{Side, sequence};
use crate::domain::StepProduct;

impl Bench<'_> {
    /// Puts products behind those that a step shows. What it shows already may be added again: a link given twice is kept.
    pub(super) fn add_products(
        &mut self,
        step: StepRef,
        added: &[StepProduct],
        title: &str,
    ) -> Result<String, Refused> {
        let content = self.content.step_mut(step).ok_or(Refused::NoStep)?;
        content.products.get_or_insert_default().extend_from_slice(added);
        Ok(format!("add {} to {}", quoted(title), self.label(step)))
    }

    /// Puts another in the place of a product, or takes it away.
    pub(super) fn change_product(
        &mut self,
        step: StepRef,
        at: usize,
        to: Option<&StepProduct>,
        title: &str,
    ) -> Result<String, Refused> {
        let products = self.content.step_mut(step).and_then(|content| content.products.as_mut());
        let products = products.ok_or(Refused::NoProduct)?;
        let place = products.get_mut(at).ok_or(Refused::NoProduct)?;
        match to {
            Some(to) => *place = to.clone(),
            None => drop(products.remove(at)),
        }
        let (title, label) = (quoted(title), self.label(step));
        Ok(match to {
            Some(_) => format!("change {title} at {label}"),
            None => format!("remove {title} from {label}"),
        })
    }
}

/// What two lists that came of one come to: whatever either side added, removed, moved or gave another time. None where
/// both changed the same, so that one of them has to be chosen.
pub(super) fn merged(base: &[StepProduct], mine: &[StepProduct], theirs: &[StepProduct]) -> Option<Vec<StepProduct>> {
    let mut known: Vec<(&StepProduct, usize)> = Vec::new();
    let [b, m, t] = [base, mine, theirs].map(|list| numbered(list, &mut known));
    let (order, conflict) = sequence(&b, &m, &t, Side::Mine);
    if conflict {
        return None;
    }
    let of = |list: &[usize], told: &[StepProduct], key: usize| {
        list.iter().position(|one| *one == key).and_then(|at| told.get(at)).cloned()
    };
    let mut merged = Vec::new();
    for key in order {
        merged.push(match (of(&b, base, key), of(&m, mine, key), of(&t, theirs, key)) {
            (_, Some(mine), Some(theirs)) if mine == theirs => mine,
            (Some(base), Some(mine), Some(theirs)) if base == theirs => mine,
            (Some(base), Some(mine), Some(theirs)) if base == mine => theirs,
            (None, Some(one), None) | (None, None, Some(one)) => one,
            _ => return None,
        });
    }
    let kept: HashSet<usize> = b.iter().copied().filter(|key| m.contains(key) && t.contains(key)).collect();
    // What one side removed must not be what the other one changed.
    let touched = |list: &[usize], told: &[StepProduct]| {
        b.iter().any(|key| !kept.contains(key) && list.contains(key) && of(list, told, *key) != of(&b, base, *key))
    };
    (!touched(&m, mine) && !touched(&t, theirs)).then_some(merged)
}

/// The products of a list by numbers: the same product has the same number in each list, the second of two that are the
/// same another one.
fn numbered<'a>(list: &'a [StepProduct], known: &mut Vec<(&'a StepProduct, usize)>) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(list.len());
    for (at, product) in list.iter().enumerate() {
        let nth = list.iter().take(at).filter(|before| before.is_same(product)).count();
        let found = known.iter().position(|(other, of)| *of == nth && other.is_same(product));
        numbers.push(found.unwrap_or_else(|| {
            known.push((product, nth));
            known.len() - 1
        }));
    }
    numbers
}

/// Products in one line, by their ids.
#[must_use]
pub fn products_told(products: &[StepProduct]) -> String {
    products.iter().map(|product| product.told(None)).collect::<Vec<_>>().join(", ")
}

pub(super) use products_told as told;
