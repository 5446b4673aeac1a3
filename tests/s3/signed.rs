//! Requests to S3 signed with AWS Signature Version 4, without a hash of what they carry.

use cutaway::uploads::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::{Method, RequestBuilder, Url};
use sha2::{Digest as _, Sha256};

/// Of what is sent, where its hash isn't said.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";
const REGION: &str = "us-east-1";

/// Who signs: an id and its secret.
#[derive(Clone, Copy)]
pub struct Key {
    /// What names it.
    pub id: &'static str,
    /// What signs.
    pub secret: &'static str,
}

fn signed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

impl Key {
    /// A request with its signature.
    pub fn sign(self, method: &Method, url: &Url, asked: RequestBuilder) -> RequestBuilder {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let (day, _) = now.split_once('T').unwrap();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", url.host_str().unwrap());
        let mut query: Vec<String> = url.query_pairs().map(|(name, value)| format!("{name}={value}")).collect();
        query.sort();
        let names = "host;x-amz-content-sha256;x-amz-date";
        let headers = format!("host:{host}\nx-amz-content-sha256:{UNSIGNED}\nx-amz-date:{now}\n");
        let canonical = format!("{method}\n{}\n{}\n{headers}\n{names}\n{UNSIGNED}", url.path(), query.join("&"));
        let scope = format!("{day}/{REGION}/s3/aws4_request");
        let text = format!("AWS4-HMAC-SHA256\n{now}\n{scope}\n{}", hex(&Sha256::digest(canonical.as_bytes())));
        let first = format!("AWS4{}", self.secret).into_bytes();
        let with = [day, REGION, "s3", "aws4_request"].into_iter().fold(first, |key, text| signed(&key, text));
        let signature = hex(&signed(&with, &text));
        let credential = format!("{}/{scope}", self.id);
        asked.header("x-amz-content-sha256", UNSIGNED).header("x-amz-date", now).header(
            "authorization",
            format!("AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}"),
        )
    }
}
