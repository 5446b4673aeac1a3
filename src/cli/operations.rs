//! Which command ends in which operation. An operation without one does not compile.

use super::call::Call;
use super::{assets, products, projects, steps, videos, webhooks, whoami};
use crate::api::{self, Operation as _, Row, each_operation};

/// All of them, each group as it says it.
const CALLS: [&[Call]; 7] = [
    &products::CALLS,
    &projects::CALLS,
    &steps::CALLS,
    &videos::CALLS,
    &assets::CALLS,
    &webhooks::CALLS,
    &whoami::CALLS,
];

/// Operations that no command is for.
const WITHOUT_COMMAND: [Row; 2] = [
    // The client exchanges keys.
    api::ExchangeKey::ROW,
    // Another way to do what `projects show` does.
    api::GetProjectByPost::ROW,
];

macro_rules! commanded {
    ($( $operation:ident )*) => { $(
        const _: () = assert!(
            is_called(&CALLS, &WITHOUT_COMMAND, &api::$operation::ROW),
            concat!(
                stringify!($operation),
                " has no command: add one to the CALLS of its group in src/cli, or name it in WITHOUT_COMMAND",
            ),
        );
    )* };
}
each_operation!(commanded);

const fn is_called(mut groups: &[&[Call]], mut without: &[Row], row: &Row) -> bool {
    while let [group, rest @ ..] = groups {
        let mut calls = *group;
        while let [(_, called), others @ ..] = calls {
            if called.is(row) {
                return true;
            }
            calls = others;
        }
        groups = rest;
    }
    while let [other, rest @ ..] = without {
        if other.is(row) {
            return true;
        }
        without = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn what_ends_in_an_operation_is_a_command() {
        let root = Cli::command();
        for (words, row) in CALLS.into_iter().flatten() {
            let found = words.split(' ').try_fold(&root, |command, word| command.find_subcommand(word));
            assert!(found.is_some_and(|command| !command.has_subcommands()), "{words}: {}", row.name);
        }
    }
}
