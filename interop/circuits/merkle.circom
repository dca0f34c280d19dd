pragma circom 2.2.0;

include "circomlib/circuits/poseidon.circom";

// The root over a secret leaf: at each level the node is the left one (0) or the right one (1) of two.
template Membership(depth) {
    signal input leaf;
    signal input siblings[depth];
    signal input sides[depth];
    signal output root;

    signal nodes[depth + 1];
    signal swapped[depth];
    component hashes[depth];
    nodes[0] <== leaf;
    for (var i = 0; i < depth; i++) {
        sides[i] * (1 - sides[i]) === 0;
        swapped[i] <== sides[i] * (siblings[i] - nodes[i]);
        hashes[i] = Poseidon(2);
        hashes[i].inputs[0] <== nodes[i] + swapped[i];
        hashes[i].inputs[1] <== siblings[i] - swapped[i];
        nodes[i + 1] <== hashes[i].out;
    }
    root <== nodes[depth];
}

component main = Membership(20);
