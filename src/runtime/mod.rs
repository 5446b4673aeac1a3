//! Where the pure rooms meet the world: connections to services, the loop, and one driver per kind of effect.

pub mod connection;
