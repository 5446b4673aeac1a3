//! Which edit fixes what a check found.

use super::alike::Alike;
use super::check::Kind;
use super::fix::Fix;
use super::known::Known;
use super::steps::{Graph, Leads};

impl Graph {
    /// The edit that fixes something, where there is one to offer.
    pub(super) fn fix(
        &self,
        kind: Kind,
        (step, port): (Option<usize>, Option<usize>),
        value: &str,
        known: &Known,
        alike: &Alike,
    ) -> Option<Fix> {
        match kind {
            Kind::Dangling => Some(Fix::Retarget { step: step?, port: port?, to: alike.only(self, value)? }),
            Kind::SameAnswer => {
                let (step, port) = (step?, port?);
                let ports = self.ports(step);
                let (text, leads) = ports.get(port).map(|answer| (answer.text.trim(), answer.leads))?;
                let alike = ports.iter().take(port).any(|other| other.text.trim() == text && other.leads == leads);
                (alike && leads != Leads::Dangling).then_some(Fix::RemoveAnswer { step, port })
            }
            Kind::NoVideo | Kind::LostVideo => Some(Fix::ChooseVideo { step: step? }),
            Kind::LateAnswers => {
                let seconds = self.node(step?)?.seconds(known)?;
                // A second is left to see them.
                Some(Fix::AnswerTime { step: step?, seconds: (seconds - 1.0).max(0.0).floor() })
            }
            Kind::MissingInOrder => Some(Fix::AddToOrder { step: step? }),
            Kind::AlienInOrder => {
                let entry = value.to_owned();
                Some(match alike.only(self, value).filter(|step| !self.is_ordered(*step)) {
                    Some(step) => Fix::ReplaceInOrder { entry, step },
                    None => Fix::RemoveFromOrder { entry },
                })
            }
            _ => None,
        }
    }
}
