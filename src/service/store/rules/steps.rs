//! What steps are called, what is kept of them, and what their order may be, §2.8 and §4.4.

use std::collections::HashSet;

use crate::domain::{Answer, Finding, StepProduct};
use crate::service::store::StoreError;
use crate::service::wrong::{indices, wrong};

/// Letters and digits of a step's name, and how many of them it has, §2.8.
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const NAME_LETTERS: usize = 5;

/// A name that a step may have. Whether another step of the project has it is not known here.
///
/// # Errors
/// [`StoreError::Random`] where the operating system gives no dice.
pub(in crate::service::store) fn name() -> Result<String, StoreError> {
    let mut dice = [0_u8; NAME_LETTERS];
    getrandom::fill(&mut dice).map_err(|error| StoreError::Random(error.to_string()))?;
    let letters = dice.iter().filter_map(|throw| LETTERS.get(usize::from(*throw) % LETTERS.len()));
    Ok(letters.map(|letter| char::from(*letter)).collect())
}

/// Answers as they are kept: what §2.8 declares of them.
///
/// # Errors
/// [`StoreError::Document`] where they have no JSON form.
pub(in crate::service::store) fn answers_json(answers: &[Answer]) -> Result<String, StoreError> {
    let declared =
        |answer: &Answer| Answer { text: answer.text.clone(), next: answer.next.clone(), ..Answer::default() };
    Ok(serde_json::to_string(&answers.iter().map(declared).collect::<Vec<_>>())?)
}

/// Products as they are kept: without members that nobody declared.
///
/// # Errors
/// [`StoreError::Document`] where they have no JSON form.
pub(in crate::service::store) fn products_json(products: &[StepProduct]) -> Result<String, StoreError> {
    let declared = |product: &StepProduct| StepProduct { extra: serde_json::Map::new(), ..product.clone() };
    Ok(serde_json::to_string(&products.iter().map(declared).collect::<Vec<_>>())?)
}

/// Names every entry of an order that is no step of the project, or one that came before. `steps` has the number of the step
/// that each entry leads to, by name or id.
pub(in crate::service::store) fn check_order(steps: &[Option<i64>], found: &mut Vec<Finding>) {
    let (mut seen, places) = (HashSet::new(), indices(found, "/stepsOrder"));
    for (step, at) in steps.iter().zip(places) {
        let why = match step {
            None => "is neither the name nor the ID of a step of this project",
            Some(step) if !seen.insert(step) => "repeats an earlier step",
            Some(_) => continue,
        };
        wrong(found, &format!("/stepsOrder/{at}"), why);
    }
}

/// An order, as it is kept, without a step.
///
/// # Errors
/// [`StoreError::Document`] where it is no order.
pub(in crate::service::store) fn order_without(order: &str, name: &str, id: &str) -> Result<String, StoreError> {
    let mut order: Vec<String> = serde_json::from_str(order)?;
    order.retain(|entry| entry != name && entry != id);
    Ok(serde_json::to_string(&order)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_five_letters_or_digits() {
        for _ in 0..200 {
            let name = name().unwrap();
            assert!(name.len() == 5 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
        }
    }

    #[test]
    fn an_order_has_each_step_once() {
        let mut found = Vec::new();
        check_order(&[Some(1), Some(2)], &mut found);
        assert!(found.is_empty());
        check_order(&[Some(1), None, Some(1)], &mut found);
        assert_eq!(found.len(), 2);
        assert_eq!(order_without(r#"["a","b","c","a"]"#, "a", "c").unwrap(), r#"["b"]"#);
        assert!(order_without("{}", "a", "c").is_err());
    }
}
