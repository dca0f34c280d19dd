// Compiles contracts and calls them in an EVM: `node evm.mjs NODE_MODULES < request.json`.
//
// request: {"sources": {name: text}, "settings": {...}, "hardfork": name, "calls": [[name, call data in hex, gas], ...]}
// reply: {"messages": [...], "contracts": {name: {"bytes": length of the code, "functions": {signature: selector}}},
//         "results": [[returned hex, or null if reverted, gas], ...]}
//
// The gas is that of the execution: without the 21,000 of a transaction and the cost of its data.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const solc = require("solc");
const { createEVM } = require("@ethereumjs/evm");
const { Common, Mainnet } = require("@ethereumjs/common");
const { bytesToHex, createAccount, createAddressFromString, hexToBytes } = require("@ethereumjs/util");

const request = JSON.parse(readFileSync(0, "utf8"));
const sources = Object.fromEntries(Object.entries(request.sources).map(([name, content]) => [name, { content }]));
const outputSelection = { "*": { "*": ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } };
const settings = { ...request.settings, outputSelection };
const output = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
const messages = (output.errors ?? []).map((error) => error.formattedMessage);

const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: request.hardfork }) });
// As at the start of a transaction (EIP-2929).
evm.precompiles.forEach((_, address) => evm.journal.addAlwaysWarmAddress(`0x${address}`, true));
const contracts = {};
const addresses = {};
for (const [number, [name, inside]] of Object.entries(output.contracts ?? {}).entries()) {
  // Abstract contracts have no code.
  const { deployedBytecode, methodIdentifiers } = Object.values(inside).find(({ evm }) => evm.deployedBytecode.object).evm;
  const code = hexToBytes(`0x${deployedBytecode.object}`);
  contracts[name] = { bytes: code.length, functions: methodIdentifiers };
  addresses[name] = createAddressFromString(`0x${(0x10000 + number).toString(16).padStart(40, "0")}`);
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
process.stdout.write(JSON.stringify({ messages, contracts, results }));
