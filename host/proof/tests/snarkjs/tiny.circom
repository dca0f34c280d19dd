pragma circom 2.2.0;

// Two products of sums; the result and one input are public. With PLONK: 8 rows or fewer.
template Tiny() {
    signal input a;
    signal input b;
    signal output c;
    signal d;
    d <== (a + 2 * b) * (b + 3);
    c <== d * a + 5;
}

component main {public [a]} = Tiny();
