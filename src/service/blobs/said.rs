//! What S3 says: the lists and failures that its documents hold.

use object_store::{Error, MultipartId};
use quick_xml::events::Event;

use super::BlobError;

/// Letters of a failure that are shown at most.
const MOST: usize = 300;

/// The texts of the elements of a document that have no others in them, each with its name.
fn elements(xml: &[u8], mut each: impl FnMut(&[u8], &str)) -> Result<(), quick_xml::Error> {
    let mut reader = quick_xml::Reader::from_reader(xml);
    let mut text = String::new();
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(()),
            Event::Start(_) => text.clear(),
            Event::Text(piece) => text.push_str(&String::from_utf8_lossy(&piece)),
            Event::GeneralRef(name) => {
                text.push_str(
                    quick_xml::escape::resolve_predefined_entity(&String::from_utf8_lossy(&name)).unwrap_or("&"),
                );
            }
            Event::End(end) => {
                each(end.local_name().as_ref(), &text);
                text.clear();
            }
            _ => {}
        }
    }
}

/// The ids of the uploads of a key in what S3 says.
pub(super) fn uploads(xml: &[u8], key: &str) -> Result<Vec<MultipartId>, quick_xml::Error> {
    let (mut upload, mut of, mut found) = (String::new(), String::new(), Vec::new());
    elements(xml, |name, text| match name {
        b"UploadId" => text.clone_into(&mut upload),
        b"Key" => text.clone_into(&mut of),
        b"Upload" => {
            let (upload, of) = (std::mem::take(&mut upload), std::mem::take(&mut of));
            if of == key && !upload.is_empty() {
                found.push(upload);
            }
        }
        _ => {}
    })?;
    Ok(found)
}

/// One line of what a failure says, without anything that could steer a terminal. S3 adds a document: of that, its code and
/// its message.
pub(super) fn line(text: &str) -> String {
    let (before, document) = text.split_at(text.find('<').unwrap_or(text.len()));
    let mut parts = vec![before.trim().trim_end_matches(':').to_owned(), String::new(), String::new()];
    // What is read until something in it is wrong is enough.
    let _ = elements(document.as_bytes(), |name, text| match (name, parts.as_mut_slice()) {
        (b"Code", [_, code, _]) if code.is_empty() => text.clone_into(code),
        (b"Message", [_, _, message]) if message.is_empty() => text.clone_into(message),
        _ => {}
    });
    parts.retain(|part| !part.is_empty());
    let line = parts.join(": ");
    let line = line.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

/// What went wrong, in one line: the innermost cause, which holds no address and no key.
pub(super) fn cause(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    line(&cause.to_string())
}

/// What a failure is to a request.
pub(super) fn away(error: Error) -> BlobError {
    BlobError::Away(match &error {
        Error::NotFound { .. } => "there is no such bucket or upload".to_owned(),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            "the keys are not allowed to do this".to_owned()
        }
        error => cause(error),
    })
}

/// Why a place can't be used, as a part of one line.
pub(super) fn at_start(error: &Error) -> String {
    match error {
        Error::NotFound { .. } => "there is no such bucket".to_owned(),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            "the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not allowed to write there".to_owned()
        }
        error => format!("S3 can't be used: {}", cause(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::{line, uploads};

    #[test]
    fn uploads_are_read_from_what_s3_says() {
        let xml = br#"<?xml version="1.0" encoding="UTF-8"?>
<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Bucket>films</Bucket><KeyMarker></KeyMarker><UploadIdMarker/><MaxUploads>1000</MaxUploads>
  <Upload><Key>a/videos/1</Key><UploadId>XMgbGlrZSBl.-_</UploadId><Initiator><ID>x</ID></Initiator></Upload>
  <Upload><UploadId>second</UploadId><Key>a/videos/1</Key></Upload>
  <Upload><UploadId>other</UploadId><Key>a/videos/12</Key></Upload>
</ListMultipartUploadsResult>"#;
        assert_eq!(uploads(xml, "a/videos/1").unwrap(), ["XMgbGlrZSBl.-_", "second"]);
        assert!(uploads(b"<ListMultipartUploadsResult/>", "a").unwrap().is_empty());
        assert!(uploads(b"<a><b></a>", "a").is_err());
    }

    #[test]
    fn a_failure_is_one_line_with_its_code_and_message() {
        let said = "Server returned non-2xx status code: 400 Bad Request: <?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <Error><Code>ExpiredToken</Code><Message>The token \u{1b}[31m&quot;t&quot; has\u{7} expired</Message>\
            <RequestId>1</RequestId></Error>";
        let line_of =
            "Server returned non-2xx status code: 400 Bad Request: ExpiredToken: The token [31m\"t\" has expired";
        assert_eq!(line(said), line_of);
        assert_eq!(line("400 Bad Request: <html><body>no"), "400 Bad Request");
        assert_eq!(line("error sending request\nand more"), "error sending request");
        assert_eq!(line("<Error><Code>SlowDown</Code>"), "SlowDown");
    }
}
