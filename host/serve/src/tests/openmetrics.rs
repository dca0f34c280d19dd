//! A strict parser of the OpenMetrics text format, for the kinds of metrics that the service exports.

use std::collections::{BTreeMap, HashSet};

/// A family of metrics, as its `# TYPE` line declares it.
struct Family<'a> {
    name: &'a str,
    kind: &'a str,
}

/// Parses a whole export. Returns the value of each series, by its name and its labels in alphabetical order.
#[track_caller]
pub fn parse(text: &str) -> BTreeMap<String, f64> {
    let text = text.strip_suffix("# EOF\n").expect("the last line is # EOF");
    let (mut family, mut declared) = (Family { name: "", kind: "" }, HashSet::new());
    let mut series = BTreeMap::new();
    for line in text.strip_suffix('\n').unwrap().split('\n') {
        if let Some(comment) = line.strip_prefix("# ") {
            let [keyword, name, rest] = comment.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            assert!(declared.insert((keyword, name)), "twice: {line}");
            match keyword {
                "HELP" => assert!(!rest.is_empty() && !rest.contains('\\'), "{line}"),
                "TYPE" => family = Family { name, kind: rest },
                "UNIT" => assert!(name.ends_with(&format!("_{rest}")), "{line}"),
                _ => panic!("{line}"),
            }
            assert!(is_name(name), "{line}");
        } else {
            let (name, value) = sample(line, &family);
            assert!(series.insert(name, value).is_none(), "twice: {line}");
        }
    }
    check_histograms(&series);
    series
}

/// Parses the line of a sample, which must belong to the family.
fn sample(line: &str, family: &Family<'_>) -> (String, f64) {
    let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
    let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
    let (name, labels) = series.split_once('{').map_or((series, None), |(name, labels)| {
        (name, Some(labels.strip_suffix('}').unwrap_or_else(|| panic!("{line}"))))
    });
    let suffix = name.strip_prefix(family.name).unwrap_or_else(|| panic!("{line}"));
    let suffixes: &[&str] = match family.kind {
        "counter" => &["_total"],
        "gauge" => &[""],
        "histogram" => &["_bucket", "_sum", "_count"],
        _ => panic!("{line}"),
    };
    assert!(suffixes.contains(&suffix) && is_name(name), "{line}");
    assert!(family.kind == "gauge" || value >= 0.0, "{line}");
    let mut labels: Vec<_> = labels.into_iter().flat_map(|labels| labels.split(',')).collect();
    labels.sort();
    for label in &labels {
        let (label, value) = label.split_once('=').unwrap_or_else(|| panic!("{line}"));
        let value = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let is_plain = |it: &str| !it.contains(['"', '\\', '{', '}']);
        assert!(is_name(label) && value.is_some_and(is_plain), "{line}");
    }
    let labels =
        if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    (format!("{name}{labels}"), value)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Asserts that the buckets of a histogram grow with their bounds, and that the last one counts everything.
fn check_histograms(series: &BTreeMap<String, f64>) {
    let mut buckets: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for (name, &count) in series {
        if let Some((start, rest)) = name.split_once("_bucket{le=\"") {
            let (bound, rest) = rest.split_once('"').unwrap();
            let bound = bound.replace("+Inf", "inf").parse().unwrap();
            let labels = rest.trim_start_matches(',');
            let count_name = match labels {
                "}" => format!("{start}_count"),
                _ => format!("{start}_count{{{labels}"),
            };
            buckets.entry(count_name).or_default().push((bound, count));
        }
    }
    for (name, mut buckets) in buckets {
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(buckets.windows(2).all(|two| two[0].1 <= two[1].1), "{name}");
        assert_eq!(buckets.last(), Some(&(f64::INFINITY, series[&name])), "{name}");
    }
}

#[test]
fn wrong_exports_are_noticed() {
    let right = "# HELP a_b Text.\n# TYPE a_b counter\na_b_total{x=\"y\"} 1\n# EOF\n";
    assert_eq!(parse(right)["a_b_total{x=\"y\"}"], 1.0);
    for (part, wrong) in [
        ("# EOF\n", ""),
        ("_total", ""),
        ("counter", "gauge"),
        ("x=\"y\"", "x=y"),
        ("} 1", "} one"),
        ("} 1", "} -1"),
        ("1\n", "1\na_b_total{x=\"y\"} 2\n"),
        ("a_b_total{", "c_total{"),
    ] {
        let text = right.replacen(part, wrong, 1);
        assert!(std::panic::catch_unwind(|| parse(&text)).is_err(), "{text}");
    }
}
