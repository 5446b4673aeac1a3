//! What a text promises of a price: "Under 500 kr".

use std::sync::LazyLock;

use crate::domain::text::fold;

/// Currencies by their signs and names, in folded texts. A sign that several share stands for each of them.
const CURRENCIES: [(&[&str], &[&str]); 19] = [
    (&["kr", "kroner", "kronor", "kronur", ",-"], &["NOK", "SEK", "DKK", "ISK"]),
    (&["$", "dollar", "dollars"], &["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"]),
    (&["€", "euro", "euros"], &["EUR"]),
    (&["£"], &["GBP"]),
    (&["¥", "yen", "yuan"], &["JPY", "CNY"]),
    (&["₹", "rupees"], &["INR"]),
    (&["₩"], &["KRW"]),
    (&["₺"], &["TRY"]),
    (&["₽"], &["RUB"]),
    (&["₴"], &["UAH"]),
    (&["zl", "zloty"], &["PLN"]),
    (&["kc"], &["CZK"]),
    (&["forint"], &["HUF"]),
    (&["lei"], &["RON"]),
    (&["fr", "francs", "franken"], &["CHF"]),
    (&["us$"], &["USD"]),
    (&["a$"], &["AUD"]),
    (&["c$"], &["CAD"]),
    (&["r$"], &["BRL"]),
];

/// ISO 4217 codes that may stand by a number themselves.
const CODES: [&str; 30] = [
    "nok", "sek", "dkk", "isk", "usd", "cad", "aud", "nzd", "sgd", "hkd", "mxn", "eur", "gbp", "jpy", "cny", "inr",
    "krw", "try", "rub", "uah", "pln", "czk", "huf", "ron", "chf", "brl", "zar", "thb", "ils", "aed",
];

/// Words before a price that say that it is the least: nothing is promised of the most.
const LEAST: [&str; 34] = [
    "over",
    "above",
    "more than",
    "from",
    "at least",
    "min",
    "minimum",
    "starting at",
    "beyond",
    ">",
    "≥",
    "fra",
    "mer enn",
    "minst",
    "fran",
    "mer an",
    "mere end",
    "mindst",
    "uber",
    "ueber",
    "ab",
    "mehr als",
    "mindestens",
    "plus de",
    "des",
    "a partir de",
    "mas de",
    "desde",
    "piu di",
    "boven",
    "vanaf",
    "meer dan",
    "acima de",
    "mais de",
];

/// Those of them that no word before them turns round.
const FROM: [&str; 17] = [
    "from",
    "at least",
    "min",
    "minimum",
    "starting at",
    "fra",
    "minst",
    "fran",
    "mindst",
    "ab",
    "mindestens",
    "des",
    "a partir de",
    "desde",
    "vanaf",
    ">",
    "≥",
];

/// Words that turn the others round: no more than, not over.
const NOT: [&str; 16] = [
    "no", "not", "never", "ikke", "inte", "ej", "ikkje", "nicht", "kein", "pas", "non", "niet", "nao", "nothing",
    "nie", "aldri",
];

/// Words behind a price that say the same.
const OR_MORE: [&str; 35] = [
    "+",
    "or more",
    "or over",
    "or above",
    "or up",
    "or higher",
    "and up",
    "and upward",
    "and upwards",
    "and more",
    "and over",
    "and above",
    "& up",
    "& more",
    "& over",
    "& above",
    "upward",
    "upwards",
    "minimum",
    "eller mer",
    "eller over",
    "og mer",
    "og over",
    "og oppover",
    "och mer",
    "och uppat",
    "och over",
    "oder mehr",
    "und mehr",
    "aufwarts",
    "ou plus",
    "et plus",
    "o mas",
    "y mas",
    "of meer",
];

/// Words of which one near a price says that it is not what a product costs.
const ELSE: [&str; 43] = [
    "save",
    "off",
    "discount",
    "shipping",
    "delivery",
    "voucher",
    "coupon",
    "gift card",
    "cashback",
    "win",
    "spar",
    "rabatt",
    "frakt",
    "gavekort",
    "sparen",
    "versand",
    "gutschein",
    "remise",
    "livraison",
    "descuento",
    "envio",
    "sconto",
    "korting",
    "deposit",
    // A price by the month is none of the product.
    "per",
    "a month",
    "a year",
    "a week",
    "a day",
    "monthly",
    "yearly",
    "/mo",
    "/month",
    "/yr",
    "/year",
    "/week",
    "/mnd",
    "i maneden",
    "pr",
    "im monat",
    "/monat",
    "par mois",
    "al mes",
];

/// A price that a text names.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// What the product may cost at most.
    pub most: f64,
    /// The currencies that are meant, any of them.
    pub currencies: Vec<String>,
}

/// The most that a text says that something costs; nothing where it names no price, or only the least.
#[must_use]
pub fn promise(text: &str) -> Option<Promise> {
    let folded = fold(text);
    // Most answers name no number at all.
    if !folded.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let folded = folded.replace(['\u{a0}', '\u{202f}', '\u{2009}'], " ");
    let chars: Vec<char> = folded.chars().collect();
    let mut best: Option<Promise> = None;
    let mut at = 0;
    while at < chars.len() {
        let Some((value, end)) = number(&chars, at) else {
            at += 1;
            continue;
        };
        let before: String = chars.get(..at).unwrap_or_default().iter().collect();
        let after: String = chars.get(end..).unwrap_or_default().iter().collect();
        at = end;
        let Some((currencies, before, after)) = currency(&before, &after) else { continue };
        let least = LEAST.iter().filter(|word| ends_with_word(before, word)).max_by_key(|word| word.len());
        let is_least = least.is_some_and(|word| FROM.contains(word) || !is_denied(before, word))
            || OR_MORE.iter().any(|word| starts_with_word(after, word));
        if !is_least && best.as_ref().is_none_or(|best| value > best.most) {
            best = Some(Promise { most: value, currencies });
        }
    }
    // Most texts with a number name no price: these words are looked for in the others.
    best.filter(|_| !ELSE.iter().any(|word| has_word(&folded, word)))
}

/// The number that begins at a place, and where it ends: `1 299`, `1,299.50`, `1.299,50`, `499`.
fn number(chars: &[char], at: usize) -> Option<(f64, usize)> {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    // A number inside of a word is a part of its name: "R2D2", "v2.1".
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    if !digit(at) || before.is_some_and(|c| c.is_ascii_digit() || (c.is_alphabetic() && !follows_code(chars, at))) {
        return None;
    }
    let mut digits = String::new();
    let mut end = at;
    while digit(end) {
        digits.extend(chars.get(end));
        end += 1;
    }
    // Thousands: a sign and exactly three digits, the same sign each time.
    let mut sign = None;
    while let Some(c) = chars.get(end).copied().filter(|c| matches!(c, ' ' | ',' | '.' | '\'' | '’')) {
        let three = (1..=3).all(|by| digit(end + by)) && !digit(end + 4);
        if !three || sign.is_some_and(|sign| sign != c) || digits.len() > 12 || (sign.is_none() && digits.len() > 3) {
            break;
        }
        sign = Some(c);
        digits.extend(chars.get(end + 1..=end + 3).unwrap_or_default());
        end += 4;
    }
    let point = chars.get(end).copied().filter(|c| matches!(c, ',' | '.') && sign != Some(*c));
    let decimals = (1..=2).take_while(|by| digit(end + by)).count();
    if point.is_some() && decimals > 0 && !digit(end + decimals + 1) {
        digits.push('.');
        digits.extend(chars.get(end + 1..=end + decimals).unwrap_or_default());
        end += decimals + 1;
    }
    let value: f64 = digits.parse().ok()?;
    (value.is_finite() && digits.len() <= 16).then_some((value, end))
}

/// Whether what stands before a place without a blank is a currency: `kr500`, `NOK500`.
fn follows_code(chars: &[char], at: usize) -> bool {
    let word: Vec<char> =
        chars.get(..at).unwrap_or_default().iter().rev().take_while(|c| c.is_alphabetic()).copied().collect();
    let word: String = word.into_iter().rev().collect();
    CODES.contains(&word.as_str()) || CURRENCIES.iter().any(|(signs, _)| signs.contains(&word.as_str()))
}

/// All signs, names and codes of currencies, the longest first: `us$` before `$`.
static SIGNS: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
    let signs = CURRENCIES.iter().flat_map(|(signs, codes)| signs.iter().map(move |sign| (*sign, *codes)));
    let mut signs: Vec<(&str, Vec<String>)> =
        signs.map(|(sign, codes)| (sign, codes.iter().map(|code| (*code).to_owned()).collect())).collect();
    signs.extend(CODES.iter().map(|code| (*code, vec![code.to_ascii_uppercase()])));
    signs.sort_by_key(|(sign, _)| std::cmp::Reverse(sign.len()));
    signs
});

/// The currency by a number, and what stands before and after both.
fn currency<'t>(before: &'t str, after: &'t str) -> Option<(Vec<String>, &'t str, &'t str)> {
    let (close, next) = (before.trim_end(), after.trim_start());
    for (sign, codes) in SIGNS.iter() {
        if starts_with_word(next, sign) {
            let rest = next.get(sign.len()..).unwrap_or_default();
            return Some((codes.clone(), before, rest.trim_start_matches('.')));
        }
        if ends_with_word(close.trim_end_matches('.'), sign) {
            let close = close.trim_end_matches('.');
            let rest = close.get(..close.len() - sign.len()).unwrap_or_default();
            return Some((codes.clone(), rest, after));
        }
    }
    None
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// Whether a text begins with a word, and not with a longer one that begins like it.
fn starts_with_word(text: &str, word: &str) -> bool {
    let own = is_letter(word.chars().next_back());
    text.trim_start().strip_prefix(word).is_some_and(|rest| !(own && is_letter(rest.chars().next())))
}

/// Whether a text ends in a word, and not in a longer one.
fn ends_with_word(text: &str, word: &str) -> bool {
    let own = is_letter(word.chars().next());
    text.trim_end().strip_suffix(word).is_some_and(|rest| !(own && is_letter(rest.chars().next_back())))
}

/// Whether what stands before the last word of a text turns it round: "no more than".
fn is_denied(text: &str, word: &str) -> bool {
    let text = text.trim_end().strip_suffix(word).unwrap_or_default();
    // Whoever asks why not denies nothing.
    NOT.iter().any(|not| ends_with_word(text, not)) && !ends_with_word(text, "why not")
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, rest) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
        let own = is_letter(word.chars().next());
        !(own && is_letter(before.chars().next_back())) && starts_with_word(rest, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most(text: &str) -> Option<(f64, String)> {
        promise(text).map(|promise| (promise.most, promise.currencies.first().cloned().unwrap_or_default()))
    }

    #[test]
    fn prices_are_read_as_people_write_them() {
        for (text, value, currency) in [
            ("Under 500 kr", 500.0, "NOK"),
            ("below $49.90", 49.9, "USD"),
            ("Up to €1.299,50!", 1299.5, "EUR"),
            ("less than 1,299.50 USD", 1299.5, "USD"),
            ("Maks 1 299 kr.", 1299.0, "NOK"),
            ("Maks 1\u{a0}299,- hos oss", 1299.0, "NOK"),
            ("kr 499", 499.0, "NOK"),
            ("kr. 499", 499.0, "NOK"),
            ("NOK499", 499.0, "NOK"),
            ("200–500 kr", 500.0, "NOK"),
            ("From $100 to $200", 200.0, "USD"),
            ("US$20 or less", 20.0, "USD"),
            ("CHF 1'200", 1200.0, "CHF"),
            ("Unter 30 Euro", 30.0, "EUR"),
            ("< 5 £", 5.0, "GBP"),
            ("2 socks for 99 kr", 99.0, "NOK"),
            ("No more than 100 kr", 100.0, "NOK"),
            ("not over $100", 100.0, "USD"),
            ("Ikke over 100 kr", 100.0, "NOK"),
            ("Nicht mehr als 20 Euro", 20.0, "EUR"),
        ] {
            assert_eq!(most(text), Some((value, currency.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_promise_of_a_price_is_none() {
        for text in [
            "Size 42",
            "Over 500 kr",
            "No frå 150 kr",
            "Why not over 150 kr?",
            "Nicht ab 150 kr",
            "from €20",
            "More than $5",
            "500 kr or more",
            "500 kr+",
            "$100 and over",
            "$50 & up",
            "500 kr and above",
            "$100 or above",
            "kr 500 eller over",
            "Only $10 a month",
            "Only $10/mo",
            "99 kr per måned",
            "99 kr/mnd",
            "Ab 20 Euro",
            "Save 50 kr",
            "$10 off",
            "Free shipping over 300 kr",
            "10 krill",
            "Model R2D2 for 2",
            "5 dollarydoos",
            "",
            "kr",
            "100 % wool",
        ] {
            assert_eq!(most(text), None, "{text}");
        }
    }
}
