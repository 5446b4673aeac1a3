//! A file is looked at before it is queued: whether it is there, a file, readable, not empty, and a video.

use std::fs::{self, FileType};
use std::io::{self, Read as _};
use std::path::Path;

use thiserror::Error;

use super::measure::measure;
use crate::client::fingerprint;
use crate::service::{HEAD, video_type};
use crate::settings::open_regular;
use crate::uploads::{FilePath, VideoFile};

/// Why a file can't be uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LookError {
    /// Nothing stands there.
    #[error("no such file")]
    Missing,
    /// A folder stands there.
    #[error("it is a folder; name the files in it")]
    Folder,
    /// Something that is neither a file nor a folder.
    #[error("it is {0}, not a file")]
    NoFile(&'static str),
    /// It can't be read; what the system said.
    #[error("it can't be read: {0}")]
    Unreadable(String),
    /// It has no bytes.
    #[error("it is empty")]
    Empty,
    /// Its leading bytes are no video's.
    #[error("it is not a video file")]
    NoVideo,
}

/// Looks at a file.
///
/// # Errors
/// Why it can't be uploaded.
pub fn look(path: &Path) -> Result<VideoFile, LookError> {
    // Before it is opened: opening a pipe waits for its other end.
    let metadata = fs::metadata(path).map_err(|error| refused(&error))?;
    if metadata.is_dir() {
        return Err(LookError::Folder);
    }
    if !metadata.is_file() {
        return Err(LookError::NoFile(kind(metadata.file_type())));
    }
    let path = std::path::absolute(path).map_err(|error| refused(&error))?;
    let mut file = open_regular(&path).map_err(|error| refused(&error))?;
    let fingerprint = fingerprint(&file.metadata().map_err(|error| refused(&error))?);
    if fingerprint.size == 0 {
        return Err(LookError::Empty);
    }
    let mut head = Vec::new();
    (&mut file).take(HEAD as u64).read_to_end(&mut head).map_err(|error| refused(&error))?;
    let content_type = video_type(&head).ok_or(LookError::NoVideo)?;
    let measures = measure(file, content_type);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(VideoFile {
        path: FilePath(path),
        name,
        fingerprint,
        content_type: content_type.to_owned(),
        duration_ms: measures.duration_ms,
        picture: measures.picture,
    })
}

fn refused(error: &io::Error) -> LookError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LookError::Missing,
        _ => LookError::Unreadable(error.to_string()),
    }
}

#[cfg(unix)]
fn kind(of: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if of.is_fifo() {
        "a pipe"
    } else if of.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_of: FileType) -> &'static str {
    "a device"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_video_file_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("empty.mp4"), "").unwrap();
        fs::write(at("text.mp4"), "not a film at all, whatever its name says").unwrap();
        assert_eq!(look(&at("none")), Err(LookError::Missing));
        assert_eq!(look(&at("empty.mp4")), Err(LookError::Empty));
        assert_eq!(look(&at("text.mp4")), Err(LookError::NoVideo));
        assert_eq!(look(&at("text.mp4/x")), Err(LookError::Missing));
        assert_eq!(look(folder.path()), Err(LookError::Folder));
        assert_eq!(look(Path::new("/dev/null")), Err(LookError::NoFile("a device")));
        assert!(matches!(look(&at(&"x".repeat(256))), Err(LookError::Unreadable(_))));
    }

    #[test]
    fn a_real_video_is_known_with_its_measures() {
        let videos = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos");
        let mut seen = 0;
        for entry in fs::read_dir(videos).unwrap() {
            let path = entry.unwrap().path();
            let Ok(video) = look(&path) else { continue };
            assert!(video.duration_ms.is_some_and(|ms| (500..600_000).contains(&ms)), "{path:?}: {video:?}");
            assert!(video.picture.is_some_and(|(width, height)| width >= 16 && height >= 16), "{path:?}: {video:?}");
            seen += 1;
        }
        assert!(seen > 2);
    }

    #[cfg(unix)]
    #[test]
    fn any_name_will_do() {
        use std::os::unix::ffi::OsStrExt as _;
        let clip = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos"));
        let clip = clip.unwrap().map(|entry| entry.unwrap().path()).find(|path| look(path).is_ok()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let long = [b'x'; 255];
        for name in [&b"a b.mp4"[..], b"line\nfeed.mp4", b"\x1b[2Jesc.mp4", b"\xff\xfe.mp4", &long] {
            let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
            fs::copy(&clip, &path).unwrap();
            let video = look(&path).unwrap();
            assert_eq!(video.path.0, path);
            assert!(!video.name.is_empty());
        }
    }
}
