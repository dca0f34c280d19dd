// Compiles contracts and calls them in an EVM: `node evm.mjs NODE_MODULES`. A request is a line of standard input, its reply
// a line of standard output.
//
// request: {"sources": {name: text}, "settings": {...}, "hardfork": name, "calls": [[name, call data in hex, gas], ...]}
// reply: {"messages": [...], "contracts": {name: {"bytes": length of the code, "functions": {signature: selector}}},
//         "results": [[returned hex, or null if reverted, gas], ...]}
//
// The gas is that of the execution: without the 21,000 of a transaction and the cost of its data.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const solc = require("solc");
const { createEVM } = require("@ethereumjs/evm");
const { Common, Mainnet } = require("@ethereumjs/common");
const { bytesToHex, createAccount, createAddressFromString, hexToBytes } = require("@ethereumjs/util");

const output = new Map();

/** Compiles sources; the same ones only once. */
function compiled({ sources, settings }) {
  const key = JSON.stringify([sources, settings]);
  if (!output.has(key)) {
    const outputSelection = { "*": { "*": ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } };
    const input = {
      language: "Solidity",
      sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
      settings: { ...settings, outputSelection },
    };
    const { errors = [], contracts = {} } = JSON.parse(solc.compile(JSON.stringify(input)));
    // Abstract contracts have no code.
    const only = (inside) => Object.values(inside).find(({ evm }) => evm.deployedBytecode.object).evm;
    const entries = Object.entries(contracts).map(([name, inside]) => [name, only(inside)]);
    output.set(key, { messages: errors.map((error) => error.formattedMessage), contracts: new Map(entries) });
  }
  return output.get(key);
}

async function answer(request) {
  const { messages, contracts } = compiled(request);
  const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: request.hardfork }) });
  // As at the start of a transaction (EIP-2929).
  evm.precompiles.forEach((_, address) => evm.journal.addAlwaysWarmAddress(`0x${address}`, true));
  const described = {};
  const addresses = {};
  for (const [name, { deployedBytecode, methodIdentifiers }] of contracts) {
    const code = hexToBytes(`0x${deployedBytecode.object}`);
    described[name] = { bytes: code.length, functions: methodIdentifiers };
    addresses[name] = createAddressFromString(`0x${(0x10000 + Object.keys(addresses).length).toString(16).padStart(40, "0")}`);
    await evm.stateManager.putAccount(addresses[name], createAccount({}));
    await evm.stateManager.putCode(addresses[name], code);
  }
  const results = [];
  for (const [name, data, gas] of request.calls) {
    if (!(name in addresses)) throw new Error(`${name}: ${messages.join("\n")}`);
    const { execResult } = await evm.runCall({ to: addresses[name], data: hexToBytes(data), gasLimit: BigInt(gas) });
    const returned = execResult.exceptionError ? null : bytesToHex(execResult.returnValue);
    results.push([returned, Number(execResult.executionGasUsed)]);
  }
  return { messages, contracts: described, results };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
