//! What each operation of §4 does, in a line.

/// The line for an operation by its name; empty for one that is not known here, which a test notices.
pub(super) fn of(name: &str) -> &'static str {
    match name {
        "getProduct" => "One product of a store, by its external id",
        "getProductMedia" => "The pictures and films of a product",
        "searchProductsCursor" => "A page of a store's products, searched, filtered and sorted",
        "getProductsCount" => "How many products a store has",
        "authenticateCliApiKey" => "Exchanges an API key for an access token",
        "getMe" => "Who bears the credential, and the workspace's key",
        "createProject" => "Creates a project",
        "listProjects" => "The projects of the workspace, without their steps",
        "getProject" => "A project with its steps",
        "getProjectByPost" => "The same, asked for with a body",
        "updateProject" => "Changes what is given of a project",
        "deleteProject" => "Deletes a project with its steps",
        "listFolders" => "The folders that projects are sorted into",
        "createStep" => "Adds a step to a project",
        "updateStep" => "Changes what is given of a step",
        "deleteStep" => "Deletes a step",
        "createVideo" => "Registers a video by its address, or reserves an id",
        "uploadVideo" => "Uploads the file of a video",
        "listVideos" => "The videos of the workspace",
        "deleteAsset" => "Deletes a video, also where steps use it",
        "createWebhook" => "Subscribes an address to an event",
        "listWebhooks" => "The subscriptions of the workspace",
        "deleteWebhook" => "Ends a subscription",
        _ => "",
    }
}
