//! Which videos are shown.

use super::library::{Library, Uses};
use super::vocabulary::LibraryVideo;
use super::vocabulary::Turn;
use super::{Asked, Videos};
use crate::studio::ground::Moment;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, number};

/// A day, milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A video from this size on is a large one, bytes.
const LARGE: u64 = 100 * 1000 * 1000;

/// Which videos are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Showing {
    /// All of them.
    #[default]
    All,
    /// Those that a step uses.
    Used,
    /// Those that no step uses, as far as projects were read.
    Unused,
    /// Those registered within so many days before a moment.
    New(i64, Moment),
    /// Those without a still picture.
    NoPoster,
    /// Those without an address: an id that was reserved.
    NoAddress,
    /// Large ones.
    Large,
}

impl Showing {
    /// Whether a video is shown.
    #[must_use]
    pub fn keeps(self, video: &LibraryVideo, library: &Library, uses: &Uses) -> bool {
        let has = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        match self {
            Self::All => true,
            Self::Used => uses.of.contains_key(&video.id),
            Self::Unused => !uses.of.contains_key(&video.id),
            Self::New(days, now) => video.moment.is_some_and(|then| now.since(then) <= days * DAY),
            Self::NoPoster => !has(&video.poster),
            Self::NoAddress => !has(&video.address),
            Self::Large => library.size(video).is_some_and(|size| size >= LARGE),
        }
    }

    /// It in words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::All => "all videos".to_owned(),
            Self::Used => "used by a step".to_owned(),
            Self::Unused => "used by no step".to_owned(),
            Self::New(1, _) => "added within a day".to_owned(),
            Self::New(days, _) => format!("added within {days} days"),
            Self::NoPoster => "without a poster".to_owned(),
            Self::NoAddress => "without an address".to_owned(),
            Self::Large => "100 MB and more".to_owned(),
        }
    }
}

impl Videos {
    /// Lets the person choose which videos are shown.
    pub(super) fn choose_showing(&mut self, now: Moment, turn: &mut Turn) {
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
            let count = videos.iter().filter(|video| showing.keeps(video, &self.library, &self.uses)).count();
            let detail = matches!(showing, Showing::Used | Showing::Unused).then(|| self.uses.known());
            Entry {
                label: format!("{}{rest}", first.to_uppercase()),
                detail: detail.unwrap_or_default(),
                right: number(i64::try_from(count).unwrap_or(i64::MAX)),
            }
        };
        let at = all.iter().position(|showing| showing.words() == self.library.showing.words()).unwrap_or(0);
        let picker = Picker::new("Show", all.iter().map(entry).collect()).with_selected(at);
        self.asked = Some(Asked::Showing(all));
        turn.outcomes.push(Outcome::Choose(Box::new(picker)));
    }

    /// Shows what was chosen.
    pub(super) fn show_only(&mut self, showing: Showing, turn: &mut Turn) {
        self.library.showing = showing;
        self.arrange();
        self.moved(turn);
    }

    /// Works out anew which videos are shown.
    pub(super) fn arrange(&mut self) {
        let page = self.list_page();
        self.library.arrange(page, &self.uses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_keeps_what_it_says() {
        let now = Moment(100 * DAY);
        let video = LibraryVideo {
            id: "v".into(),
            moment: Some(Moment(95 * DAY)),
            address: Some("https://a.example".to_owned()),
            size: Some(LARGE),
            ..LibraryVideo::default()
        };
        let mut uses = Uses::default();
        let keeps = |showing: Showing, uses: &Uses| showing.keeps(&video, &Library::default(), uses);
        assert!(keeps(Showing::All, &uses) && keeps(Showing::Unused, &uses) && !keeps(Showing::Used, &uses));
        assert!(keeps(Showing::New(7, now), &uses) && !keeps(Showing::New(1, now), &uses));
        assert!(keeps(Showing::NoPoster, &uses) && !keeps(Showing::NoAddress, &uses) && keeps(Showing::Large, &uses));
        uses.of.insert("v".into(), vec![("Tour".to_owned(), "aB3dE".to_owned())]);
        assert!(keeps(Showing::Used, &uses) && !keeps(Showing::Unused, &uses));
    }
}
