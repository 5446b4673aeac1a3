//! `cutaway serve import-products`

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::ExitCode;

use super::progress::Bar;
use super::{ServeError, say};
use crate::domain::StoreUrl;
use crate::service::offline::{self, Kept};

pub(super) async fn import_products(data: Kept, file: &Path, app_url: &str) -> Result<ExitCode, ServeError> {
    if !app_url.starts_with("http://") && !app_url.starts_with("https://") {
        return Err(ServeError::Usage(format!("--app-url must be an http(s) address, found {app_url:?}")));
    }
    let bar = Bar::new("import", None);
    let app_url = StoreUrl::new(app_url);
    let imported = if file == Path::new("-") {
        offline::import_products(&data, &app_url, io::stdin().lock(), |so_far| bar.show(so_far)).await?
    } else {
        let opened = File::open(file).map_err(|error| ServeError::Usage(format!("{}: {error}", file.display())))?;
        offline::import_products(&data, &app_url, BufReader::new(opened), |so_far| bar.show(so_far)).await?
    };
    bar.end();
    say(&format!("{} added, {} updated", imported.added, imported.updated))?;
    Ok(ExitCode::SUCCESS)
}
