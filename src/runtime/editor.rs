//! A text in the editor of the person's choice.

use std::io::Write as _;

use tokio::process::Command;

/// The most that is read back, bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Lets a text be changed by a program: `editor` is a shell's command line that the file's name is put after. The file
/// is the owner's alone and gone afterwards.
///
/// # Errors
/// Where the editor can't be run, ended badly, or left what is no text; the text that was handed in is kept then.
pub async fn edit(editor: &str, text: &str) -> Result<String, String> {
    let failed = |what: String| format!("{what}; the text is as it was.");
    let mut file = tempfile::Builder::new()
        .prefix("cutaway-")
        .suffix(".txt")
        .tempfile()
        .map_err(|error| failed(format!("There is no place for the editor's file: {error}")))?;
    let whole = if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    file.write_all(whole.as_bytes()).map_err(|error| failed(format!("The editor's file can't be written: {error}")))?;
    // The person's own command line, with its arguments, as a shell reads it; the file's name travels beside it.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file.path()).status().await;
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(failed(format!("The editor ({editor}) ended with {status}"))),
        Err(error) => return Err(failed(format!("The editor ({editor}) can't be run: {error}"))),
    }
    // Editors that save by renaming leave another file under the same name.
    let size = tokio::fs::metadata(file.path()).await.map_or(0, |meta| meta.len());
    if size > MOST_BYTES {
        return Err(failed(format!("What the editor left is too long ({size} bytes)")));
    }
    let bytes = tokio::fs::read(file.path()).await;
    let bytes = bytes.map_err(|error| failed(format!("What the editor left can't be read: {error}")))?;
    let read = String::from_utf8(bytes).map_err(|_| failed("What the editor left is not UTF-8".to_owned()))?;
    Ok(read.strip_suffix('\n').filter(|_| !text.ends_with('\n')).map_or(read.clone(), str::to_owned))
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
    async fn an_editor_that_fails_changes_nothing() {
        let why = edit("false", "wool").await.unwrap_err();
        assert!(why.contains("the text is as it was"), "{why}");
        assert!(edit("no-such-editor-at-all", "wool").await.is_err());
    }
}
