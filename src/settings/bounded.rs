//! Reading files that may be anything: another program, a sync tool or a stranger may have put a pipe, a device or
//! hundreds of megabytes where a small file of settings is expected. None of that may make Cutaway wait or fill memory.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The most bytes that a file of settings may have: configuration, credentials, keymap, a theme, where the studio was
/// left.
pub const MOST_SETTINGS: u64 = 1 << 20;

/// Opens a file for reading, and nothing but a regular file. See [`open_regular_with`].
///
/// # Errors
/// Where it can't be opened, or is something else than a file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_with(OpenOptions::new().read(true), path)
}

/// Opens a file as the options say, and nothing but a regular file: opening never waits, as it does for a pipe that
/// has no other end, and what was opened is looked at afterwards, so that nothing can be exchanged in between.
///
/// # Errors
/// Where it can't be opened, or is something else than a file.
pub fn open_regular_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        // Neither wait for a pipe's other end nor become a terminal's session.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let refuse = |kind: FileType| io::Error::new(io::ErrorKind::InvalidInput, format!("it is {}", other_than(kind)));
    let file = options.open(path).map_err(|error| match std::fs::metadata(path) {
        // Some systems refuse to open such a thing at all, in words that nobody understands.
        Ok(about) if !about.is_file() && !about.is_dir() => refuse(about.file_type()),
        _ => error,
    })?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(refuse(about.file_type()));
    }
    Ok(file)
}

/// Reads a whole file of at most so many bytes.
///
/// # Errors
/// Where it can't be read, is something else than a file, or is larger.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_open(&mut open_regular(path)?, most)
}

/// Reads an open file from where it stands to its end, which is at most so many bytes away.
///
/// # Errors
/// Where it can't be read, or is longer.
pub fn read_open(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let at = file.stream_position()?;
    // Asked before anything is read; and read no further than that, for it may be growing.
    let left = file.metadata()?.len().saturating_sub(at);
    if left <= most {
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if left > most || u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(too_large(left, most));
    }
    Ok(bytes)
}

/// Reads a whole text of at most so many bytes.
///
/// # Errors
/// Where it can't be read, is something else than a file, is larger, or is not UTF-8.
pub fn read_text_bounded(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_bounded(path, most)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Reads the end of a file, at most so many bytes of it.
///
/// # Errors
/// Where it can't be read, or is something else than a file.
pub fn read_end(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_large(bytes: u64, most: u64) -> io::Error {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let (bytes, most) = (mebibytes(bytes), mebibytes(most));
    let what = format!("it is too large ({bytes} MiB, and at most {most} MiB are read); move it away");
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

/// What something is that is no file, as people call it.
fn other_than(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe, not a file";
        }
        if kind.is_socket() {
            return "a socket, not a file";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device, not a file";
        }
    }
    let _ = kind;
    "not a file"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_too_large_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "12345678").unwrap();
        assert_eq!(read_text_bounded(&path, 8).unwrap(), "12345678");
        assert_eq!(read_bounded(&path, 7).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_end(&path, 3).unwrap(), b"678");
        // So large that reading it would be noticed.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let refused = read_bounded(&path, MOST_SETTINGS).unwrap_err().to_string();
        assert!(refused.contains("1048576 MiB, and at most 1 MiB"), "{refused}");
        assert_eq!(read_end(&path, 3).unwrap(), [0; 3]);
        assert_eq!(read_bounded(&folder.path().join("none"), 1).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read_bounded(folder.path(), 1).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text_bounded(&path, 8).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for mut options in [OpenOptions::new().read(true).clone(), OpenOptions::new().write(true).clone()] {
            let refused = open_regular_with(&mut options, &pipe).unwrap_err().to_string();
            assert_eq!(refused, "it is a pipe, not a file");
        }
        assert_eq!(read_bounded(Path::new("/dev/zero"), 9).unwrap_err().to_string(), "it is a device, not a file");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(read_bounded(&socket, 9).unwrap_err().to_string(), "it is a socket, not a file");
    }
}
