//! `cutaway steps update`

use clap::{ArgGroup, Args};
use clap_complete::ArgValueCompleter;

use super::content::{Content, seconds};
use crate::api::{StepChange, UpdateStep};
use crate::cli::{Failure, Session, names, writing};
use crate::domain::{Num, StoreUrl};

/// Change a step; what isn't given stays as it is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway steps update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --answer 'For her=>aB3dE' --answer 'Done=>' --answer-time 2.5
  cutaway steps update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --video ''
  cutaway steps update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --product 8123456789012,from=2.5
  cutaway steps update 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c --answers answers.json")]
#[command(group(ArgGroup::new("change").required(true).multiple(true).args(CHANGES)))]
pub(super) struct Update {
    /// The step's ID
    #[arg(add = ArgValueCompleter::new(names::steps))]
    id: String,
    #[command(flatten)]
    content: Content,
    /// When the answers appear, in seconds from the video's start
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    answer_time: Option<f64>,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

/// An update of nothing is a mistake.
const CHANGES: [&str; 7] =
    ["description", "overlay_text", "video", "answers", "all_answers", "products", "answer_time"];

impl Update {
    fn request(&self, store: Option<&StoreUrl>) -> Result<UpdateStep, Failure> {
        let change = StepChange {
            description: self.content.description.clone(),
            answers: self.content.answers()?,
            video_id: self.content.video(),
            overlay_text: self.content.overlay_text.clone(),
            products: self.content.products(store),
            answer_time: self.answer_time.map(Num),
            ..StepChange::default()
        };
        Ok(UpdateStep { id: self.id.as_str().into(), change })
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let store = self.content.store(session).await?;
        writing::write(session, &self.request(store.as_ref())?, self.json, |(), _| vec![("Updated", self.id.clone())])
            .await
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        update: Update,
    }

    #[test]
    fn every_flag_becomes_its_field() {
        let request = |arguments: &[&str]| {
            let line = Line::try_parse_from([&["update", "1"], arguments].concat()).map_err(|error| error.to_string());
            line.map(|line| serde_json::to_value(line.update.request(None).unwrap().change).unwrap())
        };
        assert_eq!(
            request(&[
                "--description",
                "D",
                "--overlay-text",
                "T",
                "--video",
                "V",
                "--answer",
                "A=>x",
                "--answer",
                "B=>",
                "--answer-time",
                "2.5"
            ]),
            Ok(json!({
                "description": "D", "answers": [{"text": "A", "next": "x"}, {"text": "B", "next": ""}],
                "videoId": "V", "overlayText": "T", "answerTime": 2.5
            }))
        );
        assert_eq!(request(&["--answer", ""]), Ok(json!({"answers": []})));
        for wrong in [&["--answer-time", "-1"][..], &["--answer-time", "NaN"], &["--answer", "A"], &[]] {
            assert!(request(wrong).is_err(), "{wrong:?}");
        }
    }
}
