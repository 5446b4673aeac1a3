//! The library as it is listed: read, filtered, sorted.

use std::collections::BTreeMap;

use super::showing::Showing;
use super::vocabulary::LibraryVideo;
use crate::domain::{VideoId, text};
use crate::studio::ground::{Moment, Remote};
use crate::studio::widgets::Select;

/// In which order the videos stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
    /// By name.
    Name,
    /// The largest first; those whose size is not known last.
    Largest,
}

impl Sort {
    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Newest => Self::Oldest,
            Self::Oldest => Self::Name,
            Self::Name => Self::Largest,
            Self::Largest => Self::Newest,
        }
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Newest => "newest first",
            Self::Oldest => "oldest first",
            Self::Name => "by name",
            Self::Largest => "largest first",
        }
    }
}

/// Where a video is used, of the projects read so far.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    /// Project and step, for each video.
    pub of: BTreeMap<VideoId, Vec<(String, String)>>,
    /// How many projects were read.
    pub read: usize,
    /// Of how many.
    pub all: Option<usize>,
    /// When that was, once all of it was read.
    pub read_at: Option<Moment>,
}

impl Uses {
    /// How much of it is known, in words.
    #[must_use]
    pub fn known(&self) -> String {
        match self.all {
            Some(all) => format!("{} of {all} projects checked", self.read),
            None => "no project checked yet".to_owned(),
        }
    }
}

/// What is known of a video from the file that was uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    /// How long it plays, milliseconds.
    pub duration_ms: Option<u64>,
    /// Width and height, pixels.
    pub picture: Option<(u32, u32)>,
}

/// The library.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The videos, as the service lists them.
    pub videos: Remote<Vec<LibraryVideo>>,
    /// Which of them are shown at all.
    pub showing: Showing,
    /// Their order.
    pub sort: Sort,
    /// Sizes that were learned beside the list, bytes.
    pub sizes: BTreeMap<VideoId, Option<u64>>,
    /// What is known from the files that were uploaded.
    pub measured: BTreeMap<VideoId, Measured>,
    /// When it was asked for last.
    pub read_at: Moment,
    /// Whether something arrived since.
    pub outdated: bool,
    /// What was just added and is to be selected once it is listed.
    pub wanted: Option<VideoId>,
    /// Which are shown, by their place in the list; what is typed finds some.
    pub shown: Select<usize>,
}

impl Library {
    /// The videos that are shown, in order.
    pub fn rows(&self) -> impl Iterator<Item = &LibraryVideo> {
        let videos = self.videos.known().map(Vec::as_slice).unwrap_or_default();
        self.shown.rows().iter().filter_map(|at| videos.get(*at))
    }

    /// How many there are in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.videos.known().map_or(0, Vec::len)
    }

    /// The selected video.
    #[must_use]
    pub fn current(&self) -> Option<&LibraryVideo> {
        self.videos.known()?.get(*self.shown.current()?)
    }

    /// What a video is called, harmlessly, where it is in the library and has a name.
    #[must_use]
    pub fn name_of(&self, id: &VideoId) -> Option<String> {
        let video = self.videos.known()?.iter().find(|video| video.id == *id)?;
        Some(video.name.clone()).filter(|name| !name.is_empty())
    }

    /// Bytes of a video, where anyone told.
    #[must_use]
    pub fn size(&self, video: &LibraryVideo) -> Option<u64> {
        video.size.or_else(|| self.sizes.get(&video.id).copied().flatten())
    }

    /// How long it plays, milliseconds, where that is known.
    #[must_use]
    pub fn duration(&self, video: &LibraryVideo) -> Option<u64> {
        video.duration_ms.or_else(|| self.measured.get(&video.id).and_then(|measured| measured.duration_ms))
    }

    /// Whether a video is shown where these are.
    #[must_use]
    pub fn keeps(&self, showing: Showing, video: &LibraryVideo, uses: &Uses) -> bool {
        showing.keeps(video, self.size(video), uses.of.contains_key(&video.id))
    }

    /// Works out again which are shown; the selected video stays selected where it is among them.
    pub fn arrange(&mut self, uses: &Uses) {
        let is_listed = |id: &VideoId| self.videos.known().is_some_and(|all| all.iter().any(|video| video.id == *id));
        let wanted = self.wanted.clone().filter(is_listed);
        let keep = wanted.clone().or_else(|| self.current().map(|video| video.id.clone()));
        let videos = self.videos.known().map(Vec::as_slice).unwrap_or_default();
        let typed = text::fold(self.shown.query());
        let words: Vec<&str> = text::words(&typed).collect();
        let mut shown: Vec<(usize, &LibraryVideo)> = videos
            .iter()
            .enumerate()
            .filter(|(_, video)| self.keeps(self.showing, video, uses))
            .filter(|(_, video)| {
                let folded = text::fold(&video.name);
                words.iter().all(|word| folded.contains(word) || video.id.as_str().contains(word))
            })
            .collect();
        match self.sort {
            Sort::Newest => shown.sort_by(|a, b| b.1.moment.cmp(&a.1.moment).then(b.0.cmp(&a.0))),
            Sort::Oldest => shown.sort_by(|a, b| a.1.moment.cmp(&b.1.moment).then(a.0.cmp(&b.0))),
            Sort::Name => shown.sort_by_cached_key(|(at, video)| (text::natural(&video.name), *at)),
            Sort::Largest => {
                shown.sort_by_key(|(at, video)| (std::cmp::Reverse(self.size(video).map_or(-1, i128::from)), *at));
            }
        }
        let kept = shown.iter().find(|(_, video)| Some(&video.id) == keep.as_ref()).map(|(at, _)| *at);
        let shown = shown.into_iter().map(|(at, _)| at).collect();
        self.shown.show_at(shown, |at| Some(*at) == kept);
        if wanted.is_some() {
            self.wanted = None;
        }
    }
}
