//! What is known of the videos of the library, worked out once for each library that was read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Editor;
use crate::domain::{Video, VideoId, text};
use crate::draft::StepRef;
use crate::studio::widgets::time::playing_time;
use crate::uploads::bytes;

/// The names of a library's videos, harmless, and what a check asks for with every edit.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    of: Option<Arc<Vec<Video>>>,
    by_id: Arc<HashMap<VideoId, String>>,
    ids: Arc<HashSet<VideoId>>,
    lengths: Arc<HashMap<VideoId, u64>>,
}

impl Names {
    /// The names of this library: those that are known, where it is the one they are of.
    pub(super) fn of(&mut self, library: Option<&Arc<Vec<Video>>>) -> Arc<HashMap<VideoId, String>> {
        let is_same = match (&self.of, library) {
            (Some(known), Some(library)) => Arc::ptr_eq(known, library),
            (known, library) => known.is_none() && library.is_none(),
        };
        if !is_same {
            self.of = library.cloned();
            let videos = library.into_iter().flat_map(|library| library.iter());
            let name = |video: &Video| (video.id.clone(), text::line(&video.name).into_owned());
            self.by_id = Arc::new(videos.clone().map(name).collect());
            self.ids = Arc::new(videos.clone().map(|video| video.id.clone()).collect());
            let length = |video: &Video| Some((video.id.clone(), video.duration_ms()?));
            self.lengths = Arc::new(videos.filter_map(length).collect());
        }
        Arc::clone(&self.by_id)
    }

    /// The ids of this library; none where it was not read.
    pub(super) fn ids(&mut self, library: Option<&Arc<Vec<Video>>>) -> Option<Arc<HashSet<VideoId>>> {
        self.of(library);
        library.map(|_| Arc::clone(&self.ids))
    }

    /// How long the videos of this library play, milliseconds, where the service tells.
    pub(super) fn lengths(&mut self, library: Option<&Arc<Vec<Video>>>) -> Arc<HashMap<VideoId, u64>> {
        self.of(library);
        Arc::clone(&self.lengths)
    }
}

impl Editor {
    /// How long a video plays and how big it is, as far as that is known: `0:24 · 48 MB`.
    pub(super) fn video_facts(&self, video: &Video) -> String {
        let length = self.shared.overview.lengths.get(&video.id).copied().or_else(|| video.duration_ms());
        let size = video.size();
        length.map(playing_time).into_iter().chain(size.map(bytes)).collect::<Vec<_>>().join(" · ")
    }

    /// A video as people know it: its name, else its id, with its length and size.
    pub(super) fn video_words(&self, id: &VideoId) -> String {
        let library = self.shared.library.known();
        let Some(video) = library.and_then(|videos| videos.iter().find(|video| video.id == *id)) else {
            return text::line(id.as_str()).into_owned();
        };
        let name = if video.name.is_empty() { id.as_str() } else { &video.name };
        let words = [text::line(name).into_owned(), self.video_facts(video)];
        words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// A step as people know it: its name, and what it is about.
    pub(super) fn step_words(&self, step: StepRef) -> String {
        let about = self.draft.content().step(step).map(|step| step.description().to_owned()).unwrap_or_default();
        text::line(format!("{} {about}", self.draft.label(step)).trim()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_worked_out_again_only_for_another_library() {
        let library = |name: &str| Arc::new(vec![Video { id: "v".into(), name: name.into(), ..Video::default() }]);
        let (one, other) = (library("one"), library("other"));
        let mut names = Names::default();
        assert!(names.of(None).is_empty());
        let first = names.of(Some(&one));
        assert_eq!(first.get(&VideoId::from("v")).map(String::as_str), Some("one"));
        assert!(Arc::ptr_eq(&first, &names.of(Some(&one))));
        let (ids, lengths) = (names.ids(Some(&one)).unwrap(), names.lengths(Some(&one)));
        assert!(ids.contains(&VideoId::from("v")) && lengths.is_empty());
        assert!(
            Arc::ptr_eq(&ids, &names.ids(Some(&one)).unwrap()) && Arc::ptr_eq(&lengths, &names.lengths(Some(&one)))
        );
        assert_eq!(names.ids(None), None, "nobody knows what is missing from a library that was not read");
        assert_eq!(names.of(Some(&other)).get(&VideoId::from("v")).map(String::as_str), Some("other"));
        assert!(names.of(None).is_empty());
    }
}
