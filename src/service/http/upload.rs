//! `POST {upload_url}/videos`: the file goes to the disk while it arrives and is seen by nobody until it is whole.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::BodyDataStream;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use multer::{Field, Multipart};
use uuid::Uuid;

use super::answer::{invalid, json_text, problem};
use super::answered::answers;
use super::conditions::Once;
use super::videos::storage_away;
use super::{App, answer, guard};
use crate::api::{Problem, UploadVideo};
use crate::domain::{Fault, Finding, NO_NUL, Segment};
use crate::service::blobs::{Arriving, BlobError, Coming, HEAD, video_type};
use crate::service::checks;
use crate::service::store::{FileHash, Identity, NewVideoRow, VideoFile};

answers! { UploadVideo => upload }

/// How long a client may send nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// How many parts a form is looked through for.
const MOST_PARTS: usize = 20;

/// What a form has beside its file, at most.
const AROUND: u64 = 64 * 1024;

/// `POST /videos`
async fn upload(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let key = match Once::read(&parts.headers) {
        Ok(key) => key,
        Err(refusal) => return problem(&refusal),
    };
    let mut body = body.into_data_stream();
    let length = header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    // What the service was told, and what the place of files takes.
    let most = app.max_upload.into_iter().chain(app.blobs.most()).min();
    let taken = match header(CONTENT_TYPE).map(multer::parse_boundary) {
        Some(Ok(boundary)) => {
            if length.zip(most).is_some_and(|(length, most)| length > most.saturating_add(AROUND)) {
                Err(Refusal::TooLarge)
            } else {
                take(&app, &mut body, boundary, Most { length, most }).await
            }
        }
        _ => Err(Refusal::Kind(header(CONTENT_TYPE).unwrap_or("nothing").to_owned())),
    };
    let whole = match taken {
        Ok(whole) => whole,
        Err(refusal) => return refusal.answer(most),
    };
    // A file may take hours, and its key may have been revoked meanwhile.
    match app.store.is_revoked(&identity.credential).await {
        Ok(false) => {}
        Ok(true) => return guard::unauthenticated("The credential was revoked while the file was sent."),
        Err(error) => return answer::refused(&error),
    }
    // It goes to its end even where the client went away: a file that is whole is either recorded or gone.
    match tokio::spawn(async move { finish(&app, identity.workspace, whole, key).await }).await {
        Ok(Ok(created)) => json_text(created),
        Ok(Err(refusal)) => refusal.answer(None),
        Err(error) => answer::broken(&error),
    }
}

/// Why an upload is refused.
enum Refusal {
    Kind(String),
    TooLarge,
    Wrong(Vec<Finding>),
    BrokenOff(String),
    Silent,
    Blob(BlobError),
}

impl From<BlobError> for Refusal {
    fn from(error: BlobError) -> Self {
        Self::Blob(error)
    }
}

impl Refusal {
    fn wrong(part: &str, fault: Fault) -> Self {
        Self::Wrong(vec![of_part(part, fault)])
    }

    fn answer(self, most: Option<u64>) -> Response {
        match self {
            Self::Kind(found) => problem(&Problem::new(
                415,
                format!(
                    "An upload must be multipart/form-data with the file in the part {}, found {found}.",
                    UploadVideo::PART
                ),
            )),
            Self::TooLarge => problem(&Problem::new(
                413,
                format!("A video must not be larger than {} bytes.", most.unwrap_or_default()),
            )),
            Self::Wrong(findings) => invalid(&findings),
            Self::BrokenOff(why) => {
                problem(&Problem::new(400, format!("The form is incomplete or can't be read: {why}.")))
            }
            Self::Silent => problem(&Problem::new(408, "No data arrived for 60 seconds.")),
            Self::Blob(error) if error.is_full() => answer::full(),
            Self::Blob(error @ (BlobError::Away(_) | BlobError::Busy | BlobError::Store(_))) => storage_away(&error),
            Self::Blob(error) => answer::broken(&error),
        }
    }
}

/// A file that came whole.
struct Whole {
    arriving: Arriving,
    name: String,
    content_type: &'static str,
}

/// How many bytes a file has.
#[derive(Clone, Copy)]
struct Most {
    /// At most, by what the client says of its request, which is checked already.
    length: Option<u64>,
    /// At most, in any case.
    most: Option<u64>,
}

async fn take(app: &App, body: &mut BodyDataStream, boundary: String, most: Most) -> Result<Whole, Refusal> {
    let mut form = Multipart::new(patient(body), boundary);
    let (mut whole, mut came, mut seen, mut found) = (None, false, 0, Vec::new());
    loop {
        let field = match form.next_field().await {
            Ok(Some(field)) => field,
            // Some clients send nothing at all for a form without parts.
            Err(multer::Error::IncompleteStream) if seen == 0 => break,
            Ok(None) => break,
            // A name with U+0000 is no header (RFC 9110 §5.5).
            Err(multer::Error::ReadHeaderFailed(_) | multer::Error::DecodeHeaderValue { .. }) => {
                let why = format!("has headers that can't be read; a name {NO_NUL}");
                return Err(Refusal::wrong(UploadVideo::PART, Fault::Invalid(why)));
            }
            Err(error) => return Err(broken_off(error)),
        };
        seen += 1;
        if seen > MOST_PARTS {
            return Err(Refusal::Wrong(found));
        }
        let name = field.name().unwrap_or_default().to_owned();
        if name != UploadVideo::PART {
            found.push(of_part(&name, Fault::Undeclared));
        } else if came {
            let twice = "appears more than once; an upload contains one file";
            found.push(of_part(&name, Fault::Invalid(twice.to_owned())));
        } else {
            came = true;
            // Of a form that is refused already nothing is kept.
            if found.is_empty() {
                whole = Some(take_file(app, field, most).await?);
            }
        }
    }
    if !came {
        found.push(of_part(UploadVideo::PART, Fault::Missing));
    }
    whole.filter(|_| found.is_empty()).ok_or(Refusal::Wrong(found))
}

fn of_part(part: &str, fault: Fault) -> Finding {
    Finding { at: vec![Segment::Key(part.to_owned())], fault }
}

async fn take_file(app: &App, mut field: Field<'_>, most: Most) -> Result<Whole, Refusal> {
    let name = field.file_name().map(checks::file_name).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| "Untitled".to_owned());
    let mut head = BytesMut::new();
    while head.len() < HEAD
        && let Some(piece) = field.chunk().await.map_err(broken_off)?
    {
        head.extend_from_slice(&piece);
    }
    if head.is_empty() {
        return Err(Refusal::wrong(UploadVideo::PART, Fault::Invalid("is empty".to_owned())));
    }
    let Some(content_type) = video_type(&head) else {
        return Err(Refusal::wrong(
            UploadVideo::PART,
            Fault::Invalid("is not a video, by its leading bytes".to_owned()),
        ));
    };
    let coming = Coming { id: Uuid::new_v4(), content_type, most: most.length.or(most.most) };
    let mut arriving = app.blobs.arrive(coming).await?;
    let mut next = Some(head.freeze());
    while let Some(piece) = next {
        let size = arriving.size().saturating_add(piece.len() as u64);
        if most.most.is_some_and(|most| size > most) {
            return Err(Refusal::TooLarge);
        }
        arriving.take(piece).await?;
        next = field.chunk().await.map_err(broken_off)?;
    }
    Ok(Whole { arriving, name, content_type })
}

async fn finish(app: &App, workspace: i64, whole: Whole, key: Once) -> Result<Vec<u8>, Refusal> {
    let Whole { arriving, name, content_type } = whole;
    let size = arriving.size();
    let arrived = arriving.end().await?;
    let key = key.of::<UploadVideo>(&(&name, arrived.hash));
    let file = VideoFile { content_type: content_type.to_owned(), size, hash: FileHash::Blake3(arrived.hash) };
    let row = NewVideoRow { name, video_url: None, poster_url: None, file: Some(file) };
    Ok(app.blobs.record(&app.store, workspace, arrived, row, key).await?.answer)
}

/// The pieces of a body, each of which has to come in time.
fn patient(body: &mut BodyDataStream) -> impl Stream<Item = Result<Bytes, Broken>> + Send {
    futures_util::stream::unfold(Some((body, false)), |state| async {
        let (body, given) = state?;
        if given {
            // The reader of the form gathers for as long as there is something to gather, up to megabytes. Here it is
            // made to hand on piece by piece, in buffers small enough for the allocator to use them again.
            tokio::task::yield_now().await;
        }
        match tokio::time::timeout(SILENCE, body.next()).await {
            Err(_) => Some((Err(Broken::Silent), None)),
            Ok(None) => None,
            Ok(Some(Err(_))) => Some((Err(Broken::Off), None)),
            Ok(Some(Ok(piece))) => Some((Ok(piece), Some((body, true)))),
        }
    })
}

/// Why no more pieces come.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("no data arrived for too long")]
    Silent,
    #[error("the connection ended")]
    Off,
}

fn broken_off(error: multer::Error) -> Refusal {
    if let multer::Error::StreamReadFailed(cause) = &error
        && matches!(cause.downcast_ref(), Some(Broken::Silent))
    {
        return Refusal::Silent;
    }
    Refusal::BrokenOff(error.to_string())
}
