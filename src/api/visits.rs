//! What the page that plays a project reports: the local service's own, beside §4.

use crate::domain::Num;
use crate::shape;

shape! {
    /// `POST /play/{publishId}/visits`: with what a visit begins.
    pub struct BeginVisit {
        anonymous_id: optnull String => "anonymousId",
        /// A random text of 16 to 64 letters and digits. The same one begins the same visit, also where the answer got lost.
        key: opt String => "key",
    }
}

shape! {
    /// `POST …/visits/{session}/events`: a sign of life, with what happened.
    pub struct ReportVisit {
        events: opt Vec<VisitEvent> => "events",
        ended: opt bool => "ended",
    }
}

shape! {
    /// One event of it.
    pub struct VisitEvent {
        number: opt Num => "number",
        event_name: optnull String => "eventName",
        step_name: optnull String => "stepName",
        video_name: optnull String => "videoName",
        text: optnull String => "text",
        /// Milliseconds before it was sent.
        ago: opt Num => "ago",
    }
}

shape! {
    /// `POST …/visits/{session}/form`: what a viewer leaves.
    pub struct LeftInVisit {
        name: optnull String => "name",
        email: optnull String => "email",
        phone: optnull String => "phone",
        /// Whether they agree to what the merchant's form wants them to agree to.
        consent: optnull bool => "consent",
        /// Which text they were shown to agree to: `consent.version` of what the player plays.
        consent_version: optnull String => "consentVersion",
    }
}

shape! {
    /// `POST …/visits/{session}/purchase`: what a shop sold.
    pub struct BoughtInVisit {
        order_id: optnull String => "orderId",
        amount: optnull Num => "amount",
        currency: optnull String => "currency",
        /// The external ids of what was bought; a variant's may follow its product's behind a blank.
        products: optnull Vec<String> => "products",
    }
}
