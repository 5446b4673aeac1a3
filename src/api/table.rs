//! The table of operations, the only list of them. From it follow the requests that are no more than a row, the paths and
//! methods of the service, its interface description, what is refused when read-only, and which operations have to have a
//! command and a tool: whoever adds a row is told by the compiler what it still lacks.

use super::captions::{
    CaptionsList, GetCaptions, NewCaptions, RemoveCaptions, RemovedCaptions, SetCaptions, VideoCaptions,
};
use super::catalog::{
    CountProducts, GetProduct, GetProductMedia, GotProduct, ProductPage, ProductsCount, SearchProducts,
};
use super::deliveries::{DeliveryList, Redeliver, SecretOfWebhook};
use super::funnel::{GetFunnel, ProjectFunnel};
use super::identity::ExchangedToken;
use super::operation::{Listed, Operation, Payload};
use super::projects::{
    CreateProject, CreateStep, CreatedProject, CreatedStep, DeleteProject, DeleteStep, FolderList, GetProject,
    GetProjectByPost, OpenedProject, ProjectChange, ProjectList, StepChange, UpdateProject, UpdateStep,
};
use super::row::{Body, InQuery, Method, Row};
use super::schemas::{Deleted, only_app_key};
use super::to_json;
use super::videos::{CreateVideo, CreatedVideo, DeleteAsset, DeletedAsset, UploadVideo, VideoList};
use super::webhooks::{CreateWebhook, DeleteWebhook};
use crate::domain::{Delivery, HasSchema as _, Media, ProductSearch, Project, Step, User, VideoId, Webhook, WebhookId};

/// Declares the operations. A row is `/// what it does`, the kind of its request, the request's type, the response, and what
/// else is known of it. Kinds:
/// - `json`: the type is declared elsewhere with its fields, and its JSON is the body;
/// - `own`: the type is declared elsewhere and implements [`Operation`] itself;
/// - `unit`: the type is declared here; it holds nothing;
/// - `id`: the type is declared here; it holds the id in the path.
macro_rules! operations {
    (
        ($d:tt)
        spec { $( #[doc = $about:literal] $kind:ident $name:ident $(($id:ty))? $(-> $response:ty)? = $row:expr; )* }
        extension {
            $( #[doc = $x_about:literal] $x_kind:ident $x_name:ident $(($x_id:ty))? $(-> $x_response:ty)? = $x_row:expr; )*
        }
    ) => {
        /// Every operation of §4, in its order; the last ends a subscription, which §4 leaves out.
        pub const OPERATIONS: [Row; [$( stringify!($name) ),*].len()] = [$( <$name as Listed>::LISTED ),*];
        /// What the local service offers beside §4.
        pub const EXTENSIONS: [Row; [$( stringify!($x_name) ),*].len()] = [$( <$x_name as Listed>::LISTED ),*];

        $( operations! { @row $name $(-> $response)?, $kind, $row.listed($about, false) } )*
        $( operations! { @row $x_name $(-> $x_response)?, $x_kind, $x_row.listed($x_about, true) } )*
        $( operations! { @$kind #[doc = $about] $name $(($id))? $(-> $response)? } )*
        $( operations! { @$x_kind #[doc = $x_about] $x_name $(($x_id))? $(-> $x_response)? } )*

        /// The request of any operation, as a value: what is to be asked, for those who only pass it on.
        #[allow(clippy::large_enum_variant)] // It lives from a screen to its driver.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AnyRequest {
            $( #[doc = $about] $name($name), )*
            $( #[doc = $x_about] $x_name($x_name), )*
        }

        // Whatever has a row is an operation.
        const _: () = {
            const fn is_operation<O: Operation>() {}
            $( is_operation::<$name>(); )*
            $( is_operation::<$x_name>(); )*
        };

        /// Gives a macro the types of all operations, so that what every operation needs is asked of each.
        macro_rules! each_operation {
            ($d($d then:tt)+) => { $d($d then)+! { $( $name )* $( $x_name )* } };
        }
        pub(crate) use each_operation;
    };
    (@row $name:ident -> $response:ty, json, $row:expr) => {
        impl Listed for $name {
            const LISTED: Row = $row.or_takes::<Self>().gives::<$response>();
        }
    };
    (@row $name:ident -> $response:ty, $kind:ident, $row:expr) => {
        impl Listed for $name {
            const LISTED: Row = $row.gives::<$response>();
        }
    };
    (@own #[doc = $about:literal] $name:ident -> $response:ty) => {};
    (@json #[doc = $about:literal] $name:ident -> $response:ty) => {
        impl Operation for $name {
            type Response = $response;
            fn payload(&self) -> Payload {
                Payload::Json(to_json(self))
            }
        }
    };
    (@unit #[doc = $about:literal] $name:ident -> $response:ty) => {
        #[doc = $about]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name;
        impl Operation for $name {
            type Response = $response;
        }
    };
    (@id #[doc = $about:literal] $name:ident ($id:ty) -> $response:ty) => {
        #[doc = $about]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(pub $id);
        impl From<$id> for $name {
            fn from(id: $id) -> Self {
                Self(id)
            }
        }
        impl Operation for $name {
            type Response = $response;
            fn path_id(&self) -> Option<&str> {
                Some(self.0.as_str())
            }
        }
    };
}

use Method::{Delete, Get, Post, Put};

/// A row of the catalog (§4.1): all of them read.
const fn catalog(name: &'static str, path: &'static str) -> Row {
    Row::new(name, "products", Post, path).reads()
}

const fn studio(name: &'static str, method: Method, path: &'static str) -> Row {
    Row::new(name, "studio", method, path)
}

const fn video(name: &'static str, method: Method, path: &'static str) -> Row {
    Row::new(name, "video", method, path)
}

operations! { ($)
    spec {
        /// Get a product by its external ID
        json GetProduct -> GotProduct = catalog("getProduct", "/products-service/getProduct");
        /// List the pictures and videos of a product
        json GetProductMedia -> Vec<Media> = catalog("getProductMedia", "/products-service/getProductMedia");
        /// Search, filter and sort a store's products, page by page
        own SearchProducts -> ProductPage =
            catalog("searchProductsCursor", "/products-service/searchProductsCursor")
                .takes_json::<ProductSearch>()
                .lists("products");
        /// Count a store's products
        json CountProducts -> ProductsCount = catalog("getProductsCount", "/products-service/getProductsCount");
        /// Exchange an API key for an access token
        unit ExchangeKey -> ExchangedToken =
            Row::new("authenticateCliApiKey", "stores", Post, "/account-service/authenticateCliApiKey")
                .reads()
                .takes(Body::MaybeJson(only_app_key));
        /// Get the signed-in user and the workspace's key
        unit Me -> User = Row::new("getMe", "stores", Get, "/users/me");
        /// Create a project
        json CreateProject -> CreatedProject =
            studio("createProject", Post, "/projects").keyed().once().problems(&["409"]);
        /// List projects, without their steps
        unit ListProjects -> ProjectList = studio("listProjects", Get, "/projects/").lists("projects");
        /// Get a project with its steps
        own GetProject -> OpenedProject = studio("getProject", Get, "/projects/{id}").tagged();
        /// Get a project with its steps, with a POST request
        own GetProjectByPost -> OpenedProject = studio("getProjectByPost", Post, "/projects/{id}")
            .reads()
            .keyed()
            .tagged()
            .takes(Body::MaybeJson(only_app_key));
        /// Update the given fields of a project
        own UpdateProject -> Project = studio("updateProject", Put, "/projects/{id}")
            .keyed()
            .if_match()
            .tagged()
            .problems(&["409"])
            .takes_json::<ProjectChange>();
        /// Delete a project with its steps
        own DeleteProject -> Deleted = studio("deleteProject", Delete, "/projects")
            .keyed()
            .if_match()
            .id_in_query("projectId")
            .takes(Body::MaybeJson(DeleteProject::schema));
        /// List project folders
        unit ListFolders -> FolderList = studio("listFolders", Get, "/projects/actions/folders").lists("folders");
        /// Create a step in a project
        json CreateStep -> CreatedStep =
            studio("createStep", Post, "/projects/steps").keyed().once().if_match().problems(&["404"]);
        /// Update the given fields of a step
        own UpdateStep -> Step = studio("updateStep", Put, "/projects/steps/{id}")
            .keyed()
            .if_match()
            .tagged()
            .takes_json::<StepChange>();
        /// Delete a step
        own DeleteStep -> Deleted = studio("deleteStep", Delete, "/projects/steps")
            .keyed()
            .if_match()
            .id_in_query("stepId")
            .takes(Body::MaybeJson(DeleteStep::schema));
        /// Add a video by its address, or reserve an ID
        json CreateVideo -> CreatedVideo = video("createVideo", Post, "/videos/video")
            .keyed()
            .once()
            .takes(Body::MaybeJson(CreateVideo::schema));
        /// Upload a video file
        own UploadVideo -> CreatedVideo =
            video("uploadVideo", Post, "/videos").once().to_upload_host().takes(Body::File);
        /// List videos
        unit ListVideos -> VideoList = video("listVideos", Get, "/videos/videos").lists("videos");
        /// Delete a video, even if steps use it
        own DeleteAsset -> DeletedAsset = Row::new("deleteAsset", "ai-tools", Delete, "/partners/assets/{id}");
        /// Create a webhook
        json CreateWebhook -> Webhook = studio("createWebhook", Post, "/webhooks").keyed().once();
        /// List webhooks
        unit ListWebhooks -> Vec<Webhook> = studio("listWebhooks", Get, "/webhooks");
        /// Delete a webhook
        own DeleteWebhook -> Deleted = studio("deleteWebhook", Delete, "/webhooks/{id}");
    }
    extension {
        /// Get a webhook's signing secret
        id GetWebhookSecret(WebhookId) -> SecretOfWebhook = studio("webhookSecret", Get, "/webhooks/{id}/secret");
        /// Extension: replace a webhook's signing secret; the old one also signs for 24 hours (Standard Webhooks)
        id RotateWebhookSecret(WebhookId) -> SecretOfWebhook =
            studio("rotateWebhookSecret", Post, "/webhooks/{id}/secret/rotate").problems(&["409"]);
        /// Extension: enable a webhook that was switched off because its deliveries failed for days
        id EnableWebhook(WebhookId) -> Webhook = studio("enableWebhook", Post, "/webhooks/{id}/enable").repeatable();
        /// Extension: disable a webhook until it is enabled again; waiting deliveries aren't sent
        id DisableWebhook(WebhookId) -> Webhook =
            studio("disableWebhook", Post, "/webhooks/{id}/disable").repeatable();
        /// Send a test event
        id PingWebhook(WebhookId) -> Delivery =
            studio("pingWebhook", Post, "/webhooks/{id}/ping").queues().problems(&["409"]);
        /// List a webhook's latest 100 deliveries
        id ListDeliveries(WebhookId) -> DeliveryList = studio("listDeliveries", Get, "/webhooks/{id}/deliveries");
        /// Resend a delivery
        own Redeliver -> Delivery =
            studio("redeliver", Post, "/webhooks/{id}/deliveries/{delivery}/redeliver").queues().problems(&["409"]);
        /// Extension: the captions of a video, by language
        id ListCaptions(VideoId) -> CaptionsList = video("listCaptions", Get, "/videos/{id}/captions");
        /// Extension: the captions of a video in one language, with their WebVTT
        own GetCaptions -> VideoCaptions = video("getCaptions", Get, "/videos/{id}/captions/{language}");
        /// Extension: sets the captions of a video in one language
        own SetCaptions -> VideoCaptions = video("setCaptions", Put, "/videos/{id}/captions/{language}")
            .problems(&["409"])
            .takes_json::<NewCaptions>();
        /// Extension: removes the captions of a video in one language
        own RemoveCaptions -> RemovedCaptions = video("removeCaptions", Delete, "/videos/{id}/captions/{language}");
        /// Extension: what viewers did at each step of a project, in numbers
        own GetFunnel -> ProjectFunnel = studio("projectFunnel", Get, "/projects/{id}/funnel").problems(&["400"]).asks(&[
            ("since", InQuery::Day, "The first day that is counted: a date or a time, UTC"),
            ("until", InQuery::Day, "The last day that is counted: a date or a time, UTC"),
        ]);
    }
}
