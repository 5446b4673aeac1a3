//! What guests over SSH are told where they want what this studio may not do for them: how it is done from their side.

use super::super::begin::GuestOf;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer};
use crate::studio::shell::model::Model;

/// What is said to a guest who presses the key of something that can't be done here.
pub(super) fn pressed(model: &Model, key: Key) -> Option<String> {
    let layers = model.layers();
    if layers == [Layer::Text; 2] {
        return None;
    }
    let command = model.shell.begin.keymap.withheld(&layers, key)?;
    instead(model, command)
}

/// What is said to a guest who wants a command that can't be done here.
pub(super) fn instead(model: &Model, command: Command) -> Option<String> {
    let GuestOf { port, .. } = model.shell.begin.guest.as_ref()?;
    let writes = matches!(command, Command::VideosUpload | Command::StepsUpload);
    if let Some(why) = model.shell.begin.read_only.as_ref().filter(|_| writes) {
        return Some(format!("Not over SSH, and your key is read-only: {why}."));
    }
    let ssh = |words: &str| format!("Not here. On your computer: ssh -p {port} HOST {words}");
    Some(match command {
        Command::VideosUpload | Command::StepsUpload => {
            ssh(&format!("videos upload - --name NAME < FILE, or scp -P {port} FILE HOST:."))
        }
        Command::Export => ssh("products export - > FILE."),
        Command::StepsExport => ssh("projects export ID - > FILE."),
        command if Command::ON_PROFILES.contains(&command) => {
            "Not over SSH. Run cutaway on your own computer to add or change profiles.".to_owned()
        }
        command => format!("“{}” isn't available over SSH.", command.title()),
    })
}
