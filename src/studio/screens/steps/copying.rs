//! What can be copied, opened and written to a file.

use super::vocabulary::Turn;
use crate::draft::{Library, ProjectFile, ProjectFormat};
use crate::studio::ground::NoticeKind;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, Prompt, Question};

use super::{Answer, Editor, Effect};

impl Editor {
    pub(super) fn copy(&self, turn: &mut Turn) {
        let draft = &self.draft;
        let mut choices: Vec<(&'static str, String)> = Vec::new();
        if let Some(node) = self.selected().and_then(|(step, port)| {
            if let Some(port) = port.and_then(|port| self.shown.graph.ports(step).get(port)) {
                choices.push(("the answer's text", port.text.clone()));
            }
            self.shown.graph.node(step)
        }) {
            choices.push(("the step's name", node.name.clone()));
            choices.extend(node.id.as_ref().map(|id| ("the step's ID", id.to_string())));
            let texts = [("the description", &node.description), ("the overlay text", &node.overlay)];
            choices.extend(
                texts.into_iter().filter(|(_, text)| !text.is_empty()).map(|(what, text)| (what, text.clone())),
            );
            choices.extend(node.video.as_ref().map(|video| ("the video's ID", video.to_string())));
        }
        choices.extend(self.player().map(|address| ("the player's address", address)));
        choices.push(("the project's ID", self.session.id.to_string()));
        choices.push(("the graph as Mermaid", self.named_graph().to_mermaid()));
        if let Ok(json) = serde_json::to_string_pretty(&draft.project()) {
            choices.push(("the project as JSON", json));
        }
        turn.outcomes.push(Outcome::Copy(choices));
    }

    /// The address where the project plays.
    pub(super) fn player(&self) -> Option<String> {
        let project = self.draft.base().head().clone();
        project.player_url.filter(|address| !address.is_empty())
    }

    pub(super) fn address(&self, turn: &mut Turn) {
        match self.player() {
            Some(address) => turn.outcomes.push(Outcome::Address(address)),
            None => turn.say(NoticeKind::Hint, "This project has no player address."),
        }
    }

    pub(super) fn ask_export(turn: &mut Turn) {
        let entry = |format: ProjectFormat| Entry {
            label: format.title().to_owned(),
            detail: format.about().to_owned(),
            right: format!(".{}", format.ending()),
        };
        let options = ProjectFormat::ALL.iter().map(|format| (Answer::ExportAs(*format), entry(*format)));
        turn.question(Question::choose(options, |entries| Picker::new("Export as", entries)));
    }

    pub(super) fn ask_export_file(&self, format: ProjectFormat, turn: &mut Turn) {
        let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
        let name: String = self.session.name.trim().chars().take(60).map(plain).collect();
        let prompt = Prompt::new("Export to file", &format!("{name}.{}", format.ending()));
        turn.question(Question::line(prompt, Answer::ExportFile(format)));
    }

    pub(super) fn export(&mut self, format: ProjectFormat, path: String, turn: &mut Turn) {
        let draft = &self.draft;
        let file = || {
            let library = Library { videos: self.shared.library.known().map(|videos| videos.to_vec()), folders: None };
            ProjectFile::of(draft, &library)
        };
        let content = format.write(&self.session.name, &self.named_graph(), file);
        let request = turn.next_id();
        turn.ask(Effect::Export { request, file: path, format, content });
    }
}
