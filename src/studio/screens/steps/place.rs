//! Where one was in a project: kept for the next time it is opened, beside its draft and not in it.

use serde::{Deserialize, Serialize};

use super::{Cursor, Editor, Steps};
use crate::domain::ProjectId;
use crate::draft::{AnswerRef, StepRef};
use crate::studio::widgets::graph::View;

/// Of so many projects it is known where one was.
const MOST_PLACES: usize = 20;

/// Where one was in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The project.
    pub project: String,
    /// The selected step.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepRef>,
    /// The selected answer, by its place in the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<usize>,
    /// Which part of the graph was seen: cells from its upper left.
    x: i32,
    y: i32,
    /// The answers that were played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    walked: Vec<AnswerRef>,
}

impl Steps {
    /// Where projects were left, the open one last.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        let mut places = self.shared().places.clone();
        note(&mut places, self.editor().and_then(Editor::place_in));
        places
    }
}

impl Editor {
    /// Remembers where one is in the open project.
    pub(super) fn note_place(&mut self) {
        let place = self.place_in();
        note(&mut self.shared.places, place);
    }

    /// Where the open project was left, where that is known.
    pub(super) fn known_place(&self) -> Option<Place> {
        self.shared.places.iter().rev().find(|place| place.project == self.session.id.as_str()).cloned()
    }

    /// Goes there.
    pub(super) fn go_to_place(&mut self, place: Place) {
        self.cursor = place.step.map(|step| Cursor { step, port: place.port });
        self.look = View { x: place.x, y: place.y };
        self.looked = true;
        self.walked = place.walked.into_iter().collect();
        self.settle_cursor();
        self.mark();
        self.keep_in_sight();
    }

    pub(super) fn place_in(&self) -> Option<Place> {
        let cursor = self.cursor.filter(|_| self.looked)?;
        Some(Place {
            project: ProjectId::as_str(&self.session.id).to_owned(),
            step: Some(cursor.step),
            port: cursor.port,
            x: self.look.x,
            y: self.look.y,
            walked: self.walked.iter().copied().collect(),
        })
    }
}

fn note(places: &mut Vec<Place>, place: Option<Place>) {
    let Some(place) = place else { return };
    places.retain(|other| other.project != place.project);
    places.push(place);
    let excess = places.len().saturating_sub(MOST_PLACES);
    places.drain(..excess);
}
