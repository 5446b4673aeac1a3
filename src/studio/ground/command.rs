//! What a person can want. Every key, palette entry, mouse action and menu line names one of these.

/// Declares the commands: variant, stable name, title, description.
macro_rules! commands {
    ($( $variant:ident $name:literal $title:literal $about:literal )*) => {
        /// What a person can want.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Command {
            $( #[doc = $about] $variant, )*
        }

        impl Command {
            /// Every command, in the order of help.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The name in the keymap file. It does not change.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// A few words, for hints and the palette.
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
    GoProducts "go.products" "Products" "Show the products of the store."
    GoProjects "go.projects" "Projects" "Show the projects."
    GoVideos "go.videos" "Videos" "Show the video library and the uploads."
    GoWebhooks "go.webhooks" "Webhooks" "Show the webhook subscriptions."
    GoAccount "go.account" "Account" "Show who is signed in, and the stores."
    GoInspector "go.inspector" "Inspector" "Show what was said on the wire."
    Help "app.help" "help" "Show every key and what it does; type to search."
    Palette "app.palette" "commands" "Find any command by typing a part of its title."
    Notices "app.notices" "notices" "Show the notices of this session, newest first."
    Themes "app.theme" "theme" "Choose the colours."
    Stores "app.store" "store" "Choose the store to work in."
    Switch "app.switch" "switch" "Go to any store of any profile: type a part of its name."
    Retry "app.retry" "try again" "Try again what failed: the connection, what could not be read, the selected upload (at once in place of later)."
    Reconnect "app.reconnect" "connect again" "Connect to the service again."
    Bundle "app.bundle" "save a bundle" "Save versions, configuration, log, exchanges and findings as one archive, for support; what is in it is shown first."
    Redraw "app.redraw" "redraw" "Paint the whole screen again."
    Suspend "app.suspend" "suspend" "Hand the terminal back to the shell; `fg` comes back."
    CommandLine "record.last" "command line" "Show what was done last as the command line that does the same, to copy it."
    CommandLines "record.log" "command lines" "Show what was done in this session as command lines, to copy one."
    Record "record.toggle" "record" "Record what is done as a script; again, end the recording and save the script."
    Quit "app.quit" "quit" "Leave Cutaway."
    Back "app.back" "back" "Go back one thing: close what is open, never quit."
    Open "app.open" "open" "Open what is selected."
    Copy "app.copy" "copy" "Copy the id, the address or the JSON of what is selected."
    Address "app.address" "address" "Open the address of what is selected, or show it where nothing can be opened."
    Mark "app.mark" "mark" "Mark what is selected, or take its mark away; switch it on or off."
    Up "move.up" "up" "Move up."
    Down "move.down" "down" "Move down."
    Left "move.left" "left" "Move left."
    Right "move.right" "right" "Move right."
    PageUp "move.page_up" "page up" "Move up by a page."
    PageDown "move.page_down" "page down" "Move down by a page."
    Home "move.home" "first" "Move to the first."
    End "move.end" "last" "Move to the last that was read."
    NextPane "move.next_pane" "next pane" "Move to the next pane or field."
    PreviousPane "move.previous_pane" "previous pane" "Move to the previous pane or field."
    Search "products.search" "search" "Search titles and tags as you type: the beginnings of words, all of them."
    Filter "products.filter.open" "filters" "Choose what to show: type, category, tags, stock, dates, ids, SKUs, names, published."
    FilterChips "products.filter.chips" "chips" "Move to the filters in use, to take one away."
    FilterClear "products.filter.clear" "clear filters" "Take every filter away."
    Published "products.filter.published" "published only" "Show published products only, or all."
    Sort "products.sort" "sort" "Choose the order of the products."
    Refresh "products.refresh" "refresh" "Ask the service for the products again."
    NextTab "products.tab.next" "next tab" "Show the next tab of the product."
    PreviousTab "products.tab.previous" "previous tab" "Show the previous tab of the product."
    MarkRange "products.mark.range" "mark to here" "Mark every product from the last mark to this one."
    MarkAll "products.mark.all" "mark all" "Mark every product found, also those that were not read yet, or take all marks away."
    Export "products.export" "export" "Write the marked products, or all found, to a CSV, NDJSON or JSON file."
    ExportStop "products.export.stop" "stop the export" "Stop the export that is under way; no file is left."
    VideosFilter "videos.filter" "filter" "Show the videos whose name holds what you type."
    VideosShow "videos.show" "filters" "Choose which videos are shown: used by a step or by none, new, without a still picture."
    VideosSort "videos.sort" "sort" "Change the order of the videos: newest, oldest, by name, largest."
    VideosRefresh "videos.refresh" "refresh" "Read the library again, and where its videos are used."
    VideosUpload "videos.upload" "upload" "Choose files of this machine and upload them; dropped and pasted paths do the same."
    VideosRegister "videos.register" "add address" "Register a video by its address."
    VideosCaptions "videos.captions" "captions" "Show the captions of the video, or add a WebVTT file of them."
    VideosDelete "videos.delete" "delete" "Delete the video, after showing which steps use it."
    VideosPreview "videos.preview" "preview" "Show the video's poster on the whole screen; with ffmpeg its frames, too."
    VideosThumbnails "videos.thumbnails" "posters" "Show a poster beside each video of the library, or not."
    UploadPause "videos.uploads.pause" "pause" "Pause the upload that is selected, or go on with it."
    UploadCancel "videos.uploads.cancel" "cancel" "Cancel the upload that is selected; one that has ended is taken off the list."
    UploadEarlier "videos.uploads.earlier" "order" "Move the upload up in the queue."
    UploadLater "videos.uploads.later" "later" "Move the upload down in the queue."
    UploadClear "videos.uploads.clear" "clear" "Take the uploads that have ended off the list."
    UploadLimit "videos.uploads.limit" "limit" "Limit how fast all uploads together go."
    UploadAtOnce "videos.uploads.at-once" "at once" "Choose how many uploads are sent at once."
    StepsFind "steps.find" "find" "Find a step by its names, texts and video."
    StepsKinds "steps.kinds" "kinds" "Go to a step by what stands out about it: what is wrong, where the video ends, what was edited; type a part of it."
    StepsLabels "steps.jump" "jump" "Show letters over the cards and go where they say."
    StepsPlaceBack "steps.place.back" "place before" "Go back to the place you were at before."
    StepsPlaceForward "steps.place.forward" "place after" "Go forth again through the places you were at."
    StepsWire "steps.wire" "wire" "Choose where the selected answer leads; the line is shown before it is kept."
    StepsAnswer "steps.answer.add" "answer" "Add an answer to the step."
    StepsAnswerText "steps.answer.text" "reword" "Change what the selected answer says."
    StepsMoveUp "steps.move.up" "move up" "Move the selected answer, or the step in the order, one place up."
    StepsMoveDown "steps.move.down" "move down" "Move the selected answer, or the step in the order, one place down."
    StepsNew "steps.new" "new step" "Make a new step; from an answer that leads nowhere, where it leads."
    StepsInsert "steps.insert" "insert step" "Put a new step between the selected answer and where it leads."
    StepsDuplicate "steps.duplicate" "duplicate" "Make a copy of the step with its answers."
    StepsVideo "steps.video" "video" "Choose the step's video from the library."
    StepsUpload "steps.upload" "upload here" "Choose a file of this machine and upload it as the step's video; the step has it once it has arrived."
    StepsPreview "steps.preview" "preview" "Show the poster of the step's video on the whole screen; with ffmpeg its frames, too."
    StepsReplace "steps.replace" "replace" "Find a text in all texts and put another in its place, shown before it is done."
    StepsRename "steps.rename" "rename" "Change the project's name."
    StepsEditor "steps.editor" "editor" "Change the text in the editor of your choice (VISUAL or EDITOR)."
    StepsUndo "steps.undo" "undo" "Take the last edit back."
    StepsRedo "steps.redo" "redo" "Make the edit again that was taken back last."
    StepsHistory "steps.history" "history" "Show every edit of the draft, and go to any of them."
    StepsSave "steps.save" "save" "Show the plan of what would be written to the service, and write it."
    StepsDiscard "steps.discard" "discard the draft" "Throw the draft away; the service keeps the project as it is."
    StepsPlay "steps.play" "play" "Walk the project as a viewer does, from its first step."
    StepsPlayHere "steps.play.here" "play from here" "Walk the project as a viewer does, from the selected step."
    StepsUnwalked "steps.unwalked" "next unwalked" "Go to the next answer that no walk has given, by the fewest answers."
    StepsWays "steps.ways" "ways" "Show how many ways lead through the project, the shortest, the longest, and what no walk has covered."
    StepsNextFinding "steps.finding.next" "next finding" "Go to the next thing that is wrong."
    StepsPreviousFinding "steps.finding.previous" "finding before" "Go to the thing before that is wrong."
    StepsMend "steps.finding.mend" "mend" "Mend the chosen finding, where there is a mend."
    StepsMeant "steps.finding.meant" "meant so" "Mark the chosen finding as meant: it is not shown any more."
    StepsExport "steps.export" "export" "Write the project to a file: TOML, JSON, Markdown, Mermaid, DOT or SVG."
    StepsPlayer "steps.player" "player settings" "Change how the player looks and what it asks: colors, logo, language, form, end screen."
    StepsEmbed "steps.embed" "embed" "Copy the HTML that puts the player into a page of a shop."
    StepsRefresh "steps.refresh" "refresh" "Read the project from the service again; what you edited stays."
    StepsOutline "steps.outline" "outline" "Show the steps as an outline, or as a graph."
    StepsZoom "steps.zoom" "zoom" "Show less of every step, then the whole cards again."
    StepsZoomIn "steps.zoom.in" "zoom in" "Show more of every step."
    StepsZoomOut "steps.zoom.out" "zoom out" "Show less of every step."
    StepsFit "steps.fit" "fit all" "Show as much of every step as lets all of them be seen."
    StepsCentre "steps.centre" "centre" "Bring the selected step to the middle."
    StepsTidy "steps.tidy" "tidy" "Lay the graph out anew around the selected step; again takes it back."
    StepsPanLeft "steps.pan.left" "pan left" "Look further left."
    StepsPanRight "steps.pan.right" "pan right" "Look further right."
    StepsPanUp "steps.pan.up" "pan up" "Look further up."
    StepsPanDown "steps.pan.down" "pan down" "Look further down."
    ProjectsSearch "projects.search" "search" "Find a project by letters of its name, in their order; an id finds it too."
    ProjectsFilter "projects.filter" "filters" "Choose which projects are shown: of a folder, changed of late, with edits that are not saved, without steps."
    ProjectsSort "projects.sort" "sort" "Order the projects by name, or by when they were changed last."
    ProjectsFold "projects.fold" "fold all" "Fold every folder, or unfold them all."
    ProjectsRefresh "projects.refresh" "refresh" "Ask the service for the projects and folders again."
    ProjectCreate "projects.create" "new" "Create a project."
    ProjectRename "projects.rename" "rename" "Give the project another name."
    ProjectMove "projects.move" "move" "Move the project to a folder, known or new, or out of its folder."
    ProjectEmails "projects.emails" "e-mails" "Say who is told of the project by e-mail."
    ProjectOrder "projects.order" "order steps" "Put the steps of the project in another order."
    ProjectOrderUp "projects.order.up" "step up" "While steps are put in order: move the selected one up."
    ProjectOrderDown "projects.order.down" "step down" "While steps are put in order: move the selected one down."
    ProjectDuplicate "projects.duplicate" "duplicate" "Copy the project with all its steps, wired alike; or decide about a copy that stopped."
    ProjectDelete "projects.delete" "delete" "Delete the project with its steps, once its name was typed."
    ProjectCode "projects.qr" "QR code" "Show the player's address as a QR code, for a telephone."
    ProjectEmbed "projects.embed" "embed" "Copy the HTML that puts the player into a page of a shop."
    Facets "products.facets" "analysis" "Show in the list what the analysis says: gender, type, age and price range."
    Summary "products.facets.summary" "sum up" "Sum up what was found by what the analysis says."
    AnalysisLimit "products.analysis.limit" "analysis time limit" "Choose how long the service may wait for an analysis."
    ListWider "products.split.wider" "wider list" "Give the list more of the width, and the open product less."
    ListNarrower "products.split.narrower" "narrower list" "Give the list less of the width, and the open product more."
    SaveSearch "products.search.save" "save search" "Keep this search under a name, for this store."
    SavedSearches "products.search.saved" "searches" "Use a search that was saved, or one used of late."
    ForgetSearch "products.search.forget" "forget a search" "Forget a search that was saved."
    Compare "products.compare" "compare" "Show the two marked products side by side, with what differs."
    Thumbnails "products.thumbnails" "thumbnails" "Show a small picture beside every product of the list, or none."
    FullPicture "products.picture.full" "view picture" "Show the picture on the whole screen; any key comes back."
    Pictures "app.pictures" "pictures" "Show pictures, or none."
    AccountNew "account.new" "new profile" "Make a profile: a service, its stores, its guards."
    AccountEdit "account.edit" "change" "Change the selected profile."
    AccountRename "account.rename" "rename" "Give the selected profile another name; its credential, drafts and uploads go with it."
    AccountSignIn "account.sign_in" "sign in" "Sign in to the selected profile: by key, by a code on any device, in a browser."
    AccountSignOut "account.sign_out" "sign out" "Forget the credential of the selected profile, and keep the profile."
    AccountDefault "account.default" "open first" "Open the selected profile when none is named."
    WebhookNew "webhooks.new" "subscribe" "Subscribe an address to an event."
    WebhookSearch "webhooks.search" "search" "Search the subscriptions by address, event and id."
    WebhookEvent "webhooks.event" "event" "Show the subscriptions of the next event only, or of all."
    WebhookRefresh "webhooks.refresh" "refresh" "Ask the service for the subscriptions and deliveries again."
    WebhookPing "webhooks.ping" "ping" "Send the subscription a message that says nothing, to try it."
    WebhookRedeliver "webhooks.redeliver" "deliver again" "Make the selected delivery once more."
    WebhookDelete "webhooks.delete" "delete" "Delete the selected subscription, after asking."
    WebhookEnable "webhooks.enable" "switch on" "Switch on the selected subscription, which was switched off because it failed."
    WebhookRotate "webhooks.rotate_secret" "new secret" "Replace the secret of the selected subscription; the old one signs for a day too."
    WebhookDisable "webhooks.disable" "switch off" "Switch off the selected subscription until you switch it on again."
    WebhookSecret "webhooks.secret" "secret" "Copy what the deliveries of the subscription are signed with."
    WebhookListen "webhooks.listen" "listen" "Receive events on this machine, verified, or stop it."
    InspectorSearch "inspector.search" "search" "Search the exchanges, or the one that is open."
    InspectorFilter "inspector.filter" "only" "Show only what failed, what was slow, what is not as specified, or all."
    InspectorFindings "inspector.findings" "not as specified" "Sum up by field what the service sent otherwise than the specification has it."
    InspectorDifference "inspector.difference" "difference" "Show what is different from the marked answer to the selected one."
    InspectorAgain "inspector.again" "send again" "Send the selected request again, where it only reads."
    InspectorSave "inspector.save" "save" "Save the exchanges that are shown as an HTTP archive (HAR), without their secrets."
    InspectorClear "inspector.clear" "forget all" "Forget every exchange."
    Remove "app.remove" "take away" "Take away what is selected: a filter, a value."
    PreviewSecondBack "preview.second.back" "second back" "Show the frame of a second before."
    PreviewSecondOn "preview.second.on" "second on" "Show the frame of a second later."
    PreviewFrameBack "preview.frame.back" "frame back" "Show the frame before."
    PreviewFrameOn "preview.frame.on" "frame on" "Show the next frame."
    PreviewFirst "preview.first" "first frame" "Show the first frame."
    PreviewLast "preview.last" "last frame" "Show the last frame."
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

    /// The command of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|command| command.name() == name)
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
