//! Puts files into the binary: the sample store's, for `service::sample`, and the player's texts in every language that
//! has a file, for `service::http::player`. Each as a table in a file of its own, sorted by path.

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
    fs::write(out.join("sample_files.rs"), table)?;
    fs::write(out.join("player_languages.rs"), languages(&root.join("assets/player/languages"))?)
}

/// Rows of a language's code (the file's name without its ending) and its texts as JSON.
fn languages(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let code = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(table, "    ({code:?}, include_str!({:?})),", file.display().to_string()).map_err(io::Error::other)?;
    }
    table.push(']');
    Ok(table)
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
