pragma circom 2.0.0;

// Knowledge of a number with a public Poseidon hash. The template is circomlib's.
include "circomlib/circuits/poseidon.circom";

component main = Poseidon(1);
