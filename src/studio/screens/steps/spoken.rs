//! What is current in the editor of steps, in words: for plain mode.

use std::fmt::Write as _;

use super::modes::form::{Field, Form};
use super::modes::wire::Wire;
use super::{Editor, Focus, Mode};
use crate::domain::text;
use crate::graph::Leads;
use crate::studio::ground::Remote;
use crate::studio::screens::pane::{Entered, Spoken};
use crate::studio::widgets::chooser::FolderEntry;
use crate::studio::widgets::severity_word;
use crate::uploads::bytes;

impl Editor {
    /// What is current, its name first.
    pub(super) fn spoken(&self) -> Spoken {
        match &self.mode {
            Mode::Normal | Mode::Labels(_) if self.focus == Focus::Problems => self.spoken_problem(),
            Mode::Normal | Mode::Labels(_) => self.spoken_step(),
            Mode::Wire(wire) => Spoken { words: Some(self.wire_words(wire)), ..Spoken::default() },
            Mode::Form(form) => self.spoken_field(form),
            Mode::Play(_) => Spoken { words: Some(self.play_words()), ..Spoken::default() },
            Mode::Saving(_) => {
                let mut lines = Vec::new();
                self.read_out_saving(&mut lines);
                let said = lines.iter().map(|line| line.trim().trim_end_matches('.')).filter(|line| !line.is_empty());
                let said = said.collect::<Vec<_>>().join("; ");
                let ends = if self.shows_saved() { "Enter closes" } else { "Enter saves, Esc goes back" };
                Spoken { words: Some(format!("Save: {said}; {ends}")), ..Spoken::default() }
            }
            Mode::Upload(choosing) => {
                let chooser = &choosing.chooser;
                let words = chooser.current().map_or("No files here".to_owned(), |entry| entry.name.clone());
                Spoken { words: Some(words), position: chooser.found.position(), ..Spoken::default() }
            }
            // The row of the reading that has the cursor.
            Mode::Products(_) | Mode::Funnel(_) => Spoken::default(),
            Mode::Code(code) => {
                let words = format!("{}; address of the player of {}", code.address, code.called);
                Spoken { words: Some(words), ..Spoken::default() }
            }
        }
    }

    /// The rows to choose from, and which one is current: the fields of a form, files, problems, or every step in its
    /// order. None in modes whose reading has the rows.
    pub(super) fn listed(&self) -> Option<(Vec<String>, usize)> {
        match &self.mode {
            Mode::Form(form) => {
                let row = |field: &Field| self.field_words(form, *field);
                Some((form.fields.iter().map(row).collect(), form.at))
            }
            Mode::Upload(choosing) => {
                let chooser = &choosing.chooser;
                let row = |entry: &FolderEntry| {
                    let size = if entry.is_folder { "folder".to_owned() } else { bytes(entry.size) };
                    format!("{}; {size}", entry.name)
                };
                Some((chooser.rows().map(row).collect(), chooser.found.selected()))
            }
            Mode::Normal if self.focus == Focus::Problems => {
                let rows = 0..self.shown.problems.rows().len();
                let current = self.shown.problems.row_of(self.chosen.at);
                Some((rows.map(|row| self.problem_words(row)).collect(), current))
            }
            Mode::Normal => {
                let order = self.shown.graph.order();
                let current = self.selected().and_then(|(step, _)| order.iter().position(|at| *at == step));
                Some((order.iter().map(|step| self.brief(*step)).collect(), current.unwrap_or(0)))
            }
            _ => None,
        }
    }

    /// Whether the rows are those of the steps.
    pub(super) fn lists_steps(&self) -> bool {
        matches!(self.mode, Mode::Normal) && self.focus != Focus::Problems
    }

    fn brief(&self, step: usize) -> String {
        let name = self.shown.step(step).map(|step| self.step_words(step)).unwrap_or_default();
        match self.shown.graph.ports(step).len() {
            0 => format!("{name}; no answers"),
            1 => format!("{name}; 1 answer"),
            answers => format!("{name}; {answers} answers"),
        }
    }

    fn spoken_problem(&self) -> Spoken {
        let (row, all) = (self.shown.problems.row_of(self.chosen.at), self.shown.problems.rows().len());
        let words = if all == 0 { "No problems".to_owned() } else { self.problem_words(row) };
        Spoken { words: Some(words), position: (all > 0).then_some((row, all)), ..Spoken::default() }
    }

    /// A row of the list of problems, and how severe it is.
    fn problem_words(&self, row: usize) -> String {
        let first = self.shown.problems.rows().get(row).and_then(|row| self.shown.problems.get(row.start));
        let severity = first.map_or("problem", |problem| severity_word(problem.severity()));
        format!("{}; {severity}", self.row_words(row))
    }

    /// What is wrong with what is current, as the list of problems has it selected; empty where nothing is.
    fn wrong_words(&self) -> String {
        match self.problem().filter(|problem| problem.step.is_some() && self.is_at_problem()) {
            Some(problem) => format!("; {}: {}", severity_word(problem.severity()), text::line(&problem.words())),
            None => String::new(),
        }
    }

    fn leads_words(&self, leads: Leads, next: &str) -> String {
        match leads {
            Leads::End => "ends the video".to_owned(),
            Leads::Step(to) => match self.shown.step(to) {
                Some(step) => format!("leads to {}", self.step_words(step)),
                None => format!("leads to {}", text::line(self.shown.graph.name(to))),
            },
            Leads::Dangling => format!("leads nowhere ({})", text::line(next)),
        }
    }

    fn spoken_step(&self) -> Spoken {
        let graph = &self.shown.graph;
        let Some((step, port)) = self.selected() else {
            return Spoken { words: Some("No steps yet".to_owned()), ..Spoken::default() };
        };
        let order = graph.order();
        let at = order.iter().position(|at| *at == step);
        let position = at.map(|at| (at, order.len()));
        let name = self.shown.step(step).map(|step| self.step_words(step)).unwrap_or_default();
        let ports = graph.ports(step);
        if let Some((number, answer)) = port.and_then(|port| Some((port + 1, ports.get(port)?))) {
            let leads = self.leads_words(answer.leads, &answer.next);
            let (said, wrong) = (text::line(&answer.text), self.wrong_words());
            let words = format!("{said}; answer {number} of {}; {leads}{wrong}; step {name}", ports.len());
            return Spoken { words: Some(words), position, ..Spoken::default() };
        }
        let mut words = format!("{name}; step{}", self.wrong_words());
        if let Some(node) = graph.node(step) {
            let _ = write!(words, "; text {}", quoted(&node.overlay));
            // An id says nothing while the name is still to come.
            let is_loading = matches!(self.shared.library, Remote::Loading { stale: None, .. });
            let id = |video| if is_loading { "(name still loading)" } else { video };
            let video = node.video.as_ref().map(|video| self.video_name(video).unwrap_or_else(|| id(video.as_str())));
            let _ = write!(words, "; video {}", video.map_or("none".into(), text::line));
        }
        if let Some(upload) = self.shown.marks.uploads.get(&step) {
            let _ = write!(words, "; {}", text::line(&upload.words));
        }
        for (answer, number) in ports.iter().zip(1..) {
            let _ = write!(
                words,
                "; {number} {} {}",
                text::line(&answer.text),
                self.leads_words(answer.leads, &answer.next)
            );
        }
        Spoken { words: Some(words), position, ..Spoken::default() }
    }

    fn wire_words(&self, wire: &Wire) -> String {
        let step = self.shown.index(wire.from);
        let said = step.and_then(|step| self.shown.graph.ports(step).get(wire.port));
        let said = said.map(|answer| text::line(&answer.text).into_owned()).unwrap_or_default();
        let from = format!("answer {} {} of {}", wire.port + 1, quoted(&said), self.step_words(wire.from));
        match wire.to {
            Some(to) => format!("{}; {from} would lead here; Enter links, Esc cancels", self.step_words(to)),
            None => format!("{from}; where does it lead? to NAME, n new step, x ends the video, Esc cancels"),
        }
    }

    fn spoken_field(&self, form: &Form) -> Spoken {
        let field = form.field();
        let words = format!("{}; step {}", self.field_words(form, field), self.step_words(form.step));
        let entry = if field.is_text() { Entered::Whole } else { Entered::Choice };
        Spoken { words: Some(words), position: Some((form.at, form.fields.len())), entry }
    }

    /// A field by its title, and what it says: as it was typed, where it is current.
    fn field_words(&self, form: &Form, field: Field) -> String {
        let said = match field {
            Field::Video => {
                let id = self.field_text(form.step, field);
                self.video_name(&id.as_str().into()).map_or(id, str::to_owned)
            }
            _ if field == form.field() => form.prose.text(),
            _ => self.field_text(form.step, field),
        };
        format!("{}: {}", self.field_title(form, field), quoted(&said))
    }

    fn play_words(&self) -> String {
        let Mode::Play(play) = &self.mode else { return String::new() };
        let Some((at, node)) = play.at.and_then(|at| Some((at, self.shown.graph.node(at)?))) else {
            return "The end.".to_owned();
        };
        let name = self.shown.step(at).map(|step| self.step_words(step)).unwrap_or_default();
        if play.ended.is_some() {
            return format!("The end. Last step {name}: {}; Enter stops, r restarts", quoted(&node.overlay));
        }
        let mut words = format!("{}; step {name}", quoted(&node.overlay));
        for (number, port) in node.ports.iter().enumerate() {
            let mark = if number == play.answers.selected { " (current)" } else { "" };
            let _ = write!(words, "; {} {}{mark}", number + 1, text::line(&port.text));
        }
        words
    }

    /// Whether what will be saved is shown.
    pub(super) fn shows_plan(&self) -> bool {
        matches!(self.mode, Mode::Saving(_)) && !self.shows_saved()
    }

    /// Whether it is said that everything is saved.
    pub(super) fn shows_saved(&self) -> bool {
        matches!(&self.mode, Mode::Saving(saving) if saving.is_done())
    }

    /// Which answer of the step is being wired, counted from 0.
    pub(super) fn wired_port(&self) -> Option<usize> {
        if let Mode::Wire(wire) = &self.mode { Some(wire.port) } else { None }
    }
}

/// A text that people wrote, or that there is none.
fn quoted(said: &str) -> String {
    if said.trim().is_empty() { "empty".to_owned() } else { text::line(said.trim()).into_owned() }
}
