//! Puts the sample store's files into the binary: writes a table of them, sorted by path, for `service::sample`.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let sample = root.join("assets/sample");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=assets/sample");

    let mut table = String::from("&[\n");
    let mut files = Vec::new();
    for folder in ["pictures", "videos"] {
        let entries = fs::read_dir(sample.join(folder)).into_iter().flatten();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|kind| kind == "jpg" || kind == "png" || kind == "mp4") {
                files.push(path);
            }
        }
    }
    files.push(sample.join("products.json"));
    files.push(sample.join("projects.json"));
    files.sort();
    for file in files {
        row(&mut table, &sample, &file)?;
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("sample_files.rs"), table)
}

fn row(table: &mut String, sample: &Path, file: &Path) -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    fs::read(file)?.hash(&mut hasher);
    let path = file.strip_prefix(sample).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
    let etag = format!("\"{:016x}\"", hasher.finish());
    writeln!(
        table,
        "    SampleFile {{ path: {path:?}, etag: {etag:?}, bytes: include_bytes!({:?}) }},",
        file.display().to_string()
    )
    .map_err(io::Error::other)
}
