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
    Reconnect "app.reconnect" "connect again" "Connect to the service again."
    Redraw "app.redraw" "redraw" "Paint the whole screen again."
    Suspend "app.suspend" "suspend" "Hand the terminal back to the shell; `fg` comes back."
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
    Retry "products.retry" "retry" "Ask again for what could not be read."
    NextTab "products.tab.next" "next tab" "Show the next tab of the product."
    PreviousTab "products.tab.previous" "previous tab" "Show the previous tab of the product."
    MarkRange "products.mark.range" "mark to here" "Mark every product from the last mark to this one."
    MarkAll "products.mark.all" "mark all" "Mark every product that was read, or take all marks away."
    Export "products.export" "export" "Write the marked products, or all found, to a CSV, NDJSON or JSON file."
    ExportStop "products.export.stop" "stop the export" "Stop the export that is under way; no file is left."
    VideosFilter "videos.filter" "filter" "Show the videos whose name holds what you type."
    VideosSort "videos.sort" "sort" "Change the order of the videos: newest, oldest, by name, largest."
    VideosRefresh "videos.refresh" "refresh" "Read the library again, and where its videos are used."
    VideosUpload "videos.upload" "upload" "Choose files of this machine and upload them; dropped and pasted paths do the same."
    VideosRegister "videos.register" "add address" "Register a video by its address."
    VideosDelete "videos.delete" "delete" "Delete the video, after showing which steps use it."
    UploadPause "videos.uploads.pause" "pause" "Pause the upload that is selected, or go on with it."
    UploadCancel "videos.uploads.cancel" "cancel" "Cancel the upload that is selected; one that has ended is taken off the list."
    UploadRetry "videos.uploads.retry" "retry" "Send the upload again that failed or was cancelled, or at once in place of later."
    UploadEarlier "videos.uploads.earlier" "order" "Move the upload up in the queue."
    UploadLater "videos.uploads.later" "later" "Move the upload down in the queue."
    UploadClear "videos.uploads.clear" "clear" "Take the uploads that have ended off the list."
    UploadLimit "videos.uploads.limit" "limit" "Limit how fast all uploads together go."
    Remove "app.remove" "take away" "Take away what is selected: a filter, a value."
}

impl Command {
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
