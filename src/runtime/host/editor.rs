//! A text in the editor of the person's choice.

use std::io::Write as _;

use super::children::command;
use crate::domain::text::is_hostile;
use crate::settings::read_text_bounded;

/// The most that is read back, bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Lets a text be changed by a program: `editor` is a shell's command line that the file's name is put after. The file
/// is the owner's alone and gone afterwards.
///
/// # Errors
/// Where the editor can't be run, ended badly, or left what is no text; the text that was handed in is kept then.
pub async fn edit(editor: &str, text: &str) -> Result<String, String> {
    let failed = |what: String| format!("{what}; the text is unchanged.");
    let mut file = tempfile::Builder::new()
        .prefix("cutaway-")
        .suffix(".txt")
        .tempfile()
        .map_err(|error| failed(format!("Couldn't create the editor's file: {error}")))?;
    let shown = cleaned(text);
    let whole = if shown.is_empty() || shown.ends_with('\n') { shown.clone() } else { format!("{shown}\n") };
    file.write_all(whole.as_bytes()).map_err(|error| failed(format!("Couldn't write the editor's file: {error}")))?;
    // The person's own command line, with its arguments, as a shell reads it; the file's name travels beside it.
    let path = std::path::absolute(file.path()).map_err(|error| failed(error.to_string()))?;
    let status = command("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path).status().await;
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(failed(format!("The editor ({editor}) ended with {status}"))),
        Err(error) => return Err(failed(format!("Couldn't run the editor ({editor}): {error}"))),
    }
    // Editors that save by renaming leave another file under the same name.
    let read = tokio::task::spawn_blocking(move || read_text_bounded(&path, MOST_BYTES)).await;
    let read = read.map_err(|error| failed(error.to_string()))?;
    let read = read.map_err(|error| failed(format!("Couldn't read the text from the editor: {error}")))?;
    if read == whole {
        // As it was, with what an editor could not be given.
        return Ok(text.to_owned());
    }
    Ok(read.strip_suffix('\n').filter(|_| !text.ends_with('\n')).map_or(read.clone(), str::to_owned))
}

/// The text as an editor may be given it: those that print what they read must not steer the terminal with it.
fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().map(|c| if is_hostile(c) && !matches!(c, '\n' | '\t') { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::edit;

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
}
