//! What this screen hears from the world and what it asks of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::damaged::Damaged;
use super::listing::Listing;
use crate::api::ProjectFunnel;
use crate::domain::{ProductId, ProjectId, StoreUrl, Video};
use crate::draft::{Draft, ProjectFormat, Reading, Record};
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::ground::{Failure, Moment, RequestId};
use crate::studio::widgets::chooser::FolderList;
use crate::uploads::{Destination, Entry, UploadId};

/// A draft's journal as it was found when the project was opened.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// There is none: the project was not being edited.
    Nothing,
    /// There is one.
    Draft {
        /// It.
        draft: Box<Draft>,
        /// When it was written last.
        written: Moment,
        /// How many records the journal holds.
        records: u64,
    },
    /// There is one whose file is damaged.
    Damaged(Box<Damaged>),
    /// Another studio has it open.
    Taken,
    /// It can't be used, and why; the file stays.
    Unusable(String),
}

/// What happened, for the Steps screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The project was read, or not.
    Read {
        /// The question.
        request: RequestId,
        /// The project with its steps, and what of it is not sure.
        project: Result<Box<Reading>, Failure>,
    },
    /// The draft's journal was looked for.
    JournalFound {
        /// The project.
        project: ProjectId,
        /// What was found.
        found: Found,
    },
    /// So many records of the draft are on the disk by now, or why they are not.
    Kept {
        /// The project.
        project: ProjectId,
        /// How many in all.
        records: Result<u64, String>,
    },
    /// The video library was read, or not.
    Library {
        /// The question.
        request: RequestId,
        /// The videos.
        videos: Result<Arc<Vec<Video>>, Failure>,
    },
    /// What viewers did was read, or not.
    Funnel {
        /// The question.
        request: RequestId,
        /// The numbers.
        funnel: Result<Arc<ProjectFunnel>, Failure>,
    },
    /// Products that steps show were looked up, or not.
    LookedUp {
        /// The question.
        request: RequestId,
        /// Their store.
        store: StoreUrl,
        /// Which ones were asked for.
        products: Vec<ProductId>,
        /// Those that the catalog has.
        found: Result<Vec<Listing>, Failure>,
    },
    /// Products were searched for, or not.
    ProductsFound {
        /// The question.
        request: RequestId,
        /// The first of them.
        found: Result<Vec<Listing>, Failure>,
    },
    /// A call of the plan was answered, or not.
    Answered {
        /// The call.
        request: RequestId,
        /// What came of it.
        reply: Box<Reply>,
    },
    /// A file was written, or not.
    Exported {
        /// The question.
        request: RequestId,
        /// What came of it.
        exported: Result<String, String>,
    },
    /// A folder was read to choose a file from, or could not be.
    FolderRead {
        /// The question.
        request: RequestId,
        /// What is in it.
        folder: Result<FolderList, String>,
    },
    /// Another studio asks for the project: it is let go of with everything it has.
    Wanted {
        /// The project.
        project: ProjectId,
    },
    /// The studio that asked for the project waits for it no longer.
    Withdrawn {
        /// The project.
        project: ProjectId,
    },
    /// Another studio took the project while this one did not answer.
    Seized {
        /// The project.
        project: ProjectId,
    },
    /// The draft's journal is held by this studio and no other, or it can't be.
    Claimed {
        /// The project.
        project: ProjectId,
        /// Whether it is.
        held: bool,
    },
}

/// What the world should do for the Steps screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read a project with its steps.
    Read {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        project: ProjectId,
    },
    /// Look for a draft of a project, and hold its journal.
    FindJournal {
        /// Which workspace.
        workspace: String,
        /// Which project.
        project: ProjectId,
    },
    /// Ask the studio that holds the draft's journal to let go of it, and hold it then.
    TakeOver {
        /// Which workspace.
        workspace: String,
        /// Which project.
        project: ProjectId,
    },
    /// Put records at the end of the draft's journal, and on the disk.
    Keep {
        /// Which project.
        project: ProjectId,
        /// The records.
        records: Vec<Record>,
    },
    /// The draft is done with: take its journal away.
    DropJournal {
        /// Which project.
        project: ProjectId,
    },
    /// Let go of the draft's journal; it stays.
    LeaveJournal {
        /// Which project.
        project: ProjectId,
    },
    /// Read the video library.
    Library {
        /// What the reply is called.
        request: RequestId,
    },
    /// Read what viewers did in a project.
    Funnel {
        /// What the reply is called.
        request: RequestId,
        /// Which one.
        project: ProjectId,
    },
    /// Look products up that steps show.
    LookUp {
        /// What the reply is called.
        request: RequestId,
        /// Their store.
        store: StoreUrl,
        /// Which ones.
        products: Vec<ProductId>,
    },
    /// Search for products to show.
    FindProducts {
        /// What the reply is called.
        request: RequestId,
        /// In which store.
        store: StoreUrl,
        /// By which words.
        words: String,
        /// So long is waited first, milliseconds.
        after_ms: u64,
    },
    /// Ask the service, as making a plan needs it.
    Ask {
        /// What the reply is called.
        request: RequestId,
        /// What.
        ask: Box<Ask>,
    },
    /// Read a folder; none is the one that files were taken from last.
    ReadFolder {
        /// What the reply is called.
        request: RequestId,
        /// Which one, as typed or as listed.
        folder: Option<PathBuf>,
    },
    /// Look at a file and queue it for a step.
    Upload {
        /// What the reply is called.
        request: RequestId,
        /// The file.
        file: PathBuf,
        /// The step.
        destination: Box<Destination>,
    },
    /// Note these in the queue of the uploads.
    NoteUploads(Vec<Entry>),
    /// Send this upload again.
    ResumeUpload(UploadId),
    /// Hold the draft's journal before something is edited that another studio might edit too.
    Claim {
        /// Which project.
        project: ProjectId,
    },
    /// Write a file.
    Export {
        /// What the reply is called.
        request: RequestId,
        /// The file, as the person typed it.
        file: String,
        /// The form.
        format: ProjectFormat,
        /// What it holds.
        content: String,
    },
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, super::Answer>;
