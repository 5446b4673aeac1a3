//! A project's steps as a graph: what leads where, what is wrong with it, how it is walked, where its cards stand and how
//! the lines between them run. Pure: steps in, values out, the same ones every time.
//!
//! A [`Graph`] is built again from the steps after every edit. A [`Layout`] outlives edits: it *follows* the graph, so that
//! cards stay where a person left them, and is made again only when asked. [`Routes`] are the lines of one graph on
//! one layout, with an index so that a frame pays only for what it shows.

mod alike;
mod arrange;
mod channel;
mod chart;
mod check;
mod coverage;
mod dense;
mod detour;
mod export;
mod fix;
mod fixing;
mod follow;
mod give_way;
mod glyph;
mod known;
mod lane;
mod lattice;
mod layers;
mod layout;
mod level;
mod nets;
mod order;
mod paths;
mod route;
mod rows;
mod segment;
mod shares;
mod steps;
mod stub;
mod svg;
mod walk;

#[cfg(test)]
mod tests;

pub use chart::{Chart, Direction};
pub use check::{Checked, Fault, Kind, Severity};
pub use coverage::Coverage;
pub use fix::Fix;
pub use glyph::{Mask, glyph, glyph_ascii, glyph_heavy};
pub use known::Known;
pub use layout::{Card, Layout, Rect};
pub use level::Level;
pub use paths::Paths;
pub use route::Routes;
pub use segment::Cell;
pub use shares::Shares;
pub use steps::{Edge, Graph, Leads, Node, Port, StepKey};
pub use stub::{Stub, StubKind};
pub use walk::{Ending, OutlineRow};
