//! Which projects are shown.

use super::arrange::Place;
use super::row::Row;
use crate::studio::ground::{Moment, Waiting};

/// A day, milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Which projects are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Filter {
    /// All of them.
    #[default]
    All,
    /// Those with edits that are not saved.
    Draft,
    /// Those changed within so many days before a moment.
    Changed(i64, Moment),
    /// Those not changed within so many days before a moment.
    Unchanged(i64, Moment),
    /// Those that have no step.
    Empty,
    /// Those that tell somebody by e-mail.
    Telling,
    /// Those of a folder, or of none: with what that is called.
    In(Place, Box<str>),
}

impl Filter {
    /// Whether a project is shown.
    #[must_use]
    pub fn keeps(&self, row: &Row, drafts: &[Waiting]) -> bool {
        let within = |days: i64, now: Moment| row.changed.is_some_and(|changed| now.since(changed) <= days * DAY);
        match self {
            Self::All => true,
            Self::Draft => drafts.iter().any(|draft| draft.project == row.project.id),
            Self::Changed(days, now) => within(*days, *now),
            Self::Unchanged(days, now) => !within(*days, *now),
            Self::Empty => row.steps() == Some(0),
            Self::Telling => row.project.email_notifications.as_ref().is_some_and(|emails| !emails.is_empty()),
            Self::In(place, _) => row.folder() == place.as_ref(),
        }
    }

    /// It in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::All => "all projects".to_owned(),
            Self::Draft => "with a draft".to_owned(),
            Self::Changed(1, _) => "changed within a day".to_owned(),
            Self::Changed(days, _) => format!("changed within {days} days"),
            Self::Unchanged(days, _) => format!("not changed for {days} days"),
            Self::Empty => "without steps".to_owned(),
            Self::Telling => "with e-mail notifications".to_owned(),
            Self::In(None, _) => "in no folder".to_owned(),
            Self::In(Some(_), name) => format!("in {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Num, Project};

    #[test]
    fn each_filter_keeps_what_it_says() {
        let now = Moment(100 * DAY);
        let row = |changed: i64, steps: i64, folder: &str| Row {
            changed: Some(Moment(changed * DAY)),
            ..Row::of(Project {
                id: "p".into(),
                steps_count: Some(Num::from(steps)),
                folder: Some(folder.into()),
                email_notifications: Some(vec!["a@b".to_owned()]),
                ..Project::default()
            })
        };
        let drafts = [Waiting { project: "p".into(), name: String::new(), edits: 1, profile: None }];
        let keeps = |filter: Filter| filter.keeps(&row(95, 0, "f"), &drafts);
        assert!(keeps(Filter::All) && keeps(Filter::Draft) && keeps(Filter::Empty) && keeps(Filter::Telling));
        assert!(!keeps(Filter::Changed(1, now)) && keeps(Filter::Changed(7, now)) && !keeps(Filter::Unchanged(7, now)));
        assert!(keeps(Filter::In(Some("f".into()), "F".into())) && !keeps(Filter::In(None, "".into())));
        assert!(!Filter::Draft.keeps(&row(1, 1, ""), &[]) && !Filter::Empty.keeps(&row(1, 1, ""), &[]));
    }
}
