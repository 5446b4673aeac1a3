//! Making a draft say what a project file says.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::align::alike;
use super::base::Fresh;
use super::content::{Content, DraftAnswer, OrderEntry, StepContent};
use super::draft::Draft;
use super::edit_answers::new_answer;
use super::file::{FileStep, Library, ProjectFile, video};
use super::file_products::WITH_PRODUCTS;
use super::record::Record;
use super::refs::{StepRef, Target};
use crate::domain::{Project, StepProduct, VideoId};

/// What came of taking a file over.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// To be kept; none where the draft says it already.
    pub record: Option<Record>,
    /// What could not be taken over as it stands there.
    pub warnings: Vec<String>,
    /// The new steps, with what the file calls them.
    pub new: Vec<(StepRef, String)>,
}

impl Draft {
    /// A draft of a new project that says what a file says.
    #[must_use]
    pub fn of_file(workspace: &str, file: &ProjectFile, library: &Library) -> (Self, Imported) {
        let mut draft = Self::new(workspace, Project { steps: Some(Vec::new()), ..Project::default() });
        let imported = draft.import(file, library);
        (draft, imported)
    }

    /// A draft of a new project that says what a project says, its steps wired alike. Without a name it is called a copy.
    #[must_use]
    pub fn copy_of(workspace: &str, project: Project, name: Option<String>) -> (Self, Imported) {
        let mut file = ProjectFile::of(&Self::new(workspace, project), &Library::default());
        file.name = name.unwrap_or_else(|| format!("{} (copy)", file.name));
        Self::of_file(workspace, &file, &Library::default())
    }

    /// Makes the draft say what a file says: one edit. A step of the file is the step of its name or id, else one that says
    /// the same and is named by none, else a new one; steps that the file lacks go.
    pub fn import(&mut self, file: &ProjectFile, library: &Library) -> Imported {
        let mut fresh = self.fresh;
        let mut warnings = Vec::new();
        let videos = file.steps.iter().map(|step| video(step, library));
        let videos: Vec<Option<VideoId>> =
            videos.map(|found| found.map_err(|warning| warnings.push(warning)).unwrap_or_default()).collect();
        let known = self.meant(file, &videos);
        let refs: Vec<StepRef> = known.iter().map(|known| known.unwrap_or_else(|| fresh.step())).collect();
        let by_name: HashMap<&str, StepRef> =
            file.steps.iter().map(|step| step.name.as_str()).zip(refs.iter().copied()).collect();
        let names = self.names();
        let mut steps = BTreeMap::new();
        for (((step, at), video), known) in file.steps.iter().zip(&refs).zip(videos).zip(&known) {
            let before = self.now.step(*at).cloned().unwrap_or_default();
            let answers = import_answers(step, &before, &by_name, &mut fresh, &mut warnings);
            let label = if known.is_some() { before.label.clone() } else { step.name.clone() };
            steps.insert(*at, Arc::new(import_step(step, file.cutaway, before, label, video, answers)));
        }
        let mut content = Content { head: self.now.head.clone(), steps };
        free_labels(&mut content, &names, self);
        self.import_head(file, library, &by_name, &mut content, &mut warnings);
        let new = refs.iter().zip(&known).zip(&file.steps).filter(|((_, known), _)| known.is_none());
        let new = new.map(|((step, _), one)| (*step, one.name.clone())).collect();
        let record = self.made("take the file over".to_owned(), &content, fresh);
        Imported { record, warnings, new }
    }

    fn import_head(
        &self,
        file: &ProjectFile,
        library: &Library,
        by_name: &HashMap<&str, StepRef>,
        content: &mut Content,
        warnings: &mut Vec<String>,
    ) {
        let before = self.now.head();
        let mut head = before.clone();
        let folder = file.folder.as_deref().unwrap_or_default();
        let id = library.folders.iter().flatten().find(|known| known.id.as_str() == folder || known.name == folder);
        let folder = id.map_or(folder, |known| known.id.as_str());
        if before.folder() != folder {
            head.folder = Some(folder.to_owned());
        }
        if before.name() != file.name {
            head.name = Some(file.name.clone());
        }
        let emails = file.email_notifications.as_deref().unwrap_or_default();
        if before.emails() != emails {
            head.emails = Some(emails.to_vec());
        }
        if let Some(settings) = &file.player
            && before.player.clone().unwrap_or_default() != *settings
        {
            head.player = Some(settings.clone());
        }
        let placed: HashMap<StepRef, &OrderEntry> =
            before.order().iter().rev().filter_map(|entry| Some((entry.step?, entry))).collect();
        let mut order = Vec::new();
        for entry in file.steps_order.iter().flatten() {
            match by_name.get(entry.as_str()) {
                Some(step) => {
                    order.push(placed.get(step).map_or_else(|| OrderEntry::of(*step), |kept| (*kept).clone()));
                }
                None => warnings.push(format!("stepsOrder names {entry:?}, which is no step of the file")),
            }
        }
        if order != before.order() {
            head.order = Some(order);
        }
        content.head = Arc::new(head);
    }

    /// Which step each step of a file is.
    fn meant(&self, file: &ProjectFile, videos: &[Option<VideoId>]) -> Vec<Option<StepRef>> {
        let own = super::file::file_names(self);
        let own: HashMap<&str, StepRef> = own.iter().map(|(step, name)| (name.as_str(), *step)).collect();
        let names = self.names();
        let mut used: HashSet<StepRef> = HashSet::new();
        let mut meant: Vec<Option<StepRef>> = Vec::new();
        for step in &file.steps {
            let name = step.name.as_str();
            let found = own.get(name).copied().or_else(|| names.resolve(name)).filter(|step| used.insert(*step));
            meant.push(found);
        }
        self.match_steps(file, videos, &mut meant);
        meant
    }
}

/// The answers of a step of the file. One that the draft has already keeps what the file does not say of it.
fn import_answers(
    step: &FileStep,
    before: &StepContent,
    by_name: &HashMap<&str, StepRef>,
    fresh: &mut Fresh,
    warnings: &mut Vec<String>,
) -> Vec<DraftAnswer> {
    let mut answers = Vec::new();
    for one in &step.answers {
        let next = one.next.as_deref().unwrap_or_default();
        let target = match by_name.get(next) {
            _ if next.is_empty() => Target::End,
            Some(to) => Target::Step(*to),
            None => {
                let (text, name) = (&one.text, &step.name);
                warnings.push(format!("answer {text:?} of {name} leads nowhere: the file has no step {next:?}"));
                Target::Unresolved(next.to_owned())
            }
        };
        answers.push(new_answer(fresh.answer(), &one.text, target));
    }
    let keys = alike(before.answers(), &[], &answers, &|_, _| false);
    for (answer, key) in answers.iter_mut().zip(keys) {
        if let Some(old) = before.answers().iter().find(|old| Some(old.key) == key) {
            answer.key = old.key;
            answer.extra.clone_from(&old.extra);
            if old.target == answer.target {
                answer.given.clone_from(&old.given);
            }
        }
    }
    answers
}

/// What a step says once the file was taken over; what neither has ever said stays unsaid.
fn import_step(
    step: &FileStep,
    version: u32,
    before: StepContent,
    label: String,
    video: Option<VideoId>,
    answers: Vec<DraftAnswer>,
) -> StepContent {
    let or_empty = |text: &Option<String>, before: &Option<String>| match text {
        None if before.as_deref().unwrap_or_default().is_empty() => before.clone(),
        text => Some(text.clone().unwrap_or_default()),
    };
    let had_video = !before.video().is_empty();
    let says_no_answers = answers.is_empty() && before.answers().is_empty();
    StepContent {
        label,
        description: or_empty(&step.description, &before.description),
        overlay: or_empty(&step.overlay_text, &before.overlay),
        video: video.or_else(|| had_video.then(|| VideoId::new(""))).or(before.video),
        answer_time: step.answer_time.or(before.answer_time.map(|_| 0.0)),
        answers: if says_no_answers { before.answers } else { Some(answers) },
        products: shown_products(step, version, before.products),
    }
}

/// What a step shows once the file was taken over; what neither has ever said stays unsaid. A file of version 1 says
/// nothing of products.
fn shown_products(step: &FileStep, version: u32, before: Option<Vec<StepProduct>>) -> Option<Vec<StepProduct>> {
    let known = before.as_deref().unwrap_or_default();
    if version < WITH_PRODUCTS || (step.products.is_empty() && known.is_empty()) {
        return before;
    }
    Some(step.products.iter().map(|product| product.read(known)).collect())
}

/// A new step is called as in the file unless something else is called so.
fn free_labels(content: &mut Content, names: &super::base::Names, draft: &Draft) {
    let taken: Vec<StepRef> = content
        .steps()
        .filter(|(step, one)| draft.now.step(*step).is_none() && names.resolve(&one.label).is_some())
        .map(|(step, _)| step)
        .collect();
    for step in taken {
        let label = draft.fresh_label(content);
        if let Some(one) = content.step_mut(step) {
            one.label = label;
        }
    }
}
