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
    studio.keys("\x1b").keys("/searchproducts").keys("\r").keys("G").keys(" ").shows("●").keys("g").keys("=");
    studio.shows("From ").shows("- products").keys("\x1b").hides("- products");
    studio.keys("a").shows("Sent again");
    studio.keys("~").shows("match the API specification").keys("\x1b");
    studio.keys("y").shows("curl").keys("\r");
    let curl = studio.copied("curl -sS");
    // A text of this length is shown as well, for who has to copy it by hand.
    studio.shows("Sent to your terminal").keys("\x1b").hides("Sent to your terminal");
    assert!(curl.contains("Bearer $CUTAWAY_API_KEY") && !curl.contains(service.api_key()));
    studio.keys("e").shows("Save as a HAR file").keys("\r").shows("Saved to");
    let saved = std::fs::read_to_string(studio.home().join("cutaway.har")).unwrap();
    let archive: Value = serde_json::from_str(&saved).unwrap();
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert!(entries.len() >= 3 && entries.iter().all(|entry| entry["_operation"] == "searchProductsCursor"));
    assert!(!saved.contains(service.api_key()));
    // A name as a person types it: their home is meant, not a folder of that name.
    studio.keys("e").shows("Save as a HAR file").keys("\x15~/mine.har\r").shows("mine.har.");
    assert!(studio.home().join("mine.har").exists() && !studio.home().join("~").exists());
    // The archive for support has this studio's own exchanges; what is in it is listed before it is written.
    studio
        .keys("\x13")
        .shows("Save support bundle as")
        .keys("\r")
        .shows("will contain, without secrets")
        .shows("exchanges.har");
    studio.shows("studio.json").keys("\r").hides("will contain");
    let bundle = studio.home().join("cutaway-support.tar");
    assert!(!bundle.exists());
    studio.keys("\x13").shows("Save support bundle as").keys("\r").shows("exchanges.har").keys("3");
    studio.until("the archive", |_| bundle.exists());
    let mut archive = tar::Archive::new(std::fs::File::open(&bundle).unwrap());
    let mut members = std::collections::BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        let name = entry.path().unwrap().display().to_string();
        std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
        assert!(!text.contains(service.api_key()) && !text.contains("owner@cutaway.local"), "{name}");
        members.insert(name, text);
    }
    let har: Value = serde_json::from_str(&members["cutaway-doctor/exchanges.har"]).unwrap();
    let said = har["log"]["entries"].as_array().unwrap();
    assert!(said.iter().any(|entry| entry["_operation"] == "authenticateCliApiKey"));
    let about: Value = serde_json::from_str(&members["cutaway-doctor/studio.json"]).unwrap();
    assert_eq!((&about["connection"], &about["screen"]), (&"ready".into(), &"Inspector".into()));
    assert!(about["notices"].to_string().contains("cutaway.har"));
    studio.quit();
}
