//! Which videos are shown.

use super::vocabulary::LibraryVideo;
use crate::studio::ground::Moment;

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
    /// Whether a video is shown that is so large, bytes, and that a step uses or not.
    #[must_use]
    pub fn keeps(self, video: &LibraryVideo, size: Option<u64>, is_used: bool) -> bool {
        let has = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        match self {
            Self::All => true,
            Self::Used => is_used,
            Self::Unused => !is_used,
            Self::New(days, now) => video.moment.is_some_and(|then| now.since(then) <= days * DAY),
            Self::NoPoster => !has(&video.poster),
            Self::NoAddress => !has(&video.address),
            Self::Large => size.is_some_and(|size| size >= LARGE),
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
        let keeps = |showing: Showing, is_used| showing.keeps(&video, video.size, is_used);
        assert!(keeps(Showing::All, false) && keeps(Showing::Unused, false) && !keeps(Showing::Used, false));
        assert!(keeps(Showing::New(7, now), false) && !keeps(Showing::New(1, now), false));
        assert!(keeps(Showing::NoPoster, false) && !keeps(Showing::NoAddress, false) && keeps(Showing::Large, false));
        assert!(keeps(Showing::Used, true) && !keeps(Showing::Unused, true));
    }
}
