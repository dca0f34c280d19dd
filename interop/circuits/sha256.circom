pragma circom 2.2.0;

include "circomlib/circuits/bitify.circom";
include "circomlib/circuits/sha256/sha256.circom";

// A secret message of some bytes, each its bits from the highest, and its digest in two halves of 128 bits.
template Preimage(bytes) {
    signal input message[bytes];
    signal output digest[2];

    component bits[bytes];
    component hash = Sha256(8 * bytes);
    for (var i = 0; i < bytes; i++) {
        bits[i] = Num2Bits(8);
        bits[i].in <== message[i];
        for (var j = 0; j < 8; j++) {
            hash.in[8 * i + j] <== bits[i].out[7 - j];
        }
    }
    component halves[2];
    for (var i = 0; i < 2; i++) {
        halves[i] = Bits2Num(128);
        for (var j = 0; j < 128; j++) {
            halves[i].in[j] <== hash.out[128 * i + 127 - j];
        }
        digest[i] <== halves[i].out;
    }
}

component main = Preimage(32);
