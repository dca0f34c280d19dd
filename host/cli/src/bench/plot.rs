//! Plots as SVG: lines over the size, both axes logarithmic, and bars. Colours are classes of the page.

use super::page::escaped;

const LEFT: f64 = 56.0;
const TOP: f64 = 72.0;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 190.0;
/// Bars: the width of names, and the height of a bar.
const NAMES: f64 = 90.0;
const BAR: f64 = 20.0;

/// A line with its name: sizes and rates.
pub struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(u64, f64)>,
}

/// Draws lines in one pair of axes.
pub fn lines(title: &str, axes: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut sizes: Vec<u64> = points().map(|point| point.0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let [least, .., most] = sizes[..] else { return lone(title, lines) };
    let values = ticks(
        points().map(|point| point.1).fold(f64::INFINITY, f64::min),
        points().map(|point| point.1).fold(0.0, f64::max),
    );
    let (low, high) = (values[0], values[values.len() - 1]);
    let x =
        |size: u64| WIDTH * (size as f64 / least as f64).ln() / (most as f64 / least as f64).ln();
    let y = |value: f64| HEIGHT * (1.0 - (value / low).ln() / (high / low).ln());
    let mut parts = format!("<text x=\"0\" y=\"34\">{}</text>\n", escaped(axes));
    parts += &legend(lines);
    parts += &format!("<g transform=\"translate({LEFT} {TOP})\">\n");
    for &size in &sizes {
        let x = x(size);
        parts +=
            &format!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{HEIGHT}\"/>");
        parts += &format!(
            "<text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{}</text>\n",
            HEIGHT + 16.0,
            power(size, least)
        );
    }
    for value in values {
        let y = y(value);
        parts +=
            &format!("<line class=\"grid\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        parts +=
            &format!("<text class=\"end\" x=\"-6\" y=\"{:.1}\">{}</text>\n", y + 4.0, short(value));
    }
    for (number, line) in lines.iter().enumerate() {
        let points =
            line.points.iter().map(|&(size, value)| format!("{:.1} {:.1}", x(size), y(value)));
        let points: Vec<_> = points.collect();
        parts += &format!("<path class=\"s{number}\" d=\"M{}\"/>\n", points.join(" L"));
    }
    document(title, LEFT + WIDTH + 30.0, TOP + HEIGHT + 24.0, &(parts + "</g>"))
}

/// Draws bars of the same scale.
pub fn bars(title: &str, values: &[(&str, f64)]) -> String {
    let most = values.iter().map(|value| value.1).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |(number, &(name, value)): (usize, &(&str, f64))| {
        let (y, width) = (30.0 + BAR * number as f64, 230.0 * value / most);
        format!(
            "<text class=\"end\" x=\"{}\" y=\"{}\">{}</text><rect class=\"ours\" x=\"{NAMES}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\"/><text x=\"{:.1}\" y=\"{}\">{}</text>\n",
            NAMES - 8.0,
            y + 13.0,
            escaped(name),
            BAR - 4.0,
            NAMES + width + 6.0,
            y + 13.0,
            figure(value)
        )
    };
    let parts: String = values.iter().enumerate().map(bar).collect();
    document(title, LEFT + WIDTH + 30.0, 36.0 + BAR * values.len() as f64, &parts)
}

/// Formats three digits, or all those before the point.
fn figure(value: f64) -> String {
    let digits = match value {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.digits$}")
}

/// Draws bars instead of lines where there is only one size.
fn lone(title: &str, lines: &[Line]) -> String {
    let first = |line: &Line| line.points.first().map_or(0.0, |point| point.1);
    bars(title, &lines.iter().map(|line| (line.name, first(line))).collect::<Vec<_>>())
}

fn legend(lines: &[Line]) -> String {
    let mut right = LEFT;
    let mut entry = |(number, line): (usize, &Line)| {
        let text = format!(
            "<text class=\"s{number} title\" x=\"{right}\" y=\"54\">{}</text>\n",
            escaped(line.name)
        );
        right += 8.0 * line.name.len() as f64 + 16.0;
        text
    };
    lines.iter().enumerate().map(&mut entry).collect()
}

fn document(title: &str, width: f64, height: f64, parts: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title>\n<text class=\"title\" x=\"0\" y=\"16\">{title}</text>\n{parts}</svg>"
    )
}

/// Returns 1, 2, 5, 10, ... around two values; for a wide range only the powers of ten.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let digits: &[f64] = if most / least > 50.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let steps =
        (-3..13).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
    let steps: Vec<f64> = steps.collect();
    let low = steps.iter().rposition(|step| *step <= least).unwrap_or(0);
    let high = steps.iter().position(|step| *step >= most).unwrap_or(steps.len() - 1);
    steps[low..=high.max(low + 1)].to_vec()
}

/// Formats a number in at most four places.
fn short(value: f64) -> String {
    match value {
        1e9.. => format!("{}G", value / 1e9),
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        _ => format!("{value}"),
    }
}

/// Formats a size; where all are large, as a power of two.
fn power(size: u64, least: u64) -> String {
    match least >= 256 {
        true => format!("2<tspan dy=\"-4\" font-size=\"9\">{}</tspan>", size.ilog2()),
        false => size.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_surround_what_they_are_for() {
        for (least, most) in [(1.0, 1.0), (0.7, 3.0), (120.0, 4e5), (1e6, 1e6), (3e8, 2e9)] {
            let ticks = ticks(least, most);
            assert!(
                ticks.len() >= 2 && ticks[0] <= least && ticks[ticks.len() - 1] >= most,
                "{ticks:?}"
            );
        }
        assert_eq!([1500.0, 2e6, 1e9, 0.5].map(short), ["1.5k", "2M", "1G", "0.5"]);
    }
}
