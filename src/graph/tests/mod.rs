//! What holds for any graph, and what a few look like.

mod crossings;
mod generate;
mod paint;
mod pictures;
mod properties;
mod steps;

// The generators are measured with too, from outside the crate: they name these by way of their parent.
use crate::domain::{Answer, Step, StepId, StepName, VideoId};
