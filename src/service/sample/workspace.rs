//! The sample's folders, projects, videos and webhooks, as `projects.json` has them.

use serde_json::Value;

use super::file;
use crate::domain::{FromJson, Members, Num, Reader};
use crate::service::store::{NewVideoRow, SAMPLE_SCHEME, SampleProject, SampleStep, SampleWorkspace, StoreError};

/// What a workspace begins with.
///
/// # Errors
/// Where the file in the binary is not as it should be.
pub(in crate::service) fn workspace() -> Result<SampleWorkspace, StoreError> {
    let wrong = |why: String| StoreError::Document(format!("the sample's projects: {why}"));
    let file = file("projects.json").ok_or_else(|| wrong("this program was built without them".to_owned()))?;
    let document: Value = serde_json::from_slice(file.bytes)?;
    let mut reader = Reader::default();
    let sample = read(&document, &mut reader);
    match reader.into_findings().first() {
        None => Ok(sample),
        Some(finding) => Err(wrong(finding.to_string())),
    }
}

fn read(document: &Value, reader: &mut Reader) -> SampleWorkspace {
    SampleWorkspace {
        folders: objects(document, "folders").map(|mut folder| reader.required(&mut folder, "name")).collect(),
        videos: objects(document, "videos").map(|video| read_video(video, reader)).collect(),
        projects: values(document, "projects").filter_map(|project| read_project(project, reader)).collect(),
        webhooks: objects(document, "webhooks")
            .map(|mut hook| (reader.required(&mut hook, "event"), reader.required(&mut hook, "url")))
            .collect(),
    }
}

/// The objects in an array that is a member.
fn objects<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = Members<'a>> + use<'a> {
    values(value, member).filter_map(Members::of)
}

fn values<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn read_video(mut video: Members<'_>, reader: &mut Reader) -> (String, NewVideoRow) {
    let file: String = reader.required(&mut video, "file");
    let poster = super::file(&format!("videos/{}.jpg", file.trim_end_matches(".mp4")));
    let row = NewVideoRow {
        name: reader.required(&mut video, "name"),
        video_url: Some(format!("{SAMPLE_SCHEME}videos/{file}")),
        poster_url: poster.map(|poster| format!("{SAMPLE_SCHEME}{}", poster.path)),
        file: None,
    };
    (file, row)
}

fn read_project(value: &Value, reader: &mut Reader) -> Option<SampleProject> {
    let mut project = Members::of(value)?;
    Some(SampleProject {
        name: reader.required(&mut project, "name"),
        folder: reader.optional_nullable(&mut project, "folder"),
        email_notifications: reader.required(&mut project, "emailNotifications"),
        steps_order: reader.required(&mut project, "stepsOrder"),
        visits_a_day: reader.optional_nullable(&mut project, "visitsADay").and_then(|visits: Num| visits.whole()),
        steps: objects(value, "steps").map(|step| read_step(step, reader)).collect(),
    })
}

fn read_step(mut step: Members<'_>, reader: &mut Reader) -> SampleStep {
    fn text<T: FromJson>(step: &mut Members<'_>, member: &'static str, reader: &mut Reader) -> Option<T> {
        reader.optional_nullable(step, member)
    }
    SampleStep {
        name: reader.required(&mut step, "key"),
        description: text(&mut step, "description", reader),
        overlay_text: text(&mut step, "overlayText", reader),
        video: text(&mut step, "video", reader),
        answer_time: text(&mut step, "answerTime", reader).map(|time: Num| time.0),
        answers: reader.required(&mut step, "answers"),
        products: reader.optional_nullable(&mut step, "products").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_whole() {
        let sample = workspace().unwrap();
        assert!(sample.projects.len() >= 4 && sample.folders.len() == 2 && sample.webhooks.len() == 3);
        for (_, video) in &sample.videos {
            for address in [video.video_url.as_deref(), video.poster_url.as_deref()] {
                assert!(file(address.unwrap().strip_prefix(SAMPLE_SCHEME).unwrap()).is_some(), "{address:?}");
            }
        }
        let known = |name: &str| sample.videos.iter().any(|(file, _)| file == name);
        let named = sample.projects.iter().flat_map(|project| &project.steps).filter_map(|step| step.video.as_deref());
        assert!(named.into_iter().all(known));
        let folders = sample.projects.iter().filter_map(|project| project.folder.as_ref());
        assert!(folders.into_iter().all(|folder| sample.folders.contains(folder)));
    }
}
