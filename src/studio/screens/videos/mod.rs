//! The Videos screen: the library, the choosing of files, and the uploads.

mod answer;
mod captions;
mod deleting;
mod filtering;
mod leaving;
mod library;
mod pane;
mod parts;
mod picturing;
mod problems;
mod queue;
mod reading;
mod requests;
mod showing;
mod update;
mod upload;
mod view;
mod view_detail;
mod view_queue;
mod vocabulary;

use ratatui::layout::Rect;

pub use answer::Answer;
use library::{Library, Uses};
pub use vocabulary::{Effect, Event, LibraryVideo, ReadCaptions, Unplayable};

use crate::domain::VideoId;
use crate::studio::ground::{RequestId, Spot, Zone};
use crate::studio::widgets::chooser::Chooser;
use crate::studio::widgets::pictures::Grain;
use crate::studio::widgets::problems::Problems;
use crate::studio::widgets::time::playing_time;
use crate::studio::widgets::{Piece, Role, piece};
use crate::uploads::{Overview, UploadId, rate};

/// What the keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The library.
    #[default]
    List,
    /// What is typed to find a video.
    Filter,
    /// What is known of one video.
    Detail,
    /// The uploads.
    Queue,
    /// The choosing of files.
    Chooser,
    /// What is wrong with the videos, in the place of the library.
    Problems,
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Videos {
    /// The time zone that the person reads times in.
    pub zone: Zone,
    area: Rect,
    focus: Focus,
    library: Library,
    uses: Uses,
    /// The request that reads where videos are used.
    using: Option<RequestId>,
    /// What was known of that before it was asked.
    uses_before: Uses,
    /// The video that is to be deleted: where it is used is read first.
    deleting: Option<LibraryVideo>,
    /// Which steps of the open draft use which video, and the project's name.
    draft: Vec<(String, String, VideoId)>,
    chooser: Chooser,
    /// What is wrong with the videos, while that is listed in the place of the library.
    problems: Option<Box<Problems>>,
    overview: Overview,
    /// The upload that is selected, and its place, should it go.
    at_upload: (Option<UploadId>, usize),
    queue_top: usize,
    /// The first line of the detail that is seen.
    detail_top: usize,
    /// The studio is left once nothing is under way.
    leaving: bool,
    /// Whether it is known how the uploads stood at the start.
    heard: bool,
    /// How many arrived and how many failed since something is under way.
    since: (usize, usize),
    /// How finely pictures are shown.
    grain: Grain,
    /// Whether a poster stands beside each video of the list, where the person said so.
    thumbnails: Option<bool>,
    /// The name of the video whose address is being added.
    registering: Option<String>,
    /// Whether it was said what ffmpeg would add.
    told_of_ffmpeg: bool,
    /// Where the person was when they left, until the library is here to begin there.
    pub left: Option<Spot>,
}

impl Default for Videos {
    fn default() -> Self {
        Self {
            zone: Zone::default(),
            area: Rect::default(),
            focus: Focus::default(),
            library: Library::default(),
            uses: Uses::default(),
            using: None,
            uses_before: Uses::default(),
            deleting: None,
            draft: Vec::new(),
            chooser: Chooser::default(),
            problems: None,
            overview: Overview::default(),
            at_upload: (None, 0),
            queue_top: 0,
            detail_top: 0,
            leaving: false,
            heard: false,
            since: (0, 0),
            grain: Grain::None,
            thumbnails: None,
            registering: None,
            told_of_ffmpeg: false,
            left: None,
        }
    }
}

impl Videos {
    /// The sum of the uploads for the status line of every screen, as a whole and in as few words as it goes; nothing
    /// where none is under way and none failed.
    #[must_use]
    pub fn status(&self) -> Option<(Piece, Piece)> {
        let both = |piece: Piece| Some((piece.clone(), piece));
        if self.overview.fault.is_some() {
            return both(piece(Role::Error, "uploads not stored"));
        }
        let sum = self.overview.sum();
        let failed = if sum.failed > 0 { format!("{} failed", sum.failed) } else { String::new() };
        match (sum.under_way, sum.failed) {
            (0, 0) => None,
            (0, _) => both(piece(Role::Error, format!("up {failed}"))),
            (_, failures) => {
                let role = if failures > 0 { Role::Warn } else { Role::Accent };
                let short = format!("up {}/{}", sum.done, sum.count());
                let words = [short.clone(), speed_and_left(&sum), failed];
                let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
                Some((piece(role, words.join(" ")), piece(role, short)))
            }
        }
    }

    /// Whether a video is on its way up, or about to be.
    #[must_use]
    pub fn is_uploading(&self) -> bool {
        self.overview.sum().under_way > 0
    }

    /// How far the uploads are, from 0 to 100, for the terminal's own progress; nothing where none is under way.
    #[must_use]
    pub fn progress(&self) -> Option<u8> {
        self.overview.sum().percent()
    }
}

/// `18 MB/s · 1 min left`, as far as it is known.
fn speed_and_left(sum: &crate::uploads::Sum) -> String {
    let mut words = Vec::new();
    if sum.per_second > 0 {
        words.push(rate(sum.per_second));
    }
    if let Some(left) = sum.left() {
        let seconds = left.as_secs();
        words.push(match seconds {
            0..90 => format!("{seconds} s left"),
            90..5_400 => format!("{} min left", (seconds + 30) / 60),
            _ => format!("{} h left", (seconds + 1_800) / 3_600),
        });
    }
    words.join(" · ")
}
