//! What the random requests do beside the catalog and what is made of it: visits and what is heard of them, files of videos,
//! keys, and products by themselves.

use cutaway::service::offline;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{Dice, Made, Pair, SAMPLE, Side, last};

/// Members of a delivery that tell how far the attempts are, which are made meanwhile, that were drawn by dice, and that tell
/// how long something took.
const OF_THE_MOMENT: [&str; 8] =
    ["state", "attempts", "nextAt", "attemptedAt", "status", "error", "messageId", "responseBody"];

/// Takes out what depends on the moment.
pub(super) fn even_out(members: &mut Map<String, Value>) {
    if let Some(time) = members.get_mut("sessionTime") {
        *time = Value::Null;
    }
    if members.contains_key("webhookId") {
        for member in OF_THE_MOMENT {
            members.insert(member.to_owned(), Value::Null);
        }
    }
}

/// One of them, or a few that belong together.
pub(super) async fn step(pair: &mut Pair, dice: &mut Dice, made: &mut Made) -> Result<(), String> {
    match dice.below(10) {
        0..=2 => begin(pair, dice, made).await,
        3 | 4 => happen(pair, dice, made).await,
        5 => {
            let Some(project) = quiz(pair).await? else { return Ok(()) };
            let path =
                *dice.one(&["/projects/{id}/funnel", "/projects/{id}/funnel?days=7", "/projects/{id}/funnel?days=0"]);
            pair.about(Method::GET, path, &project, None).await
        }
        6 => {
            let Some(ids) = last(dice, &made.webhooks) else { return Ok(()) };
            pair.about(Method::GET, "/webhooks/{id}/deliveries", &ids, None).await?;
            pair.both(Method::GET, "/webhooks", None).await.map(drop)
        }
        7 => upload(pair, dice, made).await,
        8 => {
            let id = dice.one(&made.products)["externalProductId"].clone();
            let id = if dice.chance(4) { json!("none") } else { id };
            let path = *dice.one(&["/products-service/getProduct", "/products-service/getProductMedia"]);
            pair.both(Method::POST, path, Some(&json!({ "appUrl": SAMPLE, "productId": id }))).await.map(drop)
        }
        _ => keys(pair, dice).await,
    }
}

/// The sample's quiz, which is there on both sides under one id.
async fn quiz(pair: &mut Pair) -> Result<Option<[String; 2]>, String> {
    let [listed, _] = pair.both(Method::GET, "/projects/", None).await?;
    let found = listed["projects"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "Gift finder"));
    Ok(found.and_then(|one| one["id"].as_str()).map(|id| [id.to_owned(), id.to_owned()]))
}

async fn begin(pair: &mut Pair, dice: &mut Dice, made: &mut Made) -> Result<(), String> {
    let [listed, _] = pair.both(Method::GET, "/projects/", None).await?;
    let found = listed["projects"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "Gift finder"));
    let Some(publish) = found.and_then(|one| one["publishId"].as_str()) else { return Ok(()) };
    let body = json!({ "anonymousId": format!("viewer {}", dice.below(3)) });
    let path = if dice.chance(8) { "/play/none/visits".to_owned() } else { format!("/play/{publish}/visits") };
    let answers = pair.both(Method::POST, &path, Some(&body)).await?;
    if let [Some(one), Some(other)] = answers.each_ref().map(|answer| answer["sessionId"].as_str()) {
        made.visits.push([one, other].map(|session| format!("{path}/{session}")));
    }
    Ok(())
}

/// Something happens in a visit that was begun.
async fn happen(pair: &mut Pair, dice: &mut Dice, made: &Made) -> Result<(), String> {
    let Some(visit) = last(dice, &made.visits) else { return Ok(()) };
    let event = |dice: &mut Dice| {
        json!({
            "number": dice.below(4), "eventName": *dice.one(&["step_seen", "answer_chosen", "completed", "odd"]),
            "stepName": *dice.one(&["pHB58", "other"]), "videoName": "welcome.mp4", "text": *dice.one(&["For her", "Ü"]),
        })
    };
    let (what, body) = match dice.below(4) {
        0 => ("purchase", json!({ "orderId": format!("{}", dice.below(3)), "total": 12.5, "currency": "SEK" })),
        1 => ("form", json!({ "name": "Ada", "email": "ada@example.com", "agreed": true })),
        _ => {
            let events: Vec<Value> = (0..dice.below(3)).map(|_| event(dice)).collect();
            ("events", json!({ "events": events, "ended": dice.chance(3) }))
        }
    };
    pair.about(Method::POST, &format!("{{id}}/{what}"), &visit, Some(&body)).await
}

async fn upload(pair: &mut Pair, dice: &mut Dice, made: &mut Made) -> Result<(), String> {
    // What a file of video begins with; without it, or without a name of one, it is refused.
    let mut bytes = if dice.chance(4) { Vec::new() } else { b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec() };
    bytes.resize(64 + usize::try_from(dice.below(5_000)).unwrap(), 7);
    let name = *dice.one(&["tour.mp4", "Ü.webm", "notes.txt"]);
    let sent = |side: &Side| {
        let part = reqwest::multipart::Part::bytes(bytes.clone()).file_name(name);
        let asked = side.http.post(format!("{}/videos", side.running.base_url())).bearer_auth(&side.key);
        asked.multipart(reqwest::multipart::Form::new().part("videoBlob", part))
    };
    let (one, other) = (sent(&pair.folder), sent(&pair.postgres));
    let (one, other) = tokio::join!(pair.folder.answered(one), pair.postgres.answered(other));
    if one.compared != other.compared {
        return Err(format!("upload of {name}: {}\n{}", one.compared, other.compared));
    }
    if let (Some(one), Some(other)) = (one.value["id"].as_str(), other.value["id"].as_str()) {
        made.videos.push([one.to_owned(), other.to_owned()]);
        pair.about(Method::GET, "/videos/files/{id}", &[one.to_owned(), other.to_owned()], None).await?;
    }
    Ok(())
}

/// Keys are made and revoked beside the service; each is good at once, or no more.
async fn keys(pair: &mut Pair, dice: &mut Dice) -> Result<(), String> {
    let name = format!("key {}", dice.below(3));
    let revokes = dice.chance(2);
    let done = async |side: &Side| {
        if revokes {
            let ended = offline::revoke_key(side.kept.clone(), &name).await;
            // Where several have that name, their ids follow.
            let said = |error: cutaway::service::ServiceError| error.to_string().split(';').next().map(str::to_owned);
            return format!("{:?}", ended.map(|_| ()).map_err(said));
        }
        let new = offline::NewKey { name: Some(name.clone()), ..offline::NewKey::default() };
        let Ok(key) = offline::add_key(side.kept.clone(), new).await else { return "refused".to_owned() };
        let asked = side.http.get(format!("{}/users/me", side.running.base_url())).bearer_auth(key.expose());
        format!("{} {key:?}", asked.send().await.unwrap().status())
    };
    let listed = async |side: &Side| {
        let keys = offline::keys(side.kept.clone()).await.unwrap();
        format!("{:?}", keys.into_iter().map(|key| (key.name, key.scope, key.expired)).collect::<Vec<_>>())
    };
    let (one, other) = tokio::join!(done(&pair.folder), done(&pair.postgres));
    let (one, other) = (one + &listed(&pair.folder).await, other + &listed(&pair.postgres).await);
    if one == other { Ok(()) } else { Err(format!("{name}, revoked: {revokes}: {one}\n{other}")) }
}
