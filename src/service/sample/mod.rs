//! What a workspace begins with: the sample store, and catalogs made up in any size.

mod import;
mod synthetic;
mod vocabulary;
mod workspace;

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;

pub use import::{ImportError, import};
pub use synthetic::{SYNTHETIC_URL, synthetic};
pub(super) use workspace::workspace;

use super::store::{NewProduct, NewStore, StoreError};
use crate::domain::{Analysis, Product, Reader, StoreUrl};

/// A file of the sample store.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleFile {
    /// Below the sample's folder.
    pub(super) path: &'static str,
    /// Its entity tag, quoted.
    pub(super) etag: &'static str,
    pub(super) bytes: &'static [u8],
}

/// Sorted by path; written by `build.rs`.
static FILES: &[SampleFile] = include!(concat!(env!("OUT_DIR"), "/sample_files.rs"));

impl SampleFile {
    /// Its media type.
    pub(super) fn content_type(&self) -> &'static str {
        match self.path.rsplit_once('.').map(|(_, kind)| kind) {
            Some("jpg") => "image/jpeg",
            Some("png") => "image/png",
            Some("mp4") => "video/mp4",
            Some("json") => "application/json",
            _ => "application/octet-stream",
        }
    }
}

/// The sample's file at this path: `pictures/…` or `videos/…`.
pub(super) fn file(path: &str) -> Option<SampleFile> {
    let path = path.trim_start_matches('/');
    let at = FILES.binary_search_by(|file| file.path.cmp(path)).ok()?;
    FILES.get(at).copied()
}

/// The sample store and its products, whose addresses name the service with the scheme `sample:`.
///
/// # Errors
/// Where the file in the binary is not as §2.1 has products.
pub(super) fn sample() -> Result<(NewStore, Vec<NewProduct>), StoreError> {
    let wrong = |why: &str| StoreError::Document(format!("the sample store: {why}"));
    let file = file("products.json.gz").ok_or_else(|| wrong("this program was built without it"))?;
    let mut bytes = Vec::new();
    GzDecoder::new(file.bytes).read_to_end(&mut bytes)?;
    let document: Value = serde_json::from_slice(&bytes)?;
    let text = |name: &str| document.get("store").and_then(|store| store.get(name)?.as_str()).map(str::to_owned);
    let store = NewStore {
        app_url: StoreUrl::new(text("appUrl").ok_or_else(|| wrong("it has no appUrl"))?),
        name: text("name"),
        currency_code: text("currencyCode"),
        currency_symbol: text("currencySymbol"),
    };
    let entries = document.get("products").and_then(Value::as_array).ok_or_else(|| wrong("it has no products"))?;
    let mut products = Vec::with_capacity(entries.len());
    for entry in entries {
        let (product, mut findings) = Reader::read::<Product>(entry.get("product").unwrap_or(&Value::Null));
        let analysis = entry.get("analysis").filter(|analysis| !analysis.is_null()).map(|analysis| {
            let (analysis, more) = Reader::read::<Analysis>(analysis);
            findings.extend(more);
            analysis
        });
        if let Some(finding) = findings.first() {
            return Err(wrong(&format!("{} {finding}", product.external_product_id)));
        }
        products.push(NewProduct { product, analysis });
    }
    Ok((store, products))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_sample_is_whole() {
        let (_, products) = sample().unwrap();
        assert!(products.len() >= 200);
        let ids: HashSet<_> = products.iter().map(|new| new.product.external_product_id.clone()).collect();
        assert_eq!(ids.len(), products.len());
        for new in &products {
            let addresses = new.product.media.iter().flat_map(|media| [&media.preview_url, &media.video_url]);
            for address in addresses.flatten().chain(&new.product.featured_media_preview_url) {
                let path = address.strip_prefix("sample:").unwrap_or_else(|| panic!("{address}"));
                assert!(file(path).is_some(), "{address}");
            }
        }
    }
}
