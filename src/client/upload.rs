//! `POST {upload_url}/videos`: a file on its way, §4.5. It creates, so it is never sent twice by itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::attempt::{Arrived, Credential, FormRequest};
use super::envelope::Envelope;
use super::exchange::Exchange;
use super::file_body::{Course, pieces};
use super::form::Form;
use super::send::{MOST_MOVES, Place, Sender};
use super::trace::Trace;
use super::watch::Watch;
use super::{Answer, Client, ClientError, Conditions, Progress, RateLimit, readable};
use crate::api::{CreatedVideo, Operation as _, UploadVideo};
use crate::domain::AccessToken;
use crate::uploads::Fingerprint;

/// A file to be sent.
#[derive(Debug, Clone)]
pub struct FileToSend {
    /// Where it is.
    pub path: PathBuf,
    /// What it was like when it was looked at; where it is no longer that, it is not sent.
    pub fingerprint: Fingerprint,
    /// What the service is told it is called.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// What tells this upload from every other one, however often it is sent; without one the client makes one up.
    pub key: Option<String>,
    /// How far it has come.
    pub progress: Arc<Progress>,
    /// How fast it may go.
    pub limit: Arc<RateLimit>,
}

/// Why a file did not arrive, as far as is known.
#[derive(Debug, Clone, PartialEq)]
pub struct NotUploaded {
    /// What happened.
    pub error: ClientError,
    /// When the service wants to be asked again (`Retry-After`).
    pub retry_after: Option<Duration>,
}

impl From<ClientError> for NotUploaded {
    fn from(error: ClientError) -> Self {
        Self { error, retry_after: None }
    }
}

/// Stops the body when the call ends or is dropped: the rest is for nobody.
struct StopsAtEnd(Arc<Course>);

impl Drop for StopsAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Client {
    /// Sends a file. Dropping the future ends it: what was sent is no video then.
    ///
    /// # Errors
    /// What [`ClientError`] lists. After [`ClientError::Broken`], [`ClientError::Silent`], [`ClientError::CutOff`] and
    /// [`ClientError::Unreadable`] it may have arrived all the same: the library knows.
    pub async fn upload(&self, file: &FileToSend) -> Result<Answer<CreatedVideo>, NotUploaded> {
        let answer = self.sender.upload(file).await?;
        let value = readable(&UploadVideo::ROW, &answer)?;
        let (created, findings) = UploadVideo::read(&value);
        if created.id.as_str().is_empty() {
            let what = "it names no id for the video".to_owned();
            return Err(ClientError::Unreadable { status: answer.status, what, request_id: answer.request_id }.into());
        }
        self.sender.found(answer.number, &findings);
        Ok(answer.map(created, findings))
    }

    /// How long what stands at an address of a video is, bytes, where its server tells. Asked without the
    /// credential, and not at all where it lies in a private network that the service is not in: whoever named the address
    /// must not reach into it.
    pub async fn size_at(&self, address: &Url) -> Option<u64> {
        self.sender.size_at(address).await
    }
}

impl Sender {
    async fn size_at(&self, address: &Url) -> Option<u64> {
        let mut place = self.place();
        if !self.locate.as_ref().is_some_and(|locate| locate.handed_out(address)) || place.socket.is_none() {
            // The local workspace is on this machine, where others may be whose videos it names.
            let here = || Url::parse("http://127.0.0.1").ok();
            let base = if place.socket.is_some() { here()? } else { place.hosts.base };
            return self.connections.size_at(&base, address, &self.limits).await;
        }
        // Asked of the service itself, which may have to be found again; never of whoever has that address now.
        for _ in 0..2 {
            if let Some(size) = self.connections.size_by(place.socket.as_deref()?, address, &self.limits).await {
                return Some(size);
            }
            if !self.has_moved(&place).await {
                return None;
            }
            place = self.place();
        }
        None
    }

    async fn upload(&self, file: &FileToSend) -> Result<Answer<()>, NotUploaded> {
        self.admit(&UploadVideo::ROW).await?;
        loop {
            let signed_in = self.sign_ins();
            match self.upload_once(file).await {
                // A 401 kept nothing: once someone signed in again it is sent again.
                Err(refused)
                    if refused.error.needs_sign_in() && self.signed_in_again(signed_in, &refused.error).await => {}
                result => return result,
            }
        }
    }

    async fn upload_once(&self, file: &FileToSend) -> Result<Answer<()>, NotUploaded> {
        let began = Instant::now();
        let token = self.token(None, began + self.limits.total).await?;
        let sent = match self.send_file(file, token.bearer.clone()).await {
            // A 401 kept nothing, so with a renewed token it may be sent again.
            Err(refused) if refused.error.status() == Some(401) => {
                let renewed = self.token(Some(token.number), Instant::now() + self.limits.total).await?;
                if renewed.bearer == token.bearer {
                    return Err(refused);
                }
                self.send_file(file, renewed.bearer).await
            }
            result => result,
        };
        let (arrived, retries, number) = sent?;
        Ok(Answer {
            value: (),
            findings: Vec::new(),
            body: arrived.body,
            status: arrived.status,
            request_id: arrived.request_id,
            etag: arrived.etag,
            elapsed: began.elapsed(),
            retries,
            number,
            products_here: false,
        })
    }

    /// Sends it, and where nothing listens any more asks where the service is now.
    async fn send_file(&self, file: &FileToSend, token: AccessToken) -> Result<(Arrived, u32, u64), NotUploaded> {
        let row = UploadVideo::ROW;
        let conditions = Conditions { key: file.key.clone(), ..Conditions::default() };
        let envelope = Envelope::of_file(row, UploadVideo.path(), conditions);
        let number = self.next_exchange();
        let mut watch = Watch::begin(self.observer.clone(), Exchange::of(number, row, envelope.path.clone(), 0));
        let trace = watch.trace();
        let mut place = self.place();
        for looked in 0..=MOST_MOVES {
            let credential = Credential::Bearer(place.own_token().unwrap_or_else(|| token.clone()));
            match self.send_file_to(&place, &envelope, file, &credential, trace.as_deref()).await {
                Ok(arrived) => {
                    watch.note(|exchange| {
                        exchange.status = Some(arrived.status);
                        exchange.round_trip = None;
                        exchange.sent = usize::try_from(file.progress.sent()).unwrap_or(usize::MAX);
                        exchange.received = arrived.body.len();
                        exchange.request_id.clone_from(&arrived.request_id);
                    });
                    return Ok((arrived, looked, number));
                }
                Err(failed)
                    if matches!(failed.error, ClientError::Unreachable { .. })
                        && looked < MOST_MOVES
                        && self.has_moved(&place).await =>
                {
                    place = self.place();
                }
                Err(failed) => {
                    watch.note(|exchange| {
                        exchange.sent = usize::try_from(file.progress.sent()).unwrap_or(usize::MAX);
                    });
                    watch.fail(&failed.error);
                    return Err(failed);
                }
            }
        }
        Err(ClientError::Unreachable { host: String::new(), why: "it moves".to_owned() }.into())
    }

    async fn send_file_to(
        &self,
        place: &Place,
        envelope: &Envelope,
        file: &FileToSend,
        credential: &Credential,
        trace: Option<&Trace>,
    ) -> Result<Arrived, NotUploaded> {
        let course = Course::new(Arc::clone(&file.progress));
        let _stops = StopsAtEnd(Arc::clone(&course));
        let stream = pieces(file.path.clone(), file.fingerprint.clone(), Arc::clone(&course), Arc::clone(&file.limit));
        let form = Form::of(UploadVideo::PART, &file.name, &file.content_type)?;
        let request = FormRequest {
            url: envelope.url(&place.hosts.upload)?,
            conditions: &envelope.conditions,
            socket: place.socket.as_deref(),
            credential,
            content_type: form.content_type(),
            length: form.length(file.fingerprint.size),
            body: reqwest::Body::wrap_stream(form.around(stream)),
        };
        let sent = self.connections.send_form(request, &course, &self.limits, trace).await;
        // Where the file is to blame, that the line was let go is no news.
        sent.map_err(|failed| match course.change() {
            Some(change) => ClientError::File(change).into(),
            None => NotUploaded { error: failed.error, retry_after: failed.retry_after },
        })
    }
}
