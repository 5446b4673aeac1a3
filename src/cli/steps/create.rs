//! `cutaway steps create`

use clap::Args;

use super::content::Content;
use crate::api::{CreateStep, NewStep};
use crate::cli::{Failure, Session, writing};

/// Create a step in a project.
#[derive(Debug, Args)]
pub(super) struct Create {
    /// The project's id
    project: String,
    #[command(flatten)]
    content: Content,
    /// Print the service's own answer as JSON
    #[arg(long)]
    json: bool,
}

impl Create {
    fn request(&self) -> CreateStep {
        let step = NewStep {
            project_id: self.project.as_str().into(),
            description: self.content.description.clone(),
            answers: self.content.answers(),
            video_id: self.content.video(),
            overlay_text: self.content.overlay_text.clone(),
            ..NewStep::default()
        };
        CreateStep { step, ..CreateStep::default() }
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        writing::write(session, &self.request(), self.json, |created, given| {
            vec![("Name", given.required("name", &created.name)), ("Id", given.required("id", &created.id))]
        })
        .await
    }
}
