//! What several screens draw with.

pub mod chips;
pub mod chooser;
pub mod edit;
pub mod frame;
pub mod graph;
pub mod masked;
pub mod paint;
pub mod prose;
pub mod qr;
pub mod time;
pub mod tree;

pub use edit::LineEdit;
pub use frame::{Panel, scrollbar};
pub use paint::{Ink, Piece, Role, number, number_in, piece, put, put_pieces, put_right, select, width};
pub use prose::Prose;
