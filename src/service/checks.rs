//! What the values of projects, steps, videos and webhooks have to be, as far as a request tells by itself.

use serde::Serialize;
use url::Url;

use super::wrong::{indices, wrong};
use crate::api::{CreateProject, CreateStep, CreateVideo, CreateWebhook, ProjectChange, StepChange};
use crate::domain::{
    Answer, FieldShape, Finding, Num, PlayerChange, StepProduct, VariantId, WebhookEvent, is_web_address,
};

/// The rule for names, as a regular expression (ECMA 262): something to be seen.
pub(super) const NAME: &str = r"[^\s\u0000-\u001f\u007f-\u009f]";

/// The rule for e-mail addresses, likewise: one `@` with something without white space on both sides.
pub(super) const EMAIL: &str = r"^[^@\s\u0000-\u001f\u007f-\u009f,;<>]+@[^@\s\u0000-\u001f\u007f-\u009f,;<>]+$";

/// The rule for addresses on the web, likewise. What is beyond it has to be an address by RFC 3986.
pub(super) const WEB_ADDRESS: &str = r"^https?://[A-Za-z0-9]";

/// Whether there is something to be seen in a name.
fn is_name(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control())
}

pub(super) fn is_email(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '@' | ',' | ';' | '<' | '>'))
    };
    text.split_once('@').is_some_and(|(mailbox, host)| plain(mailbox) && plain(host))
}

/// The most that a text may have, characters, by what it is: far beyond what anybody needs, so that what is shown in
/// lists and kept for each visit stays small.
pub(super) mod most {
    /// Names of projects and videos, folders, steps that an answer leads to.
    pub(in crate::service) const NAME: usize = 1_000;
    /// Descriptions, overlays, answers.
    pub(in crate::service) const TEXT: usize = 100_000;
    /// Addresses on the web.
    pub(in crate::service) const ADDRESS: usize = crate::domain::MOST_ADDRESS;
    /// Addresses of mail: more than RFC 5321 lets a mailbox and a domain have.
    pub(in crate::service) const EMAIL: usize = 400;
    /// Answers of a step, addresses to notify.
    pub(in crate::service) const ENTRIES: usize = 1_000;
    /// Products of a step.
    pub(in crate::service) const PRODUCTS: usize = 100;
    /// Steps in an order.
    pub(in crate::service) const STEPS: usize = 10_000;
}

/// Notes a text that is too long.
fn length(text: Option<&str>, most: usize, pointer: &str, found: &mut Vec<Finding>) {
    // Its bytes are counted first: there are never more characters.
    if text.is_some_and(|text| text.len() > most && text.chars().count() > most) {
        wrong(found, pointer, format!("may have at most {most} characters"));
    }
}

/// Notes a list that is too long.
fn entries<T>(list: Option<&[T]>, most: usize, pointer: &str, found: &mut Vec<Finding>) {
    if list.is_some_and(|list| list.len() > most) {
        wrong(found, pointer, format!("may have at most {most} entries"));
    }
}

const NOT_EMPTY: &str = "must not be empty";
const WEB_ADDRESSES: &str = "must be an http(s) address";

/// Notes that a change has none of the members that it may have: whoever sent it meant something, and it was not done.
fn nothing<T: Serialize>(change: &T, fields: &[FieldShape], found: &mut Vec<Finding>) {
    let given = serde_json::to_value(change).unwrap_or_default();
    if found.is_empty() && !fields.iter().any(|field| given.get(field.name).is_some()) {
        let names: Vec<_> = fields.iter().map(|field| field.name).collect();
        wrong(found, "", format!("has none of the fields that this operation takes: {}", names.join(", ")));
    }
}

/// What is the same where a project is created and where it is changed: all but the name's being there.
fn project(folder: Option<&str>, emails: Option<&[String]>, under: &str, found: &mut Vec<Finding>) {
    if folder.is_some_and(|folder| !folder.is_empty() && !is_name(folder)) {
        wrong(found, &format!("{under}/folder"), "must be a folder's id or name, or empty");
    }
    length(folder, most::NAME, &format!("{under}/folder"), found);
    let addresses = format!("{under}/emailNotifications");
    entries(emails, most::ENTRIES, &addresses, found);
    let places = indices(found, &addresses);
    for (address, at) in emails.into_iter().flatten().zip(places) {
        let pointer = format!("{addresses}/{at}");
        if !is_email(address) {
            wrong(found, &pointer, "must be an e-mail address");
        }
        length(Some(address), most::EMAIL, &pointer, found);
    }
}

/// The player's settings, an extension.
fn player(change: Option<&PlayerChange>, under: &str, found: &mut Vec<Finding>) {
    for (at, why) in change.into_iter().flat_map(|change| change.set().faults()) {
        wrong(found, &format!("{under}/{at}"), why);
    }
}

/// `POST /projects`
pub(super) fn new_project(asked: &CreateProject, found: &mut Vec<Finding>) {
    let new = &asked.project;
    if !is_name(&new.name) {
        wrong(found, "/project/name", NOT_EMPTY);
    }
    length(Some(&new.name), most::NAME, "/project/name", found);
    project(new.folder.as_deref(), new.email_notifications.as_deref(), "/project", found);
    player(new.player.as_ref(), "/project/player", found);
}

/// `PUT /projects/{id}`
pub(super) fn project_change(change: &ProjectChange, found: &mut Vec<Finding>) {
    if change.name.as_deref().is_some_and(|name| !is_name(name)) {
        wrong(found, "/name", NOT_EMPTY);
    }
    length(change.name.as_deref(), most::NAME, "/name", found);
    project(change.folder.as_deref(), change.email_notifications.as_deref(), "", found);
    player(change.player.as_ref(), "/player", found);
    entries(change.steps_order.as_deref(), most::STEPS, "/stepsOrder", found);
    nothing(change, ProjectChange::FIELDS, found);
}

/// `POST /projects/steps`
pub(super) fn new_step(asked: &CreateStep, found: &mut Vec<Finding>) {
    answers(asked.step.answers.as_deref(), "/step/answers", found);
    length(asked.step.description.as_deref(), most::TEXT, "/step/description", found);
    length(asked.step.overlay_text.as_deref(), most::TEXT, "/step/overlayText", found);
    products(asked.step.products.as_deref(), "/step/products", found);
    if asked.step.extra.contains_key("answerTime") {
        wrong(found, "/step/answerTime", "can be set only by an update, not when the step is created");
    }
}

/// `PUT /projects/steps/{id}`
pub(super) fn step_change(change: &StepChange, found: &mut Vec<Finding>) {
    answers(change.answers.as_deref(), "/answers", found);
    length(change.description.as_deref(), most::TEXT, "/description", found);
    length(change.overlay_text.as_deref(), most::TEXT, "/overlayText", found);
    if change.answer_time.is_some_and(|Num(seconds)| seconds < 0.0) {
        wrong(found, "/answerTime", "must not be negative");
    }
    products(change.products.as_deref(), "/products", found);
    nothing(change, StepChange::FIELDS, found);
}

/// The products that a step shows, an extension. That the catalog has them nobody asks: it changes every day.
fn products(products: Option<&[StepProduct]>, pointer: &str, found: &mut Vec<Finding>) {
    entries(products, most::PRODUCTS, pointer, found);
    let places = indices(found, pointer);
    for (product, at) in products.unwrap_or_default().iter().zip(places) {
        let at = |member: &str| format!("{pointer}/{at}/{member}");
        if !is_web_address(product.store.as_str()) {
            wrong(found, &at("store"), WEB_ADDRESSES);
        }
        let variant = product.variant_id.as_ref().map(VariantId::as_str);
        for (member, id) in [("productId", Some(product.product_id.as_str())), ("variantId", variant)] {
            if id.is_some_and(|id| !is_name(id)) {
                wrong(found, &at(member), NOT_EMPTY);
            }
            length(id, most::NAME, &at(member), found);
        }
        if product.from.is_some_and(|Num(seconds)| seconds < 0.0) {
            wrong(found, &at("from"), "must not be negative");
        }
    }
}

fn answers(answers: Option<&[Answer]>, pointer: &str, found: &mut Vec<Finding>) {
    entries(answers, most::ENTRIES, pointer, found);
    let places = indices(found, pointer);
    for (answer, at) in answers.unwrap_or_default().iter().zip(places) {
        let text = format!("{pointer}/{at}/text");
        if !is_name(&answer.text) {
            wrong(found, &text, NOT_EMPTY);
        }
        length(Some(&answer.text), most::TEXT, &text, found);
        length(answer.next.as_deref(), most::NAME, &format!("{pointer}/{at}/next"), found);
    }
}

/// `POST /videos/video`
pub(super) fn new_video(asked: &CreateVideo, found: &mut Vec<Finding>) {
    let Some(video) = asked.video.as_ref() else { return };
    if !is_web_address(&video.video_url) {
        wrong(found, "/video/videoUrl", WEB_ADDRESSES);
    }
    if video.poster_url.as_deref().is_some_and(|url| !is_web_address(url)) {
        wrong(found, "/video/posterUrl", WEB_ADDRESSES);
    }
    if video.name.as_deref().is_some_and(|name| !is_name(name)) {
        wrong(found, "/video/name", NOT_EMPTY);
    }
    length(Some(&video.video_url), most::ADDRESS, "/video/videoUrl", found);
    length(video.poster_url.as_deref(), most::ADDRESS, "/video/posterUrl", found);
    length(video.name.as_deref(), most::NAME, "/video/name", found);
}

/// `POST /webhooks`
pub(super) fn new_webhook(asked: &CreateWebhook, found: &mut Vec<Finding>) {
    if !is_web_address(&asked.url) {
        wrong(found, "/url", WEB_ADDRESSES);
    }
    length(Some(&asked.url), most::ADDRESS, "/url", found);
    if matches!(&asked.event, WebhookEvent::Other(_)) {
        wrong(found, "/event", "must be response_summary, collected_info or conversion");
    }
}

/// The name of an uploaded file without the folders that some clients put before it.
pub(super) fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    if is_name(last) { shortened(last) } else { String::new() }
}

/// The name of a video that was registered by its address without one: the last word of its path, else its host.
pub(super) fn name_of(address: &str) -> String {
    let Ok(url) = Url::parse(address) else { return address.to_owned() };
    let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty()).map(str::to_owned));
    shortened(&last.or_else(|| url.host_str().map(str::to_owned)).unwrap_or_else(|| address.to_owned()))
}

/// As much of a name as one may have.
fn shortened(name: &str) -> String {
    name.chars().take(most::NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_mail_and_web() {
        for good in ["a@b", "maria.o'neill+x@shop.example", "jörg@bücher.example"] {
            assert!(is_email(good), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a@b@c", "a b@c", "A <a@b>", "a@b,c@d", "a@b\n"] {
            assert!(!is_email(bad), "{bad}");
        }
        for good in ["https://x.example/a?b#c", "http://127.0.0.1:8080", "http://[::1]/hook"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in
            ["", "x.example", "ftp://x", "http://", "https:///a", "javascript:alert(1)", "http://a b", "sample:v"]
        {
            assert!(!is_web_address(bad), "{bad}");
        }
        assert_eq!(name_of("https://cdn.example/a/tour.mp4?x=1"), "tour.mp4");
        assert_eq!(name_of("https://cdn.example"), "cdn.example");
    }
}
