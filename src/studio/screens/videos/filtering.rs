//! Choosing which videos are shown.

use super::Videos;
use super::answer::{Answer, Turn};
use super::showing::Showing;
use crate::studio::ground::Moment;
use crate::studio::widgets::{Entry, Picker, Question, number};

impl Videos {
    /// Lets the person choose which videos are shown.
    pub(super) fn choose_showing(&self, now: Moment, turn: &mut Turn) {
        let all = vec![
            Showing::All,
            Showing::Used,
            Showing::Unused,
            Showing::New(1, now),
            Showing::New(7, now),
            Showing::New(30, now),
            Showing::NoPoster,
            Showing::NoAddress,
            Showing::Large,
        ];
        let videos = self.library.videos.known().map(Vec::as_slice).unwrap_or_default();
        let entry = |showing: &Showing| {
            let words = showing.words();
            let (first, rest) = words.split_at(1);
            let count = videos.iter().filter(|video| self.library.keeps(*showing, video, &self.uses)).count();
            let detail = matches!(showing, Showing::Used | Showing::Unused).then(|| self.uses.known());
            Entry {
                label: format!("{}{rest}", first.to_uppercase()),
                detail: detail.unwrap_or_default(),
                right: number(i64::try_from(count).unwrap_or(i64::MAX)),
            }
        };
        let at = all.iter().position(|showing| showing.words() == self.library.showing.words()).unwrap_or(0);
        let options = all.into_iter().map(|showing| (Answer::Show(showing), entry(&showing)));
        turn.question(Question::choose(options, |entries| Picker::new("Show", entries).with_selected(at)));
    }

    /// Shows what was chosen.
    pub(super) fn show_only(&mut self, showing: Showing, turn: &mut Turn) {
        self.library.showing = showing;
        self.arrange();
        self.moved(turn);
    }

    /// Works out again which videos are shown.
    pub(super) fn arrange(&mut self) {
        self.lay_out();
        self.library.arrange(&self.uses);
    }
}
