//! What is worked out from the draft after every edit: the graph and its chart, the outline, what is wrong, the marks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::problems::{Met, Problems};
use super::{Cursor, Editor, Mode, Shown, outline};
use crate::domain::VideoId;
use crate::draft::Told;
use crate::graph::{Chart, Fault, Graph, Known};
use crate::studio::widgets::graph::Marks;

impl Editor {
    /// Works out what is shown of the draft; `again` lays the graph out again.
    pub(super) fn rebuild(&mut self, again: bool) {
        let draft = &self.draft;
        let Told { refs, steps, order } = draft.told();
        let graph = Graph::after(&self.shown.graph, &steps, &order);
        let at = refs.iter().enumerate().map(|(index, step)| (*step, index)).collect();
        let mut chart = std::mem::take(&mut self.shown.chart);
        let is_same = graph.has_same_steps(&self.shown.graph);
        if again {
            chart = Chart::new(&graph);
        } else if self.shown.refs.is_empty() || !is_same {
            chart.follow(&graph);
        }
        // Who comes where follows from the steps alone.
        let reaches = self.shown.reaches.take().filter(|_| is_same);
        let outline = outline::rows(&graph);
        let edits = draft.unsaved_edits();
        let checked = std::mem::take(&mut self.shown.checked);
        let shown =
            Shown { refs, at, graph: Arc::new(graph), chart, outline, edits, reaches, checked, ..Shown::default() };
        let before = std::mem::replace(&mut self.shown, shown);
        self.look_at_products(&before);
        self.check();
        self.settle_cursor();
    }

    /// Checks the project as it stands.
    pub(super) fn check(&mut self) {
        self.look_at_news();
        let library = self.shared.names.ids(self.shared.library.known());
        let meant: HashSet<String> = self.draft.content().head().meant.iter().cloned().collect();
        let seconds = self.seconds();
        let known = Known { library: library.as_deref(), meant: Some(&meant), seconds: Some(&seconds) };
        let wired = self.wired();
        let met = |fault: Arc<Fault>| {
            let reach = fault.step.map_or_else(|| wired.reaches.all(), |step| wired.reach(step));
            Met { fault, reach }
        };
        let found = wired.graph.check_again(&known, &mut self.shown.checked);
        let mut found: Vec<Met> = found.into_iter().map(met).collect();
        found.extend(self.linted(&wired, &seconds));
        found.retain(|met| !meant.contains(&met.key));
        self.take_problems(Problems::new(found));
        self.mark();
    }

    /// How long the videos run that the steps have, seconds, of those whose length is known.
    fn seconds(&mut self) -> HashMap<VideoId, f64> {
        let told = self.shared.names.lengths(self.shared.library.known());
        let measured = &self.shared.overview.lengths;
        let graph = &self.shown.graph;
        let videos = (0..graph.len()).filter_map(|step| graph.node(step)?.video.as_ref());
        let known = videos.filter_map(|id| {
            let ms = measured.get(id).or_else(|| told.get(id)).copied()?;
            Some((id.clone(), Duration::from_millis(ms).as_secs_f64()))
        });
        known.collect()
    }

    /// What is drawn on the cards beside what their steps hold.
    pub(super) fn mark(&mut self) {
        let videos = self.shared.names.of(self.shared.library.known());
        let mut marks = Marks { videos, products: Arc::clone(&self.shown.products), ..Marks::default() };
        marks.note(self.shown.problems.all().iter().map(|met| &*met.fault));
        for answer in &self.walked {
            if let Some((step, port, _)) = self.draft.content().answer(*answer)
                && let Some(step) = self.shown.at.get(&step)
            {
                marks.walked.insert(*step);
                marks.walked_answers.insert((*step, port));
            }
        }
        let labels = match &self.mode {
            Mode::Labels(labels) => Some(labels),
            Mode::Wire(wire) if !wire.dragged => Some(&wire.labels),
            _ => None,
        };
        for (step, letters) in labels.into_iter().flat_map(super::modes::labels::Labels::open) {
            marks.hints.insert(step, letters.to_owned());
        }
        self.shown.marks = marks;
        self.mark_uploads();
        self.mark_funnel();
    }

    /// Puts the cursor on something that exists.
    pub(super) fn settle_cursor(&mut self) {
        let first = self.shown.graph.first().and_then(|first| self.shown.step(first));
        let cursor = self.cursor.filter(|cursor| self.shown.at.contains_key(&cursor.step));
        self.cursor = cursor.or(first.map(|step| Cursor { step, port: None }));
        if let Some(cursor) = &mut self.cursor
            && let Some(step) = self.shown.at.get(&cursor.step)
        {
            let ports = self.shown.graph.ports(*step).len();
            cursor.port = cursor.port.map(|port| port.min(ports.saturating_sub(1))).filter(|_| ports > 0);
        }
    }
}
