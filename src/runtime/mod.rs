//! Where the pure rooms meet the world: connections to services, the loop, and one driver per kind of effect.

pub mod connection;
pub mod editor;
pub mod export;
pub mod journals;
pub mod pictures;
pub mod products;
pub mod projects;
pub mod remember;
pub mod saving;
pub mod steps;
pub mod studio;
pub mod surface;
pub mod traffic;
pub mod tty;
pub mod world;
