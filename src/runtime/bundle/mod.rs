//! The archive for support: what it holds can be listed before it is written, and nothing secret is in it.

mod config;
mod secrets;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use url::Url;

pub use secrets::{known_secrets, of_home};

use super::host::{Access, Existing, Files};
use crate::domain::wire::{Recorded, har, sum_up};
use crate::settings::{Config, Environment, Folders, Hosts, LOCAL_PROFILE, Place, Target, read_end};

/// Of each log so much of its end, bytes.
const MOST_LOG: u64 = 512 * 1024;
/// So many logs, the latest.
const MOST_LOGS: usize = 3;

/// A file of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it is, for people.
    pub about: &'static str,
    /// What it holds.
    pub text: String,
}

/// An archive that is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    members: Vec<Member>,
}

/// Whose archive it is.
pub struct Source<'a> {
    /// Where the files are.
    pub folders: &'a Folders,
    /// What the configuration says.
    pub config: &'a Config,
    /// Where the exchanges were made.
    pub target: &'a Target,
    /// Stores that the configuration does not name.
    pub stores: &'a [String],
    /// The variables, some of which hold secrets.
    pub environment: &'a Environment,
    /// The home folder, which tells a name.
    pub home: Option<&'a str>,
    /// Take names and addresses of people, stores and hosts out, too.
    pub mask: bool,
}

impl Bundle {
    /// Gathers it: a first document of this name, the configuration, the ends of the logs, the exchanges and what in
    /// them is not as specified.
    #[must_use]
    pub fn gather(source: &Source, first: (&str, &'static str, Value), exchanges: &[&Recorded]) -> Self {
        let redaction = secrets::redaction(source);
        let masks = Masks::of(source);
        let clean = |text: &str| masks.applied(&redaction.free_text(text));
        // What is replaced in a document is what it says, not its form.
        let document =
            |value: Value| serde_json::to_string_pretty(&in_strings(value, &|text| clean(text))).unwrap_or_default();
        let (name, about, value) = first;
        let mut members = vec![Member { name: name.to_owned(), about, text: document(value) }];
        members.push(Member {
            name: "config.toml".to_owned(),
            about: "the settings in use; nothing else of the file",
            text: clean(&config::known_settings(source.config)),
        });
        members.extend(logs(source.folders).into_iter().map(|(name, text)| Member {
            name: format!("log/{name}"),
            about: "the end of a log",
            text: clean(&text),
        }));
        members.push(Member {
            name: "exchanges.har".to_owned(),
            about: "requests and responses",
            text: document(har(exchanges.iter().copied())),
        });
        members.push(Member {
            name: "hosts.json".to_owned(),
            about: "hosts and their response times",
            text: document(hosts(exchanges)),
        });
        let sums = sum_up(exchanges.iter().copied());
        let sums: Vec<String> =
            sums.iter().map(|sum| format!("{} x {}: {} {}", sum.count, sum.operation, sum.field, sum.fault)).collect();
        members.push(Member {
            name: "findings.txt".to_owned(),
            about: "fields that don't match the API specification",
            text: clean(&sums.join("\n")),
        });
        Self { members }
    }

    /// What it holds, a line each.
    pub fn listing(&self) -> impl Iterator<Item = String> {
        self.members
            .iter()
            .map(|member| format!("{:<24} {:>8} bytes  {}", member.name, member.text.len(), member.about))
    }

    /// Writes it, so that only its owner can read it.
    ///
    /// # Errors
    /// Where it can't be written, or something is there already.
    pub fn write(&self, files: &Files, file: &Path) -> io::Result<()> {
        let written = files.write(file, &self.packed()?, Access::Private, Existing::Refuse);
        written.map(drop).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::other("the file already exists; choose another name"),
            _ => error,
        })
    }

    /// Its bytes.
    ///
    /// # Errors
    /// Where a member can't be packed.
    pub fn packed(&self) -> io::Result<Vec<u8>> {
        packed(&self.members)
    }
}

fn packed(members: &[Member]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for member in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(u64::try_from(member.text.len()).unwrap_or_default());
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default());
        header.set_cksum();
        archive.append_data(&mut header, format!("cutaway-doctor/{}", member.name), member.text.as_bytes())?;
    }
    archive.into_inner()
}

/// The document with another text in the place of each of its strings; the names of members stay.
fn in_strings(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Array(members) => members.into_iter().map(|member| in_strings(member, change)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, member)| (name, in_strings(member, change))).collect()
        }
        other => other,
    }
}

/// Each host with how many exchanges there were, how many got no answer, and the median of the round trips.
fn hosts(exchanges: &[&Recorded]) -> Value {
    let mut hosts: BTreeMap<String, (usize, Vec<u64>)> = BTreeMap::new();
    for recorded in exchanges {
        let host = Url::parse(&recorded.url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
        let known = hosts.entry(host.unwrap_or_else(|| "nothing was sent".to_owned())).or_default();
        known.0 += 1;
        known.1.extend(recorded.round_trip_ms);
    }
    hosts
        .into_iter()
        .map(|(host, (count, mut times))| {
            times.sort_unstable();
            json!({
                "host": host,
                "exchanges": count,
                "withoutAnswer": count - times.len(),
                "medianMs": times.get(times.len() / 2),
            })
        })
        .collect()
}

/// The ends of the latest logs.
fn logs(folders: &Folders) -> Vec<(String, String)> {
    let Ok(folder) = folders.state() else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> =
        entries.filter_map(Result::ok).filter(|entry| entry.file_name().to_string_lossy().ends_with(".log")).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    files
        .into_iter()
        .rev()
        .take(MOST_LOGS)
        .filter_map(|entry| {
            let end = read_end(&entry.path(), MOST_LOG).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), String::from_utf8_lossy(&end).into_owned()))
        })
        .collect()
}

/// What stands for names and addresses.
struct Masks {
    words: Vec<(String, String)>,
    on: bool,
}

impl Masks {
    /// Knows the hosts, the stores, the profiles and the home.
    fn of(source: &Source) -> Self {
        let mut words = Vec::new();
        if source.mask {
            let mut add = |text: &str, what: &str| {
                let text = text.trim();
                if text.len() >= 3 && words.iter().all(|(known, _)| known != text) {
                    words.push((text.to_owned(), format!("[{what} {}]", words.len() + 1)));
                }
            };
            let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
            for (name, profile) in &source.config.profiles {
                for store in &profile.stores {
                    add(store.name.as_deref().unwrap_or_default(), "store");
                    add(&host(store.url.as_str()).unwrap_or_default(), "store");
                }
                add(&profile.app_url.as_ref().and_then(|url| host(url.as_str())).unwrap_or_default(), "store");
                let urls = [&profile.base_url, &profile.lb_base_url, &profile.upload_url, &profile.auth_url];
                for url in urls.into_iter().flatten() {
                    add(url.host_str().unwrap_or_default(), "host");
                }
                if name != LOCAL_PROFILE {
                    add(name, "profile");
                }
            }
            source.stores.iter().for_each(|store| add(&host(store).unwrap_or_default(), "store"));
            if let Place::Remote(hosts) = &source.target.place {
                let hosts: &Hosts = hosts;
                hosts.all().for_each(|(_, url)| add(url.host_str().unwrap_or_default(), "host"));
            }
            add(source.home.unwrap_or_default(), "home");
        }
        // The longest first: a name that holds another one is masked whole.
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        Self { words, on: source.mask }
    }

    fn applied(&self, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let mut masked = without_people(text);
        for (word, mask) in &self.words {
            masked = masked.replace(word.as_str(), mask);
        }
        masked
    }
}

/// A text with its e-mail addresses masked.
fn without_people(text: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '\'');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at);
        let name = before.trim_end_matches(part);
        let after = after.get(1..).unwrap_or_default();
        let host = after.trim_start_matches(part);
        if name.len() < before.len() && host.len() < after.len() {
            out.push_str(name);
            out.push_str("[address]");
        } else {
            out.push_str(before);
            out.push('@');
            out.push_str(after.get(..after.len() - host.len()).unwrap_or_default());
        }
        rest = host;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_are_masked() {
        assert_eq!(without_people(r#"{"email":"a.b+c@x.example","n":1}"#), r#"{"email":"[address]","n":1}"#);
        assert_eq!(
            without_people("two a@b and c@d.e, at @ alone, @x y@"),
            "two [address] and [address], at @ alone, @x y@"
        );
    }

    #[test]
    fn what_is_masked_leaves_the_form_of_a_document() {
        let value = json!({ "log": ["the log of log.example", 1], "entries": null });
        let masked = in_strings(value, &|text| text.replace("log", "[store 1]"));
        assert_eq!(masked, json!({ "log": ["the [store 1] of [store 1].example", 1], "entries": null }));
    }

    #[test]
    fn the_archive_can_be_read_again_and_nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.tar");
        let member = Member { name: "log/a.log".to_owned(), about: "a log", text: "line\n".to_owned() };
        let bundle = Bundle { members: vec![member] };
        assert_eq!(bundle.listing().collect::<Vec<_>>(), ["log/a.log                       5 bytes  a log"]);
        let files = Files::of_process();
        bundle.write(&files, &file).unwrap();
        assert!(bundle.write(&files, &file).is_err());
        let mut archive = tar::Archive::new(std::fs::File::open(file).unwrap());
        let names: Vec<String> =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect();
        assert_eq!(names, ["cutaway-doctor/log/a.log"]);
    }
}
