//! The drivers: they carry effects out and report what happened.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::account::AccountDriver;
use super::children::open;
use super::connection::{Connection, Hooks, connect};
use super::journals::Wish;
use super::pictures::Pictures;
use super::remember::Remember;
use super::studio::clock;
use super::themes::Watched;
use super::traffic::Traffic;
use super::uploads::Ask;
use super::videos::UploadsOfStudio;
use super::webhooks::WebhooksDriver;
use super::{export, inspector, products, projects, themes};
use crate::client::{AskWrite, Client};
use crate::settings::{CredentialStore, Depth, Environment, FileFault, Folders, Place, Target, Theme, read_text};
use crate::studio::Left;
use crate::studio::effect::Effect;
use crate::studio::event::{Connected, Event, Failure, Gathered, Moment, RequestId};
use crate::studio::projects as on_projects;
use crate::studio::steps;

/// What came of an effect at once.
#[derive(Debug)]
pub enum Done {
    /// It is under way.
    Started,
    /// This happened.
    Now(Event),
}

/// Carries effects out.
pub trait World {
    /// The time.
    fn now(&self) -> Moment;
    /// Carries an effect out; what comes of it is reported later.
    fn carry_out(&mut self, effect: Effect) -> Done;
    /// Gets ready to stand still for long: what others wait for is handed over.
    fn pause(&mut self) -> impl Future<Output = ()>;
    /// Lets the person change a text in the editor of their choice; the terminal is lent for it.
    fn edit_text(&mut self, text: String) -> impl Future<Output = Result<String, String>>;
    /// Reports that something happened.
    fn report(&mut self, event: Event);
}

/// What a studio may touch of its host.
#[derive(Debug, Clone)]
pub struct Host {
    /// Where its files are.
    pub folders: Folders,
    /// Where credentials are kept, where there is a home.
    pub credentials: Option<CredentialStore>,
    /// The program that opens addresses, where there is one and the person sits at this machine.
    pub opener: Option<PathBuf>,
    /// The editor of the person's choice: a shell's command line that a file's name is put after.
    pub editor: String,
    /// The name of this machine, where the person sits at another one.
    pub machine: Option<String>,
    /// The program that takes pictures out of videos, where there is one.
    pub ffmpeg: Option<PathBuf>,
    /// How many colours the terminal shows.
    pub depth: Depth,
    /// The variables: what in them is secret is kept out of archives.
    pub environment: Environment,
}

/// The world as it is: services, files, the clock.
pub struct Real {
    pub(super) target: Target,
    pub(super) host: Host,
    pub(super) events: UnboundedSender<Event>,
    connection: Arc<std::sync::Mutex<Option<Arc<Connection>>>>,
    waiting: HashMap<RequestId, CancellationToken>,
    traffic: Arc<Traffic>,
    account: AccountDriver,
    webhooks: WebhooksDriver,
    pub(super) uploads: UploadsOfStudio,
    journals: Option<UnboundedSender<Wish>>,
    pub(super) pictures: Pictures,
    remember: Option<Remember>,
    /// Where the studio is, on its way to the disk.
    session: Option<JoinHandle<()>>,
    /// The file of the theme that is in use, where it is the person's own.
    theme: Option<Watched>,
    /// Whether it was said that the theme's file can't be watched.
    said_unwatched: bool,
}

impl Real {
    /// The world of a target; what happens in it is reported to `events`.
    #[must_use]
    pub fn new(target: Target, host: Host, events: UnboundedSender<Event>) -> Self {
        let traffic = Arc::new(Traffic::new(events.clone()));
        let base = match &target.place {
            Place::Local => None,
            Place::Remote(hosts) => Some(hosts.base.clone()),
        };
        let cache = host.folders.cache().ok().map(Path::to_path_buf);
        let pictures = Pictures::with_ffmpeg(host.ffmpeg.clone(), cache, base, host.depth, events.clone());
        let account = AccountDriver::new(&target, &host, events.clone());
        let webhooks = WebhooksDriver::new(events.clone());
        Self {
            target,
            host,
            events,
            connection: Arc::default(),
            waiting: HashMap::new(),
            traffic,
            account,
            webhooks,
            uploads: UploadsOfStudio::default(),
            journals: None,
            pictures,
            remember: None,
            session: None,
            theme: None,
            said_unwatched: false,
        }
    }

    /// The connection, once there is one.
    #[must_use]
    pub fn connection(&self) -> Option<Arc<Connection>> {
        self.connection.lock().ok().and_then(|connection| connection.clone())
    }

    /// Finishes what must not be lost: called once the studio has ended.
    pub async fn finish(&mut self) {
        if let Some(remember) = self.remember.take() {
            remember.finish().await;
        }
        if let Some(session) = self.session.take() {
            let _ = session.await;
        }
    }

    /// Keeps where the studio is, each time after the time before.
    fn keep_session(&mut self, left: Left) {
        let before = self.session.take();
        let (folders, profile) = (self.host.folders.clone(), self.target.name().to_owned());
        self.session = Some(tokio::spawn(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            let _ = tokio::task::spawn_blocking(move || super::resume::leave(&folders, &profile, &left)).await;
        }));
    }

    pub(super) fn client(&self) -> Option<Client> {
        self.connection().map(|connection| connection.client.clone())
    }

    fn connect(&self) {
        // What is there already finds its way by itself; making it anew would stop a workspace served from here.
        if let Some(connection) = self.connection() {
            let _ = self.events.send(Event::Connected(connected_to(&connection)));
            return;
        }
        let (target, folders) = (self.target.clone(), self.host.folders.clone());
        let (store, desk) = (self.host.credentials.clone(), Arc::clone(self.account.desk()));
        let own_files = self.pictures.own_files();
        let (events, kept, traffic) = (self.events.clone(), Arc::clone(&self.connection), Arc::clone(&self.traffic));
        tokio::spawn(async move {
            let progress = events.clone();
            let told = move |done: u64| {
                let what = "Loading the sample store".to_owned();
                let _ = progress.send(Event::Prepared { what, done, of: 0 });
            };
            let ask_write: Option<Arc<dyn AskWrite>> = target.live.then(|| desk.clone() as _);
            let hooks = Hooks { observer: Some(traffic), ask_sign_in: Some(desk), ask_write };
            let event = match connect(&target, &folders, store.as_ref(), hooks, told).await {
                Ok(connection) => {
                    let connected = connected_to(&connection);
                    if let Some(workspace) = &connection.workspace {
                        own_files.connected(Arc::clone(workspace));
                    }
                    if let Ok(mut kept) = kept.lock() {
                        *kept = Some(Arc::new(connection));
                    }
                    Event::Connected(connected)
                }
                Err(error) => Event::ConnectFailed(Failure::new(error.to_string())),
            };
            let _ = events.send(event);
        });
    }

    /// Starts a question whose answer may be no longer wanted before it comes.
    pub(super) fn ask<F>(
        &mut self,
        request: RequestId,
        after_ms: u64,
        ask: impl FnOnce(Client) -> F,
        lost: Event,
    ) -> Done
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let Some(client) = self.client() else { return Done::Now(lost) };
        let token = CancellationToken::new();
        self.waiting.retain(|_, token| !token.is_cancelled());
        self.waiting.insert(request, token.clone());
        let (answer, events) = (ask(client), self.events.clone());
        tokio::spawn(async move {
            let asked = async {
                if after_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                }
                answer.await
            };
            // What panics is told by whoever listens for that; what was asked for is lost, and has to be said to be.
            let asked = AssertUnwindSafe(asked).catch_unwind();
            if let Some(answered) = token.run_until_cancelled(asked).await {
                token.cancel();
                let _ = events.send(answered.unwrap_or(lost));
            }
        });
        Done::Started
    }

    fn ask_projects(&mut self, effect: on_projects::Effect, lost: Failure) -> Done {
        use on_projects::{Effect as Of, Event as Told, Trouble};
        match effect {
            Of::List { request } => {
                let gone = Event::Projects(Told::Listed { request, list: Err(lost) });
                self.ask(request, 0, |client| projects::list(client, request), gone)
            }
            Of::Read { request, project, after_ms } => {
                let gone = Event::Projects(Told::Read { request, record: Err(lost) });
                self.ask(request, after_ms, |client| projects::read(client, request, project), gone)
            }
            Of::Write { request, write } => {
                let trouble = Trouble { failure: lost, unknown: false, invalid: false, gone: false };
                let gone = Event::Projects(Told::Written { request, written: Err(trouble) });
                self.ask(request, 0, |client| projects::write(client, request, *write), gone)
            }
        }
    }

    fn open_address(&self, address: String) {
        let (opener, events) = (self.host.opener.clone(), self.events.clone());
        tokio::spawn(async move {
            let result = match opener {
                None => Err(format!("There is nothing here to open {address} with.")),
                Some(opener) => match open(&opener, &address) {
                    Err(why) => Err(format!("{address} was not opened: {why}.")),
                    Ok(mut command) => match command.status().await {
                        Ok(status) if status.success() => Ok(()),
                        Ok(_) => Err(format!("{address} could not be opened.")),
                        Err(error) => Err(format!("{address} could not be opened: {error}")),
                    },
                },
            };
            let _ = events.send(Event::AddressOpened(result));
        });
    }

    /// Watches the file of the theme that is in use.
    pub fn watch_theme(&mut self, name: &str) {
        let dress = self.dress();
        self.theme = None;
        match themes::watch(&self.host.folders, name, self.host.depth, dress, self.events.clone()) {
            Ok(watched) => self.theme = watched,
            Err(error) if !self.said_unwatched => {
                self.said_unwatched = true;
                let why = error.to_string();
                let say = format!(
                    "The theme's file is not watched ({why}): choose the theme again to see what you change in it."
                );
                let _ = self.events.send(Event::NotKept(say));
            }
            Err(_) => {}
        }
    }

    fn read_theme(&mut self, name: &str) -> Event {
        self.watch_theme(name);
        let (theme, faults) = load_theme(&self.host.folders, name, self.host.depth);
        Event::ThemeRead { theme: Arc::new(self.dress()(theme)), faults }
    }

    /// What the profile does to any theme: the frames of one that is live have a colour of their own.
    fn dress(&self) -> impl Fn(Theme) -> Theme + Send + 'static {
        let (live, colour, depth) = (self.target.live, self.target.colour.clone(), self.host.depth);
        move |theme| if live { theme.for_live(colour.as_deref(), depth) } else { theme }
    }
}

impl Real {
    /// Wishes for something of the drafts' journals; the thread that keeps them is started by the first wish.
    fn journal(&mut self, wish: Wish) {
        let journals = match &self.journals {
            Some(journals) => journals,
            None => match self.host.folders.state() {
                Ok(state) => self.journals.insert(super::journals::start(state.join("drafts"), self.events.clone())),
                Err(error) => {
                    let Wish::Find(_, project) = wish else { return };
                    let found = steps::Found::Unusable(error.to_string());
                    let _ = self.events.send(Event::Steps(steps::Event::JournalFound { project, found }));
                    return;
                }
            },
        };
        let _ = journals.send(wish);
    }

    fn on_steps(&mut self, effect: steps::Effect) -> Done {
        let lost = || Failure::new("There is no connection to the service yet.");
        match effect {
            steps::Effect::Read { request, project } => {
                let gone = Event::Steps(steps::Event::Read { request, project: Err(lost()) });
                return self.ask(request, 0, |client| super::steps::read(client, request, project), gone);
            }
            steps::Effect::Library { request } => {
                let gone = Event::Steps(steps::Event::Library { request, videos: Err(lost()) });
                return self.ask(request, 0, |client| super::steps::library(client, request), gone);
            }
            steps::Effect::Export { file, content, .. } => {
                let events = self.events.clone();
                tokio::spawn(async move {
                    let _ = events.send(super::steps::export(file, content).await);
                });
            }
            steps::Effect::ReadFolder { request, folder } => {
                let read = self.read_folder_of_files(folder);
                let events = self.events.clone();
                tokio::spawn(async move {
                    let _ = events.send(Event::Steps(steps::Event::FolderRead { request, folder: read.await }));
                });
            }
            steps::Effect::Upload { file, destination } => self.queue_files(vec![file], Some(destination)),
            steps::Effect::NoteUploads(entries) => self.ask_uploads(Ask::Note(entries)),
            steps::Effect::ResumeUpload(id) => self.ask_uploads(Ask::Resume(vec![id])),
            steps::Effect::Claim { project } => self.journal(Wish::Claim(project)),
            steps::Effect::FindJournal { workspace, project } => self.journal(Wish::Find(workspace, project)),
            steps::Effect::Keep { project, records } => self.journal(Wish::Keep(project, records)),
            steps::Effect::DropJournal { project } => self.journal(Wish::Drop(project)),
            steps::Effect::LeaveJournal { project } => self.journal(Wish::Leave(project)),
            steps::Effect::Ask { request, ask } => {
                let failed = crate::draft::Outcome::Refused(lost().what);
                let reply = match &*ask {
                    steps::Ask::Call(call, ..) => steps::Reply::Call(call.clone(), Box::new(failed)),
                    steps::Ask::ReadProject { .. } => steps::Reply::Project(Err(lost())),
                    steps::Ask::ListProjects { .. } => steps::Reply::Projects(Err(lost())),
                };
                let gone = Event::Steps(steps::Event::Answered { request, reply: Box::new(reply) });
                return self.ask(request, 0, |client| super::steps::ask(client, request, *ask), gone);
            }
        }
        Done::Started
    }
}

impl World for Real {
    fn now(&self) -> Moment {
        clock()
    }

    fn carry_out(&mut self, effect: Effect) -> Done {
        let lost = || Failure::new("There is no connection to the service yet.");
        match effect {
            Effect::Connect => self.connect(),
            Effect::Search { request, search, after_ms } => {
                let gone = Event::PageArrived { request, page: Err(lost()) };
                return self.ask(request, after_ms, |client| products::search(client, request, *search), gone);
            }
            Effect::Count { request, store } => {
                let gone = Event::CountArrived { request, total: Err(lost()) };
                return self.ask(request, 0, |client| products::count(client, request, store), gone);
            }
            Effect::FetchProduct { request, store, product, after_ms } => {
                let gone = Event::ProductArrived { request, product: Err(lost()) };
                return self.ask(request, after_ms, |client| products::fetch(client, request, store, product), gone);
            }
            Effect::FetchAnalysis { request, store, product, timeout_ms, after_ms } => {
                let gone = Event::AnalysisArrived { request, analysis: Err(lost()) };
                let ask = |client| products::analyse(client, request, store, product, timeout_ms);
                return self.ask(request, after_ms, ask, gone);
            }
            Effect::FetchFacets { request, store, products, timeout_ms } => {
                let gone = Event::FacetsArrived { request, facets: Err(lost().what) };
                let ask = |client| products::facets(client, request, store, products, timeout_ms);
                return self.ask(request, 0, ask, gone);
            }
            Effect::Gather { request, search } => {
                let reports = self.events.clone();
                let gone = Event::Gathered { request, gathered: Gathered::Failed(lost().what) };
                return self.ask(request, 0, |client| products::gather(client, request, *search, reports), gone);
            }
            Effect::Export { request, export } => {
                let reports = self.events.clone();
                let failed = "there is no connection to the service yet".to_owned();
                let gone = Event::Exported { request, done: 0, ended: Some(Err(failed)) };
                return self.ask(request, 0, |client| export::export(client, request, *export, reports), gone);
            }
            Effect::Pictures { wanted, graphics, cell } => self.pictures.want(wanted, graphics, cell),
            Effect::FetchPicture { request, address } => self.pictures.fetch(request, address),
            Effect::OpenFilm(film) => self.pictures.films().open(film),
            Effect::CloseFilm => self.pictures.films().close(),
            Effect::Cancel(request) if self.pictures.cancel(request) => {}
            Effect::Cancel(request) => {
                if let Some(token) = self.waiting.remove(&request) {
                    token.cancel();
                }
            }
            Effect::OpenAddress(address) => self.open_address(address),
            Effect::Wake { alarm, after_ms } => {
                let events = self.events.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                    let _ = events.send(Event::Woke(alarm));
                });
            }
            Effect::KeepSession(left) => self.keep_session(*left),
            Effect::FindDrafts(workspace) => self.journal(Wish::List(workspace)),
            Effect::Remember(change) => {
                let (folders, events) = (&self.host.folders, &self.events);
                let place = &self.target.place;
                self.remember.get_or_insert_with(|| Remember::new(folders, place, events.clone())).keep(*change);
            }
            Effect::SaveScript { file, script } => {
                let events = self.events.clone();
                tokio::spawn(async move {
                    let _ = events.send(super::script::save(file, script).await);
                });
            }
            Effect::ReadTheme(name) => return Done::Now(self.read_theme(&name)),
            Effect::Steps(effect) => return self.on_steps(effect),
            Effect::Projects(effect) => return self.ask_projects(effect, lost()),
            Effect::Videos(effect) => return self.carry_out_videos(effect),
            Effect::Webhooks(effect) => self.webhooks.carry_out(effect, self.client()),
            Effect::Account(effect) => self.account.carry_out(effect, self.client()),
            Effect::Inspector(effect) => {
                let place = inspector::SupportPlace {
                    folders: self.host.folders.clone(),
                    target: self.target.clone(),
                    environment: self.host.environment.clone(),
                };
                inspector::carry_out(effect, place, self.client(), self.events.clone());
            }
            // The loop's own.
            Effect::CopyText(_)
            | Effect::TellDesktop(_)
            | Effect::EditText(_)
            | Effect::ShowPicture(_)
            | Effect::Repaint
            | Effect::Suspend
            | Effect::Quit => {}
        }
        Done::Started
    }

    async fn pause(&mut self) {
        // A stopped process would hold the local workspace without answering. The first call afterwards serves it
        // again, or finds whoever does by then.
        if let Some(workspace) = self.connection().and_then(|connection| connection.workspace.clone()) {
            workspace.close().await;
        }
    }

    async fn edit_text(&mut self, text: String) -> Result<String, String> {
        super::editor::edit(&self.host.editor, &text).await
    }

    fn report(&mut self, event: Event) {
        let _ = self.events.send(event);
    }
}

fn connected_to(connection: &Connection) -> Connected {
    Connected { base: connection.shown(), store: connection.store.clone(), stores: connection.stores.clone() }
}

/// The theme of a name, and what is wrong in its file.
#[must_use]
pub fn load_theme(folders: &Folders, name: &str, depth: Depth) -> (Theme, Vec<FileFault>) {
    match own_theme(folders, name) {
        Ok(own) => Theme::load(name, own.as_deref(), depth),
        // A file that is there but can't be read is named; the theme that Cutaway brings stands in for it.
        Err(fault) => (Theme::load("dark", None, depth).0, vec![fault]),
    }
}

/// The person's own theme file of a name, where there is one.
///
/// # Errors
/// Where there is one that can't be read.
fn own_theme(folders: &Folders, name: &str) -> Result<Option<String>, FileFault> {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    match folders.config() {
        Ok(folder) if plain => read_text(&folder.join("themes").join(format!("{name}.toml"))),
        _ => Ok(None),
    }
}
