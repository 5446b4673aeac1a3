//! The player's settings and its snippet, from the Steps screen.

use serde_json::json;

use super::probe::Probe;
use super::steps::sample;
use crate::domain::{PlayerSettings, Project};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::reading;

fn opened(project: Project) -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.open_project(project);
    probe
}

fn with_settings() -> Project {
    Project { player: Some(PlayerSettings::default()), ..sample("Range tour") }
}

fn said(probe: &Probe) -> String {
    reading(&probe.model).join("\n")
}

fn settings(probe: &Probe) -> serde_json::Value {
    let head = probe.model.screens.steps.draft().unwrap().content().head();
    serde_json::Value::Object(head.player.clone().unwrap_or_default())
}

#[test]
fn settings_are_edited_one_after_another_and_undone() {
    let mut probe = opened(with_settings());
    probe.keys("L");
    let list = said(&probe);
    assert!(list.contains("Player settings") && list.contains("Brand color"), "{list}");
    probe.keys("<enter>blue<enter>");
    assert!(said(&probe).contains("must be a color as #rrggbb"), "{}", said(&probe));
    probe.keys("<backspace><backspace><backspace><backspace>#0a7cff<enter>");
    assert_eq!(settings(&probe), json!({ "brandColor": "#0a7cff" }));
    // The list is there again, on the same setting.
    probe.keys("form asks<enter>email, name<enter><esc>");
    assert_eq!(settings(&probe), json!({ "brandColor": "#0a7cff", "formFields": ["email", "name"] }));
    probe.keys("u");
    assert_eq!(settings(&probe), json!({ "brandColor": "#0a7cff" }));
    assert_eq!(probe.model.screens.steps.draft().unwrap().unsaved_edits(), 1);
}

#[test]
fn the_snippet_is_copied() {
    let project = Project { player_url: Some("https://play.example/play/p1".to_owned()), ..with_settings() };
    let mut probe = opened(project);
    probe.keys("Ybubble<enter>");
    let Some(Effect::CopyText(snippet)) = probe.effects.last() else { panic!("{:?}", probe.effects.last()) };
    assert!(snippet.contains("https://play.example/player/embed.js") && snippet.contains("data-bubble"), "{snippet}");
    // A player elsewhere has no script: only a frame, which needs no choice.
    let mut probe = opened(with_settings());
    probe.keys("Y");
    let Some(Effect::CopyText(snippet)) = probe.effects.last() else { panic!("{:?}", probe.effects.last()) };
    assert!(snippet.starts_with("<iframe"), "{snippet}");
}
