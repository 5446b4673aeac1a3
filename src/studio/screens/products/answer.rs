//! What the questions of this screen are answered with, and its turn.

use super::query::{Field, Query};
use super::vocabulary::{Effect, ExportFormat, ExportScope};
use crate::domain::{ExportColumn, SortBy, SortDirection};

/// What an answer of the person is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A value of a filter; several can be selected.
    Value(Field, String),
    /// A value of a filter was typed.
    OtherValue(Field),
    /// The products come in this order.
    Sort(Option<(SortBy, SortDirection)>),
    /// This is exported, in this form.
    Export(ExportScope, ExportFormat),
    /// A column of an export; several can be selected.
    Column(ExportScope, ExportFormat, ExportColumn),
    /// The file of an export was typed.
    File(ExportDraft),
    /// The file that ignored problems are saved to was typed.
    BaselineFile,
    /// How long an analysis is waited for was typed.
    AnalysisLimit,
    /// A name for the search that is shown was typed.
    SearchName,
    /// This is searched for.
    Search(Box<Query>),
    /// The search of this name is forgotten.
    Forget(String),
}

/// What was chosen of an export so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportDraft {
    /// What is exported.
    pub scope: ExportScope,
    /// In which form.
    pub format: ExportFormat,
    /// With which columns.
    pub columns: Vec<ExportColumn>,
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
