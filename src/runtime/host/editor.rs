//! A text in the editor of the person's choice.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;
use tokio::process::Child;

use super::children::command;
use crate::domain::text::is_hostile;
use crate::settings::read_text_bounded;

/// The most that is read back, bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// How long an editor that was told to end is waited for: it may save what it has first.
const PATIENCE: Duration = Duration::from_millis(500);

/// What came of a text that was handed to an editor.
#[derive(Debug)]
pub enum Edited {
    /// The text as the editor left it; or why there is none: the one that was handed in is kept then.
    Text(Result<String, String>),
    /// The studio was to end before the editor did. The file, where something else had been saved in it.
    Ended(Option<PathBuf>),
}

/// Lets a text be changed by a program: `editor` is a shell's command line that the file's name is put after. The file
/// is the owner's alone and gone afterwards, unless `ended` comes first and the file is all that there is of a change.
pub async fn edit(editor: &str, text: &str, ended: impl Future<Output = ()> + Send) -> Edited {
    let shown = cleaned(text);
    let whole = if shown.is_empty() || shown.ends_with('\n') { shown } else { format!("{shown}\n") };
    let (file, mut child) = match start(editor, &whole) {
        Ok(started) => started,
        Err(why) => return Edited::Text(Err(unchanged(&why))),
    };
    let status = tokio::select! {
        biased;
        () = ended => {
            let is_over = hang_up(&mut child).await;
            return Edited::Ended(left(file, whole, is_over).await);
        }
        status = child.wait() => status,
    };
    let read = match status {
        Ok(status) => read(editor, status, file.path()).await,
        Err(error) => Err(format!("Couldn't run the editor ({editor}): {error}")),
    };
    Edited::Text(match read {
        // As it was, with what an editor could not be given.
        Ok(read) if read == whole => Ok(text.to_owned()),
        Ok(read) => Ok(read.strip_suffix('\n').filter(|_| !text.ends_with('\n')).map_or(read.clone(), str::to_owned)),
        Err(why) => Err(unchanged(&why)),
    })
}

fn unchanged(why: &str) -> String {
    format!("{why}; the text is unchanged.")
}

/// Starts the editor on a file of this text.
fn start(editor: &str, whole: &str) -> Result<(NamedTempFile, Child), String> {
    let mut file = tempfile::Builder::new()
        .prefix("cutaway-")
        .suffix(".txt")
        .tempfile()
        .map_err(|error| format!("Couldn't create the editor's file: {error}"))?;
    file.write_all(whole.as_bytes()).map_err(|error| format!("Couldn't write the editor's file: {error}"))?;
    // The person's own command line, with its arguments, as a shell reads it; the file's name travels beside it.
    let path = std::path::absolute(file.path()).map_err(|error| error.to_string())?;
    let child = command("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path).spawn();
    Ok((file, child.map_err(|error| format!("Couldn't run the editor ({editor}): {error}"))?))
}

/// What an editor that has ended left in its file.
async fn read(editor: &str, status: ExitStatus, file: &Path) -> Result<String, String> {
    if !status.success() {
        return Err(format!("The editor ({editor}) ended with {status}"));
    }
    // Editors that save by renaming leave another file under the same name.
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || read_text_bounded(&path, MOST_BYTES)).await;
    let read = read.map_err(|error| error.to_string())?;
    read.map_err(|error| format!("Couldn't read the text from the editor: {error}"))
}

/// Tells an editor what a terminal that is gone would: those that are worth it save for themselves what they have. Whether
/// it has ended.
async fn hang_up(child: &mut Child) -> bool {
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(id) = id {
        let _ = kill_process(id, Signal::HUP);
    }
    tokio::time::timeout(PATIENCE, child.wait()).await.is_ok()
}

/// The file, kept, where something else was saved in it than this text, or may be: an editor goes on with it.
async fn left(file: NamedTempFile, whole: String, is_over: bool) -> Option<PathBuf> {
    let kept = tokio::task::spawn_blocking(move || {
        let is_same = is_over && std::fs::read(file.path()).is_ok_and(|now| now == whole.as_bytes());
        // One that is gone can't be kept, and needn't be removed.
        (!is_same && file.path().is_file()).then(|| file.into_temp_path().keep().ok()).flatten()
    });
    kept.await.ok().flatten()
}

/// The text as an editor may be given it: those that print what they read must not steer the terminal with it.
fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().map(|c| if is_hostile(c) && !matches!(c, '\n' | '\t') { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn edit(editor: &str, text: &str) -> Result<String, String> {
        match super::edit(editor, text, std::future::pending()).await {
            Edited::Text(edited) => edited,
            Edited::Ended(_) => panic!("nobody told it to end"),
        }
    }

    #[tokio::test]
    async fn the_text_that_the_editor_left_comes_back() {
        assert_eq!(edit("sed -i s/wool/silk/", "wool\nand wool").await.unwrap(), "silk\nand silk");
        assert_eq!(edit("true", "").await.unwrap(), "");
    }

    #[tokio::test]
    async fn an_editor_is_given_nothing_that_steers_terminals_and_unchanged_text_stays() {
        let hostile = "wool\u{1b}]52;c;eA==\u{7}\r\n\tsock";
        assert_eq!(edit("true", hostile).await.unwrap(), hostile);
        assert_eq!(edit("sed -i s/sock/cap/", hostile).await.unwrap(), "wool·]52;c;eA==·\n\tcap");
    }

    #[tokio::test]
    async fn an_editor_that_fails_changes_nothing() {
        let why = edit("false", "wool").await.unwrap_err();
        assert!(why.contains("the text is unchanged"), "{why}");
        assert!(edit("no-such-editor-at-all", "wool").await.is_err());
    }

    /// The editor has done what it does before it stays open, and is told to end then.
    async fn ended(folder: &Path, does: &str) -> Option<PathBuf> {
        let ready = folder.join("ready");
        let editor = format!("f() {{ {does}; : > '{}'; exec sleep 600; }}; f", ready.display());
        let is_ready = async {
            while !ready.exists() {
                tokio::task::yield_now().await;
            }
        };
        match super::edit(&editor, "wool", is_ready).await {
            Edited::Ended(kept) => kept,
            Edited::Text(edited) => panic!("the editor ended by itself: {edited:?}"),
        }
    }

    #[tokio::test]
    async fn an_editor_is_told_to_end_and_what_it_saved_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ended(folder.path(), "sed -i s/wool/silk/ \"$1\"").await.unwrap();
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "silk\n");
        std::fs::remove_file(kept).unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ended(folder.path(), ":").await, None, "there is nothing to keep");
    }
}
