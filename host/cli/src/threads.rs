//! The number of threads of this machine, beside a device or as the device.

use anyhow::{Context as _, bail};
use clap::Args;
use proofmill::Uri;
use rayon::ThreadPoolBuilder;

/// The option `--threads`.
#[derive(Args, Clone, Copy, Default)]
pub struct Threads {
    /// Number of threads [default: one per hardware thread]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Runs work with a pool of this many threads, or of all.
pub fn run<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let threads = threads.unwrap_or(0); // rayon's word for all
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(proofmill_algebra::STACK_BYTES)
        .build();
    pool.context("starting threads")?.install(work)
}

impl Threads {
    /// Runs work with a pool of this many threads.
    pub fn run<T: Send>(
        self,
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<T> {
        run(self.threads.map(usize::from), work)
    }

    /// Returns the URI of the processor with this many threads.
    pub fn processor(self) -> anyhow::Result<Uri> {
        self.applied("cpu:".parse()?)
    }

    /// Adds the number to the URI, if it is that of the processor.
    pub fn applied(self, uri: Uri) -> anyhow::Result<Uri> {
        match self.threads {
            Some(_) if uri.option("threads").is_some() => {
                bail!("--threads: {uri} has the option, too")
            }
            Some(threads) if uri.scheme() == "cpu" => {
                Ok(uri.with_option("threads", &threads.to_string()))
            }
            _ => Ok(uri),
        }
    }
}
