//! Taking in the sample's folders, projects, videos and webhooks: once a workspace, all or nothing.

use std::collections::HashMap;

use super::db::params;
use super::{FunnelDays, Identity, NewVideoRow, Store, StoreError, projects, sample_visits, steps, videos, webhooks};
use crate::domain::funnel::{KnownStep, counted_text};
use crate::domain::{Answer, StepProduct, WebhookEvent};

/// What a workspace begins with beside its store.
#[derive(Debug, Clone, Default)]
pub struct SampleWorkspace {
    /// Names of folders.
    pub folders: Vec<String>,
    /// Videos, each with the file that steps name it by.
    pub videos: Vec<(String, NewVideoRow)>,
    /// Projects.
    pub projects: Vec<SampleProject>,
    /// Subscriptions.
    pub webhooks: Vec<(WebhookEvent, String)>,
}

/// A project with its steps, wrong ones included: what is broken on purpose is kept as it is.
#[derive(Debug, Clone, Default)]
pub struct SampleProject {
    /// Its name.
    pub name: String,
    /// The name of its folder.
    pub folder: Option<String>,
    /// Who is told of answers.
    pub email_notifications: Vec<String>,
    /// Names of its steps.
    pub steps_order: Vec<String>,
    /// About how many visits a day are made up for the last month.
    pub visits_a_day: Option<i64>,
    /// Its steps.
    pub steps: Vec<SampleStep>,
}

/// A step, with the name that answers know it by.
#[derive(Debug, Clone, Default)]
pub struct SampleStep {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// The text over its video.
    pub overlay_text: Option<String>,
    /// The file of its video.
    pub video: Option<String>,
    /// Seconds until its answers appear.
    pub answer_time: Option<f64>,
    /// Its answers.
    pub answers: Vec<Answer>,
    /// The products that it shows.
    pub products: Vec<StepProduct>,
}

/// A step as its visits are counted.
fn known(step: &SampleStep) -> KnownStep {
    let id = |link: &StepProduct| link.product_id.as_str().to_owned();
    KnownStep {
        name: step.name.clone(),
        answers: step.answers.iter().map(|answer| counted_text(&answer.text)).collect(),
        leads: step.answers.iter().map(|answer| answer.next.clone().filter(|next| !next.is_empty())).collect(),
        products: step.products.iter().map(id).collect(),
    }
}

impl Store {
    /// Takes in the sample for a workspace that never had it; one that deleted parts of it does not get them back.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses; then nothing is taken in.
    pub async fn load_workspace(&self, of: &Identity, sample: SampleWorkspace) -> Result<(), StoreError> {
        let of = of.clone();
        let today = FunnelDays::of(jiff::Timestamp::now().as_millisecond());
        self.write(move |transaction| {
            let marked = transaction.execute(
                "INSERT OR IGNORE INTO setting (name, value) VALUES (?1, x'01')",
                [format!("sample of workspace {}", of.workspace)],
            )?;
            if marked == 0 {
                return Ok(());
            }
            let mut folders = HashMap::new();
            for name in &sample.folders {
                folders.insert(name.as_str(), projects::insert_folder(transaction, of.workspace, name)?);
            }
            let mut ids = HashMap::new();
            for (file, video) in &sample.videos {
                let id = uuid::Uuid::new_v4().to_string();
                videos::insert(transaction, of.workspace, &id, video)?;
                ids.insert(file.as_str(), id);
            }
            for project in &sample.projects {
                let (number, made) = projects::insert(transaction, &of, &project.name)?;
                for step in &project.steps {
                    let row = steps::StepRow {
                        name: &step.name,
                        description: step.description.as_deref(),
                        answers: &step.answers,
                        video: step.video.as_deref().and_then(|file| ids.get(file)).map(String::as_str),
                        overlay_text: step.overlay_text.as_deref(),
                        answer_time: step.answer_time,
                        products: &step.products,
                    };
                    steps::insert(transaction, number, &row)?;
                }
                if let Some(visits) = project.visits_a_day {
                    let steps: Vec<KnownStep> = project.steps.iter().map(known).collect();
                    sample_visits::make(transaction, made.id.as_str(), &steps, visits, today)?;
                }
                transaction.execute(
                    "UPDATE project SET folder = ?2, email_notifications = ?3, steps_order = ?4 WHERE number = ?1",
                    params![
                        number,
                        project.folder.as_deref().and_then(|name| folders.get(name)),
                        serde_json::to_string(&project.email_notifications)?,
                        serde_json::to_string(&project.steps_order)?,
                    ],
                )?;
            }
            for (event, url) in &sample.webhooks {
                webhooks::insert(transaction, &of, event, url)?;
            }
            Ok(())
        })
        .await
    }
}
