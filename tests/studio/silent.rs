//! A service that takes connections and never answers: the real program says who is waited for, and Esc stops.

use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;

use crate::service::on;

#[test]
fn who_does_not_answer_is_named_and_escape_stops_the_waiting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (connected, kept) = channel::<TcpStream>();
    // Connections are kept open until the program has ended, and nothing is read or written.
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if connected.send(stream).is_err() {
                return;
            }
        }
    });
    let mut studio = on(&format!("http://127.0.0.1:{port}"), "https://shop.example").size(120, 40).open();
    studio.keys("2").shows(&format!("127.0.0.1:{port} hasn't answered for"));
    studio.shows(&format!("no answer from 127.0.0.1:{port} for"));
    studio.keys("\x1b").shows("without an answer");
    studio.shows("asks again");
    studio.quit();
    drop(kept);
}
