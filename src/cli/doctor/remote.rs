//! What has to be asked over the network: the hosts, the credential, the clock, the sign-in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use url::Url;

use super::{Findings, Recorder};
use crate::api::{ListWebhooks, Me};
use crate::cli::Session;
use crate::client::oauth::AuthServer;
use crate::client::{Client, ClientError, Limits, probe};
use crate::runtime::connection::{self, Hooks, LocalWorkspace};
use crate::settings::{CredentialSource, Hosts, Place};

/// How long a host may take to be reached.
const REACHING: Duration = Duration::from_secs(5);
/// A clock that is further off is worth a warning, seconds.
const CLOCK: i64 = 60;
/// What to do where the service itself fails.
const REPORT: &str = "send the request ID to whoever runs the service";

/// Looks at the service; the local workspace, where it was started for that.
pub(super) async fn look(
    session: &Session,
    recorder: &Arc<Recorder>,
    findings: &mut Findings,
) -> Option<Arc<LocalWorkspace>> {
    findings.begin("Service");
    let sure = session.target.sure();
    match &sure {
        Ok(()) => findings.good("profile", session.target.name()),
        Err(error) => {
            findings.bad("target", error.to_string(), "fix the configuration; until then, other commands stop here");
        }
    }
    for warning in session.target.warnings.iter().filter(|warning| !session.config.warnings.contains(warning)) {
        findings.care("target", warning.clone(), "see `cutaway profiles`");
    }
    if let Place::Remote(hosts) = &session.target.place {
        for (word, url) in hosts.all() {
            reach(word, url, findings).await;
        }
        sign_in(hosts, findings).await;
    }
    if session.target.credential_source == CredentialSource::Missing {
        return None;
    }
    // Where the configuration leaves open whose service this is, no credential goes there.
    if sure.is_err() && !session.target.is_local() {
        findings.care("credential", "not tried", "fix the configuration first");
        return None;
    }
    let hooks = Hooks { observer: Some(recorder.clone()), ..Hooks::default() };
    let store = session.credential_store();
    match connection::connect(&session.target, &session.folders, store.as_ref(), hooks, |_| ()).await {
        Err(error) => {
            findings.bad("connection", error.to_string(), "fix what is listed above");
            None
        }
        Ok(connection) => {
            if let Some(workspace) = &connection.workspace {
                let at = workspace.socket().map_or(connection.base_url.to_string(), |path| path.display().to_string());
                findings.good("local workspace", format!("answers at {at}"));
            }
            ask(&connection.client, recorder, findings).await;
            connection.workspace
        }
    }
}

async fn reach(word: &'static str, url: &Url, findings: &mut Findings) {
    let proxy = probe::proxy_of(url);
    let through = proxy.as_ref().map(|proxy| format!(" through the proxy {proxy}")).unwrap_or_default();
    match probe::reach(url, REACHING).await {
        Ok(reached) => {
            let tls = if reached.secured { "; TLS works and the certificate is trusted" } else { "" };
            findings.good(word, format!("{url}: reached in {} ms{through}{tls}", reached.elapsed.as_millis()));
        }
        Err(error) => {
            let fix = match &proxy {
                _ if error.contains("certificate") => {
                    "the certificate isn't trusted: check the address, or install the CA that signed it on this machine"
                }
                Some(_) => "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and that the proxy lets this host through",
                None => "check the address, this machine's network and the firewall",
            };
            findings.bad(word, format!("{url}: {error}{through}"), fix);
        }
    }
}

async fn sign_in(hosts: &Hosts, findings: &mut Findings) {
    let limits = Limits { silence: REACHING, total: REACHING, ..Limits::default() };
    match AuthServer::discover(hosts, &limits).await {
        Ok(server) => {
            let ways = match (server.offers_device(), server.offers_code()) {
                (true, true) => "with a device code or in a browser",
                (true, false) => "with a device code",
                (false, true) => "in a browser",
                (false, false) => "with an API key only",
            };
            findings.good("sign-in", format!("offered {ways}"));
        }
        Err(error) => findings.care("sign-in", error.to_string(), "sign in with an API key instead"),
    }
}

async fn ask(client: &Client, recorder: &Recorder, findings: &mut Findings) {
    let began = Instant::now();
    match client.call(&Me).await {
        Ok(answer) => {
            findings.good(
                "credential",
                format!("accepted, as {} ({} ms)", answer.value.called(), began.elapsed().as_millis()),
            );
        }
        Err(error) => {
            let fix = match &error {
                error if error.needs_sign_in() => "cutaway login",
                ClientError::Unreachable { .. } | ClientError::Silent { .. } => "check that the service is running",
                _ => REPORT,
            };
            findings.bad("credential", error.to_string(), fix);
            return;
        }
    }
    match client.call(&ListWebhooks).await {
        Ok(answer) => {
            let count = answer.value.len();
            findings.good("webhooks", if count == 1 { "1 webhook".to_owned() } else { format!("{count} webhooks") });
        }
        Err(error) => findings.care("webhooks", error.to_string(), REPORT),
    }
    let log = recorder.log();
    let dated = log.iter().rev().find_map(|recorded| {
        let date = jiff::fmt::rfc2822::parse(recorded.received.header("date")?).ok()?;
        Some((recorded.at, date.timestamp()))
    });
    if let Some((here, there)) = dated {
        let off = there.duration_since(here).as_secs();
        if off.abs() > CLOCK {
            let found = format!("this machine's clock is {} the service's", apart(off));
            findings.care("clock", found, "set this machine's clock: tokens and signatures depend on it");
        } else {
            findings.good("clock", "agrees with the service's");
        }
    }
    let odd: usize = log.iter().map(|recorded| recorded.findings.len()).sum();
    if odd > 0 {
        findings.care(
            "conformance",
            match odd {
                1 => "1 field doesn't match the API specification".to_owned(),
                odd => format!("{odd} fields don't match the API specification"),
            },
            "the studio's Inspector lists them (6, then F)",
        );
    } else {
        findings.good("conformance", "all responses match the API specification");
    }
}

/// How far this machine's clock is from one that is so many seconds ahead of it: `12 min behind`.
fn apart(ahead: i64) -> String {
    let seconds = ahead.unsigned_abs();
    let long = match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    };
    format!("{long} {}", if ahead > 0 { "behind" } else { "ahead of" })
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn clocks_are_apart_in_words() {
        assert_eq!(apart(75), "75 s behind");
        assert_eq!(apart(-720), "12 min ahead of");
        assert_eq!(apart(10_800), "3 h behind");
        assert_eq!(apart(-400_000), "4 days ahead of");
    }
}
