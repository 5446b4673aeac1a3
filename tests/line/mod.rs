//! A line that breaks: a proxy before the real service that cuts, slows, garbles and holds uploads as it is told.

#![allow(clippy::unwrap_used, dead_code)] // Helpers of tests are tests too.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What happens to one upload.
pub enum Fault {
    /// The line is cut after so many bytes.
    Cut(usize),
    /// It arrives, and the answer is lost.
    LoseAnswer,
    /// It arrives, and the answer is noise.
    Garble,
    /// Pieces of so many bytes, each after so long.
    Slow(usize, Duration),
    /// The answer of a service that reads so many bytes and then none.
    Answer(&'static str, usize),
    /// After so many bytes it is said to be held, and it is cut once that is let go.
    Hold(usize, Sender<()>, Receiver<()>),
}

/// The proxy.
pub struct Line {
    /// Its address, as a base URL.
    pub base: String,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    uploads: Arc<Mutex<usize>>,
}

impl Line {
    /// A line to a service (`http://host:port`), of which the first uploads have these faults, in turn.
    pub fn to(service: &str, faults: impl IntoIterator<Item = Fault>) -> Self {
        let service = service.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let faults = Arc::new(Mutex::new(faults.into_iter().collect::<VecDeque<_>>()));
        let uploads = Arc::new(Mutex::new(0));
        let (waiting, counted) = (Arc::clone(&faults), Arc::clone(&uploads));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (service, waiting, counted) = (service.clone(), Arc::clone(&waiting), Arc::clone(&counted));
                thread::spawn(move || carry(client, &service, &waiting, &counted));
            }
        });
        Self { base, faults, uploads }
    }

    /// How many uploads were begun.
    pub fn uploads(&self) -> usize {
        *self.uploads.lock().unwrap()
    }

    /// Whether every fault has happened.
    pub fn is_mended(&self) -> bool {
        self.faults.lock().unwrap().is_empty()
    }
}

/// A fault that holds, what says that it does, and what lets it go.
pub fn hold(after: usize) -> (Fault, Receiver<()>, Sender<()>) {
    let ((held, is_held), (go, gone)) = (channel(), channel());
    (Fault::Hold(after, held, gone), is_held, go)
}

fn carry(mut client: TcpStream, service: &str, faults: &Mutex<VecDeque<Fault>>, uploads: &Mutex<usize>) {
    let mut first = vec![0; 16 * 1024];
    let Ok(read) = client.read(&mut first) else { return };
    first.truncate(read);
    let is_upload = first.starts_with(b"POST /videos HTTP");
    let fault = if is_upload {
        *uploads.lock().unwrap() += 1;
        faults.lock().unwrap().pop_front()
    } else {
        None
    };
    if let Some(Fault::Answer(answer, most)) = fault {
        let mut seen = read;
        let mut piece = vec![0; 64 * 1024];
        while seen < most {
            match client.read(&mut piece) {
                Ok(more) if more > 0 => seen += more,
                _ => break,
            }
        }
        let _ = client.write_all(answer.as_bytes());
        return;
    }
    let Ok(mut server) = TcpStream::connect(service) else { return };
    let (keeps_answer, noise) = match fault {
        Some(Fault::LoseAnswer) => (true, None),
        Some(Fault::Garble) => (true, Some(&b"\x00\xffHTTP/9 \x1b[31m 200 maybe\r\n\r\n"[..])),
        _ => (false, None),
    };
    let answers = {
        let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        thread::spawn(move || {
            if keeps_answer {
                let mut answer = [0; 4096];
                let _ = from.read(&mut answer);
                if let Some(noise) = noise {
                    let _ = to.write_all(noise);
                }
            } else {
                let _ = std::io::copy(&mut from, &mut to);
            }
            let _ = to.shutdown(Shutdown::Both);
            let _ = from.shutdown(Shutdown::Both);
        })
    };
    if server.write_all(&first).is_ok() {
        forward(&mut client, &mut server, read, fault);
    }
    let _ = server.shutdown(Shutdown::Write);
    let _ = answers.join();
}

/// Carries the client's bytes on, as the fault has it.
fn forward(client: &mut TcpStream, server: &mut TcpStream, mut sent: usize, fault: Option<Fault>) {
    let size = if let Some(Fault::Slow(size, _)) = fault { size } else { 64 * 1024 };
    let mut piece = vec![0; size];
    while let Ok(read) = client.read(&mut piece) {
        let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { return };
        if server.write_all(bytes).is_err() {
            return;
        }
        sent += read;
        match &fault {
            Some(Fault::Cut(after)) if sent >= *after => {
                let _ = client.shutdown(Shutdown::Both);
                let _ = server.shutdown(Shutdown::Both);
                return;
            }
            Some(Fault::Slow(_, pause)) => thread::sleep(*pause),
            Some(Fault::Hold(after, held, go)) if sent >= *after => {
                let _ = held.send(());
                let _ = go.recv();
                let _ = client.shutdown(Shutdown::Both);
                let _ = server.shutdown(Shutdown::Both);
                return;
            }
            _ => {}
        }
    }
}

/// A real clip with so many more bytes than it needs: they stand in a box that players step over.
pub fn clip(padding: usize) -> Vec<u8> {
    let videos = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos");
    let mut names: Vec<_> = std::fs::read_dir(videos).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let path = names.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "mp4")).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let padding = padding.max(8);
    bytes.extend_from_slice(&u32::try_from(padding).unwrap().to_be_bytes());
    bytes.extend_from_slice(b"free");
    let pattern: Vec<u8> = (0..251).collect();
    bytes.extend(pattern.iter().cycle().skip(8).take(padding - 8));
    bytes
}
