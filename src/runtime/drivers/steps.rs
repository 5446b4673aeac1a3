//! The driver of the Steps screen: projects read, the library, files written, and the journals of drafts.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::context::{Context, Driver};
use crate::api::ListVideos;
use crate::client::Client;
use crate::domain::ProjectId;
use crate::runtime::host::{Access, Existing};
use crate::runtime::journals::{self, Wish};
use crate::runtime::{failure, saving};
use crate::studio::event::{Event, Failure, RequestId};
use crate::studio::steps::{self, Effect, Found};

/// Carries out what the Steps screen asks for; uploads are the library's, see [`super::videos`].
#[derive(Default)]
pub struct StepsDriver {
    /// The thread that keeps the journals of drafts, once there was something for it to do.
    journals: Option<UnboundedSender<Wish>>,
}

impl StepsDriver {
    /// Wishes for something of the drafts' journals; the thread that keeps them is started by the first wish.
    pub fn journal(&mut self, wish: Wish, context: &Context) {
        let journals = match &self.journals {
            Some(journals) => journals,
            None => match context.host.folders.state() {
                Ok(state) => {
                    let journals = journals::start(state.join("drafts"), &context.tasks, context.events.clone());
                    self.journals.insert(journals)
                }
                Err(error) => {
                    let Wish::Find(_, project) = wish else { return };
                    let found = Found::Unusable(error.to_string());
                    return context.tell(Event::Steps(steps::Event::JournalFound { project, found }));
                }
            },
        };
        let _ = journals.send(wish);
    }
}

impl Driver for StepsDriver {
    type Effect = Effect;

    fn carry_out(&mut self, effect: Effect, context: &Context) {
        let lost = || Failure::new(context.why_unanswered());
        match effect {
            Effect::Read { request, project } => {
                let gone = Event::Steps(steps::Event::Read { request, project: Err(lost()) });
                context.ask(request, 0, gone, |client| read(client, request, project));
            }
            Effect::Library { request } => {
                let gone = Event::Steps(steps::Event::Library { request, videos: Err(lost()) });
                context.ask(request, 0, gone, |client| library(client, request));
            }
            Effect::Ask { request, ask } => {
                let of = move |reply| Event::Steps(steps::Event::Answered { request, reply: Box::new(reply) });
                let gone = of(context.unanswered(&ask));
                context.ask(request, 0, gone, async move |client| of(saving::ask(&client, *ask).await));
            }
            Effect::Export { request, file, content, .. } => {
                let exported = export(context.clone(), file, content);
                context.tell_later(async move {
                    Event::Steps(steps::Event::Exported { request, exported: exported.await })
                });
            }
            Effect::Claim { project } => self.journal(Wish::Claim(project), context),
            Effect::FindJournal { workspace, project } => self.journal(Wish::Find(workspace, project), context),
            Effect::Keep { project, records } => self.journal(Wish::Keep(project, records), context),
            Effect::DropJournal { project } => self.journal(Wish::Drop(project), context),
            Effect::LeaveJournal { project } => self.journal(Wish::Leave(project), context),
            // The driver of the library carries these out.
            Effect::ReadFolder { .. } | Effect::Upload { .. } | Effect::NoteUploads(_) | Effect::ResumeUpload(_) => {}
        }
    }
}

/// Reads a project with its steps.
async fn read(client: Client, request: RequestId, project: ProjectId) -> Event {
    let project = match saving::read(&client, &project).await {
        Ok(reading) => Ok(Box::new(reading.project)),
        Err(error) => Err(failure(&error)),
    };
    Event::Steps(steps::Event::Read { request, project })
}

/// Reads the video library.
async fn library(client: Client, request: RequestId) -> Event {
    let videos = match client.call(&ListVideos).await {
        Ok(answer) => Ok(Arc::new(answer.value.videos)),
        Err(error) => Err(failure(&error)),
    };
    Event::Steps(steps::Event::Library { request, videos })
}

/// Writes a file whole or not at all; what stands there already stays.
async fn export(context: Context, file: String, text: String) -> Result<String, String> {
    let written = context.write_file(file, text.into_bytes(), Access::Usual, Existing::Refuse).await;
    written.map_err(|error| {
        if error.is_taken() {
            format!("{} already exists and was not changed.", error.shown)
        } else {
            error.to_string()
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
    use url::Url;

    use super::*;
    use crate::client::{ClientOptions, Exchange, Hosts, Observe};
    use crate::draft::{Call, Outcome, SendOptions};
    use crate::runtime::connection::Connection;
    use crate::runtime::host::Host;
    use crate::runtime::tasks::Tasks;
    use crate::settings::{Config, Credentials, Depth, Environment, Flags, Folders, Target};
    use crate::studio::{Ask, Reply};

    /// Breaks every call, where a defect of this program would.
    struct Breaks;

    impl Observe for Breaks {
        fn began(&self) {
            panic!("it breaks off");
        }
        fn ended(&self, _exchange: Exchange) {}
    }

    async fn answered(arriving: &mut UnboundedReceiver<Event>) -> Outcome {
        loop {
            if let Event::Steps(steps::Event::Answered { reply, .. }) = arriving.recv().await.unwrap()
                && let Reply::Call(_, outcome) = *reply
            {
                return *outcome;
            }
        }
    }

    #[tokio::test]
    async fn a_call_that_breaks_off_may_have_been_done() {
        let home = tempfile::tempdir().unwrap();
        let host = Arc::new(Host::closed(Folders::under(home.path())));
        let (config, credentials) = (Config::default(), Credentials::default());
        let target = Target::resolve(&Flags::default(), &Environment::default(), &config, &credentials).unwrap();
        let (events, mut arriving) = unbounded_channel();
        let tasks = Tasks::new(events.clone());
        let context = Context::new(Arc::default(), host, target, Depth::Mono, tasks, events);
        let call = Box::new(Call::CreateProject { name: "New".to_owned() });
        let request = Box::new(call.request(&ProjectId::default()).unwrap());
        let ask = Box::new(Ask::Call(call, request, SendOptions::default()));
        let effect = Effect::Ask { request: RequestId::default(), ask };
        let mut driver = StepsDriver::default();

        driver.carry_out(effect.clone(), &context);
        let outcome = answered(&mut arriving).await;
        assert!(matches!(outcome, Outcome::Refused(_)), "nobody was there to send it: {outcome:?}");

        let base_url = Url::parse("http://127.0.0.1:9/").unwrap();
        let observer: Option<Arc<dyn Observe>> = Some(Arc::new(Breaks));
        let client = Client::new(ClientOptions {
            observer,
            credential: Some(crate::domain::ApiKey::new("key")),
            ..ClientOptions::new(Hosts::single(base_url.clone()))
        });
        context.connected(Connection { client, base_url, store: None, stores: Vec::new(), workspace: None });
        driver.carry_out(effect, &context);
        let outcome = answered(&mut arriving).await;
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    }
}
