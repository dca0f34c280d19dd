//! The two kinds of rows of figures. Their fields are a contract with the readers of the files.

use serde::Serialize;

use crate::place::Place;

/// A measurement of our software and of a peer in the same run.
#[derive(Clone, Debug, Serialize)]
pub struct SoftwareRow {
    /// The operation.
    pub op: String,
    /// Its instance by its name in `spec`, such as "equihash_200_9".
    pub instance: String,
    /// The measured quantity.
    pub metric: String,
    /// The unit.
    pub unit: String,
    /// Threads of each side.
    pub threads: usize,
    /// Our figure.
    pub ours: f64,
    /// The peer: name, version, mode.
    pub peer_name: String,
    /// The peer's figure; NaN, and therefore null in files, for an absent peer. The same holds for the ratio.
    pub peer: f64,
    /// Our speed divided by the peer's, whether the figures are rates or times.
    pub ratio: f64,
    /// The reason of an absent peer: the failure of its build or its run.
    pub absent: Option<String>,
}

/// A row with its place, as in files.
#[derive(Clone, Debug, Serialize)]
pub struct Placed<'a> {
    /// The row.
    #[serde(flatten)]
    pub row: &'a SoftwareRow,
    /// The place.
    #[serde(flatten)]
    pub place: &'a Place,
}

/// A figure of a circuit with the published one.
#[derive(Clone, Debug, Serialize)]
pub struct HardwareRow {
    /// The operation.
    pub op: String,
    /// Its instance.
    pub instance: String,
    /// The circuit's configuration.
    pub config: String,
    /// The measured quantity.
    pub metric: String,
    /// The unit.
    pub unit: String,
    /// Our figure.
    pub value: f64,
    /// The published figure, where there is one.
    pub published: Option<f64>,
    /// The publisher.
    pub published_by: Option<String>,
    /// The origin of our figure.
    pub kind: Kind,
}

/// The origin of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Measured in a run.
    Measured,
    /// Computed from smaller runs.
    Extrapolated,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(row: impl Serialize) -> Vec<String> {
        let row = serde_json::to_value(row).unwrap();
        row.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn rows_have_the_agreed_keys() {
        let (op, instance, metric, unit) =
            ("o".to_string(), "i".to_string(), "m".to_string(), "u".to_string());
        let software = SoftwareRow {
            op: op.clone(),
            instance: instance.clone(),
            metric: metric.clone(),
            unit: unit.clone(),
            threads: 1,
            ours: 2.0,
            peer_name: "p".into(),
            peer: 1.0,
            ratio: 2.0,
            absent: None,
        };
        let figure = [
            "op",
            "instance",
            "metric",
            "unit",
            "threads",
            "ours",
            "peer_name",
            "peer",
            "ratio",
            "absent",
        ];
        assert_eq!(keys(&software), figure);
        let place = ["processor", "vendor", "family", "model", "flags", "isa", "profile", "commit"];
        let placed = Placed { row: &software, place: &Place::current().unwrap() };
        assert_eq!(keys(placed), [&figure[..], &place[..]].concat());
        let hardware = HardwareRow {
            op,
            instance,
            config: "c".into(),
            metric,
            unit,
            value: 1.0,
            published: None,
            published_by: None,
            kind: Kind::Measured,
        };
        assert_eq!(serde_json::to_value(&hardware).unwrap()["kind"], "measured");
        let expected = [
            "op",
            "instance",
            "config",
            "metric",
            "unit",
            "value",
            "published",
            "published_by",
            "kind",
        ];
        assert_eq!(keys(hardware), expected);
    }
}
