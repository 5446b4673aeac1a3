//! What this screen hears from the world and what it asks of it.

/// What happened, for the Projects screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {}

/// What the world should do for the Projects screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {}
