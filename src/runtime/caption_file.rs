//! A file of captions on this machine: which language it is in, and whether it is WebVTT.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::api::{NewCaptions, SetCaptions};
use crate::domain::VideoId;
use crate::domain::webvtt::{Captions, MOST_VTT, NO_LANGUAGE, language_tag};
use crate::settings::read_bounded;

/// A file as people name it: `F.vtt`, `F.de.vtt` or `de=F.vtt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptionFile {
    /// Where it is.
    pub path: PathBuf,
    /// The language that was named with it.
    language: Option<String>,
}

impl FromStr for CaptionFile {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        if let Some((before, path)) = given.split_once('=')
            && !before.contains(['/', '.'])
        {
            let no_tag = || format!("{before:?} must be a language tag, such as de or pt-BR");
            let language = language_tag(before).ok_or_else(no_tag)?;
            return Ok(Self { path: path.into(), language: Some(language) });
        }
        let path = PathBuf::from(given);
        let language = film_and_language(&path).1;
        Ok(Self { path, language })
    }
}

/// What a file name says: `tour.de.vtt` is of `tour`, in German.
fn film_and_language(path: &Path) -> (String, Option<String>) {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('.').and_then(|(film, tag)| Some((film.to_owned(), language_tag(tag)?))) {
        Some((film, tag)) => (film, Some(tag)),
        None => (stem, None),
    }
}

impl CaptionFile {
    /// Reads and checks it.
    ///
    /// # Errors
    /// A sentence: the file can't be read, or is no WebVTT, with the lines that are wrong.
    pub fn read(&self) -> Result<ReadCaptions, String> {
        let shown = self.path.display();
        // A little more than captions may have, so that one that is too long is told from one that is read.
        let bytes = read_bounded(&self.path, MOST_VTT as u64 + 16).map_err(|error| format!("{shown}: {error}"))?;
        let vtt = String::from_utf8(bytes).map_err(|error| {
            format!("{shown}: isn't UTF-8 text: byte {} is wrong", error.utf8_error().valid_up_to() + 1)
        })?;
        let read = Captions::read(&vtt).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            format!("{shown}: {}", faults.join("; "))
        })?;
        let language = self.language.clone().or_else(|| language_tag(read.language.as_deref()?));
        Ok(ReadCaptions { language, vtt, path: self.path.clone() })
    }
}

/// Captions that were read and are WebVTT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCaptions {
    /// Their language, where anybody said: the command, the file's name or its head.
    language: Option<String>,
    vtt: String,
    /// Where they were read.
    pub path: PathBuf,
}

impl ReadCaptions {
    /// Whether nobody said in which language they are.
    #[must_use]
    pub fn is_unnamed(&self) -> bool {
        self.language.is_none()
    }

    /// The language that they are kept as.
    #[must_use]
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or(NO_LANGUAGE)
    }

    /// Whether a film's file has the name of theirs.
    #[must_use]
    pub fn belongs_to(&self, film: &Path) -> bool {
        let film = film.file_stem().unwrap_or_default().to_string_lossy();
        film_and_language(&self.path).0 == film || self.path.file_stem().unwrap_or_default().to_string_lossy() == film
    }

    /// The call that adds them to a video.
    #[must_use]
    pub fn set(&self, video: VideoId, label: Option<String>) -> SetCaptions {
        let captions = NewCaptions { vtt: self.vtt.clone(), label, ..NewCaptions::default() };
        SetCaptions { video, language: self.language().to_owned(), captions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_name_or_of_what_stands_before_it() {
        let read =
            |given: &str| given.parse::<CaptionFile>().map(|file| (file.path.display().to_string(), file.language));
        assert_eq!(read("a/tour.pt-br.vtt").unwrap(), ("a/tour.pt-br.vtt".to_owned(), Some("pt-BR".to_owned())));
        assert_eq!(read("de=tour.vtt").unwrap(), ("tour.vtt".to_owned(), Some("de".to_owned())));
        assert_eq!(read("./a=b.vtt").unwrap(), ("./a=b.vtt".to_owned(), None));
        assert_eq!(read("my.long.name.vtt").unwrap().1, None);
        assert!(read("no language=tour.vtt").is_err());
    }

    #[test]
    fn what_the_head_of_a_file_says_counts_where_its_name_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, head: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("WEBVTT\n{head}\n\n00:00.000 --> 00:01.000\nHei\n")).unwrap();
            path.to_str().unwrap().parse::<CaptionFile>().unwrap().read().unwrap()
        };
        assert_eq!(at("a.vtt", "Language: nb").language(), "nb");
        assert_eq!(at("a.de.vtt", "Language: nb").language(), "de");
        let unnamed = at("b.vtt", "Kind: captions");
        assert!(unnamed.is_unnamed() && unnamed.language() == "und");
        assert!(unnamed.belongs_to(Path::new("x/b.mp4")) && at("a.de.vtt", "").belongs_to(Path::new("a.mov")));
    }
}
