//! `cutaway steps create`

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::content::Content;
use crate::api::{CreateStep, NewStep};
use crate::cli::creating::{Creation, print_id};
use crate::cli::{Failure, Session, names, writing};
use crate::client::ClientError;
use crate::domain::StoreUrl;

/// Create a step in a project.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --overlay-text 'Who is it for?' --video 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --description 'The end' --answer 'Once more=>'
  cutaway steps create 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --id-and-name")]
pub(super) struct Create {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    project: String,
    #[command(flatten)]
    content: Content,
    #[command(flatten)]
    creation: Creation,
    /// Print only the new ID and name, separated by a space, for scripts that link answers by name
    #[arg(long, conflicts_with_all = ["json", "id_only"])]
    id_and_name: bool,
}

impl Create {
    fn request(&self, store: Option<&StoreUrl>) -> Result<CreateStep, Failure> {
        let step = NewStep {
            project_id: self.project.as_str().into(),
            description: self.content.description.clone(),
            answers: self.content.answers()?,
            video_id: self.content.video(),
            overlay_text: self.content.overlay_text.clone(),
            products: self.content.products(store),
            ..NewStep::default()
        };
        Ok(CreateStep { step, ..CreateStep::default() })
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if self.id_and_name {
            return self.print_both(session).await;
        }
        let store = self.content.store(session).await?;
        self.creation
            .run(
                session,
                &self.request(store.as_ref())?,
                |created| created.id.as_str(),
                |created, given| {
                    vec![("Name", given.required("name", &created.name)), ("Id", given.required("id", &created.id))]
                },
            )
            .await
    }

    /// Creates the step; of its answer the id and the name, which can be told apart again.
    async fn print_both(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<CreateStep>()?;
        let store = self.content.store(session).await?;
        let answer = session.connect().await?.client.call(&self.request(store.as_ref())?).await?;
        writing::note_products(&answer);
        let (id, name) = (answer.value.id.as_str(), answer.value.name.as_str());
        if id.is_empty() || id.contains(' ') || name.is_empty() {
            return Err(Failure::Client(ClientError::Unreadable {
                status: answer.status,
                what: "it was created, but the response has neither its ID nor its name".to_owned(),
                request_id: answer.request_id.clone(),
            }));
        }
        print_id(&format!("{id} {name}"))
    }
}
