//! Pictures and videos of products: S20 to S26.

use std::collections::HashSet;

use jiff::SignedDuration;

use super::look::{Look, moment, of_media, said};
use super::rule::Rule;
use crate::domain::{Media, Num};

/// Sides are pixels.
const SMALL: f64 = 300.0;

/// How much wider one picture may be for its height than another.
const MIXED: f64 = 1.1;

/// The widest and, the other way around, the narrowest picture.
const EXTREME: f64 = 2.0;

/// Bytes.
const HEAVY: f64 = 50_000_000.0;

/// What is in progress for longer is stuck.
const STUCK: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn is_picture(media: &Media) -> bool {
    media.media_content_type.trim().eq_ignore_ascii_case("IMAGE")
}

/// How large its preview is: width, height.
pub(super) fn size(media: &Media) -> Option<(f64, f64)> {
    let (width, height) = (media.preview_width?.0, media.preview_height?.0);
    (width > 0.0 && height > 0.0).then_some((width, height))
}

impl Look<'_> {
    /// S20 to S26.
    pub(super) fn pictures(&mut self) {
        let media = &self.found.product.media;
        if media.is_empty() {
            let rules = [
                Rule::FeaturedLost,
                Rule::MediaNotReady,
                Rule::Alt,
                Rule::PictureSmall,
                Rule::Aspect,
                Rule::ProductVideoHeavy,
            ];
            for rule in rules {
                self.unknown(rule);
            }
            if self.found.media_count.0 > 0.0 {
                self.unknown(Rule::NoMedia);
            } else {
                self.tell(Rule::NoMedia, "media", "it has no pictures");
            }
            return;
        }
        self.featured();
        for (at, one) in media.iter().enumerate() {
            self.status(at, one);
            self.alt(at, one);
            self.size(at, one);
            self.video(at, one);
        }
        self.alt_everywhere();
        self.shapes();
    }

    fn featured(&mut self) {
        let product = &self.found.product;
        match said(product.featured_media_id.as_ref()) {
            None => self.tell(Rule::FeaturedLost, "featuredMediaId", "none of its pictures is the first one"),
            Some(id) if !product.media.iter().any(|one| one.external_media_id == id || one.id.to_string() == id) => {
                let sentence = format!("its first picture ({id}) is not among its pictures");
                self.tell(Rule::FeaturedLost, "featuredMediaId", sentence);
            }
            Some(_) => {}
        }
    }

    fn status(&mut self, at: usize, media: &Media) {
        let Some(word) = said(media.status.as_ref()) else { return self.unknown(Rule::MediaNotReady) };
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        let field = of_media(at, "status");
        if is("FAILED") {
            return self.tell(Rule::MediaNotReady, field, format!("{} failed at the shop", called(media, at)));
        }
        if is("READY") {
            return;
        }
        if !(is("PROCESSING") || is("UPLOADED")) {
            // The specification lists no words: what another one means nobody knows.
            return self.unknown(Rule::MediaNotReady);
        }
        match moment(&media.created_at) {
            None => self.unknown(Rule::MediaNotReady),
            Some(created) if self.now.duration_since(created) > STUCK => {
                let sentence = format!("{} is still {}", called(media, at), word.to_ascii_lowercase());
                self.tell(Rule::MediaNotReady, field, format!("{sentence}, over an hour after it was added"));
            }
            Some(_) => {}
        }
    }

    fn alt(&mut self, at: usize, media: &Media) {
        match said(media.alt.as_ref()) {
            None => self.tell(Rule::Alt, of_media(at, "alt"), format!("{} has no description", called(media, at))),
            Some(alt) if is_file_name(alt) => {
                let sentence = format!("the description of {} is a file name: \"{alt}\"", called(media, at));
                self.tell(Rule::Alt, of_media(at, "alt"), sentence);
            }
            Some(_) => {}
        }
    }

    fn alt_everywhere(&mut self) {
        let media = &self.found.product.media;
        let said: Vec<&str> = media.iter().filter_map(|one| said(one.alt.as_ref())).collect();
        let different: HashSet<&str> = said.iter().copied().collect();
        if let (Some(alt), true) = (said.first(), said.len() == media.len() && media.len() > 1 && different.len() == 1)
        {
            self.tell(Rule::Alt, "media[].alt", format!("all {} pictures are described alike: \"{alt}\"", said.len()));
        }
    }

    fn size(&mut self, at: usize, media: &Media) {
        let Some((width, height)) = size(media) else {
            self.unknown(Rule::PictureSmall);
            return self.unknown(Rule::Aspect);
        };
        let dimensions = format!("{} is {} by {} pixels", called(media, at), Num(width), Num(height));
        if width.min(height) < SMALL {
            self.tell(Rule::PictureSmall, of_media(at, "previewWidth"), dimensions.clone());
        }
        if is_picture(media) && width.max(height) > EXTREME * width.min(height) {
            let shape = if width > height { "very wide" } else { "very narrow" };
            self.tell(Rule::Aspect, of_media(at, "previewWidth"), format!("{dimensions}: {shape}"));
        }
    }

    /// Whether its pictures have one shape.
    fn shapes(&mut self) {
        let sizes = self.found.product.media.iter().filter(|one| is_picture(one)).filter_map(size);
        let ratios: Vec<f64> = sizes.map(|(width, height)| width / height).collect();
        let narrowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let widest = ratios.iter().copied().fold(0.0, f64::max);
        if ratios.len() > 1 && widest > MIXED * narrowest {
            let sentence =
                format!("its pictures have different shapes, from {narrowest:.2} to {widest:.2} (width : height)");
            self.tell(Rule::Aspect, "media[].previewWidth", sentence);
        }
    }

    fn video(&mut self, at: usize, media: &Media) {
        if !media.media_content_type.trim().eq_ignore_ascii_case("VIDEO") {
            return;
        }
        if said(media.video_url.as_ref()).is_none() {
            let sentence = format!("{} has no address: it can't be played", called(media, at));
            self.tell(Rule::ProductVideoHeavy, of_media(at, "videoUrl"), sentence);
        }
        match media.video_size {
            None => self.unknown(Rule::ProductVideoHeavy),
            Some(size) if size.0 > HEAVY => {
                let sentence = format!("{} is {:.0} MB", called(media, at), size.0 / 1_000_000.0);
                self.tell(Rule::ProductVideoHeavy, of_media(at, "videoSize"), sentence);
            }
            Some(_) => {}
        }
    }
}

/// What a picture or video is called in sentences.
fn called(media: &Media, at: usize) -> String {
    let kind = match media.media_content_type.trim() {
        word if word.eq_ignore_ascii_case("VIDEO") || word.eq_ignore_ascii_case("EXTERNAL_VIDEO") => "video",
        word if word.eq_ignore_ascii_case("MODEL_3D") => "model",
        _ => "picture",
    };
    format!("{kind} {}", at + 1)
}

/// Whether a description is only what the file was called.
fn is_file_name(alt: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "tif", "tiff", "bmp", "mp4", "mov"];
    if alt.contains(char::is_whitespace) {
        return false;
    }
    let ending = alt.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
        return true;
    }
    // As cameras count: IMG_1234, DSC01234, PXL_20260101.
    let upper = alt.to_ascii_uppercase();
    ["IMG", "DSC", "DSCN", "PXL", "P", "MVI"].iter().any(|begin| {
        upper.strip_prefix(begin).is_some_and(|rest| {
            let digits = rest.trim_start_matches(['_', '-']);
            digits.len() >= 4 && digits.chars().all(|c| c.is_ascii_digit() || c == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_file_name;

    #[test]
    fn a_file_name_is_told_from_a_description() {
        assert!(is_file_name("sock-grey.jpg") && is_file_name("IMG_1234") && is_file_name("dsc01234"));
        assert!(!is_file_name("Sock, grey.") && !is_file_name("Sock") && !is_file_name("P1") && !is_file_name("v2.0"));
    }
}
