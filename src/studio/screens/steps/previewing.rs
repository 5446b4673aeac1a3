//! The pictures of a step's video.

use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Editor, Mode, Steps};
use crate::domain::text;
use crate::studio::ground::{NoticeKind, Remote};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::films::Film;
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::pictures::{Grain, Place};

/// The least rows that a poster in play is worth.
const LEAST: u16 = 4;

impl Steps {
    /// Tells the screen how finely pictures are shown.
    pub fn set_grain(&mut self, grain: Grain) {
        self.shared_mut().grain = grain;
    }
}

impl Editor {
    /// The video of a step as a film.
    fn film_of(&self, step: usize) -> Option<Film> {
        let id = self.shown.graph.node(step)?.video.as_ref()?;
        let video = self.shared.library.known().and_then(|videos| videos.iter().find(|video| video.id == *id));
        let name = video.map(|video| video.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(id.as_str());
        Some(Film {
            title: text::line(name).into_owned(),
            video: Some(id.clone()),
            poster: video.and_then(|video| video.poster_url.as_deref()).map(Into::into),
            address: video.and_then(|video| video.video_url.as_deref()).map(Into::into),
            ..Film::default()
        })
    }

    /// Shows the video of the selected step on the whole screen; once the library is read, where it isn't yet: before that
    /// nobody knows whether there is a poster.
    pub(super) fn show_preview(&mut self, turn: &mut Turn) {
        let selected = self.selected().map(|(step, _)| step);
        let has_video =
            selected.is_some_and(|step| self.shown.graph.node(step).is_some_and(|node| node.video.is_some()));
        if has_video && matches!(self.shared.library, Remote::Loading { stale: None, .. }) {
            self.previewed = selected;
            return;
        }
        match self.selected().and_then(|(step, _)| self.film_of(step)) {
            Some(film) => turn.outcomes.push(Outcome::Preview(Box::new(film))),
            None => turn.say(NoticeKind::Hint, "No video. ‹steps.video› chooses one."),
        }
    }

    /// The library was read: what waits for it is shown, unless another step was selected meanwhile.
    pub(super) fn show_waiting_preview(&mut self, turn: &mut Turn) {
        let waits = self.previewed.take();
        if waits.is_some() && waits == self.selected().map(|(step, _)| step) {
            self.show_preview(turn);
        }
    }

    /// The room of the poster of the step that is played, whose pane has this inside.
    pub(super) fn play_picture(&self, inner: Rect) -> Option<Rect> {
        let Mode::Play(play) = &self.mode else { return None };
        let has_film = play.at.is_some_and(|at| self.shown.graph.node(at).is_some_and(|node| node.video.is_some()));
        let height = (inner.width.saturating_mul(9) / 32).min(inner.height / 3).min(12);
        let area = Rect { width: (height * 32 / 9).min(inner.width), height, ..inner };
        (self.shared.grain != Grain::None && has_film && !play.transcript && height >= LEAST).then_some(area)
    }

    /// The posters on the screen: that of the step that is played first.
    pub(super) fn posters(&self) -> Vec<Place> {
        if self.shared.grain == Grain::None {
            return Vec::new();
        }
        let mut places = Vec::new();
        let mut add = |step: usize, area: Rect| {
            places.extend(self.film_of(step).and_then(|film| film.poster()).map(|address| Place { address, area }));
        };
        if let Mode::Play(play) = &self.mode
            && let Some((at, area)) = play.at.zip(self.play_inner().and_then(|inner| self.play_picture(inner)))
        {
            add(at, area);
        }
        if !self.is_outlined() && self.side() != Some(inside(self.shared.area)) {
            let mut seen = self.map_area();
            // The last row says what is jumped to or wired.
            seen.height -= u16::from(matches!(self.mode, Mode::Labels(_) | Mode::Wire(_))).min(seen.height);
            for (step, area) in self.canvas().poster_places(seen) {
                add(step, area);
            }
        }
        places
    }
}
