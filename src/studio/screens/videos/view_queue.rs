//! How the uploads look: a line each, with a bar where one is being sent.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Focus, Videos, speed_and_left};
use crate::domain::text;
use crate::studio::ground::Moment;
use crate::studio::widgets::{Ink, Panel, Role, piece, put, put_right, scrollbar, select};
use crate::uploads::{Course, State, Upload, bytes, rate, time_left, words};

impl Videos {
    pub(super) fn draw_queue(&self, buf: &mut Buffer, ink: Ink, area: Rect, now: Moment) {
        let sum = self.overview.sum();
        let mut words = vec![format!("{} of {}", sum.done, sum.count())];
        if sum.failed > 0 {
            words.push(format!("{} failed", sum.failed));
        }
        let more = speed_and_left(&sum);
        if sum.under_way > 0 && !more.is_empty() {
            words.push(more);
        }
        if let Some(limit) = self.overview.queue.limit {
            words.push(format!("limit {}", rate(limit)));
        }
        let fault = self.overview.fault.as_deref().map(|fault| text::line(fault).into_owned());
        let panel = Panel {
            title: "Uploads",
            right: vec![piece(Role::Text, words.join(ink.sign(" · ", " - ")))],
            bottom: fault.map(|fault| piece(Role::Error, fault)).into_iter().collect(),
            focused: self.focus == Focus::Queue,
        };
        let inside = panel.draw(buf, ink, area);
        let uploads = self.overview.queue.uploads();
        let selected = (self.focus == Focus::Queue).then(|| self.upload_row());
        for ((row, upload), y) in uploads.iter().enumerate().skip(self.queue_top).zip(inside.y..inside.bottom()) {
            let line = Rect { y, height: 1, ..inside };
            self.draw_upload(buf, ink, line, upload, now);
            if selected == Some(row) {
                select(buf, ink, line);
            }
        }
        scrollbar(buf, ink, area, self.queue_top, usize::from(inside.height), uploads.len());
    }

    fn draw_upload(&self, buf: &mut Buffer, ink: Ink, row: Rect, upload: &Upload, now: Moment) {
        let (sign, role) = sign(ink, &upload.state);
        put(buf, ink, (row.x + 1, row.y), 1, sign, ink.style(role));
        let name_room = (row.width / 4).clamp(8, 40);
        put(buf, ink, (row.x + 3, row.y), name_room, &text::line(&upload.file.name), ink.style(Role::Text));
        let at = row.x + 4 + name_room;
        let room = row.right().saturating_sub(at + 1);
        let course = self.overview.course(upload);
        if matches!(upload.state, State::Sending { .. }) {
            draw_course(buf, ink, (at, row.y), room, upload.file.fingerprint.size, course);
            return;
        }
        let say = words(upload, now.0);
        put(buf, ink, (at, row.y), room, &text::line(&say), ink.style(role));
    }
}

/// The sign of a state and what it is.
fn sign<'a>(ink: Ink, state: &State) -> (&'a str, Role) {
    match state {
        State::Waiting => (ink.sign("…", "-"), Role::Dim),
        State::Sending { .. } => (ink.sign("▶", ">"), Role::Accent),
        State::Paused => (ink.sign("‖", "="), Role::Dim),
        State::Retrying { .. } => (ink.sign("↻", "~"), Role::Warn),
        State::Done { .. } => (ink.sign("✓", "+"), Role::Ok),
        State::Failed { .. } => (ink.sign("✗", "!"), Role::Error),
        State::Cancelled { .. } => (ink.sign("×", "x"), Role::Dim),
    }
}

fn draw_course(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), room: u16, size: u64, course: Course) {
    let left = course.per_second.and_then(|per_second| time_left(size.saturating_sub(course.sent), per_second));
    let clock = left.map(|left| {
        let seconds = left.as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    });
    // All is on its way, and nothing came back yet: that is not arrived.
    let clock = if course.sent >= size { None } else { clock };
    let clock_room = 8.min(room);
    put_right(
        buf,
        ink,
        (x + room - clock_room, y),
        clock_room,
        clock.as_deref().unwrap_or_default(),
        ink.style(Role::Dim),
    );
    let room = room - clock_room;
    let (far, far_room) = if course.sent >= size {
        ("waiting for response".to_owned(), 22.min(room))
    } else {
        (format!("{} of {}", bytes(course.sent), bytes(size)), 19.min(room))
    };
    put_right(buf, ink, (x + room - far_room, y), far_room, &far, ink.style(Role::Text));
    let bar = (room - far_room).saturating_sub(2);
    let full = u128::from(course.sent.min(size)) * u128::from(bar) / u128::from(size.max(1));
    let full = u16::try_from(full).unwrap_or(bar).min(bar);
    for cell in 0..bar {
        let (sign, role) =
            if cell < full { (ink.sign("█", "#"), Role::Accent) } else { (ink.sign("░", "."), Role::Faint) };
        put(buf, ink, (x + cell, y), 1, sign, ink.style(role));
    }
}
