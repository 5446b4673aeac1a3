//! What a step holds, as flags.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::cli::{Failure, Session, input, names};
use crate::domain::{Answer, Fault, Num, Reader, StepProduct, StoreUrl, VideoId};

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
    /// A product to show with the step, by its external ID, and optionally a variant's ID, the second of the video from
    /// which it shows, and its store [default: the current store]. Repeat it for every product: together they replace all
    /// products, and a single '' removes them. An extension: not every service keeps products
    #[arg(long = "product", value_name = "ID[,variant=V][,from=S][,store=URL]", value_parser = product)]
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
    let id = words.next().filter(|id| !id.is_empty() && !id.contains('='));
    let id = id.ok_or("must begin with the product's ID, such as 1234,from=2.5")?;
    let mut product = StepProduct { product_id: id.into(), ..StepProduct::default() };
    for word in words {
        match word.split_once('=') {
            Some(("variant", variant)) if !variant.is_empty() => product.variant_id = Some(variant.into()),
            Some(("from", from)) => product.from = Some(Num(seconds(from)?)),
            Some(("store", store)) if !store.is_empty() => product.store = store.into(),
            _ => return Err(format!("{word:?} must be variant=ID, from=SECONDS or store=URL")),
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

    /// Whether a product was given without its store: then it is one of the current store.
    pub(super) fn needs_store(&self) -> bool {
        self.products.iter().filter_map(|given| given.0.as_ref()).any(|product| product.store.is_empty())
    }

    /// The products that were given, those without a store as of this one; none where they stay as they are.
    pub(super) fn products(&self, store: Option<&StoreUrl>) -> Option<Vec<StepProduct>> {
        let of_store = |product: StepProduct| {
            let given = Some(product.store.clone()).filter(|store| !store.is_empty());
            StepProduct { store: given.or_else(|| store.cloned()).unwrap_or_default(), ..product }
        };
        let given = || self.products.iter().filter_map(|given| given.0.clone()).map(of_store).collect();
        (!self.products.is_empty()).then(given)
    }

    /// The current store, where a product was given without one.
    pub(super) async fn store(&self, session: &Session) -> Result<Option<StoreUrl>, Failure> {
        if self.needs_store() { Ok(Some(session.connect_to_store().await?.1)) } else { Ok(None) }
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
        Some(finding) => Err(failed(format!("these aren't answers, [{{\"text\", \"next\"}}]: {finding}"))),
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
            read(&format!("{gid},from=2.5,variant=b=2,store={store}")),
            Ok(json!({ "store": store, "productId": gid, "variantId": "b=2", "from": 2.5 }))
        );
        assert_eq!(read("7"), Ok(json!({ "store": "", "productId": "7" })), "the current store's");
        assert_eq!(read(" "), Ok(Value::Null));
        for wrong in [",from=1", "7,8", "7,from=-1", "7,variant=", "from=1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
