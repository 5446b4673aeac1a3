//! What a product is called, described and filed as: S27 to S30, S35.

use url::Url;

use super::look::{Look, said};
use super::rule::Rule;
use super::variants::looks_latin;
use crate::domain::Product;
use crate::domain::text::is_hostile;

/// Of a title's letters that have capitals, this share in capitals is shouting.
const SHOUTING: f64 = 0.8;

/// Fewer letters are an abbreviation.
const SHOUTED: usize = 8;

impl Look<'_> {
    /// S27 to S30 and S35, but for titles that products share.
    pub(super) fn texts(&mut self) {
        self.description();
        self.title();
        self.address();
        self.filing();
        self.hostile();
    }

    fn description(&mut self) {
        let product = &self.found.product;
        let html = said(product.description_html.as_ref());
        if said(product.description.as_ref()).is_none() {
            let has_text = html.is_some_and(|html| !text_of(html).trim().is_empty());
            let sentence =
                if has_text { "its HTML has a description, its text has none" } else { "it has no description" };
            self.tell(Rule::TextEmpty, "description", sentence);
        }
        if let Some(tag) = html.and_then(|html| ["script", "iframe"].into_iter().find(|tag| has_tag(html, tag))) {
            self.tell(Rule::TextEmpty, "descriptionHtml", format!("its description has a <{tag}>"));
        }
    }

    fn title(&mut self) {
        let title = self.found.product.title.trim();
        let length = title.chars().count();
        let most = self.limits.title;
        if length > most {
            self.tell(Rule::Title, "title", format!("its title has {length} characters, over {most}"));
        }
        if is_shouting(title) {
            self.tell(Rule::Title, "title", "its title is in capitals");
        }
    }

    fn address(&mut self) {
        if let Some(sentence) = wrong_address(&self.found.product) {
            self.tell(Rule::HandleDiffers, "productUrl", sentence);
        }
    }

    fn filing(&mut self) {
        let missing = missing(&self.found.product);
        if !missing.is_empty() {
            self.tell(Rule::Uncategorized, field_of(missing.first()), format!("it has no {}", list(&missing)));
        }
    }

    /// S35.
    pub(super) fn hostile(&mut self) {
        let product = &self.found.product;
        let mut names: Vec<(String, &str)> =
            vec![("title".to_owned(), &product.title), ("handle".to_owned(), &product.handle)];
        names.extend(product.tags.iter().enumerate().map(|(at, tag)| (format!("tags[{at}]"), tag.as_str())));
        for (at, variant) in product.variants.iter().enumerate() {
            names.extend(variant.sku.as_deref().map(|sku| (super::look::of_variant(at, "sku"), sku)));
        }
        for (at, media) in product.media.iter().enumerate() {
            names.extend(media.alt.as_deref().map(|alt| (super::look::of_media(at, "alt"), alt)));
        }
        for (field, name) in names {
            if let Some(odd) = hostile(name) {
                let sentence = format!("{field} has {odd}");
                self.tell(Rule::HostileText, field, sentence);
            }
        }
    }
}

/// What is wrong with a product's address: S29.
pub(super) fn wrong_address(product: &Product) -> Option<String> {
    let Some(address) = web(&product.product_url) else {
        return Some(format!("its address is no web address: \"{}\"", product.product_url));
    };
    let host = |url: &Url| url.host_str().map(str::to_owned);
    match web(product.app_url.as_str()) {
        Some(store) if host(&store) != host(&address) => {
            Some(format!("its address is at {}, not at the store's", host(&address).unwrap_or_default()))
        }
        _ if !ends_in(&address, &product.handle) => {
            Some(format!("its address doesn't end in its handle \"{}\"", product.handle))
        }
        _ => None,
    }
}

/// What of its place in the shop is missing, in words.
fn missing(product: &Product) -> Vec<&'static str> {
    let mut missing = Vec::new();
    if product.category.is_none() {
        missing.push("category");
    }
    if said(product.product_type.as_ref()).is_none() {
        missing.push("product type");
    }
    if said(product.vendor.as_ref()).is_none() {
        missing.push("vendor");
    }
    if product.tags.iter().all(|tag| tag.trim().is_empty()) {
        missing.push("tags");
    }
    missing
}

fn field_of(word: Option<&&'static str>) -> &'static str {
    match word {
        Some(&"product type") => "productType",
        Some(&"vendor") => "vendor",
        Some(&"tags") => "tags",
        _ => "category",
    }
}

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and no {two}"),
        [most @ .., last] => format!("{}, and no {last}", most.join(", no ")),
    }
}

fn web(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn ends_in(address: &Url, handle: &str) -> bool {
    let last = address.path_segments().and_then(|parts| parts.rev().find(|part| !part.is_empty()));
    let plain = |text: &str| percent_decoded(text).to_lowercase();
    last.is_some_and(|last| plain(last) == plain(handle.trim()))
}

/// The text behind `%41` and the like; what is none stays.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let escaped = pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether HTML has such an element.
fn has_tag(html: &str, tag: &str) -> bool {
    let html = html.to_ascii_lowercase();
    let open = format!("<{tag}");
    html.match_indices(&open).any(|(at, _)| {
        html.get(at + open.len()..).and_then(|rest| rest.chars().next()).is_none_or(|c| !c.is_ascii_alphanumeric())
    })
}

/// What HTML says between its tags, roughly: enough to tell something from nothing.
fn text_of(html: &str) -> String {
    let mut inside = false;
    let text: String = html
        .chars()
        .filter(|c| {
            let shown = !inside && *c != '<';
            inside = if inside { *c != '>' } else { *c == '<' };
            shown
        })
        .collect();
    text.replace("&nbsp;", " ")
}

fn is_shouting(title: &str) -> bool {
    let cased: Vec<bool> = title
        .chars()
        .filter(|c| c.is_alphabetic() && (c.is_uppercase() || c.is_lowercase()))
        .map(char::is_uppercase)
        .collect();
    let capitals = cased.iter().filter(|is_capital| **is_capital).count();
    #[allow(clippy::cast_precision_loss)] // Titles are short.
    let share = capitals as f64 / cased.len().max(1) as f64;
    cased.len() >= SHOUTED && share >= SHOUTING
}

/// What in a name deceives the eye.
fn hostile(name: &str) -> Option<&'static str> {
    if name.chars().any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')) {
        return Some("characters that turn text around");
    }
    // Where text runs from the right, marks of direction belong to it: they turn nothing around.
    let is_from_right = name.chars().any(is_from_right);
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}');
    if name.chars().any(|c| is_hostile(c) && !(is_from_right && is_mark(c))) {
        return Some("invisible or control characters");
    }
    name.split(|c: char| !c.is_alphanumeric()).any(is_mixed).then_some("letters of two scripts in one word")
}

/// The scripts whose letters are taken for each other. Others stand in one word with Latin ones as a matter of course: `Tシャツ`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
}

fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z' | 'A'..='Z' => Some(Script::Latin),
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if c.is_alphabetic() => Some(Script::Latin),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' if c.is_alphabetic() => Some(Script::Greek),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' if c.is_alphabetic() => {
            Some(Script::Cyrillic)
        }
        '\u{531}'..='\u{556}' | '\u{561}'..='\u{587}' => Some(Script::Armenian),
        _ => None,
    }
}

/// Whether a word has letters of two scripts. One Greek letter that looks like no Latin one is a sign: `ΔT`, `10μm`.
fn is_mixed(word: &str) -> bool {
    let greek = word.chars().filter(|c| script(*c) == Some(Script::Greek)).count();
    let is_sign = |c: char| greek == 1 && script(c) == Some(Script::Greek) && !looks_latin(c);
    let mut scripts = word.chars().filter(|c| !is_sign(*c)).filter_map(script);
    scripts.next().is_some_and(|first| scripts.any(|other| other != first))
}

/// A letter of a script that runs from the right: Hebrew, Arabic and their kin.
fn is_from_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{61b}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_shouting_from_a_word_on() {
        assert!(is_shouting("FJELL WOOL SOCK") && is_shouting("FJELL WOOL SOCK mw"));
        assert!(!is_shouting("LED TV 55") && !is_shouting("Fjell Wool Sock") && !is_shouting("羊毛の靴下羊毛の靴下"));
    }

    #[test]
    fn an_address_ends_in_the_handle_however_it_is_written() {
        let url = |text| web(text).unwrap();
        assert!(ends_in(&url("https://a.example/products/wool-sock?x=1"), "wool-sock"));
        assert!(ends_in(&url("https://a.example/products/f%C3%B8rste/"), "første"));
        assert!(!ends_in(&url("https://a.example/products/wool-sock-2"), "wool-sock"));
        assert!(web("/products/a").is_none() && web("ftp://a.example/a").is_none());
    }

    #[test]
    fn html_is_told_from_text() {
        assert!(has_tag("a <SCRIPT src=x>", "script") && has_tag("<iframe>", "iframe"));
        assert!(!has_tag("<scripture>", "script") && !has_tag("script", "script"));
        assert_eq!(text_of("<p> <b></b>&nbsp;</p>").trim(), "");
        assert_eq!(text_of("<p>a</p>"), "a");
    }

    #[test]
    fn names_that_deceive_are_told() {
        assert!(hostile("Wооl").is_some(), "Cyrillic letters");
        assert!(hostile("Wool\u{200b}sock").is_some() && hostile("a\u{202e}b").is_some());
        assert!(hostile("Woolж sock").is_some() && hostile("ΣokΣ").is_some());
        // A mark of direction turns nothing around, and nobody sees it where nothing runs from the right.
        assert!(hostile("גרבי צמר \u{200e}Nordlys").is_none() && hostile("جورب\u{200f}").is_none());
        assert!(hostile("Wool\u{200e}sock").is_some() && hostile("גרבי \u{202e}צמר").is_some());
        assert!(hostile("Tシャツ").is_none() && hostile("ל iPhone").is_none() && hostile("לiPhone").is_none());
        assert!(hostile("10μm").is_none() && hostile("ΔT").is_none() && hostile("Fjällräven").is_none());
        assert!(hostile("Wool носок").is_none() && hostile("10µm").is_none() && hostile("α-tocopherol").is_none());
    }

    #[test]
    fn what_is_missing_is_listed() {
        assert_eq!(list(&["vendor"]), "vendor");
        assert_eq!(list(&["vendor", "tags"]), "vendor and no tags");
        assert_eq!(list(&["category", "vendor", "tags"]), "category, no vendor, and no tags");
    }
}
