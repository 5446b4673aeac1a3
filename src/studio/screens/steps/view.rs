//! How the Steps screen looks, and where what stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::form::{Field, Form};
use super::outline::Row;
use super::play::{End, Play};
use super::{Focus, Journal, Mode, Open, Steps};
use crate::domain::text;
use crate::graph::{Chart, Edge, Leads, Level, Severity};
use crate::studio::event::Moment;
use crate::studio::model::NoticeKind;
use crate::studio::remote::Remote;
use crate::studio::turn::Turn;
use crate::studio::widgets::graph::{Canvas, Selection, View};
use crate::studio::widgets::paint::{inside, wrap};
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put, put_pieces, scrollbar, width};

/// Under this width the outline stands for the graph.
const NARROW: u16 = 60;

/// Less of the map beside a pane is not worth showing.
const LEAST_MAP: u16 = 40;

/// The most rows of findings under the map.
const MOST_FINDINGS: u16 = 5;

impl Steps {
    // ----- where things stand

    /// Whether the outline is shown: by choice, or because there is no room for a graph.
    pub(super) fn is_outlined(&self) -> bool {
        self.outline || self.area.width < NARROW
    }

    /// The pane beside the map, or over it where there is no room beside it.
    fn side(&self) -> Option<Rect> {
        let open = self.open.as_ref()?;
        let area = inside(self.area);
        let wanted = match open.mode {
            Mode::Form(_) => 46,
            Mode::Play(_) => 56,
            Mode::Saving(_) => 72,
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) => return None,
        };
        if area.width < wanted + LEAST_MAP {
            return Some(area);
        }
        Some(Rect { x: area.right() - wanted, width: wanted, ..area })
    }

    fn left(&self) -> Rect {
        let area = inside(self.area);
        match self.side() {
            Some(side) if side == area => area,
            Some(side) => Rect { width: side.x - area.x, ..area },
            None => area,
        }
    }

    /// The findings, under the map: a line that says what they are, and some of them.
    pub(super) fn findings_area(&self) -> Option<Rect> {
        let open = self.open.as_ref()?;
        let area = self.left();
        let count = u16::try_from(open.shown.faults.len()).unwrap_or(u16::MAX);
        if count == 0 || area.height < 12 {
            return None;
        }
        let most = if open.focus == Focus::Findings { area.height / 2 } else { MOST_FINDINGS.min(area.height / 4) };
        let rows = count.min(most) + 1;
        Some(Rect { y: area.bottom() - rows, height: rows, ..area })
    }

    /// The graph, or the outline.
    pub(super) fn map_area(&self) -> Rect {
        let area = self.left();
        let below = self.findings_area().map_or(0, |findings| findings.height);
        Rect { height: area.height.saturating_sub(below), ..area }
    }

    pub(super) fn outline_page(&self) -> isize {
        isize::from(self.map_area().height.max(1).cast_signed())
    }

    pub(super) fn form_width(&self) -> u16 {
        self.side().map_or(40, |side| side.width.saturating_sub(4)).max(4)
    }

    pub(super) fn first_finding(&self, area: Rect) -> usize {
        let finding = self.open.as_ref().map_or(0, |open| open.finding);
        let seen = usize::from(area.height.saturating_sub(1)).max(1);
        (finding + 1).saturating_sub(seen)
    }

    pub(super) fn canvas<'a>(&self, open: &'a Open) -> Canvas<'a> {
        let index = |step| open.shown.index(step);
        let wire = match &open.mode {
            Mode::Wire(wire) => {
                wire.to.and_then(|to| Some(Edge { from: index(wire.from)?, port: wire.port, to: index(to)? }))
            }
            _ => None,
        };
        let selected = match &open.mode {
            Mode::Play(play) => play.at.map(|step| Selection { step, port: Some(play.chosen) }),
            _ => open.cursor.and_then(|cursor| Some(Selection { step: index(cursor.step)?, port: cursor.port })),
        };
        Canvas {
            graph: &open.shown.graph,
            chart: &open.shown.chart,
            view: open.look,
            selected,
            marks: &open.shown.marks,
            wire,
        }
    }

    // ----- looking about

    /// Scrolls so that what is selected is seen.
    pub(super) fn keep_in_sight(&mut self) {
        let area = self.map_area();
        let row = self.outline_row();
        let selected = self.selected();
        if self.open.as_ref().is_some_and(|open| !open.looked && !open.shown.graph.is_empty()) && area.width > 0 {
            self.begin_look();
        }
        let Some(open) = &mut self.open else { return };
        if let Some(row) = row {
            let rows = open.shown.outline.len();
            open.top = crate::studio::layout::scrolled(open.top, row, usize::from(area.height), rows);
        }
        if let Some((step, _)) = selected
            && area.width > 0
        {
            open.look = open.look.showing(&open.shown.chart, step, area);
        }
    }

    pub(super) fn scroll_outline(&mut self, by: isize) {
        let page = usize::from(self.map_area().height);
        let Some(open) = &mut self.open else { return };
        open.top = open.top.saturating_add_signed(by).min(open.shown.outline.len().saturating_sub(page));
    }

    pub(super) fn turn_outline(&mut self) {
        self.outline = !self.outline;
        self.keep_in_sight();
    }

    pub(super) fn pan(&mut self, right: i32, down: i32) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        open.look = open.look.moved(right, down, &open.shown.chart, area);
    }

    /// Shows more of every step, or less; 0 goes round.
    pub(super) fn zoom(&mut self, by: isize) {
        let area = self.map_area();
        let selected = self.selected().map_or(0, |(step, _)| step);
        let Some(open) = &mut self.open else { return };
        let at = Level::ALL.iter().position(|level| *level == open.shown.chart.level()).unwrap_or(0);
        let to =
            if by == 0 { (at + 1) % Level::ALL.len() } else { at.saturating_add_signed(-by).min(Level::ALL.len() - 1) };
        let before = open.shown.chart.clone();
        if let Some(level) = Level::ALL.get(to) {
            open.shown.chart.zoom(&open.shown.graph, *level);
        }
        open.look = open.look.zoomed(&before, &open.shown.chart, selected, area);
    }

    /// Shows as much of every step as lets all of them be seen.
    pub(super) fn fit(&mut self) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        open.shown.chart.fit(&open.shown.graph, i32::from(area.width), i32::from(area.height));
        // A graph that is too wide for anything but dots is better read where one is.
        if open.shown.chart.level() == Level::Dot {
            open.shown.chart.zoom(&open.shown.graph, Level::Card);
        }
        let first = open.shown.graph.first().unwrap_or(0);
        let step = open.cursor.and_then(|cursor| open.shown.index(cursor.step)).unwrap_or(first);
        open.look = View::centred(&open.shown.chart, step, area);
    }

    /// Shows the whole graph where it fits, else the cards from the first one on.
    pub(super) fn begin_look(&mut self) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        let chart = &open.shown.chart;
        let first = open.shown.graph.first().unwrap_or(0);
        let all = chart.outline();
        open.look = View::centred(chart, first, area);
        if all.width > i32::from(area.width) {
            open.look.x = all.x;
        }
        open.looked = true;
    }

    pub(super) fn centre(&mut self) {
        let area = self.map_area();
        let Some((step, _)) = self.selected() else { return };
        let Some(open) = &mut self.open else { return };
        open.look = View::centred(&open.shown.chart, step, area);
    }

    /// Lays the graph out anew, the selected card where it is.
    pub(super) fn tidy(&mut self, turn: &mut Turn) {
        let anchor = self.selected().map(|(step, _)| step);
        let Some(open) = &mut self.open else { return };
        let before: Chart = open.shown.chart.clone();
        match open.untidied.take() {
            // A second time takes it back.
            Some(untidied) if open.shown.chart == untidied.1 => {
                open.shown.chart = untidied.0;
                turn.say(NoticeKind::Done, "The cards stand as they stood before.");
            }
            _ => {
                open.shown.chart.tidy(&open.shown.graph, anchor);
                open.untidied = Some(Box::new((before, open.shown.chart.clone())));
                turn.say(NoticeKind::Done, "Laid out anew; = takes it back.");
            }
        }
        self.keep_in_sight();
    }

    // ----- drawing

    pub(super) fn title_words(&self) -> String {
        let Some(open) = &self.open else { return "Steps".to_owned() };
        let named = open.draft.as_ref().map(|draft| draft.content().head().name()).filter(|name| !name.is_empty());
        let name = named.unwrap_or(&open.name);
        let name = if name.is_empty() { open.id.as_str() } else { name };
        let mut title = text::line(name).into_owned();
        if let Some(draft) = open.draft.as_ref().filter(|draft| !draft.is_saved()) {
            let edits = draft.at().abs_diff(open.saved_at).max(1);
            title.push_str(&format!(" · draft: {edits} edit{} not saved", if edits == 1 { "" } else { "s" }));
            match &open.journal {
                Journal::Open { handed, kept } if handed > kept => title.push_str(" …"),
                Journal::Failed(_) => title.push_str(", NOT on the disk"),
                _ => {}
            }
        }
        title
    }

    fn counts(&self, ink: Ink) -> Vec<Piece> {
        let Some(open) = &self.open else { return Vec::new() };
        let graph = &open.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        let faults = open.shown.faults.iter().filter(|fault| fault.severity() != Severity::Note).count();
        let mut pieces = Vec::new();
        if let Remote::Loading { .. } = open.read {
            pieces.push(piece(Role::Dim, format!("reading{} ", ink.ellipsis())));
        }
        pieces.push(piece(Role::Dim, format!("{} steps{}{answers} answers", graph.len(), ink.sign(" · ", ", "))));
        if faults > 0 {
            let role = if open.shown.faults.iter().any(|fault| fault.severity() == Severity::Fault) {
                Role::Error
            } else {
                Role::Warn
            };
            pieces.push(piece(
                role,
                format!("{}{faults} fault{}", ink.sign(" · ", ", "), if faults == 1 { "" } else { "s" }),
            ));
        }
        pieces
    }

    fn walked_words(&self) -> Vec<Piece> {
        let Some(open) = self.open.as_ref().filter(|open| !open.walked.is_empty()) else { return Vec::new() };
        let graph = &open.shown.graph;
        let answers: usize = (0..graph.len()).map(|step| graph.ports(step).len()).sum();
        vec![piece(Role::Dim, format!("{} of {answers} answers walked", open.shown.marks.walked_answers.len()))]
    }

    pub(super) fn draw(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        let title = self.title_words();
        let focused = self.open.as_ref().is_some_and(|open| open.focus == Focus::Map && self.side().is_none());
        Panel { title: &title, right: self.counts(ink), bottom: self.walked_words(), focused }
            .draw(buf, ink, self.area);
        let area = inside(self.area);
        let Some(open) = &self.open else {
            put(
                buf,
                ink,
                (area.x + 2, area.y + 1),
                area.width.saturating_sub(3),
                "No project is open: choose one in Projects (2).",
                ink.style(Role::Dim),
            );
            return None;
        };
        let side = self.side();
        if side != Some(area) {
            if self.is_outlined() {
                self.draw_outline(open, buf, ink);
            } else {
                self.canvas(open).draw(buf, ink, self.map_area());
            }
            if let Some(findings) = self.findings_area() {
                self.draw_findings(open, buf, ink, findings);
            }
            self.draw_state(open, buf, ink, now);
            self.draw_wire(open, buf, ink);
        }
        let side = side?;
        let beside = side != area;
        match &open.mode {
            Mode::Form(form) => self.draw_form(form, buf, ink, side, beside),
            Mode::Play(play) => {
                self.draw_play(open, play, buf, ink, side, beside);
                None
            }
            Mode::Saving(_) => {
                self.draw_saving(buf, ink, side, beside, now);
                None
            }
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) => None,
        }
    }

    /// What is said where the project is not there, or has nothing in it.
    fn draw_state(&self, open: &Open, buf: &mut Buffer, ink: Ink, now: Moment) {
        let area = self.map_area();
        let mut lines: Vec<Piece> = Vec::new();
        match &open.read {
            Remote::Failed { problem, .. } if open.draft.is_none() => {
                lines.push(piece(Role::Error, "The project can't be read."));
                lines.extend(
                    wrap(&text::line(problem), area.width.saturating_sub(4))
                        .into_iter()
                        .map(|line| piece(Role::Dim, line)),
                );
                lines.push(piece(Role::Text, "Nothing was lost. r tries again."));
            }
            Remote::Failed { problem, .. } => {
                let say = format!(" not read again: {} ", text::line(problem));
                put(buf, ink, (area.x + 1, area.y), area.width.saturating_sub(2), &say, ink.style(Role::Warn));
            }
            Remote::Loading { since, .. } if open.draft.is_none() && now.since(*since) >= 300 => {
                lines.push(piece(Role::Dim, format!("Reading the project {}", ink.ellipsis())));
            }
            Remote::Ready(())
                if open.draft.as_ref().is_some_and(|draft| !draft.base().told_steps())
                    && open.shown.graph.is_empty() =>
            {
                lines.push(piece(Role::Warn, "The service told no steps of this project: what it has can't be shown."));
                lines.push(piece(Role::Text, "n makes one all the same; o shows the player."));
            }
            _ if open.draft.is_some() && open.shown.graph.is_empty() => {
                lines.push(piece(Role::Text, "This project has no steps yet."));
                lines.push(piece(Role::Dim, "n makes the first; a adds answers to it, w wires them."));
            }
            _ => {}
        }
        for (line, y) in lines.iter().zip(area.y + area.height / 4..area.bottom()) {
            put_pieces(buf, ink, (area.x + 2, y), area.width.saturating_sub(4), std::slice::from_ref(line));
        }
    }

    /// What the wire that is drawn would be.
    fn draw_wire(&self, open: &Open, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        let words = match &open.mode {
            Mode::Labels(_) => "Go to: type the letters over a card".to_owned(),
            Mode::Wire(wire) => {
                let said = open
                    .shown
                    .index(wire.from)
                    .and_then(|from| open.shown.graph.ports(from).get(wire.port))
                    .map(|port| text::line(&port.text).into_owned());
                let said = said.unwrap_or_default();
                match wire.to.and_then(|to| open.shown.index(to)) {
                    Some(to) => {
                        let node = open.shown.graph.node(to);
                        let about = node.map(|node| text::line(&node.description).into_owned()).unwrap_or_default();
                        format!(
                            "“{said}” {} {} {about}   Enter keeps it",
                            ink.sign("→", "->"),
                            text::line(open.shown.graph.name(to))
                        )
                    }
                    None => format!(
                        "“{said}” {} ?   letters or arrows choose, / finds, n new step, x ends the video",
                        ink.sign("→", "->")
                    ),
                }
            }
            _ => return,
        };
        if area.height == 0 {
            return;
        }
        let y = area.bottom() - 1;
        let taken = (width(&words) + 2).min(area.width);
        crate::studio::overlays::wipe(buf, ink, Rect { x: area.x, y, width: taken, height: 1 });
        put(buf, ink, (area.x + 1, y), taken.saturating_sub(1), &words, ink.style(Role::Accent));
    }

    fn draw_outline(&self, open: &Open, buf: &mut Buffer, ink: Ink) {
        let area = self.map_area();
        let selected = self.selected();
        let rows = &open.shown.outline;
        for ((at, row), y) in rows.iter().enumerate().skip(open.top).zip(area.y..area.bottom()) {
            let chosen = selected == Some((row.step, row.port));
            if chosen {
                for x in area.x..area.right() {
                    if let Some(cell) = buf.cell_mut((x, y)) {
                        cell.set_style(ink.theme.select);
                    }
                }
            }
            let pieces = self.outline_pieces(open, ink, *row, chosen);
            let indent = u16::try_from(row.depth).unwrap_or(u16::MAX).saturating_mul(2).min(area.width / 2);
            let label = row.port.is_none().then(|| open.shown.marks.hints.get(&row.step)).flatten();
            if let Some(label) =
                label.filter(|_| rows.iter().position(|other| (other.step, other.port) == (row.step, None)) == Some(at))
            {
                put(buf, ink, (area.x, y), 2, label, ink.style(Role::Match));
            }
            put_pieces(buf, ink, (area.x + 2 + indent, y), area.width.saturating_sub(indent + 3), &pieces);
        }
        scrollbar(buf, ink, self.area, open.top, usize::from(area.height), rows.len());
    }

    fn outline_pieces(&self, open: &Open, ink: Ink, row: Row, chosen: bool) -> Vec<Piece> {
        let graph = &open.shown.graph;
        let marks = &open.shown.marks;
        let role_of = |severity: Option<&Severity>| match severity {
            Some(Severity::Fault) => Some(Role::Error),
            Some(Severity::Warning) => Some(Role::Warn),
            _ => None,
        };
        let mut pieces = vec![piece(Role::Accent, if chosen { ink.sign("▌", ">") } else { " " })];
        let Some(node) = graph.node(row.step) else { return pieces };
        match row.port {
            None => {
                let fault = role_of(marks.faults.get(&row.step));
                if let Some(role) = fault {
                    pieces.push(piece(role, ink.sign("● ", "* ")));
                }
                let role = if row.reachable { Role::Text } else { Role::Dim };
                pieces.push(piece(role, text::line(&node.name)));
                pieces.push(piece(role, format!(" {}", text::line(&node.description))));
                let video = match &node.video {
                    Some(video) => {
                        marks.videos.get(video).cloned().unwrap_or_else(|| text::line(video.as_str()).into_owned())
                    }
                    None => "no video".to_owned(),
                };
                pieces.push(piece(Role::Faint, format!("  {} {video}", ink.sign("▶", ">"))));
            }
            Some(port) => {
                let Some(answer) = node.ports.get(port) else { return pieces };
                let walked = marks.walked_answers.contains(&(row.step, port));
                let role =
                    role_of(marks.answers.get(&(row.step, port))).unwrap_or(if walked { Role::Ok } else { Role::Dim });
                pieces.push(piece(role, format!("{} {}", port + 1, text::line(&answer.text))));
                let arrow = ink.sign(" → ", " -> ");
                let leads = match answer.leads {
                    Leads::End => format!("{arrow}end"),
                    Leads::Dangling => format!(" {} {}", ink.sign("⊘", "!"), text::line(&answer.next)),
                    Leads::Step(to) if to == row.step => format!(" {}", ink.sign("↺", "@")),
                    Leads::Step(to) => format!("{arrow}{}", text::line(graph.name(to))),
                };
                let role = if answer.leads == Leads::Dangling { Role::Error } else { Role::Faint };
                pieces.push(piece(role, leads));
            }
        }
        pieces
    }

    fn draw_findings(&self, open: &Open, buf: &mut Buffer, ink: Ink, area: Rect) {
        let focused = open.focus == Focus::Findings;
        let role = if focused { Role::Accent } else { Role::Faint };
        let line = ink.sign("─", "-").repeat(usize::from(area.width));
        put(buf, ink, (area.x, area.y), area.width, &line, ink.style(role));
        let title = format!(" Findings {} ", open.shown.faults.len());
        put(
            buf,
            ink,
            (area.x + 1, area.y),
            area.width.saturating_sub(1),
            &title,
            ink.style(if focused { Role::Accent } else { Role::Dim }),
        );
        let first = self.first_finding(area);
        for ((at, fault), y) in open.shown.faults.iter().enumerate().skip(first).zip(area.y + 1..area.bottom()) {
            let chosen = at == open.finding && focused;
            let role = match fault.severity() {
                Severity::Fault => Role::Error,
                Severity::Warning => Role::Warn,
                Severity::Note => Role::Dim,
            };
            let mark = if chosen { ink.sign("▌", ">") } else { " " };
            let mut pieces = vec![
                piece(Role::Accent, mark),
                piece(role, ink.sign("● ", "* ")),
                piece(if chosen { Role::Text } else { Role::Dim }, text::line(&fault.sentence)),
            ];
            if fault.mend.is_some() {
                pieces.push(piece(Role::Accent, "   m mends"));
            }
            put_pieces(buf, ink, (area.x, y), area.width, &pieces);
        }
    }

    fn draw_form(&self, form: &Form, buf: &mut Buffer, ink: Ink, area: Rect, beside: bool) -> Option<(u16, u16)> {
        let open = self.open.as_ref()?;
        crate::studio::overlays::wipe(buf, ink, area);
        let name = open.draft.as_ref().map(|draft| draft.label(form.step)).unwrap_or_default();
        let title = format!("Step {}", text::line(&name));
        let inner = if beside {
            let keys = vec![piece(Role::Dim, "Tab next field  Esc close")];
            Panel { title: &title, bottom: keys, focused: true, ..Panel::default() }.draw(buf, ink, area)
        } else {
            put(buf, ink, (area.x + 1, area.y), area.width, &title, ink.style(Role::Accent));
            Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
        };
        let across = self.form_width();
        let room = usize::from(inner.height);
        // The rows of every field: its title and its text; what is before the field that is edited scrolls away.
        let mut rows: Vec<(usize, u16)> = Vec::new();
        for (at, field) in form.fields.iter().enumerate() {
            let text = if at == form.at {
                form.prose.height(across)
            } else {
                wrapped(&self.field_shown(open, form, *field), across).len().min(4)
            };
            let most = if field.is_long() && at == form.at { 12 } else { 4 };
            rows.push((at, u16::try_from(text.clamp(1, most)).unwrap_or(1) + 1));
        }
        let mut first = 0;
        while rows.iter().skip(first).take(form.at + 1 - first).map(|(_, height)| usize::from(*height)).sum::<usize>()
            > room
            && first < form.at
        {
            first += 1;
        }
        let mut y = inner.y;
        let mut cursor = None;
        for (at, height) in rows.into_iter().skip(first) {
            let Some(field) = form.fields.get(at) else { continue };
            if y >= inner.bottom() {
                break;
            }
            let chosen = at == form.at;
            let title = self.field_title(open, form, *field);
            put(
                buf,
                ink,
                (inner.x + 1, y),
                inner.width.saturating_sub(2),
                &title,
                ink.style(if chosen { Role::Accent } else { Role::Dim }),
            );
            let text_area = Rect {
                x: inner.x + 3,
                y: y + 1,
                width: across.min(inner.width.saturating_sub(3)),
                height: (height - 1).min(inner.bottom().saturating_sub(y + 1)),
            };
            if chosen && *field != Field::Video {
                cursor = Some(form.prose.draw(buf, ink, text_area));
            } else {
                let shown = self.field_shown(open, form, *field);
                let role = if shown.is_empty() { Role::Faint } else { Role::Text };
                let lines = if shown.is_empty() { vec!["none".to_owned()] } else { wrapped(&shown, across) };
                for (line, row) in lines.iter().zip(text_area.y..text_area.bottom()) {
                    put(buf, ink, (text_area.x, row), text_area.width, line, ink.style(role));
                }
            }
            y = y.saturating_add(height);
        }
        cursor
    }

    fn field_title(&self, open: &Open, form: &Form, field: Field) -> String {
        match field {
            Field::Description => "Description (for you)".to_owned(),
            Field::Overlay => "Overlay text (over the video)".to_owned(),
            Field::Time => "Answers appear at, seconds".to_owned(),
            Field::Video => "Video (Enter chooses, x takes it away)".to_owned(),
            Field::Answer(answer) => {
                let Some((_, port, answer)) = open.draft.as_ref().and_then(|draft| draft.content().answer(answer))
                else {
                    return "Answer".to_owned();
                };
                let leads = match &answer.target {
                    crate::draft::Target::End => "ends the video".to_owned(),
                    crate::draft::Target::Step(step) if *step == form.step => "back to this step".to_owned(),
                    crate::draft::Target::Step(step) => {
                        format!("to {}", open.draft.as_ref().map(|draft| draft.label(*step)).unwrap_or_default())
                    }
                    crate::draft::Target::Unresolved(given) => format!("nowhere: {given}"),
                };
                format!("Answer {}, {}", port + 1, text::line(&leads))
            }
        }
    }

    fn field_shown(&self, open: &Open, form: &Form, field: Field) -> String {
        let said = self.field_text(form.step, field);
        if field == Field::Video && !said.is_empty() {
            let id = crate::domain::VideoId::new(said.clone());
            return open.shown.marks.videos.get(&id).map_or(said, |name| format!("{name} ({})", id.as_str()));
        }
        said
    }

    fn draw_play(&self, open: &Open, play: &Play, buf: &mut Buffer, ink: Ink, area: Rect, beside: bool) {
        crate::studio::overlays::wipe(buf, ink, area);
        let title = "Play";
        let inner = if beside {
            let keys = vec![piece(Role::Dim, "1-9 answer  ← back  r anew  N unwalked  Esc end")];
            Panel { title, bottom: keys, focused: true, ..Panel::default() }.draw(buf, ink, area)
        } else {
            area
        };
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let graph = &open.shown.graph;
        let mut lines: Vec<(Role, String)> = Vec::new();
        let told = |lines: &mut Vec<(Role, String)>, role, indent: &str, said: &str| {
            let room = inner.width.saturating_sub(width(indent));
            lines.extend(wrapped(said, room).into_iter().map(|line| (role, format!("{indent}{line}"))));
        };
        if play.transcript {
            for (step, port) in &play.trail {
                if let Some(node) = graph.node(*step) {
                    told(&mut lines, Role::Dim, "", if node.overlay.is_empty() { &node.name } else { &node.overlay });
                    told(&mut lines, Role::Ok, "  ", node.ports.get(*port).map_or("", |port| &port.text));
                }
            }
            lines.push((Role::Faint, String::new()));
        }
        if let Some(node) = play.at.and_then(|at| graph.node(at)) {
            let video = node
                .video
                .as_ref()
                .map(|video| open.shown.marks.videos.get(video).cloned().unwrap_or_else(|| video.to_string()));
            told(&mut lines, Role::Dim, "", &format!("{} {}", node.name, node.description));
            told(
                &mut lines,
                Role::Faint,
                "",
                &format!("{} {}", ink.sign("▶", ">"), video.unwrap_or_else(|| "no video".to_owned())),
            );
            lines.push((Role::Text, String::new()));
            if !node.overlay.is_empty() {
                told(&mut lines, Role::Text, "  ", &node.overlay);
                lines.push((Role::Text, String::new()));
            }
            if let Some(seconds) = node.answer_time.filter(|seconds| *seconds > 0.0) {
                told(&mut lines, Role::Faint, "", &format!("after {seconds} s:"));
            }
            match play.ended {
                None => {
                    for (number, port) in node.ports.iter().enumerate() {
                        let chosen = number == play.chosen;
                        let mark = if chosen { ink.sign("▌", ">") } else { " " };
                        let walked = play.at.is_some_and(|at| open.shown.marks.walked_answers.contains(&(at, number)));
                        let role = if chosen {
                            Role::Accent
                        } else if walked {
                            Role::Ok
                        } else {
                            Role::Text
                        };
                        told(&mut lines, role, &format!("{mark} {} ", number + 1), &port.text);
                    }
                }
                Some(ended) => {
                    let given = play
                        .trail
                        .last()
                        .filter(|(step, _)| Some(*step) == play.at)
                        .and_then(|(_, port)| node.ports.get(*port));
                    if let Some(port) = given {
                        told(&mut lines, Role::Ok, "  ", &port.text);
                    }
                    let (role, words) = match ended {
                        End::Meant => (Role::Ok, "The end."),
                        End::NoAnswers => (Role::Dim, "The end: this step has no answers."),
                        End::Dangling => (Role::Error, "This answer leads nowhere: a viewer is stuck here."),
                    };
                    lines.push((role, words.to_owned()));
                    lines.push((
                        Role::Dim,
                        format!("{} answers given. Left goes back, r begins anew, Esc ends.", play.trail.len()),
                    ));
                }
            }
        }
        let skip = lines.len().saturating_sub(usize::from(inner.height));
        for ((role, line), y) in lines.iter().skip(skip).zip(inner.y..inner.bottom()) {
            put(buf, ink, (inner.x, y), inner.width, line, ink.style(*role));
        }
    }
}

fn wrapped(said: &str, room: u16) -> Vec<String> {
    said.split('\n').flat_map(|line| wrap(&text::line(line), room)).collect()
}
