//! What a person can want. Every key, palette entry, mouse action and menu line names one of these.

use super::Layer;

/// Declares the commands: variant, stable name, the name it had before, a word for hints, title, description.
macro_rules! commands {
    ($( $variant:ident $name:literal $( (was $old:literal) )? $hint:literal $title:literal $about:literal )*) => {
        /// What a person can want.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Command {
            $( #[doc = $about] $variant, )*
        }

        impl Command {
            /// Every command, in the order of help.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The names that commands had before: a keymap that uses them keeps working.
            pub const ALIASES: &'static [(&'static str, Self)] = &[$( $( ($old, Self::$variant), )? )*];

            /// The name in the keymap file. It does not change.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// A word or two behind its key in the last line.
            #[must_use]
            pub fn hint(self) -> &'static str {
                match self { $( Self::$variant => $hint, )* }
            }

            /// Two or three words that begin with a capital, for the palette.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $( Self::$variant => $title, )* }
            }

            /// A sentence, for help.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $( Self::$variant => $about, )* }
            }
        }
    };
}

commands! {
    GoProducts "go.products" "Products" "Go to products" "Show the products of the store."
    GoProjects "go.projects" "Projects" "Go to projects" "Show the projects, or the one that is open."
    GoVideos "go.videos" "Videos" "Go to videos" "Show the video library and the uploads."
    GoWebhooks "go.webhooks" "Webhooks" "Go to webhooks" "Show the webhooks and their deliveries."
    GoAccount "go.account" "Account" "Go to account" "Show who is signed in, and the profiles and stores."
    GoInspector "go.inspector" "Inspector" "Go to inspector" "Show the requests and responses of this session."
    Help "app.help" "help" "Show help" "Show every key and what it does; type to search."
    Palette "app.palette" "commands" "Show commands" "Find any command by typing a part of its title."
    Notices "app.notices" "notices" "Show notices" "Show the notices of this session, newest first."
    Themes "app.theme" "theme" "Change theme" "Choose the colors: dark, light and others."
    Stores "app.store" "store" "Change store" "Choose the store to work in."
    Switch "app.switch" "switch" "Switch store" "Go to any store of any profile by typing a part of its name."
    Retry "app.retry" "retry" "Retry" "Retry what failed: the connection, a list, or the selected upload."
    Reconnect "app.reconnect" "reconnect" "Reconnect" "Connect to the service again."
    Bundle "app.bundle" "support bundle" "Save support bundle" "Save versions, settings, the log and requests in one archive for support."
    Redraw "app.redraw" "redraw" "Redraw screen" "Draw the whole screen again."
    Suspend "app.suspend" "suspend" "Suspend Cutaway" "Go back to the shell; `fg` resumes."
    CommandLine "record.last" "as command" "Show last command" "Show your last action as a command line, to copy it."
    CommandLines "record.log" "as commands" "Show all commands" "Show the actions of this session as command lines, to copy one."
    Record "record.toggle" "record" "Record a script" "Record what you do as a script; the same key stops and saves."
    Share "session.share" "share" "Share this studio" "Get a code with which one person can watch this studio, read-only."
    ShareKeys "session.keys" "keys" "Hand over keys" "Let someone who watches press keys here; any key of yours takes them back."
    ShareEnd "session.end" "stop sharing" "Stop sharing" "Send away everyone who watches, and cancel an unused code."
    Quit "app.quit" "quit" "Quit Cutaway" "Quit Cutaway."
    Back "app.back" "back" "Go back" "Go back or close what is open; never quits."
    Open "app.open" "open" "Open" "Open what is current."
    Copy "app.copy" "copy" "Copy ID" "Copy the ID, the address or the JSON of the current row."
    Address "app.address" "address" "Open address" "Open the address of the current row in a browser, or show it."
    Mark "app.select" (was "app.mark") "select" "Select row" "Select or deselect the current row; switch a setting on or off."
    Up "move.up" "up" "Move up" "Move up."
    Down "move.down" "down" "Move down" "Move down."
    Left "move.left" "left" "Move left" "Move left."
    Right "move.right" "right" "Move right" "Move right."
    PageUp "move.page_up" "page up" "Page up" "Move up by a page."
    PageDown "move.page_down" "page down" "Page down" "Move down by a page."
    Home "move.home" "first" "Go to first" "Go to the first row."
    End "move.end" "last" "Go to last" "Go to the last row that is loaded."
    NextPane "move.next_pane" "next" "Next pane" "Go to the next pane or field."
    PreviousPane "move.previous_pane" "previous" "Previous pane" "Go to the previous pane or field."
    Search "products.search" "search" "Search products" "Search titles and tags as you type; a word's beginning is enough."
    Filter "products.filter.open" "filters" "Filter products" "Filter by type, category, tags, stock, date, ID, SKU or name."
    FilterChips "products.filter.chips" "active filters" "Active filters" "Go to the active filters, to change or remove one."
    FilterClear "products.filter.clear" "clear filters" "Clear filters" "Remove the search and all filters."
    Published "products.filter.published" "published only" "Published only" "Show published products only, or all of them."
    Sort "products.sort" "sort" "Sort products" "Choose the order of the products."
    Refresh "products.refresh" "reload" "Reload products" "Load the products again."
    NextTab "products.tab.next" "next tab" "Next tab" "Show the next tab of the product."
    PreviousTab "products.tab.previous" "previous tab" "Previous tab" "Show the previous tab of the product."
    MarkRange "products.select.range" (was "products.mark.range") "select to here" "Select to here" "Select every product from the last selected one to this one."
    MarkAll "products.select.all" (was "products.mark.all") "select all" "Select all products" "Select every product found, also those not loaded yet, or none."
    Export "products.export" "export" "Export products" "Save the selected products, or all found, as CSV, NDJSON or JSON."
    ExportStop "products.export.stop" "stop export" "Stop export" "Stop the running export; no file is left behind."
    ProductProblems "products.problems" "problems" "Check products" "Check the whole catalog and list its problems, the worst first."
    VideosFilter "videos.filter" "search" "Search videos" "Find videos by name."
    VideosShow "videos.show" "filters" "Filter videos" "Choose which videos are shown: used, unused, new, without a poster."
    VideosSort "videos.sort" "sort" "Sort videos" "Sort the videos: newest, oldest, by name, largest."
    VideosRefresh "videos.refresh" "reload" "Reload videos" "Load the library again, and where its videos are used."
    VideosUpload "videos.upload" "upload" "Upload videos" "Choose files to upload; dropping or pasting a path works, too."
    VideosRegister "videos.register" "add by address" "Add video address" "Add a video by its web address."
    VideosCaptions "videos.captions" "captions" "Edit captions" "Show the captions of the video, or add a WebVTT file."
    VideosDelete "videos.delete" "delete" "Delete video" "Delete the video, after showing which steps use it."
    VideosPreview "videos.preview" "preview" "Preview video" "Show the video's poster full screen; its frames, too, with ffmpeg."
    VideoProblems "videos.problems" "problems" "Check videos" "Check every video of the library and list its problems."
    VideosThumbnails "videos.thumbnails" "posters" "Show posters" "Show or hide a poster beside each video."
    UploadPause "videos.uploads.pause" "pause" "Pause upload" "Pause or resume the selected upload."
    UploadCancel "videos.uploads.cancel" "cancel" "Cancel upload" "Cancel the selected upload, or remove one that has ended."
    UploadEarlier "videos.uploads.earlier" "order" "Upload earlier" "Move the upload up in the queue."
    UploadLater "videos.uploads.later" "later" "Upload later" "Move the upload down in the queue."
    UploadClear "videos.uploads.clear" "clear" "Clear ended uploads" "Remove the uploads that have ended from the list."
    UploadLimit "videos.uploads.limit" "speed limit" "Limit upload speed" "Limit the speed of all uploads together."
    UploadAtOnce "videos.uploads.parallel" (was "videos.uploads.at-once") "parallel" "Set parallel uploads" "Choose how many files are uploaded at the same time."
    StepsFind "steps.find" "find" "Find step" "Find a step by its name, texts or video."
    StepsKinds "steps.kinds" "filter" "Filter steps" "Go to a step that is broken, ends the video or was edited."
    StepsLabels "steps.jump" "jump" "Jump to step" "Show a letter on every card to go there; 1-9 select an answer of this step."
    StepsPlaceBack "steps.place.back" "back" "Previous place" "Go back to the step you visited before."
    StepsPlaceForward "steps.place.forward" "forward" "Next place" "Go forward again in the steps you visited."
    StepsWire "steps.wire" "wire" "Wire answer" "Choose the step that an answer leads to; then 1-9 take another answer."
    StepsAnswer "steps.answer.add" "add answer" "Add answer" "Add an answer to the step."
    StepsAnswerText "steps.answer.text" "edit answer" "Edit answer text" "Change the text of the selected answer."
    StepsMoveUp "steps.move.up" "move up" "Move selection up" "Move the selected answer or the step up by one."
    StepsMoveDown "steps.move.down" "move down" "Move selection down" "Move the selected answer or the step down by one."
    StepsNew "steps.new" "new step" "New step" "Create a step; an answer that leads nowhere is linked to it."
    StepsInsert "steps.insert" "insert step" "Insert step" "Insert a step between the selected answer and where it leads."
    StepsDuplicate "steps.duplicate" "duplicate" "Duplicate step" "Copy the step with its answers."
    StepsVideo "steps.video" "video" "Choose video" "Choose the step's video from the library."
    StepsProducts "steps.products" "products" "Choose products" "Choose the products that the step shows, by searching the store."
    StepsUpload "steps.upload" "upload" "Upload step video" "Upload a file; the step gets it as its video when it is done."
    StepsPreview "steps.preview" "preview" "Preview video" "Show the poster of the step's video full screen; frames with ffmpeg."
    StepsReplace "steps.replace" "replace" "Replace text" "Find and replace in all texts; you see the changes first."
    StepsRename "steps.rename" "rename" "Rename project" "Change the project's name."
    StepsEditor "steps.editor" "editor" "Open text editor" "Edit the text in your own editor (VISUAL or EDITOR)."
    StepsUndo "steps.undo" "undo" "Undo edit" "Undo the last edit."
    StepsRedo "steps.redo" "redo" "Redo edit" "Redo the last undone edit."
    StepsHistory "steps.history" "history" "Show edit history" "Show every edit of the draft, and go back to any of them."
    StepsSave "steps.save" "save" "Save project" "Show what will be written to the service, then save."
    StepsDiscard "steps.discard" "discard" "Discard draft" "Discard the draft; the project at the service stays as it is."
    StepsPlay "steps.play" "play" "Play project" "Play the project as a viewer does, from its first step."
    StepsPlayHere "steps.play.here" "play from here" "Play from here" "Play the project as a viewer does, from the selected step."
    StepsNextUnplayed "steps.play.next" (was "steps.unwalked") "next unplayed" "Next unplayed answer" "Go to the nearest answer that was not played yet."
    StepsPaths "steps.paths" (was "steps.ways") "paths" "Count paths" "Count the paths: shortest, longest, not played yet."
    StepsNextProblem "steps.problem.next" (was "steps.finding.next") "next problem" "Next problem" "Go to the next problem."
    StepsPreviousProblem "steps.problem.previous" (was "steps.finding.previous") "previous problem" "Previous problem" "Go to the previous problem."
    StepsFix "steps.problem.fix" (was "steps.finding.mend") "fix" "Fix problem" "Fix the selected problem, if it can be fixed automatically."
    StepsIgnore "steps.problem.ignore" (was "steps.finding.meant") "ignore" "Ignore problem" "Ignore the selected problem: it is intended."
    StepsBaseline "steps.problem.baseline" "save ignored" "Save ignored problems" "Save the ignored problems as a baseline file for cutaway lint."
    StepsExport "steps.export" "export" "Export project" "Save the project as TOML, JSON, Markdown, Mermaid, DOT or SVG."
    StepsPlayer "steps.player" "player settings" "Player settings" "Change how the player looks and what it asks."
    StepsCode "steps.qr" "QR code" "Show QR code" "Show the player's address as a QR code for a phone."
    StepsEmbed "steps.embed" "embed code" "Copy embed code" "Copy the HTML that embeds the player in a shop's page."
    StepsRestore "steps.problem.restore" "restore ignored" "Restore ignored problems" "List the ignored problems again."
    StepsTakeOver "steps.take_over" "take over" "Take over project" "Take over a project that another window edits, with all that was typed there."
    StepsRefresh "steps.refresh" "reload" "Reload project" "Load the project from the service again; your edits are kept."
    StepsOutline "steps.outline" "outline" "Outline or graph" "Show the steps as an outline, or as a graph."
    StepsFunnel "steps.funnel" "funnel" "Show funnel" "Show or hide what viewers did: who saw each step, chose each answer, left."
    StepsFunnelPanel "steps.funnel.panel" "funnel in numbers" "Funnel in numbers" "Show visits over time, the paths viewers took most, and orders."
    StepsMap "steps.map" "map" "Show map" "Show or hide the map of the graph."
    StepsZoom "steps.zoom" "zoom" "Change zoom" "Show less of every step, then whole cards again."
    StepsZoomIn "steps.zoom.in" "zoom in" "Zoom in" "Show more of every step."
    StepsZoomOut "steps.zoom.out" "zoom out" "Zoom out" "Show less of every step."
    StepsFit "steps.fit" "fit" "Zoom to fit" "Choose the zoom that shows all steps."
    StepsCenter "steps.center" (was "steps.centre") "center" "Center step" "Bring the selected step to the middle."
    StepsTidy "steps.tidy" "rearrange" "Rearrange graph" "Rearrange the graph around the selected step; again restores it."
    StepsPanLeft "steps.pan.left" "scroll left" "Scroll left" "Scroll the graph to the left."
    StepsPanRight "steps.pan.right" "scroll right" "Scroll right" "Scroll the graph to the right."
    StepsPanUp "steps.pan.up" "scroll up" "Scroll up" "Scroll the graph up."
    StepsPanDown "steps.pan.down" "scroll down" "Scroll down" "Scroll the graph down."
    ProjectsSearch "projects.search" "search" "Search projects" "Find a project by letters of its name, or by its ID."
    ProjectsFilter "projects.filter" "filters" "Filter projects" "Show projects of a folder, changed recently, unsaved or without steps."
    ProjectsSort "projects.sort" "sort" "Sort projects" "Sort the projects by name or by last change."
    ProjectsFold "projects.fold" "fold all" "Fold all folders" "Fold all folders, or unfold them."
    ProjectsRefresh "projects.refresh" "reload" "Reload projects" "Load the projects and folders again."
    ProjectCreate "projects.create" "new" "New project" "Create a project."
    ProjectRename "projects.rename" "rename" "Rename project" "Change the name of the project."
    ProjectMove "projects.move" "move" "Move to folder" "Move the project to a folder, a new one, or out of its folder."
    ProjectEmails "projects.emails" "e-mails" "Edit e-mails" "Choose who is notified of the project by e-mail."
    ProjectOrder "projects.order" "order steps" "Order steps" "Change the order of the project's steps."
    ProjectOrderUp "projects.order.up" "step up" "Move step up" "Move the selected step up while you order steps."
    ProjectOrderDown "projects.order.down" "step down" "Move step down" "Move the selected step down while you order steps."
    ProjectDuplicate "projects.duplicate" "duplicate" "Duplicate project" "Copy the project with all its steps, or finish a copy that stopped."
    ProjectDelete "projects.delete" "delete" "Delete project" "Delete the project with its steps, after you type its name."
    ProjectCode "projects.qr" "QR code" "Show QR code" "Show the player's address as a QR code for a phone."
    ProjectPlayer "projects.player" "player settings" "Player settings" "Change how the project's player looks and what it asks."
    ProjectEmbed "projects.embed" "embed code" "Copy embed code" "Copy the HTML that embeds the player in a shop's page."
    Facets "products.facets" "analysis" "Show analysis" "Show the analysis in the list: gender, type, age and price range."
    Summary "products.facets.summary" "summary" "Summarize analysis" "Summarize the products found by their analysis."
    AnalysisLimit "products.analysis.limit" "analysis timeout" "Set analysis timeout" "Choose how long the service may wait for an analysis (ms)."
    ListWider "products.split.wider" "wider list" "Widen list" "Make the list wider and the open product narrower."
    ListNarrower "products.split.narrower" "narrower list" "Narrow list" "Make the list narrower and the open product wider."
    SaveSearch "products.search.save" "save search" "Save search" "Save this search under a name, for this store."
    SavedSearches "products.search.saved" "searches" "Saved searches" "Use a saved or a recent search."
    ForgetSearch "products.search.forget" "delete search" "Delete saved search" "Delete a saved search."
    Compare "products.compare" "compare" "Compare products" "Compare the two selected products side by side."
    Thumbnails "products.thumbnails" "thumbnails" "Show thumbnails" "Show or hide a small picture beside each product."
    FullPicture "products.picture.full" "view picture" "View picture" "Show the picture full screen."
    Pictures "app.pictures" "pictures" "Show pictures" "Show or hide pictures everywhere."
    AccountNew "account.new" "new profile" "New profile" "Create a profile: a service, its stores and safety settings."
    AccountEdit "account.edit" "edit" "Edit profile" "Change the selected profile."
    AccountRename "account.rename" "rename" "Rename profile" "Rename the selected profile; its sign-in, drafts and uploads stay."
    AccountSignIn "account.sign_in" "sign in" "Sign in" "Sign in with an API key, with a code on a phone, or in a browser."
    AccountSignOut "account.sign_out" "sign out" "Sign out" "Forget the credential of the selected profile; the profile stays."
    AccountDefault "account.default" "make default" "Make default" "Start with the selected profile when none is named."
    WebhookNew "webhooks.new" "new" "New webhook" "Create a webhook: an event and the address it is sent to."
    WebhookSearch "webhooks.search" "search" "Search webhooks" "Find webhooks by address, event or ID."
    WebhookEvent "webhooks.event" "event" "Filter by event" "Show the webhooks of one event only, or all."
    WebhookRefresh "webhooks.refresh" "reload" "Reload webhooks" "Load the webhooks and their deliveries again."
    WebhookPing "webhooks.ping" "send test" "Send test event" "Send the selected webhook a test event."
    WebhookRedeliver "webhooks.redeliver" "resend" "Resend delivery" "Send the selected delivery again."
    WebhookDelete "webhooks.delete" "delete" "Delete webhook" "Delete the selected webhook, after asking."
    WebhookEnable "webhooks.enable" "switch on" "Switch on" "Switch on the selected webhook."
    WebhookRotate "webhooks.rotate_secret" "new secret" "Replace signing secret" "Create a new signing secret; the old one also signs for one more day."
    WebhookDisable "webhooks.disable" "switch off" "Switch off" "Switch off the selected webhook until you switch it on again."
    WebhookSecret "webhooks.secret" "secret" "Copy signing secret" "Copy the secret that signs the deliveries of the webhook."
    WebhookListen "webhooks.listen" "listen" "Listen for events" "Receive and verify events on this computer, or stop it."
    InspectorSearch "inspector.search" "search" "Search requests" "Search the requests, or the one that is open."
    InspectorFilter "inspector.filter" "filter" "Filter requests" "Show all requests, or those that failed, were slow or had issues."
    InspectorIssues "inspector.issues" (was "inspector.findings") "issues" "Summarize issues" "Summarize the fields that don't match the API specification."
    InspectorDifference "inspector.difference" "compare" "Compare responses" "Show what differs between the selected response and this one."
    InspectorAgain "inspector.again" "send again" "Send again" "Send the current request again, if it only reads."
    InspectorSave "inspector.save" "save as HAR" "Save requests" "Save the requests shown as a HAR file, without secrets."
    InspectorClear "inspector.clear" "clear" "Clear requests" "Remove all requests from the inspector."
    Remove "app.remove" "remove" "Remove" "Remove what is current: a filter, a value, an answer."
    PreviewSecondBack "preview.second.back" "second back" "Second back" "Show the frame one second before."
    PreviewSecondOn "preview.second.on" "second on" "Second forward" "Show the frame one second later."
    PreviewFrameBack "preview.frame.back" "frame back" "Previous frame" "Show the previous frame."
    PreviewFrameOn "preview.frame.on" "frame on" "Next frame" "Show the next frame."
    PreviewFirst "preview.first" "first frame" "First frame" "Show the first frame."
    PreviewLast "preview.last" "last frame" "Last frame" "Show the last frame."
    PlayBack "play.back" "back" "Previous step" "Go back to the step before, while you play."
    PlayRestart "play.restart" "restart" "Restart" "Play again from the step where you began."
    PlayTranscript "play.transcript" "transcript" "Show transcript" "Show or hide everything said so far."
    WireEnd "wire.end" "end video" "End video" "Let the answer end the video instead of leading to a step."
    SaveMine "save.mine" "mine" "Choose mine" "Choose your side of the selected conflict."
    SaveTheirs "save.theirs" "theirs" "Choose theirs" "Choose the other side of the selected conflict."
    SaveNone "save.none" "none of them" "Choose none" "Create the missing step again: none of those at the service is it."
    StepProductVariant "step_products.variant" "variant" "Choose variant" "Choose which variant of the product the step shows."
    StepProductFrom "step_products.from" "show from" "Show from" "Set the second of the video from which the product is shown."
    FunnelDay "funnel.day" "by day" "Plot by day" "Plot the visits by day."
    FunnelWeek "funnel.week" "by week" "Plot by week" "Plot the visits by week."
    FunnelVersion "funnel.version" "version" "Next version" "Show the numbers of the next version of the project, then of all."
}

impl Command {
    /// Those that change something at the service, or are the way to that: a read-only studio refuses them.
    pub const WRITES: &'static [Self] = &[
        Self::VideosUpload,
        Self::VideosRegister,
        Self::VideosDelete,
        Self::StepsSave,
        Self::ProjectCreate,
        Self::ProjectRename,
        Self::ProjectMove,
        Self::ProjectEmails,
        Self::ProjectOrder,
        Self::ProjectPlayer,
        Self::ProjectDuplicate,
        Self::ProjectDelete,
        Self::WebhookNew,
        Self::WebhookPing,
        Self::WebhookRedeliver,
        Self::WebhookDelete,
        Self::WebhookEnable,
        Self::WebhookRotate,
        Self::WebhookDisable,
    ];

    /// Those that read or write files of the person's choice.
    pub const ON_FILES: &'static [Self] = &[
        Self::Export,
        Self::ExportStop,
        Self::Bundle,
        Self::Record,
        Self::VideosUpload,
        Self::StepsUpload,
        Self::InspectorSave,
        Self::StepsBaseline,
        Self::StepsExport,
    ];

    /// Those that go to other profiles, or change profiles and their credentials.
    pub const ON_PROFILES: &'static [Self] = &[
        Self::Switch,
        Self::AccountNew,
        Self::AccountEdit,
        Self::AccountRename,
        Self::AccountDefault,
        Self::AccountSignIn,
        Self::AccountSignOut,
    ];

    /// What else people call it, in lower case: the palette finds it by these words, too.
    #[must_use]
    pub fn synonyms(self) -> &'static str {
        match self {
            Self::Address => "player watch browser web link url share",
            Self::Palette | Self::Help => "keys shortcuts keyboard manual",
            Self::Notices => "messages log errors",
            Self::Themes => "dark light color colors mode appearance look",
            Self::Stores | Self::Switch => "shop shops account workspace",
            Self::Bundle => "debug diagnostics report",
            Self::Share | Self::ShareKeys | Self::ShareEnd => "watch join code shoulder pair",
            Self::Quit => "exit leave close end",
            Self::Back => "cancel close",
            Self::Copy => "clipboard yank",
            Self::Mark | Self::MarkAll | Self::MarkRange => "mark tick check choose",
            Self::Remove => "delete erase",
            Self::Retry | Self::Reconnect => "again refresh",
            Self::Refresh | Self::VideosRefresh | Self::StepsRefresh | Self::ProjectsRefresh | Self::WebhookRefresh => {
                "refresh update"
            }
            Self::Export | Self::StepsBaseline | Self::StepsExport | Self::InspectorSave => "download save file write",
            Self::Filter | Self::VideosShow | Self::ProjectsFilter | Self::InspectorFilter => "only show find",
            Self::FullPicture | Self::VideosPreview | Self::StepsPreview => "image watch look fullscreen",
            Self::Pictures | Self::Thumbnails | Self::VideosThumbnails => "images photos",
            Self::VideosUpload | Self::StepsUpload => "add file send",
            Self::VideosRegister => "upload url link",
            Self::VideosCaptions => "subtitles vtt",
            Self::StepsWire => "link connect lead next",
            Self::StepsPlay | Self::StepsPlayHere => "watch preview try test player run",
            Self::StepsPlayer => "brand logo theme language form",
            Self::StepsSave => "publish write upload plan",
            Self::StepsDiscard => "delete revert reset throw",
            Self::StepsFix => "repair solve quick",
            Self::StepsIgnore => "dismiss hide",
            Self::StepsRestore => "unignore show hidden dismissed",
            Self::StepsFunnel | Self::StepsFunnelPanel => {
                "analytics statistics stats heat map drop-off conversion visits viewers orders revenue"
            }
            Self::StepsNextProblem | Self::StepsPreviousProblem => "errors warnings check",
            Self::ProductProblems | Self::VideoProblems => "errors warnings problems lint wrong quality",
            Self::StepsTidy => "arrange layout clean",
            Self::StepsFit => "all whole overview",
            Self::StepsCode | Self::ProjectCode => "phone mobile scan",
            Self::StepsEmbed | Self::ProjectEmbed => "html website shop",
            Self::ProjectCreate | Self::StepsNew => "create make add",
            Self::ProjectDuplicate | Self::StepsDuplicate => "copy clone",
            Self::ProjectDelete | Self::VideosDelete | Self::WebhookDelete => "remove erase",
            Self::AccountSignIn => "login log key connect shop",
            Self::AccountSignOut => "logout log",
            Self::AccountNew => "add connect shop login",
            Self::WebhookNew => "subscribe subscription event create make add",
            Self::WebhookPing => "ping try",
            _ => "",
        }
    }

    /// What its name begins with: a screen, a mode, or what holds everywhere.
    #[must_use]
    pub fn group(self) -> &'static str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Whether it can only be given in a mode, which has keys for it.
    #[must_use]
    pub fn is_of_mode(self) -> bool {
        Layer::by_name(self.group()).is_some_and(Layer::is_mode)
    }

    /// The command of this name, or that had it before.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let of_today = Self::ALL.iter().copied().find(|command| command.name() == name);
        of_today.or_else(|| Self::ALIASES.iter().find(|(old, _)| *old == name).map(|(_, command)| *command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for command in Command::ALL {
            assert_eq!(Command::by_name(command.name()), Some(*command));
            assert!(command.about().ends_with('.'), "{}", command.name());
        }
    }
}
