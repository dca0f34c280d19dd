//! The crate `equihash` in one of its modes, for the bench to measure: see [`proofmill_bench::peers::equihash`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::equihash::serve(std::io::stdin().lock(), std::io::stdout())
}
