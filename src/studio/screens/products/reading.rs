//! The Products screen as lines of text: for plain mode, for screen readers, for tests.

use super::view::count_words;
use super::{Fetch, Focus, Products};
use crate::studio::ground::Moment;
use crate::studio::widgets::Piece;
use crate::studio::widgets::time::ago;

impl Products {
    /// The rows of the filters where they have the keys, and which is current: the list is beside them.
    pub(super) fn listed_filters(&self) -> Option<(Vec<String>, usize)> {
        let panel = self.panel.as_ref().filter(|_| self.focus == Focus::Filters)?;
        let mut lines = Vec::new();
        panel.reading(&self.query, &mut lines);
        let rows: Vec<String> = lines.into_iter().filter(|line| line.starts_with(['>', ' '])).collect();
        let current = rows.iter().position(|row| row.starts_with('>')).unwrap_or(0);
        Some((rows.iter().map(|row| row.trim_start_matches(['>', ' ']).to_owned()).collect(), current))
    }

    /// The screen as lines.
    pub fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        if let Some(problems) = &self.problems {
            problems.reading(lines);
            return self.read_detail(lines);
        }
        lines.push(match count_words(self) {
            words if !words.is_empty() => format!("Products: {words}"),
            _ if matches!(self.list.fetch, Fetch::First { .. }) => "Products: loading".to_owned(),
            _ => "Products".to_owned(),
        });
        if !self.query.term.is_empty() || self.focus == Focus::Search {
            lines.push(format!("Search: {}", self.query.term));
        }
        lines.extend(self.query.chips().into_iter().map(|chip| format!("Filter: {}", chip.label)));
        lines.extend(self.selected_words());
        for (index, row) in self.list.found.rows().iter().enumerate().skip(self.list.found.top()).take(self.page()) {
            let mark = if index == self.list.found.selected() { ">" } else { " " };
            let stock = row.stock.map_or("unknown".to_owned(), |stock| stock.to_string());
            let when = row.updated.map(|then| ago(now, then)).unwrap_or_default();
            let selected = if self.marks.products.contains(&row.id) { "; selected" } else { "" };
            lines.push(format!(
                "{mark} {}; {}; price {}; stock {stock}; updated {when}{selected}",
                row.title, row.vendor, row.price
            ));
        }
        if let Fetch::Failed { what, .. } = &self.list.fetch {
            lines.push(format!("Couldn't load it: {}. ‹app.retry› retries.", what.trim_end_matches('.')));
        }
        if self.comparison.is_some() {
            self.read_compare(lines);
        } else if let Some(panel) = &self.panel {
            panel.reading(&self.query, lines);
        } else {
            self.read_detail(lines);
        }
    }

    /// The open product as lines.
    fn read_detail(&self, lines: &mut Vec<String>) {
        if let Some(detail) = &self.detail {
            lines.push(format!("Product {}: {}; tab {}", detail.id, detail.title, detail.tab.title()));
            let page = self.detail_page();
            if detail.tab.is_tree() {
                for (index, row) in detail.tree.rows.iter().enumerate().skip(detail.top).take(page) {
                    let mark = if index == detail.selected { ">" } else { " " };
                    let text: String = row.pieces.iter().map(|piece| piece.text.as_str()).collect();
                    lines.push(format!("{mark} {}{text}", "  ".repeat(row.depth.min(40))));
                }
            } else {
                let shown = detail.lines.iter().skip(detail.top).take(page);
                let said = |line: &Vec<Piece>| line.iter().map(|piece| piece.text.as_str()).collect::<String>();
                // What is set in is no row of a list.
                lines.extend(shown.map(|line| said(line).trim_start().to_owned()));
            }
        }
    }
}
