//! The form that an upload is: `multipart/form-data` (RFC 7578) with one part, its length known before it is sent.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};

use super::ClientError;
use crate::domain::text;

/// What goes before the file and what goes behind it.
pub(super) struct Form {
    boundary: String,
    before: String,
    after: String,
}

impl Form {
    /// A form whose only part has this name and holds a file.
    pub(super) fn of(part: &str, file_name: &str, content_type: &str) -> Result<Self, ClientError> {
        if content_type.chars().any(char::is_control) {
            return Err(ClientError::Request(format!("{content_type:?} is no media type")));
        }
        // No file holds this by chance.
        let boundary = format!("cutaway-{}", uuid::Uuid::new_v4().simple());
        let before = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{part}\"; filename=\"{}\"\r\nContent-Type: \
             {content_type}\r\n\r\n",
            quotable(file_name)
        );
        let after = format!("\r\n--{boundary}--\r\n");
        Ok(Self { boundary, before, after })
    }

    pub(super) fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// The length of the whole, around a file of so many bytes.
    pub(super) fn length(&self, file: u64) -> u64 {
        file.saturating_add((self.before.len() + self.after.len()) as u64)
    }

    /// The whole, around the pieces of a file.
    pub(super) fn around<E: Send + 'static>(
        self,
        pieces: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> impl Stream<Item = Result<Bytes, E>> + Send + 'static {
        let text = |text: String| stream::once(async { Ok(Bytes::from(text)) });
        text(self.before).chain(pieces).chain(text(self.after))
    }
}

/// A file's name as it may stand between quotes in a header: what would end the line or the quotes is replaced, as is
/// what steers terminals; the rest is the file's own.
fn quotable(name: &str) -> String {
    text::line(name).replace(['"', '\\'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_leave_its_header() {
        assert_eq!(quotable("a b ü.mp4"), "a b ü.mp4");
        let odd = quotable("a\"\r\nX: y\\\u{1b}[2J.mp4");
        assert!(!odd.contains(['"', '\r', '\n', '\\', '\u{1b}']), "{odd}");
    }

    #[tokio::test]
    async fn its_length_is_known_before() {
        let form = Form::of("videoBlob", "a.mp4", "video/mp4").unwrap();
        let length = form.length(4);
        let pieces = form.around(stream::iter([Ok::<_, ()>(Bytes::from_static(b"film"))]));
        let sizes = pieces.map(|piece| piece.unwrap().len() as u64).collect::<Vec<_>>().await;
        assert_eq!(sizes.into_iter().sum::<u64>(), length);
    }
}
