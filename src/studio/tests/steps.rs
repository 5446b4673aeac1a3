//! The Steps screen, driven by keys over the sample's projects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::probe::Probe;
use crate::domain::{Project, ProjectId, Reader, Video, VideoId};
use crate::studio::Model;
use crate::studio::effect::Effect;
use crate::studio::event::Event;
use crate::studio::steps::{self, Found};

/// A project of the sample as a service tells it.
pub fn sample(name: &str) -> Project {
    let file = include_str!("../../../assets/sample/projects.json");
    let document: Value = serde_json::from_str(file).unwrap();
    let project = document["projects"].as_array().unwrap().iter().find(|project| project["name"] == name).unwrap();
    let mut steps = project["steps"].clone();
    for (at, step) in steps.as_array_mut().unwrap().iter_mut().enumerate() {
        let step = step.as_object_mut().unwrap();
        let key = step.remove("key").unwrap();
        step.insert("name".into(), key);
        step.insert("id".into(), json!(format!("id-{at}")));
        if let Some(video) = step.remove("video") {
            step.insert("videoId".into(), video);
        }
    }
    let value = json!({
        "id": "p1", "name": project["name"], "stepsOrder": project["stepsOrder"],
        "emailNotifications": project["emailNotifications"], "cutaway": "https://play.example/p1", "steps": steps,
    });
    Reader::read(&value).0
}

fn videos() -> Vec<Video> {
    let document: Value = serde_json::from_str(include_str!("../../../assets/sample/projects.json")).unwrap();
    let named = document["videos"].as_array().unwrap().iter();
    named
        .map(|video| Video {
            id: VideoId::new(video["file"].as_str().unwrap()),
            name: video["name"].as_str().unwrap().to_owned(),
            ..Video::default()
        })
        .collect()
}

impl Probe {
    /// Opens a project and answers everything that is asked for it.
    pub fn open_project(&mut self, project: Project) -> &mut Self {
        self.open_project_with(project, Found::Nothing)
    }

    pub fn open_project_with(&mut self, project: Project, found: Found) -> &mut Self {
        let id = project.id.clone();
        let Model { steps, .. } = &mut self.model;
        let mut turn = crate::studio::turn::Turn { workspace: "local".into(), connected: true, ..Default::default() };
        steps.open(id.clone(), String::new(), self.now, &mut turn);
        self.effects.append(&mut turn.effects);
        self.keys("12");
        self.event(Event::Steps(steps::Event::JournalFound { project: id, found }));
        self.answer_steps(&project)
    }

    /// Answers what was asked of the service for the Steps screen.
    pub fn answer_steps(&mut self, project: &Project) -> &mut Self {
        let effects = std::mem::take(&mut self.effects);
        for effect in effects {
            match effect {
                Effect::Steps(steps::Effect::Read { request, .. }) => {
                    self.event(Event::Steps(steps::Event::Read { request, project: Ok(Box::new(project.clone())) }));
                }
                Effect::Steps(steps::Effect::Library { request }) => {
                    self.event(Event::Steps(steps::Event::Library { request, videos: Ok(Arc::new(videos())) }));
                }
                other => self.effects.push(other),
            }
        }
        self
    }
}

fn opened(name: &str, width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.open_project(sample(name));
    probe
}

#[test]
fn the_graph() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let probe = opened("Gift finder", width, height);
        insta::assert_snapshot!(format!("graph {width}x{height}"), probe.screen());
    }
}

#[test]
fn wiring_shows_the_line_before_it_is_kept() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<down><down>w");
    insta::assert_snapshot!("wire letters", probe.screen());
    probe.keys("<right><right>");
    insta::assert_snapshot!("wire aimed", probe.screen());
    probe.keys("<enter>");
    insta::assert_snapshot!("wired", probe.screen());
    probe.keys("u");
    insta::assert_snapshot!("unwired", probe.screen());
}

#[test]
fn other_ways_to_look() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    insta::assert_snapshot!("findings", probe.screen());
    probe.keys("t");
    insta::assert_snapshot!("outline", probe.screen());
    probe.keys("<enter>");
    insta::assert_snapshot!("form", probe.screen());
    probe.keys("<esc>tp");
    insta::assert_snapshot!("play", probe.screen());
    probe.keys("1");
    insta::assert_snapshot!("play on", probe.screen());
}
