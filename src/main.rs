//! The binary: parses the command line, runs one command, turns its error into an exit code.

fn main() {}
