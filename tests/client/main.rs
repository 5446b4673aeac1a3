//! The client against services that are slow, odd, or say no.

mod access;
mod calls;
mod upload;
