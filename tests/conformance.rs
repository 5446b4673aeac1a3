//! Every row of §4's tables and of the contract's section 2, over HTTP, against the real binary.

#![allow(
    clippy::too_many_lines,
    clippy::string_slice,
    clippy::large_stack_arrays,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

mod receiver;
mod serving;

use std::collections::BTreeSet;
use std::sync::Mutex;

use cutaway::api::OPERATIONS;
use receiver::Receiver;
use reqwest::header::HeaderMap;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use serving::Served;
use uuid::Uuid;

const SEARCH: &str = "/products-service/searchProductsCursor";
const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PUT: Method = Method::PUT;
const DELETE: Method = Method::DELETE;

/// The service, and which operations were asked for with success.
struct Walk {
    served: Served,
    http: reqwest::Client,
    done: Mutex<BTreeSet<&'static str>>,
}

impl Walk {
    fn start() -> Self {
        let served = Served::with(&["--allow-private-webhooks", "--max-upload", "1M"]);
        Self { served, http: reqwest::Client::new(), done: Mutex::default() }
    }

    fn asked(&self, method: &Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method.clone(), format!("{}{path}", self.served.base())).bearer_auth(self.served.key())
    }

    async fn answer(
        &self,
        method: &Method,
        path: &str,
        request: reqwest::RequestBuilder,
    ) -> (StatusCode, HeaderMap, Value) {
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        assert!(headers.contains_key("x-request-id"), "{path}");
        let body: Value = answer.json().await.unwrap();
        if status.is_success() {
            assert_eq!(headers["content-type"], "application/json", "{path}");
            let bare = path.split('?').next().unwrap();
            let row = OPERATIONS.iter().find(|row| row.method.as_str() == method.as_str() && fits(row.path, bare));
            self.done.lock().unwrap().extend(row.map(|row| row.name));
        } else {
            assert_eq!(headers["content-type"], "application/problem+json", "{path}");
            assert_eq!(body["status"], status.as_u16(), "{path}");
            assert!(["type", "title", "detail"].iter().all(|member| body[member].is_string()), "{path} {body}");
        }
        (status, headers, body)
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let mut request = self.asked(&method, path);
        if !body.is_null() {
            request = request.json(&body);
        }
        let (status, _, answer) = self.answer(&method, path, request).await;
        (status.as_u16(), answer)
    }

    async fn ok(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(method, path, body).await;
        assert_eq!(status, 200, "{path} {answer}");
        answer
    }

    async fn wrong(&self, method: Method, path: &str, body: Value, named: &[&str]) {
        let (status, answer) = self.call(method, path, body).await;
        let found: Vec<&str> =
            answer["errors"].as_array().unwrap().iter().map(|error| error["pointer"].as_str().unwrap()).collect();
        assert_eq!((status, found), (400, named.to_vec()), "{path} {answer}");
    }

    async fn search(&self, more: Value) -> Value {
        let mut ask = json!({ "appUrl": self.served.store() });
        ask.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.ok(POST, SEARCH, ask).await
    }

    async fn upload(&self, form: Form) -> (u16, Value) {
        let (status, _, answer) = self.answer(&POST, "/videos", self.asked(&POST, "/videos").multipart(form)).await;
        (status.as_u16(), answer)
    }
}

/// Whether a path is one of a row, the slash at the end aside. Words win over ids.
fn fits(row: &str, path: &str) -> bool {
    let (row, path): (Vec<&str>, Vec<&str>) =
        (row.trim_end_matches('/').split('/').collect(), path.trim_end_matches('/').split('/').collect());
    let same = |(row, path): (&&str, &&str)| row == path || (*row == "{id}" && Uuid::try_parse(path).is_ok());
    row.len() == path.len() && row.iter().zip(&path).all(same)
}

fn id(value: &Value) -> &str {
    let id = value["id"].as_str().unwrap();
    assert!(Uuid::try_parse(id).is_ok());
    id
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn video() -> Part {
    let mut bytes = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec();
    bytes.resize(10_000, 7);
    Part::bytes(bytes).file_name("tour.mp4").mime_str("video/mp4").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_is_answered() {
    let walk = Walk::start();
    credentials(&walk).await;
    catalog(&walk).await;
    cursors_and_search(&walk).await;
    identity(&walk).await;
    projects_and_folders(&walk).await;
    steps(&walk).await;
    videos(&walk).await;
    webhooks(&walk).await;
    authorization(&walk).await;
    others(&walk).await;
    let done = walk.done.into_inner().unwrap();
    let every: BTreeSet<&str> = OPERATIONS.iter().map(|row| row.name).collect();
    assert_eq!(done, every, "an operation of §4 was not walked");
}

/// §5.1, §5.6, §7: a 401 comes before everything else.
async fn credentials(walk: &Walk) {
    for row in OPERATIONS {
        let path = format!("{}{}", walk.served.base(), row.path.replace("{id}", "nobody"));
        let method: Method = row.method.as_str().parse().unwrap();
        for (method, wrong) in [(method.clone(), "unknown"), (Method::PATCH, "")] {
            let asked =
                walk.http.request(method, &path).bearer_auth(wrong).header("content-type", "text/plain").body("{");
            let answer = asked.send().await.unwrap();
            assert_eq!(answer.status(), 401, "{path}");
            assert!(answer.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
            assert_eq!(answer.headers()["content-type"], "application/problem+json");
        }
        if row.takes_app_key {
            let (method, path) = (row.method.as_str().parse().unwrap(), row.path.replace("{id}", "x"));
            assert_eq!(walk.call(method, &path, json!({ "appKey": "no" })).await.0, 401, "{path}");
        }
    }
}

/// §4.1, and the contract's rows on it.
async fn catalog(walk: &Walk) {
    let store = walk.served.store();
    let bare = walk.search(json!({ "limit": 500 })).await;
    let all =
        walk.search(json!({ "limit": 500, "include": { "media": true, "variants": true, "analysis": true } })).await;
    assert_eq!(
        (members(&bare), &bare["hasMore"], &bare["nextCursor"]),
        (vec!["products", "nextCursor", "hasMore"], &json!(false), &Value::Null)
    );
    let products = all["products"].as_array().unwrap();
    for (product, whole) in bare["products"].as_array().unwrap().iter().zip(products) {
        assert_eq!((&product["media"], &product["variants"]), (&json!([]), &json!([])));
        assert_eq!(product["mediaCount"], whole["media"].as_array().unwrap().len());
        assert_eq!(product["variantsCount"], whole["variants"].as_array().unwrap().len());
        assert!(product.get("analysis").is_none() && product.get("analysisStatus").is_none());
        assert_eq!(whole["analysisStatus"], if whole["analysis"].is_object() { "analyzed" } else { "pending" });
    }
    let stock = |product: &Value| {
        product["variants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v["inventoryQuantity"].as_i64().unwrap_or(0))
            .sum::<i64>()
    };
    let ids = |page: &Value| -> Vec<String> {
        page["products"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["externalProductId"].as_str().unwrap().to_owned())
            .collect()
    };
    let expect = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        ids(&json!({ "products": products.iter().filter(|p| keep(p)).collect::<Vec<_>>() }))
    };
    let pick = |keep: &dyn Fn(&Value) -> bool| products.iter().find(|p| keep(p)).unwrap();
    let typed = pick(&|p| p["category"].is_object() && p["variants"][0]["sku"].is_string());
    let has = |p: &Value, tag: &Value| p["tags"].as_array().unwrap().contains(tag);
    let tagged = pick(&|p| p["tags"].as_array().unwrap().len() > 1);
    let (one, two) = (&tagged["tags"][0], &tagged["tags"][1]);
    let variant = |p: &Value, member: &str| {
        p["variants"].as_array().unwrap().iter().any(|v| v[member] == typed["variants"][0][member])
    };
    let day = &typed["providerCreatedAt"].as_str().or(typed["createdAt"].as_str()).unwrap()[..10];
    let of_day = |p: &Value| p["providerCreatedAt"].as_str().or(p["createdAt"].as_str()).unwrap().starts_with(day);
    for (filters, keep) in [
        (
            json!({ "productType": [typed["productType"], "none"] }),
            &(|p: &Value| p["productType"] == typed["productType"]) as &dyn Fn(&Value) -> bool,
        ),
        (json!({ "category": [typed["category"]["gid"]] }), &|p| p["category"]["gid"] == typed["category"]["gid"]),
        (json!({ "category": [typed["category"]["name"]] }), &|p| p["category"]["name"] == typed["category"]["name"]),
        (json!({ "category": [typed["category"]["fullName"]] }), &|p| {
            p["category"]["fullName"] == typed["category"]["fullName"]
        }),
        (json!({ "tags": [one, two] }), &|p| has(p, one) || has(p, two)),
        (json!({ "tags": [one, two], "tagsMatchMode": "all" }), &|p| has(p, one) && has(p, two)),
        (json!({ "inventory": { "min": 1, "max": 40 } }), &|p| (1..=40).contains(&stock(p))),
        (json!({ "inventory": { "min": null, "max": 0 } }), &|p| stock(p) <= 0),
        (json!({ "productId": [typed["externalProductId"]] }), &|p| p["id"] == typed["id"]),
        (json!({ "variantId": [typed["variants"][0]["externalVariantId"]] }), &|p| variant(p, "externalVariantId")),
        (json!({ "sku": [typed["variants"][0]["sku"]] }), &|p| variant(p, "sku")),
        (json!({ "productName": [typed["title"].as_str().unwrap().to_uppercase()] }), &|p| {
            p["title"] == typed["title"]
        }),
        (json!({ "createdAt": { "from": day, "to": day } }), &of_day),
        (json!({ "tags": null, "inventory": null, "createdAt": { "from": null } }), &|_| true),
    ] {
        assert_eq!(ids(&walk.search(json!({ "limit": 500, "filters": filters })).await), expect(keep), "{filters}");
    }
    let published = walk.search(json!({ "limit": 500, "publishedOnly": true })).await;
    assert_eq!(ids(&published), expect(&|p| !p["publishedAt"].is_null()));
    for (sort, key) in [
        ("inventoryQuantity", &(|p: &Value| Some(json!(stock(p)))) as &dyn Fn(&Value) -> Option<Value>),
        ("providerCreatedAt", &|p| {
            p["providerCreatedAt"].as_str().map(|text| json!(text.parse::<jiff::Timestamp>().unwrap().as_microsecond()))
        }),
        ("providerUpdatedAt", &|p| {
            p["providerUpdatedAt"].as_str().map(|text| json!(text.parse::<jiff::Timestamp>().unwrap().as_microsecond()))
        }),
    ] {
        for (direction, sign) in [("asc", 1), ("desc", -1)] {
            let mut wanted: Vec<&Value> = products.iter().collect();
            // Stable: equal ones stay in the order of ids; those without come last.
            wanted.sort_by_key(|p| key(p).map_or((1, 0), |key| (0, sign * key.as_i64().unwrap())));
            let found = walk.search(json!({ "limit": 500, "sortBy": sort, "sortDirection": direction })).await;
            assert_eq!(ids(&found), ids(&json!({ "products": wanted })), "{sort} {direction}");
        }
    }
    let ask = json!({ "appUrl": store, "productId": typed["externalProductId"] });
    let got = walk.ok(POST, "/products-service/getProduct", ask.clone()).await;
    assert_eq!((&got["product"]["variants"], got["product"].get("mediaCount")), (&typed["variants"], None));
    assert_eq!(walk.ok(POST, "/products-service/getProductMedia", ask).await, typed["media"]);
    let nobody = json!({ "appUrl": store, "productId": "nobody" });
    assert_eq!(walk.ok(POST, "/products-service/getProduct", nobody).await, json!({ "product": null }));
    let with = pick(&|p| p["metafields"].get("variants").is_some());
    let skip = json!({ "appUrl": store, "productId": with["externalProductId"], "skipVariantMetafields": true });
    let skipped = walk.ok(POST, "/products-service/getProduct", skip).await;
    assert!(skipped["product"]["metafields"].get("variants").is_none());
    for (strict, total) in [(false, products.len()), (true, ids(&published).len())] {
        let count = walk.ok(POST, "/products-service/getProductsCount", json!({ "appUrl": store, "strict": strict }));
        assert_eq!(count.await, json!({ "total": total }));
    }
    let odd = json!({ "appUrl": store, "limit": 501, "sortBy": "price", "more": 1, "filters": { "sku": "x", "inventory": { "min": "1" } }, "include": { "analysis": { "analysisTimeoutMs": 0 } } });
    let (status, answer) = walk.call(POST, SEARCH, odd).await;
    let mut named: Vec<&str> =
        answer["errors"].as_array().unwrap().iter().map(|e| e["pointer"].as_str().unwrap()).collect();
    named.sort_unstable();
    assert_eq!(
        (status, named),
        (
            400,
            vec![
                "/filters/inventory/min",
                "/filters/sku",
                "/include/analysis/analysisTimeoutMs",
                "/limit",
                "/more",
                "/sortBy"
            ]
        )
    );
    for (member, value) in [
        ("limit", json!(1.5)),
        ("limit", json!(0)),
        ("limit", Value::Null),
        ("publishedOnly", Value::Null),
        ("appKey", json!("x")),
    ] {
        walk.wrong(POST, SEARCH, json!({ "appUrl": store, member: value }), &[&format!("/{member}")]).await;
    }
    walk.wrong(POST, SEARCH, json!({ "appUrl": "https://nobody.example" }), &["/appUrl"]).await;
}

async fn cursors_and_search(walk: &Walk) {
    let (mut cursor, mut seen) = (Value::Null, Vec::new());
    loop {
        let mut ask = json!({ "limit": 40 + seen.len() % 7, "sortBy": "inventoryQuantity" });
        if !cursor.is_null() {
            ask["cursor"] = cursor.clone();
        }
        let page = walk.search(ask).await;
        seen.extend(page["products"].as_array().unwrap().iter().map(|p| p["id"].as_i64().unwrap()));
        assert_eq!(page["hasMore"], page["nextCursor"].is_string());
        if page["nextCursor"].is_null() {
            break;
        }
        cursor = page["nextCursor"].clone();
    }
    assert_eq!(seen.len(), seen.iter().collect::<BTreeSet<_>>().len());
    let store = walk.served.store();
    for other in [
        json!({ "cursor": cursor }),
        json!({ "cursor": cursor, "sortBy": "inventoryQuantity", "searchTerm": "wool" }),
        json!({ "cursor": format!("{}A", cursor.as_str().unwrap()), "sortBy": "inventoryQuantity" }),
    ] {
        let mut ask = json!({ "appUrl": store });
        ask.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        walk.wrong(POST, SEARCH, ask, &["/cursor"]).await;
    }
    let found = walk.search(json!({ "searchTerm": "  SÖCK fjell " })).await;
    assert_eq!(
        (&found["products"][0]["title"], &found["products"][0]["matchedTitle"]),
        (&json!("Fjell wool sock"), &json!(true))
    );
    assert!(found["products"][0]["matchedTags"].is_boolean());
    assert_eq!(walk.search(json!({ "searchTerm": "fjell nothing-like-it" })).await["products"], json!([]));
}

/// §4.2
async fn identity(walk: &Walk) {
    let url = format!("{}/account-service/authenticateCliApiKey", walk.served.base());
    let request = walk.http.post(&url).header("x-cli-api-key", walk.served.key());
    let (status, _, token) = walk.answer(&POST, "/account-service/authenticateCliApiKey", request).await;
    assert_eq!((status.as_u16(), members(&token)), (200, vec!["accessToken", "tokenType", "expiresIn"]));
    assert_eq!((&token["tokenType"], &token["expiresIn"]), (&json!("Bearer"), &json!(3600)));
    let token = token["accessToken"].as_str().unwrap();
    let by_token = walk.http.get(format!("{}/users/me", walk.served.base())).bearer_auth(token).send().await.unwrap();
    let me = walk.ok(GET, "/users/me", Value::Null).await;
    assert_eq!(members(&me), ["id", "email", "appKey"]);
    assert_eq!(by_token.json::<Value>().await.unwrap(), me);
    let again = walk.http.post(&url).header("x-cli-api-key", token).send().await.unwrap();
    assert_eq!(again.status(), 401);
}

/// §4.3
async fn projects_and_folders(walk: &Walk) {
    let app_key = walk.ok(GET, "/users/me", Value::Null).await["appKey"].clone();
    let made = walk.ok(POST, "/projects", json!({ "project": { "name": "Walk" }, "appKey": app_key })).await;
    assert_eq!(members(&made), ["id", "cutaway"]);
    let page = walk.http.get(made["cutaway"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(
        (page.status().as_u16(), &page.headers()["content-type"]),
        (200, &"text/html; charset=utf-8".parse().unwrap())
    );
    walk.wrong(POST, "/projects", json!({ "project": { "name": "  " } }), &["/project/name"]).await;
    let path = format!("/projects/{}", id(&made));
    let read = walk.ok(GET, &path, Value::Null).await;
    assert_eq!(members(&read), ["project", "steps"]);
    let record = [
        "id",
        "name",
        "appKey",
        "owner",
        "publishId",
        "folder",
        "emailNotifications",
        "stepsOrder",
        "stepsCount",
        "createdAt",
        "updatedAt",
        "cutaway",
    ];
    assert_eq!(members(&read["project"]), record);
    assert_eq!(walk.ok(POST, &path, Value::Null).await, read);
    for list in ["/projects", "/projects/"] {
        let list = walk.ok(GET, list, Value::Null).await;
        assert!(list["projects"].as_array().unwrap().contains(&read["project"]));
    }
    let change = json!({ "name": "Walked", "emailNotifications": ["a@b.example"], "folder": "Brand new" });
    let changed = walk.ok(PUT, &path, change).await;
    assert_eq!((members(&changed), &changed["name"]), (record.to_vec(), &json!("Walked")));
    let folders = walk.ok(GET, "/projects/actions/folders", Value::Null).await;
    let folder = folders["folders"].as_array().unwrap().iter().find(|folder| folder["name"] == "Brand new").unwrap();
    assert_eq!((members(folder), &changed["folder"]), (vec!["id", "name", "createdAt"], &folder["id"]));
    assert_eq!(walk.ok(PUT, &path, json!({ "folder": "" })).await["folder"], "");
    assert_eq!(walk.ok(PUT, &path, json!({ "folder": folder["id"] })).await["folder"], folder["id"]);
    let odd = json!({ "name": "", "emailNotifications": ["nobody"], "stepsOrder": ["none"] });
    walk.wrong(PUT, &path, odd, &["/name", "/emailNotifications/0", "/stepsOrder/0"]).await;
    let other = walk.ok(POST, "/projects", json!({ "project": { "name": "Other" } })).await;
    for (path, body) in [
        ("/projects".to_owned(), json!({ "projectId": id(&made) })),
        (format!("/projects?projectId={}", id(&other)), Value::Null),
    ] {
        let gone = walk.ok(DELETE, &path, body.clone()).await;
        assert_eq!(members(&gone), ["id"]);
        assert_eq!(walk.call(DELETE, &path, body).await.0, 404);
    }
    for method in [GET, POST, PUT] {
        assert_eq!(walk.call(method, &path, json!({})).await.0, 404);
    }
}

/// §4.4
async fn steps(walk: &Walk) {
    let project = walk.ok(POST, "/projects", json!({ "project": { "name": "Steps" } })).await;
    let asset = walk.ok(POST, "/videos/video", Value::Null).await;
    let make = async |answers: Value| {
        let step = json!({ "projectId": id(&project), "description": "d", "answers": answers, "videoId": id(&asset), "overlayText": "o" });
        walk.ok(POST, "/projects/steps", json!({ "step": step })).await
    };
    let first = make(json!([])).await;
    assert_eq!(members(&first), ["id", "name"]);
    let name = first["name"].as_str().unwrap();
    assert!(name.len() == 5 && name.bytes().all(|b| b.is_ascii_alphanumeric()));
    let answers = json!([{ "text": "by name", "next": name }, { "text": "by id", "next": id(&first) }, { "text": "end", "next": "" }, { "text": "end too" }]);
    let second = make(answers.clone()).await;
    let path = format!("/projects/steps/{}", id(&second));
    let changed = walk.ok(PUT, &path, json!({ "answerTime": 2.5 })).await;
    assert_eq!(
        members(&changed),
        [
            "id",
            "name",
            "projectId",
            "description",
            "answers",
            "videoId",
            "overlayText",
            "answerTime",
            "createdAt",
            "updatedAt"
        ]
    );
    assert_eq!((&changed["answers"], &changed["answerTime"]), (&answers, &json!(2.5)));
    walk.wrong(
        PUT,
        &path,
        json!({ "answerTime": -1, "videoId": "nobody", "answers": [{ "next": "x" }] }),
        &["/answers/0/text", "/answerTime", "/videoId"],
    )
    .await;
    assert_eq!(walk.ok(PUT, &path, json!({ "videoId": "" })).await["videoId"], "");
    // The first step is the oldest, else the first of the order, which takes names and ids.
    let of_project = format!("/projects/{}", id(&project));
    let played = async || {
        let publish_id = walk.ok(GET, &of_project, Value::Null).await["project"]["publishId"].clone();
        walk.ok(GET, &format!("/play/{}/project", publish_id.as_str().unwrap()), Value::Null).await["first"].clone()
    };
    assert_eq!(played().await, first["name"]);
    let order = json!([second["id"], first["name"]]);
    assert_eq!(walk.ok(PUT, &of_project, json!({ "stepsOrder": order })).await["stepsOrder"], order);
    assert_eq!(played().await, second["name"]);
    let missing = json!({ "step": { "projectId": Uuid::new_v4().to_string() } });
    assert_eq!(walk.call(POST, "/projects/steps", missing).await.0, 404);
    assert_eq!(walk.ok(DELETE, "/projects/steps", json!({ "stepId": id(&first) })).await, json!({ "id": id(&first) }));
    let query = format!("/projects/steps?stepId={}", id(&second));
    assert_eq!(walk.ok(DELETE, &query, json!({ "stepId": id(&second) })).await, json!({ "id": id(&second) }));
    assert_eq!(walk.call(DELETE, &query, Value::Null).await.0, 404);
    assert_eq!(walk.ok(GET, &of_project, Value::Null).await["steps"], json!([]));
}

/// §4.5
async fn videos(walk: &Walk) {
    let body = json!({ "video": { "videoUrl": "https://cdn.example/a.mp4", "name": "A", "posterUrl": "https://cdn.example/a.png" } });
    let made = walk.ok(POST, "/videos/video", body).await;
    assert_eq!(members(&made), ["id", "name", "createdAt"]);
    let (status, uploaded) = walk.upload(Form::new().part("videoBlob", video())).await;
    assert_eq!(
        (status, members(&uploaded), &uploaded["name"]),
        (200, vec!["id", "name", "createdAt"], &json!("tour.mp4"))
    );
    let list = walk.ok(GET, "/videos/videos", Value::Null).await;
    let listed = list["videos"].as_array().unwrap().iter().find(|video| video["id"] == uploaded["id"]).unwrap();
    let url = listed["videoUrl"].as_str().unwrap();
    let part = walk.http.get(url).header("range", "bytes=4-7").send().await.unwrap();
    assert_eq!((part.status().as_u16(), &part.headers()["content-range"]), (206, &"bytes 4-7/10000".parse().unwrap()));
    assert_eq!(
        (&part.headers()["content-type"], part.headers().contains_key("etag")),
        (&"video/mp4".parse().unwrap(), true)
    );
    assert_eq!(part.bytes().await.unwrap(), "ftyp");
    for (form, named) in [
        (Form::new().part("videoBlob", Part::bytes(Vec::new())), vec!["/videoBlob"]),
        (Form::new().part("videoBlob", Part::bytes(b"<html>".to_vec())), vec!["/videoBlob"]),
        (Form::new().part("video", video()), vec!["/video", "/videoBlob"]),
        (Form::new().part("videoBlob", video()).text("name", "x"), vec!["/name"]),
    ] {
        let (status, answer) = walk.upload(form).await;
        let found: Vec<&str> =
            answer["errors"].as_array().unwrap().iter().map(|e| e["pointer"].as_str().unwrap()).collect();
        assert_eq!((status, found), (400, named));
    }
    assert_eq!(walk.call(POST, "/videos", json!({})).await.0, 415);
    let large = Part::bytes([b"\0\0\0\x18ftypisom".as_slice(), &[0; 2_000_000]].concat());
    assert_eq!(walk.upload(Form::new().part("videoBlob", large)).await.0, 413);
    let asset = format!("/partners/assets/{}", id(&uploaded));
    let gone = walk.ok(DELETE, &asset, Value::Null).await;
    assert_eq!(members(&gone), ["message"]);
    assert_eq!(walk.call(DELETE, &asset, Value::Null).await.0, 404);
    assert_eq!(walk.http.get(url).send().await.unwrap().status(), 404);
}

/// §4.6 and §6
async fn webhooks(walk: &Walk) {
    let receiver = Receiver::start().await;
    for event in ["response_summary", "collected_info", "conversion"] {
        let made = walk.ok(POST, "/webhooks", json!({ "event": event, "url": receiver.url })).await;
        assert_eq!(members(&made), ["id", "url", "event", "owner", "__typename", "createdAt", "updatedAt"]);
        assert_eq!((&made["event"], &made["__typename"]), (&json!(event), &json!("webhook")));
        let list = walk.ok(GET, "/webhooks", Value::Null).await;
        let listed = list.as_array().unwrap().iter().find(|webhook| webhook["id"] == made["id"]).unwrap();
        assert_eq!(members(listed), ["id", "url", "event", "owner", "createdAt", "updatedAt"]);
        let secret = walk.ok(GET, &format!("/webhooks/{}/secret", id(&made)), Value::Null).await;
        let ping = walk.asked(&POST, &format!("/webhooks/{}/ping", id(&made))).send().await.unwrap();
        assert_eq!(ping.status(), 202);
        let nth = receiver.seen().len().max(match event {
            "response_summary" => 1,
            "collected_info" => 2,
            _ => 3,
        });
        receiver.wait_for(nth).await.verify(secret["secret"].as_str().unwrap());
    }
    let before = walk.ok(GET, "/webhooks", Value::Null).await;
    let last = id(before.as_array().unwrap().last().unwrap()).to_owned();
    let path = format!("/webhooks/{last}");
    assert_eq!(walk.ok(DELETE, &path, Value::Null).await, json!({ "id": last }));
    assert_eq!(walk.call(DELETE, &path, Value::Null).await.0, 404);
    assert_eq!(walk.call(GET, &format!("{path}/deliveries"), Value::Null).await.0, 404);
    let after = walk.ok(GET, "/webhooks", Value::Null).await;
    assert_eq!(after.as_array().unwrap().len() + 1, before.as_array().unwrap().len());
    walk.wrong(POST, "/webhooks", json!({ "event": "other", "url": "ftp://x" }), &["/event", "/url"]).await;
}

/// §5.3
async fn authorization(walk: &Walk) {
    let metadata = walk.ok(GET, "/.well-known/oauth-authorization-server", Value::Null).await;
    assert_eq!(metadata["issuer"], walk.served.base());
    assert_eq!(
        (&metadata["scopes_supported"], &metadata["code_challenge_methods_supported"]),
        (&json!(["workspace"]), &json!(["S256"]))
    );
    let device = walk
        .http
        .post(metadata["device_authorization_endpoint"].as_str().unwrap())
        .form(&[("client_id", "cutaway"), ("scope", "workspace")]);
    let device: Value = device.send().await.unwrap().json().await.unwrap();
    assert!(device["user_code"].as_str().unwrap().len() == 9 && device["device_code"].is_string());
    let token = [
        ("client_id", "cutaway"),
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
        ("device_code", device["device_code"].as_str().unwrap()),
    ];
    let waiting = walk.http.post(metadata["token_endpoint"].as_str().unwrap()).form(&token).send().await.unwrap();
    assert_eq!(waiting.status(), 400);
    assert_eq!(waiting.json::<Value>().await.unwrap()["error"], "authorization_pending");
}

/// §7 and what is left of the contract.
async fn others(walk: &Walk) {
    assert_eq!(walk.call(GET, "/nowhere", Value::Null).await.0, 404);
    let path = "/webhooks";
    let (status, headers, _) = walk.answer(&PUT, path, walk.asked(&PUT, path)).await;
    assert!(status == 405 && headers["allow"].to_str().unwrap().contains("POST"));
    let text = walk.asked(&POST, "/projects").header("content-type", "text/plain").body("{}");
    assert_eq!(walk.answer(&POST, "/projects", text).await.0, 415);
    let large = walk.asked(&POST, "/projects").header("content-type", "application/json").body(" ".repeat(1_100_000));
    assert_eq!(walk.answer(&POST, "/projects", large).await.0, 413);
    let list = walk.ok(GET, "/projects/", Value::Null).await;
    let begin = format!("{}/play/{}/visits", walk.served.base(), list["projects"][0]["publishId"].as_str().unwrap());
    let limited = async {
        loop {
            let answer = walk.http.post(&begin).send().await.unwrap();
            if answer.status() == 429 {
                return answer.headers().contains_key("retry-after");
            }
            assert_eq!(answer.status(), 201);
        }
    };
    assert!(limited.await);
    let document = walk.ok(GET, "/openapi.json", Value::Null).await;
    assert_eq!((&document["openapi"], &document["info"]["version"]), (&json!("3.1.0"), &json!("1.0.0")));
    assert_eq!(walk.ok(GET, "/healthz", Value::Null).await["status"], "ok");
}
