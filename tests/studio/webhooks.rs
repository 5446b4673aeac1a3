//! From a subscription to a verified delivery, and a studio in which nothing can be changed.

use crate::terminal::Start;

#[test]
fn a_subscription_made_here_is_delivered_to_here_and_verified() {
    let mut studio = Start::new().open();
    studio.shows("274 products").keys("4").shows("response_summary").shows("3 webhooks");
    studio.keys("\x07").shows("receiving on http://127.0.0.1:");
    studio.keys("n").shows("New webhook").shows("A viewer bought");
    // The last of the three, then the address, which is already that of the receiver.
    studio.keys("\x1b[B\x1b[B\t").shows("only a service on this computer can reach it");
    studio.keys("x\x7f\r").shows("4 webhooks").shows("gets conversion");
    studio.keys("/127.0.0.1").shows("1 of 4").keys("\r").shows("No deliveries yet");
    studio.keys("p").shows("verified").shows("delivered").shows("Ping");
    studio.keys("\r").keys("a").until("two deliveries that were verified", |rows| {
        rows.iter().filter(|row| row.contains("verified")).count() == 2
    });
    studio.keys("\r").shows("What was sent").keys("\x1b");
    studio.hides("What was sent").keys("\x1b").keys("\x07").hides("receiving on");
    studio.quit();
}

#[test]
fn a_subscription_is_deleted_after_a_question() {
    let mut studio = Start::new().open();
    studio.shows("274 products").keys("4").shows("3 webhooks");
    studio.keys("D").shows("Delete this webhook?").keys("\x1b").hides("Delete this webhook?");
    studio.keys("D").shows("Keep it").keys("\r").hides("Keep it").shows("3 webhooks");
    studio.keys("D").shows("Delete it").keys("\x1b[B\r").shows("Deleted the webhook").shows("2 webhooks");
    let left = studio.beside(&["webhooks", "list", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&left).unwrap().as_array().unwrap().len(), 2);
    studio.quit();
}

#[test]
fn a_secret_is_replaced_after_a_question() {
    let mut studio = Start::new().open();
    studio.shows("274 products").keys("4").shows("3 webhooks").keys("/collected").shows("1 of 3").keys("\r");
    let list: serde_json::Value = serde_json::from_str(&studio.beside(&["webhooks", "list", "--json"])).unwrap();
    let listed = list.as_array().unwrap().iter().find(|webhook| webhook["event"] == "collected_info").unwrap();
    let id = listed["id"].as_str().unwrap().to_owned();
    let old = studio.beside(&["webhooks", "secret", &id]).trim().to_owned();
    studio.keys("%").shows("Replace the signing secret?").keys("\r").hides("Replace the signing secret?");
    assert_eq!(studio.beside(&["webhooks", "secret", &id]).trim(), old, "the first answer keeps it");
    studio.keys("%").shows("Replace it").keys("\x1b[B\r").shows("Replaced the secret of");
    let new = studio.beside(&["webhooks", "secret", &id]).trim().to_owned();
    assert_ne!(new, old);
    // The receiver needs it: it is copied, and stands nowhere on the screen.
    studio.copied(&new);
    studio.hides(&new);
    studio.quit();
}

#[test]
fn a_copied_request_to_the_local_workspace_works_in_a_shell() {
    let mut studio = Start::new().open();
    studio.shows("274 products").keys("6").keys("/").keys("searchProductsCursor\r").shows("1 of");
    studio.keys("y").shows("curl").keys("\r");
    let line = studio.copied("--unix-socket");
    studio.shows("Sent to your terminal").keys("\x1b").hides("Sent to your terminal");
    assert!(line.starts_with("curl -sS -X POST --unix-socket '"), "{line}");
    assert!(line.contains(" 'http://localhost/products-service/searchProductsCursor'"), "{line}");
    let Ok(curl) = std::process::Command::new("curl").arg("--version").output() else {
        eprintln!("SKIPPED: there is no curl here");
        studio.quit();
        return;
    };
    assert!(curl.status.success());
    let key = studio.beside(&["serve", "key", "add", "--name", "curl"]);
    let run = std::process::Command::new("sh").args(["-c", &line]).env("CUTAWAY_API_KEY", key.trim()).output().unwrap();
    let answer = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(answer.contains("\"products\":[{"), "{line}: {answer}{}", String::from_utf8_lossy(&run.stderr));
    studio.quit();
}

#[test]
fn a_subscription_that_is_off_is_shown_so_and_switched_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/gone", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            use std::io::{Read as _, Write as _};
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut vec![0; 65536]);
            let _ = socket.write_all(b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    let mut studio = Start::new().open();
    studio.shows("274 products");
    studio.beside(&["webhooks", "create", "conversion", &url]);
    studio.keys("4").shows("4 webhooks").keys("/gone").shows("1 of 4").keys("\r");
    studio.keys("+").shows("This webhook is already on").keys("p").shows("ended");
    studio.keys("r").shows("switched off: the receiver answered 410").keys("+").shows("is switched on");
    studio.hides("switched off: the receiver");
    studio.quit();
}

#[test]
fn a_read_only_studio_refuses_every_write_it_is_asked_for() {
    for start in [Start::new().arguments(&["--read-only"]), Start::new().with("CUTAWAY_READ_ONLY", "1")] {
        let mut studio = start.open();
        studio.until("the guard in the frame", |rows| rows[0].contains("read-only"));
        studio.keys("4").shows("3 webhooks");
        let before = everything(&studio);
        for key in ["n", "p", "a", "D", "%", "+", "-"] {
            studio.keys(key).shows("Refused: read-only").keys("5").shows("yes, by ");
            studio.keys("4").until("the notice is gone", |rows| rows.iter().any(|row| row.contains("3 webhooks")));
        }
        // Nothing was sent: the service has what it had, and the Inspector, which lists every call, none that writes.
        assert_eq!(everything(&studio), before);
        studio.keys("6").until("calls about webhooks that read", |rows| {
            let mut calls = rows.iter().filter(|row| row.contains("/webhooks")).peekable();
            calls.peek().is_some() && calls.all(|row| row.contains("GET"))
        });
        studio.quit();
    }
}

/// What the service has of webhooks: the subscriptions, the deliveries of each, and its secret.
fn everything(studio: &crate::terminal::Studio) -> Vec<String> {
    let listed = studio.beside(&["webhooks", "list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let mut all = vec![listed];
    for webhook in list.as_array().unwrap() {
        let id = webhook["id"].as_str().unwrap();
        all.push(studio.beside(&["webhooks", "deliveries", id, "--json"]));
        all.push(studio.beside(&["webhooks", "secret", id]));
    }
    all
}

#[test]
fn a_live_profile_asks_before_a_write_goes_out() {
    let service = crate::service::Service::of(300);
    let start = Start::new()
        .configured(
            "config.toml",
            &format!("default_profile = \"a\"\n[profiles.a]\nbase_url = \"{}\"\nlive = true\n", service.base_url()),
        )
        .with_data("credentials.toml", &format!("[profiles.a]\napi_key = \"{}\"\n", service.api_key()));
    let mut studio = start.open();
    studio.keys("4").shows("0 webhooks").keys("n\t").keys("https://a.example/hook").keys("\r");
    studio.shows("Change a production shop?").shows("Request: createWebhook").keys("\x1b");
    studio.shows("would change a live profile").shows("New webhook").keys("\r");
    // A digit that was meant for something else is no answer.
    studio.shows("Change a production shop?").keys("2").shows("Change a production shop?");
    studio.keys("\x1b[B\r").shows("1 webhook");
    // The command line, where nobody can be asked, has to be told which profile is meant.
    let list = studio.beside(&["webhooks", "list", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&list).unwrap().as_array().unwrap().len(), 1);
    studio.quit();
}
