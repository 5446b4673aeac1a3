//! What is said of texts of events that are not kept.

/// That texts were left out, for people.
pub(super) fn told(withheld: u64) -> String {
    let texts = if withheld == 1 { "1 text".to_owned() } else { format!("{withheld} texts") };
    format!("{texts} not kept: they may name a viewer")
}
