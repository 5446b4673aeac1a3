//! The archive for support: what it holds is listed before it is written, and nothing secret is in it.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use super::Findings;
use crate::cli::{Failure, Session, confirm};
use crate::domain::text;
use crate::domain::wire::{Redaction, WireLog, har, sum_up};
use crate::settings::{Credentials, Entry, Secret, write_private_bytes};

/// Of each log so much of its end, bytes.
const MOST_LOG: usize = 512 * 1024;

/// A file of the archive.
struct Member {
    name: String,
    about: &'static str,
    text: String,
}

/// Writes the archive.
pub(super) fn write(
    session: &Session,
    file: &Path,
    findings: &Findings,
    log: &WireLog,
    mask: bool,
    yes: bool,
) -> Result<(), Failure> {
    if file.exists() {
        return Err(Failure::Usage(format!("{} is there already; choose another name", file.display())));
    }
    let redaction = redaction(session);
    let masks = Masks::of(session, mask);
    let clean = |text: &str| masks.applied(&redaction.text(text));
    let mut members = vec![Member {
        name: "doctor.json".to_owned(),
        about: "what was found, as shown above",
        text: clean(&serde_json::to_string_pretty(&findings.document()).unwrap_or_default()),
    }];
    if let Some(config) = session.folders.config_file().ok().and_then(|path| std::fs::read_to_string(path).ok()) {
        let text = clean(&redaction.body(&config));
        members.push(Member { name: "config.toml".to_owned(), about: "the configuration; keys are never in it", text });
    }
    members.extend(logs(session).into_iter().map(|(name, text)| Member {
        name: format!("log/{name}"),
        about: "the end of a log",
        text: clean(&text),
    }));
    let archive = serde_json::to_string_pretty(&har(log.iter().map(AsRef::as_ref))).unwrap_or_default();
    members.push(Member { name: "exchanges.har".to_owned(), about: "what was said just now", text: clean(&archive) });
    let sums = sum_up(log.iter().map(AsRef::as_ref));
    let sums: Vec<String> =
        sums.iter().map(|sum| format!("{} x {}: {} {}", sum.count, sum.operation, sum.field, sum.fault)).collect();
    members.push(Member {
        name: "findings.txt".to_owned(),
        about: "fields not as specified",
        text: clean(&sums.join("\n")),
    });

    let mut stderr = io::stderr();
    let _ = writeln!(
        stderr,
        "The archive {} will hold, without secrets{}:",
        file.display(),
        if mask { ", names and addresses" } else { "" }
    );
    for member in &members {
        let _ = writeln!(stderr, "  {:<24} {:>8} bytes  {}", text::line(&member.name), member.text.len(), member.about);
    }
    if !yes && io::stdin().is_terminal() && stderr.is_terminal() {
        confirm::question("Write it?", "nothing was written")?;
    }
    let bytes = packed(&members).map_err(Failure::Output)?;
    write_private_bytes(file, &bytes).map_err(|error| Failure::Faulty(format!("{}: {error}", file.display())))?;
    let _ = writeln!(stderr, "Written: {}", file.display());
    Ok(())
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

/// Knows every secret that this home keeps, beside those that their names betray.
fn redaction(session: &Session) -> Redaction {
    let credentials = session.folders.credentials_file().ok().and_then(|path| Credentials::read(&path).ok());
    let mut known: Vec<String> = session.environment.get("CUTAWAY_API_KEY").map(str::to_owned).into_iter().collect();
    known.extend(session.environment.get("CUTAWAY_WEBHOOK_SECRET").map(str::to_owned));
    let mut keep = |secret: &Secret| match secret {
        Secret::Key(key) => known.push(key.expose().to_owned()),
        Secret::Tokens(tokens) => {
            known.push(tokens.access.expose().to_owned());
            known.extend(tokens.refresh.as_ref().map(|token| token.expose().to_owned()));
        }
    };
    if let Some(secret) = &session.target.credential {
        keep(secret);
    }
    for profile in session.config.profiles.keys() {
        if let Some(Entry::Here(secret)) = credentials.as_ref().and_then(|credentials| credentials.entry(profile)) {
            keep(secret);
        }
    }
    Redaction::new(known.iter().map(String::as_str))
}

/// The ends of the latest logs.
fn logs(session: &Session) -> Vec<(String, String)> {
    let Ok(folder) = session.folders.state() else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> =
        entries.filter_map(Result::ok).filter(|entry| entry.file_name().to_string_lossy().ends_with(".log")).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    files
        .into_iter()
        .rev()
        .take(3)
        .filter_map(|entry| {
            let bytes = std::fs::read(entry.path()).ok()?;
            let end = bytes.get(bytes.len().saturating_sub(MOST_LOG)..)?;
            Some((entry.file_name().to_string_lossy().into_owned(), String::from_utf8_lossy(end).into_owned()))
        })
        .collect()
}

/// What stands for names and addresses.
struct Masks {
    words: Vec<(String, String)>,
    on: bool,
}

impl Masks {
    /// Knows the hosts, the stores, the profiles and the home of this session.
    fn of(session: &Session, on: bool) -> Self {
        let mut words = Vec::new();
        if on {
            let mut add = |text: &str, what: &str| {
                let text = text.trim();
                if text.len() >= 3 && words.iter().all(|(known, _)| known != text) {
                    words.push((text.to_owned(), format!("[{what} {}]", words.len() + 1)));
                }
            };
            let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
            for (name, profile) in &session.config.profiles {
                for store in &profile.stores {
                    add(store.name.as_deref().unwrap_or_default(), "store");
                    add(&host(store.url.as_str()).unwrap_or_default(), "store");
                }
                let urls = [&profile.base_url, &profile.lb_base_url, &profile.upload_url, &profile.auth_url];
                for url in urls.into_iter().flatten() {
                    add(url.host_str().unwrap_or_default(), "host");
                }
                if name != crate::settings::LOCAL_PROFILE {
                    add(name, "profile");
                }
            }
            if let crate::settings::Place::Remote(hosts) = &session.target.place {
                hosts.all().for_each(|(_, url)| add(url.host_str().unwrap_or_default(), "host"));
            }
            add(session.environment.get("HOME").unwrap_or_default(), "home");
        }
        // The longest first: a name that holds another one is masked whole.
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        Self { words, on }
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
    fn the_archive_can_be_read_again() {
        let member = Member { name: "log/a.log".to_owned(), about: "", text: "line\n".to_owned() };
        let bytes = packed(&[member]).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let names: Vec<String> =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect();
        assert_eq!(names, ["cutaway-doctor/log/a.log"]);
    }
}
