//! Programs that are started for a person: what opens addresses, the editor, ffmpeg. None of them needs a credential, so
//! none is handed down, and nothing that came from a service reaches them with characters that steer a terminal.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;
use url::Url;

use crate::domain::text::is_hostile;

/// Words of names (`AWS_SECRET_ACCESS_KEY`) that say that a variable holds a credential.
const SECRET_WORDS: [&str; 6] = ["KEY", "KEYS", "PAT", "PWD", "CREDENTIAL", "CREDENTIALS"];
/// Ends of such words (`PGPASSWORD`).
const SECRET_ENDS: [&str; 8] = ["APIKEY", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE"];
/// Names that only look like it.
const HARMLESS: [&str; 3] = ["PWD", "OLD_PWD", "KEY_TIMEOUT"];

/// Why an address is not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// It is none of the web: programs that open addresses run others than browsers for them.
    #[error("only addresses that begin with https:// or http:// can be opened")]
    NotOfTheWeb,
    /// It has characters in it that no address has.
    #[error("it contains control characters")]
    Hostile,
}

/// A program that inherits this process's environment but for what holds credentials.
#[must_use]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, value) in std::env::vars_os() {
        let (named, text) = (name.to_string_lossy(), value.to_string_lossy());
        if is_secret(&named, &text) {
            command.env_remove(name);
        } else if let Some(proxy) = proxy_without_password(&named, &text) {
            command.env(&name, proxy);
        }
    }
    command
}

/// What opens an address: the address as its only argument, nothing to read, and nobody who reads what it says.
///
/// # Errors
/// Where it is no address that is opened.
pub fn open(opener: &Path, address: &str) -> Result<Command, NotOpened> {
    if address.chars().any(is_hostile) {
        return Err(NotOpened::Hostile);
    }
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.filter(Url::has_host).ok_or(NotOpened::NotOfTheWeb)?;
    let mut command = command(opener);
    // As it was read: it begins with its scheme, never with a dash, and all that is odd in it is escaped.
    command.arg(url.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// What a program may use.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// Seconds of a processor's time.
    pub seconds: u32,
    /// Bytes of memory, mapped files included.
    pub memory: u64,
    /// Bytes of any file that it writes.
    pub file: u64,
}

/// A program that may use so much and no more; killed when the value that stands for it is dropped. A shell sets the
/// limits and becomes the program, so there is no moment without them. Where the system knows one of them not, that
/// one does not hold.
#[must_use]
pub fn limited(program: &Path, arguments: &[OsString], most: Most) -> Command {
    let (seconds, kibibytes, blocks) = (most.seconds, most.memory / 1024, most.file / 512);
    let script = format!(
        "ulimit -c 0; ulimit -t {seconds}; ulimit -f {blocks}; ulimit -v {kibibytes}; ulimit -n 64; exec \"$0\" \"$@\" 2>&3 3>&-"
    );
    let mut command = command("/bin/sh");
    // What the shell says of limits that it can't set is not what the program says.
    command.arg("-c").arg(format!("exec 3>&2 2>/dev/null; {script}")).arg(program).args(arguments);
    command.kill_on_drop(true);
    command
}

/// Whether a variable holds a credential: by its name, or because it is an address with a password in it.
fn is_secret(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if HARMLESS.contains(&upper.as_str()) {
        return false;
    }
    let is_secret = |word: &str| SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end));
    // Its password may stand behind the question mark, and there may be several hosts: no address that Url reads.
    if upper == "CUTAWAY_DATABASE_URL" || upper.split('_').any(is_secret) {
        return true;
    }
    !is_proxy(&upper) && Url::parse(value).is_ok_and(|url| url.password().is_some())
}

fn is_proxy(upper: &str) -> bool {
    upper.ends_with("_PROXY")
}

/// The address of a proxy without the name and the password that lead through it: a browser may need the proxy, and asks
/// for those itself. None where there are none in it.
fn proxy_without_password(name: &str, value: &str) -> Option<String> {
    let (before, host) = value.rsplit_once('@').filter(|_| is_proxy(&name.to_ascii_uppercase()))?;
    let scheme = before.split_once("://").map_or(String::new(), |(scheme, _)| format!("{scheme}://"));
    Some(format!("{scheme}{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_with_credentials_are_known_by_their_names_and_values() {
        for name in [
            "CUTAWAY_API_KEY",
            "CUTAWAY_DATABASE_URL",
            "CUTAWAY_WEBHOOK_SECRET",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "GITHUB_TOKEN",
            "npm_config_token",
            "PGPASSWORD",
            "MYSQL_PWD",
            "OPENAI_APIKEY",
            "VAULT_TOKEN",
        ] {
            assert!(is_secret(name, "x"), "{name}");
        }
        for name in ["PATH", "HOME", "DISPLAY", "KEYMAP", "GNOME_KEYRING_CONTROL", "SSH_AUTH_SOCK", "OLDPWD", "PWD"] {
            assert!(!is_secret(name, "/x"), "{name}");
        }
        assert!(is_secret("DATABASE_URL", "postgres://me:word@host/shop"));
        assert!(!is_secret("HOMEPAGE", "https://host/shop"));
        assert!(!is_secret("https_proxy", "http://me:word@host:8080"));
    }

    #[test]
    fn a_proxy_is_handed_down_without_its_password() {
        let proxy = proxy_without_password;
        assert_eq!(proxy("https_proxy", "http://me:word@host:8080").as_deref(), Some("http://host:8080"));
        assert_eq!(proxy("HTTP_PROXY", "me:w@rd@host:8080/").as_deref(), Some("host:8080/"));
        assert_eq!(proxy("ALL_PROXY", "socks5h://me@host").as_deref(), Some("socks5h://host"));
        assert_eq!(proxy("HTTP_PROXY", "http://host:8080"), None);
        assert_eq!(proxy("EMAIL", "me@host"), None);
    }

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        let opener = Path::new("/usr/bin/xdg-open");
        let argument = |address: &str| -> Result<String, NotOpened> {
            let command = open(opener, address)?;
            Ok(command.as_std().get_args().next().unwrap().to_str().unwrap().to_owned())
        };
        assert_eq!(argument("https://shop.example/a b?c=\"'`"), Ok("https://shop.example/a%20b?c=%22%27`".to_owned()));
        for odd in
            ["file:///etc/passwd", "javascript:alert(1)", "--help", "-x", "smb://host/a", "https:", "", "http://"]
        {
            assert_eq!(argument(odd), Err(NotOpened::NotOfTheWeb), "{odd}");
        }
        for hostile in ["https://shop.example/\u{1b}[2J", "https://shop.example/\na", "https://shop.example/\u{202e}a"]
        {
            assert_eq!(argument(hostile), Err(NotOpened::Hostile), "{hostile:?}");
        }
    }
}
