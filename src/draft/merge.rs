//! The three-way merge: what the draft started from, what it says, and what the service says by now.

use super::change::Change;
use super::conflict::{Conflict, Merge};
use super::content::Content;
use super::draft::Draft;
use super::merger::Merger;
use super::record::{Begun, Record};
use super::refs::StepRef;
use crate::domain::{Project, StepProduct};

impl Draft {
    /// Compares with a newer reading of the project. [`Self::settle`] comes first where a creation is open.
    #[must_use]
    pub fn merge(&self, theirs: Project) -> Merge {
        let mut fresh = self.fresh;
        let steps = theirs.steps.clone().or_else(|| self.base.project().steps);
        // It is the project that was asked for, whatever the service says of its id.
        let id = if self.base.id().is_empty() { theirs.id } else { self.base.id().clone() };
        // A service that tells no steps has not said that they are gone.
        let theirs = self.align(Project { id, steps, ..theirs }, &mut fresh);
        let mut merge = Merge { theirs, fresh, conflicts: Vec::new(), elsewhere: Vec::new() };
        let (_, conflicts, elsewhere) = self.merged(&merge);
        merge.conflicts = conflicts;
        merge.elsewhere = elsewhere;
        merge
    }

    /// Puts the draft on the newer reading, as the merge decides. It can be undone like an edit.
    pub fn rebase(&mut self, merge: &Merge) -> Record {
        let (after, ..) = self.merged(merge);
        let change = Some(Change::between(&self.now, &after)).filter(|change| !change.is_empty());
        let begun = Begun::of(self.workspace(), &merge.theirs, merge.fresh);
        self.keep(Record::Rebased(Box::new((begun, "take over what was changed elsewhere".to_owned(), change))))
    }

    /// The products of a step as the draft began with them, as it has them, and as the service has them by now.
    #[must_use]
    pub fn contested_products(&self, merge: &Merge, step: StepRef) -> [Vec<StepProduct>; 3] {
        let of = |content: &Content| content.step(step).map(|step| step.products().to_vec()).unwrap_or_default();
        [of(self.base.content()), of(&self.now), of(merge.theirs.content())]
    }

    fn merged(&self, merge: &Merge) -> (Content, Vec<Conflict>, Vec<String>) {
        let decided = merge.conflicts.iter().map(|conflict| (conflict.spot, conflict.side)).collect();
        let mut merger = Merger {
            draft: self,
            names: self.names(),
            theirs: &merge.theirs,
            decided,
            conflicts: Vec::new(),
            elsewhere: Vec::new(),
        };
        let content = merger.content();
        (content, merger.conflicts, merger.elsewhere)
    }
}
