//! The player in a real browser: plays the sample's quiz to its end, by touch and by keyboard, and the shop is told.
//! Where there is no Chromium it says loudly that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::too_many_lines)]

use crate::browser;
use crate::receiver;

use browser::{api, player, serve};
use receiver::Receiver;
use serde_json::json;

async fn subscribe(base: &str, key: &str, event: &str, to: &Receiver) -> String {
    let webhook = api(base, key, "/webhooks", Some(json!({ "event": event, "url": to.url }))).await;
    let path = format!("/webhooks/{}/secret", webhook["id"].as_str().unwrap());
    api(base, key, &path, None).await["secret"].as_str().unwrap().to_owned()
}

const HEADING: &str = "document.activeElement.id === 'overlay' && document.activeElement.textContent";

#[tokio::test]
async fn the_quiz_is_played_to_its_end() {
    let Some(program) = browser::found() else {
        eprintln!(
            "\n*** SKIPPED: the player was not tried in a browser, no chromium or google-chrome is on PATH ***\n"
        );
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let base = running.base_url().to_owned();
    let [summaries, forms, purchases] = [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    let summary_secret = subscribe(&base, &key, "response_summary", &summaries).await;
    let form_secret = subscribe(&base, &key, "collected_info", &forms).await;
    let purchase_secret = subscribe(&base, &key, "conversion", &purchases).await;

    let mut page = browser::Page::open(program).await;
    page.go(&player(&base, &key, "Gift finder").await).await;
    page.wait_until("!document.getElementById('start-panel').hidden").await;
    page.shoot("player-start").await;
    page.press("Play").await;
    page.wait_until(&format!("({HEADING}) === 'Who is it for?'")).await;
    page.wait_until("document.getElementById('video').currentTime > 1").await;
    page.shoot("player-playing").await;
    // The answers come when the film is so far, and are told to who can't see them.
    assert_eq!(page.value("document.getElementById('answers').hidden").await, true);
    page.wait_until("!document.getElementById('answers').hidden").await;
    assert!(page.value("document.getElementById('video').currentTime").await.as_f64().unwrap() >= 4.0);
    let said = page.value("document.getElementById('said').textContent").await;
    assert_eq!(said, "3 answers: For her, For him, Not sure");
    page.shoot("player-asking").await;

    // By keyboard: the answers follow the heading that has the focus.
    page.wait_until("!document.querySelector('[data-settling]')").await;
    for expected in ["For her", "For him"] {
        page.key("Tab", 9).await;
        assert_eq!(page.value("document.activeElement.textContent").await, expected);
    }
    page.shoot("player-keyboard").await;
    page.key("Enter", 13).await;
    page.wait_until(&format!("({HEADING}) === 'What does he like?'")).await;
    page.press("Back").await;
    page.wait_until(&format!("({HEADING}) === 'Who is it for?'")).await;
    page.skip().await;
    page.press("For him").await;
    for answer in ["Old boots", "To the small presents", "Wrap it"] {
        page.skip().await;
        page.press(answer).await;
    }
    page.wait_until("document.getElementById('player').dataset.state === 'end'").await;
    let got = summaries.wait_for(1).await;
    got.verify(&summary_secret);
    let chosen: Vec<&str> = got.body["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["eventName"] == "answer_selected")
        .map(|event| event["text"].as_str().unwrap())
        .collect();
    assert_eq!(chosen, ["For him", "For him", "Old boots", "To the small presents", "Wrap it"]);
    let last = got.body["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["eventName"], &last["stepName"]), (&json!("completed"), &json!("Sm4ll")));
    assert!(last["videoName"].is_string());
    assert!(got.body["sessionTime"].as_f64().unwrap() >= 4.0);

    page.press("Send").await;
    page.wait_until("document.getElementById('form-fault').textContent.includes('Enter a name')").await;
    page.value(
        "document.getElementById('name').value = 'Kari'; document.getElementById('email').value = 'kari@example.com'",
    )
    .await;
    page.shoot("player-form").await;
    page.press("Send").await;
    page.wait_until("document.getElementById('overlay').textContent === \"Thank you, it\'s been sent\"").await;
    let got = forms.wait_for(1).await;
    got.verify(&form_secret);
    assert_eq!(got.body["collectedInfo"], json!({ "name": "Kari", "email": "kari@example.com", "phone": null }));
    page.shoot("player-end").await;

    // The shop learned from the page where it reports what was bought.
    let purchase = page.value("document.documentElement.dataset.purchaseUrl").await;
    let order = json!({ "orderId": "77" });
    let reported = reqwest::Client::new().post(purchase.as_str().unwrap()).json(&order).send().await.unwrap();
    assert_eq!(reported.status(), 200);
    let got = purchases.wait_for(1).await;
    got.verify(&purchase_secret);
    assert_eq!(got.body["collectedInfo"]["name"], "Kari");

    // Once more is another visit.
    page.press("Start again").await;
    page.wait_until(&format!("({HEADING}) === 'Who is it for?'")).await;
    page.wait_until(&format!("document.documentElement.dataset.purchaseUrl !== {purchase}")).await;
    assert_eq!(page.complaints, Vec::<String>::new());

    // The project that is broken on purpose: a way that leads nowhere, a step without a film.
    page.go(&player(&base, &key, "Spring campaign (unfinished)").await).await;
    page.press("Play").await;
    page.skip().await;
    page.press("Both").await;
    page.wait_until(&format!("({HEADING}) === \"This part isn\'t available right now\"")).await;
    page.shoot("player-stuck").await;
    page.press("Back").await;
    page.wait_until("player.dataset.state === 'playing'").await;
    page.skip().await;
    page.press("Flowers").await;
    page.wait_until("!document.getElementById('answers').hidden").await;
    page.shoot("player-without-film").await;
    page.press("Show me").await;
    page.wait_until("document.getElementById('player').dataset.state === 'end'").await;
    assert_eq!(summaries.wait_for(2).await.body["playlist"], "Spring campaign (unfinished)");
    assert_eq!(page.complaints, Vec::<String>::new());

    // The approval page, as the owner sees it there.
    page.go(&format!("{base}/oauth/device?user_code=BCDF-GHJK")).await;
    assert_eq!(page.value("document.getElementById('user_code').value").await, "BCDF-GHJK");
    page.shoot("approval").await;
    assert_eq!(page.complaints, Vec::<String>::new());
    running.stop().await;
}

#[tokio::test]
async fn a_code_comes_back_to_the_client() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: the approval page was not tried in a browser, none is on PATH ***\n");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let (running, key) = serve(data.path()).await;
    let client = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let back = format!("http://{}/back", client.local_addr().unwrap());
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let query = [
        ("response_type", "code"),
        ("client_id", "cutaway"),
        ("redirect_uri", back.as_str()),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
        ("state", "here"),
    ];
    let url = reqwest::Url::parse_with_params(&format!("{}/oauth/authorize", running.base_url()), query).unwrap();
    let mut page = browser::Page::open(program).await;
    page.go(url.as_str()).await;
    page.shoot("approval-code").await;
    page.value(&format!("document.getElementById('api_key').value = {}", json!(key))).await;
    // The browser follows the form to the client: the page's own policy must let it.
    page.press("Approve").await;
    let (mut stream, _) = client.accept().await.unwrap();
    let mut head = [0; 2048];
    let length = tokio::io::AsyncReadExt::read(&mut stream, &mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    assert!(head.starts_with("GET /back?code=cutaway_code_") && head.contains("state=here"), "{head}");
    running.stop().await;
}
