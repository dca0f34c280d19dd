//! The two kinds of rows that figures consist of. Their fields are a contract with whoever reads the files.

use serde::Serialize;

use crate::place::Place;

/// Our software beside somebody else's, both measured in the same run.
#[derive(Clone, Debug, Serialize)]
pub struct SoftwareRow {
    /// The operation.
    pub op: String,
    /// Its instance by its name in `spec`, such as "equihash_200_9".
    pub instance: String,
    /// What is counted.
    pub metric: String,
    /// In what.
    pub unit: String,
    /// Threads that each side had.
    pub threads: usize,
    /// Our figure.
    pub ours: f64,
    /// Whose figure it is compared with: name, version, mode.
    pub peer_name: String,
    /// The peer's figure; not a number, and so null in files, of a peer that is absent. The ratio then is the same.
    pub peer: f64,
    /// How many times faster than the peer we are, whether the figures are rates or times.
    pub ratio: f64,
    /// Why the peer has no figure: what failed when it was built or run.
    pub absent: Option<String>,
}

/// A row with the place that it was taken at, as files have it.
#[derive(Clone, Debug, Serialize)]
pub struct Placed<'a> {
    /// The row.
    #[serde(flatten)]
    pub row: &'a SoftwareRow,
    /// The place.
    #[serde(flatten)]
    pub place: &'a Place,
}

/// A figure of a circuit beside the published one.
#[derive(Clone, Debug, Serialize)]
pub struct HardwareRow {
    /// The operation.
    pub op: String,
    /// Its instance.
    pub instance: String,
    /// The circuit's configuration.
    pub config: String,
    /// What is counted.
    pub metric: String,
    /// In what.
    pub unit: String,
    /// Our figure.
    pub value: f64,
    /// The published figure, where there is one.
    pub published: Option<f64>,
    /// Who published it.
    pub published_by: Option<String>,
    /// Where our figure comes from.
    pub kind: Kind,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// From a run.
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
        let placed = Placed { row: &software, place: &Place::here().unwrap() };
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
