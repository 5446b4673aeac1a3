//! The player's settings: over HTTP, on the page that they make, and by the command line, against the real service.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crate::receiver;
use crate::serving;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receiver::Receiver;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use serving::{Served, cutaway, pretend, text};
use sha2::{Digest as _, Sha256};

/// The service, and a project of its own.
struct Shop {
    served: Served,
    http: reqwest::Client,
    id: String,
    player: String,
}

impl Shop {
    async fn open(settings: Value) -> Self {
        let (served, http) = (Served::with(&["--allow-private-webhooks"]), reqwest::Client::new());
        let mut shop = Self { served, http, id: String::new(), player: String::new() };
        let body = json!({ "project": { "name": "Gifts", "player": settings } });
        let (status, made) = shop.ask(Method::POST, "/projects", Some(body)).await;
        assert_eq!(status, 200, "{made}");
        made["id"].as_str().unwrap().clone_into(&mut shop.id);
        made["cutaway"].as_str().unwrap().clone_into(&mut shop.player);
        shop
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.served.base()) };
        let mut request = self.http.request(method, url).bearer_auth(self.served.key());
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn set(&self, settings: Value) -> (StatusCode, Value) {
        self.ask(Method::PUT, &format!("/projects/{}", self.id), Some(json!({ "player": settings }))).await
    }

    async fn settings(&self) -> Value {
        self.ask(Method::GET, &format!("/projects/{}", self.id), None).await.1["project"]["player"].clone()
    }

    /// The page and its policy, as a browser that reads this language gets them.
    async fn page(&self, query: &str, reads: &str) -> (String, String) {
        let request = self.http.get(format!("{}{query}", self.player)).header("accept-language", reads);
        let answer = request.send().await.unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        (answer.text().await.unwrap(), policy)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_kept_changed_one_by_one_and_cleared() {
    let shop = Shop::open(json!({ "brandColor": "#0a7cff", "endText": "Bye", "newer": 1 })).await;
    assert_eq!(shop.settings().await, json!({ "brandColor": "#0a7cff", "endText": "Bye" }));
    let list = shop.ask(Method::GET, "/projects/", None).await.1;
    let listed = list["projects"].as_array().unwrap().iter().find(|project| project["id"] == shop.id.as_str()).unwrap();
    assert_eq!(listed["player"]["endText"], "Bye");
    let sample = list["projects"].as_array().unwrap().iter().find(|project| project["name"] == "Gift finder").unwrap();
    assert!(sample.get("player").is_none(), "whoever doesn't use them doesn't see them");

    let (status, changed) = shop
        .set(json!({ "endText": null, "brandColor": "", "formFields": ["email"], "embedOrigins": ["https://Shop.example:443/"] }))
        .await;
    assert_eq!(
        (status, &changed["player"]),
        (
            StatusCode::OK,
            &json!({
                "formFields": ["email"], "embedOrigins": ["https://shop.example"],
            })
        )
    );
    // A change of something else leaves them.
    let path = format!("/projects/{}", shop.id);
    shop.ask(Method::PUT, &path, Some(json!({ "name": "Presents" }))).await;
    assert_eq!(shop.settings().await, changed["player"]);

    // What was read before a change is no state to change any more.
    let tag = async || {
        let answer = shop.http.get(format!("{}{path}", shop.served.base())).bearer_auth(shop.served.key());
        answer.send().await.unwrap().headers()["etag"].to_str().unwrap().to_owned()
    };
    let before = tag().await;
    shop.set(json!({ "language": "de" })).await;
    assert_ne!(tag().await, before);
    let late = shop.http.put(format!("{}{path}", shop.served.base())).bearer_auth(shop.served.key());
    let late = late.header("if-match", before).json(&json!({ "player": { "language": "fr" } })).send().await.unwrap();
    assert_eq!(late.status(), 412);
    assert_eq!(shop.settings().await["language"], "de");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_setting_is_named() {
    let shop = Shop::open(json!({})).await;
    let wrong = json!({
        "brandColor": "blue", "font": "comic", "fontUrl": "http://a.example/f.woff2", "logoUrl": 7, "language": "x",
        "transparent": "yes", "formFields": ["name", "street"], "formText": "x".repeat(2_001),
        "shopUrl": "javascript:alert(1)", "shopText": "a\u{7}b", "embedOrigins": ["https://shop.example/cart", "*"],
    });
    let (status, problem) = shop.set(wrong).await;
    let mut named: Vec<&str> =
        problem["errors"].as_array().unwrap().iter().map(|error| error["pointer"].as_str().unwrap()).collect();
    named.sort_unstable();
    let mut expected = vec![
        "/player/brandColor",
        "/player/embedOrigins/0",
        "/player/embedOrigins/1",
        "/player/font",
        "/player/fontUrl",
        "/player/formFields/1",
        "/player/formText",
        "/player/language",
        "/player/logoUrl",
        "/player/shopText",
        "/player/shopUrl",
        "/player/transparent",
    ];
    expected.sort_unstable();
    assert_eq!((status, named), (StatusCode::BAD_REQUEST, expected));
    assert_eq!(shop.settings().await, Value::Null, "nothing of it was kept");
    let body = json!({ "project": { "name": "x", "player": { "shopUrl": "shop" } } });
    let (_, problem) = shop.ask(Method::POST, "/projects", Some(body)).await;
    assert_eq!(problem["errors"][0]["pointer"], "/project/player/shopUrl");

    let described = shop.ask(Method::GET, "/openapi.json", None).await.1;
    let schemas = &described["components"]["schemas"];
    for (name, member) in [("Project", "player"), ("NewProject", "player"), ("ProjectChange", "player")] {
        assert_eq!(schemas[name]["properties"][member]["x-extension"], true, "{name}");
    }
    assert_eq!(schemas["PlayerSettings"]["properties"]["brandColor"]["pattern"], "^$|^#[0-9A-Fa-f]{6}$");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_the_merchants() {
    let shop = Shop::open(json!({
        "brandColor": "#ffee00", "font": "serif", "fontUrl": "https://fonts.example/brand.woff2",
        "logoUrl": "https://shop.example/logo.svg?a=1&b=2", "language": "de-AT", "transparent": true,
        "formFields": ["email"], "formText": "Schreib <uns>", "consentText": "Ja & gern",
        "privacyUrl": "https://shop.example/privacy", "endText": "Servus", "shopUrl": "https://shop.example/",
        "shopText": "Zu den \"Geschenken\"", "embedOrigins": ["https://shop.example"],
    }))
    .await;
    let (page, policy) = shop.page("?lang=fr", "ja").await;
    for part in [
        r#"<html lang="de-AT" dir="ltr" data-transparent>"#,
        r##"<meta name="theme-color" content="#ffee00">"##,
        r#"<link rel="icon" href="https://shop.example/logo.svg?a=1&amp;b=2">"#,
        r#"<meta property="og:image" content="https://shop.example/logo.svg?a=1&amp;b=2">"#,
        r#"<meta property="og:locale" content="de_AT">"#,
        r#"<p class="lead" dir="auto">Schreib &lt;uns&gt;</p>"#,
        "Gesendet wird: E-Mail.",
        r#"<a href="https://shop.example/privacy" target="_blank" rel="noopener">Datenschutzerklärung</a>"#,
        "<span dir=\"auto\">Ja &amp; gern</span>",
        r#"data-end="Servus""#,
        "Zu den &quot;Geschenken&quot;",
        ">Abspielen<",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(page.contains(&format!(r#"<meta property="og:url" content="{}">"#, shop.player)), "{page}");
    assert!(!page.contains("name=\"phone\"") && !page.contains("name=\"name\""), "only what is asked for");
    // The style is the one that the policy lets in, and text on the bright color is dark.
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(style.contains("--brand:#ffee00;--on-brand:#000000") && style.contains("ui-serif"), "{style}");
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    assert!(policy.contains(&format!("style-src 'self' 'sha256-{hash}';")), "{policy}");
    assert!(policy.contains("font-src https:") && policy.ends_with("frame-ancestors https://shop.example"), "{policy}");

    // A project in a language that the interface has no texts in: the viewer's, and the project's texts are marked.
    shop.set(json!({ "language": "sv", "brandColor": null, "font": null, "fontUrl": null, "transparent": false }))
        .await;
    let (page, policy) = shop.page("?lang=fr", "ja").await;
    assert!(page.contains(r#"<html lang="fr" dir="ltr">"#) && page.contains(r#"data-content="sv""#), "{page}");
    assert!(page.contains(r#"<h1 class="unseen" dir="auto" lang="sv">"#), "{page}");
    assert!(!page.contains("--brand:") && !page.contains("@font-face") && !policy.contains("font-src"), "{policy}");
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    assert!(policy.contains(&format!("style-src 'self' 'sha256-{hash}';")), "{policy}");
    assert!(shop.page("", "ja").await.0.contains(r#"<html lang="ja""#));
    // Without a language of the project's own, the address and the viewer decide.
    shop.set(json!({ "language": null })).await;
    assert!(shop.page("?lang=he", "ja").await.0.contains(r#"<html lang="he" dir="rtl">"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_takes_what_it_asks_for_and_only_with_consent() {
    let shop = Shop::open(json!({ "formFields": ["email", "name"], "consentText": "I agree to news." })).await;
    let receiver = Receiver::start().await;
    shop.ask(Method::POST, "/webhooks", Some(json!({ "event": "collected_info", "url": receiver.url }))).await;
    let played = shop.ask(Method::GET, &format!("{}/project", shop.player), None).await.1;
    assert_eq!((&played["form"], &played["formFields"]), (&json!(true), &json!(["name", "email"])));
    let visit = shop.ask(Method::POST, &format!("{}/visits", shop.player), Some(json!({}))).await.1;
    let form = visit["formUrl"].as_str().unwrap().to_owned();
    let left = json!({ "email": "kari@shop.example", "phone": "112" });
    let (status, problem) = shop.ask(Method::POST, &form, Some(left.clone())).await;
    assert_eq!((status, &problem["errors"][0]["pointer"]), (StatusCode::BAD_REQUEST, &json!("/consent")));
    let only_phone = json!({ "phone": "112", "consent": true });
    let (status, problem) = shop.ask(Method::POST, &form, Some(only_phone)).await;
    assert_eq!((status, problem["errors"].as_array().unwrap().len()), (StatusCode::BAD_REQUEST, 2));
    let mut agreed = left;
    agreed["consent"] = json!(true);
    assert_eq!(shop.ask(Method::POST, &form, Some(agreed)).await.0, 200);
    assert_eq!(
        receiver.wait_for(1).await.body["collectedInfo"],
        json!({ "name": null, "email": "kari@shop.example", "phone": null, "consent": "I agree to news." })
    );

    // What they agree to is what they were shown.
    let version = played["consent"]["version"].clone();
    assert_eq!(played["consent"]["text"], "I agree to news.");
    shop.set(json!({ "consentText": "I agree to news and calls." })).await;
    let old = json!({ "email": "kari@shop.example", "consent": true, "consentVersion": version });
    let (status, problem) = shop.ask(Method::POST, &form, Some(old)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    let played = shop.ask(Method::GET, &format!("{}/project", shop.player), None).await.1;
    let version = played["consent"]["version"].clone();
    let new = json!({ "email": "kari@shop.example", "consent": true, "consentVersion": version });
    assert_eq!(shop.ask(Method::POST, &form, Some(new)).await.0, 200);
    assert_eq!(receiver.wait_for(2).await.body["collectedInfo"]["consent"], "I agree to news and calls.");

    // A project that asks for nothing has no form, whatever the workspace wants.
    shop.set(json!({ "formFields": [] })).await;
    let played = shop.ask(Method::GET, &format!("{}/project", shop.player), None).await.1;
    assert_eq!((&played["form"], &played["formFields"]), (&json!(false), &json!([])));
    assert_eq!(shop.ask(Method::POST, &form, Some(json!({ "email": "a@b.example", "consent": true }))).await.0, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_a_deleted_project_keeps_its_rules() {
    let shop = Shop::open(json!({ "formFields": ["email"], "consentText": "I agree." })).await;
    let receiver = Receiver::start().await;
    shop.ask(Method::POST, "/webhooks", Some(json!({ "event": "collected_info", "url": receiver.url }))).await;
    let visit = shop.ask(Method::POST, &format!("{}/visits", shop.player), Some(json!({}))).await.1;
    let form = visit["formUrl"].as_str().unwrap().to_owned();
    assert_eq!(shop.ask(Method::DELETE, &format!("/projects?projectId={}", shop.id), None).await.0, 200);
    let left = json!({ "email": "kari@shop.example", "phone": "112" });
    let (status, problem) = shop.ask(Method::POST, &form, Some(left.clone())).await;
    assert_eq!((status, &problem["errors"][0]["pointer"]), (StatusCode::BAD_REQUEST, &json!("/consent")));
    let mut agreed = left;
    agreed["consent"] = json!(true);
    assert_eq!(shop.ask(Method::POST, &form, Some(agreed)).await.0, 200);
    assert_eq!(
        receiver.wait_for(1).await.body["collectedInfo"],
        json!({ "name": null, "email": "kari@shop.example", "phone": null, "consent": "I agree." })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embed_script_is_small() {
    let shop = Shop::open(json!({})).await;
    let answer = shop.http.get(format!("{}/player/embed.js", shop.served.base())).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/javascript; charset=utf-8");
    let script = answer.bytes().await.unwrap();
    assert!(script.len() <= 4_096 && script.len() > 500, "{} bytes", script.len());
}

#[test]
fn the_command_line_sets_shows_exports_and_embeds() {
    let served = Served::start();
    let made: Value = served.json(&["projects", "create", "Gifts"]);
    let id = made["id"].as_str().unwrap();
    assert_eq!(served.json(&["projects", "player", id]), json!({}));
    let set = ["--brand-color", "#0a7cff", "--language", "de", "--form-field", "name", "--form-field", "email"];
    let settings = served.json(&[&["projects", "player", id], set.as_slice()].concat());
    assert_eq!(settings, json!({ "brandColor": "#0a7cff", "language": "de", "formFields": ["name", "email"] }));
    let shown = served.prints(&["projects", "player", id, "--brand-color", "", "--form-field", ""]);
    assert_eq!(shown, "language    de\nformFields  none\n");
    served.prints(&["projects", "update", id, "--player", r#"{"endText":"Bye","language":null}"#]);
    assert_eq!(served.json(&["projects", "player", id]), json!({ "formFields": [], "endText": "Bye" }));
    assert!(served.prints(&["projects", "show", id]).contains("endText: Bye"));
    let (_, said) = served.ends(2, &["projects", "player", id, "--shop-url", "http://shop.example"]);
    assert!(said.contains("shopUrl must be an https address"), "{said}");
    served.ends(4, &["projects", "player", "00000000-0000-4000-8000-000000000000", "--font", "serif"]);

    // They go with the project's file, and with a copy.
    let file = served.prints(&["projects", "export", id, "--format", "toml"]);
    assert!(file.contains("[player]\nformFields = []\nendText = \"Bye\"\n"), "{file}");
    std::fs::write(served.home.path().join("gifts.toml"), &file).unwrap();
    let copy = served.json(&["projects", "import", "gifts.toml", "--name", "Copy"]);
    assert_eq!(copy["project"]["player"], json!({ "formFields": [], "endText": "Bye" }));
    std::fs::write(served.home.path().join("gifts.toml"), file.replace("\"Bye\"", "\"See you\"")).unwrap();
    assert!(served.run(&["projects", "plan", "gifts.toml"]).status.code() == Some(8));
    served.prints_with_words(&["projects", "apply", "gifts.toml", "--yes"]);
    assert_eq!(served.json(&["projects", "player", id])["endText"], "See you");
    // A file that says nothing of the player leaves it.
    let silent = file.replace("[player]\nformFields = []\nendText = \"Bye\"\n", "");
    std::fs::write(served.home.path().join("gifts.toml"), silent).unwrap();
    served.prints_with_words(&["projects", "plan", "gifts.toml"]);
    std::fs::write(served.home.path().join("odd.toml"), file.replace("formFields = []", "formFields = 7")).unwrap();
    served.ends(2, &["projects", "plan", "odd.toml"]);

    let snippet = served.prints(&["projects", "embed", id, "--bubble"]);
    let player = made["cutaway"].as_str().unwrap();
    let publish = player.rsplit('/').next().unwrap();
    assert_eq!(
        snippet,
        format!(
            "<script async src=\"{0}/player/embed.js\" data-project=\"{publish}\" data-bubble data-title=\"Gifts\"></script>\n\
             <noscript><a href=\"{player}\">Gifts</a></noscript>\n",
            served.base()
        )
    );
    let frame = served.json(&["projects", "embed", id, "--iframe", "--aspect", "16/9"]);
    assert_eq!(frame["player"], player);
    assert!(
        frame["snippet"].as_str().unwrap().starts_with("<iframe ")
            && frame["snippet"].as_str().unwrap().contains("16/9")
    );
    served.ends(2, &["projects", "embed", id, "--iframe", "--bubble"]);
}

#[test]
fn a_service_that_keeps_no_settings_is_reported() {
    let base = pretend(&[
        ("PUT /projects/7", 200, "{}"),
        (
            "GET /projects/7",
            200,
            r#"{"project":{"id":"7","name":"x","watch":"https://player.example/w/7"},"steps":[]}"#,
        ),
    ]);
    let run = |arguments: &[&str]| {
        let home = tempfile::tempdir().unwrap();
        let mut command = cutaway(home.path());
        command.env("CUTAWAY_BASE_URL", &base).env("CUTAWAY_API_KEY", "marked-key");
        let output = command.args(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let (code, _, said) = run(&["projects", "player", "7", "--font", "serif"]);
    assert!(code == 1 && said.contains("doesn't store player settings"), "{code} {said}");
    let (code, _, said) = run(&["projects", "update", "7", "--player", r#"{"font":"serif"}"#]);
    assert!(code == 1 && said.contains("doesn't store player settings"), "{code} {said}");
    // A player that is not Cutaway's can be framed, and has no script.
    let (code, out, _) = run(&["projects", "embed", "7", "--iframe"]);
    assert!(code == 0 && out.contains("https://player.example/w/7"), "{code} {out}");
    let (code, _, said) = run(&["projects", "embed", "7"]);
    assert!(code == 1 && said.contains("--iframe"), "{code} {said}");
}
