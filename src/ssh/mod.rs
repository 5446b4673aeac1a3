//! The door for guests: the studio and the data commands over SSH, for those whose public keys the owner of the data
//! folder let in.

pub mod keys;
