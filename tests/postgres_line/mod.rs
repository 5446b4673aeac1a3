//! A line to a server of PostgreSQL that can be cut around the end of a transaction.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use tempfile::TempDir;

/// The name of a server's socket.
const SOCKET: &str = ".s.PGSQL.5432";

/// Where the line is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Before the server is asked to keep the transaction.
    Question,
    /// After it has kept it, before it says so.
    Answer,
}

#[derive(Default)]
struct Plan {
    next: Option<Cut>,
    cuts: usize,
    /// Whether nothing that the server says comes through.
    hushed: bool,
}

type Plans = Arc<(Mutex<Plan>, Condvar)>;

/// A socket that leads to the server's.
pub struct Line {
    folder: TempDir,
    plan: Plans,
}

impl Line {
    /// Listens until the tests end.
    pub fn to(server: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let plan: Plans = Arc::default();
        let (server, plans) = (server.join(SOCKET), Arc::clone(&plan));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                carry(&client.unwrap(), &server, &plans);
            }
        });
        Self { folder, plan }
    }

    /// Where its socket is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Cuts the next connection on which a transaction with a mark is to end.
    pub fn cut_next(&self, cut: Cut) {
        self.plan.0.lock().unwrap().next = Some(cut);
    }

    /// Holds back what the server says, or lets it through again.
    pub fn hush(&self, hushed: bool) {
        self.plan.0.lock().unwrap().hushed = hushed;
        self.plan.1.notify_all();
    }

    /// How often it was cut.
    pub fn cuts(&self) -> usize {
        self.plan.0.lock().unwrap().cuts
    }
}

fn carry(client: &UnixStream, server: &Path, plans: &Plans) {
    let Ok(server) = UnixStream::connect(server) else { return };
    let (mut from_client, to_client) = (client.try_clone().unwrap(), client.try_clone().unwrap());
    let (mut to_server, mut from_server) = (server.try_clone().unwrap(), server);
    let silenced = Arc::new(Mutex::new(false));
    let silence = Arc::clone(&silenced);
    let (plan, hushing) = (Arc::clone(plans), Arc::clone(plans));
    std::thread::spawn(move || {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_client.read(&mut piece) {
            let said = &piece[..read];
            let ends = said.windows(17).any(|bytes| bytes == b"INSERT INTO ended");
            let cut = if ends { plan.0.lock().unwrap().next.take() } else { None };
            if cut.is_some() {
                plan.0.lock().unwrap().cuts += 1;
            }
            match cut {
                Some(Cut::Question) => break,
                Some(Cut::Answer) => *silence.lock().unwrap() = true,
                None => {}
            }
            if to_server.write_all(said).is_err() {
                break;
            }
        }
        let _ = to_server.shutdown(Shutdown::Both);
        let _ = from_client.shutdown(Shutdown::Both);
    });
    std::thread::spawn(move || {
        let mut to_client = to_client;
        let mut piece = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from_server.read(&mut piece) {
            let (plan, told) = &*hushing;
            drop(told.wait_while(plan.lock().unwrap(), |plan| plan.hushed).unwrap());
            if *silenced.lock().unwrap() || to_client.write_all(&piece[..read]).is_err() {
                break;
            }
        }
        let _ = to_client.shutdown(Shutdown::Both);
        let _ = from_server.shutdown(Shutdown::Both);
    });
}
