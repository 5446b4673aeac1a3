//! `cutaway projects show`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::{list, opened};
use crate::api::{GetProject, ListFolders};
use crate::cli::findings::Unread;
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, left, right, words};
use crate::cli::{Failure, Session, names, session, times, writing};
use crate::client::{Client, json};
use crate::domain::{FolderId, Num, PlayerSettings, Project, Step, StepId, UserId, VideoId, setting_text};
use crate::graph::{Graph, Leads};

/// Show a project with its steps and answers.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects show 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects show 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --json")]
pub(super) struct Show {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        if self.json {
            let get = GetProject { id: self.id.as_str().into() };
            let answer = client.call_raw(&get).await?;
            session.keep_names::<GetProject>(&answer.body);
            // The document is printed also where it says null; the exit code says it again.
            let body = json::read(&answer.body).map_err(|what| unreadable(&answer, what))?;
            Output::open().document(&answer)?;
            return if opened::is_null(&body) { Err(opened::not_found(&self.id)) } else { Ok(()) };
        }
        let answer = opened::open(&client, &self.id).await?;
        session.keep_names::<GetProject>(&answer.body);
        let project = &answer.value.project;
        let folder = match &project.folder {
            Some(id) => folder(&client, id).await,
            None => String::new(),
        };
        let mut out = Output::open();
        table::fields(&fields(project, folder), &mut out)?;
        if let Some(steps) = project.steps.as_deref().filter(|steps| !steps.is_empty()) {
            writeln!(out)?;
            let columns = [
                left("STEP"),
                words("ANSWER"),
                left("LEADS TO"),
                words("TEXT"),
                words("ABOUT"),
                right("AFTER"),
                left("VIDEO"),
                left("ID"),
            ];
            table::write(&columns, &rows(&opened::graph(project, steps), steps), out.width, &mut out)?;
        }
        out.flush()?;
        writing::note_products(&answer);
        if project.steps.is_none() {
            session::warn("the service sent no steps");
        }
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}

/// A folder's name. The project is shown also where that can't be had, with the id.
async fn folder(client: &Client, id: &FolderId) -> String {
    let folders = client.call(&ListFolders).await.map(|answer| answer.value.folders).unwrap_or_default();
    list::name_of(id, &folders)
}

fn fields(project: &Project, folder: String) -> Vec<(&'static str, String)> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let list = |list: &Option<Vec<String>>| list.as_ref().map(|list| list.join(", ")).unwrap_or_default();
    let counted = project.steps.as_ref().map(|steps| steps.len().to_string());
    vec![
        ("Name", text(&project.name)),
        ("Id", project.id.to_string()),
        ("Folder", folder),
        ("E-mail to", list(&project.email_notifications)),
        ("Owner", project.owner.as_ref().map(UserId::to_string).unwrap_or_default()),
        ("Published as", text(&project.publish_id)),
        ("Player", text(&project.player_url)),
        ("Player settings", settings(project)),
        ("Steps", counted.or(project.steps_count.as_ref().map(Num::to_string)).unwrap_or_default()),
        ("In order", list(&project.steps_order)),
        ("Created", times::shown(&text(&project.created_at))),
        ("Updated", times::shown(&text(&project.updated_at))),
    ]
}

/// The player's settings in one line; nothing where there are none.
fn settings(project: &Project) -> String {
    let members = project.player.as_ref().map(PlayerSettings::members).unwrap_or_default();
    members.iter().map(|(name, value)| format!("{name}: {}", setting_text(value))).collect::<Vec<_>>().join("\n")
}

/// A row for each step, and below it one for each of its answers.
fn rows(graph: &Graph, steps: &[Step]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for &index in graph.order() {
        let (Some(node), Some(step)) = (graph.node(index), steps.get(index)) else { continue };
        rows.push(vec![
            node.name.clone(),
            String::new(),
            String::new(),
            node.overlay.clone(),
            node.description.clone(),
            step.answer_time.map(|time| format!("{time} s")).unwrap_or_default(),
            step.video_id.as_ref().map(VideoId::to_string).unwrap_or_default(),
            step.id.as_ref().map(StepId::to_string).unwrap_or_default(),
        ]);
        for product in step.products.iter().flatten() {
            rows.push(vec![String::new(), format!("product {}", product.told(None))]);
        }
        for port in &node.ports {
            let leads = match port.leads {
                Leads::Step(to) => graph.name(to).to_owned(),
                Leads::End => "end".to_owned(),
                Leads::Dangling => format!("nowhere ({})", port.next),
            };
            rows.push(vec![String::new(), port.text.clone(), leads]);
        }
    }
    rows
}
