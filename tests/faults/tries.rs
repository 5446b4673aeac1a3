//! What is tried: for every operation of the table a command that asks for it, and what has to come of that.

use std::path::PathBuf;

use cutaway::api::{
    CountProducts, CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep,
    DeleteWebhook, DisableWebhook, EXTENSIONS, EnableWebhook, ExchangeKey, GetCaptions, GetFunnel, GetProduct,
    GetProductMedia, GetProject, GetProjectByPost, GetWebhookSecret, ListCaptions, ListDeliveries, ListFolders,
    ListProjects, ListVideos, ListWebhooks, Me, OPERATIONS, Operation as _, PingWebhook, Redeliver, RemoveCaptions,
    RotateWebhookSecret, Row, SearchProducts, SetCaptions, UpdateProject, UpdateStep, UploadVideo,
};
use serde_json::{Value, json};

use crate::direct::Direct;
use crate::line::clip;
use crate::proxy::Asked;
use crate::serving::Served;

/// What a command is tried on.
pub struct Stage {
    pub project: String,
    pub steps: Vec<String>,
    pub product: String,
    pub video: String,
    /// A subscription, the secret of it before, and a delivery of it.
    pub webhook: String,
    pub secret: Value,
    pub delivery: String,
    /// Where the files are that bear the token.
    pub files: PathBuf,
    /// Told apart from every other try.
    pub token: String,
}

/// A command, the request that the fault hits, and what it makes where it makes something.
pub struct Tried {
    pub command: fn(&Stage) -> Vec<String>,
    pub hits: Hits,
    pub wanted: Wanted,
    /// What is made ready beside the usual.
    ready: fn(&Direct, &Stage),
}

/// Which request a fault hits.
#[derive(Clone, Copy)]
pub enum Hits {
    /// That of an operation.
    Operation(Row),
    /// Any that changes something, or reads a project.
    Any,
}

/// What has to be so where the command ends with 0, and where it does not.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// Nothing changes, whatever comes of it. Where it says that it was done, this stands in what it prints.
    Shows(fn(&Stage) -> String),
    /// Nothing changes, and what it prints is of no matter.
    Nothing,
    /// This many times the token is in what the service has: at most once, and once where it says that it was done.
    Once(fn(&Direct, &Stage) -> usize),
    /// This is so where it says that it was done.
    So(fn(&Direct, &Stage) -> bool),
}

impl Hits {
    /// Whether a request is one of those.
    pub fn hits(self, asked: &Asked<'_>) -> bool {
        match self {
            Self::Operation(row) => operation(asked) == Some(row),
            Self::Any => asked.writes() || asked.reads_project(),
        }
    }
}

/// The operation of a request: of those that its path fits the one with the fewest blanks.
fn operation(asked: &Asked<'_>) -> Option<Row> {
    let parts = |path: &str| path.trim_matches('/').split('/').map(str::to_owned).collect::<Vec<_>>();
    let (asked_parts, is_blank) = (parts(asked.path), |part: &String| part.starts_with('{'));
    let fits = |row: &&Row| {
        let of_row = parts(row.path);
        row.method.as_str() == asked.method
            && of_row.len() == asked_parts.len()
            && of_row.iter().zip(&asked_parts).all(|(part, asked)| is_blank(part) || part == asked)
    };
    let rows = OPERATIONS.iter().chain(&EXTENSIONS).filter(fits);
    rows.min_by_key(|row| parts(row.path).iter().filter(|part| is_blank(part)).count()).copied()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// How often a text is in what the service says.
fn times(value: &Value, token: &str) -> usize {
    value.to_string().matches(token).count()
}

fn opened(direct: &Direct, stage: &Stage) -> Value {
    direct.ask("GET", &format!("/projects/{}", stage.project), &Value::Null).1
}

fn secret(direct: &Direct, stage: &Stage) -> Value {
    direct.get(&format!("/webhooks/{}/secret", stage.webhook))["secret"].clone()
}

fn subscription(direct: &Direct, stage: &Stage) -> Value {
    let listed = direct.get("/webhooks");
    let is_it = |webhook: &&Value| webhook["id"] == stage.webhook.as_str();
    listed.as_array().unwrap().iter().find(is_it).cloned().unwrap_or_default()
}

fn captions(direct: &Direct, stage: &Stage) -> Value {
    direct.get(&format!("/videos/{}/captions", stage.video))["captions"].clone()
}

/// Captions of the video, as another client sets them.
fn set_captions(direct: &Direct, stage: &Stage) {
    let path = format!("/videos/{}/captions/en", stage.video);
    let (status, said) = direct.ask("PUT", &path, &json!({ "vtt": vtt("Hello") }));
    assert_eq!(status, 200, "{said}");
}

fn vtt(text: &str) -> String {
    format!("WEBVTT\n\n00:00.000 --> 00:01.000\n{text}\n")
}

impl Tried {
    fn new(hits: Row, command: fn(&Stage) -> Vec<String>, wanted: Wanted) -> Self {
        Self { command, hits: Hits::Operation(hits), wanted, ready: |_, _| () }
    }

    fn reads(hits: Row, command: fn(&Stage) -> Vec<String>, shows: fn(&Stage) -> String) -> Self {
        Self::new(hits, command, Wanted::Shows(shows))
    }

    /// Whether the client repeats the request that the fault hits: it only reads.
    pub fn is_repeated(&self) -> bool {
        matches!(self.hits, Hits::Operation(row) if row.idempotent && !row.writes)
    }

    fn after(self, ready: fn(&Direct, &Stage)) -> Self {
        Self { ready, ..self }
    }

    /// Makes what it is tried on.
    pub fn set(&self, served: &Served, direct: &Direct, product: &str, token: &str) -> Stage {
        let stage = set(served, direct, product, token);
        (self.ready)(direct, &stage);
        stage
    }
}

/// All that is tried.
pub fn all() -> Vec<Tried> {
    let all: Vec<Tried> = [reads(), projects(), videos(), webhooks(), plans()].into_iter().flatten().collect();
    for row in OPERATIONS.iter().chain(&EXTENSIONS) {
        let is_tried = |tried: &Tried| matches!(tried.hits, Hits::Operation(hit) if hit == *row);
        assert!(all.iter().any(is_tried), "no command asks for {}: add one", row.name);
    }
    all
}

fn reads() -> Vec<Tried> {
    let read = Tried::reads;
    let second = |_: &Stage| "second".to_owned();
    vec![
        read(SearchProducts::ROW, |_| words(&["products", "search", "wool", "--json"]), |stage| stage.product.clone()),
        read(
            GetProduct::ROW,
            |stage| words(&["products", "get", &stage.product, "--json"]),
            |stage| stage.product.clone(),
        ),
        read(GetProductMedia::ROW, |stage| words(&["products", "media", &stage.product]), |_| "http".to_owned()),
        read(CountProducts::ROW, |_| words(&["products", "count"]), |_| "274".to_owned()),
        read(ListProjects::ROW, |_| words(&["projects", "list"]), |stage| stage.project.clone()),
        read(ListFolders::ROW, |_| words(&["projects", "folders"]), |_| "Gift guides".to_owned()),
        read(GetProject::ROW, |stage| words(&["projects", "show", &stage.project]), second),
        // Where a service doesn't know the one way, the other is tried; see the rule of the proxy.
        read(GetProjectByPost::ROW, |stage| words(&["projects", "show", &stage.project]), second),
        Tried::new(GetProject::ROW, |stage| words(&["projects", "check", &stage.project]), Wanted::Nothing),
        read(GetProject::ROW, |stage| words(&["projects", "export", &stage.project, "--format", "json"]), second),
        read(ListVideos::ROW, |_| words(&["videos", "list"]), |stage| stage.video.clone()),
        read(ListWebhooks::ROW, |_| words(&["webhooks", "list"]), |stage| stage.webhook.clone()),
        read(Me::ROW, |_| words(&["whoami"]), |_| "@".to_owned()),
        read(ExchangeKey::ROW, |_| words(&["projects", "list"]), |stage| stage.project.clone()),
        read(ListCaptions::ROW, |stage| words(&["videos", "captions", "list", &stage.video]), |_| "en".to_owned())
            .after(set_captions),
        read(
            GetCaptions::ROW,
            |stage| words(&["videos", "captions", "show", &stage.video, "en"]),
            |_| "Hello".to_owned(),
        )
        .after(set_captions),
        read(GetFunnel::ROW, |stage| words(&["projects", "funnel", &stage.project]), |_| "No visits yet".to_owned()),
        read(
            GetWebhookSecret::ROW,
            |stage| words(&["webhooks", "secret", &stage.webhook]),
            |stage| stage.secret.as_str().unwrap().to_owned(),
        ),
        read(
            ListDeliveries::ROW,
            |stage| words(&["webhooks", "deliveries", &stage.webhook]),
            |stage| stage.delivery.clone(),
        ),
    ]
}

fn projects() -> Vec<Tried> {
    vec![
        Tried::new(
            CreateProject::ROW,
            |stage| words(&["projects", "create", &stage.token]),
            Wanted::Once(|direct, stage| times(&direct.get("/projects/"), &stage.token)),
        ),
        Tried::new(
            CreateStep::ROW,
            |stage| words(&["steps", "create", &stage.project, "--overlay-text", &stage.token]),
            Wanted::Once(|direct, stage| times(&opened(direct, stage), &stage.token)),
        ),
        Tried::new(
            UpdateProject::ROW,
            |stage| words(&["projects", "update", &stage.project, "--name", &stage.token]),
            Wanted::So(|direct, stage| opened(direct, stage)["project"]["name"] == stage.token.as_str()),
        ),
        Tried::new(
            UpdateProject::ROW,
            |stage| words(&["projects", "player", &stage.project, "--brand-color", "#123456"]),
            Wanted::So(|direct, stage| times(&opened(direct, stage)["project"], "#123456") == 1),
        ),
        Tried::new(
            UpdateStep::ROW,
            |stage| words(&["steps", "update", &stage.steps[0], "--overlay-text", &stage.token]),
            Wanted::So(|direct, stage| opened(direct, stage)["steps"][0]["overlayText"] == stage.token.as_str()),
        ),
        Tried::new(
            DeleteStep::ROW,
            |stage| words(&["steps", "delete", &stage.steps[1], "--yes"]),
            Wanted::So(|direct, stage| times(&opened(direct, stage)["steps"], "second") == 0),
        ),
        Tried::new(
            DeleteProject::ROW,
            |stage| words(&["projects", "delete", &stage.project, "--yes"]),
            Wanted::So(|direct, stage| opened(direct, stage)["status"] == 404),
        ),
    ]
}

fn videos() -> Vec<Tried> {
    vec![
        Tried::new(
            CreateVideo::ROW,
            |stage| words(&["videos", "create", &format!("https://cdn.example/{}.mp4", stage.token)]),
            Wanted::Once(|direct, stage| {
                times(&direct.get("/videos/videos"), &format!("https://cdn.example/{}.mp4", stage.token))
            }),
        ),
        Tried::new(
            UploadVideo::ROW,
            |stage| words(&["videos", "upload", &format!("{}.mp4", stage.token)]),
            Wanted::Once(|direct, stage| {
                let (name, list) = (format!("{}.mp4", stage.token), direct.get("/videos/videos"));
                list["videos"].as_array().unwrap().iter().filter(|video| video["name"] == name.as_str()).count()
            }),
        ),
        Tried::new(
            DeleteAsset::ROW,
            |stage| words(&["assets", "delete", &stage.video, "--yes"]),
            Wanted::So(|direct, stage| times(&direct.get("/videos/videos"), &stage.video) == 0),
        ),
        Tried::new(
            SetCaptions::ROW,
            |stage| words(&["videos", "captions", "add", &stage.video, &format!("en={}.vtt", stage.token)]),
            Wanted::So(|direct, stage| {
                let set = direct.get(&format!("/videos/{}/captions/en", stage.video));
                set["vtt"].as_str().is_some_and(|vtt| vtt.contains(&stage.token))
            }),
        ),
        Tried::new(
            RemoveCaptions::ROW,
            |stage| words(&["videos", "captions", "remove", &stage.video, "en", "--yes"]),
            Wanted::So(|direct, stage| captions(direct, stage) == json!([])),
        )
        .after(set_captions),
    ]
}

fn webhooks() -> Vec<Tried> {
    vec![
        Tried::new(
            CreateWebhook::ROW,
            |stage| words(&["webhooks", "create", "conversion", &format!("https://h.example/{}", stage.token)]),
            // Another one of that name is made ready for the other operations.
            Wanted::Once(|direct, stage| times(&direct.get("/webhooks"), &format!("h.example/{}", stage.token))),
        ),
        Tried::new(
            DeleteWebhook::ROW,
            |stage| words(&["webhooks", "delete", &stage.webhook, "--yes"]),
            Wanted::So(|direct, stage| subscription(direct, stage).is_null()),
        ),
        Tried::new(
            RotateWebhookSecret::ROW,
            |stage| words(&["webhooks", "rotate-secret", &stage.webhook]),
            Wanted::So(|direct, stage| secret(direct, stage) != stage.secret),
        ),
        Tried::new(
            DisableWebhook::ROW,
            |stage| words(&["webhooks", "disable", &stage.webhook]),
            Wanted::So(|direct, stage| !subscription(direct, stage)["disabledAt"].is_null()),
        ),
        Tried::new(
            EnableWebhook::ROW,
            |stage| words(&["webhooks", "enable", &stage.webhook]),
            Wanted::So(|direct, stage| subscription(direct, stage)["disabledAt"].is_null()),
        )
        .after(|direct, stage| {
            let (status, said) = direct.ask("POST", &format!("/webhooks/{}/disable", stage.webhook), &Value::Null);
            assert_eq!(status, 200, "{said}");
        }),
        Tried::new(
            PingWebhook::ROW,
            |stage| words(&["webhooks", "ping", &stage.webhook]),
            // The one delivery that is there is not counted.
            Wanted::Once(|direct, stage| {
                let listed = direct.get(&format!("/webhooks/{}/deliveries", stage.webhook));
                listed["deliveries"].as_array().unwrap().len() - 1
            }),
        ),
        Tried::new(
            Redeliver::ROW,
            |stage| words(&["webhooks", "redeliver", &stage.webhook, &stage.delivery]),
            Wanted::So(|direct, stage| {
                let listed = direct.get(&format!("/webhooks/{}/deliveries", stage.webhook));
                listed["deliveries"].as_array().unwrap().len() == 1
            }),
        ),
    ]
}

/// Commands that make several calls, any of which is hit.
fn plans() -> Vec<Tried> {
    let tried = |command, wanted| Tried { command, hits: Hits::Any, wanted, ready: |_, _| () };
    vec![
        tried(
            |stage| words(&["projects", "apply", &format!("{}.json", stage.token), "--yes"]),
            Wanted::Once(|direct, stage| times(&opened(direct, stage)["steps"], &stage.token)),
        ),
        tried(
            |stage| words(&["projects", "import", &format!("{}.json", stage.token), "--name", &stage.token]),
            Wanted::Once(|direct, stage| times(&direct.get("/projects/"), &stage.token)),
        ),
        tried(
            |stage| words(&["projects", "duplicate", &stage.project, "--name", &stage.token]),
            Wanted::Once(|direct, stage| times(&direct.get("/projects/"), &stage.token)),
        ),
    ]
}

/// Makes what a command is tried on.
pub fn set(served: &Served, direct: &Direct, product: &str, token: &str) -> Stage {
    let (project, steps) = direct.project("Tried", &["first".to_owned(), "second".to_owned()]);
    let video = json!({ "video": { "videoUrl": "https://cdn.example/of-its-own.mp4" } });
    let names: Vec<String> = direct.get(&format!("/projects/{project}"))["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap().to_owned())
        .collect();
    let file = json!({
        "cutaway": 1, "id": project, "name": "Tried",
        "steps": [
            { "name": names[0], "overlayText": "first, changed" },
            { "name": names[1], "overlayText": "second", "answers": [{ "text": "On", "next": "new" }] },
            { "name": "new", "overlayText": token, "answers": [{ "text": "Back", "next": names[0] }] },
        ],
    });
    std::fs::write(served.home.path().join(format!("{token}.json")), file.to_string()).unwrap();
    std::fs::write(served.home.path().join(format!("{token}.mp4")), clip(10)).unwrap();
    std::fs::write(served.home.path().join(format!("{token}.vtt")), vtt(token)).unwrap();
    let webhook = direct.create("/webhooks", &json!({ "event": "conversion", "url": "https://h.invalid/hook" }));
    let (status, pinged) = direct.ask("POST", &format!("/webhooks/{webhook}/ping"), &Value::Null);
    assert_eq!(status, 202, "{pinged}");
    let mut stage = Stage {
        project,
        steps,
        product: product.to_owned(),
        video: direct.create("/videos/video", &video),
        webhook,
        secret: Value::Null,
        delivery: pinged["id"].as_str().unwrap().to_owned(),
        files: served.home.path().to_owned(),
        token: token.to_owned(),
    };
    stage.secret = secret(direct, &stage);
    stage
}
