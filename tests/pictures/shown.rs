//! The driver of pictures against hosts that behave, and that do not.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::host;

use std::collections::HashMap;
use std::io::{Cursor, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cutaway::runtime::pictures::Pictures;
use cutaway::settings::{Depth, Graphics};
use cutaway::studio::event::Event;
use cutaway::studio::pictures::{Picture, PictureFault, Wanted};
use host::{answer, host};
use image::{DynamicImage, ImageFormat, RgbImage};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use url::Url;

fn picture(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    let image = RgbImage::from_fn(width, height, |x, y| image::Rgb([x.to_le_bytes()[0], y.to_le_bytes()[0], 77]));
    let mut bytes = Vec::new();
    DynamicImage::ImageRgb8(image).write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

fn driver(cache: Option<PathBuf>, base: Option<&str>) -> (Pictures, UnboundedReceiver<Event>) {
    let (sender, events) = unbounded_channel();
    (Pictures::new(cache, base.map(|base| Url::parse(base).unwrap()), Depth::True, sender), events)
}

fn wanted(address: &str) -> Wanted {
    Wanted { address: address.into(), room: (16, 8) }
}

/// Longer than any test, ms; what is shorter by default stays so.
const HOUR: u64 = 3_600_000;

type Arrived = HashMap<String, Result<Arc<Picture>, PictureFault>>;

async fn arrived(events: &mut UnboundedReceiver<Event>, count: usize) -> Arrived {
    let mut found = HashMap::new();
    while found.len() < count {
        if let Some(Event::PictureArrived { wanted, picture }) = events.recv().await {
            found.insert(wanted.address.to_string(), picture);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hosts_send_is_shown_or_marked() {
    let png = picture(ImageFormat::Png, 120, 80);
    let jpeg = picture(ImageFormat::Jpeg, 120, 80);
    let cut = &jpeg[..jpeg.len() / 2];
    let mut short = answer("200 OK", "image/png", &png);
    short.truncate(short.len() - 40);
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..40 {
        bomb.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    let gzip_bomb = [
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", bomb.len()).into_bytes(),
        bomb,
    ]
    .concat();
    let moved =
        |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let endless = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 99999999999\r\n\r\n".to_vec();
    let host = host(HashMap::from([
        ("/png", answer("200 OK", "image/png", &png)),
        ("/jpeg", answer("200 OK", "image/jpeg", &jpeg)),
        ("/webp", answer("200 OK", "image/webp", &picture(ImageFormat::WebP, 50, 50))),
        ("/gif", answer("200 OK", "image/gif", &picture(ImageFormat::Gif, 50, 50))),
        ("/unnamed", answer("200 OK", "application/octet-stream", &png)),
        ("/moved", moved("/png").into_bytes()),
        ("/html", answer("200 OK", "image/png", b"<!doctype html><title>Sign in</title>")),
        ("/svg", answer("200 OK", "image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
        ("/gone", answer("404 Not Found", "text/html", b"<html>")),
        ("/broken-host", answer("503 Service Unavailable", "text/plain", b"later")),
        ("/liar", answer("200 OK", "image/png", &jpeg)),
        ("/cut", answer("200 OK", "image/jpeg", cut)),
        ("/short", short),
        ("/gzip", gzip_bomb),
        ("/endless", endless),
        ("/circle", moved("/circle").into_bytes()),
        ("/inside", moved("http://169.254.169.254/latest/meta-data/").into_bytes()),
        ("/file", moved("file:///etc/passwd").into_bytes()),
    ]))
    .await;
    let expected: Vec<(&str, Result<(), PictureFault>)> = vec![
        ("/png", Ok(())),
        ("/jpeg", Ok(())),
        ("/webp", Ok(())),
        ("/gif", Ok(())),
        ("/unnamed", Ok(())),
        ("/moved", Ok(())),
        ("/html", Err(PictureFault::NotAPicture("HTML"))),
        ("/svg", Err(PictureFault::NotAPicture("SVG"))),
        ("/gone", Err(PictureFault::Status(404))),
        ("/broken-host", Err(PictureFault::Status(503))),
        ("/liar", Err(PictureFault::Mislabelled("PNG", "JPEG"))),
        ("/cut", Err(PictureFault::CutOff)),
        ("/short", Err(PictureFault::CutOff)),
        ("/gzip", Err(PictureFault::TooManyBytes)),
        ("/endless", Err(PictureFault::TooManyBytes)),
        ("/circle", Err(PictureFault::Redirects)),
        ("/inside", Err(PictureFault::Private)),
        ("/file", Err(PictureFault::NoAddress)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (pictures, mut events) = driver(Some(folder.path().to_path_buf()), None);
    let all: Vec<Wanted> = expected.iter().map(|(path, _)| wanted(&format!("{}{path}", host.base))).collect();
    pictures.want(all, Graphics::Blocks, (10, 20));
    let found = arrived(&mut events, expected.len()).await;
    for (path, expected) in &expected {
        let what = found[&format!("{}{path}", host.base)].as_ref().map(|_| ()).map_err(Clone::clone);
        assert_eq!(&what, expected, "{path}");
    }
    // Nobody is told who asks.
    for head in host.asked.lock().unwrap().iter() {
        let head = head.to_ascii_lowercase();
        assert!(
            !["authorization:", "cookie:", "x-api-key", "referer:"].iter().any(|name| head.contains(name)),
            "{head}"
        );
    }
    // What is kept on disk are pictures, and only those.
    let kept = std::fs::read_dir(folder.path().join("pictures")).unwrap().count();
    assert_eq!(kept, 7, "the six that were shown, and the one that is cut off");

    // Asked for again, they come from there.
    let before = host.asked.lock().unwrap().len();
    let (pictures, mut events) = driver(Some(folder.path().to_path_buf()), None);
    pictures.want(vec![wanted(&format!("{}/png", host.base))], Graphics::Sixel, (10, 20));
    assert!(arrived(&mut events, 1).await.values().all(Result::is_ok));
    assert_eq!(host.asked.lock().unwrap().len(), before);
}

#[tokio::test]
async fn hosts_that_are_not_there_are_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dead = format!("http://{}/a.png", listener.local_addr().unwrap());
    drop(listener);
    let (pictures, mut events) = driver(None, None);
    pictures.want(vec![wanted(&dead), wanted("http://no-such-host.invalid/a.png")], Graphics::Blocks, (10, 20));
    let found = arrived(&mut events, 2).await;
    assert!(found.values().all(|what| *what == Err(PictureFault::NoHost)), "{found:?}");

    // This machine is asked only where the service is on it.
    let host = host(HashMap::from([("/a", answer("200 OK", "image/png", &picture(ImageFormat::Png, 9, 9)))])).await;
    let address = format!("{}/a", host.base);
    let (pictures, mut events) = driver(None, Some("https://service.example/"));
    pictures.want(vec![wanted(&address)], Graphics::Blocks, (10, 20));
    assert_eq!(arrived(&mut events, 1).await[&address], Err(PictureFault::Private));
    assert!(host.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_host_that_is_slow_or_says_nothing_is_not_waited_for_without_end() {
    let picture = picture(ImageFormat::Png, 40, 40);
    // It promises more than it sends, and keeps the line open.
    let mut begun = format!("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n", picture.len());
    begun.push('\u{89}');
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let slow = format!("http://{}/slow.png", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Ok((mut line, _)) = listener.accept().await {
            line.write_all(begun.as_bytes()).await.unwrap();
            lines.push(line);
        }
    });
    // A machine that is switched off: what knocks there is not even refused.
    let off = tokio::net::TcpSocket::new_v4().unwrap();
    off.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let off = off.listen(0).unwrap();
    let at = off.local_addr().unwrap();
    let _taken = tokio::net::TcpStream::connect(at).await.unwrap();
    let off = format!("http://{at}/off.png");
    let host = host(HashMap::from([("/here", answer("200 OK", "image/png", &picture))])).await;
    let (silent, here) = (format!("{}/silent", host.base), format!("{}/here", host.base));

    // Each with a patience that nothing else can come before, however busy this machine is.
    let patient = |connect: u64, picture: u64| {
        let (sender, events) = unbounded_channel();
        let pictures = Pictures::new(None, None, Depth::True, sender);
        (pictures.with_patience(Duration::from_millis(connect), Duration::from_millis(picture)), events)
    };
    let all = [&silent, &slow, &off, &here].map(|address| wanted(address)).to_vec();
    let (pictures, mut events) = patient(HOUR, HOUR);
    pictures.want(all, Graphics::Blocks, (10, 20));
    let found = arrived(&mut events, 1).await;
    assert!(found[&here].is_ok(), "the others do not hold it up: {found:?}");

    let (pictures, mut events) = patient(HOUR, 100);
    pictures.want([&silent, &slow].map(|address| wanted(address)).to_vec(), Graphics::Blocks, (10, 20));
    let found = arrived(&mut events, 2).await;
    assert_eq!(found[&silent], Err(PictureFault::Slow));
    assert_eq!(found[&slow], Err(PictureFault::Slow));

    let (pictures, mut events) = patient(100, HOUR);
    pictures.want(vec![wanted(&off)], Graphics::Blocks, (10, 20));
    assert_eq!(arrived(&mut events, 1).await[&off], Err(PictureFault::NoHost));
}

#[tokio::test]
async fn what_is_wanted_last_comes_first_and_what_is_not_wanted_never() {
    let png = answer("200 OK", "image/png", &picture(ImageFormat::Png, 40, 40));
    let host = host(HashMap::from([("/new", png.clone()), ("/full", png)])).await;
    let (pictures, mut events) = driver(None, None);
    // Hosts that never answer hold every worker; what is wanted then is not behind them.
    let silent: Vec<Wanted> = (0..50).map(|n| wanted(&format!("{}/silent?{n}", host.base))).collect();
    pictures.want(silent, Graphics::Blocks, (10, 20));
    while host.asked.lock().unwrap().len() < 4 {
        tokio::task::yield_now().await;
    }
    pictures.want(vec![wanted(&format!("{}/new", host.base))], Graphics::Blocks, (10, 20));
    let found = arrived(&mut events, 1).await;
    assert!(found[&format!("{}/new", host.base)].is_ok());
    assert_eq!(host.asked.lock().unwrap().len(), 5, "the others were never asked for");

    // A host that says nothing holds up no other, wherever in the list its pictures stand.
    let other_png = answer("200 OK", "image/png", &picture(ImageFormat::Png, 40, 40));
    let other = self::host(HashMap::from([("/a", other_png)])).await;
    let silent = (0..50).map(|n| wanted(&format!("{}/silent?{n}", host.base)));
    let there = format!("{}/a", other.base);
    pictures.want(silent.chain([wanted(&there)]).collect(), Graphics::Blocks, (10, 20));
    assert!(arrived(&mut events, 1).await[&there].is_ok());
    pictures.want(Vec::new(), Graphics::Blocks, (10, 20));

    // One that fills the screen can be let go of, and comes otherwise.
    let silent = tokio::spawn(pictures.raster(format!("{}/silent", host.base).into()));
    silent.abort();
    assert!(silent.await.is_err_and(|ended| ended.is_cancelled()));
    let picture = pictures.raster(format!("{}/full", host.base).into()).await;
    assert_eq!(picture.map(|raster| (raster.width, raster.height)), Ok((40, 40)));
}
