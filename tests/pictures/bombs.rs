//! Pictures that are small to send and would be large, or long, to decode: measured, in a process that does nothing else.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::host;

use std::collections::HashMap;
use std::fs;
use std::io::Cursor;
use std::time::Duration;

use cutaway::runtime::pictures::Pictures;
use cutaway::settings::{Depth, Graphics};
use cutaway::studio::event::Event;
use cutaway::studio::pictures::{PictureFault, Wanted};
use flate2::{Compress, Compression, FlushCompress};
use host::{answer, host};
use image::{DynamicImage, ImageFormat, RgbImage};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::mpsc::unbounded_channel;

/// Progressive, 64x48.
const PROGRESSIVE: &[u8] = include_bytes!("../../src/runtime/pictures/progressive.jpg");

/// So many megabytes of zeros, deflated, with what goes before and after (RFC 1950). Made of one block again and again:
/// compressing that much would be what takes the time here.
fn deflated(megabytes: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(64 << 10);
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(&vec![0; 1 << 20], &mut block, FlushCompress::Full).unwrap();
    // The sum of zeros: one, and their number.
    let sum = u32::try_from((megabytes << 20) % 65_521).unwrap() << 16 | 1;
    [b"\x78\xda".as_slice(), &block.repeat(megabytes), b"\x03\x00", &sum.to_be_bytes()].concat()
}

fn chunk(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(&name);
    sum.update(body);
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [length.as_slice(), &name, body, &sum.sum().to_be_bytes()].concat()
}

/// A small PNG with a part more after its head.
fn png_with(name: [u8; 4], head: &[u8], body: &[u8]) -> Vec<u8> {
    let image = RgbImage::from_fn(64, 48, |x, y| image::Rgb([x.to_le_bytes()[0], y.to_le_bytes()[0], 77]));
    let mut bytes = Vec::new();
    DynamicImage::ImageRgb8(image).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes.splice(33..33, chunk(name, &[head, body].concat()));
    bytes
}

/// A PNG whose pixels go on for long after the last of them.
fn png_that_goes_on() -> Vec<u8> {
    let head = [b"\0\0\0\x08\0\0\0\x08\x08\x02\0\0\0".as_slice()].concat();
    let parts = [chunk(*b"IHDR", &head), chunk(*b"IDAT", &deflated(8_000)), chunk(*b"IEND", b"")].concat();
    [b"\x89PNG\r\n\x1a\n".as_slice(), &parts].concat()
}

fn jpeg_of_scans(count: usize) -> Vec<u8> {
    let whole = &PROGRESSIVE[..PROGRESSIVE.len() - 2];
    // One component, and one bit more of some of its coefficients.
    let scan = b"\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x10\x00\x00";
    [whole, &scan.repeat(count), b"\xff\xd9"].concat()
}

fn resident(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

fn worked() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::from_secs(u64::try_from(time.tv_sec).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bombs_cost_neither_memory_nor_time() {
    let bomb = deflated(545);
    assert!(bomb.len() < 700_000, "{}", bomb.len());
    let scans = jpeg_of_scans(500_000);
    let pictures: [(&str, &str, Vec<u8>, Option<PictureFault>); 5] = [
        ("/profile", "image/png", png_with(*b"iCCP", b"a\0\0", &bomb), None),
        ("/text", "image/png", png_with(*b"zTXt", b"a\0\0", &bomb), None),
        ("/words", "image/png", png_with(*b"iTXt", b"a\0\x01\0\0\0", &bomb), None),
        ("/scans", "image/jpeg", scans, Some(PictureFault::TooMuchWork)),
        ("/goes-on", "image/png", png_that_goes_on(), None),
    ];
    let answers = pictures.iter().map(|(path, called, bytes, _)| (*path, answer("200 OK", called, bytes)));
    let host = host(answers.collect::<HashMap<_, _>>()).await;
    assert!(host.asked.lock().unwrap().is_empty());
    let (sender, mut events) = unbounded_channel();
    let driver = Pictures::new(None, None, Depth::True, sender);
    let forgot = fs::write("/proc/self/clear_refs", "5").is_ok();
    let (before, begun) = (resident("VmRSS"), worked());
    let wanted = |path: &str| Wanted { address: format!("{}{path}", host.base).into(), room: (16, 8) };
    let all = pictures.iter().map(|(path, ..)| wanted(path)).collect();
    driver.want(all, Graphics::Kitty { deflate: true }, (10, 20));
    for _ in 0..pictures.len() {
        let Some(Event::PictureArrived { picture, wanted }) = events.recv().await else { panic!("a picture") };
        let address = wanted.address.to_string();
        let (path, _, _, expected) = pictures.iter().find(|(path, ..)| address.ends_with(path)).unwrap();
        // What goes on after its last pixel may be shown, or given up.
        let given_up = *path == "/goes-on" && picture.is_err();
        assert!(given_up || picture.as_ref().err() == expected.as_ref(), "{path}: {:?}", picture.err());
    }
    let (most, took) = (resident("VmHWM").saturating_sub(before), worked().saturating_sub(begun));
    println!("{} MiB at most, {took:?}", most >> 20);
    assert!(took < Duration::from_secs(20), "{took:?}");
    if forgot {
        assert!(most <= 80 << 20, "{} MiB", most >> 20);
    } else {
        eprintln!("NOT MEASURED: this system does not let a process forget its highest memory");
    }
}
