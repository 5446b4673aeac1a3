//! Homes and settings that are not as they should be.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use crate::service::Service;
use crate::steps::opened;
use crate::terminal::Start;

#[test]
fn broken_settings_are_named_with_their_place_and_the_defaults_used() {
    let mut studio = Start::new()
        .configured("config.toml", "theme = \"dark\"\ncolour = 3\n")
        .configured("keymap.toml", "[global]\n\"f10\" = \"app.quit\"\n\"f9\" = \"app.quitt\"\n")
        .configured("themes/dark.toml", "[roles]\naccent = \"#12\"\n")
        .open();
    studio.shows("274 products").keys("!").shows("Notices");
    studio.shows("keymap.toml:3:8: there is no command \"app.quitt\"");
    studio.shows("themes/dark.toml:2:10: \"#12\" is not a color").shows("config.toml:2:1: colour is not a setting");
    // What was right in the file holds.
    studio.keys("\x1b").hides("Notices").keys("\x1b[21~");
    let ended = studio.ended();
    assert!(ended.status.success());
    ended.is_restored();
}

#[test]
fn a_credential_file_that_can_not_be_read_is_named() {
    let start = Start::new()
        .configured("config.toml", "default_profile = \"shop\"\n[profiles.shop]\nbase_url = \"http://127.0.0.1:9\"\n")
        .with_data("credentials.toml", "[profiles.shop]\napi_key = \"marked-key\n");
    let mut studio = start.open();
    studio.shows("shop").keys("!").shows("Notices").shows("credentials.toml");
    studio.keys("\x1b").hides("Notices");
    let ended = studio.quit();
    assert!(!String::from_utf8_lossy(&ended.raw).contains("marked-key"), "what is in it is not shown");
}

#[test]
fn files_that_are_no_toml_at_all_are_survived() {
    let mut studio = Start::new()
        .configured("config.toml", "[profiles.shop\n")
        .configured("keymap.toml", "\u{feff}{not toml}")
        .configured("themes/own.toml", "\0\0\0")
        .arguments(&["--theme", "own"])
        .open();
    studio.shows("274 products").keys("!").shows("Notices");
    studio.shows("config.toml:1:").shows("keymap.toml:1:").shows("themes/own.toml:1:").shows("the defaults are used");
    studio.keys("\x1b").hides("Notices");
    studio.quit();
}

#[test]
fn a_home_that_can_not_be_written_is_said_and_another_service_works_all_the_same() {
    // Permissions do not hold everybody back; a folder under a file holds even those.
    let unwritable =
        |start: Start| start.with("XDG_DATA_HOME", "/dev/null/data").with("XDG_STATE_HOME", "/dev/null/state");
    let mut studio = unwritable(Start::new()).open();
    studio.shows("Couldn't connect to the service").shows("Nothing was lost. R retries").shows("not connected");
    studio.keys("R").keys("?").shows("Help").keys("\x1b").hides("Help");
    studio.quit();

    let service = Service::of(300);
    let mut studio = unwritable(service.studio()).open();
    studio.shows("300 products").keys("\r").shows("Product ID");
    studio.quit();
}

#[test]
fn without_a_home_the_folders_that_are_named_do() {
    let mut studio = Start::new().without("HOME").open();
    studio.shows("274 products");
    studio.quit();
}

#[test]
fn a_disk_that_is_full_loses_nothing() {
    // A limit on the size of files stands in for the disk, in blocks of 512 bytes: none at all, and so many that the
    // sample store does not fit.
    for blocks in ["0", "400"] {
        let start = Start::new();
        let script = format!(r#"trap "" XFSZ; ulimit -f {blocks}; exec "$0""#);
        let mut studio = start.again().through(&["sh", "-c", &script]).open();
        studio.shows("Couldn't connect to the service").shows("Nothing was lost. R retries");
        studio.keys("?").shows("Help").keys("\x1b").hides("Help");
        studio.quit();
        // With room again the same home is whole.
        let mut studio = start.open();
        studio.shows("274 products").shows("Fjell wool sock");
        studio.quit();
    }
}

/// A pipe without another end, which whoever opens it waits for.
fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Hundreds of megabytes that take no room.
fn large(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().set_len(500 << 20).unwrap();
}

#[test]
fn pipes_and_hundreds_of_megabytes_among_settings_neither_hang_nor_are_read() {
    for (put, said) in [(pipe as fn(&Path), "it is a pipe, not a file"), (large, "it is too large (500 MiB")] {
        let start = Start::new().arguments(&["--theme", "own"]);
        for file in [
            "config/cutaway/config.toml",
            "config/cutaway/keymap.toml",
            "config/cutaway/themes/own.toml",
            "state/cutaway/session.toml",
            "state/cutaway/products.json",
            "state/cutaway/products.lock",
            "state/cutaway/last-folder",
            "state/cutaway/.lock",
            "state/cutaway/drafts/000000000000000000000000.draft",
        ] {
            put(&start.home().join(file));
        }
        let mut studio = start.open();
        studio.shows("274 products").keys("!").shows("Notices");
        studio.shows("keymap.toml").shows("own.toml").shows("config.toml").shows(said);
        studio.keys("\x1b").hides("Notices");
        // What waits is looked through, and what was searched for is kept.
        studio.keys("2").shows("Gift finder").keys("3").keys("1").shows("274 products");
        studio.keys("/wool\r").shows("wool");
        studio.quit().is_restored();
    }
}

#[test]
fn a_pipe_in_a_drafts_place_is_named_and_the_project_opens() {
    for (put, said) in [(pipe as fn(&Path), "it is a pipe, not a file"), (large, "it is too large (500 MiB")] {
        let start = Start::new();
        let again = start.again();
        let mut studio = opened(start, "Gift finder");
        studio.keys("n").shows("10 steps").journal_holds("cutaway-draft");
        studio.quit();
        let drafts = again.home().join("state/cutaway/drafts");
        let draft = std::fs::read_dir(drafts).unwrap().flatten().next().unwrap().path();
        put(&draft);
        // It begins where it was left.
        let mut studio = again.open();
        studio.shows("Couldn't open the draft").shows(said).shows("9 steps");
        studio.quit();
    }
}

#[test]
fn where_files_can_not_be_watched_that_is_said_once_and_all_works() {
    // A namespace of users of its own has limits of its own, which change nothing for anybody else.
    let limited = r#"echo 0 > /proc/sys/user/max_inotify_instances && exec "$0" "$@""#;
    let there = Command::new("unshare").args(["-Ur", "sh", "-c", limited, "true"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: limits on watching can't be set here");
        return;
    }
    let start = Start::new().configured("themes/own.toml", "[roles]\naccent = \"#010203\"\n");
    let start = start.arguments(&["--theme", "own"]).through(&["unshare", "-Ur", "sh", "-c", limited]);
    let mut studio = start.open();
    studio.shows("274 products").keys("!").shows("Notices").shows("Changes in the theme's file aren't shown live");
    studio.until("one notice", |rows| rows.iter().filter(|row| row.contains("aren't shown live")).count() == 1);
    studio.keys("\x1b").hides("Notices").keys("2").shows("Gift finder");
    studio.quit();
}
