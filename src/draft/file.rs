//! The project file: a project as people write it and keep it beside their code, in TOML or JSON (`docs/project-file.md`).

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::content::StepContent;
use super::draft::Draft;
use super::file_products::{FileProduct, WITH_PRODUCTS};
use super::refs::{StepRef, Target};
use crate::domain::text::is_hostile;
use crate::domain::{Folder, PlayerSettings, Reader, Video, VideoId, with_nul};

/// The version that is written; those before it are read, a later one is refused.
const VERSION: u32 = 2;

/// A project file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectFile {
    /// The version of the format.
    #[schemars(range(min = 1, max = VERSION))]
    pub cutaway: u32,
    /// The project that the file is about; a file without one makes a new project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The project's name.
    #[schemars(pattern(r"\S"))]
    pub name: String,
    /// Its folder, by its name or its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Who is told by e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_notifications: Option<Vec<String>>,
    /// The order of the steps, by their names in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_order: Option<Vec<String>>,
    /// How the player looks and what it asks, by the names of the settings; without it that stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<Map<String, Value>>,
    /// The steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<FileStep>,
}

/// A step of a project file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileStep {
    /// What it is called in the file. The name of a step of the project means that step; any other is a new one.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is about, for those who make it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The text over its video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay_text: Option<String>,
    /// Its video's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_id: Option<String>,
    /// Its video's name: finds the video in a workspace where it has another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_name: Option<String>,
    /// Seconds from the video's start at which the answers appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub answer_time: Option<f64>,
    /// What a viewer may choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<FileAnswer>,
    /// The products that it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<FileProduct>,
}

/// An answer of a project file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAnswer {
    /// What the viewer reads.
    pub text: String,
    /// The step it leads to, by its name in the file; without one the video ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How a project file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// TOML 1.
    Toml,
    /// JSON.
    Json,
}

/// What a workspace has beside the project, by which a file names things.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Library {
    /// Its videos; none where they are not known.
    pub videos: Option<Vec<Video>>,
    /// Its folders; none where they are not known.
    pub folders: Option<Vec<Folder>>,
}

/// Why a file is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileError {
    /// It can't be read; the sentence names line and column.
    #[error("{0}")]
    Syntax(String),
    /// A later Cutaway wrote it.
    #[error("the file has format {0}; this version of Cutaway reads formats 1 to {VERSION}")]
    Newer(u32),
    /// The project's or a step's name is empty.
    #[error("{0} has no name")]
    Nameless(String),
    /// Two steps are called the same.
    #[error("two steps are named {0:?}")]
    Twice(String),
    /// A time is none.
    #[error("the answerTime of {0:?} must be a number of seconds, 0 or more")]
    Time(String),
    /// A product of a step is none.
    #[error("product {0} of {1:?} {2}")]
    Product(usize, String, &'static str),
    /// It has products though its version is one that had none.
    #[error("{0:?} shows products, which need format 2: write 2 for cutaway")]
    Early(String),
    /// A setting of the player is none.
    #[error("the player's {0}")]
    Player(String),
    /// A text has a character that no service keeps.
    #[error("{0}")]
    Text(String),
}

impl ProjectFile {
    /// Reads a file: JSON where it begins with `{`, else TOML.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let json = text.trim_start().starts_with('{');
        Self::read_as(text, if json { FileFormat::Json } else { FileFormat::Toml })
    }

    /// Reads a file that is meant to be of this form.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read_as(text: &str, format: FileFormat) -> Result<Self, FileError> {
        let read = Self::parse(text, format);
        // A later version may have fields that this one doesn't know: that it is later says more.
        if read.is_err()
            && let Some(version) = version(text, format).filter(|version| *version > VERSION)
        {
            return Err(FileError::Newer(version));
        }
        read?.checked()
    }

    fn parse(text: &str, format: FileFormat) -> Result<Self, FileError> {
        Ok(match format {
            FileFormat::Json if text.trim_start().starts_with('[') => {
                return Err(FileError::Syntax("a project file is an object, {…}, and this is an array".to_owned()));
            }
            FileFormat::Json => serde_json::from_str(text).map_err(|error| FileError::Syntax(error.to_string()))?,
            FileFormat::Toml => {
                // What editors of one system end lines with is no part of the texts that go over several of them.
                let text = text.replace("\r\n", "\n");
                toml::from_str(&text).map_err(|error| FileError::Syntax(syntax(&text, &error)))?
            }
        })
    }

    fn checked(self) -> Result<Self, FileError> {
        if !(1..=VERSION).contains(&self.cutaway) {
            return Err(FileError::Newer(self.cutaway));
        }
        if let Some(finding) = with_nul(&serde_json::to_value(&self).unwrap_or_default()).first() {
            return Err(FileError::Text(finding.to_string()));
        }
        if self.name.trim().is_empty() {
            return Err(FileError::Nameless("the project".to_owned()));
        }
        let (settings, findings) =
            Reader::read::<PlayerSettings>(&Value::Object(self.player.clone().unwrap_or_default()));
        if let Some(finding) = findings.first() {
            return Err(FileError::Player(finding.to_string()));
        }
        if let Some((at, why)) = settings.faults().first() {
            return Err(FileError::Player(format!("{at} {why}")));
        }
        let mut names = HashSet::new();
        for (step, nth) in self.steps.iter().zip(1_usize..) {
            if step.name.is_empty() {
                return Err(FileError::Nameless(format!("step {nth}")));
            }
            if !names.insert(step.name.as_str()) {
                return Err(FileError::Twice(step.name.clone()));
            }
            if step.answer_time.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
                return Err(FileError::Time(step.name.clone()));
            }
            self.check_products(step)?;
        }
        Ok(self)
    }

    fn check_products(&self, step: &FileStep) -> Result<(), FileError> {
        if self.cutaway < WITH_PRODUCTS && !step.products.is_empty() {
            return Err(FileError::Early(step.name.clone()));
        }
        let faults = step.products.iter().zip(1_usize..).filter_map(|(product, nth)| Some((nth, product.fault()?)));
        faults.map(|(nth, fault)| Err(FileError::Product(nth, step.name.clone(), fault))).next().unwrap_or(Ok(()))
    }

    /// The file as text, with a line end.
    #[must_use]
    pub fn write(&self, format: FileFormat) -> String {
        match format {
            FileFormat::Toml => to_toml(self),
            FileFormat::Json => escaped(&(serde_json::to_string_pretty(self).unwrap_or_default() + "\n")),
        }
    }

    /// What a draft says, as a file.
    #[must_use]
    pub fn of(draft: &Draft, library: &Library) -> Self {
        let names = file_names(draft);
        let name = |step: StepRef| names.get(&step).cloned().unwrap_or_default();
        let (content, head) = (draft.content(), draft.content().head());
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let folder = |id: &str| {
            let known = library.folders.iter().flatten().find(|folder| folder.id.as_str() == id);
            let alone = |name: &str| library.folders.iter().flatten().filter(|other| other.name == name).count() == 1;
            known.map(|folder| folder.name.clone()).filter(|name| alone(name)).unwrap_or_else(|| id.to_owned())
        };
        let video_name = |id: &str| {
            let found = library.videos.iter().flatten().find(|video| video.id.as_str() == id)?;
            Some(found.name.clone()).filter(|name| !name.is_empty())
        };
        let answer = |answer: &super::content::DraftAnswer| FileAnswer {
            text: answer.text.clone(),
            next: match &answer.target {
                Target::End => None,
                Target::Step(step) => Some(name(*step)),
                Target::Unresolved(given) => Some(given.clone()),
            },
        };
        let entry = |entry: &super::content::OrderEntry| {
            entry.step.map_or_else(|| entry.given.clone().unwrap_or_default(), name)
        };
        let step = |(step, content): (StepRef, &StepContent)| FileStep {
            name: name(step),
            description: some(content.description()),
            overlay_text: some(content.overlay()),
            video_id: some(content.video()),
            video_name: video_name(content.video()),
            answer_time: content.answers_after(),
            answers: content.answers().iter().map(answer).collect(),
            products: content.products().iter().map(FileProduct::of).collect(),
        };
        let steps = draft.refs().into_iter().filter_map(|one| Some((one, content.step(one)?))).map(step).collect();
        Self {
            cutaway: VERSION,
            id: some(draft.project_id().as_str()),
            name: head.name().to_owned(),
            folder: some(head.folder()).map(|id| folder(&id)),
            email_notifications: Some(head.emails().to_vec()).filter(|emails| !emails.is_empty()),
            player: head.player.clone().filter(|settings| !settings.is_empty()),
            steps_order: head
                .order
                .as_ref()
                .filter(|order| !order.is_empty())
                .map(|order| order.iter().map(entry).collect()),
            steps,
        }
    }
}

/// The version that a file says it has, whatever else is in it.
fn version(text: &str, format: FileFormat) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        cutaway: u32,
    }
    let version: Option<Version> = match format {
        FileFormat::Json => serde_json::from_str(text).ok(),
        FileFormat::Toml => toml::from_str(text).ok(),
    };
    version.map(|version| version.cutaway)
}

/// What the steps are called in a file: their names, where only they have them and nothing else means them.
pub(super) fn file_names(draft: &Draft) -> HashMap<StepRef, String> {
    let mut names: HashMap<StepRef, String> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    for (_, step) in draft.content().steps() {
        for answer in step.answers() {
            if let Target::Unresolved(given) = &answer.target {
                taken.insert(given.clone());
            }
        }
    }
    let alien = draft.content().head().order().iter().filter(|entry| entry.step.is_none());
    taken.extend(alien.filter_map(|entry| entry.given.clone()));
    for step in draft.refs() {
        let id = draft.base().step_id(step);
        let own = [draft.label(step), id.to_owned()].into_iter().find(|name| !name.is_empty() && !taken.contains(name));
        let mut numbered = (1_usize..).map(|nth| format!("step-{nth}")).filter(|name| !taken.contains(name));
        let name = own.or_else(|| numbered.next()).unwrap_or_default();
        taken.insert(name.clone());
        names.insert(step, name);
    }
    names
}

/// JSON in which no text does something to a terminal, or turns around what a person reads (the same values).
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Line feeds in texts are escapes already.
        if c == '\n' || !is_hostile(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Stands before the digits of a character that is to be an escape, and behind them. What Unicode says never to be
/// exchanged is an escape itself, so that it stands for nothing else.
const ESCAPE: char = '\u{fdd0}';
/// Stands around what makes a text one with escapes.
const FORCE: char = '\u{fdd1}';

/// TOML in which the same holds. Its writer leaves such characters as they are, and some texts without escapes.
fn to_toml(file: &ProjectFile) -> String {
    // Texts, numbers and lists of them: nothing of it can't be written.
    let mut value = serde_json::to_value(file).unwrap_or_default();
    let mut any = false;
    mark(&mut value, &mut any);
    if !any {
        return toml::to_string(file).unwrap_or_default();
    }
    let marked: Option<ProjectFile> = serde_json::from_value(value).ok();
    let text = marked.and_then(|file| toml::to_string(&file).ok()).unwrap_or_default();
    let text: String = text.split(FORCE).step_by(2).collect();
    let mut out = String::with_capacity(text.len());
    for (nth, part) in text.split(ESCAPE).enumerate() {
        match (nth % 2, part.len()) {
            (0, _) => out.push_str(part),
            (_, 4) => out.extend(["\\u", part]),
            _ => out.extend(["\\U", part]),
        }
    }
    out
}

/// Marks what is to be escaped, and says whether there is `any`.
fn mark(value: &mut serde_json::Value, any: &mut bool) {
    use serde_json::Value;
    // Line ends and tabs are the writer's: it has a form for texts of several lines.
    let is_one = |c: char| is_hostile(c) && !c.is_ascii_control() || matches!(c, ESCAPE | FORCE);
    match value {
        Value::String(text) if text.contains(is_one) => {
            let mut marked = format!("{FORCE}\u{1}{FORCE}");
            for c in text.chars() {
                let code = u32::from(c);
                let _ = match c {
                    c if !is_one(c) => write!(marked, "{c}"),
                    _ if code <= 0xffff => write!(marked, "{ESCAPE}{code:04X}{ESCAPE}"),
                    _ => write!(marked, "{ESCAPE}{code:08X}{ESCAPE}"),
                };
            }
            *text = marked;
            *any = true;
        }
        Value::Array(list) => list.iter_mut().for_each(|one| mark(one, any)),
        Value::Object(object) => object.values_mut().for_each(|one| mark(one, any)),
        _ => {}
    }
}

fn syntax(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {}", error.message())
}

/// The video that a step of a file means, or what is to be said where it is not there.
pub(super) fn video(step: &FileStep, library: &Library) -> Result<Option<VideoId>, String> {
    let (id, name) = (step.video_id.as_deref().unwrap_or_default(), step.video_name.as_deref().unwrap_or_default());
    let Some(videos) = &library.videos else { return Ok((!id.is_empty()).then(|| VideoId::new(id))) };
    if id.is_empty() && name.is_empty() {
        return Ok(None);
    }
    if let Some(found) = videos.iter().find(|video| video.id.as_str() == id) {
        return Ok(Some(found.id.clone()));
    }
    let mut named = videos.iter().filter(|video| !name.is_empty() && video.name == name);
    match (named.next(), named.next()) {
        (Some(found), None) => Ok(Some(found.id.clone())),
        (Some(_), Some(_)) => Err(format!("two videos are called {name:?}; {} is left without one", step.name)),
        _ => {
            let what = if name.is_empty() { id } else { name };
            Err(format!("there is no video {what:?}; {} is left without one", step.name))
        }
    }
}
