//! What was said on the wire, as a support person looks at it.

use serde_json::Value;

use crate::service::Service;

#[test]
fn every_exchange_is_there_without_its_secrets() {
    let service = Service::of(300);
    let mut studio = service.studio().size(160, 40).open();
    studio.shows("300 products").keys("/cap").shows("found").keys("\r");
    studio.keys("6").shows("Inspector").shows("/products-service/searchProductsCursor").shows("authenticateCliApiKey");
    // The exchange of the key, whole: what is secret in it is not there.
    studio.keys("/authenticate").shows("1 of ").keys("\r\r");
    studio.shows("POST /account-service/authenticateCliApiKey 200").shows("accessToken: \"[taken out]\"");
    studio.keys("/cli-api").shows("x-cli-api-key: \"[taken out]\"").keys("\x1b\x1b").hides("accessToken");
    // One search held against another.
    studio.keys("\x1b").keys("/searchproducts").keys("\r").keys("G").keys(" ").shows("●").keys("g").keys("d");
    studio.shows("From ").shows("- products").keys("\x1b").hides("- products");
    studio.keys("a").shows("Sent again");
    studio.keys("F").shows("everything was as the specification has it").keys("\x1b");
    studio.keys("y").shows("curl").keys("\r");
    let curl = studio.copied("curl -sS");
    assert!(curl.contains("Bearer $CUTAWAY_API_KEY") && !curl.contains(service.api_key()));
    studio.keys("e").shows("Save as an HTTP archive").keys("\r").shows("Saved to");
    let saved = std::fs::read_to_string(studio.home().join("cutaway.har")).unwrap();
    let archive: Value = serde_json::from_str(&saved).unwrap();
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert!(entries.len() >= 3 && entries.iter().all(|entry| entry["_operation"] == "searchProductsCursor"));
    assert!(!saved.contains(service.api_key()));
    studio.quit();
}
