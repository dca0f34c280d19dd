//! A run over files whose entries a device verifies.
//!
//! Requests are submitted ahead, across files, so that a device that takes many at a time is kept busy. Results are written in the order of
//! the files. The number of outstanding requests is bounded by what the device can use, and so is the memory, however large the files are.

use std::collections::VecDeque;
use std::path::Path;

use proofmill::Device;

/// Writes the results of a run, in the order of the files.
pub trait Results<'a> {
    /// A request that was submitted, and what is written besides its response.
    type Batch;

    /// Waits for the response of a batch and writes its results.
    fn write(&mut self, batch: Self::Batch) -> anyhow::Result<()>;

    /// Writes why a file could not be read, or not to its end.
    fn write_broken(&mut self, file: &'a Path, error: anyhow::Error) -> anyhow::Result<()>;
}

/// The queue of what will be written.
pub struct Ahead<'r, 'a, R: Results<'a>> {
    pub results: &'r mut R,
    entries: VecDeque<Entry<'a, R::Batch>>,
    max_entries: usize,
}

enum Entry<'a, B> {
    Batch(B),
    Broken(&'a Path, anyhow::Error),
}

impl<'r, 'a, R: Results<'a>> Ahead<'r, 'a, R> {
    /// Writes the results of everything that `read` submits. After an error, the results that precede it are written.
    pub fn run(
        device: &dyn Device,
        results: &'r mut R,
        read: impl FnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let max_entries = device.caps().queue.max(2);
        let mut ahead = Self { results, entries: VecDeque::new(), max_entries };
        let result = read(&mut ahead).and_then(|()| {
            while ahead.write_oldest()? {}
            Ok(())
        });
        if result.is_err() {
            while let Ok(true) = ahead.write_oldest() {}
        }
        result
    }

    /// Submits a batch once the queue has space for it.
    pub fn submit(
        &mut self,
        submit: impl FnOnce() -> anyhow::Result<R::Batch>,
    ) -> anyhow::Result<()> {
        self.make_space()?;
        self.entries.push_back(Entry::Batch(submit()?));
        Ok(())
    }

    /// Adds a file that could not be read, or not to its end.
    pub fn broken(&mut self, file: &'a Path, error: anyhow::Error) -> anyhow::Result<()> {
        self.make_space()?;
        self.entries.push_back(Entry::Broken(file, error));
        Ok(())
    }

    fn make_space(&mut self) -> anyhow::Result<()> {
        if self.entries.len() >= self.max_entries {
            self.write_oldest()?;
        }
        Ok(())
    }

    /// Writes the oldest entry; returns false if there is none.
    fn write_oldest(&mut self) -> anyhow::Result<bool> {
        match self.entries.pop_front() {
            None => return Ok(false),
            Some(Entry::Batch(batch)) => self.results.write(batch)?,
            Some(Entry::Broken(file, error)) => self.results.write_broken(file, error)?,
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records what is written; a batch of `None` fails.
    #[derive(Default)]
    struct Record(Vec<String>);

    impl<'a> Results<'a> for Record {
        type Batch = Option<u32>;

        fn write(&mut self, batch: Option<u32>) -> anyhow::Result<()> {
            self.0.push(format!("{batch:?}"));
            batch.map(drop).ok_or_else(|| anyhow::anyhow!("failed"))
        }

        fn write_broken(&mut self, file: &'a Path, error: anyhow::Error) -> anyhow::Result<()> {
            self.0.push(format!("{}: {error}", file.display()));
            Ok(())
        }
    }

    fn written(
        read: impl FnOnce(&mut Ahead<'_, 'static, Record>) -> anyhow::Result<()>,
    ) -> (Vec<String>, anyhow::Result<()>) {
        let device = proofmill::open("cpu:").unwrap();
        let mut record = Record::default();
        let result = Ahead::run(&*device, &mut record, read);
        (record.0, result)
    }

    #[test]
    fn results_are_written_in_order_and_never_more_than_the_queue_holds() {
        let (record, result) = written(|ahead| {
            for number in 0..100 {
                ahead.submit(|| Ok(Some(number)))?;
                assert!(ahead.entries.len() <= ahead.max_entries);
                assert_eq!(ahead.results.0.len() + ahead.entries.len(), 1 + number as usize);
            }
            ahead.broken(Path::new("file"), anyhow::anyhow!("broken"))
        });
        result.unwrap();
        let numbers = (0..100).map(|number| format!("Some({number})"));
        assert_eq!(record, numbers.chain(["file: broken".into()]).collect::<Vec<_>>());
    }

    #[test]
    fn results_before_an_error_are_written() {
        let (record, result) = written(|ahead| {
            ahead.submit(|| Ok(Some(1)))?;
            ahead.submit(|| anyhow::bail!("not submitted"))
        });
        assert_eq!(
            (record, result.unwrap_err().to_string()),
            (vec!["Some(1)".into()], "not submitted".into())
        );
        let (record, result) = written(|ahead| {
            ahead.submit(|| Ok(None))?;
            ahead.submit(|| Ok(Some(2)))
        });
        assert_eq!(
            (&record[..], result.unwrap_err().to_string()),
            (&["None".into(), "Some(2)".into()][..], "failed".into())
        );
    }
}
