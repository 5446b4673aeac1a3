//! A studio whose uploads and drafts are kept by a test, as the disk would.

use std::path::PathBuf;
use std::sync::Arc;

use super::probe::Probe;
use super::steps::sample;
use crate::domain::ProjectId;
use crate::draft::{Draft, Record};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps::{self, Found};
use crate::studio::videos;
use crate::uploads::{Destination, Entry, FilePath, Fingerprint, Overview, Placement, Queue, UploadId, VideoFile};

/// A studio, the queue that it notes things in, and the journal of its draft.
pub struct Desk {
    pub probe: Probe,
    pub queue: Queue,
    pub overview: Overview,
    pub records: Vec<Record>,
    /// What was noted in the queue.
    pub noted: Vec<Entry>,
    /// Whether the draft's journal can be had.
    pub free: bool,
    /// Whether what is handed to the draft's journal reaches the disk.
    pub keeps: bool,
}

impl Desk {
    pub fn new() -> Self {
        Self::of(Queue::default(), Found::Nothing)
    }

    pub fn of(queue: Queue, found: Found) -> Self {
        let mut desk = Self::before(queue);
        desk.probe.open_project_with(sample("Gift finder"), found);
        desk.go_on();
        desk
    }

    /// Before the project is opened.
    pub fn before(queue: Queue) -> Self {
        let overview = Overview { queue: Arc::new(queue.clone()), ..Overview::default() };
        let probe = Probe::new(120, 40);
        let mut desk = Self { probe, queue, overview, records: Vec::new(), noted: Vec::new(), free: true, keeps: true };
        desk.show();
        desk
    }

    pub fn show(&mut self) {
        self.overview.queue = Arc::new(self.queue.clone());
        self.probe.event(Event::Videos(videos::Event::Uploads(Box::new(self.overview.clone()))));
    }

    /// Something happened to the queue.
    pub fn apply(&mut self, entries: &[Entry]) -> &mut Self {
        for entry in entries {
            self.queue.apply(entry);
        }
        self.show();
        self.go_on()
    }

    pub fn keys(&mut self, script: &str) -> &mut Self {
        self.probe.keys(script);
        self.go_on()
    }

    /// Answers what was asked of the disk.
    pub fn go_on(&mut self) -> &mut Self {
        let project = ProjectId::new("p1");
        loop {
            let effects = std::mem::take(&mut self.probe.effects);
            let before = effects.len();
            let mut rest = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Steps(steps::Effect::Claim { .. }) => {
                        let project = project.clone();
                        self.probe.event(Event::Steps(steps::Event::Claimed { project, held: self.free }));
                    }
                    Effect::Steps(steps::Effect::Keep { records, .. }) if self.keeps => {
                        self.records.extend(records);
                        let records = Ok(u64::try_from(self.records.len()).unwrap());
                        self.probe.event(Event::Steps(steps::Event::Kept { project: project.clone(), records }));
                    }
                    Effect::Steps(steps::Effect::NoteUploads(entries)) => {
                        for entry in &entries {
                            self.queue.apply(entry);
                        }
                        self.noted.extend(entries);
                        self.show();
                    }
                    other => rest.push(other),
                }
            }
            let settled = rest.len() == before && self.probe.effects.is_empty();
            self.probe.effects.splice(0..0, rest);
            if settled {
                return self;
            }
        }
    }

    /// What was queued last, by keys.
    pub fn queued(&mut self) -> (PathBuf, Destination) {
        let at =
            self.probe.effects.iter().rposition(|effect| matches!(effect, Effect::Steps(steps::Effect::Upload { .. })));
        match self.probe.effects.remove(at.expect("an upload")) {
            Effect::Steps(steps::Effect::Upload { file, destination, .. }) => (file, *destination),
            other => panic!("{other:?}"),
        }
    }

    /// Queues a file for the selected step as a person does, and the driver.
    pub fn upload(&mut self, id: u64, name: &str) -> &mut Self {
        self.keys("U");
        self.probe.event(Event::Pasted(format!("/clips/{name}")));
        let (file, destination) = self.queued();
        let added = Entry::Added {
            id: UploadId(id),
            at_ms: 0,
            file: Box::new(VideoFile {
                name: file.file_name().unwrap().to_string_lossy().into_owned(),
                path: FilePath(file),
                fingerprint: Fingerprint { size: 1_000_000, modified_ns: Some(1), inode: None },
                content_type: "video/mp4".to_owned(),
                duration_ms: Some(4_200),
                picture: None,
            }),
            destination: Some(Box::new(destination)),
        };
        self.apply(&[added, Entry::Began { id: UploadId(id), at_ms: 1, by: 1 }])
    }

    pub fn arrives(&mut self, id: u64) -> &mut Self {
        let video = format!("v-{id}");
        self.apply(&[Entry::Arrived { id: UploadId(id), at_ms: 9, video, found: false }])
    }

    pub fn draft(&self) -> &Draft {
        self.probe.model.screens.steps.draft().unwrap()
    }

    pub fn edits(&self) -> Vec<String> {
        self.draft().history().map(str::to_owned).collect()
    }

    /// The video of a step.
    pub fn video(&self, name: &str) -> String {
        let step = self.draft().find(name).unwrap();
        self.draft().content().step(step).unwrap().video().to_owned()
    }

    pub fn placed(&self) -> Vec<(u64, Placement)> {
        let placed = self.noted.iter().filter_map(|entry| match entry {
            Entry::Placed { id, how } => Some((id.0, *how)),
            _ => None,
        });
        placed.collect()
    }
}
