//! Currencies by their codes and symbols.

/// The codes of ISO 4217.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
    CAD CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA \
    MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF \
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED \
    VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// Symbols in small letters, and the currencies that are written with each.
const SYMBOLS: [(&str, &str); 42] = [
    ("€", "EUR"),
    ("£", "GBP EGP FKP GIP LBP SDG SHP SSP SYP"),
    ("¥", "JPY CNY"),
    ("￥", "JPY CNY"),
    ("₹", "INR"),
    ("₨", "INR LKR MUR NPR PKR SCR"),
    ("₩", "KRW KPW"),
    ("₪", "ILS"),
    ("₫", "VND"),
    ("₴", "UAH"),
    ("₺", "TRY"),
    ("₽", "RUB"),
    ("₦", "NGN"),
    ("₱", "PHP CUP"),
    ("฿", "THB"),
    ("₡", "CRC SVC"),
    ("₲", "PYG"),
    ("₸", "KZT"),
    ("₮", "MNT"),
    ("₭", "LAK"),
    ("₼", "AZN"),
    ("₾", "GEL"),
    ("₵", "GHS"),
    ("zł", "PLN"),
    ("kč", "CZK"),
    ("ft", "HUF"),
    ("lei", "RON MDL"),
    ("kr", "NOK SEK DKK ISK"),
    ("us$", "USD"),
    ("ca$", "CAD"),
    ("c$", "CAD NIO"),
    ("a$", "AUD"),
    ("au$", "AUD"),
    ("nz$", "NZD"),
    ("hk$", "HKD"),
    ("s$", "SGD"),
    ("nt$", "TWD"),
    ("mx$", "MXN"),
    ("r$", "BRL"),
    ("rd$", "DOP"),
    ("j$", "JMD"),
    (
        "$",
        "USD ARS AUD BBD BMD BND BOB BRL BSD BZD CAD CLF CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MOP MXN NAD NIO NZD SBD SGD \
         SRD TOP TTD TWD UYU WST XCD ZWG",
    ),
];

/// Whether a word is a code of ISO 4217, as it is written there.
#[must_use]
pub fn is_currency(code: &str) -> bool {
    CODES.split_whitespace().any(|known| known == code)
}

/// Whether the currency of a code is written with a symbol, which may also be a code; nothing where nobody knows what one of
/// them means.
#[must_use]
pub fn has_symbol(code: &str, symbol: &str) -> Option<bool> {
    let code = code.trim().to_ascii_uppercase();
    let symbol = symbol.trim().trim_end_matches('.').to_lowercase();
    if !is_currency(&code) {
        return None;
    }
    let upper = symbol.to_ascii_uppercase();
    if is_currency(&upper) {
        return Some(upper == code);
    }
    let (_, codes) = SYMBOLS.iter().find(|(known, _)| *known == symbol)?;
    Some(codes.split_whitespace().any(|known| known == code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_fits_the_currencies_that_are_written_with_it() {
        for (code, symbol, fits) in [
            ("NOK", "kr", Some(true)),
            ("nok", " Kr. ", Some(true)),
            ("NOK", "NOK", Some(true)),
            ("NOK", "SEK", Some(false)),
            ("NOK", "€", Some(false)),
            ("EUR", "$", Some(false)),
            ("USD", "$", Some(true)),
            ("CAD", "US$", Some(false)),
            ("PLN", "ZŁ", Some(true)),
            ("CZK", "KČ", Some(true)),
            // What these mean nobody has listed.
            ("NOK", "Nkr", None),
            ("CNY", "RMB", None),
            ("KES", "KSh", None),
            ("points", "€", None),
        ] {
            assert_eq!(has_symbol(code, symbol), fits, "{code} {symbol}");
        }
    }

    #[test]
    fn every_symbol_stands_for_known_currencies_and_is_there_once() {
        for (at, (symbol, codes)) in SYMBOLS.iter().enumerate() {
            assert!(codes.split_whitespace().all(is_currency), "{symbol}: {codes}");
            assert_eq!(*symbol, symbol.to_lowercase());
            assert_eq!(SYMBOLS.iter().position(|(other, _)| other == symbol), Some(at));
        }
    }
}
