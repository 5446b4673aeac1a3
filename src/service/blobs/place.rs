//! Where files are kept in S3: `s3://BUCKET/PREFIX`, and how it is reached.

use std::fmt;
use std::str::FromStr;

use object_store::path::Path;
use url::Url;
use url::form_urlencoded;

/// A bucket of S3, or of what speaks S3, and the prefix of what is kept in it.
///
/// `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`; what is not said, keys above all, comes from the variables that start
/// with `AWS_`. Where the text comes from a file or a variable it may also hold the keys: `s3://ID:SECRET@BUCKET/PREFIX`.
#[derive(Clone, PartialEq, Eq)]
pub struct S3Place {
    pub(super) bucket: String,
    pub(super) prefix: String,
    pub(super) endpoint: Option<String>,
    pub(super) region: Option<String>,
    pub(super) keys: Option<(String, String)>,
}

/// Why a text is no place in S3. None of it repeats the text, which may hold a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// Another scheme, or none.
    #[error("must be s3://BUCKET/PREFIX")]
    Form,
    /// The bucket's name can't be one.
    #[error("must name a bucket: 3 to 63 lower-case letters, digits, dots and hyphens")]
    Bucket,
    /// The prefix can't be one.
    #[error("has a prefix that can't be used; use letters, digits, hyphens and slashes")]
    Prefix,
    /// A parameter that is not known.
    #[error(
        "may only have the parameters endpoint and region; set keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    Parameter,
    /// The endpoint is no address, or has more than one.
    #[error("has an endpoint that isn't an http(s) address, such as https://s3.example.com")]
    Endpoint,
    /// An id without its secret, or the reverse.
    #[error("must have both a key's ID and its secret, or neither")]
    Keys,
}

/// What an address has for a character that can't stand in it.
fn decoded(text: &str) -> String {
    // A plus is a plus here, and keys have them.
    let text = text.replace('+', "%2B");
    form_urlencoded::parse(text.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

fn is_bucket(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    (3..=63).contains(&name.len()) && name.bytes().all(known) && !name.starts_with(['.', '-']) && !name.contains("..")
}

fn endpoint(text: &str) -> Result<String, PlaceError> {
    let url = Url::parse(text).map_err(|_| PlaceError::Endpoint)?;
    let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    if !matches!(url.scheme(), "http" | "https") || !bare || url.fragment().is_some() {
        return Err(PlaceError::Endpoint);
    }
    Ok(text.trim_end_matches('/').to_owned())
}

impl S3Place {
    /// Whether it has a secret in it.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.keys.is_some()
    }

    /// Bucket and prefix, without how they are reached.
    #[must_use]
    pub fn name(&self) -> String {
        if self.prefix.is_empty() {
            format!("s3://{}", self.bucket)
        } else {
            format!("s3://{}/{}", self.bucket, self.prefix)
        }
    }
}

impl FromStr for S3Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let url = Url::parse(text.trim()).map_err(|_| PlaceError::Form)?;
        if url.scheme() != "s3" || url.port().is_some() || url.fragment().is_some() {
            return Err(PlaceError::Form);
        }
        let bucket = url.host_str().filter(|name| is_bucket(name)).ok_or(PlaceError::Bucket)?.to_owned();
        let prefix = decoded(url.path()).trim_matches('/').to_owned();
        // As S3 keeps it, too: nothing in it has to be written in another way.
        if prefix.len() > 512 || Path::parse(&prefix).is_err() || Path::from(prefix.as_str()).as_ref() != prefix {
            return Err(PlaceError::Prefix);
        }
        let (mut at, mut region) = (None, None);
        for (name, value) in url.query_pairs() {
            match name.as_ref() {
                "endpoint" if at.is_none() => at = Some(endpoint(&value)?),
                "region" if region.is_none() && !value.is_empty() => region = Some(value.into_owned()),
                _ => return Err(PlaceError::Parameter),
            }
        }
        let keys = match (url.username(), url.password()) {
            ("", None) => None,
            ("", Some(_)) | (_, None | Some("")) => return Err(PlaceError::Keys),
            (id, Some(secret)) => Some((decoded(id), decoded(secret))),
        };
        Ok(Self { bucket, prefix, endpoint: at, region, keys })
    }
}

impl fmt::Debug for S3Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("S3Place").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<S3Place, PlaceError> {
        text.parse()
    }

    #[test]
    fn a_place_is_a_bucket_and_a_prefix() {
        let place = read("s3://films/shop/one/?endpoint=http://127.0.0.1:9000/&region=eu-west-1").unwrap();
        assert_eq!((place.bucket.as_str(), place.prefix.as_str()), ("films", "shop/one"));
        assert_eq!(place.endpoint.as_deref(), Some("http://127.0.0.1:9000"));
        assert_eq!((place.region.as_deref(), place.name().as_str()), (Some("eu-west-1"), "s3://films/shop/one"));
        assert!(!place.has_secret());
        assert_eq!(read("s3://films").unwrap().name(), "s3://films");
        assert_eq!(read("s3://films/").unwrap().prefix, "");
    }

    #[test]
    fn keys_in_it_are_read_and_never_shown() {
        let place = read("s3://AKIA:se%2Fcr+et@films/shop").unwrap();
        assert_eq!(place.keys, Some(("AKIA".to_owned(), "se/cr+et".to_owned())));
        assert!(place.has_secret() && !format!("{place:?} {}", place.name()).contains("cr+et"));
        assert_eq!(read("s3://AKIA@films/shop"), Err(PlaceError::Keys));
        assert_eq!(read("s3://:x@films/shop"), Err(PlaceError::Keys));
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for (text, why) in [
            ("", PlaceError::Form),
            ("films/shop", PlaceError::Form),
            ("https://films/shop", PlaceError::Form),
            ("s3://films/shop#x", PlaceError::Form),
            ("s3:///shop", PlaceError::Bucket),
            ("s3://Films_1/shop", PlaceError::Bucket),
            ("s3://ab", PlaceError::Bucket),
            ("s3://films/a//b", PlaceError::Prefix),
            ("s3://films/a%0Ab", PlaceError::Prefix),
            ("s3://films/a?secret_access_key=x", PlaceError::Parameter),
            ("s3://films/a?region=a&region=b", PlaceError::Parameter),
            ("s3://films/a?endpoint=films.example", PlaceError::Endpoint),
            ("s3://films/a?endpoint=https://a:b@films.example", PlaceError::Endpoint),
        ] {
            assert_eq!(read(text), Err(why), "{text}");
        }
    }
}
