//! Plain mode: the screens' key scripts as a dialogue of lines, and what words do beside keys.

mod anything;
mod arriving;
mod asking;
mod lists;
mod naming;
mod wiring;

use super::probe::Probe;
use crate::settings::Key;
use crate::studio::Model;
use crate::studio::ground::Moment;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::plain::{self, Dialogue, MOST};
use crate::studio::shell::{reading, update};

/// The dialogue that goes along with a script of keys: each key is entered as a line, too, and what is said is checked.
#[derive(Default)]
pub struct Shadow {
    dialogue: Option<Box<Dialogue>>,
    pub lines: Vec<String>,
}

/// What came of a key that was entered as a line.
pub struct Entered {
    model: Model,
    effects: Vec<Effect>,
}

impl Shadow {
    /// Enters a key by its name in a studio like this one.
    pub fn enters(&mut self, model: &Model, now: Moment, key: Key) -> Entered {
        let mut model = model.clone();
        model.plain = Some(self.dialogue.take().unwrap_or_default());
        // What arrived since the last key.
        self.hears(&mut model);
        let before = plain::current(&model).0;
        let effects = update(&mut model, now, Event::Entered(format!("key {key}")));
        let said = self.hears(&mut model);
        assert!(!said.is_empty(), "{key} was not answered");
        let current = plain::current(&model).0.filter(|current| Some(current) != before.as_ref());
        if let Some(name) = current.as_deref().and_then(|current| current.split([';', ' ', '\u{b7}']).next()) {
            let is_said = name.chars().all(char::is_alphanumeric);
            let name: String = name.chars().take(100).collect();
            assert!(!is_said || said[0].starts_with(&name), "{current:?} is current, but first comes {said:?}");
        }
        self.dialogue = model.plain.take();
        Entered { model, effects }
    }

    fn hears(&mut self, model: &mut Model) -> Vec<String> {
        let said = plain::say(model);
        check(&said);
        self.lines.extend(said.iter().cloned());
        said
    }
}

impl Entered {
    /// Whether the same was done as by the key itself.
    pub fn is_like(&self, key: Key, model: &Model, effects: &[Effect]) {
        let is_copy =
            |effect: &&Effect| matches!(effect, Effect::CopyText(_) | Effect::CopySecret(_) | Effect::CopySignIn(_));
        let without = |effects: &[Effect]| effects.iter().filter(|it| !is_copy(it)).cloned().collect::<Vec<_>>();
        assert_eq!(without(&self.effects), without(effects), "{key}");
        assert_eq!(reading(&self.model), reading(model), "{key}");
    }
}

/// That an answer is short, and holds nothing that a line printer could not print.
fn check(said: &[String]) {
    let all = said.join("\n");
    assert!(all.chars().count() <= MOST, "{} characters: {all}", all.chars().count());
    for line in said {
        let odd =
            line.chars().find(|c| c.is_control() || matches!(c, '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}'));
        assert_eq!(odd, None, "{line:?}");
        assert!(!line.trim().is_empty());
    }
}

impl Probe {
    /// Makes it a dialogue of lines.
    fn speaks(&mut self) -> &mut Self {
        self.model.speak();
        plain::say(&mut self.model);
        self
    }

    /// What is said to a line.
    fn says(&mut self, line: &str) -> String {
        self.event(Event::Entered(line.to_owned()));
        let said = plain::say(&mut self.model);
        check(&said);
        said.join("\n")
    }
}

/// The Products screen as a dialogue.
fn store() -> Probe {
    let mut probe = Probe::new(120, 50);
    probe.counted(3).found(&["Fjell wool sock", "Merino base layer, women", "Picnic blanket"], None);
    probe.speaks();
    probe
}

/// The Projects screen as a dialogue.
fn projects() -> Probe {
    let mut probe = super::projects::studio();
    probe.speaks();
    probe
}

/// The steps of a project as a dialogue.
fn steps_of(project: &str) -> Probe {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample(project));
    probe.speaks();
    probe
}
