//! The table at the end of the demonstration: operations, counts, rates.

use std::time::Duration;

use crate::output::Output;

/// A row of the table.
pub struct Row {
    pub what: String,
    pub number: usize,
    pub time: Duration,
}

/// Writes the table.
pub fn write(rows: &[Row], output: &mut Output) -> anyhow::Result<()> {
    let wide = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    output.line(format_args!("{:<wide$} {:>8} {:>12} {:>14}", "", "number", "time", "a second"))?;
    for Row { what, number, time } in rows {
        let rate = *number as f64 / time.as_secs_f64();
        let digits = if rate < 100.0 { 2 } else { 0 };
        output.line(format_args!(
            "{what:<wide$} {number:>8} {:>12} {rate:>14.digits$}",
            milliseconds(*time)
        ))?;
    }
    Ok(())
}

/// Formats a time in milliseconds.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
