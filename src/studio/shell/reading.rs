//! The studio as lines of text, in reading order: for plain mode, for screen readers, for tests.

use super::model::Model;
use super::overlays::Overlay;

/// What is on the screen, as lines.
#[must_use]
pub fn reading(model: &Model) -> Vec<String> {
    let mut lines = vec![format!("{} · {}", model.screens.shown.title(), model.shell.begin.profile)];
    if let Some(notice) = model.shell.notices.current() {
        lines.push(format!("Notice: {}", notice.text));
    }
    match model.layers.last() {
        Some(Overlay::Help(help)) => help.reading(&model.shell.begin.keymap, &mut lines),
        Some(Overlay::Page(page)) => page.reading(&mut lines),
        Some(Overlay::Picker(picker, _)) => picker.reading(&mut lines),
        Some(Overlay::Prompt(prompt, _)) => prompt.reading(&mut lines),
        Some(Overlay::Confirm(confirm, _) | Overlay::LiveWrite(confirm)) => confirm.reading(&mut lines),
        Some(Overlay::SignIn(sign_in)) => sign_in.reading(&mut lines),
        Some(Overlay::Preview(preview)) => preview.read_out(&model.shell.pictures, &mut lines),
        None => model.pane().reading(model.shell.now, &mut lines),
    }
    lines
}
