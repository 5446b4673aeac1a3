//! Files of videos in S3: what is there after uploads, deletions, faults and kills, seen from outside.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crate::hosted;
use crate::serving;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutaway::service::{S3Place, ServeOptions, Service, ServiceError, Timing};
use hosted::ServedFor;
use hosted::s3::Bucket;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response, StatusCode};
use serde_json::Value;
use serving::{Process, cutaway, serve};

const MIB: usize = 1024 * 1024;

/// The bytes of a video, every one of them another one than before.
fn film(size: usize) -> Vec<u8> {
    let head = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2";
    let rest = (head.len()..size).map(|at| (at.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]);
    head.iter().copied().chain(rest).collect()
}

fn options(data: &Path, bucket: &Bucket) -> ServeOptions {
    ServeOptions { data: data.to_owned(), blobs: Some(bucket.place("shop/a")), ..ServeOptions::default() }
}

/// What ends by itself does so within a moment.
fn quick() -> Timing {
    let moment = Duration::from_millis(400);
    Timing { file_lease: moment, deleted_file: Duration::ZERO, ..Timing::default() }
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn upload(&self, name: &str, bytes: Vec<u8>, key: Option<&str>) -> Response {
        let form = Form::new().part("videoBlob", Part::bytes(bytes).file_name(name.to_owned()));
        let mut asked = self.asked(Method::POST, "/videos").multipart(form);
        if let Some(key) = key {
            asked = asked.header("idempotency-key", key);
        }
        asked.send().await.unwrap()
    }

    async fn id_of(&self, answer: Response) -> String {
        assert_eq!(answer.status(), 200, "{:?}", answer.text().await);
        answer.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned()
    }

    async fn library(&self) -> usize {
        let list: Value = self.asked(Method::GET, "/videos/videos").send().await.unwrap().json().await.unwrap();
        list["videos"].as_array().unwrap().len()
    }
}

/// Begins to upload a film of so many bytes, sends so many of them, and waits.
fn begin_upload(base: &str, key: &str, size: usize, sent: &[u8]) -> TcpStream {
    let head = "--x\r\ncontent-disposition: form-data; name=\"videoBlob\"; filename=\"a.mp4\"\r\ncontent-type: video/mp4\r\n\r\n";
    let host = base.strip_prefix("http://").unwrap();
    let mut line = TcpStream::connect(host).unwrap();
    let length = head.len() + size + "\r\n--x--\r\n".len();
    write!(
        line,
        "POST /videos HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\ncontent-type: multipart/form-data; \
         boundary=x\r\ncontent-length: {length}\r\n\r\n{head}"
    )
    .unwrap();
    line.write_all(sent).unwrap();
    line
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_goes_to_s3_in_parts_and_is_read_from_there() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(ServeOptions { timing: quick(), ..options(data.path(), &bucket) }).await;
    let film = film(20 * MIB + 7);
    let id = served.id_of(served.upload("a.mp4", film.clone(), None).await).await;
    let key = format!("shop/a/videos/{id}");
    assert_eq!(bucket.keys(), [key.as_str()]);
    let (bytes, kind, etag) = bucket.get(&key).unwrap();
    assert!(bytes == film && kind == "video/mp4" && etag.ends_with("-3\""), "{kind} {etag}");
    assert!(bucket.uploads().is_empty());
    assert!(std::fs::read_dir(data.path().join("blobs/videos")).is_err(), "nothing of it is in the folder");

    let path = format!("/videos/files/{id}");
    let whole = served.asked(Method::GET, &path).send().await.unwrap();
    let own = whole.headers()["etag"].clone();
    assert_eq!((whole.status(), whole.headers()["content-type"].as_bytes()), (StatusCode::OK, &b"video/mp4"[..]));
    assert_eq!(whole.content_length(), Some(film.len() as u64));
    assert!(whole.bytes().await.unwrap() == film);
    for (asked, from, to) in [
        ("bytes=0-9", 0, 10),
        ("bytes=8388600-8388620", 8_388_600, 8_388_621),
        ("bytes=-5", film.len() - 5, film.len()),
        ("bytes=20971520-", 20_971_520, film.len()),
    ] {
        let part = served.asked(Method::GET, &path).header("range", asked).send().await.unwrap();
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT, "{asked}");
        let range = format!("bytes {from}-{}/{}", to - 1, film.len());
        assert_eq!(part.headers()["content-range"].to_str().unwrap(), range);
        assert!(part.bytes().await.unwrap() == film[from..to], "{asked}");
    }
    let beyond = served.asked(Method::GET, &path).header("range", "bytes=99999999-").send().await.unwrap();
    assert_eq!(beyond.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    let same = served.asked(Method::GET, &path).header("if-none-match", own.clone()).send().await.unwrap();
    assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
    let head = served.asked(Method::HEAD, &path).send().await.unwrap();
    assert_eq!((head.status(), &head.headers()["etag"]), (StatusCode::OK, &own));
    assert_eq!(head.headers()["content-length"].to_str().unwrap(), film.len().to_string());

    let deleted = served.asked(Method::DELETE, &format!("/partners/assets/{id}")).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::OK);
    assert_eq!(served.asked(Method::GET, &path).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    until("the file goes after its video", || bucket.keys().is_empty()).await;
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_stays_for_a_day_after_its_video() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { file_lease: Duration::from_millis(100), ..Timing::default() };
    let served = Served::empty(ServeOptions { timing, ..options(data.path(), &bucket) }).await;
    let kept = served.id_of(served.upload("a.mp4", film(1_000), None).await).await;
    let deleted = served.asked(Method::DELETE, &format!("/partners/assets/{kept}")).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::OK);
    // What is cleared away in the meantime shows that it had its chance.
    let line = begin_upload(served.running.base_url(), &served.key, 30 * MIB, &film(9 * MIB));
    until("an upload is begun", || bucket.uploads().len() == 1).await;
    drop(line);
    until("it is cleared away", || bucket.uploads().is_empty()).await;
    assert_eq!(bucket.keys(), [format!("shop/a/videos/{kept}")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_or_breaks_off_leaves_nothing() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let limited = ServeOptions { max_upload: Some(10 * MIB as u64), ..options(data.path(), &bucket) };
    let served = Served::empty(limited).await;
    let database = data.path().join("cutaway.sqlite3");
    let rows = || {
        let connection = rusqlite::Connection::open(&database).unwrap();
        connection.query_row("SELECT count(*) FROM blob", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(served.upload("a.mp4", film(11 * MIB), None).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(served.upload("a.mp4", b"<html>".to_vec(), None).await.status(), StatusCode::BAD_REQUEST);
    // Without a length it is found out while it comes.
    let pieces: Vec<Result<Vec<u8>, std::io::Error>> =
        film(12 * MIB).chunks(MIB).map(|piece| Ok(piece.to_vec())).collect();
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let form = Form::new().part("videoBlob", Part::stream(body).file_name("a.mp4"));
    let sent = served.asked(Method::POST, "/videos").multipart(form).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::PAYLOAD_TOO_LARGE);
    // A part is there, and then the line breaks.
    let line = begin_upload(served.running.base_url(), &served.key, 9 * MIB, &film(9 * MIB - 1));
    until("an upload is begun", || bucket.uploads().len() == 1).await;
    drop(line);
    until("nothing is left", || bucket.uploads().is_empty() && bucket.keys().is_empty() && rows() == 0).await;
    assert_eq!(served.library().await, 0);
    // A form that is wrong after its file.
    let form = Form::new().part("videoBlob", Part::bytes(film(9 * MIB)).file_name("a.mp4")).text("name", "x");
    let wrong = served.asked(Method::POST, "/videos").multipart(form).send().await.unwrap();
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
    until("nothing is left", || bucket.uploads().is_empty() && bucket.keys().is_empty() && rows() == 0).await;
}

/// What a client says of its file decides neither how much memory it gets nor how much S3 is asked to take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_too_large_for_s3_is_refused_before_it_comes() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(options(data.path(), &bucket)).await;
    let (base, key) = (served.running.base_url().to_owned(), served.key.clone());
    let asking = tokio::task::spawn_blocking(move || {
        let mut line = begin_upload(&base, &key, 1_000_000_000_000_000_000, &film(100));
        let mut said = vec![0; 4096];
        let read = line.read(&mut said).unwrap();
        String::from_utf8_lossy(&said[..read]).into_owned()
    });
    let said = asking.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 413") && said.contains("larger than 603979776000 bytes"), "{said}");
    assert!(bucket.uploads().is_empty());
}

/// A way to a bucket with something wrong with it: what `fault` says to the head of a request is answered instead of what
/// S3 says, and no more than so many bytes a second pass.
fn way_to(bucket: &Bucket, pace: usize, fault: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> S3Place {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (server, fault) = (bucket.server.strip_prefix("http://").unwrap().to_owned(), Arc::new(fault));
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (client, server, fault) = (socket.unwrap(), server.clone(), Arc::clone(&fault));
            std::thread::spawn(move || pass(client, &server, pace, &*fault));
        }
    });
    bucket.url_at("shop/a", &format!("http://{at}")).parse().unwrap()
}

/// Passes one request on.
fn pass(mut client: TcpStream, server: &str, pace: usize, fault: &dyn Fn(&str) -> Option<String>) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte).unwrap_or_default() == 0 {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    if let Some(answer) = fault(&head) {
        let _ = client.write_all(answer.as_bytes());
        return;
    }
    let mut server = TcpStream::connect(server).unwrap();
    let head = head.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    server.write_all(head.as_bytes()).unwrap();
    let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let mut piece = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = client.read(&mut piece) {
        std::thread::sleep(Duration::from_micros(u64::try_from(read * 1_000_000 / pace).unwrap()));
        if server.write_all(&piece[..read]).is_err() {
            return;
        }
    }
}

const FAST: usize = 1024 * MIB;

/// What S3 answers where it refuses.
fn refusal(status: &str, code: &str, message: &str) -> String {
    let xml = format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{xml}", xml.len())
}

/// How long S3 may say nothing is no limit of how long a part takes on its way there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_line_to_s3_takes_its_time() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let timing = Timing { file_silence: Duration::from_secs(2), ..Timing::default() };
    let place = way_to(&bucket, 3 * MIB / 2, |_| None);
    let served = Served::empty(ServeOptions { timing, blobs: Some(place), ..options(data.path(), &bucket) }).await;
    let film = film(6 * MIB);
    let begun = Instant::now();
    let id = served.id_of(served.upload("a.mp4", film.clone(), None).await).await;
    assert!(begun.elapsed() > Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(bucket.get(&format!("shop/a/videos/{id}")).unwrap().0 == film);
}

/// Where nobody may look for uploads, what is known goes, and the ledger doesn't keep it for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_is_clean_also_where_uploads_cannot_be_listed() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let place = way_to(&bucket, FAST, |head| {
        let lists = head.starts_with("GET") && head.lines().next()?.contains("uploads=");
        lists.then(|| refusal("403 Forbidden", "AccessDenied", "Access Denied"))
    });
    let slow = Timing { file_lease: Duration::from_millis(1_500), ..quick() };
    let served =
        Served::empty(ServeOptions { timing: slow, blobs: Some(place), ..options(data.path(), &bucket) }).await;
    let connection = rusqlite::Connection::open(data.path().join("cutaway.sqlite3")).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    let line = begin_upload(served.running.base_url(), &served.key, 30 * MIB, &film(9 * MIB));
    until("an upload is begun", || bucket.uploads().len() == 1).await;
    drop(line);
    let rows = || connection.query_row("SELECT count(*) FROM blob", [], |row| row.get::<_, i64>(0)).unwrap();
    until("it is cleared away", || bucket.uploads().is_empty() && rows() == 0).await;
    let deleted = served.id_of(served.upload("a.mp4", film(1_000), None).await).await;
    let done = served.asked(Method::DELETE, &format!("/partners/assets/{deleted}")).send().await.unwrap();
    assert_eq!(done.status(), StatusCode::OK);
    until("the file of a deleted video goes", || bucket.keys().is_empty() && rows() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_sent_twice_is_kept_once() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(options(data.path(), &bucket)).await;
    let first = served.id_of(served.upload("a.mp4", film(9 * MIB), Some("once")).await).await;
    let second = served.id_of(served.upload("a.mp4", film(9 * MIB), Some("once")).await).await;
    assert_eq!(first, second);
    until("one file is left", || bucket.keys() == [format!("shop/a/videos/{first}")]).await;
    assert_eq!(served.upload("a.mp4", film(MIB), Some("once")).await.status(), StatusCode::UNPROCESSABLE_ENTITY);
    until("one file is left", || bucket.keys().len() == 1).await;
    assert_eq!(served.library().await, 1);
}

/// Kills a process in the middle of an upload; the next one on its folder clears away what it left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_leaves_nothing() {
    let Some(bucket) = Bucket::new() else { return };
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("served");
    let command = || {
        let mut command = serve(home.path(), &data);
        command.env("CUTAWAY_BLOBS", bucket.url("shop/a"));
        command
    };
    let first = Process::start(&mut command());
    let kept = reqwest::Client::new()
        .post(format!("{}/videos", first.base()))
        .bearer_auth(first.key())
        .multipart(Form::new().part("videoBlob", Part::bytes(film(MIB)).file_name("kept.mp4")));
    let kept = kept.send().await.unwrap().json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    let line = begin_upload(first.base(), first.key(), 40 * MIB, &film(30 * MIB));
    until("an upload is begun", || bucket.uploads().len() == 1).await;
    // As `kill -9` does.
    drop(first);
    drop(line);
    assert_eq!(bucket.uploads().len(), 1, "S3 itself cleans up nothing");
    // Beside others a process can't know that the first one is dead: the lease of two minutes has to end, here by hand.
    if let Some(place) = serving::postgres::of_folder(&data) {
        serving::postgres::answer(&place, "UPDATE blob SET lease_until = 0 WHERE state = 'arriving'");
    }
    let second = Process::start(&mut command());
    until("the next process clears it away", || bucket.uploads().is_empty()).await;
    assert_eq!(bucket.keys(), [format!("shop/a/videos/{kept}")]);
    let url = format!("{}/videos/files/{kept}", second.base());
    assert!(reqwest::get(url).await.unwrap().bytes().await.unwrap() == film(MIB));
}

/// What another process began is cleared away by this one, once its lease ended and not before: also where that other one
/// never wrote down what S3 calls its upload.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_ended_is_taken_over_by_any_process() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(ServeOptions { timing: quick(), ..options(data.path(), &bucket) }).await;
    let connection = rusqlite::Connection::open(data.path().join("cutaway.sqlite3")).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    let now = || jiff::Timestamp::now().as_millisecond();
    let begin = |id: &str, until: i64, noted: bool| {
        let upload = bucket.begin(&format!("shop/a/videos/{id}"));
        let noted = noted.then_some(upload);
        let sql = "INSERT INTO blob (id, place, state, upload_id, lease_until, fence)
                   VALUES (?1, 's3://' || ?2 || '/shop/a', 'arriving', ?3, ?4, 1)";
        connection.execute(sql, (id, &bucket.name, noted, until)).unwrap();
    };
    let alive = "00000000-0000-4000-8000-000000000001";
    begin(alive, now() + 3_600_000, true);
    begin("00000000-0000-4000-8000-000000000002", now() + 3_600_000, true);
    begin("00000000-0000-4000-8000-000000000003", now() + 3_600_000, false);
    // A file that came whole, and whose process died before it was recorded.
    let whole = "00000000-0000-4000-8000-000000000004";
    // Some servers forget an upload once a file has come under its key.
    bucket.put(&format!("shop/a/videos/{whole}"), film(100));
    begin(whole, now() + 3_600_000, false);
    assert_eq!((bucket.uploads().len(), bucket.keys().len()), (4, 1));
    connection.execute("UPDATE blob SET lease_until = ?1 WHERE id <> ?2", (now() + 500, alive)).unwrap();
    let rows = || connection.query_row("SELECT group_concat(id) FROM blob", [], |row| row.get::<_, String>(0)).unwrap();
    until("what is over goes", || rows() == alive).await;
    assert_eq!(bucket.uploads(), [format!("shop/a/videos/{alive}")]);
    assert!(bucket.keys().is_empty());
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_goes_in_mid_upload_is_a_503_and_nothing_is_half_done() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(ServeOptions { timing: quick(), ..options(data.path(), &bucket) }).await;
    let id = served.id_of(served.upload("a.mp4", film(1_000), None).await).await;
    let film = film(30 * MIB);
    let mut line = begin_upload(served.running.base_url(), &served.key, film.len(), &film[..12 * MIB]);
    until("an upload is begun", || bucket.uploads().len() == 1).await;
    bucket.remove();
    let sending = tokio::task::spawn_blocking(move || {
        // It may refuse before all of it came.
        let _ = line.write_all(&film[12 * MIB..]).and_then(|()| line.write_all(b"\r\n--x--\r\n"));
        let mut said = vec![0; 4096];
        let read = line.read(&mut said).unwrap_or_default();
        String::from_utf8_lossy(&said[..read]).into_owned()
    });
    let said = sending.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 503") && said.to_lowercase().contains("retry-after: "), "{said}");
    assert_eq!(served.library().await, 1);
    let read = served.asked(Method::GET, &format!("/videos/files/{id}")).send().await.unwrap();
    assert_eq!((read.status(), read.headers()["retry-after"].as_bytes()), (StatusCode::SERVICE_UNAVAILABLE, &b"1"[..]));
    // The ledger keeps what it could not look for; once the bucket is back, that ends too.
    let connection = rusqlite::Connection::open(data.path().join("cutaway.sqlite3")).unwrap();
    let arriving = || {
        let sql = "SELECT count(*) FROM blob WHERE state = 'arriving'";
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(arriving(), 1);
    bucket.make();
    until("the ledger is clean again", || arriving() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_are_sent_to_s3_where_that_is_wanted() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(ServeOptions { redirect_files: true, ..options(data.path(), &bucket) }).await;
    let film = film(2 * MIB);
    let id = served.id_of(served.upload("a.mp4", film.clone(), None).await).await;
    let path = served.url(&format!("/videos/files/{id}"));
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = http.get(&path).send().await.unwrap();
    assert_eq!(sent.status(), StatusCode::FOUND);
    let address = sent.headers()["location"].to_str().unwrap().to_owned();
    assert!(address.starts_with(&bucket.server) && address.contains("X-Amz-Expires=3600"), "{address}");
    assert!(!address.contains("secret"), "{address}");
    let part = http.get(&address).header("range", "bytes=10-19").send().await.unwrap();
    assert_eq!((part.status(), part.bytes().await.unwrap().as_ref()), (StatusCode::PARTIAL_CONTENT, &film[10..20]));
    assert_eq!(http.head(&path).send().await.unwrap().status(), StatusCode::OK);
    let followed = served.http.get(&path).send().await.unwrap();
    assert!(followed.bytes().await.unwrap() == film);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn videos_move_between_the_folder_and_s3_with_their_files() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let in_folder = ServeOptions { data: data.path().to_owned(), ..ServeOptions::default() };
    let served = Served::empty(in_folder.clone()).await;
    let whole = film(2 * MIB);
    let id = served.id_of(served.upload("a.mp4", whole.clone(), None).await).await;
    served.running.stop().await;
    // A bucket without them would leave steps without their videos.
    let refusal = |opened: Result<Service, ServiceError>| opened.map(|_| ()).unwrap_err().to_string();
    let why = refusal(Service::open(options(data.path(), &bucket)).await);
    assert!(
        why.starts_with("1 video of this workspace is not in") && why.contains(&bucket.name) && !why.contains("secret"),
        "{why}"
    );
    let (file, key) = (data.path().join("blobs/videos").join(&id), format!("shop/a/videos/{id}"));
    bucket.put(&key, whole[..100].to_vec());
    assert_eq!(refusal(Service::open(options(data.path(), &bucket)).await), why, "half a file is none");
    bucket.put(&key, std::fs::read(&file).unwrap());
    std::fs::remove_file(&file).unwrap();
    let served = Served::empty(options(data.path(), &bucket)).await;
    let read = |served: &Served| served.asked(Method::GET, &format!("/videos/files/{id}")).send();
    assert!(read(&served).await.unwrap().bytes().await.unwrap() == whole);
    // A backup says what it does not hold.
    let tar = data.path().join("w.tar");
    let backup = cutaway::service::offline::backup(data.path(), &tar, None).await.unwrap();
    assert_eq!((backup.videos, backup.elsewhere), (0, Some((1, format!("s3://{}/shop/a", bucket.name)))));
    served.running.stop().await;
    // And back.
    let why = refusal(Service::open(in_folder.clone()).await);
    assert!(why.contains("--blobs s3://") && why.starts_with("1 video of this workspace is in"), "{why}");
    let mut other = whole.clone();
    other[MIB] ^= 1;
    std::fs::write(&file, &other).unwrap();
    assert_eq!(refusal(Service::open(in_folder.clone()).await), why, "another file of the same size is none");
    std::fs::write(&file, &whole).unwrap();
    let served = Served::empty(in_folder).await;
    assert!(read(&served).await.unwrap().bytes().await.unwrap() == whole);
}

/// What the folder had before a video was in S3 goes with the video, and what is still in S3 is not forgotten by going
/// elsewhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_video_stays_in_no_place_that_is_left() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let in_folder = ServeOptions { data: data.path().to_owned(), ..ServeOptions::default() };
    let served = Served::empty(in_folder.clone()).await;
    let film = film(MIB);
    let kept = served.id_of(served.upload("a.mp4", film.clone(), None).await).await;
    let gone = served.id_of(served.upload("b.mp4", film.clone(), None).await).await;
    served.running.stop().await;
    for id in [&kept, &gone] {
        bucket.put(&format!("shop/a/videos/{id}"), film.clone());
    }
    let served = Served::empty(options(data.path(), &bucket)).await;
    let deleted = served.asked(Method::DELETE, &format!("/partners/assets/{gone}")).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::OK);
    let original = |id: &str| data.path().join("blobs/videos").join(id).exists();
    assert!(original(&kept) && !original(&gone));
    assert_eq!(bucket.keys().len(), 2, "for a day");
    served.running.stop().await;
    // Neither in the folder nor at another place could anybody remove it.
    let why = |opened: Result<Service, ServiceError>| opened.map(|_| ()).unwrap_err().to_string();
    let still = format!("1 file of a deleted video or broken-off upload is still in s3://{}/shop/a;", bucket.name);
    let said = why(Service::open(in_folder.clone()).await);
    assert!(said.starts_with(&still) && said.contains("add --leave-files"), "{said}");
    let moved = ServeOptions { blobs: Some(bucket.place("shop/b")), ..in_folder.clone() };
    assert!(why(Service::open(moved.clone()).await).starts_with(&still));
    // It can be left there knowingly,
    let left = ServeOptions { leave_files: true, ..in_folder.clone() };
    let copy = tempfile::tempdir().unwrap();
    let database = "cutaway.sqlite3";
    let connection = rusqlite::Connection::open(data.path().join(database)).unwrap();
    connection.execute("VACUUM INTO ?1", [copy.path().join(database).to_str().unwrap()]).unwrap();
    std::fs::create_dir_all(copy.path().join("blobs/videos")).unwrap();
    std::fs::write(copy.path().join("blobs/videos").join(&kept), &film).unwrap();
    drop(Service::open(ServeOptions { data: copy.path().to_owned(), ..left.clone() }).await.unwrap());
    drop(Service::open(ServeOptions { data: copy.path().to_owned(), ..in_folder.clone() }).await.unwrap());
    assert_eq!(bucket.keys().len(), 2);
    // and a person is removed from it wherever the others are, which is its end.
    let other = bucket.place("shop/a");
    bucket.drop_key(&format!("shop/a/videos/{kept}"));
    connection.execute("DELETE FROM blob WHERE id = ?1", [&kept]).unwrap();
    cutaway::service::offline::forget(data.path(), "jane@example.com", None, Some(&other)).await.unwrap();
    assert!(bucket.keys().is_empty());
    let served = Served::empty(in_folder).await;
    let read = served.asked(Method::GET, &format!("/videos/files/{kept}")).send().await.unwrap();
    assert!(read.bytes().await.unwrap() == film);
}

/// An address on which nobody speaks S3: everything is refused with this.
fn refuses(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut read = vec![0; 16 * 1024];
            let _ = socket.read(&mut read);
            let _ = write!(socket, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    base
}

#[test]
fn a_place_that_cannot_be_used_is_one_line_at_the_start() {
    let home = tempfile::tempdir().unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ends = |variables: &[(&str, &str)], flags: &[&str], code: i32| {
        let mut command = cutaway(home.path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(home.path().join("served"));
        command.args(flags).envs(variables.iter().copied()).stdout(Stdio::null());
        let said = command.output().unwrap();
        let text = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(code), "{variables:?} {flags:?}: {text}");
        assert!(!text.contains("hush") && !serving::tells_panic(&text), "{text}");
        text
    };
    let place = |endpoint: &str| format!("s3://id:hush@films/a?region=us-east-1&endpoint={endpoint}");
    let one_line = |endpoint: &str| {
        let text = ends(&[("CUTAWAY_BLOBS", &place(endpoint))], &[], 1);
        assert!(text.lines().count() == 1 && text.contains("s3://films/a: "), "{text}");
        text
    };
    assert!(one_line(&refuses("403 Forbidden")).contains("are not allowed to write there"));
    assert!(one_line(&refuses("404 Not Found")).contains("there is no such bucket"));
    one_line(&format!("http://{closed}"));
    // The key in the flag is refused before anything is asked, and so is what is no place.
    let text = ends(&[], &["--blobs", &place("http://127.0.0.1:1")], 2);
    assert!(text.contains("--blobs must not contain a key"), "{text}");
    for wrong in ["films/a", "s3://films/a?key=hush", "s3://f"] {
        assert!(ends(&[], &["--blobs", wrong], 2).contains("--blobs m"), "{wrong}");
    }
    ends(&[("CUTAWAY_BLOBS", "s3://id:hush@films"), ("CUTAWAY_BLOBS_FILE", "/nowhere")], &[], 2);
    assert!(ends(&[("CUTAWAY_BLOBS_FILE", "/nowhere")], &[], 2).contains("/nowhere"));
    assert!(ends(&[], &["--redirect-files"], 2).contains("needs --blobs"));
    if let Some(bucket) = Bucket::named("never-made") {
        let variables = [("CUTAWAY_BLOBS", bucket.url("a"))];
        let text = ends(&[(variables[0].0, &variables[0].1)], &[], 1);
        assert!(text.contains("s3://never-made/a: there is no such bucket"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_removed_from_files_in_s3_too() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(options(data.path(), &bucket)).await;
    let mut film = film(9 * MIB);
    let email = b" jane@example.com ";
    // Across two parts.
    film[8 * MIB - 5..8 * MIB - 5 + email.len()].copy_from_slice(email);
    let with = served.id_of(served.upload("a.mp4", film.clone(), None).await).await;
    let without = served.id_of(served.upload("b.mp4", film[..MIB].to_vec(), None).await).await;
    let gone = served.id_of(served.upload("c.mp4", film.clone(), None).await).await;
    let deleted = served.asked(Method::DELETE, &format!("/partners/assets/{gone}")).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::OK);
    assert_eq!(bucket.keys().len(), 3);
    let forget = |place| cutaway::service::offline::forget(data.path(), "jane@example.com", None, place);
    let refusal = forget(None).await.unwrap_err().to_string();
    assert!(refusal.contains("add --blobs s3://") && !refusal.contains("secret"), "{refusal}");
    let place = bucket.place("shop/a");
    assert_eq!(forget(Some(&place)).await.unwrap().removed.others, 1);
    let of = |id: &str| bucket.get(&format!("shop/a/videos/{id}")).map(|found| found.0);
    let rewritten = of(&with).unwrap();
    assert!(rewritten.len() == film.len() && !rewritten.windows(4).any(|part| part == b"jane"));
    assert!(of(&without).unwrap() == film[..MIB] && of(&gone).is_none());
    // Players read it still, with an ETag of its own.
    let read = served.asked(Method::GET, &format!("/videos/files/{with}")).send().await.unwrap();
    let hash = blake3::hash(&rewritten).to_hex();
    assert_eq!(read.headers()["etag"].to_str().unwrap(), format!("\"{}\"", hash.chars().take(32).collect::<String>()));
    assert!(read.bytes().await.unwrap() == rewritten && bucket.uploads().is_empty());
}

/// A video that is deleted while a person is removed, and a file that can't be removed, keep nothing from being done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_wrong_with_one_file_does_not_keep_the_others() {
    let Some(bucket) = Bucket::new() else { return };
    let data = tempfile::tempdir().unwrap();
    let served = Served::empty(options(data.path(), &bucket)).await;
    let mut film = film(MIB);
    film[1_000..1_018].copy_from_slice(b" jane@example.com ");
    let mut ids = Vec::new();
    for name in ["a.mp4", "b.mp4"] {
        ids.push(served.id_of(served.upload(name, film.clone(), None).await).await);
    }
    ids.sort();
    let (first, second) = (ids[0].clone(), ids[1].clone());
    served.running.stop().await;
    let database = data.path().join("cutaway.sqlite3");
    // The service deletes the first one while it is looked into.
    let (looked, at) = (format!("/shop/a/videos/{first}"), database.clone());
    let place = way_to(&bucket, FAST, move |head| {
        if head.starts_with("GET") && head.contains(&looked) && !head.contains("uploads") {
            let connection = rusqlite::Connection::open(&at).unwrap();
            connection.busy_timeout(Duration::from_secs(10)).unwrap();
            connection.execute("DELETE FROM video WHERE id = ?1", [&first]).unwrap();
            let sql = "UPDATE blob SET state = 'leaving', lease_until = 9000000000000, fence = 2 WHERE id = ?1";
            connection.execute(sql, [&first]).unwrap();
        }
        None
    });
    let forget = async |place: S3Place| {
        cutaway::service::offline::forget(data.path(), "jane@example.com", None, Some(&place)).await
    };
    let (first, kept) = (ids[0].clone(), format!("shop/a/videos/{second}"));
    assert_eq!(forget(place).await.unwrap().removed.others, 1);
    assert_eq!(bucket.keys(), [kept.as_str()]);
    assert!(!bucket.get(&kept).unwrap().0.windows(4).any(|part| part == b"jane"));
    // Both are to go, and S3 doesn't say what uploads of one of them are left.
    bucket.put(&format!("shop/a/videos/{first}"), film.clone());
    let connection = rusqlite::Connection::open(&database).unwrap();
    let sql = "INSERT INTO blob (id, place, state, lease_until, fence)
               SELECT ?1, place, 'leaving', 0, 2 FROM blob WHERE id = ?2";
    connection.execute(sql, [&first, &second]).unwrap();
    connection.execute("DELETE FROM video WHERE id = ?1", [&second]).unwrap();
    connection
        .execute("UPDATE blob SET state = 'leaving', lease_until = 1, fence = 2 WHERE id = ?1", [&second])
        .unwrap();
    let place = way_to(&bucket, FAST, move |head| {
        let refused = head.contains("uploads=") && head.contains(&first);
        refused.then(|| refusal("400 Bad Request", "InvalidRequest", "Not now"))
    });
    let why = forget(place).await.unwrap_err().to_string();
    assert!(why.contains("400 Bad Request"), "{why}");
    let rows = || connection.query_row("SELECT group_concat(id) FROM blob", [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!((rows(), bucket.keys().len()), (ids[0].clone(), 0));
}
