//! Records as records: S33, S34, S36.

use jiff::{SignedDuration, Timestamp};

use super::look::{Look, moment, said};
use super::rule::Rule;
use crate::domain::text::{fold, words};
use crate::domain::{AnalysisStatus, AnalyzedType};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Clocks differ by less.
const SKEW: SignedDuration = SignedDuration::from_mins(5);

/// Analyses are given with how sure they are, from 0 to 1.
const SURE: f64 = 0.5;

/// Not more breaches than this of one product are told one by one.
const TOLD: usize = 5;

/// Words of product types and categories by the kind of an analysis. What is not listed is not compared.
const KINDS: [(AnalyzedType, &[&str]); 9] = [
    (AnalyzedType::Shoes, &["shoe", "shoes", "boot", "boots", "sandal", "sandals", "sneaker", "sneakers", "footwear"]),
    (AnalyzedType::Bottoms, &["trousers", "pants", "jeans", "shorts", "skirt", "skirts", "leggings"]),
    (AnalyzedType::Tops, &["shirt", "shirts", "t-shirt", "blouse", "blouses", "sweater", "sweaters", "top", "tops"]),
    (AnalyzedType::Outerwear, &["jacket", "jackets", "coat", "coats", "parka", "parkas", "outerwear"]),
    (AnalyzedType::Bags, &["bag", "bags", "backpack", "backpacks", "handbag", "handbags"]),
    (AnalyzedType::Furniture, &["furniture", "sofa", "sofas", "table", "tables", "chair", "chairs"]),
    (AnalyzedType::Jewelry, &["jewelry", "ring", "rings", "necklace", "necklaces", "earrings"]),
    (AnalyzedType::Cosmetics, &["cosmetics", "makeup", "skincare", "lipstick", "perfume"]),
    (AnalyzedType::Toys, &["toy", "toys", "puzzle", "puzzles"]),
];

impl Look<'_> {
    /// S33, S34 and S36; `breaches` are what reading the response found wrong with this product.
    pub(super) fn record(&mut self, breaches: &[(String, String)]) {
        self.analysis();
        self.times();
        for (field, what) in breaches.iter().take(TOLD) {
            self.tell(Rule::SpecBreach, field.clone(), format!("{field} {what}"));
        }
    }

    fn analysis(&mut self) {
        let product = &self.found.product;
        let Some(analysis) = &self.found.analysis else {
            let created = moment(&product.created_at);
            match (&self.found.analysis_status, created) {
                (Some(AnalysisStatus::Pending), Some(created)) if self.now.duration_since(created) > DAY => {
                    let sentence = "its analysis is pending, more than a day after it was added";
                    self.tell(Rule::AnalysisDisagrees, "analysisStatus", sentence);
                }
                _ => self.unknown(Rule::AnalysisDisagrees),
            }
            return;
        };
        let confidence = analysis.data.confidence.0;
        if confidence < SURE {
            let sentence = format!("its analysis is only {:.0}% sure", confidence * 100.0);
            self.tell(Rule::AnalysisDisagrees, "analysis.data.confidence", sentence);
        }
        if let (Some(analyzed), Some(updated)) = (moment(&analysis.updated_at), moment(&product.updated_at))
            && analyzed < updated
        {
            let sentence = "its analysis is older than the product's last change";
            self.tell(Rule::AnalysisDisagrees, "analysis.updatedAt", sentence);
        }
        let kind = said(product.product_type.as_ref());
        let category = product.category.as_ref().map(|category| category.name.as_str());
        let named: Vec<String> = [kind, category].into_iter().flatten().map(fold).collect();
        let named: Vec<&str> = named.iter().flat_map(|text| words(text)).collect();
        let of = |kind: &AnalyzedType| {
            let listed = KINDS.iter().find(|(listed, _)| listed == kind).map(|(_, words)| *words)?;
            Some(named.iter().any(|word| listed.contains(word)))
        };
        let own = &analysis.data.product_type;
        let other = KINDS.iter().map(|(kind, _)| kind).find(|kind| *kind != own && of(kind) == Some(true));
        if let (Some(false), Some(other)) = (of(own), other) {
            let sentence = format!("its analysis says {own}, its product type or category {other}");
            self.tell(Rule::AnalysisDisagrees, "analysis.data.productType", sentence);
        }
    }

    fn times(&mut self) {
        let product = &self.found.product;
        let Some(source) = product.provider_updated_at.as_deref().and_then(moment) else {
            return self.unknown(Rule::RecordOld);
        };
        if is_after(source, self.now, SKEW) {
            return self.tell(Rule::RecordOld, "providerUpdatedAt", "its last change at the shop is in the future");
        }
        match moment(&product.updated_at) {
            None => self.unknown(Rule::RecordOld),
            Some(updated) if is_after(source, updated, DAY) => {
                let sentence = "it was changed at the shop more than a day after the service last heard of it";
                self.tell(Rule::RecordOld, "updatedAt", sentence);
            }
            Some(_) => {}
        }
    }
}

/// Whether a moment comes after another by more than this.
fn is_after(moment: Timestamp, other: Timestamp, by: SignedDuration) -> bool {
    moment.duration_since(other) > by
}
