//! Programs that a test writes for the real one to start.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)] // Helpers of tests are tests too.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program that `sh` runs. A process of its own writes it: a file that this one writes is held open, until it
/// starts, by any child that another test makes at that moment, and what somebody writes nobody can start (`ETXTBSY`).
pub fn script(path: &Path, lines: &str) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
    let mut writer = writer.stdin(Stdio::piped()).spawn().unwrap();
    write!(writer.stdin.take().unwrap(), "#!/bin/sh\n{lines}\n").unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}
