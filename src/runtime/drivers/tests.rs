//! Whatever becomes of an effect, whoever asked for it is told.

use std::sync::Arc;

use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use url::Url;

use super::*;
use crate::api::{AnyRequest, EnableWebhook};
use crate::client::{Client, ClientOptions, Exchange, Hosts, Observe};
use crate::domain::{ApiKey, ProductSearch, Project, ProjectId, Step, StepProduct, WebhookEvent};
use crate::draft::{Call, SendOptions};
use crate::runtime::host::Host;
use crate::runtime::tasks::Tasks;
use crate::settings::{Config, Credentials, Depth, Environment, Flags, Folders, Target};
use crate::studio::account::{self, Way};
use crate::studio::event::RequestId;
use crate::studio::problems::CheckRequest;
use crate::studio::{Answers, Ask, Asks, Unanswered, inspector, products, projects, steps, videos, webhooks};

/// Breaks every call, where a defect of this program would.
struct Breaks;

impl Observe for Breaks {
    fn began(&self) {
        panic!("it breaks off");
    }
    fn ended(&self, _exchange: Exchange) {}
}

/// Answers nothing: it breaks.
struct Panics;

impl Driver for Panics {
    type Effect = Effect;

    fn answer(&self, _effect: Effect, _context: Context) -> Answer<Effect> {
        Box::pin(async { panic!("it breaks off") })
    }
}

struct Sitting {
    _home: TempDir,
    context: Context,
    arriving: UnboundedReceiver<Event>,
}

impl Sitting {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = Arc::new(Host::closed(Folders::under(home.path())));
        let (config, credentials) = (Config::default(), Credentials::default());
        let target = Target::resolve(&Flags::default(), &Environment::default(), &config, &credentials).unwrap();
        let (events, arriving) = unbounded_channel();
        let tasks = Tasks::new(events.clone());
        let context = Context::new(Arc::default(), host, target, Depth::Mono, tasks, events);
        Self { _home: home, context, arriving }
    }

    /// There is a connection, and every call on it breaks off.
    fn connect(&self) {
        let base_url = Url::parse("http://127.0.0.1:9/").unwrap();
        let observer: Option<Arc<dyn Observe>> = Some(Arc::new(Breaks));
        let credential = Some(ApiKey::new("key"));
        let options = ClientOptions { credential, observer, ..ClientOptions::new(Hosts::single(base_url.clone())) };
        let client = Client::new(options);
        self.context.connected(Connection { client, base_url, store: None, stores: Vec::new(), workspace: None });
    }

    /// Waits until this was told.
    async fn is_told(&mut self, told: Event) {
        while self.arriving.recv().await.expect("more is told") != told {}
    }
}

/// A project whose step shows a product.
fn offering() -> Arc<projects::Record> {
    let product = StepProduct { store: "https://a.example".into(), product_id: "p".into(), ..StepProduct::default() };
    let step = Step { products: Some(vec![product]), ..Step::default() };
    let project = Project { steps: Some(vec![step]), ..Project::default() };
    Arc::new(projects::Record::of(project, serde_json::Value::Null, Vec::new()))
}

/// An effect of each kind that asks the service.
fn asks_the_service() -> Vec<Effect> {
    let mut last = 0;
    let mut next = || {
        last += 1;
        RequestId(last)
    };
    let call = Box::new(Call::CreateProject { name: "New".to_owned() });
    let ask = || {
        let request = Box::new(call.request(&ProjectId::default()).unwrap());
        Box::new(Ask::Call(call.clone(), request, SendOptions::default()))
    };
    let search = Box::<ProductSearch>::default;
    let (store, product) = ("https://a.example", "p");
    let mut effects: Vec<Effect> = [
        products::Effect::Search { request: next(), search: search(), after_ms: 0 },
        products::Effect::Count { request: next(), store: store.into() },
        products::Effect::FetchProduct { request: next(), store: store.into(), product: product.into(), after_ms: 0 },
        products::Effect::FetchAnalysis {
            request: next(),
            store: store.into(),
            product: product.into(),
            timeout_ms: 0,
            after_ms: 0,
        },
        products::Effect::FetchFacets { request: next(), store: store.into(), products: Vec::new(), timeout_ms: 0 },
        products::Effect::Gather { request: next(), search: search() },
        products::Effect::Check(CheckRequest::Check { request: next(), store: Some(store.into()) }),
    ]
    .map(Effect::from)
    .into();
    effects.extend([
        Effect::from(projects::Effect::List { request: next() }),
        projects::Effect::Read { request: next(), project: "p".into(), after_ms: 0 }.into(),
        projects::Effect::Check { request: next(), record: offering(), store: store.into() }.into(),
        projects::Effect::Write { request: next(), write: Box::new(projects::Write::Delete("p".into())) }.into(),
        projects::Effect::Ask { request: next(), ask: ask() }.into(),
        steps::Effect::Read { request: next(), project: "p".into() }.into(),
        steps::Effect::Library { request: next() }.into(),
        steps::Effect::Ask { request: next(), ask: ask() }.into(),
        videos::Effect::List(next()).into(),
        videos::Effect::Check(CheckRequest::Check { request: next(), store: None }).into(),
        videos::Effect::ReadUses(next()).into(),
        videos::Effect::AskSize { request: next(), video: "v".into(), address: "https://a.example".into() }.into(),
        videos::Effect::Delete { request: next(), video: "v".into() }.into(),
        videos::Effect::ReadCaptions { request: next(), video: "v".into(), language: "de".to_owned() }.into(),
        videos::Effect::RemoveCaptions { request: next(), video: "v".into(), language: "de".to_owned() }.into(),
        videos::Effect::Register { request: next(), address: "https://a.example".to_owned(), name: String::new() }
            .into(),
        webhooks::Effect::List(next()).into(),
        webhooks::Effect::Deliveries { request: next(), webhook: "w".into(), after_ms: 0 }.into(),
        webhooks::Effect::Create {
            request: next(),
            event: WebhookEvent::ALL[0].clone(),
            url: "https://a.example".to_owned(),
        }
        .into(),
        webhooks::Effect::Ping { request: next(), webhook: "w".into() }.into(),
        webhooks::Effect::Redeliver { request: next(), webhook: "w".into(), delivery: "d".to_owned() }.into(),
        webhooks::Effect::Delete { request: next(), webhook: "w".into() }.into(),
        webhooks::Effect::Change {
            request: next(),
            change: Box::new(AnyRequest::EnableWebhook(EnableWebhook("w".into()))),
        }
        .into(),
        webhooks::Effect::Rotate { request: next(), webhook: "w".into() }.into(),
        webhooks::Effect::Secret { request: next(), webhook: "w".into() }.into(),
        account::Effect::AskWho(next()).into(),
    ]);
    effects
}

/// An effect of each kind that somebody waits for and that asks the service nothing, or something else beside.
fn needs_no_service() -> Vec<Effect> {
    let (request, name) = (RequestId(1), || "shop".to_owned());
    vec![
        Effect::Connect,
        Effect::OpenAddress("https://a.example".to_owned()),
        Effect::SaveScript { file: "a.sh".to_owned(), script: String::new() },
        steps::Effect::ReadFolder { request, folder: None }.into(),
        steps::Effect::FindJournal { workspace: String::new(), project: "p".into() }.into(),
        steps::Effect::Keep { project: "p".into(), records: Vec::new() }.into(),
        steps::Effect::Claim { project: "p".into() }.into(),
        videos::Effect::ReadFolder { request, folder: None }.into(),
        videos::Effect::AddCaptions { request, video: "v".into(), file: "a.vtt".to_owned() }.into(),
        videos::Effect::Upload { request, files: Vec::new() }.into(),
        webhooks::Effect::Listen(request).into(),
        account::Effect::Save { request, name: name(), before: None, profile: Box::default() }.into(),
        account::Effect::Remove { request, name: name() }.into(),
        account::Effect::SetDefault { request, name: name() }.into(),
        account::Effect::Rename { request, from: name(), to: name() }.into(),
        account::Effect::SignIn { profile: None, way: Way::Device }.into(),
        account::Effect::SignOut { request, name: name() }.into(),
        inspector::Effect::SaveHar { request, file: "a.har".to_owned(), exchanges: Vec::new() }.into(),
    ]
}

#[tokio::test]
async fn who_asks_is_told_where_nobody_is_there_to_answer_and_where_a_call_breaks_off() {
    let mut sitting = Sitting::new();
    let mut drivers = HostDrivers::new(sitting.context.clone());
    for effect in asks_the_service() {
        let told = effect.unanswered(&Unanswered::NotConnected).expect("somebody waits for it");
        drivers.carry_out(effect);
        sitting.is_told(told).await;
    }
    sitting.connect();
    for effect in asks_the_service() {
        let told = effect.unanswered(&Unanswered::BrokenOff).expect("somebody waits for it");
        drivers.carry_out(effect);
        sitting.is_told(told).await;
    }
    drivers.finish(false).await.unwrap();
}

#[tokio::test]
async fn who_waits_is_told_where_a_driver_panics() {
    let mut sitting = Sitting::new();
    let context = sitting.context.clone();
    for effect in asks_the_service().into_iter().chain(needs_no_service()) {
        let told = effect.unanswered(&Unanswered::BrokenOff).expect("somebody waits for it");
        Panics.carry_out(effect, &context);
        sitting.is_told(told).await;
    }
}

#[test]
fn what_is_waited_for_has_an_id_and_its_answer_the_same() {
    for effect in asks_the_service().into_iter().chain(needs_no_service()) {
        let told = effect.unanswered(&Unanswered::BrokenOff).expect("somebody waits for it");
        assert_eq!(told.ends(), effect.request(), "{effect:?}");
        // What works on for as long as the sitting lasts is named by what it is about, and so is what there is one of.
        let is_named = matches!(
            effect,
            Effect::Connect
                | Effect::OpenAddress(_)
                | Effect::SaveScript { .. }
                | Effect::Account(account::Effect::SignIn { .. })
                | Effect::Steps(
                    steps::Effect::FindJournal { .. } | steps::Effect::Keep { .. } | steps::Effect::Claim { .. }
                )
        );
        assert_eq!(effect.request().is_none(), is_named, "{effect:?}");
    }
}

#[tokio::test]
async fn what_is_no_longer_wanted_is_not_told() {
    let mut sitting = Sitting::new();
    let context = sitting.context.clone();
    for request in [RequestId(1), RequestId(2)] {
        let waits = async move { Some(Event::NotKept(format!("{request:?}"))) };
        context.answer(Some(request), 0, Lost::nothing(), waits);
    }
    context.cancel(RequestId(1));
    sitting.is_told(Event::NotKept(format!("{:?}", RequestId(2)))).await;
    drop(context);
    sitting.context.tasks.end().await;
    assert!(sitting.arriving.try_recv().is_err());
}
