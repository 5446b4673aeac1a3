//! What a video file says of itself.

/// The containers that browsers play, and others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Container {
    /// MP4.
    Mp4,
    /// `WebM`.
    Webm,
    /// Another one, by its name.
    Other(&'static str),
}

/// A kind of coded pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codec {
    /// H.264.
    Avc,
    /// VP9.
    Vp9,
    /// AV1.
    Av1,
    /// HEVC, which some browsers play.
    Hevc,
    /// Another one, by the name that the file gives it.
    Other(String),
}

/// What is known of a video. What is not known is left out: the file doesn't say, or was not read so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Film {
    /// What it is packed in.
    pub container: Option<Container>,
    /// How its pictures are coded.
    pub codec: Option<Codec>,
    /// Whether there is a sound track.
    pub sound: Option<bool>,
    /// How loud it is, LUFS.
    pub loudness: Option<f64>,
    /// Whether the index stands before the pictures.
    pub index_first: Option<bool>,
    /// Its size, bytes.
    pub bytes: Option<u64>,
    /// How long it plays, seconds.
    pub seconds: Option<f64>,
    /// Width and height as they are shown, pixels.
    pub picture: Option<(u32, u32)>,
    /// Whether there is a track of text.
    pub text_track: Option<bool>,
    /// Whether there are captions beside it.
    pub captions: Option<bool>,
    /// How much its first three seconds take, bytes.
    pub beginning: Option<u64>,
    /// What tells its content from any other.
    pub hash: Option<[u8; 32]>,
}

/// How long the beginning is, seconds.
pub(super) const BEGINNING: f64 = 3.0;
