//! What this screen hears from the world and what it asks of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::domain::{ProjectId, VideoId};
use crate::studio::ground::{Failure, Moment, RequestId};
use crate::studio::widgets::chooser::FolderList;
use crate::studio::widgets::problems::{CheckReply, CheckRequest};
use crate::uploads::{Destination, Entry, Overview, UploadId};

/// A video of the library as it is shown; its texts are harmless already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryVideo {
    /// Its id.
    pub id: VideoId,
    /// Its name.
    pub name: String,
    /// When it was registered, as the service says it.
    pub created: String,
    /// The same, where it can be read.
    pub moment: Option<Moment>,
    /// Where it is.
    pub address: Option<String>,
    /// Where its still picture is.
    pub poster: Option<String>,
    /// Bytes, where the service tells.
    pub size: Option<u64>,
    /// How long it plays, milliseconds, where the service tells.
    pub duration_ms: Option<u64>,
    /// The languages of its captions, where the service tells.
    pub captions: Vec<String>,
}

/// Captions as they were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadCaptions {
    /// Each cue: when it begins, milliseconds, and what it says.
    pub cues: Vec<(u64, String)>,
    /// The WebVTT.
    pub vtt: String,
}

/// Files that are videos, and that not every browser plays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unplayable {
    /// Each with a sentence that says why.
    pub files: Vec<(PathBuf, String)>,
    /// The step that the video is for, where it is for one.
    pub destination: Option<Box<Destination>>,
}

/// What happened, for the Videos screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The library arrived, or did not.
    Listed {
        /// The question.
        request: RequestId,
        /// The videos.
        videos: Result<Vec<LibraryVideo>, Failure>,
    },
    /// The server of a video's address told how long it is, or did not.
    SizeTold {
        /// The question.
        request: RequestId,
        /// Which one.
        video: VideoId,
        /// Bytes.
        size: Option<u64>,
    },
    /// The projects were listed before they are read to see which videos they use.
    ProjectsListed {
        /// The question.
        request: RequestId,
        /// All of them.
        projects: BTreeSet<ProjectId>,
    },
    /// A project was read to see which videos it uses.
    UsesRead {
        /// The question.
        request: RequestId,
        /// The project's name.
        project: String,
        /// Its steps' names and the video of each.
        uses: Vec<(String, VideoId)>,
        /// How many projects were read.
        read: usize,
        /// Of how many.
        of: usize,
    },
    /// The projects were read to see which videos they use, or why they could not be.
    UsesEnded {
        /// The question.
        request: RequestId,
        /// How many projects were read, and of how many.
        read: Result<(usize, usize), Failure>,
    },
    /// A video was deleted, or was not; the service's message.
    Deleted {
        /// The question.
        request: RequestId,
        /// Which one.
        video: VideoId,
        /// What the service said.
        said: Result<String, Failure>,
    },
    /// Captions were read, or could not be.
    CaptionsRead {
        /// The question.
        request: RequestId,
        /// Whose.
        video: VideoId,
        /// BCP 47.
        language: String,
        /// What they say.
        read: Result<ReadCaptions, Failure>,
    },
    /// Captions were added to a video, or were not.
    CaptionsAdded {
        /// The question.
        request: RequestId,
        /// To which one.
        video: VideoId,
        /// The file, with its language before it where that is known.
        file: String,
        /// Their language and how many cues they have.
        added: Result<(String, usize), Failure>,
    },
    /// Captions of a video were removed, or were not.
    CaptionsRemoved {
        /// The question.
        request: RequestId,
        /// Whose.
        video: VideoId,
        /// BCP 47.
        language: String,
        /// Whether they are gone.
        removed: Result<(), Failure>,
    },
    /// A video was registered by its address, or was not.
    Registered {
        /// The question.
        request: RequestId,
        /// What came of it.
        registered: Result<VideoId, Failure>,
    },
    /// A folder was read, or could not be.
    FolderRead {
        /// The question.
        request: RequestId,
        /// What is in it.
        folder: Result<FolderList, String>,
    },
    /// What was to be uploaded is a folder: files are chosen in it.
    IsFolder {
        /// The question.
        request: RequestId,
        /// The folder.
        folder: PathBuf,
    },
    /// Files were queued; why some were not.
    Queued {
        /// The question.
        request: RequestId,
        /// How many were.
        count: usize,
        /// A sentence for each that was not.
        refused: Vec<String>,
        /// A sentence for each that was given more than once: it is uploaded once.
        repeated: Vec<String>,
        /// Those that not every browser plays, which wait for a word.
        unplayable: Option<Box<Unplayable>>,
    },
    /// The uploads went on.
    Uploads(Box<Overview>),
    /// What the list of the videos' problems asked for.
    Check(CheckReply),
}

/// What the world should do for the Videos screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask for the library.
    List(RequestId),
    /// Read the projects one after the other, to see which videos they use.
    ReadUses(RequestId),
    /// Ask the server of a video's address how long it is.
    AskSize {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        video: VideoId,
        /// Where it is.
        address: String,
    },
    /// Delete a video.
    Delete {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        video: VideoId,
    },
    /// Read the captions of a video in one language.
    ReadCaptions {
        /// What the reply is called.
        request: RequestId,
        /// Whose.
        video: VideoId,
        /// BCP 47.
        language: String,
    },
    /// Add captions to a video.
    AddCaptions {
        /// What the reply is called.
        request: RequestId,
        /// To which one.
        video: VideoId,
        /// The file, as it was typed: `F.vtt`, `F.de.vtt` or `de=F.vtt`.
        file: String,
    },
    /// Remove the captions of a video in one language.
    RemoveCaptions {
        /// What the reply is called.
        request: RequestId,
        /// Whose.
        video: VideoId,
        /// BCP 47.
        language: String,
    },
    /// Register a video by its address.
    Register {
        /// What the reply is called.
        request: RequestId,
        /// Where it is.
        address: String,
        /// What it is called; empty leaves that to the service.
        name: String,
    },
    /// Read a folder; none is the one that files were taken from last.
    ReadFolder {
        /// The question.
        request: RequestId,
        /// Which one, as typed or as listed.
        folder: Option<PathBuf>,
    },
    /// Look at files and queue those that are videos.
    Upload {
        /// What the reply is called.
        request: RequestId,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Queue files that not every browser plays.
    UploadAnyway {
        /// What the reply is called.
        request: RequestId,
        /// Which, and what for.
        unplayable: Box<Unplayable>,
    },
    /// What the list of the videos' problems asks.
    Check(CheckRequest),
    /// Note these in the queue.
    Note(Vec<Entry>),
    /// Send these again.
    Resume(Vec<UploadId>),
    /// Look at what other processes did with the queue.
    Look,
    /// When the studio ends the uploads go on in the background.
    HandOver,
}
