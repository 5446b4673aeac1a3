//! The pictures of a step's video.

use super::Editor;
use super::vocabulary::Turn;
use crate::domain::text;
use crate::studio::ground::NoticeKind;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::films::Film;

impl Editor {
    /// Shows the video of the selected step on the whole screen.
    pub(super) fn show_preview(&self, turn: &mut Turn) {
        let node = self.selected().and_then(|(step, _)| self.shown.graph.node(step));
        let Some(id) = node.and_then(|node| node.video.as_ref()) else {
            turn.say(NoticeKind::Hint, "No video. V chooses one.");
            return;
        };
        let video = self.shared.library.known().and_then(|videos| videos.iter().find(|video| video.id == *id));
        let name = video.map(|video| video.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(id.as_str());
        turn.outcomes.push(Outcome::Preview(Box::new(Film {
            title: text::line(name).into_owned(),
            video: Some(id.clone()),
            poster: video.and_then(|video| video.poster_url.as_deref()).map(Into::into),
            address: video.and_then(|video| video.video_url.as_deref()).map(Into::into),
            ..Film::default()
        })));
    }
}
