//! Style sheets and scripts without what only their authors read: comments and indentation; and modules in one script, so
//! that the page asks once. What is sent before Play has a limit, and films make better use of it.

/// A script without its lines of comments and without indentation. The player's scripts have no text that goes over
/// several lines; a test holds them to it.
pub(crate) fn script(text: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    lines.fold(String::with_capacity(text.len()), |out, line| out + line + "\n")
}

/// Modules as one script, each a function that returns what it exports. Each stands behind those that it imports; imports
/// and exports begin a line, and nothing that is exported is set again later.
pub(crate) fn bundle(modules: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, text) in modules {
        let text = script(text);
        let (mut body, mut exported) = (String::new(), Vec::new());
        for line in text.lines() {
            if let Some((what, from)) = line.strip_prefix("import ").and_then(|line| line.split_once(" from ")) {
                let what = what.strip_prefix("* as ").unwrap_or(what);
                body.extend(["const ", what, " = ", &variable(from), ";\n"]);
                continue;
            }
            let declared = line.strip_prefix("export ").inspect(|declared| exported.extend(declared_name(declared)));
            body.extend([declared.unwrap_or(line), "\n"]);
        }
        let exported = exported.join(", ");
        out.extend(["const ", &variable(name), " = (() => {\n", &body, "return { ", &exported, " };\n})();\n"]);
    }
    out
}

/// What a module is called in the bundle: `./host.js` is `host_js`.
fn variable(name: &str) -> String {
    name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).replace('.', "_")
}

/// The name in a declaration such as `async function NAME(`.
fn declared_name(declared: &str) -> Option<&str> {
    let words = declared.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.into_iter().find(|word| !["async", "function", "const", "let"].contains(word))
}

/// A style sheet without comments, and with blanks only where they mean something.
pub(crate) fn style(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    let one_line = out.split_whitespace().collect::<Vec<_>>().join(" ");
    // A blank before a colon or a dot belongs to a selector, and stays.
    let tight = [" {", "{ ", " }", "} ", "; ", ", "].into_iter();
    tight.fold(one_line, |text, wide| text.replace(wide, wide.trim())).replace(";}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_nothing_else() {
        assert_eq!(
            script("// Why.\nfunction a() {\n  return 1; // one\n}\n\n/* ---- b ---- */\n"),
            "function a() {\nreturn 1; // one\n}\n"
        );
        let sheet =
            "/* Why. */\n.a :is(.b, .c) {\n  color: red;\n  margin: 0 auto;\n}\n@media print { .d { top: 0; } }\n";
        assert_eq!(style(sheet), ".a :is(.b,.c){color: red;margin: 0 auto}@media print{.d{top: 0}}");
    }

    #[test]
    fn modules_become_one_script() {
        let host = "// Says.\nexport const one = 1;\nexport async function two() {\n  return one;\n}\n";
        let page = "import { one } from \"./host.js\";\nimport * as all from \"./host.js\";\nall.two(one);\n";
        let bundled = "const host_js = (() => {\nconst one = 1;\nasync function two() {\nreturn one;\n}\nreturn { one, two };\n})();\n\
            const page_js = (() => {\nconst { one } = host_js;\nconst all = host_js;\nall.two(one);\nreturn {  };\n})();\n";
        assert_eq!(bundle(&[("host.js", host), ("page.js", page)]), bundled);
    }

    #[test]
    fn no_text_of_a_script_goes_over_several_lines() {
        for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/player")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "js") {
                for line in std::fs::read_to_string(&path).unwrap().lines() {
                    assert!(
                        line.matches('`').count().is_multiple_of(2) && !line.ends_with('\\'),
                        "{}: {line}",
                        path.display()
                    );
                }
            }
        }
    }
}
