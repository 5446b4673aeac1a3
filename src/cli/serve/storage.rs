//! Where files are kept: flags, and their twins in the environment.

use std::path::Path;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::ServeError;
use crate::service::S3Place;

const BLOBS: &str = "CUTAWAY_BLOBS";
const BLOBS_FILE: &str = "CUTAWAY_BLOBS_FILE";
/// A file with an address has no more bytes than this.
const MOST: u64 = 64 * 1024;

/// The flag that says where files are. Its twins in the environment hold for the commands that have it.
#[derive(Debug, Clone, Default, Args)]
pub struct PlaceArgs {
    /// Store uploaded videos in S3, as in `s3://BUCKET/PREFIX`, with the keys in `AWS_ACCESS_KEY_ID` and
    /// `AWS_SECRET_ACCESS_KEY` [env: CUTAWAY_BLOBS, or a file that contains it: CUTAWAY_BLOBS_FILE]
    // Not read here: what is wrong with it is said without repeating it, since a secret may be in it.
    #[arg(long, value_name = "URL", value_parser = unread)]
    pub blobs: Option<SecretString>,
}

/// The flags about files.
#[derive(Debug, Clone, Default, Args)]
pub struct StorageArgs {
    /// Where they are
    #[command(flatten)]
    pub at: PlaceArgs,
    /// Send players to S3 for videos, with links that work for an hour, instead of passing the videos on
    #[arg(long)]
    pub redirect_files: bool,
    /// Start also where the bucket used before still has files of deleted videos; remove them there yourself
    #[arg(long)]
    pub leave_files: bool,
}

/// A text that is kept as it came.
#[allow(clippy::unnecessary_wraps)] // What clap asks of a parser.
pub(super) fn unread(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}

fn place(name: &str, text: &str) -> Result<S3Place, ServeError> {
    text.parse().map_err(|why| ServeError::Usage(format!("{name} {why}")))
}

/// What is in a file that the variable `name` names.
pub(super) fn content(name: &str, file: &str) -> Result<String, ServeError> {
    let path = Path::new(file);
    let wrong = |why: String| ServeError::Usage(format!("{name}: {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if size > MOST {
        return Err(wrong("is too large to contain an address".to_owned()));
    }
    std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))
}

impl PlaceArgs {
    /// Where files are kept, by the flag or else by what the environment says; nothing is the data folder.
    pub(super) fn place(&self, get: impl Fn(&str) -> Option<String>) -> Result<Option<S3Place>, ServeError> {
        let get = |name| get(name).filter(|text| !text.is_empty());
        let place = match (&self.blobs, get(BLOBS), get(BLOBS_FILE)) {
            (Some(flag), ..) => Some(place("--blobs", flag.expose_secret())?),
            (None, Some(_), Some(_)) => {
                return Err(ServeError::Usage(format!("set {BLOBS} or {BLOBS_FILE}, not both")));
            }
            (None, Some(text), None) => Some(place(BLOBS, &text)?),
            (None, None, Some(file)) => Some(place(BLOBS_FILE, content(BLOBS_FILE, &file)?.trim())?),
            (None, None, None) => None,
        };
        if self.blobs.is_some() && place.as_ref().is_some_and(S3Place::has_secret) {
            return Err(ServeError::Usage(
                "--blobs must not contain a key, which other users of this machine could see; set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY, or CUTAWAY_BLOBS"
                    .to_owned(),
            ));
        }
        Ok(place)
    }
}

impl StorageArgs {
    /// A flag that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (self.at.blobs.is_some(), "--blobs"),
            (self.redirect_files, "--redirect-files"),
            (self.leave_files, "--leave-files"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
    }

    /// Where files are kept; nothing is the data folder.
    pub(super) fn place(&self, get: impl Fn(&str) -> Option<String>) -> Result<Option<S3Place>, ServeError> {
        let place = self.at.place(get)?;
        if self.redirect_files && place.is_none() {
            return Err(ServeError::Usage("--redirect-files needs --blobs: it is about files in S3".to_owned()));
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        let pairs: Vec<_> = pairs.iter().map(|pair| (pair.0.to_owned(), pair.1.to_owned())).collect();
        move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone())
    }

    fn flag(text: &str) -> StorageArgs {
        let at = PlaceArgs { blobs: Some(SecretString::from(text)) };
        StorageArgs { at, ..StorageArgs::default() }
    }

    #[test]
    fn the_flag_goes_before_the_environment() {
        let both = &[(BLOBS, "s3://env/a")];
        let name = |args: StorageArgs, pairs: &[(&str, &str)]| args.place(of(pairs)).unwrap().map(|place| place.name());
        assert_eq!(name(flag("s3://flag/a"), both).as_deref(), Some("s3://flag/a"));
        assert_eq!(name(StorageArgs::default(), both).as_deref(), Some("s3://env/a"));
        assert_eq!(name(StorageArgs::default(), &[(BLOBS, "")]), None);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3://id:secret@file/a\n").unwrap();
        let named = file.path().to_str().unwrap();
        assert_eq!(name(StorageArgs::default(), &[(BLOBS_FILE, named)]).as_deref(), Some("s3://file/a"));
        assert!(StorageArgs::default().place(of(&[(BLOBS, "s3://env/a"), (BLOBS_FILE, named)])).is_err());
    }

    #[test]
    fn a_secret_in_the_flag_is_refused_and_not_repeated() {
        for text in ["s3://id:hush@films/a", "s3://films/a?secret=hush", "https://id:hush@films"] {
            let refusal = flag(text).place(of(&[])).unwrap_err();
            assert_eq!(refusal.exit_code(), 2, "{text}");
            assert!(!refusal.to_string().contains("hush"), "{refusal}");
            assert!(!format!("{:?}", flag(text)).contains("hush"));
        }
        assert!(StorageArgs { redirect_files: true, ..StorageArgs::default() }.place(of(&[])).is_err());
    }
}
