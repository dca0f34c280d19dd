//! libsecp256k1 and k256, for the bench to measure: see [`proofmill_bench::peers::ecdsa`].

fn main() -> anyhow::Result<()> {
    proofmill_bench::peers::ecdsa::serve(std::io::stdin().lock(), std::io::stdout())
}
