//! The archive for support, from the command line.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use super::Findings;
use crate::cli::{Failure, Session, confirm};
use crate::domain::text;
use crate::domain::wire::{Recorded, WireLog};
use crate::runtime::bundle::{Bundle, Source};
use crate::runtime::host::Files;

/// Writes the archive.
pub(super) fn write(
    session: &Session,
    file: &Path,
    findings: &Findings,
    log: &WireLog,
    mask: bool,
    yes: bool,
) -> Result<(), Failure> {
    if file.exists() {
        return Err(Failure::Usage(format!("{} already exists; choose another name", file.display())));
    }
    let source = Source {
        folders: &session.folders,
        config: &session.config,
        target: &session.target,
        stores: &[],
        environment: &session.environment,
        home: session.environment.get("HOME"),
        mask,
    };
    let exchanges: Vec<&Recorded> = log.iter().map(AsRef::as_ref).collect();
    let first = ("doctor.json", "the checks, as shown above", findings.document());
    let bundle = Bundle::gather(&source, first, &exchanges);
    let mut stderr = io::stderr();
    let without = if mask { ", names and addresses" } else { "" };
    let _ = writeln!(stderr, "{} will contain, without secrets{without}:", file.display());
    for line in bundle.listing() {
        let _ = writeln!(stderr, "  {}", text::line(&line));
    }
    if !yes && io::stdin().is_terminal() && stderr.is_terminal() {
        confirm::question("Write the archive?", "nothing was written")?;
    }
    bundle
        .write(&Files::of_process(), file)
        .map_err(|error| Failure::Faulty(format!("{}: {error}", file.display())))?;
    let _ = writeln!(stderr, "Wrote {}", file.display());
    Ok(())
}
