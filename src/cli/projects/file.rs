//! Project files as the commands read them.

use std::path::Path;

use crate::cli::{Failure, input, session};
use crate::draft::{Call, Draft, Fate, FileFormat, Imported, Plan, ProjectFile};
use crate::runtime::saving::{SavingError, Told};

/// What is said of a service without settings of the player.
pub(super) const PLAYER_NOT_KEPT: &str = "this service doesn't store player settings";

/// What is said of a service without products on steps.
pub(super) use crate::cli::writing::PRODUCTS_HERE;

/// What is said where a service takes products and doesn't show them.
pub(super) const PRODUCTS_NOT_KEPT: &str = "this service doesn't store the products that steps show";

/// Reads a project file, or standard input where it is `-`.
pub(super) fn read(path: &Path) -> Result<ProjectFile, Failure> {
    let text = input::read(path)?;
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let read = if is_json { ProjectFile::read_as(&text, FileFormat::Json) } else { ProjectFile::read(&text) };
    read.map_err(|error| Failure::Usage(format!("{}: {error}", input::shown(path))))
}

/// Says what of a file could not be taken over.
pub(super) fn warn(imported: &Imported) {
    imported.warnings.iter().for_each(|warning| session::warn(warning));
}

/// Says what a file's new steps are called now.
pub(super) fn tell_names(draft: &Draft, imported: &Imported) {
    for (step, name) in &imported.new {
        let label = draft.label(*step);
        if draft.base().step(*step).is_some() && label != *name {
            session::note(&format!("{name} is {label}"));
        }
    }
}

/// Says which call is made, and what was changed elsewhere.
pub(super) fn tell(told: Told<'_>) {
    match told {
        Told::ProductsHere => session::warn(PRODUCTS_HERE),
        Told::Call(call, _) => session::note(&call.title()),
        Told::PlayerNotKept => session::warn(PLAYER_NOT_KEPT),
        Told::ProductsNotKept => session::warn(PRODUCTS_NOT_KEPT),
        Told::Elsewhere(changes) => {
            session::note(&format!("changed elsewhere in the meantime and kept: {}", changes.join("; ")));
        }
    }
}

pub(super) fn failure(error: SavingError) -> Failure {
    match error {
        SavingError::Read(error) => error.into(),
        SavingError::Call { title, error } => {
            session::warn(&format!("stopped at: {title}"));
            error.into()
        }
        error @ SavingError::Changed(_) => {
            Failure::Faulty(format!("{error}. None of it was overwritten; run plan again to see what is left to do"))
        }
        error @ (SavingError::Endless(_)
        | SavingError::Unclear(_)
        | SavingError::NotShown(_)
        | SavingError::Flawed(_)) => Failure::Faulty(error.to_string()),
    }
}

/// Says that a project says what the file says.
pub(super) fn tell_nothing() {
    session::note("nothing to do: the project matches the file");
}

/// How many calls, in words.
pub(super) fn calls(plan: &Plan) -> String {
    match plan.calls.len() {
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    }
}

fn sign_of(fate: Fate) -> char {
    match fate {
        Fate::Added => '+',
        Fate::Removed => '-',
        _ => '~',
    }
}

/// A plan for people: a line a call, below it what changes, texts word by word (`[-gone-]` and `{+new+}`).
pub(super) fn written(plan: &Plan) -> Vec<String> {
    use crate::draft::Difference;
    let mut lines = Vec::new();
    let words = |words: &[crate::draft::Words]| -> String {
        let one = |one: &crate::draft::Words| match one.fate {
            Fate::Removed => format!("[-{}-]", one.text),
            Fate::Added => format!("{{+{}+}}", one.text),
            _ => one.text.clone(),
        };
        words.iter().map(one).collect()
    };
    for planned in &plan.calls {
        let sign = match planned.call {
            Call::CreateProject { .. } | Call::CreateStep(_) => '+',
            Call::DeleteStep { .. } => '-',
            _ => '~',
        };
        lines.push(format!("{sign} {}", planned.title));
        for difference in &planned.differences {
            match difference {
                Difference::Text { field, words: changed } => lines.push(format!("    {field}: {}", words(changed))),
                Difference::Value { field, before, after } if before.is_empty() => {
                    lines.push(format!("    {field}: {after}"));
                }
                Difference::Value { field, before, after } => lines.push(format!("    {field}: {before} -> {after}")),
                Difference::Order { before, after } => {
                    lines.push(format!("    order: {} -> {}", before.join(", "), after.join(", ")));
                }
                Difference::Products { products } => {
                    for product in products.iter().filter(|product| product.fate != Fate::Kept) {
                        lines.push(format!("    {} product {}", sign_of(product.fate), product.told()));
                    }
                }
                Difference::Answers { answers } => {
                    for answer in answers.iter().filter(|answer| answer.fate != Fate::Kept) {
                        let sign = sign_of(answer.fate);
                        let leads = match (&answer.before, &answer.after) {
                            (Some(before), Some(after)) if before != after => format!("{before} -> {after}"),
                            (before, after) => after.as_ref().or(before.as_ref()).cloned().unwrap_or_default(),
                        };
                        lines.push(format!("    {sign} answer {} => {leads}", words(&answer.words)));
                    }
                }
            }
        }
    }
    lines
}
