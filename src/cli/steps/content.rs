//! What a step holds, as flags.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::cli::{Failure, input, names};
use crate::domain::{Answer, Fault, Num, Reader, StepProduct, VideoId};

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
    /// A product to show with the step: its store, its ID there, and optionally a variant's ID and the second of the
    /// video from which it shows. Repeat it for every product: together they replace all products, and a single '' removes
    /// them. An extension: not every service keeps products
    #[arg(long = "product", value_name = "STORE,ID[,variant=ID][,from=S]", value_parser = product)]
    products: Vec<GivenProduct>,
}

/// A product that was given; none for the word that there are none.
#[derive(Debug, Clone, PartialEq)]
struct GivenProduct(Option<StepProduct>);

/// IDs have no commas in them.
fn product(given: &str) -> Result<GivenProduct, String> {
    if given.trim().is_empty() {
        return Ok(GivenProduct(None));
    }
    let mut words = given.split(',').map(str::trim);
    let both = words.next().zip(words.next()).filter(|(store, id)| !store.is_empty() && !id.is_empty());
    let (store, id) = both.ok_or("must be STORE,ID, such as https://shop.example,1234")?;
    let mut product = StepProduct { app_url: store.into(), external_product_id: id.into(), ..StepProduct::default() };
    for word in words {
        match word.split_once('=') {
            Some(("variant", variant)) if !variant.is_empty() => product.external_variant_id = Some(variant.into()),
            Some(("from", from)) => product.from_seconds = Some(Num(seconds(from)?)),
            _ => return Err(format!("{word:?} must be variant=ID or from=SECONDS")),
        }
    }
    Ok(GivenProduct(Some(product)))
}

/// A moment of a video.
///
/// # Errors
/// Where it is no number, or negative.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| "must be a number of seconds, 0 or more".to_owned())
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

    /// The products that were given; none where they stay as they are.
    pub(super) fn products(&self) -> Option<Vec<StepProduct>> {
        let given = || self.products.iter().filter_map(|given| given.0.clone()).collect();
        (!self.products.is_empty()).then(given)
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
    use serde_json::json;

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

    #[test]
    fn a_product_is_a_store_and_an_id_and_what_else_is_known_of_it() {
        let read = |given: &str| product(given).map(|GivenProduct(product)| serde_json::to_value(product).unwrap());
        let (store, gid) = ("https://shop.example", "gid://shop/Product/1");
        assert_eq!(
            read(&format!("{store}, {gid},from=2.5,variant=b=2")),
            Ok(json!({ "appUrl": store, "externalProductId": gid, "externalVariantId": "b=2", "fromSeconds": 2.5 }))
        );
        assert_eq!(read(&format!("{store},7")), Ok(json!({ "appUrl": store, "externalProductId": "7" })));
        assert_eq!(read(" "), Ok(Value::Null));
        for wrong in [store, &format!("{store},7,8"), &format!("{store},7,from=-1"), &format!("{store},7,variant=")] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
