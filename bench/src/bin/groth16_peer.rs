//! arkworks' Groth16, for the bench to measure: see [`proofmill_bench::peers::prove`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::prove::serve(std::io::stdin().lock(), std::io::stdout())
}
