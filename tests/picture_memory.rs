//! What large pictures take while they are fetched and decoded: measured, in a process that does nothing else.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::fs;
use std::sync::Arc;

use cutaway::runtime::pictures::Pictures;
use cutaway::settings::{Depth, Graphics};
use cutaway::studio::event::Event;
use cutaway::studio::pictures::{PictureFault, Wanted};
use image::codecs::jpeg::JpegEncoder;
use image::{GenericImageView, Rgb};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;

/// A picture of so many pixels that has none in memory.
struct Drawn(u32, u32);

impl GenericImageView for Drawn {
    type Pixel = Rgb<u8>;

    fn dimensions(&self) -> (u32, u32) {
        (self.0, self.1)
    }

    fn get_pixel(&self, x: u32, y: u32) -> Self::Pixel {
        Rgb([(x >> 5).to_le_bytes()[0], (y >> 5).to_le_bytes()[0], 90])
    }
}

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 80).encode_image(&Drawn(width, height)).unwrap();
    bytes
}

fn png(width: u32, height: u32) -> Vec<u8> {
    use std::io::Write as _;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    let mut rows = writer.stream_writer().unwrap();
    let row: Vec<u8> = (0..width).flat_map(|x| Drawn(width, height).get_pixel(x, 7).0).collect();
    for _ in 0..height {
        rows.write_all(&row).unwrap();
    }
    rows.finish().unwrap();
    writer.finish().unwrap();
    bytes
}

/// One that is as many bytes as it has pixels, nearly: it is too large to be fetched.
fn bmp(width: u32, height: u32) -> Vec<u8> {
    let size = width * height * 3;
    let mut bytes = b"BM".to_vec();
    for number in [size + 54, 0, 54, 40, width, height, 0x0018_0001, 0, size, 0, 0, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(bytes.len() + usize::try_from(size).unwrap(), 90);
    bytes
}

/// Bytes of this process in memory: now, or the most since it was last asked to forget that.
fn resident(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_of_25_megapixels_fit_into_little() {
    let pictures: Arc<Vec<Vec<u8>>> =
        Arc::new(vec![jpeg(6_000, 4_000), png(5_000, 5_000), jpeg(1_600, 1_600), png(2_000, 6_000), bmp(3_000, 3_500)]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answers = Arc::clone(&pictures);
    tokio::spawn(async move {
        while let Ok((mut line, _)) = listener.accept().await {
            let answers = Arc::clone(&answers);
            tokio::spawn(async move {
                let mut head = [0; 2048];
                let read = line.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let at: usize = head.split('/').nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap();
                let picture = &answers[at];
                let said = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", picture.len());
                let _ = line.write_all(said.as_bytes()).await;
                let _ = line.write_all(picture).await;
            });
        }
    });
    let cache = tempfile::tempdir().unwrap();
    let (sender, mut events) = unbounded_channel();
    let driver = Pictures::new(Some(cache.path().to_path_buf()), None, Depth::True, sender);
    let forgot = fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = resident("VmRSS");
    for room in [(16, 8), (100, 50), (4, 2)] {
        let wanted = |at: usize| Wanted { address: format!("{base}/{at}").into(), room };
        driver.want((0..pictures.len()).map(wanted).collect(), Graphics::Kitty { deflate: true }, (10, 20));
        for _ in 0..pictures.len() {
            let Some(Event::PictureArrived { picture, wanted }) = events.recv().await else { panic!("a picture") };
            let expected =
                if wanted.address.to_string().ends_with("/4") { Some(PictureFault::TooManyBytes) } else { None };
            assert_eq!(picture.err(), expected, "{}", wanted.address);
        }
    }
    let most = resident("VmHWM").saturating_sub(before);
    if forgot {
        assert!(most <= 60 << 20, "{} MiB", most >> 20);
        println!("{} MiB at most", most >> 20);
    } else {
        eprintln!("NOT MEASURED: this system does not let a process forget its highest memory");
    }
}
