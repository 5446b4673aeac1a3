use super::*;
use crate::settings::{Depth, Graphics, SetBy};

fn urls(profile: &Profile) -> Vec<&str> {
    profile.stores.iter().map(|store| store.url.as_str()).collect()
}

#[test]
fn stores_may_have_names_and_a_profile_a_colour() {
    let config = Config::parse(
        "version = 1\n[profiles.a]\nlive = true\ncolor = \"#ff0000\"\n\
         stores = [\"https://x\", { url = \"https://y\", name = \"Why\" }, { name = \"no\" }]\n\
         [profiles.b]\nlive = 3\ncolor = \"no colour\"\n",
        "c",
    );
    let a = &config.profiles["a"];
    assert!(a.live && a.colour.as_deref() == Some("#ff0000") && urls(a) == ["https://x", "https://y"]);
    assert_eq!(a.stores[1].name.as_deref(), Some("Why"));
    let b = &config.profiles["b"];
    assert!(b.live && b.colour.is_none(), "a guard stays a guard");
    let warnings = config.warnings.join("\n");
    for said in ["c:5:61: stores: a store needs its url", "c:7:8: live: must be a boolean", "c:8:1: color: "] {
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
    let newer = Config::parse("version = 7\n", "c");
    assert_eq!(
        newer.fault.as_deref(),
        Some("c:1:11: written by a newer version of Cutaway (format 7); update Cutaway")
    );
}

#[test]
fn the_color_may_have_its_old_name() {
    let config =
        Config::parse("[profiles.a]\ncolour = \"red\"\n[profiles.b]\ncolour = \"red\"\ncolor = \"blue\"\n", "c");
    let color = |profile: &str| config.profiles[profile].colour.clone();
    assert_eq!((color("a").as_deref(), color("b").as_deref()), (Some("red"), Some("blue")));
    assert_eq!(
        config.warnings,
        [
            "c:2:1: colour is called color now; rename it to color",
            "c:4:1: colour is called color now; it is ignored beside color"
        ]
    );
    assert_eq!(config.fault, None);
}

#[test]
fn a_whole_file_is_read() {
    let config = Config::parse(
        "default_profile = \"shop\"\ntheme = \"day\"\n[profiles.shop]\nbase_url = \"https://a.example\"\n\
         lb_base_url = \"https://b.example\"\nstores = [\"https://one.example\"]\nread_only = true\n",
        "config.toml",
    );
    assert_eq!(config.warnings, [] as [&str; 0]);
    assert_eq!(config.default_profile.as_deref(), Some("shop"));
    let pictures = |word: &str| Config::parse(&format!("pictures = {word}"), "c");
    assert_eq!(pictures("\"sixel\"").terminal.pictures(), Some(Graphics::Sixel));
    assert!(pictures("\"many\"").warnings[0].starts_with("c:1:12: pictures: must be one of auto, kitty"));
    let links = |word: &str| Config::parse(&format!("links = {word}"), "c");
    let is_on = |word: &str| links(word).terminal.is_on(TerminalSetting::Links);
    assert_eq!((is_on("\"on\""), is_on("\"off\""), is_on("\"auto\"")), (Some(true), Some(false), None));
    assert_eq!(links("\"yes\"").warnings, ["c:1:9: links: must be one of auto, on, off, found \"yes\""]);
    let shop = &config.profiles["shop"];
    assert_eq!(shop.lb_base_url.as_ref().unwrap().as_str(), "https://b.example/");
    assert!(shop.read_only);
    assert_eq!(urls(shop), ["https://one.example"]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let config = Config::parse(
        "colour = 1\n[profiles.shop]\n  base_url = \"nonsense\"\n  speed = 3\n[extra]\nx = 1\n",
        "config.toml",
    );
    let warnings = config.warnings.join("\n");
    assert!(warnings.contains("config.toml:1:1: colour is not a setting"), "{warnings}");
    assert!(warnings.contains("config.toml:3:3: base_url: \"nonsense\" is not an address"), "{warnings}");
    assert!(warnings.contains("config.toml:4:3: speed is not a setting of a profile"), "{warnings}");
    assert!(warnings.contains("config.toml:5:2: extra is not a setting"), "{warnings}");
    assert!(!config.unreadable);
    let unknown = Config::parse("default_profile = \"gone\"", "c");
    assert_eq!(unknown.warnings, ["c:1:19: default_profile: there is no profile \"gone\""]);
    assert_eq!(unknown.default_profile, None);
}

#[test]
fn a_broken_file_gives_the_defaults_and_its_place() {
    let config = Config::parse("theme = \"day\"\n[profiles.shop\n", "config.toml");
    assert!(config.unreadable && config.theme.is_none());
    assert!(config.warnings[0].starts_with("config.toml:2:"), "{:?}", config.warnings);
}

#[test]
fn a_wrong_type_takes_nothing_else_away() {
    let config = Config::parse(
        "theme = 3\n[profiles.a]\nread_only = \"yes\"\nbase_url = 7\ntheme = \"day\"\n[profiles.b]\n\
         base_url = \"https://b.example\"\nstores = [\"https://s.example\", 1]\n[profiles.c]\n\
         base_url = \"https://c.example\"\n",
        "config.toml",
    );
    assert!(!config.unreadable);
    let warned = |what: &str| assert!(config.warnings.iter().any(|w| w.starts_with(what)), "{:?}", config.warnings);
    warned("config.toml:1:9: theme: must be a string, found integer");
    warned("config.toml:3:13: read_only: must be a boolean, found string");
    warned("config.toml:4:12: base_url: must be a string");
    warned("config.toml:8:32: stores: must be a string");
    assert_eq!(config.profiles.len(), 3);
    let a = &config.profiles["a"];
    assert!(a.read_only && a.base_url.is_none() && a.theme.as_deref() == Some("day"), "a guard stays a guard");
    assert_eq!(urls(&config.profiles["b"]), ["https://s.example"]);
    assert_eq!(config.profile_faults.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert!(config.fault.unwrap().starts_with("config.toml:"));
    assert_eq!(Config::parse("theme = 3\n", "c").fault, None);
    assert!(Config::parse("profiles = 3\n", "c").fault.unwrap().starts_with("c:1:12: profiles: must be a table"));
    assert!(Config::parse("[profiles]\na = 3\n", "c").profile_faults["a"].starts_with("c:2:5: a: must be a table"));
}

#[test]
fn whatever_is_found_out_of_the_terminal_can_be_set() {
    let text = "ask_terminal = \"off\"\ncolors = \"256\"\npictures = \"kitty\"\npassthrough = \"on\"\nlinks = \"on\"\n\
                ambiguous_width = \"wide\"\nclipboard = \"wrapped\"\nmouse = \"off\"\nkeyboard_protocol = \"on\"\n\
                shortcuts = \"el+ech\"\nmultiplexer = \"tmux\"\n";
    let config = Config::parse(text, "c");
    assert_eq!(config.warnings, [] as [&str; 0]);
    let set = &config.terminal;
    assert_eq!(set.iter().count(), 11, "each of them");
    assert!(set.iter().all(|(name, word)| text.contains(&format!("{name} = \"{word}\""))));
    assert_eq!(
        (set.depth(), set.is_on(TerminalSetting::Mouse), set.is_on(TerminalSetting::AskTerminal)),
        (Some(Depth::Indexed), Some(false), Some(false))
    );
    assert_eq!(set.by(TerminalSetting::Mouse), Some(SetBy::File));
    for (wrong, said) in [
        ("mouse = true", "c:1:9: mouse: must be a string, found boolean"),
        ("colors = \"many\"", "c:1:10: colors: must be one of auto, none, 16, 256, 24bit, found \"many\""),
        ("shortcuts = \"el+up\"", "c:1:13: shortcuts: must be one of auto, none, or some of el, ech"),
    ] {
        let config = Config::parse(wrong, "c");
        assert!(config.warnings[0].starts_with(said), "{:?}", config.warnings);
        assert_eq!((config.fault, config.terminal), (None, TerminalSettings::default()), "it changes no place");
    }
}
