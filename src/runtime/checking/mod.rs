//! Reading what the rules of the lint look at: products page by page, videos by their index. For the command line, and for
//! the lists of problems in the studio. And what is ignored, in files.

mod addresses;
pub mod baseline;
pub mod films;
pub mod products;

pub use addresses::Asking;
