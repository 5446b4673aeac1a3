//! What is found out about terminals, by their names and by what they answer.

use super::*;
use crate::settings::Config;

fn of(variables: &[(&str, &str)]) -> Capability {
    Capability::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
}

fn settings(text: &str) -> TerminalSettings {
    let config = Config::parse(text, "c");
    assert_eq!(config.warnings, [] as [&str; 0]);
    config.terminal
}

#[test]
fn the_environment_is_believed() {
    let modern = of(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")]);
    let asked = Capability {
        depth: Depth::True,
        ascii: false,
        remote: false,
        asks: true,
        maker: None,
        light: None,
        asks_background: true,
        asks_colors: false,
        asks_repeats: true,
        bears_questions: true,
        silent: false,
        clipboard: true,
        copies_through: None,
        passes: false,
        through: None,
        mouse: true,
        keyboard: Keyboard::Asked,
        sends_all: false,
        links: false,
        bears_links: true,
        wide_signs: false,
        shortcuts: Shortcuts::of("xterm-256color"),
    };
    assert_eq!(modern, asked);
    assert_eq!(of(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]).depth, Depth::Mono);
    let colorless = of(&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")]);
    assert!(colorless.clipboard && colorless.links && !colorless.asks, "it is as new as with colors");
    let nested = |term| of(&[("TERM", term), ("TMUX", "/tmp/tmux-0/default,1,0"), ("STY", "1.pts")]);
    assert!(!nested("screen").mouse, "GNU screen inside of tmux would hold Esc back");
    assert!(nested("tmux-256color").mouse);
    assert_eq!(of(&[("TERM", "screen")]).depth, Depth::Basic);
    assert!(of(&[("LC_ALL", "C")]).ascii);
    assert!(!of(&[]).ascii);
    assert!(of(&[("SSH_CONNECTION", "a b c d")]).remote);
}

#[test]
fn colors_are_known_by_name_and_by_the_database() {
    for (term, depth) in [
        ("alacritty", Depth::True),
        ("alacritty-direct", Depth::True),
        ("foot", Depth::True),
        ("foot-extra", Depth::True),
        ("ghostty", Depth::True),
        ("xterm-ghostty", Depth::True),
        ("xterm-kitty", Depth::True),
        ("wezterm", Depth::True),
        ("rio", Depth::True),
        ("contour", Depth::True),
        ("mintty", Depth::True),
        ("xterm-direct", Depth::True),
        ("xterm-direct256", Depth::True),
        ("konsole-direct", Depth::True),
        ("mlterm", Depth::Indexed),
        ("mlterm-256color", Depth::Indexed),
        ("putty", Depth::Indexed),
        ("putty-256color", Depth::Indexed),
        ("xterm", Depth::Basic),
        ("vt220", Depth::Mono),
    ] {
        assert_eq!(of(&[("TERM", term)]).depth, depth, "{term}");
    }
    let xterm = of(&[("TERM", "xterm")]);
    let known = |colors, direct| Some(Terminfo { colors, direct, ..Terminfo::default() });
    let says = |colors, direct| xterm.with_database(known(colors, direct)).depth;
    assert_eq!(says(Some(256), false), Depth::Indexed);
    assert_eq!(
        (says(Some(8), false), says(Some(256), true), says(None, false)),
        (Depth::Basic, Depth::True, Depth::Mono)
    );
    assert_eq!(xterm.with_database(None).depth, Depth::Basic);
    assert_eq!(of(&[("NO_COLOR", "1")]).with_database(known(Some(8), true)).depth, Depth::Mono);
}

#[test]
fn the_theme_is_for_the_background() {
    for (colors, theme) in [("0;15", "light"), ("12;7", "light"), ("15;0", "dark"), ("0;default;8", "dark")] {
        assert_eq!(of(&[("TERM", "xterm"), ("COLORFGBG", colors)]).theme(), theme, "{colors}");
    }
    assert_eq!(of(&[("TERM", "xterm"), ("COLORFGBG", "default")]).theme(), "ansi");
    assert_eq!(of(&[("TERM", "xterm-256color")]).theme(), "dark");
}

#[test]
fn what_a_terminal_does_not_bear_is_not_asked() {
    let unknown = ["ansi", "putty", "putty-256color", "cons25", "sun", "some-new-256color"];
    for term in ["linux", "vt100", "rxvt-unicode-256color", "screen", "tmux-256color", "dumb", ""] {
        assert!(!of(&[("TERM", term)]).asks, "{term}");
    }
    for term in unknown {
        let capability = of(&[("TERM", term)]);
        assert!(!capability.asks && !capability.clipboard, "{term}");
    }
    for term in ["linux", "vt100", "dumb", ""] {
        assert!(!of(&[("TERM", term)]).clipboard, "{term}");
    }
    for term in ["xterm-256color", "xterm-kitty", "foot-extra", "st-256color", "alacritty"] {
        let capability = of(&[("TERM", term)]);
        assert!(capability.asks && capability.clipboard, "{term}");
    }
    let within = of(&[("TERM", "eterm-color"), ("TERM_PROGRAM", "WezTerm"), ("KONSOLE_VERSION", "220400")]);
    assert!(!within.asks && !within.clipboard && within.maker.is_none(), "that is what it was started from");
    assert!(of(&[("TERM", "screen")]).clipboard && of(&[("TERM", "tmux-256color")]).clipboard);
    for term in ["linux", "vt100", "rxvt-unicode-256color", "screen", "tmux-256color", "dumb", "", "konsole", "putty"] {
        assert!(!of(&[("TERM", term)]).asks_colors, "{term}");
    }
    let xterm = ("XTERM_VERSION", "XTerm(390)");
    assert!(of(&[("TERM", "xterm-256color"), xterm]).asks_colors && of(&[("TERM", "mlterm")]).asks_colors);
    assert!(!of(&[("TERM", "xterm"), xterm, ("NO_COLOR", "1")]).asks_colors, "none are wanted");
    assert!(!of(&[("TERM", "xterm"), xterm, ("COLORTERM", "truecolor")]).asks_colors, "nothing is to be learned");
    assert!(!of(&[("TERM", "xterm-256color"), xterm, ("TERM_PROGRAM", "Apple_Terminal")]).asks_colors);
    assert!(!of(&[("TERM", "xterm-256color")]).asks_colors, "many call themselves so, and some print the question");
    assert!(of(&[("TERM", "tmux-256color")]).asks_background && of(&[("TERM", "rxvt")]).asks_background);
    let in_screen = of(&[("TERM", "xterm-256color"), ("STY", "1.pts")]);
    assert!(!in_screen.asks && in_screen.maker.is_none(), "screen shows kitty's question as a title");
    assert!(!in_screen.mouse && !in_screen.asks_background && !of(&[("TERM", "linux")]).asks_background);
    assert!(of(&[("TERM", "screen-256color"), ("TMUX", "/tmp/tmux")]).mouse);
}

#[test]
fn links_are_for_terminals_that_are_known_to_have_them() {
    let vte = ("VTE_VERSION", "7200");
    let xterm = ("TERM", "xterm-256color");
    for known in [&[("TERM", "xterm-kitty")][..], &[("TERM", "foot")], &[xterm, vte], &[xterm, ("WT_SESSION", "x")]] {
        assert!(of(known).links, "{known:?}");
    }
    assert!(of(&[xterm, ("TERM_PROGRAM", "WezTerm")]).links);
    for unknown in [&[xterm][..], &[("TERM", "linux")], &[xterm, ("VTE_VERSION", "4200")], &[("TERM", "vt220")]] {
        assert!(!of(unknown).links, "{unknown:?}");
    }
    for within in ["eterm-color", "ansi", "some-new"] {
        for inherited in [vte, ("WT_SESSION", "x"), ("TERM_PROGRAM", "vscode")] {
            assert!(!of(&[("TERM", within), inherited]).links, "{within} {inherited:?}");
        }
    }
    for between in [("TMUX", "/tmp/tmux"), ("TERM", "screen-256color"), ("TERM", "tmux-256color")] {
        assert!(!of(&[between, vte, ("TERM_PROGRAM", "WezTerm")]).links, "{between:?}");
    }
    assert!(!of(&[("TERM", "xterm-256color"), ("STY", "1.pts"), vte]).links);
}

#[test]
fn signs_of_ambiguous_width_are_known_to_be_narrow_or_may_be_wide() {
    let (xterm, japanese) = (("TERM", "xterm-256color"), ("LANG", "ja_JP.UTF-8"));
    for wide in [&[xterm, japanese][..], &[xterm, ("LC_CTYPE", "zh-TW.utf8")], &[xterm, ("LC_ALL", "ko.UTF-8")]] {
        assert!(of(wide).wide_signs, "{wide:?}");
    }
    let tmux = ("TMUX", "/tmp/tmux");
    for narrow in [
        &[xterm][..],
        &[xterm, ("LANG", "nb_NO.UTF-8")],
        &[xterm, japanese, ("LC_ALL", "C.UTF-8")],
        &[xterm, japanese, ("TERM_PROGRAM", "vscode")],
        &[xterm, japanese, tmux],
        &[("TERM", "foot"), japanese],
        &[("TERM", "linux"), japanese],
        &[("TERM", "vt220"), japanese],
    ] {
        assert!(!of(narrow).wide_signs, "{narrow:?}");
    }
    let set = |text: &str| of(&[xterm, japanese]).with_settings(&settings(text));
    assert!(!set("ambiguous_width = \"narrow\"").wide_signs && set("ambiguous_width = \"auto\"").wide_signs);
    assert!(of(&[xterm]).with_settings(&settings("ambiguous_width = \"wide\"")).wide_signs);
    assert!(set("links = \"on\"").links && !set("links = \"auto\"").links);
    assert!(!of(&[("TERM", "foot")]).with_settings(&settings("links = \"off\"")).links);
}

/// One file of settings is for all the terminals of a person, and a server's is for the terminals of others.
#[test]
fn settings_send_no_links_to_what_may_show_them() {
    let (on, off) = (settings("links = \"on\""), settings("links = \"off\""));
    let xterm = ("TERM", "xterm-256color");
    let old = ["linux", "linux-ascii", "vt100", "vt220", "dumb", "screen", "tmux-256color", ""];
    for variables in old.iter().map(|term| vec![("TERM", *term)]).chain([
        vec![],
        vec![xterm, ("TMUX", "/tmp/tmux")],
        vec![xterm, ("STY", "1.pts")],
    ]) {
        let capability = of(&variables);
        assert!(!capability.with_settings(&on).links && !capability.restricted_by(&on).links, "{variables:?}");
    }
    for variables in [vec![xterm], vec![xterm, ("NO_COLOR", "1")], vec![("TERM", "some-new")]] {
        let capability = of(&variables);
        assert!(capability.with_settings(&on).links && !capability.restricted_by(&on).links, "{variables:?}");
    }
    let foot = of(&[("TERM", "foot")]);
    assert!(foot.restricted_by(&on).links && foot.restricted_by(&TerminalSettings::default()).links);
    assert!(!foot.restricted_by(&off).links);
    let (wide, narrow) = ("ambiguous_width = \"wide\"", "ambiguous_width = \"narrow\"");
    assert!(foot.restricted_by(&settings(wide)).wide_signs, "what follows is placed by itself");
    let japanese = of(&[xterm, ("LANG", "ja_JP.UTF-8")]);
    assert!(japanese.restricted_by(&settings(narrow)).wide_signs);
}

#[test]
fn the_best_way_to_show_pictures() {
    let plain = of(&[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")]);
    let answered = |answers: &[Answer]| {
        let mut taken = Answers::default();
        for answer in answers {
            taken.take(*answer);
        }
        plain.graphics(&taken)
    };
    let (kitty, sixel) = (Answer::Kitty { deflate: false }, Answer::Present { sixel: true });
    assert_eq!(answered(&[]), Graphics::Blocks);
    assert_eq!(answered(&[sixel]), Graphics::Sixel);
    assert_eq!(answered(&[kitty, sixel]), Graphics::Kitty { deflate: false });
    assert_eq!(answered(&[kitty, Answer::Kitty { deflate: true }]), Graphics::Kitty { deflate: true });
    assert_eq!(answered(&[kitty, Answer::Made(Maker::Wezterm), sixel]), Graphics::Iterm2);
    let old = [kitty, Answer::Made(Maker::OldKitty)];
    assert_eq!(answered(&old), Graphics::Blocks, "it would draw characters that it doesn't know");
    let silent = of(&[("TERM", "xterm"), ("NO_COLOR", "1")]);
    assert_eq!((silent.graphics(&Answers::default()), silent.asks), (Graphics::Off, false));
    assert!(!of(&[("TERM", "tmux-256color")]).asks && !of(&[("TERM", "linux")]).asks);
    assert_eq!(of(&[("TERM", "xterm"), ("LC_ALL", "C")]).plain_graphics(), Graphics::Off);
}

#[test]
fn whatever_is_found_out_can_be_set_by_hand() {
    let (xterm, none) = (of(&[("TERM", "xterm-256color")]), of(&[("TERM", "xterm"), ("NO_COLOR", "1")]));
    let set = |found: Capability, text: &str| found.with_settings(&settings(text));
    for (word, depth) in [("none", Depth::Mono), ("16", Depth::Basic), ("256", Depth::Indexed), ("24bit", Depth::True)]
    {
        let text = format!("colors = \"{word}\"");
        assert_eq!((set(xterm, &text).depth, set(none, &text).depth), (depth, depth), "{word}");
    }
    let asked = of(&[("TERM", "xterm-256color"), ("XTERM_VERSION", "XTerm(390)")]);
    assert!(asked.asks_colors && !set(asked, "colors = \"256\"").asks_colors, "that is known now");
    let (tmux, screen) = (Some(Multiplexer::Tmux), Some(Multiplexer::Screen));
    let in_tmux = of(&[("TERM", "tmux-256color")]);
    let copies = |found: Capability, word: &str| {
        let found = set(found, &format!("clipboard = \"{word}\""));
        (found.clipboard, found.copies_through)
    };
    assert_eq!((copies(xterm, "off"), copies(in_tmux, "off")), ((false, None), (false, None)));
    assert_eq!((copies(in_tmux, "auto"), copies(in_tmux, "on")), ((true, tmux), (true, None)));
    assert_eq!(
        (copies(xterm, "wrapped"), copies(of(&[("TERM", "screen")]), "wrapped")),
        ((true, tmux), (true, screen))
    );
    assert_eq!(copies(of(&[("TERM", "linux")]), "on"), (true, None));
    assert!(!set(xterm, "mouse = \"off\"").mouse && set(of(&[("TERM", "screen")]), "mouse = \"on\"").mouse);
    let keyboard = |word: &str| {
        let found = set(of(&[("TERM", "foot")]), &format!("keyboard_protocol = \"{word}\""));
        (found.keyboard, found.sends_all)
    };
    assert_eq!(
        (keyboard("auto"), keyboard("on"), keyboard("off")),
        ((Keyboard::Asked, true), (Keyboard::On, true), (Keyboard::Off, false))
    );
    let shortcuts = set(xterm, "shortcuts = \"el+rep\"").shortcuts;
    assert_eq!(shortcuts, Shortcuts { ends: true, repeats: true, ..Shortcuts::default() });
    assert!(xterm.asks_repeats && in_tmux.asks_repeats && !set(xterm, "shortcuts = \"el\"").asks_repeats);
    assert!(!set(xterm, "ask_terminal = \"off\"").asks_repeats && !of(&[("TERM", "foot")]).asks_repeats);
    assert!(!of(&[("TERM", "vt220")]).asks_repeats && !of(&[("TERM", "xterm"), ("LC_ALL", "C")]).asks_repeats);
    let quiet = set(of(&[("TERM", "xterm-kitty")]), "ask_terminal = \"off\"");
    assert!(quiet.silent && !quiet.asks && !quiet.asks_background && quiet.keyboard == Keyboard::Off);
    assert!(set(of(&[("TERM", "xterm")]), "ask_terminal = \"on\"").asks_colors);
    for old in ["linux", "vt220", "dumb", "screen", "tmux-256color", "rxvt-unicode-256color", ""] {
        assert!(!set(of(&[("TERM", old)]), "ask_terminal = \"on\"").asks, "{old}");
    }
    let passes = |found: Capability| {
        let found = set(found, "passthrough = \"on\"");
        (found.passes, found.asks)
    };
    assert_eq!((passes(in_tmux), passes(of(&[("TERM", "screen")]))), ((true, true), (false, false)));
    assert!(!passes(xterm).0);
}

#[test]
fn what_stands_between_can_be_set_by_hand() {
    let within = |variables: &[(&str, &str)], word: &str| {
        let set = settings(&format!("multiplexer = \"{word}\""));
        let get = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Capability::within(get, set.multiplexer()).with_settings(&set)
    };
    let (xterm, tmux) = (("TERM", "xterm-256color"), ("TMUX", "/tmp/tmux"));
    assert_eq!(within(&[xterm, tmux], "auto"), of(&[xterm, tmux]));
    assert_eq!(within(&[xterm, tmux], "none").through, None);
    assert!(within(&[xterm, tmux], "none").asks, "what was started from it is a terminal of its own");
    let in_tmux = within(&[xterm], "tmux");
    assert!(in_tmux.through == Some(Multiplexer::Tmux) && !in_tmux.asks && !in_tmux.bears_links && in_tmux.mouse);
    let in_screen = within(&[xterm], "screen");
    assert!(in_screen.through == Some(Multiplexer::Screen) && !in_screen.mouse && !in_screen.asks_background);
}

/// A server's settings are by somebody who doesn't see a guest's terminal.
#[test]
fn settings_of_a_server_only_take_away() {
    let foot = of(&[("TERM", "foot")]);
    let all = "colors = \"24bit\"\nmouse = \"on\"\nclipboard = \"wrapped\"\nkeyboard_protocol = \"on\"\n\
               ask_terminal = \"on\"\npassthrough = \"on\"\nmultiplexer = \"none\"\n";
    let all = &format!("{all}shortcuts = \"{}\"\n", crate::settings::SHORTCUTS.join("+"));
    for term in ["foot", "xterm", "linux", "vt220", "screen", "tmux", "rxvt", ""] {
        let found = of(&[("TERM", term)]);
        assert_eq!(found.restricted_by(&settings(all)), found, "{term}");
    }
    let less = foot.restricted_by(&settings(
        "colors = \"16\"\nmouse = \"off\"\nclipboard = \"off\"\nkeyboard_protocol = \"off\"\nask_terminal = \"off\"\n\
         shortcuts = \"el\"\n",
    ));
    assert!(!less.mouse && !less.clipboard && !less.asks && less.silent && !less.sends_all);
    assert_eq!((less.depth, less.keyboard), (Depth::Basic, Keyboard::Off));
    assert_eq!(less.shortcuts, Shortcuts { ends: true, ..Shortcuts::default() });
}
