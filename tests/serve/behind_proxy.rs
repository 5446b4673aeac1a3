//! `serve` behind a proxy, as on a host of its own: the real binary with `--public-url` and `--trusted-proxy`, and a small
//! proxy before it that does what the one in the docs does.

#![cfg(target_os = "linux")] // Elsewhere the loopback interface has one address, and all clients are one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crate::approval;
use crate::serving;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

use approval::shown;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use serving::{Served, beside, text};

/// The name under which everybody knows the service; nothing answers to it but the proxy.
const HOST: &str = "video.example.com";

/// A service behind a proxy.
struct Behind {
    served: Served,
    /// Where the proxy listens.
    proxy: SocketAddr,
    /// What the service is known by.
    public: String,
    /// Where the service itself listens.
    direct: String,
}

impl Behind {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        let public = format!("http://{HOST}:{}", proxy.port());
        let served = Served::with(&["--public-url", &public, "--trusted-proxy", "127.0.0.1/32"]);
        let direct = served.ready["local_url"].as_str().unwrap().to_owned();
        let service = direct.trim_start_matches("http://").to_owned();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let service = service.clone();
                // A line that breaks is the client's own affair.
                std::thread::spawn(move || pass_on(client, &service).unwrap_or_default());
            }
        });
        Self { served, proxy, public, direct }
    }

    /// Somebody at another address, who knows the public name.
    fn client(&self, address: &str) -> Client {
        let from: IpAddr = address.parse().unwrap();
        Client::builder().local_address(from).resolve(HOST, self.proxy).build().unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.public)
    }

    async fn get(&self, client: &Client, path: &str) -> Response {
        client.get(self.url(path)).bearer_auth(self.served.key()).send().await.unwrap()
    }

    async fn post(&self, client: &Client, path: &str, form: &[(&str, &str)]) -> Response {
        client.post(self.url(path)).form(form).send().await.unwrap()
    }

    /// Whether nothing in a text leads past the proxy.
    fn names_the_public_address(&self, said: &str, what: &str) {
        let direct = self.direct.trim_start_matches("http://");
        assert!(!said.contains(direct) && !said.contains("http://127.0.0.1"), "{what}: {said}");
    }
}

/// Passes one request on, and says in its head whose it was.
fn pass_on(client: TcpStream, service: &str) -> std::io::Result<()> {
    let peer = client.peer_addr()?.ip();
    let mut client = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 0);
    let mut known = Vec::new();
    loop {
        let mut line = String::new();
        if client.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        let (name, value) = line.trim_end().split_once(':').unwrap_or((line.trim_end(), ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "x-forwarded-for" => {
                known.push(value.trim().to_owned());
                continue;
            }
            "connection" => continue,
            _ => {}
        }
        head.push_str(&line);
    }
    known.push(peer.to_string());
    let mut body = vec![0; length];
    client.read_exact(&mut body)?;
    let mut server = TcpStream::connect(service)?;
    server.write_all(format!("{head}connection: close\r\nx-forwarded-for: {}\r\n\r\n", known.join(", ")).as_bytes())?;
    server.write_all(&body)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    client.get_mut().write_all(&answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_address_that_is_handed_out_is_the_public_one() {
    let behind = Behind::start();
    assert_eq!(behind.served.ready["base_url"], behind.public.as_str());
    assert_ne!(behind.direct, behind.public);
    let somebody = behind.client("127.0.0.7");
    let metadata: Value = behind.get(&somebody, "/.well-known/oauth-authorization-server").await.json().await.unwrap();
    assert_eq!(metadata["issuer"], behind.public.as_str());
    for (name, value) in metadata.as_object().unwrap() {
        if name.ends_with("_endpoint") {
            assert!(value.as_str().unwrap().starts_with(&behind.url("/oauth/")), "{name}: {value}");
        }
    }
    behind.names_the_public_address(&metadata.to_string(), "metadata");

    // A film that is uploaded, a project, and the description: every address in them goes by the proxy, and leads there.
    let film = [b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2".to_vec(), vec![0; 2000]].concat();
    let body = [
        b"--x\r\ncontent-disposition: form-data; name=\"videoBlob\"; filename=\"a.mp4\"\r\ncontent-type: video/mp4\r\n\r\n"
            .to_vec(),
        film,
        b"\r\n--x--\r\n".to_vec(),
    ];
    let upload = somebody.post(behind.url("/videos")).bearer_auth(behind.served.key());
    let upload = upload.header("content-type", "multipart/form-data; boundary=x").body(body.concat());
    assert_eq!(upload.send().await.unwrap().status(), 200);
    let videos = behind.get(&somebody, "/videos/videos").await.text().await.unwrap();
    behind.names_the_public_address(&videos, "videos");
    let listed: Value = serde_json::from_str(&videos).unwrap();
    let is_ours = |video: &&Value| video["videoUrl"].as_str().is_some_and(|url| url.starts_with(&behind.public));
    let ours = listed["videos"].as_array().unwrap().iter().find(is_ours).unwrap();
    assert_eq!(somebody.get(ours["videoUrl"].as_str().unwrap()).send().await.unwrap().status(), 200);
    let projects = behind.get(&somebody, "/projects/").await.text().await.unwrap();
    behind.names_the_public_address(&projects, "projects");
    let listed: Value = serde_json::from_str(&projects).unwrap();
    let publish = listed["projects"][0]["publishId"].as_str().unwrap();
    assert!(projects.contains(&behind.url("/play/")), "{projects}");
    for path in ["/openapi.json".to_owned(), format!("/play/{publish}")] {
        let answer = behind.get(&somebody, &path).await;
        assert_eq!(answer.status(), 200, "{path}");
        behind.names_the_public_address(&answer.text().await.unwrap(), &path);
    }
    let refused = somebody.get(behind.url("/projects/")).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    behind.names_the_public_address(&format!("{:?}", refused.headers()), "a refusal");
    // Who asks under another name is told nothing of it.
    let other = somebody.get(behind.url("/projects/")).header("host", "evil.example").send().await.unwrap();
    assert_eq!(other.status(), 421);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_is_let_in_on_the_public_pages() {
    let behind = Behind::start();
    let (device, owner) = (behind.client("127.0.0.11"), behind.client("127.0.0.12"));
    let form = [("client_id", "cutaway"), ("scope", "workspace")];
    let asked: Value = behind.post(&device, "/oauth/device_authorization", &form).await.json().await.unwrap();
    let (user_code, device_code) = (asked["user_code"].as_str().unwrap(), asked["device_code"].as_str().unwrap());
    assert_eq!(asked["verification_uri"], behind.url("/oauth/device"));
    assert!(asked["verification_uri_complete"].as_str().unwrap().starts_with(&behind.url("/oauth/device?")));
    let page = owner.get(asked["verification_uri"].as_str().unwrap()).send().await.unwrap();
    let (ticket, cookie) = shown(page).await;
    let answer = |ticket: String, cookie: String, origin: String, fields: Vec<(&'static str, String)>| {
        let mut form = vec![("state_token", ticket)];
        form.extend(fields);
        let post = owner.post(behind.url("/oauth/device")).header("cookie", cookie).header("origin", origin);
        async move { post.form(&form).send().await.unwrap() }
    };
    let code = vec![("user_code", user_code.to_owned())];
    // A page of another site, which knows the code, gets nowhere.
    let foreign = answer(ticket.clone(), cookie.clone(), "https://evil.example".to_owned(), code.clone()).await;
    assert_eq!(foreign.status(), 403);
    let page = answer(ticket, cookie, behind.public.clone(), code).await;
    assert_eq!(page.status(), 200);
    let cookie = page.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let page = page.text().await.unwrap();
    // It names the device's address and not the proxy's.
    assert!(page.contains("127.0.0.11") && !page.contains("127.0.0.1<") && !page.contains("127.0.0.12"), "{page}");
    behind.names_the_public_address(&page.replace("127.0.0.11", ""), "the page");
    let ticket = page.split("name=\"state_token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let fields = vec![("api_key", behind.served.key().to_owned()), ("decision", "approve".to_owned())];
    assert_eq!(answer(ticket, cookie, behind.public.clone(), fields).await.status(), 200);
    let grant = "urn:ietf:params:oauth:grant-type:device_code";
    let form = [("grant_type", grant), ("client_id", "cutaway"), ("device_code", device_code)];
    let token: Value = behind.post(&device, "/oauth/token", &form).await.json().await.unwrap();
    let access = token["access_token"].as_str().unwrap();
    let me = device.get(behind.url("/users/me")).bearer_auth(access).send().await.unwrap();
    assert_eq!(me.status(), 200, "{token}");

    // Writes are in the audit log with the client's address.
    let project = json!({ "project": { "name": "By a device" } });
    let made = device.post(behind.url("/projects")).bearer_auth(access).json(&project).send().await.unwrap();
    assert_eq!(made.status(), 200);
    let data = behind.served.home.path().join("served");
    let audit = beside(behind.served.home.path(), &data, &["audit", "--json"]).output().unwrap();
    let audit: Value = serde_json::from_str(text(&audit.stdout)).unwrap();
    let made = audit["entries"].as_array().unwrap().iter().find(|entry| entry["action"] == "POST /projects").unwrap();
    assert_eq!(made["clientAddress"], "127.0.0.11", "{made}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_count_the_address_that_the_trusted_proxy_names_and_no_other() {
    let behind = Behind::start();
    let guess = async |client: &Client, base: &str, claims: &str| {
        let form = [("client_id", "cutaway"), ("token", "guess")];
        let asked = client.post(format!("{base}/oauth/revoke")).header("x-forwarded-for", claims).form(&form);
        asked.send().await.unwrap().status().as_u16()
    };
    let limited = async |client: &Client, base: &str| {
        for nth in 0..=255 {
            // Whatever a client says of itself counts for nothing.
            if guess(client, base, &format!("198.51.100.{nth}")).await == 429 {
                return;
            }
        }
        panic!("it is never slowed");
    };
    // One behind the proxy asks too often: the others behind it don't notice.
    let (guesser, other) = (behind.client("127.0.0.21"), behind.client("127.0.0.22"));
    limited(&guesser, &behind.public).await;
    assert_eq!(guess(&guesser, &behind.public, "127.0.0.22").await, 429);
    assert_eq!(guess(&other, &behind.public, "127.0.0.21").await, 200);
    // One who comes past the proxy is not believed either, and is blamed by the address that they come from.
    let past = Client::builder().local_address("127.0.0.31".parse::<IpAddr>().unwrap()).build().unwrap();
    limited(&past, &behind.direct).await;
    assert_eq!(guess(&past, &behind.direct, "127.0.0.22").await, 429);
    assert_eq!(guess(&other, &behind.public, "127.0.0.31").await, 200);
}
