pragma circom 2.2.0;

include "circomlib/circuits/poseidon.circom";

// Hashes of two elements, so many: each takes the last one's result and its own number.
template PoseidonChain(length) {
    signal input secret;
    signal output end;

    component hashes[length];
    for (var i = 0; i < length; i++) {
        hashes[i] = Poseidon(2);
        if (i == 0) {
            hashes[i].inputs[0] <== secret;
        } else {
            hashes[i].inputs[0] <== hashes[i - 1].out;
        }
        hashes[i].inputs[1] <== i;
    }
    end <== hashes[length - 1].out;
}

component main = PoseidonChain(16);
