//! Every rule over videos finds each of 20 faults, and none of 20 look-alikes; and files say what they are.

use std::collections::BTreeSet;

use super::{Codec, Container, Film, Films, Library, Reading, unplayable};
use crate::domain::{Answer, Step, StoreUrl, VideoId};
use crate::graph::Graph;
use crate::lint::{Limits, Problem, Reaches, Record, Rule, Severity, Shelf, Wired, Wiring};

const EACH: usize = 20;

fn fine(number: usize) -> Film {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&u64::try_from(number).unwrap().to_be_bytes());
    Film {
        container: Some(Container::Mp4),
        codec: Some(Codec::Avc),
        sound: Some(true),
        loudness: Some(-18.0),
        index_first: Some(true),
        bytes: Some(4_000_000),
        seconds: Some(10.0),
        picture: Some((1080, 1920)),
        text_track: Some(false),
        captions: Some(true),
        beginning: Some(900_000),
        hash: Some(hash),
    }
}

type Change = fn(&mut Film);

/// What is wrong, and what only looks so.
fn cases() -> Vec<(Rule, Change, Change)> {
    use Rule as R;
    vec![
        (R::CodecNotWeb, |f| f.codec = Some(Codec::Other("mp4v".into())), |f| f.codec = Some(Codec::Vp9)),
        (R::CodecNotWeb, |f| f.codec = Some(Codec::Hevc), |f| f.codec = None),
        (
            R::CodecNotWeb,
            |f| f.container = Some(Container::Other("QuickTime")),
            |f| (f.container, f.codec) = (Some(Container::Webm), Some(Codec::Av1)),
        ),
        (R::NoAudio, |f| f.sound = Some(false), |f| f.sound = None),
        (R::NoAudio, |f| f.loudness = Some(-60.1), |f| f.loudness = Some(-60.0)),
        (
            R::SlowStart,
            |f| f.index_first = Some(false),
            |f| (f.container, f.index_first) = (Some(Container::Webm), None),
        ),
        (R::TooHeavy, |f| f.bytes = Some(5_000_001), |f| f.bytes = Some(5_000_000)),
        (R::TooHeavy, |f| f.beginning = Some(2_000_001), |f| f.beginning = Some(2_000_000)),
        (R::TooHeavy, |f| f.bytes = Some(9_000_000), |f| (f.bytes, f.picture) = (Some(9_000_000), Some((2160, 3840)))),
        (R::VideoAspect, |f| f.picture = Some((1440, 1080)), |f| f.picture = Some((1088, 1920))),
        (R::VideoAspect, |f| f.picture = Some((2560, 1080)), |f| f.picture = Some((720, 720))),
        (R::NoCaptions, |f| f.captions = Some(false), |f| (f.captions, f.text_track) = (Some(false), Some(true))),
        (R::NoCaptions, |f| f.captions = Some(false), |f| (f.captions, f.text_track) = (Some(false), None)),
        (
            R::SameVideo,
            |f| f.hash = Some([7; 32]),
            |f| {
                // The same in all but what they show.
                let hash = f.hash;
                *f = Film { hash, ..fine(0) };
            },
        ),
    ]
}

fn record(number: usize) -> Record {
    Record::Video { id: format!("v{number}").as_str().into(), name: format!("Clip {number}") }
}

#[test]
fn every_rule_finds_each_fault_and_no_look_alike() {
    for (nth, (rule, fault, decoy)) in cases().into_iter().enumerate() {
        let mut library = Library::new(Limits::default());
        let (mut found, mut wrong) = (BTreeSet::new(), BTreeSet::new());
        for number in 0..10 * EACH {
            let mut film = fine(number);
            match number % 10 {
                3 => {
                    fault(&mut film);
                    // The first one of several that are the same is no copy.
                    if rule != Rule::SameVideo || number != 3 {
                        wrong.insert(format!("v{number}"));
                    }
                }
                6 => decoy(&mut film),
                _ => {}
            }
            let problems = library.video(&record(number), &film, Some(&format!("https://shop.example/{number}.mp4")));
            found.extend(problems.iter().filter(|of| of.rule == rule).map(|of| of.record.id().to_owned()));
        }
        assert_eq!(found, wrong, "case {nth}, {rule:?}");
    }
}

#[test]
fn hevc_is_a_warning_and_nothing_is_wrong_with_what_is_fine() {
    let mut library = Library::new(Limits::default());
    assert_eq!(library.video(&record(1), &fine(1), None), []);
    let hevc = Film { codec: Some(Codec::Hevc), ..fine(2) };
    let problems = library.video(&record(2), &hevc, None);
    assert_eq!(problems.iter().map(Problem::severity).collect::<Vec<_>>(), [Severity::Warning]);
    // What was not read is counted apart.
    assert_eq!(library.video(&record(3), &Film::default(), None), []);
    let rules = [Rule::CodecNotWeb, Rule::NoAudio, Rule::SlowStart, Rule::TooHeavy, Rule::NoCaptions, Rule::SameVideo];
    for rule in rules {
        let counts = library.tally().of(rule);
        assert_eq!((counts.checked, counts.unchecked), (2, 1), "{rule:?}");
    }
    // The same address is the same video, whatever is known of it.
    let address = Some("https://shop.example/a.mp4");
    assert_eq!(library.video(&record(4), &Film::default(), address), []);
    let problems = library.video(&record(5), &Film::default(), address);
    assert!(problems[0].rule == Rule::SameVideo && problems[0].sentence.contains("Clip 4"), "{problems:?}");
}

/// A project of so many steps one behind the other, each with a video.
fn project(count: usize) -> (Wired, Films) {
    let step = |number: usize| {
        let next = (number + 1 < count).then(|| format!("s{}", number + 1).as_str().into());
        Step {
            name: Some(format!("s{number}").as_str().into()),
            video_id: Some(VideoId::from(format!("v{number}").as_str())),
            answers: Some(vec![Answer { text: "On".to_owned(), next, ..Answer::default() }]),
            ..Step::default()
        }
    };
    let graph = std::sync::Arc::new(Graph::new(&(0..count).map(step).collect::<Vec<_>>(), &[]));
    let films =
        (0..count).map(|number| (format!("v{number}").as_str().into(), Film { seconds: Some(0.5), ..fine(number) }));
    let (reaches, films) = (Reaches::of(&graph, None), films.collect());
    (Wired { id: "p".to_owned(), name: "Tour".to_owned(), graph, reaches }, films)
}

fn steps_of(problems: &[Problem], rule: Rule) -> BTreeSet<String> {
    problems.iter().filter(|of| of.rule == rule).filter_map(|of| of.record.step().map(str::to_owned)).collect()
}

#[test]
fn videos_of_a_project_are_short_and_of_one_shape() {
    let (wired, mut films) = project(10 * EACH);
    let (mut long, mut odd) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..10 * EACH {
        let film = films.get_mut(&VideoId::from(format!("v{number}").as_str())).unwrap();
        match number % 10 {
            3 => {
                (film.seconds, film.picture) = (Some(60.1), Some((1920, 1080)));
                long.insert(format!("s{number}"));
                odd.insert(format!("s{number}"));
            }
            // As long as it may be, and of the same shape in other pixels.
            6 => (film.seconds, film.picture) = (Some(60.0), Some((360, 640))),
            _ => {}
        }
    }
    let problems = Wiring::new(Limits::default()).films(&wired, &films);
    assert_eq!((long.len(), steps_of(&problems, Rule::TooLong)), (EACH, long));
    assert_eq!(steps_of(&problems, Rule::VideoAspect), odd);
    let whole: Vec<_> = problems.iter().filter(|of| matches!(of.record, Record::Project { .. })).collect();
    assert!(whole.len() == 1 && whole[0].rule == Rule::TooLong, "{whole:?}");
    assert!(problems.iter().all(|problem| problem.reach.is_some()));
}

#[test]
fn the_shortest_path_is_the_one_that_counts() {
    let mut wrong = 0;
    for number in 0..2 * EACH {
        let (wired, mut films) = project(4);
        let each = if number % 2 == 0 { 45.1 } else { 45.0 };
        for film in films.values_mut() {
            film.seconds = Some(each);
        }
        wrong += Wiring::new(Limits::default()).films(&wired, &films).len();
        // A video of unknown length may be of any.
        if let Some(film) = films.values_mut().next() {
            film.seconds = None;
        }
        let mut wiring = Wiring::new(Limits::default());
        assert_eq!(wiring.films(&wired, &films), []);
        assert_eq!(wiring.tally().of(Rule::TooLong).unchecked, 2, "the video, and the path");
    }
    assert_eq!(wrong, EACH);
    let shelf = Shelf::new(StoreUrl::from("https://shop.example"), []);
    assert!(shelf.missing().is_empty());
}

/// Reads a whole file by the parts that are wanted.
fn read(file: &[u8]) -> Film {
    let mut reading = Reading::default();
    let mut parts = 0;
    while let Some(part) = reading.wants() {
        parts += 1;
        assert!(parts < 50, "it goes on for ever");
        let from = usize::try_from(part.from).unwrap().min(file.len());
        let to = from.saturating_add(usize::try_from(part.length).unwrap()).min(file.len());
        reading.take(&file[from..to], Some(u64::try_from(file.len()).unwrap()));
    }
    reading.end()
}

fn boxed(kind: &[u8], body: &[u8]) -> Vec<u8> {
    let mut all = u32::try_from(body.len() + 8).unwrap().to_be_bytes().to_vec();
    all.extend_from_slice(kind);
    all.extend_from_slice(body);
    all
}

#[test]
fn other_containers_are_known_and_are_errors() {
    let packets = |from: usize, each: usize| {
        let mut file = vec![0; 4 * each];
        (0..4).for_each(|nth| file[from + nth * each] = 0x47);
        file
    };
    let files: [(&str, Vec<u8>); 8] = [
        ("AVI", b"RIFF\x24\x10\0\0AVI LIST\0\0\0\0hdrl".to_vec()),
        ("MPEG program stream", b"\0\0\x01\xBA\x44\0\x04\0\x04\x01".to_vec()),
        ("MPEG video", b"\0\0\x01\xB3\x16\0\xF0\x15".to_vec()),
        ("MPEG transport stream", packets(0, 188)),
        ("MPEG transport stream", packets(4, 192)),
        ("Flash video", b"FLV\x01\x05\0\0\0\x09\0\0\0\0".to_vec()),
        ("Windows Media", b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\0\xAA\0\x62\xCE\x6C".to_vec()),
        ("Ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0".to_vec()),
    ];
    for (name, file) in files {
        let film = read(&file);
        assert_eq!(film.container, Some(Container::Other(name)));
        assert!(unplayable(&film).is_some_and(|why| why.contains(name)), "{name}");
        let problems = Library::new(Limits::default()).video(&record(1), &film, None);
        let told: Vec<_> = problems.iter().map(|problem| (problem.rule, problem.severity())).collect();
        assert_eq!(told, [(Rule::CodecNotWeb, Severity::Error)], "{name}");
    }
    assert_eq!(unplayable(&fine(1)), None);
    assert_eq!(unplayable(&Film { codec: Some(Codec::Hevc), ..fine(1) }), None, "some browsers play it");
    assert_eq!(unplayable(&Film::default()), None, "what was not read");
}

#[test]
fn files_of_strangers_are_read_without_harm() {
    let sample = include_bytes!("../../../assets/sample/videos/tour-1.mp4");
    let film = read(sample);
    assert_eq!(film.container, Some(Container::Mp4));
    for end in (0..sample.len()).step_by(97) {
        let _ = read(&sample[..end]);
    }
    let mut random = 7u64;
    for _ in 0..500 {
        let mut broken = sample[..sample.len().min(4096)].to_vec();
        for _ in 0..20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = usize::try_from(random >> 33).unwrap() % broken.len();
            broken[at] = u8::try_from(random >> 56).unwrap();
        }
        let _ = read(&broken);
    }
    // Boxes that claim to be huge, empty, or to end before they begin.
    for size in [0u32, 1, 7, 8, u32::MAX] {
        let mut odd = boxed(b"ftyp", b"isom\0\0\0\0");
        odd.extend_from_slice(&size.to_be_bytes());
        odd.extend_from_slice(b"moov");
        let _ = read(&odd);
    }
    assert_eq!(read(b"").container, None);
    assert_eq!(read(b"\x1A\x45\xDF\xA3\x80").container, Some(Container::Other("Matroska")));
}
