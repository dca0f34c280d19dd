//! arkworks, blst, halo2curves and mcl, for the bench to measure: see [`proofmill_bench::peers::pairing`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::pairing::serve(std::io::stdin().lock(), std::io::stdout())
}
