//! Variants as things that are told apart: S13, S15, S17 to S19.

use std::collections::HashSet;

use super::look::{Look, called, of_variant, said};
use super::rule::Rule;
use crate::domain::text::is_hostile;
use crate::domain::{SelectedOption, Variant};

impl Look<'_> {
    /// S13, S15, S17 to S19.
    pub(super) fn variants(&mut self) {
        let product = &self.found.product;
        for (at, variant) in product.variants.iter().enumerate() {
            self.sku(at, variant);
            self.picture_of(at, variant);
        }
        if product.variants.is_empty() {
            let rules = [Rule::SkuMissing, Rule::SkuOdd, Rule::SkuTwice, Rule::BarcodeTwice, Rule::VariantsAlike];
            for rule in rules {
                self.unknown(rule);
            }
        }
        self.alike();
        self.options();
    }

    fn sku(&mut self, at: usize, variant: &Variant) {
        let Some(sku) = said(variant.sku.as_ref()) else {
            let sentence = format!("{} has no SKU", called(variant, at));
            return self.tell(Rule::SkuMissing, of_variant(at, "sku"), sentence);
        };
        let whole = variant.sku.as_deref().unwrap_or_default();
        let odd = if whole != sku {
            Some("has blanks at an end")
        } else if sku.chars().any(is_hostile) {
            Some("has invisible or control characters")
        } else if is_disguised(sku) {
            Some("has letters that only look like Latin ones")
        } else {
            None
        };
        if let Some(odd) = odd {
            self.tell(Rule::SkuOdd, of_variant(at, "sku"), format!("the SKU of {} {odd}", called(variant, at)));
        }
    }

    fn alike(&mut self) {
        let mut seen: HashSet<Vec<(&str, &str)>> = HashSet::new();
        let product = &self.found.product;
        let mut twice = Vec::new();
        for (at, variant) in product.variants.iter().enumerate() {
            let Some(chosen) = &variant.selected_options else {
                self.unknown(Rule::VariantsAlike);
                continue;
            };
            let mut key: Vec<(&str, &str)> = chosen.iter().map(|one| (one.name.trim(), one.value.trim())).collect();
            key.sort_unstable();
            if !seen.insert(key) {
                twice.push(at);
            }
        }
        for at in twice {
            let Some(variant) = product.variants.get(at) else { continue };
            let chosen = variant.selected_options.as_deref().map(words).unwrap_or_default();
            let sentence = match chosen.as_str() {
                "" => format!("{} has no options, as another variant", called(variant, at)),
                chosen => format!("{} has the same options as another variant: {chosen}", called(variant, at)),
            };
            self.tell(Rule::VariantsAlike, of_variant(at, "selectedOptions"), sentence);
        }
    }

    /// Whether variants and options fit together.
    fn options(&mut self) {
        let product = &self.found.product;
        let Some(options) = &product.options else { return self.unknown(Rule::OptionAlien) };
        if product.variants.is_empty() {
            return self.unknown(Rule::OptionAlien);
        }
        let mut used: HashSet<(&str, &str)> = HashSet::new();
        let mut all_known = true;
        for (at, variant) in product.variants.iter().enumerate() {
            let Some(chosen) = &variant.selected_options else {
                all_known = false;
                continue;
            };
            for one in chosen {
                used.insert((one.name.trim(), one.value.trim()));
                let option = options.iter().find(|option| option.name.trim() == one.name.trim());
                let sentence = match option {
                    None => format!("{} has \"{}\", which is no option", called(variant, at), one.name),
                    Some(option) if !option.values.iter().any(|value| value.trim() == one.value.trim()) => {
                        let name = called(variant, at);
                        format!("{name} has {} \"{}\", which the option doesn't list", one.name, one.value)
                    }
                    Some(_) => continue,
                };
                self.tell(Rule::OptionAlien, of_variant(at, "selectedOptions"), sentence);
            }
            for option in options {
                if !chosen.iter().any(|one| one.name.trim() == option.name.trim()) {
                    let sentence = format!("{} has no {}", called(variant, at), option.name);
                    self.tell(Rule::OptionAlien, of_variant(at, "selectedOptions"), sentence);
                }
            }
        }
        if !all_known {
            return self.unknown(Rule::OptionAlien);
        }
        for (at, option) in options.iter().enumerate() {
            for value in &option.values {
                if !used.contains(&(option.name.trim(), value.trim())) {
                    let sentence = format!("no variant has {} \"{value}\"", option.name);
                    self.tell(Rule::OptionAlien, format!("options[{at}].values"), sentence);
                }
            }
        }
    }

    fn picture_of(&mut self, at: usize, variant: &Variant) {
        let Some(id) = said(variant.external_media_id.as_ref()) else { return };
        let media = &self.found.product.media;
        if media.is_empty() && self.found.media_count.0 > 0.0 {
            return self.unknown(Rule::VariantMediaLost);
        }
        if !media.iter().any(|one| one.external_media_id == id) {
            let sentence = format!("the picture of {} ({id}) is not among the product's", called(variant, at));
            self.tell(Rule::VariantMediaLost, of_variant(at, "externalMediaId"), sentence);
        }
    }
}

fn words(chosen: &[SelectedOption]) -> String {
    let words: Vec<String> = chosen.iter().map(|one| format!("{} {}", one.name, one.value)).collect();
    words.join(", ")
}

/// A letter of another script that looks like a Latin one in most fonts.
pub(super) fn looks_latin(c: char) -> bool {
    matches!(
        c,
        'А' | 'В'
            | 'Е'
            | 'К'
            | 'М'
            | 'Н'
            | 'О'
            | 'Р'
            | 'С'
            | 'Т'
            | 'У'
            | 'Х'
            | 'а'
            | 'е'
            | 'о'
            | 'р'
            | 'с'
            | 'у'
            | 'х'
            | 'Ѕ'
            | 'ѕ'
            | 'І'
            | 'і'
            | 'Ј'
            | 'ј'
            | 'ԁ'
            | 'һ'
            | 'ԛ'
            | 'ԝ'
            | 'Α'
            | 'Β'
            | 'Ε'
            | 'Ζ'
            | 'Η'
            | 'Ι'
            | 'Κ'
            | 'Μ'
            | 'Ν'
            | 'Ο'
            | 'Ρ'
            | 'Τ'
            | 'Υ'
            | 'Χ'
            | 'ο'
            | 'ν'
    )
}

/// Whether a code has letters that only look like Latin ones and none that couldn't be taken for one.
fn is_disguised(sku: &str) -> bool {
    let mut letters = sku.chars().filter(|c| c.is_alphabetic());
    sku.chars().any(looks_latin) && letters.all(|c| c.is_ascii() || looks_latin(c))
}

#[cfg(test)]
mod tests {
    use super::is_disguised;

    #[test]
    fn a_code_in_another_script_is_no_disguise() {
        assert!(is_disguised("SОCK-1") && is_disguised("АВС"), "Cyrillic О, А, В, С");
        assert!(!is_disguised("SOCK-1") && !is_disguised("ЩЖ-1") && !is_disguised("КИЇВ-3") && !is_disguised("靴-1"));
    }
}
