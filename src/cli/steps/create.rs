//! `cutaway steps create`

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::content::Content;
use crate::api::{CreateStep, NewStep};
use crate::cli::creating::Creation;
use crate::cli::{Failure, Session, names};

/// Create a step in a project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --overlay-text 'Who is it for?' --video 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --description 'The end' --answer 'Once more=>'")]
pub(super) struct Create {
    /// The project's id
    #[arg(add = ArgValueCompleter::new(names::projects))]
    project: String,
    #[command(flatten)]
    content: Content,
    #[command(flatten)]
    creation: Creation,
}

impl Create {
    fn request(&self) -> Result<CreateStep, Failure> {
        let step = NewStep {
            project_id: self.project.as_str().into(),
            description: self.content.description.clone(),
            answers: self.content.answers()?,
            video_id: self.content.video(),
            overlay_text: self.content.overlay_text.clone(),
            ..NewStep::default()
        };
        Ok(CreateStep { step, ..CreateStep::default() })
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        self.creation
            .run(
                session,
                &self.request()?,
                |created| created.id.as_str(),
                |created, given| {
                    vec![("Name", given.required("name", &created.name)), ("Id", given.required("id", &created.id))]
                },
            )
            .await
    }
}
