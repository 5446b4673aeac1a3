//! How a step's form looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Editor;
use super::form::{Field, Form};
use crate::domain::text;
use crate::draft::Target;
use crate::studio::ground::{Command, Keymap, Layer, Moment};
use crate::studio::widgets::paint::wrap_lines;
use crate::studio::widgets::{Ink, Panel, Role, put};
use crate::uploads::{State, Upload, bytes, short_words, words};

/// The keys of a command in the form, where it has any.
type Keys<'a> = &'a dyn Fn(Command) -> Option<String>;

impl Editor {
    pub(in super::super) fn draw_form(
        &self,
        form: &Form,
        buf: &mut Buffer,
        ink: Ink,
        area: Rect,
        beside: bool,
        now: Moment,
    ) -> Option<(u16, u16)> {
        crate::studio::widgets::wipe(buf, ink, area);
        let name = self.draft.label(form.step);
        let title = format!("Step {}", text::line(&name));
        if beside {
            Panel { title: &title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        } else {
            put(buf, ink, (area.x + 1, area.y), area.width, &title, ink.style(Role::Accent));
        }
        let across = self.form_width();
        let key = |command| ink.key(command, &[Layer::Form]);
        let mut cursor = None;
        for (at, place) in self.field_places(form, now, &key) {
            let Some(field) = form.fields.get(at) else { continue };
            let is_chosen = at == form.at;
            let (title, role) = (self.field_title(form, *field), if is_chosen { Role::Accent } else { Role::Dim });
            put(buf, ink, (place.x + 1, place.y), place.width.saturating_sub(2), &title, ink.style(role));
            let text_area = text_of(place, across);
            if is_chosen && field.is_text() {
                cursor = Some(form.prose.draw(buf, ink, text_area));
            } else {
                if is_chosen {
                    ink.stands((text_area.x, text_area.y));
                }
                draw_shown(&self.field_shown(form, *field, now, &key), buf, ink, text_area, across);
            }
        }
        cursor
    }

    /// The field at a place of the screen, and where its text is.
    pub(super) fn field_seen_at(
        &self,
        form: &Form,
        at: (u16, u16),
        now: Moment,
        keymap: &Keymap,
    ) -> Option<(usize, Rect)> {
        let key = |command| keymap.shortest(command, &[Layer::Form], false);
        let places = self.field_places(form, now, &key);
        let (field, place) = places.into_iter().find(|(_, place)| place.contains(at.into()))?;
        Some((field, text_of(place, self.form_width())))
    }

    /// Where the fields are that are seen: the title of each, and below it its text.
    fn field_places(&self, form: &Form, now: Moment, key: Keys) -> Vec<(usize, Rect)> {
        let Some(inner) = self.below_title() else { return Vec::new() };
        let across = self.form_width();
        let heights = self.field_heights(form, across, now, key);
        // What is before the field that is edited scrolls away.
        let is_too_much = |first: &usize| {
            let seen = heights.iter().skip(*first).take(form.at + 1 - first);
            seen.map(|height| usize::from(*height)).sum::<usize>() > usize::from(inner.height)
        };
        let first = (0..form.at).find(|first| !is_too_much(first)).unwrap_or(form.at);
        let mut y = inner.y;
        let mut places = Vec::new();
        for (at, height) in heights.into_iter().enumerate().skip(first) {
            if y >= inner.bottom() {
                break;
            }
            places.push((at, Rect { y, height: height.min(inner.bottom() - y), ..inner }));
            y = y.saturating_add(height);
        }
        places
    }

    /// The rows of every field: its title and its text.
    fn field_heights(&self, form: &Form, across: u16, now: Moment, key: Keys) -> Vec<u16> {
        let height = |(at, field): (usize, &Field)| {
            let text = if at == form.at && field.is_text() {
                form.prose.height(across)
            } else {
                wrap_lines(&self.field_shown(form, *field, now, key), across).len()
            };
            let most = if (field.is_long() && at == form.at) || !field.is_text() { 12 } else { 4 };
            u16::try_from(text.clamp(1, most)).unwrap_or(1) + 1
        };
        form.fields.iter().enumerate().map(height).collect()
    }

    fn field_shown(&self, form: &Form, field: Field, now: Moment, key: Keys) -> String {
        let said = self.field_text(form.step, field);
        if field != Field::Video {
            return said;
        }
        let id = crate::domain::VideoId::new(said.clone());
        let video = if said.is_empty() { said } else { self.video_words(&id) };
        match self.upload_for(form.step) {
            Some(upload) if video.is_empty() => self.upload_words(upload, now, key),
            Some(upload) => format!("{video}\n{}", self.upload_words(upload, now, key)),
            None => video,
        }
    }

    /// How the upload stands that the step waits for, and which keys help.
    fn upload_words(&self, upload: &Upload, now: Moment, key: Keys) -> String {
        let name = text::line(&upload.file.name).into_owned();
        match upload.state {
            State::Sending { .. } => {
                let (sent, size) = (self.shared.overview.course(upload).sent, upload.file.fingerprint.size);
                let stops = key(Command::Remove).map(|key| format!("; {key} stops")).unwrap_or_default();
                format!("{}, {} of {}{stops}", short_words(upload, sent), bytes(sent), bytes(size))
            }
            State::Failed { .. } | State::Cancelled { .. } => {
                let why = text::line(&words(upload, now.0)).into_owned();
                let all = [
                    (Command::Retry, "retries"),
                    (Command::StepsUpload, "chooses another file"),
                    (Command::Remove, "removes it"),
                ];
                let helps = all.into_iter().filter_map(|(command, does)| Some(format!("{} {does}", key(command)?)));
                let helps = helps.collect::<Vec<_>>().join(", ");
                format!("{name}: {why}. {helps}.").trim_end_matches(" .").to_owned()
            }
            _ => format!("{name}: {}", text::line(&words(upload, now.0))),
        }
    }

    /// What stands over a field.
    pub(in super::super) fn field_title(&self, form: &Form, field: Field) -> String {
        match field {
            Field::Description => "Internal note".to_owned(),
            Field::Overlay => "Text over the video".to_owned(),
            Field::Time => "Show answers after (s)".to_owned(),
            Field::Video => "Video".to_owned(),
            Field::Products => "Products".to_owned(),
            Field::Answer(answer) => {
                let Some((_, port, answer)) = self.draft.content().answer(answer) else {
                    return "Answer".to_owned();
                };
                let leads = match &answer.target {
                    Target::End => "ends the video".to_owned(),
                    Target::Step(step) if *step == form.step => "back to this step".to_owned(),
                    Target::Step(step) => format!("to {}", self.step_words(*step)),
                    Target::Unresolved(given) => format!("nowhere: {given}"),
                };
                format!("Answer {}, {}", port + 1, text::line(&leads))
            }
        }
    }
}

/// Where a field's text is.
fn text_of(place: Rect, across: u16) -> Rect {
    Rect {
        x: place.x + 3,
        y: place.y + 1,
        width: across.min(place.width.saturating_sub(3)),
        height: place.height.saturating_sub(1),
    }
}

/// Draws what a field holds that is not edited.
fn draw_shown(shown: &str, buf: &mut Buffer, ink: Ink, area: Rect, across: u16) {
    let role = if shown.is_empty() { Role::Faint } else { Role::Text };
    let lines = if shown.is_empty() { vec!["none".to_owned()] } else { wrap_lines(&ink.veiled(shown), across) };
    for (line, row) in lines.iter().zip(area.y..area.bottom()) {
        put(buf, ink, (area.x, row), area.width, line, ink.style(role));
    }
}
