//! What a person can do in the studio, as keys: every command that writes, and every operation that it asks for.

use cutaway::api::{
    CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep, DeleteWebhook,
    DisableWebhook, EXTENSIONS, EnableWebhook, GetCaptions, GetFunnel, GetProduct, GetProductMedia, GetProject,
    GetProjectByPost, GetWebhookSecret, ListCaptions, ListDeliveries, ListFolders, OPERATIONS, Operation as _,
    PingWebhook, Redeliver, RemoveCaptions, RotateWebhookSecret, Row, SetCaptions, UpdateProject, UpdateStep,
    UploadVideo,
};
use cutaway::studio::Command;
use serde_json::json;

use crate::direct::Direct;
use crate::screens::VIEWS;
use crate::terminal::Studio;
use crate::tries::{Hits, Stage, Wanted};

/// The numbers on the graph, which one key shows and hides.
pub const FUNNEL: &str = "the funnel";

/// What a person does.
pub struct Action {
    pub name: &'static str,
    /// The command that asks for it, where that is one that writes.
    pub command: Option<Command>,
    pub hits: Hits,
    /// The screen that it is done on, and whether what it is done to is looked for there.
    pub screen: &'static str,
    pub finds: bool,
    /// The keys up to the last one, each once what it needs is shown.
    pub keys: fn(&mut Studio, &Stage),
    pub last: &'static str,
    /// What stands among the notices, or on the screen, once it was done: any of these, between `|`.
    pub done: &'static str,
    pub wanted: Wanted,
    pub again: Again,
}

/// How it is done once nothing is wrong any more, where it was not done yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// By the same keys.
    Same,
    /// By saving what the draft still has.
    Save,
    /// It is in a queue, or begun: it goes on there.
    Else,
}

/// What the studio never asks for: what its client falls back on, and what another reading tells as well.
const NEVER: [Row; 3] = [GetProductMedia::ROW, GetProjectByPost::ROW, ListCaptions::ROW];

fn writes(command: Command, row: Row, screen: &'static str) -> Action {
    Action {
        name: command.name(),
        command: Some(command),
        hits: Hits::Operation(row),
        screen,
        finds: true,
        keys: |_, _| (),
        last: "",
        done: "",
        wanted: Wanted::Nothing,
        again: Again::Same,
    }
}

fn reads(name: &'static str, row: Row, screen: &'static str, last: &'static str, done: &'static str) -> Action {
    Action { name, command: None, last, done, ..writes(Command::StepsSave, row, screen) }
}

fn opened(direct: &Direct, stage: &Stage) -> serde_json::Value {
    direct.get(&format!("/projects/{}", stage.project))
}

fn changed(direct: &Direct, stage: &Stage, member: &str) -> serde_json::Value {
    opened(direct, stage)["project"][member].clone()
}

fn of_projects() -> Vec<Action> {
    let update = |command| writes(command, UpdateProject::ROW, "2");
    vec![
        Action {
            keys: |studio, stage| {
                studio.keys("n").shows("Name of the new project").keys(&format!("New-{}", stage.token));
            },
            last: "\r",
            done: "Created \"New-",
            wanted: Wanted::Once(|direct, stage| count_of(direct, "/projects/", &format!("New-{}", stage.token))),
            ..writes(Command::ProjectCreate, CreateProject::ROW, "2")
        },
        Action {
            keys: |studio, _| {
                studio.keys("E").shows("Rename \"").keys("-renamed");
            },
            last: "\r",
            done: "Renamed",
            wanted: Wanted::So(|direct, stage| {
                changed(direct, stage, "name").as_str().is_some_and(|name| name.ends_with("-renamed"))
            }),
            ..update(Command::ProjectRename)
        },
        Action {
            keys: |studio, stage| {
                studio.keys("\x0f").shows("No folder").keys(&format!("F-{}", stage.token));
            },
            last: "\r",
            done: "Moved \"",
            wanted: Wanted::So(|direct, stage| {
                let folders = direct.get("/projects/actions/folders").to_string();
                folders.contains(&format!("F-{}", stage.token)) && changed(direct, stage, "folder").is_string()
            }),
            ..update(Command::ProjectMove)
        },
        Action {
            keys: |studio, _| {
                studio.keys("\x05").shows("E-mail notifications").keys("\x15a@x.example");
            },
            last: "\r",
            done: "gets e-mail notifications",
            wanted: Wanted::So(|direct, stage| changed(direct, stage, "emailNotifications") == json!(["a@x.example"])),
            ..update(Command::ProjectEmails)
        },
        Action {
            keys: |studio, _| {
                studio.keys("O").shows("Order of the steps").keys("J");
            },
            last: "\r",
            done: "Saved the new order",
            wanted: Wanted::So(|direct, stage| {
                let told = opened(direct, stage);
                let is_second = |step: &&serde_json::Value| step["id"] == stage.steps[1].as_str();
                let second = told["steps"].as_array().unwrap().iter().find(is_second).unwrap();
                [&second["name"], &second["id"]].contains(&&told["project"]["stepsOrder"][0])
            }),
            ..update(Command::ProjectOrder)
        },
        Action {
            keys: |studio, _| {
                studio.keys("L").shows("Brand color").keys("\r").keys("\x15#123456").shows("#123456");
            },
            last: "\r",
            done: "Saved: Brand color",
            wanted: Wanted::So(|direct, stage| changed(direct, stage, "player")["brandColor"] == "#123456"),
            ..update(Command::ProjectPlayer)
        },
        Action {
            hits: Hits::Any,
            keys: |studio, _| {
                studio.keys("d").shows("A new project with");
            },
            last: "\r",
            done: "Duplicated as",
            wanted: Wanted::Once(|direct, stage| count_of(direct, "/projects/", &format!("{} (copy)", stage.token))),
            again: Again::Else,
            ..update(Command::ProjectDuplicate)
        },
        Action {
            keys: |studio, stage| {
                studio.keys("D").shows("will be deleted with").keys(&stage.token);
            },
            last: "\r",
            done: "Deleted \"",
            wanted: Wanted::So(|direct, stage| {
                direct.ask("GET", &format!("/projects/{}", stage.project), &serde_json::Value::Null).0 == 404
            }),
            ..writes(Command::ProjectDelete, DeleteProject::ROW, "2")
        },
        Action { finds: false, ..reads("the folders", ListFolders::ROW, "2", "r", "▾ Gift guides|▾ F-") },
        reads("a project", GetProject::ROW, "2", "\r", " steps · "),
    ]
}

/// How often this stands in what a path answers as the name or the address of something.
fn count_of(direct: &Direct, path: &str, words: &str) -> usize {
    direct.get(path).to_string().matches(&format!("{words}\"")).count()
}

/// Opens the project that is selected.
pub fn opens(studio: &mut Studio) {
    studio.keys("\r").until("the steps", |rows| shows(rows, " steps · ") || shows(rows, " step · "));
}

fn of_steps() -> Vec<Action> {
    let save = |row| Action {
        last: "\r",
        done: "All changes saved",
        again: Again::Save,
        ..writes(Command::StepsSave, row, "2")
    };
    vec![
        Action {
            name: "save a new step",
            keys: |studio, stage| {
                opens(studio);
                studio.keys("n").shows("3 steps").keys("\r").shows("Internal note").keys(&stage.token);
                studio.shows(&stage.token).keys("\x1b").shows("not saved").keys("S").shows("save all");
            },
            wanted: Wanted::Once(|direct, stage| {
                opened(direct, stage)["steps"].to_string().matches(&stage.token).count()
            }),
            ..save(CreateStep::ROW)
        },
        Action {
            name: "save a changed step",
            keys: |studio, stage| {
                opens(studio);
                studio.keys("\r").shows("Internal note").keys(&stage.token).shows(&stage.token).keys("\x1b");
                studio.shows("not saved").keys("S").shows("save all");
            },
            wanted: Wanted::So(|direct, stage| opened(direct, stage)["steps"].to_string().contains(&stage.token)),
            ..save(UpdateStep::ROW)
        },
        Action {
            name: "save a deleted step",
            keys: |studio, _| {
                opens(studio);
                studio.keys("x").shows("Delete step").keys("\x1b[B\r").shows("1 step").shows("not saved");
                studio.keys("S").shows("save all");
            },
            wanted: Wanted::So(|direct, stage| opened(direct, stage)["steps"].as_array().unwrap().len() == 1),
            ..save(DeleteStep::ROW)
        },
        Action { keys: |studio, _| opens(studio), ..reads(FUNNEL, GetFunnel::ROW, "2", ";", "No visits yet") },
    ]
}

fn of_videos() -> Vec<Action> {
    vec![
        Action {
            finds: false,
            keys: |studio, stage| {
                let address = format!("https://cdn.example/new-{}.mp4", stage.token);
                studio.keys("a").shows("Address of the video").keys(&address).shows(&stage.token).keys("\r");
                studio.shows("Name of the video").keys("Registered");
            },
            last: "\r",
            done: "Added ",
            wanted: Wanted::Once(|direct, stage| {
                count_of(direct, "/videos/videos", &format!("cdn.example/new-{}.mp4", stage.token))
            }),
            ..writes(Command::VideosRegister, CreateVideo::ROW, "3")
        },
        Action {
            finds: false,
            keys: |studio, stage| {
                let file = studio_home(stage);
                studio.keys(&format!("\x1b[200~{file}/{}.mp4\x1b[201~", stage.token));
            },
            done: "1 upload done",
            wanted: Wanted::Once(|direct, stage| {
                let (name, listed) = (format!("{}.mp4", stage.token), direct.get("/videos/videos"));
                listed["videos"].as_array().unwrap().iter().filter(|video| video["name"] == name.as_str()).count()
            }),
            again: Again::Else,
            ..writes(Command::VideosUpload, UploadVideo::ROW, "3")
        },
        Action {
            keys: |studio, _| {
                studio.keys("D").shows("Delete this video?").keys("\x1b[B");
            },
            last: "\r",
            done: "deleted",
            wanted: Wanted::So(|direct, stage| !direct.get("/videos/videos").to_string().contains(&stage.video)),
            ..writes(Command::VideosDelete, DeleteAsset::ROW, "3")
        },
        Action {
            keys: |studio, stage| {
                let file = studio_home(stage);
                studio.keys("c").shows("Captions").keys("Add\r").shows("a WebVTT file");
                studio.keys(&format!("de={file}/{}.vtt", stage.token));
            },
            last: "\r",
            done: "Captions added",
            wanted: Wanted::So(|direct, stage| {
                direct.get(&format!("/videos/{}/captions", stage.video)).to_string().contains("\"de\"")
            }),
            ..reads("add captions", SetCaptions::ROW, "3", "", "")
        },
        Action {
            keys: |studio, _| {
                studio.keys("c").shows("Captions").keys("Remove\r").shows("Remove these captions?").keys("\x1b[B");
            },
            last: "\r",
            done: "Captions removed",
            wanted: Wanted::So(|direct, stage| {
                !direct.get(&format!("/videos/{}/captions", stage.video)).to_string().contains("\"en\"")
            }),
            ..reads("remove captions", RemoveCaptions::ROW, "3", "", "")
        },
        Action {
            keys: |studio, _| {
                // Those that were asked for before may come late, and then lie over the list.
                loop {
                    studio.keys("c").until("captions, or what can be done with them", |rows| {
                        shows(rows, "copies the WebVTT") || shows(rows, "show the text")
                    });
                    if !shows(&studio.rows(), "copies the WebVTT") {
                        return;
                    }
                    studio.keys("\x1b").hides("copies the WebVTT");
                }
            },
            ..reads("captions", GetCaptions::ROW, "3", "\r", "Hello")
        },
    ]
}

/// Where the files of a try are.
fn studio_home(stage: &Stage) -> String {
    stage.files.display().to_string()
}

fn webhook(direct: &Direct, stage: &Stage) -> serde_json::Value {
    let listed = direct.get("/webhooks");
    listed.as_array().unwrap().iter().find(|one| one["id"] == stage.webhook.as_str()).cloned().unwrap_or_default()
}

fn deliveries(direct: &Direct, stage: &Stage) -> usize {
    let listed = direct.get(&format!("/webhooks/{}/deliveries", stage.webhook));
    listed["deliveries"].as_array().unwrap().len()
}

fn of_webhooks() -> Vec<Action> {
    let act = |command, row| writes(command, row, "4");
    vec![
        Action {
            finds: false,
            keys: |studio, stage| {
                let address = format!("https://h.invalid/new-{}", stage.token);
                studio.keys("n").shows("New webhook").keys("\t").keys(&address).shows(&stage.token);
            },
            last: "\r",
            done: "Webhook created",
            wanted: Wanted::Once(|direct, stage| {
                count_of(direct, "/webhooks", &format!("h.invalid/new-{}", stage.token))
            }),
            ..act(Command::WebhookNew, CreateWebhook::ROW)
        },
        Action {
            last: "p",
            // One was made ready, and a second one may be wanted: no more than one more is made by one key.
            wanted: Wanted::Once(|direct, stage| deliveries(direct, stage) - 1),
            ..act(Command::WebhookPing, PingWebhook::ROW)
        },
        Action {
            keys: |studio, _| {
                studio.shows("pending").keys("\r");
            },
            last: "a",
            wanted: Wanted::So(|direct, stage| deliveries(direct, stage) == 1),
            ..act(Command::WebhookRedeliver, Redeliver::ROW)
        },
        Action {
            keys: |studio, _| {
                studio.keys("D").shows("Delete this webhook?").keys("\x1b[B");
            },
            last: "\r",
            done: "Deleted the webhook",
            wanted: Wanted::So(|direct, stage| webhook(direct, stage).is_null()),
            ..act(Command::WebhookDelete, DeleteWebhook::ROW)
        },
        Action {
            last: "-",
            done: "is switched off",
            wanted: Wanted::So(|direct, stage| !webhook(direct, stage)["disabledAt"].is_null()),
            ..act(Command::WebhookDisable, DisableWebhook::ROW)
        },
        Action {
            last: "+",
            done: "is switched on",
            wanted: Wanted::So(|direct, stage| webhook(direct, stage)["disabledAt"].is_null()),
            ..act(Command::WebhookEnable, EnableWebhook::ROW)
        },
        Action {
            keys: |studio, _| {
                studio.keys("%").shows("Replace the signing secret?").keys("\x1b[B");
            },
            last: "\r",
            done: "Replaced the secret of",
            wanted: Wanted::So(|direct, stage| {
                direct.get(&format!("/webhooks/{}/secret", stage.webhook))["secret"] != stage.secret
            }),
            ..act(Command::WebhookRotate, RotateWebhookSecret::ROW)
        },
        reads("a secret", GetWebhookSecret::ROW, "4", "\x19", "Sent the secret"),
        reads("the deliveries", ListDeliveries::ROW, "4", "r", "pending"),
    ]
}

/// All of it.
pub fn all() -> Vec<Action> {
    let product = Action { finds: false, ..reads("a product", GetProduct::ROW, "1", "\r", "Product ID|Stock by") };
    let all: Vec<Action> =
        [vec![product], of_projects(), of_steps(), of_videos(), of_webhooks()].into_iter().flatten().collect();
    for row in OPERATIONS.iter().chain(&EXTENSIONS).filter(|row| !NEVER.contains(row)) {
        let here = all.iter().any(|action| matches!(action.hits, Hits::Operation(hit) if hit == *row));
        let there = VIEWS.iter().any(|view| view.reads.contains(row));
        assert!(here || there, "no keys of the studio ask for {}: add some", row.name);
    }
    for command in Command::WRITES {
        assert!(all.iter().any(|action| action.command == Some(*command)), "{} is not tried", command.name());
    }
    all
}

/// Whether any of these words, between `|`, are shown.
pub fn shows(rows: &[String], words: &str) -> bool {
    words.split('|').any(|words| rows.iter().any(|row| row.contains(words)))
}
