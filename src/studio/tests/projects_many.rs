//! A list of very many projects costs what is seen of it.

use serde_json::Value;

use super::probe::Probe;
use super::projects::project;

/// How long this thread worked so far: a machine that is busy with something else makes no difference.
fn worked() -> std::time::Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(time).unwrap()
}

#[test]
fn ten_thousand_projects_cost_what_is_seen() {
    let many: Vec<Value> = (0..10_000)
        .map(|n| {
            project(
                &format!("p{n}"),
                &format!("Project {n} ünter"),
                &format!("f{}", n % 300),
                n,
                "2026-11-18T12:00:00Z",
            )
        })
        .collect();
    let mut probe = Probe::new(120, 40);
    probe.keys("2").projects(&many);
    assert!(probe.shows("10,000 projects in 300 folders"));
    let began = worked();
    for _ in 0..100 {
        probe.keys("<page_down>").screen();
    }
    let paged = worked().saturating_sub(began) / 100;
    let began = worked();
    probe.keys("/9999");
    assert!(probe.shows("1 of 10,000 projects"));
    let typed = worked().saturating_sub(began) / 5;
    // Generous: it is not optimized here. A list drawn whole takes far longer.
    assert!(paged.as_millis() < 100 && typed.as_millis() < 1_000, "{paged:?} {typed:?}");
    println!("a page: {paged:?}, a letter: {typed:?}");
}
