//! The studio as lines of text, in reading order: for plain mode, for screen readers, for tests.

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

/// What owns the keys, as lines: what lies over the screen, or the screen.
pub(super) fn content(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    match model.layers.last() {
        Some(overlay) => overlay.layer().read(&model.shell, &mut lines),
        None => model.pane().reading(model.shell.now, &mut lines),
    }
    lines.extend(silence::words(model));
    for line in &mut lines {
        model.shell.begin.name_keys(line);
    }
    lines
}
