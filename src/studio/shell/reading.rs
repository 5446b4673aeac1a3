//! The studio as lines of text, in reading order: for plain mode, for screen readers, for tests.

use std::borrow::Cow;

use super::begin::Begin;
use super::model::Model;
use super::silence;

/// What is on the screen, as lines.
#[must_use]
pub fn reading(model: &Model) -> Vec<String> {
    let mut lines = vec![format!("{} · {}", model.screens.shown.title(), model.shell.begin.profile)];
    if let Some(notice) = model.shell.notices.on(model.screens.shown) {
        lines.push(format!("Notice: {}", notice.text));
    }
    lines.extend(content(model));
    lines
}

/// Puts in the keys that a sentence names.
pub(super) fn name_keys(begin: &Begin, line: &mut String) {
    if let Cow::Owned(said) = begin.keymap.in_words(line, begin.ascii) {
        *line = said;
    }
}

/// What owns the keys, as lines: what lies over the screen, or the screen.
pub(super) fn content(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    match model.layers.last() {
        Some(overlay) => overlay.layer().read(&model.shell, &mut lines),
        None => model.pane().reading(model.shell.now, &mut lines),
    }
    lines.extend(silence::words(model));
    for line in &mut lines {
        name_keys(&model.shell.begin, line);
    }
    lines
}
