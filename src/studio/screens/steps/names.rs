//! What the videos of the library are called, worked out once for each library that was read.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Video, VideoId, text};

/// The names of a library's videos, harmless.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    of: Option<Arc<Vec<Video>>>,
    names: Arc<HashMap<VideoId, String>>,
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
            self.names = Arc::new(videos.map(name).collect());
        }
        Arc::clone(&self.names)
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
        assert_eq!(names.of(Some(&other)).get(&VideoId::from("v")).map(String::as_str), Some("other"));
        assert!(names.of(None).is_empty());
    }
}
