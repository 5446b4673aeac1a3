//! Programs of the person's own: run without a shell, with nothing to read, and ended with the studio.

use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::children::command;

/// So much of what a program says is kept, bytes; the rest is read and let go.
const MOST: u64 = 64 * 1024;

/// Runs a program to its end; the last line that it said.
///
/// # Errors
/// Why it did not do what it was to do, in words: that it can't be run, or what it ended with and said last.
pub async fn run(run: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = run.split_first() else { return Err("no program is named".to_owned()) };
    let mut command = command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("{program} can't be run ({error})"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (status, said, complained) = tokio::join!(child.wait(), heard(out), heard(err));
    let status = status.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(last_line(&said));
    }
    let why = [last_line(&complained), last_line(&said)].into_iter().find(|line| !line.is_empty());
    let ended = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
    Err(why.map_or_else(|| format!("{ended}."), |why| format!("{why} ({ended})")))
}

/// What is said there, to the end.
async fn heard(from: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut said = Vec::new();
    let Some(mut from) = from else { return said };
    if (&mut from).take(MOST).read_to_end(&mut said).await.is_ok() {
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    said
}

fn last_line(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn of(words: &[&str]) -> Result<String, String> {
        run(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).await
    }

    #[tokio::test]
    async fn what_a_program_says_last_is_told() {
        assert_eq!(of(&["printf", "one\\ntwo\\n\\n"]).await.unwrap(), "two");
        assert_eq!(of(&["true"]).await.unwrap(), "");
        assert_eq!(of(&["cat"]).await.unwrap(), "", "it has nothing to read");
        assert_eq!(of(&["echo", "$HOME; `id`"]).await.unwrap(), "$HOME; `id`", "no shell reads it");
        let failed = of(&["ls", "/no/such/folder"]).await.unwrap_err();
        assert!(failed.contains("/no/such/folder") && failed.contains("exit code"), "{failed}");
        assert!(of(&["no-such-program-at-all"]).await.unwrap_err().contains("can't be run"));
        assert_eq!(of(&["false"]).await.unwrap_err(), "exit code 1.");
        let much = of(&["sh", "-c", "yes | head -c 1000000; echo end >&2; exit 3"]).await.unwrap_err();
        assert_eq!(much, "end (exit code 3)");
    }
}
