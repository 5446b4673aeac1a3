//! What the merchant's settings make of the page: colors, letters, logo, form and the link to the shop.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::files;
use super::language::Language;
use crate::domain::{Color, PlayerFont, PlayerSettings};
use crate::service::http::page::escaped;
use crate::service::store::{Played, consent_version};

/// The color of a browser's own frame around the page, where the merchant has none.
const NIGHT: &str = "#12100f";

/// The page's icon where the merchant has no logo: a triangle in a square.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 16 16%27%3E\
    %3Crect width=%2716%27 height=%2716%27 rx=%274%27 fill=%27%23ffb38a%27/%3E\
    %3Cpath d=%27M6 4l6 4-6 4z%27 fill=%27%2323120a%27/%3E%3C/svg%3E";

/// The letters of a kind, as style sheets name them; nothing for those of the device.
fn stack(font: &PlayerFont) -> Option<&'static str> {
    match font {
        PlayerFont::Serif => Some("ui-serif,Georgia,serif"),
        PlayerFont::Rounded => Some("ui-rounded,\"Nunito\",\"Varela Round\",system-ui,sans-serif"),
        PlayerFont::Mono => Some("ui-monospace,Menlo,Consolas,monospace"),
        PlayerFont::System | PlayerFont::Other(_) => None,
    }
}

/// An address as it may stand in a style sheet: what has a meaning there is written in percent.
fn in_style(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(|url| url.scheme() == "https")?;
    let plain = url.as_str().chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>'));
    plain.then(|| url.to_string())
}

/// The merchant's own rules; empty where they have set none.
fn style(settings: &PlayerSettings) -> String {
    let mut rules = String::new();
    // Writing to a text can't fail.
    if let Some(color) = settings.brand_color.as_deref().and_then(Color::parse) {
        let _ = write!(rules, ":root{{--brand:{color};--on-brand:{}}}", color.text_on());
    }
    let file = settings.font_url.as_deref().and_then(in_style);
    let kind = settings.font.as_ref().and_then(stack);
    if file.is_some() || kind.is_some() {
        let own = if file.is_some() { "\"Brand\"," } else { "" };
        let _ = write!(rules, ":root{{--face:{own}{}}}", kind.unwrap_or("system-ui,sans-serif"));
    }
    if let Some(file) = file {
        let _ = write!(rules, "@font-face{{font-family:\"Brand\";src:url(\"{file}\");font-display:swap}}");
    }
    rules
}

/// What a project's settings fill in.
pub(super) struct Brand {
    /// The page's style sheet, with the merchant's rules at its end.
    pub style: String,
    /// What the page's policy lets it in by.
    pub style_source: String,
    /// Whether letters are loaded from elsewhere.
    pub loads_font: bool,
    /// The color of the browser's own frame.
    pub theme: String,
    /// The address of the page's icon.
    pub icon: String,
    /// The logo; empty where there is none.
    pub logo: String,
    /// Attributes of the whole page.
    pub attributes: String,
    /// The form's fields with all that is said before it is sent.
    pub form: String,
    /// The link to the shop; empty where there is none.
    pub shop: String,
    /// What the end screen says.
    pub end_text: String,
    /// The attribute `lang` of the merchant's own texts; empty where the page's is theirs.
    pub content_lang: String,
    /// The same for the page's script.
    pub content: String,
}

impl Brand {
    /// What the settings of a project make of its page, whose own texts are in this language.
    pub(super) fn of(played: &Played, language: &Language, lang: &str) -> Self {
        let settings = &played.settings;
        let rules = files::style().to_owned() + &style(settings);
        let hash = STANDARD.encode(Sha256::digest(rules.as_bytes()));
        let given = |text: &Option<String>| text.as_deref().map(escaped);
        let logo = given(&settings.logo_url);
        let own = settings.language.as_deref().filter(|own| *own != lang);
        Self {
            style: rules,
            style_source: format!("'sha256-{hash}'"),
            loads_font: settings.font_url.is_some(),
            theme: settings
                .brand_color
                .as_deref()
                .and_then(Color::parse)
                .map_or_else(|| NIGHT.to_owned(), |color| color.to_string()),
            icon: logo.clone().unwrap_or_else(|| ICON.to_owned()),
            logo: logo.map(|logo| format!("<img class=\"logo\" src=\"{logo}\" alt=\"\">\n")).unwrap_or_default(),
            attributes: if settings.transparent == Some(true) { " data-transparent" } else { "" }.to_owned(),
            form: form(played, language),
            shop: shop(settings, language),
            end_text: given(&settings.end_text).unwrap_or_else(|| language.text("thanks").to_owned()),
            content_lang: own.map(|own| format!(" lang=\"{}\"", escaped(own))).unwrap_or_default(),
            content: own.map(|own| format!(" data-content=\"{}\"", escaped(own))).unwrap_or_default(),
        }
    }
}

/// The attributes of each field.
fn field(name: &str) -> &'static str {
    match name {
        "email" => "type=\"email\" autocomplete=\"email\" inputmode=\"email\" maxlength=\"200\"",
        "phone" => "type=\"tel\" autocomplete=\"tel\" inputmode=\"tel\" maxlength=\"50\"",
        _ => "dir=\"auto\" autocomplete=\"name\" maxlength=\"200\"",
    }
}

fn form(played: &Played, language: &Language) -> String {
    let settings = &played.settings;
    let mut out = String::new();
    let lead = settings.form_text.as_deref().map_or_else(|| language.text("form_lead").to_owned(), escaped);
    let _ = writeln!(out, "<p class=\"lead\" dir=\"auto\">{lead}</p>");
    for name in &played.form_fields {
        let _ = writeln!(
            out,
            "<label for=\"{name}\">{}</label>\n<input id=\"{name}\" name=\"{name}\" {} aria-describedby=\"form-fault\">",
            language.text(name),
            field(name)
        );
    }
    let labels: Vec<&str> = played.form_fields.iter().map(|name| language.text(name)).collect();
    let sends = language.text("form_sends").replace("{fields}", &labels.join(", "));
    let _ = write!(out, "<p class=\"fine\" id=\"form-sends\">{sends}");
    if let Some(privacy) = &settings.privacy_url {
        let (address, words) = (escaped(privacy), language.text("privacy"));
        let _ = write!(out, " <a href=\"{address}\" target=\"_blank\" rel=\"noopener\">{words}</a>");
    }
    out.push_str("</p>\n");
    if let Some(consent) = &settings.consent_text {
        let _ = writeln!(
            out,
            "<label class=\"consent\"><input id=\"consent\" name=\"consent\" type=\"checkbox\" data-version=\"{}\" \
             aria-describedby=\"form-fault\"><span dir=\"auto\">{}</span></label>",
            consent_version(consent),
            escaped(consent)
        );
    }
    out
}

fn shop(settings: &PlayerSettings, language: &Language) -> String {
    let Some(address) = &settings.shop_url else { return String::new() };
    let words = settings.shop_text.as_deref().map_or_else(|| language.text("shop").to_owned(), escaped);
    let address = escaped(address);
    format!(
        "<a id=\"shop\" class=\"choice\" dir=\"auto\" href=\"{address}\" target=\"_top\" rel=\"noopener\">{words}</a>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_setting_leaves_its_place_in_the_style() {
        let settings = PlayerSettings {
            brand_color: Some("#0a7cff".to_owned()),
            font: Some(PlayerFont::Serif),
            font_url: Some("https://a.example/f\").woff2?x=</style>\\".to_owned()),
            ..PlayerSettings::default()
        };
        let style = style(&settings);
        assert!(style.starts_with(":root{--brand:#0a7cff;--on-brand:#"), "{style}");
        assert_eq!(style.matches('"').count() % 2, 0, "{style}");
        assert!(!style.contains('<') && !style.contains('\\'), "{style}");
        let odd = PlayerSettings { brand_color: Some("red;}".to_owned()), ..PlayerSettings::default() };
        assert_eq!(super::style(&odd), "");
    }
}
