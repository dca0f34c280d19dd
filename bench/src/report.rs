//! Rows to a file and to the terminal.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

/// Writes rows as a JSON list to `target/bench/<name>.json` of this checkout; gives the path. Figures that are not to be
/// kept have a folder in their name.
pub fn write(name: &str, rows: &[impl Serialize]) -> Result<PathBuf> {
    let path = checkout().join("target/bench").join(name).with_extension("json");
    let text = serde_json::to_string_pretty(rows)? + "\n";
    let folder = path.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// The root of the checkout that this program was built from.
pub fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the bench is a folder of the checkout")
}

/// The rows as a table: a column a field that is not null in all of them, numbers to the right.
pub fn table(rows: &[impl Serialize]) -> Result<String> {
    let rows: Vec<Value> = rows.iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
    let Some(first) = rows.first() else { return Ok(String::new()) };
    let columns = first.as_object().context("a row is an object")?.keys();
    let columns: Vec<&String> =
        columns.filter(|column| rows.iter().any(|row| !row[*column].is_null())).collect();
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| cell(&row[*column])).collect()).collect();
    let width = |i: usize| {
        cells.iter().map(|row| row[i].chars().count()).chain([columns[i].len()]).max().unwrap_or(0)
    };
    let line = |texts: &[&str]| {
        let aligned = texts.iter().enumerate().map(|(i, text)| match &first[columns[i]] {
            Value::Number(_) => format!("{text:>0$}", width(i)),
            _ => format!("{text:<0$}", width(i)),
        });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let heads: Vec<&str> = columns.iter().map(|column| column.as_str()).collect();
    let body = cells.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    Ok(std::iter::once(line(&heads)).chain(body).collect())
}

/// Four significant digits, or all those before the point.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let before_point = number.abs().max(1.0).log10() as usize + 1;
            format!("{number:.0$}", 4usize.saturating_sub(before_point))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        rate: f64,
        other: Option<u32>,
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [
            Row { name: "a", rate: 123456.7, other: None },
            Row { name: "longer", rate: f64::NAN, other: None },
        ];
        assert_eq!(table(&rows).unwrap(), "name      rate\na       123457\nlonger       -\n");
        assert_eq!(table(&[] as &[Row]).unwrap(), "");
    }
}
