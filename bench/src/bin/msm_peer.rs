//! arkworks, blst and halo2curves, for the bench to measure: see [`proofmill_bench::peers::msm`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::msm::serve(std::io::stdin().lock(), std::io::stdout())
}
