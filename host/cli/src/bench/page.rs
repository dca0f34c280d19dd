//! The page: a template with the kept figures, which `make report` makes, and in it what was measured here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plot::{Line, bars, lines};
use super::{cell, list, measure, text};

/// Made by tools/report_page.py: styles, kept plots, and a place for ours.
const TEMPLATE: &str = include_str!("page.html");
const PLACE: &str = "<!-- measured -->";

/// The whole page.
pub fn page(seen: &Value) -> String {
    TEMPLATE.replacen(PLACE, &measured(seen), 1)
}

fn measured(seen: &Value) -> String {
    let runs = list(&seen["runs"]);
    let [first, ..] = runs else { return String::new() };
    let threads = first["threads"].as_u64().map(|count| format!(", {count} threads"));
    let quick = if seen["quick"] == true { "; a quick run, whose figures are rough" } else { "" };
    let place = format!(
        "{}; {}{}; proofmill {}{quick}.",
        text(&seen["processor"]),
        text(&first["device"]),
        threads.unwrap_or_default(),
        text(&seen["version"])
    );
    let proof = format!(
        "A proof of {} constraints over {} with a resident key: the fastest of a few.",
        first["proof"]["constraints"],
        text(&first["proof"]["curve"])
    );
    let phases = runs.iter().map(|run| {
        let phases = list(&run["proof"]["phases"]).iter();
        let phases =
            phases.map(|phase| (text(&phase["phase"]), phase["ms"].as_f64().unwrap_or(0.0)));
        let whole = cell(&run["proof"]["ms"], 1);
        bars(
            &format!("{}: {whole} ms, milliseconds by phase", text(&run["path"])),
            &phases.collect::<Vec<_>>(),
        )
    });
    let phases: Vec<_> = phases.collect();
    section("this-machine", "Throughput on this machine", &place, &throughput(runs))
        + &table(runs)
        + &section("phases-of-a-proof", "Phases of a proof on this machine", &proof, &phases)
}

/// A plot an instance, with a line a code path.
fn throughput(runs: &[Value]) -> Vec<String> {
    let mut plots: BTreeMap<(&str, &str), Vec<Line>> = BTreeMap::new();
    for run in runs {
        for row in list(&run["rows"]) {
            let lines = plots.entry((text(&row["instance"]), text(&row["unit"]))).or_default();
            let name = text(&run["path"]);
            if lines.last().is_none_or(|line| line.name != name) {
                lines.push(Line { name, points: Vec::new() });
            }
            let point = row["size"].as_u64().zip(row["per_second"].as_f64());
            lines.last_mut().expect("one was added").points.extend(point);
        }
    }
    let drawn = plots.iter().map(|((instance, unit), drawn)| {
        lines(instance, &format!("{unit} a second, over how many at a time"), drawn)
    });
    drawn.collect()
}

fn section(id: &str, heading: &str, place: &str, plots: &[String]) -> String {
    let figures: String = plots.iter().map(|plot| format!("<figure>{plot}</figure>\n")).collect();
    format!(
        "<h2 id=\"{id}\">{heading}</h2>\n<p>{}</p>\n<div class=\"panels\">{figures}</div>\n",
        escaped(place)
    )
}

fn table(runs: &[Value]) -> String {
    let head: String = runs
        .iter()
        .map(|run| format!("<th>{}, a second</th>", escaped(text(&run["path"]))))
        .collect();
    let mut rows = String::new();
    for (number, row) in list(&runs[0]["rows"]).iter().enumerate() {
        let cells = runs
            .iter()
            .map(|run| format!("<td>{}</td>", cell(&run["rows"][number]["per_second"], 0)));
        let what = format!("{}, {}", measure::name(row), text(&row["unit"]));
        rows += &format!("<tr><td>{}</td>{}</tr>\n", escaped(&what), cells.collect::<String>());
    }
    format!(
        "<details><summary>All rows</summary>\n<div class=\"wide\"><table><tr><th>what</th>{head}</tr>\n{rows}</table></div>\n</details>\n"
    )
}

/// A text for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_has_every_plot_and_nothing_of_elsewhere() {
        let row = |size, rate| json!({ "op": "msm", "instance": "msm (<bn254>)", "unit": "points", "size": size, "per_second": rate });
        let run = |path, factor| {
            let rows = [row(256, 1e5 * factor), row(1024, 3e5 * factor)];
            let phases =
                [json!({ "phase": "MSM A", "ms": 1.5 }), json!({ "phase": "check", "ms": 0.0 })];
            json!({ "path": path, "device": "cpu:", "threads": 2, "rows": rows,
                    "proof": { "curve": "bn254", "constraints": 256, "ms": 1.5, "phases": phases } })
        };
        let runs = [run("avx2", 1.0), run("avx512ifma", 2.0)];
        let page =
            page(&json!({ "version": "1", "processor": "A & B", "quick": true, "runs": runs }));
        assert!(TEMPLATE.contains(PLACE) && !page.contains(PLACE));
        for part in [
            "A &amp; B; cpu:, 2 threads",
            "msm (&lt;bn254&gt;)",
            "class=\"s1\"",
            "MSM A",
            "<td>600000</td>",
            "a quick run",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert_eq!(page.matches("<svg").count(), TEMPLATE.matches("<svg").count() + 3);
        for other in ["src=", "@import", "url(", "<link", "<script"] {
            assert!(!page.contains(other), "{other}");
        }
    }
}
