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
    AccountNew "account.new" "new profile" "Make a profile: a service, its stores, its guards."
    AccountEdit "account.edit" "change" "Change the selected profile."
    AccountSignIn "account.sign_in" "sign in" "Sign in to the selected profile: by key, by a code on any device, in a browser."
    AccountSignOut "account.sign_out" "sign out" "Forget the credential of the selected profile, and keep the profile."
    AccountDefault "account.default" "open first" "Open the selected profile when none is named."
    WebhookNew "webhooks.new" "subscribe" "Subscribe an address to an event."
    WebhookSearch "webhooks.search" "search" "Search the subscriptions by address, event and id."
    WebhookEvent "webhooks.event" "event" "Show the subscriptions of the next event only, or of all."
    WebhookRefresh "webhooks.refresh" "refresh" "Ask the service for the subscriptions and deliveries again."
    WebhookPing "webhooks.ping" "ping" "Send the subscription a message that says nothing, to try it."
    WebhookRedeliver "webhooks.redeliver" "deliver again" "Make the selected delivery once more."
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
