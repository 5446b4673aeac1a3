//! A video file as it was when it was looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use super::bytes::hex;

/// A path of any bytes. A journal holds text, so one that is none is kept as its bytes in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilePath(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Hex { hex: String },
}

impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => Written::Text(text.to_owned()),
            None => Written::Hex { hex: hex(self.0.as_os_str().as_encoded_bytes()) },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(PathBuf::from(text))),
            Written::Hex { hex } => {
                let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)?.try_into().ok()).collect();
                let bytes = digits.chunks_exact(2).map(|pair| match pair {
                    [high, low] => high * 16 + low,
                    _ => 0,
                });
                Ok(Self(PathBuf::from(name_of_bytes(bytes.collect()))))
            }
        }
    }
}

#[cfg(unix)]
fn name_of_bytes(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn name_of_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned())
}

impl AsRef<Path> for FilePath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// By what a file is known to be the same as before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Bytes.
    pub size: u64,
    /// When it was last written to, nanoseconds since 1970, where the system tells.
    pub modified_ns: Option<i64>,
    /// Device and inode, where the system has them.
    pub inode: Option<(u64, u64)>,
}

/// How a file is another one than it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum FileChange {
    /// It is not there.
    #[error("the file was removed")]
    Removed,
    /// It is shorter.
    #[error("the file got shorter: {now} of {before} bytes are left")]
    Shortened {
        /// Bytes, when it was looked at.
        before: u64,
        /// Bytes now.
        now: u64,
    },
    /// It is longer.
    #[error("the file grew from {before} to {now} bytes")]
    Grown {
        /// Bytes, when it was looked at.
        before: u64,
        /// Bytes now.
        now: u64,
    },
    /// Another file stands at its path, or it was written to.
    #[error("the file was replaced or written to")]
    Replaced,
    /// It can't be read; what the system said.
    #[error("the file can't be read: {0}")]
    Unreadable(String),
}

impl Fingerprint {
    /// How a file that looks like `now` is another one than this.
    ///
    /// # Errors
    /// The change, where there is one.
    pub fn check(&self, now: &Self) -> Result<(), FileChange> {
        let (before, size) = (self.size, now.size);
        if self.inode.is_some() && now.inode.is_some() && self.inode != now.inode {
            Err(FileChange::Replaced)
        } else if size < before {
            Err(FileChange::Shortened { before, now: size })
        } else if size > before {
            Err(FileChange::Grown { before, now: size })
        } else if self.modified_ns != now.modified_ns {
            Err(FileChange::Replaced)
        } else {
            Ok(())
        }
    }
}

/// A video to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VideoFile {
    /// Where it is, absolute.
    pub path: FilePath,
    /// The file's name as the service is told it: what is no UTF-8 in it is replaced.
    pub name: String,
    /// What it was like when it was looked at.
    pub fingerprint: Fingerprint,
    /// Its media type by its content.
    pub content_type: String,
    /// How long it plays, milliseconds, where its container tells.
    pub duration_ms: Option<u64>,
    /// Width and height, pixels, where its container tells.
    pub picture: Option<(u32, u32)>,
}

impl VideoFile {
    /// Whether both are one file: at one path, or by two names of it (links).
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        let inode = self.fingerprint.inode;
        self.path == other.path || (inode.is_some() && inode == other.fingerprint.inode)
    }

    /// Why it is not uploaded beside another one, where both are one file.
    #[must_use]
    pub fn same_as(&self, first: &Self) -> Option<String> {
        self.is_same_file(first).then(|| {
            let same = if first.path == self.path {
                "listed twice".to_owned()
            } else {
                format!("the same file as {}", first.path.0.display())
            };
            format!("{same}; uploaded only once")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_bytes_is_kept() {
        let odd = name_of_bytes(vec![b'/', b'a', 0xff, b'\n', 0x1b, b'.', b'm']);
        for path in [PathBuf::from("/a b/ü\n.mp4"), PathBuf::from(odd)] {
            let path = FilePath(path);
            let text = serde_json::to_string(&path).unwrap();
            assert!(!text.contains('\n'));
            assert_eq!(serde_json::from_str::<FilePath>(&text).unwrap(), path);
        }
    }

    #[test]
    fn every_change_has_its_name() {
        let then = Fingerprint { size: 10, modified_ns: Some(5), inode: Some((1, 2)) };
        let now = |change: &dyn Fn(&mut Fingerprint)| {
            let mut now = then.clone();
            change(&mut now);
            then.check(&now)
        };
        assert_eq!(now(&|_| ()), Ok(()));
        assert_eq!(now(&|now| now.size = 4), Err(FileChange::Shortened { before: 10, now: 4 }));
        assert_eq!(now(&|now| now.size = 11), Err(FileChange::Grown { before: 10, now: 11 }));
        assert_eq!(now(&|now| now.inode = Some((1, 3))), Err(FileChange::Replaced));
        assert_eq!(now(&|now| now.modified_ns = Some(6)), Err(FileChange::Replaced));
        assert_eq!(now(&|now| now.inode = None), Ok(()));
    }
}
