//! blst and halo2curves, for the bench to measure: see [`proofmill_bench::peers::algebra`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::algebra::serve(std::io::stdin().lock(), std::io::stdout())
}
