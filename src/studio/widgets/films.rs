//! Films as far as their pictures go: where a still of a video can come from, and which one is meant.

use std::fmt;
use std::sync::Arc;

use crate::domain::VideoId;
use crate::uploads::{FilePath, VideoFile};

/// A file of this machine, known by what it was when it was looked at: written to, it is another one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilmFile {
    /// Where it is.
    pub path: FilePath,
    /// Bytes.
    pub size: u64,
    /// When it was last written to, nanoseconds since 1970, where the system tells.
    pub modified_ns: Option<i64>,
}

impl From<&VideoFile> for FilmFile {
    fn from(file: &VideoFile) -> Self {
        let (size, modified_ns) = (file.fingerprint.size, file.fingerprint.modified_ns);
        Self { path: file.path.clone(), size, modified_ns }
    }
}

/// A video whose pictures are wanted, and all the places where they may be found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Film {
    /// What it is called, harmless already.
    pub title: String,
    /// Its file, where it is on this machine.
    pub file: Option<FilmFile>,
    /// Which one of the library it is, where it is in there.
    pub video: Option<VideoId>,
    /// The address of the poster that the service has.
    pub poster: Option<Arc<str>>,
    /// The address of the video. What is here is fetched where it has to be: it is left out where nobody asked.
    pub address: Option<Arc<str>>,
    /// How long it plays, milliseconds, where that is known.
    pub duration_ms: Option<u64>,
}

impl Film {
    /// The picture that stands for it: the service's own, else one that is kept or can be made of the file here.
    #[must_use]
    pub fn poster(&self) -> Option<Address> {
        if let Some(poster) = &self.poster {
            return Some(Address::Web(Arc::clone(poster)));
        }
        let still = || Self { address: None, title: String::new(), poster: None, ..self.clone() };
        let may_be_kept = self.file.is_some() || self.video.is_some();
        may_be_kept.then(|| Address::Still(Still { film: Arc::new(still()), at_us: None }))
    }
}

/// One picture of a film.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Still {
    /// The film.
    pub film: Arc<Film>,
    /// Microseconds from its start; none is the one that stands for it.
    pub at_us: Option<u64>,
}

/// Where a picture comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// From the web.
    Web(Arc<str>),
    /// Out of a film.
    Still(Still),
}

impl<T: Into<Arc<str>>> From<T> for Address {
    fn from(address: T) -> Self {
        Self::Web(address.into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web(address) => f.write_str(address),
            Self::Still(Still { film, at_us: None }) => write!(f, "the poster of {}", film.title),
            Self::Still(Still { film, at_us: Some(at) }) => write!(f, "{at} µs of {}", film.title),
        }
    }
}

/// What was learned about a film by looking into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilmFacts {
    /// How long it plays, microseconds.
    pub duration_us: Option<u64>,
    /// How long one picture stays, microseconds.
    pub frame_us: Option<u64>,
}
