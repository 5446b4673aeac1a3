//! The device code, RFC 8628: a few letters are shown, and approved in a browser on whichever machine.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use url::Url;

use super::answer::{Answered, DeviceAnswer, TokenAnswer, read};
use super::metadata::check;
use super::{AuthServer, OAuthError, SCOPE};
use crate::settings::Tokens;

/// The server is asked no oftener, whatever it says.
const LEAST_PAUSE: Duration = Duration::from_secs(1);
/// One that wants to be asked more seldom is not meant to be asked at all.
const MOST_PAUSE: Duration = Duration::from_secs(600);
/// By how much more seldom a server is asked that says so (RFC 8628 §3.5).
const SLOWER: Duration = Duration::from_secs(5);
/// What a token is asked for by (RFC 8628 §3.4).
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// A device code that waits to be approved.
#[derive(Clone)]
pub struct DeviceRequest {
    /// The letters that the person compares or types.
    pub user_code: String,
    /// Where they go.
    pub address: Url,
    /// The same with the letters in it: for a QR code.
    pub whole_address: Url,
    /// How long the code is good.
    pub lasts: Duration,
    answer: DeviceAnswer,
}

impl AuthServer {
    /// Has a device code.
    ///
    /// # Errors
    /// Where the server offers none or sends the person somewhere else.
    pub async fn begin_device(&self) -> Result<DeviceRequest, OAuthError> {
        let offered = self.metadata.device_authorization_endpoint.clone();
        let endpoint = offered.ok_or_else(|| OAuthError::NotOffered(self.metadata.issuer.clone()))?;
        let answer: DeviceAnswer = read(&self.post(&endpoint, &[("scope", SCOPE)]).await?)?.given()?;
        if answer.interval > MOST_PAUSE.as_secs() {
            return Err(OAuthError::Unreadable("its polling interval is too long".to_owned()));
        }
        let address = answer.verification_uri.clone();
        check("page for approval", &address, &self.hosts)?;
        let whole = answer.verification_uri_complete.as_deref().and_then(|whole| Url::parse(whole).ok());
        if let Some(whole) = &whole {
            check("page for approval", whole, &self.hosts)?;
        }
        Ok(DeviceRequest {
            user_code: answer.user_code.chars().take(64).collect(),
            whole_address: whole.unwrap_or_else(|| address.clone()),
            address,
            lasts: Duration::from_secs(answer.expires_in),
            answer,
        })
    }

    /// Waits until the person approved, as often asking as the server allows. Dropping the future gives up.
    ///
    /// # Errors
    /// [`OAuthError::Denied`], [`OAuthError::Expired`], and what else the server says.
    pub async fn wait_for_device(&self, request: &DeviceRequest) -> Result<Tokens, OAuthError> {
        self.wait(request, sleep).await
    }

    /// The same, by someone's else measure of time between the questions.
    async fn wait<F: Future<Output = ()>>(
        &self,
        request: &DeviceRequest,
        sleep: impl Fn(Duration) -> F,
    ) -> Result<Tokens, OAuthError> {
        // By this machine's running time: its clock may be wrong, or be set while the code is waited for.
        match timeout(request.lasts.saturating_add(Duration::from_secs(30)), self.poll(request, sleep)).await {
            Ok(answer) => Ok(self.tokens(&answer?, None)),
            Err(_) => Err(OAuthError::Expired),
        }
    }

    /// Asks until there is an answer that is not "not yet" (RFC 8628 §3.5).
    async fn poll<F: Future<Output = ()>>(
        &self,
        request: &DeviceRequest,
        sleep: impl Fn(Duration) -> F,
    ) -> Result<TokenAnswer, OAuthError> {
        let mut pause = Duration::from_secs(request.answer.interval).max(LEAST_PAUSE);
        loop {
            match self.ask_for_tokens(&[("grant_type", GRANT), ("device_code", &request.answer.device_code)]).await {
                Ok(Answered::Refused(code, _)) if code == "authorization_pending" => {}
                Ok(Answered::Refused(code, _)) if code == "slow_down" => pause = (pause + SLOWER).min(MOST_PAUSE),
                Ok(answered) => return answered.given(),
                // One that can't be reached, or is silent, is asked half as often.
                Err(OAuthError::Client(_)) => pause = (pause * 2).min(MOST_PAUSE),
                Err(error) => return Err(error),
            }
            sleep(pause).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};
    use wiremock::matchers::{body_string_contains, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use crate::client::{ClientError, Limits};
    use crate::settings::Hosts;

    /// An authorization server that answers a question for tokens with one of these after the other, and the last for
    /// ever.
    async fn server(device: Value, answers: &[(u16, Value, Duration)]) -> MockServer {
        let server = MockServer::start().await;
        let metadata = json!({
            "issuer": server.uri(),
            "token_endpoint": format!("{}/token", server.uri()),
            "device_authorization_endpoint": format!("{}/device", server.uri()),
        });
        let answer = |status: u16, body: &Value| ResponseTemplate::new(status).set_body_json(body);
        Mock::given(path("/.well-known/oauth-authorization-server"))
            .respond_with(answer(200, &metadata))
            .mount(&server)
            .await;
        let mut code = json!({
            "device_code": "marked-device-code",
            "user_code": "ABCD-EFGH",
            "verification_uri": format!("{}/approve", server.uri()),
            "expires_in": 600,
        });
        code.as_object_mut().unwrap().extend(device.as_object().unwrap().clone());
        Mock::given(path("/device")).respond_with(answer(200, &code)).mount(&server).await;
        for (at, (status, body, delay)) in answers.iter().enumerate() {
            let mock = Mock::given(path("/token")).and(body_string_contains("marked-device-code"));
            let mock = mock.respond_with(answer(*status, body).set_delay(*delay));
            let last = at + 1 == answers.len();
            if last { mock.mount(&server).await } else { mock.up_to_n_times(1).mount(&server).await }
        }
        server
    }

    fn at_once(status: u16, body: Value) -> (u16, Value, Duration) {
        (status, body, Duration::ZERO)
    }

    fn refusal(code: &str) -> (u16, Value, Duration) {
        at_once(400, json!({ "error": code }))
    }

    fn tokens() -> (u16, Value, Duration) {
        at_once(200, json!({ "access_token": "marked-access", "token_type": "Bearer", "expires_in": 3600 }))
    }

    async fn begun(server: &MockServer) -> (AuthServer, Result<DeviceRequest, OAuthError>) {
        begun_within(server, &Limits::default()).await
    }

    async fn begun_within(server: &MockServer, limits: &Limits) -> (AuthServer, Result<DeviceRequest, OAuthError>) {
        let hosts = Hosts::single(Url::parse(&server.uri()).unwrap());
        let server = AuthServer::discover(&hosts, limits).await.unwrap();
        let request = server.begin_device().await;
        (server, request)
    }

    /// What came of waiting, and how long the pauses were to be.
    async fn waited(server: &MockServer) -> (Result<Tokens, OAuthError>, Vec<u64>) {
        waited_within(server, &Limits::default()).await
    }

    async fn waited_within(server: &MockServer, limits: &Limits) -> (Result<Tokens, OAuthError>, Vec<u64>) {
        let (asked, request) = begun_within(server, limits).await;
        let pauses = Mutex::new(Vec::new());
        let sleep = |pause: Duration| {
            pauses.lock().unwrap().push(pause.as_secs());
            tokio::task::yield_now()
        };
        let result = asked.wait(&request.unwrap(), sleep).await;
        (result, pauses.into_inner().unwrap())
    }

    #[tokio::test]
    async fn a_server_that_wants_to_be_asked_more_slowly_is() {
        let answers = [refusal("authorization_pending"), refusal("slow_down"), refusal("slow_down"), tokens()];
        let (result, pauses) = waited(&server(json!({ "interval": 2 }), &answers).await).await;
        assert_eq!(result.unwrap().access.expose(), "marked-access");
        assert_eq!(pauses, [2, 7, 12]);
        // Without a word on it five seconds are meant, and never is it asked without a pause.
        let pending = [refusal("authorization_pending"), tokens()];
        assert_eq!(waited(&server(json!({}), &pending).await).await.1, [5]);
        assert_eq!(waited(&server(json!({ "interval": 0 }), &pending).await).await.1, [1]);
    }

    #[tokio::test]
    async fn what_the_server_decides_is_told_as_it_is() {
        for (answer, said) in [
            (refusal("expired_token"), "the sign-in wasn't approved in time; start again"),
            (refusal("access_denied"), "the sign-in was refused on the page"),
            (refusal("invalid_client"), "the authorization server refused: invalid_client"),
            (at_once(500, json!("no")), "couldn't read the authorization server's response: at line 1, column 4"),
        ] {
            let (result, _) = waited(&server(json!({}), &[refusal("authorization_pending"), answer]).await).await;
            let error = result.unwrap_err();
            assert_eq!(error.to_string(), said);
            assert!(!format!("{error:?}").contains("marked"));
        }
    }

    #[tokio::test]
    async fn a_server_that_is_slow_is_asked_again_and_one_that_never_answers_given_up() {
        let slow = (400, json!({ "error": "authorization_pending" }), Duration::from_secs(600));
        // What answers at once has so long on a machine that is busy.
        let limits = Limits { silence: Duration::from_secs(3), ..Limits::default() };
        let server = server(json!({ "interval": 1 }), &[slow.clone(), slow, tokens()]).await;
        let (result, pauses) = waited_within(&server, &limits).await;
        assert!(result.is_ok());
        // Each silence doubles the pause.
        assert_eq!(pauses, [2, 4]);

        let silent = MockServer::start().await;
        let never = ResponseTemplate::new(200).set_delay(Duration::from_secs(600));
        Mock::given(path("/.well-known/oauth-authorization-server")).respond_with(never).mount(&silent).await;
        let limits = Limits { silence: Duration::from_millis(50), ..Limits::default() };
        let hosts = Hosts::single(Url::parse(&silent.uri()).unwrap());
        let found = AuthServer::discover(&hosts, &limits).await.map(|_| ()).unwrap_err();
        assert!(matches!(found, OAuthError::Client(ClientError::Silent { .. })), "{found}");
    }

    #[tokio::test]
    async fn numbers_beyond_reason_do_no_harm() {
        let pending = [refusal("slow_down"), tokens()];
        let (_, request) = begun(&server(json!({ "interval": u64::MAX }), &pending).await).await;
        assert!(matches!(request.err(), Some(OAuthError::Unreadable(_))));
        let long = json!({ "access_token": "marked-access", "token_type": "Bearer", "expires_in": u64::MAX });
        let device = json!({ "interval": 1, "expires_in": u64::MAX });
        let (result, _) = waited(&server(device, &[refusal("slow_down"), at_once(200, long)]).await).await;
        // Nobody knows until when, so it is good until it is refused.
        assert_eq!(result.unwrap().expires_at, None);
        // A code that lasts no time is over once it was asked for, and the clock has no say in that.
        let (result, _) = waited(&server(json!({ "expires_in": 0 }), &[tokens()]).await).await;
        assert!(result.is_ok());
    }

    #[tokio::test]
    async fn the_person_is_sent_to_the_profiles_own_host_only() {
        for (key, address, said) in [
            ("verification_uri", "https://elsewhere.example/approve", "is on another host"),
            ("verification_uri", "http://10.0.0.1/approve", "is not https"),
            ("verification_uri_complete", "https://elsewhere.example/approve?code=ABCD-EFGH", "is on another host"),
        ] {
            let (_, request) = begun(&server(json!({ key: address }), &[tokens()]).await).await;
            let error = request.map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("ABCD"), "{error}");
        }
    }
}
