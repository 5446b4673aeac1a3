//! What the mouse did.

/// What the mouse did, in cells from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
    /// What it did there.
    pub what: MouseAction,
}

/// What a mouse can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// The left button went down.
    Press,
    /// The mouse was moved while the left button was down.
    Drag,
    /// The left button was let go.
    Release,
    /// The wheel turned up.
    WheelUp,
    /// The wheel turned down.
    WheelDown,
}
