pragma circom 2.0.0;

// Verification of a signature: EdDSA over Baby Jubjub with Poseidon. The template is circomlib's.
include "circomlib/circuits/eddsaposeidon.circom";

component main { public [Ax, Ay, M] } = EdDSAPoseidonVerifier();
