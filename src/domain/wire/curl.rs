//! An exchange as a line for a shell.

use url::Url;

use super::{Recorded, TAKEN_OUT};
use crate::domain::shell::quoted;

/// The exchange as a `curl` command, its credential from `$CUTAWAY_API_KEY`; what else was taken out is left to fill in.
#[must_use]
pub fn curl(recorded: &Recorded) -> String {
    let mut line = format!("curl -sS -X {}", recorded.method);
    let url = match &recorded.socket {
        None => recorded.url.clone(),
        Some(socket) => {
            line.push_str(" --unix-socket ");
            line.push_str(&quoted(socket));
            at_localhost(&recorded.url)
        }
    };
    line.push(' ');
    line.push_str(&quoted(&url));
    for (name, value) in &recorded.sent.headers {
        if recorded.socket.is_some() && name.eq_ignore_ascii_case("host") {
            continue;
        }
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

/// The address at the host that every tool knows: by a socket any name leads to the same service.
fn at_localhost(url: &str) -> String {
    let Ok(mut there) = Url::parse(url) else { return url.to_owned() };
    match there.set_host(Some("localhost")) {
        Ok(()) => there.into(),
        Err(_) => url.to_owned(),
    }
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

    #[test]
    fn what_went_by_a_socket_goes_by_it_again() {
        let sent = super::super::Message {
            headers: vec![("host".to_owned(), "local".to_owned())],
            ..recorded(1, "").received
        };
        let socket = Some("/home/jo's/cutaway/s".to_owned());
        let url = "http://local/projects?x=1".to_owned();
        let listed = Recorded { method: "GET", url, socket, sent, ..recorded(1, "") };
        assert_eq!(
            curl(&listed),
            r"curl -sS -X GET --unix-socket '/home/jo'\''s/cutaway/s' 'http://localhost/projects?x=1'"
        );
    }
}
