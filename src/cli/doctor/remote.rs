//! What has to be asked over the network: the hosts, the credential, the clock, the sign-in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use super::{Findings, Recorder};
use crate::api::{ListWebhooks, Me};
use crate::cli::Session;
use crate::client::oauth::AuthServer;
use crate::client::{Client, ClientError, Limits};
use crate::runtime::connection::{self, Hooks, LocalWorkspace};
use crate::settings::{CredentialSource, Hosts, Place};

/// How long a host may take to be reached.
const REACHING: Duration = Duration::from_secs(5);
/// A clock that is further off is told, seconds.
const CLOCK: i64 = 60;

/// Looks at the service; the local workspace, where it was started for that.
pub(super) async fn look(
    session: &Session,
    recorder: &Arc<Recorder>,
    findings: &mut Findings,
) -> Option<Arc<LocalWorkspace>> {
    findings.begin("Service");
    if let Err(error) = session.target.sure() {
        findings.bad("target", error.to_string(), "mend the configuration");
        return None;
    }
    findings.good("profile", session.target.name());
    for warning in session.target.warnings.iter().filter(|warning| !session.config.warnings.contains(warning)) {
        findings.care("target", warning.clone(), "see the guide on profiles");
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
    let hooks = Hooks { observer: Some(recorder.clone()), ..Hooks::default() };
    let store = session.credential_store();
    match connection::connect(&session.target, &session.folders, store.as_ref(), hooks, |_| ()).await {
        Err(error) => {
            findings.bad("connection", error.to_string(), "see above");
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
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return };
    let host = host.trim_matches(['[', ']']).to_owned();
    let began = Instant::now();
    match timeout(REACHING, TcpStream::connect((host.as_str(), port))).await {
        Ok(Ok(_)) => findings.good(word, format!("{url}: reached in {} ms", began.elapsed().as_millis())),
        Ok(Err(error)) => {
            findings.bad(word, format!("{url}: {error}"), "is the address right, and this machine on the network?");
        }
        Err(_) => findings.bad(word, format!("{url}: no connection in 5 s"), "a firewall or proxy may be in between"),
    }
}

async fn sign_in(hosts: &Hosts, findings: &mut Findings) {
    let limits = Limits { silence: REACHING, total: REACHING, ..Limits::default() };
    match AuthServer::discover(hosts, &limits).await {
        Ok(server) => {
            let ways = match (server.offers_device(), server.offers_code()) {
                (true, true) => "by device code and in a browser",
                (true, false) => "by device code",
                (false, true) => "in a browser",
                (false, false) => "by API key only",
            };
            findings.good("sign-in", format!("offered {ways}"));
        }
        Err(error) => findings.care("sign-in", error.to_string(), "an API key works all the same"),
    }
}

async fn ask(client: &Client, recorder: &Recorder, findings: &mut Findings) {
    let began = Instant::now();
    match client.call(&Me).await {
        Ok(answer) => {
            findings
                .good("credential", format!("good, for {} ({} ms)", answer.value.email, began.elapsed().as_millis()));
        }
        Err(error) => {
            let mend = match &error {
                error if error.needs_sign_in() => "cutaway login",
                ClientError::Unreachable { .. } | ClientError::Silent { .. } => "is the service up?",
                _ => "show the request id to who runs the service",
            };
            findings.bad("credential", error.to_string(), mend);
            return;
        }
    }
    match client.call(&ListWebhooks).await {
        Ok(answer) => findings.good("webhooks", format!("{} subscriptions", answer.value.len())),
        Err(error) => findings.care("webhooks", error.to_string(), "show the request id to who runs the service"),
    }
    let log = recorder.log();
    let dated = log.iter().rev().find_map(|recorded| {
        let date = jiff::fmt::rfc2822::parse(recorded.received.header("date")?).ok()?;
        Some((recorded.at, date.timestamp()))
    });
    if let Some((here, there)) = dated {
        let off = there.duration_since(here).as_secs();
        if off.abs() > CLOCK {
            findings.care(
                "clock",
                format!("{off} s from the service's"),
                "set this machine's clock: tokens and signatures depend on it",
            );
        } else {
            findings.good("clock", "agrees with the service's");
        }
    }
    let odd: usize = log.iter().map(|recorded| recorded.findings.len()).sum();
    if odd > 0 {
        findings.care(
            "conformance",
            format!("{odd} fields not as specified"),
            "the inspector (6, then F) sums them up",
        );
    } else {
        findings.good("conformance", "everything as specified");
    }
}
