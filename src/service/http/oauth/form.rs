//! Parameters of the authorization server: from a query or a form, each at most once (RFC 6749 §3.1).

use axum::extract::Request;

use crate::api::Problem;
use crate::domain::NO_NUL;
use crate::service::http::small;

/// The largest form, bytes.
const MOST_FORM: usize = 16 * 1024;

/// The parameters of a request. Empty ones count as left out.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Form {
    pairs: Vec<(String, String)>,
}

/// Why parameters can't be taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    /// One came twice.
    #[error("the parameter {0} came twice")]
    Twice(String),
    /// One has a text that can't be kept.
    #[error("the parameter {0} {NO_NUL}")]
    Nul(String),
}

impl Form {
    pub(super) fn read(text: &[u8]) -> Result<Self, Unfit> {
        let mut form = Self::default();
        for (name, value) in url::form_urlencoded::parse(text) {
            if form.pairs.iter().any(|(seen, _)| *seen == name) {
                return Err(Unfit::Twice(name.into_owned()));
            }
            if name.contains('\0') || value.contains('\0') {
                return Err(Unfit::Nul(name.replace('\0', "\u{fffd}")));
            }
            form.pairs.push((name.into_owned(), value.into_owned()));
        }
        Ok(form)
    }

    /// The form in a request's body.
    pub(super) async fn of(request: Request) -> Result<Result<Self, Unfit>, Problem> {
        let (parts, body) = request.into_parts();
        if small::media_type(&parts.headers) != "application/x-www-form-urlencoded" {
            return Err(Problem::new(415, "The body must be application/x-www-form-urlencoded."));
        }
        Ok(Self::read(&small::read(&parts.headers, body, MOST_FORM).await?))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let pair = self.pairs.iter().find(|(seen, _)| seen == name);
        pair.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_once() {
        let form = Form::read(b"a=1&b=&c=x+y%26z").unwrap();
        assert_eq!(
            (form.get("a"), form.get("b"), form.get("c"), form.get("d")),
            (Some("1"), None, Some("x y&z"), None)
        );
        assert_eq!(Form::read(b"a=1&a=1"), Err(Unfit::Twice("a".to_owned())));
        assert_eq!(Form::read(b"a=1&b=x%00"), Err(Unfit::Nul("b".to_owned())));
    }
}
