//! arkworks, for the bench to measure: see [`proofmill_bench::peers::ntt`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::ntt::serve(std::io::stdin().lock(), std::io::stdout())
}
