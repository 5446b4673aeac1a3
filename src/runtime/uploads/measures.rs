//! What a container tells of its film.

/// What a container tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measures {
    /// How long it plays, milliseconds.
    pub duration_ms: Option<u64>,
    /// Width and height, pixels.
    pub picture: Option<(u32, u32)>,
}
