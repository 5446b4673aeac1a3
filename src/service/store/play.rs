//! What the player page plays: a project as its viewers may see it, every way resolved.

use std::collections::HashMap;

use serde::Serialize;

use super::SAMPLE_SCHEME;
use super::captions::{self, PlayedCaptions};
use super::db::{self, Connection, OptionalExtension as _};
use super::videos::sample_address;
use super::{Store, StoreError, funnel, player_settings};
use crate::domain::{Num, PlayerSettings};
use crate::service::address::POSTER_WIDTHS;

/// A project as its viewers see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    /// Its name, the playlist of §6.
    pub name: String,
    /// What the player's address names it by.
    pub publish_id: String,
    /// Whether viewers are asked for something at the end.
    pub form: bool,
    /// What they are asked for; nothing where there is no form.
    pub form_fields: Vec<&'static str>,
    /// What they have to agree to before that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// The player's settings. The page has them already.
    #[serde(skip)]
    pub settings: PlayerSettings,
    /// The origins whose pages may embed the player; all where nothing is said. Not for viewers.
    #[serde(skip)]
    pub embed: Option<Vec<String>>,
    /// The name of the first step; nothing where there are no steps.
    pub first: Option<String>,
    /// The steps, in the order in which they were made.
    pub steps: Vec<PlayedStep>,
}

/// A text that viewers have to agree to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consent {
    /// The merchant's words.
    pub text: String,
    /// What tells them from any other: it is sent with the form.
    pub version: String,
}

impl Consent {
    fn of(text: &str) -> Self {
        Self { text: text.to_owned(), version: player_settings::consent_version(text) }
    }
}

/// A step as its viewers see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayedStep {
    /// Its name.
    pub name: String,
    /// What it is called.
    pub title: Option<String>,
    /// The text over the video.
    pub overlay_text: Option<String>,
    /// Seconds from the video's start at which the answers appear; 0 where nothing is set, as the step's record says.
    pub answer_time: Num,
    /// The video; nothing where none is set or it was deleted.
    pub video: Option<PlayedVideo>,
    /// How many products it shows; what they are is asked for when the step is shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub products: u32,
    /// The ways on.
    pub answers: Vec<PlayedAnswer>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks that way")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A video as its viewers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayedVideo {
    /// Its name.
    pub name: String,
    /// Where it is; nothing where only its id is reserved.
    pub url: Option<String>,
    /// The picture before it.
    pub poster: Option<String>,
    /// The widths in which the picture is there, too, as `?width=`, pixels.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    pub poster_widths: &'static [u32],
    /// What is said in it, by language.
    pub captions: Vec<PlayedCaptions>,
}

/// An answer as its viewers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayedAnswer {
    /// Its text.
    pub text: String,
    /// The name of the step that it leads to; nothing where it ends the video.
    pub next: Option<String>,
    /// It is to lead somewhere, and there is no such step.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dangling: bool,
}

const PROJECT: &str = "SELECT project.number, project.name, project.steps_order, workspace.player_form,
    workspace.player_embed, project.player
    FROM project JOIN workspace ON workspace.id = project.workspace WHERE project.publish_id = ?1";

const STEPS: &str =
    "SELECT step.id, step.name, step.description, step.overlay_text, coalesce(step.answer_time, 0), step.answers,
    video.id, video.name, video.video_url, video.poster_url, video.size IS NOT NULL,
    json_array_length(step.products)
    FROM step JOIN project ON project.number = step.project
    LEFT JOIN video ON video.id = step.video AND video.workspace = project.workspace
    WHERE step.project = ?1 ORDER BY step.number";

fn steps(
    connection: &Connection,
    project: i64,
    base_url: &str,
) -> Result<Vec<(String, PlayedStep, String)>, StoreError> {
    let mut statement = connection.prepare_cached(STEPS)?;
    let rows = statement.query_map([project], |row| {
        let video = match row.get::<Option<String>>(6)? {
            None => None,
            Some(id) => {
                let (url, poster): (Option<String>, Option<String>) = (row.get(8)?, row.get(9)?);
                let file = row.get::<bool>(10)?.then(|| crate::service::address::video_file(base_url, &id));
                // Others' pictures are theirs to make smaller.
                let own = poster.as_ref().is_some_and(|url| url.starts_with(SAMPLE_SCHEME));
                let captions = captions::played(connection, &id, base_url);
                Some(PlayedVideo {
                    captions: captions.map_err(|error| db::Error::Other(error.into()))?,
                    name: row.get(7)?,
                    url: url.map(|url| sample_address(&url, base_url)).or(file),
                    poster_widths: if own { &POSTER_WIDTHS } else { &[] },
                    poster: poster.map(|url| sample_address(&url, base_url)),
                })
            }
        };
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let step = PlayedStep {
            name: row.get(1)?,
            title: filled(row.get(2)?),
            overlay_text: filled(row.get(3)?),
            answer_time: Num(row.get(4)?),
            video,
            products: row.get(11)?,
            answers: Vec::new(),
        };
        Ok((row.get(0)?, step, row.get(5)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Store {
    /// The project of this publish id; nothing where there is none.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn played(&self, publish_id: String, base_url: String) -> Result<Option<Played>, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let found = transaction
                    .prepare_cached(PROJECT)?
                    .query_row([&publish_id], |row| {
                        let order: String = row.get(2)?;
                        let embed: Option<String> = row.get(4)?;
                        Ok((row.get(0)?, row.get(1)?, order, row.get(3)?, embed, row.get::<String>(5)?))
                    })
                    .optional()?;
                let Some((number, name, order, form, embed, settings)) = found else { return Ok(None) };
                let settings = player_settings::read(&settings)?;
                let everyone = || embed.map(|embed| serde_json::from_str(&embed)).transpose();
                let embed = settings.embed_origins.clone().map_or_else(everyone, |own| Ok(Some(own)))?;
                let form_fields = player_settings::fields(&settings, form);
                let rows = steps(&transaction, number, &base_url)?;
                // A step is named by its name or by its id (the name first, where one is another's id).
                let mut names: HashMap<&str, &str> = HashMap::new();
                for (id, step, _) in &rows {
                    names.entry(id).or_insert(&step.name);
                }
                for (_, step, _) in &rows {
                    names.insert(&step.name, &step.name);
                }
                let resolved = |next: &str| names.get(next).map(|name| (*name).to_owned());
                let order: Vec<String> = serde_json::from_str(&order)?;
                let first = order.iter().find_map(|next| resolved(next));
                let first = first.or_else(|| rows.first().map(|(_, step, _)| step.name.clone()));
                let mut played = Vec::with_capacity(rows.len());
                for (_, step, answers) in &rows {
                    let answers = funnel::answers_of(answers)?.into_iter().map(|(text, next)| {
                        let wanted = next.filter(|next| !next.is_empty());
                        let next = wanted.as_deref().and_then(resolved);
                        PlayedAnswer { text, dangling: wanted.is_some() && next.is_none(), next }
                    });
                    played.push(PlayedStep { answers: answers.collect(), ..step.clone() });
                }
                let form = !form_fields.is_empty();
                let consent = settings.consent_text.as_deref().filter(|_| form).map(Consent::of);
                Ok(Some(Played { name, publish_id, form, form_fields, consent, settings, embed, first, steps: played }))
            })
            .await
    }

    /// Whether the viewers of a workspace's projects are asked for name and address.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn set_player_form(&self, workspace: i64, on: bool) -> Result<(), StoreError> {
        self.write(move |transaction| {
            transaction.execute("UPDATE workspace SET player_form = ?2 WHERE id = ?1", (workspace, on))?;
            Ok(())
        })
        .await
    }
}
