//! The drivers: they carry effects out and tell what happened. All of one shape, one a screen.

pub mod account;
mod checking;
mod context;
pub mod desk;
pub mod inspector;
pub mod products;
mod program;
pub mod projects;
mod script;
pub mod steps;
#[cfg(test)]
mod tests;
mod theme;
pub mod videos;
pub mod webhooks;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;
use url::Url;

pub use context::{Answer, Context, Driver, Lost, NotWritten};

use self::account::AccountDriver;
use self::inspector::InspectorDriver;
use self::products::ProductsDriver;
use self::projects::ProjectsDriver;
use self::steps::StepsDriver;
use self::theme::ThemeDriver;
use self::videos::VideosDriver;
use self::webhooks::WebhooksDriver;
use super::connection::{ConnectError, Connection, Hooks, connect};
use super::host::children::open;
use super::host::editor::{self, Edited};
use super::house::Lease;
use super::journals::Wish;
use super::pictures::{Options, Pictures};
use super::remember::Remember;
use super::resume;
use super::traffic::Traffic;
use super::uploads::Ask;
use super::watching::Watching;
use crate::client::AskWrite;
use crate::settings::Place;
use crate::studio::effect::Effect;
use crate::studio::event::{Connected, Event, Failure, Moment};
use crate::studio::products as on_products;
use crate::studio::steps as on_steps;
use crate::studio::{Left, Model};

/// Carries effects out: the world as the loop knows it.
pub trait Drivers: Send {
    /// The time.
    fn now(&self) -> Moment;
    /// Whether this host lets the loop itself carry an effect out: the clipboard, a program of its own, a signal.
    fn allows(&self, _effect: &Effect) -> bool {
        true
    }
    /// Whether something that was asked for is still to be told.
    fn is_waiting(&self) -> bool {
        false
    }
    /// Carries an effect out; what comes of it is told later.
    fn carry_out(&mut self, effect: Effect);
    /// Gets ready to stand still for long: what others wait for is handed over.
    fn pause(&mut self) -> impl Future<Output = ()> + Send;
    /// Lets the person change a text in the editor of their choice; the terminal is lent for it. The editor is told to end
    /// once `ended` says so.
    fn edit_text(
        &mut self,
        text: String,
        ended: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = Edited> + Send;
    /// Shows the model to whoever watches; in how long again, where it was shown just now.
    fn show(&mut self, _model: &Model) -> Option<Duration> {
        None
    }
    /// Tells that something happened.
    fn report(&mut self, event: Event);
}

/// The drivers of one sitting, over services, files and the clock.
pub struct HostDrivers {
    context: Context,
    account: AccountDriver,
    inspector: InspectorDriver,
    steps: StepsDriver,
    videos: VideosDriver,
    webhooks: WebhooksDriver,
    watching: Watching,
    pictures: Pictures,
    traffic: Arc<Traffic>,
    remember: Option<Remember>,
    /// Where the studio is, on its way to the disk.
    session: Option<JoinHandle<()>>,
    theme: ThemeDriver,
    /// The local workspace, where that is where it works.
    lease: Option<Arc<Lease>>,
    /// Ends what was begun, also where the sitting ends by a panic.
    _guard: DropGuard,
}

impl HostDrivers {
    /// The drivers of a sitting.
    #[must_use]
    pub fn new(context: Context) -> Self {
        let base = match &context.target.place {
            // A guest's pictures come from the workspace and from public addresses, never from this machine's others.
            Place::Local if context.host.key.is_some() => Url::parse("http://local").ok(),
            Place::Local => None,
            Place::Remote(hosts) => Some(hosts.base.clone()),
        };
        let options = Options {
            ffmpeg: context.host.ffmpeg.clone(),
            cache: context.host.folders.cache().ok().map(Path::to_path_buf),
            base,
            depth: context.depth,
            tasks: context.tasks.clone(),
            events: context.events.clone(),
        };
        let pictures = Pictures::of(options, &context.house.pictures());
        let lease = match (&context.target.place, context.host.folders.local_workspace()) {
            (Place::Local, Ok(folder)) => Some(Arc::new(context.house.workspace(&folder, context.host.key.as_ref()))),
            _ => None,
        };
        Self {
            account: AccountDriver::new(context.events.clone()),
            inspector: InspectorDriver,
            steps: StepsDriver::default(),
            videos: VideosDriver::new(pictures.films()),
            webhooks: WebhooksDriver::default(),
            watching: Watching::default(),
            pictures,
            traffic: Arc::new(Traffic::new(context.events.clone())),
            remember: None,
            session: None,
            theme: ThemeDriver::default(),
            lease,
            _guard: context.tasks.guard(),
            context,
        }
    }

    /// Ends what was begun, in order: what must not be lost is written, uploads are handed over to a background part
    /// where they are to go on (`hung_up`: the person did not choose to leave), and nothing runs on.
    ///
    /// # Errors
    /// Where uploads could not be handed over, in words for people; they stay in their queue.
    pub async fn finish(mut self, hung_up: bool) -> Result<(), String> {
        if let Some(remember) = self.remember.take() {
            remember.finish().await;
        }
        if let Some(session) = self.session.take() {
            let _ = session.await;
        }
        let handed_over = self.videos.end_uploads(hung_up, &self.context).await;
        let Self { context, lease, steps, videos, account, webhooks, pictures, theme, watching, .. } = self;
        watching.finish().await;
        // Those who work for as long as something can be asked of them end by this.
        drop((steps, videos, account, webhooks, pictures, theme));
        context.tasks.end().await;
        if let Some(lease) = lease.and_then(Arc::into_inner) {
            lease.give_back().await;
        }
        handed_over
    }

    /// Watches the file of the theme that the studio begins with; `fallback` where none was chosen.
    pub fn watch_theme(&self, fallback: &str) {
        let name = self.context.target.theme.clone().unwrap_or_else(|| fallback.to_owned());
        self.theme.choose(name, false, &self.context);
    }

    /// Keeps where the studio is, each time after the time before.
    pub fn keep_session(&mut self, left: Left) {
        let before = self.session.take();
        let (host, profile) = (Arc::clone(&self.context.host), self.context.target.name().to_owned());
        let tasks = self.context.tasks.clone();
        self.session = Some(self.context.tasks.spawn_to_end(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            let _ = tasks.block(move || resume::leave(&*host, &profile, &left)).await;
        }));
    }

    fn connect(&self) {
        // What is there already finds its way by itself; making it again would stop a workspace served from here.
        if let Some(connection) = self.context.connection() {
            return self.context.tell(Event::Connected(connected_to(&connection)));
        }
        let (context, desk) = (self.context.clone(), Arc::clone(self.account.desk()));
        let (lease, traffic, own_files) = (self.lease.clone(), Arc::clone(&self.traffic), self.pictures.own_files());
        let lost = Lost::beside(&Effect::Connect);
        self.context.answer(None, 0, lost, async move {
            let ask_write: Option<Arc<dyn AskWrite>> = context.target.live.then(|| desk.clone() as _);
            let hooks = Hooks {
                observer: Some(traffic),
                ask_sign_in: Some(desk),
                ask_write,
                workspace: lease.map(|lease| Arc::clone(lease.workspace())),
                pools: context.house.pools(),
                tasks: Some(context.tasks.clone()),
            };
            Some(match connected(&context, hooks).await {
                Ok(connection) => {
                    let connected = connected_to(&connection);
                    if let Some(workspace) = &connection.workspace {
                        own_files.connected(Arc::clone(workspace));
                    }
                    context.connected(connection);
                    Event::Connected(connected)
                }
                Err(error) => Event::ConnectFailed(Failure::new(error.to_string())),
            })
        });
    }

    /// What the Steps screen asks of the library, and all else of its own.
    fn on_steps(&mut self, effect: on_steps::Effect) {
        let context = &self.context;
        match effect {
            on_steps::Effect::Upload { request, file, destination } => {
                self.videos.queue_for_step(request, file, destination, context);
            }
            on_steps::Effect::NoteUploads(entries) => self.videos.ask_uploads(Ask::Note(entries), context),
            on_steps::Effect::ResumeUpload(id) => self.videos.ask_uploads(Ask::Resume(vec![id]), context),
            effect => self.steps.carry_out(effect, context),
        }
    }

    fn open_address(&self, address: String) {
        let opener = self.context.host.desktop.clone();
        let lost = Lost::beside(&Effect::OpenAddress(String::new()));
        self.context.answer(None, 0, lost, async move {
            Some(Event::AddressOpened(match opener {
                None => Err(format!("No program to open {address} with.")),
                Some(opener) => match open(&opener, &address) {
                    Err(why) => Err(format!("Couldn't open {address}: {why}.")),
                    Ok(mut command) => match command.status().await {
                        Ok(status) if status.success() => Ok(()),
                        Ok(_) => Err(format!("Couldn't open {address}.")),
                        Err(error) => Err(format!("Couldn't open {address}: {error}")),
                    },
                },
            }))
        });
    }
}

/// Connects, and tells how far the sample store is, where that is loaded first.
async fn connected(context: &Context, hooks: Hooks) -> Result<Connection, ConnectError> {
    let progress = context.events.clone();
    let told = move |done: u64| {
        let what = "Loading the sample store".to_owned();
        let _ = progress.send(Event::Prepared { what, done, of: 0 });
    };
    let host = &context.host;
    connect(&context.target, &host.folders, host.credentials.as_ref(), hooks, told).await
}

fn connected_to(connection: &Connection) -> Connected {
    Connected { base: connection.shown(), store: connection.store.clone(), stores: connection.stores.clone() }
}

impl Drivers for HostDrivers {
    fn now(&self) -> Moment {
        Moment(jiff::Timestamp::now().as_millisecond())
    }

    fn is_waiting(&self) -> bool {
        self.context.is_waiting()
    }

    fn allows(&self, effect: &Effect) -> bool {
        let host = &self.context.host;
        match effect {
            Effect::CopyText(_) | Effect::CopySecret(_) | Effect::CopySignIn(_) => host.clipboard,
            Effect::TellDesktop(_) => host.notifications,
            Effect::EditText(_) => host.editor.is_some(),
            Effect::Suspend => host.suspend,
            _ => true,
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        let context = &self.context;
        match effect {
            Effect::Connect => self.connect(),
            Effect::Pictures { wanted, graphics, cell } if context.host.pictures => {
                self.pictures.want(wanted, graphics, cell);
            }
            Effect::OpenFilm(film) if context.host.pictures => self.pictures.films().open(film),
            Effect::CloseFilm => self.pictures.films().close(),
            Effect::Cancel(request) => context.cancel(request),
            Effect::OpenAddress(address) => self.open_address(address),
            Effect::Wake { alarm, after_ms } => {
                context.answer(None, after_ms, Lost::nothing(), async move { Some(Event::Woke(alarm)) });
            }
            Effect::KeepSession(left) => self.keep_session(*left),
            // Where drafts can't be looked for, that is told once one is opened.
            Effect::FindDrafts(workspace) => drop(self.steps.journal(Wish::List(workspace), context)),
            Effect::Products(on_products::Effect::Remember(change)) => {
                let begin = || {
                    let (host, place) = (&context.host, &context.target.place);
                    Remember::new(&**host, place, &context.tasks, context.events.clone())
                };
                self.remember.get_or_insert_with(begin).keep(*change);
            }
            Effect::SaveScript { file, script } => script::begin(context, file, script),
            Effect::RunProgram { title, run } if context.host.programs => program::begin(title, run, context),
            Effect::Share => self.watching.share(context),
            Effect::Admit(id, admitted) => self.watching.admit(id, admitted),
            Effect::Unshare => self.watching.end(),
            Effect::ReadTheme(name) => self.theme.choose(name, true, context),
            Effect::UseColors { depth, theme } => {
                self.context.depth = depth;
                self.theme.choose(theme, true, &self.context);
            }
            Effect::Products(effect) => ProductsDriver.carry_out(effect, context),
            Effect::Steps(effect) => self.on_steps(effect),
            Effect::Projects(effect) => ProjectsDriver.carry_out(effect, context),
            Effect::Videos(effect) => self.videos.carry_out(effect, context),
            Effect::Webhooks(effect) => self.webhooks.carry_out(effect, context),
            Effect::Account(effect) => self.account.carry_out(effect, context),
            Effect::Inspector(effect) => self.inspector.carry_out(effect, context),
            // The loop's own, and what this host has no pictures for.
            Effect::CopyText(_)
            | Effect::CopySecret(_)
            | Effect::CopySignIn(_)
            | Effect::TellDesktop(_)
            | Effect::EditText(_)
            | Effect::Repaint
            | Effect::Suspend
            | Effect::Quit
            | Effect::RunProgram { .. }
            | Effect::Pictures { .. }
            | Effect::OpenFilm(_) => {}
        }
    }

    async fn pause(&mut self) {
        // A stopped process would hold the local workspace without answering. The first call afterwards serves it
        // again, or finds whoever does by then.
        if let Some(lease) = &self.lease {
            lease.pause().await;
        }
    }

    async fn edit_text(&mut self, text: String, ended: impl Future<Output = ()> + Send) -> Edited {
        match &self.context.host.editor {
            Some(editor) => editor::edit(editor, &text, ended).await,
            None => Edited::Text(Err("No editor is available here.".to_owned())),
        }
    }

    fn show(&mut self, model: &Model) -> Option<Duration> {
        self.watching.show(model)
    }

    fn report(&mut self, event: Event) {
        self.context.tell(event);
    }
}
