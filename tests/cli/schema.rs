//! `cutaway schema`: what it prints is a JSON Schema, the files that Cutaway brings and the files of its pages follow it,
//! and what the program doesn't take doesn't either. Schemas are read by a validator that is not ours.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// A schema, compiled.
struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// As the command prints it.
    fn of(kind: &str) -> Self {
        let printed = Command::new(env!("CARGO_BIN_EXE_cutaway")).args(["schema", kind]).output().unwrap();
        assert!(printed.status.success() && printed.stderr.is_empty(), "{printed:?}");
        let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{kind}");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap();
        Self { schemas, index }
    }

    fn takes(&self, document: &Value) -> Result<(), String> {
        self.schemas.validate(document, self.index).map_err(|error| format!("{error:#}\n{document:#}"))
    }

    #[track_caller]
    fn refuses(&self, toml: &str) {
        assert!(self.takes(&read(toml)).is_err(), "it should be refused:\n{toml}");
    }
}

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// TOML as the JSON that it stands for.
fn read(text: &str) -> Value {
    toml::from_str::<Value>(text).unwrap()
}

/// The TOML files on a page.
fn on_page(name: &str) -> Vec<String> {
    let text = fs::read_to_string(page(name)).unwrap();
    let blocks = text.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned());
    blocks.collect()
}

#[test]
fn keymaps_follow_theirs() {
    let schema = Schema::of("keymap");
    schema.takes(&read(&fs::read_to_string(page("assets/keymap.toml")).unwrap())).unwrap();
    let blocks = on_page("docs/keymap.md");
    assert!(!blocks.is_empty());
    for block in blocks {
        schema.takes(&read(&block)).unwrap();
    }
    schema.takes(&read("[global]\n\"ctrl-alt-x\" = \"app.quit\"\nm = \"app.mark\"\n")).unwrap();
    for preset in ["vim", "emacs"] {
        let file = page(&format!("assets/keymap-{preset}.toml"));
        schema.takes(&read(&fs::read_to_string(file).unwrap())).unwrap();
        schema.takes(&read(&format!("preset = \"{preset}\""))).unwrap();
    }
    schema.takes(&read("[steps]\n\"ctrl-x ctrl-s\" = \"steps.save\"\nf5 = { run = [\"a\"], ask = true }\n")).unwrap();
    for wrong in [
        "preset = \"nano\"",
        "[global]\n\"a b c d e\" = \"app.quit\"",
        "[global]\nx = { run = [] }",
        "[global]\nx = { title = \"none\" }",
        "[global]\nx = { run = [\"a\"], shell = true }",
        "[global]\nx = \"app.fly\"",
        "[kitchen]\nx = \"app.quit\"",
        "[global]\nhyper-x = \"app.quit\"",
        "[global]\nf13 = \"app.quit\"",
        "[global]\nx = 3",
    ] {
        schema.refuses(wrong);
    }
}

#[test]
fn themes_follow_theirs() {
    let schema = Schema::of("theme");
    let mut count = 0;
    for file in fs::read_dir(page("themes")).unwrap() {
        schema.takes(&read(&fs::read_to_string(file.unwrap().path()).unwrap())).unwrap();
        count += 1;
    }
    for block in on_page("docs/themes.md").into_iter().filter(|block| block.contains("[roles]")) {
        schema.takes(&read(&block)).unwrap();
        count += 1;
    }
    assert!(count >= 6, "{count}");
    for wrong in [
        "[basic]\nok = \"red\"",
        "[roles]\nglow = \"red\"",
        "[roles]\nok = \"#12\"",
        "[roles]\nok = \"256\"",
        "[roles]\nok = { fg = \"red\", blink = true }",
    ] {
        schema.refuses(wrong);
    }
}

#[test]
fn settings_follow_theirs() {
    let schema = Schema::of("config");
    let all = "version = 1\ndefault_profile = \"a\"\ntheme = \"dark\"\nresume = false\nlost_after_minutes = 5\n\
               pictures = \"sixel\"\nlinks = \"on\"\nambiguous_width = \"narrow\"\n\
               ask_terminal = \"off\"\ncolors = \"24bit\"\npassthrough = \"on\"\nclipboard = \"wrapped\"\nmouse = \"off\"\n\
               keyboard_protocol = \"on\"\nshortcuts = \"el+ech+rep\"\nmultiplexer = \"none\"\n[profiles.a]\nbase_url = \"https://a.example\"\nlb_base_url = \"https://b.example\"\n\
               upload_url = \"https://c.example\"\nauth_url = \"http://127.0.0.1:1\"\napp_url = \"https://s.example\"\n\
               stores = [\"https://s.example\", { url = \"https://t.example\", name = \"T\" }]\nread_only = true\n\
               live = true\ncolor = \"light_red\"\ntheme = \"ansi\"\n";
    assert_eq!(cutaway::settings::Config::parse(all, "c").warnings, [] as [&str; 0]);
    schema.takes(&read(all)).unwrap();
    let mut count = 0;
    for file in fs::read_dir(page("docs")).unwrap() {
        let name = format!("docs/{}", file.unwrap().file_name().to_str().unwrap());
        let is_page = Path::new(&name).extension().is_some_and(|ending| ending == "md");
        let is_other = ["docs/keymap.md", "docs/project-file.md"].contains(&name.as_str()) || !is_page;
        for block in if is_other { Vec::new() } else { on_page(&name) } {
            if !block.contains("[roles]") {
                schema.takes(&read(&block)).unwrap();
                count += 1;
            }
        }
    }
    assert!(count >= 2, "the pages have examples: {count}");
    // Whatever the program warns of.
    for wrong in [
        "version = 2",
        "speed = 3",
        "theme = 3",
        "resume = \"yes\"",
        "lost_after_minutes = 0",
        "pictures = \"many\"",
        "links = true",
        "ambiguous_width = \"2\"",
        "colors = \"8\"",
        "mouse = false",
        "clipboard = \"tmux\"",
        "shortcuts = \"el+\"",
        "shortcuts = \"auto+el\"",
        "multiplexer = \"zellij\"",
        "[profiles]\na = 3",
        "[profiles.a]\nbase_url = \"nonsense\"",
        "[profiles.a]\nspeed = 3",
        "[profiles.a]\nread_only = \"yes\"",
        "[profiles.a]\ncolour = \"#12\"",
        "[profiles.a]\nstores = [{ name = \"no\" }]",
    ] {
        assert!(!cutaway::settings::Config::parse(wrong, "c").warnings.is_empty(), "{wrong}");
        schema.refuses(wrong);
    }
}

#[test]
fn project_files_follow_theirs() {
    let schema = Schema::of("project");
    let blocks = on_page("docs/project-file.md");
    assert!(!blocks.is_empty());
    for block in blocks {
        schema.takes(&read(&block)).unwrap();
    }
    for wrong in [
        "name = \"no version\"",
        "cutaway = 99\nname = \"x\"",
        "cutaway = 2\nname = \" \"",
        "cutaway = 2\nname = \"x\"\nspeed = 1",
        "cutaway = 2\nname = \"x\"\n[[steps]]\nname = \"\"",
        "cutaway = 2\nname = \"x\"\n[[steps]]\nname = \"a\"\nanswerTime = -1",
        "cutaway = 2\nname = \"x\"\n[[steps]]\nname = \"a\"\n[[steps.answers]]\nnext = \"a\"",
        "cutaway = 2\nname = \"x\"\n[[steps]]\nname = \"a\"\n[[steps.products]]\nstore = \"\"\nproductId = \"1\"",
        "cutaway = 2\nname = \"x\"\n[player]\nbrandColor = \"red\"",
    ] {
        assert!(cutaway::draft::ProjectFile::read(wrong).is_err(), "{wrong}");
        schema.refuses(wrong);
    }
}

/// What the program itself writes, of every project of the sample store, in both forms.
#[test]
fn exported_projects_follow_theirs() {
    let schema = Schema::of("project");
    let served = serving::Served::start();
    let list = served.json(&["projects", "list"]);
    let ids: Vec<&str> = list["projects"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.len() >= 4);
    for id in ids {
        schema.takes(&read(&served.prints(&["projects", "export", id, "-", "--format", "toml"]))).unwrap();
        let file = served.prints(&["projects", "export", id, "-", "--format", "json"]);
        let file: Value = serde_json::from_str(&file).unwrap();
        schema.takes(&file).unwrap();
        assert_eq!(file["cutaway"], 2);
    }
}
