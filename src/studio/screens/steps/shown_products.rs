//! The products that steps show, as this screen names and marks them.

use super::Editor;
use super::catalog::{NOT_LOOKED_UP, Said};
use super::vocabulary::Turn;
use crate::domain::{StepProduct, text};
use crate::draft::{Merge, Spot, StepContent, StepRef};
use crate::graph::Graph;

impl Editor {
    /// The products of a step.
    pub(super) fn products_of(&self, step: StepRef) -> &[StepProduct] {
        self.draft.content().step(step).map(StepContent::products).unwrap_or_default()
    }

    /// A product of a step in words, with what is wrong about the link itself: another store, or given twice.
    pub(super) fn say_product(&self, step: StepRef, at: usize) -> Said {
        let products = self.products_of(step);
        let Some(product) = products.get(at) else { return Said::default() };
        let mut said = self.shared.catalog.say(product);
        if let Some(from) = product.from.filter(|from| from.0 > 0.0) {
            said.title = format!("{} from {from} s", said.title);
        }
        let is_twice = products.iter().take(at).any(|other| other.is_same(product));
        if said.wrong.is_empty() && is_twice {
            said.wrong = "shown twice";
        }
        let is_elsewhere = self.shared.catalog.is_of_other_store(product);
        if (said.wrong.is_empty() || said.wrong == NOT_LOOKED_UP) && is_elsewhere {
            said.wrong = "of another store";
        }
        said
    }

    /// Every product of a step, each in one line.
    pub(super) fn product_lines(&self, step: StepRef) -> Vec<String> {
        (0..self.products_of(step).len()).map(|at| self.say_product(step, at).line()).collect()
    }

    /// What products are called, for an edit's name.
    pub(super) fn product_titles(&self, products: &[StepProduct]) -> String {
        let title = |product: &StepProduct| self.shared.catalog.say(product).title;
        products.iter().map(title).collect::<Vec<_>>().join(", ")
    }

    /// The graph with products called by their titles, for whoever reads it elsewhere.
    pub(super) fn named_graph(&self) -> Graph {
        let mut graph = Graph::clone(&self.shown.graph);
        graph.name_products(|product| self.shared.catalog.listed_title(product));
        graph
    }

    /// Asks for what the catalog says of products that are shown and not known yet.
    pub(super) fn look_up_products(&mut self, turn: &mut Turn) {
        self.shared.catalog.look_up(turn);
    }

    /// Tells conflicts about products by their titles.
    pub(super) fn name_products(&self, merge: &mut Merge) {
        let spots: Vec<Spot> = merge.conflicts.iter().map(|conflict| conflict.spot).collect();
        for spot in spots {
            let Spot::Products(step) = spot else { continue };
            let told = self.draft.contested_products(merge, step).map(|products| self.told_products(&products));
            let [base, mine, theirs] = told;
            for conflict in merge.conflicts.iter_mut().filter(|conflict| conflict.spot == spot) {
                conflict.base.clone_from(&base);
                conflict.mine.clone_from(&mine);
                conflict.theirs.clone_from(&theirs);
            }
        }
    }

    fn told_products(&self, products: &[StepProduct]) -> String {
        let told =
            |product: &StepProduct| text::line(&product.told(self.shared.catalog.listed_title(product))).into_owned();
        products.iter().map(told).collect::<Vec<_>>().join(", ")
    }
}
