//! The project as a text with posters and links: what is read without scripts, and what is printed; and how a link to the
//! page looks where it is shared.

use std::fmt::Write as _;

use super::language::Language;
use crate::service::address;
use crate::service::http::page::escaped;
use crate::service::store::{Played, PlayedStep, PlayedVideo};

/// Steps that are written out at most: the page stays small, whatever the project.
const MOST_STEPS: usize = 100;

/// The tags that say how a shared link looks: its address, and as picture the first poster, else the logo.
pub(super) fn share(played: &Played, base_url: &str) -> String {
    let first = played.steps.iter().find(|step| Some(&step.name) == played.first.as_ref());
    let poster = |step: &PlayedStep| step.video.as_ref()?.poster.clone();
    let picture = first.into_iter().chain(&played.steps).find_map(poster).or_else(|| played.settings.logo_url.clone());
    let name = escaped(&played.name);
    let address = escaped(&address::player(base_url, &played.publish_id));
    let mut out = String::new();
    // Writing to a text can't fail.
    let _ = writeln!(out, "<meta property=\"og:url\" content=\"{address}\">");
    let _ = writeln!(out, "<meta name=\"twitter:title\" content=\"{name}\">");
    if let Some(locale) = played.settings.language.as_deref() {
        // The protocol writes languages with an underscore.
        let _ = writeln!(out, "<meta property=\"og:locale\" content=\"{}\">", escaped(&locale.replace('-', "_")));
    }
    if let Some(picture) = picture.as_deref().map(escaped) {
        let _ = writeln!(out, "<meta property=\"og:image\" content=\"{picture}\">");
        let _ = writeln!(out, "<meta property=\"og:image:alt\" content=\"{name}\">");
        let _ = writeln!(out, "<meta name=\"twitter:image\" content=\"{picture}\">");
    }
    out
}

/// Every step with its text, its poster, a link to its video and its answers.
pub(super) fn story(played: &Played, language: &Language) -> String {
    let first = played.steps.iter().filter(|step| Some(&step.name) == played.first.as_ref());
    let others = played.steps.iter().filter(|step| Some(&step.name) != played.first.as_ref());
    let mut out = String::new();
    for step in first.chain(others).take(MOST_STEPS) {
        written(&mut out, step, played, language);
    }
    out
}

/// The sizes that a poster is there in, as an attribute; it is shown 10 rem wide.
fn sizes(video: &PlayedVideo, poster: &str) -> String {
    let sizes = video.poster_widths.iter().map(|width| format!("{poster}?width={width} {width}w"));
    let sizes: Vec<String> = sizes.collect();
    if sizes.is_empty() {
        return String::new();
    }
    format!(" srcset=\"{}\" sizes=\"10rem\"", escaped(&sizes.join(", ")))
}

/// What a step is called where somebody reads it.
fn title(step: &PlayedStep) -> &str {
    step.overlay_text.as_deref().or(step.title.as_deref()).unwrap_or(&step.name)
}

fn written(out: &mut String, step: &PlayedStep, played: &Played, language: &Language) {
    // Writing to a text can't fail.
    let _ = writeln!(out, "<article id=\"step-{}\">", escaped(&step.name));
    let _ = writeln!(out, "<h2 dir=\"auto\">{}</h2>", escaped(title(step)));
    if let Some(video) = &step.video {
        if let Some(poster) = &video.poster {
            let _ =
                writeln!(out, "<img src=\"{}\"{} alt=\"\" loading=\"lazy\">", escaped(poster), sizes(video, poster));
        }
        if let Some(url) = &video.url {
            let _ = writeln!(out, "<p><a href=\"{}\">{}</a></p>", escaped(url), language.text("watch"));
        }
    }
    if !step.answers.is_empty() {
        out.push_str("<ul>\n");
        for answer in &step.answers {
            let text = escaped(&answer.text);
            let leads = answer.next.as_ref().filter(|next| played.steps.iter().any(|step| step.name == **next));
            let _ = match leads {
                Some(next) => {
                    writeln!(out, "<li dir=\"auto\"><a href=\"#step-{}\">{text}</a></li>", escaped(next))
                }
                None => writeln!(out, "<li dir=\"auto\">{text}</li>"),
            };
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</article>\n");
}
