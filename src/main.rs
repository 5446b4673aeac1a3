//! The binary: parses the command line, runs one command, turns its error into an exit code.

use std::process::ExitCode;

/// What many threads allocate and free in turn is used again, and what is not goes back to the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before any terminal guard, or a panic would leave the alternate screen up. A second installation can't happen.
    let _ = color_eyre::install();
    cutaway::terminal::panics::guard_terminal();
    cutaway::cli::main(std::env::args_os())
}
