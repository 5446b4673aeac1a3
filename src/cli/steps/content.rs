//! What a step holds, as flags.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::cli::{Failure, input, names};
use crate::domain::{Answer, Fault, Reader, VideoId};

/// The flags that `create` and `update` share.
#[derive(Debug, Args)]
pub(super) struct Content {
    /// An internal note about the step; viewers don't see it
    #[arg(long, value_name = "D")]
    pub(super) description: Option<String>,
    /// The text over the video
    #[arg(long, value_name = "T")]
    pub(super) overlay_text: Option<String>,
    /// The video's ID
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(names::videos))]
    video: Option<String>,
    /// An answer and the name or ID of the step it leads to; nothing after => ends the video. Repeat it for every
    /// answer: together they replace all answers, and a single '' removes them
    #[arg(long = "answer", value_name = "TEXT=>NEXT", value_parser = answer)]
    answers: Vec<Given>,
    /// Read all answers from a JSON file, [{"text", "next"}]; - is standard input
    #[arg(long = "answers", value_name = "FILE", conflicts_with = "answers")]
    all_answers: Option<PathBuf>,
}

/// An answer that was given; none for the word that there are none.
#[derive(Debug, Clone, PartialEq)]
struct Given(Option<Answer>);

/// The last arrow counts: a text may hold one, a step's name hardly.
fn answer(given: &str) -> Result<Given, String> {
    if given.is_empty() {
        return Ok(Given(None));
    }
    let (text, next) = given.rsplit_once("=>").ok_or("must be TEXT=>NEXT, or TEXT=> to end the video")?;
    let (text, next) = (text.trim().to_owned(), next.trim().to_owned());
    Ok(Given(Some(Answer { text, next: Some(next), ..Answer::default() })))
}

impl Content {
    /// The answers that were given; none where they stay as they are.
    ///
    /// # Errors
    /// Where a file holds none.
    pub(super) fn answers(&self) -> Result<Option<Vec<Answer>>, Failure> {
        if let Some(file) = &self.all_answers {
            return all_answers(file).map(Some);
        }
        let given = || self.answers.iter().filter_map(|given| given.0.clone()).collect();
        Ok((!self.answers.is_empty()).then(given))
    }

    pub(super) fn video(&self) -> Option<VideoId> {
        self.video.as_deref().map(VideoId::from)
    }
}

/// All answers, as JSON in a file.
fn all_answers(file: &Path) -> Result<Vec<Answer>, Failure> {
    let failed = |why: String| Failure::Usage(format!("{}: {why}", input::shown(file)));
    let value: Value = serde_json::from_str(&input::read(file)?).map_err(|error| failed(error.to_string()))?;
    let (answers, findings): (Vec<Answer>, _) = Reader::read(&value);
    match findings.into_iter().find(|finding| !matches!(finding.fault, Fault::Undeclared)) {
        Some(finding) => Err(failed(format!("these are no answers, [{{\"text\", \"next\"}}]: {finding}"))),
        None => Ok(answers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_text_and_where_it_leads() {
        let read = |given: &str| {
            let Given(answer) = answer(given)?;
            Ok::<_, String>(answer.map(|answer| (answer.text, answer.next.unwrap_or_default())))
        };
        let is = |text: &str, next: &str| Ok(Some((text.to_owned(), next.to_owned())));
        assert_eq!(read("For her=>aB3dE"), is("For her", "aB3dE"));
        assert_eq!(read(" a => b => c "), is("a => b", "c"));
        assert_eq!(read("Done=>"), is("Done", ""));
        assert_eq!(read(""), Ok(None));
        assert!(read("Done").is_err(), "an arrow that was forgotten does not end the video");
    }
}
