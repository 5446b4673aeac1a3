//! Screens by key scripts: a line of keys in, a screen out, over the real `update` and `view`.

mod hostile;
mod probe;
mod products;
mod scripts;
mod videos;
