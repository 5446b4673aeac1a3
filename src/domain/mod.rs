//! What the service is about: the resources of §2, searches, and the rules that hold for them. Pure data.

mod address;
mod age;
mod borrowed_json;
mod built;
mod color;
mod currency;
mod delivery;
mod embed;
mod export;
mod export_format;
pub mod funnel;
mod ids;
pub mod json;
mod kept_event;
mod kept_order;
mod kept_personal;
mod kept_visit;
mod no_nul;
mod num;
mod player;
mod product;
mod project;
mod read;
mod schema;
mod search;
mod secret;
mod shape;
mod share;
mod share_code;
pub mod shell;
mod stock;
mod store_url;
pub mod text;
pub mod told_counts;
mod told_visit;
mod veil;
pub mod webvtt;
pub mod wire;

pub use address::{MOST_ADDRESS, address_problem, is_web_address};
pub use age::Age;
pub use borrowed_json::BorrowedJson;
pub use built::{BUILT, Built};
pub use color::{Color, READABLE};
pub use currency::{has_symbol, is_currency};
pub use delivery::{Delivery, ReceivedEvent, Verdict};
pub use embed::{Embed, EmbedKind, embed_script};
pub use export::{ExportColumn, safe as spreadsheet_text};
pub use export_format::{ExportFormat, Sheet};
pub use ids::{
    Cursor, FolderId, ProductId, ProjectId, StepId, StepName, StoreUrl, UserId, VariantId, VideoId, WebhookId,
};
pub use kept_event::KeptEvent;
pub use kept_visit::{KeptVisit, LeftOut};
pub use no_nul::{NO_NUL, with_nul};
pub use num::Num;
pub use player::{
    FormField, PlayerChange, PlayerFont, PlayerSettings, most as player_most, origin as site_origin, setting_text,
};
pub use product::{
    AgeGroup, Analysis, AnalysisData, AnalysisStatus, AnalyzedType, Category, FoundProduct, Gender, Media, PriceRange,
    Product, ProductOption, SelectedOption, Variant,
};
pub use project::{Answer, Folder, Project, Step, StepProduct, User, Video, Webhook, WebhookEvent};
pub use read::{Fault, Finding, FromJson, Members, Reader, Segment, type_of};
pub use schema::{HasSchema, Schemas, object};
pub use search::{
    DateRange, Include, IncludeAnalysis, InventoryRange, PageSize, ProductFilters, ProductSearch, SortBy,
    SortDirection, TagsMatch,
};
pub use secret::{AccessToken, ApiKey, AppKey, RefreshToken, WebhookSecret};
pub use shape::FieldShape;
pub use share::Share;
pub use share_code::{NoCode, ShareCode};
pub use stock::{Offer, are_sold_out, sells_beyond_stock};
pub use told_visit::ToldVisit;
pub use veil::{HIDDEN, Veil, behind, cut, drawn};
