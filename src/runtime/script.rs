//! Saves recordings: a script that its owner can run, whole or not at all, and never over what is there.

use std::fs::Permissions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::steps::expand;
use crate::studio::event::Event;

/// So many names are tried where the one that was meant is taken.
const MOST_NAMES: u32 = 1_000;

/// Saves a script.
pub async fn save(file: String, script: String) -> Event {
    let path = std::path::absolute(expand(&file)).unwrap_or_else(|_| expand(&file));
    let shown = path.display().to_string();
    let saved = tokio::task::spawn_blocking(move || save_new(&path, script.as_bytes())).await;
    Event::ScriptSaved(match saved {
        Ok(Ok(path)) => Ok(path.display().to_string()),
        Ok(Err(error)) => Err(format!("{shown} can't be written: {error}")),
        Err(error) => Err(format!("{shown} can't be written: {error}")),
    })
}

/// Writes it beside its place and puts it there once it is whole; where the name is taken, under the next free one.
fn save_new(path: &Path, script: &[u8]) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut whole = tempfile::Builder::new().prefix(".cutaway-script-").tempfile_in(folder)?;
    whole.write_all(script)?;
    #[cfg(unix)]
    whole.as_file().set_permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700))?;
    whole.as_file().sync_all()?;
    for number in 1..=MOST_NAMES {
        let place = numbered(path, number);
        whole = match whole.persist_noclobber(&place) {
            Ok(_) => return Ok(place),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => taken.file,
            Err(other) => return Err(other.error),
        };
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// `tour.sh`, `tour-2.sh`, `tour-3.sh`
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[tokio::test]
    async fn nothing_that_is_there_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tour.sh").display().to_string();
        for (name, script) in [("tour.sh", "1"), ("tour-2.sh", "2"), ("tour-3.sh", "3")] {
            let place = folder.path().join(name);
            assert_eq!(
                save(file.clone(), script.to_owned()).await,
                Event::ScriptSaved(Ok(place.display().to_string()))
            );
            assert_eq!(std::fs::read_to_string(&place).unwrap(), script);
            assert_eq!(std::fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o700);
        }
        let nowhere = folder.path().join("no/such/tour.sh").display().to_string();
        assert!(matches!(save(nowhere, String::new()).await, Event::ScriptSaved(Err(_))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing half is left");
    }
}
