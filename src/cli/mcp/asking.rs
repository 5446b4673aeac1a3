//! What customers see is changed only after the person was asked: on a live profile, through the agent's own program. One
//! that can't ask gets a refusal.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Whom to ask, and about what.
pub(super) struct Asking {
    /// The name of the live profile.
    profile: String,
    /// Questions that were not answered yet, the newest last: what each is known by, and the call that it is about. An answer
    /// is for one call.
    open: Mutex<VecDeque<(String, Call)>>,
}

/// A tool and its arguments, as a digest.
type Call = [u8; 32];

/// So many questions are kept; an answer to an older one is asked for again.
const MOST_OPEN: usize = 100;

/// What came of asking.
pub(super) enum Asked {
    /// The person agreed.
    Agreed,
    /// The agent's program has to ask, and to call again with the answer.
    Ask(Box<InputRequiredResult>),
    /// Not to be done, and why.
    Refused(String),
}

/// Under what the question and its answer stand.
const QUESTION: &str = "confirm";

impl Asking {
    /// For a live profile.
    pub(super) fn new(profile: &str) -> Self {
        Self { profile: profile.to_owned(), open: Mutex::default() }
    }

    /// Why nobody can be asked, if so.
    pub(super) fn refusal(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let capabilities = context.client_capabilities();
        let can = capabilities.and_then(|capabilities| capabilities.elicitation);
        // Where neither kind is named, forms are meant (2025-06-18).
        let asks = can.is_some_and(|can| can.form.is_some() || can.url.is_none());
        (!asks).then(|| {
            format!(
                "{} is live, and this client can't ask the person for confirmation (elicitation); nothing was changed",
                self.profile
            )
        })
    }

    /// Asks whether a tool may be called so. `about`: the lines that say what it is called with.
    pub(super) async fn ask(
        &self,
        request: &CallToolRequestParams,
        about: &str,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        let question = self.question(&request.name, about);
        let since = ProtocolVersion::V_2026_07_28;
        if context.protocol_version().is_some_and(|version| version.as_str() >= since.as_str()) {
            return self.by_retry(request, question);
        }
        match by_request(question, context).await {
            Ok(asked) => asked,
            Err(error) => Asked::Refused(format!("the person couldn't be asked: {error}; nothing was changed")),
        }
    }

    /// Since 2026-07-28 a server asks by its answer, and is called again.
    fn by_retry(&self, request: &CallToolRequestParams, question: ElicitRequestParams) -> Asked {
        let call = call(request);
        let said = request.input_responses.as_ref().and_then(|responses| responses.get(QUESTION));
        let Some(said) = said.filter(|_| self.is_answered(request.request_state.as_deref(), &call)) else {
            let Ok(state) = self.asked(call) else {
                return Asked::Refused("there are no random numbers to be had; nothing was changed".to_owned());
            };
            let question = InputRequest::Elicitation(ElicitRequest::new(question));
            let asked = InputRequests::from([(QUESTION.to_owned(), question)]);
            return Asked::Ask(Box::new(InputRequiredResult::new(Some(asked), Some(state))));
        };
        match serde_json::from_value::<ElicitResult>(said.clone()) {
            Ok(answer) => decided(&answer),
            Err(_) => Asked::Refused("the answer can't be read; nothing was changed".to_owned()),
        }
    }

    /// Whether the question that is known so is about this call, and was not answered before.
    fn is_answered(&self, state: Option<&str>, call: &Call) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(known, of)| Some(known.as_str()) == state && of == call);
        at.and_then(|at| open.remove(at)).is_some()
    }

    /// Keeps that it is asked about this call; what the question is known by.
    fn asked(&self, call: Call) -> Result<String, getrandom::Error> {
        let mut state = [0; 16];
        getrandom::fill(&mut state)?;
        let state = crate::uploads::hex(&state);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((state.clone(), call));
        if open.len() > MOST_OPEN {
            open.pop_front();
        }
        Ok(state)
    }

    fn question(&self, tool: &str, about: &str) -> ElicitRequestParams {
        let message = format!("{} is live. Let the agent call {tool}?\n{about}", self.profile);
        // Agreeing is the whole answer.
        let requested_schema = ElicitationSchema::builder().build_unchecked();
        ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
    }
}

/// Before 2026-07-28 a server asks by a request of its own, which it takes back where the call is canceled.
async fn by_request(
    question: ElicitRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Asked, ServiceError> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
    let asked = context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
    let id = asked.id.clone();
    tokio::select! {
        // Where both have come, it was canceled.
        biased;
        () = context.ct.cancelled() => {
            let why = Some("the call was canceled".to_owned());
            context.peer.notify_cancelled(CancelledNotificationParam::new(Some(id), why)).await?;
            Ok(Asked::Refused("canceled; nothing was changed".to_owned()))
        }
        answer = asked.await_response() => match answer? {
            ClientResult::ElicitResult(answer) => Ok(decided(&answer)),
            _ => Err(ServiceError::UnexpectedResponse),
        },
    }
}

/// What ties an answer to a call: another tool, or other arguments, are asked about again.
fn call(request: &CallToolRequestParams) -> Call {
    Sha256::digest(json!([request.name, request.arguments]).to_string()).into()
}

fn decided(answer: &ElicitResult) -> Asked {
    match answer.action {
        ElicitationAction::Accept => Asked::Agreed,
        ElicitationAction::Decline => Asked::Refused("the person refused; nothing was changed".to_owned()),
        _ => Asked::Refused("the person gave no answer; nothing was changed".to_owned()),
    }
}
