//! An exchange as a line for a shell.

use super::{Recorded, TAKEN_OUT};
use crate::domain::shell::quoted;

/// The exchange as a `curl` command, its credential from `$CUTAWAY_API_KEY`; what else was taken out is left to fill in.
#[must_use]
pub fn curl(recorded: &Recorded) -> String {
    let mut line = format!("curl -sS -X {} {}", recorded.method, quoted(&recorded.url));
    for (name, value) in &recorded.sent.headers {
        if name.eq_ignore_ascii_case("authorization") {
            line.push_str(" -H \"Authorization: Bearer $CUTAWAY_API_KEY\"");
        } else if name.eq_ignore_ascii_case("x-cli-api-key") {
            line.push_str(" -H \"X-CLI-API-Key: $CUTAWAY_API_KEY\"");
        } else if value != TAKEN_OUT {
            line.push_str(" -H ");
            line.push_str(&quoted(&format!("{name}: {value}")));
        }
    }
    if !recorded.sent.body.is_empty() {
        line.push_str(" --data-raw ");
        line.push_str(&quoted(&recorded.sent.body));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::recorded;
    use super::*;

    #[test]
    fn the_key_comes_from_the_environment() {
        assert_eq!(
            curl(&recorded(1, "{}")),
            "curl -sS -X POST 'https://api.example/products-service/searchProductsCursor' \
             -H \"Authorization: Bearer $CUTAWAY_API_KEY\" --data-raw '{\"limit\":\"it'\\''s\"}'"
        );
    }
}
