//! What several screens draw with.

pub mod chips;
pub mod chooser;
mod confirm;
pub mod edit;
pub mod films;
pub mod frame;
pub mod graph;
pub mod masked;
mod noted;
mod page;
pub mod paint;
mod picker;
pub mod pictures;
pub mod player_form;
pub mod problems;
mod prompt;
pub mod prose;
pub mod qr;
mod question;
pub mod rows;
mod select;
mod severity;
pub mod time;
pub mod tree;

pub use confirm::Confirm;
pub use edit::LineEdit;
pub use frame::{Panel, scrollbar, wipe};
pub use noted::{Linked, Noted};
pub use page::Page;
pub use paint::{
    Awaited, Ink, Piece, Role, ground, number, number_in, piece, put, put_pieces, put_right, select, shortened, width,
};
pub use picker::{Entry, Picked, Picker};
pub use prompt::Prompt;
pub use prose::Prose;
pub use question::{Answered, Answers, Asked, Choice, Question};
pub use rows::RowCursor;
pub use select::Select;
pub use severity::{notice_sign, severity_role, severity_sign, severity_spoken, severity_word};
