//! What people ask agents for most, in words that lead to a good end: they appear in the agent's own program.

use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};

struct Written {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Name, what it is, whether it has to be there.
    takes: &'static [(&'static str, &'static str, bool)],
    /// With `{name}` where an argument goes.
    text: &'static str,
}

const PROMPTS: [Written; 3] = [
    Written {
        name: "build_product_finder",
        title: "Build a product finder",
        about: "A new project that leads viewers by questions to products of the store",
        takes: &[
            ("topic", "What viewers look for: gifts, winter boots", true),
            ("steps", "How many steps at most; 7 if omitted", false),
        ],
        text: "Build an interactive video project that helps viewers find {topic}, with at most {steps} steps.\n\n\
            1. Look at the catalog: search_products for {topic}, with the fields title, productType, tags and price. Note what \
            separates the products: who they are for, what they are used for, what they cost.\n\
            2. Look at list_videos. Use only videos that are there; a step without a fitting one stays without a video, and \
            you say which.\n\
            3. Write a project file: a first question, two to four answers each, no path longer than four steps, every path ends \
            at a step that shows products (store, productId). Texts are short enough to read over a video.\n\
            4. import_project, then check_project. Fix what it finds with plan_project and apply_project.\n\
            5. Say what you built, step by step, with the project's player address, and what is missing.",
    },
    Written {
        name: "review_project",
        title: "Review a project",
        about: "Find and fix what is wrong with a project, after showing the changes",
        takes: &[("projectId", "The project's ID", true)],
        text: "Review the project {projectId}.\n\n\
            1. get_project and check_project. Read the texts as a viewer who is new to the shop.\n\
            2. List what is wrong, the worst first: answers that lead nowhere, steps nobody reaches, steps without a video, \
            questions that can't be answered from what was seen, paths that end without products, spelling.\n\
            3. export_project, write the improved file, and show what plan_project says about it. Change nothing yet.\n\
            4. Ask which of the changes are wanted. Then apply_project, and check_project again.",
    },
    Written {
        name: "explain_funnel",
        title: "Explain what viewers do",
        about: "Where viewers of a project leave, what they choose and buy, and what to try next",
        takes: &[("projectId", "The project's ID", true), ("since", "The first day to count; 30d if omitted", false)],
        text: "Explain what viewers did in the project {projectId} since {since}.\n\n\
            1. get_project for the texts, get_funnel for the figures.\n\
            2. Say where most viewers leave, which answers are chosen and which never, and what was bought after which path. \
            Where low and high of a share lie far apart, say that there are too few visits to tell.\n\
            3. Suggest at most three changes, each with the figure that supports it and how to see whether it helped. Change \
            nothing.",
    },
];

/// What stands for an argument that was left out.
const USUAL: [(&str, &str); 2] = [("steps", "7"), ("since", "30d")];

/// All of them.
pub(super) fn list() -> Vec<Prompt> {
    let of = |prompt: &Written| {
        let argument = |(name, about, needed): &(&str, &str, bool)| {
            PromptArgument::new(*name).with_description(*about).with_required(*needed)
        };
        let takes = prompt.takes.iter().map(argument).collect();
        Prompt::new(prompt.name, Some(prompt.about), Some(takes)).with_title(prompt.title)
    };
    PROMPTS.iter().map(of).collect()
}

/// One, with its arguments in it.
pub(super) fn get(name: &str, arguments: Option<&Map<String, Value>>) -> Result<GetPromptResult, ErrorData> {
    let wrong = |why: String| ErrorData::invalid_params(why, None);
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let known: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        return Err(wrong(format!("there is no prompt {name:?}; available: {}", known.join(", "))));
    };
    let mut text = prompt.text.to_owned();
    for (argument, about, needed) in prompt.takes {
        let given = arguments.and_then(|arguments| arguments.get(*argument)?.as_str()).map(str::trim);
        let usual = USUAL.iter().find(|(known, _)| known == argument).map(|(_, usual)| *usual);
        let value = given.filter(|given| !given.is_empty()).or(usual.filter(|_| !needed));
        let Some(value) = value else { return Err(wrong(format!("{argument} is required and missing: {about}"))) };
        text = text.replace(&format!("{{{argument}}}"), value);
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(prompt.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::mcp::tools;

    #[test]
    fn prompts_name_tools_that_there_are_and_leave_no_gap() {
        for prompt in &PROMPTS {
            let given = prompt.takes.iter().map(|(name, _, _)| ((*name).to_owned(), Value::from("given")));
            let told = get(prompt.name, Some(&given.collect())).unwrap();
            let text = serde_json::to_string(&told.messages).unwrap();
            assert!(!text.contains('{') || !text.contains("{topic}"), "{text}");
            let words = prompt.text.split(|c: char| !c.is_ascii_lowercase() && c != '_');
            let named: Vec<&str> = words.filter(|word| word.contains('_')).collect();
            assert!(named.len() >= 2 && named.iter().all(|name| tools::named(name).is_some()), "{named:?}");
        }
        assert!(get("review_project", None).unwrap_err().message.contains("projectId"));
        assert!(get("no_such", None).unwrap_err().message.contains("review_project"));
    }
}
