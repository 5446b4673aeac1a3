//! Puts files into the binary: the sample store's, for `service::sample`, and the player's own with its texts in every
//! language that has a file, for `service::http::player`. Each as a table in a file of its own, sorted by path. And it tells
//! the program from what it is built.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

#[path = "build/day.rs"]
mod day;
#[path = "build/squeezed.rs"]
mod squeezed;

/// The scripts of the player's page, each behind those that it imports. They are sent as one.
const MODULES: [&str; 6] = ["host.js", "visit.js", "captions.js", "chapters.js", "ahead.js", "player.js"];
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let sample = root.join("assets/sample");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/day.rs");
    println!("cargo::rerun-if-changed=build/squeezed.rs");
    println!("cargo::rerun-if-changed=assets/sample");

    tell_build(&root);
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
    files.push(sample.join("projects.json"));
    files.sort();
    // The folders' names come before this one's. It is read once, and an eighth as large so.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let products = out.join("products.json.gz");
    fs::write(&products, gzipped(&fs::read(sample.join("products.json"))?)?)?;
    let at = files.iter().position(|file| file.ends_with("projects.json")).unwrap_or(files.len());
    for (place, file) in files.iter().enumerate() {
        if place == at {
            row(&mut table, &out, &products)?;
        }
        row(&mut table, &sample, file)?;
    }
    table.push(']');
    fs::write(out.join("sample_files.rs"), table)?;
    fs::write(out.join("player_files.rs"), player_files(&root.join("assets/player"), &out)?)?;
    fs::write(out.join("player_languages.rs"), languages(&root.join("assets/player/languages"))?)
}

/// Rows of a player's file: its name, its media type, its text as it is sent, and that text compressed with Brotli, once
/// for all viewers. The compressor would be a thirtieth of the program.
fn player_files(folder: &Path, out: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let read = |name: &str| fs::read_to_string(folder.join(name));
    let modules = MODULES.iter().map(|name| Ok((*name, read(name)?))).collect::<io::Result<Vec<_>>>()?;
    let modules: Vec<(&str, &str)> = modules.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let sheet = [read("player.css")?, read("captions.css")?].concat();
    let files = [
        ("player.css", STYLE, squeezed::style(&sheet)),
        ("plain.css", STYLE, squeezed::style(&read("plain.css")?)),
        ("player.js", SCRIPT, squeezed::bundle(&modules)),
        ("late.js", SCRIPT, squeezed::script(&read("late.js")?)),
        ("embed.js", SCRIPT, squeezed::script(&read("embed.js")?)),
        ("products.js", SCRIPT, squeezed::script(&read("products.js")?)),
        ("products.css", STYLE, squeezed::style(&read("products.css")?)),
    ];
    let mut table = String::from("&[\n");
    for (name, kind, text) in files {
        let (plain, packed) = (out.join(name), out.join(format!("{name}.br")));
        fs::write(&plain, &text)?;
        let mut file = fs::File::create(&packed)?;
        brotli::BrotliCompress(&mut text.as_bytes(), &mut file, &BrotliEncoderParams::default())?;
        let (plain, packed) = (plain.display().to_string(), packed.display().to_string());
        writeln!(table, "    ({name:?}, {kind:?}, include_str!({plain:?}), include_bytes!({packed:?})),")
            .map_err(io::Error::other)?;
    }
    table.push(']');
    Ok(table)
}

/// Tells the program its target, how it is built and, but for development builds, the commit and the day of its sources:
/// those that a packager names (the day also by `SOURCE_DATE_EPOCH`), else those of git, else the commit that cargo wrote
/// into a package. A development build doesn't ask: a commit would rebuild everything.
fn tell_build(root: &Path) {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let profile = profile().unwrap_or_default();
    println!("cargo::rustc-env=CUTAWAY_TARGET={}", variable("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=CUTAWAY_BUILD_PROFILE={profile}");
    for name in ["CUTAWAY_BUILD_COMMIT", "CUTAWAY_BUILD_DATE", "SOURCE_DATE_EPOCH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let told = || variable("SOURCE_DATE_EPOCH")?.parse().ok().map(day::of);
    let (mut commit, mut date) = (variable("CUTAWAY_BUILD_COMMIT"), variable("CUTAWAY_BUILD_DATE").or_else(told));
    // Only the repository of these sources: they may stand in another one, as a part of it.
    if profile != "debug" && commit.is_none() && root.join(".git").exists() {
        let git = |arguments: &[&str]| {
            let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
            let said = String::from_utf8(output.stdout).ok()?.trim().to_owned();
            (output.status.success() && !said.is_empty()).then_some(said)
        };
        commit = git(&["rev-parse", "HEAD"]);
        date = date.or_else(|| git(&["log", "-1", "--format=%cs"]));
        // Whatever moves to another commit writes a line there.
        for file in ["HEAD", "logs/HEAD"] {
            let path = git(&["rev-parse", "--git-path", file]).map(|path| root.join(path));
            if let Some(path) = path.filter(|path| path.exists()) {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    if let Some(commit) = commit.or_else(|| packaged(root)) {
        println!("cargo::rustc-env=CUTAWAY_COMMIT={}", commit.get(..12).unwrap_or(&commit));
    }
    if let Some(date) = date {
        println!("cargo::rustc-env=CUTAWAY_DATE={date}");
    }
}

/// The profile by its name. Cargo's own variable says `release` of everything that is made from it; where the results go
/// says which it is: `target/[TARGET/]PROFILE/build/PACKAGE/out`.
fn profile() -> Option<String> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    Some(out.ancestors().nth(3)?.file_name()?.to_string_lossy().into_owned())
}

/// The commit that a package was made from.
fn packaged(root: &Path) -> Option<String> {
    let told = fs::read_to_string(root.join(".cargo_vcs_info.json")).ok()?;
    let behind = told.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    behind.chars().all(|c| c.is_ascii_hexdigit()).then(|| behind.to_owned())
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

fn gzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    writer.finish()
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
