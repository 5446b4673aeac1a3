//! What a file is, by its leading bytes.

/// The media type of a video by its leading bytes; `None` where they are no video's.
#[must_use]
pub fn video_type(head: &[u8]) -> Option<&'static str> {
    /// Brands of files that are built like videos and are pictures or sound.
    const NO_VIDEO: [&[u8]; 8] = [b"heic", b"heix", b"mif1", b"msf1", b"avif", b"M4A ", b"M4B ", b"crx "];
    if head.get(4..8) == Some(b"ftyp") {
        return match head.get(8..12)? {
            b"qt  " => Some("video/quicktime"),
            b"M4V " | b"M4VH" | b"M4VP" => Some("video/x-m4v"),
            brand if NO_VIDEO.contains(&brand) => None,
            brand if brand.starts_with(b"3g") => Some("video/3gpp"),
            _ => Some("video/mp4"),
        };
    }
    if head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) {
        let webm = head.windows(4).any(|word| word == b"webm");
        return Some(if webm { "video/webm" } else { "video/x-matroska" });
    }
    // A transport stream: packets of 188 bytes that all begin alike.
    if head.first() == Some(&0x47) && head.get(188) == Some(&0x47) && head.get(376) == Some(&0x47) {
        return Some("video/mp2t");
    }
    let kind = infer::get(head)?;
    (kind.matcher_type() == infer::MatcherType::Video).then(|| kind.mime_type())
}

/// How many leading bytes [`video_type`] looks at.
pub const HEAD: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn videos_are_known_by_their_leading_bytes() {
        assert_eq!(video_type(b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2"), Some("video/mp4"));
        assert_eq!(video_type(b"\0\0\0\x14ftypqt  \0\0\x02\0"), Some("video/quicktime"));
        assert_eq!(
            video_type(b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x84webm"),
            Some("video/webm")
        );
        assert_eq!(video_type(b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"), Some("video/x-matroska"));
        assert_eq!(video_type(b"RIFF\x24\x10\0\0AVI LIST"), Some("video/x-msvideo"));
        for other in
            [&b"\x89PNG\r\n\x1a\n"[..], b"\0\0\0\x18ftypheic", b"%PDF-1.7", b"MZ", b"RIFF\0\0\0\0WAVE", b"<html>"]
        {
            assert_eq!(video_type(other), None, "{other:?}");
        }
    }
}
