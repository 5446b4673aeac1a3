//! Signing in, switching and being guarded, as a person at a terminal does it, against the real authorization server.

use serde_json::Value;

use crate::approval;
use crate::service::Service;
use crate::terminal::{Start, Studio};

/// Makes a profile in the Account screen, up to its sign-in.
fn new_profile(studio: &mut Studio, name: &str, base: &str) {
    studio.keys("5").shows("Account").shows("1 profile").keys("n").shows("New profile");
    studio.keys(name).keys("\t").keys(base).shows(base).keys("\r");
    studio.shows(&format!("Sign in to {name}")).shows("How?");
}

/// What the studio says when it has opened the other profile.
fn is_open(studio: &mut Studio, name: &str, products: &str) {
    studio.until("the other profile", |rows| rows[0].contains(name));
    studio.keys("1").shows(products).keys("5").shows("in use");
}

#[test]
fn a_first_sign_in_by_key() {
    let service = Service::of(300);
    let mut studio = Start::new().open();
    studio.shows("274 products");
    new_profile(&mut studio, "shop", service.base_url());
    studio.keys("1").shows("Type or paste your API key").keys("marked-wrong-key").shows("••••").keys("\r");
    studio.shows("401").shows("Type or paste your API key");
    studio.keys(service.api_key()).keys("\r");
    is_open(&mut studio, "shop", "no store is set");
    studio.shows("API key, credential file");
    let who: Value = serde_json::from_str(&studio.beside(&["whoami", "--json"])).unwrap();
    studio.shows(who["email"].as_str().unwrap());
    let ended = studio.quit();
    let written = String::from_utf8_lossy(&ended.raw).into_owned();
    assert!(!written.contains(service.api_key()) && !written.contains("marked-wrong-key"));
}

#[test]
fn a_first_sign_in_by_device_code() {
    let service = Service::of(300);
    let mut studio = Start::new().open();
    studio.shows("274 products");
    new_profile(&mut studio, "shop", service.base_url());
    studio.keys("2").shows("enter the code").shows("▄");
    let page = format!("{}/oauth/device", service.base_url());
    // Given up and begun again, it is another code.
    studio.keys("\x1b").shows("How?").keys("2").shows("enter the code");
    let rows = studio.rows();
    let at = rows.iter().position(|row| row.contains("enter the code")).unwrap();
    let code = rows[at + 1].trim_start_matches(['│', ' ']).split_whitespace().next().unwrap().to_owned();
    assert_eq!(approval::decide_device(&page, &code, service.api_key(), "approve"), 200);
    is_open(&mut studio, "shop", "no store is set");
    studio.shows("OAuth sign-in, credential file");
    studio.quit();
}

#[test]
fn a_first_sign_in_by_a_pasted_address() {
    let service = Service::of(300);
    let mut studio = Start::new().size(200, 50).open();
    studio.shows("274 products");
    new_profile(&mut studio, "shop", service.base_url());
    studio.keys("3").shows("Open this address").shows("its last page can't load");
    let address = studio.copied("oauth/authorize");
    let back = approval::decide_code(&address, service.api_key(), "approve");
    studio.keys(&format!("\x1b[200~{back}\x1b[201~")).shows("state=").keys("\r");
    is_open(&mut studio, "shop", "no store is set");
    studio.shows("OAuth sign-in, credential file");
    studio.quit();
}

#[test]
fn a_refused_credential_asks_once_and_what_waited_goes_on() {
    let service = Service::of(300);
    let mut studio = service.studio().with("CUTAWAY_API_KEY", "a-key-that-is-none").open();
    studio.shows("Sign in to").shows("refused the credential");
    // Another screen asks too, and there is still one prompt.
    studio.keys("1").shows("Type or paste your API key").keys(service.api_key()).keys("\r");
    // What passes is looked for first.
    studio.hides("Sign in to").shows("Signed in as").shows("300 products");
    studio.quit();

    let mut studio = service.studio().with("CUTAWAY_API_KEY", "a-key-that-is-none").open();
    studio.shows("Sign in to").keys("\x1b").hides("Sign in to").shows("401");
    studio.quit();
}

#[test]
fn profiles_are_switched_in_one_line_and_never_mixed() {
    let (one, two) = (Service::of(300), Service::of(500));
    let start = Start::new().configured(
        "config.toml",
        &format!(
            "default_profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nstores = [\"{store}\"]\n\
             [profiles.two]\nbase_url = \"{}\"\nlive = true\ncolour = \"#ff0000\"\nstores = [{{ url = \"{store}\", name = \"Second shop\" }}]\n",
            one.base_url(),
            two.base_url(),
            store = one.store(),
        ),
    );
    let start = start.with_data(
        "credentials.toml",
        &format!("[profiles.one]\napi_key = \"{}\"\n[profiles.two]\napi_key = \"{}\"\n", one.api_key(), two.api_key()),
    );
    let start = start.with("COLORTERM", "truecolor");
    let again = start.again();
    let mut studio = start.open();
    studio.shows("300 products").keys("/cap").shows("found").keys("\r");
    studio.keys(":").shows("Commands").keys("second shop").shows("Go to two").keys("\r");
    studio.until("the other profile", |rows| rows[0].contains("two"));
    // The store has the same address, and yet the search is the other service's.
    studio.shows("500 products").hides("/ cap");
    // What the terminal was asked meanwhile left nothing of itself.
    studio.until("the frame of the list", |rows| rows[1].starts_with('╭'));
    // Its frame is in its colour.
    let from = studio.written();
    studio.keys("\x0c").writes(from, b"38;2;255;0;0");
    // Back again, the studio is where it was left.
    studio.keys("@").shows("Profile and store").keys("one\r");
    studio.until("the first profile", |rows| rows[0].contains("one")).shows("/ cap");
    studio.keys("6").shows("Inspector");
    studio.quit();
    // The next start, too, unless it is told not to.
    let mut studio = again.again().open();
    studio.until("the screen that was left", |rows| rows[0].contains("one")).keys("1").shows("/ cap");
    studio.quit();
    let mut studio = again.arguments(&["--fresh"]).open();
    studio.shows("300 products").hides("/ cap");
    studio.quit();
}

#[test]
fn a_profile_is_switched_with_a_draft_open_and_the_draft_stays_with_its_own() {
    let (one, two) = (Service::of(300), Service::of(500));
    let profile = |name: &str, service: &Service| {
        format!("[profiles.{name}]\nbase_url = \"{}\"\nstores = [\"{}\"]\n", service.base_url(), service.store())
    };
    let config = format!("default_profile = \"one\"\n{}{}", profile("one", &one), profile("two", &two));
    let keys =
        format!("[profiles.one]\napi_key = \"{}\"\n[profiles.two]\napi_key = \"{}\"\n", one.api_key(), two.api_key());
    let start = Start::new().configured("config.toml", &config).with_data("credentials.toml", &keys);
    let mut studio = start.open();
    studio.shows("300 products");
    studio.beside(&["projects", "create", "Drafted"]);
    studio.keys("2").shows("Drafted").keys("/").keys("Drafted").shows("/ Drafted").keys("\r\r");
    studio.shows("This project has no steps yet").keys("n").shows("draft: 1 edit not saved ─");
    studio.keys("@").shows("Profile and store").keys("two\r");
    studio.until("the other profile", |rows| rows[0].contains("two"));
    studio.keys("1").shows("500 products").keys("2").hides("Drafted");
    studio.keys("@").shows("Profile and store").keys("one\r");
    studio.until("the first profile", |rows| rows[0].contains("one"));
    // The project is open as it was.
    studio.keys("1").shows("300 products").keys("2").shows("draft: 1 edit not saved").shows("1 step · 0 answers");
    studio.quit();
}

#[test]
fn a_profile_that_is_open_gets_another_name_and_keeps_what_it_has() {
    let service = Service::of(300);
    let config =
        format!("[profiles.shop]\nbase_url = \"{}\"\nstores = [\"{}\"]\n", service.base_url(), service.store());
    let config =
        format!("default_profile = \"shop\"\n{config}[profiles.other]\nbase_url = \"https://other.example\"\n");
    let keys = format!("[profiles.shop]\napi_key = \"{}\"\n", service.api_key());
    let mut studio = Start::new().configured("config.toml", &config).with_data("credentials.toml", &keys).open();
    studio.shows("300 products");
    studio.beside(&["projects", "create", "Drafted"]);
    studio.keys("2").shows("Drafted").keys("/").keys("Drafted").shows("/ Drafted").keys("\r\r");
    studio.shows("This project has no steps yet").keys("n").shows("draft: 1 edit not saved ─");
    studio.keys("5").shows("in use").keys("E").shows("Rename shop").keys("-west\r");
    studio.until("the profile under its name", |rows| rows[0].contains("shop-west"));
    studio.shows("in use").shows("API key, credential file").keys("1").shows("300 products");
    studio
        .keys("2")
        .shows("● draft")
        .keys("/")
        .keys("Drafted")
        .shows("/ Drafted")
        .keys("\r\r")
        .shows("1 step · 0 answers");
    // One that is not open.
    studio.keys("5").shows("in use").keys("g").keys("\x1b[B").shows("https://other.example");
    studio.keys("E").shows("Rename other").keys("s\r").shows("Renamed other to others").hides("  other ");
    let profiles = studio.beside(&["profiles"]);
    assert!(
        profiles.contains("*  shop-west") && profiles.contains("others") && !profiles.contains("shop "),
        "{profiles}"
    );
    studio.quit();
}

#[test]
fn a_profile_that_was_changed_is_opened_again() {
    let service = Service::of(300);
    let start = Start::new()
        .configured(
            "config.toml",
            &format!(
                "default_profile = \"a\"\n[profiles.a]\nbase_url = \"{}\"\nread_only = true\n",
                service.base_url()
            ),
        )
        .with_data("credentials.toml", &format!("[profiles.a]\napi_key = \"{}\"\n", service.api_key()));
    let mut studio = start.open();
    studio.until("the guard", |rows| rows[0].contains("read-only")).keys("5").shows("yes, by profile; c edits it");
    studio.keys("c").shows("Edit profile").keys("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A").keys(" ").shows("○ no").keys("\r");
    studio.shows("Enter opens it again").keys("\r").until("no guard any more", |rows| !rows[0].contains("read-only"));
    studio.keys("5").shows("in use").hides("by profile").keys("\r").shows("is already open");
    studio.quit();
}

#[test]
fn a_credential_that_others_can_read_is_refused_with_the_mend() {
    use std::os::unix::fs::PermissionsExt as _;
    let service = Service::of(300);
    let start = Start::new()
        .configured(
            "config.toml",
            &format!("default_profile = \"a\"\n[profiles.a]\nbase_url = \"{}\"\n", service.base_url()),
        )
        .with_data("credentials.toml", &format!("[profiles.a]\napi_key = \"{}\"\n", service.api_key()));
    let file = start.home().join("data/cutaway/credentials.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut studio = start.open();
    studio.keys("!").shows("chmod 600");
    studio.keys("\x1b");
    studio.quit();
}
