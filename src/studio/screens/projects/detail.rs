//! What is said of the selected project.

use std::sync::Arc;

use super::row::{Row, called};
use super::vocabulary::{Record, Turn};
use crate::domain::{ProjectId, text};
use crate::graph::{Fault, Severity};
use crate::studio::ground::{Clock, Moment, Remote, RequestId};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::scroll;
use crate::studio::widgets::time::when;
use crate::studio::widgets::{Piece, Role, number, piece, severity_role, severity_sign};

/// How many faults are told in words; the steps' own screen tells all.
const TOLD: usize = 5;

/// A line.
pub type Line = Vec<Piece>;

/// What is known of the products that the steps of a project show.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Offered {
    /// They show none of the store that is worked in.
    #[default]
    Nothing,
    /// They are looked up.
    Asked(RequestId),
    /// What is wrong with them.
    Known(Vec<Fault>),
    /// They could not be looked up.
    Unread,
}

impl Offered {
    /// What is known to be wrong.
    fn faults(&self) -> &[Fault] {
        if let Self::Known(faults) = self { faults } else { &[] }
    }
}

/// What is said of a project.
#[derive(Debug, Clone)]
pub struct Detail {
    /// Which one.
    pub id: ProjectId,
    /// Its record; `None` where the service knows no such project.
    pub record: Remote<Option<Arc<Record>>>,
    /// What is known of its products.
    pub offered: Offered,
    /// The lines.
    pub lines: Vec<Line>,
    /// The first line that is seen.
    pub top: usize,
}

impl Detail {
    /// Of a project that was not read yet.
    #[must_use]
    pub fn new(id: ProjectId) -> Self {
        Self { id, record: Remote::Idle, offered: Offered::default(), lines: Vec::new(), top: 0 }
    }

    /// Waits for nothing any more.
    pub(super) fn cancel(&self, turn: &mut Turn) {
        turn.cancel(self.record.waiting());
        if let Offered::Asked(request) = self.offered {
            turn.cancel(Some(request));
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, by: isize, page: usize) {
        scroll(&mut self.top, by, page, self.lines.len());
    }
}

impl super::Projects {
    /// Works the lines out for the pane they stand in. Where the screen has become wide enough for it, what the list
    /// knows of a project is said at once.
    pub(super) fn lay_out_detail(&mut self, now: Moment) {
        if self.shows_detail() && self.detail.is_none() {
            self.detail = self.current().map(|row| Detail::new(row.project.id.clone()));
        }
        let Some(area) = self.split().1 else { return };
        let seen = self.detail_page();
        let lines = self.detail_lines(area.width.saturating_sub(4), now);
        if let Some(detail) = &mut self.detail {
            detail.lines = lines;
            detail.scroll(0, seen);
        }
    }

    /// What is said of the selected project, in lines of so many columns.
    pub(super) fn detail_lines(&self, width: u16, now: Moment) -> Vec<Line> {
        let (Some(row), Some(detail)) = (self.current(), &self.detail) else { return Vec::new() };
        let folder = row.folder().map(|id| self.folder_name(id).unwrap_or_default().to_owned());
        let draft = self.draft_of(&row.project.id).map(|draft| draft.edits);
        let record = detail.record.known().and_then(Option::as_deref).map(|record| (record, &detail.offered));
        lines(row, record, folder, draft, width, Clock { now, zone: &self.zone })
    }
}

fn lines(
    row: &Row,
    known: Option<(&Record, &Offered)>,
    folder: Option<String>,
    draft: Option<usize>,
    width: u16,
    clock: Clock<'_>,
) -> Vec<Line> {
    let record = known.map(|(record, _)| record);
    // The record is newer than the list, but a service may tell less there.
    let project = record.map_or(&*row.project, |record| &record.project);
    let listed = &*row.project;
    let mut lines = Vec::new();
    let mut field = |name: &str, value: Option<String>| {
        let (role, value) = match value.filter(|value| !value.trim().is_empty()) {
            Some(value) => (Role::Text, value),
            None => (Role::Faint, "–".to_owned()),
        };
        for (at, part) in wrap(&value, width.saturating_sub(10).max(10)).into_iter().enumerate() {
            let label = if at == 0 { name } else { "" };
            lines.push(vec![piece(Role::Dim, format!("{label:<9} ")), piece(role, part)]);
        }
    };
    let clean = |value: &Option<String>| value.as_deref().map(|value| text::line(value).into_owned());
    let when = |value: &Option<String>| value.as_deref().map(|value| when(value, clock));
    if let Some(edits) = draft {
        let gone = if row.unlisted { "; the service no longer has this project" } else { "" };
        field("Draft", Some(format!("{edits} edit{} not saved{gone}", if edits == 1 { "" } else { "s" })));
    }
    field("Folder", Some(folder.unwrap_or_else(|| "none".to_owned())));
    let emails = project.email_notifications.as_ref().or(listed.email_notifications.as_ref());
    field(
        "E-mails",
        emails.map(
            |emails| if emails.is_empty() { "none".to_owned() } else { text::line(&emails.join(", ")).into_owned() },
        ),
    );
    field(
        "Steps",
        record.and_then(|r| r.graph.as_ref()).map(|graph| graph.len().to_string()).or(row.steps().map(number)),
    );
    field("Player", super::row::player(project).or_else(|| row.player()));
    field("Created", when(&project.created_at).or_else(|| when(&listed.created_at)));
    field("Updated", when(&project.updated_at).or_else(|| when(&listed.updated_at)));
    field("ID", clean(&Some(listed.id.to_string())));
    if let Some((record, offered)) = known {
        add_faults(record, offered, width, &mut lines);
        add_steps(record, offered, &mut lines);
        add_findings(record, width, &mut lines);
    }
    lines
}

/// All that is known to be wrong.
fn faults<'a>(record: &'a Record, offered: &'a Offered) -> impl Iterator<Item = &'a Fault> + Clone {
    record.faults.iter().chain(offered.faults())
}

/// How many problems there are, in words.
#[must_use]
pub fn fault_words(record: &Record, offered: &Offered) -> (Role, String) {
    let count = |severity| faults(record, offered).filter(|fault| fault.severity() == severity).count();
    let (errors, warnings) = (count(Severity::Fault), count(Severity::Warning));
    let words = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        count => Some(format!("{count} {word}s")),
    };
    let said: Vec<String> = [words(errors, "error"), words(warnings, "warning")].into_iter().flatten().collect();
    match (errors, said.is_empty()) {
        (_, true) if *offered == Offered::Unread => {
            (Role::Warn, "no problems in the steps; their products couldn't be checked".to_owned())
        }
        (_, true) if matches!(offered, Offered::Asked(_)) => {
            (Role::Dim, "no problems in the steps; checking their products".to_owned())
        }
        (_, true) => (Role::Ok, "no problems".to_owned()),
        (0, false) => (Role::Warn, said.join(", ")),
        _ => (Role::Error, said.join(", ")),
    }
}

fn add_faults(record: &Record, offered: &Offered, width: u16, lines: &mut Vec<Line>) {
    let Some(graph) = &record.graph else {
        lines.push(vec![piece(Role::Dim, "Checks    "), piece(Role::Faint, "the service sent no steps")]);
        return;
    };
    if graph.is_empty() {
        lines.push(vec![piece(Role::Dim, "Checks    "), piece(Role::Dim, "no steps yet; Enter opens it to add some")]);
        return;
    }
    let (role, words) = fault_words(record, offered);
    lines.push(vec![piece(Role::Dim, "Checks    "), piece(role, words)]);
    let told = faults(record, offered).filter(|fault| fault.severity() > Severity::Note);
    for fault in told.clone().take(TOLD) {
        let (role, sign) = (severity_role(fault.severity()), severity_sign(fault.severity()));
        for (at, part) in wrap(&text::line(&fault.sentence), width.saturating_sub(12).max(10)).into_iter().enumerate() {
            lines.push(vec![
                piece(role, if at == 0 { format!("          {sign}") } else { " ".repeat(12) }),
                piece(Role::Text, part),
            ]);
        }
    }
    let more = told.count().saturating_sub(TOLD);
    if more > 0 {
        lines.push(vec![piece(Role::Dim, format!("            and {more} more"))]);
    }
}

fn add_steps(record: &Record, offered: &Offered, lines: &mut Vec<Line>) {
    let Some(graph) = record.graph.as_ref().filter(|graph| !graph.is_empty()) else { return };
    let mut worst = vec![Severity::Note; graph.len()];
    for fault in faults(record, offered) {
        if let Some(known) = fault.step.and_then(|step| worst.get_mut(step)) {
            *known = (*known).max(fault.severity());
        }
    }
    lines.push(Vec::new());
    for (at, step) in graph.order().iter().enumerate() {
        let Some(node) = graph.node(*step) else { continue };
        let about = if node.overlay.trim().is_empty() { &node.description } else { &node.overlay };
        // More than a line of a text is not shown here.
        let about: String = crate::domain::drawn(about).chars().take(200).collect();
        let mark = match worst.get(*step) {
            Some(worst) if *worst > Severity::Note => piece(severity_role(*worst), severity_sign(*worst)),
            _ => piece(Role::Text, "  "),
        };
        let answers = match node.ports.len() {
            0 => String::new(),
            1 => "  1 answer".to_owned(),
            count => format!("  {count} answers"),
        };
        let name: String = text::line(&node.name).chars().take(24).collect();
        lines.push(vec![
            piece(Role::Faint, format!("{:>4} ", at + 1)),
            mark,
            piece(Role::Accent, format!("{name:<6} ")),
            piece(Role::Text, text::line(&about).into_owned()),
            piece(Role::Dim, answers),
        ]);
    }
}

fn add_findings(record: &Record, width: u16, lines: &mut Vec<Line>) {
    if record.findings.is_empty() {
        return;
    }
    lines.push(Vec::new());
    lines.push(vec![piece(Role::Warn, "Doesn't match the API specification:")]);
    for finding in &record.findings {
        let parts = wrap(&text::line(finding), width.saturating_sub(2));
        lines.extend(parts.into_iter().map(|part| vec![piece(Role::Dim, format!("  {part}"))]));
    }
}

/// The title of what is said of a project.
#[must_use]
pub fn title(row: &Row, record: Option<&Record>) -> String {
    let name = record.and_then(|record| record.project.name.as_deref());
    let name = name.map_or_else(|| row.name.to_string(), |name| text::line(name).chars().take(200).collect());
    called(&name).to_owned()
}
