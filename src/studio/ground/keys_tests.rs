//! What keys mean in layers, chords, presets and files of a person.

use super::*;

#[test]
fn the_keys_that_do_not_move_are_where_the_contract_says() {
    let (keymap, faults) = Keymap::load(None);
    assert_eq!(faults, []);
    for (key, command) in [
        ("1", Command::GoProducts),
        ("2", Command::GoProjects),
        ("3", Command::GoVideos),
        ("4", Command::GoWebhooks),
        ("5", Command::GoAccount),
        ("6", Command::GoInspector),
        ("?", Command::Help),
        (":", Command::Palette),
        ("ctrl-p", Command::Palette),
        ("enter", Command::Open),
        ("esc", Command::Back),
        ("space", Command::Mark),
        ("y", Command::Copy),
        ("o", Command::Address),
        ("q", Command::Quit),
    ] {
        assert_eq!(keymap.command(Layer::Global, Key::parse(key).unwrap()), Some(command), "{key}");
    }
    assert_eq!(keymap.command(Layer::Products, Key::char('/')), Some(Command::Search));
    assert_eq!(keymap.command(Layer::Products, Key::char('f')), Some(Command::Filter));
}

/// What letters mean that do one thing wherever they do anything: the last part of the names of their commands.
const LETTERS: [(char, &[&str]); 27] = [
    ('S', &["save"]),
    // Whatever was kept is deleted: a project, a draft, a search.
    ('D', &["delete", "discard", "forget"]),
    ('X', &["stop", "cancel"]),
    ('C', &["clear"]),
    ('R', &["retry"]),
    ('U', &["upload"]),
    ('x', &["remove"]),
    ('d', &["duplicate"]),
    ('e', &["export", "save"]),
    ('E', &["rename"]),
    ('n', &["new", "create"]),
    ('r', &["refresh"]),
    ('t', &["outline"]),
    ('b', &["saved"]),
    ('*', &["toggle"]),
    // Less or all of a card, of the folders.
    ('z', &["zoom", "fold"]),
    // What is there is changed: a filter, an answer, captions, a profile.
    ('c', &["chips", "text", "captions", "edit"]),
    // What is listed: by a value, of a kind, about an event.
    ('f', &["open", "kinds", "show", "event", "filter"]),
    ('v', &["full", "preview"]),
    ('K', &["up", "earlier"]),
    ('J', &["down", "later"]),
    ('Q', &["qr"]),
    ('Y', &["embed"]),
    ('O', &["order"]),
    ('L', &["player"]),
    ('B', &["products"]),
    ('i', &["thumbnails"]),
];

#[test]
fn letters_mean_the_same_on_every_screen() {
    let (keymap, _) = Keymap::load(None);
    for (letter, means) in LETTERS {
        for layer in Layer::OUTSIDE_TEXT.into_iter().filter(|layer| !layer.is_mode()) {
            let Some(command) = keymap.command(layer, Key::char(letter)) else { continue };
            let name = command.name();
            assert!(means.iter().any(|word| name.rsplit('.').next() == Some(word)), "{letter} in {layer:?}: {name}");
        }
    }
}

/// Letters that mean different things on different screens. None is to be added: a new command takes a letter that is
/// free everywhere, one that means the same, a key that is no letter, or none. `a` and `p` are among the keys that do
/// not move: they add an answer and play where steps are shown. `s` sorts where there is something to sort, and signs
/// in where there is not.
const OF_THEIR_SCREEN: [(char, &[&str]); 3] = [
    ('a', &["products.select.all", "steps.answer.add", "webhooks.redeliver", "inspector.again", "videos.register"]),
    ('p', &["steps.play", "webhooks.ping", "videos.uploads.pause"]),
    ('s', &["products.sort", "projects.sort", "account.sign_in", "videos.sort"]),
];

#[test]
fn no_other_letter_means_different_things_on_two_screens() {
    let (keymap, _) = Keymap::load(None);
    for letter in ('a'..='z').chain('A'..='Z') {
        let screens = Layer::OUTSIDE_TEXT.into_iter().filter(|layer| *layer != Layer::Global && !layer.is_mode());
        let mut found: Vec<_> =
            screens.filter_map(|layer| keymap.command(layer, Key::char(letter))).map(Command::name).collect();
        found.sort_unstable();
        // A command that works on several screens means the same on them.
        found.dedup();
        let known = LETTERS.iter().any(|(known, _)| *known == letter);
        if found.len() < 2 || known {
            continue;
        }
        let mut own =
            OF_THEIR_SCREEN.iter().find(|(own, _)| *own == letter).map_or(Vec::new(), |(_, own)| own.to_vec());
        own.sort_unstable();
        assert_eq!(found, own, "{letter}");
    }
}

#[test]
fn names_that_commands_had_before_still_work_in_a_file_of_ones_own() {
    for (old, command) in Command::ALIASES {
        let (keymap, faults) = Keymap::load(Some(&format!("[global]\n\"f9\" = \"{old}\"\n")));
        assert_eq!(faults, [], "{old}");
        assert_eq!(keymap.command(Layer::Global, Key::plain(KeyCode::Function(9))), Some(*command), "{old}");
        assert!(Command::ALL.iter().all(|command| command.name() != *old), "{old} is a name of today, too");
    }
}

#[test]
fn a_file_of_ones_own_wins_and_its_faults_are_named() {
    let own = "[global]\nq = \"\"\n\"f10\" = \"app.quit\"\nz = \"no.such\"\n[nowhere]\na = \"app.quit\"\n";
    let (keymap, faults) = Keymap::load(Some(own));
    assert_eq!(keymap.command(Layer::Global, Key::char('q')), None);
    assert_eq!(keymap.command(Layer::Global, Key::plain(KeyCode::Function(10))), Some(Command::Quit));
    assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [4, 6]);
}

fn chord(name: &str) -> Chord {
    Chord::parse(name).unwrap()
}

#[test]
fn keys_that_begin_a_chord_wait_for_the_rest() {
    let own = "[global]\n\"g g\" = \"move.home\"\n\"ctrl-q b\" = \"app.store\"\n[steps]\n\"g s\" = \"steps.save\"\n";
    let (keymap, faults) = Keymap::load(Some(own));
    assert_eq!((faults, keymap.notes(false)), (Vec::new(), Vec::new()));
    let layers = [Layer::Global, Layer::Steps];
    let find = |keys: &str| keymap.find(&layers, chord(keys).keys());
    assert_eq!(find("g"), Found::Begins, "the one key of the default keymap gives way");
    assert_eq!(find("g g"), Found::Does(Target::Command(Command::Home)));
    assert_eq!(find("g s"), Found::Does(Target::Command(Command::StepsSave)), "of the layer behind");
    assert_eq!(find("g x"), Found::Nothing);
    let following: Vec<String> =
        keymap.following(&layers, chord("g").keys()).iter().map(|(chord, _)| chord.to_string()).collect();
    assert_eq!(following, ["g g", "g s"]);
    assert_eq!(keymap.first_key(Command::Home).unwrap().to_string(), "home");
}

#[test]
fn conflicts_are_named_with_their_place() {
    let own = [
        "[global]",
        "\"g g\" = \"move.home\"",
        "g = \"app.quit\"",
        "G = \"app.quit\"",
        "\"shift-g\" = \"app.help\"",
        "\"ctrl-r\" = \"products.refresh\"",
        "[products]",
        "j = \"products.sort\"",
        "[text]",
        "\"j k\" = \"app.back\"",
        "[steps]",
        "\"ctrl-i\" = \"steps.place.forward\"",
        "\"ctrl-shift-x\" = \"steps.save\"",
    ];
    let (keymap, faults) = Keymap::load(Some(&own.join("\n")));
    let said = |faults: &[FileFault]| faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        "keymap.toml:3:5: \"g\" and \"g g\" begin with the same keys, so one would hide the other",
        "keymap.toml:5:13: \"G\" is bound twice",
        "keymap.toml:10:9: \"j k\" begins with a key that typing needs",
    ];
    assert_eq!(said(&faults), expected);
    let apart = "those with kitty's keyboard protocol (kitty, foot, Ghostty and others) send it";
    let hides = "hides steps.redo (ctrl-r in [steps]); bind it to \"\" there to accept this";
    let expected = [
        format!("keymap.toml:6:12: \"ctrl-r\" in [global] {hides}"),
        "keymap.toml:8:5: \"j\" is move.down in [global], which comes first: this line does nothing".to_owned(),
        format!("keymap.toml:12:12: most terminals send \"tab\" for \"ctrl-i\"; {apart}"),
        "keymap.toml:13:18: no terminal sends \"ctrl-shift-x\" so that it could be told from other keys".to_owned(),
    ];
    assert_eq!(said(&keymap.notes(false)), expected);
    assert_eq!(keymap.notes(true).len(), keymap.notes(false).len() - 1, "where every key is sent");
    let (meant, _) = Keymap::load(Some("[global]\n\"ctrl-r\" = \"products.refresh\"\n[steps]\n\"ctrl-r\" = \"\"\n"));
    assert_eq!(meant.notes(false), []);
}

#[test]
fn presets_lie_between_and_have_no_conflicts() {
    for preset in ["default", "vim", "emacs"] {
        let (keymap, faults) = Keymap::load(Some(&format!("preset = \"{preset}\"\n")));
        assert_eq!(faults, [], "{preset}");
        let text = Preset::by_name(preset).unwrap().text();
        assert_eq!(keymap.conflicts(Origin::Preset, preset, text, &[]), [], "{preset}");
        // Whatever had a key has one.
        let (default, _) = Keymap::load(None);
        for command in Command::ALL {
            let had = default.first_key(*command).is_some();
            assert!(!had || keymap.first_key(*command).is_some(), "{preset}: {}", command.name());
        }
    }
    let (vim, _) = Keymap::load(Some("preset = \"vim\"\n[global]\n\"g g\" = \"app.quit\"\n"));
    assert_eq!(vim.find(&[Layer::Global], chord("g g").keys()), Found::Does(Target::Command(Command::Quit)));
    assert_eq!(vim.find(&[Layer::Global], chord("y y").keys()), Found::Does(Target::Command(Command::Copy)));
}

#[test]
fn a_mode_has_its_keys_for_itself_and_every_key_of_it_can_be_another() {
    let own = "[play]\n1 = \"play.restart\"\nj = \"\"\n\"g g\" = \"move.home\"\n[wire]\nx = \"\"\ne = \"wire.end\"\n\"s f\" = \
               \"steps.find\"\n\"ctrl-t\" = \"steps.new\"\n";
    let (keymap, faults) = Keymap::load(Some(own));
    assert_eq!((faults, keymap.notes(false)), (Vec::new(), Vec::new()), "nothing comes before a mode");
    let in_play = |keys: &str| keymap.find(&[Layer::Play, Layer::Text], chord(keys).keys());
    assert_eq!(in_play("1"), Found::Does(Target::Command(Command::PlayRestart)));
    assert_eq!(in_play("g"), Found::Begins);
    assert_eq!(in_play("j"), Found::Nothing, "of neither the global layer nor the screen's");
    assert_eq!(in_play("down"), Found::Does(Target::Command(Command::Down)), "what text has is there, too");
    assert_eq!(&**keymap.wire_letters(), "ens");
    // What a screen has a key for is said by that key, also where a mode has the one it had before.
    let (keymap, _) = Keymap::load(Some("[steps]\np = \"\"\nP = \"steps.play\"\n"));
    assert_eq!(keymap.first_key(Command::StepsPlay).unwrap().to_string(), "P");
    assert_eq!(keymap.first_key(Command::PlayRestart).unwrap().to_string(), "r");
}

#[test]
fn programs_of_ones_own_have_keys_and_can_be_absent() {
    let own = "[products]\nf5 = { run = [\"erp\", \"{id}\"], title = \"Look up\" }\n";
    let (keymap, faults) = Keymap::load(Some(own));
    assert_eq!(faults, []);
    let key = Key::plain(KeyCode::Function(5));
    assert_eq!(keymap.find(&[Layer::Products], &[key]), Found::Does(Target::Own(0)));
    assert_eq!(
        keymap.own_in(&[Layer::Products]).into_iter().map(|(_, own, _)| own.title.as_str()).collect::<Vec<_>>(),
        ["Look up"]
    );
    assert_eq!(keymap.own_in(&[Layer::Videos]).len(), 0);
    assert_eq!(keymap.without_own().find(&[Layer::Products], &[key]), Found::Nothing);
}

#[test]
fn esc_goes_back_and_typing_keeps_its_keys_whatever_a_file_says() {
    let own = "[global]\n\"esc x\" = \"app.quit\"\ny = \"app.quit\"\n[text]\n\"backspace x\" = \"app.help\"\n\"enter x\" = \
               \"app.help\"\na = \"app.help\"\n\"ctrl-x h\" = \"app.help\"\nenter = \"app.help\"\n";
    let (keymap, faults) = Keymap::load(Some(own));
    let told: Vec<String> = faults.iter().map(|fault| fault.what.clone()).collect();
    let typing = |chord: &str| format!("\"{chord}\" begins with a key that typing needs");
    let esc = "\"esc x\" begins with esc, which goes back at once".to_owned();
    assert_eq!(told, [esc, typing("backspace x"), typing("enter x"), typing("a")]);
    assert_eq!(keymap.command(Layer::Global, Key::plain(KeyCode::Esc)), Some(Command::Back));
    let notes: Vec<String> = keymap.notes(true).into_iter().map(|note| note.what).collect();
    assert!(notes.contains(&"\"y\" is no longer app.copy, which it is on every screen".to_owned()), "{notes:?}");
}

#[test]
fn sentences_name_the_keys_that_are_bound() {
    let (keymap, _) = Keymap::load(None);
    let said = "Saved. ‹app.address› opens it, ‹play.back› goes back, ‹app.remove› removes it.";
    assert_eq!(keymap.in_words("‹app.select› selects", false), "Space selects");
    assert_eq!(keymap.in_words(said, false), "Saved. o opens it, ← goes back, x removes it.");
    assert_eq!(keymap.in_words(said, true), "Saved. o opens it, h goes back, x removes it.");
    for own in ["‹not.one› of ours", "a ‹ b", "‹›", "›‹"] {
        assert_eq!(keymap.in_words(own, false), own);
    }
    let (keymap, _) = Keymap::load(Some("[global]\no = \"\"\nf7 = \"app.address\"\n[steps]\nu = \"\"\n"));
    assert_eq!(keymap.in_words("‹app.address› opens it.", false), "F7 opens it.");
    assert_eq!(keymap.in_words("‹steps.undo› undoes.", false), "“Undo edit” (: palette) undoes.");
}

/// The sources of the studio but for tests, by their files.
fn sources(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") && !name.ends_with("tests.rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn of_the_studio() -> Vec<(String, String)> {
    let mut found = Vec::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/studio"), &mut found);
    found
}

/// What is written between the parentheses that were just opened, and the last text in quotes there.
fn arguments(after: &str) -> (&str, &str) {
    let (mut depth, mut quoted, mut last) = (1, None, "");
    for (at, c) in after.char_indices() {
        match (c, quoted) {
            ('"', Some(from)) => (quoted, last) = (None, after.get(from..at).unwrap()),
            ('"', None) => quoted = Some(at + 1),
            ('(', None) => depth += 1,
            (')', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (after.get(..at).unwrap(), last);
        }
    }
    (after, last)
}

#[test]
fn no_page_and_no_line_of_a_screen_names_a_key_that_may_not_be_bound() {
    let mut footers = 0;
    for (file, text) in of_the_studio() {
        for after in text.split("Page::new(").skip(1) {
            let (call, footer) = arguments(after);
            for part in footer.split("  ").filter(|part| !part.is_empty()) {
                assert!(part.starts_with(OPENS) || part.starts_with("Esc "), "{file}: {call}");
                footers += 1;
            }
        }
        // What is drawn as a key and not taken from the keymap.
        for after in text.split("piece(Role::Accent, \"").skip(1) {
            let key = after.split('"').next().unwrap();
            assert!(key == "Esc" || key.chars().count() > 1 && Key::parse(key).is_err(), "{file} draws {key:?}");
        }
    }
    assert!(footers > 20, "{footers}");
}

#[test]
fn every_command_that_a_sentence_names_exists() {
    let found = of_the_studio();
    let mut named = 0;
    for (file, text) in found {
        for part in text.split(OPENS).skip(1) {
            // A sign in a sentence, and not the constant itself.
            let Some((name, _)) = part.split_once(CLOSES).filter(|(name, _)| !name.contains(['\n', '\''])) else {
                continue;
            };
            assert!(Command::by_name(name).is_some(), "{file} names {name:?}");
            named += 1;
        }
    }
    assert!(named > 80, "{named}");
}
