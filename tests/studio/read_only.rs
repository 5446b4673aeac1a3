//! A studio in which nothing can be changed: every write of every screen is tried, and the service hears of none.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use cutaway::studio::{Command, Keymap};
use serde_json::Value;

use crate::service::Service;
use crate::terminal::{Start, Studio};

/// A way to the service on which all that is asked is noted.
struct Watched {
    base: String,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Watched {
    fn to(service: &str) -> Self {
        let service = service.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let behind = TcpStream::connect(&service).unwrap();
                let (mut answers, mut back) = (behind.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut answers, &mut back));
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || note(client, behind, &noted));
            }
        });
        Self { base, asked }
    }

    /// Every request's first line.
    fn requests(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let text = asked.iter().map(|line| String::from_utf8_lossy(line)).collect::<Vec<_>>().join("\n");
        // The body of the one before has no line feed at its end.
        let begins =
            |line: &str| ["GET /", "POST /", "PUT /", "DELETE /"].iter().filter_map(|method| line.rfind(method)).max();
        text.lines()
            .filter_map(|line| line.strip_suffix(" HTTP/1.1"))
            .map(|line| line[begins(line).unwrap_or(0)..].to_owned())
            .collect()
    }

    /// Those that are no reading of §4.
    fn writes(&self) -> Vec<String> {
        let reads = |request: &String| {
            request.starts_with("GET ")
                || request.starts_with("POST /products-service/")
                || request.starts_with("POST /account-service/authenticateCliApiKey")
        };
        self.requests().into_iter().filter(|request| !reads(request)).collect()
    }
}

fn note(mut from: TcpStream, mut to: TcpStream, noted: &Mutex<Vec<Vec<u8>>>) {
    let at = {
        let mut noted = noted.lock().unwrap();
        noted.push(Vec::new());
        noted.len() - 1
    };
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        noted.lock().unwrap()[at].extend_from_slice(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
}

/// All that could have been changed.
fn state(start: &Start, project: &str) -> Vec<Value> {
    let asked: [&[&str]; 4] =
        [&["projects", "list"], &["projects", "show", project], &["videos", "list"], &["webhooks", "list"]];
    asked.iter().map(|asked| serde_json::from_str(&start.says(&[asked, &["--json"][..]].concat())).unwrap()).collect()
}

/// Finds that so many writes were refused so far.
fn refused(studio: &mut Studio, count: usize, what: &str) {
    studio.keys("!").shows("Notices").until(&format!("{count} refusals, the last of {what}"), |rows| {
        // The last but one line shows the newest notice once more.
        let page = &rows[..rows.len() - 2];
        page.iter().filter(|row| row.contains("Refused: read-only")).count() == count
    });
    studio.keys("\x1b").hides("Notices");
}

#[test]
fn every_write_of_every_screen_is_refused_and_the_service_hears_of_none() {
    let service = Service::of(300);
    let owner = service.studio();
    let made: Value = serde_json::from_str(&owner.says(&["projects", "create", "Kept", "--json"])).unwrap();
    let project = made["id"].as_str().unwrap();
    owner.says(&["steps", "create", project, "--overlay-text", "Hello"]);
    owner.says(&["videos", "create", "https://cdn.example/a.mp4", "--name", "Clip"]);
    owner.says(&["webhooks", "create", "conversion", "https://a.example/hook"]);
    let before = state(&owner, project);

    let watched = Watched::to(service.base_url());
    let start = service.studio_at(&watched.base).arguments(&["--read-only"]).size(120, 60);
    let clip = start.home().join("clip.mp4");
    std::fs::write(&clip, b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom").unwrap();
    let mut studio = start.open();
    studio.until("the guard in the frame", |rows| rows[0].contains("read-only")).shows("300 products");
    let keymap = Keymap::load(None).0;
    let mut count = 0;
    for command in Command::WRITES {
        let (digit, there) = match command.name().split('.').next().unwrap() {
            "projects" => ("2", "Kept"),
            "videos" => ("3", "Clip"),
            "webhooks" => ("4", "a.example/hook"),
            // Saving comes after editing, below.
            "steps" => continue,
            other => panic!("what is written on {other} is not tried"),
        };
        let key = keymap.first_key(*command).unwrap().label(true);
        studio.keys(digit).shows(there).keys("G").keys(&key);
        count += 1;
        refused(&mut studio, count, command.name());
    }
    // A file that is dropped on the library.
    studio.keys("3").shows("Clip").keys(&format!("\x1b[200~{}\x1b[201~", clip.display()));
    refused(&mut studio, count + 1, "a file dropped");
    // What takes away what is selected.
    studio.keys("3").shows("Clip").keys("x");
    refused(&mut studio, count + 2, "taking a video away");
    // The palette tells beforehand.
    studio.keys("2").shows("Kept").keys(":").shows("Commands").keys("move").shows("Read-only here").keys("\x1b");
    // An edited project: the plan is shown, and not done.
    studio
        .keys("G\r")
        .shows("Hello")
        .keys("n")
        .shows("2 steps")
        .keys("S")
        .shows("create step")
        .shows("save all")
        .keys("\r");
    studio.shows("Refused: read-only");
    studio.keys("\x1b").shows("draft: 1 edit not saved");
    studio.quit();

    assert!(watched.requests().len() > 10, "{:?}", watched.requests());
    assert_eq!(watched.writes(), [] as [&str; 0]);
    assert_eq!(state(&owner, project), before);
}
