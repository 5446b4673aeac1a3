//! Exporting: what, in which form, with which columns, to which file.

use super::Products;
use super::vocabulary::{Answer, Effect, Export, ExportDraft, ExportFormat, ExportScope, Turn};
use crate::domain::{ExportColumn, PageSize, ProductFilters};
use crate::studio::ground::{NoticeKind, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, Prompt, Question, number};

/// An export under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exporting {
    /// What its reports are called.
    pub request: RequestId,
    /// How many products are in.
    pub done: u64,
    /// How many there will be, where that is known.
    pub of: Option<u64>,
    /// Whether it is of marked products: fewer than were marked means that some are gone.
    pub marked: bool,
}

/// The request of a batch of marked products, and of a page of an export.
const BATCH: i64 = 100;
const PAGE: i64 = 500;

impl Products {
    /// Asks what to export, and in which form.
    pub(super) fn export(&self, turn: &mut Turn) {
        if self.exporting.is_some() {
            let say = "An export is running; ‹products.export.stop› stops it.".to_owned();
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, say));
            return;
        }
        if self.list.found.is_empty() && self.marks.products.is_empty() {
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "Nothing to export.".to_owned()));
            return;
        }
        let marked = self.marks.products.len();
        let all = |scope| ExportFormat::ALL.iter().map(move |format| (scope, *format));
        let scopes = [ExportScope::Marked, ExportScope::Found].into_iter();
        let offered = scopes.filter(|scope| *scope == ExportScope::Found || marked > 0).flat_map(all);
        let options = offered.map(|(scope, format)| {
            let what = match scope {
                ExportScope::Marked => format!("{} selected", number(i64::try_from(marked).unwrap_or(i64::MAX))),
                ExportScope::Found => "All found".to_owned(),
            };
            let label = format!("{what} as {}", format.title());
            let entry = Entry { label, detail: format.about().to_owned(), ..Entry::default() };
            (Answer::Export(scope, format), entry)
        });
        turn.question(Question::choose(options, |entries| Picker::new("Export", entries)));
    }

    /// Takes the form that was chosen: a table asks for its columns, the others for the file.
    pub(super) fn export_form(scope: ExportScope, format: ExportFormat, turn: &mut Turn) {
        if !format.has_columns() {
            Self::ask_file(ExportDraft { scope, format, columns: ExportColumn::ALL.to_vec() }, turn);
            return;
        }
        let options = ExportColumn::ALL.iter().map(|column| {
            let entry = Entry { label: column.title().to_owned(), ..Entry::default() };
            (Answer::Column(scope, format, *column), entry)
        });
        let list = |entries| Picker::new("Columns", entries).with_marks(vec![true; ExportColumn::ALL.len()]);
        turn.question(Question::choose(options, list));
    }

    /// Takes the columns that were chosen.
    pub(super) fn export_columns(draft: ExportDraft, turn: &mut Turn) {
        if draft.columns.is_empty() {
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "No column was selected.".to_owned()));
            return;
        }
        Self::ask_file(draft, turn);
    }

    fn ask_file(draft: ExportDraft, turn: &mut Turn) {
        let name = format!("products.{}", draft.format.extension());
        turn.question(Question::line(Prompt::new("Export to file", &name), Answer::File(draft)));
    }

    /// Begins the export to a file.
    pub(super) fn export_to(&mut self, draft: ExportDraft, file: String, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        let request = turn.next_id();
        let page = PageSize::new(PAGE).unwrap_or_default();
        let searches = match draft.scope {
            ExportScope::Found => vec![self.query.request(&store, None, page)],
            ExportScope::Marked => {
                let ids: Vec<String> = self.marks.products.iter().map(|id| id.as_str().to_owned()).collect();
                let batch = usize::try_from(BATCH).unwrap_or(1);
                let of = |ids: &[String]| {
                    let filters = ProductFilters { product_id: Some(ids.to_vec()), ..ProductFilters::default() };
                    super::Query { filters, ..super::Query::default() }.request(&store, None, page)
                };
                ids.chunks(batch).map(of).collect()
            }
        };
        let marked = draft.scope == ExportScope::Marked;
        let all_read = self.list.next.is_none() && !self.list.is_stale();
        let of = match draft.scope {
            ExportScope::Marked => u64::try_from(self.marks.products.len()).ok(),
            ExportScope::Found if all_read => u64::try_from(self.list.found.len()).ok(),
            ExportScope::Found => self.total.known().copied().filter(|_| self.query.is_all()),
        };
        self.exporting = Some(Exporting { request, done: 0, of, marked });
        let export = Export { searches, format: draft.format, columns: draft.columns, file };
        turn.ask(Effect::Export { request, export: Box::new(export) });
    }

    /// Stops the export. Nothing of it is left.
    pub(super) fn stop_export(&mut self, turn: &mut Turn) {
        if self.exporting.is_none() && self.stop_gathering(turn) {
            turn.say(NoticeKind::Done, "Stopped. The selection is kept.");
            return;
        }
        match self.exporting.take() {
            Some(Exporting { request, .. }) => {
                turn.cancel(Some(request));
                let say = "Export stopped. No file was written.".to_owned();
                turn.outcomes.push(Outcome::Notify(NoticeKind::Done, say));
            }
            None => {
                turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "No export is running.".to_owned()));
            }
        }
    }

    /// Takes how far an export is, or how it ended.
    pub(super) fn exported(
        &mut self,
        request: RequestId,
        done: u64,
        ended: Option<Result<String, String>>,
        turn: &mut Turn,
    ) {
        let Some(exporting) = self.exporting.as_mut().filter(|exporting| exporting.request == request) else { return };
        exporting.done = done;
        let gone = exporting.of.filter(|_| exporting.marked).map_or(0, |marked| marked.saturating_sub(done));
        let Some(ended) = ended else { return };
        self.exporting = None;
        let count = |of: u64| number(i64::try_from(of).unwrap_or(i64::MAX));
        let products = count(done);
        let (kind, say) = match ended {
            Ok(file) if gone > 0 => {
                let gone = count(gone);
                let say = format!("Exported {products} products to {file}; {gone} of those selected no longer exist.");
                (NoticeKind::Warning, say)
            }
            Ok(file) => (NoticeKind::Done, format!("Exported {products} products to {file}.")),
            Err(why) => {
                let say = format!(
                    "Export failed, no file was written: {why}. The selection is kept; ‹products.export› tries again."
                );
                (NoticeKind::Error, say)
            }
        };
        turn.outcomes.push(Outcome::Notify(kind, say));
    }
}
