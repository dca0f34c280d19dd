// snarkjs' provers, for the bench to measure: a line of work in, its seconds out; the proof and its public values go
// to files. The argument is the folder that holds node_modules. What the fields of a work mean is told in ../works/src/prove.rs.
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const snarkjs = require(path.join(process.argv[2], "node_modules", "snarkjs"));

async function main() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const work = JSON.parse(line);
        const start = process.hrtime.bigint();
        const { proof, publicSignals } = await snarkjs[work.protocol].prove(work.zkey, work.wtns);
        const seconds = Number(process.hrtime.bigint() - start) / 1e9;
        fs.writeFileSync(work.proof, JSON.stringify(proof));
        fs.writeFileSync(work.public, JSON.stringify(publicSignals));
        console.log(seconds.toExponential());
    }
}

main().then(() => process.exit(0), (problem) => {
    console.error(problem);
    process.exit(1);
});
