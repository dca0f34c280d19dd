//! The rows of a run, printed as they are measured, because a bench of many sizes takes minutes.

use crate::row::SoftwareRow;

/// Rows in the order of measurement.
#[derive(Default)]
pub struct Rows(Vec<SoftwareRow>);

impl Rows {
    /// Adds a row, and prints it to standard error in a line.
    pub fn push(&mut self, row: SoftwareRow) {
        eprintln!("{}", line(&row));
        self.0.push(row);
    }

    /// Returns all rows, those with fewer threads first.
    pub fn by_threads(mut self) -> Vec<SoftwareRow> {
        self.0.sort_by_key(|row| row.threads);
        self.0
    }

    /// Returns all rows in the order of measurement.
    pub fn all(self) -> Vec<SoftwareRow> {
        self.0
    }
}

impl Extend<SoftwareRow> for Rows {
    fn extend<T: IntoIterator<Item = SoftwareRow>>(&mut self, rows: T) {
        rows.into_iter().for_each(|row| self.push(row));
    }
}

/// Formats a row as a progress line.
fn line(row: &SoftwareRow) -> String {
    let SoftwareRow { instance, metric, unit, threads, ours, peer_name, peer, ratio, .. } = row;
    let threads = if *threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    let theirs = match &row.absent {
        Some(why) => format!("absent: {why}"),
        None => format!("{peer:.4} {unit}, ratio {ratio:.2}"),
    };
    format!("{instance}, {metric}, {threads}: {ours:.4} {unit}; {peer_name}: {theirs}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(threads: usize, absent: Option<&str>) -> SoftwareRow {
        SoftwareRow {
            op: "msm".into(),
            instance: "toy".into(),
            metric: "2^4 points".into(),
            unit: "ms".into(),
            threads,
            ours: 2.0,
            peer_name: "p".into(),
            peer: 5.0,
            ratio: 2.5,
            absent: absent.map(str::to_string),
        }
    }

    #[test]
    fn a_line_a_row() {
        assert_eq!(
            line(&row(1, None)),
            "toy, 2^4 points, 1 thread: 2.0000 ms; p: 5.0000 ms, ratio 2.50"
        );
        assert!(line(&row(2, Some("no Go"))).ends_with("2 threads: 2.0000 ms; p: absent: no Go"));
    }

    #[test]
    fn fewer_threads_come_first_and_the_order_stays() {
        let mut rows = Rows::default();
        rows.extend([row(2, None), row(1, Some("a")), row(1, Some("b"))]);
        let sorted = rows.by_threads();
        let found: Vec<_> = sorted.iter().map(|row| (row.threads, row.absent.as_deref())).collect();
        assert_eq!(found, [(1, Some("a")), (1, Some("b")), (2, None)]);
    }
}
